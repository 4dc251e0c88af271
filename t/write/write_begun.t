#!/usr/bin/perl

# Bodies that somebody has begun to read: what is left of them is never taken
# for the whole, neither by a location that writes, nor by the location of an
# error page when a write has failed half-way.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactCurl;
use ArtifactModules;
use ArtifactTest;
use ArtifactWrite;
use Time::HiRes qw(sleep);

my $t = ArtifactTest->new;
my @spare = map { ArtifactTest->new } 1 .. 3;
my ($h2, $up, $dead) = map { $_->port } @spare;
my $lua = other_modules(qw(ndk lua));
my $other = $t->prefix . '/other/workspaces';

mkdir $_ or die "mkdir: $!"
    for map { $t->prefix . "/$_" } qw(other other/workspaces);
mkdir $t->data . '/workspaces/w' or die "mkdir: $!";
mkdir "$other/w" or die "mkdir: $!";

my %pass = (
    proxy => "proxy_pass http://127.0.0.1:$dead;",
    fastcgi => "fastcgi_pass 127.0.0.1:$dead;",
    uwsgi => "uwsgi_pass 127.0.0.1:$dead;",
    scgi => "scgi_pass 127.0.0.1:$dead;",
    grpc => "grpc_pass grpc://127.0.0.1:$dead;",
);

my $server = <<"SERVER" . ($lua ? <<'LUA' : '');
    artifact_root %%DATA%%;
    artifact_write on;
    client_max_body_size 64m;
    keepalive_requests 1000;
    lingering_time 1s;
    lingering_timeout 200ms;

    location /first/ {
        artifact_workspace;
        error_page 409 413 500 = \@second;
    }
    location /first-threads/ {
        artifact_workspace;
        aio threads;
        error_page 409 413 500 = \@second;
    }
    location /first-proxy/ {
        artifact_workspace;
        error_page 404 409 413 500 = \@keep;
    }
    location /first-small/ {
        artifact_workspace;
        client_max_body_size 1000;
        error_page 413 = \@second;
    }
    location \@keep {
        proxy_http_version 1.1;
        proxy_set_header Connection "";
        proxy_pass http://keep;
    }
    location /keep/ {
        proxy_http_version 1.1;
        proxy_set_header Connection "";
        proxy_pass http://keep;
    }
    location \@second {
        rewrite ^/[^/]+/(.*)\$ /other/\$1 last;
    }
    location /other/ {
        artifact_workspace;
        artifact_root %%PREFIX%%/other;
    }
    location /accel/ {
        proxy_request_buffering off;
        proxy_http_version 1.1;
        proxy_pass http://127.0.0.1:$up;
    }
    location /accel-whole/ {
        proxy_http_version 1.1;
        proxy_pass http://127.0.0.1:$up;
    }
    location /mirror/ {
        artifact_workspace;
        artifact_root %%PREFIX%%/other;
        mirror /aside;
    }
    location = /aside {
        internal;
        return 204;
    }
@{[ map { <<"PASS" } sort keys %pass ]}
    location /$_/ {
        @{[ $_ eq 'grpc' ? '' : "${_}_request_buffering off;" ]}
        $pass{$_}
        error_page 502 504 = \@second;
    }
    location /$_-whole/ {
        $pass{$_}
        error_page 502 504 = \@second;
    }
PASS
SERVER
    location /socket/ {
        rewrite_by_lua_block {
            local sock = ngx.req.socket()
            if sock then
                sock:settimeout(100)
                sock:receive(3)
            end
            ngx.exec("@second")
        }
    }
    location /dropped/ {
        rewrite_by_lua_block {
            ngx.req.discard_body()
            ngx.exec("@second")
        }
    }
    location /read/ {
        rewrite_by_lua_block {
            ngx.req.read_body()
            ngx.exec("@second")
        }
    }
LUA

$t->allow(qr/the body is not whole|another handler reads the body/,
          qr/connect\(\) failed|another writer|lua tcp socket|
             intended\ to\ send\ too\ large/x);
$t->start(
    first => $lua // '',
    server => $server,
    http => <<"HTTP",
    @{[ $lua ? lua_path() : '' ]}
    upstream keep {
        server 127.0.0.1:$up;
        keepalive 1;
    }
    server {
        listen 127.0.0.1:$up;
        location / {
            add_header X-Accel-Redirect \@second;
            return 200 "a page of nobody";
        }
        location /keep/ {
            return 200 "kept \$request_uri";
        }
        location /first-proxy/ {
            return 200 "kept \$request_uri \$content_length";
        }
    }
    server {
        listen 127.0.0.1:$h2 http2;
        $server
    }
HTTP
);

my $BIG = join '', map { sprintf "%07d\n", $_ } 1 .. 50_000;


# A PUT in two pieces, the first with the header; what happens between them is
# the caller's.

sub put_slowly {
    my ($uri, $framing, $first, $rest, $between) = @_;

    my @pieces = map { framed($framing, $_) } $first, $rest;
    $pieces[length $rest ? 1 : 0] .= "0\r\n\r\n" if $framing eq 'chunked';

    my $conn = $t->connect(timeout => 10);
    $conn->send("PUT $uri HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\n"
        . ($framing eq 'chunked' ? "Transfer-Encoding: chunked\r\n\r\n"
           : 'Content-Length: ' . length($first . $rest) . "\r\n\r\n")
        . $pieces[0]);
    $between->();
    eval { $conn->send($pieces[1]) } if length $pieces[1];
    my $res = eval { $conn->response('PUT') };
    $conn->close;
    return $res;
}


sub framed {
    my ($framing, $bytes) = @_;
    return $bytes if $framing ne 'chunked' || !length $bytes;
    return sprintf "%x\r\n%s\r\n", length $bytes, $bytes;
}


# Whatever the answer, the file is as good as the answer says.

sub honest {
    my ($res, $file, $body, $name) = @_;

    my $status = $res ? $res->{status} : 0;
    my $is = -f $file ? slurp($file) : undef;

    if ($status == 201 || $status == 200) {
        ok(defined $is && $is eq $body, "$name: 20x, and it is whole");
    } else {
        is($is, 'good', "$name: $status, and the old one is there");
    }
    return $status;
}


# The module's own folder tells that an upload has begun.

sub own_files {
    my ($t) = @_;
    return join ' ', sort glob $t->data . '/workspaces/.artifact/*';
}


# A folder gets in the way while the body is on its way.

put($t, "w/$_", 'x') for qw(f g);
my $n = 0;

for my $at (qw(first first-threads first-proxy)) {
    for my $framing (qw(length chunked)) {
        for my $cut (1, 100, 20_000) {
            my $file = 'f' . ++$n;
            my $name = "$at, $framing, $cut bytes first";
            my $path = $t->data . "/workspaces/w/$file";
            spew("$other/w/$file", 'good');
            my $idle = own_files($t);

            my $res = put_slowly("/$at/w/$file", $framing,
                substr($BIG, 0, $cut), substr($BIG, $cut), sub {
                    until_true(sub { own_files($t) ne $idle }, 10);
                    mkdir $path or die "mkdir: $!";
                });

            error_is($res, 409, 'conflict', undef, $name);
            until_true(sub { own_files($t) eq $idle }, 10);
            honest($res, "$other/w/$file", $BIG, $name);
            is($t->get("/keep/$n")->{body}, "kept /keep/$n",
               "$name: the next request");
        }
    }
}

# nginx itself finds chunks too many

spew("$other/w/large", 'good');
for my $cut (10, 3000) {
    my $res = put_slowly('/first-small/w/large', 'chunked',
        substr($BIG, 0, $cut), substr($BIG, $cut), sub { sleep 0.05 });
    error_is($res, 413, 'content_too_large', undef, "too large, $cut bytes");
    honest($res, "$other/w/large", $BIG, "too large, $cut bytes");
}

# a body that nobody has touched goes along

for my $method (qw(GET DELETE)) {
    my $res = $t->req($method, '/first-proxy/w/none', body => 'x' x 5000);
    is($res->{body}, 'kept /first-proxy/w/none 5000', "$method with a body");
    is($t->get("/keep/$method")->{body}, "kept /keep/$method",
       "$method with a body: the next request");
}

# Handed over by somebody who reads without buffering, or has read it all.

my @ways = map { ($_, "$_-whole") } sort keys %pass;
push @ways, qw(accel accel-whole mirror);
push @ways, qw(socket dropped read) if $lua;

for my $way (@ways) {
    my $whole = $way =~ /-whole|mirror|read/ && $way ne 'grpc-whole';

    for my $framing (qw(length chunked)) {
        next if $way eq 'socket' && $framing eq 'chunked';   # lua refuses it

        for my $body ('', 'short', $BIG) {
            for my $cut (0, 3, length $body) {
                next if $cut > length $body || ($cut && !length $body);
                my $name = "$way, $framing, " . length($body)
                    . " bytes, $cut first";
                spew("$other/w/$way", 'good');
                my $res = put_slowly("/$way/w/$way", $framing,
                    substr($body, 0, $cut), substr($body, $cut),
                    sub { sleep 0.02 });
                my $status = honest($res, "$other/w/$way", $body, $name);
                is($status, 200, "$name: nothing is missing") if $whole;
            }
        }
    }
}

SKIP: {
    skip 'curl without HTTP/2', 1 unless curl_features('HTTP2');

    my $at = "http://127.0.0.1:$h2";
    spew($t->prefix . "/body-$_->[0]", $_->[1])
        for ['empty', ''], ['short', 'short'], ['big', $BIG];

    for my $way (@ways) {
        next if $way eq 'socket';                            # not for HTTP/2

        for my $size (qw(empty short big)) {
            for my $length (0, 1) {
                my $file = $t->prefix . "/body-$size";
                my $name = "HTTP/2, $way, $size"
                    . ($length ? '' : ', no length');
                spew("$other/w/$way", 'good');
                open STDIN, '<', $file or die "$file: $!";
                my $res = curl($t->prefix, '--http2-prior-knowledge', '-m', 5,
                    '-H', 'Content-Type: text/plain',
                    '-T', $length ? $file : '-',
                    "$at/$way/w/$way");
                honest($res, "$other/w/$way", slurp($file), $name);
            }
        }
    }
}

is(left_behind($t), '', 'nothing is left on its way');
$t->finish;
