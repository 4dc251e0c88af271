#!/usr/bin/perl

# A source is any nginx location: what a location answers to a client is what a
# model gets of it, as a reference of a request or as an attachment, and what
# it is routed from; with other modules loaded before this one and after it.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactModules;
use ArtifactTest;
use ArtifactUpstream;
use MIME::Base64 qw(decode_base64);

# What other modules a kind of location needs; those that are missing are left
# out.

my @modules = qw(brotli_filter echo headers_more_filter image_filter js ndk lua
                 subs_filter xslt_filter);
my $compiled = ArtifactTest->version;

my $png = png(80, 60);
my $text = join '', map { "line $_ of some words and \"quotes\"\n" } 1 .. 3000;
my $long = join '', map { "row $_: more words in a long text\n" } 1 .. 20_000;
my %content = (
    png => [$png, 'image/png'],
    text => [$text, 'text/plain'],
    long => [$long, 'text/plain'],
    short => ["x\n", 'text/plain'],
    empty => ['', 'text/plain'],
    koi => ["\xce\xc5\xd4\xce\xc5\xd4\xce\xc5\xd4 \xd3\xcc\xcf\xd7\n" x 40,
            'text/plain'],
    xml => ["<?xml version=\"1.0\"?>\n<r><v>words &amp; more</v></r>\n",
            'text/xml'],
    'inc.html' => ["inc <!--#include virtual=\"/inc/short\" -->FOO\n" x 3,
              'text/html'],
    'up.html' => [join("<hr>\n", map { "<!--#include virtual=\"$_\" -->" }
              qw(/inc/long /up/text /inc/short /up/long /up/slow?wait=10)),
              'text/html'],
    'wait.html' => ["a <!--#include virtual=\"/up/slow?wait=3\" wait=\"yes\" -->"
              . "b <!--#include virtual=\"/inc/short\" -->c\n", 'text/html'],
    'var.html' => ["<!--#set var=\"a\" value=\"words\" -->"
              . "<!--#echo var=\"a\" --> <!--#echo var=\"none\" default=\"-\" -->"
              . "<!--#if expr=\"\$a = words\" -->yes<!--#else -->no"
              . "<!--#endif -->\n", 'text/html'],
    'page.html' => ["<p>some words, WORDS</p>\n" x 2000, 'text/html'],
    slow => ["slow words\n" x 9, 'text/plain'],
);

my $xsl = <<'XSL';
<?xml version="1.0"?>
<xsl:stylesheet version="1.0"
    xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output method="text"/>
  <xsl:template match="/">made of <xsl:value-of select="r/v"/></xsl:template>
</xsl:stylesheet>
XSL

my $proxy = 'proxy_pass http://unix:%%PREFIX%%/up:/;';
my $static = 'alias %%PREFIX%%/html/;';
my $artifact = 'artifact;';

# name => [configuration, contents, a pattern of what has to be in the answer].
# "routed" is what it is routed as where that is not the same.

my @kinds = (
    [static => $static, [qw(text long png empty)]],
    [root => 'root %%PREFIX%%/root;', ['text']],
    [artifact => $artifact, [qw(text long png empty)]],
    [sendfile => "$static sendfile on; output_buffers 1 512;", ['long']],
    [directio => "$static directio 1; output_buffers 2 4k;", ['long']],
    [threads => "$static aio threads; output_buffers 2 4k;", [qw(long png)]],
    [limit_rate => "$static limit_rate 400k;", ['text']],
    [proxy => $proxy, [qw(text long png empty)]],
    [unbuffered => "$proxy proxy_buffering off;", [qw(text png empty)]],
    [small => "$proxy proxy_buffers 2 1k; proxy_buffer_size 1k;
               proxy_busy_buffers_size 1k;", ['long']],
    [cached => "$proxy proxy_cache c; proxy_cache_valid 1m;",
     [qw(text text empty empty png png)]],
    [slice => "slice 8k; $proxy proxy_set_header Range \$slice_range;",
     ['text']],
    (map { my $p = $_; [$p => "${p}_pass unix:%%PREFIX%%/$p;
        ${p}_param REQUEST_METHOD \$request_method;
        ${p}_param QUERY_STRING \$query_string;
        ${p}_param DOCUMENT_URI \$name;", [qw(text png)],
        { regex => 1 }] } qw(fastcgi scgi uwsgi)),
    [return => 'default_type text/plain; return 200 "said $uri\n";', ['a']],
    [nothing => 'default_type text/plain; return 200 "";', ['a']],
    [empty_gif => 'empty_gif;', ['a']],
    [stub_status => 'stub_status;', ['a'], { varies => 1 }],
    [autoindex => 'autoindex on; alias %%PREFIX%%/one/;', [''],
     { location => 1 }],
    [random_index => 'random_index on; alias %%PREFIX%%/one/;', [''],
     { location => 1 }],
    [mp4 => "$static mp4;", ['png']],
    [try_files => 'try_files /none @fallback;', ['text']],
    [error_page => "error_page 404 = \@fallback; $static", ['text', 'up-only']],
    [named => 'error_page 418 = @fallback; return 418;', ['text']],
    [rewrite => 'rewrite ^/[^/]+/[^/]+/(.*) /inc/$1 last;', ['text', 'png']],
    [if => "if (\$uri ~ text) { rewrite ^/[^/]+/[^/]+/(.*) /inc/\$1 last; }
            $static", ['text', 'png']],
    [accel => 'rewrite ^ /accel break; proxy_pass http://unix:%%PREFIX%%/up:;',
     ['text']],
    [mirror => "mirror /inc/short; $static", ['text']],
    [auth => "auth_request /inc/short; $static", ['text']],
    [gzip_static => "$static gzip_static on;", ['packed.txt']],
    [gunzip_static => "$static gzip_static always; gunzip on;",
     ['packed.txt', 'only.txt']],
    [gunzip => "$proxy gunzip on;", ['gz', 'gz-long']],
    [gunzip_cached => "$proxy gunzip on; proxy_cache c; proxy_cache_valid 1m;
       proxy_cache_key gunzip\$uri;", ['gz', 'gz']],
    [gunzip_unbuffered => "$proxy gunzip on; proxy_buffering off;", ['gz-long']],

    # filters, which see another type where it is routed

    [ssi => "$static ssi on;", [qw(inc.html up.html wait.html var.html empty)],
     { as => 'filtered' }],
    [ssi_all => "$static ssi on; ssi_types *;", [qw(inc.html up.html text)]],
    [ssi_artifact => "$artifact ssi on; ssi_types *;",
     [qw(inc.html up.html wait.html text)]],
    [ssi_proxy => "$proxy ssi on; ssi_types *;", [qw(inc.html up.html text)]],
    [sub => "$static sub_filter words WORDS; sub_filter_once off;
             sub_filter_types *;", [qw(text page.html long)]],
    [sub_own => "$static sub_filter words WORDS; sub_filter_once off;",
     ['page.html'], { as => 'filtered' }],
    [sub_proxy => "$proxy sub_filter words W; sub_filter_once off;
             sub_filter_types *;", [qw(text page.html long)]],
    [before => "$static add_before_body /inc/short; addition_types *;",
     [qw(text long empty)]],
    [after => "$proxy add_after_body /up/slow; addition_types *;",
     [qw(text long empty)]],
    [both => "$artifact add_before_body /up/slow; add_after_body /inc/long;
              addition_types *;", [qw(text long empty)]],
    [both_gunzip => "$proxy gunzip on; add_before_body /up/slow;
              add_after_body /inc/long; addition_types *;", [qw(gz)]],
    [charset => "$static charset utf-8; source_charset koi8-r;", ['koi'],
     { as => 'filtered' }],
    [image_resize => "$static image_filter resize 40 30;", ['png'],
     { module => 'image_filter', as => 'filtered' }],
    [image_artifact => "$artifact image_filter resize 40 30;", ['png'],
     { module => 'image_filter', as => 'filtered' }],
    [image_proxy => "$proxy image_filter resize 40 30;", ['png'],
     { module => 'image_filter', as => 'filtered' }],
    [image_test => "$proxy image_filter test;", ['png'],
     { module => 'image_filter', as => 'filtered' }],
    [image_size => "$artifact image_filter size;", ['png'],
     { module => 'image_filter', as => 'filtered' }],
    [xslt => "$static xslt_stylesheet %%PREFIX%%/style.xsl;", ['xml'],
     { module => 'xslt_filter', as => 'filtered' }],
    [xslt_proxy => "$proxy xslt_stylesheet %%PREFIX%%/style.xsl;", ['xml'],
     { module => 'xslt_filter', as => 'filtered' }],
    [xslt_artifact => "$artifact xslt_stylesheet %%PREFIX%%/style.xsl;",
     ['xml'], { module => 'xslt_filter', as => 'filtered' }],
    [brotli => "$proxy brotli on; brotli_types *; brotli_min_length 1;",
     ['text'], { module => 'brotli_filter' }],
    [gzip => "$proxy gzip on; gzip_types *; gzip_min_length 1;", ['text']],
    [more => "$proxy more_set_headers 'X-A: b'; more_clear_headers ETag;",
     ['text'], { module => 'headers_more_filter' }],
    [subs => "$proxy subs_filter words WORDS; subs_filter_types *;",
     [qw(text long)], { module => 'subs_filter' }],
    [echo => 'default_type text/plain; echo a; echo_sleep 0.01; echo_flush;
              echo -n b;', ['a'], { module => 'echo' }],
    [echo_location => 'default_type text/plain; echo a;
              echo_location /inc/short; echo b; echo_location /inc/text;',
     ['a'], { module => 'echo' }],
    [echo_first => 'default_type text/plain; echo_location /up/slow; echo b;
              echo_location /up/long;', ['a'], { module => 'echo' }],
    [echo_async => 'default_type text/plain; echo a;
              echo_location_async /up/slow; echo b;
              echo_location_async /inc/long; echo c;',
     ['a'], { module => 'echo' }],
    [echo_async_first => 'default_type text/plain;
              echo_location_async /up/slow; echo b;', ['a'],
     { module => 'echo' }],
    [echo_subrequest => 'default_type text/plain;
              echo_subrequest GET /up/text; echo_subrequest_async GET /up/slow;
              echo c;', ['a'], { module => 'echo' }],
    [echo_around => "$static echo_before_body before; echo_after_body after;",
     ['text'], { module => 'echo' }],
    [lua => 'default_type text/plain; content_by_lua_block {
        ngx.print("one ") ngx.flush(true) ngx.sleep(0.01) ngx.say("two") }',
     ['a'], { module => 'lua' }],
    [lua_capture => 'default_type text/plain; content_by_lua_block {
        ngx.print(ngx.location.capture("/up/text").body)
        ngx.print(ngx.location.capture("/inc/short").body) }',
     ['a'], { module => 'lua' }],
    [lua_filter => "$proxy header_filter_by_lua_block {
        ngx.header.content_length = nil ngx.header['X-Lua'] = 'yes' }
      body_filter_by_lua_block {
        ngx.arg[1] = ngx.arg[1] and string.gsub(ngx.arg[1], 'o', 'oo') }",
     [qw(text long)], { module => 'lua' }],
    [lua_whole => "$static header_filter_by_lua_block {
        ngx.header.content_length = nil }
      body_filter_by_lua_block {
        local body = (ngx.ctx.body or '') .. ngx.arg[1]
        ngx.ctx.body = body ngx.arg[1] = nil
        if ngx.arg[2] then ngx.arg[1] = string.upper(body) end }",
     [qw(text long)], { module => 'lua' }],
    [lua_exec => 'content_by_lua_block { ngx.exec("/inc/text") }', ['a'],
     { module => 'lua' }],
    [js => 'js_content a.content;', ['a'], { module => 'js' }],
    [js_parts => 'js_content a.parts;', ['a'], { module => 'js' }],
    [js_filter => "$proxy js_header_filter a.header;
                   js_body_filter a.upper;", [qw(text long)],
     { module => 'js' }],
    [js_whole => "$static js_header_filter a.header;
                  js_body_filter a.whole;", [qw(text)], { module => 'js' }],
);

for my $order ('first', 'main') {
    my (%there, $load);
    for my $name (@modules) {
        next if $name eq 'xslt_filter' && $compiled =~ /fsanitize/;
        my $line = other_modules($name eq 'lua' ? qw(ndk lua) : $name)
            // next;
        $there{$name} = 1;
    }
    $load = other_modules(grep { $there{$_} } @modules) // '';
    run($order, $load, grep {
        my $module = ($_->[3] // {})->{module} // '';
        $module eq '' || $there{$module} } @kinds);
}

done_testing();


sub run {
    my ($order, $load, @run) = @_;

    my $t = ArtifactTest->new;
    my $dir = $t->prefix;
    mkdir "$dir/$_" or die for qw(html one root root/k root/k/root);
    for my $id (keys %content) {
        my ($body, $type) = @{ $content{$id} };
        $t->artifact($id, $body, { type => $type });
        spew("$dir/html/$id", $body);
    }
    spew("$dir/one/only.txt", 'one of one');
    spew("$dir/root/k/root/text", $text);
    spew("$dir/html/packed.txt", $text);
    spew("$dir/html/$_.txt.gz", gzip_of($text)) for qw(packed only);
    $t->file('style.xsl', $xsl);
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
var held = '';
function whole(r, data, flags) {
    held += data;
    if (flags.last) {
        r.sendBuffer(held.toLowerCase(), flags);
    }
}
function parts(r) {
    r.headersOut['Content-Type'] = 'text/plain';
    r.subrequest('/inc/short', function (reply) {
        r.subrequest('/up/slow', function (other) {
            r.return(200, reply.responseText + other.responseText);
        });
    });
}
export default { content, header, upper, whole, parts };
JS

    my %up = map { $_ => { body => $content{$_}[0], type => $content{$_}[1] } }
        keys %content;
    $up{gz} = { body => gzip_of($text), type => 'text/plain',
                headers => ['Content-Encoding: gzip'] };
    $up{'gz-long'} = { body => gzip_of($long), type => 'text/plain',
                       headers => ['Content-Encoding: gzip'] };
    $up{accel} = { body => '', type => 'text/plain',
                   headers => ['X-Accel-Redirect: /inc/text'] };
    $up{'up-only'} = $up{text};
    my @up = map { ArtifactUpstream->new("$dir/$_->[0]",
        protocol => $_->[1], contents => \%up) }
        ['up', 'http'], map { [$_, $_] } qw(fastcgi scgi uwsgi);
    push @up, ArtifactUpstream->echo("$dir/model");

    my $locations = join '', map {
        my ($name, $conf, undef, $opt) = @$_;
        my $how = ($opt && $opt->{regex}) ? "~ ^/k/$name/(?<name>.*)"
            : "/k/$name/";
        "    location $how {\n        $conf\n    }\n";
    } @run;

    my $http = join "\n",
        $load =~ /_lua_/ ? lua_path() : (),
        $load =~ /_js_/ ? 'js_path %%PREFIX%%; js_import a from a.js;' : ();

    $t->start($order => $load, http => <<"HTTP", server => <<"SERVER");
    proxy_cache_path %%PREFIX%%/cache keys_zone=c:1m;
    artifact_root %%DATA%%;
    $http
    charset_map koi8-r utf-8 {
        CE D0BD; C5 D0B5; D4 D182; D3 D181; CC D0BB; CF D0BE; D7 D0B2;
    }
    types { text/html html; image/png png; text/plain txt; }
    default_type text/plain;
HTTP
    artifact_route on;
    artifact_language en;
$locations
    location /inc/ { alias %%PREFIX%%/html/; }
    location /up/ { $proxy }
    location \@fallback {
        rewrite ^/[^/]+/[^/]+/(.*) /\$1 break;
        proxy_pass http://unix:%%PREFIX%%/up:;
    }
    location /v1/ {
        artifact_route off;
        artifact_expand on;
        artifact_source /k/\$http_x_kind/;
        proxy_pass http://unix:%%PREFIX%%/model:;
    }
    location /message/ {
        artifact_message;
        artifact_format openai;
        artifact_source /k/\$http_x_kind/;
    }
SERVER

    for my $kind (@run) {
        my ($name, undef, $ids, $opt) = @$kind;
        look($t, "$order, $name", $name, $_, $opt // {}) for @$ids;
    }

    $_->stop for @up;
    $t->stop;
    $t->check_log;
}


sub look {
    my ($t, $what, $name, $id, $opt) = @_;

    my $raw = $t->get("/k/$name/$id");
    is($raw->status, 200, "$what: $id") or return;
    return if $opt->{varies} || $id eq '';

    if ($raw->body eq '') {
        like(model_gets($t, $name, $id), qr/^(?!\d{3} )./,
             "$what: $id, empty, is named");
        return;
    }

    is_body(model_gets($t, $name, $id), $raw->body,
            "$what: $id, as a model gets it");
    is_body(attached($t, $name, $id), $raw->body, "$what: $id, attached");

    return if ($opt->{as} // '') eq 'filtered';
    my $res = $t->accept('text, vision', "/k/$name/$id");
    my $data = eval { decode_strict($res->body) };
    my $body = !$data ? $res->status . ' ' . $res->body
        : $data->{imageUrl} ? of_url($data->{imageUrl}{image_url}{url})
        : bytes($data->{content});
    is_body($body, $raw->body, "$what: $id, routed");
}


sub is_body {
    my ($got, $want, $what) = @_;
    utf8::decode(my $chars = $want);
    ok($got eq $want, $what)
        or diag(length($got) . ' of ' . length($want) . ' bytes: '
                . substr($got, 0, 300) . ' ... for ' . substr($want, 0, 100));
}


sub of_url {
    my ($url) = @_;
    return decode_base64($url =~ /;base64,(.*)/s ? $1 : '');
}


sub of_part {
    my ($part) = @_;
    return of_url($part->{image_url}{url}) if $part->{image_url};
    return bytes($part->{text} // 'no text');
}


sub model_gets {
    my ($t, $name, $id) = @_;
    my $res = $t->req('POST', '/v1/chat/completions',
        headers => ['Content-Type' => 'application/json', 'X-Kind' => $name,
                    'X-LLM-Capabilities' => 'text, vision'],
        body => encode_json_bytes({ model => 'any', messages => [ { role =>
            'user', content => [ { type => 'artifact',
                                   artifact => "artifact:$id" } ] } ] }));
    my $data = eval { decode_strict($res->body) }
        or return $res->status . ' ' . $res->body;
    return $res->status . ' ' . $res->body if $data->{error};
    return of_part($data->{messages}[0]{content}[0]);
}


sub attached {
    my ($t, $name, $id) = @_;
    my $res = $t->req('POST', '/message/',
        headers => ['Content-Type' => 'application/json', 'X-Kind' => $name,
                    'X-LLM-Capabilities' => 'text, vision'],
        body => encode_json_bytes({ text => '', attachments => [
            { artifactRef => "artifact:$id" } ] }));
    my $data = eval { decode_strict($res->body) }
        or return $res->status . ' ' . $res->body;
    my $part = $data->{processedContent}{content}[0]
        or return $res->status . ' ' . $res->body;
    return of_part($part);
}
