#!/usr/bin/perl

# torture.pl [WRITERS [WRITES]]
#
# t/write/write_torture.t at full size: 16 writers with 125 writes each, unless told
# otherwise, and readers.  Prints TAP.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../t/lib";
use ArtifactLoad;
use ArtifactTest;
use ArtifactWrite;

my ($writers, $writes) = @ARGV;

my $t = ArtifactTest->new(workers => 4);
$t->start(server => write_server());

torture($t, writers => $writers || 16, writes => $writes || 125,
        files => 40, readers => 4, sizes => [50, 3000, 60_000, 400_000]);

$t->finish;
