#!/usr/bin/perl

# Sessions that grow by an image of a megabyte each turn, and beyond what the
# API takes: each request is right, and the prefix that a provider keeps stays
# what it was but for the steps of the cut.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactSdk;
use ArtifactTest;

my $turns = 40;

my $t = ArtifactTest->new;

$t->file('map.json', { services => [
    { id => 'sees', capabilities => { input => ['text', 'vision'] } },
    { id => 'reads', capabilities => { input => ['text'] } },
] });

$t->start(http => <<'HTTP', server => <<'SERVER');
    artifact_capabilities %%PREFIX%%/map.json;
    artifact_root %%DATA%%;

    proxy_buffering off;
HTTP
    location /artifacts/ {
        internal;
        artifact;
    }
    location /v1/ {
        artifact_expand on;
        proxy_pass http://unix:%%PREFIX%%/api:;
    }
    location /small/ {
        artifact_expand on;
        artifact_body_max 8m;
        proxy_pass http://unix:%%PREFIX%%/api:;
    }
SERVER

my $folder = sdk_folder() // do { $t->finish; exit };

mkdir "$folder/files" or die "$folder/files: $!\n";

for my $n (1 .. $turns) {
    my $image = png($n, $n) . pack 'N*', $n .. $n + 256 * 1024;

    spew("$folder/files/image$n", $image);
    $t->artifact("image$n", $image,
                 { mimeType => 'image/png', name => "image$n.png" });
}

sdk_run(9, $folder, 'history.mjs', $folder, $t->port,
        $t->prefix . '/api', $turns);

$t->finish;
