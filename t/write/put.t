#!/usr/bin/perl

# PUT of workspace files: the answer, the content, the metadata, and names
# of every kind.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactCurl;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactWrite;

my $t = ArtifactTest->new(workers => 2);
my $dir = $t->data . '/workspaces';

$t->workspace_file('old ws', 'there.txt', 'before');
$t->workspace_file('kept', 'a.txt', 'old a');
$t->workspace_file('kept', 'b.txt', 'old b');

my $other = '{ "mimeType":"text/x-other",  "tags":["x", 1.10],'
    . ' "count":12345678901234567890123, "modifiedBy":[{"agentId":"z"}] }';
$t->workspace_meta('kept', <<"END");
{"schema":{"v":3},"workspaceId":"kept","createdAt":"2024-01-01T00:00:00.000Z",
 "owner" : "someone else", "files":{
  "a.txt":{"color":"red","mimeType":"text/x-old",
    "createdAt":"2024-02-02T00:00:00.000Z",
    "updatedAt":"2024-02-02T00:00:00.000Z","deep":{"list":[1,2,{"x":null}]},
    "modifiedBy":[{"agentId":"first","timestamp":"2024-02-02T00:00:00.000Z",
                   "messageId":null,"note":"kept"}]},
  "b.txt":$other},
 "last":[true,false,null]}
END

my $spare = ArtifactTest->new;
my $http2 = 'server { listen 127.0.0.1:' . $spare->port . ' http2;'
    . write_server() . ' }';

$t->start(http => $http2, server => write_server(<<'SERVER'));
    location /always/ {
        artifact_workspace;
        artifact_route always;
    }
    location /nosync/ {
        artifact_workspace;
        artifact_sync off;
        aio threads;
    }
    location /vars/ {
        artifact_workspace;
        artifact_agent $arg_by;
        artifact_message_id "m-$arg_msg";
    }
SERVER

my %many = map { $_ => chr(97 + $_ % 26) x $_ }
    (1, 100, 1023, 1024, 8191, 8192, 8193, 16384, 40000, 3_000_000);

for my $at (qw(/workspaces/ /inline/ /nosync/)) {
    my ($ws) = $at =~ m{(\w+)};
    my $path = "new-$ws/src/deep/main.js";

    my $res = put($t, $path, "main();\n", at => $at, agent => 'agent-a',
                  message => 'msg-1', type => 'text/javascript');
    written($res, 201, $path, "$at creates a file, its folders, a workspace");
    stored($t, $path, "main();\n", $res->header('ETag'), "$at: it is there");

    my $meta = metadata_at($t, $path);
    is($meta->{mimeType}, 'text/javascript', "$at: mimeType, at once");
    is($meta->{type}, 'text/javascript', "$at: type, at once");
    is($meta->{name}, 'main.js', "$at: name");
    like($meta->{createdAt}, $TIME, "$at: createdAt, at once");
    is($meta->{updatedAt}, $meta->{createdAt}, "$at: updatedAt is the same");
    my $first = $meta->{meta}{modifiedBy};
    is_deeply($first, [{ agentId => 'agent-a', messageId => 'msg-1',
                         timestamp => $meta->{updatedAt} }],
              "$at: the author, at once");

    my $entry = entry_when($t, $path, sub { $_->{mimeType} });
    ok($entry, "$at: an entry on the disk within a second");
    is($entry->{mimeType}, 'text/javascript', "$at: its mimeType");
    is($entry->{createdAt}, $meta->{createdAt}, "$at: its createdAt");
    is($entry->{updatedAt}, $meta->{updatedAt}, "$at: its updatedAt");
    is_deeply($entry->{modifiedBy}, $first, "$at: its author");
    my $whole = disk_meta($t, "new-$ws");
    is($whole->{workspaceId}, "new-$ws", "$at: the workspaceId");
    like($whole->{createdAt}, $TIME, "$at: the workspace's createdAt");

    $res = put($t, $path, 'other', at => $at, agent => 'agent-b',
               type => 'application/x-js; charset=utf-8');
    written($res, 200, $path, "$at replaces a file");
    stored($t, $path, 'other', $res->header('ETag'), "$at: the new content");

    my $now = metadata_at($t, $path);
    is($now->{type}, 'application/x-js', "$at: the new type");
    header_is($t->get("/workspaces/$path"), 'Content-Type',
              'application/x-js; charset=utf-8', "$at: with its parameter");
    is($now->{createdAt}, $meta->{createdAt}, "$at: createdAt stays");
    cmp_ok($now->{updatedAt}, 'gt', $meta->{updatedAt},
           "$at: updatedAt goes on");
    is_deeply($now->{meta}{modifiedBy}, [@$first, {
        agentId => 'agent-b', messageId => undef,
        timestamp => $now->{updatedAt} }], "$at: the history grows");
    $entry = entry_when($t, $path, sub { @{ $_->{modifiedBy} } == 2 });
    is_deeply($entry && $entry->{modifiedBy}, $now->{meta}{modifiedBy},
              "$at: on the disk, too");
    is($entry->{mimeType}, 'application/x-js; charset=utf-8',
       "$at: with the type as it came");
    is($entry->{createdAt}, $meta->{createdAt}, "$at: with its createdAt");

    $res = put($t, $path, 'nobody', at => $at);
    $now = metadata_at($t, $path);
    is(scalar @{ $now->{meta}{modifiedBy} }, 2,
       "$at: no author, no entry in the history");
    is($now->{mimeType}, 'text/plain', "$at: but a new type");
    cmp_ok($now->{updatedAt}, 'gt', $entry->{updatedAt}, "$at: and a date");

    for my $size (sort { $a <=> $b } keys %many) {
        my $file = "new-$ws/size-$size";
        $res = put($t, $file, $many{$size}, at => $at);
        written($res, 201, $file, "$at: $size bytes");
        stored($t, $file, $many{$size}, $res->header('ETag'),
               "$at: $size bytes are there");
    }
}

is_deeply([map { metadata_at($t, 'new-workspaces/size-1')->{$_} }
           qw(type mimeType)], ['text/plain', 'text/plain'],
          'metadata without an author');
is_deeply(metadata_at($t, 'new-workspaces/size-1')->{meta}{modifiedBy} // [],
          [], 'has no author');

# other writers' keys

my $res = put($t, 'kept/a.txt', 'new a', agent => 'me', message => 'm');
written($res, 200, 'kept/a.txt', 'a file that others described');
my $entry = entry_when($t, 'kept/a.txt',
                       sub { @{ $_->{modifiedBy} } == 2 });
is($entry->{color}, 'red', 'an unknown key stays');
is_deeply($entry->{deep}, { list => [1, 2, { x => undef }] },
          'an unknown object stays');
is($entry->{createdAt}, '2024-02-02T00:00:00.000Z', 'createdAt stays');
is($entry->{mimeType}, 'text/plain', 'the mimeType is new');
is($entry->{modifiedBy}[0]{note}, 'kept', 'the history stays as it was');
is($entry->{modifiedBy}[1]{agentId}, 'me', 'and grows');
my $text = slurp("$dir/kept.meta.json");
ok(index($text, $other) >= 0, 'an entry of another file, byte for byte');
my $all = disk_meta($t, 'kept');
is_deeply([@$all{qw(schema owner workspaceId createdAt)}],
          [{ v => 3 }, 'someone else', 'kept', '2024-01-01T00:00:00.000Z'],
          'unknown keys of the workspace stay');
is(scalar @{ $all->{last} || [] }, 3, 'also behind the files');

# agents, messages and types that need care

my @strange = ('quote"back\\slash', "tab\there", bytes('代理 中文'),
               "a\xffb", 'x' x 3000, '<b>&amp;', '{"agentId":"x"}', "\x7f");
for my $n (0 .. $#strange) {
    my $path = "strange/f$n";
    my $res = put($t, $path, 'x', agent => $strange[$n],
                  message => $strange[$n], type => 'text/x; p="\\"' . $n . '"');
    written($res, 201, $path, "strange agent $n");
    is($t->get("/artifacts/" . ws_id('strange', "f$n") . '/metadata')
       ->{status}, 200, "strange agent $n: metadata");
}
for my $n (0 .. $#strange) {
    my $entry = entry_when($t, "strange/f$n", sub { 1 });
    ok($entry && @{ $entry->{modifiedBy} } == 1,
       "strange agent $n: in the file, which is valid JSON");
    is($entry->{modifiedBy}[0]{agentId}, chars($strange[$n]),
       "strange agent $n: as it is")
        if $strange[$n] !~ /\xff(?![\x80-\xbf])|x{300}/;
    is($entry->{mimeType}, 'text/x; p="\\"' . $n . '"',
       "strange type $n: as it is");
}
$res = put($t, 'strange/type', 'x', type => "text/\xff\xfe; \"\t");
like($res->{status}, qr/^(201|400)$/, 'a type that is not UTF-8');
put($t, 'strange/after', 'x');
ok(entry_when($t, 'strange/after', sub { 1 }), 'leaves sound metadata');

put($t, 'vars/a', 'x', at => '/vars/', agent => 'header', message => 'h');
$res = $t->req('PUT', '/vars/vars/b?by=me&msg=7', body => 'x',
               headers => ['Content-Type' => 'a/b', 'X-Agent-Id' => 'h']);
written($res, 201, 'vars/b', 'the author from another variable');
my ($author) = @{ metadata_at($t, 'vars/b')->{meta}{modifiedBy} };
is("$author->{agentId} $author->{messageId}", 'me m-7', 'is recorded');
is_deeply(metadata_at($t, 'vars/a')->{meta}{modifiedBy} // [], [],
          'an empty variable is nobody');

# names

my @names = (
    bytes('文档/报告 最终版.md'), bytes("emoji \x{1f600}.txt"),
    'a b+c.txt', q{q"uo'te.txt}, 'back\\slash.txt', '..hidden', '.hidden',
    '...', 'a/..b', 'percent%41.txt', 'quest?ion#.txt', "new\nline\ttab",
    'x.meta',
    'x.meta.json', 'names.meta.json', 'metadata', 'src/metadata',
    '.artifact/lock', 'tmp-x', 'n' x 255, 'deep/' x 40 . 'file',
    bytes('文' x 85),
);
for my $name (@names) {
    my $label = bytes(substr chars($name), 0, 20) =~ s/[^ -~]/?/gr;
    my $res = put($t, "names/$name", "in $name", agent => 'a');
    written($res, 201, "names/$name", "a file called $label");
    stored($t, "names/$name", "in $name", $res->header('ETag'),
           "a file called $label is there");
    my $meta = metadata_at($t, "names/$name");
    is_deeply([$meta->{meta}{relativePath}, $meta->{mimeType}],
              [chars($name), 'text/plain'], "metadata of $label, at once");
}
ok(entry_when($t, "names/$_", sub { @{ $_->{modifiedBy} } == 1 }),
   'metadata on the disk under the path as it is')
    for @names[0, 1, 3, 4, 11, 19];

$res = put($t, 'names/./a/../b/./c', 'x');
written($res, 201, 'names/b/c', 'dots are resolved');

my @workspaces = ('a', 'A-b_9', 'with.dots.inside', 'urn:agent:7', '0',
                  'x' x 245);
for my $ws (@workspaces) {
    written(put($t, "$ws/f", 'x', agent => 'a'), 201, "$ws/f",
            'a new workspace called ' . substr $ws, 0, 20);
}
ok(entry_when($t, "$_/f", sub { 1 }), 'metadata of ' . substr $_, 0, 20)
    for @workspaces;
written(put($t, 'old ws/new.txt', 'x'), 201, 'old ws/new.txt',
        'a workspace of another name that is there');

# whoever reads, a write is answered with its own answer

for my $header (['X-LLM-Capabilities' => 'text, vision'],
                ['X-LLM-Service' => 'none'], [Range => 'bytes=0-1'],
                [Accept => 'text/html'], ['If-None-Match' => '"other"'])
{
    $res = put($t, 'answers/a', 'x', headers => $header);
    is(answer_problems($res, $res->{status} == 201 ? 201 : 200, 'answers/a'),
       '', "the answer in spite of $header->[0]");
}
$res = put($t, 'answers/b', png(), at => '/always/', type => 'image/png');
written($res, 201, 'answers/b', 'the answer where everything is routed');
is(routing_of($t->accept('vision', '/workspaces/answers/b')),
   'image image_url image/png', 'what was written is routed');

# tags

my %tags;
my $conn = $t->connect;
for my $n (1 .. 200) {
    my $res = put($t, 'answers/tags', 'same', conn => $conn,
                  at => '/nosync/');
    $tags{ $res->header('ETag') // '' }++;
}
is(scalar keys %tags, 200, 'every write has a tag of its own');

# HTTP/2

SKIP: {
    skip 'curl without HTTP/2', 8 unless curl_features('HTTP2');

    my $base = 'http://127.0.0.1:' . $spare->port . '/workspaces';
    for my $size (0, 5, 100_000, 2_000_000) {
        my $body = "body-$size";
        $t->file($body, 'y' x $size);
        my $res = curl($t->prefix, '--http2-prior-knowledge',
                       '-T', $t->prefix . "/$body", '-H',
                       'Content-Type: a/b', "$base/h2/$size");
        is(answer_problems($res, 201, "h2/$size"), '',
           "$size bytes over HTTP/2");
        is(-s "$dir/h2/$size", $size, 'are there');
    }
}

is(left_behind($t), '', 'nothing is left on its way');

$t->finish;
