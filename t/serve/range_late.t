#!/usr/bin/perl

# The service may be known only after the access phase: a range is none of a
# routed answer's even then, also behind slice.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;

my $t = ArtifactTest->new;
my $text = join '', map { "line $_\n" } 1 .. 3000;

mkdir $t->prefix . '/html' or die "mkdir: $!";
spew($t->prefix . '/html/long.txt', $text);
$t->artifact('png', png(9, 9), { type => 'image/png' });
$t->file('map.json', { services => [
    { id => 'sees', capabilities => { input => ['text', 'vision'] } },
    { id => 'reads', capabilities => { input => ['text'] } } ] });

$t->start(http => <<'HTTP', server => <<'SERVER');
    artifact_capabilities %%PREFIX%%/map.json;
    proxy_cache_path %%PREFIX%%/cache keys_zone=c:1m;
HTTP
    artifact_root %%DATA%%;
    artifact_route on;

    location = /auth {
        internal;
        artifact_route off;
        add_header X-Service $http_x_wanted;
        return 204;
    }

    location /s/ {
        auth_request /auth;
        auth_request_set $service $upstream_http_x_service;
        set $service $http_x_wanted;
        artifact_service $service;
        slice 4k;
        proxy_cache c;
        proxy_cache_key $uri$slice_range;
        proxy_cache_valid 200 206 1h;
        proxy_set_header Range $slice_range;
        proxy_pass http://127.0.0.1:%%PORT%%/raw/;
    }

    location /late/ {
        auth_request /auth-up;
        auth_request_set $service $upstream_http_x_service;
        artifact_service $service;
        slice 4k;
        proxy_cache c;
        proxy_cache_key $uri$slice_range;
        proxy_cache_valid 200 206 1h;
        proxy_set_header Range $slice_range;
        proxy_pass http://127.0.0.1:%%PORT%%/raw/;
    }

    location = /auth-up {
        internal;
        artifact_route off;
        proxy_pass http://127.0.0.1:%%PORT%%/answer;
    }

    location = /answer {
        artifact_route off;
        add_header X-Service reads;
        return 204;
    }

    location /set/ {
        set $service reads;
        artifact_service $service;
        set $early $artifact_service;
        set $service sees;
        artifact;
    }

    location /raw/ {
        artifact_route off;
        alias %%PREFIX%%/html/;
    }
SERVER

for my $range ('bytes=20000-', 'bytes=0-10', 'bytes=1000000-') {
    my $res = $t->get('/late/long.txt', Range => $range);
    is($res->status, 200, "$range of a routed answer");
    is(json_of($res)->{content}, $text, 'is the whole of it');
}

my $res = $t->get('/s/long.txt', Range => 'bytes=20000-20009');
is($res->status, 206, 'a raw answer has ranges');
is($res->body, substr($text, 20000, 10), 'of its own bytes');

is(json_of($t->get('/set/png'))->{routing}, 'image_url',
   'a service that changed after it was looked at');

$t->finish;
