#!/usr/bin/perl

# Directives of nginx beside artifact_route in one location: ranges forced
# upon a response, random files, answers of the rewrite phase, WebDAV, mirrors,
# error pages, headers, "if".

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;
use Time::HiRes qw(sleep);

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $png = png(80, 80);
my $text = "some \"words\" of text\n" x 3000;
my %content = (png => [$png, 'image/png'], text => [$text, 'text/plain'],
               short => ['x', 'text/plain']);

mkdir "$dir/$_" or die "mkdir: $!" for qw(html html/one put);
spew("$dir/html/one/only.png", $png);
spew("$dir/html/sorry.txt", 'sorry');
$t->artifact($_, $content{$_}[0], { type => $content{$_}[1] })
    for keys %content;
my $up = ArtifactUpstream->new("$dir/up.sock", contents => {
    map { $_ => { body => $content{$_}[0], type => $content{$_}[1],
                  headers => ['ETag: "one"'] } } keys %content });
my $copy = ArtifactUpstream->new("$dir/copy.sock", contents => {
    '*' => { body => 'dropped', type => 'text/plain' } });

$t->start(http => <<'HTTP', server => <<'SERVER');
    upstream up {
        server unix:%%PREFIX%%/up.sock;
    }
    upstream copy {
        server unix:%%PREFIX%%/copy.sock;
    }
    artifact_root %%DATA%%;
    root %%PREFIX%%/html;
    types {
        text/plain  txt;
        image/png   png;
    }
HTTP
    artifact_route on;

    location /p/ {
        proxy_pass http://up/;
    }
    location /forced/ {
        proxy_force_ranges on;
        proxy_pass http://up/;
    }
    location /forced-trusting/ {
        artifact_verify off;
        proxy_force_ranges on;
        max_ranges 5;
        proxy_pass http://up/;
    }
    location /random/ {
        alias %%PREFIX%%/html/one/;
        random_index on;
    }
    location = /json {
        default_type application/json;
        return 200 '{"a":1}';
    }
    location = /none {
        return 204;
    }
    location = /empty {
        return 200;
    }
    location = /teapot {
        return 418 "words";
    }
    location = /elsewhere {
        return 302 /p/png;
    }
    location = /gif {
        empty_gif;
        expires 1h;
    }
    location /put/ {
        root %%PREFIX%%;
        dav_methods PUT DELETE MKCOL;
    }
    location /mirrored/ {
        mirror /copy;
        proxy_pass http://up/;
    }
    location /mirrored-disk/ {
        mirror /copy;
        mirror_request_body off;
        artifact;
    }
    location = /copy {
        internal;
        artifact_route always;
        proxy_pass http://copy$request_uri;
    }
    location /sorry/ {
        error_page 404 /sorry.txt;
        error_page 403 =200 /sorry.txt;
        artifact;
        location /sorry/secret {
            deny all;
        }
    }
    location = /sorry.txt {
    }
    location /try/ {
        try_files /nothing @routed;
    }
    location @routed {
        rewrite ^/try/(.*) /$1 break;
        artifact_route always;
        proxy_pass http://up;
    }
    location /headers/ {
        add_header X-Seen $artifact_routing;
        add_header Content-Disposition inline;
        add_header Vary X-Own;
        expires 1h;
        etag off;
        proxy_hide_header ETag;
        proxy_pass http://up/;
    }
    location /if/ {
        artifact_format $arg_format;
        artifact_language en;
        proxy_pass http://up/;
        if ($arg_format) {
            add_header X-If yes;
        }
        if ($arg_return) {
            return 200 "returned";
        }
    }
    location /old/ {
        artifact;
        if_modified_since before;
        max_ranges 0;
    }
    location /rated/ {
        set $limit_rate 2m;
        proxy_pass http://up/;
    }
    location /guarded/ {
        satisfy any;
        deny all;
        auth_request /auth;
        proxy_pass http://up/;
    }
    location = /auth {
        internal;
        artifact_route always;
        proxy_pass http://up/short;
    }
    location /raw/ {
        artifact_route off;
        proxy_pass http://up/;
    }
SERVER

my $ALL = 'text, vision, file';

# ranges that nginx is told to make of anything

for my $where ('forced', 'forced-trusting') {
    for my $range ('bytes=0-9', 'bytes=5-', 'bytes=-3', 'bytes=0-1,4-5',
                   'bytes=9999999-')
    {
        my $res = $t->accept($ALL, "/$where/png", Range => $range);
        is(route_problems($res), '', "$where: $range, routed");
        ok((data_of($res) // '') eq $png, 'is the whole');
        is($res->header('Accept-Ranges'), undef, 'and says so');
    }
    my $res = $t->get("/$where/png", Range => 'bytes=5-9');
    is($res->status . $res->body, '206' . substr($png, 5, 5),
       "$where: raw, a part");
}

# what other handlers say

my $res = $t->accept($ALL, '/random/');
is(routing_of($res), 'image image_url image/png', 'random_index');
ok(data_of($res) eq $png, 'whole');
is(routing_of($t->accept('text', '/json')), 'text text application/json',
   'return of JSON');
is(json_of($t->accept('text', '/json'))->{content}, '{"a":1}',
   'is a content, too');
is($t->accept('text', '/json', Range => 'bytes=0-1')->status, 200,
   'without ranges');
is($t->accept('text', '/none')->status, 204, 'return 204');
is(routing_of($t->accept('text', '/empty')) =~ s/ \S+\/\S+$//r, 'text text',
   'return 200 of nothing');
$res = $t->accept('text', '/teapot');
is($res->status . $res->body, '418words', 'another status passes');
is($t->accept('text', '/elsewhere')->status, 302, 'so does a redirect');
is(routing_of($t->accept('text', '/gif')),
   'image text image/gif capability', 'empty_gif, described');
like($t->accept('vision', '/gif')->header('Cache-Control'), qr/max-age=3600/,
     'with expires');

# WebDAV

my @READER = ('X-LLM-Capabilities' => $ALL);
is($t->req('PUT', '/put/a.png', body => $png, headers => [@READER])->status,
   201, 'PUT, a new file');
is($t->req('PUT', '/put/a.png', body => $png, headers => [@READER])->status,
   204, 'again');
ok(data_of($t->accept($ALL, '/put/a.png')) eq $png, 'which is routed');
is($t->req('PUT', '/put/folder/', body => 'abc', headers => [@READER])->status,
   409, 'its errors pass');
is($t->req('DELETE', '/put/a.png', headers => [@READER])->status, 204,
   'DELETE');

# mirrors

for my $size (0, 10, 70_000) {
    my $res = $t->req('POST', "/mirrored/png?$size", body => 'b' x $size,
                      headers => [@READER]);
    ok(data_of($res) eq $png, "a mirrored request with $size bytes");
}
ok(data_of($t->accept($ALL, '/mirrored-disk/png')) eq $png,
   'one from the disk');
my $mirrored = 0;
for (1 .. 100) {
    $mirrored += grep { /mirrored/ } $copy->requests;
    last if $mirrored == 4;
    sleep 0.05;
}
is($mirrored, 4, 'the mirror got them');

# error pages: their own status is no content, a 200 is one

$res = $t->accept($ALL, '/sorry/nope');
is($res->status . $res->body, '404sorry', 'a page for an error');
is(json_of($t->accept($ALL, '/sorry/secret'))->{content}, 'sorry',
   'a page in place of an error');

# names, headers, conditions

is(routing_of($t->get('/try/png')), 'image text image/png capability',
   'try_files to a routed named location');
$res = $t->accept($ALL, '/headers/png');
is(route_problems($res), '', 'added headers');
is($res->header('X-Seen'), 'image_url', 'know the routing');
is($res->header('Content-Disposition'), 'inline', 'are kept');
like($res->header('Vary'), qr/X-LLM-Service.*X-Own|X-Own.*X-LLM-Service/,
     'Vary has both');
is($t->accept('text', '/headers/png')->header('X-Seen'), 'text',
   'know a description');

for my $args ('', '?format=object') {
    my $res = $t->accept($ALL, "/if/png$args");
    is($res->header('X-If') // 'no', $args ? 'yes' : 'no', "\"if\"$args");
    my $data = json_of($res);
    is($data->{routing} // $data->{mimeType},
       $args ? 'image/png' : 'image_url', 'with what its location says');
}
like(json_of($t->accept('text', '/if/png'))->{content}, qr/Unreadable/,
     'all of it');
is(json_of($t->accept($ALL, '/if/png?return=1'))->{content}, 'returned',
   'an "if" that returns');

is($t->accept($ALL, '/old/png', 'If-Modified-Since' =>
              'Fri, 01 Jan 2100 00:00:00 GMT')->status, 304,
   'if_modified_since before');
ok($t->get('/old/png', Range => 'bytes=0-1')->body eq $png, 'max_ranges 0');

ok(data_of($t->accept($ALL, '/rated/png')) eq $png, '$limit_rate');
ok(data_of($t->accept($ALL, '/guarded/png')) eq $png,
   'auth_request to a routed location');
is($t->accept($ALL, '/guarded/png?status=404')->status, 404, 'and a 404');

$_->stop for $up, $copy;
$t->finish;
