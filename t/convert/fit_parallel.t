#!/usr/bin/perl

# Several conversions at once: as many as are allowed and no more, with their
# parts in order; what is left when a client goes away; one time for all.

use strict;
use warnings;

use Digest::SHA qw(sha256_hex);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFit;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;
use ArtifactWrite qw(left_behind until_true);
use Time::HiRes qw(sleep);

my $t = ArtifactTest->new;

my @image = map { tiff_of(9, 9, "number $_" . 'x' x (500 * $_)) } 0 .. 19;
$t->artifact("t$_", $image[$_], { type => 'image/tiff' }) for 0 .. 19;
$t->file('map.json', fit_map());

# Some take longer than others.

my $jpeg = sub {
    my ($meet) = @_;
    return sub {
        my ($asked) = @_;
        return { body => converted('jpeg', "=$asked->{sha}"), meet => $meet,
                 type => 'image/jpeg',
                 pause => 0.01 * (1 + ord($asked->{sha}) % 5) };
    };
};
my $converter = converter($t->prefix . '/convert',
    (map { ("meet$_" => $jpeg->($_)) } 1, 2, 4, 7, 20),
    mixed => sub {
        my ($asked) = @_;
        my $of = $asked->{length} % 3;
        return { status => 415 } if $of == 0;
        return { body => "a page\n", type => 'text/html',
                 pause => 0.02 } if $of == 1;
        return { body => converted('jpeg', "=$asked->{sha}"),
                 type => 'image/jpeg' };
    },
    hangs => { hang => 1 },
    once => sub {
        my ($asked) = @_;
        return { hang => 1 } if $asked->{length} > 3000;
        return { body => converted('jpeg', "=$asked->{sha}"),
                 type => 'image/jpeg' };
    },
    broken => sub {
        my ($asked) = @_;
        return $asked->{length} > 5000 ? { status => 500 }
            : { body => converted('jpeg', "=$asked->{sha}"),
                type => 'image/jpeg' };
    });
my $echo = echoed($t);
my $store = ArtifactUpstream->new($t->prefix . '/store', contents => {
    map { ("t$_" => { body => $image[$_], type => 'image/tiff' }) } 0 .. 19 });

my $pass = 'artifact_expand on; proxy_pass http://unix:%%PREFIX%%/echo:;';
my $locations = join '', map { <<"LOCATION" }
    location /$_->[0]/ {
        $_->[1]
        artifact_derive image/tiff image/jpeg /c/$_->[2] body;
        $pass
    }
LOCATION
    ['default', '', 'meet4'], ['one', 'artifact_derive_parallel 1;', 'meet1'],
    ['two', 'artifact_derive_parallel 2;', 'meet2'],
    ['seven', 'artifact_derive_parallel 7;', 'meet7'],
    ['twenty', 'artifact_derive_parallel 20;', 'meet20'],
    ['most', 'artifact_derive_parallel 64;', 'meet20'];

$t->allow(qr/upstream/);
$t->start(http => 'artifact_capabilities %%PREFIX%%/map.json;',
          server => fit_server('', $locations . <<"MORE"));
    location /any/ {
        artifact_derive image/tiff image/jpeg /c/meet1 body;
        $pass
    }
    location /mixed/ {
        artifact_derive image/tiff image/jpeg /c/mixed body;
        artifact_derive image/tiff text/plain /c/text body;
        $pass
    }
    location /store/ {
        artifact_source /s/;
        artifact_derive image/tiff image/jpeg /c/meet4 body;
        $pass
    }
    location /s/ {
        internal;
        rewrite ^/s/(.*) /\$1 break;
        proxy_pass http://unix:%%PREFIX%%/store:;
    }
    location /hangs/ {
        artifact_derive image/tiff image/jpeg /c/hangs body;
        $pass
    }
    location /once/ {
        artifact_derive image/tiff image/jpeg /c/once body;
        $pass
    }
    location /timeout/ {
        artifact_derive_timeout 1s;
        artifact_derive image/tiff image/jpeg /c/hangs body;
        $pass
    }
    location /broken/ {
        artifact_derive image/tiff image/jpeg /c/broken body;
        $pass
    }
    location = /message {
        artifact_message;
        artifact_derive image text/plain /c/hangs body;
    }
MORE

sub request_of {
    my ($own, @n) = @_;
    return body_of('openai', 'sees', map {
        $own ? inline_part('openai', 'image', 'image/tiff', $image[$_])
             : slot('openai', 'image', "artifact:t$_") } @n);
}

# The converter tells requests apart by their ids.

my $id = 0;

sub headers {
    return ['Content-Type' => 'application/json', 'X-Request-ID' => ++$id];
}

sub ask {
    my ($uri, $body) = @_;
    return $t->req('POST', "$uri/chat/completions", body => $body,
                   headers => headers());
}

sub order_of {
    my ($res) = @_;
    return "status $res->{status}" if $res->{status} != 200;
    my %number = map { converted('jpeg', $image[$_]) => $_ } 0 .. 19;
    return join ' ', map { ref $_ ? $number{ $_->{bytes} } // '?' : 'words' }
        parts_in(json_of($res));
}

# as many as are allowed

my $all = join ' ', 0 .. 19;
for (['/default', 4], ['/one', 1], ['/two', 2], ['/seven', 7],
     ['/twenty', 20], ['/most', 20], ['/store', 4])
{
    my ($uri, $want) = @$_;
    for my $own (0, 1) {
        next if $own && $uri eq '/store';
        my $name = $uri . ($own ? ', own' : '');

        my $from = $converter->events;
        $converter->asked;
        my $res = ask($uri, request_of($own, 0 .. 19));
        is(order_of($res), $all, "$name: in order");
        is(scalar $converter->asked, 20, "$name: each once");
        my $most = $converter->at_once($from);
        cmp_ok($most, '<=', $want, "$name: no more at once");
        note("$name: $most at once");
        is(ask($uri, request_of($own, 0 .. 19))->{body}, $res->{body},
           "$name: the same again") if $uri eq '/default';
    }
}

# few, in another order, some of them twice

for my $n ([0], [1, 0], [3, 1, 4, 1, 5, 9, 2, 6], [reverse 0 .. 19]) {
    is(order_of(ask('/any', request_of(0, @$n))), "@$n", "order of @$n");
}

# each outcome has its place

my @labels = map { my $got = $_; map { my $n = $_;
    map { "$_$n" } ref $got
        ? grep { $got->{bytes} eq converted($_, $image[$n]) } 'jpeg'
        : grep { index($got, sha256_hex($image[$n])) > 0 } 'text' } 0 .. 19 }
    parts_in(json_of(ask('/mixed', request_of(0, 0 .. 19))));
is("@labels", join(' ', map {
    (qw(text text jpeg))[length($image[$_]) % 3] . $_ }
                        0 .. 19), 'mixed outcomes, in order');

# a client that goes away

sub sent {
    my ($uri, $body) = @_;
    my $conn = $t->connect;
    $conn->send(ArtifactHTTP::format_request('POST', $uri, body => $body,
        headers => headers()));
    return $conn;
}

for (['/hangs/chat/completions', 4, request_of(0, 0 .. 19)],
     ['/hangs/chat/completions', 4, request_of(1, 0 .. 19)],
     ['/once/chat/completions', 10, request_of(0, 0 .. 19)],
     ['/message', 1, '{"service":"reads","attachments":["artifact:t1"]}'])
{
    my ($uri, $want, $body) = @$_;
    my $ended = () = $converter->ended;
    $converter->asked;

    my $begun = 0;
    my $conn = sent($uri, $body);
    until_true(sub { $begun += () = $converter->asked;
                     return $begun >= $want }, 10);
    sleep 0.2;
    $begun += () = $converter->asked;
    is($begun, $want, "$uri: so many have begun");
    $conn->close;

    ok(until_true(sub { $ended + $begun <= (() = $converter->ended) }, 10),
       "$uri: all conversions are let go");
    is(scalar(() = $converter->asked), 0, "$uri: no other one begins");
    is(left_behind($t), '', "$uri: nothing is left behind");
}
is(order_of(ask('/any', request_of(0, 0 .. 3))), '0 1 2 3',
   'and the server is well');

# connections of nginx to the converter

my $open = until_true(sub {
    my ($worker) = $t->workers;
    my @sockets = grep { (readlink // '') =~ /^socket:/ }
        glob "/proc/$worker/fd/*";
    return @sockets <= 8;
}, 5);
ok($open, 'no connections are left');

# one time for all; one that fails ends all

is(ask('/timeout', request_of(0, 0 .. 19))->{status}, 502, 'a timeout');
is(left_behind($t), '', 'nothing is left behind');
is(ask('/timeout', request_of(1, 0 .. 7))->{status}, 502,
   'a timeout, of own media');
is(left_behind($t), '', 'nothing is left behind either');
is(ask('/broken', request_of(0, 0 .. 19))->{status}, 502, 'one that fails');
is(left_behind($t), '', 'nothing is left behind');
is(order_of(ask('/broken', request_of(0, 0 .. 5))), '0 1 2 3 4 5',
   'the others have not failed');

# two requests do not disturb each other

my @conns = map { sent('/default/chat/completions', request_of(0, @$_)) }
    [0 .. 9], [10 .. 19], [reverse 5 .. 14];
is(join(' | ', map { order_of($_->response('POST')) } @conns),
   join(' | ', "@{[0 .. 9]}", "@{[10 .. 19]}", "@{[reverse 5 .. 14]}"),
   'three requests at once');

$_->stop for $converter, $echo, $store;
$t->finish;
