#!/usr/bin/perl

# A flush is none of an answer's bytes, and yet goes on: a header that comes
# before the first event, and what an upstream that breaks off leaves behind in
# gzip.  A client does not wait for either.

use strict;
use warnings;

use Compress::Zlib ();
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream qw(read_request);

my $t = ArtifactTest->new;

my $data = '{"created":1,"x":"' . 'words ' x 3000 . '"}';
my $event = 'data: {"choices":[{"index":0,"delta":{"content":"%s"}}]}'
    . "\n\n";
my $stream = sprintf($event, 'words') x 50
    . sprintf($event, '<artifacts>[{\"type\":\"te');

my $up = ArtifactUpstream->new($t->prefix . '/up', contents => {
    'images/generations' => { body => $data, type => 'application/json' },
    'chat/completions' => { body => $stream, type => 'text/event-stream' },
});

# nothing of the body comes before the client has the header

my $late = ArtifactUpstream->new($t->prefix . '/late', serve => sub {
    my ($sock) = @_;

    my ($head) = read_request($sock) or return;
    syswrite $sock, "HTTP/1.1 200 OK\r\nConnection: close\r\n"
        . "Content-Type: text/event-stream\r\n\r\n";
    for (1 .. 200) {
        last if -e $t->prefix . '/seen';
        select undef, undef, undef, 0.05;
    }
    syswrite $sock, sprintf $event, -e $t->prefix . '/seen' ? 'seen' : 'not';
});

my $pass = 'proxy_pass http://unix:' . $t->prefix;

$t->start(server => <<"SERVER");
    artifact_root %%DATA%%;
    send_timeout 30s;

    location /late/ {
        artifact_offload on;
        $pass/late:/;
    }
    location /gzip/ {
        artifact_offload on;
        gzip on;
        gzip_http_version 1.0;
        gzip_proxied any;
        gzip_types application/json text/event-stream;
        $pass/up:/;
    }
    location /slow/ {
        artifact_offload on;
        gzip on;
        gzip_http_version 1.0;
        gzip_proxied any;
        gzip_types application/json text/event-stream;
        proxy_buffering off;
        $pass/up:/;
    }
    location /both/ {
        artifact_offload on;
        artifact_extract strip;
        $pass/up:/;
    }
    location /extract/ {
        artifact_extract strip;
        $pass/up:/;
    }
SERVER


# The header comes by itself

my $client = $t->connect(timeout => 5);
$client->send("GET /late/chat/completions HTTP/1.1\r\nHost: x\r\n"
              . "Connection: close\r\n\r\n");
my $head = '';
my $from = time;
my $bits = '';
vec($bits, fileno $client->{sock}, 1) = 1;
while ($head !~ /\r\n\r\n/ && select my $r = $bits, undef, undef, 5) {
    sysread $client->{sock}, $head, 4096, length $head or last;
}
like($head, qr/\AHTTP.1.1 200 OK\r\n.*\r\n\r\n/s, 'a header by itself');
spew($t->prefix . '/seen', '');
local $/;
my $sock = $client->{sock};
my $rest = <$sock>;
like($rest, qr/"content":"seen"/, 'and the events behind it');
$client->close;

# an upstream that breaks off

sub broken {
    my ($uri, @header) = @_;
    my $client = $t->connect(timeout => 5);
    $client->send("GET $uri HTTP/1.0\r\n" . join('', map { "$_\r\n" } @header)
                  . "\r\n");
    my $all = '';
    my $bits = '';
    vec($bits, fileno $client->{sock}, 1) = 1;
    while (select my $r = $bits, undef, undef, 5) {
        sysread $client->{sock}, $all, 65536, length $all
            or return $all =~ s/\A.*?\r\n\r\n//sr;
    }
    return "no end after " . length $all;
}

for my $at (qw(/gzip/ /slow/)) {
    for my $frame ('length', 'chunked') {
        my $got = broken("${at}images/generations?frame=$frame&cut=12000",
                         'Accept-Encoding: gzip');
        my ($z) = Compress::Zlib::inflateInit(
            -WindowBits => Compress::Zlib::WANT_GZIP());
        my ($text) = $z->inflate($got);
        ok(($text // '') eq substr($data, 0, 12000), "$at, $frame: all, and an end")
            or diag(substr $got, 0, 80);
    }
}

for my $frame ('length', 'chunked', 'close') {
    my $cut = length($stream) - 3;
    my @got = map { broken("${_}chat/completions?frame=$frame&cut=$cut") }
        '/extract/', '/both/';
    ok($got[0] eq substr($stream, 0, $cut), "$frame: what was held")
        or diag(length $got[0]);
    ok($got[1] eq $got[0], "$frame: with both")
        or diag(length $got[1], ' of ', length $got[0]);
}

$up->stop;
$late->stop;
$t->finish;
