#!/usr/bin/perl

# DELETE of workspace files.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactTest;
use ArtifactWrite;

my $t = ArtifactTest->new;
my $data = $t->data;
my $dir = "$data/workspaces";
my $w1 = "$dir/w1";

my %file = (
    'a.txt' => 'a', 'src/deep/b.txt' => 'b', 'bare.txt' => 'no entry',
    bytes('中文/文件.txt') => 'c', 'x.meta.json' => 'd', 'q"x' => 'e',
    'stays.txt' => 'stays', "new\nline" => 'f', 'back\\slash' => 'g',
);
$t->workspace_file('w1', $_, $file{$_}) for keys %file;
my %entry = map { $_ => 1 } grep { $_ ne 'bare.txt' } keys %file;
$t->workspace_meta('w1', { map {
    chars($_) => { mimeType => 'text/x-of', createdAt =>
                   '2024-01-01T00:00:00.000Z', tag => chars($_),
                   modifiedBy => [{ agentId => 'x' }] }
} keys %entry });
$t->workspace_file('w2', 'a.txt', 'other');
$t->workspace_file('off', 'a.txt', 'old');
mkdir "$data/outside" or die "mkdir: $!";
spew("$data/outside/a.txt", 'outside');
spew("$dir/plainfile", 'no folder');
$t->artifact('art', 'artifact', { type => 'text/plain' }, '.txt');

for my $link (['../../outside', "$w1/out"], ['../w2', "$w1/other"],
              ['src', "$w1/in"], ['../../outside/a.txt', "$w1/outfile"],
              ["$data/outside/a.txt", "$w1/absfile"], ['w2', "$dir/linked"])
{
    symlink $link->[0], $link->[1] or die "symlink: $!";
}

$t->start(server => write_server(<<'SERVER'));
    rewrite ^/rw$ /workspaces/$arg_p;

    location /off/ {
        artifact_workspace;
        artifact_write off;
    }
SERVER

# what is refused

my $before = files_of($t, metadata => 1);

sub refused {
    my ($name, $uri, $status, $code, $ref) = @_;

    my $res = $t->req('DELETE', $uri);
    error_is($res, $status, $code, $ref, $name);
    nothing_changed($t, $before, $name, metadata => 1);
    return $res;
}

refused('a missing file', '/workspaces/w1/none', 404, 'artifact_not_found',
        'w1/none');
refused('a missing folder', '/workspaces/w1/none/x', 404,
        'artifact_not_found');
refused('a missing workspace', '/workspaces/none/x', 404,
        'workspace_not_bound', 'none/x');
refused('a workspace that is a file', '/workspaces/plainfile/x', 404,
        'workspace_not_bound');
refused('a folder', '/workspaces/w1/src', 409, 'conflict', 'w1/src');
refused('a folder with a slash', '/workspaces/w1/src/', qr/^4(0[049])$/,
        undef);
refused('a file with a slash', '/workspaces/w1/a.txt/', qr/^4(0[049])$/,
        undef);
refused('a file used as a folder', '/workspaces/w1/a.txt/x', 404,
        'artifact_not_found');
refused('a name of 256 bytes', '/workspaces/w1/' . 'n' x 256,
        qr/^40[04]$/, undef);
for my $uri ('/workspaces/w1', '/workspaces/w1/', '/workspaces/') {
    refused("no file, $uri", $uri, qr/^4\d\d$/, undef);
}
refused('the metadata of a workspace', '/workspaces/w1.meta.json',
        qr/^4\d\d$/, undef);
refused('a path that is not UTF-8', '/workspaces/w1/a%ff', 400,
        'invalid_artifact_id');
for my $path ('../w2/a.txt', '../../outside/a.txt', '../w1.meta.json') {
    refused("the path $path", "/rw?p=w1/$path", 403,
            'path_traversal_blocked');
}
refused("the path $_", "/workspaces/w1/$_", qr/^40[34]$/, undef)
    for qw(out/a.txt other/a.txt in/deep/b.txt);
refused('a file in a linked workspace', '/workspaces/linked/a.txt',
        qr/^40[34]$/, undef);
my $res = refused('writing is off', '/off/off/a.txt', 405,
                  'method_not_allowed', 'off/a.txt');
header_is($res, 'Allow', 'GET, HEAD', 'what is allowed');
refused('an artifact', '/artifacts/art', 405, 'method_not_allowed', 'art');
refused('a workspace file by its id', '/artifacts/' . ws_id('w1', 'a.txt'),
        405, 'method_not_allowed');

# links as such: what they name is untouched

for my $link (qw(outfile absfile)) {
    my $res = $t->req('DELETE', "/workspaces/w1/$link");
    like($res->{status}, qr/^(200|40[349])$/, "the link $link");
    is(slurp("$data/outside/a.txt"), 'outside', "what $link names stays");
    unlink "$w1/$link";
}

# what is done

for my $name (grep { $_ ne 'stays.txt' } sort keys %file) {
    my $label = bytes(chars($name) =~ s/[^ -~]/?/gr);
    my $at = $name =~ /\w\.txt/ ? '/workspaces/' : '/inline/';
    my $res = remove($t, "w1/$name", at => $at, agent => 'a');
    is(answer_problems($res, 200, "w1/$name"), '', "$label is deleted");
    ok(!-e "$w1/$name", "$label is gone");
    is($t->get('/workspaces/w1/' . uri($name))->{status}, 404,
       "$label is not found by path");
    is($t->get('/artifacts/' . ws_id('w1', $name))->{status}, 404,
       "$label is not found by id");
    is($t->get('/artifacts/' . ws_id('w1', $name) . '/metadata')->{status},
       404, "nor is $label\'s metadata");
    error_is(remove($t, "w1/$name", at => $at), 404, 'artifact_not_found',
             "w1/$name", "$label cannot be deleted twice");
}
ok(until_true(sub {
    join(' ', keys %{ disk_meta($t, 'w1')->{files} }) eq 'stays.txt'
}, 2), 'the entries are gone from the metadata');
is(disk_entry($t, 'w1/stays.txt')->{tag}, 'stays.txt', 'another one stays');
ok(-d "$w1/src/deep", 'empty folders stay');
is(slurp("$w1/stays.txt"), 'stays', 'another file stays');

# again and again

my @life;
for my $n (1 .. 20) {
    my $agent = "agent-$n";
    written(put($t, 'w1/phoenix', "life $n", agent => $agent,
                type => "text/x-$n"), 201, 'w1/phoenix', "life $n begins");
    my $meta = metadata_at($t, 'w1/phoenix');
    is(join(' ', map { $_->{agentId} } @{ $meta->{meta}{modifiedBy} }),
       $agent, "life $n has a history of its own");
    is($meta->{mimeType}, "text/x-$n", "life $n has its type");
    push @life, $meta->{createdAt};
    select undef, undef, undef, 0.6 if $n == 10;
    is(remove($t, 'w1/phoenix', at => $n % 2 ? '/inline/' : '/workspaces/')
       ->{status}, 200, "life $n ends");
}
is_deeply([sort @life], \@life, 'createdAt goes on');
ok(until_true(sub { !disk_entry($t, 'w1/phoenix') }, 2),
   'the last entry is gone');
put($t, 'w1/phoenix', 'at last', agent => 'z');
my $entry = entry_when($t, 'w1/phoenix', sub { 1 }, 2);
is($entry && @{ $entry->{modifiedBy} }, 1, 'a new one begins');

# a body, a connection

my $conn = $t->connect;
for my $n (1 .. 3) {
    put($t, 'w1/body', 'x', conn => $conn);
    my $res = remove($t, 'w1/body', conn => $conn, body => 'y' x 5000);
    is("$res->{status} $res->{trailing}", '200 0', 'DELETE with a body');
    $res = remove($t, 'w1/body', conn => $conn, body => 'y' x 5000);
    is("$res->{status} $res->{trailing}", '404 0', 'refused with a body');
}
$conn->send("DELETE /workspaces/w1/stays.txt HTTP/1.1\r\nHost: x\r\n"
    . "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n");
is($conn->response('DELETE')->{status}, 200, 'DELETE with a chunked body');
is($conn->request('GET', '/workspaces/w1/phoenix', keep => 1)->body,
   'at last', 'the connection goes on');

$t->finish;
