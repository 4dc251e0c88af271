#!/usr/bin/perl

# grpc_pass in routed locations, and proxy_pass where it speaks HTTP/2: an upstream
# whose body is routed as that of any other, and its trailers.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactCurl;
use ArtifactFixtures;
use ArtifactTest;

plan(skip_all => 'no HTTP/2 in curl') unless curl_features('HTTP2');

my $t = ArtifactTest->new;
my @spare = map { ArtifactTest->new } 1 .. 2;
my ($upstream, $client) = map { $_->port } @spare;
my $dir = $t->prefix;
my $ALL = 'text, vision, file';

my %content = (
    'a.png' => png(60, 60),
    'a.txt' => bytes("第一行 \"quoted\"\n" x 20_000),
    'a.pdf' => pdf() . "\0\1\2" x 300_000,
    'x.txt' => 'x',
    'e.txt' => '',
);
mkdir "$dir/html" or die "mkdir: $!";
spew("$dir/html/$_", $content{$_}) for keys %content;

# proxy_pass speaks HTTP/2 since 1.29.4

my ($minor, $patch) = $t->version =~ m{nginx/1\.(\d+)\.(\d+)};
my @where = ('g', 'small', $minor * 100 + $patch >= 2904 ? 'h2' : ());
my $http2 = @where > 2 ? 'proxy_http_version 2;' : '';

my $locations = <<"SERVER";
    location /disk/ {
        alias %%PREFIX%%/html/;
    }
    location /g/ {
        rewrite ^/g/(.*) /\$1 break;
        grpc_set_header Range "";
        grpc_set_header If-None-Match "";
        grpc_pass grpc://up;
    }
    location /small/ {
        rewrite ^/small/(.*) /\$1 break;
        grpc_buffer_size 1k;
        grpc_pass grpc://up;
    }
    location /h2/ {
        $http2
        proxy_pass http://up/;
    }
SERVER

$t->start(http => <<"HTTP", server => $locations);
    artifact_route on;
    types {
        text/plain       txt;
        image/png        png;
        application/pdf  pdf;
    }
    upstream up {
        server 127.0.0.1:$upstream;
        keepalive 2;
    }
    server {
        listen 127.0.0.1:$upstream http2;
        artifact_route off;
        http2_chunk_size 1k;
        root %%PREFIX%%/html;
        add_trailer X-Sum words;
        location /unsized/ {
            alias %%PREFIX%%/html/;
            ssi on;
            ssi_types *;
        }
    }
    server {
        listen 127.0.0.1:$client http2;
        $locations
    }
HTTP


sub without_id {
    my ($body) = @_;
    $body =~ s{"id":"[^"]*"}{"id":""};
    $body =~ s{\(artifact:[^)]*\)}{(artifact:)};
    return $body;
}


for my $where (@where) {
    for my $name (sort keys %content) {
        for my $caps ('text', $ALL) {
            my $want = without_id($t->accept($caps, "/disk/$name")->body);
            my $res = $t->accept($caps, "/$where/$name");
            is(route_problems($res), '', "$where, $name for $caps");
            ok(without_id($res->body) eq $want, 'as from the disk');

            $res = curl($dir, '--http2-prior-knowledge', '-H',
                        "X-LLM-Capabilities: $caps",
                        "http://127.0.0.1:$client/$where/$name");
            is("$res->{exit} $res->{status}", '0 200', 'by HTTP/2');
            ok(without_id($res->body) eq $want, 'the same');

            # nothing declares the length of what SSI has looked through

            (my $unsized = $want) =~ s/,"size":\d+//;
            $unsized =~ s/\\n大小: [^\\]*//;
            $res = $t->accept($caps, "/$where/unsized/$name");
            ok($res->{complete}, 'of unknown length');
            is(json_of($res)->{routing},
               eval { decode_strict($want)->{routing} }, 'routed alike');
            ok((data_of($res) // '') eq
               (json_of($res)->{routing} eq 'text' ? '' : $content{$name}),
               'with all of the content');
        }
        ok($t->get("/$where/$name")->body eq $content{$name}, 'raw');
    }
}

my $res = $t->accept($ALL, '/g/a.png');
my $tag = $res->header('ETag');
like($tag, qr/-[0-9a-f]{16}"\z/, 'the tag is the routed one');
is($t->accept($ALL, '/g/a.png', 'If-None-Match' => $tag)->status, 304,
   'not modified');
is($t->accept($ALL, '/g/a.png', Range => 'bytes=0-9')->status, 200,
   'no ranges');
is($t->accept($ALL, '/g/nope.png')->status, 404, 'a 404 passes');
is($t->head('/g/a.png', 'X-LLM-Capabilities' => $ALL)->status, 200, 'HEAD');

# The upstream's trailers come, where nginx passes them on at all.

for my $uri ('/g/a.png', '/g/a.pdf', '/g/unsized/a.txt', '/g/unsized/a.png') {
    my $trailer = sub {
        my @header = map { "-H '$_'" } @_;
        my $command = "curl -s --http2-prior-knowledge -v -o $dir/body "
            . "@header http://127.0.0.1:$client$uri 2>&1";
        my $trace = `$command`;
        return $trace =~ /^< x-sum: (\w+)/mi ? $1 : 'none';
    };
    my $want = $trailer->();
    is($want, 'words', "$uri: raw, trailers") if $uri =~ /unsized/;
    is($trailer->("X-LLM-Capabilities: $ALL"), $want, "$uri: trailers");
    my $routing = eval { decode_strict(slurp("$dir/body"))->{routing} };
    is($routing, $uri =~ /txt/ ? 'text' : $uri =~ /png/ ? 'image_url' : 'file',
       'behind a whole answer');
}

$t->finish;
