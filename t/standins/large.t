#!/usr/bin/perl

# Many megabytes through both locations: they arrive, each in its place, while the
# gateway sees kilobytes, and a worker needs no more memory for them.

use strict;
use warnings;

use Digest::SHA qw(sha1_hex);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactSandwich;
use ArtifactEcho;
use ArtifactTest;
use ArtifactWrite qw(in_parallel left_behind);

my $t = ArtifactTest->new;
my $echo = echo($t->prefix . '/echo', digest => 1);

standin_server($t, server => <<'SERVER');
    location /threads/ {
        artifact_offload_request on;
        aio threads;
        proxy_pass http://127.0.0.1:%%PORT%%/put/;
    }
    location /put/ {
        artifact_expand standins;
        aio threads;
        proxy_pass %%ECHO%%;
    }
SERVER

my ($slot) = values %{ { standin_slots('anthropic', 'png') } };
my @shots = map { standin_content('png', 50_000 + $_ * 1000)
                  . pack('N', $_) . "\0" x 1_000_000 } 1 .. 6;

sub request { return standin_body('anthropic', 'sees',
                                  map { $slot->('image/png', $_) } @_) }

sub digest { return length($_[0]) . ' ' . sha1_hex($_[0]) }

my $whole = request(map { b64($_) } @shots);
my ($worker) = $t->workers;

sub peak {
    open my $fh, '<', "/proc/$worker/status" or die "status: $!";
    my ($kb) = join('', <$fh>) =~ /^VmHWM:\s+(\d+) kB/m;
    return $kb;
}


# what nginx itself needs to pass it on, and what a small one costs

standin_post($t, '/plain/v1/messages', $whole) for 1, 2;
standin_post($t, "/$_/v1/messages", request(b64(standin_content('png', 3000))))
    for qw(all threads all threads);
my $before = peak();

for my $at (qw(all threads)) {
    for my $turn (1, 2) {
        my $res = standin_post($t, "/$at/v1/messages", $whole);
        is($res->status, 200, "$at, turn $turn: arrives");
        is($res->body, digest($whole), "$at, turn $turn: each in its place");
    }
}
my $cost = peak() - $before;

SKIP: {
    skip 'a sanitizer has memory of its own', 1
        if $t->version =~ /-fsanitize/;
    cmp_ok($cost, '<=', 2000, 'KB of memory for ' . length($whole)
           . " bytes, six media: $cost");
}

my $light = standin_post($t, '/front/v1/messages', $whole)->body;
like($light, qr/\A(\d{4}) /, 'the gateway sees kilobytes');


# the same medium many times: behind, a body of megabytes made of kilobytes

my $id = standin_id($t->data, $shots[0], 'png');
my $twenty = request((standin_b64('png', $id)) x 20);
is(standin_post($t, '/behind/v1/messages', $twenty)->body,
   digest(request((b64($shots[0])) x 20)), 'one medium twenty times');


# many at once, of different sizes, each its own

my @small = map { standin_content('png', 1000 * $_) } 1 .. 16;
my @right = in_parallel($t, 16, sub {
    my ($n) = @_;
    my $body = request(map { b64($_) } @small[$n, ($n * 7 + 3) % 16]);
    my $at = $n % 2 ? 'all' : 'threads';
    return standin_post($t, "/$at/v1/messages", $body)->body eq digest($body)
        ? 1 : 0;
});
is(scalar(grep { $_ } @right), 16, 'sixteen at once, each its own');


# clients that leave in the middle

for my $part (0.2, 0.5, 0.9, 1) {
    for my $at (qw(all threads behind)) {
        my $body = $at eq 'behind' ? $twenty : $whole;
        my $conn = $t->connect;
        $conn->send("POST /$at/v1/messages HTTP/1.1\r\nHost: x\r\n"
                    . "Content-Type: application/json\r\nContent-Length: "
                    . length($body) . "\r\n\r\n"
                    . substr $body, 0, int $part * length $body);
        $conn->close;
    }
}

is(standin_post($t, '/all/v1/messages', $whole)->body, digest($whole),
   'after those that left');
is(left_behind($t), '', 'nothing is left');

$echo->stop;
$t->finish;
