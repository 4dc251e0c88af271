#!/usr/bin/perl

# artifact_format object: the store's own object, for programs.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;

my $KEYS = 'id content type createdAt messageId meta isBinary mimeType';
my $created = '2026-01-01T00:00:00.000Z';

my $t = ArtifactTest->new;
my $png = png();

$t->artifact('png', $png, {
    type => 'image/png', name => 'shot.png', createdAt => $created,
    messageId => 'msg-1', meta => { filename => 's.png', n => [1, undef] },
}, '.png');
$t->artifact('text', bytes("第一行\n\"two\"\n"), { type => 'text/plain' });
$t->artifact('nothing', 'plain words', undef);
$t->artifact('looks', '{"a":1}', { type => 'text/plain' });
$t->workspace_file('w1', 'src/a.json', '{"k": [1, 2]}');
$t->workspace_meta('w1', { 'src/a.json' => {
    mimeType => 'application/json', updatedAt => $created } });
$t->workspace_file('w1', 'b.txt', 'b');
$t->workspace_meta('w2', { 'c.txt' => {
    mimeType => 'text/plain', createdAt => $created,
    updatedAt => '2026-02-01T00:00:00.000Z' } });
$t->workspace_file('w2', 'c.txt', 'c');

$t->start(server => <<'SERVER');
    artifact_root %%DATA%%;
    artifact_route on;
    artifact_format object;

    location /artifacts/ {
        artifact;
    }
    location /workspaces/ {
        artifact_workspace;
    }
    location /small/ {
        artifact;
        artifact_inline_max 10;
    }
    location /cut/ {
        artifact;
        artifact_text_max 5;
    }
    location /always/ {
        artifact;
        artifact_route always;
    }
SERVER

sub object {
    my ($uri, $caps) = @_;
    my $res = $t->accept($caps || 'text', $uri);
    is($res->{status}, 200, "$uri is there");
    header_is($res, 'Content-Type', 'application/json', "$uri is JSON");
    my $data = json_of($res);
    is(key_order($data), $KEYS, "$uri has the eight keys in order");
    return ($data, $res);
}

# binaries, whatever the reader can take

for my $caps ('text', 'vision', 'file') {
    my ($data) = object('/artifacts/png', $caps);
    is($data->{content}, b64($png), "an image is base64 for \"$caps\"");
    ok(is_bool($data->{isBinary}) && $data->{isBinary}, 'and isBinary');
}
my ($data, $res) = object('/artifacts/artifact:png');
is($data->{id}, 'png', 'id');
is($data->{type}, 'image/png', 'type');
is($data->{mimeType}, 'image/png', 'mimeType');
is($data->{createdAt}, $created, 'createdAt');
is($data->{messageId}, 'msg-1', 'messageId');
is_deeply($data->{meta}, { filename => 's.png', n => [1, undef] },
          'meta, whole');
is(json_of($t->get('/always/png'))->{content}, b64($png),
   'also for nobody in particular');

# texts

($data) = object('/artifacts/text');
is($data->{content}, "第一行\n\"two\"\n", 'a text is a string');
ok(is_bool($data->{isBinary}) && !$data->{isBinary}, 'and not isBinary');
is($data->{createdAt}, undef, 'an unknown createdAt is null');
is($data->{messageId}, undef, 'an unknown messageId is null');
is($data->{meta}, undef, 'no meta is null');

($data) = object('/artifacts/nothing');
is($data->{content}, 'plain words', 'a text without a sidecar');
is($data->{mimeType}, 'text/plain', 'its mimeType');

($data) = object('/artifacts/looks');
is($data->{content}, '{"a":1}', 'JSON declared text stays a string');

# JSON media types

my $n = 0;

sub json_artifact {
    my ($content, $type) = @_;
    my $id = 'j' . ++$n;
    $t->artifact($id, $content, { type => $type || 'application/json' });
    return object("/artifacts/$id");
}

for my $text ('{"b":1.0,"a":1e5, "c" : [ ] }', '[1,2.50,{"x":"\u4e2d\/"}]',
              '"words"', '123456789012345678901234567890', 'true',
              '{"a":1,"b":{"a":2}}', bytes('{"中":"文"}'), '-0.0')
{
    my ($data, $res) = json_artifact($text);
    like($res->body, qr/"content":\Q$text\E,"type":/,
         "embedded byte for byte: " . chars($text));
    ok(!$data->{isBinary}, 'and not binary');
}
($data) = json_artifact('null');
is($data->{content}, undef, 'the JSON text null');
($data) = json_artifact("  {\"a\": 1}\n\n");
is_deeply($data->{content}, { a => 1 }, 'JSON with white space around');
($data) = json_artifact('{"a":1}', 'application/json; charset=utf-8');
is_deeply($data->{content}, { a => 1 }, 'a JSON type with a parameter');
($data) = json_artifact('{"a":1}', 'application/ld+json');
is_deeply($data->{content}, { a => 1 }, 'a +json type');

for my $text ('{"a":1', '{a:1}', "{'a':1}", '[1,]', '{} {}', 'NaN', '01',
              'nul', '"a' . "\n" . 'b"', '{"a":1}x', '/* x */ {}', '',
              '["\ud800\u0041\x"]', "[\"\x01\"]", '+1', '.5', '1.')
{
    my ($data) = json_artifact($text);
    is($data->{content}, $text, 'invalid JSON is a string: '
       . $text =~ s/[^ -~]/?/gr);
}

my $fill = 'x' x (65536 - 8);
($data) = json_artifact("{\"a\":\"$fill\"}");
is(ref $data->{content}, 'HASH', 'JSON of 64 KB is embedded');
($data) = json_artifact("{\"a\":\"${fill}x\"}");
is($data->{content}, "{\"a\":\"${fill}x\"}",
   'JSON of 64 KB and one byte is a string');

my $deep = '[' x 30000 . ']' x 30000;
($data) = json_artifact($deep);
ok(ref $data->{content} eq 'ARRAY' || $data->{content} eq $deep,
   'JSON nested 30000 deep is whole');

($data) = json_artifact("{\"a\":\"x\xffy\"}");
is($data->{content}, "{\"a\":\"x\x{fffd}y\"}",
   'JSON with a stray byte is a string');

# workspace files

($data) = object('/workspaces/w1/src/a.json');
is($data->{id}, ws_id('w1', 'src/a.json'), 'the id of a workspace file');
is_deeply($data->{content}, { k => [1, 2] }, 'its content');
is($data->{type}, 'application/json', 'its type');
is($data->{createdAt}, $created, 'createdAt falls back to updatedAt');
is_deeply($data->{meta}, { name => 'a.json', filename => 'a.json',
    workspaceId => 'w1', relativePath => 'src/a.json' }, 'its meta');
is(key_order($data->{meta}), 'name filename workspaceId relativePath',
   'the order of its meta');
($data) = object('/workspaces/w1/b.txt');
is($data->{createdAt}, undef, 'no createdAt known');
($data) = object('/workspaces/w2/c.txt');
is($data->{createdAt}, $created, 'createdAt comes before updatedAt');

# limits

$res = $t->accept('vision', '/small/png');
$data = json_of($res);
is(key_order($data), "$KEYS reason", 'a binary that is too large');
is($data->{content}, undef, 'has no content');
is($data->{reason}, 'size', 'but a reason');
ok($data->{isBinary}, 'and is binary still');
$t->artifact('long', 'abcdefghij', { type => 'text/plain' });
like(json_of($t->accept('text', '/cut/long'))->{content}, qr/\Aabcde\z/,
     'a text is cut by artifact_text_max');
$t->artifact('empty', '', { type => 'text/plain' });
($data) = object('/artifacts/empty');
is($data->{content}, '', 'an empty text');

$t->finish;
