#!/usr/bin/perl

# Media leave requests from many sides at the same time: two nginx with one store,
# two hundred requests at once, HTTP/2, coded bodies, and a location that has all
# other features, too.  A reference's content is stored once for each version.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFail;
use ArtifactFixtures;
use ArtifactHttp2;
use ArtifactJSON;
use ArtifactSandwich;
use ArtifactTest;
use ArtifactWrite qw(in_parallel left_behind);

my ($slot) = values %{ { standin_slots('openai', 'png') } };
my $chat = '/v1/chat/completions';
my $fail = ArtifactFail->new;

my $t = ArtifactTest->new(workers => 2, launcher => $fail->launcher);
my $other = ArtifactTest->new(data => $t->data, workers => 2);
my $spare = ArtifactTest->new;
my $clear = $spare->port;
my $data = $t->data;

my @echo = map { standin_echo($_) } $t, $other;

my $more = <<"SERVER";
    listen 127.0.0.1:$clear http2;
    keepalive_requests 10000;
    location /threads/ {
        artifact_offload_request on;
        aio threads;
        proxy_pass %%ECHO%%;
    }
    location /own/ {
        internal;
        artifact;
        artifact_root %%PREFIX%%/own;
    }
    location /everything/ {
        artifact_offload_request on scope=\$http_x_tenant;
        artifact_offload on;
        artifact_offload_text 1k head=100 tail=100 always;
        artifact_expand on;
        artifact_prompt on;
        artifact_extract on;
        artifact_source /own/;
        artifact_expires 2h;
        aio threads;
        proxy_pass %%ECHO%%;
        proxy_ignore_headers X-Accel-Redirect;
    }
    location /back/ {
        artifact_expand standins;
        proxy_pass %%ECHO%%;
    }
SERVER

my $own = $t->prefix . '/own/artifacts';
mkdir $_ or die "$_: $!" for $t->prefix . '/own', $own;

standin_server($t, server => $more);
standin_server($other, server => $more =~ s/listen.*//r);

sub request { return standin_body('openai', 'sees',
                                  map { $slot->('image/png', $_) } @_) }

sub standin { return standin_b64('png', standin_id($data, @_)) }

sub sent {
    my ($server, $at, @media) = @_;
    return standin_post($server, "/$at$chat", request(@media))->body;
}


# --- two nginx, one store: whoever makes the key, both have the same

{
    my @png = map { standin_content('png', 20_000 + $_) } 1 .. 4;
    my @got = in_parallel($t, 24, sub {
        sent($_[0] % 2 ? $t : $other, $_[0] % 3 ? 'front' : 'threads',
             map { b64($_) } @png[$_[0] % 4, ($_[0] + 1) % 4]);
    });

    for my $n (0 .. $#got) {
        standin_same($got[$n], request(map { standin($_, 'png') }
                                       @png[$n % 4, ($n + 1) % 4]),
                     "two nginx, number $n");
    }
    is(standin_stored($data, standin_id($data, $_, 'png'), $_, 'png'), '',
       'whole') for @png;
    is(scalar keys %{ standin_files($data) }, 4, 'four artifacts');
    standin_same(sent($other, 'behind', map { standin($_, 'png') } @png),
                 request(map { b64($_) } @png), 'what one stored the other has');
}


# --- two hundred at once

{
    my @png = map { standin_content('png', 2000 + $_) } 1 .. 50;
    my @got = in_parallel($t, 20, sub {
        my ($n) = @_;
        my @conn = map { $t->connect } 1 .. 10;
        my @shot = map { $png[($n * 10 + $_) % 50] } 0 .. 9;

        for my $i (0 .. 9) {
            my $body = request(b64($shot[$i]));
            $conn[$i]->send("POST /" . ($i % 2 ? 'front' : 'threads')
                . "$chat HTTP/1.1\r\nHost: x\r\nContent-Type: application/json"
                . "\r\nContent-Length: " . length($body) . "\r\n\r\n$body");
        }
        return scalar grep {
            $conn[$_]->response('POST')->{body}
                eq request(standin($shot[$_], 'png')) } 0 .. 9;
    });
    is(join(' ', @got), join(' ', (10) x 20), 'two hundred at once');
    is(join(' ', grep { $_ ne '' } map { standin_stored($data,
        standin_id($data, $_, 'png'), $_, 'png') } @png), '', 'all are whole');
    is(scalar keys %{ standin_files($data) }, 54, 'each once');
}


# --- HTTP/2

SKIP: {
    skip 'nginx has no HTTP/2', 1
        if `@{[ ArtifactTest::_binary() ]} -V 2>&1` !~ /http_v2/;

    my $h2 = http2($clear);
    my @png = map { standin_content('png', 90_000 + $_) } 1 .. 3;
    my @stream = map { $_ * 2 + 1 } 0 .. 2;

    for my $n (0 .. 2) {
        head($h2, $stream[$n], 'POST', '/' . ($n % 2 ? 'front' : 'threads')
             . $chat, 'content-type' => 'application/json');
    }
    my @body = map { request(b64($_)) } @png;

    # piece by piece, in turn

    for (my $at = 0; $at < length $body[0]; $at += 10_000) {
        data($h2, $stream[$_], substr($body[$_], $at, 10_000),
             $at + 10_000 >= length $body[$_] ? $END : 0) for 0 .. 2;
    }
    for my $n (0 .. 2) {
        my $res = answer($h2, $stream[$n]);
        is($res->{status}, 200, "HTTP/2, stream $stream[$n]");
        standin_same($res->{body}, request(standin($png[$n], 'png')),
                     "HTTP/2, stream $stream[$n]: a stand-in");
    }

    # one that is reset in the middle

    $h2 = http2($clear);
    my $gone = standin_content('png', 91_000);
    head($h2, 1, 'POST', "/threads$chat", 'content-type' => 'application/json');
    data($h2, 1, substr request(b64($gone)), 0, 60_000);
    frame($h2, $RST, 0, 1, pack 'N', 8);
    sent($t, 'front', b64($png[0]));
    is(standin_files($data)->{ standin_id($data, $gone, 'png') }, undef,
       'a stream that was reset: nothing is stored');
}


# --- coded bodies

{
    my $png = standin_content('png', 8000);
    my $body = request(b64($png));
    my $light = request(standin($png, 'png'));
    my $zstd = '';

    if (-x '/usr/bin/zstd') {
        spew($t->prefix . '/plain', $body);
        $zstd = `zstd -q -c @{[ $t->prefix ]}/plain`;
    }

    for my $case (['gzip', gzip_of($body)], ['zstd', $zstd]) {
        my ($coding, $bytes) = @$case;
        next if !length $bytes;

        for my $at (qw(front threads)) {
            my $res = standin_post($t, "/$at$chat", $bytes,
                                   'Content-Encoding' => $coding);
            standin_same($res->body, $light, "$at, $coding");
            $res = standin_post($t, "/$at$chat", $bytes . 'x',
                                'Content-Encoding' => $coding);
            cmp_ok($res->status, '<', 500, "$at, $coding, more than that");
            $res = standin_post($t, "/$at$chat",
                                substr($bytes, 0, length($bytes) / 2),
                                'Content-Encoding' => $coding);
            is($res->status, 400, "$at, half of $coding");
        }
    }

    for my $coding ('br', 'compress', 'gzip, gzip', 'x') {
        my $res = standin_post($t, "/front$chat", $body,
                               'Content-Encoding' => $coding);
        is($res->status, 415, "$coding is refused");
        unlike($res->body, qr/iVBOR/, '... and comes not back');
    }
}


# --- a reference is stored once for each version

sub version {
    my ($png) = @_;
    spew("$own/shot.png", $png);
    spew("$own/shot.meta", encode_json_bytes({ id => 'shot',
        extension => '.png', type => 'image/png', name => 'shot.png',
        size => length $png }));
}

my $ask = standin_body('openai', 'sees', '{"type":"image_url","image_url":'
                       . '{"url":"artifact:shot"}}');
my @as = ('X-Tenant' => 'a');
my @versions = map { standin_content('png', 5000 + $_) } 1 .. 2;

for my $png (@versions) {
    version($png);

    for my $turn (1 .. 3) {
        my $got;
        my @calls = $fail->calls(sub {
            $got = standin_post($t, "/everything$chat", $ask, @as)->body;
        });
        my @written = grep { $_->[0] eq 'rename' && $_->[1] =~ m{/data/artifacts/}
                             && $_->[1] !~ m{/key\z} } @calls;

        like($got, qr/\Q${\ standin($png, 'png', 'a') }\E/,
             "a reference, turn $turn");
        is(@written ? 1 : 0, $turn == 1 ? 1 : 0, $turn == 1 ? 'is stored'
           : 'is not again') or diag(join "\n", map { "@$_" } @calls);
    }
}

is(standin_stored($data, standin_id($data, $_, 'png', 'a'), $_, 'png', 'a'), '',
   'each version') for @versions;


# --- all features in one location

{
    my $png = standin_content('png', 6000);
    my $text = join '', map { "line $_ of the log\n" } 1 .. 300;
    my $body = encode_json_bytes({ model => 'sees', messages => [
        { role => 'system', content => 'help' },
        { role => 'user', content => [
            { type => 'image_url', image_url =>
                { url => 'data:image/png;base64,' . b64($png) } },
            { type => 'image_url', image_url => { url => 'artifact:shot' } }] },
        { role => 'assistant', content => undef, tool_calls => [
            { id => 'c', type => 'function',
              function => { name => 'f', arguments => '{}' } }] },
        { role => 'tool', tool_call_id => 'c', content => $text
              . ' ' . b64($png) . ' end' },
    ] });
    my $res = standin_post($t, "/everything$chat", $body, @as);

    is($res->status, 200, 'all features');
    my $got = $res->body;
    my %id = map { standin_id($data, $_, 'png', 'a') => $_ } $png, $versions[1];
    for my $id (sort keys %id) {
        my $b64 = standin_b64('png', $id);
        like($got, qr/\Q$b64\E/, "all features: a stand-in for $id")
            or diag(substr $got, 0, 600);
    }
    unlike($got, qr/\Q${\ substr b64($png), 0, 500 }\E/, '... and no medium');

    my $back = standin_post($t, "/back$chat", $got)->body;
    like($back, qr/\Q${\ b64($_) }\E/, '... that comes back') for values %id;
}

is(left_behind($t), '', 'nothing is left');

$_->stop for @echo, $other;
$other->check_log;
$t->finish;
