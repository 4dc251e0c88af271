#!/usr/bin/perl

# Errors: their shape, their words, other methods, and connections that
# stay sound.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;

my $t = ArtifactTest->new;
$t->artifact('ok', 'fine', { type => 'text/plain' });
$t->workspace_file('w1', 'a.txt', 'fine');

$t->start(http => <<'HTTP', server => <<'SERVER');
    server {
        listen unix:%%PREFIX%%/rootless.sock;
        location / {
            artifact;
        }
    }
HTTP
    location /rootless/ {
        artifact_route off;
        proxy_pass http://unix:%%PREFIX%%/rootless.sock:/;
    }
    artifact_root %%DATA%%;
    artifact_route on;

    location /artifacts/ {
        artifact;
    }
    location /workspaces/ {
        artifact_workspace;
    }
    location /en/ {
        artifact;
        artifact_language en;
    }
    location /zh/ {
        artifact;
        artifact_language zh;
    }
    location /off/ {
        artifact;
        artifact_route off;
    }
    location /object/ {
        artifact;
        artifact_format object;
    }
    location /tool/ {
        artifact;
        artifact_format tool_message;
    }
    location /page/ {
        artifact;
        error_page 404 /missing;
    }
    location = /missing {
        return 200 "a page";
    }
    location /no-root/ {
        artifact;
        artifact_root %%PREFIX%%/nowhere;
    }
    location /empty-root/ {
        artifact;
        artifact_root $arg_none;
    }
SERVER

# the same error whatever would have come out

my @errors = (
    ['nope', 404, 'artifact_not_found'],
    ['ws:w1:Y', 400, 'invalid_artifact_id'],
    [ws_id('w1', '../x'), 403, 'path_traversal_blocked'],
);
for my $location (qw(artifacts en off object tool)) {
    for my $case (@errors) {
        my ($ref, $status, $code) = @$case;
        my $uri = "/$location/$ref";
        error_is($t->get($uri), $status, $code, $ref, $uri);
        error_is($t->accept('text, file', $uri), $status, $code, $ref,
                 "$uri, routed");
        error_is($t->get("$uri/metadata"), $status, $code, $ref,
                 "$uri/metadata");

        my $get = $t->get($uri);
        my $head = $t->head($uri);
        is("$head->{status} $head->{body}", "$status ", "HEAD $uri");
        is($head->header('Content-Length'), length $get->body,
           "HEAD $uri has the length of GET");
        is($head->header('Content-Type'), 'application/json',
           "HEAD $uri has the type of GET");
    }
}

# words

is(json_of($t->get('/artifacts/nope'))->{message},
   '工件不存在或已被删除', 'the message in Chinese by default');
for my $case (@errors) {
    my ($ref, $status, $code) = @$case;
    my $zh = json_of($t->get("/zh/$ref"));
    my $en = json_of($t->get("/en/$ref"));
    like($zh->{message}, qr/\p{Han}{3}/, "$code in Chinese");
    like($en->{message}, qr/\A[\x20-\x7e]{5,}\z/, "$code in English");
    is($en->{error}, $zh->{error}, "$code is the same in both");
}
error_is($t->get('/workspaces/none/a'), 404, 'workspace_not_bound', 'none/a',
         'a missing workspace');

# references as they came

for my $ref (bytes('没有 "这个"'), 'a\\b', "tab\tand\x01", 'artifact:x',
             bytes("\x{1f600}"), '<script>', 'percent%41', 'x' x 1000)
{
    my $data = json_of($t->get('/artifacts/' . uri($ref)));
    is($data->{ref}, chars($ref), 'the reference '
       . substr($ref, 0, 20) =~ s/[^ -~]/?/gr . ' as it came');
}
my $res = $t->get('/artifacts/' . uri("a\xff\xfeb"));
is(ref json_of($res), 'HASH', 'a reference that is not UTF-8 makes good JSON');

# other methods

for my $method (qw(POST PUT DELETE PATCH OPTIONS PROPFIND)) {
    for my $uri ('/artifacts/ok', '/workspaces/w1/a.txt', '/artifacts/') {
        my $res = $t->req($method, $uri);
        error_is($res, 405, 'method_not_allowed', undef, "$method $uri");
        like($res->header('Allow') // '', qr/^GET, ?HEAD$/,
             "$method $uri says what is allowed");
    }
}
is(slurp($t->data . '/workspaces/w1/a.txt'), 'fine', 'nothing was written');
ok(-e $t->data . '/artifacts/ok', 'nothing was deleted');

# bodies are read and thrown away

my $conn = $t->connect;
my $body = 'x' x 5000;
for my $method (qw(POST PUT GET DELETE)) {
    my $res = $conn->request($method, '/artifacts/ok', keep => 1,
                             body => $body);
    is($res->{status}, $method eq 'GET' ? 200 : 405, "$method with a body");
    is($res->{trailing}, 0, "$method leaves nothing on the connection");
}
$conn->send("POST /artifacts/ok HTTP/1.1\r\nHost: x\r\n"
    . "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n");
is($conn->response('POST')->{status}, 405, 'POST with a chunked body');
is($conn->request('GET', '/artifacts/ok', keep => 1)->body, 'fine',
   'the connection is still sound');
for my $n (1 .. 3) {
    error_is($conn->request('GET', '/artifacts/nope', keep => 1), 404,
             'artifact_not_found', 'nope', "error $n on one connection");
}
$conn->send(join '', map {
    ArtifactHTTP::format_request('GET', $_, keep => 1)
} qw(/artifacts/nope /artifacts/ok /artifacts/ws:w1:Y /artifacts/ok));
is(join(' ', map { $conn->response('GET')->{status} } 1 .. 4),
   '404 200 400 200', 'pipelined errors');

# conditions and ranges do not apply to errors

for my $header (['If-None-Match' => '*'], ['If-Match' => '"x"'],
                [Range => 'bytes=0-3'],
                ['If-Modified-Since' => 'Thu, 01 Jan 2099 00:00:00 GMT'])
{
    error_is($t->get('/artifacts/nope', @$header), 404, 'artifact_not_found',
             'nope', "an error in spite of $header->[0]");
}
$res = $t->get('/artifacts/nope');
is($res->header('ETag'), undef, 'an error has no entity tag');
is($res->header('Last-Modified'), undef, 'nor a date');
is($res->header('Accept-Ranges'), undef, 'nor ranges');
is($t->req('GET', '/artifacts/nope', version => '1.0')->{status}, 404,
   'an error over HTTP/1.0');

# administrators

is($t->get('/page/nope')->body, 'a page', 'error_page takes over');
error_is($t->get('/no-root/ok'), 404, 'artifact_not_found', 'ok',
         'a root that does not exist');
$res = $t->get('/empty-root/ok');
like($res->{status}, qr/^(404|500)$/, 'a root that is empty');
ok(!eval { decode_strict($res->body)->{content} }, 'serves nothing');

# without a root there is nothing

error_is($t->get('/rootless/ok'), 404, 'artifact_not_found', 'ok', 'no root');

# a request that goes wrong behind its header: nginx's own page is no content

for my $headers ([], ['X-LLM-Capabilities' => 'text']) {
    my $res = $t->req('GET', '/artifacts/ok', headers =>
        [@$headers, 'Transfer-Encoding' => "chunked\r\n\r\nno chunk"]);
    is($res->status, 400, 'a malformed body');
    header_is($res, 'Content-Type', 'text/html', 'is a page');
    is($res->header('X-Content-Type-Options'), undef, 'as any other');
    is($res->header('ETag'), undef, 'of no content');
}

$t->finish;
