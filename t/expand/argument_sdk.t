#!/usr/bin/perl

# References in arguments of tools, between the official client and server of
# MCP: the exact bytes arrive, and the client holds none of them.  With
# TEST_CLIENTS=full ("make test-clients") a public server as well.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactSdk;
use ArtifactTest;
use IO::Socket::INET;
use Time::HiRes qw(sleep);

my $full = ($ENV{TEST_CLIENTS} // '') eq 'full';
my $t = ArtifactTest->new;
my $dir = $t->prefix;
my %content = (
    shot => [png(300, 300), 'image/png', '.png'],
    notes => ["caf\xe9, \"quoted\"\r\n" x 200, 'text/plain; charset=latin1',
              '.txt'],
    noise => [join('', map { chr($_ * 31 % 256) } 1 .. 900_000),
              'application/octet-stream', '.bin'],
);

for my $id (keys %content) {
    my ($bytes, $type, $extension) = @{ $content{$id} };
    $t->artifact($id, $bytes, { mimeType => $type });
    spew("$dir/$id$extension", $bytes);
}

my $pass = "proxy_pass http://unix:$dir/tools:;";
$t->start(server => <<"SERVER");
    artifact_root %%DATA%%;
    artifact_url https://h/a/;
    artifact_language en;
    proxy_http_version 1.1;
    proxy_buffering off;
    location /artifacts/ { internal; artifact; }
    location /data/ { artifact_argument data; $pass }
    location /base64/ { artifact_argument base64; $pass }
    location /url/ { artifact_argument url; $pass }
    location ~ ^/everything/(?<behind>[0-9]+)/ {
        artifact_argument data;
        proxy_pass http://127.0.0.1:\$behind/mcp;
    }
SERVER

my $folder = sdk_folder();

if (defined $folder) {
    my ($port, $pid) = $full ? everything() : ();

    sdk_run($port ? 63 : 60, $folder, 'argument.mjs', $t->port,
            "$dir/tools", $dir, $port // ());

    if ($pid) {
        kill TERM => $pid;
        waitpid $pid, 0;
    }
}

$t->finish;


# Starts server-everything: its port and its process.

sub everything {
    my $script = "$FindBin::Bin/../../build/clients/more/node_modules/"
        . '@modelcontextprotocol/server-everything/dist/index.js';
    ok(-e $script, 'server-everything is installed') or return;

    my $free = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 1)
        or die "listen: $!\n";
    my $port = $free->sockport;
    close $free;

    my $pid = fork // die "fork: $!\n";
    if ($pid == 0) {
        open STDOUT, '>', "$dir/everything.log";
        open STDERR, '>&', \*STDOUT;
        $ENV{PORT} = $port;
        exec 'node', $script, 'streamableHttp' or die "node: $!\n";
    }

    for (1 .. 400) {
        last if IO::Socket::INET->new(PeerAddr => "127.0.0.1:$port");
        sleep 0.05;
    }
    return ($port, $pid);
}
