#!/usr/bin/perl

# Streams of a model through nginx, many at once: how much later events arrive,
# how much processor time they take, and how much memory, when artifacts are
# taken out, compared with nginx that passes them on with "proxy_buffering off".
#
#     perl bench/extract.pl [rounds [streams [events]]]
#
# An event tells when it was sent.  The three modes take turns, and the medians
# of the rounds are told: other work on the machine spoils single ones.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../t/lib";
use ArtifactBench qw(median cpu_time);
use ArtifactTest;
use IO::Select;
use IO::Socket::INET;
use IO::Socket::UNIX;
use POSIX ();
use Socket qw(SOCK_STREAM);
use Time::HiRes qw(sleep time);

my $rounds = shift // 3;
my $streams = shift // 200;
my $events = shift // 1000;
my $pause = 0.05;              # between events of a stream

$| = 1;

my $t = ArtifactTest->new;
my $listen = IO::Socket::UNIX->new(
    Type => SOCK_STREAM, Local => $t->prefix . '/up.sock', Listen => 1024,
) or die "listen: $!";
chmod 0777, $t->prefix . '/up.sock';

$t->start(main => 'worker_rlimit_nofile 8192;',
          http => 'upstream up { server unix:%%PREFIX%%/up.sock; }',
          server => <<'CONF');
    location /plain/ {
        proxy_buffering off;
        proxy_pass http://up;
    }
    location /on/ {
        artifact_extract on;
        proxy_pass http://up;
    }
    location /strip/ {
        artifact_extract strip;
        proxy_pass http://up;
    }
CONF

my %result;

for my $round (1 .. $rounds) {
    for my $mode (qw(plain on strip)) {
        my $got = run($mode);
        push @{ $result{$mode}{$_} }, $got->{$_} for keys %$got;
    }
}

printf "%d streams of %d events, medians of %d rounds\n\n", $streams, $events,
    $rounds;
printf "%-6s %14s %22s %12s\n", '', 'latency', 'processor time', 'memory';

for my $mode (qw(plain on strip)) {
    my %own = map { $_ => median(@{ $result{$mode}{$_} }) }
        qw(latency cpu memory);
    my @ratios = map { $result{$mode}{cpu}[$_] / $result{plain}{cpu}[$_] }
        0 .. $rounds - 1;
    my @later = map { $result{$mode}{latency}[$_]
                      - $result{plain}{latency}[$_] } 0 .. $rounds - 1;
    my @more = map { $result{$mode}{memory}[$_]
                     - $result{plain}{memory}[$_] } 0 .. $rounds - 1;

    printf "%-6s %6.3f ms (%+.3f) %8.2f us/event (%.2f) %+7.1f KB/stream\n",
        $mode, 1000 * $own{latency}, 1000 * median(@later),
        1e6 * $own{cpu} / $streams / $events, median(@ratios),
        median(@more) / $streams;
}

$t->stop;


# All streams once: the median latency, the worker's processor time, and its
# memory in the middle.

sub run {
    my ($mode) = @_;

    # a worker without the memory of the mode before

    $t->reload or die "no reload\n";
    my ($worker) = $t->workers;
    my $before = cpu_time($worker);
    my $pid = fork // die "fork: $!";

    if (!$pid) {
        upstream();
        POSIX::_exit(0);
    }

    my (%tail, @latency, $memory);
    my $select = IO::Select->new;

    for (1 .. $streams) {
        my $sock = IO::Socket::INET->new(PeerAddr => '127.0.0.1:' . $t->port)
            or die "connect: $!";
        $sock->print("GET /$mode/v1/chat/completions HTTP/1.0\r\n\r\n");
        $sock->blocking(0);
        $tail{$sock} = '';
        $select->add($sock);
    }

    while ($select->count) {
        for my $sock ($select->can_read) {
            my $n = sysread $sock, my $bytes, 65536;

            if (!$n) {
                $select->remove($sock);
                next;
            }

            my $now = time;
            $tail{$sock} .= $bytes;
            while ($tail{$sock} =~ s/\A.*?\n\n//s) {
                push @latency, $now - $1 if $& =~ /"t":([\d.]+)/;
            }
        }

        $memory //= $t->memory($worker) if @latency > $streams * $events / 2;
    }

    waitpid $pid, 0;
    @latency == $streams * $events
        or die sprintf "%d events came\n", scalar @latency;

    return { latency => median(@latency), memory => $memory,
             cpu => cpu_time($worker) - $before };
}


sub upstream {
    my @socks;

    for (1 .. $streams) {
        my $sock = $listen->accept;
        sysread $sock, my $request, 8192;
        push @socks, $sock;
    }

    $_->syswrite("HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
        for @socks;

    my $block = '<artifacts>[{\"type\":\"image\",\"url\":\"https://h/a.png\"}'
        . ']</artifacts>';
    my $begin = time;
    my @pieces = $block =~ /((?:\\?.){1,4})/g;

    for my $n (1 .. $events) {
        my $left = $events - $n;
        my $piece = $left > @pieces ? ' word' : $left > 0 ? $pieces[-$left]
                  : '';

        for my $i (0 .. $#socks) {
            my $wait = $begin + $pause * ($n - 1 + $i / @socks) - time;
            sleep $wait if $wait > 0;

            $socks[$i]->syswrite(sprintf 'data: {"id":"chatcmpl-B9MBs8CjcvOU2jLn4n57'
                . '0S5qMJKcT","object":"chat.completion.chunk","created":'
                . '1790000000,"model":"gpt-9","service_tier":"default",'
                . '"system_fingerprint":"fp_b376dfbbd5","choices":[{"index":0,'
                . '"delta":{"content":"%s"},"logprobs":null,"finish_reason":%s}'
                . '],"t":%.6f}' . "\n\n", $piece, $left ? 'null' : '"stop"',
                time);
        }
    }
}
