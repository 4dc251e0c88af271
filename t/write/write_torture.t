#!/usr/bin/perl

# Many writers and readers of one workspace: every write is in the metadata
# exactly once, every reader sees whole files.  scripts/torture.pl does the
# same at full size.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactLoad;
use ArtifactTest;
use ArtifactWrite;

my $t = ArtifactTest->new(workers => 4);
$t->start(server => write_server());

torture($t, writers => 16, writes => 25, files => 10, readers => 3);

$t->finish;
