#!/usr/bin/perl

# MCP's tools that write, with the members of a message in any order: the
# content may come before everything that says what it is for.  A message that
# is cut anywhere writes nothing, and leaves nothing behind.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactMcpWrite;
use ArtifactTest;
use ArtifactWrite;
use Time::HiRes qw(sleep);

my $t = ArtifactTest->new(workers => 2);
$t->start(server => mcp_server());

sub orders {
    my (@list) = @_;
    return [] if !@list;
    return map {
        my $n = $_;
        map { [$list[$n], @$_] } orders(@list[grep { $_ != $n } 0 .. $#list]);
    } 0 .. $#list;
}


# The message with its members, those of its params and its arguments in these
# orders.

sub message {
    my ($tool, $args, $outer, $inner) = @_;
    my %params = (name => $tool, arguments => \members(@$args));
    my %message = (jsonrpc => '2.0', id => 1, method => 'tools/call',
                   params => \members(map { ($_ => $params{$_}) } @$inner));
    return members(map { ($_ => $message{$_}) } @$outer);
}

my @outer = qw(jsonrpc id method params);
my @inner = qw(name arguments);

# --- arguments ------------------------------------------------------------

# 100 KB are more than what is kept in memory: the file is there early

my $large = join '', map { chr($_ % 251) . chr($_ % 7) } 1 .. 50_000;
my $tag = tool($t, 'write_file', [workspace => 'w', path => 'f',
                                  content => ''])->{structured}{etag};
my $count = 0;
for my $content ([content => 'small'], [base64 => b64($large)]) {
    my $bytes = $content->[0] eq 'content' ? $content->[1] : $large;
    for my $order (orders(qw(content workspace path mime_type if_match))) {
        my %args = (content => $content, workspace => [workspace => 'w'],
                    path => [path => 'f'], mime_type => [mime_type => 'a/b'],
                    if_match => [if_match => $tag]);
        my $got = call_text($t, message('write_file',
            [map { @{ $args{$_} } } @$order], \@outer, \@inner),
            at => $count++ % 2 ? '/mcp' : '/mcp-inline');
        $tag = wrote($t, $got, 'w/f', $bytes,
                     join ' ', "$content->[0]:", @$order) // last;
    }
}

# --- members --------------------------------------------------------------

for my $outer (orders(@outer)) {
    for my $inner (orders(@inner)) {
        my $at = $count++ % 2 ? '/mcp' : '/mcp-inline';
        my $name = join ' ', @$outer, '/', @$inner;
        wrote($t, call_text($t, message('write_file',
            [base64 => b64($large), path => "g$count", workspace => 'w'],
            $outer, $inner), at => $at), "w/g$count", $large,
            "write_file: $name");
        saved($t, call_text($t, message('save_artifact',
            [base64 => b64($large), name => 'a.bin', mime_type => 'a/b'],
            $outer, $inner), at => $at), $large, 'a.bin', 'a/b',
            "save_artifact: $name");
    }
}
is(left_behind($t), '', 'nothing is left behind');

# --- pieces ---------------------------------------------------------------

# a message that comes byte by byte, without a content that is long

my $short = message('write_file', [content => "a\n\x{1f600}\\",
                                   workspace => 'w', path => 'slow'],
                    [qw(params method jsonrpc id)], [qw(arguments name)]);
{
    my $conn = $t->connect;
    $conn->send(call_head('/mcp', length $short));
    for my $n (0 .. length($short) - 1) {
        $conn->send(substr $short, $n, 1);
        sleep 0.001;
    }
    my $got = ArtifactMcpWrite::answer($conn->response('POST'));
    wrote($t, $got, 'w/slow', bytes("a\n\x{1f600}\\"), 'byte by byte');
}

# chunks, which have no length

{
    my $text = message('write_file', [base64 => b64($large), workspace => 'w',
                                      path => 'chunks'], \@outer, \@inner);
    my $conn = $t->connect;
    $conn->send(call_head('/mcp', 0)
                =~ s/Content-Length: 0/Transfer-Encoding: chunked/r);
    for (my $n = 0; $n < length $text; $n += 7001) {
        my $piece = substr $text, $n, 7001;
        $conn->send(sprintf("%x\r\n", length $piece) . "$piece\r\n");
    }
    $conn->send("0\r\n\r\n");
    wrote($t, ArtifactMcpWrite::answer($conn->response('POST')), 'w/chunks',
          $large, 'in chunks');
}

# several messages on one connection

{
    my $conn = $t->connect;
    for my $n (1 .. 5) {
        my $text = tool_text('write_file', [base64 => b64($large . $n),
                             workspace => 'w', path => "keep$n"]);
        wrote($t, call_text($t, $text, conn => $conn, at => '/mcp'),
              "w/keep$n", $large . $n, "keep-alive $n");
    }
}

# --- cut ------------------------------------------------------------------

my $before = files_of($t);
my $cut = message('write_file', [content => 'new', path => 'f',
                                 workspace => 'w'], \@outer, \@inner);
for my $n (0 .. length($cut) - 1) {
    for my $at (qw(/mcp /mcp-inline)) {
        my $conn = $t->connect;
        $conn->send(call_head($at, length $cut) . substr $cut, 0, $n);
        $conn->close;
    }
}
nothing_changed($t, $before, 'cut after each byte');

# what ends as JSON does, but too early for what was declared

for my $more (1, 1_000_000) {
    my $conn = $t->connect;
    $conn->send(call_head('/mcp', length($cut) + $more) . $cut);
    $conn->close;
}
nothing_changed($t, $before, 'a body that is not whole');

# a large one: its file is there when it is cut

my $text = message('write_file', [base64 => b64($large x 4), path => 'f',
                   workspace => 'w'], [qw(params jsonrpc id method)],
                   [qw(arguments name)]);
for my $at (qw(/mcp /mcp-inline)) {
    my $conn = $t->connect;
    $conn->send(call_head($at, length $text)
                . substr $text, 0, length($text) - 1);
    ok(until_true(sub { glob $t->data . '/workspaces/.artifact/tmp-*' }, 10),
       "$at: a file under way");
    $conn->close;
    nothing_changed($t, $before, "$at: a large one is cut");

    for my $part (1 .. 19) {
        $conn = $t->connect;
        $conn->send(call_head($at, length $text)
                    . substr $text, 0, length($text) * $part / 20);
        $conn->close;
    }
    nothing_changed($t, $before, "$at: it is cut in many places");
}

# one that ends as no message, when its file is there

tool_error(call_text($t, $text =~ s/write_file/write_fine/r), 200, -32602,
           'an unknown tool at the end');
tool_error(call_text($t, $text =~ s/\}\z/]/r), 400, -32700,
           'no JSON at the end');
is(call_text($t, $text =~ s/"id":1,//r)->{status}, 202,
   'a notification, as it turns out');
is(call_text($t, $text =~ s{tools/call}{ping}r)->{status}, 200,
   'a ping, as it turns out');
nothing_changed($t, $before, 'no call in the end');

# --- two at once ----------------------------------------------------------

{
    my @bytes = ('a' x 300_000, 'b' x 300_000);
    my @text = map {
        tool_text('write_file', [base64 => b64($_), workspace => 'w',
                                 path => 'both'])
    } @bytes;
    my @conn = map { $t->connect } @text;
    for my $k (0, 1) {
        $conn[$k]->send(call_head('/mcp', length $text[$k])
                        . substr $text[$k], 0, 200_000);
    }
    ok(until_true(sub {
        my @tmp = glob $t->data . '/workspaces/.artifact/tmp-*';
        @tmp == 2;
    }, 10), 'two files under way');
    my @got;
    for my $k (0, 1) {
        $conn[$k]->send(substr $text[$k], 200_000);
        $got[$k] = ArtifactMcpWrite::answer($conn[$k]->response('POST'));
        wrote($t, $got[$k], 'w/both', $bytes[$k], "number $k of two at once");
    }
    isnt($got[0]{structured}{etag}, $got[1]{structured}{etag},
         'each has a tag of its own');

    my $tag = $got[1]{structured}{etag};
    my @results = in_parallel($t, 8, sub {
        my ($n) = @_;
        my $got = tool($t, 'write_file', [workspace => 'w', path => 'both',
            content => "$n", if_match => $tag]);
        return $got->{structured} ? 1 : 0;
    });
    is(scalar(grep { $_ } @results), 1, 'of eight with one tag, one writes');
}

$t->finish;
