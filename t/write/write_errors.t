#!/usr/bin/perl

# Disks that are full, read-only, closed or broken: the right error, the old
# content as it was, and nothing left behind.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFail;
use ArtifactTest;
use ArtifactWrite;
use POSIX qw(EACCES EDQUOT EINVAL EIO EMFILE ENOSPC EPERM EROFS EXDEV);
use Time::HiRes qw(sleep);

my $fail = ArtifactFail->new;
my $t = ArtifactTest->new(launcher => $fail->launcher);
my $dir = $t->data . '/workspaces';
my @mounted;

sub rules { $fail->rules(@_) }

$t->allow(qr/\[crit\]/);
$t->start(server => write_server(<<'SERVER'));
    location /nosync/ {
        artifact_workspace;
        artifact_sync off;
    }
SERVER

my $old = 'old content ' x 3000;
my $new = 'new content ' x 20_000;
put($t, 'w/file', $old, agent => 'first');
put($t, 'w/dir/file', $old, agent => 'first');
put($t, 'warm/file', $old, agent => 'first');
post($t, 'name=warm', 'x');
entry_when($t, 'w/dir/file', sub { 1 });

# --- the content ----------------------------------------------------------

my $tmp = '/workspaces/.artifact/tmp-';
my @content = (
    ['no space', 'write', ENOSPC, 0, $tmp, 500, 'write_failed'],
    ['no more space', 'write', ENOSPC, 100_000, $tmp, 500, 'write_failed'],
    ['no space on closing', 'sync', ENOSPC, 0, $tmp, 500, 'write_failed'],
    ['a quota', 'write', EDQUOT, 100_000, $tmp, 500, 'write_failed'],
    ['a bad disk', 'write', EIO, 50_000, $tmp, qr/^50[02]$/, undef],
    ['a bad disk on closing', 'sync', EIO, 0, $tmp, qr/^50[02]$/, undef],
    ['no space for a file', 'open', ENOSPC, 0, $tmp, 500, 'write_failed'],
    ['no descriptor', 'open', EMFILE, 0, $tmp, 500, 'write_failed'],
    ['read-only', 'open', EROFS, 0, $tmp, 403, 'permission_denied'],
    ['closed', 'open', EACCES, 0, $tmp, 403, 'permission_denied'],
);
my @publish = (
    ['another disk', 'rename', EXDEV, 500, 'write_failed'],
    ['no space for a name', 'rename', ENOSPC, 500, 'write_failed'],
    ['a quota for names', 'rename', EDQUOT, 500, 'write_failed'],
    ['a closed folder', 'rename', EACCES, 403, 'permission_denied'],
    ['read-only by now', 'rename', EROFS, 403, 'permission_denied'],
    ['a bad folder', 'rename', EIO, qr/^50[02]$/, undef],
);
push @content, map {
    my ($name, $call, $error, $status, $code) = @$_;
    map { [$name, $call, $error, 0, "/workspaces/$_/", $status, $code] }
        qw(w fresh);
} @publish;

my $before = files_of($t);
for my $case (@content) {
    my ($name, $call, $error, $offset, $text, $status, $code) = @$case;
    for my $at (qw(/workspaces/ /inline/)) {
        for my $path (qw(w/file w/new w/dir/file w/a/b/new fresh/new)) {
            next if $text !~ /tmp-/ && "/workspaces/$path" !~ /^\Q$text\E/;
            rules("$call $error $offset $text");
            my $res = put($t, $path, $new, at => $at, agent => 'failing');
            rules();
            error_is($res, $status, $code, $path, "$name, $at$path");
            nothing_changed($t, $before, "$name, $at$path");
        }
    }
}

for my $case (['no space for a folder', ENOSPC, 500, 'write_failed'],
              ['a folder that is closed', EACCES, 403, 'permission_denied'],
              ['a folder, read-only', EROFS, 403, 'permission_denied'])
{
    my ($name, $error, $status, $code) = @$case;
    for my $path (qw(w/x/y/new fresh/new)) {
        rules("mkdir $error 0 /" . ($path =~ /fresh/ ? 'fresh' : 'w/x'));
        my $res = put($t, $path, $new, agent => 'failing');
        rules();
        error_is($res, $status, $code, $path, "$name, $path");
        nothing_changed($t, $before, "$name, $path");
    }
}

for my $case (['read-only', EROFS, 403, 'permission_denied'],
              ['closed', EACCES, 403, 'permission_denied'],
              ['a bad disk', EIO, qr/^50[02]$/, undef])
{
    my ($name, $error, $status, $code) = @$case;
    rules("unlink $error 0 /workspaces/w/", "rename $error 0 /workspaces/");
    my $res = remove($t, 'w/file', agent => 'failing');
    rules();
    error_is($res, $status, $code, 'w/file', "DELETE, $name");
    nothing_changed($t, $before, "DELETE, $name");
}

# the time of a file that is ahead of the clock is passed, and kept as well

my ($worker) = $t->workers;
my $open = () = glob "/proc/$worker/fd/*";
for my $n (1 .. 10) {
    utime time + 9999, time + 9999, "$dir/warm/file";
    rules('sync ' . EIO . ' 0 /workspaces/warm/file');
    my $res = put($t, 'warm/file', "ahead $n", at => '/inline/');
    rules();
    error_is($res, qr/^50[02]$/, undef, 'warm/file', "a bad disk, time $n");
}
ok(until_true(sub { my $still = () = glob "/proc/$worker/fd/*";
                    $still < $open + 5 }), 'no descriptor stays open');

my $entry = entry_when($t, 'w/file', sub { 1 });
is(join(' ', map { $_->{agentId} } @{ $entry->{modifiedBy} }), 'first',
   'no write that failed is in the metadata');
is(join(' ', sort keys %{ disk_meta($t, 'w')->{files} }), 'dir/file file',
   'no file that was not made, either');
written(put($t, 'w/file', $new, agent => 'second'), 200, 'w/file',
        'afterwards all is well');
written(put($t, 'fresh/new', $new, agent => 'second'), 201, 'fresh/new',
        'also in a new workspace');

# --- the metadata ---------------------------------------------------------

my @author = map { $_->{agentId} }
    @{ metadata_at($t, 'w/file')->{meta}{modifiedBy} };
is("@author", 'first second', 'the history before');

for my $case (['no space', 'write', ENOSPC, 0],
              ['space for a part', 'write', ENOSPC, 'a little more'],
              ['a quota', 'write', EDQUOT, 0],
              ['a bad disk', 'sync', EIO, 0])
{
    my ($name, $call, $error, $offset) = @$case;

    # the bytes that the journal has by now, and some

    entry_when($t, 'w/file', sub {
        ($_->{modifiedBy}[-1]{agentId} // '') eq $author[-1]
    }, 2);
    my ($journal) = glob "$dir/.artifact/w.journal";
    $offset = ($journal ? -s $journal : 0) + 7 if $offset;

    my $size = length $t->log;
    rules("$call $error $offset w.journal");
    my $res = put($t, 'w/file', "in spite of $name", agent => 'unrecorded');
    rules();
    is($res->{status}, 200, "metadata, $name: the write counts");
    my $data = json_of($res);
    is(key_order($data), 'ok artifactId path metadata',
       "metadata, $name: the answer");
    is($data->{metadata}, 'failed', "metadata, $name: tells of it");
    is($data->{ok}, JSON::PP::true(), "metadata, $name: ok");
    is($t->get('/workspaces/w/file')->body, "in spite of $name",
       "metadata, $name: the new content");
    header_is($res, 'ETag', $t->get('/workspaces/w/file')->header('ETag'),
              "metadata, $name: its tag");
    like(substr($t->log, $size), qr/\[(?:warn|error|crit)\]/,
         "metadata, $name: the log tells");

    push @author, "after-$name" =~ tr/ /-/r;
    written(put($t, 'w/file', 'recorded', agent => $author[-1]), 200,
            'w/file', "metadata, $name: the next write");
    my @now = grep { $_ ne 'unrecorded' } map { $_->{agentId} }
        @{ metadata_at($t, 'w/file')->{meta}{modifiedBy} };
    is("@now", "@author", "metadata, $name: goes on");
}
is(left_behind($t), '', 'nothing is left on its way');

# metadata that cannot be published for a while

for my $case (['rename', ENOSPC, 'w.meta.json'],
              ['write', ENOSPC, '/workspaces/.artifact/tmp-'],
              ['rename', EROFS, 'w.meta.json'])
{
    my ($call, $error, $text) = @$case;
    push @author, "kept-$call-$error";
    my $size = length $t->log;
    written(put($t, 'w/file', 'x', agent => $author[-1]), 200, 'w/file',
            "$call $error: a write");
    rules("$call $error 0 $text");
    sleep 0.6;
    my @now = grep { $_ ne 'unrecorded' } map { $_->{agentId} }
        @{ metadata_at($t, 'w/file')->{meta}{modifiedBy} };
    is("@now", "@author", "$call $error: the metadata are right");
    ok(disk_meta($t, 'w'), "$call $error: the file is sound");
    my @told = substr($t->log, $size) =~ /\[(?:warn|error|crit)\]/g;
    cmp_ok(scalar @told, '<', 15, "$call $error: the log is not flooded");
    rules();
    push @author, "then-$call-$error";
    put($t, 'w/file', 'y', agent => $author[-1]);
    my $entry = entry_when($t, 'w/file', sub {
        $_->{modifiedBy}[-1]{agentId} eq $author[-1]
    }, 3);
    is(join(' ', grep { $_ ne 'unrecorded' } map { $_->{agentId} }
            @{ $entry->{modifiedBy} || [] }), "@author",
       "$call $error: all is written in the end");
}
is(left_behind($t), '', 'nothing is left on its way');

# an owner that cannot be given to a file

for my $error (EPERM, EINVAL) {
    put($t, 'owner/file', 'x', agent => "before-$error");
    entry_when($t, 'owner/file', sub { 1 }, 2);
    rules("chown $error 0 /workspaces/.artifact/tmp-");
    put($t, 'owner/file', 'y', agent => "error-$error");
    ok(entry_when($t, 'owner/file', sub {
        $_->{modifiedBy}[-1]{agentId} eq "error-$error"
    }, 2), "error $error of chown: metadata are written");
    rules();
}

# what others were promised is not replaced by what may not be on the disk

put($t, 'sync/file', 'x', agent => 'first');
entry_when($t, 'sync/file', sub { 1 }, 2);
put($t, 'sync/file', 'y', agent => 'second');
rules('sync ' . EIO . ' 0 /workspaces/.artifact/tmp-');
written(put($t, 'sync/file', 'z', agent => 'third', at => '/nosync/'), 200,
        'sync/file', 'artifact_sync off: a write');
sleep 0.6;
is(disk_entry($t, 'sync/file')->{modifiedBy}[-1]{agentId}, 'first',
   'artifact_sync off: metadata are synced before they are replaced');
rules();
ok(entry_when($t, 'sync/file', sub {
    join(' ', map { $_->{agentId} } @{ $_->{modifiedBy} })
        eq 'first second third'
}, 3), 'artifact_sync off: all are written in the end');

# metadata that cannot be published for long: what waits is bounded, writes
# go on and tell

my $long = join '/', map { $_ x 250 } 'a' .. 'o';
rules('rename ' . ENOSPC . ' 0 full.meta.json');
my ($kept, $told, $first) = (0, 0);
my $conn = $t->connect;
for my $n (1 .. 1200) {
    my $res = put($t, "full/$long", "write $n", conn => $conn,
                  at => '/nosync/', agent => "agent-$n", type => "a/$n");
    last if $res->{status} !~ /^20[01]$/;
    $told++ if $res->body =~ /"metadata":"failed"/;
    $kept = $n if !$told;
    last if $told == 10;
}
is($told, 10, 'metadata that wait have a limit');
cmp_ok($kept, '>', 100, 'but there is room for many');
is($t->get("/workspaces/full/$long")->body, 'write ' . ($kept + 10),
   'writes go on all the same');
my $waiting = 0;
$waiting += -s for glob "$dir/.artifact/full.*";
cmp_ok($waiting, '<', 16 << 20, 'what waits is not much');
my @history = map { $_->{agentId} }
    @{ metadata_at($t, "full/$long")->{meta}{modifiedBy} };
is($history[-1], "agent-$kept", 'the metadata up to there are right');
rules();
until_true(sub {
    my $entry = disk_entry($t, "full/$long") || {};
    return ($entry->{mimeType} // '') eq "a/$kept";
}, 8);
put($t, 'full/other', 'x', agent => 'after');
my $full = disk_entry($t, "full/$long");
is(join(' ', map { $_->{agentId} } @{ $full->{modifiedBy} || [] }),
   join(' ', map { "agent-$_" } 1 .. $kept), 'and on the disk in the end');
put($t, 'full/other', 'y', agent => 'later');
my $later = metadata_at($t, 'full/other')->{meta}{modifiedBy} || [];
is(join(' ', map { $_->{agentId} } @$later), 'after later',
   'then metadata are recorded again');

# --- artifacts ------------------------------------------------------------

my $store = '/artifacts/';
$before = files_of($t);
for my $case (['no space', 'write', ENOSPC, 50_000, "$store.artifact/tmp-"],
              ['a quota', 'write', EDQUOT, 0, "$store.artifact/tmp-"],
              ['a bad disk', 'sync', EIO, 0, "$store.artifact/tmp-"],
              ['another disk', 'rename', EXDEV, 0, $store],
              ['no space for a name', 'rename', ENOSPC, 0, $store],
              ['the content cannot be named', 'rename', ENOSPC, 0, '.txt'],
              ['the metadata cannot', 'rename', ENOSPC, 0, '.meta'],
              ['read-only', 'open', EROFS, 0, $store],
              ['closed', 'open', EACCES, 0, $store])
{
    my ($name, $call, $error, $offset, $text) = @$case;
    for my $at (qw(/artifacts/ /inline-artifacts/)) {
        rules("$call $error $offset $text");
        my $res = post($t, 'name=n.txt', $new, at => $at);
        rules();
        error_is($res, $error == EROFS || $error == EACCES ? 403
                 : $error == EIO ? qr/^50[02]$/ : 500, undef, undef,
                 "POST, $name, $at");
        nothing_changed($t, $before, "POST, $name, $at");
    }
}
is(post($t, 'name=n.txt', $new)->{status}, 201, 'POST works again');

$t->stop;
$t->check_log;

# --- folders that the worker may not write to -----------------------------

my $c = ArtifactTest->new(user => 'nobody nogroup');
$dir = $c->data . '/workspaces';
$c->workspace_file('w', 'file', 'old');
$c->workspace_file('w', 'open/file', 'old');
chmod 0777, "$dir/w/open" or die "chmod: $!";
chmod 0555, "$dir/w", $dir, $c->data . '/artifacts' or die "chmod: $!";
$c->allow(qr/\(13: Permission denied\)/);
$c->start(server => write_server());

$before = files_of($c);
for my $state ('all closed', 'the workspace closed') {
    chmod 0777, $dir if $state !~ /all/;
    for my $at (qw(/workspaces/ /inline/)) {
        for my $path (qw(w/file w/new w/dir/new), $state =~ /all/
                      ? qw(fresh/file w/open/new) : ())
        {
            error_is(put($c, $path, $new, at => $at), 403,
                     'permission_denied', $path, "$state, $at$path");
            nothing_changed($c, $before, "$state, $at$path");
        }
    }
    error_is(remove($c, 'w/file'), 403, 'permission_denied', 'w/file',
             "$state, DELETE");
    nothing_changed($c, $before, "$state, DELETE");
}
written(put($c, 'w/open/new', 'x', agent => 'a'), 201, 'w/open/new',
        'a folder that is open');
ok(entry_when($c, 'w/open/new', sub { 1 }, 2), 'with its metadata');
error_is(post($c, 'name=x', 'x'), 403, 'permission_denied', undef,
         'POST into a closed folder');
chmod 0755, "$dir/w", $dir, $c->data . '/artifacts';
$c->stop;
$c->check_log;

# --- a small disk ---------------------------------------------------------

my $m = ArtifactTest->new;
$dir = $m->data . '/workspaces';
SKIP: {
    skip 'nothing can be mounted here; the rules above stand in', 1
        if system("mount -t tmpfs -o size=1m,mode=755 none $dir 2>/dev/null");
    push @mounted, $dir;

    $m->allow(qr/\[crit\]/);
    $m->start(server => write_server());
    written(put($m, 'w/file', $old, agent => 'first'), 201, 'w/file',
            'a small disk');
    entry_when($m, 'w/file', sub { 1 });
    my $before = files_of($m);
    for my $n (1 .. 6) {
        my $at = $n % 2 ? '/workspaces/' : '/inline/';
        my $path = ('w/file', 'w/new', 'fresh/a/b')[$n % 3];
        error_is(put($m, $path, 'x' x 2_000_000, at => $at), 500,
                 'write_failed', $path, "more than fits, $at$path");
        nothing_changed($m, $before, "more than fits, $at$path");
    }
    written(put($m, 'w/fits', 'x' x 500_000), 201, 'w/fits',
            'what fits is taken');

    # not a page is left

    open my $fh, '>', "$dir/filler" or die "filler: $!";
    1 while syswrite $fh, 'x' x 4096;
    close $fh;
    $before = files_of($m);
    error_is(put($m, 'w/file', $new), 500, 'write_failed', 'w/file',
             'a full disk');
    nothing_changed($m, $before, 'a full disk');
    unlink "$dir/filler";
    written(put($m, 'w/file', 'short', agent => 'second'), 200, 'w/file',
            'room again');
    my $entry = entry_when($m, 'w/file', sub { @{ $_->{modifiedBy} } == 2 },
                           3);
    ok($entry, 'and metadata');

    $before = files_of($m);
    system("mount -o remount,ro $dir") == 0 or die 'remount';
    error_is(put($m, $_, 'x'), 403, 'permission_denied', $_,
             "read-only, $_") for qw(w/file w/new fresh/a);
    error_is(remove($m, 'w/file'), 403, 'permission_denied', 'w/file',
             'read-only, DELETE');
    system("mount -o remount,rw $dir") == 0 or die 'remount';
    nothing_changed($m, $before, 'read-only');

    # a workspace that is a disk of its own

    mkdir "$dir/apart" or die "mkdir: $!";
    system("mount -t tmpfs -o size=1m none $dir/apart") == 0 or die 'mount';
    unshift @mounted, "$dir/apart";
    spew("$dir/apart/file", 'old');
    $before = files_of($m);
    error_is(put($m, 'apart/file', 'new'), 500, 'write_failed', 'apart/file',
             'a workspace on another disk');
    nothing_changed($m, $before, 'a workspace on another disk');
    is(remove($m, 'apart/file')->{status}, 200, 'DELETE works there');
    $m->stop;
    $m->check_log;
}

done_testing();

END {
    my $status = $?;
    $m->stop if $m;
    system "umount $_ 2>/dev/null || umount -l $_" for @mounted;
    $? = $status;
}
