#!/usr/bin/perl

# What has expired is removed: the content, the sidecar, the marker, and nothing
# else.  The clocks are set, so nobody waits.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactCheck;
use ArtifactCounts;
use ArtifactFail;
use ArtifactTest;
use ArtifactWrite qw(until_true);
use POSIX qw(EACCES);

my $fail = ArtifactFail->new;
my $t = ArtifactTest->new(workers => 2, launcher => $fail->launcher);
my $data = $t->data;
my $store = "$data/artifacts";

$t->allow(qr/\[notice\].*clock was set|\[err.*unlink\(\)/);

my @server = (server => <<"SERVER");
    artifact_root $data;
    artifact_write on;
    location /artifacts/ { artifact; }
    location /minute/ { artifact; artifact_expires 1m; }
    location /day/ { artifact; artifact_expires 1d; }
    location /levels/ {
        artifact;
        artifact_layout levels=2:2;
        artifact_expires 1m;
    }
    location = /status { artifact_status; }
SERVER

my ($ahead, $later) = (0, 0);
my @more;

# Sets the clocks and wakes all workers up.

sub clocks {
    ($ahead, $later) = @_;
    $fail->rules("ahead 1 $ahead clock", "later 1 $later clock", @more);
    wake();
}

sub wake {
    $t->get('/artifacts/none') for 1 .. 8;
}

sub post {
    my ($path, $body) = @_;
    my $res = $t->req('POST', $path, body => $body,
        headers => ['Content-Type' => 'text/plain']);
    return decode_strict($res->body)->{metadata}{id};
}

sub left {
    my ($id) = @_;
    my @found = map { glob("$store/$_") } "$id*", "*/*/$id*",
        ".artifact/expires/*/$id";
    return scalar @found;
}

sub status { return $t->get("/artifacts/$_[0]")->{status} }

# Time goes by in steps of five minutes, so that each look is one.

sub elapse {
    my ($minutes) = @_;
    for (1 .. $minutes / 5) {
        clocks($ahead, $later + 300);
        wake() for 1 .. 3;
    }
}

# A process that reads its two clocks just before and after a step takes that for
# a jump, and removes nothing for half an hour.

sub in_time {
    my ($code) = @_;
    for (1 .. 12) {
        return 1 if until_true(sub { wake(); $code->() }, 3);
        elapse(35);
    }
    return 0;
}

$t->start(@server);

my @gone = map { post('/minute/', "content $_") } 1 .. 20;
my $level = post('/levels/', 'below');
my $kept = post('/day/', 'a day');
my $ever = post('/artifacts/', 'for ever');
is(left($_), 3, 'content, sidecar, marker') for $gone[0], $level, $kept;
is(left($ever), 2, 'no marker');

# A clock that is wrong loses nothing.

clocks(86400 * 30, 5);
is(status($gone[0]), 404, 'the clock jumps: expired');
is(status($kept), 404, 'all of them');
elapse(20);
is(left($_), 3, 'but all is there') for $gone[0], $level, $kept;
clocks(0, $later);
is(status($kept), 200, 'the clock is right again');
is(status($gone[0]), 404, 'a minute is over now');

# What a kill left.

unlink "$store/$gone[1].txt" or die $!;
unlink "$store/$gone[2].txt", "$store/$gone[2].meta";

elapse(60);

ok(in_time(sub { !grep { left($_) } @gone, $level }),
    'all are removed within an hour')
    or diag(join "\n", map { glob("$store/$_*"),
                             glob("$store/.artifact/expires/*/$_") } @gone);
is(left($kept), 3, 'but not what lives on');
is(status($kept), 200, 'which is served');
is(left($ever), 2, 'nor what has no end');
my @spans = glob("$store/.artifact/expires/*");
is(scalar @spans, 1, 'empty folders are gone');
ok(until_true(sub {
    $t->get('/status')->body =~ /^artifact_expired_removed_total 20$/m
}, 10), 'counted') or diag(grep { /expired/ } split /^/, $t->get('/status')->body);

# What cannot be removed is tried again.

my $stuck = post('/minute/', 'cannot be removed');

sub failed {
    my ($n) = $t->get('/status')->body
        =~ /^artifact_expired_failed_total (\d+)$/m;
    return $n;
}
is(failed(), 0, 'so far nothing failed');
@more = "unlink @{[EACCES]} 0 /$stuck.txt";
elapse(60);
ok(in_time(sub { failed() > 0 }), 'a failure is counted');
is(left($stuck), 3, 'all of it stays');
@more = ();
elapse(60);
ok(in_time(sub { !left($stuck) }), 'until it can be removed');

# The sidecar counts, not the marker.

my $moved = post('/minute/', 'is to live longer');
my $text = slurp("$store/$moved.meta");
$text =~ s/("expiresAt": ")\d{4}/${1}2999/ or die $text;
spew("$store/$moved.meta", $text);
elapse(60);
ok(in_time(sub {
    my @m = glob("$store/.artifact/expires/*/$moved");
    @m == 1 && $m[0] =~ m{/54\d{6}/} }), 'the marker has moved')
    or diag(glob("$store/.artifact/expires/*/*"));
is(status($moved), 200, 'and it is served');

$t->finish;
