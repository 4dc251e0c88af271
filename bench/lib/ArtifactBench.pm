package ArtifactBench;

# What the benches share: the processor time of an nginx, and the comparison of
# two of them that take turns.
#
# Two modules are compared by the time that a request takes of the processor,
# in pairs of short slices of the same number of requests, the one first and
# the other first in turn, and by the median of the pairs' ratios: other work
# on the machine makes both slices of a pair slower, or spoils few pairs.  A
# module against itself has given 0.98 to 1.02, with two processors and twice as
# many compilers at work on them.
#
# The same machine code may differ by 7 % where a hot loop lies across a cache
# line in one module: build both with MODULE_CFLAGS="-O2 -fPIC
# -falign-functions=64 -falign-loops=32" to tell.

use strict;
use warnings;

use Exporter 'import';
use Socket qw(
    AF_INET SOCK_STREAM SOL_SOCKET SO_RCVBUF inet_aton pack_sockaddr_in
);
use Time::HiRes qw(time);

our @EXPORT = qw(
    compare cpu_time median note_ratio pin_client post_json slice worst_ratio
);

my @ratios;


sub median {
    my @v = sort { $a <=> $b } @_;
    return $v[$#v / 2];
}


# Seconds of processor time that processes took so far, with all their threads.
# The kernel counts when a thread goes to sleep, or at a tick: so all of them
# have to, twice in a row, which they do when nothing is asked of them.

sub cpu_time {
    my ($before, $now, $awake) = (-1, 0, 1);

    for (1 .. 100_000) {
        ($now, $awake) = (0, 0);

        for my $task (map { glob "/proc/$_/task/*" } @_) {
            $awake = 1 if slurp("$task/stat") =~ /.*\) R /s;
            $now += (split ' ', slurp("$task/schedstat"))[0];
        }

        last if !$awake && $now == $before;
        $before = $now;
    }

    return $now / 1e9;
}


sub slurp {
    my ($file) = @_;
    open my $fh, '<', $file or die "$file: $!\n";
    return scalar <$fh>;
}


# Sends JSON on a connection that stays open; the answer has to be a 204.

sub post_json {
    my ($sock, $uri, $body) = @_;

    my $request = "POST $uri HTTP/1.1\r\nHost: bench\r\n"
        . "Content-Type: application/json\r\nContent-Length: "
        . length($body) . "\r\n\r\n$body";
    for (my $at = 0; $at < length $request; ) {
        $at += syswrite($sock, $request, 1 << 20, $at) // die "write: $!\n";
    }
    my $answer = '';
    until ($answer =~ /\r\n\r\n/) {
        sysread $sock, $answer, 65536, length $answer or die "read: $!\n";
    }
    $answer =~ m{^HTTP/1.1 204} or die "$uri: $answer\n";
}


# Keeps this process from the first processor, where the workers are.

sub pin_client {
    system("taskset -cp 1 $$ > /dev/null") == 0 or die "taskset failed\n";
}


# Two functions that run a slice and return its cost: the median of the ratios
# of the first's to the second's, in pairs for some seconds.  A third function,
# if there is one, is called between them, after 25 pairs or 0.2 seconds.

sub compare {
    my ($seconds, $new, $old, $settle) = @_;
    my $end = time + $seconds;
    my @ratios;

    while (@ratios < 10 || time < $end) {
        $settle->() if $settle;

        my ($pause, $batch) = (time + 0.2, @ratios + 25);

        do {
            my ($a, $b);

            if (@ratios % 2) {
                $b = $old->();
                $a = $new->();

            } else {
                $a = $new->();
                $b = $old->();
            }

            push @ratios, $a / $b;

        } while (time < $pause && @ratios < $batch);
    }

    return median(@ratios);
}


# Remembers a row's ratio, in the file BENCH_RATIOS for the next bench.

sub note_ratio {
    my ($row, $ratio) = @_;

    push @ratios, [$ratio, $row];

    if (my $file = $ENV{BENCH_RATIOS}) {
        open my $fh, '>>', $file or die "$file: $!\n";
        print $fh "$ratio\t$row\n";
        close $fh or die "$file: $!\n";
    }
}


# The highest one, as a line to print.

sub worst_ratio {
    my @all = @ratios;

    if (-e (my $file = $ENV{BENCH_RATIOS} // '')) {
        open my $fh, '<', $file or die "$file: $!\n";
        @all = map { chomp; [split /\t/, $_, 2] } <$fh>;
    }

    my ($worst) = sort { $b->[0] <=> $a->[0] } @all or return '';

    return sprintf "worst of %d rows, new/old: %.3f %s\n", scalar @all,
        @$worst;
}


# A number of GET requests to a port of 127.0.0.1, one on each of some
# connections at a time, which are kept in %$state; or of other requests, if it
# has the bytes of one.

sub slice {
    my ($state, $port, $uri, $headers, $n, $connections) = @_;

    my $request = $state->{request}
        // "GET $uri HTTP/1.1\r\nHost: bench\r\n$headers\r\n";
    my $socks = $state->{socks} ||= [];

    push @$socks, connection($port) while @$socks < $connections;

    # a short answer is kept with the first one, and has a length from then on

    for (1 .. ($state->{warm}++ ? 0 : 2)) {
        delete @$state{qw(length head)};
        syswrite($socks->[0], $request) == length $request
            or die "write: $!\n";
        read_response($state, $socks->[0]);
    }

    while ($n > 0) {
        my @now = @$socks[0 .. ($n < $connections ? $n : $connections) - 1];
        $n -= @now;

        for my $sock (@now) {
            syswrite($sock, $request) == length $request
                or die "write: $!\n";
        }

        read_response($state, $_) for @now;
    }
}


# The kernel would give some connections larger windows than others as they
# grow older, and a large answer takes fewer steps then.

sub connection {
    my ($port) = @_;

    socket(my $sock, AF_INET, SOCK_STREAM, 0) or die "socket: $!\n";
    setsockopt($sock, SOL_SOCKET, SO_RCVBUF, 65536)
        or die "setsockopt: $!\n";
    connect($sock, pack_sockaddr_in($port, inet_aton('127.0.0.1')))
        or die "connect: $!\n";

    return $sock;
}


# All responses of a state are alike: their length is that of the first, those
# of an unknown length end with the last chunk.

sub read_response {
    my ($state, $sock) = @_;
    my ($got, $tail) = (0, '');

    while (1) {
        my $read = sysread($sock, my $buf, 1048576);
        die "read: " . ($! || 'closed') . "\n" if !$read;

        $got += $read;

        if (!defined $state->{length}) {
            $state->{head} .= $buf;
            learn($state);
        }

        if ($state->{length}) {
            return if $got == $state->{length};
            die "a response of another length\n" if $got > $state->{length};

        } elsif (defined $state->{length}) {
            $tail = substr $tail . $buf, -7;
            return if $tail eq "\r\n0\r\n\r\n";
        }
    }
}


sub learn {
    my ($state) = @_;
    my ($head) = $state->{head} =~ /^(.*?\r\n\r\n)/s or return;

    $head =~ m{^HTTP/1\.1 20} or die "a response:\n$head\n";

    $state->{length} = $head =~ /^Content-Length: (\d+)/mi
        ? length($head) + $1 : 0;
}


1;
