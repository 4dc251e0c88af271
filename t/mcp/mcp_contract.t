#!/usr/bin/perl

# Messages to the MCP server: framing, ids, headers, revisions, notifications,
# origins, methods of HTTP, and the error of each that is wrong.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactMcp;
use ArtifactTest;
use MIME::Base64 qw(encode_base64);

my $t = ArtifactTest->new(workers => 2);
my $PARSE = -32700;
my $INVALID = -32600;
my $UNKNOWN = -32601;
my $PARAMS = -32602;
my $HEADER = -32020;
my $REVISION = -32022;
my $FRAMING = qr/\A-32(?:700|600)\z/;

$t->artifact('doc', "words\n", { type => 'text/plain', name => 'doc.txt' });

$t->start(server => mcp_server(server => <<'SERVER'));
    server_name localhost files.example.com;

    location = /app {
        artifact_mcp;
        artifact_mcp_origin https://app.example.com https://b.example.com:8443;
    }
    location = /readonly {
        artifact_mcp;
        artifact_write off;
    }
    location = /chinese {
        artifact_mcp;
        artifact_language zh;
    }
    location = /small {
        artifact_mcp;
        artifact_body_max 10k;
    }
SERVER


# --- ids ---------------------------------------------------------------------

sub ask_raw {
    my ($body, %opt) = @_;

    return mcp_post($t, $body, mcp_headers($opt{method} // 'tools/list', {},
                                           %opt));
}


my $meta = encode_json_bytes(mcp_meta());

for my $older (undef, @OLDER) {
    my @older = $older ? (older => $older) : ();
    my $label = $older // $MODERN;

    for my $id (0, 1, -1, 9007199254740993, '12345678901234567890', '"a"', '""',
                '"1"', '"' . 'x' x 500 . '"', '"日本"')
    {
        my $res = mcp_ask($t, 'tools/list', {}, @older, id => bytes($id));
        mcp_result($res, "$label: id " . substr($id, 0, 30), @older,
                   id => bytes($id));
    }

    my $res = mcp_ask($t, 'tools/list', {}, @older, id => '"\u0041\"\\\\\n/"');
    mcp_result($res, "$label: an id with escapes", @older);
    is(json_of($res)->{id}, "A\"\\\n/", "$label: the same id");

    for my $id ('null', 1.5, 'true', '[1]', '{"a":1}') {
        mcp_error(mcp_ask($t, 'tools/list', {}, @older, id => $id), 400,
                  $FRAMING, undef, "$label: the id $id");
    }
}


# the order of members, and one after five megabytes

for my $older (undef, $OLDER[0]) {
    my @older = $older ? (older => $older) : ();
    my $label = $older // $MODERN;
    my $params = $older ? '{}' : "{\"_meta\":$meta}";
    my $pad = 'x' x 5_000_000;
    my $long = $older ? "{\"pad\":\"$pad\"}"
                      : "{\"pad\":\"$pad\",\"_meta\":$meta}";

    mcp_result(ask_raw("{\"method\":\"tools/list\",\"params\":$params,"
                       . '"jsonrpc":"2.0","id":7}', @older),
               "$label: the id is last", @older, id => 7);
    mcp_result(ask_raw("{\"params\":$params,\"id\":8,\"jsonrpc\":\"2.0\","
                       . '"method":"tools/list"}', @older),
               "$label: the method is last", @older, id => 8);
    mcp_result(ask_raw("{\"params\":$long,\"method\":\"tools/list\","
                       . '"id":9,"jsonrpc":"2.0"}', @older),
               "$label: method and id behind 5 MB", @older, id => 9);
    mcp_result(ask_raw(" \r\n\t{ \"jsonrpc\" : \"2.0\" , \"id\" : 3,\n"
                       . "\"method\":\"tools/list\",\"params\":$params } \n",
                       @older), "$label: white space", @older, id => 3);
    mcp_error(ask_raw("{\"params\":$long,\"method\":\"no/such\","
                      . '"jsonrpc":"2.0","id":"last"}', @older,
                      method => 'no/such'),
              $older ? 200 : 404, $UNKNOWN, '"last"',
              "$label: an error has the id that is last");
    mcp_result(ask_raw('{"jsonrpc":"2.0","id":1,"other":[1,{"id":2}],'
                       . "\"method\":\"tools/list\",\"params\":$params}",
                       @older),
               "$label: members that nobody knows", @older, id => 1);
}

mcp_result(ask_raw('{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
                   older => $OLDER[0]),
           'older: without params', older => $OLDER[0]);


# --- framing -----------------------------------------------------------------

my $call = '"method":"tools/list","params":{}';

for my $case (
    ['' => 'nothing'], [' ' => 'a blank'], ['{' => 'an open brace'],
    ['words' => 'words'], ['"text"' => 'a string'], ['17' => 'a number'],
    ['null' => 'null'], ['[]' => 'an empty batch'],
    ["[{\"jsonrpc\":\"2.0\",\"id\":1,$call}]" => 'a batch'],
    ["{\"jsonrpc\":\"2.0\",\"id\":1,$call" => 'no closing brace'],
    ["{\"jsonrpc\":\"2.0\",\"id\":1,\"x\":\"\xff\",$call}" => 'invalid UTF-8'],
    ["{\"jsonrpc\":\"2.0\",\"id\":1,\"x\":\"\n\",$call}" => 'a raw newline'],
    ["{'jsonrpc':'2.0','id':1}" => 'single quotes'],
    ["{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,$call}" => 'two ids'],
    ["{\"jsonrpc\":\"2.0\",\"id\":1,\"\\u0069d\":2,$call}"
     => 'two, one escaped'],
    ["{\"jsonrpc\":\"2.0\",\"id\":1,$call,\"method\":\"ping\"}"
     => 'two methods'],
    ["{\"jsonrpc\":\"2.0\",\"id\":1,$call,\"params\":{}}" => 'params twice'],
) {
    my ($body, $name) = @$case;

    for my $older (undef, $OLDER[0]) {
        my $res = ask_raw($body, $older ? (older => $older) : ());

        is($res->status, 400, ($older // $MODERN) . ": $name is refused");
        my $data = json_of($res);
        like($data->{error}{code} // '', $FRAMING, "$name: its code");
        ok(!exists $data->{id} || defined $data->{id}, "$name: no null")
            or diag($res->body);
    }
}

for my $case (
    ["{\"id\":5,$call}" => 'no version of JSON-RPC'],
    ["{\"jsonrpc\":\"1.0\",\"id\":5,$call}" => 'version 1.0'],
    ["{\"jsonrpc\":2.0,\"id\":5,$call}" => 'a version that is a number'],
    ['{"jsonrpc":"2.0","id":5}' => 'no method'],
    ['{"jsonrpc":"2.0","id":5,"method":7}' => 'a method that is a number'],
    ['{"jsonrpc":"2.0","id":5,"result":{}}' => 'a response'],
) {
    mcp_error(ask_raw($case->[0], older => $OLDER[0]), 400, $INVALID, 5,
              "$case->[1] is an invalid request");
}

my $res = ask_raw("{\"jsonrpc\":\"2.0\",\"id\":1,$call} {}",
                  older => $OLDER[0]);
is($res->status, 400, 'something behind the message');

$res = ask_raw('{"jsonrpc":"2.0","id":1,"x":' . '[' x 100_000 . ']' x 100_000
               . ",$call}", older => $OLDER[0]);
like($res->status, qr/\A[24]\d\d\z/, 'a deep message is answered');


# --- revisions ---------------------------------------------------------------

for my $asked (@OLDER, '2024-11-05', '1999-01-01', $MODERN, '') {
    my $want = (grep { $_ eq $asked } @OLDER) ? $asked : $OLDER[0];
    my $result = mcp_result(
        mcp_ask($t, 'initialize', { protocolVersion => $asked,
            capabilities => {}, clientInfo => { name => 'c', version => '1' } },
            older => $OLDER[0]),
        "initialize with \"$asked\"", older => $OLDER[0]);

    is($result->{protocolVersion}, $want, "\"$asked\" is answered with $want");
    ok(length($result->{serverInfo}{name} // '')
       && length($result->{serverInfo}{version} // ''), 'who it is');
    ok(ref $result->{capabilities}{tools} eq 'HASH'
       && ref $result->{capabilities}{resources} eq 'HASH', 'what it has');
}

for my $older (@OLDER) {
    is_deeply(mcp_result(mcp_ask($t, 'ping', {}, older => $older),
                         "$older: ping", older => $older), {}, 'pong');
    mcp_error(mcp_ask($t, 'server/discover', {}, older => $older, id => 4), 200,
              $UNKNOWN, 4, "$older: nothing is discovered");
    mcp_result(mcp_ask($t, 'tools/list', {}, older => $older,
                       headers => ['Mcp-Session-Id' => 'x',
                                   'Last-Event-ID' => '9']),
               "$older: sessions and events are ignored", older => $older);
}

for my $bad ('1999-01-01', 'words', '2026-07-29') {
    $res = mcp_ask($t, 'tools/list', {}, older => $OLDER[0],
                   headers => ['MCP-Protocol-Version' => $bad]);
    is($res->status, 400, "the revision \"$bad\" of a header is refused");

    $res = mcp_ask($t, 'tools/list',
        { _meta => mcp_meta('io.modelcontextprotocol/protocolVersion'
                            => $bad) },
        id => 6, headers => ['MCP-Protocol-Version' => $bad]);
    my $error = mcp_error($res, 400, $REVISION, 6, "\"$bad\" of _meta");
    is($error->{data}{requested}, $bad, 'which one was requested');
    ok((grep { $_ eq $MODERN } @{ $error->{data}{supported} // [] }),
       'which are supported');
}

my $result = mcp_result(mcp_ask($t, 'server/discover', {}), 'server/discover');
ok((grep { $_ eq $MODERN } @{ $result->{supportedVersions} // [] }),
   'it supports the modern revision');
ok(ref $result->{capabilities}{tools} eq 'HASH'
   && ref $result->{capabilities}{resources} eq 'HASH', 'what it has');
is($result->{cacheScope}, 'public', 'that may be cached');
is($result->{ttlMs}, 3600000, 'for an hour');

for my $method (qw(initialize ping no/such tools/Call TOOLS/LIST)) {
    mcp_error(mcp_ask($t, $method, {}, id => '"u"'), 404, $UNKNOWN, '"u"',
              "$method is no modern method");
}

for my $method (qw(no/such prompts/list logging/setLevel completion/complete
                   resources/subscribe))
{
    mcp_error(mcp_ask($t, $method, {}, older => $_, id => '"u"'), 200, $UNKNOWN,
              '"u"', "$_ has no $method") for @OLDER;
}


# --- headers and _meta -------------------------------------------------------

my $read = { uri => 'artifact:doc' };

mcp_result(mcp_ask($t, 'resources/read', $read), 'all headers');
my $coded = encode_base64('artifact:doc', '');
mcp_result(mcp_ask($t, 'resources/read', $read, headers =>
                   ['Mcp-Name' => "=?base64?$coded?="]), 'a name in base64');
mcp_result(mcp_ask($t, 'resources/read', $read, headers => [Accept => undef]),
           'without Accept');

for my $case (
    ['MCP-Protocol-Version', undef], ['Mcp-Method', undef], ['Mcp-Name', undef],
    ['MCP-Protocol-Version', $OLDER[0]], ['Mcp-Method', 'tools/list'],
    ['Mcp-Method', 'Resources/Read'], ['Mcp-Name', 'artifact:do'],
    ['Mcp-Name', 'artifact:doc2'], ['Mcp-Name', ''],
    ['Mcp-Name', '=?base64?' . encode_base64('artifact:x', '') . '?='],
    ['Mcp-Name', '=?base64?!!!!?='], ['Mcp-Name', '=?base64??='],
) {
    my ($name, $value) = @$case;

    mcp_error(mcp_ask($t, 'resources/read', $read, headers => [@$case],
                      id => 11), 400, $HEADER, 11,
              $name . (defined $value ? " is \"$value\"" : ' is missing'));
}

for my $name ("line\nfeed", 'ä', ' blank ', '=?base64?eA==?=', 'x' x 3000) {
    mcp_error(mcp_ask($t, 'tools/call', { name => $name }, id => 1), 200,
              $PARAMS, 1, 'the name is that of the header, but no tool: '
              . substr($name =~ s/\n/\\n/r, 0, 20));
}

for my $case (
    ['no _meta' => {}],
    ['no revision' => { _meta => {
        'io.modelcontextprotocol/clientCapabilities' => {} } }],
    ['no capabilities' => { _meta => {
        'io.modelcontextprotocol/protocolVersion' => $MODERN } }],
    ['a revision that is a number' => { _meta => mcp_meta(
        'io.modelcontextprotocol/protocolVersion' => 20260728) }],
    ['capabilities that are a list' => { _meta => mcp_meta(
        'io.modelcontextprotocol/clientCapabilities' => []) }],
    ['_meta is a list' => { _meta => [] }],
) {
    my ($name, $params) = @$case;

    $params->{_meta} //= {};
    mcp_error(mcp_ask($t, 'tools/list', $params, id => 12), 400, $PARAMS, 12,
              $name);
}

mcp_error(ask_raw('{"jsonrpc":"2.0","id":13,"method":"tools/list"}'), 400,
          $PARAMS, 13, 'no params');

# nothing is done if a header is wrong

mcp_error(mcp_ask($t, 'tools/call', { name => 'write_file', arguments => {
              workspace => 'ws', path => 'a.txt', content => 'x' } }, id => 1,
              headers => ['Mcp-Name' => 'read_artifact']),
          400, $HEADER, 1, 'another tool in the header');
ok(!-e $t->data . '/workspaces/ws/a.txt', 'wrote nothing');


# --- notifications -----------------------------------------------------------

for my $older (undef, @OLDER) {
    my @older = $older ? (older => $older) : ();
    my $label = $older // $MODERN;

    for my $method (qw(notifications/initialized notifications/cancelled
                       notifications/no/such))
    {
        my $res = mcp_ask($t, $method, {}, @older, none => 1);
        is($res->status, 202, "$label: $method");
        is($res->body, '', "$label: without a body");
    }

    my $res = mcp_ask($t, 'tools/call', { name => 'write_file', arguments => {
        workspace => 'ws', path => 'b.txt', content => 'x' } }, @older,
        none => 1);
    is($res->status, 202, "$label: a call without an id");
    is($res->body, '', "$label: has no answer");
}

ok(!-e $t->data . '/workspaces/ws', 'and calls nothing');


# --- what HTTP has -----------------------------------------------------------

for my $method (qw(GET HEAD DELETE PUT PATCH)) {
    my $res = $t->req($method, '/mcp',
                      headers => [Accept => 'text/event-stream']);
    is($res->status, 405, "$method is not allowed");
    like($res->header('Allow') // '', qr/\bPOST\b/, 'but POST is');
}

my @PREFLIGHT = ('Access-Control-Request-Method' => 'POST',
                 'Access-Control-Request-Headers' => 'content-type,mcp-name');

my $options = $t->req('OPTIONS', '/mcp', headers => [
    Origin => 'http://localhost:3000', @PREFLIGHT]);
is($options->status, 204, 'a page may ask whether it may');
is($options->header('Access-Control-Allow-Origin'), 'http://localhost:3000',
   'it may');
like($options->header('Access-Control-Allow-Methods') // '', qr/\bPOST\b/,
     'POST');
like($options->header('Access-Control-Allow-Headers') // '', qr/\bmcp-name\b/i,
     'with its headers');
is($options->header('Vary'), 'Origin', 'which depends on the page');
$options = $t->req('OPTIONS', '/mcp', headers => [
    Origin => 'http://evil.example.com', @PREFLIGHT]);
is($options->header('Access-Control-Allow-Origin'), undef, 'another may not');
is(mcp_ask($t, 'tools/list', {}, headers => [Origin => 'http://localhost:3000'])
   ->header('Access-Control-Allow-Origin'), 'http://localhost:3000',
   'and reads the answer');

my $conn = $t->connect;
mcp_result(mcp_ask($t, 'ping', {}, older => $OLDER[0], conn => $conn),
           'a connection', older => $OLDER[0]);
mcp_error(mcp_ask($t, 'no/such', {}, conn => $conn, id => 1), 404, $UNKNOWN, 1,
          'is kept');
is(mcp_ask($t, 'notifications/x', {}, none => 1, conn => $conn)->status, 202,
   'whatever');
mcp_result(mcp_ask($t, 'tools/list', {}, conn => $conn), 'is answered');

my $message = mcp_message('tools/list', {}, id => 5);
$conn = $t->connect;
my @headers = mcp_headers('tools/list', {});
my $head = "POST /mcp HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
    . "Transfer-Encoding: chunked\r\n";
while (my ($name, $value) = splice @headers, 0, 2) {
    $head .= "$name: $value\r\n";
}
$conn->send("$head\r\n" . join('', map { "1\r\n$_\r\n" } split //, $message)
            . "0\r\n\r\n");
mcp_result($conn->response('POST'), 'byte by byte, in chunks', id => 5);

is(mcp_ask($t, 'tools/list', { pad => 'x' x 11_000 }, at => '/small')->status,
   413, 'a body that is too large');
mcp_result(mcp_ask($t, 'tools/list', { pad => 'x' x 9_000 }, at => '/small'),
           'one that is not');

for my $cut (0, 1, 20, length($message) - 1) {
    my $conn = $t->connect;
    $conn->send("POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: "
                . length($message) . "\r\n\r\n" . substr $message, 0, $cut);
    $conn->close;
}


# --- origins -----------------------------------------------------------------

sub origin {
    my ($origin, %opt) = @_;
    return mcp_ask($t, 'tools/list', {}, %opt,
                   headers => [Origin => $origin, @{ $opt{headers} // [] }]);
}


for my $good ('http://localhost', 'http://localhost:3000', 'https://localhost',
              'http://127.0.0.1:6274', 'http://[::1]:8080',
              'https://files.example.com')
{
    mcp_result(origin($good), "Origin: $good");
}

for my $bad ('http://evil.example.com', 'null', 'http://localhost.evil.com',
             'http://localhost@evil.com', 'http://evil.com/localhost',
             'https://files.example.com.evil.com', 'https://xfiles.example.com',
             'http://127.0.0.1.evil.com', 'https://app.example.com',
             'http://[::1].evil.com', 'words')
{
    is(origin($bad)->status, 403, "Origin: $bad is refused");
    is(origin($bad, older => $OLDER[0])->status, 403, 'in any revision');
}

$conn = $t->connect;
$conn->send("POST /mcp HTTP/1.1\r\nHost: evil.example.com\r\n"
            . "Origin: http://evil.example.com\r\nConnection: close\r\n"
            . "Content-Length: 2\r\n\r\n{}");
is($conn->response('POST')->status, 403, 'Host proves nothing');

mcp_result(origin($_, at => '/app'), "$_ is allowed")
    for 'https://app.example.com', 'https://b.example.com:8443',
        'http://localhost:3000';
is(origin($_, at => '/app')->status, 403, "$_ is not")
    for 'https://app.example.com.evil.com', 'https://b.example.com',
        'http://app.example.com', 'https://evil.com';
is(mcp_ask($t, 'notifications/x', {}, none => 1,
           headers => [Origin => 'http://evil.com'])->status, 403,
   'nor a notification of another');


# --- tools and templates -----------------------------------------------------

my %TOOLS = (
    read_artifact => [qw(ref workspace path lines bytes grep context
                         max_bytes)],
    list_artifacts => [qw(cursor limit type name)],
    list_workspace => [qw(workspace path cursor limit)],
    find_service => [qw(capability direction)],
    write_file => [qw(workspace path content base64 mime_type if_match)],
    save_artifact => [qw(name mime_type content base64)],
    delete_file => [qw(workspace path if_match)],
);

my @writing = qw(delete_file save_artifact write_file);
my @reading = grep { my $name = $_; !grep { $_ eq $name } @writing }
    sort keys %TOOLS;

for my $older (undef, @OLDER) {
    my @older = $older ? (older => $older) : ();
    my $label = $older // $MODERN;
    my $result = mcp_result(mcp_ask($t, 'tools/list', {}, @older),
                            "$label: tools/list", @older);
    my %tool = map { $_->{name} => $_ } @{ $result->{tools} // [] };

    is("@{[ sort keys %tool ]}", "@{[ sort @reading, @writing ]}",
       "$label: all tools");

    if (!$older) {
        is($result->{ttlMs}, 3600000, 'it never changes');
        is($result->{cacheScope}, 'public', 'for anybody');
    }

    for my $name (sort keys %tool) {
        my $tool = $tool{$name};
        my $input = $tool->{inputSchema} // {};
        my $reads = grep { $_ eq $name } @reading;

        is($input->{type}, 'object', "$label: $name takes an object");
        is("@{[ sort keys %{ $input->{properties} // {} } ]}",
           "@{[ sort @{ $TOOLS{$name} } ]}", "$label: its arguments");

        # what is not required may be null

        my %required = map { $_ => 1 } @{ $input->{required} // [] };
        my $of = $input->{properties} // {};
        is(join(' ', grep { my $type = $of->{$_}{type};
                            (ref $type ? "@$type" : $type // '') !~
                            ($required{$_} ? qr/\A(?:string|integer)\z/
                             : qr/\A(?:string|integer) null\z/)
                            || !length($of->{$_}{description} // '') }
                sort keys %$of), '', "$label: each has a type and words");
        ok(length($tool->{description} // ''), "$label: what it does");
        is(!!($tool->{annotations}{readOnlyHint}), !!$reads,
           "$label: whether it only reads");
        is($tool->{outputSchema}{type} // 'object', 'object',
           "$label: what it returns is an object");
    }

    ok($tool{list_artifacts}{outputSchema}
       && $tool{list_workspace}{outputSchema}, "$label: lists are structured");
    is(join(' ', grep { !$tool{$_}{inputSchema}{properties}{limit}
                        || $tool{$_}{inputSchema}{properties}{limit}{type}[0]
                           ne 'integer' } qw(list_artifacts list_workspace)),
       '', "$label: a limit is a number");

    $result = mcp_result(mcp_ask($t, 'tools/list', {}, @older,
                                 at => '/readonly'),
                         "$label: where nothing is written", @older);
    is("@{[ sort map { $_->{name} } @{ $result->{tools} // [] } ]}", "@reading",
       "$label: no tool writes");

    mcp_error(mcp_ask($t, 'tools/call', { name => 'write_file', arguments => {
                  workspace => 'a', path => 'b', content => '' } }, @older,
                  at => '/readonly', id => 1), 200, $PARAMS, 1,
              "$label: there it is unknown");

    $result = mcp_result(mcp_ask($t, 'resources/templates/list', {}, @older),
                         "$label: templates", @older);
    is(join(' ', sort map { $_->{uriTemplate} }
                 @{ $result->{resourceTemplates} // [] }),
       'artifact:ws:{ws}:{base64url} artifact:{id} workspace:{ws}/{+path}',
       "$label: the three forms");
    is(join(' ', grep { !length($_->{name} // '') }
            @{ $result->{resourceTemplates} // [] }), '', "$label: have names");
}

$result = mcp_result(mcp_ask($t, 'tools/list', {}, at => '/chinese'), 'in zh');
is(join(' ', grep { !/\p{Han}/ } map { $_->{description} }
        @{ $result->{tools} // [] }), '', 'Chinese words');


# --- arguments ---------------------------------------------------------------

for my $older (undef, $OLDER[0]) {
    my @older = $older ? (older => $older) : ();
    my $label = $older // $MODERN;

    mcp_error(mcp_ask($t, 'tools/call', { name => $_, arguments => {} },
                      @older, id => 3), 200, $PARAMS, 3,
              "$label: the tool \"$_\"") for 'no_such', 'Read_artifact', '';

    for my $case (
        [read_artifact => { ref => 'artifact:doc', more => 1 }],
        [read_artifact => { ref => 17 }], [read_artifact => { ref => ['a'] }],
        [read_artifact => { ref => 'artifact:doc', context => '2' }],
        [read_artifact => { ref => 'artifact:doc', max_bytes => 1.5 }],
        [read_artifact => { ref => undef }],
        [read_artifact => { ref => 'artifact:doc', lines => 5 }],
        [list_artifacts => { limit => '10' }],
        [list_workspace => { workspace => {} }],
        [write_file => { workspace => 'w', path => 'p', content => 1 }],
        [save_artifact => { name => 'n', content => 'c', ref => 'x' }],
        [delete_file => { workspace => 'w', path => 'p', content => 'c' }],
    ) {
        my ($tool, $args) = @$case;

        my $result = mcp_tool($t, $tool, $args, @older, fails => 1,
                              label => "$label: $tool "
                                  . encode_json_bytes($args));
        ok(length mcp_words($result)
           && !exists $result->{structuredContent}, "$label: in words");
    }

    for my $args ('[]', '"x"', '7') {
        my $res = mcp_post($t, '{"jsonrpc":"2.0","id":3,"method":"tools/call",'
            . '"params":{' . ($older ? '' : "\"_meta\":$meta,")
            . "\"name\":\"read_artifact\",\"arguments\":$args}}",
            mcp_headers('tools/call', { name => 'read_artifact' }, @older));
        mcp_error($res, 200, $PARAMS, 3, "$label: arguments are $args");
    }

    mcp_result(mcp_ask($t, 'tools/call', { name => 'list_artifacts' }, @older),
               "$label: no arguments", @older);
}

is($t->get('/mcp')->status, 405, 'it is there');

$t->finish;
