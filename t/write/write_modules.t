#!/usr/bin/perl

# Writes next to the rest of nginx: bodies that others read before, other
# roots, reloads, and HTTP/2 clients that go away.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactCurl;
use ArtifactTest;
use ArtifactWrite;

my $t = ArtifactTest->new(workers => 2);
my $dir = $t->data . '/workspaces';
my $spare = ArtifactTest->new;
my $http2 = 'server { listen 127.0.0.1:' . $spare->port . ' http2;'
    . write_server() . ' }';

mkdir $t->prefix . '/bare' or die "mkdir: $!";
symlink 'data', $t->prefix . '/linked' or die "symlink: $!";

my $server = write_server(<<'SERVER');
    location /mirrored/ {
        artifact_workspace;
        aio threads;
        mirror /aside;
        client_body_buffer_size 1k;
    }
    location /mirrored-inline/ {
        artifact_workspace;
        mirror /aside;
        client_body_buffer_size 1k;
    }
    location /in-file/ {
        artifact_workspace;
        aio threads;
        client_body_in_file_only clean;
    }
    location /single/ {
        artifact_workspace;
        client_body_in_single_buffer on;
    }
    location /authorized/ {
        artifact_workspace;
        aio threads;
        auth_request /aside;
    }
    location /refused/ {
        artifact_workspace;
        auth_request /no;
    }
    location /limited/ {
        artifact_workspace;
        limit_except GET {
            deny all;
        }
    }
    location /linked/ {
        artifact_workspace;
        artifact_root %%PREFIX%%/linked;
    }
    location /bare/ {
        artifact_workspace;
        artifact_root %%PREFIX%%/bare;
    }
    location /bare-artifacts/ {
        artifact;
        artifact_root %%PREFIX%%/bare;
    }
    location /nowhere/ {
        artifact_workspace;
        artifact_root %%PREFIX%%/nowhere;
    }
    location = /aside {
        internal;
        return 204;
    }
    location = /no {
        internal;
        return 403;
    }
SERVER

$t->allow(qr/\[crit\].*nowhere/);
$t->start(http => $http2, server => $server);

for my $at (qw(mirrored mirrored-inline in-file single authorized linked)) {
    for my $size (0, 10, 1023, 1025, 100_000, 2_000_000) {
        my $path = "$at/f$size";
        my $body = substr "$at, of $size bytes; " x ($size / 10 + 1), 0,
            $size;
        my $res = put($t, $path, $body, at => "/$at/");
        written($res, 201, $path, "$path");
        stored($t, $path, $body, $res->header('ETag'), "$path is there");
    }
    my $before = files_of($t);
    error_is(put($t, "$at/f10", 'z' x 50_000, at => "/$at/", headers =>
                 ['If-Match' => '"x"']), 412, 'precondition_failed', undef,
             "$at: refused with a body");
    nothing_changed($t, $before, "$at: refused with a body");
}

# who may not, does not

my $before = files_of($t);
for my $at (qw(refused limited)) {
    for my $res (put($t, 'w/f', 'x' x 5000, at => "/$at/"),
                 remove($t, 'linked/f10', at => "/$at/"))
    {
        is($res->{status}, 403, "$at by another module");
    }
    nothing_changed($t, $before, $at);
}

# a body that is coded would be served as what it is not

$before = files_of($t);
for my $coding ('gzip', 'br', 'identity, gzip') {
    my $res = put($t, 'linked/f10', 'x' x 500,
                  headers => ['Content-Encoding' => $coding]);
    error_is($res, 415, 'unsupported_media_type', 'linked/f10',
             "Content-Encoding: $coding");
    header_is($res, 'Accept-Encoding', 'identity',
              "Content-Encoding: $coding: what is taken");
    error_is(post($t, 'name=x', 'x', headers =>
                  ['Content-Encoding' => $coding]), 415,
             'unsupported_media_type', undef, "POST, $coding");
    nothing_changed($t, $before, "Content-Encoding: $coding");
}
written(put($t, 'coded/f', 'x', headers => ['Content-Encoding' => $_]), $_
        eq 'identity' ? 201 : 200, 'coded/f', "Content-Encoding: $_")
    for 'identity', 'Identity';

# roots

is(put($t, 'w/f', 'x', at => '/nowhere/')->{status}, 500,
   'a root that does not exist');
ok(!-e $t->prefix . '/nowhere', 'is not made');
written(put($t, 'w/a/f', 'bare', at => '/bare/', agent => 'a'), 201, 'w/a/f',
        'a root without folders');
is($t->get('/bare/w/a/f')->body, 'bare', 'gets them');
my $ref = json_of(post($t, 'name=a', 'art', at => '/bare-artifacts/'))
    ->{artifactRef} // '';
is($t->get("/bare-artifacts/$ref")->body, 'art', 'also for artifacts');

# a reload in the middle

my @open = map {
    my $at = $_ % 2 ? '/workspaces/' : '/inline/';
    my $conn = $t->connect;
    $conn->send("PUT ${at}reload/f$_ HTTP/1.1\r\nHost: x\r\n"
        . "Content-Type: text/x-$_\r\nX-Agent-Id: a$_\r\n"
        . "Content-Length: 100000\r\n\r\n" . $_ x 50_000);
    $conn;
} 1 .. 8;
put($t, 'reload/before', 'x', agent => 'a');
ok($t->reload, 'a reload during writes');
put($t, 'reload/after', 'x', agent => 'a');
$open[$_ - 1]->send($_ x 50_000) for 1 .. 8;
is(join(' ', map { $_->response('PUT')->{status} } @open),
   join(' ', (201) x 8), 'they go on');
is(join(' ', map { metadata_at($t, "reload/f$_")->{mimeType} } 1 .. 8),
   join(' ', map { "text/x-$_" } 1 .. 8), 'with their metadata, at once');
$_->close for @open;
ok(until_true(sub {
    my $files = (disk_meta($t, 'reload') || {})->{files};
    return 10 == grep { @{ $files->{$_}{modifiedBy} } == 1 } keys %$files;
}, 3), 'and on the disk');
is(left_behind($t), '', 'and nothing is left on its way');

# HTTP/2: a client that goes away

SKIP: {
    skip 'curl without HTTP/2', 3 unless curl_features('HTTP2');

    my $body = $t->file('body', 'y' x 2_000_000);
    my @args = ('--http2-prior-knowledge', '-T', $body, '-H',
                'Content-Type: a/b',
                'http://127.0.0.1:' . $spare->port . '/workspaces/h2/f');
    my $before = files_of($t);
    my $res = curl($t->prefix, '--limit-rate', '200k', '-m', '0.5', @args);
    isnt($res->{exit}, 0, 'an HTTP/2 client that goes away');
    nothing_changed($t, $before, 'an HTTP/2 client that goes away');
    $res = curl($t->prefix, @args, '-H', 'If-None-Match: *');
    is(answer_problems($res, 201, 'h2/f'), '', 'another one does not');
}

$t->finish;
