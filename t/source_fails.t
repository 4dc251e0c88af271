#!/usr/bin/perl

# A source that fails: the request is refused with 502, the log has the source and
# the reason, nothing is cut without a word, and the server goes on.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use ArtifactFixtures;
use ArtifactModules;
use ArtifactTest;
use ArtifactUpstream;

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $png = png(60, 60);
my $text = "some words\n" x 4000;

my $images = other_modules('image_filter');
my $lua = other_modules('ndk', 'lua');
mkdir "$dir/html" or die;
spew("$dir/html/text", $text);
spew("$dir/html/page.html", 'a <!--#include virtual="/up/text?cut=20000" --> b');
$t->file('html/wait.html',
         'a <!--#include virtual="/up/text?cut=9000" wait="yes" --> b');

my $up = ArtifactUpstream->new("$dir/up", contents => {
    text => { body => $text, type => 'text/plain' },
    png => { body => $png, type => 'image/png' },
});
my $model = ArtifactUpstream->echo("$dir/model");

my $to = "proxy_pass http://unix:$dir/up:";
my $more = '';
$more .= <<"CONF" if $images;
    location /image-text/ { image_filter resize 9 9; $to/; }
    location /image-cut/ { image_filter resize 9 9; $to/png?cut=400&x=; }
    location /image-large/ { image_filter resize 9 9; image_filter_buffer 1k;
                             $to/text; }
CONF
$more .= <<"CONF" if $lua;
    location /lua-added/ {
        header_filter_by_lua_block { ngx.header.content_length = nil }
        body_filter_by_lua_block { ngx.arg[1] = ngx.arg[1] }
        add_after_body /up/text;
        addition_types *;
        $to/;
    }
CONF

$t->start(first => ($images // '') . ($lua // ''),
          http => $lua ? lua_path() : '', server => <<"SERVER");
    artifact_route on;
    default_type text/plain;
    types { text/html html; }

    location /v1/ {
        artifact_route off;
        artifact_expand on;
        artifact_source /\$http_x_kind/;
        proxy_pass http://unix:$dir/model:;
    }
    location /up/ { proxy_pass http://unix:$dir/up:/; }
    location /status/ { proxy_pass http://unix:$dir/up:/text?status=500&x=; }
    location /partial/ { proxy_pass http://unix:$dir/up:/text?status=206&x=; }
    location /coded/ { proxy_pass http://unix:$dir/up:/text?header=Content-Encoding:gzip&x=; }
    location /not-gzip/ {
        gunzip on;
        proxy_pass http://unix:$dir/up:/text?header=Content-Encoding:gzip&x=;
    }
    location /cut/ { proxy_pass http://unix:$dir/up:/text?cut=20000&x=; }
    location /cut-early/ { proxy_pass http://unix:$dir/up:/text?cut=100&x=; }
    location /ssi/ { alias %%PREFIX%%/html/; ssi on; ssi_types *; }
    location /added/ {
        alias %%PREFIX%%/html/;
        add_before_body /up/text?cut=9000;
        addition_types *;
    }
    location /nobody/ { return 204; }
    $more
SERVER

sub ask {
    my ($kind, $id) = @_;
    return $t->req('POST', '/v1/chat/completions', timeout => 15,
        headers => ['Content-Type' => 'application/json', 'X-Kind' => $kind,
                    'X-LLM-Capabilities' => 'text, vision'],
        body => encode_json_bytes({ messages => [ { role => 'user', content =>
            [ { type => 'artifact', artifact => "artifact:$id" } ] } ] }));
}

for my $case (
    [status => 'text', qr/it did not answer with 200 \(status 500\)/],
    [partial => 'text', qr/it is not the whole content/],
    [coded => 'text', qr/its body is encoded/],
    ['not-gzip' => 'text', qr/a filter failed/],
    [cut => 'text', qr/it broke off/],
    ['cut-early' => 'text', qr/it did not answer with 200 \(status 502\)/],
    [ssi => 'page.html', qr/a subrequest of it broke off/],
    [ssi => 'wait.html', qr/a subrequest of it broke off/],
    [nobody => 'a', qr/it did not answer with 200 \(status 204\)/],
    $images ? (
        ['image-text' => 'text', qr/a filter failed \(status 415\)/],
        ['image-cut' => 'a', qr/it (?:broke off|did not answer)/],
        ['image-large' => 'a', qr/a filter failed \(status 415\)/],
    ) : (),
    $lua ? ['lua-added' => 'text', qr/a filter has not come to the end of it/]
         : ())
{
    my ($kind, $id, $why) = @$case;
    my $res = ask($kind, $id);
    is($res->status, 502, "$kind, $id: 502");
    like($res->body, qr/"source_failed"/, 'of the source');
    ok($t->wait_for(qr{source "/$kind/\Q$id\E\?" of an artifact failed: $why}),
       'the log tells which, and why');
    is(ask('up', 'text')->status, 200, 'the next one is answered');
}

$_->stop for $up, $model;
$t->finish;
