#!/usr/bin/perl

# Writes over HTTP/2 and TLS, in threads and without, bodies of every kind
# of length, other modules that read the body first.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactCurl;
use ArtifactTest;
use ArtifactWrite qw(left_behind);
use Digest::SHA qw(sha1_hex);

plan(skip_all => 'curl has no HTTP2') unless curl_features('HTTP2');

my $t = ArtifactTest->new;
my @spare = map { ArtifactTest->new } 1 .. 2;
my ($clear, $secure) = map { $_->port } @spare;
my $dir = $t->prefix;
my ($key, $cert) = certificate($dir);

my $locations = <<'SERVER';
    location /inline/ {
        artifact_workspace;
    }
    location /threads/ {
        artifact_workspace;
        aio threads;
    }
    location /small/ {
        artifact_workspace;
        aio threads;
        client_body_buffer_size 1k;
    }
    location /nosync/ {
        artifact_workspace;
        artifact_sync off;
    }
    location /artifacts/ {
        artifact;
        aio threads;
    }
    location /limited/ {
        artifact_workspace;
        client_max_body_size 1000;
    }
    location /mirrored/ {
        artifact_workspace;
        mirror /copy;
    }
    location = /copy {
        internal;
        return 204;
    }
SERVER
$t->start(http => <<"HTTP", server => $locations);
    artifact_root %%DATA%%;
    artifact_write on;
    client_max_body_size 20m;
    server {
        listen 127.0.0.1:$clear http2;
$locations
    }
    server {
        listen 127.0.0.1:$secure ssl http2;
        ssl_certificate $cert;
        ssl_certificate_key $key;
$locations
    }
HTTP

my %body = (
    none => '', one => 'x', small => 'small ' x 100,
    buffer => 'b' x 16384, more => join('', map { "line $_\n" } 1 .. 300_000),
);
for my $name (keys %body) {
    $t->file("body-$name", $body{$name});
}

my %ways = (
    'HTTP/1.0' => ['--http1.0', "http://127.0.0.1:" . $t->port],
    'HTTP/1.1' => ['--http1.1', "http://127.0.0.1:" . $t->port],
    'HTTP/2' => ['--http2-prior-knowledge', "http://127.0.0.1:$clear"],
    'TLS' => ['--http1.1', "https://127.0.0.1:$secure"],
    'HTTP/2 over TLS' => ['--http2', "https://127.0.0.1:$secure"],
);

sub send_body {
    my ($way, $method, $uri, $name, @more) = @_;
    my ($version, $base) = @{ $ways{$way} };
    return curl($dir, $version, '-k', '-X', $method, '-H',
                'Content-Type: text/x-test', '-H', 'X-Agent-Id: tester',
                @more, '--data-binary', "\@$dir/body-$name", "$base$uri");
}

for my $way (sort keys %ways) {
    for my $at (qw(inline threads small nosync mirrored)) {
        for my $name ($at =~ /nosync|mirrored/ ? qw(small more)
                      : sort keys %body)
        {
            for my $chunked (0, 1) {
                next if $chunked && $way eq 'HTTP/1.0';
                my $path = "w/$at/$name";
                my $label = "$way, $at, $name" . ($chunked ? ', chunked' : '');
                my $res = send_body($way, 'PUT', "/$at/$path", $name,
                    $chunked ? ('-H', 'Transfer-Encoding: chunked') : ());
                like($res->{status}, qr/^20[01]$/, $label);
                my $file = $t->data . "/workspaces/$path";
                is(-e $file ? sha1_hex(slurp($file)) : 'no file',
                   sha1_hex($body{$name}), "$label: the content");
                is($t->head("/$at/$path")->header('ETag'),
                   $res->header('ETag'), "$label: the tag");
            }
        }
    }

    my $res = send_body($way, 'POST', '/artifacts/?name=a.txt', 'more');
    is($res->{status}, 201, "$way: an artifact");
    is(length $t->get($res->header('Location') // '/')->body,
       length $body{more}, "$way: can be read");

    # (curl loses early answers over HTTP/2 while it sends, those of any nginx)

    for my $name ($way =~ m{HTTP/2} ? () : qw(small more)) {
        $res = send_body($way, 'PUT', "/threads/w/refused", $name, '-H',
                         'If-Match: "none"');
        is($res->{status}, 412, "$way, $name: a precondition");
        $res = send_body($way, 'PUT', '/limited/w/large', 'more');
        is($res->{status}, 413, "$way, $name: too large");
        is(json_of($res)->{error}, 'content_too_large', "$way, $name: JSON");
    }
    ok(!-e $t->data . '/workspaces/w/refused', "$way: not written");
    ok(!-e $t->data . '/workspaces/w/large', "$way: not written, either");

    $res = send_body($way, 'DELETE', '/threads/w/threads/one', 'none');
    is($res->{status}, 200, "$way: deleted");
    is($t->get('/threads/w/threads/one')->{status}, 404, "$way: gone");
}

# One connection survives all of it.

my $conn = $t->connect;
for my $case (
    ['PUT', '/threads/w/kept', 201, 'x' x 50_000, 'text/plain'],
    ['PUT', '/threads/w/kept', 400, 'x' x 50_000, undef],
    ['PUT', '/threads/w', 400, 'x' x 50_000, 'text/plain'],
    ['PUT', '/threads/w/kept/below', 409, 'x' x 50_000, 'text/plain'],
    ['PUT', '/threads/.artifact/x', 400, 'x', 'text/plain'],
    ['GET', '/threads/.artifact/w.journal', 404],
    ['PUT', '/threads/bad!name/x', 400, 'x' x 500, 'text/plain'],
    ['DELETE', '/threads/w/none', 404],
    ['DELETE', '/threads/none/none', 404],
    ['POST', '/threads/w/kept', 405, 'x' x 500, 'text/plain'],
    ['PUT', '/artifacts/abc', 405, 'x' x 500, 'text/plain'],
    ['POST', '/artifacts/?name=a%0Ab', 400, 'x' x 500, 'text/plain'],
    ['PUT', '/inline/w/kept', 200, 'y' x 50_000, 'text/plain'],
    ['DELETE', '/inline/w/kept', 200],
) {
    my ($method, $uri, $status, $body, $type) = @$case;
    my $res = $conn->request($method, $uri, keep => 1, body => $body,
        headers => [defined $type ? ('Content-Type' => $type) : ()]);
    is($res->{status}, $status, "kept alive: $method $uri");
    is($res->header('Connection'), 'keep-alive', "$method $uri: goes on");
}

# Pipelined, the second request right behind the first one's body.

for my $at (qw(inline threads)) {
    $conn = $t->connect;
    $conn->send(join '', map {
        "PUT /$at/w/pipe$_ HTTP/1.1\r\nHost: x\r\nContent-Type: a/b\r\n"
        . ($_ % 2 ? "Content-Length: 20000\r\n\r\n" . $_ x 20_000
                  : "Transfer-Encoding: chunked\r\n\r\n4e20\r\n" . $_ x 20_000
                    . "\r\n0\r\n\r\n")
    } 1 .. 6);
    is(join(' ', map { $conn->response('PUT')->{status} } 1 .. 6),
       join(' ', ($at eq 'inline' ? 201 : 200) x 6), "$at: pipelined");
    is(slurp($t->data . "/workspaces/w/pipe$_"), $_ x 20_000,
       "$at: pipelined content $_") for 1 .. 6;
}

# No length at all is not an empty body.

is($t->req('PUT', '/inline/w/pipe1', headers => ['Content-Type' => 'a/b'])
   ->{status}, 411, 'a length is required');
is(slurp($t->data . '/workspaces/w/pipe1'), 1 x 20_000, 'nothing was lost');

is(left_behind($t), '', 'nothing is left');

$t->finish;
