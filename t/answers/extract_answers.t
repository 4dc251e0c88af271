#!/usr/bin/perl

# Which answers artifacts are taken out of, what they say of themselves then,
# and what the upstream is asked; connections, caches, HTTP/2.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactAnswers;
use ArtifactCurl;
use ArtifactTest;
use ArtifactUpstream;
use IO::Compress::Gzip;

my $t = ArtifactTest->new;
my $spare = ArtifactTest->new;
my $h2 = $spare->port;

my $text = 'x<artifacts>[{"type":"text","content":"y"}]</artifacts>';
my $member = '"artifacts":[{"type":"text","content":"y"}]';

my $plain = answer_json('openai', $text);
my $cut = answer_json('openai', 'x', $member);
my $stream = answer_stream('openai', [$text]);
my $streamed = answer_stream('openai', ['x'], $member);
IO::Compress::Gzip::gzip(\$plain => \my $gzip);

my @stale = ('ETag: "one"', 'Content-MD5: m', 'Digest: d', 'Repr-Digest: r',
             'Content-Digest: c', 'Accept-Ranges: bytes');
my $content = sub {
    my ($body, $type, @headers) = @_;
    return { body => $body, type => $type,
             headers => ['X-Own: 1', @stale, @headers] };
};

my $up = ArtifactUpstream->new($t->prefix . '/up.sock', contents => {
    json => $content->($plain, 'application/json; charset=utf-8',
                       'Last-Modified: Mon, 01 Jan 2024 00:00:00 GMT'),
    plus => $content->($plain, 'application/vnd.x+json'),
    text => $content->($plain, 'text/plain'),
    none => $content->($plain, ''),
    gzip => $content->($gzip, 'application/json', 'Content-Encoding: gzip'),
    same => $content->($plain, 'application/json',
                       'Content-Encoding: identity'),
    sse => $content->($stream, 'Text/Event-Stream'),
    lines => $content->($stream, 'text/event-stream-lines'),
    empty => $content->('', 'application/json'),
    long => $content->(answer_json('openai', $text . 'z' x 70_000),
                       'application/json'),
    kept => $content->($stream, 'text/event-stream', 'Cache-Control: max-age=99'),
});

my $locations = <<'SERVER';
    location /strip {
        artifact_extract strip;
        proxy_pass http://up/$arg_name$is_args$args;
        proxy_set_header X-Seen "$http_accept_encoding";
    }
    location /alive {
        artifact_extract strip;
        proxy_http_version 1.1;
        proxy_set_header Connection "";
        proxy_pass http://up/$arg_name$is_args$args;
    }
    location /cache {
        artifact_extract strip;
        proxy_cache zone;
        proxy_cache_key $arg_name;
        add_header X-Cache $upstream_cache_status;
        proxy_pass http://up/$arg_name$is_args$args;
    }
    location /between {
        artifact_extract strip;
        add_before_body /one;
        add_after_body /two;
        addition_types *;
        proxy_http_version 1.1;
        proxy_pass http://up/$arg_name$is_args$args;
    }
    location /one {
        return 200 "ONE\n";
    }
    location /two {
        return 200 "TWO\n";
    }
    location /error {
        artifact_extract strip;
        proxy_intercept_errors on;
        error_page 404 = /strip/v1/chat/completions?name=json;
        proxy_pass http://up/missing;
    }
    location /file {
        artifact_extract strip;
        default_type application/json;
        root %%PREFIX%%;
    }
    location /log {
        artifact_extract strip;
        access_log %%PREFIX%%/access.log encoding;
        proxy_pass http://up/$arg_name;
    }
SERVER
$t->file("file/v1/chat/completions", $plain)
    if mkdir($t->prefix . '/file') && mkdir($t->prefix . '/file/v1')
       && mkdir($t->prefix . '/file/v1/chat');

$t->start(http => <<"HTTP", server => $locations);
    upstream up {
        server unix:%%PREFIX%%/up.sock max_fails=0;
    }
    proxy_cache_path %%PREFIX%%/cache keys_zone=zone:1m;
    log_format encoding '<\$http_accept_encoding>';
    server {
        listen 127.0.0.1:$h2 http2;
        $locations
    }
HTTP

my $path = '/v1/chat/completions';

# what the answer says of itself

for my $name (qw(json plus same)) {
    my $res = $t->get("/strip$path?name=$name");
    is($res->body, $cut, "$name: the block is cut out");

    for my $header (qw(Content-Length ETag Content-MD5 Digest Repr-Digest
                       Content-Digest Accept-Ranges)) {
        is($res->header($header), undef, "$name: $header is gone");
    }

    is($res->header('X-Own'), '1', "$name: others stay");
}

is($t->get("/strip$path?name=json")->header('Content-Type'),
   'application/json; charset=utf-8', 'so does the type');
is($t->get("/strip$path?name=sse")->body, $streamed,
   'a type in other letters');

for my $name (qw(text none lines)) {
    my $res = $t->get("/strip$path?name=$name");
    is($res->body, $name eq 'lines' ? $stream : $plain,
       "$name: another type passes");
    is($res->header('ETag'), '"one"', "$name: with its tag");
    is($res->header('Content-Length'), length $res->body,
       "$name: and its length");
}

is($t->get("/strip$path?name=empty")->body, '', 'nothing stays nothing');

for my $status (201, 206, 400, 404, 500) {
    my $res = $t->get("/strip$path?name=json&status=$status");
    is($res->status, $status, "$status passes");
    is($res->body, $plain, "$status: as it is");
    is($res->header('ETag'), '"one"', "$status: with its tag");
}

my $head = $t->head("/strip$path?name=json");
is($head->status, 200, 'HEAD');
is($head->header('Content-Length'), undef, 'HEAD: no length');
is($head->header('ETag'), undef, 'HEAD: no tag');

# encodings

my $res = $t->get("/strip$path?name=gzip");
is($res->body, $gzip, 'an encoded answer passes');
is($res->header('Content-Length'), length $gzip, 'with its length');
is($res->header('ETag'), '"one"', 'and its tag');
ok($t->wait_for(qr/\[warn\].*encoded answer/), 'and a warning');

$up->requests;
$t->get("/strip$path?name=json", 'Accept-Encoding' => 'gzip, br',
        'If-None-Match' => '"x"');
my ($asked) = $up->requests_in_full;
unlike($asked, qr/accept-encoding|br/i, 'the upstream is not asked for one');
like($asked, qr/If-None-Match/i, 'nor less for anything else');

$t->get("/log$path?name=json", 'Accept-Encoding' => 'gzip');
ok($t->wait_for(qr/<gzip>/, 'access.log'), 'the log has it again');

# a filter that ends the answer itself, while it is handed the last bytes

my $rest = 'z' x 70_000;
for my $case ([json => $cut], [kept => $streamed],
              [long => answer_json('openai', "x$rest", $member)])
{
    my ($name, $body) = @$case;
    my $res = $t->get("/between$path?name=$name&frame=chunked");
    ok($res->{complete}, "$name: between others, to its end");
    is($res->body, "ONE\n${body}TWO\n", "$name: once");
}

# where it is on

is($t->get("/file$path")->body, $plain, 'a file is no answer of a model');
is($t->get("/error$path")->body, $cut, 'the page of an error may be one');

# connections

my $http = $t->connect;

for my $n (1 .. 3) {
    my $name = qw(sse json sse)[$n - 1];
    my $res = $http->request('GET', "/alive$path?name=$name&frame=chunked",
                             keep => 1);
    is($res->body, $name eq 'sse' ? $streamed : $cut,
       "answer $n of a connection");
}

for my $n (1 .. 2) {
    for my $name (qw(json kept)) {
        my $res = $t->get("/cache$path?name=$name");
        is($res->body, $name eq 'kept' ? $streamed : $cut,
           "$name: through a cache, $n");
        is($res->header('X-Cache'), $n == 2 && $name eq 'kept' ? 'HIT' : 'MISS',
           "$name: which has it or not, $n");
    }
}

$res = $t->get("/cache$path?name=kept", 'If-None-Match' => '"one"');
is($res->header('X-Cache'), 'HIT', 'a condition: from the cache');
is($res->body, $streamed, 'which does not compare the tag of other bytes');

SKIP: {
    skip('curl has no HTTP2', 4) unless curl_features('HTTP2');

    for my $case ([json => $cut], [sse => $streamed]) {
        my ($name, $body) = @$case;
        my $res = curl($t->prefix, '--http2-prior-knowledge', '-d', '{}',
            "http://127.0.0.1:$h2/strip$path?name=$name&frame=chunked&step=50");
        is($res->body, $body, "HTTP/2, $name");
        ok($res->{complete}, "HTTP/2, $name: to its end");
    }
}

# configuration

my ($code, $out) = $t->conf_test(server => <<'SERVER');
    location /a {
        artifact_route on;
        artifact_extract strip;
    }
SERVER
isnt($code, 0, 'routed and extracted: refused');
like($out, qr/"artifact_extract" and "artifact_route"/, 'with the reason');

($code, $out) = $t->conf_test(server => <<'SERVER');
    artifact_route on;
    location /a {
        artifact_route off;
        artifact_extract on;
    }
SERVER
is($code, 0, 'one of both: accepted');

($code, $out) = $t->conf_test(server => 'artifact_extract cut;');
isnt($code, 0, 'another value: refused');

$t->finish;
