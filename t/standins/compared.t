#!/usr/bin/perl

# What a session sends again is compared with what is stored, and not hashed: what
# only begins in the same way is another content, and what is on the disk may have
# changed.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFail;
use ArtifactFixtures;
use ArtifactSandwich;
use ArtifactTest;
use ArtifactWrite qw(in_parallel left_behind until_true);
use IO::Socket::INET;
use POSIX qw(mkfifo);
use Time::HiRes qw(sleep);

# A scan that is slower than its client is put off, on a slow machine: not here.

my $fail = ArtifactFail->new('idle 1 0 clock');
my $t = ArtifactTest->new(launcher => $fail->launcher);

plan skip_all => 'nginx without --with-debug' if $t->version !~ /--with-debug/;

my $echo = standin_echo($t);
my $data = $t->data;
my $debug = $t->prefix . '/debug.log';

standin_server($t, server => <<'SERVER');
    error_log %%PREFIX%%/debug.log debug;
    location /threads/ {
        artifact_offload_request on;
        aio threads;
        proxy_pass %%ECHO%%;
    }
    location /levels/ {
        artifact_root %%PREFIX%%/levels;
        artifact_layout levels=2;
        artifact_offload_request on;
        proxy_pass %%ECHO%%;
    }
    location /texts/ {
        artifact_expand on;
        artifact_offload_text 16k;
        proxy_pass %%ECHO%%;
    }
    location /scope/ {
        artifact_offload_request on scope=$http_x_scope;
        proxy_pass %%ECHO%%;
    }
SERVER

my ($slot) = values %{ { standin_slots('openai', 'png') } };
my $seed = 0;

sub request { return standin_body('openai', 'sees',
                                  map { $slot->('image/png', b64($_)) } @_) }

# Bytes that begin as a PNG does, and no others have.

sub shot {
    my ($size) = @_;
    my $png = standin_content('png', 5000 + $seed++);
    return substr $png . rand_bytes(1024) x 300, 0, $size;
}

# What is told of the contents of a request, in their order.

sub sent {
    my ($at, $body, @more) = @_;

    my $from = -s $debug;
    my $res = standin_post($t, "/$at/v1/chat/completions", $body, @more);
    open my $fh, '<', $debug or die "$debug: $!";
    seek $fh, $from, 0;
    my @told = grep { /http artifact store: "/ } <$fh>;
    return $res->body, map { /same:(\d), compared:(\d)/ ? "$1$2" : die } @told;
}

sub is_sent {
    my ($at, $shots, $told, $name, @scope) = @_;

    my ($body, @told) = sent($at, request(@$shots),
                             map { ('X-Scope' => $_) } @scope);
    my $root = $at eq 'levels' ? $t->prefix . '/levels' : $data;
    is("@told", $told, $name);
    standin_same($body, standin_body('openai', 'sees', map {
        $slot->('image/png', standin_b64('png',
            standin_id($root, $_, 'png', @scope))) } @$shots),
        "$name: the right ids");
}

sub whole {
    my ($shot, $name) = @_;
    is(standin_stored($data, standin_id($data, $shot, 'png'), $shot, 'png'), '',
       "$name: is stored whole");
}

sub content {
    my ($shot) = @_;
    return standin_files($data)->{ standin_id($data, $shot, 'png') }{path};
}


# --- again, and what begins in the same way, of the same length

sub changed {
    my ($shot, $at) = @_;
    substr($shot, $at, 1) ^= "\x01";
    return $shot;
}

mkdir $t->prefix . '/levels' or die "mkdir: $!";

for my $at (qw(front threads levels)) {
    my @shots = map { shot(300_000 + $_) } 0 .. 2;

    is_sent($at, \@shots, '00 00 00', "$at: new");
    is_sent($at, \@shots, '11 11 11', "$at: again");
    is_sent($at, [reverse @shots], '11 11 11', "$at: in another order");

    my $shot = $shots[0];
    my $last = length($shot) - 1;

    for my $where (32767, 32768, 32769, 49151, 49152, 150_000, $last) {
        my $other = changed($shot, $where);
        is_sent($at, [$other], '00', "$at: another byte at $where");
        whole($other, "$at: that") if $at ne 'levels';
        is_sent($at, [$other], '11', "$at: the same again");
    }

    # of a pair with one beginning, the one that came last is compared

    my $other = changed($shot, $last);
    is_sent($at, [$other], '11', "$at: the last one");
    is_sent($at, [$shot], '10', "$at: the first one is hashed");
    is_sent($at, [$shot, $other, $shot], '11 10 11', "$at: in turn");
    is_sent($at, [substr($shot, 0, -3)], '00', "$at: a shorter one");
    is_sent($at, ["$shot\0\0\0"], '00', "$at: a longer one");
}


# --- short ones, and those of a few bytes more

for my $size (32767, 32768, 33_789) {
    my $shot = shot($size);
    is_sent('front', [$shot], '00', "$size bytes");
    is_sent('front', [$shot], '10', "$size bytes again");
}
for my $size (33_790, 33_793, 90_000) {
    my $shot = shot($size);
    is_sent('front', [$shot], '00', "$size bytes");
    is_sent('front', [$shot], '11', "$size bytes again");
}


# --- what is on the disk is not what it was

for my $at (qw(front threads)) {
    my $shot = shot(250_000);

    sub again {
        my ($at, $shot, $told, $name) = @_;
        is_sent($at, [$shot], $told, "$at: $name");
        whole($shot, "$at: $name") if $name ne 'other bytes';
        is_sent($at, [$shot], '11', "$at: $name, again")
            if $name ne 'other bytes';
    }

    again($at, $shot, '00', 'new');

    truncate content($shot), 100_000 or die "truncate: $!";
    again($at, $shot, '00', 'cut');

    spew(content($shot), $shot . 'x');
    again($at, $shot, '00', 'longer');

    unlink content($shot) or die "unlink: $!";
    again($at, $shot, '00', 'without its content');

    unlink content($shot) . ".meta" or die "unlink: $!";
    again($at, $shot, '00', 'without its metadata');

    my $path = content($shot);
    unlink $path or die "unlink: $!";
    mkfifo($path, 0600) or die "mkfifo: $!";
    my ($body) = sent($at, request($shot));
    like($body, qr/image_url/, "$at: with a FIFO in its place");
    unlink $path or die "unlink: $!";
    again($at, $shot, '00', 'there again');

    spew(content($shot), changed($shot, 240_000));
    again($at, $shot, '10', 'other bytes');

    # those bytes have an id of their own, unless their file tells otherwise

    my $other = changed($shot, 240_000);
    unlink content($shot) . '.meta' or die "unlink: $!";
    is_sent($at, [$other], '00', "$at: the other bytes");
    whole($other, "$at: those");
    is_sent($at, [$shot], '00', "$at: and these");
    whole($shot, "$at: these");
}


# --- whose it is, and with which key

{
    my $shot = shot(200_000);

    is_sent('scope', [$shot], '00', 'a scope', 'one');
    is_sent('scope', [$shot], '11', 'that scope again', 'one');
    is_sent('scope', [$shot], '00', 'another scope', 'two');
    is_sent('scope', [$shot], '11', 'the first one still', 'one');

    is_sent('front', [$shot], '00', 'a key');
    my $key = "$data/artifacts/.artifact/key";
    my $was = slurp($key);
    spew($key, 'k' x 32);
    is_sent('front', [$shot], '00', 'another key');
    is_sent('front', [$shot], '11', 'that key again');
    spew($key, $was);
    is_sent('front', [$shot], '11', 'the first one still');
}


# --- long texts

{
    my $log = join '', map { "line $_ of a log\\n" } 1 .. 20_000;

    for my $case (['new', $log, '00'], ['again', $log, '11'],
                  ['its last byte', $log =~ s/g(?=\\n\z)/G/r, '00'],
                  ['another line', $log =~ s/19000/0o000/r, '00'])
    {
        my ($name, $text, $told) = @$case;
        my ($body, @told) = sent('texts', '{"model":"m","tools":[{"function":'
            . '{"name":"read_artifact"}}],"messages":[{"tool_calls":[{"id":"c",'
            . '"function":{"name":"get"}}]},{"role":"tool","tool_call_id":"c",'
            . qq("content":"$text"}]}));
        is("@told", $told, "a text: $name");
        my ($id) = $body =~ /artifact:([\w-]{36})/;
        is(slurp("$data/artifacts/" . ($id // 'none') . '.txt'),
           $text =~ s/\\n/\n/gr, "a text: $name, its artifact");
    }
}


# --- clients that leave, and what is open afterwards

{
    my $body = request(map { shot(300_000 + $_) } 0 .. 9);
    my ($worker) = $t->workers;
    my $descriptors = sub { my $n = () = glob "/proc/$worker/fd/*"; $n };

    sent('front', $body);
    my $before = $descriptors->();

    for my $n (0 .. 39) {
        my $at = $n % 2 ? 'front' : 'threads';
        my $sock = IO::Socket::INET->new(PeerAddr => '127.0.0.1:' . $t->port)
            or die "connect: $!";
        print $sock "POST /$at/v1/chat/completions HTTP/1.1\r\nHost: localhost"
            . "\r\nContent-Type: application/json\r\nContent-Length: " . length($body) . "\r\n\r\n$body";
        sleep $n / 2000;
        close $sock;
    }

    for my $at (qw(front threads)) {
        my (undef, @told) = sent($at, $body);
        is("@told[-10 .. -1]", join(' ', ('11') x 10), "$at: others are served");
    }
    ok(until_true(sub { $descriptors->() <= $before + 2 }, 10),
       'no descriptor stays open') or diag($before, ' then ', $descriptors->());
}


# --- many at once

{
    my $shot = shot(200_000);
    my @others = map { changed($shot, 199_999 - $_) } 1 .. 8;

    my @got = in_parallel($t, 16, sub {
        my $n = $_[0] % 8;
        return standin_post($t, $_[0] < 8 ? '/front/v1/chat/completions'
            : '/threads/v1/chat/completions', request($others[$n]))->body });
    is(scalar(grep { my $id = standin_id($data, $others[$_ % 8], 'png');
                     $got[$_] eq standin_body('openai', 'sees',
                         $slot->('image/png', standin_b64('png', $id))) }
              0 .. 15), 16, 'sixteen at once with one beginning');
    whole($_, 'one of them') for @others;
}

is(left_behind($t), '', 'nothing is left');
$echo->stop;
$t->finish;
