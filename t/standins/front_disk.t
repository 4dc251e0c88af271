#!/usr/bin/perl

# What a disk and a power cut do to media that leave requests: on one that is full
# they stay, those that fit become stand-ins, and when a worker is killed between
# two steps nothing half is there, and the next request is right.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFail;
use ArtifactFixtures;
use ArtifactSandwich;
use ArtifactTest;
use ArtifactWrite qw(left_behind until_true);

my @mounted;

END {
    my $status = $?;
    system("umount $_") for @mounted;
    $? = $status;
}

my ($slot) = values %{ { standin_slots('openai', 'png') } };
my $chat = '/v1/chat/completions';

my $threads = <<'SERVER';
    location /threads/ {
        artifact_offload_request on;
        aio threads;
        proxy_pass %%ECHO%%;
    }
SERVER

sub request { return standin_body('openai', 'sees',
                                  map { $slot->('image/png', $_) } @_) }


# --- a small disk ---------------------------------------------------------

SKIP: {
    my $m = ArtifactTest->new;
    my $data = $m->data;

    skip 'nothing can be mounted here; store.t has rules that stand in', 1
        if system("mount -t tmpfs -o size=1m,mode=777 none $data 2>/dev/null");
    push @mounted, $data;
    mkdir "$data/artifacts" or die "mkdir: $!";
    chmod 0777, "$data/artifacts";

    my $echo = standin_echo($m);
    $m->allow(qr/\[crit\]/);
    standin_server($m, server => $threads);

    # behind a known one, one that does not fit, and one that does

    my $n = 0;
    for my $at (qw(front threads)) {
        my ($known, $large, $small) = map { standin_content('png', $_ + $n++) }
            5000, 3_000_000, 6000;
        standin_post($m, "/$at$chat", request(b64($known)));

        for my $turn (1 .. 3) {
            my $res = standin_post($m, "/$at$chat",
                                   request(map { b64($_) } $known, $large, $small));
            is($res->status, 200, "$at, turn $turn: a full disk is no error");
            standin_same($res->body, request(
                standin_b64('png', standin_id($data, $known, 'png')), b64($large),
                standin_b64('png', standin_id($data, $small, 'png'))),
                "$at, turn $turn: what fits is taken out");
        }
        is(standin_files($data)->{ standin_id($data, $large, 'png') }, undef,
           "$at: nothing of the other");
        is(standin_stored($data, standin_id($data, $small, 'png'), $small, 'png'),
           '', "$at: what fits is whole");
        like($m->log, qr/was not stored, it is left as it is/, "$at: with a word");
    }
    is(left_behind($m), '', 'nothing is left');

    # not a page is left

    open my $fill, '>', "$data/fill" or die "fill: $!";
    1 while syswrite $fill, 'x' x 4096;
    close $fill;

    my $png = standin_content('png', 7000);
    my $forged = standin_b64('png', '01234567-89ab-8def-8123-456789abcdef');
    standin_same(standin_post($m, "/front$chat", request(b64($png)))->body,
                 request(b64($png)), 'not a page: it stays');
    is(standin_post($m, "/front$chat", request($forged))->status, 502,
       'a stand-in of a client cannot');
    unlink "$data/fill" or die "unlink: $!";
    standin_same(standin_post($m, "/front$chat", request(b64($png)))->body,
        request(standin_b64('png', standin_id($data, $png, 'png'))),
        'when there is room again it is taken out');
    is(left_behind($m), '', 'nothing is left');
    $echo->stop;
    $m->stop;
    $m->check_log;
}


# --- a worker is killed ------------------------------------------------------

my $fail = ArtifactFail->new;
my $t = ArtifactTest->new(launcher => $fail->launcher);
my $echo = standin_echo($t);
my $data = $t->data;

$t->allow(qr/exited on signal 9/);
standin_server($t, server => $threads);
standin_post($t, "/front$chat", request(b64(standin_content('png', 3000))));

# while the content, then the folder, is synced: before its name, and after

my %step = ('before it has a name' => '/.artifact/tmp-',
            'after it has one' => '/artifacts$');
my $n = 4000;

for my $at (qw(front threads)) {
    for my $name (sort keys %step) {
        my @png = map { standin_content('png', $n++) } 1 .. 3;
        my %was = %{ standin_files($data) };
        my ($worker) = $t->workers;

        $fail->rules("hold 1 0 $step{$name}");
        my $conn = $t->connect;
        my $body = request(map { b64($_) } @png);
        $conn->send("POST /$at$chat HTTP/1.1\r\nHost: localhost\r\n"
            . "Content-Type: application/json\r\nContent-Length: "
            . length($body) . "\r\n\r\n$body");
        ok(until_true(sub { $fail->holds }, 10), "$at, $name: under way");

        kill KILL => $worker;
        ok(until_true(sub { my @now = $t->workers;
                            @now == 1 && $now[0] != $worker }, 10),
           "$at, $name: another worker");
        $fail->rules;
        $fail->unhold;
        is(eval { $conn->response('POST')->{status} } || 0, 0,
           "$at, $name: no answer");

        # whatever is there is whole

        my $now = standin_files($data);
        my %id = map { standin_id($data, $_, 'png') => $_ } @png;
        my @half = grep { defined $now->{$_}{path}
                          && standin_stored($data, $_, $id{$_}, 'png') ne '' }
                   grep { $now->{$_} } keys %id;
        is("@half", '', "$at, $name: nothing half");
        is(join(' ', grep { !$was{$_} && !$id{$_} } keys %$now), '',
           "$at, $name: and nothing else");

        standin_same(standin_post($t, "/$at$chat", $body)->body, request(map {
            standin_b64('png', standin_id($data, $_, 'png')) } @png),
            "$at, $name: the next request is right");
        standin_same(standin_post($t, "/behind$chat", request(map {
            standin_b64('png', standin_id($data, $_, 'png')) } @png))->body,
            $body, "$at, $name: and comes back");
    }
}

ok($t->reload, 'the next worker cleans up');
is(left_behind($t), '', 'nothing is left');

$echo->stop;
$t->finish;
