#!/usr/bin/perl

# Metadata that take long to be written, by a worker without threads: it goes on
# serving others in between, and whenever it ends, what was acknowledged is in
# the metadata or will be.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactTest;
use ArtifactWrite;
use Time::HiRes qw(sleep time);

my $t = ArtifactTest->new;
my $dir = $t->data . '/workspaces';
my $folding = "$dir/.artifact/big.folding";

# much more than is done while a signal is on its way

my $entry = '{"mimeType":"text/x-old","createdAt":"2024-01-01T00:00:00.000Z",'
    . '"updatedAt":"2024-01-01T00:00:00.000Z","modifiedBy":[]}';
spew("$dir/big.meta.json", '{"workspaceId":"big","files":{'
     . join(",\n", map { "\"dir/file-$_\":$entry" } 1 .. 200_000) . '}}');
$t->workspace_file('big', 'dir/file-777', 'x');

$t->start(server => <<'SERVER');
    artifact_root %%DATA%%;
    artifact_write on;
    artifact_sync off;
    location /artifacts/ { artifact; }
    location /workspaces/ { artifact_workspace; }
SERVER

# A write, and more than enough for a journal to be folded at once: the worker
# in the midst of it.

my $long = join '/', map { $_ x 250 } 'a' .. 'o';

sub begin {
    my ($name) = @_;
    my $conn = $t->connect;
    put($t, "big/$name", 'x', agent => $name, conn => $conn);
    put($t, "big/$long", $_, conn => $conn) for 1 .. 20;
    return until_true_soon(sub { -e $folding }, 10);
}

sub until_true_soon {
    my ($code, $seconds) = @_;
    my $end = time + $seconds;
    while (time < $end) {
        return 1 if $code->();
        sleep 0.001;
    }
    return 0;
}

sub recorded {
    my ($name) = @_;
    my $text = slurp("$dir/big.meta.json");
    return scalar(() = $text =~ /"agentId": "$name",\s+"timestamp"/g);
}

sub sound {
    my ($name) = @_;
    my $text = slurp("$dir/big.meta.json");
    my $old = $text =~ s/"dir\/file-\d+":\Q$entry\E,\n//g;
    is($old, 200_000, "$name: all other entries are as they were");
    ok(eval { decode_strict($text) }, "$name: the metadata are sound");
}

# others are served, and write, though it takes long

ok(begin('first'), 'metadata are being written');
my ($served, $written) = (0, 0);
my $conn = $t->connect;
while (1) {
    $conn = $t->connect if $conn->{eof};
    my $res = $conn->request('GET', '/workspaces/big/dir/file-777', keep => 1);
    last if !-e $folding || $res->{status} != 200;
    $served++;
    next if $served % 4;
    $res = put($t, "big/meanwhile$written", 'x', agent => 'meanwhile',
               conn => $conn);
    last if !-e $folding || $res->{status} != 201;
    $written++;
}
note("$served read, $written written meanwhile");
cmp_ok($served, '>', 8, 'others are served meanwhile');
cmp_ok($written, '>', 1, 'and write');
ok(until_true(sub { recorded('meanwhile') >= $written }, 10),
   'which is recorded, too');
is(recorded('first'), 1, 'and so is the first');
sound('served meanwhile');

# The worker ends in one way or another, and another one takes its place.

sub ends {
    my ($signal) = @_;

    my ($worker) = $t->workers;
    ok(begin($signal), "$signal: metadata are being written");
    put($t, "big/late$signal", 'x', agent => "late$signal");
    kill $signal => $worker;
    ok(-e $folding, "$signal: in the midst of it");
    ok(until_true_soon(sub { !is_alive($worker) }, 20),
       "$signal: the worker ends");
    return $worker;
}

# One that is shutting down is, too.

sub is_alive {
    my ($pid) = @_;
    open my $fh, '<', "/proc/$pid/stat" or return 0;
    return (<$fh> // '') =~ /^\d+ \(.*\) [^ZX]/;
}

for my $signal (qw(QUIT TERM)) {
    ends($signal);
    is(recorded($signal), 1, "$signal: when it was done");
    is(recorded("late$signal"), 1, "$signal: with what came meanwhile");
    ok(!-e $folding, "$signal: nothing is left to do");
    is(left_behind($t), '', "$signal: or to remove");
}
sound('QUIT and TERM');

$t->allow(qr/exited on signal 9/);
ends('KILL');
ok(until_true(sub { recorded('lateKILL') == 1 }, 20),
   'KILL: another worker begins again');
is(recorded('KILL'), 1, 'KILL: and records it once');
ok(until_true(sub { !-e $folding }, 5), 'KILL: nothing is left to do');
is(left_behind($t), '', 'KILL: or to remove');
sound('KILL');

# a reload: the old worker goes on, the new one finds a journal under way

ok(begin('reload'), 'reload: metadata are being written');
ok($t->reload, 'reloaded');
put($t, 'big/after', 'x', agent => 'after');
ok(until_true(sub { recorded('after') == 1 }, 20),
   'reload: the new worker writes metadata');
is(recorded('reload'), 1, 'reload: and the old one did');
is(left_behind($t), '', 'reload: nothing is left behind');
sound('reload');

$t->finish;
