#!/usr/bin/perl

# What a write is refused for: the right error, nothing changed, nothing left
# behind, and a connection that goes on.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactTest;
use ArtifactWrite;

my $t = ArtifactTest->new;
my $data = $t->data;
my $w1 = "$data/workspaces/w1";

$t->workspace_file('w1', 'file.txt', 'old');
$t->workspace_file('w1', 'src/inner.txt', 'inner');
$t->workspace_file('w2', 'a.txt', 'other');
mkdir "$data/outside" or die "mkdir: $!";
spew("$data/outside/a.txt", 'outside');
spew("$data/workspaces/plainfile", 'no folder');
$t->artifact('art', 'artifact', { type => 'text/plain' }, '.txt');

for my $link (['../../outside', "$w1/out"], ["$data/outside", "$w1/abs"],
              ['../w2', "$w1/other"], ['src', "$w1/in"],
              ['../../outside/a.txt', "$w1/outfile"],
              ['nowhere', "$w1/dangling"], ['../../outside/new', "$w1/new"],
              ['..', "$w1/up"],
              ['w2', "$data/workspaces/linked"],
              ['../outside', "$data/workspaces/away"])
{
    symlink $link->[0], $link->[1] or die "symlink: $!";
}

$t->start(server => write_server(<<'SERVER'));
    merge_slashes off;
    rewrite ^/rw$ /workspaces/w1/$arg_p;

    location /off/ {
        artifact_workspace;
        artifact_write off;
    }
    location /en/ {
        artifact_workspace;
        artifact_language en;
    }
    location /limit/ {
        artifact_workspace;
        client_max_body_size 1000;
        aio threads;
    }
    location /rewritten/ {
        artifact_workspace;
        rewrite ^/rewritten/(.*)$ /rewritten/$arg_p break;
    }
    location /no-root/ {
        artifact_workspace;
        artifact_root $arg_none;
    }
SERVER

my $before = files_of($t, metadata => 1);
my $body = 'x' x 5000;

# A refused write: path as it stands in the URI, the status, the code, and
# options of the request.

sub refused {
    my ($name, $uri, $status, $code, %opt) = @_;

    my $method = delete $opt{method} || 'PUT';
    my $res = $t->req($method, $uri, body => $body,
                      headers => [write_headers(%opt)]);
    error_is($res, $status, $code, $opt{ref}, $name);
    unchanged($name);
    return $res;
}

sub unchanged {
    my ($name) = @_;
    nothing_changed($t, $before, $name, metadata => 1);
}

# headers

refused('no Content-Type', '/workspaces/w1/file.txt', 400,
        'missing_mime_type', type => undef, ref => 'w1/file.txt');
refused('an empty Content-Type', '/workspaces/w1/file.txt', 400,
        'missing_mime_type', type => '');
refused('no Content-Type, a new file', '/workspaces/w1/a/b/c', 400,
        'missing_mime_type', type => undef);
refused('no Content-Type, a new workspace', '/workspaces/fresh/a', 400,
        'missing_mime_type', type => undef);
refused('Content-Range', '/workspaces/w1/file.txt', 400,
        'invalid_range', headers => ['Content-Range' => 'bytes 0-4999/10000']);
refused('Content-Range, a new file', '/workspaces/w1/a/b', 400,
        'invalid_range', headers => ['Content-Range' => 'bytes 0-4999/10000']);

# sizes

refused('a body over the limit', '/limit/w1/file.txt', 413,
        'content_too_large', ref => 'w1/file.txt');
my $conn = $t->connect;
$conn->send("PUT /limit/w1/chunked HTTP/1.1\r\nHost: x\r\nContent-Type: a/b\r\n"
    . "Transfer-Encoding: chunked\r\n\r\n"
    . ("1f4\r\n" . 'y' x 500 . "\r\n") x 5 . "0\r\n\r\n");
error_is($conn->response('PUT'), 413, 'content_too_large', undef,
         'a chunked body over the limit');
unchanged('a chunked body over the limit');

# names

my %bad_workspace = (
    'a leading dot' => '.hidden', 'a dot at the end' => 'x.',
    'a space' => 'a b', 'a plus' => 'a+b', 'Chinese' => bytes('工作区'),
    'a quote' => 'a"b', 'a backslash' => 'a\\b', 'a percent sign' => 'a%b',
    'the name of metadata' => 'w1.meta.json',
    'the name of metadata in capitals' => 'Other.META.Json',
    'no room for its metadata' => 'x' x 246,
    '255 bytes' => 'x' x 255,
);
for my $what (sort keys %bad_workspace) {
    my $ws = $bad_workspace{$what};
    refused("a new workspace with $what", '/workspaces/' . uri($ws) . '/f',
            400, 'invalid_name', ref => "$ws/f");
}
for my $case (['256 bytes', 'x' x 256], ['a control character', 'w%01'],
              ['an invalid byte', 'w%ff'])
{
    refused("a workspace of $case->[0]", "/workspaces/$case->[1]/f", 400,
            'invalid_artifact_id');
}
refused('the service folder as a workspace', '/workspaces/.artifact/lock',
        400, undef);
refused('its temporary files', '/workspaces/.artifact/tmp-x/y', 400, undef);
refused('a name of 256 bytes', '/workspaces/w1/' . 'n' x 256, 400,
        'invalid_name');
refused('a folder name of 256 bytes', '/workspaces/w1/' . 'n' x 256 . '/f',
        400, 'invalid_name');
refused('a path over the system\'s limit',
        '/workspaces/w1/' . 'd/' x 2100 . 'f', 400, undef);
refused('a name that is not UTF-8', '/workspaces/w1/bad%ff', 400,
        'invalid_artifact_id');

# paths

for my $path ('../../outside/a.txt', '../w2/a.txt', 'src/../../x',
              '/nonexistent/x', '..')
{
    refused("the path $path", "/rewritten/x?p=w1/$path", 403,
            'path_traversal_blocked');
    refused("the path $path in another location", "/rw?p=$path", 403,
            'path_traversal_blocked');
}
refused('an absolute path', '/workspaces/w1//nonexistent/y', 403,
        'path_traversal_blocked');
for my $uri ('/workspaces/../outside/a.txt', '/workspaces/%2e%2e/outside/x',
             '/workspaces/w1/..%2f..%2foutside%2fx', '/../../x/y')
{
    my $res = $t->req('PUT', $uri, body => 'x',
                      headers => ['Content-Type' => 'a/b']);
    like($res->{status}, qr/^40[0-9]$/, "$uri is refused");
    unchanged($uri);
}
for my $uri ('/workspaces/', '/workspaces/w1', '/workspaces/w1/',
             '/workspaces/fresh', '/workspaces/fresh/')
{
    my $res = $t->req('PUT', $uri, body => 'x',
                      headers => ['Content-Type' => 'a/b']);
    like($res->{status}, qr/^4\d\d$/, "$uri names no file");
    error_is($res, $res->{status}, undef, undef, "$uri: the error");
    unchanged($uri);
}

# what is in the way

my $res = refused('a folder in the way', '/workspaces/w1/src', 409,
                  'conflict', ref => 'w1/src');
refused('a file as a folder', '/workspaces/w1/file.txt/x', 409, 'conflict');
refused('a file far above', '/workspaces/w1/file.txt/x/y/z', 409,
        'conflict');
for my $uri ('/workspaces/w1/src/', '/workspaces/w1/new/',
             '/workspaces/w1/file.txt/', '/workspaces/w1', '/workspaces/w1/',
             '/workspaces/none', '/workspaces/none/')
{
    my $res = refused("no name at the end of $uri", $uri, 400, 'invalid_name');
    like(chars($res->{body}), qr/路径没有文件名/,
         "what is wrong with $uri");
}
$res = $t->req('PUT', '/workspaces/plainfile/x', body => 'x',
               headers => ['Content-Type' => 'a/b']);
error_is($res, 409, 'conflict', undef, 'a workspace that is a file');
unchanged('a workspace that is a file');

# links

for my $path (qw(out/a.txt out/new out/deep/new abs/a.txt other/a.txt
                 other/b.txt in/inner.txt in/new up/w2/a.txt up/x
                 dangling/x new/x src/../out/a.txt))
{
    refused("a link in the path $path", "/rewritten/x?p=w1/$path", 403,
            'path_traversal_blocked');
}
for my $ws (qw(linked away)) {
    for my $file (qw(a.txt new deep/new)) {
        my $res = $t->req('PUT', "/workspaces/$ws/$file", body => 'x',
                          headers => ['Content-Type' => 'a/b']);
        like($res->{status}, qr/^40[0349]$/,
             "$ws/$file in a workspace that is a link is refused");
        unchanged("$ws/$file");
    }
}

# methods

$res = refused('writing is off', '/off/w1/file.txt', 405,
               'method_not_allowed', ref => 'w1/file.txt');
header_is($res, 'Allow', 'GET, HEAD', 'off: what is allowed');
$res = refused('writing is off, no such file', '/off/w1/new', 405,
               'method_not_allowed');
for my $method (qw(POST PATCH MKCOL MOVE OPTIONS)) {
    my $res = refused("$method of a file", '/workspaces/w1/file.txt', 405,
                      'method_not_allowed', method => $method);
    is_deeply([sort split /, ?/, $res->header('Allow') // ''],
              [qw(DELETE GET HEAD PUT)], "$method: what is allowed");
}
for my $uri ('/artifacts/art', '/artifacts/new',
             '/artifacts/' . ws_id('w1', 'file.txt'))
{
    my $res = refused("PUT $uri", $uri, 405, 'method_not_allowed');
    unlike($res->header('Allow') // '', qr/PUT/, "$uri: is not allowed");
}
refused('a root that is empty', '/no-root/w1/a', qr/^(404|500)$/, undef);

# words

for my $case (['file.txt', undef], ['src', 'a/b'], ['n' x 256, 'a/b']) {
    my ($path, $type) = @$case;
    my ($zh, $en) = map {
        json_of($t->req('PUT', "/$_/w1/$path", body => 'x', headers =>
                        [defined $type ? ('Content-Type' => $type) : ()]))
    } qw(workspaces en);
    like($zh->{message}, qr/\p{Han}{3}/, "$zh->{error} in Chinese");
    like($en->{message}, qr/\A[\x20-\x7e]{5,}\z/, "$en->{error} in English");
}

# the connection goes on

$conn = $t->connect;
for my $case (['/workspaces/w1/src', 409, 'a/b'],
              ['/workspaces/w1/file.txt', 400, undef],
              ['/limit/w1/file.txt', 413, 'a/b'],
              ['/off/w1/file.txt', 405, 'a/b'],
              ['/workspaces/w1/out/x', 403, 'a/b'])
{
    my ($uri, $status, $type) = @$case;
    for my $n (1, 2) {
        $conn = $t->connect if $conn->{eof} || $conn->{error};
        my $res = $conn->request('PUT', $uri, keep => 1, body => $body,
            headers => [defined $type ? ('Content-Type' => $type) : ()]);
        is($res->{status}, $status, "$status on a connection that is kept");
        is($res->{trailing}, 0, "$status leaves nothing on it");
        if (lc($res->header('Connection') // '') eq 'close') {
            ok($conn->at_end, "$status: closed as announced");
            $conn = $t->connect;
        }
        is($conn->request('GET', '/workspaces/w1/file.txt', keep => 1)->body,
           'old', "$status: it goes on");
    }
}
unchanged('all of this');

# a service folder, once it is there, is nobody's

put($t, 'w1/file.txt', 'new');
put($t, 'w1/file.txt', 'newer');
for my $name (qw(lock w1.journal w1.folding w1.index tmp-x)) {
    for my $uri ("/workspaces/.artifact/$name",
                 '/artifacts/' . ws_id('.artifact', $name),
                 "/artifacts/.artifact/$name", '/artifacts/.artifact')
    {
        my $res = $t->get($uri);
        like($res->{status}, qr/^40[034]$/, "$uri is not read");
    }
    my $res = $t->req('DELETE', "/workspaces/.artifact/$name");
    like($res->{status}, qr/^40[0345]$/, "$name is not deleted");
}

$t->finish;
