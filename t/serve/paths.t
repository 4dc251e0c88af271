#!/usr/bin/perl

# Workspace files by path: the same content as by id, what is not found,
# and names of every kind.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactTest;
use IO::Socket::UNIX;
use POSIX qw(mkfifo);

my $t = ArtifactTest->new(user => 'nobody nogroup');
my $dir = $t->data . '/workspaces/w1';

my %names = (
    'plain.txt' => 'a plain name',
    'a b.txt' => 'a name with a space',
    q{q"uo'te.txt} => 'a name with quotes',
    'back\\slash.txt' => 'a name with a backslash',
    '..hidden' => 'a name that starts with two dots',
    '.hidden' => 'a name that starts with a dot',
    '...' => 'a name of three dots',
    'a/..b' => 'a nested name that starts with two dots',
    'percent%41.txt' => 'a name with a percent sign',
    'plus+and=.txt' => 'a name with plus and equals',
    'quest?ion#.txt' => 'a name with ? and #',
    "new\nline.txt" => 'a name with a line feed',
    'deep/er/and/deeper/file' => 'a nested name',
    'x.meta' => 'a name like a sidecar',
    'w1.meta.json' => 'a name like the workspace sidecar',
    'metadata' => 'a file called metadata',
    'src/metadata' => 'a nested file called metadata',
    bytes('中文/文件.txt') => 'a name in Chinese',
    'emoji-' . bytes("\x{1f600}") => 'a name with an emoji',
    'n' x 255 => 'a name of 255 bytes',
);

for my $name (keys %names) {
    $t->workspace_file('w1', $name, "content of $names{$name}");
}
$t->workspace_file('secret', 'a.txt', 'no way in');
$t->artifact('locked', 'no way in', { type => 'text/plain' });

mkfifo("$dir/fifo", 0644) or die "mkfifo: $!";
my $socket = IO::Socket::UNIX->new(Local => "$dir/socket", Listen => 1)
    or die "socket: $!";
symlink '/dev/zero', "$dir/zero" or die "symlink: $!";
mkdir "$dir/folder" or die "mkdir: $!";
mkdir "$dir/closed" or die "mkdir: $!";
spew("$dir/closed/file", 'no way in');
spew("$dir/unreadable.txt", 'no way in');
chmod 0, "$dir/closed", "$dir/unreadable.txt",
    $t->data . '/artifacts/locked' or die "chmod: $!";
spew($t->data . '/workspaces/plainfile', 'not a folder');

$t->allow(qr/\(13: Permission denied\)/);
$t->start;

for my $name (sort keys %names) {
    my $by_path = $t->get('/workspaces/w1/' . uri($name));
    my $by_id = $t->get('/artifacts/' . ws_id('w1', $name));
    is("$by_path->{status} $by_path->{body}",
       "200 content of $names{$name}", "$names{$name}, by path");
    is("$by_id->{status} $by_id->{body}",
       "200 content of $names{$name}", "$names{$name}, by id");
}

my $name = bytes('中文/文件.txt');
my $by_path = $t->accept('text', '/workspaces/w1/' . uri($name));
my $by_id = $t->accept('text', '/artifacts/' . ws_id('w1', $name));
is($by_path->body, $by_id->body, 'the same routed answer by path and by id');
my $meta = json_of($by_path)->{metadata};
is($meta->{id}, ws_id('w1', $name), 'the id of a file read by path');
is($meta->{workspaceId}, 'w1', 'its workspaceId');
is($meta->{relativePath}, '中文/文件.txt', 'its relativePath');
is($meta->{filename}, '文件.txt', 'its filename');

is($t->get('/workspaces/w1/./src/../plain.txt')->body,
   "content of $names{'plain.txt'}", 'nginx resolves dots of a URL');
is($t->get('/workspaces/w1//plain.txt')->body,
   "content of $names{'plain.txt'}", 'nginx merges slashes of a URL');
$meta = json_of($t->accept('text', '/artifacts/'
    . ws_id('w1', 'a/./../plain.txt')))->{metadata};
is($meta->{relativePath}, 'plain.txt', 'the path of an answer is resolved');

# what is not there

error_is($t->get('/workspaces/nope/a'), 404, 'workspace_not_bound', 'nope/a',
         'a missing workspace');
error_is($t->get('/workspaces/plainfile/a'), 404, 'workspace_not_bound',
         undef, 'a workspace that is a file');
error_is($t->get('/workspaces/w1/nope'), 404, 'artifact_not_found', 'w1/nope',
         'a missing file');
error_is($t->get('/workspaces/w1/' . uri(bytes('没有'))), 404,
         'artifact_not_found', bytes('w1/没有'),
         'the reference of an error is decoded');
error_is($t->get('/workspaces/w1/plain.txt/x'), 404, 'artifact_not_found',
         undef, 'a file used as a folder');
error_is($t->get('/workspaces/w1/'), 404, 'artifact_not_found', undef,
         'an empty path');
error_is($t->get('/workspaces/w1'), 404, 'artifact_not_found', undef,
         'no path');
error_is($t->get('/workspaces/w1/folder'), 404, 'artifact_not_found', undef,
         'a folder');
error_is($t->get('/workspaces/w1/folder/'), 404, 'artifact_not_found', undef,
         'a folder with a slash');
error_is($t->get('/workspaces/w1/fifo'), 404, 'artifact_not_found', undef,
         'a FIFO');
error_is($t->get('/workspaces/w1/socket'), 404, 'artifact_not_found', undef,
         'a socket');
error_is($t->get('/workspaces/w1/zero'), 404, 'artifact_not_found', undef,
         'a link to a device');
error_is($t->accept('file', '/workspaces/w1/fifo'), 404,
         'artifact_not_found', undef, 'a FIFO, routed');
error_is($t->get('/workspaces/w1/' . 'n' x 256), 404, 'artifact_not_found',
         undef, 'a name too long for the file system');
error_is($t->get('/workspaces/w1/' . uri("bad\xff")), 400,
         'invalid_artifact_id', undef, 'a path that is not UTF-8');
error_is($t->get('/workspaces/w%01/a'), 400, 'invalid_artifact_id', undef,
         'a workspace with a control character');
error_is($t->get('/workspaces/' . 'x' x 256 . '/a'), 400,
         'invalid_artifact_id', undef, 'a workspace name of 256 bytes');

# what may not be opened

for my $case (['an unreadable file', '/workspaces/w1/unreadable.txt'],
              ['an unreadable artifact', '/artifacts/locked'],
              ['a file in a closed folder', '/workspaces/w1/closed/file'])
{
    my ($what, $uri) = @$case;
    my $res = $t->get($uri);
    error_is($res, 403, 'permission_denied', undef, $what);
    error_is($t->accept('text, file', $uri), 403, 'permission_denied', undef,
             "$what, routed");
    unlike($res->body, qr/no way in/, "$what stays unread");
}

# so that the test can clean up after itself

chmod 0755, "$dir/closed" or die "chmod: $!";

$t->finish;
