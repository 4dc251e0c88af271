#!/usr/bin/perl

# Several PUTs with one ticket at once, and PUTs that end before their body
# does, by the client or by a kill: one of them is there, whole, or nothing is.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactSign;
use ArtifactTest;
use ArtifactWrite;

my $THREADS = ArtifactTest::version() =~ /--with-threads/;
my $KEY = 'k' x 32;

my $t = ArtifactTest->new(workers => 2);
my $keys = key_file($t, 'keys', \$KEY);

$t->allow(qr/exited on signal 9|was locked by/);
$t->start(server => <<"SERVER" . ($THREADS ? <<"SERVER" : ''));
    artifact_root %%DATA%%;
    artifact_sign_key $keys;
    artifact_write on;
    client_max_body_size 8m;

    location /a/ { artifact; artifact_signed on; }
    location /open/ { artifact; }
SERVER
    location /threads/ { artifact; artifact_signed on; aio threads; }
SERVER

my $n = 0;

sub id { return sprintf '018f0000-0000-7000-8000-%012x', ++$n }

sub query {
    my ($id) = @_;
    return "$id?" . ticket($KEY, '', $id, time + 60,
                           { type => 'text/plain', name => 'a.txt' });
}

# Begins a PUT that lacks its last byte.

sub begin {
    my ($uri, $body) = @_;
    my $conn = $t->connect;
    $conn->send("PUT $uri HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                . 'Content-Length: ' . length($body) . "\r\n\r\n"
                . substr $body, 0, -1);
    return $conn;
}

sub under_way {
    my ($want) = @_;
    return until_true(sub {
        my @tmp = glob $t->data . '/artifacts/.artifact/tmp-*';
        @tmp >= $want;
    }, 10);
}

my $large = 'x' x 300_000;

for my $at ('/a/', $THREADS ? '/threads/' : ()) {

    # the same bytes

    my ($id, $query) = map { ($_, query($_)) } id();
    my @conn = map { begin("$at$query", $large) } 1 .. 8;
    ok(under_way(8), "$at: eight at once");
    $_->send('x') for @conn;
    my @res = map { $_->response('PUT') } @conn;
    is(join(' ', sort map { $_->{status} } @res),
       '200 200 200 200 200 200 200 201', "$at: one creates it");
    is(scalar(keys %{{ map { $_->body => 1 } @res }}), 1,
       "$at: all have the same answer");
    is($t->get("/open/$id")->body, $large, "$at: it is whole");

    # other bytes

    ($id, $query) = map { ($_, query($_)) } id();
    my @bodies = map { $_ x 300_000 } 'a' .. 'h';
    @conn = map { begin("$at$query", $_) } @bodies;
    ok(under_way(8), "$at: eight others");
    $conn[$_]->send(substr $bodies[$_], -1) for 0 .. 7;
    @res = map { $_->response('PUT') } @conn;
    is(join(' ', sort map { $_->{status} } @res),
       '201 409 409 409 409 409 409 409', "$at: one of them");
    my ($first) = grep { $res[$_]{status} == 201 } 0 .. 7;
    is($t->get("/open/$id")->body, $bodies[$first // 0],
       "$at: that one is there");

    # a client that leaves

    ($id, $query) = map { ($_, query($_)) } id();
    my $conn = begin("$at$query", $large);
    ok(under_way(1), "$at: a body on its way");
    $conn->close;
    ok(until_true(sub { left_behind($t) eq '' }, 10),
       "$at: nothing is left of it");
    is($t->get("/open/$id")->{status}, 404, "$at: nothing is there");

    # a worker that is killed, and then other bytes

    $conn = begin("$at$query", $large);
    ok(under_way(1), "$at: another body on its way");
    my %old = map { $_ => 1 } $t->workers;
    kill KILL => keys %old;
    ok(until_true(sub {
        my @now = $t->workers;
        @now == 2 && !grep { $old{$_} } @now;
    }, 10), "$at: other workers");
    is($t->get("/open/$id")->{status}, 404, "$at: nothing is there");
    is($t->req('PUT', "$at$query", body => 'other')->{status}, 201,
       "$at: the ticket is not used up");
    is($t->get("/open/$id")->body, 'other', "$at: its content");
    ok(until_true(sub { left_behind($t) eq '' }, 10),
       "$at: nothing is left behind");

    # what a crash leaves, a sidecar without its content, is nobody's

    ($id, $query) = map { ($_, query($_)) } id();
    is($t->req('PUT', "$at$query", body => 'one')->{status}, 201, "$at: one");
    unlink $t->data . "/artifacts/$id.txt" or die "unlink: $!";
    is($t->req('PUT', "$at$query", body => 'two!')->{status}, 201,
       "$at: a sidecar alone is no artifact");
    is($t->get("/open/$id")->body, 'two!', "$at: the other content");
    is(json_of($t->get("/open/$id/metadata"))->{size}, 4,
       "$at: ... and its sidecar");
}

is(left_behind($t), '', 'nothing is left behind');

$t->finish;
