#!/usr/bin/perl

# kill -9 during writes: what was acknowledged is there, whole; what was not
# leaves nothing behind.  scripts/kill9.pl does the same at full size.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactLoad;
use ArtifactTest;
use ArtifactWrite;

my $t = ArtifactTest->new(workers => 2);
$t->allow(qr/exited on signal 9|was locked by/);
$t->start(server => write_server());

kill_rounds($t, rounds => 10, server => write_server());

$t->finish;
