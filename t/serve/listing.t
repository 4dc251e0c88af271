#!/usr/bin/perl

# Listings: what stands in them, their order and pages, what never does, and
# the requests that get none.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use IO::Socket::UNIX;
use POSIX qw(mkfifo);

my $t = ArtifactTest->new(user => 'nobody nogroup');
my $data = $t->data;
my $w1 = "$data/workspaces/w1";
my $TIME = qr/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
my $SECRET = 'elsewhere-4711';

sub link_to { symlink $_[0], $_[1] or die "symlink $_[1]: $!" }

# --- a workspace

$t->workspace_file('w1', $_, "content of $_") for 'README.md', 'a.txt',
    'src/main.js', 'src/lib/x.py', 'src/lib/y', 'src-old/z.txt', '.hidden',
    'x.meta', 'w1.meta.json', 'odd.png', 'back\\slash.txt', 'a b+c.txt';
$t->workspace_file('w1', bytes('中文.txt'), bytes('内容'));
mkdir "$w1/empty" or die "mkdir: $!";
$t->workspace_meta('w1', {
    'README.md' => { mimeType => 'text/markdown',
        createdAt => '2024-01-01T00:10:00.000Z',
        updatedAt => '2024-01-02T00:10:00.000Z',
        modifiedBy => [ { agentId => 'x', timestamp => 'y' } ] },
    'src/main.js' => { mimeType => 'text/x-special' },
    'odd.png' => { mimeType => 'application/pdf' },
    'back/slash.txt' => { mimeType => 'text/x-slashed' },
    'src/lib/y' => 'not an object',
    '中文.txt' => { mimeType => 'text/x-chinese' },
});
utime 1700000000, 1700000000, "$w1/a.txt", "$w1/empty" or die "utime: $!";

# what must not be seen

$t->workspace_file('w2', "$SECRET.txt", 'no way in');
mkfifo("$w1/fifo", 0644) or die "mkfifo: $!";
my $socket = IO::Socket::UNIX->new(Local => "$w1/socket", Listen => 1)
    or die "socket: $!";
link_to('a.txt', "$w1/link-in");
link_to('src', "$w1/link-folder");
link_to('../../w2/' . "$SECRET.txt", "$w1/src/link-out");
link_to('../w2', "$w1/zz-out-folder");
link_to("$w1/a.txt", "$w1/link-absolute");
link_to('nowhere', "$w1/link-dangling");
link_to('loop', "$w1/loop");
link_to('..', "$w1/src/link-up");
spew("$w1/" . "bad\xff.txt", 'not UTF-8');
link_to('w2', "$data/workspaces/w3");
mkdir "$data/workspaces/.artifact" or die "mkdir: $!";
spew("$data/workspaces/.artifact/tmp-1", 'x');
spew("$data/workspaces/stray.txt", 'x');
mkdir "$data/workspaces/bad\x01name" or die "mkdir: $!";
mkdir "$data/workspaces/Empty" or die "mkdir: $!";
spew("$data/workspaces/Empty.meta.json", "[]");
$t->workspace_file('big', 'a', 'x');
spew("$data/workspaces/big.meta.json", '{"workspaceId":"big","createdAt":'
    . '"2025-05-05T00:00:00.000Z","files":{"a":{"mimeType":"text/x-a",'
    . '"modifiedBy":[' . ('"' . 'x' x 100 . '",') x 100 . '1]}}}');
utime 1800000000, 1800000000, "$data/workspaces/big.meta.json" or die;

# --- artifacts

$t->artifact('png', png(), { type => 'image/png', name => "sh\not.png",
    createdAt => '2026-01-01T00:00:00.000Z', messageId => 'msg-1' }, '.png');
$t->artifact('nodot', 'x', { type => 'text/plain', extension => 'txt' },
             '.txt');
$t->artifact('tar', 'x', { type => 'image' }, '.tar.gz');
$t->artifact('xyz', 'x', { name => 'plan.docx',
    updatedAt => '2026-02-02T00:00:00.000Z' }, '.xyz');
$t->artifact('bare', 'x', { mimeType => 'audio/mpeg' });
$t->artifact('orphan', 'x', undef, '.pdf');
$t->artifact('odd.name.v2', 'x', undef);
$t->artifact('corrupt', 'x', '{broken', '.md');
$t->artifact('hostile', 'x', { extension => '/../x' });
$t->artifact('dangling', undef, { type => 'image/png' }, '.png');
$t->artifact('ws:w1:eA', 'x', undef);
$t->artifact('.dot', 'x', undef);
$t->artifact('other.meta.json', 'x', undef);
spew("$data/artifacts/UPPER.META", 'x');
mkdir "$data/artifacts/folder" or die "mkdir: $!";
mkdir "$data/artifacts/.artifact" or die "mkdir: $!";
link_to("../workspaces/w2/$SECRET.txt", "$data/artifacts/out.txt");
link_to('png.png', "$data/artifacts/linked.png");

mkdir $t->prefix . '/fresh' or die "mkdir: $!";
mkdir "$w1/closed" or die "mkdir: $!";
chmod 0, "$w1/closed" or die "chmod: $!";

$t->file('map.json', { services => [ { id => 's', capabilities =>
    { input => ['text'] } } ] });

$t->start(http => 'artifact_capabilities %%PREFIX%%/map.json;',
          server => <<'CONF');
    artifact_root %%DATA%%;
    artifact_route on;
    artifact_index on;

    location /artifacts/ { artifact; }
    location /workspaces/ { artifact_workspace; }
    location /a { artifact; }
    location /w { artifact_workspace; artifact_language en; }
    location /always/ { artifact_workspace; artifact_route always; }
    location /nolinks/ { artifact_workspace; disable_symlinks on; }
    location /fresh/ { artifact; artifact_root %%PREFIX%%/fresh; }
    location /freshws/ { artifact_workspace; artifact_root %%PREFIX%%/fresh; }
    location /noroot/ { artifact; artifact_root %%PREFIX%%/missing; }
    location /types/ {
        artifact_workspace;
        types { text/x-mine txt; }
    }
    location /off/ { artifact; artifact_index off; }
    location /offws/ { artifact_workspace; artifact_index off; }
CONF

sub list {
    my ($uri) = @_;
    my $res = $t->get($uri);
    is($res->{status}, 200, "$uri is listed")
        or diag(substr $res->{body}, 0, 300);
    return json_of($res);
}

sub paths { return join ' ', map { $_->{path} // $_->{id} } @{ $_[0] } }

sub entry {
    my ($list, $path) = @_;
    my ($entry) = grep { ($_->{path} // $_->{id}) eq $path } @$list;
    return $entry || {};
}

# Every page of a listing, joined; fails unless each is sound.

sub pages {
    my ($uri, $key, $limit) = @_;
    my (@all, $next, @wrong);
    for my $n (1 .. 200) {
        my $res = $t->get($uri . ($uri =~ /\?/ ? '&' : '?') . "limit=$limit"
            . (defined $next ? '&after=' . uri(bytes($next)) : ''));
        my $page = json_of($res);
        push @wrong, "count $page->{count}"
            if $page->{count} != @{ $page->{$key} }
               || $page->{count} > $limit;
        push @all, @{ $page->{$key} };
        $next = $page->{next} // last;
        push @wrong, 'no end' if $n == 200;
    }
    is("@wrong", '', "$uri by $limit: the pages are sound");
    return \@all;
}

# --- workspaces

my $list = list('/workspaces/');
is(key_order($list), 'workspaces count', 'the keys of a list of workspaces');
is(paths($list->{workspaces}), 'Empty big w1 w2', 'the workspaces, in order');
is($list->{count}, 4, 'their number');
my $entry = entry($list->{workspaces}, 'w1');
is(key_order($entry), 'id createdAt updatedAt', 'the keys of a workspace');
is($entry->{createdAt}, '2024-01-01T00:00:00.000Z', 'its createdAt');
like($entry->{updatedAt}, $TIME, 'its updatedAt');
is(key_order(entry($list->{workspaces}, 'w2')), 'id updatedAt',
   'a workspace without metadata');
is(key_order(entry($list->{workspaces}, 'Empty')), 'id updatedAt',
   'one whose metadata is none');
is(entry($list->{workspaces}, 'big')->{createdAt}, '2025-05-05T00:00:00.000Z',
   'createdAt stands at the start of a long file');
is(entry($list->{workspaces}, 'big')->{updatedAt}, '2027-01-15T08:00:00.000Z',
   'updatedAt is that of the metadata when that is later');

# --- a folder

my $ALL = join ' ', sort { $a cmp $b } '.hidden', 'README.md', 'a b+c.txt',
    'a.txt', 'back\\slash.txt', 'closed', 'empty', 'link-folder', 'link-in',
    'odd.png', 'src', 'src-old', 'w1.meta.json', 'x.meta', '中文.txt';

$list = list('/workspaces/w1/');
is(key_order($list), 'workspaceId path entries count',
   'the keys of the list of a folder');
is($list->{workspaceId}, 'w1', 'workspaceId');
is($list->{path}, '', 'the path of a workspace itself');
is(paths($list->{entries}), $ALL, 'what is in it, in order of bytes');
is($list->{count}, 15, 'the number of entries');

$entry = entry($list->{entries}, 'README.md');
is(key_order($entry),
   'path name kind id mimeType size createdAt updatedAt',
   'the keys of a file');
is($entry->{kind}, 'file', 'its kind');
is($entry->{id}, ws_id('w1', 'README.md'), 'its id');
is($entry->{mimeType}, 'text/markdown', 'its type, from the metadata');
is($entry->{size}, length 'content of README.md', 'its size');
is($entry->{createdAt}, '2024-01-01T00:10:00.000Z', 'its createdAt');
is($entry->{updatedAt}, '2024-01-02T00:10:00.000Z', 'its updatedAt');
is($t->get("/artifacts/$entry->{id}")->body, 'content of README.md',
   'the id can be read');

$entry = entry($list->{entries}, 'a.txt');
is(key_order($entry), 'path name kind id mimeType size updatedAt',
   'a file without metadata');
is($entry->{mimeType}, 'text/plain', 'its type is that of the name');
is($entry->{updatedAt}, '2023-11-14T22:13:20.000Z',
   'its updatedAt the time of the file');
is(entry($list->{entries}, 'odd.png')->{mimeType}, 'application/pdf',
   'metadata comes before the name');
is(entry($list->{entries}, '.hidden')->{mimeType}, 'application/octet-stream',
   'a type that nothing tells');
is(entry($list->{entries}, 'back\\slash.txt')->{mimeType}, 'text/x-slashed',
   'metadata under the path with slashes');
is(entry($list->{entries}, '中文.txt')->{mimeType}, 'text/x-chinese',
   'metadata of a Chinese name');
is(entry($list->{entries}, 'link-in')->{size}, length 'content of a.txt',
   'a link inside is the file');

$entry = entry($list->{entries}, 'empty');
is(key_order($entry), 'path name kind updatedAt', 'the keys of a folder');
is($entry->{kind}, 'folder', 'its kind');
is($entry->{updatedAt}, '2023-11-14T22:13:20.000Z', 'its time');
is(entry($list->{entries}, 'link-folder')->{kind}, 'folder',
   'a link to a folder inside is a folder');

$list = list('/workspaces/w1/src/');
is($list->{path}, 'src', 'the path of a folder');
is(paths($list->{entries}), 'src/lib src/link-up src/main.js',
   'what is in a folder; a link to the workspace is one inside');
is(entry($list->{entries}, 'src/main.js')->{name}, 'main.js', 'a name');
is(entry($list->{entries}, 'src/main.js')->{mimeType}, 'text/x-special',
   'metadata of a file in a folder');
is(paths(list('/workspaces/w1/link-folder/')->{entries}),
   'link-folder/lib link-folder/link-up link-folder/main.js',
   'a linked folder');
$list = list('/workspaces/w1/empty/');
is("$list->{count} @{ $list->{entries} }", '0 ', 'an empty folder');

my $body = $t->get('/workspaces/w1/?recursive=1')->body
    . $t->get('/workspaces/w1/')->body . $t->get('/workspaces/')->body
    . $t->get('/artifacts/')->body;
unlike($body, qr/$SECRET|zz-out|link-absolute|dangling|loop|fifo|socket|tmp-/,
       'nothing of what is outside, or no file, is told');

# --- a tree

my @TREE = sort { $a cmp $b } '.hidden', 'README.md', 'a b+c.txt', 'a.txt',
    'back\\slash.txt', 'link-in', 'odd.png', 'src-old/z.txt', 'src/lib/x.py',
    'src/lib/y', 'src/main.js', 'w1.meta.json', 'x.meta', '中文.txt';
$list = list('/workspaces/w1/?recursive=1');
is(paths($list->{entries}), "@TREE", 'the files of a tree, by path');
is(join(' ', grep { $_->{kind} ne 'file' } @{ $list->{entries} }), '',
   'there are only files');
is(entry($list->{entries}, 'src/main.js')->{mimeType}, 'text/x-special',
   'with their metadata');
is(entry($list->{entries}, 'src/lib/x.py')->{id}, ws_id('w1', 'src/lib/x.py'),
   'and ids');
is(paths(list('/workspaces/w1/src/?recursive=yes')->{entries}),
   'src/lib/x.py src/lib/y src/main.js', 'the tree of a folder');
for my $word ('0', 'false', 'No') {
    is(paths(list("/workspaces/w1/?recursive=$word")->{entries}), $ALL,
       "recursive=$word");
}
is(paths(list('/workspaces/w1/?recursive=TRUE&after=src')->{entries}),
   join(' ', grep { $_ gt 'src' } @TREE),
   'a tree from a path on');
is(paths(list('/workspaces/w1/?recursive=1&after=src/lib/x.py')->{entries}),
   join(' ', grep { $_ gt 'src/lib/x.py' } @TREE), 'from a file on');

# --- artifacts

my $IDS = join ' ', sort { $a cmp $b } qw(bare corrupt hostile linked nodot
    odd.name.v2 orphan png tar xyz);
$list = list('/artifacts/');
is(key_order($list), 'artifacts count', 'the keys of a list of artifacts');
is(paths($list->{artifacts}), $IDS, 'the artifacts, each once, in order');
$entry = entry($list->{artifacts}, 'png');
is(key_order($entry), 'id artifactRef name type mimeType size createdAt '
   . 'updatedAt messageId', 'the keys of an artifact');
is($entry->{artifactRef}, 'artifact:png', 'its reference');
is($entry->{name}, 'sh_ot.png', 'its name, on one line');
is("$entry->{type} $entry->{mimeType}", 'image/png image/png', 'its type');
is($entry->{createdAt}, '2026-01-01T00:00:00.000Z', 'its createdAt');
is($entry->{messageId}, 'msg-1', 'its messageId');
$entry = entry($list->{artifacts}, 'xyz');
is("$entry->{type} $entry->{name} $entry->{updatedAt}", 'application/'
   . 'vnd.openxmlformats-officedocument.wordprocessingml.document plan.docx '
   . '2026-02-02T00:00:00.000Z', 'a type by name');
is(entry($list->{artifacts}, 'tar')->{type}, 'image', 'a bare word');
is(entry($list->{artifacts}, 'tar')->{name}, 'tar.tar.gz',
   'a name from the disk');
is(entry($list->{artifacts}, 'bare')->{mimeType}, 'audio/mpeg',
   'the mimeType of a sidecar');
is(entry($list->{artifacts}, 'orphan')->{mimeType}, 'application/pdf',
   'an artifact without a sidecar');
for (@{ $list->{artifacts} }) {
    my $meta = json_of($t->get('/artifacts/' . uri($_->{id}) . '/metadata'));
    is("$_->{id} $_->{name} $_->{size}",
       "$meta->{id} $meta->{name} $meta->{size}",
       "$_->{id} is what its metadata says");
    is($t->get("/artifacts/$_->{artifactRef}")->{status}, 200,
       "$_->{artifactRef} can be read");
}

# --- pages

for my $case (['/workspaces/', 'workspaces', 'Empty big w1 w2'],
              ['/workspaces/w1/', 'entries', $ALL],
              ['/workspaces/w1/?recursive=1', 'entries', "@TREE"],
              ['/artifacts/', 'artifacts', $IDS])
{
    my ($uri, $key, $want) = @$case;
    for my $limit (1, 2, 3, 7, 1000) {
        is(paths(pages($uri, $key, $limit)), $want,
           "$uri by $limit: everything once, in order");
    }
}

my $res = $t->get('/workspaces/?limit=2');
is(key_order(json_of($res)), 'workspaces count next', 'a page tells the next');
is(json_of($res)->{next}, 'big', 'the last name of it');
is(json_of($t->get('/workspaces/?limit=4'))->{next}, undef,
   'a full last page has no next');
is(paths(list('/workspaces/?after=w1')->{workspaces}), 'w2', 'after a name');
is(paths(list('/workspaces/?after=c')->{workspaces}), 'w1 w2',
   'after a name that is not there');
is(list('/workspaces/?after=zzz')->{count}, 0, 'after the last one');
is(paths(list("/workspaces/?$_")->{workspaces}), 'Empty big w1 w2', $_)
    for qw(after= limit= recursive= limit=1001 limit=99999999999999999999999);
is(paths(list('/workspaces/?limit=%31')->{workspaces}), 'Empty',
   'a limit that is percent-encoded');
for my $form ('a%20b%2Bc.txt', 'a%20b+c.txt') {
    is(paths([list("/workspaces/w1/?limit=1&after=$form")->{entries}[0]]),
       'a.txt', "after=$form");
}

# --- headers

$res = $t->get('/workspaces/w1/');
header_is($res, 'Content-Type', 'application/json', 'the type of a listing');
header_is($res, 'Content-Length', length $res->body, 'its length');
header_is($res, 'Cache-Control', 'no-cache', 'it is not to be cached');
header_is($res, $_, undef, "no $_") for qw(ETag Last-Modified Vary
    Accept-Ranges Content-Disposition);
my $head = $t->head('/workspaces/w1/');
is("$head->{status} " . length $head->body, '200 0', 'HEAD of a listing');
header_is($head, 'Content-Length', length $res->body, 'its length is told');
is($t->get('/workspaces/w1/', Range => 'bytes=0-9')->body, $res->body,
   'a range does not matter');
is($t->service('s', '/workspaces/w1/')->body, $res->body,
   'a listing is not routed');
is($t->get('/always/w1/')->body, $res->body, 'not even always');
is($t->accept('vision', '/artifacts/')->body, $t->get('/artifacts/')->body,
   'nor is that of artifacts');

# --- redirects

for my $case (['/workspaces/w1', '/workspaces/w1/'],
              ['/workspaces/w1/src', '/workspaces/w1/src/'],
              ['/workspaces/w1/src?recursive=1&limit=2',
               '/workspaces/w1/src/?recursive=1&limit=2'],
              ['/workspaces/w1/link-folder', '/workspaces/w1/link-folder/'],
              ['/a', '/a/'], ['/w', '/w/'], ['/w/w1', '/w/w1/'])
{
    my ($uri, $want) = @$case;
    $res = $t->get($uri);
    is($res->{status}, 301, "$uri is redirected");
    is(($res->header('Location') // '') =~ m{^http://localhost:\d+(/.*)$}
       ? $1 : 'none', $want, "to $want");
}
mkdir "$w1/" . bytes('é ?%') or die "mkdir: $!";
like($t->get('/workspaces/w1/' . uri(bytes('é ?%')))->header('Location'),
     qr{/workspaces/w1/%C3%A9%20%3F%25/$}i, 'the location is escaped');
is(list('/workspaces/w1/' . uri(bytes('é ?%')) . '/')->{path}, 'é ?%',
   'and can be listed');
is(paths(list('/a/')->{artifacts}), $IDS, 'a location without a slash');
is(paths(list('/w/')->{workspaces}), 'Empty big w1 w2', 'and another one');
is($t->get('/workspaces/w1/a.txt')->body, 'content of a.txt',
   'a file is served as before');

# --- what gets no listing

for my $case (['/workspaces/nope/', 404, 'workspace_not_bound', 'nope/'],
              ['/workspaces/nope', 404, 'workspace_not_bound', 'nope'],
              ['/workspaces/w3/', 404, 'workspace_not_bound', 'w3/'],
              ['/workspaces/.artifact/', 404, 'workspace_not_bound', undef],
              ['/workspaces/stray.txt/', 404, 'workspace_not_bound', undef],
              ['/workspaces/w1/nope/', 404, 'artifact_not_found', 'w1/nope/'],
              ['/workspaces/w1/nope', 404, 'artifact_not_found', 'w1/nope'],
              ['/workspaces/w1/a.txt/', 404, 'artifact_not_found', undef],
              ['/workspaces/w1/fifo', 404, 'artifact_not_found', undef],
              ['/workspaces/w1/fifo/', 404, 'artifact_not_found', undef],
              ['/workspaces/w1/zz-out-folder', 404, 'artifact_not_found',
               undef],
              ['/workspaces/w1/zz-out-folder/', 404, 'artifact_not_found',
               undef],
              ['/workspaces/w1/loop/', 404, 'artifact_not_found', undef],
              ['/workspaces/w1/closed/', 403, 'permission_denied', undef],
              ['/workspaces/w%01/', 400, 'invalid_artifact_id', undef],
              ['/artifacts/ws:w1:c3JjLw', 404, 'artifact_not_found', undef],
              ['/artifacts/ws:w1:c3JjLw/', 400, 'invalid_artifact_id', undef],
              ['/nolinks/w1/link-folder/', 404, 'artifact_not_found', undef],
              ['/axyz', 404, 'artifact_not_found', undef],
              ['/noroot/', 404, 'artifact_not_found', ''],
              ['/off/', 404, 'artifact_not_found', ''],
              ['/offws/', 404, 'artifact_not_found', ''],
              ['/offws/w1', 404, 'artifact_not_found', 'w1'],
              ['/offws/w1/', 404, 'artifact_not_found', 'w1/'],
              ['/offws/w1/src', 404, 'artifact_not_found', 'w1/src'],
              map { ["/workspaces/w1/?$_", 400, 'invalid_argument', 'w1/'] }
                  qw(limit=0 limit=-1 limit=1x limit=1.5 limit=%2B1 recursive=2
                     recursive=on after=%ff after=a%00b after=%c0%af),
              'after=' . 'x' x 4096)
{
    my ($uri, @want) = ref $case ? @$case
        : ("/artifacts/?$case", 400, 'invalid_argument', '');
    error_is($t->get($uri), @want, substr "$uri is no listing", 0, 70);
}
is(json_of($t->get('/w/?limit=x'))->{message},
   'an argument of the request is invalid',
   'errors are in the language of the location');
for my $method (qw(POST DELETE)) {
    error_is($t->req($method, '/workspaces/w1/', body => 'x'), 405,
             'method_not_allowed', undef, "$method of a folder");
}

# --- settings

unlike($t->get('/nolinks/w1/')->body, qr/link/,
       'no links with disable_symlinks');
is(entry(list('/types/w1/')->{entries}, 'a.txt')->{mimeType}, 'text/x-mine',
   'the types of the location count');
is(list('/fresh/')->{count}, 0, 'a root without artifacts yet');
is(list('/freshws/')->{count}, 0, 'a root without workspaces yet');

# a recursive listing passes over what it may not open

ok($t->wait_for(qr{\[error\].*open\(\) "\S+/workspaces/w1/\S*closed/" failed}),
   'a folder that cannot be opened is in the log');
chmod 0755, "$w1/closed" or die "chmod: $!";

$t->finish;
