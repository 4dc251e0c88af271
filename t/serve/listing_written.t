#!/usr/bin/perl

# Listings of what was just written: they show a write as soon as it is
# acknowledged, whether its metadata stand in a journal, in one that is being
# folded, or in the document; and read no more of that than they show.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactTest;
use ArtifactWrite;
use Time::Local qw(timegm);
use File::Path qw(make_path);
use Time::HiRes qw(time);

my $t = ArtifactTest->new;
my $dir = $t->data . '/workspaces';
my $frozen = $t->prefix . '/frozen/workspaces';
my $own = "$dir/.artifact";
my $FILES = 20_000;
my $HEAD = 40;          # bytes of a journal in which nothing stands

# a large workspace, whose files are links to one

spew($t->data . '/one', 'x');
make_path("$dir/large", "$frozen/.artifact");
my %large;
for my $n (1 .. $FILES) {
    my $name = sprintf 'file-%05d.txt', $n;
    link $t->data . '/one', "$dir/large/$name" or die "link: $!";
    $large{$name} = { mimeType => "text/x-$n",
        createdAt => '2025-01-01T00:00:00.000Z', modifiedBy => [
            { agentId => 'a' x 60, timestamp => '2025-01-01T00:00:00.000Z',
              messageId => 'm' x 60 } ] };
}
$t->workspace_meta('large', \%large);

$t->start(server => 'artifact_index on;' . write_server(<<'CONF'));
    location /frozen/ {
        artifact_workspace;
        artifact_write off;
        artifact_root %%PREFIX%%/frozen;
        aio threads;
    }
    location /frozen-inline/ {
        artifact_workspace;
        artifact_write off;
        artifact_root %%PREFIX%%/frozen;
    }
    location /readonly/ {
        artifact_workspace;
        artifact_write off;
    }
CONF

sub list {
    my ($uri) = @_;
    my $res = $t->get($uri);
    return json_of($res) if $res->{status} == 200;
    return { error => $res->{status} };
}

sub entries {
    my ($uri) = @_;
    my $list = list($uri);
    return { map { ($_->{path} // $_->{id}) => $_ }
        map { @{ $list->{$_} || [] } } qw(entries workspaces artifacts) };
}

# The journal of a workspace, if it has not been folded yet.

sub journal {
    my ($ws) = @_;
    my $text = eval { slurp("$own/$ws.journal") } // '';
    return length $text > $HEAD ? $text : undef;
}

sub folded {
    my ($ws) = @_;
    return until_true(sub {
        !defined journal($ws) && !-e "$own/$ws.folding"
    }, 5);
}


sub milliseconds {
    my ($year, $month, @rest) = $_[0] =~ /(\d+)/g;
    my ($day, $hour, $min, $sec, $ms) = @rest;
    return 1000 * timegm($sec, $min, $hour, $day, $month - 1, $year) + $ms;
}

# --- files, with threads and without

for my $at (qw(/workspaces/ /inline/)) {
    my ($ws) = $at =~ m{(\w+)};
    $ws = "at-$ws";

    # until a listing was surely made before the fold

    my ($early, $path, $meta, $before);
    for my $n (1 .. 20) {
        $path = "deep/f$n.txt";
        my $res = put($t, "$ws/$path", 'x' x $n, at => $at, agent => 'me',
                      type => 'text/x-one');
        is($res->{status}, 201, "$at: a file is written");
        $before = $t->get("$at$ws/deep/")->body;
        $meta = metadata_at($t, "$ws/$path");
        is($t->get("$at$ws/?recursive=1")->{status}, 200,
           "$at: and the tree is listed");
        $early = defined journal($ws);
        last if $early;
    }
    ok($early, "$at: a listing before the fold");

    my $entry = entries("$at$ws/deep/")->{$path};
    my ($line) = $before =~ /(\{"path":"\Q$path\E".*?\})/;
    ok($line, "$at: has the file");
    is($entry->{mimeType}, 'text/x-one', "$at: with its type");
    is($entry->{size}, $meta->{size}, "$at: its size");
    is($entry->{createdAt}, $meta->{createdAt}, "$at: its createdAt");
    is($entry->{updatedAt}, $meta->{updatedAt}, "$at: its updatedAt");
    like($entry->{updatedAt}, $TIME, "$at: which is one of a write");

    my $workspace = entries($at)->{$ws};
    ok($workspace, "$at: the new workspace is listed");

    # a file system's clock ticks, at 100 Hz or more, behind the record's

    cmp_ok(milliseconds($workspace->{updatedAt}) + 10, '>=',
           milliseconds($meta->{updatedAt}),
           "$at: and changed when its file did");

    ok(folded($ws), "$at: the journal is folded");
    ok(disk_entry($t, "$ws/$path"), "$at: into the document");
    is($t->get("$at$ws/deep/")->body, $before,
       "$at: the listing after it is the same");
    like(entries($at)->{$ws}{createdAt}, $TIME,
         "$at: now the workspace has its createdAt");

    # replaced, in both states; then removed and written anew

    put($t, "$ws/$path", 'longer than before', at => $at,
        type => 'text/x-two');
    my $new = entries("$at$ws/deep/")->{$path};
    is("$new->{mimeType} $new->{size}", 'text/x-two 18',
       "$at: a file that was replaced");
    is($new->{createdAt}, $entry->{createdAt}, "$at: its createdAt stays");
    cmp_ok($new->{updatedAt}, 'gt', $entry->{updatedAt},
           "$at: its updatedAt does not");

    put($t, "$ws/other", 'x', at => $at);
    remove($t, "$ws/$path", at => $at);
    is(entries("$at$ws/deep/")->{$path}, undef, "$at: a removed file is gone");
    is(entries("$at$ws/?recursive=1")->{$path}, undef, "$at: of the tree, too");
    put($t, "$ws/$path", 'anew', at => $at, type => 'text/x-three');
    $new = entries("$at$ws/deep/")->{$path};
    is($new->{mimeType}, 'text/x-three', "$at: a file that is there again");
    cmp_ok($new->{createdAt}, 'gt', $entry->{updatedAt},
           "$at: is a new one");
    my $tree = $t->get("$at$ws/?recursive=1")->body;
    ok(folded($ws), "$at: all of it is folded");
    is($t->get("$at$ws/?recursive=1")->body, $tree,
       "$at: the tree after it is the same");
    unlink glob "$own/$ws.index*" or die "unlink: $!";
    is($t->get("$at$ws/?recursive=1")->body, $tree,
       "$at: and without an index");
}

# --- paths with a backslash have two keys

for my $how ('indexed', 'searched') {
    my $ws = "back-$how";
    $t->workspace_file($ws, $_, 'x') for 'a\\b', 'a/b', 'c\\d', 'e\\f';
    $t->workspace_meta($ws, { 'a/b' => { mimeType => 'x/slash' },
                              'c\\d' => { mimeType => 'x/exact' },
                              'c/d' => { mimeType => 'x/wrong' } });
    if ($how eq 'indexed') {
        put($t, "$ws/start", 'x');
        folded($ws);
        ok(scalar(() = glob "$own/$ws.index*"), 'there is an index');
    }
    my $got = entries("/workspaces/$ws/?recursive=1");
    is(join(' ', map { $got->{$_}{mimeType} } 'a/b', 'a\\b', 'c\\d', 'e\\f'),
       'x/slash x/slash x/exact application/octet-stream',
       "$how: the exact key, else the one with slashes");
    put($t, "$ws/a/b", 'x', type => 'x/new');
    $got = entries("/workspaces/$ws/?recursive=1");
    is("$got->{'a/b'}{mimeType} $got->{'a\\b'}{mimeType}", 'x/new x/new',
       "$how: a write changes what both see");
    put($t, "$ws/a\\b", 'x', type => 'x/own');
    put($t, "$ws/e\\f", 'x', type => 'x/e');
    $got = entries("/workspaces/$ws/?recursive=1");
    is(join(' ', map { $got->{$_}{mimeType} } 'a/b', 'a\\b', 'e\\f'),
       'x/new x/own x/e', "$how: until each has its own");
    my $body = $t->get("/workspaces/$ws/?recursive=1")->body;
    ok(folded($ws), "$how: folded");
    is($t->get("/workspaces/$ws/?recursive=1")->body, $body,
       "$how: nothing changes");
    for my $path (sort keys %$got) {
        is($got->{$path}{mimeType}, metadata_at($t, "$ws/$path")->{mimeType},
           "$how: $path is listed as it is read");
    }
}

# --- journals that stay: of a location that does not write

my (@journals, $try);
for my $n (1 .. 20) {
    my $ws = "ice$n";
    put($t, "$ws/a", 'x', agent => 'w', type => 'x/a1');
    put($t, "$ws/b", 'x', agent => 'w', type => 'x/b1');
    my $first = journal($ws);
    put($t, "$ws/a", 'x', agent => 'w', type => 'x/a2');
    remove($t, "$ws/b");
    put($t, "$ws/c", 'x', agent => 'w', type => 'x/c1');
    my $all = journal($ws);
    next if !defined $first || !defined $all || index($all, $first) != 0;
    @journals = ($first, substr $all, length $first);
    last;
}
is(scalar @journals, 2, 'journals to go on with');

sub frozen {
    my ($ws, %file) = @_;
    make_path("$frozen/$ws");
    spew("$frozen/$ws/$_", 'x') for qw(a b c d);
    my $meta = delete $file{meta};
    spew("$frozen/$ws.meta.json", $meta) if defined $meta;
    spew("$frozen/.artifact/$ws.$_", $file{$_}) for keys %file;
    my %got;
    for my $at (qw(/frozen/ /frozen-inline/)) {
        my $got = entries("$at$ws/");
        $got{join ' ', map { $got->{$_}{mimeType} =~ /(.*)/ } qw(a b c d)} = 1;
    }
    return join ' | ', sort keys %got;
}

my $NONE = 'application/octet-stream';
my $META = '{"files":{"a":{"mimeType":"x/a0"},"b":{"mimeType":"x/b0"},'
    . '"d":{"mimeType":"x/d0"}}}';
is(frozen('none'), "$NONE $NONE $NONE $NONE", 'no metadata at all');
is(frozen('meta', meta => $META), "x/a0 x/b0 $NONE x/d0", 'a document');
is(frozen('one', meta => $META, journal => $journals[0]),
   "x/a1 x/b1 $NONE x/d0", 'a journal is newer than the document');
is(frozen('both', meta => $META, folding => $journals[0],
          journal => $journals[1]),
   "x/a2 $NONE x/c1 x/d0", 'the one being folded comes before the other');
is(frozen('folding', folding => join('', @journals)),
   "x/a2 $NONE x/c1 $NONE", 'one being folded alone, without a document');
is(frozen('torn', meta => $META,
          journal => $journals[0] . substr($journals[1], 0, 45)),
   "x/a1 x/b1 $NONE x/d0", 'an end that is torn does not count');
is(frozen('strange', meta => $META, journal => 'no journal' x 10),
   "x/a0 x/b0 $NONE x/d0", 'a journal that is none');
is(frozen('corrupt', meta => '{"files":{"d":{"mimeType":"x/d"}',
          journal => $journals[0]),
   "x/a1 x/b1 $NONE $NONE", 'a corrupt document, and a journal');
is(frozen('empty', meta => '', journal => $journals[0]),
   "x/a1 x/b1 $NONE $NONE", 'an empty one');
is(frozen('index', meta => $META, index => 'no index' x 10),
   "x/a0 x/b0 $NONE x/d0", 'an index that is none');
ok($t->wait_for(qr/corrupt\.meta\.json" is corrupt at line \d+, column/),
   'what is corrupt is told of');
mkdir "$frozen/folder.meta.json" or die "mkdir: $!";
is(frozen('folder', journal => $journals[0]), "x/a1 x/b1 $NONE $NONE",
   'a document that is a folder');
is(join(' ', sort keys %{ entries('/frozen/') }),
   'both corrupt empty folder folder.meta.json folding index meta none one '
   . 'strange torn', 'only folders are workspaces');

# --- artifacts

for my $at (qw(/artifacts/ /inline-artifacts/)) {
    my $res = post($t, 'name=plan.md', '# plan', at => $at, agent => 'me',
                   message => 'm-1', type => 'text/markdown');
    my $meta = json_of($res)->{metadata};
    my $entry = entries($at)->{$meta->{id}};
    is(join(' ', map { $entry->{$_} } qw(id name type mimeType size createdAt
                                         messageId)),
       join(' ', @$meta{qw(id name type mimeType size createdAt messageId)}),
       "$at: a new artifact is listed at once, as it was answered");
    is($entry->{artifactRef}, json_of($res)->{artifactRef},
       "$at: by its reference");
}

# --- what is on its way, and what is ours

put($t, 'busy/there', 'x');
my @busy = map {
    my $conn = $t->connect;
    $conn->send("$_ HTTP/1.1\r\nHost: x\r\nContent-Type: a/b\r\n"
        . "Content-Length: 100000\r\n\r\n" . 'x' x 50_000);
    $conn;
} 'PUT /workspaces/busy/coming', 'POST /artifacts/?name=coming.txt';
ok(until_true(sub { my @temp = glob "$own/tmp-*"; @temp > 0 }, 3),
   'content on its way');
spew("$dir/busy.meta.json.corrupt-1", 'x');
my $body = join '', map { $t->get($_)->body } '/workspaces/', '/artifacts/',
    '/workspaces/busy/', '/workspaces/?recursive=1';
unlike($body, qr/coming|tmp-|\.artifact|corrupt-1|\.journal|meta\.json/,
       'is not listed, nor is any file of the module');
error_is($t->get("/workspaces/.artifact$_"), 404, 'workspace_not_bound',
         undef, "no listing of .artifact$_") for '', '/';
$_->close for @busy;

# --- methods

for my $case (['POST', '/workspaces/', 'GET, HEAD'],
              ['PUT', '/workspaces/', 'GET, HEAD'],
              ['DELETE', '/workspaces/', 'GET, HEAD'],
              ['POST', '/workspaces/busy/', 'GET, HEAD, PUT, DELETE'],
              ['POST', '/workspaces/busy/there', 'GET, HEAD, PUT, DELETE'],
              ['PUT', '/readonly/busy/there', 'GET, HEAD'],
              ['POST', '/readonly/', 'GET, HEAD'],
              ['PUT', '/artifacts/', 'GET, HEAD, POST'],
              ['POST', '/artifacts/some', 'GET, HEAD'])
{
    my ($method, $uri, $allow) = @$case;
    my $res = $t->req($method, $uri, body => 'x',
                      headers => ['Content-Type' => 'a/b']);
    error_is($res, 405, 'method_not_allowed', undef, "$method $uri");
    header_is($res, 'Allow', $allow, "$method $uri: what is allowed");
}
is($t->get('/artifacts/')->{status}, 200, 'GET of the place of POST');
is($t->head('/workspaces/')->{status}, 200, 'HEAD of all workspaces');
like(put($t, 'busy/folder/', 'x')->{status}, qr/^4(?:00|09)$/,
     'PUT of a folder');
is($t->get('/workspaces/busy')->{status}, 301, 'a workspace is redirected');

# --- a page of a large workspace

put($t, 'large/file-00000.txt', 'first', type => 'text/x-first');
ok(folded('large'), 'the large workspace is folded');
my $size = -s "$dir/large.meta.json";
cmp_ok($size, '>', 5_000_000, 'its document is large');
ok(scalar(grep { -s } glob "$own/large.index*"), 'and has an index');

sub bytes_read {
    my ($uri, $count, $what) = @_;

    my ($worker) = $t->workers;
    my $read = sub {
        open my $fh, '<', "/proc/$worker/io" or return;
        my ($n) = do { local $/; <$fh> } =~ /^rchar: (\d+)/;
        return $n;
    };
    my $before = $read->();
    my $started = time;
    my $list = list($uri);
    my $took = time - $started;
    my $bytes = defined $before ? $read->() - $before : undef;

    is($list->{count}, $count, "$what: a page");
    is(join(' ', map { $_->{mimeType} } @{ $list->{entries} }[-2, -1]),
       join(' ', map { 'text/x-' . ($count - $_) } 2, 1), "$what: with types");
    note(sprintf '%s: %s bytes read, %.1f ms', $what, $bytes // 'unknown',
         $took * 1000);
    return $bytes;
}

SKIP: {
    my $one = bytes_read('/workspaces/large/?limit=100', 100, 'by the index');
    my $all = bytes_read('/workspaces/large/?limit=1000', 1000,
                         'a thousand by the index');
    skip 'what a worker reads is not told here', 9 unless defined $one;

    # an entry takes a slot, a bucket of a few hundred bytes, and itself

    cmp_ok($one, '<', 100 * 1500, 'a page reads what it shows');
    cmp_ok($all, '<', 1000 * 1500, 'a long one, too');
    put($t, 'large/file-00001.txt', 'x', type => 'text/x-1');
    cmp_ok(bytes_read('/inline/large/?limit=100', 100, 'before the fold'),
           '<', 100 * 1500 + $size / 10, 'and a journal');
    folded('large');
    unlink glob "$own/large.index*" or die "unlink: $!";
    my $none = bytes_read('/workspaces/large/?limit=1000', 1000,
                          'without an index');
    cmp_ok($none, '>=', $size, 'without an index all of it is read');
    cmp_ok($none, '<', 1.2 * $size, 'but once');
}

# What can be written can be listed, however deep.

my $deepest = join '/', ('d') x 127, 'f.txt';
is(put($t, "deepest/$deepest", 'x')->status, 201, '127 folders deep');
is(join(' ', map { $_->{path} } @{ json_of(
       $t->get('/workspaces/deepest/?recursive=1'))->{entries} }),
   $deepest, 'and in the listing of the tree');
is(put($t, "deepest/d/$deepest", 'x')->status, 400, 'not deeper');

$t->allow(qr/artifact metadata "(?:corrupt|empty|folder)\.meta\.json"/);
$t->finish;
