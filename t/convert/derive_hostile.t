#!/usr/bin/perl

# Converters and clients that behave badly: the answer is right, an error or a
# closed connection, and the server goes on.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream qw(read_request send_answer);
use Time::HiRes qw(sleep);

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $png = png(40, 30);
my $large = join '', map { sprintf "line %07d\n", $_ } 1 .. 400000;
my $LINE = "Content of scan.png, converted from image/png:\n";
my %made = (words => 'words', large => $large, binary => "\0\1\2" x 5000,
            late => 'x' x 9000 . "\0\1" x 9000, cp => "caf\xe9 " x 2000);

my $converter = ArtifactUpstream->new("$dir/convert.sock", serve => sub {
    my ($sock) = @_;
    my ($head, $body) = read_request($sock) or return;
    my ($what) = $head =~ m{^\w+ /(\w+)};
    my $type = $what eq 'image' ? 'image/png' : 'text/plain';
    my $start = "HTTP/1.1 200 OK\r\nContent-Type: $type\r\n"
              . "Connection: close\r\n";

    if ($what eq 'silent') {
        sysread $sock, my $buf, 1;

    } elsif ($what eq 'dripping') {
        send_answer($sock, "${start}Content-Length: 100000\r\n\r\n");
        while (1) {
            syswrite $sock, 'x' or return;
            sleep 0.05;
        }

    } elsif ($what eq 'endless') {
        send_answer($sock, "$start\r\n");
        1 while syswrite $sock, 'word ' x 5000;

    } elsif ($what eq 'white') {
        send_answer($sock, "$start\r\n");
        send_answer($sock, " \n" x 100000);

    } elsif ($what eq 'slow') {
        send_answer($sock, "${start}Content-Length: 50\r\n\r\n" . 'words' x 10,
                    7);

    } elsif ($what eq 'junk') {
        send_answer($sock, "HTTP/1.1 what\r\n\r\njunk");

    } elsif ($what eq 'chunk') {
        send_answer($sock, "${start}Transfer-Encoding: chunked\r\n\r\n"
                           . "5\r\nwords\r\nzz\r\n");

    } elsif ($what eq 'gzip') {
        my $coded = gzip_of('words');
        send_answer($sock, "${start}Content-Encoding: gzip\r\nContent-Length: "
                           . length($coded) . "\r\n\r\n$coded");

    } elsif ($what eq 'partial') {
        send_answer($sock, "HTTP/1.1 206 Partial\r\nContent-Type: $type\r\n"
            . "Content-Range: bytes 0-4/100\r\nContent-Length: 5\r\n\r\nwords");

    } else {
        send_answer($sock, "${start}Content-Length: " . length($made{$what})
                           . "\r\n\r\n$made{$what}");
    }
});

my @kinds = qw(silent dripping endless white slow junk chunk gzip partial words
               large binary late cp);

$t->artifact('scan', $png, { type => 'image/png', name => 'scan.png' });
$t->artifact('big', $png . 'x' x 3000000,
             { type => 'image/png', name => 'scan.png' });

my %short = map { $_ => 'artifact_derive_timeout 300ms;' } qw(silent dripping);
$short{$_} //= '' for @kinds;

my $locations = join '', map { <<"LOCATION" } @kinds;
    location /$_/ {
        artifact;
        $short{$_}
        artifact_derive image text/plain /convert/$_ body;
    }
    location /get-$_/ {
        artifact;
        $short{$_}
        artifact_derive image text/plain /convert/$_/;
    }
    location /aio-$_/ {
        artifact;
        aio threads;
        $short{$_}
        artifact_derive image text/plain /convert/$_ body;
    }
LOCATION


$t->start(server => <<"SERVER");
    artifact_root %%DATA%%;
    artifact_route on;
    artifact_language en;
    artifact_inline_max 8m;
    client_max_body_size 10k;
$locations
    location /patient/ {
        artifact;
        artifact_derive image text/plain /convert/silent body;
    }
    location /convert/ {
        internal;
        aio threads;
        proxy_pass http://unix:$dir/convert.sock:/;
    }
    location /unbuffered/ {
        artifact;
        artifact_derive image text/plain /straight/large body;
    }
    location /unbuffered-half/ {
        artifact;
        artifact_derive image text/plain /straight/chunk body;
    }
    location /straight/ {
        internal;
        proxy_buffering off;
        proxy_pass http://unix:$dir/convert.sock:/;
    }
SERVER

my %want = (silent => 504, dripping => 504, endless => 'words', white => 'words',
            slow => 'words' x 10, junk => 502, chunk => 502, gzip => 502,
            partial => 502, words => 'words', large => $large,
            binary => 'words',
            late => 'x' x 9000 . "\x{fffd}\x01" x 9000, cp => "caf\x{e9} " x 2000);

for my $kind (@kinds) {
    for my $where ($kind, "get-$kind", "aio-$kind") {
        my $http = $t->connect;
        my $res = $http->request('GET', "/$where/scan", keep => 1,
            timeout => 20, headers => ['X-LLM-Capabilities' => 'text']);
        my $want = $want{$kind};

        if ($want =~ /^\d+$/) {
            is($res->status, $want, "$where: $want");
            is(decode_strict($res->body)->{ref}, 'scan', 'in JSON');

        } elsif ($want eq 'words' && $kind ne 'words') {
            my $json = decode_strict($res->body);
            is($json->{metadata}{reason}, 'capability', "$where: words");

        } else {
            is(decode_strict($res->body)->{content}, $LINE . $want,
               "$where: what was made");
        }

        is($http->request('GET', '/words/scan', keep => 1,
                          headers => ['X-LLM-Capabilities' => 'text'])->status,
           200, 'the connection lives on');
    }
}

is(decode_strict($t->accept('text', "/$_/scan")->body)->{content},
   $LINE . $large, "$_: without buffers") for 'unbuffered';
is($t->accept('text', '/unbuffered-half/scan')->status, 502, 'half of it');
is(decode_strict($t->accept('text', '/words/big')->body)->{content},
   $LINE . 'words', 'a large original, whatever client_max_body_size');

# clients that leave, at any time

for my $n (1 .. 40) {
    my $http = $t->connect;
    my $where = (qw(silent dripping large words slow endless patient))[$n % 7];
    $http->send("GET /$where/scan HTTP/1.1\r\nHost: x\r\n"
                . "X-LLM-Capabilities: text\r\n\r\n");
    sleep 0.003 * $n;
    $http->close;
}
is(decode_strict($t->accept('text', '/words/scan')->body)->{content},
   $LINE . 'words', 'clients that left harm nobody');

# many at once, over one worker

my @http = map { $t->connect } 1 .. 30;
$http[$_]->send('GET /' . (qw(large slow words))[$_ % 3] . "/scan HTTP/1.1\r\n"
                . "Host: x\r\nX-LLM-Capabilities: text\r\n\r\n")
    for 0 .. $#http;
my $right = 0;
my @body = map { $_->response('GET')->body } @http;
for my $n (0 .. $#http) {
    my $got = decode_strict($body[$n])->{content};
    $right++ if $got eq $LINE . ($large, 'words' x 10, 'words')[$n % 3];
}
is($right, 30, 'thirty at once');

$t->allow(qr/conversion "[^"]+" of an artifact failed/,
          qr/artifact should be text, but is not/,
          qr/upstream (?:prematurely closed|timed out|sent|ended)/,
          qr/longer than|is too long/);
$converter->stop;
$t->finish;
