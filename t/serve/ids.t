#!/usr/bin/perl

# References: regular ids, artifact: prefixes, workspace ids; the bad ones.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactTest;

my $t = ArtifactTest->new;

$t->artifact('abc123', 'regular', { type => 'text/plain' }, '.txt');
$t->artifact(bytes('报告 1'), 'chinese', { type => 'text/plain' });
$t->artifact('artifact:twice', 'kept prefix', { type => 'text/plain' });
$t->artifact('a.b-c_d', 'dots', { type => 'text/plain' }, '.md');
$t->workspace_file('w1', 'src/a.js', 'let a = 1;');
$t->workspace_file('w1', 'a', 'one letter');
$t->workspace_file('w1', 'ab', 'two letters');
$t->workspace_file('w1', bytes('中文/文件.txt'), 'chinese path');
$t->workspace_file('w1', "a?>~\xc3\xbf.txt", 'alphabet');
$t->workspace_file('a:b', 'a', 'colon');
$t->workspace_file('a b', 'a', 'space');
$t->workspace_file('x' x 255, 'a', 'long');
$t->start;

# regular ids

is($t->get('/artifacts/abc123')->body, 'regular', 'regular id');
is($t->get('/artifacts/%61bc123')->body, 'regular', 'percent-encoded id');
is($t->get('/artifacts/' . uri(bytes('报告 1')))->body, 'chinese',
   'id in Chinese and with a space');
is($t->get('/artifacts/a.b-c_d')->body, 'dots', 'id with punctuation');
is($t->get('/artifacts/artifact:abc123')->body, 'regular',
   'artifact: prefix');
is($t->get('/artifacts/artifact%3Aabc123')->body, 'regular',
   'percent-encoded artifact: prefix');
is($t->get('/artifacts/artifact:artifact:twice')->body, 'kept prefix',
   'artifact: is stripped once');
error_is($t->get('/artifacts/artifact:artifact:abc123'), 404,
         'artifact_not_found', 'artifact:artifact:abc123',
         'artifact: is not stripped twice');
error_is($t->get('/artifacts/nope'), 404, 'artifact_not_found', 'nope',
         'unknown id');
error_is($t->get('/artifacts/artifact:nope'), 404, 'artifact_not_found',
         'artifact:nope', 'the error names the reference as it came');
error_is($t->get('/artifacts/'), 404, 'artifact_not_found', undef,
         'no reference');
error_is($t->get('/artifacts/metadata'), 404, 'artifact_not_found',
         'metadata', 'the word metadata is an id like any other');

# workspace ids

my $id = 'ws:w1:c3JjL2EuanM';
is($id, ws_id('w1', 'src/a.js'), 'the example id');
is($t->get("/artifacts/$id")->body, 'let a = 1;', 'unpadded workspace id');
is($t->get("/artifacts/$id=")->body, 'let a = 1;', 'padded workspace id');
is($t->get("/artifacts/$id%3D")->body, 'let a = 1;',
   'workspace id with percent-encoded padding');
is($t->get("/artifacts/artifact:$id=")->body, 'let a = 1;',
   'artifact: before a workspace id');
is($t->get('/artifacts/ws:w1:YQ')->body, 'one letter', 'unpadded, two short');
is($t->get('/artifacts/ws:w1:YQ==')->body, 'one letter', 'padded, two short');
is($t->get('/artifacts/ws:w1:YWI')->body, 'two letters',
   'unpadded, one short');
is($t->get('/artifacts/ws:w1:YWI=')->body, 'two letters',
   'padded, one short');
is($t->get('/artifacts/' . ws_id('w1', bytes('中文/文件.txt')))->body,
   'chinese path', 'workspace id of a Chinese path');
like(ws_id('w1', "a?>~\xc3\xbf.txt"), qr/[-_]/, 'an id of the URL alphabet');
is($t->get('/artifacts/' . ws_id('w1', "a?>~\xc3\xbf.txt"))->body, 'alphabet',
   'URL-safe alphabet');
is($t->get('/artifacts/ws:a%20b:YQ')->body, 'space',
   'workspace id with a space');
is($t->get('/artifacts/ws:' . 'x' x 255 . ':YQ')->body, 'long',
   'workspace id of 255 bytes');

is($t->get('/artifacts/ws:a:b:YQ')->body, 'colon',
   'workspace id with a colon');
ok($t->wait_for(qr/\[warn\].*a:b/), 'a colon is logged at warn');

error_is($t->get('/artifacts/' . ws_id('w1', 'nope')), 404,
         'artifact_not_found', ws_id('w1', 'nope'), 'missing workspace file');
error_is($t->get('/artifacts/' . ws_id('nope', 'a')), 404,
         'artifact_not_found', ws_id('nope', 'a'), 'missing workspace by id');
error_is($t->get('/artifacts/' . ws_id('w1', 'src')), 404,
         'artifact_not_found', undef, 'a folder by id');
error_is($t->get('/artifacts/WS:w1:YQ'), 404, 'artifact_not_found',
         'WS:w1:YQ', 'the ws: prefix is lower case');

# canonical ids in the answers

sub canonical {
    my ($ref) = @_;
    return json_of($t->accept('text', "/artifacts/$ref"))->{metadata}{id};
}

is(canonical('abc123'), 'abc123', 'canonical regular id');
is(canonical('artifact:abc123'), 'abc123', 'canonical id has no artifact:');
is(canonical("$id="), $id, 'canonical id is unpadded');
is(canonical("artifact:$id="), $id, 'canonical id of a full reference');
is(canonical(ws_id('w1', 'src/./a.js')), $id,
   'canonical id of a path with a dot');
is(canonical(ws_id('w1', 'x/../src/a.js')), $id,
   'canonical id of a path with an inner ..');
is(canonical('ws:a:b:YQ'), 'ws:a:b:YQ', 'canonical id with a colon');

# bad ids

my @bad = (
    'ws:', 'ws::', 'ws:::', 'ws:w1', 'ws:w1:', 'ws::YQ', 'artifact:ws:w1',
    'artifact:', 'ws:w1:Y', 'ws:w1:YWJjZ', 'ws:w1:YR', 'ws:w1:YWJ',
    'ws:w1:YQ!', 'ws:w1:Y Q', 'ws:w1:Y+8', 'ws:w1:=', 'ws:w1:Y=Q=',
    'ws:w1:YQ===', 'ws:..:YQ', 'ws:.:YQ', "ws:w\x01:YQ", "ws:w\x7f:YQ",
    'ws:' . 'x' x 256 . ':YQ', '.hidden', 'artifact:.', 'artifact:.hidden',
    ws_id('w1', "a\0b"), ws_id('w1', "\0"), ws_id('w1', "\xff"),
    ws_id('w1', "\xc0\xaf"), ws_id('w1', "\xed\xa0\x80"),
    ws_id('w1', "a\xe4\xb8"), ws_id('w1', "\xf4\x90\x80\x80"),
    'a/b', 'abc123/', 'abc123/metadata/', 'abc123/metadata/x', 'ws:w/1:YQ',
    'ws:w1:Y/8',
);

for my $ref (@bad) {
    my $shown = $ref =~ s/([^ -~])/sprintf '\\x%02x', ord $1/ger;
    $shown = substr($shown, 0, 30) . '...' if length $shown > 40;
    error_is($t->get('/artifacts/' . uri($ref)), 400, 'invalid_artifact_id',
             undef, "bad id $shown");
}

for my $path ('/etc/passwd', '/', '../a', '..', 'src/../../w1/a', './../a') {
    error_is($t->get('/artifacts/' . ws_id('w1', $path)), 403,
             'path_traversal_blocked', ws_id('w1', $path),
             "an id that leaves the workspace: $path");
}

error_is($t->get('/artifacts/' . uri("a\xffb")), 400, 'invalid_artifact_id',
         undef, 'a reference that is not UTF-8');
error_is($t->accept('vision', '/artifacts/ws:w1:Y'), 400,
         'invalid_artifact_id', 'ws:w1:Y', 'a bad id, routed');
error_is($t->get('/artifacts/ws:w1:Y/metadata'), 400, 'invalid_artifact_id',
         'ws:w1:Y', 'the metadata of a bad id');
error_is($t->get('/artifacts/nope/metadata'), 404, 'artifact_not_found',
         'nope', 'the metadata of an unknown id');

$t->finish;
