#!/usr/bin/perl

# A workspace whose metadata are too large to be searched: they are read by an
# index at any moment, also while they are being replaced.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactTest;
use ArtifactWrite;
use Time::HiRes qw(sleep time);

my $t = ArtifactTest->new(workers => 2);
my $note = 'n' x 1000;

$t->workspace_file('w', 'dir/f7', 'content');
$t->workspace_meta('w', { map { ("dir/f$_" => { note => "$_ $note" }) }
                          1 .. 17_000 });
cmp_ok(-s $t->data . '/workspaces/w.meta.json', '>', 16 << 20,
       'metadata larger than what is searched');

# Waits until the metadata are another file: parsing them here takes seconds.

my $first = inode();

sub inode { return (stat $t->data . '/workspaces/w.meta.json')[1] }

sub replaced {
    my ($old) = @_;
    return until_true(sub { inode() != ($old || $first) }, 20);
}

$t->start(server => write_server());
put($t, 'w/file', 'x', agent => 'first');
ok(replaced(0), 'their first index');

my $size = length $t->log;
my $folds = 5;
my ($writes, @read) = in_parallel($t, 3, sub {
    my ($n) = @_;

    my $end = time + 60;
    my ($done, $wrong) = (0, 0);
    while (time < $end && !-e $t->prefix . '/enough') {
        if ($n == 0) {
            my $old = inode();
            put($t, 'w/file', "x $done", agent => 'a' . ++$done);
            $t->file('enough', '') if !replaced($old) || $done == $folds;
        } else {
            $done++;
            my $meta = eval { metadata_at($t, 'w/dir/f7') } || {};
            $wrong++ if ($meta->{note} // '') ne "7 $note";
        }
    }
    return [$done, $wrong];
});
is($writes->[0], $folds, 'metadata are replaced');
for my $read (@read) {
    cmp_ok($read->[0], '>', 50, 'and read meanwhile');
    is($read->[1], 0, 'rightly, each time');
}
unlike(substr($t->log, $size), qr/too large/, 'nor is it said otherwise');

$t->finish;
