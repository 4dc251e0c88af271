#!/usr/bin/perl

# Vary is one line, whoever adds to it: routing, an upstream, "add_header",
# "gzip_vary".  nginx as a cache in front honours only the last of several
# lines before 1.23.0.  Other headers come once, too.

use strict;
use warnings;
use utf8;

use Compress::Zlib qw(memGunzip memGzip);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactCurl;
use ArtifactFixtures;
use ArtifactModules;
use ArtifactTest;
use ArtifactUpstream;

my $t = ArtifactTest->new;
my $spare = ArtifactTest->new;
my $http2 = $spare->port;
my $dir = $t->prefix;
my $brotli = other_modules('brotli_filter');
my $own = 'X-LLM-Service, X-LLM-Capabilities';

my $text = "some words\n" x 500;
$t->artifact('text', $text, { type => 'text/plain', name => 'a.txt' });
mkdir "$dir/html" or die "mkdir: $!";
spew("$dir/html/a.txt", $text);
spew("$dir/html/z.txt", $text);
spew("$dir/html/z.txt.gz", memGzip($text));
spew("$dir/html/gz.txt.gz", memGzip($text));

my $up = ArtifactUpstream->new("$dir/up", contents => {
    '*' => { body => $text, type => 'text/plain', headers => [
        'X-Content-Type-Options: nosniff', 'ETag: "one"',
        'Last-Modified: Mon, 02 Jan 2006 15:04:05 GMT',
        'Accept-Ranges: bytes' ] },
    page => { body => '<p>a page</p>', type => 'text/html', headers => [
        'X-Content-Type-Options: nosniff',
        'Content-Security-Policy: sandbox' ] },
    'other-page' => { body => '<p>a page</p>', type => 'text/html', headers => [
        "Content-Security-Policy: default-src 'self'" ] },
    away => { body => '', type => 'text/plain', headers => [
        'X-Accel-Redirect: /artifacts/text', 'ETag: "of another"',
        'Last-Modified: Mon, 02 Jan 2006 15:04:05 GMT', 'Vary: Origin',
        'Accept-Ranges: bytes', 'Cache-Control: max-age=9',
        'Content-Disposition: inline; filename="away.txt"' ] },
});

$t->start(first => $brotli, http => <<"HTTP", server => <<"SERVER");
    upstream up {
        server unix:%%PREFIX%%/up;
    }
    proxy_cache_path %%PREFIX%%/cache keys_zone=c:1m;
    proxy_cache_path %%PREFIX%%/front keys_zone=front:1m;
    server {
        listen unix:%%PREFIX%%/front.sock;
        location / {
            proxy_cache front;
            proxy_cache_valid 1m;
            proxy_cache_key \$uri;
            add_header X-Cache \$upstream_cache_status;
            proxy_pass http://127.0.0.1:%%PORT%%;
        }
    }
HTTP
    listen 127.0.0.1:$http2 http2;
    artifact_root %%DATA%%;
    artifact_route on;
    gzip on;
    gzip_min_length 1;
    gzip_http_version 1.0;
    gzip_types *;
    gzip_vary on;
    default_type text/plain;

    location /front/ {
        proxy_pass http://unix:%%PREFIX%%/front.sock:/;
        artifact_route off;
        gzip off;
    }
    location /artifacts/ {
        artifact;
    }
    location /off/ {
        artifact;
        artifact_route off;
    }
    location /quiet/ {
        artifact;
        gzip_vary off;
    }
    location /added/ {
        artifact;
        add_header Vary "Origin,\tCookie";
        add_header Vary accept-encoding;
    }
    location /empty/ {
        artifact;
        gzip off;
        add_header Vary Origin;
        add_header Vary \$arg_nothing;
    }
    location /star/ {
        artifact;
        add_header Vary Origin;
        add_header Vary "Cookie, *";
    }
    location /brotli/ {
        artifact;
        @{[ $brotli ? 'brotli on; brotli_types *; brotli_min_length 1;' : '' ]}
    }
    location /file/ {
        alias %%PREFIX%%/html/;
    }
    location /static/ {
        alias %%PREFIX%%/html/;
        gzip_static on;
    }
    location /gunzip/ {
        alias %%PREFIX%%/html/;
        gzip off;
        gzip_static always;
        gunzip on;
    }
    location /up/ {
        proxy_pass http://up/;
    }
    location /cached/ {
        proxy_cache c;
        proxy_cache_valid 1m;
        proxy_cache_key \$uri;
        add_header X-Cache \$upstream_cache_status;
        proxy_pass http://up/;
    }
    location /decoded/ {
        artifact_decode on;
        proxy_pass http://up/\$artifact_id;
    }
SERVER

my @gzip = ('Accept-Encoding' => 'gzip');
my @reads = ('X-LLM-Capabilities' => 'text');

sub vary_is {
    my ($res, $want, $name) = @_;
    is(join(' + ', @{ $res->{headers}{vary} || [] }), $want, $name);
}

# raw and routed, with gzip and without it

my %vary = (
    'artifacts/text' => "$own, Accept-Encoding",
    'off/text' => 'Accept-Encoding',
    'quiet/text' => $own,
    'added/text' => "$own, Origin,\tCookie, accept-encoding",
    'empty/text' => "$own, Origin",
    'star/text' => '*',
    'brotli/text' => "$own, Accept-Encoding",
    'file/a.txt' => "$own, Accept-Encoding",
    'up/a?header=Vary:Origin' => "Origin, $own, Accept-Encoding",
    'up/a?header=Vary:Origin&header=Vary:Accept-Encoding'
        => "Origin, $own, Accept-Encoding",
    'up/a?header=Vary:Origin&header=Vary:X-LLM-Service&header=Vary:Cookie'
        => 'Origin, X-LLM-Capabilities, Accept-Encoding, X-LLM-Service, Cookie',
    'up/a?header=Vary:Origin&header=Vary:*' => '*',
    'up/a?header=Vary:*&header=Vary:Origin' => '*',
    'up/a?header=Vary:*' => '*',
    'up/a?header=Vary:&header=Vary:Origin' => "Origin, $own, Accept-Encoding",
    'up/a?header=Vary:Origin,%09Accept-Encoding'
        => "Origin,\tAccept-Encoding, $own",
);

for my $uri (sort keys %vary) {
    for my $encoding ('identity', 'gzip', $brotli ? 'br' : ()) {
        for my $headers ([], \@reads) {
            my $res = $t->get("/$uri", 'Accept-Encoding' => $encoding,
                              @$headers);
            vary_is($res, $vary{$uri},
                    "$uri, $encoding, " . (@$headers ? 'routed' : 'raw'));
        }
    }
    vary_is($t->get("/$uri", @gzip, 'If-None-Match' => '*'),
            $vary{$uri} =~ s/, Accept-Encoding$//r, "$uri, 304")
        if $uri =~ /^(?:artifacts|file|quiet)/;
    vary_is($t->head("/$uri", @gzip), $vary{$uri}, "$uri, HEAD");
}

for my $uri ('/static/z.txt', '/gunzip/gz.txt') {
    for my $encoding ('identity', 'gzip') {
        vary_is($t->get($uri, 'Accept-Encoding' => $encoding),
                "$own, Accept-Encoding", "$uri, $encoding");
    }
}

SKIP: {
    skip 'no HTTP/2 in curl' unless curl_features('HTTP2');
    for my $uri ('artifacts/text', 'star/text', 'added/text', 'off/text') {
        my $res = curl($dir, '--http2-prior-knowledge', '-H',
                       'Accept-Encoding: gzip',
                       "http://127.0.0.1:$http2/$uri");
        vary_is($res, $vary{$uri}, "$uri, HTTP/2");
    }
}

# a cache in front: each gets what it asked for

for my $uri ('/artifacts/text', '/file/a.txt', '/added/text') {
    my @got;
    for my $headers (\@gzip, [], [@reads], [@gzip, @reads], \@gzip, [],
                     [@reads], [@gzip, @reads])
    {
        my $res = $t->get("/front$uri", @$headers);
        my $body = $res->body;
        my $zip = ($res->header('Content-Encoding') // '') eq 'gzip';
        $body = memGunzip($body) if $zip;
        push @got, join ' ', $res->header('X-Cache'), $zip ? 'gzip' : 'plain',
            $body eq $text ? 'raw'
                : $body =~ /^\{"contentType":"text"/ ? 'routed' : 'odd';
    }
    is_deeply(\@got, [map { my $state = $_; map { "$state $_" } 'gzip raw',
        'plain raw', 'plain routed', 'gzip routed' } 'MISS', 'HIT'],
        "$uri in a cache in front");
}
is($t->get('/front/star/text')->header('X-Cache'), 'MISS', '"*" is not kept')
    for 1 .. 2;

# a cache in the routed location itself: what the upstream sent counts

$up->requests;
for my $try (['fr', [], 'MISS'], ['fr', \@reads, 'HIT'], ['de', [], 'MISS'],
             ['de', \@reads, 'HIT'], ['fr', \@gzip, 'HIT'])
{
    my ($language, $headers, $want) = @$try;
    my $res = $t->get('/cached/a?header=Vary:Accept-Language',
                      'Accept-Language' => $language, @$headers);
    is($res->header('X-Cache'), $want, "$language, @$headers: $want");
    vary_is($res, "Accept-Language, $own, Accept-Encoding", 'one line');
}
is(scalar(() = $up->requests), 2, 'asked once for each language');

# all others, once

sub once {
    my ($res, $name) = @_;
    is(join(', ', grep { @{ $res->{headers}{$_} } > 1 }
            sort keys %{ $res->{headers} }), '', "$name: no header comes twice");
}

for my $headers ([], \@reads, \@gzip) {
    once($t->get($_, @$headers), "$_ @$headers")
        for qw(/artifacts/text /decoded/text /decoded/page /up/page
               /up/away /decoded/away);
}

my $res = $t->get('/decoded/page');
is($res->header('X-Content-Type-Options'), 'nosniff', 'nosniff is there');
is($res->header('Content-Security-Policy'), 'sandbox', 'and sandbox');
$res = $t->get('/decoded/other-page');
is(join(' + ', @{ $res->{headers}{'content-security-policy'} }),
   "default-src 'self' + sandbox", 'another policy stays beside ours');

$t->finish;
