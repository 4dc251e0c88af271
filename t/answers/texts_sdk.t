#!/usr/bin/perl

# The official SDKs of MCP, unmodified: a server whose tool answers with 3 MB,
# by each transport that there is, and clients that get an excerpt and read the
# rest on demand.

use strict;
use warnings;

use Cwd qw(abs_path);
use File::Copy qw(copy);
use File::Temp qw(tempdir);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactMcp;
use ArtifactSdk;
use ArtifactTest;

my $root = abs_path("$FindBin::Bin/../..");
my $installed = "$root/build/mcp";
my $t = ArtifactTest->new;
my $socket = $t->prefix . '/server';
my $pass = join "\n        ", "proxy_pass http://unix:$socket:/json/;",
    'proxy_http_version 1.1;', 'proxy_set_header Connection "";';

$t->start(server => mcp_server(server => <<"SERVER"));
    artifact_offload_text 16k;

    location /json/ {
        $pass
    }
    location /events/ {
        aio threads;
        artifact_offload on;
        @{[ $pass =~ s{/json/}{/events/}r ]}
    }
    location /old/ {
        artifact_format mcp;
        @{[ $pass =~ s{/json/}{/}r ]}
    }
SERVER

ok(-e "$installed/installed", 'scripts/deps.sh test has installed the clients');

my $folder = tempdir('texts-XXXXXX', DIR => $installed, CLEANUP => 1);
copy($_, $folder) or die "$_: $!\n"
    for glob("$root/t/npm/mcp/*.mjs"), "$root/t/npm/sdk/tap.mjs";

sdk_run(24, $folder, 'texts.mjs', $socket,
        'http://127.0.0.1:' . $t->port);

$t->finish;
