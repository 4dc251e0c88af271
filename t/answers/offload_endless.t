#!/usr/bin/perl

# A stream of a server of tools may last for days: what belongs to a value of
# it does not stay in memory.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;
use Test::More;

my $t = ArtifactTest->new;

my $values = 4000;
my $event = 'data: {"result":{"content":[{"type":"image","mimeType":"image/png",'
    . '"data":"' . b64(png(8, 8)) . qq("}]}}\n\n);

my $up = ArtifactUpstream->new($t->prefix . '/up', contents => {
    mcp => { type => 'text/event-stream', body => $event x $values },
});

my $pass = 'proxy_pass http://unix:' . $t->prefix . '/up:/;';

$t->start(server => <<"SERVER");
    location / {
        artifact_offload link;
        artifact_offload_min 16;
        artifact_root %%DATA%%;
        artifact_url http://h/\$http_x/;
        $pass
    }
SERVER

my ($worker) = $t->workers;

SKIP: {
    skip 'a sanitizer keeps freed memory', 2 if $t->version =~ /-fsanitize/;

    my $client = $t->connect;
    $client->send("GET /mcp HTTP/1.0\r\nX: " . 'x' x 2000 . "\r\n\r\n");

    my ($first, $most, $body, $next) = (0, 0, '', 0);
    $client->response('GET', on_body => sub {
        $body .= $_[0];
        return if length $body < $next;
        $next += 500_000;
        $most = $t->memory($worker);
        $first ||= $most;
    });

    is(scalar(() = $body =~ m{"uri":"http://h/x{2000}/[0-9a-f-]{36}"}g),
       $values, 'all values are replaced');
    cmp_ok($most - $first, '<', 2048, 'in little memory')
        or diag "$first KB, later $most KB";
}

$up->stop;
$t->finish;
