#!/usr/bin/perl

# Symbolic links count only while they stay inside, whatever the race.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactSymlinks;
use ArtifactTest;

my $t = ArtifactTest->new;

link_data($t);
$t->start(link_conf());
link_checks($t, 'links');
link_race($t, 'links', 3);

$t->finish;
