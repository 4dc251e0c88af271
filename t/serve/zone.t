#!/usr/bin/perl

# The shared memory zone: more files than it has room for, several workers,
# files that change, a change of its size.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use POSIX ();

my $COUNT = 1500;

my $t = ArtifactTest->new(workers => 2);
my @content = (png(), 'plain words', pdf(), gzip_of('x' x 50));
my @routing = ('image image_url image/png', 'text text text/plain',
               'binary file application/pdf',
               'binary file application/gzip');
my $filler = 'n' x 200;

for my $n (1 .. $COUNT) {
    $t->artifact("f$n", $content[$n % 4], $n % 8 < 4
        ? { name => "$filler-$n", meta => { n => $n } } : undef);
    $t->workspace_file('w1', "d/f$n", $content[$n % 4]) if $n <= 300;
}
$t->workspace_meta('w1', { map { ("d/f$_" => { updatedAt => "day $_" }) }
                           1 .. 300 });

$t->start(http => 'artifact_zone 64k;');

sub wrong {
    my ($first, $last) = @_;

    my ($wrong, $conn) = (0);
    for my $n ($first .. $last) {
        $conn = $t->connect if !$conn || $conn->{eof} || $n % 40 == 0;
        my $uri = $n <= 300 && $n % 3 == 0 ? "/workspaces/w1/d/f$n"
            : "/artifacts/f$n";
        my $res = $conn->request('GET', $uri, keep => 1,
            headers => ['X-LLM-Capabilities' => 'vision, file']);
        $wrong++ if routing_of($res) ne $routing[$n % 4];
    }
    return $wrong;
}

is(wrong(1, $COUNT), 0, 'more files than the zone has room for');
is(wrong(1, $COUNT), 0, 'and once more');
is(wrong($COUNT - 20, $COUNT), 0, 'the last ones, from the zone');

# A file replaced through its folder counts in every worker.

my $wrong = 0;
for my $round (1 .. 40) {
    my $path = $t->data . '/artifacts/turncoat';
    spew("$path.new", $content[$round % 4]);
    rename "$path.new", $path or die "rename: $!";
    for (1 .. 4) {
        my $res = $t->accept('vision, file', '/artifacts/turncoat');
        $wrong++ if routing_of($res) ne $routing[$round % 4];
    }
}
is($wrong, 0, 'a file that is replaced is classified anew');

# Many readers at once, over both workers.

my @readers;
for my $n (1 .. 4) {
    my $pid = fork // die "fork: $!";
    if (!$pid) {
        my $bad = wrong($n * 100, $n * 100 + 300);
        POSIX::_exit($bad ? 1 : 0);
    }
    push @readers, $pid;
}
my $failed = 0;
for my $pid (@readers) {
    waitpid $pid, 0;
    $failed++ if $?;
}
is($failed, 0, 'many readers at once');

ok($t->reload(http => 'artifact_zone 1m;'), 'a zone of another size');
is(wrong(1, 300), 0, 'works');
ok($t->reload, 'the same zone again');
is(wrong(1, 300), 0, 'works too');
ok($t->reload(http => ''), 'the default zone');
is(wrong(1, 300), 0, 'works as well');

$t->finish;
