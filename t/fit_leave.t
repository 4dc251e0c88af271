#!/usr/bin/perl

# Clients that leave, at any moment, while a request of theirs has several
# subrequests and threads at work: no connection, no descriptor stays.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use ArtifactFit;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;
use ArtifactWrite qw(left_behind until_true);
use Time::HiRes qw(sleep);

my $N = $ENV{LEAVERS} || 300;
my $t = ArtifactTest->new;

my @image = map { tiff_of(9, 9, "number $_" . 'x' x 70_000) } 0 .. 11;
$t->artifact("t$_", $image[$_], { type => 'image/tiff' }) for 0 .. 11;
$t->file('map.json', fit_map());

my $converter = converter($t->prefix . '/convert');
my $big = ArtifactUpstream->new($t->prefix . '/big', contents => {
    jpeg => { body => jpeg_of(8, 8, 'x' x 200_000), type => 'image/jpeg' } });
my $echo = echoed($t);

$t->allow(qr/upstream/);
$t->start(
    main => 'thread_pool default threads=4;',
    http => 'artifact_capabilities %%PREFIX%%/map.json;
    proxy_cache_path %%PREFIX%%/derived keys_zone=derived:1m;',
    server => fit_server('', <<'MORE'));
    aio threads;
    location /conv/ {
        internal;
        rewrite ^ /jpeg break;
        proxy_pass http://unix:%%PREFIX%%/big:;
        proxy_cache derived;
        proxy_cache_methods POST;
        proxy_cache_key $artifact_version$uri;
        proxy_cache_valid 200 30d;
        proxy_cache_lock on;
    }
    location /v1/ {
        artifact_expand on;
        artifact_derive image/tiff image/jpeg /conv/jpeg body;
        proxy_pass http://unix:%%PREFIX%%/echo:;
    }
MORE

sub request_of {
    my ($own, @n) = @_;
    return ArtifactHTTP::format_request('POST', '/v1/chat/completions',
        body => body_of('openai', 'sees', map {
            $own ? inline_part('openai', 'image', 'image/tiff', $image[$_])
                 : slot('openai', 'image', "artifact:t$_") } @n),
        headers => ['Content-Type' => 'application/json']);
}

sub sent {
    my ($request) = @_;
    my $conn = $t->connect;
    $conn->send($request);
    return $conn;
}

sub open_fds {
    my ($worker) = $t->workers;
    return scalar(my @fds = glob "/proc/$worker/fd/*");
}

for my $own (0, 1) {
    my $request = request_of($own, 0 .. 11);
    is(sent($request)->response('POST')->{status}, 200, 'all are converted');
    sleep 0.2;
    my $before = open_fds();

    my @conns;
    for my $i (1 .. $N) {
        push @conns, sent($request);
        sleep 0.05 * ($i % 17) / 17;
        (shift @conns)->close if @conns > 3;
    }
    $_->close for @conns;

    my $now;
    ok(until_true(sub { ($now = open_fds()) <= $before }, 10),
       "descriptors: $before before")
        or diag("$now now");
    is(sent($request)->response('POST')->{status}, 200, 'the server is well');
}
is(left_behind($t), '', 'nothing is left behind');

$_->stop for $converter, $echo, $big;
$t->finish;
