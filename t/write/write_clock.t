#!/usr/bin/perl

# The clock of the machine may be wrong, stand still or go back: no write gets
# the time of another one, and a clock that was ahead once does not stay.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFail;
use ArtifactTest;
use ArtifactWrite;
use File::Path qw(remove_tree);
use POSIX qw(ENOSPC);

my $HOUR = 3600;
my $YEAR = 365 * 24 * $HOUR;

my $fail = ArtifactFail->new;
my $t = ArtifactTest->new(launcher => $fail->launcher);
my $dir = $t->data . '/workspaces';
my $own = "$dir/.artifact";
my $now = 1_900_000_000;

my $locations = <<'SERVER';
    artifact_root %%DATA%%;
    artifact_write on;
    artifact_sync off;
    location /artifacts/ { artifact; }
    location /workspaces/ { artifact_workspace; }
SERVER

# As a document has it.

sub stamp {
    my ($seconds, $ms) = @_;
    my @t = gmtime $seconds;
    return sprintf '%04d-%02d-%02dT%02d:%02d:%02d.%03dZ', $t[5] + 1900,
        $t[4] + 1, @t[3, 2, 1, 0], $ms // 0;
}

sub clock { $fail->rules("clock 1 $_[0] clock", @_[1 .. $#_]) }

# A write at this time: the times of the history after it, as they are read,
# and on the disk.

sub write_at {
    my ($time, $path) = @_;
    clock($time);
    put($t, $path, 'x', agent => 'a');
    my $read = times_of(metadata_at($t, $path)->{meta}{modifiedBy});
    my $n = () = $read =~ /Z/g;
    entry_when($t, $path, sub { @{ $_->{modifiedBy} } == $n }, 5);
    my $disk = times_of(disk_entry($t, $path)->{modifiedBy});
    is($disk, $read, 'what is read is written');
    return $read;
}

sub times_of { join ' ', map { $_->{timestamp} } @{ $_[0] || [] } }

$t->start(server => $locations);

# --- a clock that stands still --------------------------------------------

my @times = (stamp($now));
is(write_at($now, 'still/f'), "@times", 'the first write');
push @times, stamp($now, 1);
is(write_at($now, 'still/f'), "@times", 'one at the same time, later');

# the journal goes when it is old, its times do not

utime $now - 2 * $HOUR, $now - 2 * $HOUR, glob "$own/still.*";
$t->stop;
$t->start(server => $locations);
ok(until_true(sub { !-e "$own/still.journal" }, 5), 'an old journal goes');
push @times, stamp($now, 2);
is(write_at($now, 'still/f'), "@times", 'and gives no time again');
is(times_of([{ timestamp => metadata_at($t, 'still/f')->{createdAt} }]),
   $times[0], 'the first one is that of the creation');
my ($fresh) = split / /, write_at($now, 'fresh/f');
is(disk_meta($t, 'fresh')->{createdAt}, $fresh,
   'a new workspace has the time of its first write');

# --- a clock that was ahead -----------------------------------------------

for my $gone (0, 1) {
    my $ws = $gone ? 'gone' : 'kept';
    $t->stop;
    remove_tree($own);
    $t->start(server => $locations);
    my (@seen, %tags);
    for my $time ($now - $HOUR * 24, $now + 10 * $YEAR, $now + 200,
                  $now + 201, $now + 201, $now + 10 * $YEAR, $now + 11 * $YEAR)
    {
        push @seen, stamp($time);
        $seen[-1] = stamp($time, 1) if @seen > 1 && grep { $_ eq $seen[-1] }
            @seen[0 .. $#seen - 1];
        is(write_at($time, "$ws/f"), "@seen", "$ws: write " . @seen);
        is((stat "$dir/$ws/f")[9], $time, "$ws: the file's time");
        my $res = $t->get("/workspaces/$ws/f");
        ok(!$tags{$res->header("ETag")}++, "$ws: a tag of its own");
        is($res->header('Last-Modified'), $res->header('Date'),
           "$ws: a time to come is replaced by that of the answer");
        next unless $gone;
        utime $time - 2 * $HOUR, $time - 2 * $HOUR, glob "$own/$ws.*";
        $t->stop;
        $t->start(server => $locations);
        ok(until_true(sub { !-e "$own/$ws.journal" }, 5),
           "$ws: the journal goes");
    }
}

# its files, and ids: also those that stay

clock($now + 10 * $YEAR);
put($t, "kept/$_", 'x') for 1, 2;
post($t, "", "x");
clock($now + 300);
put($t, 'kept/1', 'y');
ok(until_true(sub { put($t, 'kept/1', 'y');
                    (stat "$dir/kept/1")[9] == $now + 300 }, 10),
   'a file has the time of its last write');
is((stat "$dir/kept/2")[9], $now + 10 * $YEAR, 'one that is not written, not');
for (1, 2) {
    my ($id) = post($t, "", "x")->header('Location') =~ m{([0-9a-f-]{36})$};
    is(hex(substr $id, 0, 8), (($now + 300) * 1000) >> 16,
       'an id has the time of its artifact');
}
like($t->log,
     qr/\[warn\].*workspace "kept" was written when the clock was 3153\d+ s/,
     'and an operator learns of it');

# two writes that wait, one of them of a clock that is ahead: in their order

clock($now + 20 * $YEAR, 'rename ' . ENOSPC . ' 0 wait.meta.json');
put($t, 'wait/f', 'x', agent => 'first');
clock($now, 'rename ' . ENOSPC . ' 0 wait.meta.json');
put($t, 'wait/f', 'y', agent => 'second');
ok(until_true(sub { -e "$own/wait.folding" }, 5), 'metadata that wait');
put($t, 'wait/f', 'z', agent => 'third');
is(join(' ', map { $_->{agentId} }
        @{ metadata_at($t, 'wait/f')->{meta}{modifiedBy} }),
   'first second third', 'are read in their order');

# a crash in the midst of it: the journal that is being folded has the times

unlink "$own/wait.journal" or die "unlink: $!";
put($t, 'wait/f', 'z', agent => 'fourth');
my $history = metadata_at($t, 'wait/f')->{meta}{modifiedBy};
is(join(' ', map { $_->{agentId} } @$history), 'first second fourth',
   'without a journal, too');
is(times_of([sort { $a->{timestamp} cmp $b->{timestamp} } @$history]),
   times_of($history), 'and their times ascend');
clock($now);
ok(entry_when($t, 'wait/f', sub { @{ $_->{modifiedBy} } == 3 }, 10),
   'and all are written in the end');

# --- a file system whose times end ----------------------------------------

# Versions of a file differ in their tags; where there is no time left that
# would make them differ, the file stays as it is.

my $end = 2_000_000_000;
my @versions;

for my $case (["clock 1 $now clock", 200, 'the clock is behind it'],
              ['clock 1 ' . ($now + 1) . ' clock', 200, 'and moves on'],
              ["clock 1 $end clock", 200, 'the clock arrives there'],
              ["clock 1 $end clock", 500, 'and cannot go on'],
              ["clock 1 " . ($now + 2) . " clock", 200, "but back"])
{
    my ($clock, $status, $name) = @$case;

    if ($name =~ /is behind/) {
        put($t, 'end/file', 'version 0');
        utime $end, $end, "$dir/end/file" or die "utime: $!";
        push @versions, $t->get('/workspaces/end/file')->header('ETag');
    }

    my $before = slurp("$dir/end/file");
    my $content = 'version ' . @versions;
    $fail->rules($clock, "times 1 $end /workspaces/");
    my $res = put($t, 'end/file', $content, headers => [
        'If-Match' => $versions[-1]]);
    is($res->{status}, $status, "the last time of a file, $name");
    is(slurp("$dir/end/file"), $status == 200 ? $content : $before,
       "the last time of a file, $name: the content");
    push @versions, $res->header('ETag') if $status == 200;
}
is(scalar keys %{{ map { $_ => 1 } @versions }}, 4, 'versions differ');

$t->allow(qr/futimens.*failed|Value too large/);
$t->finish;
