#!/usr/bin/perl

# A file that is replaced keeps its permissions, and its owner and group where
# nginx may give a file away.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFail;
use ArtifactTest;
use ArtifactWrite;

sub rights { my @s = stat $_[0]; return sprintf '%04o %d:%d', $s[2] & 07777, @s[4, 5] }

sub prepare {
    my ($t, $name, $mode, $uid, $gid) = @_;
    $t->workspace_file('w', $name, 'old');
    my $file = $t->data . "/workspaces/w/$name";
    chown $uid, $gid, $file or die "chown: $!";
    chmod $mode, $file or die "chmod: $!";
    return $file;
}

SKIP: {
    skip 'only root can give files away', 1 if $> != 0;

    my $fail = ArtifactFail->new;
    my $t = ArtifactTest->new(launcher => $fail->launcher);
    $t->start(server => write_server());

    for my $case ([0755, 1000, 1001, '0755 1000:1001'],
                  [0600, 0, 0, '0600 0:0'], [0640, 0, 1001, '0640 0:1001'],
                  [0444, 1000, 0, '0444 1000:0'], [0, 0, 0, '0000 0:0'],
                  [04755, 1000, 1001, '0755 1000:1001'],
                  [02775, 0, 1001, '0775 0:1001'],
                  [01666, 0, 0, '0666 0:0'])
    {
        my ($mode, $uid, $gid, $want) = @$case;
        for my $at (qw(/workspaces/ /inline/)) {
            my $name = sprintf 'f%04o-%d-%d', $mode, $uid, $gid;
            my $file = prepare($t, $name, $mode, $uid, $gid);
            my @synced = grep { $_->[0] eq 'sync' && $_->[1] eq $file }
                $fail->calls(sub {
                    is(put($t, "w/$name", 'new', at => $at)->{status}, 200,
                       "$at$name: PUT");
                });
            is(rights($file), $want, "$at$name: $want");
            is(scalar @synced, 0, "$at$name: not synced again");
            is(slurp($file), 'new', "$at$name: the content");
        }
    }

    # a file that is not there, or was removed, is like any new one

    put($t, 'w/new', 'x');
    my $fresh = rights($t->data . '/workspaces/w/new');
    my $file = prepare($t, 'removed', 0600, 1000, 1001);
    remove($t, 'w/removed');
    put($t, 'w/removed', 'x');
    is(rights($file), $fresh, 'a file that was removed');

    # closed while its new content comes: closed when it is replaced

    my $late = prepare($t, 'late', 0666, 1000, 1001);
    my $conn = $t->connect;
    $conn->send("PUT /workspaces/w/late HTTP/1.1\r\nHost: x\r\n"
        . "Content-Type: a/b\r\nContent-Length: 40000\r\n\r\n" . 'x' x 10_000);
    ok(until_true(sub { glob $t->data . '/workspaces/.artifact/tmp-*' }, 5),
       'a write under way');
    chmod 0400, $late or die "chmod: $!";
    $conn->send('y' x 30_000);
    is($conn->response('PUT')->{status}, 200, 'and done');
    is(rights($late), '0400 1000:1001', 'has the rights as they are now');
    $t->stop;
    $t->check_log;

    # what others may read is never more than before

    my $c = ArtifactTest->new(user => 'nobody nogroup');
    my ($uid, $gid) = (getpwnam 'nobody')[2, 3];
    mkdir $c->data . '/workspaces/w' or die "mkdir: $!";
    chmod 0777, $c->data . '/workspaces', $c->data . '/workspaces/w';
    $c->start(server => write_server());
    for my $case ([0755, $uid, $gid, 0755], [0640, $uid, $gid, 0640],
                  [0664, 1000, $gid, 0664], [0660, 1000, 1001, 0600],
                  [0664, 1000, 1001, 0644], [0640, $uid, 1001, 0600])
    {
        my ($mode, $owner, $group, $want) = @$case;
        my $name = sprintf 'f%04o-%d-%d', $mode, $owner, $group;
        my $file = prepare($c, $name, $mode, $owner, $group);
        is(put($c, "w/$name", 'new')->{status}, 200, "nobody, $name: PUT");
        is(rights($file), sprintf('%04o %d:%d', $want, $uid, $gid),
           "nobody, $name");
    }
    $c->stop;
    $c->check_log;
}

done_testing();
