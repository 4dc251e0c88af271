#!/usr/bin/perl

# MCP's tools that write, while a worker is killed or nginx reloads in the
# middle of a message: what was answered is there, what was not leaves nothing
# behind; an old worker ends what it has begun.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactMcpWrite;
use ArtifactTest;
use ArtifactWrite;

my $t = ArtifactTest->new;
$t->allow(qr/exited on signal 9|was locked by/);
$t->start(server => mcp_server());

my $large = join '', map { chr($_ % 251) . chr($_ % 7) } 1 .. 100_000;
my @args = (base64 => b64($large), workspace => 'w', path => 'f');
my $text = tool_text('write_file', \@args);
my $artifact = tool_text('save_artifact', [base64 => b64($large)]);

sub under_way {
    my ($area, $want) = @_;
    return until_true(sub {
        my @tmp = glob $t->data . "/$area/.artifact/tmp-*";
        @tmp >= $want;
    }, 10);
}

# Begins messages that lack their last bytes.

sub begin {
    my ($message, $at) = @_;
    my $conn = $t->connect;
    $conn->send(call_head($at, length $message)
                . substr $message, 0, length($message) - 9);
    return $conn;
}

# --- reloads --------------------------------------------------------------

for my $at (qw(/mcp /mcp-inline)) {
    my $conn = begin($text, $at);
    my $other = begin($artifact, $at);
    ok(under_way('workspaces', 1) && under_way('artifacts', 1),
       "$at: files under way");
    ok($t->reload, "$at: reloaded");
    $conn->send(substr $text, length($text) - 9);
    wrote($t, ArtifactMcpWrite::answer($conn->response('POST')), 'w/f',
          $large, "$at: a file of an old worker");
    $other->send(substr $artifact, length($artifact) - 9);
    saved($t, ArtifactMcpWrite::answer($other->response('POST')), $large,
          undef, 'application/octet-stream',
          "$at: an artifact of an old worker");
}
is(left_behind($t), '', 'nothing is left behind');

# --- kill -9 --------------------------------------------------------------

for my $at (qw(/mcp /mcp-inline)) {
    my $before = files_of($t);
    my @conn = map { begin($_, $at) } $text, $text, $artifact;
    ok(under_way('workspaces', 2) && under_way('artifacts', 1),
       "$at: files under way");
    my ($worker) = $t->workers;
    kill KILL => $worker;
    ok(until_true(sub {
        my @now = $t->workers;
        @now == 1 && $now[0] != $worker;
    }, 10), "$at: another worker");
    is(eval { $conn[0]->response('POST')->{status} } || 0, 0,
       "$at: no answer");
    nothing_changed($t, $before, "$at: a worker is killed");
    wrote($t, tool($t, 'write_file', \@args, at => $at), 'w/f', $large,
          "$at: afterwards all is well");
}

$t->finish;
