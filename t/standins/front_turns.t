#!/usr/bin/perl

# Large media that leave requests, in threads and in turns, many at once, from
# clients that leave: a worker's memory stays small, other requests are
# answered meanwhile, and nothing half is in the store.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactSandwich;
use ArtifactTest;
use ArtifactWrite qw(in_parallel left_behind);
use Compress::Zlib;
use Time::HiRes ();
use IO::Compress::Gzip qw(gzip);

my $t = ArtifactTest->new;
my $echo = standin_echo($t);

standin_server($t, server => <<'SERVER');
    client_body_timeout 3s;
    location /threads/ {
        artifact_offload_request on;
        artifact_expires 1d;
        aio threads;
        proxy_pass %%ECHO%%;
    }
    location /turns/ {
        artifact_offload_request on;
        artifact_sync off;
        proxy_pass %%ECHO%%;
    }
    location /memory/ {
        artifact_offload_request on;
        client_body_buffer_size 2m;
        aio threads;
        proxy_pass %%ECHO%%;
    }
    location /ping { return 204; }
SERVER

my ($worker) = $t->workers;

sub part { return qq({"type":"image_url","image_url":{"url":"data:image/png;)
    . qq(base64,$_[0]"}}) }
sub chat { return '{"messages":[{"role":"user","content":['
    . join(',', @_) . ']}]}' }

sub ask {
    my ($at, $body, @headers) = @_;
    return $t->req('POST', "/$at/v1/chat/completions", body => $body,
        headers => ['Content-Type' => 'application/json', @headers]);
}

sub peak {
    open my $fh, '<', "/proc/$worker/status" or die "status: $!";
    my ($kb) = join('', <$fh>) =~ /^VmHWM:\s+(\d+) kB/m;
    return $kb;
}

# the key, and what a worker needs for any

ask($_, chat(part(b64(standin_content('png', 9000 + length)))))
    for ('threads', 'turns', 'memory') x 2;

my @large = map { standin_content('png', 23_000_000 + $_) } 1, 2;
my $body = chat(map { part(b64($_)) } @large);
my $right = chat(map { part(standin_b64('png',
                       standin_id($t->data, $_, 'png'))) } @large);
my $before = peak();

for my $at (qw(threads turns)) {
    my $res = ask($at, $body);
    is($res->{status}, 200, "$at: 61 MB");
    ok($res->{body} eq $right, "$at: two stand-ins");
}

SKIP: {
    skip 'a sanitizer has memory of its own', 1 if $t->version =~ /-fsanitize/;
    cmp_ok(peak() - $before, '<=', 1024, 'KB of memory: '
           . (peak() - $before));
}

# what is in memory, in chunks, compressed

my @small = map { standin_content('png', 400_000 + $_) } 1 .. 3;
my $plain = chat(map { part(b64($_)) } @small);
my $small = chat(map { part(standin_b64('png',
                       standin_id($t->data, $_, 'png'))) } @small);
gzip(\$plain, \my $packed);

for my $at (qw(memory threads turns)) {
    ok(ask($at, $plain)->{body} eq $small, "$at: plain");
    ok(ask($at, $packed, 'Content-Encoding' => 'gzip')->{body} eq $small,
       "$at: gzip");
    ok(ask($at, compress($plain), 'Content-Encoding' => 'deflate')->{body}
       eq $small, "$at: deflate");

    my $client = $t->connect(timeout => 20);
    $client->send("POST /$at/v1/chat/completions HTTP/1.1\r\nHost: x\r\n"
        . "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n"
        . "Connection: close\r\n\r\n");
    for (my $i = 0; $i < length $plain; $i += 77_777) {
        my $piece = substr $plain, $i, 77_777;
        $client->send(sprintf "%x\r\n%s\r\n", length $piece, $piece);
    }
    $client->send("0\r\n\r\n");
    ok($client->response('POST')->{body} eq $small, "$at: in chunks");
    $client->close;
}

# many at once: some the same, some new

my @right = in_parallel($t, 60, sub {
    my ($n) = @_;
    my $own = standin_content('png', 150_000 + $n);
    my @these = ($small[$n % 3], $own, $small[0], $own);
    my $got = ask($n % 2 ? 'threads' : 'turns',
                  chat(map { part(b64($_)) } @these))->{body};
    return $got eq chat(map { part(standin_b64('png',
        standin_id($t->data, $_, 'png'))) } @these) ? 1 : 0;
});
is(scalar(grep { $_ } @right), 60, 'sixty at once: each gets its own');

# others are answered meanwhile

my ($slow) = in_parallel($t, 2, sub {
    my ($n) = @_;
    if ($n == 1) {
        ask('turns', $body) for 1, 2;
        return 1;
    }
    my $most = 0;
    for (1 .. 40) {
        my $began = Time::HiRes::time();
        $t->get('/ping')->{status} == 204 or return 99;
        my $took = Time::HiRes::time() - $began;
        $most = $took if $took > $most;
        select undef, undef, undef, 0.02;
    }
    return $most;
});
cmp_ok($slow, '<', 90, 'others are answered meanwhile');

# clients that leave, after more and more of the request and of the time

for my $n (0 .. 23) {
    my $at = $n % 2 ? 'threads' : 'turns';
    my $new = chat(part(b64(standin_content('png', 3_000_000 + $n))));
    my $client = $t->connect(timeout => 20);
    $client->send("POST /$at/v1/chat/completions HTTP/1.1\r\nHost: x\r\n"
        . "Content-Type: application/json\r\nContent-Length: "
        . length($new) . "\r\n\r\n");
    $client->send($n % 4 == 0 ? substr $new, 0, 1_000_000 : $new);
    select undef, undef, undef, 0.003 * $n;
    $client->close;
}
is(left_behind($t), '', 'nothing is left of those who leave');
ok(ask('threads', $plain)->{body} eq $small, 'and the next one is answered');

# a reload amid it

in_parallel($t, 6, sub {
    my ($n) = @_;
    if ($n == 0) {
        select undef, undef, undef, 0.1;
        $t->reload;
        return 1;
    }
    return ask($n % 2 ? 'threads' : 'turns', $body)->{body} eq $right;
});
is(left_behind($t), '', 'nothing is left of a reload');

my %files = %{ standin_files($t->data) };
my @bad = grep { !$files{$_}{path} || !$files{$_}{meta}
                 || -s $files{$_}{path} != $files{$_}{meta}{size} } keys %files;
is("@bad", '', 'all that is in the store is whole');

$echo->stop;
$t->finish;
