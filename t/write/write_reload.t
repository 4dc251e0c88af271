#!/usr/bin/perl

# Reloads and ends with writes under way: old workers finish them, and fold
# what they wrote before they go.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactTest;
use POSIX ();
use Time::HiRes qw(sleep time);

my $t = ArtifactTest->new(workers => 2);
my $dir = $t->data . '/workspaces';

$t->start(server => <<'SERVER');
    artifact_root %%DATA%%;
    artifact_write on;
    location /workspaces/ {
        artifact_workspace;
        aio threads;
    }
    location /inline/ {
        artifact_workspace;
    }
SERVER

sub history {
    my ($ws) = @_;
    my $file = "$dir/$ws.meta.json";
    my $meta = -e $file ? decode_strict(slurp($file)) : { files => {} };
    return { map {
        my $path = $_;
        map { ("$path $_->{messageId}" => 1) }
            @{ $meta->{files}{$path}{modifiedBy} };
    } keys %{ $meta->{files} } };
}

# An upload that began before a reload ends after it.

for my $at (qw(workspaces inline)) {
    my $conn = $t->connect;
    $conn->send("PUT /$at/slow/$at HTTP/1.1\r\nHost: x\r\n"
        . "Content-Type: text/plain\r\nX-Agent-Id: a\r\nX-Message-Id: m\r\n"
        . "Content-Length: 40000\r\n\r\n" . 'x' x 10_000);
    sleep 0.2;
    ok($t->reload, "$at: reloaded");
    $conn->send('y' x 30_000);
    is($conn->response('PUT')->{status}, 201, "$at: an old upload is taken");
    is(slurp("$dir/slow/$at"), 'x' x 10_000 . 'y' x 30_000, "$at: whole");
    ok(until_true(sub { history('slow')->{"$at m"} }),
       "$at: in the metadata");
}

sub until_true {
    my ($test) = @_;
    for (1 .. 40) {
        return 1 if $test->();
        sleep 0.05;
    }
    return 0;
}

# Writers that go on through reloads and note what was acknowledged.

my @pids;
for my $writer (1 .. 6) {
    my $pid = fork // die "fork: $!";
    if ($pid) {
        push @pids, $pid;
        next;
    }
    my ($stop, @done) = 0;
    $SIG{TERM} = sub { $stop = 1 };
    for (my $n = 1; !$stop; $n++) {
        my $at = $n % 2 ? 'workspaces' : 'inline';
        my $path = "f$writer-" . $n % 5;
        my $res = eval {
            $t->req('PUT', "/$at/busy/$path", body => "$writer $n",
                    headers => ['Content-Type' => 'text/plain',
                                'X-Agent-Id' => 'a',
                                'X-Message-Id' => "$writer-$n"]);
        };
        push @done, $res && $res->{status} =~ /^20/
            ? "$path $writer-$n" : 'FAILED';
    }
    spew($t->prefix . "/done$writer", join "\n", @done);
    POSIX::_exit(0);
}

sleep 0.3;
ok($t->reload, "reload $_ under load") for 1 .. 3;
kill TERM => @pids;
waitpid $_, 0 for @pids;

my @done = map { split /\n/, slurp($t->prefix . "/done$_") } 1 .. 6;
cmp_ok(scalar @done, '>=', 6, 'each writer has written');
is(scalar(grep { $_ eq 'FAILED' } @done), 0, 'none failed');

# Right after a write everything ends: it is in the metadata nevertheless.

for my $n (1 .. 5) {
    $t->req('PUT', "/workspaces/end/f$n", body => $n,
            headers => ['Content-Type' => 'text/plain', 'X-Agent-Id' => 'a',
                        'X-Message-Id' => $n]);
}
$t->stop;
my $end = history('end');
is(join(' ', sort keys %$end), join(' ', map { "f$_ $_" } 1 .. 5),
   'written, then ended: in the metadata');

my $have = history('busy');
is(join(', ', grep { !$have->{$_} } @done), '',
   'all that was acknowledged is in the metadata');
is(scalar keys %$have, scalar @done, 'once each, and nothing else');

$t->check_log;
done_testing();
