#!/usr/bin/perl

# Contents stay open under the rules of open_file_cache: how long, how many,
# after how many uses, and errors only where asked for.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use File::Path qw(make_path);
use Time::HiRes qw(sleep);

my $t = ArtifactTest->new;
my $store = $t->data . '/artifacts';
my $png = png(20, 20);

# Puts another file, or a .meta, in the place of one, as writers do.

sub replace {
    my ($path, $content) = @_;
    spew("$path.new", $content);
    rename "$path.new", $path or die "rename: $!";
}

# Files of the data root that the worker has open.

sub held {
    my ($pid) = $t->workers;
    my $data = $t->data;
    return grep { (readlink // '') =~ /^\Q$data\E/ } glob "/proc/$pid/fd/*";
}

for my $id (qw(kept brief counted long errors big link)) {
    $t->artifact($id, "$id one", { type => 'text/plain', name => "$id.txt" });
}
$t->artifact("many$_", "content $_", { type => 'text/plain' }) for 1 .. 40;
$t->artifact('png', $png, { type => 'text/plain' });
$t->artifact('wide', 'one', { type => 'text/plain', meta => { k => 'x' x 9000 },
                              name => 'wide.txt' });
$t->artifact('odd', 'odd', { name => 'odd.zz' });
$t->artifact('latin', "d\xe9j\xe0 vu",
             { type => 'text/plain; charset=iso-8859-1' });
$t->artifact('moved', 'moved one', { type => 'text/plain' });
truncate "$store/big", 300_000 or die $!;
$t->workspace_file('w', 'a.txt', 'ws one');
$t->workspace_meta('w', { 'a.txt' => { mimeType => 'text/markdown' } });

symlink 'kept', "$store/pointer" or die $!;
$t->artifact('pointer', undef, { type => 'text/plain' });

make_path($t->prefix . '/other/artifacts');
spew($t->prefix . '/other/artifacts/kept', 'another root');

$t->start(server => <<'SERVER');
    artifact_root %%DATA%%;
    artifact_route on;
    open_file_cache max=20 inactive=30s;
    open_file_cache_valid 30s;

    location /artifacts/ {
        artifact;
    }
    location /workspaces/ {
        artifact_workspace;
        open_file_cache_errors on;
    }
    location /brief/ {
        artifact;
        open_file_cache max=20 inactive=30s;
        open_file_cache_valid 1s;
    }
    location /counted/ {
        artifact;
        open_file_cache max=20 inactive=30s;
        open_file_cache_min_uses 3;
    }
    location /idle/ {
        artifact;
        open_file_cache max=20 inactive=1s;
    }
    location /few/ {
        artifact;
        open_file_cache max=5 inactive=30s;
    }
    location /errors/ {
        artifact;
        open_file_cache_errors on;
    }
    location /direct/ {
        artifact;
        directio 200000;
    }
    location /nolinks/ {
        artifact;
        disable_symlinks on;
    }
    location /other/ {
        artifact;
        artifact_root %%PREFIX%%/other;
    }
    location /mine/ {
        artifact;
        artifact_root %%PREFIX%%/$arg_root;
    }
    location /off/ {
        artifact;
        open_file_cache off;
    }
    location /described/ {
        artifact;
        artifact_description "no $arg_why";
    }
    location /tool/ {
        artifact;
        artifact_format $arg_format;
    }
    location /cut/ {
        artifact;
        artifact_text_max 4;
    }
    location /typed/ {
        artifact;
        types {
            application/x-one zz;
        }
    }
    location /trusting/ {
        artifact;
        artifact_verify off;
    }
    location /version/ {
        artifact;
        open_file_cache max=20 inactive=30s;
        open_file_cache_valid 1s;
        add_header X-Version $artifact_version;
    }
    location /version/off/ {
        artifact;
        open_file_cache off;
        add_header X-Version $artifact_version;
    }
SERVER


# the same answers from a kept content as from one just opened; the length of
# a short one is known then

for my $case (['', 'raw'], ['text', 'text'], ['vision', 'an image']) {
    my ($caps, $name) = @$case;
    my @header = length $caps ? ('X-LLM-Capabilities' => $caps) : ();

    for my $uri (qw(artifacts/png artifacts/kept artifacts/wide)) {
        my $want = $t->get("/off/" . $uri =~ s/^artifacts\///r, @header);
        for my $round (1 .. 3) {
            my $res = $t->get("/$uri", @header);
            my @got = map { [$_->status, $_->body, map { $_ // '' }
                $_->{head} =~ /^((?:ETag|Content-(?!Length)|Last-|Vary).*?)\r?$/mg] }
                $res, $want;
            is_deeply($got[0], $got[1], "$uri, $name, round $round");
        }
    }
}

my $res = $t->get('/artifacts/kept', Range => 'bytes=1-3');
is($res->status . $res->body, '206ept', 'a range of a kept content');
my $etag = $t->get('/artifacts/kept')->header('ETag');
is($t->get('/artifacts/kept', 'If-None-Match' => $etag)->status, 304,
   'not modified');
is($t->head('/artifacts/kept')->header('Content-Length'), 8, 'HEAD');
is(json_of($t->get('/artifacts/wide/metadata'))->{meta}{k}, 'x' x 9000,
   'metadata is never short of anything');


# what was rendered for one reader is not another's

my @readers = ('text', 'vision', 'file', 'audio, file', 'text, vision, file',
               'video', 'pdf');
my %want = map { $_ => $t->accept($_, '/off/png')->body } @readers;
is(scalar(keys %{{ reverse %want }}), 2, 'two kinds of answers');
for my $caps (@readers, reverse @readers) {
    is($t->accept($caps, '/artifacts/png')->body, $want{$caps},
       "the answer for \"$caps\"");
}

for my $why (qw(one two)) {
    my $data = json_of($t->accept('text', "/described/png?why=$why"));
    is($data->{content}, "no $why", "described with a variable, $why");
}

for my $id (qw(c1 c2 c1)) {
    my $data = json_of($t->accept('vision',
        "/tool/png?format=tool_message&tool_call_id=$id"));
    is($data->{tool_call_id}, $id, "tool call $id");
}
is(json_of($t->accept('vision', '/tool/png?format=route'))->{routing},
   'image_url', 'another format');

for my $round (1 .. 3) {
    my $data = json_of($t->accept('text', '/cut/kept'));
    is($data->{content} . ($data->{metadata}{truncated} // 0), 'kept1',
       "a text that is cut, $round");
}


# nor is a location's verdict, with its types, or on declared types, another's

for my $round (1 .. 3) {
    is($t->get('/artifacts/odd')->header('Content-Type'), 'text/plain',
       "by its bytes, $round");
    is($t->get('/typed/odd')->header('Content-Type'), 'application/x-one',
       "by a location's types, $round");
    is(json_of($t->accept('vision', '/artifacts/png'))->{routing},
       'image_url', "verified, $round");
    is(json_of($t->accept('vision', '/trusting/png'))->{contentType}, 'text',
       "trusted, $round");
    is(json_of($t->accept('text', '/artifacts/latin'))->{content},
       chars("d\xc3\xa9j\xc3\xa0 vu"), "in a charset that is declared, $round");
}


# versions

my $version = $t->get('/version/off/moved')->header('X-Version');
is($t->get('/version/moved')->header('X-Version'), $version,
   "the version, $_") for 1 .. 3;
replace("$store/moved", 'moved two');
sleep 2.1;
isnt($t->get('/version/moved')->header('X-Version'), $version,
     "another version, $_") for 1 .. 2;
is($t->get('/version/moved')->header('X-Version'),
   $t->get('/version/off/moved')->header('X-Version'), 'that of the file');


# as long as it is valid, and no longer

replace("$store/kept", 'kept two, longer');
replace("$store/brief", 'brief 2');
$t->get('/brief/brief');
is($t->get('/artifacts/kept')->body, 'kept one', 'valid: what was opened');
is($t->get('/off/kept')->body, 'kept two, longer', 'off: what is there');
is($t->get('/mine/kept?root=data')->body, 'kept two, longer',
   'a root from a variable is opened each time');
is($t->get('/mine/kept?root=other')->body, 'another root',
   'another root from a variable');
is($t->get('/other/kept')->body, 'another root', 'a root of its own');
is($t->get('/artifacts/kept')->body, 'kept one', 'and no mixing of them');

replace("$store/brief", 'brief 3');
is($t->get('/brief/brief')->body, 'brief 2', 'valid for a second');
sleep 2.1;
is($t->get('/brief/brief')->body, 'brief 3', 'opened again after it');

unlink "$store/brief" or die $!;
is($t->get('/brief/brief')->body, 'brief 3', 'a deleted file is valid, too');
sleep 2.1;
error_is($t->get('/brief/brief'), 404, 'artifact_not_found', 'brief',
         'and gone after it');

$t->workspace_meta('w', { 'a.txt' => { mimeType => 'text/csv' } });
spew($t->data . '/workspaces/w/b.txt', 'b');
is($t->get('/workspaces/w/a.txt')->header('Content-Type'), 'text/csv',
   'a workspace file');
$t->workspace_meta('w', { 'a.txt' => { mimeType => 'text/html' } });
my $ws = '/artifacts/' . ws_id('w', 'a.txt');
is($t->get($ws)->header('Content-Type'), 'text/csv',
   'its id names what its path names');


# after enough uses

for my $round (1 .. 3) {
    is($t->get('/counted/counted')->body, 'counted one', "use $round");
    replace("$store/counted", 'counted one');
}
replace("$store/counted", 'counted two');
is($t->get('/counted/counted')->body, 'counted one', 'the third was kept');


# errors

for my $uri ('/artifacts/none', '/errors/none', '/workspaces/w/none',
             '/workspaces/none/a') {
    is($t->get($uri)->status, 404, "$uri is missing") for 1 .. 2;
}
spew("$store/none", 'now');
spew($t->data . '/workspaces/w/none', 'now');
is($t->get('/artifacts/none')->body, 'now', 'a miss is not kept');
is($t->get('/off/none')->body, 'now', 'it is there');

error_is($t->get('/workspaces/w/none'), 404, 'artifact_not_found', undef,
         'a miss is kept where errors are');
error_is($t->get('/workspaces/none/a'), 404, 'workspace_not_bound', undef,
         'a missing workspace, too');
error_is($t->get('/artifacts/' . ws_id('none', 'a')), 404,
         'artifact_not_found', undef, 'a missing workspace by reference');


# not for directio, nor across disable_symlinks

is(length $t->get('/direct/big')->body, 300_000, 'directio') for 1 .. 2;
is(length $t->get('/artifacts/big')->body, 300_000, 'cached') for 1 .. 2;
is(length $t->get('/direct/big')->body, 300_000, 'directio after it');

is($t->get('/artifacts/pointer')->status, 200, 'a link') for 1 .. 2;
is($t->get('/nolinks/pointer')->status, 404, 'no link where none is wanted')
    for 1 .. 2;


# not more than max, and not longer than inactive

my $before = held();
for my $n (1 .. 40) {
    is($t->get("/few/many$n")->body, "content $n", "one of many, $n");
}
is(held() - $before, 5, 'no more are open than may be');

my @slow = map { $t->connect(rcvbuf => 2048) } 1 .. 6;
for my $n (1 .. 6) {
    spew("$store/slow$n", "$n" x 2_000_000);
    $slow[$n - 1]->send("GET /few/slow$n HTTP/1.1\r\nHost: a\r\n"
        . "Connection: close\r\n\r\n");
}
sleep 0.3;
$t->get("/few/many$_") for 1 .. 10;
for my $n (1 .. 6) {
    my $res = $slow[$n - 1]->response('GET');
    is($res->{complete} && $res->body eq "$n" x 2_000_000, 1,
       "pushed out while it is read, $n");
}

$before = held();
$t->get("/idle/many$_") for 1 .. 8;
is(held() - $before, 8, 'open');
sleep 2.2;
$t->get('/idle/nothing') for 1 .. 8;
is(held() - $before, 0, 'closed after a while without use');


# a new configuration begins anew

is($t->reload, 1, 'reload');
is($t->get('/artifacts/kept')->body, 'kept two, longer', 'opened again');
is(scalar held(), 1, 'nothing is left of the old');

$t->finish;
