#!/usr/bin/perl

# The MCP server and the clients that there are, unmodified: the official ones
# of both generations, the agents of three frameworks, and the scenarios of the
# official conformance suite.  scripts/deps.sh puts them into build/mcp.

use strict;
use warnings;
use utf8;

use Cwd qw(abs_path);
use File::Copy qw(copy);
use File::Temp qw(tempdir);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactMcp;
use ArtifactSdk;
use ArtifactSign;
use ArtifactTest;

my $root = abs_path("$FindBin::Bin/../..");
my $installed = "$root/build/mcp";
my $suite = "$installed/node_modules/\@modelcontextprotocol/conformance/dist/"
    . 'index.js';

# The scenarios that apply.  The others want the tools (test_*), resources
# (test://) and prompts of their own fixture, or what there is not: logging,
# completion, subscriptions, sampling, elicitation, streams of events.

my @SCENARIOS = qw(server-initialize ping tools-list resources-list
                   server-sse-multiple-streams dns-rebinding-protection);
my $OTHERS = qr/\A(?:tools-call-.*|prompts-.*|resources-(?:read|templates).*
                  |resources-(?:un)?subscribe|logging-.*|completion-.*
                  |elicitation-.*|json-schema-2020-12|server-sse-polling)\z/x;

my $LARGE = 200 << 20;
my $t = ArtifactTest->new(workers => 2);

$t->artifact('notes', "These are words.\n", { type => 'text/plain',
                                              name => 'notes.txt' });
$t->artifact('shot', png(120, 80), { type => 'image/png', name => 'shot.png' });
$t->artifact('log', join('', map {
    "2026-11-23 line $_ " . ($_ == 31415 ? "a needle\n" : "a straw\n")
} 1 .. 50_000), { type => 'text/plain', name => 'big.log' });
truncate $t->file('data/artifacts/large', ''), $LARGE or die "truncate: $!";
$t->artifact('large', undef, { type => 'application/octet-stream',
                               name => 'large.bin' });
$t->workspace_file('agent:1', bytes("new\nline ä.txt"), "n\n");
$t->artifact(sprintf('p%04d', $_), "content $_\n",
             { type => 'text/plain', name => "p$_.txt" }) for 1 .. 2500;

$t->file('map.json', { services => [
    { id => 'gpt-4o', capabilities => { input => [qw(text vision)] } },
    { id => 'gpt-3.5-turbo', capabilities => { input => ['text'] } },
] });

key_file($t, 'keys', \('k' x 32));

$t->start(http => 'artifact_capabilities %%PREFIX%%/map.json;',
          server => mcp_server(more => 'client_max_body_size 1m;',
                               server => <<'SERVER'));
    location = /limited {
        artifact_mcp;
        artifact_inline_max 100k;
        artifact_url https://files.example.com/artifacts/;
    }
    location = /unlimited {
        artifact_mcp;
        artifact_inline_max 0;
    }
    location = /tickets {
        artifact_mcp;
        artifact_write on;
        artifact_url http://127.0.0.1:%%PORT%%/signed/;
        artifact_sign_key %%PREFIX%%/keys;
    }
    location /signed/ {
        artifact;
        artifact_write on;
        artifact_signed on;
        artifact_sign_key %%PREFIX%%/keys;
    }
    location = /sees/mcp {
        artifact_mcp;
        artifact_service gpt-4o;
    }
    location = /reads/mcp {
        artifact_mcp;
        artifact_service gpt-3.5-turbo;
    }
SERVER

my $base = 'http://127.0.0.1:' . $t->port;

ok(-e "$installed/installed", 'scripts/deps.sh test has installed the clients')
    or exit;

my $folder = tempdir('check-XXXXXX', DIR => $installed, CLEANUP => 1);
copy($_, $folder) or die "$_: $!\n"
    for glob("$root/t/npm/mcp/*.mjs"), "$root/t/npm/sdk/tap.mjs",
        map { "$root/t/npm/clients/$_.mjs" }
            qw(client_agents client_ai client_langchain model);

sdk_run(128, $folder, 'official.mjs', $base, $t->data);
sdk_run(60, $folder, 'agents.mjs', $base);

SKIP: {
    skip 'a sanitizer keeps freed memory', 1 if $t->version =~ /-fsanitize/;
    sdk_run(4, $folder, 'large.mjs', "$base/unlimited", $LARGE,
            $t->workers);
}


# --- the conformance suite ---------------------------------------------------

sub suite {
    my $node = "node --import $folder/node20.mjs";

    return scalar `cd $folder && timeout 60 $node $suite @_ 2>&1`;
}


# it needs a later Node.js than Debian 12 has

my ($node) = `node --version` =~ /v(\d+)/;

if (($node // 0) < 20) {
    note('no conformance suite: it needs Node.js 20');
    $t->finish;
    exit;
}

my ($servers) = suite('list') =~ /^Server scenarios.*?\n(.*?)\n\n/ms;
my @known = ($servers // '') =~ /^\s+-\s+(\S+)/mg;

cmp_ok(scalar @known, '>', 20, 'there are scenarios');
is(join(' ', grep { my $name = $_; $name !~ $OTHERS
                    && !grep { $_ eq $name } @SCENARIOS } @known), '',
   'all are known');

for my $scenario (@SCENARIOS) {
    my $out = suite('server', '--url', "$base/mcp", '--scenario', $scenario);

    is($?, 0, "conformance: $scenario") or diag($out);
    like($out, qr/\b0 failed/, "conformance: $scenario fails nowhere");
}

$t->finish;
