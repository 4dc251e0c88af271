#!/usr/bin/perl

# A message with 100 MB of base64, or of text with an escape in each character,
# passes through a worker as a stream, whatever comes of it.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactMcpWrite;
use ArtifactTest;
use ArtifactWrite;
use Digest::SHA;

my $MEGABYTE = 1 << 20;
my $SIZE = 100;

my $t = ArtifactTest->new;
$t->start(main => 'thread_pool default threads=2;', server =>
          mcp_server() =~ s/artifact_write on;/artifact_write on;
    artifact_sync off;/r);

my ($worker) = $t->workers;
my $sanitized = $t->version =~ /-fsanitize/;

# A number of bytes that can be divided by 3: their base64 can be joined.

my $piece = join '', map { pack 'N', $_ * 2654435761 % 2**32 } 1 .. 196_608;
my $base64 = b64($piece);
my $escaped = '\u4e2d\n' x ($MEGABYTE / 8);
my $decoded = "\xe4\xb8\xad\n" x ($MEGABYTE / 8);

# Sends a message with many pieces; returns the answer and how much the worker
# grew in KB.

sub upload {
    my ($at, $head, $string, $count, $tail) = @_;

    tool($t, 'write_file', [workspace => 'w', path => 'warm',
                            base64 => b64('x' x 300_000)], at => $at)
        for 1 .. 3;

    my $before = $t->memory($worker);
    my $most = 0;
    my $conn = $t->connect;
    $conn->send(call_head($at, length($head) + $count * length($string)
                               + length $tail) . $head);
    for my $n (1 .. $count) {
        $conn->send($string) or last;
        next if $n % 8;
        my $now = $t->memory($worker);
        $most = $now if $now > $most;
    }
    $conn->send($tail);
    my $got = ArtifactMcpWrite::answer($conn->response('POST', timeout => 60));
    return ($got, $most - $before);
}

sub digest_of {
    my ($file) = @_;
    return -e $file ? Digest::SHA->new(1)->addfile($file, 'b')->hexdigest
                    : 'no file';
}

sub digest_many {
    my ($string, $count) = @_;
    my $sha = Digest::SHA->new(1);
    $sha->add($string) for 1 .. $count;
    return $sha->hexdigest;
}

sub grown {
    my ($kb, $name) = @_;
    SKIP: {
        skip 'a sanitizer keeps freed memory', 1 if $sanitized;
        cmp_ok($kb, '<', 512, "$name: grows by less than 512 KB");
        note("$name: $kb KB");
    }
}

my $first = '{"jsonrpc":"2.0","method":"tools/call","params":{"arguments":{';
my $file = '"workspace":"w","path":"huge"},"name":"write_file"},"id":1}';
my $count = int($SIZE * $MEGABYTE / length $piece);
my $want = digest_many($piece, $count);

for my $at (qw(/mcp /mcp-inline)) {
    my ($got, $kb) = upload($at, $first . '"base64":"', $base64, $count,
                            "\",$file");
    is($got->{structured}{path}, 'huge', "$at: base64");
    is(digest_of($t->data . '/workspaces/w/huge'), $want, "$at: its bytes");
    grown($kb, "$at: base64");

    ($got, $kb) = upload($at, $first . '"content":"', $escaped, $SIZE,
                         "\",$file");
    is($got->{structured}{path}, 'huge', "$at: text");
    is(digest_of($t->data . '/workspaces/w/huge'),
       digest_many($decoded, $SIZE), "$at: its bytes");
    grown($kb, "$at: text");
}

# what comes of it is something else

my $before = files_of($t);
for my $case (
    ['an artifact', 'base64', $base64, '},"name":"save_artifact"},"id":1}',
     sub { $_[0]{structured}{artifactRef} }],
    ['bad base64', 'base64', $base64, "$file", sub {
        ($_[0]{words} || '') =~ /base64/ }, '*'],
    ['an unknown tool', 'base64', $base64, $file =~ s/write_file/write/r,
     sub { $_[0]{error}{code} == -32602 }],
    ['nothing', 'content', $escaped, $file =~ s/,"id":1//r,
     sub { $_[0]{status} == 202 }],
) {
    my ($name, $argument, $string, $tail, $is, $bad) = @$case;
    for my $at (qw(/mcp /read-only)) {
        next if $at eq '/read-only' && $name ne 'nothing';
        my ($got, $kb) = upload($at eq '/mcp' ? $at : '/read-only',
            $first . "\"$argument\":\"" . ($bad // ''), $string, 40,
            '"' . ($tail =~ /^\}/ ? '' : ',') . $tail);
        ok($is->($got), "$at: $name: the answer")
            or diag(substr $got->{res}{body}, 0, 200);
        grown($kb, "$at: $name");
    }
    unlink glob $t->data . '/artifacts/*' if $name eq 'an artifact';
}
nothing_changed($t, $before, 'what comes of it is something else');

$t->finish;
