#!/usr/bin/perl

# Whole requests, against the providers' own SDKs: their clients send references
# through nginx, and what arrives compiles with their types.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactDocs;
use ArtifactFixtures;
use ArtifactSdk;
use ArtifactTest;

my $t = ArtifactTest->new;

my %file = (
    shot => [png(30, 20), 'image/png', 'shot.png'],
    report => [pdf(), 'application/pdf', 'report.pdf'],
    song => [mp3(), 'audio/mpeg', 'song.mp3'],
    note => ["first\nsecond \"line\"\n", 'text/plain', 'note.txt'],
);

for my $id (keys %file) {
    my ($content, $type, $name) = @{ $file{$id} };
    $t->artifact($id, $content, { mimeType => $type, name => $name });
}

# gemini-3 and later take media in a tool's result

my %reader = (
    (map { $_ => ['text', 'vision', 'audio', 'file'] }
        qw(sees gemini-3-sees gemini-2.5-sees)),
    (map { $_ => ['text'] } qw(reads gemini-3-reads gemini-2.5-reads)),
);

$t->file('map.json', { services => [
    map { { id => $_, model => $_, capabilities => { input => $reader{$_} } } }
    sort keys %reader,
] });

# what the guide has for nginx's own errors

my ($recipe) = grep { /error_page/ } doc_blocks(
    map { $_->[1] } grep { $_->[0] eq 'Errors in JSON' }
    doc_sections("$FindBin::Bin/../../docs/gateway.md"));
my ($maps) = $recipe =~ /^(map .*?)^server/ms;
my ($page, $named) = $recipe =~ /(error_page .*?;)\s+(location .*?\}\n)/s;

my $common = <<"CONF";
        artifact_expand on;
        artifact_format \$form;
        proxy_pass http://unix:@{[ $t->prefix ]}/api:;
CONF

$t->start(http => <<"HTTP", server => <<"SERVER");
    artifact_capabilities %%PREFIX%%/map.json;
    artifact_root %%DATA%%;
    artifact_language en;
    $maps
    map \$uri \$form {
        ~^/\\w+/mistral/     mistral;
        ~^/\\w+/openrouter/  openrouter;
        default             "";
    }
HTTP
    location /artifacts/ {
        internal;
        artifact;
    }
    location /broken/ {
        internal;
        return 500;
    }
    location /ok/ {
$common
    }
    location /few/ {
        artifact_refs_max 1;
$common
    }
    location /large/ {
        client_max_body_size 64;
        $page
$common
    }
    $named
    location /fails/ {
        artifact_source /broken/;
$common
    }
SERVER

my $folder = sdk_folder() // do { $t->finish; exit };

mkdir "$folder/files" or die "$folder/files: $!\n";
spew("$folder/files/$_", $file{$_}[0]) for keys %file;

sdk_run(240, $folder, 'expand.mjs', $folder, $t->port,
        $t->prefix . '/api');

$t->finish;
