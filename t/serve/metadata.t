#!/usr/bin/perl

# Sidecars of every shape, and the metadata answers made of them.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use POSIX qw(mkfifo);

my $t = ArtifactTest->new;
my $store = $t->data . '/artifacts';
my $created = '2026-01-01T00:00:00.000Z';

my $png = png();
$t->artifact('full', $png, {
    type => 'image/png', name => '截图.png', createdAt => $created,
    messageId => 'msg-1', meta => { filename => 'x.png', tags => ['a', 1] },
}, '.png');
$t->artifact('other', 'text', {
    mimeType => 'text/markdown', filename => 'notes.md', size => 4,
    agentId => 'agent-1', createdAt => $created, future => { x => [1] },
}, '.bin');
$t->artifact('bare', 'text', {});
$t->artifact('both', 'text', {
    type => 'text/css', mimeType => 'text/html', name => 'a.css',
    filename => 'b.html',
});
$t->artifact('nometa', $png, undef, '.png');
$t->artifact('nometa2', 'plain words', undef);
$t->artifact('nodata', undef, { type => 'text/plain' });
$t->artifact('charset', 'text', { type => 'text/plain; charset=utf-8' });
$t->start;

sub metadata {
    my ($ref, %opt) = @_;
    my $res = $t->get("/artifacts/$ref/metadata");
    is($res->{status}, 200, "metadata of $ref") if !$opt{quiet};
    return json_of($res);
}

sub routed {
    my ($uri) = @_;
    my $res = $t->accept('text', $uri);
    is(route_problems($res), '', "$uri is well-formed");
    return json_of($res)->{metadata} || {};
}

# regular artifacts

my $meta = routed('/artifacts/full');
is($meta->{filename}, '截图.png', 'name becomes filename');
is($meta->{type}, 'image/png', 'type');
is($meta->{createdAt}, $created, 'createdAt');
is($meta->{messageId}, 'msg-1', 'messageId');
is($meta->{size}, length $png, 'size');
ok(!exists $meta->{updatedAt}, 'no updatedAt where none is known');
ok(!exists $meta->{workspaceId}, 'no workspaceId of an artifact');

$meta = routed('/artifacts/other');
is($meta->{filename}, 'notes.md', 'filename instead of name');
is($meta->{mimeType}, 'text/markdown', 'mimeType instead of type');
ok(!exists $meta->{messageId}, 'absent keys are left out');

$meta = routed('/artifacts/bare');
is($meta->{filename}, 'bare', 'the file on disk names an unnamed artifact');
is(routed('/artifacts/nometa')->{filename}, 'nometa.png',
   'so it does without a sidecar');
is(routed('/artifacts/nometa2')->{mimeType}, 'text/plain',
   'content decides without a sidecar');

$meta = routed('/artifacts/both');
is("$meta->{type} $meta->{filename}", 'text/css a.css',
   'type and name come before mimeType and filename');

$meta = routed('/artifacts/charset');
is($meta->{type}, 'text/plain; charset=utf-8', 'type is the stored string');
is($meta->{mimeType}, 'text/plain', 'mimeType is the media type');

# the metadata answer of an artifact

my $res = $t->get('/artifacts/full/metadata');
header_is($res, 'Content-Type', 'application/json', 'metadata is JSON');
$meta = metadata('full');
is($meta->{id}, 'full', 'its id');
is($meta->{type}, 'image/png', 'its type');
is($meta->{mimeType}, 'image/png', 'its mimeType');
is($meta->{name}, '截图.png', 'its name');
is($meta->{createdAt}, $created, 'its createdAt');
is($meta->{messageId}, 'msg-1', 'its messageId');
is_deeply($meta->{meta}, { filename => 'x.png', tags => ['a', 1] },
          'its meta, whole');

is(metadata('artifact:full')->{id}, 'full', 'metadata by a full reference');
is(metadata('other')->{mimeType}, 'text/markdown', 'the other spelling');
is(metadata('other')->{name}, 'notes.md', 'its name');
is(metadata('nometa')->{mimeType}, 'image/png',
   'metadata without a sidecar, by name');
is(metadata('nometa2')->{mimeType}, 'text/plain',
   'metadata without a sidecar, by content');

my $head = $t->head('/artifacts/full/metadata');
is("$head->{status} $head->{body}", '200 ', 'HEAD of metadata');
is($head->header('Content-Length'), length $res->body,
   'HEAD of metadata has the length of GET');
is($t->accept('text', '/artifacts/full/metadata')->body, $res->body,
   'metadata is not routed');
error_is($t->get('/artifacts/nodata'), 404, 'artifact_not_found', 'nodata',
         'a sidecar without its file');
is($t->get('/artifacts/nodata/metadata')->{status}, 404,
   'its metadata neither');

# workspace files

my @history = (
    { agentId => 'agent-a', timestamp => '2024-01-01T00:00:00.000Z',
      messageId => 'msg-001' },
    { agentId => 'agent-b', timestamp => '2024-01-01T01:00:00.000Z',
      messageId => undef },
);
$t->workspace_file('w1', 'src/main.js', 'main();');
$t->workspace_file('w1', 'plain.md', '# hi');
$t->workspace_file('w1', 'back\\slash.txt', 'x');
$t->workspace_file('w1', 'exact\\both.txt', 'x');
$t->workspace_file('w1', 'broken.txt', 'x');
$t->workspace_file('w1', 'odd.txt', 'x');
$t->workspace_meta('w1', {
    'src/main.js' => {
        mimeType => 'text/javascript', modifiedBy => \@history,
        createdAt => '2024-01-01T00:00:00.000Z',
        updatedAt => '2024-01-01T01:00:00.000Z', messageId => 'msg-002',
    },
    'back/slash.txt' => { mimeType => 'text/x-slash' },
    'exact\\both.txt' => { mimeType => 'text/x-exact' },
    'exact/both.txt' => { mimeType => 'text/x-slash' },
    'broken.txt' => 'not an object',
    'odd.txt' => { mimeType => 5, createdAt => [], modifiedBy => 'x' },
});

my $id = ws_id('w1', 'src/main.js');
$meta = metadata($id);
is($meta->{id}, $id, 'the id of a workspace file');
is($meta->{type}, 'text/javascript', 'its type');
is($meta->{mimeType}, 'text/javascript', 'its mimeType');
is($meta->{name}, 'main.js', 'its name');
is($meta->{createdAt}, '2024-01-01T00:00:00.000Z', 'its createdAt');
is($meta->{updatedAt}, '2024-01-01T01:00:00.000Z', 'its updatedAt');
is($meta->{meta}{filename}, 'main.js', 'its meta.filename');
is($meta->{meta}{workspaceId}, 'w1', 'its meta.workspaceId');
is($meta->{meta}{relativePath}, 'src/main.js', 'its meta.relativePath');
is_deeply($meta->{meta}{modifiedBy}, \@history, 'its history');
is(metadata("$id=")->{id}, $id, 'a padded id is answered unpadded');

$meta = routed('/workspaces/w1/src/main.js');
is($meta->{workspaceId}, 'w1', 'workspaceId in a routed answer');
is($meta->{relativePath}, 'src/main.js', 'relativePath');
is($meta->{createdAt}, '2024-01-01T00:00:00.000Z', 'createdAt');
is($meta->{updatedAt}, '2024-01-01T01:00:00.000Z', 'updatedAt');
is($meta->{filename}, 'main.js', 'filename');
is($meta->{mimeType}, 'text/javascript', 'mimeType');

$meta = metadata(ws_id('w1', 'plain.md'));
is($meta->{mimeType}, 'text/markdown', 'a file without an entry');
is($meta->{name}, 'plain.md', 'has its name');

is(routed('/workspaces/w1/' . uri('back\\slash.txt'))->{mimeType},
   'text/x-slash', 'an entry under / for a path with \\');
is(routed('/workspaces/w1/' . uri('exact\\both.txt'))->{mimeType},
   'text/x-exact', 'an entry under the path as it is comes first');
is(routed('/workspaces/w1/broken.txt')->{mimeType}, 'text/plain',
   'an entry that is no object');
is(routed('/workspaces/w1/odd.txt')->{mimeType}, 'text/plain',
   'an entry with wrong types in it');
is(metadata(ws_id('w1', 'odd.txt'))->{mimeType}, 'text/plain',
   'its metadata');

# sidecars that are wrong

my %wrong = (
    'type is a number' => { type => 5 },
    'type is null' => { type => undef },
    'type is an array' => { type => ['text/plain'] },
    'type is empty' => { type => '' },
    'name is an object' => { name => {} },
    'name is empty' => { name => '' },
    'createdAt is a number' => { createdAt => 1700000000 },
    'messageId is true' => { messageId => JSON::PP::true() },
    'meta is a string' => { meta => 'x' },
    'meta is null' => { meta => undef },
    'size is a string' => { size => 'large' },
    'id is another' => { id => 'another' },
    'id is a number' => { id => 7 },
    'everything is null' => { map { $_ => undef } qw(id extension type name
                              createdAt messageId meta size) },
);
my %corrupt = (
    'not JSON' => 'no json', 'empty' => '', 'white space' => " \n",
    'an array' => '[]', 'a number' => '42', 'null' => 'null',
    'a string' => '"x"', 'cut short' => '{"id":"x","type":"text/pl',
    'two objects' => '{}{}', 'binary' => "\0\1\2\xff",
    'not UTF-8' => "{\"name\":\"\xff\"}", 'duplicate braces' => '{{}}',
);

my $n = 0;
for my $what (sort keys %wrong) {
    my $ref = 'wrong' . ++$n;
    $t->artifact($ref, 'some text', { type => 'text/plain',
                                      %{ $wrong{$what} } });
    is($t->get("/artifacts/$ref")->body, 'some text', "$what: raw");
    my $res = $t->accept('text', "/artifacts/$ref");
    is(route_problems($res), '', "$what: routed");
    is(json_of($res)->{content}, 'some text', "$what: its text");
    is(json_of($res)->{metadata}{id}, $ref, "$what: the id asked for");
    is(ref metadata($ref, quiet => 1), 'HASH', "$what: metadata");
}

for my $what (sort keys %corrupt) {
    my $ref = 'corrupt' . ++$n;
    $t->artifact($ref, $png, $corrupt{$what}, '.png');
    my $res = $t->accept('vision', "/artifacts/$ref");
    is(route_problems($res), '', "sidecar is $what: routed");
    is(routing_of($res), 'image image_url image/png',
       "sidecar is $what: classified by name and content");
    is($t->get("/artifacts/$ref/metadata")->{status}, 200,
       "sidecar is $what: metadata");
}

for my $ext ('.txt', '.md', '.json', '.jpg', '.pdf', '.mp3', '.mp4', '.docx',
             '.zip', '.js', '.html', '.csv', '.svg', '.bin', '')
{
    $t->artifact("known$n", "content of $ext", undef, $ext);
    is($t->get("/artifacts/known$n")->body, "content of $ext",
       'a file without a sidecar' . ($ext ? ", $ext" : ''));
    $n++;
}

$t->artifact('dirmeta', 'some text', undef, '.txt');
mkdir "$store/dirmeta.meta" or die "mkdir: $!";
is($t->get('/artifacts/dirmeta')->body, 'some text', 'sidecar is a folder');
$t->artifact('fifometa', 'some text', undef, '.txt');
mkfifo("$store/fifometa.meta", 0644) or die "mkfifo: $!";
is($t->get('/artifacts/fifometa')->body, 'some text', 'sidecar is a FIFO');
mkfifo("$store/fifo", 0644) or die "mkfifo: $!";
error_is($t->get('/artifacts/fifo'), 404, 'artifact_not_found', 'fifo',
         'an artifact that is a FIFO');
mkdir "$store/folder" or die "mkdir: $!";
error_is($t->get('/artifacts/folder'), 404, 'artifact_not_found', 'folder',
         'an artifact that is a folder');

$n = 0;
for my $text ('no json', '', '[]', '{"files":[]}', '{"files":null}', '{}',
              '{"files":{"a.md":null}}', '{"files":{"a.md":', "\xff")
{
    my $ws = 'c' . ++$n;
    $t->workspace_file($ws, 'a.md', '# title');
    $t->workspace_meta($ws, $text);
    my $meta = routed("/workspaces/$ws/a.md");
    is($meta->{mimeType}, 'text/markdown',
       "workspace sidecar number $n is ignored");
    is(metadata(ws_id($ws, 'a.md'))->{name}, 'a.md', 'but for the name');
}

# A sidecar that changes is read again.

$t->artifact('full', undef, { type => 'image/png', name => 'renamed.png' },
             '.png');
is(routed('/artifacts/full')->{filename}, 'renamed.png',
   'a changed sidecar counts');
unlink "$store/full.meta";
is(routed('/artifacts/full')->{filename}, 'full.png',
   'a removed sidecar counts');

$t->finish;
