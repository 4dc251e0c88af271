#!/usr/bin/perl

# Sessions of the SDKs with media of the client's own that end at a provider go
# on behind nginx, and what is right arrives as it is.

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
    png => png(60, 40), jpeg => jpeg(), webp => webp(), pdf => pdf(),
    csv => "id,name,city\n1,Ada,London\n2,Grace,\"New York\"\n" x 3,
    html => "<!DOCTYPE html>\n<html><head><title>503</title></head>\n"
        . "<body><p>Service unavailable</p></body></html>\n",
);

$t->file('map.json', { services => [
    map { { id => $_, model => $_,
            capabilities => { input => [qw(text vision file)] } } }
    qw(sees gemini-2.5-sees),
] });

$t->start(http => <<'HTTP', server => <<"SERVER");
    artifact_capabilities %%PREFIX%%/map.json;
    artifact_language en;
HTTP
    location / {
        artifact_expand on;
        proxy_pass http://unix:@{[ $t->prefix ]}/api:;
    }
SERVER

my $folder = sdk_folder() // do { $t->finish; exit };

mkdir "$folder/files" or die "$folder/files: $!\n";
spew("$folder/files/$_", $file{$_}) for keys %file;

sdk_run(400, $folder, 'own_sessions.mjs', $folder, $t->port,
        $t->prefix . '/api');

$t->finish;
