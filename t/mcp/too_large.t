#!/usr/bin/perl

# A body over "client_max_body_size": however it is framed, each API answers 413
# in its own shape, without any configuration, and to its end; an "error_page"
# has precedence where nginx looks for one.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactEcho;
use ArtifactFiles;
use ArtifactHttp2;
use ArtifactMcp;
use ArtifactTest;

my $t = ArtifactTest->new;
my $spare = ArtifactTest->new;
my $clear = $spare->port;
my $echo = echo($t->prefix . '/echo');

my $server = <<'SERVER';
    artifact_root %%DATA%%;
    artifact_write on;
    client_max_body_size 50k;

    # nginx.org's own configuration has a page for other errors

    error_page 500 502 503 504 /50x.html;
    location = /50x.html          { return 200 "sorry"; }

    location = /mcp               { artifact_mcp; }
    location = /mcp/mirror        { artifact_mcp; mirror /null; }
    location = /mcp/small         { artifact_mcp; client_body_buffer_size 64; }
    location /v1/files            { artifact_files; }
    location /threads/files       { artifact_files; aio threads; }
    location /artifacts/          { artifact; }
    location /workspaces/         { artifact_workspace; }
    location /route               { artifact_message; }
    location /v1/                 { artifact_expand on; %%PASS%% }
    location /direct/             { artifact_expand on;
                                    proxy_request_buffering off; %%PASS%% }
    location /answers/            { artifact_expand on; artifact_extract on;
                                    artifact_offload on; gzip on; %%PASS%% }
    location /model/              { artifact_prompt on; %%PASS%% }
    location /tools               { artifact_argument data; %%PASS%% }
    location /plain               { %%PASS%% }
    location /moved/              { artifact_expand on;
                                    rewrite ^/moved(/.*) $1 break; %%PASS%% }
    location = /null              { internal; return 204; }
SERVER

my $pages = <<'SERVER';
    location /page/files          { artifact_files; error_page 413 @page; }
    location /page/v1/            { artifact_expand on; %%PASS%%
                                    error_page 413 @page; }
    location /again/              { recursive_error_pages on;
                                    artifact_expand on;
                                    error_page 413 @again;
                                    %%PASS%% }
    location @again               { artifact_expand on;
                                    return 413 "a page of my own"; }
    location @page                { return 413 "a page of my own"; }
SERVER

for ($server, $pages) {
    my $pass = 'proxy_http_version 1.1; proxy_pass http://unix:' . $t->prefix
        . '/echo:;';
    s/%%PASS%%/$pass/g;
}

$t->start(server => $server . $pages, http => <<"HTTP");
    server {
        listen 127.0.0.1:$clear http2;
        $server
    }
HTTP

my $size = 400_000;
my $form = form(['purpose', 'user_data'], ['file', 'x' x $size, 'a.txt']);
my $json = '{"model":"m","messages":[{"role":"user","content":"' . 'x' x $size
    . '"}]}';
my $call = mcp_message('tools/call', { name => 'save_artifact', arguments =>
                                       { content => 'x' x $size } });

my @form = ('Content-Type' =>
            form_head('/') =~ /^Content-Type: (.*)\r$/m ? $1 : die);
my @json = ('Content-Type' => 'application/json');
my @mcp = mcp_headers('tools/call', { name => 'save_artifact' });
my @text = ('Content-Type' => 'text/plain');
my @anthropic = ('anthropic-version' => '2023-06-01');

my $rpc = { jsonrpc => '2.0', error =>
    { code => -32600, message => 'the message is too large' } };
my $openai = { error => {
    message => 'The file is too large', type => 'invalid_request_error',
    param => undef, code => undef } };
my $claude = { type => 'error', request_id => undef, error => {
    type => 'request_too_large',
    message => 'Request exceeds the maximum size' } };
my $model = { type => 'error', error => {
    type => 'invalid_request_error', code => 'request_too_large',
    message => '请求内容过大', param => undef } };
my $tool = { jsonrpc => '2.0', error => {
    code => -32602, message => '请求内容过大' } };

sub own {
    my ($ref) = @_;
    return { error => 'content_too_large', ref => $ref,
             message => '请求内容过大' };
}

my @apis = (
    ['MCP', 'POST', '/mcp', \@mcp, $call, $rpc],
    ['MCP, mirrored', 'POST', '/mcp/mirror', \@mcp, $call, $rpc],
    ['MCP, small buffers', 'POST', '/mcp/small', \@mcp, $call, $rpc],
    ['OpenAI\'s files', 'POST', '/v1/files', \@form, $form, $openai],
    ['files in threads', 'POST', '/threads/files', \@form, $form, $openai],
    ['Anthropic\'s files', 'POST', '/v1/files', [@form, @anthropic], $form,
     $claude],
    ['POST', 'POST', '/artifacts/', \@text, 'x' x $size, own('')],
    ['PUT', 'PUT', '/workspaces/w/a', \@text, 'x' x $size, own('w/a')],
    ['a message', 'POST', '/route', \@json, $json, own('')],
    ['chat', 'POST', '/v1/chat/completions', \@json, $json, $model],
    ['chat, moved', 'POST', '/moved/v1/chat/completions', \@json, $json,
     $model],
    ['chat, unbuffered', 'POST', '/direct/v1/messages', \@json, $json, $model],
    ['chat, and its answers', 'POST', '/answers/v1/chat/completions', \@json,
     $json, $model],
    ['Bedrock', 'POST', '/model/m/converse', \@json, $json,
     { %$model, code => 'request_too_large', message => '请求内容过大' }],
    ['a tool', 'POST', '/tools', \@json, $call, $tool],
);

my $HTML = qr/<html>.*413 Request Entity Too Large/s;


# --- in HTTP/1.1 ---------------------------------------------------------

sub start {
    my ($method, $uri, @headers) = @_;

    my $head = "$method $uri HTTP/1.1\r\nHost: localhost\r\n";
    while (my ($name, $value) = splice @headers, 0, 2) {
        $head .= "$name: $value\r\n";
    }
    return "$head\r\n";
}

sub chunks {
    my ($body) = @_;
    return join('', map { sprintf "%x\r\n%s\r\n", length, $_ }
                unpack '(a30000)*', $body) . "0\r\n\r\n";
}

sub refused {
    my ($res, $want, $name) = @_;

    is($res->status, 413, "$name: 413");
    is($res->header('Content-Type'), 'application/json', 'JSON');
    ok($res->{complete}, 'to its end');
    is_deeply(json_of($res), $want, 'in the shape of its clients');
}

for my $api (@apis) {
    my ($name, $method, $uri, $headers, $body, $want) = @$api;

    my $conn = $t->connect;
    $conn->send(start($method, $uri, @$headers, 'Content-Length' => length $body)
                . $body);
    refused($conn->response($method), $want, "$name, with a length");
    ok($conn->at_end, 'the connection is closed');

    $conn = $t->connect;
    $conn->send(start($method, $uri, @$headers, 'Content-Length' => length $body,
                     Expect => '100-continue'));
    refused($conn->response($method), $want, "$name, before the body");

    $conn = $t->connect;
    $conn->send(start($method, $uri, @$headers, 'Transfer-Encoding' => 'chunked')
                . chunks($body));
    refused($conn->response($method), $want, "$name, in chunks");
    ok($conn->at_end, 'the connection is closed');
}

is_deeply([glob $t->data . '/artifacts/*'], [], 'nothing is stored');

for my $method (qw(GET HEAD)) {
    my $conn = $t->connect;
    $conn->send(start($method, '/v1/files', 'Content-Length' => length $form)
                . $form);
    my $res = $conn->response($method);
    is($res->status, 413, "$method with a body");
    is($res->header('Content-Type'), 'application/json', 'JSON');
    is_deeply(json_of($res), $openai, 'of the API') if $method eq 'GET';
}


# --- in HTTP/2 -----------------------------------------------------------

for my $api (@apis) {
    my ($name, $method, $uri, $headers, $body, $want) = @$api;

    my @headers = map { lc } @$headers;
    @headers[map { $_ * 2 + 1 } 0 .. $#headers / 2]
        = @$headers[map { $_ * 2 + 1 } 0 .. $#headers / 2];

    for my $length ([], ['content-length' => length $body]) {
        my $h2 = http2($clear);
        head($h2, 1, $method, $uri, @headers, @$length);
        data($h2, 1, substr $body, 0, 60_000);

        my $res = answer($h2, 1);
        is($res->{status}, 413, "$name, HTTP/2 @$length: 413");
        is_deeply(json_of($res), $want, 'in the shape of its clients');
    }
}


# --- what is none of the APIs'--------------------------------------------

sub whole {
    my ($uri, $headers, $body) = @_;
    return $t->req('POST', $uri, headers => $headers, body => $body);
}

like(whole('/plain', \@json, $json)->body, $HTML, 'a location of others');
like(whole('/v1/other', \@json, $json)->body, $HTML, 'another path');
like(whole('/v1/chat/completions', \@form, $form)->body, $HTML, 'no JSON');
is(whole('/v1/chat/completions?status=413', \@json, '{"x":1}')->body, '{"x":1}',
   'less goes on');


# --- error_page ----------------------------------------------------------

is(whole($_->[0], $_->[1], $_->[2])->body, 'a page of my own',
   "$_->[0]: the administrator's page")
    for ['/page/files', \@form, $form],
        ['/page/v1/chat/completions', \@json, $json],
        ['/again/v1/chat/completions', \@json, $json];

sub in_chunks {
    my ($uri, $headers, $body) = @_;

    my $conn = $t->connect;
    $conn->send(start('POST', $uri, @$headers, 'Transfer-Encoding' => 'chunked')
                . chunks($body));
    return $conn->response('POST');
}

is(in_chunks('/page/v1/chat/completions', \@json, $json)->body,
   'a page of my own', 'in chunks, too');
is_deeply(json_of(in_chunks('/page/files', \@form, $form)), $openai,
          'but not once a handler has begun to store the body');


$t->finish;
