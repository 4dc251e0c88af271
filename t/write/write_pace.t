#!/usr/bin/perl

# A large workspace that is written to all the time: its metadata are not
# written all the time, by whichever worker, unless much is waiting.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactTest;
use ArtifactWrite;
use List::Util qw(min);
use Time::HiRes qw(sleep stat time);

my $SECONDS = 5;
my $SHARE = 20;
my $LONGEST = 3;

my $t = ArtifactTest->new(workers => 4);
my $dir = $t->data . '/workspaces';

my $entry = '{"mimeType":"text/x-old","createdAt":"2024-01-01T00:00:00.000Z",'
    . '"updatedAt":"2024-01-01T00:00:00.000Z","modifiedBy":[]}';
spew("$dir/big.meta.json", '{"workspaceId":"big","files":{'
     . join(",\n", map { "\"dir/file-$_\":$entry" } 1 .. 50_000) . '}}');

$t->start(server => write_server('artifact_sync off;'));

sub inode { return (stat "$dir/big.meta.json")[1] }

# When the metadata were written, when their index was, and the pause that it
# asks for.

sub written_at {
    my ($last) = sort { $b->[0] <=> $a->[0] } map {
        [(stat $_)[9], unpack 'x44 V', slurp($_)]
    } glob "$dir/.artifact/big.index*";
    return { at => (stat "$dir/big.meta.json")[9], index => $last->[0],
             pause => min($LONGEST, $SHARE * $last->[1] / 1000) };
}

for my $at (qw(/workspaces/ /inline/)) {
    my $last = inode();
    put($t, 'big/first', 'x', at => $at, agent => 'a');
    ok(until_true(sub { inode() != $last }, 20), "$at: metadata are written");

    # by any worker, and not so many that there is much to be written

    my @folds = written_at();
    my ($writes, $end) = (0, time + $SECONDS);
    $last = inode();
    while (time < $end || @folds < 2) {
        put($t, 'big/f' . $writes++ % 10, 'x', at => $at, agent => 'a');
        last if time > $end + 20;
        sleep 0.02;
        next if inode() == $last;
        $last = inode();
        push @folds, written_at();
    }
    note("$at: $writes writes, written $#folds times, pauses of ",
         join ' ', map { sprintf '%.2f', $_->{pause} } @folds);
    cmp_ok($#folds, '>', 0, "$at: and written again");
    is(scalar(grep { $_->{pause} <= 0 } @folds), 0, "$at: with pauses");
    is(scalar(grep { $folds[$_]{at} < $folds[$_ - 1]{index}
                                      + $folds[$_ - 1]{pause} } 1 .. $#folds),
       0, "$at: which are waited for");
}

# Much is written at once, in the pause after the metadata were.  A machine may
# be too busy for that, but not each time.

my $long = join '/', map { $_ x 250 } 'a' .. 'o';
my $conn = $t->connect;

sub much_at_once {
    my ($at) = @_;

    my $last = inode();
    put($t, 'big/last', 'x', at => $at, agent => 'a', conn => $conn);
    until_true(sub { inode() != $last }, 20) or return;

    my $before = written_at();
    $last = inode();
    put($t, "big/$long", $_, at => $at, conn => $conn) for 1 .. 20;
    until_true(sub { inode() != $last }, 20) or return;
    return written_at()->{at} < $before->{index} + $before->{pause};
}

for my $at (qw(/workspaces/ /inline/)) {
    my $early = 0;
    $early ||= much_at_once($at) for 1 .. 10;
    ok($early, "$at: but for much there is no pause");
}

$t->finish;
