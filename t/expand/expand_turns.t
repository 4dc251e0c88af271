#!/usr/bin/perl

# While one request is long work for the only worker, others are answered: of
# bodies whose decoding makes nothing, of texts that nearly are base64, of
# sources that answer at once, of large files, of base64 and of declared
# artifacts in cached answers.  What is counted is requests, not time: most of
# these end with an error of their own, so that nothing else of them takes time.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactEcho;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream qw(read_request send_answer);
use IO::Select;
use POSIX ();

my $ENOUGH = 10;        # a worker that makes no pause answers one or two

my $t = ArtifactTest->new;
my $MB = 1 << 20;
my $N = 512;

$t->artifact("s$_", png(20, 20), undef, '.png') for 1 .. $N;
my %image = map { $_->[0] => png(20, 20) . chr(ord $_->[0]) x $_->[1] }
    ['large', 64 * $MB], ['middle', 8 * $MB], ['small', 0];
$t->artifact($_, $image{$_}, { mimeType => 'image/png' }) for keys %image;
$t->artifact('text', "a line of a text\n" x (3 * $MB),
             { mimeType => 'text/plain' });

mkdir $t->prefix . '/answers' or die "mkdir: $!";
mkdir $t->prefix . '/answers/images' or die "mkdir: $!";
$t->file('answers/images/generations',
         '{"data":[{"b64_json":"' . b64($image{large}) . '"}]}');

# compressed on its way out, or a full socket would make nginx pause

my $event = 'data: {"choices":[{"index":0,"delta":{"content":"%s"},'
    . '"finish_reason":%s}]%s}' . "\n\n";
my $events = sprintf($event, 'some words', 'null', '') x (640 * 1024);
my $last = sprintf $event, 'http://h/a.png', '"stop"', '%s';
$t->file('answers/events', $events . sprintf $last, '');

my $echo = echo($t->prefix . '/echo');
my $answer = 'x' x (24 * $MB);
my $slow = ArtifactUpstream->new($t->prefix . '/slow', serve => sub {
    my ($sock) = @_;
    read_request($sock) or return;
    sleep 2;
    send_answer($sock, "HTTP/1.1 200 OK\r\nConnection: close\r\n"
        . 'Content-Length: ' . length($answer) . "\r\n\r\n$answer");
});

$t->start(main => 'thread_pool default threads=1;',
          http => 'proxy_cache_path %%PREFIX%%/cache keys_zone=c:1m;', server => <<"SERVER");
    artifact_root %%DATA%%;
    artifact_inline_max 0;
    artifact_body_max 128m;
    artifact_refs_max 4096;
    artifact_accept vision;
    client_max_body_size 0;
    keepalive_requests 1000000;
    location /artifacts/ { internal; artifact; }
    location = /artifacts/fails { return 500; }
    location /small { return 204; }
    location /v1/ {
        artifact_expand on;
        proxy_pass http://unix:@{[$t->prefix]}/echo:;
    }
    location /large/ {
        artifact_expand on;
        client_body_buffer_size 64m;
        proxy_pass http://unix:@{[$t->prefix]}/echo:;
    }
    location /cached/ {
        artifact_expand on;
        artifact_source /from-cache/;
        proxy_pass http://unix:@{[$t->prefix]}/echo:;
    }
    location = /from-cache/fails { return 500; }
    location /from-cache/ {
        internal;
        proxy_cache c;
        proxy_cache_key \$uri;
        proxy_cache_valid 1h;
        proxy_pass http://127.0.0.1:%%PORT%%/plain/;
    }
    location /offload/ {
        artifact_offload on;
        artifact_sync off;
        proxy_cache c;
        proxy_cache_key \$uri;
        proxy_cache_methods POST;
        proxy_cache_valid 1h;
        proxy_method GET;
        proxy_pass http://127.0.0.1:%%PORT%%/answers/;
    }
    location /extract/ {
        artifact_extract strip;
        artifact_format openai;
        gzip on;
        gzip_comp_level 1;
        gzip_types text/event-stream;
        proxy_cache c;
        proxy_cache_key \$uri;
        proxy_cache_methods POST;
        proxy_cache_valid 1h;
        proxy_method GET;
        proxy_pass http://127.0.0.1:%%PORT%%/answers/;
    }
    location = /answers/events {
        alias %%PREFIX%%/answers/events;
        default_type text/event-stream;
    }
    location /answers/ {
        alias %%PREFIX%%/answers/;
        default_type application/json;
    }
    location /plain/ {
        alias %%DATA%%/artifacts/;
        default_type image/png;
    }
    location /files/ { artifact; }
    location /message {
        artifact_message;
        artifact_accept text;
    }

    location /held/ {
        artifact_expand on;
        send_timeout 1s;
        proxy_pass http://unix:@{[$t->prefix]}/slow:;
    }
    location /threads/ {
        artifact_expand on;
        artifact_source /from-threads/;
        send_timeout 1s;
        proxy_pass http://unix:@{[$t->prefix]}/slow:;
    }
    location /from-threads/ { internal; artifact; aio threads; }
SERVER


my $res;
my $small = $t->connect;

sub headers {
    my ($coding) = @_;
    return ['Content-Type' => 'application/json', 'Accept-Encoding' => 'gzip',
            $coding ? ('Content-Encoding' => $coding) : ()];
}

# How many others are answered until this one has been, after its last byte.

sub others {
    my ($uri, $body, $coding) = @_;

    my $long = $t->connect;
    $long->send(ArtifactHTTP::format_request('POST', $uri, body => $body,
        headers => headers($coding)) =~ s/.\z//sr);

    select undef, undef, undef, 0.3;
    $long->send(substr $body, -1);
    return until_answered($long);
}

# The same for a body that has come when the worker looks for it.

sub others_at_once {
    my ($uri, $body) = @_;

    my $long = $t->connect;
    my ($worker) = $t->workers;
    kill 'STOP', $worker;

    my $pid = fork() // die "fork: $!";
    if (!$pid) {
        $long->send(ArtifactHTTP::format_request('POST', $uri, body => $body,
                                                 headers => headers()));
        POSIX::_exit(0);
    }

    select undef, undef, undef, 0.3;
    kill 'CONT', $worker;
    my @got = until_answered($long);
    waitpid $pid, 0;
    return @got;
}

sub until_answered {
    my ($long) = @_;

    my ($n, $answer) = (0, '');
    my $select = IO::Select->new($long->{sock});
    while (1) {
        if ($select->can_read(0)) {
            sysread $long->{sock}, $answer, $MB, length $answer or last;
        }
        $small->request('GET', '/small', keep => 1)->{status} == 204
            or die 'a small request';
        $n++;
    }
    return ($n, $answer);
}

sub is_shared {
    my ($name, $status, @request) = @_;
    my ($n, $answer) = others(@request);
    like($answer, qr/\AHTTP\/1.1 $status /, "$name: $status");
    cmp_ok($n, '>=', $ENOUGH, "$name: others are answered");
    note("$name: $n others");
}

# decoding: each ends in bytes that are no such coding

my $bits = '001' . '00000' . '00000' . '0111';      # an empty dynamic block
$bits .= join '', map { $_ == 2 || $_ == 17 ? '100' : '000' } 0 .. 17;
$bits .= '1' . unpack('b7', chr 127) . '1' . unpack('b7', chr 107) . '000';

is_shared('empty blocks of deflate', 400, '/v1/chat/completions',
          pack('b*', $bits x 4) x 100_000 . "\xff" x 16, 'deflate');
is_shared('empty members of gzip', 400, '/v1/chat/completions',
          gzip_of('') x $MB . 'x' x 16, 'gzip');
is_shared('zeros in gzip', 413, '/v1/chat/completions',
          gzip_of("\0" x (64 * $MB)) x 3, 'gzip');

SKIP: {
    skip 'built without zstd', 4
        if $t->req('POST', '/v1/chat/completions', body => 'x',
                   headers => headers('br'))->header('Accept-Encoding')
           !~ /zstd/;
    is_shared('empty frames of zstd', 400, '/v1/chat/completions',
              "\x28\xb5\x2f\xfd\x20\x00\x01\x00\x00" x $MB . 'x' x 16,
              'zstd');
    is_shared('frames to be skipped', 400, '/v1/chat/completions',
              "\x50\x2a\x4d\x18\0\0\0\0" x (3 * $MB) . 'x' x 16, 'zstd');
}

# a text that seems to begin base64 all the time: none is known that takes longer.
# nginx reads what one event tells, a MB or so, and some others are answered then.

my $text = '{"messages":[{"role":"tool","content":"'
    . '\\/A_A' x (4 * $MB) . '"},{"role":"user","content":['
    . join('', image('fails')) . ']}]}';
my ($n, $answered) = others_at_once('/large/chat/completions', $text);
like(substr($answered, 0, 20), qr/\AHTTP\/1.1 502 /, 'nearly base64: 502');
cmp_ok($n, '>=', 60, 'nearly base64: others are answered');
note("nearly base64: $n others");

# sources, the last of which fails

sub image {
    return map {
        qq({"type":"image_url","image_url":{"url":"artifact:$_"}}) } @_;
}

sub chat {
    return '{"messages":[{"role":"user","content":[' . join(',', @_)
        . ']}]}';
}

is_shared("$N artifacts", 502, '/v1/chat/completions',
          chat(image(map({ "s$_" } 1 .. $N), 'fails')));
is_shared('4095 that are missing', 502, '/v1/chat/completions',
          chat(image(map({ "no$_" } 1 .. 4095), 'fails')));
is_shared('a large image', 502, '/v1/chat/completions',
          chat(image('large', 'fails')));
is_shared('a large text', 502, '/v1/chat/completions',
          chat(image('text', 'fails')));
is($t->req('POST', '/cached/chat/completions', headers => headers(),
           body => chat(image('large', 'fails')))->{status}, 502,
   'a large image comes into a cache');
is_shared('a large image of a cache', 502, '/cached/chat/completions',
          chat(image('large', 'fails')));
is_shared("a message with $N attachments", 200, '/message',
          '{"text":"x","attachments":[' . join(',', map { qq("artifact:s$_") }
              1 .. $N) . ']}');
my @offload = ('/offload/images/generations', '{}');
is($t->req('POST', $offload[0], body => '{}')->{status}, 200,
   'an answer comes into a cache');
is_shared('base64 in a cached answer', 200, @offload);
my ($id) = (others(@offload))[1] =~ /"artifact:([^"]+)"/;
ok($t->req('GET', "/files/$id")->{body} eq $image{large}, 'it is stored');

my @extract = ('/extract/events', '{}');
$res = $t->req('POST', $extract[0], body => '{}', headers => headers());
is($res->header('Content-Encoding'), 'gzip', 'a compressed stream of events');
ok(gunzip_of($res->body) eq $events . sprintf($last,
       ',"artifacts":[{"type":"image","url":"http://h/a.png"}]'),
   'comes into a cache');
is_shared('artifacts in a cached stream', 200, @extract);
my $again = $t->req('POST', $extract[0], body => '{}', headers => headers());
ok(gunzip_of($again->body) eq gunzip_of($res->body), 'every byte of it');

# every byte, however often it paused

$res = $t->req('POST', '/v1/chat/completions', headers => headers(),
               body => chat(image('middle', 'small', 'middle', 'text')));
my $want = chat(image('middle', 'small', 'middle')) =~ s/\]\}\]\}\z/,/r;
$want =~ s/artifact:(\w+)/'data:image\/png;base64,' . b64($image{$1})/ge;
ok(substr($res->{body}, 0, length $want) eq $want, 'large images');
my $lines = () = substr($res->{body}, length $want) =~ /a line of a text\\n/g;
is($lines, 3 * $MB, 'and a large text');

$want = chat(image('middle', 'small'));
$want =~ s/artifact:(\w+)/'data:image\/png;base64,' . b64($image{$1})/ge;
for my $from ('an upstream', 'a cache') {
    $res = $t->req('POST', '/cached/chat/completions', headers => headers(),
                   body => chat(image('middle', 'small')));
    ok($res->{body} eq $want, "large images of $from");
}


# nginx's timer for a client that takes nothing is not that of a source's pauses

for my $location (qw(held threads)) {
    my $conn = $t->connect;
    $conn->send(ArtifactHTTP::format_request('POST',
        "/$location/chat/completions", body => chat(image('middle')),
        headers => headers()));
    sleep 3;
    is(length($conn->response('POST')->{body}), length $answer,
       "$location: an answer that comes after send_timeout");
}

$slow->stop;
$echo->stop;
$t->finish;
