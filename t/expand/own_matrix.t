#!/usr/bin/perl

# Every slot of every API in which a client sends media, with every kind of
# content, declared right, otherwise, wrong or not at all, whole or not: what
# arrives is what no provider refuses, by rules that are the providers' own.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactSdk;
use ArtifactTest;

my $t = ArtifactTest->new;

my %file = (
    png => png(6, 4), jpeg => jpeg(), gif => gif(), webp => webp(),
    pdf => pdf(), mp3 => mp3(), wav => wav(), mp4 => mp4(), svg => svg(),
    csv => "id,name,city\n1,Ada,London\n2,Grace,\"New York\"\n" x 3,
    txt => "The first line.\nAnd a second one, which is longer.\n" x 3,
    json => '{"a":[1,2,{"b":"c"}],"d":"words and words and words"}' . "\n",
    html => "<!DOCTYPE html>\n<html><head><title>503</title></head>\n"
        . "<body><p>Service unavailable</p></body></html>\n",
);

# gemini-3 and later take media in a tool's result

my %reader = map { ("${_}sees" => [qw(text vision audio video file)],
                    "${_}reads" => ['text']) } '', qw(gemini-3- gemini-2.5-);

$t->file('map.json', { services => [
    map { { id => $_, model => $_, capabilities => { input => $reader{$_} } } }
    sort keys %reader,
] });

$t->start(http => <<'HTTP', server => <<"SERVER");
    artifact_capabilities %%PREFIX%%/map.json;
    artifact_language en;
    map $uri $form {
        ~^/mistral/     mistral;
        ~^/openrouter/  openrouter;
        default         "";
    }
    keepalive_requests 1000000;
HTTP
    location / {
        artifact_expand on;
        artifact_format \$form;
        client_body_buffer_size 64k;
        proxy_pass http://unix:@{[ $t->prefix ]}/api:;
    }
SERVER

my $folder = sdk_folder() // do { $t->finish; exit };

mkdir "$folder/files" or die "$folder/files: $!\n";
spew("$folder/files/$_", $file{$_}) for keys %file;

sdk_run(60, $folder, 'own_matrix.mjs', $folder, $t->port,
        $t->prefix . '/api', "$FindBin::Bin/../../docs/expand.md");

$t->finish;
