#!/usr/bin/perl

# Lua, JavaScript and headers-more in routed locations, loaded before this
# module and after it: handlers, header and body filters, subrequests.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactModules;
use ArtifactTest;
use ArtifactUpstream;

my $others = other_modules(qw(ndk lua js headers_more_filter));
plan(skip_all => 'no lua, js and headers_more modules') unless $others;

# LeakSanitizer cannot look at a process that LuaJIT has been in

$ENV{ASAN_OPTIONS} .= ':detect_leaks=0'
    if ArtifactTest->version =~ /fsanitize/ && $ENV{ASAN_OPTIONS};

my $png = png(80, 60);
my $text = "some \"words\" of text\n" x 3000;
my %content = (png => [$png, 'image/png'], text => [$text, 'text/plain'],
               short => ['x', 'text/plain']);
my $ALL = 'text, vision, file';

for my $order ('first', 'main') {
    my $t = ArtifactTest->new;
    $t->artifact($_, $content{$_}[0], { type => $content{$_}[1] })
        for keys %content;
    my $up = ArtifactUpstream->new($t->prefix . '/up.sock', contents => {
        map { $_ => { body => $content{$_}[0], type => $content{$_}[1],
                      headers => ['ETag: "one"'] } } keys %content });
    $t->file('a.js', <<'JS');
function content(r) {
    r.headersOut['Content-Type'] = 'text/markdown';
    r.status = 200;
    r.sendHeader();
    r.send('# made');
    r.send(' by JavaScript');
    r.finish();
}
function header(r) {
    r.headersOut['X-JS'] = 'yes';
    delete r.headersOut['Content-Length'];
}
function upper(r, data, flags) {
    r.sendBuffer(data.toUpperCase(), flags);
}
function parts(r) {
    r.subrequest('/artifacts/short', function (reply) {
        r.return(200, '[' + reply.responseText + ']');
    });
}
export default { content, header, upper, parts };
JS

    $t->start($order => $others, http => lua_path() . <<'HTTP',
    upstream up {
        server unix:%%PREFIX%%/up.sock;
    }
    artifact_root %%DATA%%;
    js_path %%PREFIX%%;
    js_import a from a.js;
    lua_shared_dict seen 64k;
HTTP
        server => <<'SERVER');
    artifact_route on;

    location /artifacts/ {
        artifact;
    }
    location /p/ {
        proxy_pass http://up/;
    }
    location = /lua {
        default_type text/plain;
        content_by_lua_block {
            ngx.say("said")
            ngx.flush(true)
            ngx.sleep(0.05)
            ngx.print("by Lua")
        }
    }
    location = /lua-png {
        content_by_lua_block {
            local res = ngx.location.capture("/artifacts/png")
            ngx.header["Content-Type"] = "image/png"
            ngx.print(res.body)
        }
    }
    location = /lua-exec {
        content_by_lua_block {
            ngx.exec("/artifacts/png")
        }
    }
    location = /lua-exit {
        content_by_lua_block {
            ngx.exit(403)
        }
    }
    location /lua-access/ {
        set $reader "";
        access_by_lua_block {
            ngx.var.reader = "vision"
        }
        artifact_accept $reader;
        artifact;
    }
    location /lua-filter/ {
        header_filter_by_lua_block {
            ngx.header["X-Lua"] = "yes"
            ngx.header.content_length = nil
        }
        body_filter_by_lua_block {
            ngx.arg[1] = string.upper(ngx.arg[1])
        }
        proxy_pass http://up/;
    }
    location /lua-whole/ {
        header_filter_by_lua_block {
            ngx.header.content_length = nil
        }
        body_filter_by_lua_block {
            local body = (ngx.ctx.body or "") .. ngx.arg[1]
            ngx.ctx.body = body
            ngx.arg[1] = nil
            if ngx.arg[2] then
                ngx.arg[1] = string.gsub(body, "words", "WORDS")
            end
        }
        artifact;
    }
    location /lua-type/ {
        header_filter_by_lua_block {
            ngx.header.content_type = "text/html"
        }
        artifact;
    }
    location = /js {
        js_content a.content;
    }
    location = /js-parts {
        js_content a.parts;
    }
    location /js-filter/ {
        js_header_filter a.header;
        js_body_filter a.upper;
        proxy_pass http://up/;
    }
    location /more/ {
        more_set_headers "X-More: yes";
        more_set_headers "Content-Type: application/json; charset=utf-8";
        artifact;
    }
    location /more-status/ {
        more_set_headers -s 200 "Cache-Control: private";
        more_clear_headers ETag Last-Modified;
        proxy_pass http://up/;
    }
    location /more-in/ {
        more_set_input_headers "X-LLM-Capabilities: vision";
        artifact;
    }
SERVER

    # content handlers

    is(routing_of($t->accept('text', '/lua')), 'text text text/plain',
       "$order: content_by_lua");
    is(json_of($t->accept('text', '/lua'))->{content}, "said\nby Lua",
       'is whole');
    is($t->get('/lua')->body, "said\nby Lua", 'raw, too');
    ok(data_of($t->accept('vision', '/lua-png')) eq $png,
       'with a subrequest');
    is(routing_of($t->accept('text', '/lua-png')),
       'image text image/png capability', 'described');
    ok(data_of($t->accept('vision', '/lua-exec')) eq $png, 'ngx.exec');
    is($t->accept('vision', '/lua-exit')->status, 403, 'ngx.exit');
    ok(data_of($t->get('/lua-access/png')) eq $png,
       'access_by_lua tells the reader');
    is(routing_of($t->accept('text', '/js')), 'text text text/markdown',
       "$order: js_content");
    is(json_of($t->accept('text', '/js'))->{content}, '# made by JavaScript',
       'is whole');
    is($t->accept('text', '/js-parts')->status, 200, 'with a subrequest');
    is(json_of($t->accept('text', '/js-parts'))->{content}, '[x]',
       'whose part is raw');

    # filters of the body: the content's bytes, before they are JSON

    for my $where ('lua-filter', 'js-filter') {
        for my $args ('', '?step=1000', '?frame=chunked&step=5000') {
            my $res = $t->accept('text', "/$where/text$args");
            ok(json_of($res)->{content} eq uc $text,
               "$order: $where$args, all of the content");
            is($res->header('X-' . ucfirst($where =~ s/-.*//r)) //
               $res->header('X-JS'), 'yes', 'and its header');
            ok($t->get("/$where/text$args")->body eq uc $text, 'raw, too');
        }
        my $res = $t->accept('text', "/$where/png");
        is(routing_of($res), 'image text image/png capability',
           "$where and a description");
        ok($res->{complete}, 'complete');
    }
    (my $words = $text) =~ s/words/WORDS/g;
    ok(json_of($t->accept('text', '/lua-whole/text'))->{content} eq $words,
       "$order: a filter that holds the whole body");
    ok($t->get('/lua-whole/text')->body eq $words, 'raw, too');
    is(json_of($t->accept('text', '/lua-whole/png'))->{routing}, 'text',
       'and a description');
    ok(data_of($t->accept($ALL, '/lua-whole/png')) eq $png, 'an image');

    # filters of the header

    my $res = $t->accept($ALL, '/lua-type/png');
    is(route_problems($res), '', "$order: another type set by Lua is not so");
    ok(data_of($res) eq $png, 'whole');
    is($t->get('/lua-type/png')->header('Content-Type'), 'text/html',
       'raw it is');
    my $plain = $t->accept($ALL, '/artifacts/png');
    $res = $t->accept($ALL, '/more/png');
    is($res->header('X-More'), 'yes', "$order: more_set_headers");
    is($res->header('Content-Type'), 'application/json; charset=utf-8',
       'JSON by another name');
    is($res->header($_), $plain->header($_), "with its $_")
        for qw(Content-Length ETag);
    ok($res->body eq $plain->body, 'and the same body');
    $res = $t->accept($ALL, '/more/png', 'If-None-Match' =>
                      $plain->header('ETag'));
    is($res->status, 304, 'not modified');
    $res = $t->accept($ALL, '/more-status/png');
    is(route_problems($res), '', 'more_clear_headers');
    is($res->header('ETag'), undef, 'clears');
    is($res->header('Cache-Control'), 'private', 'and sets');
    ok(data_of($t->get('/more-in/png')) eq $png, 'more_set_input_headers');

    $up->stop;
    $t->stop;
    $t->check_log;
}

done_testing();
