#!/usr/bin/perl

# References in the arguments of a tool: what is one, and what it becomes.  All
# else stays the bytes that it was.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactEcho;
use ArtifactFixtures;
use ArtifactTest;

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $uuid = '0190a5f0-0000-7000-8000-00000000000a';
my $noise = join '', map { chr($_ * 7 % 256) } 0 .. 4999;

my %content = (
    shot => [png(30, 30), 'image/png'],
    text => ["a \"line\"\r\n\xe4\xb8\xad", 'text/plain'],
    latin => ["caf\xe9 au lait, s'il vous pla\xeet\n" x 5,
              'text/plain; charset=iso-8859-1'],
    page => ['<html><body>x</body></html>', 'text/html; charset=utf-8'],
    json => ['{ "a" : [1] }', 'application/json'],
    noise => [$noise, 'application/octet-stream'],
    nothing => ['', 'text/plain'],
    $uuid => ['PK' . "\3\4" . 'x' x 100, 'application/zip'],
);
$t->artifact($_, $content{$_}[0], { mimeType => $content{$_}[1] })
    for keys %content;
$t->workspace_file('w', 'a b/c.txt', "in a workspace\n");

my $echo = echo("$dir/echo");
my $pass = "proxy_pass http://unix:$dir/echo:;";

$t->start(http => <<'HTTP', server => <<"SERVER");
    map $http_mcp_name $how {
        plain base64;
        linked url;
        '' off;
        odd no_such_form;
        default data;
    }
HTTP
    artifact_root %%DATA%%;
    artifact_url https://h/a/;
    artifact_language en;
    client_max_body_size 64m;
    location /artifacts/ { internal; artifact; }
    location /data { artifact_argument data; $pass }
    location /base64 { artifact_argument base64; $pass }
    location /url { artifact_argument url; $pass }
    location /off { artifact_argument off; $pass }
    location /map { artifact_argument \$how; $pass }
    location /outer/ {
        artifact_argument data;
        location /outer/in { $pass }
        location /outer/off { artifact_argument off; $pass }
    }
    location /both/ {
        artifact_argument \$how;
        artifact_expand on;
        artifact_accept vision;
        $pass
    }
    location /prompt/ {
        artifact_argument \$how;
        artifact_prompt on;
        $pass
    }
    location / { $pass }
SERVER

sub ask {
    my ($uri, $body, @headers) = @_;
    return $t->req('POST', $uri, body => $body,
        headers => ['Content-Type' => 'application/json', @headers]);
}

sub call_of {
    my ($arguments) = @_;
    return '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"t",'
        . qq("arguments":$arguments},"id":7});
}

sub becomes {
    my ($uri, $body, $want, $name, @headers) = @_;
    my $res = ask($uri, $body, @headers);
    is($res->{body}, $want, $name);
    like($res->header('X-Head') // '',
         qr/(?:^|\|)Content-Length: @{[length $want]}\|/,
         "$name: its length");
}

sub stays {
    my ($uri, $body, $name, @headers) = @_;
    is(ask($uri, $body, @headers)->{body}, $body, $name);
}

sub data_url {
    my ($id) = @_;
    my ($type) = $content{$id}[1] =~ /^([^;]*)/;
    return "data:$type;base64," . b64($content{$id}[0]);
}

# what it becomes, whatever the content

for my $id (sort keys %content) {
    becomes('/data', call_of(qq({"x":"artifact:$id"})),
            call_of('{"x":"' . data_url($id) . '"}'), "$id, a data URL");
    becomes('/base64', call_of(qq({"x":"artifact:$id"})),
            call_of('{"x":"' . b64($content{$id}[0]) . '"}'), "$id, base64");
    becomes('/url', call_of(qq({"x":"artifact:$id"})),
            call_of(qq({"x":"https://h/a/$id"})), "$id, a URL");
}

# what is a reference

my $shot = data_url('shot');
for my $is ('artifact:shot', 'https://h/a/shot', 'https://h/a/sh%6ft?x=1',
            'https://h/a/artifact:shot', '[artifact:shot]',
            'artifact\u003ashot', '\u0061rtifact:sho\u0074',
            'https:\/\/h\/a\/shot', '\u005bartifact:shot]',
            '[artifact:shot\u005D')
{
    becomes('/data', call_of(qq({"x":"$is"})), call_of(qq({"x":"$shot"})),
            "a reference: $is");
}

my $ws = 'data:text/plain;base64,' . b64("in a workspace\n");
my $ref = ws_id('w', 'a b/c.txt');
for my $is ("artifact:$ref", "[artifact:$ref]", "https://h/a/$ref") {
    becomes('/data', call_of(qq({"x":"$is"})), call_of(qq({"x":"$ws"})),
            "of a workspace: $is");
}
becomes('/url', call_of(qq({"x":"artifact:$ref"})),
        call_of(qq({"x":"https://h/a/$ref"})), 'the URL of a workspace file');

for my $no ('shot', $uuid, 'artifact:', '[artifact:]', 'see artifact:shot',
            'artifact:shot and more', ' artifact:shot', 'artifact:shot\n',
            'Artifact:shot', 'ARTIFACT:shot', '[artifact:shot', 'artifact:shot ',
            '[artifact:shot] image/png, 154.3 KB', '[artifact:shot][artifact:shot]',
            '[[artifact:shot]]', '(artifact:shot)', 'https://h/a/', 'https://h/b/shot',
            'HTTPS://h/a/shot', '[https://h/a/shot]', '', '\u0000artifact:shot',
            'artifact:' . 'x' x 9000, 'data:image/png;base64,AAAA')
{
    stays('/data', call_of(qq({"x":"$no"})),
          'no reference: ' . substr $no, 0, 50);
}

# where

my $deep = '{"a":' x 100 . '"%s"' . '}' x 100;
my $list = '[' x 100 . '"%s"' . ']' x 100;
for my $where ('{"a":{"b":["x",{"c":"%s"}]}}', '{"a":["%s","%s"],"b":"%s"}',
               "{\n \"a\" :\t\"%s\"\r\n}", qq({"a":$deep}), qq({"a":$list}),
               '{"artifact:shot":"%s","[artifact:shot]":1}', '["%s"]',
               '{"a":1,"a":"%s","a":null,"a":"%s"}', '{"":"%s"}',
               '{"a":"' . 'y' x 100_000 . '","b":"%s"}',
               '{"a":"%s","b":"' . 'y' x 100_000 . '"}')
{
    (my $from = $where) =~ s/%s/artifact:shot/g;
    (my $to = $where) =~ s/%s/$shot/g;
    becomes('/data', call_of($from), call_of($to),
            'at ' . substr $where, 0, 60);
}

for my $keys ('{"artifact:shot":1}', '{"a":{"https://h/a/shot":{}}}') {
    stays('/data', call_of($keys), "keys: $keys");
}

# around the arguments

my $arguments = '"arguments":{"x":"%s"}';
for my $form ('{"method":"tools/call","params":{%s}}',
              '{"params":{%s},"method":"tools/call","id":1}',
              '{"params":{%s,"name":"x"},"id":"a","method":"tools\/c\u0061ll"}',
              '{"id":1,"params":{"_meta":{"a":"artifact:shot"},%s,'
              . '"name":"artifact:shot"},"method":"tools/call"}',
              '{"method":"ping","params":{%s},"method":"tools/call"}',
              '{"method":"tools/call","params":{%s},"params":{%s}}',
              "\xef\xbb\xbf {\"method\":\"tools/call\",\"params\":{%s}}\n\n",
              '{"method":"tools/call","params":{%s,%s}}',
              '{"x":"' . 'y' x 200_000 . '","params":{%s},"method":'
              . '"tools/call"}')
{
    my ($from, $to) = map {
        my $ref = $_;
        (my $one = $arguments) =~ s/%s/$ref/;
        (my $all = $form) =~ s/%s/$one/g;
        $all;
    } 'artifact:shot', $shot;
    becomes('/data', $from, $to, 'form ' . substr $form, 0, 70);
}

for my $form ('{"method":"prompts/get","params":{%s}}',
              '{"method":"resources/read","params":{"uri":"artifact:shot",%s}}',
              '{"params":{%s}}', '{"method":1,"params":{%s}}',
              '{"method":["tools/call"],"params":{%s}}',
              '{"method":"tools/call","params":{%s},"method":"tools/list"}',
              '{"method":"tools/call ","params":{%s}}',
              '{"method":"TOOLS/CALL","params":{%s}}',
              '{"x":{"method":"tools/call","params":{%s}}}',
              '{"method":"tools/call","x":{%s}}',
              '{"method":"tools/call",%s}',
              '{"method":"tools/call","params":[{%s}]}',
              '{"method":"tools/call","params":{"x":{%s}}}',
              '{"method":"tools/call","params":{"arguments":"artifact:shot"}}',
              '{"result":{%s},"id":1}',
              '[{"method":"tools/call","params":{%s},"id":1}]',
              '{"method":"tools/call","params":{%s}', '{"method":"tools/call",'
              . '"params":{%s}}x', '{"method":"tools/call","params":{%s,}}',
              'tools/call {%s}', '"artifact:shot"', '{}', '[]', 'null', ' ',
              '{"method":"tools/call","params":{"arguments":' . '[' x 600
              . '"artifact:shot"' . ']' x 600 . '}}')
{
    (my $one = $arguments) =~ s/%s/artifact:shot/;
    (my $body = $form) =~ s/%s/$one/g;
    stays('/data', $body, 'stays: ' . substr $form, 0, 70);
}

# which requests

my $call = call_of('{"x":"artifact:shot"}');
my $done = call_of(qq({"x":"$shot"}));

stays($_, $call, $_) for '/off', '/', '/outer/off', '/map', '/both/mcp';
becomes('/outer/in', $call, $done, 'inherited');
becomes('/map', $call, $done, 'a variable', 'Mcp-Name' => 'x');
becomes('/map', $call, call_of('{"x":"' . b64($content{shot}[0]) . '"}'),
        'a variable: base64', 'Mcp-Name' => 'plain');
becomes('/map', $call, call_of('{"x":"https://h/a/shot"}'),
        'a variable: a URL', 'Mcp-Name' => 'linked');
stays('/map', $call, 'a value that is none', 'Mcp-Name' => 'odd');
is(scalar(() = $t->log =~ /unknown value "no_such_form" of "artifact_arg/g),
   1, 'it is logged');

for my $type ('application/json; charset=utf-8', 'text/json',
              'application/vnd.x+json', 'Application/JSON')
{
    is($t->req('POST', '/data', body => $call,
               headers => ['Content-Type' => $type])->{body}, $done, $type);
}
is($t->req('POST', '/data', body => $call,
           headers => ['Content-Type' => 'text/plain'])->{body}, $call,
   'no JSON');
is($t->req('PUT', '/data', body => $call,
           headers => ['Content-Type' => 'application/json'])->{body}, $call,
   'no POST');

# beside artifact_expand

my $chat = '{"messages":[{"role":"user","content":[{"type":"image_url",'
    . '"image_url":{"url":"%s"}}]}]}';
becomes('/both/mcp', $call, $done, 'a call, beside expansion',
        'Mcp-Name' => 'x');
is(ask('/both/v1/chat/completions', sprintf $chat, 'artifact:shot')->{body},
   sprintf($chat, $shot), 'a request to a model, where there is no argument');

becomes('/prompt/mcp', $call, $done, 'a call gets no instruction',
        'Mcp-Name' => 'x');
like(ask('/prompt/v1/chat/completions', '{"messages":[]}')->{body},
     qr/<artifacts>/, 'a request to a model does');
stays('/map/v1/chat/completions', sprintf($chat, 'artifact:shot'),
      'without artifact_expand requests to models stay');

# a body cut at each byte, with a length and in chunks

my $cut = call_of(qq({"a":["artifact\\u003ashot","\xe4\xb8\xad"],)
                  . qq("b":"[artifact:$uuid]"}));
my $whole = call_of(qq({"a":["$shot","\xe4\xb8\xad"],"b":")
                    . data_url($uuid) . '"}');
my @bad;
for my $at (1 .. length($cut) - 1) {
    my $head = "POST /data HTTP/1.1\r\nHost: x\r\n"
        . "Content-Type: application/json\r\n";
    my ($one, $two) = (substr($cut, 0, $at), substr $cut, $at);
    my $conn = $t->connect;

    $conn->send($head . 'Content-Length: ' . length($cut) . "\r\n\r\n$one");
    $conn->send($two);
    push @bad, $at if $conn->response('POST')->{body} ne $whole;

    $conn->send($head . "Transfer-Encoding: chunked\r\n\r\n"
        . join('', map { sprintf "%x\r\n%s\r\n", length, $_ } $one, $two)
        . "0\r\n\r\n");
    push @bad, "chunk $at" if $conn->response('POST')->{body} ne $whole;
    $conn->close;
}
is("@bad", '', 'in two pieces');

my $conn = $t->connect;
$conn->send("POST /data HTTP/1.1\r\nHost: x\r\n"
    . "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    . join('', map { sprintf "%x\r\n%s\r\n", length, $_ } split //, $cut)
    . "0\r\n\r\n");
is($conn->response('POST')->{body}, $whole, 'as chunks of one byte');
$conn->close;

is(ask('/data', gzip_of($cut), 'Content-Encoding' => 'gzip')->{body}, $whole,
   'compressed');
stays('/data', gzip_of(call_of('{}')), 'compressed, without a reference',
      'Content-Encoding' => 'gzip');

$echo->stop;
$t->finish;
