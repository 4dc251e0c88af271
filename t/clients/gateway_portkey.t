#!/usr/bin/perl

# References before a real LLM gateway, Portkey's: what nginx sends it, and
# streamed answers through both.  With TEST_GATEWAY=full ("make test-gateway")
# also what the gateway does with it: retries, other providers, megabytes.

use strict;
use warnings;
use utf8;

use Cwd qw(abs_path);
use File::Copy qw(copy);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactSdk;
use ArtifactTest;

my $full = ($ENV{TEST_GATEWAY} // '') eq 'full';
my $installed = abs_path("$FindBin::Bin/../..") . '/build/gateway';

my $t = ArtifactTest->new;

my %file = (shot => png(30, 20), large => png(30, 20) . "\0" x 8_000_000);

$t->artifact($_, $file{$_}, { mimeType => 'image/png', name => "$_.png" })
    for keys %file;

$t->file('map.json', { services => [
    { id => 'sees', capabilities => { input => ['text', 'vision'] } },
    { id => 'reads', capabilities => { input => ['text'] } },
] });

$t->start(http => <<'HTTP', server => <<'SERVER');
    artifact_capabilities %%PREFIX%%/map.json;
    artifact_root %%DATA%%;
HTTP
    location /artifacts/ {
        internal;
        artifact;
    }
    location = /artifacts/broken {
        internal;
        return 500;
    }
    location /v1/ {
        artifact_expand on;
        client_max_body_size 64m;
        proxy_buffering off;
        proxy_pass http://unix:%%PREFIX%%/relay:;
    }
SERVER

ok(-e "$installed/installed", 'scripts/deps.sh test has installed the gateway')
    or do { $t->finish; exit };

my $folder = sdk_folder() // do { $t->finish; exit };

copy("$FindBin::Bin/../npm/gateway/listen.cjs", $folder) or die "listen.cjs: $!\n";
mkdir "$folder/files" or die "$folder/files: $!\n";
spew("$folder/files/$_", $file{$_}) for keys %file;

sdk_run($full ? 34 : 9, $folder, 'gateway.mjs', $folder, $t->port,
        $t->prefix . '/relay', $installed, $full ? 'full' : 'short');

$t->finish;
