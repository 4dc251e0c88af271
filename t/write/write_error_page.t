#!/usr/bin/perl

# Writes that a location refuses and an error page hands on to another: the
# body goes along, and where it is gone already nothing is made of the rest.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactCurl;
use ArtifactTest;
use ArtifactWrite;
use Time::HiRes qw(sleep);

my $t = ArtifactTest->new;
my $spare = ArtifactTest->new;

mkdir $_ or die "mkdir: $!"
    for map { $t->prefix . "/$_" } qw(other other/workspaces);

my $server = <<'SERVER';
    artifact_root %%DATA%%;
    artifact_write on;
    client_max_body_size 64m;

    location /workspaces/ {
        artifact_workspace;
        artifact_write off;
        error_page 405 = @other;
    }
    location /conflict/ {
        artifact_workspace;
        error_page 409 = @other;
    }
    location /small/ {
        artifact_workspace;
        client_max_body_size 2;
        error_page 413 = @other;
    }
    location @other {
        rewrite ^/[^/]+/(.*)$ /other/$1 last;
    }
    location /other/ {
        artifact_workspace;
        artifact_root %%PREFIX%%/other;
    }
    location /page/ {
        artifact_workspace;
        artifact_write off;
        error_page 405 /refused;
    }
    location = /refused {
        return 405 "not here\n";
    }
SERVER

mkdir $t->data . "/workspaces/$_" or die "mkdir: $!" for qw(w w/f);

$t->allow(qr/the body is not whole|another handler reads the body/);
$t->start(server => $server,
          http => 'server { listen 127.0.0.1:' . $spare->port . ' http2;'
              . $server . ' }');

my $other = $t->prefix . '/other/workspaces';

# The body in the first packet as a whole, in part, or not at all; then
# another request on the same connection.

sub ask {
    my ($uri, $framing, $first, $rest) = @_;

    my $conn = $t->connect(timeout => 5);
    $conn->send("PUT $uri HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\n"
        . "$framing\r\n\r\n$first");
    sleep 0.05;
    $conn->send($rest) if length $rest;
    my $res = $conn->response('PUT');
    my $next = $res->header('Connection') // '';
    if ($next ne 'close') {
        $next = $conn->request('GET', '/other/none/f')->{status};
    }
    $conn->close;
    return ($res, $next);
}

my %framing = (
    length => ['Content-Length: 5', 'hello'],
    chunked => ['Transfer-Encoding: chunked',
                "3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n"],
);

for my $at (qw(workspaces conflict small)) {
    for my $kind (sort keys %framing) {
        next if $at eq 'small' && $kind eq 'chunked';
        my ($framing, $body) = @{ $framing{$kind} };
        for my $cut (0, 4, length $body) {
            unlink "$other/w/f";
            my $name = "$at, $kind, $cut bytes first";
            my ($res, $next) = ask("/$at/w/f", $framing,
                substr($body, 0, $cut), substr $body, $cut);

            if ($at eq 'small') {

                # nginx itself has discarded the body

                error_is($res, 500, 'write_failed', undef, $name);
                ok(!-e "$other/w/f", "$name: nothing is made");
                next;
            }
            is($res->{status}, 201, $name);
            is(-f "$other/w/f" ? slurp("$other/w/f") : undef, 'hello',
               "$name: the body arrives");
            is($next, 404, "$name: the next request");
        }
    }
}

for my $kind (sort keys %framing) {
    my ($framing, $body) = @{ $framing{$kind} };
    for my $cut (0, 4, length $body) {
        my ($res, $next) = ask('/page/w/f', $framing,
            substr($body, 0, $cut), substr $body, $cut);
        my $name = "a page, $kind, $cut bytes first";
        is($res->{status}, 405, $name);
        is($res->body, "not here\n", "$name: it is the administrator's");
        is($next, 404, "$name: the next request");
    }
}

SKIP: {
    skip 'curl without HTTP/2', 5 unless curl_features('HTTP2');

    my @args = ('--http2-prior-knowledge', '-m', 5, '-X', 'PUT', '-d',
                'hello', '-H', 'Content-Type: text/plain');
    my $at = 'http://127.0.0.1:' . $spare->port;

    for my $uri (qw(workspaces conflict)) {
        unlink "$other/w/f";
        is(curl($t->prefix, @args, "$at/$uri/w/f")->{status}, 201,
           "HTTP/2, $uri");
        is(-f "$other/w/f" ? slurp("$other/w/f") : undef, 'hello',
           "HTTP/2, $uri: the body arrives");
    }
    unlink "$other/w/f";

    # an answer before the end of the body is not what every client waits for

    # nor does every nginx discard it: nothing is made, or the whole

    my $made = curl($t->prefix, @args, "$at/small/w/f")->{status} eq 201;
    is(-e "$other/w/f" ? slurp("$other/w/f") : 'nothing',
       $made ? 'hello' : 'nothing', 'HTTP/2, small: nothing is made');
}

is(left_behind($t), '', 'nothing is left on its way');
$t->finish;
