#!/usr/bin/perl

# Artifacts that have expired at once are removed, by a worker without threads
# and by one with "aio threads", while others want a small static file: how long
# it takes, how long they wait, and the processor time of the longest step of the
# worker's event loop, which other work on the machine hardly changes.  No clock
# is set, so it takes five minutes until the upkeep begins.  One client is in
# the middle of an artifact that goes, and has to get all of it.
#
#     perl bench/expires.pl [number of artifacts]

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../t/lib";
use ArtifactTest;
use File::Path qw(make_path);
use File::Temp qw(tempdir);
use IO::Socket::INET;
use List::Util qw(max);
use POSIX ();
use Time::HiRes qw(sleep stat time);

my $N = shift // 100_000;
my $SPAN = 600;
my $LARGE = 64 << 20;
my $SAMPLES = 1000;
my $LOOK = 310;
my $OLD = '2020-01-01T00:00:00.000Z';

$| = 1;
$ENV{TMPDIR} = '/dev/shm' if !$ENV{TMPDIR} && -w '/dev/shm';

my $build = tempdir(CLEANUP => 1);
system('cc', '-O2', '-shared', '-fPIC', '-o', "$build/loop.so",
       "$FindBin::Bin/loop.c", '-ldl') == 0 or die "loop.c\n";

printf "%s artifacts, milliseconds\n%-8s %8s %8s %8s %6s  %s\n", $N, '',
    'seconds', 'requests', 'longest', 'cpu', 'the reader';

# Both at once: what they wait for is mostly time.

my @running;
for my $how ('inline', 'threads') {
    my $t = ArtifactTest->new(workers => 1, launcher => [
        'env', "LD_PRELOAD=$build/loop.so", "LOOP_LOG=$build/$how" ]);
    store($t);
    start($t, $how);

    my $pid = fork // die "fork: $!";
    if (!$pid) {
        eval { measure($t, $how); 1 } or print "$how: $@";
        POSIX::_exit(0);
    }
    push @running, [$t, $pid];
}

for my $one (@running) {
    waitpid $one->[1], 0;
    $one->[0]->stop;
}


sub id { return sprintf '%08x-0000-7000-8000-000000000000', $_[0] }

sub folder { return $_[0]->data . '/artifacts' }


sub sidecar {
    my ($t, $id, $more) = @_;
    my $file = folder($t) . "/$id.meta";
    spew("$file.new", qq({"id":"$id","extension":".txt",$more)
                      . '"mimeType":"text/plain"}');
    rename "$file.new", $file or die "rename: $!";
}


# As the module writes them, long ago; number 0 is the large one.

sub store {
    my ($t) = @_;
    my $folder = folder($t);
    my $due = "$folder/.artifact/expires/" . (int(time / $SPAN) - 1);

    make_path($due, { mode => 0700 });
    make_path($t->prefix . '/static');
    $t->file('static/small', 'x' x 1000);

    for my $n (0 .. $N - 1) {
        my $id = id($n);
        spew("$folder/$id.txt", $n ? "content $n" : '');
        sidecar($t, $id, $n ? qq("expiresAt":"$OLD",) : '');
        spew("$due/$id", '');
    }

    spew("$folder/" . id(0) . '.txt', 'y' x $LARGE);
}


sub start {
    my ($t, $how) = @_;

    $t->start(main => 'thread_pool default threads=2;', server => <<"CONF");
        artifact_root %%DATA%%;
        keepalive_requests 1000000;
        send_timeout 1h;
        keepalive_timeout 1h;
        @{[ $how eq 'threads' ? 'aio threads;' : '' ]}
        location /static/ { root %%PREFIX%%; }
        location /artifacts/ { artifact; artifact_expires 1h; artifact_write on; }
        location = /status { artifact_status; }
CONF
}


sub measure {
    my ($t, $how) = @_;
    my $folder = folder($t);
    my ($began, $longest, $requests) = (0, 0, 0);

    my $reader = reader($t);
    sidecar($t, id(0), qq("expiresAt":"$OLD",));

    my $conn = $t->connect;
    for my $n (0, map { int rand $N } 2 .. $SAMPLES) {
        my $res = $conn->request('GET', '/artifacts/' . id($n), keep => 1);
        die id($n), ": $res->{status}\n" if $res->{status} != 404;
        die id($n), ": removed\n" if !-e "$folder/" . id($n) . '.txt';
    }

    my $made = (stat $folder)[9];
    my $give_up = time + $LOOK + 3600;

    while (time < $give_up) {
        if (!$began && (stat $folder)[9] != $made) {
            $began = time;
            truncate "$build/$how", 0;
        }

        if (!$began) {
            sleep 0.01;
            next;
        }

        my $asked = time;
        my $res = $conn->request('GET', '/static/small', keep => 1);
        die "small: $res->{status}\n" if $res->{status} != 200;
        $longest = max($longest, 1e3 * (time - $asked));

        if ($requests++ % 200 == 0) {
            my $status = $conn->request('GET', '/status', keep => 1);
            last if $status->{body}
                =~ /^artifact_expired_removed_total (\d+)$/m && $1 >= $N;
        }

        sleep 0.0005;
    }

    my $took = (stat $folder)[9] - $began;
    my $cpu = max(0, split ' ', slurp("$build/$how")) / 1000;
    my @left = glob "$folder/* $folder/.artifact/expires/*";

    printf "%-8s %8.1f %8d %8.1f %6.1f  %s%s\n", $how, $took, $requests,
        $longest, $cpu, rest($reader), @left ? ', left: ' . @left : '';
}


# A client that has taken the beginning, and later the rest.

sub reader {
    my ($t) = @_;
    my $conn = IO::Socket::INET->new(PeerAddr => '127.0.0.1',
        PeerPort => $t->port) or die "connect: $@";
    print $conn 'GET /artifacts/', id(0), " HTTP/1.0\r\nHost: h\r\n\r\n";
    sysread $conn, my $begin, 1000 or die "read: $!";
    $begin =~ s{\AHTTP/1.1 200 .*?\r\n\r\n}{}s or die "reader: $begin\n";
    return { conn => $conn, got => length $begin };
}


sub rest {
    my ($reader) = @_;
    while (my $n = sysread $reader->{conn}, my $more, 1 << 20) {
        return 'has other bytes' if $more =~ /[^y]/;
        $reader->{got} += $n;
    }
    return $reader->{got} == $LARGE ? 'has all' : "has $reader->{got} bytes";
}
