#!/usr/bin/perl

# What stand-ins cost (docs/standins.md): twenty screenshots, 40 MB of JSON, that
# leave a request in front of a gateway, and that come back behind it, against the
# same nginx passing on those 40 MB.  All of them send to one nginx that reads the
# body and answers 204, and are asked in turn: processor time of the worker and
# its threads, time, and how many bytes of memory the worker needs more.
#
# And what a long text of a tool costs, 3 MB (docs/offload.md), against passing on
# that.
#
#     perl bench/standins.pl [rounds] [rows, a regular expression]
#
# A throughput of 1.00 is that of passing the same on, by an nginx with the same
# buffers: rows with "128k" have a client_body_buffer_size of that.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../t/lib";
use ArtifactBench;
use ArtifactFixtures;
use ArtifactSandwich;
use ArtifactTest;
use Socket qw(AF_INET SOCK_STREAM inet_aton pack_sockaddr_in);
use Time::HiRes qw(sleep time);

my $ROUNDS = shift // 9;
my $ONLY = shift // '.';
my $MB = 1024 * 1024;
my $COUNT = 20;
my $SIZE = 1.5 * $MB;
my $LINE = '2026-11-27T12:00:00Z INFO worker 17 handled \\"GET /a\\" in 17 ms\\n';

my $sink = ArtifactTest->new;
$sink->start(server => <<'CONF');
    client_max_body_size 0;
    client_body_buffer_size 64k;
    keepalive_requests 1000000;
    location / { return 204; }
CONF

my @shots = map { my $png = png(100, 100);
                  substr($png, 0, -12) . rand_bytes($SIZE - length $png)
                  . substr $png, -12 } 1 .. $COUNT;
my $first = body(map { b64($_) } @shots);
my $whole = $first;
my @places;
push @places, pos($whole) + 20_000 while $whole =~ /base64,/g;

# what is sent, and where: new contents differ in each request

my ($t, $off, $threads) = (server(''), server('artifact_sync off;'),
                           server('aio threads;'));
my ($wide, $wide_off) = map { server("client_body_buffer_size 128k; $_") }
    '', 'artifact_sync off;';
my @rows = (
    ['nginx passes on', $t, '/pass', sub { $first }],
    ['in front, known', $t, '/front', sub { $first }],
    ['in front, known, threads', $threads, '/front', sub { $first }],
    ['in front, 1 of 20 is new', $off, '/front', sub { fresh(1) }],
    ['in front, all are new', $off, '/front', sub { fresh($COUNT) }],
    ['behind', $t, '/behind', sub { light($t) }],
    ['nginx passes on, 128k', $wide, '/pass', sub { $first }],
    ['in front, known, 128k', $wide, '/front', sub { $first }],
    ['in front, all new, 128k', $wide_off, '/front', sub { fresh($COUNT) }],
    ['behind, 128k', $wide, '/behind', sub { light($wide) }],
    ['nginx passes on 3 MB', $t, '/pass', sub { text('') }],
    ['a text, known', $t, '/texts', sub { text('') }],
    ['a text, known, threads', $threads, '/texts', sub { text('') }],
    ['a text, new', $off, '/texts', sub { text(rand()) }],
    ['a text, new, threads', $threads, '/texts', sub { text(rand()) }],
    ['no long text', $t, '/texts', sub { short() }],
    ['nginx, 3 MB, 128k', $wide, '/pass', sub { text('') }],
    ['a text, known, 128k', $wide, '/texts', sub { text('') }],
    ['a text, new, 128k', $wide_off, '/texts', sub { text(rand()) }],
);

pin_client();
sleep 2.5;

my @asked = grep { $rows[$_][0] =~ /^nginx|$ONLY/ } 0 .. $#rows;
my (@cpu, @time);

for my $round (0 .. $ROUNDS) {
    for my $i (@asked) {
        my (undef, $server, $uri, $make) = @{ $rows[$i] };
        my ($cpu, $time) = cost($server, "$uri/v1/chat/completions", $make);
        next if !$round;
        push @{ $cpu[$i] }, $cpu;
        push @{ $time[$i] }, $time;
    }
}

printf "%-26s %8s %11s %8s %11s %10s\n", '40 MB, 20 screenshots', 'ms cpu',
    'throughput', 'ms', 'throughput', 'KB memory';
my $base;
for my $i (@asked) {
    my ($name, undef, $uri, $make) = @{ $rows[$i] };
    $base = $i if $name =~ /^nginx/;
    my ($cpu, $time) = map { median(@{ $_->[$i] }) } \@cpu, \@time;
    my ($cpu0, $time0) = map { median(@{ $_->[$base] }) } \@cpu, \@time;

    printf "%-26s %8.1f %11.2f %8.1f %11.2f %10d\n", $name, $cpu * 1e3,
        $cpu0 / $cpu, $time * 1e3, $time0 / $time, memory($uri, $make);
}

$_->stop for $t, $off, $threads, $wide, $wide_off, $sink;


sub body {
    return '{"model":"m","messages":[' . join(',', map {
        '{"role":"tool","tool_call_id":"c","content":[{"type":"image_url",'
        . qq("image_url":{"url":"data:image/png;base64,$_"}}]}) } @_) . ']}';
}


# A request with a result of 3 MB, and one of as many bytes in short ones.

sub text {
    my ($first) = @_;
    return _results("$first\\n" . $LINE x 44_000);
}

sub short {
    my $log = $LINE x 55;
    return _results(($log) x 800);
}

sub _results {
    my $n = 0;
    return '{"tools":[{"function":{"name":"read_artifact"}}],"messages":['
        . join(',', map { $n++; qq({"tool_calls":[{"id":"c$n","function":)
            . qq({"name":"get"}}]},{"role":"tool","tool_call_id":"c$n",)
            . qq("content":"$_"}) } @_) . ']}';
}


# The body with so many contents that were never sent before.

sub fresh {
    my ($n) = @_;

    for my $at (@places[0 .. $n - 1]) {
        substr $whole, $at, 40, b64(rand_bytes(30));
    }
    return $whole;
}


sub light {
    my ($server, $n) = @_;
    my $root = $server->data;
    return body(map { standin_b64('png', standin_id($root, $_, 'png')) }
                @shots[0 .. ($n // $COUNT) - 1]);
}


sub server {
    my ($more) = @_;
    my $port = $sink->port;
    my $own = ArtifactTest->new;

    $own->start(http => "upstream sink { server 127.0.0.1:$port; keepalive 4; }",
                server => <<"CONF");
    client_max_body_size 64m;
    keepalive_requests 1000000;
    sendfile on;
    $more
    artifact_root %%DATA%%;
    artifact_accept "text, vision";
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    location /artifacts/ { internal; artifact; }
    location /front/ { artifact_offload_request on; proxy_pass http://sink; }
    location /behind/ { artifact_expand standins; proxy_pass http://sink; }
    location /texts/ {
        artifact_expand on;
        artifact_offload_text 16k;
        proxy_pass http://sink;
    }
    location /pass/ { proxy_pass http://sink; }
CONF
    return $own;
}


# Seconds of processor time and of time of a request.

sub cost {
    my ($server, $uri, $make) = @_;

    my $n = 3;
    my $time = 0;
    my @bodies = map { $make->() } 1 .. $n;
    my $before = cpu_time($server->workers);

    socket(my $sock, AF_INET, SOCK_STREAM, 0) or die "socket: $!\n";
    connect($sock, pack_sockaddr_in($server->port, inet_aton('127.0.0.1')))
        or die "connect: $!\n";

    for my $body (@bodies) {
        my $begin = time;

        post_json($sock, $uri, $body);
        $time += time - $begin;
    }

    return ((cpu_time($server->workers) - $before) / $n, $time / $n);
}


# KB that a worker needs more for the first such request than for a small one,
# which has had it touch the code, libcrypto's for a text among it.

sub memory {
    my ($uri, $make) = @_;

    my $own = server('');
    my $path = "$uri/v1/chat/completions";
    my $small = body(b64(png(120, 120)));

    # the store has a key, and what is known, after the first process

    for my $known ($first, $small) {
        cost($own, '/front/v1/chat/completions', sub { $known });
    }

    my ($body, $tiny) = $uri eq '/behind' ? (light($own), light($own, 1))
        : $uri eq '/texts' ? ($make->(), _results($LINE x 260))
        : ($make->(), $small);

    $own->reload;
    cost($own, $path, sub { $tiny });
    my @pids = $own->workers;
    my $before = peak(@pids);

    cost($own, $path, sub { $body });
    my $kb = peak(@pids) - $before;

    $own->stop;
    return $kb;
}


sub peak {
    my $kb = 0;
    for my $pid (@_) {
        open my $fh, '<', "/proc/$pid/status" or die "$pid: $!\n";
        $kb += /^VmHWM:\s+(\d+)/ ? $1 : 0 while <$fh>;
    }
    return $kb;
}
