#!/usr/bin/perl

# What is no message: methods, sizes, JSON of all kinds, formats that there are
# not; and what nginx -t says.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;

my $t = ArtifactTest->new;

$t->artifact('shot', png(9, 9), { type => 'image/png', name => 's.png' });
$t->file('page.html', 'the page');

my $server = <<'SERVER';
    artifact_root %%DATA%%;
    artifact_accept vision;
    client_max_body_size 2m;
    ssi_types *;

    location /artifacts/ { internal; artifact; }
    location /route      { artifact_message; artifact_language en; }
    location /three      { artifact_message; artifact_refs_max 3; }
    location /none       { artifact_message; artifact_refs_max 0; }
    location /short      { artifact_message; client_max_body_size 1k; }
    location /unknown    { artifact_message; artifact_format $http_x_format; }
    location /page       { artifact_message; error_page 400 413 /page.html; }
    location /taken      { proxy_pass http://unix:%%PREFIX%%/nobody;
                           error_page 502 = @message; }
    location /begun      { proxy_pass http://unix:%%PREFIX%%/nobody;
                           proxy_request_buffering off;
                           error_page 502 = @message; }
    location @message    { artifact_message; }
    location /page.html  { root %%PREFIX%%; }
    location /ssi        { ssi on; return 200 '<!--#include virtual="/route" -->'; }
    location /post       { auth_request /route; artifact_message; }
    location /mirror     { mirror /mirrored; artifact_message; }
    location /mirrored   { artifact_message; log_subrequest on;
                           access_log %%PREFIX%%/mirrored.log short; }
SERVER

$t->allow(qr/nobody/);
$t->start(http => 'log_format short $status;', server => $server);

sub ask {
    my ($uri, $body, @headers) = @_;
    return $t->req('POST', $uri, headers => \@headers, body => bytes($body));
}

sub parts_of { return @{ json_of($_[0])->{processedContent} } }

# methods

for my $method (qw(GET PUT DELETE PATCH OPTIONS)) {
    my $res = $t->req($method, '/route', body => '{}');
    error_is($res, 405, 'method_not_allowed', '', $method);
    header_is($res, 'Allow', 'POST', '... tells which');
}

my $res = $t->head('/route');
is($res->{status}, 405, 'HEAD');
is($res->{body}, '', '... has no body');
like($t->get('/ssi')->body, qr/method_not_allowed/, 'an inclusion');
is($t->req('POST', '/post', body => '{}')->{status}, 500,
   'another request\'s check');
is($t->req('POST', '/mirror', body => '{"text":"x"}')->{status}, 200,
   'a mirrored request');
ok($t->wait_for(qr/^405$/m, 'mirrored.log'), '... is a message once');

# JSON

my $deep = '[' x 3000 . ']' x 3000;

for my $case (
    ['', 'nothing'], [' ', 'a space'], ['x', 'a word'], ['null', 'null'],
    ['[]', 'an array'], ['"artifact:shot"', 'a string'], ['1', 'a number'],
    ['{', 'one brace'], ['{}}', 'three braces'], ['{"text":"a}', 'no end'],
    ['{"text":"a\\x"}', 'an escape'], ["{\"text\":\"a\nb\"}", 'a line feed'],
    ['{"text":\'a\'}', 'quotes'], ['{"text":"a",}', 'a comma'],
    ['{"text":1}', 'a number for a text'], ['{"payload":[]}', 'a payload'],
    ['{"payload":{"text":{}}}', 'an object for a text'],
    ['{"attachments":{}}', 'an object for a list'],
    ['{"attachments":"artifact:shot"}', 'a string for a list'],
    ['{"attachments":[1]}', 'a number in it'],
    ['{"attachments":[null]}', 'null in it'],
    ['{"attachments":[["artifact:shot"]]}', 'a list in it'],
    ["{\"x\":$deep}", 'what is too deep'], ['{"x":' x 3000, 'without an end'],
    ["\x{feff}\x{feff}{}", 'two marks'])
{
    my ($body, $name) = @$case;
    error_is(ask('/route', $body), 400, 'invalid_json', '', $name);
}

error_is($t->req('POST', '/route', body => "{\"text\":\"\xff\"}"), 400,
         'invalid_json', '', 'no UTF-8');
error_is($t->req('POST', '/route', body => "{\"text\":\"a\0b\"}"), 400,
         'invalid_json', '', 'a NUL');
error_is($t->req('POST', '/route'), 400, 'invalid_json', '', 'no body');

is(ask('/route', "\x{feff}{}")->{status}, 200, 'one mark is passed over');
is(ask('/route', '{}', 'Content-Type' => 'text/plain')->{status}, 200,
   'whatever it is called');
is((parts_of(ask('/route', '{"text":"a","text":"b"}')))[0]{text}, 'b',
   'of two the last one counts');
is((parts_of(ask('/route', '{"text":"a","te\\u0078t":"b"}')))[0]{text}, 'b',
   '... however it is spelt');
is(scalar parts_of(ask('/route', '{"text":null,"payload":null,'
   . '"attachments":null,"service":null}')), 0, 'null is nothing');

# hostile claims

my $long = 'n' x 200_000;

for my $claim ('"filename":"' . $long . '"', '"filename":7', '"size":-1',
               '"size":1e3', '"size":99999999999999999999', '"size":"9"',
               '"mimeType":"' . $long . '"', '"mimeType":"a b"',
               '"mimeType":"text/plain\\r\\nx: y"', '"type":"' . $long . '"',
               '"type":["image"]', '"artifactRef":["x"]')
{
    my $name = substr $claim, 0, 30;
    my $res = ask('/route', '{"attachments":[{"artifactRef":"gone",'
                  . $claim . '}]}');
    my $data = json_of($res);
    is($res->{status}, 200, $name);
    is(join(' ', grep { !/^artifactRef/ }
            keys %{ $data->{unsupportedAttachments}[0] }), '',
       '... is not known');
}

$res = ask('/route', '{"attachments":["' . $long . '",'
           . '"artifact:' . $long . '"]}');
is($res->{status}, 200, 'references without an end');
cmp_ok(length $res->body, '<', 20_000, '... are not repeated');

$res = ask('/route', '{"attachments":[{"artifactRef":"gone","filename":'
           . '"a\\n\\u202eb\\u0000\\"\\\\.png"}]}');
is(json_of($res)->{unsupportedAttachments}[0]{filename},
   "a__b_\"\\.png", 'a name is one line');

# numbers and sizes

my $three = join ',', ('"shot"') x 3;

is(scalar parts_of(ask('/three', qq({"attachments":[$three]}))), 3, 'three');
error_is(ask('/three', qq({"attachments":[$three,"shot"]})), 413,
         'too_many_artifacts', '', 'four');
error_is(ask('/three', qq({"attachments":[$three,"../"]})), 413,
         'too_many_artifacts', '', 'whatever they are');
error_is(ask('/none', '{"attachments":["shot"]}'), 413, 'too_many_artifacts',
         '', 'one is too many');
is(ask('/none', '{"text":"x"}')->{status}, 200, 'none is none');
is(scalar parts_of(ask('/route', '{"attachments":['
   . join(',', ('"shot"') x 64) . ']}')), 64, '64 of them');
error_is(ask('/route', '{"attachments":[' . join(',', ('"shot"') x 65) . ']}'),
         413, 'too_many_artifacts', '', '65 of them');

my $mb = '{"text":"' . 'x' x (1048576 - 11) . '"}';

is(length $mb, 1048576, '1 MB');
is(ask('/route', $mb)->{status}, 200, '... can be read');
error_is(ask('/route', "$mb "), 413, 'content_too_large', '', 'a byte more');
error_is(ask('/short', 'x' x 1025), 413, 'content_too_large', '',
         'client_max_body_size');

my $conn = $t->connect;
$conn->send("POST /route HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked"
    . "\r\n\r\n" . sprintf("%x\r\n%s\r\n", length "$mb ", "$mb ")
    . "0\r\n\r\n");
error_is($conn->response('POST'), 413, 'content_too_large', '', 'in chunks');
is($conn->request('POST', '/route', body => '{}', keep => 1)->{status}, 200,
   'the connection is well');
$conn->close;

# many small things at once: no tree is made of them

SKIP: {
    skip 'a sanitizer keeps freed memory', 1 if $t->version =~ /-fsanitize/;

    my ($worker) = $t->workers;
    my $tiny = '{"x":[' . join(',', ('{}') x 300_000) . ']}';
    ask('/route', $mb) for 1 .. 3;
    my $before = $t->memory($worker);
    is(ask('/route', $tiny)->{status}, 200, 'many objects');
    cmp_ok($t->memory($worker) - $before, '<', 2048, '... take no memory');
}

# formats

for my $format ('nonsense', 'openai,gemini', 'ROUTE', 'route%00') {
    error_is(ask("/route?format=$format", '{}'), 400, 'invalid_argument', '',
             "format $format");
}

is(ref json_of(ask('/unknown', '{}', 'X-Format' => 'nonsense'))
   ->{processedContent}, 'ARRAY', 'an unknown one of the configuration');
like($t->log, qr/unknown artifact format "nonsense"/, '... is logged');
is(ref json_of(ask('/unknown', '{}', 'X-Format' => 'openai'))
   ->{processedContent}, 'HASH', 'one that is known');

# the administrator's own pages

is(ask('/page', 'x')->body, 'the page', 'an error page');
is(ask('/page', 'x' x 1_100_000)->body, 'the page', '... for size');

# a body that somebody else has read, or begun with

is((parts_of(ask('/taken', '{"text":"x"}')))[0]{text}, 'x', 'another handler');
error_is(ask('/begun', '{"text":"' . 'x' x 500_000 . '"}'), 400,
         'invalid_json', '', 'one that has used up the body');

# conditions and ranges are for what has a tag

$res = ask('/route', '{}', 'If-Match' => '"x"', 'If-None-Match' => '*',
           Range => 'bytes=0-1');
is($res->{status}, 200, 'conditions do not matter');

# configurations

for my $case (
    ['location /x { artifact_message on; }', qr/invalid number of arguments/],
    ['location /x { artifact_message; artifact_message; }', qr/is duplicate/],
    ['location /x { artifact_message; artifact; }', qr/is duplicate/],
    ['artifact_message;', qr/not allowed here/])
{
    my ($conf, $re) = @$case;
    my ($status, $out) = $t->conf_test(server => $conf);
    ok($status, "refused: $conf");
    like($out, $re, '... with a reason');
}

$t->finish;
