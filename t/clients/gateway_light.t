#!/usr/bin/perl

# Real LLM gateways between two locations: media leave requests in front of them
# and come back behind, wherever the originals would have arrived.  With
# TEST_GATEWAY=full ("make test-gateway") Portkey with more providers, and
# claude-code-router.

use strict;
use warnings;

use Cwd qw(abs_path);
use File::Copy qw(copy);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactSandwich;
use ArtifactSdk;
use ArtifactTest;

my $full = ($ENV{TEST_GATEWAY} // '') eq 'full';
my $build = abs_path("$FindBin::Bin/../..") . '/build';

my $t = ArtifactTest->new;

$t->file('map.json', standin_map());

my $conf = '';
for my $gateway (qw(portkey router translator)) {
    my $at = $gateway eq 'translator' ? '' : "$gateway/";
    $conf .= <<"CONF";
    location /front/$at {
        artifact_offload_request on;
        proxy_pass http://unix:%%PREFIX%%/$gateway:/;
    }
    location /plain/$at {
        proxy_pass http://unix:%%PREFIX%%/$gateway:/;
    }
CONF
}

$t->start(http => <<'HTTP', server => <<"SERVER");
    artifact_capabilities %%PREFIX%%/map.json;
    artifact_root %%DATA%%;
    artifact_language en;
    artifact_offload_min 1k;
    client_max_body_size 64m;
    proxy_http_version 1.1;
HTTP
    location /artifacts/ {
        internal;
        artifact;
    }
    location /behind/ {
        artifact_expand standins;
        proxy_pass http://unix:%%PREFIX%%/provider:/;
    }
    location /direct/ {
        artifact_expand on;
        proxy_pass http://unix:%%PREFIX%%/provider:/;
    }
    location /behind/openrouter/ {
        artifact_expand standins;
        artifact_format openrouter;
        proxy_pass http://unix:%%PREFIX%%/provider:/;
    }
    location /direct/openrouter/ {
        artifact_expand on;
        artifact_format openrouter;
        proxy_pass http://unix:%%PREFIX%%/provider:/;
    }
$conf
SERVER

ok(-e "$build/$_/installed", "scripts/deps.sh test has installed build/$_")
    or do { $t->finish; exit } for 'gateway', $full ? 'router' : ();

my $folder = sdk_folder() // do { $t->finish; exit };

copy("$FindBin::Bin/../npm/gateway/listen.cjs", $folder)
    or die "listen.cjs: $!\n";
mkdir "$folder/files" or die "$folder/files: $!\n";
spew("$folder/files/$_", standin_content($_, 20_000)) for @STANDIN_KINDS;
spew("$folder/files/large-$_", standin_content('png', 400_000 + $_)) for 0 .. 2;

sdk_run($full ? 200 : 40, $folder, 'light.mjs', $folder, $t->port,
        $t->prefix, "$build/gateway", $full ? "$build/router" : ());

# SDKs that read a request of one API and send it as one of another

sdk_run(40, $folder, 'translators.mjs', $folder, $t->port, $t->prefix)
    if $full;

$t->finish;
