#!/usr/bin/perl

# One content, one artifact: its id is made of the content with the root's key.
# What is there already is not written again, and what is not whole is.

use strict;
use warnings;

use Digest::SHA qw(hmac_sha256 hmac_sha256_hex);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFail;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;
use ArtifactWrite qw(files_of in_parallel left_behind until_true);
use File::Path qw(make_path remove_tree);
use Fcntl qw(F_SETLK F_WRLCK);
use POSIX qw(EACCES EIO ENOSPC mkfifo);

my $fail = ArtifactFail->new;
my $t = ArtifactTest->new(workers => 3, launcher => $fail->launcher);

my $png = png(60, 60);
my $pcm = "\x01\xff\x03\x00" x 3000;
my $held = png(50, 50);
my $large = png(40, 40) . rand_bytes(2_000_000);

sub images {
    return '{"data":[' . join(',', map { qq({"b64_json":"$_"}) } @_) . ']}';
}

sub parts {
    my ($type, $data) = @_;
    return '{"candidates":[{"content":{"parts":[{"inlineData":{"mimeType":"'
        . $type . '","data":"' . b64($data) . '"}}]}}]}';
}

my $twice = images(b64($png), b64($png) =~ s{/}{\\/}gr);

my $up = ArtifactUpstream->new($t->prefix . '/up', contents => {
    map({ ("$_/images/generations" =>
        { body => images(b64($png)), type => 'application/json' }) }
        qw(a b)),
    'twice/images/generations' =>
        { body => $twice, type => 'application/json' },
    'held/images/generations' =>
        { body => images(b64($held)), type => 'application/json' },
    'large/images/generations' =>
        { body => images(b64($large)), type => 'application/json' },
    map({ my ($name, $type) = @$_; ("$name/m:generateContent" =>
        { body => parts($type, $pcm), type => 'application/json' }) }
        ['raw', 'audio/L16;rate=24000'], ['other', 'audio/L16;rate=8000']),
    'png/m:generateContent' =>
        { body => parts('image/jpeg', $png), type => 'application/json' },
});

my $pass = 'proxy_pass http://unix:' . $t->prefix . '/up:/;';
my $data = $t->data;
my $own = "$data/artifacts/.artifact";

make_path(map { $t->prefix . "/$_" } 'layout', map { "root$_" } 11 .. 120);

$t->allow(qr/\[crit\]|root\d .*\[error\]|\[error\].*it is left as it is/);
my @config = (http => <<'HTTP', server => <<"SERVER");
    proxy_cache_path %%PREFIX%%/cache keys_zone=kept:1m;
HTTP
    artifact_root $data;
    artifact_offload_min 4k;

    location /artifacts/ {
        artifact;
    }
    location /cached/ {
        artifact;
        open_file_cache max=100;
        open_file_cache_valid 1h;
        open_file_cache_errors on;
    }
    location /list/ {
        artifact;
        artifact_index on;
    }
    location /inline/ {
        artifact_offload on;
        $pass
    }
    location /threads/ {
        artifact_offload on;
        aio threads;
        $pass
    }
    location /cache/ {
        artifact_offload on;
        proxy_cache kept;
        proxy_cache_valid 1h;
        $pass
    }
    location /layout/ {
        artifact_offload on;
        artifact_root %%PREFIX%%/layout;
        artifact_layout levels=1:2;
        $pass
    }
    location /move/ {
        artifact_offload on;
        artifact_root %%PREFIX%%/layout\$arg_no;
        artifact_layout flat from=1:2;
        $pass
    }
    location /root/ {
        artifact_offload on;
        artifact_root %%PREFIX%%/root\$arg_root;
        $pass
    }
SERVER

$t->start(@config);


sub ids {
    my ($uri) = @_;
    my $body = $t->get($uri)->{body};
    return $body =~ /"artifact:([0-9a-f-]{36})"/g;
}

sub artifacts { return grep { m{/[0-9a-f-]{36}\.} } sort keys %{ files_of($t) } }

sub own_files { return join ' ', grep { /$_[0]/ } artifacts() }

sub key { return slurp($_[0] // "$own/key") }

sub id_of {
    my ($bytes, $type, $key) = @_;
    my $hex = unpack 'H32', hmac_sha256("$bytes\n$type", $key // key());
    substr $hex, 12, 1, '8';
    substr $hex, 16, 1, sprintf '%x', hex(substr $hex, 16, 1) & 3 | 8;
    return join '-', unpack 'A8A4A4A4A12', $hex;
}

sub served {
    my ($id) = @_;
    return $t->get("/artifacts/$id")->{body};
}

sub file { return "$data/artifacts/$_[0]" }

sub inode { return (stat file($_[0]))[1] }


# --- the id ---------------------------------------------------------------

my ($id) = ids('/inline/a/images/generations');
is(length key(), 32, 'a key was made');
is(sprintf('%o', (stat "$own/key")[2] & 07777), '600', 'nobody else reads it');
is($id, id_of($png, 'image/png'), 'the id is that of the content');
ok(served($id) eq $png, 'which is stored');

my $meta = json_of($t->get("/artifacts/$id/metadata"));
is($meta->{digest},
   'hmac-sha256:' . hmac_sha256_hex("$png\nimage/png", key()),
   'its digest is in its metadata');

my $inode = inode("$id.png");
my $sidecar = slurp(file("$id.meta"));
my $key = key();

for my $at (qw(/inline/ /threads/)) {
    is(join(' ', ids("${at}a/images/generations")), $id, "$at: a retry");
    is(join(' ', ids("${at}b/images/generations")), $id, "$at: elsewhere");
    is(join(' ', ids("${at}twice/images/generations")), "$id $id",
       "$at: twice in an answer, spelled another way");
    is(join(' ', ids("${at}png/m:generateContent")), $id,
       "$at: in another API, with a wrong type");
}
is(join(' ', ids('/cache/a/images/generations')), $id, 'to be cached');
is(join(' ', ids('/cache/a/images/generations')), $id, 'cached');

is(join(' ', artifacts()), "/artifacts/$id.meta /artifacts/$id.png",
   'there is one artifact');
is(inode("$id.png"), $inode, 'which was not written again');
is(slurp(file("$id.meta")), $sidecar, 'nor its metadata');
is(key(), $key, 'nor the key');

my ($raw) = ids('/inline/raw/m:generateContent');
my ($other) = ids('/threads/other/m:generateContent');
is($raw, id_of($pcm, 'audio/L16;rate=24000'), 'a type as declared');
is($other, id_of($pcm, 'audio/L16;rate=8000'), 'another one, another content');

# --- the key is the root's own --------------------------------------------

for my $uri (qw(.artifact .artifact/key .artifact%2fkey ..%2f.artifact/key)) {
    my $res = $t->get("/artifacts/$uri");
    isnt($res->{status}, 200, "$uri: not served");
    ok(index($res->{body}, $key) < 0, "$uri: nor told");
}
unlike($t->get('/list/')->{body}, qr/"key"|\.artifact/, 'nor listed');

$t->get('/layout/a/images/generations');
isnt(key($t->prefix . '/layout/artifacts/.artifact/key'), $key,
     'another root has another key');

# --- what is not whole ----------------------------------------------------

for my $at (qw(/inline/ /threads/)) {
    my @cases = (
        ['deleted', sub { unlink file("$id.png"), file("$id.meta") }],
        ['without its content', sub { unlink file("$id.png") }],
        ['without its metadata', sub { unlink file("$id.meta") }],
        ['cut', sub { truncate file("$id.png"), 100 }],
        ['empty', sub { truncate file("$id.png"), 0 }],
    );
    for my $case (@cases) {
        my ($name, $change) = @$case;
        $change->();
        is(join(' ', ids("${at}a/images/generations")), $id,
           "$at, $name: the same id");
        ok(served($id) eq $png, "$at, $name: it is whole again");
        is(json_of($t->get("/artifacts/$id/metadata"))->{size}, length $png,
           "$at, $name: with its metadata");
    }
    is(left_behind($t), '', "$at: nothing is left");
}

# a type that has another extension by now

rename file("$id.png"), file("$id.x") or die "rename: $!";
spew(file("$id.meta"), slurp(file("$id.meta")) =~ s/\.png/.x/gr);
is(join(' ', ids('/inline/a/images/generations')), $id,
   'with another extension: the same id');
is(own_files($id), "/artifacts/$id.meta /artifacts/$id.x",
   'it is known by its metadata');
unlink file("$id.x");
is(join(' ', ids('/threads/a/images/generations')), $id, 'and comes again');
is(own_files($id), "/artifacts/$id.meta /artifacts/$id.x",
   'with that extension');
unlink file("$id.x"), file("$id.meta");

# a content is on the disk before it has its name; what is there stays

for my $at (qw(/inline/ /threads/)) {
    my @calls = $fail->calls(sub { ids("${at}a/images/generations") });
    my $did = join ' ', map { "$_->[0]:" . ($_->[1] =~ m{/tmp-[^/]*\z} ? 'tmp'
        : $_->[1] =~ m{/artifacts\z} ? 'folder'
        : $_->[1] =~ s{.*/}{}r) } grep { $_->[0] ne 'unlink' } @calls;

    # a worker may have forgotten that the folders are on the disk

    $did =~ s/\A(?:sync:(?:data|folder|\.artifact) )+(?=sync:tmp )//;
    is($did, "sync:tmp rename:tmp sync:tmp rename:$id.meta rename:$id.png "
       . 'sync:folder', "$at: synced, then renamed");

    @calls = $fail->calls(sub { ids("${at}a/images/generations") });
    is(join(' ', map { $_->[0] } grep { $_->[0] ne 'unlink' } @calls), '',
       "$at: what is there is not written again");
    unlink file("$id.png"), file("$id.meta");
}

# workers that have open files, or know that there is none

my $early = grep { $t->get("/cached/$id")->{status} == 404 } 1 .. 30;
is($early, 30, 'it is known to be missing');
is(join(' ', ids('/inline/a/images/generations')), $id, 'it comes again');
my $late = grep { $t->get("/cached/$id")->{status} == 200 } 1 .. 30;
is($late, 30, 'and is found');

# an id that is another's

for my $text ('{}', '{"digest":7}', 'x', '', '{"extension":".png","digest":'
              . '"hmac-sha256:' . '0' x 64 . '"}', ' ' x 70_000) {
    my $name = '"' . substr($text, 0, 20) . '"';
    my $was = slurp(file("$id.meta"));
    spew(file("$id.meta"), $text);
    my ($new) = ids('/inline/a/images/generations');
    isnt($new, $id, "$name: another id");
    like($new, qr/\A[0-9a-f-]{14}7/, "$name: of its own");
    ok(served($new) eq $png, "$name: with the content");
    is(slurp(file("$id.meta")), $text, "$name: stays");
    unlink file("$new.png"), file("$new.meta");
    spew(file("$id.meta"), $was);
}

# --- sub-folders ----------------------------------------------------------

my $layout = $t->prefix . '/layout';
my ($placed) = ids('/layout/a/images/generations');
my @placed = glob "$layout/artifacts/?/??/$placed.*";
is(scalar @placed, 2, 'in its sub-folder');
is(join(' ', ids('/move/a/images/generations')), $placed,
   'it is there while the layout changes');
is(join(' ', glob "$layout/artifacts/$placed.*"), '',
   'and is not written again');
remove_tree(glob "$layout/artifacts/?");
is(join(' ', ids('/layout/a/images/generations')), $placed,
   'a folder that is gone comes again');
is(scalar(() = glob "$layout/artifacts/?/??/$placed.*"), 2, 'with all in it');

# --- at once --------------------------------------------------------------

for my $round (1 .. 3) {
    my $root = "root=" . (10 + $round);
    my @got = in_parallel($t, 8, sub {
        join ' ', ids('/root/large/images/generations?' . $root);
    });
    my $folder = $t->prefix . "/root" . (10 + $round) . '/artifacts';
    my $want = id_of($large, 'image/png', key("$folder/.artifact/key"));
    is(join(' ', @got), join(' ', ($want) x 8),
       "round $round: all find one key and one id");
    is(join(' ', map { s{.*/}{}r } glob "$folder/*"), "$want.meta $want.png",
       "round $round: one artifact");
    ok(slurp("$folder/$want.png") eq $large, "round $round: which is whole");
    is(join(' ', map { s{.*/}{}r } glob "$folder/.artifact/tmp-*"), '',
       "round $round: nothing is left");
}

# The key is asked for under a lock, which the test has, and makes one.

{
    my $root = $t->prefix . '/root20';
    my $control = "$root/artifacts/.artifact";
    make_path($control);
    open my $lock, '+>', "$control/lock" or die "lock: $!";
    my $flock = pack 's s x4 q q i x4', F_WRLCK, 0, 0, 0, 0;
    fcntl $lock, F_SETLK, $flock or die "fcntl: $!";
    my $inode = (stat $lock)[1];

    my @clients = map { my $client = $t->connect(timeout => 20);
        $client->send("GET /root/a/images/generations?root=20 HTTP/1.0\r\n"
                      . "\r\n");
        $client } 1 .. 2;
    ok(until_true(sub { slurp('/proc/locks') =~ /->.*:$inode / }, 10),
       'a worker waits to make a key');

    spew("$control/key", 'k' x 32);
    close $lock;

    my $want = id_of($png, 'image/png', 'k' x 32);
    for my $client (@clients) {
        my $body = '';
        $client->response('GET', on_body => sub { $body .= $_[0] });
        like($body, qr/artifact:$want/, 'and finds one');
    }
    is(key("$control/key"), 'k' x 32, 'which stays');
}

# A content that is being synced is not waited for.

{
    $fail->rules('hold 1 0 /.artifact/tmp-');
    my $slow = $t->connect(timeout => 20);
    $slow->send("GET /threads/held/images/generations HTTP/1.0\r\n\r\n");
    ok(until_true(sub { $fail->holds }, 10), 'a write is held up');

    my ($quick) = ids('/threads/held/images/generations');
    is($quick, id_of($held, 'image/png'), 'another of the same content is not');
    ok($fail->holds, 'all the while');
    my $inode = inode("$quick.png");

    $fail->rules;
    my $body = '';
    $slow->response('GET', on_body => sub { $body .= $_[0] });
    like($body, qr/"artifact:$quick"/, 'then the first one finds it');
    is(inode("$quick.png"), $inode, 'and leaves it');
    is(left_behind($t), '', 'nothing is left');
    unlink file("$quick.png"), file("$quick.meta");
}

# --- a key that is none ---------------------------------------------------

my @keys = (
    ['short', sub { spew($_[0], 'x' x 31) }, 'key'],
    ['empty', sub { spew($_[0], '') }, 'key'],
    ['long', sub { spew($_[0], 'x' x 33) }, 'key'],
    ['a folder', sub { mkdir $_[0] }, 'key'],
    ['a pipe', sub { mkfifo($_[0], 0600) }, 'key'],
    ['a link', sub { symlink "$own/key", $_[0] }, 'key'],
    ['a link to nowhere', sub { symlink 'nowhere', $_[0] }, 'key'],
);
my $n = 100;
for my $case (@keys) {
    my ($name, $make) = @$case;
    $n++;
    my $control = $t->prefix . "/root$n/artifacts/.artifact";
    make_path($control);
    $make->("$control/key");
    my $from = length $t->log;
    my $res = $t->get("/root/a/images/generations?root=$n");
    is($res->{body}, images(b64($png)), "$name: the answer as it came");
    ok(until_true(sub {
        substr($t->log, $from) =~ m{\[error\].*left\ as\ it\ is:\ .*(?:open|read)
            \ "\Q$control\E/key"\ \(\d+:\ }x
    }, 2), "$name: the call, the path, the reason");
    is(join(' ', map { s{.*/}{}r } glob "$control/../*"), '',
       "$name: nothing is stored");
}

my @faults = (
    ['no key can be made', "open @{[EACCES]} 0 /.artifact/tmp-"],
    ['a key is not synced', "sync @{[EIO]} 0 /.artifact/tmp-"],
    ['there is no room for a key', "write @{[ENOSPC]} 0 /.artifact/tmp-"],
    ['a key gets no name', "rename @{[EACCES]} 0 /.artifact/key"],
);
for my $fault (@faults) {
    my ($name, $rule) = @$fault;
    $n++;
    $fail->rules($rule);
    my $from = length $t->log;
    my $res = $t->get("/root/a/images/generations?root=$n");
    $fail->rules;
    is($res->{body}, images(b64($png)), "$name: the answer as it came");
    ok(until_true(sub { substr($t->log, $from) =~ /left as it is: \w/ }, 2),
       "$name: it is logged");
    my $control = $t->prefix . "/root$n/artifacts/.artifact";
    ok(until_true(sub { !grep { !/lock/ } glob "$control/*" }, 2),
       "$name: nothing is left");
    like($t->get("/root/a/images/generations?root=$n")->{body}, qr/artifact:/,
         "$name: the next one can");
}

# --- what a crash leaves --------------------------------------------------

unlink file("$id.png");
spew("$own/tmp-$id", 'x');
is(join(' ', ids('/inline/a/images/generations')), $id,
   'beside a file that a crash left: the same id');
ok(served($id) eq $png, 'and the content');
is(left_behind($t), '', 'nothing is left');
is(json_of($t->get("/artifacts/$id/metadata"))->{size}, length $png,
   'its metadata stay');

unlink file("$id.png");
$t->crash;
spew("$own/tmp-$id", 'x');
$t->start(@config);
ok(until_true(sub { !-e "$own/tmp-$id" && !-e file("$id.meta") }, 5),
   'metadata without a content go with it');
ok(-e "$own/key", 'the key stays');
is(join(' ', ids('/inline/a/images/generations')), $id, 'the id, too');
ok(served($id) eq $png, 'the content comes again');

$up->stop;
$t->finish;
