#!/usr/bin/perl

# Routed and raw answers over HTTP/2, in the clear and over TLS.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactCurl;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;

plan(skip_all => 'curl has no HTTP2') unless curl_features('HTTP2');

my $t = ArtifactTest->new;
my @spare = map { ArtifactTest->new } 1 .. 2;
my ($clear, $secure) = map { $_->port } @spare;
my $dir = $t->prefix;
my ($key, $cert) = certificate($dir);

my %content = (
    png => [png(60, 60), 'image/png'],
    text => [bytes("第一行 \"quoted\"\n" x 20_000), 'text/plain'],
    pdf => [pdf() . "\0\1\2\xff" x 500_000, 'application/pdf'],
    short => ['x', 'text/plain'],
    empty => ['', 'text/plain'],
);
$t->artifact($_, $content{$_}[0], { type => $content{$_}[1] })
    for keys %content;
my $up = ArtifactUpstream->new("$dir/up.sock", contents => {
    map { $_ => { body => $content{$_}[0], type => $content{$_}[1],
                  headers => ['ETag: "one"'] } } keys %content,
});

my $locations = <<'SERVER';
    access_log %%PREFIX%%/access.log ids;
    location /artifacts/ {
        artifact;
    }
    location /p/ {
        proxy_pass http://up/;
    }
    location /unbuffered/ {
        proxy_buffering off;
        proxy_pass http://up/;
    }
    location /tiny/ {
        output_buffers 1 512;
        postpone_output 0;
        http2_chunk_size 300;
        proxy_pass http://up/;
    }
    location /rate/ {
        artifact;
        limit_rate 8m;
    }
    location /decode/ {
        artifact_decode on;
        proxy_pass http://up/$artifact_id;
    }
    location /gzip/ {
        artifact;
        gzip on;
        gzip_types application/json;
    }
SERVER
$t->start(http => <<"HTTP", server => $locations);
    artifact_root %%DATA%%;
    artifact_route on;
    upstream up {
        server unix:%%PREFIX%%/up.sock;
    }
    log_format ids '\$connection \$server_protocol \$request_uri \$status';
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

my $ALL = 'X-LLM-Capabilities: text, vision, file';
my @clear = ('--http2-prior-knowledge', "http://127.0.0.1:$clear");
my @secure = ('--http2', '-k', "https://127.0.0.1:$secure");

sub ask {
    my ($by, $uri, @args) = @_;
    my ($option, @rest) = @$by;
    my $base = pop @rest;
    return curl($dir, $option, @rest, @args, "$base$uri");
}

my %want;
for my $where ('artifacts', 'p', 'decode') {
    $want{"$where/$_"} = $t->accept('text, vision, file', "/$where/$_")->body
        for keys %content;
}

for my $by (\@clear, \@secure) {
    my $name = $by == \@clear ? 'clear' : 'tls';

    for my $mode (qw(artifacts p decode unbuffered tiny rate gzip)) {
        my @wrong;
        for my $id (sort keys %content) {
            my $res = ask($by, "/$mode/$id", '-H', $ALL);
            (my $body = $res->body) =~ s{(unbuffered|tiny)/}{p/}g;
            my $where = $mode =~ /artifacts|rate|gzip/ ? 'artifacts'
                : $mode eq 'decode' ? 'decode' : 'p';
            push @wrong, "$id: $res->{exit} $res->{status}"
                if $res->{exit} || $res->{status} != 200
                || ($res->{version} // '') ne '2';
            push @wrong, "$id differs" if $body ne $want{"$where/$id"};
            push @wrong, "$id: length" if ($res->header('Content-Length')
                // length $res->body) != length $res->body;
        }
        is(join('; ', @wrong), '', "$name: $mode");
    }

    my $res = ask($by, '/gzip/pdf', '-H', $ALL, '--compressed');
    ok($res->body eq $want{'artifacts/pdf'}, "$name: gzip, unpacked");
    is($res->header('Content-Encoding'), 'gzip', 'it was packed');

    for my $uri ('/artifacts/png', '/p/png', '/decode/text') {
        my $res = ask($by, $uri, '-H', $ALL);
        my $etag = $res->header('ETag');
        my $not = ask($by, $uri, '-H', $ALL, '-H', "If-None-Match: $etag");
        is("$not->{exit} $not->{status} $not->{body}", '0 304 ',
           "$name: $uri, If-None-Match");
        $not = ask($by, $uri, '-H', $ALL, '-H', 'If-Match: "x"');
        is("$not->{status}", '412', 'If-Match');
        my $head = ask($by, $uri, '-H', $ALL, '-I');
        is("$head->{exit} $head->{status}", '0 200', 'HEAD');
        is($head->header('Content-Type'), 'application/json', 'its type');
    }
    ok(ask($by, '/artifacts/pdf')->body eq $content{pdf}[0], "$name: raw");
    is(ask($by, '/artifacts/pdf', '-r', '5-9')->body,
       substr($content{pdf}[0], 5, 5), "$name: a raw range");
    error_is(ask($by, '/artifacts/nope', '-H', $ALL), 404,
             'artifact_not_found', 'nope', "$name: an error");
    error_is(ask($by, '/decode/nope', '-H', $ALL), 404,
             'artifact_not_found', 'nope', "$name: one of an upstream");
    error_is(ask($by, '/p/png?header=Content-Encoding:x', '-H', $ALL), 502,
             'upstream_encoded', undef, "$name: an encoded body");

    # broken off: the stream is reset, the connection is not

    for my $args ('cut=5000', 'cut=100', 'cut=-1', 'frame=chunked&nolast=1',
                  'frame=chunked&cut=5000')
    {
        my @results = curl_all($dir, map {
            my ($option, @rest) = @$by;
            my $base = pop @rest;
            [$option, @rest, '-H', $ALL, "$base$_"]
        } "/p/png?$args");
        ok($results[0]{exit} || $results[0]{status} >= 500,
           "$name: an upstream broken by $args");
    }

    # several streams of one connection

    my @uris = map { my $m = $_; map { "/$m/$_" } qw(png text pdf short) }
        qw(artifacts p);
    my ($option, @rest) = @$by;
    my $base = pop @rest;
    my @results = curl_all($dir, map {
        [$option, @rest, '-H', $ALL, "$base$_?$name="]
    } @uris);
    my @wrong = grep { $results[$_]->body ne $want{substr $uris[$_], 1} }
        0 .. $#uris;
    is(join(' ', @uris[@wrong]), '', "$name: several at once");
}

# a stream window that stays shut, while others go on

my ($slow, @fast) = curl_all($dir,
    ['--http2-prior-knowledge', '--limit-rate', '4M', '-H', $ALL,
     "$clear[1]/p/pdf"],
    map { ['--http2-prior-knowledge', '-H', $ALL, "$clear[1]$_"] }
        '/p/png', '/artifacts/text', '/unbuffered/pdf');
ok($slow->body eq $want{'p/pdf'}, 'a slow stream');
ok($fast[0]->body eq $want{'p/png'} && $fast[1]->body
   eq $want{'artifacts/text'}, 'and its neighbours');

# readers that give up

for my $uri ('/p/pdf', '/artifacts/pdf', '/unbuffered/pdf') {
    my $res = curl($dir, '--http2-prior-knowledge', '-H', $ALL,
                   '--max-filesize', 1000, '-m', '0.05', '--limit-rate', '1M',
                   "$clear[1]$uri");
    isnt($res->{exit}, 0, "a reader that gives up $uri");
}
ok(ask(\@clear, '/p/pdf', '-H', $ALL)->body eq $want{'p/pdf'},
   'does no harm');

my %connection = map { $_ => 1 }
    slurp("$dir/access.log") =~ m{^(\d+) HTTP/2\.0 /\w+/\w+\?tls}mg;
is(scalar keys %connection, 1, 'the streams had one connection');
like(slurp("$dir/access.log"), qr{HTTP/2\.0 /p/pdf 200}, 'it was HTTP/2');

$up->stop;
$t->finish;
