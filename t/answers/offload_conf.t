#!/usr/bin/perl

# What a configuration needs that offloads: a data root, in each location.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactTest;

my $t = ArtifactTest->new;

my @cases = (
    ['location / { artifact_offload on; }', 0, 'without a root'],
    ['artifact_offload on; location / { }', 0, 'of the server'],
    ['location / { artifact_offload on; artifact_root /r; }', 1, 'with one'],
    ['artifact_offload on; location / { artifact_root /r; }', 1,
     'of the location'],
    ['artifact_offload on; artifact_root /r; location / { }', 1,
     'of the server'],
    ['location / { artifact_offload on; artifact_root $arg_r; }', 1,
     'a variable one'],
    ['location / { artifact_offload off; }', 1, 'off'],
    ['location / { artifact_offload link; artifact_root /r; }', 1, 'links'],
    ['location / { artifact_offload link; }', 0, 'links without a root'],
    ['location / { artifact_offload many; artifact_root /r; }', 0, 'no word'],
    ['location / { artifact_offload on; artifact_offload_min 1m; '
     . 'artifact_root /r; }', 1, 'a size'],
    ['location / { artifact_offload_min many; }', 0, 'no size'],
);

for my $case (@cases) {
    my ($conf, $good, $name) = @$case;
    my ($status, $text) = $t->conf_test(server => $conf);
    is($status == 0 ? 1 : 0, $good, "$name: " . ($good ? 'good' : 'refused'))
        or diag($text);
    like($text, qr/"artifact_offload" in location .* requires "artifact_root"/,
         "$name: for what reason") if !$good && $conf !~ /many/;
}

done_testing();
