#!/usr/bin/perl

# A source that fails: the request is refused with 502, the log has the source and
# the reason, nothing is cut without a word, and the server goes on.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
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
my $js = other_modules('js');
mkdir "$dir/html" or die;
spew("$dir/html/text", $text);
spew("$dir/html/words", 'other words');
spew("$dir/html/page.html", 'a <!--#include virtual="/up/text?cut=20000" --> b');
$t->file('html/wait.html',
         'a <!--#include virtual="/up/text?cut=9000" wait="yes" --> b');

my $up = ArtifactUpstream->new("$dir/up", contents => {
    text => { body => $text, type => 'text/plain' },
    png => { body => $png, type => 'image/png' },
    ssi => { body => '<!--#set var="a" value="b" --><!--#echo var="a" -->',
             type => 'text/plain' },
});
my $model = ArtifactUpstream->echo("$dir/model");

my $to = "proxy_pass http://unix:$dir/up:";
my $more = '';
$more .= <<"CONF" if $images;
    location /image-text/ { image_filter resize 9 9; $to/; }
    location /image-cut/ { image_filter resize 9 9; $to/png?cut=400&x=; }
    location /image-page/ { image_filter resize 9 9; error_page 415 = /html/words;
                            alias %%PREFIX%%/html/; }
    location /image-named/ { image_filter resize 9 9; error_page 415 = \@named;
                             alias %%PREFIX%%/html/; }
    location /image-proxy/ { image_filter resize 9 9; error_page 415 = /up/text;
                             $to/; }
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

$more .= <<"CONF" if $js;
    location /js-end/ {
        js_header_filter a.header;
        js_body_filter a.end;
        add_after_body /up/text;
        addition_types *;
        alias %%PREFIX%%/html/;
    }
    location /js-ask/ { js_header_filter a.ask; alias %%PREFIX%%/html/; }
CONF
$t->file('a.js', <<'JS');
function header(r) { delete r.headersOut['Content-Length']; }
function end(r, data, flags) { r.sendBuffer('end', {last: true}); r.done(); }
function ask(r) { r.subrequest('/up/text', { args: 'seen=1', detached: true }); }
export default { header, end, ask };
JS

$t->start(first => ($images // '') . ($lua // '') . ($js // ''),
          http => ($lua ? lua_path() : '')
              . ($js ? 'js_path %%PREFIX%%; js_import a from a.js;' : ''),
          server => <<"SERVER");
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
    location /html/ { alias %%PREFIX%%/html/; }
    location \@named { rewrite ^ /text break; $to; }
    location /ssi-status/ {
        ssi on;
        ssi_types *;
        proxy_pass http://unix:$dir/up:/ssi?status=500&x=;
    }
    location /ssi-page/ {
        ssi on;
        ssi_types *;
        error_page 502 = /ssi-other/page;
        proxy_pass http://unix:$dir/up:/ssi?cut=40&x=;
    }
    location /ssi-other/ {
        ssi on;
        ssi_types *;
        default_type text/plain;
        return 200 'a page <!--#echo var="a" default="none" -->';
    }
    location /nobody/ { return 204; }
    $more
SERVER

sub ask {
    my ($kind, $id, $words, $http) = @_;
    return ($http // $t->connect)->request('POST', '/v1/chat/completions',
        timeout => 15, keep => $http ? 1 : 0,
        headers => ['Content-Type' => 'application/json', 'X-Kind' => $kind,
                    'X-LLM-Capabilities' => 'text, vision'],
        body => encode_json_bytes({ messages => [ { role => 'user', content =>
            [ { type => 'artifact', artifact => "artifact:$id" },
              { type => 'text', text => $words // '' } ] } ] }));
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
    ['ssi-status' => 'a', qr/it did not answer with 200 \(status 500\)/],
    [nobody => 'a', qr/it did not answer with 200 \(status 204\)/],
    $images ? (
        ['image-text' => 'text', qr/a filter failed \(status 415\)/],
        ['image-cut' => 'a', qr/it (?:broke off|did not answer)/],
        (map { [$_ => 'text', qr/a filter failed \(status 415\)/] }
         qw(image-page image-named image-proxy)),
        ['image-large' => 'a', qr/a filter failed \(status 415\)/],
    ) : (),
    $lua ? ['lua-added' => 'text', qr/a filter has not come to the end of it/]
         : ())
{
    my ($kind, $id, $why) = @$case;
    my $http = $t->connect;
    my $res = ask($kind, $id, '', $http);
    is($res->status, 502, "$kind, $id: 502");
    like($res->body, qr/"source_failed"/, 'of the source');
    ok($t->wait_for(qr{source "/$kind/\Q$id\E" of an artifact failed: $why}),
       'the log tells which, and why');
    is(ask('up', 'text', '', $http)->status, 200,
       'the next one of its connection is answered');
}

# A page takes the place of a source that has begun: the filter that had both does
# not work on the answer of the model.

my $words = '<!--#echo var="a" default="none" -->';
my $res = ask('ssi-page', 'a', $words);
is($res->status, 200, 'the page of a source that broke off');
my $parts = decode_strict($res->body)->{messages}[0]{content};
like($parts->[0]{text}, qr/^a page (?!<)/, 'is what the model gets');
is($parts->[1]{text}, $words, 'what the model says is as it was');

if ($js) {
    ok(ask('js-end', 'text')->status, 'a filter that ends a file early');
    is(ask('js-ask', 'text')->status, 200, 'a header filter that asks');

    my $asked = 0;
    for (1 .. 100) {
        last if $asked ||= grep { /seen=1/ } $up->requests;
        select undef, undef, undef, 0.05;
    }
    ok($asked, 'has its subrequest run');
}

$_->stop for $up, $model;
$t->finish;
