#!/usr/bin/perl

# Clients that leave at any moment, in the middle of a request, of the work on
# it (several subrequests at once, threads, caches) or of the answer: whatever
# the feature, no connection, no descriptor and no temporary file stays.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactCheck;
use ArtifactCurl;
use ArtifactFeatures;
use ArtifactFit;
use ArtifactTest;
use ArtifactWrite qw(left_behind until_true);
use IO::Select;
use Time::HiRes qw(sleep time);

my $N = $ENV{TEST_LEAVERS} || 60;   # of each kind of request and way to leave
my $AT_ONCE = 4;

my $t = ArtifactTest->new;
my $spare = ArtifactTest->new;
my ($http, $server) = features_server($t);
my $h2 = curl_features('HTTP2');

$http .= 'artifact_capabilities %%PREFIX%%/map.json;';
$http .= 'server { listen 127.0.0.1:' . $spare->port . " http2; $server }"
    if $h2;

features_data($t);
$t->file('map.json', fit_map());
my @upstreams = features_upstreams($t);

$t->allow(qr/upstream/);
$t->start(main => 'thread_pool default threads=3;', http => $http,
          server => $server);

my @kinds = features_requests();

my ($started) = $t->workers;

sub descriptors {
    my ($worker) = $t->workers;
    return scalar(my @fds = glob "/proc/$worker/fd/*");
}

my @tried;

while (my ($name, $request) = splice @kinds, 0, 2) {
    my $from = time;
    my $status = status_of($request);
    my $took = time - $from;
    like($status, qr/^20/, "$name: answered");
    push @tried, [$name, $request, $took];
}

sleep 0.3;
my $before = descriptors();

for (@tried) {
    my ($name, $request, $took) = @$_;

    leave($request, $took);
    cut($request);
    leave_http2($request, $took) if $h2;

    my $now;
    # nginx's own requests with SSI may have to wait for its send_timeout

    ok(until_true(sub { ($now = descriptors()) <= $before + 2 }, 80),
       "$name: no descriptor stays") or diag("$now, $before before");
    like(status_of($request), qr/^20/, "$name: answered as before");
}

is(left_behind($t), '', 'nothing is left behind');
is(join(' ', $t->workers), $started, 'by the same worker');

$_->stop for @upstreams;
$t->finish;


sub status_of {
    my ($request) = @_;
    my $conn = $t->connect;
    $conn->send($request);
    return $conn->response($request =~ /^(\w+)/)->{status} // 'none';
}


# Sends requests and leaves, each a little later, until it would be answered;
# several at once, some of which read a part of the answer.

sub leave {
    my ($request, $took) = @_;
    my @conns;

    for my $i (1 .. $N) {
        my $conn = $t->connect;
        $conn->send($request);
        push @conns, $conn;

        sleep 1.5 * $took * $i / $N / $AT_ONCE;
        next if @conns < $AT_ONCE;

        my $first = shift @conns;
        sysread $first->{sock}, my $some, 1000
            if $i % 3 == 0 && IO::Select->new($first->{sock})->can_read(0);
        $first->close;
    }

    $_->close for @conns;
}


# Sends parts of the request only.

sub cut {
    my ($request) = @_;

    for my $i (1 .. 10) {
        my $conn = $t->connect;
        $conn->send(substr $request, 0, length($request) * $i / 10.5);
        sleep 0.005;
        $conn->close;
    }
}


# Over HTTP/2 a stream is reset, and the connection with it.

sub leave_http2 {
    my ($request, $took) = @_;

    my ($head, $body) = split /\r\n\r\n/, $request, 2;
    my ($line, @headers) = split /\r\n/, $head;
    my ($method, $uri) = split / /, $line;
    my $file = $t->prefix . '/body';
    spew($file, $body);

    my @args = ('-X', $method, map { ('-H', $_) }
                grep { !/^(?:Host|Connection|Content-Length)/i } @headers);
    push @args, '--data-binary', "\@$file" if length $body;

    for my $i (1 .. 6) {
        curl($t->prefix, '--http2-prior-knowledge', '-m',
             sprintf('%.3f', 0.01 + 1.5 * $took * $i / 6), @args,
             'http://127.0.0.1:' . $spare->port . $uri);
    }
}
