#!/usr/bin/perl

# How the body of a write comes in: empty, chunked, in single bytes, awaited,
# pipelined, in parallel, or broken off.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactTest;
use ArtifactWrite;
use Time::HiRes qw(sleep time);

my $t = ArtifactTest->new(workers => 2);
my $dir = $t->data . '/workspaces';
$t->workspace_file('w', 'old', 'old content');

$t->start(server => write_server(<<'SERVER'));
    location /small/ {
        artifact_workspace;
        aio threads;
        client_body_buffer_size 16;
    }
    location /small-inline/ {
        artifact_workspace;
        client_body_buffer_size 16;
    }
    location /patience/ {
        artifact_workspace;
        aio threads;
        client_body_timeout 300ms;
    }
    location /limit/ {
        artifact_workspace;
        client_max_body_size 100;
    }
SERVER

# The head of a request that the test goes on with.

sub head_of {
    my ($uri, @lines) = @_;
    return join "\r\n", "PUT $uri HTTP/1.1", 'Host: x', 'Content-Type: a/b',
        @lines, '', '';
}

sub content {
    my ($path) = @_;
    my $file = "$dir/$path";
    return -e $file ? slurp($file) : undef;
}

for my $at (qw(/workspaces/ /inline/ /small/ /small-inline/)) {

    # empty

    my ($ws) = $at =~ m{([\w-]+)};
    my $res = put($t, "$ws/empty", '', at => $at);
    written($res, 201, "$ws/empty", "$at: an empty body");
    stored($t, "$ws/empty", '', $res->header('ETag'), "$at: an empty file");

    put($t, "$ws/full", 'not empty', at => $at);
    written(put($t, "$ws/full", '', at => $at), 200, "$ws/full",
            "$at: an empty body replaces a file");
    is(content("$ws/full"), '', "$at: which is empty then");

    my $conn = $t->connect;
    $conn->send(head_of("${at}$ws/chunked-empty",
                        'Transfer-Encoding: chunked') . "0\r\n\r\n");
    written($conn->response('PUT'), 201, "$ws/chunked-empty",
            "$at: an empty chunked body");
    is(content("$ws/chunked-empty"), '', "$at: is an empty file");

    # neither a length nor chunks: no body (RFC 9112, 6.3)

    $conn->send(head_of("${at}$ws/none"));
    $res = $conn->response('PUT');
    like($res->{status}, qr/^(201|411)$/, "$at: no body at all");
    is(content("$ws/none"), $res->{status} == 201 ? '' : undef,
       "$at: makes what was answered");

    # chunked

    $conn = $t->connect;
    $conn->send(head_of("${at}$ws/chunked", 'Transfer-Encoding: chunked'));
    for my $size (1, 5, 300, 20_000, 1, 70_000) {
        $conn->send(sprintf "%x;ext=1\r\n%s\r\n", $size, 'c' x $size);
        sleep 0.005;
    }
    $conn->send("0\r\nTrailer: x\r\n\r\n");
    $res = $conn->response('PUT');
    written($res, 201, "$ws/chunked", "$at: chunks");
    stored($t, "$ws/chunked", 'c' x 90_307, $res->header('ETag'),
           "$at: make one file");
    is($conn->request('GET', '/workspaces/w/old', keep => 1)->body,
       'old content', "$at: the connection goes on");

    # single bytes

    my $text = join '', map { chr 33 + $_ % 90 } 1 .. 150;
    $conn = $t->connect;
    $conn->send(head_of("${at}$ws/slow", 'Content-Length: 150'));
    for my $byte (split //, $text) {
        $conn->send($byte);
        sleep 0.001;
    }
    written($conn->response('PUT'), 201, "$ws/slow", "$at: single bytes");
    is(content("$ws/slow"), $text, "$at: make the file");

    $conn->send(head_of("${at}$ws/slow2", 'Transfer-Encoding: chunked'));
    for my $byte (map { split //, "1\r\n$_\r\n" } split //, "$text") {
        $conn->send($byte);
    }
    $conn->send($_) for split //, "0\r\n\r\n";
    written($conn->response('PUT'), 201, "$ws/slow2",
            "$at: chunks in single bytes");
    is(content("$ws/slow2"), $text, "$at: make the file");

    # Expect: 100-continue

    $conn = $t->connect;
    $conn->send(head_of("${at}$ws/expect", 'Content-Length: 5000',
                        'Expect: 100-continue'));
    is($conn->response('PUT')->{status}, 100, "$at: told to go on");
    is(content("$ws/expect"), undef, "$at: nothing is there yet");
    $conn->send('e' x 5000);
    written($conn->response('PUT'), 201, "$ws/expect", "$at: 100-continue");
    is(content("$ws/expect"), 'e' x 5000, "$at: makes the file");

    # HTTP/1.0

    $res = put($t, "$ws/old-http", 'x' x 9000, at => $at, version => '1.0');
    written($res, 201, "$ws/old-http", "$at: HTTP/1.0");
    is(content("$ws/old-http"), 'x' x 9000, "$at: makes the file");

    # one connection, request upon request

    $conn = $t->connect;
    my @pipe = map { ["$ws/pipe$_", "pipe $_ " x ($_ * 700)] } 1 .. 6;
    $conn->send(join '', map {
        my ($path, $body) = @$_;
        (head_of("$at$path", 'Content-Length: ' . length $body) . $body,
         "GET /workspaces/$path HTTP/1.1\r\nHost: x\r\n\r\n")
    } @pipe);
    for my $case (@pipe) {
        my ($path, $body) = @$case;
        written($conn->response('PUT'), 201, $path, "$at: pipelined");
        is($conn->response('GET')->body, $body, "$at: and read at once");
    }

    # broken off

    my $before = files_of($t);
    for my $path ("$ws/full", "$ws/never", "$ws/never/never/never") {
        for my $how ('Content-Length: 100000', 'Transfer-Encoding: chunked',
                     'Content-Length: 10000000')
        {
            my $conn = $t->connect;
            $conn->send(head_of($at . $path, $how));
            $conn->send($how =~ /chunked/ ? "c350\r\n" . 'h' x 50_000 . "\r\n"
                                          : 'h' x 50_000);
            sleep 0.02;
            is($t->get("/workspaces/$path")->{status},
               $path =~ /never/ ? 404 : 200, "$at: halfway, nothing shows");
            $conn->close;
        }
    }
    nothing_changed($t, $before, "$at: broken off");

    my $broken = $t->connect;
    $broken->send(head_of("$at$ws/full", 'Transfer-Encoding: chunked')
                  . "5\r\nhello\r\nnot a size\r\nmore\r\n");
    is($broken->response('PUT')->{status}, 400, "$at: broken chunks");
    nothing_changed($t, $before, "$at: broken chunks");
}

# a client that stalls, or sends too much

my $before = files_of($t);
my $conn = $t->connect;
$conn->send(head_of('/patience/w/old', 'Content-Length: 5000') . 'x' x 2000);
my $began = time;
my $res = $conn->response('PUT');
like($res->{status}, qr/^(408|0)$/, 'a client that stalls is given up');
cmp_ok(time - $began, '<', 3, 'soon');
nothing_changed($t, $before, 'a client that stalls');

$conn = $t->connect;
$conn->send(head_of('/limit/w/old', 'Content-Length: 5000',
                    'Expect: 100-continue'));
$res = $conn->response('PUT');
is($res->{status}, 413, 'too much is refused before it is sent');
$conn->close;
nothing_changed($t, $before, 'too much');

# many at once

my $count = 100;
for my $at (qw(/workspaces/ /inline/)) {
    my ($ws) = $at =~ m{(\w+)};
    my %body = map { $_ => "$at $_ " x 2000 } 1 .. $count;
    my @conns = map { $t->connect } 1 .. $count;
    for my $n (1 .. $count) {
        my $body = $body{$n};
        $conns[$n - 1]->send(
            head_of("${at}many-$ws/d" . $n % 7 . "/f$n", 'X-Agent-Id: a',
                    'Content-Length: ' . length $body)
            . substr $body, 0, length($body) / 2);
    }
    $conns[$_ - 1]->send(substr $body{$_}, length($body{$_}) / 2)
        for reverse 1 .. $count;
    my $good = grep { $_->response('PUT')->{status} == 201 } @conns;
    is($good, $count, "$at: $count at once");
    $conns[$_ - 1]->close for 1 .. $count;

    my @wrong = grep {
        (content("many-$ws/d" . $_ % 7 . "/f$_") // '') ne $body{$_}
    } 1 .. $count;
    is("@wrong", '', "$at: all have their content");
    ok(entry_when($t, "many-$ws/d1/f1", sub {
        keys %{ disk_meta($t, "many-$ws")->{files} } == $count
    }, 2), "$at: and their metadata");
}
is(left_behind($t), '', 'nothing is left on its way');

$t->finish;
