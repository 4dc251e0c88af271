#!/usr/bin/perl

# A server that is slow: what precedes a long text goes to the client at once,
# up to its quote, and the head as soon as the text is long.  A text that may
# still be short, or none, is held meanwhile, and nothing else.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactTest;
use ArtifactUpstream;
use IO::Select;
use IO::Socket::INET;

my $t = ArtifactTest->new;

my $begin = '{"result":{"content":[{"type":"text","text":"';
my $lines = join '', map { sprintf 'line %05d\n', $_ } 1 .. 5000;
my $body = "$begin$lines\"}]}}";
my $short = '{"result":{"content":[{"type":"image","data":"' . 'A' x 9000
    . '","mimeType":"' . 'x' x 20_000 . '"}]}}';

my $progress = "data: {\"method\":\"notifications/progress\"}\n\n";

# 2 KB are 186 lines of 11 bytes, of 12 in the string

my $head = $begin . substr $lines, 0, 186 * 12;

my $up = ArtifactUpstream->new($t->prefix . '/up', contents => {
    'mcp' => { type => 'application/json', body => $body },
    'events/mcp' => { type => 'text/event-stream', body => "data: $body\n\n" },
    'other/mcp' => { type => 'application/json', body => $short },
    'progress/mcp' => { type => 'text/event-stream',
        body => "${progress}data: $body\n\n" },
});

$t->start(server => <<"SERVER");
    artifact_root %%DATA%%;
    artifact_offload_text 16k;
    postpone_output 0;
    proxy_buffering off;

    location / {
        proxy_pass http://unix:@{[ $t->prefix ]}/up:/;
    }
    location /threads/ {
        aio threads;
        artifact_offload on;
        proxy_pass http://unix:@{[ $t->prefix ]}/up:/;
    }
SERVER

# What a client has of an answer of which so many bytes have come.

sub first_of {
    my ($uri, $cut, $want) = @_;
    my $client = IO::Socket::INET->new(PeerAddr => '127.0.0.1:' . $t->port)
        or die "connect: $!";
    print {$client} "GET $uri?frame=chunked&cut=$cut&nolast=1&hang=1 "
        . "HTTP/1.0\r\nHost: x\r\n\r\n";
    $client->flush;

    # no more than that comes in a while, and all of it comes in the end

    my $got = '';
    my $select = IO::Select->new($client);
    my $has = sub { $got =~ /\r\n\r\n(.*)/s && length $1 >= length $want };
    while ($select->can_read($has->() ? 0.3 : 20)) {
        sysread($client, $got, 65536, length $got) or last;
    }
    close $client;
    return $got =~ /\r\n\r\n(.*)/s ? $1 : "no answer: $got";
}

for my $at ('', '/threads') {
    for my $case (
        ['/mcp', 22, substr($body, 0, 22)],
        ['/mcp', length($begin), $begin],
        ['/mcp', 3000, $begin],
        ['/mcp', 15_000, $begin],
        ['/mcp', 40_000, $head],
        ['/events/mcp', 3000, "data: $begin"],
        ['/events/mcp', 40_000, "data: $head"],
        ['/other/mcp', 20_000, substr($short, 0, 20_000)],
        ['/progress/mcp', length $progress, $progress],
    ) {
        my ($uri, $cut, $want) = @$case;
        is(first_of("$at$uri", $cut, $want), $want,
           "$at$uri: the first $cut bytes");
    }
}

$up->stop;
$t->finish;
