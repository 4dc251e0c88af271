#!/usr/bin/perl

# kill9.pl [ROUNDS [SEED]]
#
# t/write/write_kill.t at full size: 200 rounds, unless told otherwise.  Prints TAP.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../t/lib";
use ArtifactLoad;
use ArtifactTest;
use ArtifactWrite;

my ($rounds, $seed) = @ARGV;

my $t = ArtifactTest->new(workers => 2);
$t->allow(qr/exited on signal 9|was locked by/);
$t->start(server => write_server());

kill_rounds($t, rounds => $rounds || 200, seed => $seed || time,
            server => write_server());

$t->finish;
