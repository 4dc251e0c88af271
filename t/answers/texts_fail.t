#!/usr/bin/perl

# Whatever the disk, the server or a signal does while a long text is stored:
# the answer is what it would have been without, and nothing is left behind.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFail;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;
use ArtifactWrite qw(files_of left_behind until_true);
use JSON::PP;
use POSIX qw(ENOSPC);

my $fail = ArtifactFail->new;
my $t = ArtifactTest->new(launcher => $fail->launcher);

sub rules { $fail->rules(@_) }

sub tool { return '{"jsonrpc":"2.0","id":1,"result":' . $_[0] . '}' }

my $JSON = JSON::PP->new->ascii->allow_nonref;
my $log = join '', map { "line \x{e9} $_\n" } 1 .. 30_000;
my $size = length($log) + 30_000;
my $text = $JSON->encode($log);
my $after = ',"annotations":{"audience":["user","assistant"]}';
my $body = tool(qq({"content":[{"type":"text","text":$text$after}],)
                . qq("structuredContent":{"a":$text}}));
my $begun = substr $body, 0, 300_000;

my $up = ArtifactUpstream->new($t->prefix . '/up', contents => {
    'mcp' => { body => $body, type => 'application/json' },
    'events/mcp' => { body => "data: $body\n\ndata: $body\n\n",
                      type => 'text/event-stream' },
    'many/mcp' => { type => 'application/json', body => tool(
        '{"structuredContent":[' . join(',', ($text) x 40) . ']}') },
});

my $pass = 'proxy_pass http://unix:' . $t->prefix . '/up:/;';

$t->allow(qr/\[crit\]|exited on signal 9|was locked by|prematurely closed/);
$t->start(server => <<"SERVER");
    artifact_root %%DATA%%;
    artifact_offload_text 16k;
    artifact_language en;

    location /inline/ {
        $pass
    }
    location /threads/ {
        aio threads;
        artifact_offload on;
        client_body_buffer_size 1k;
        $pass
    }
    location /memory/ {
        client_body_buffer_size 8m;
        $pass
    }
    location /nowhere/ {
        artifact_root %%PREFIX%%/nowhere/\$arg_x;
        $pass
    }
SERVER

sub artifacts { return grep { m{/[0-9a-f-]{36}\.} } keys %{ files_of($t) } }
sub clear { unlink map { $t->data . "/$_" } artifacts() }
sub asked { return $t->get("$_[0]mcp$_[1]", @_[2 .. $#_]) }
sub warned {
    my ($from) = @_;
    return substr($t->log, $from) =~ /a long text .* not stored.*left as it is/;
}

my $excerpt = qr/The whole text is artifact:[0-9a-f-]{36};/;

like($t->get('/inline/mcp')->{body}, $excerpt, 'without failures');

for my $case (disk_failures($size)) {
    my ($name, @rules) = @$case;
    for my $at (qw(/inline/ /threads/ /memory/)) {
        for my $uri ('mcp', 'events/mcp') {
            my $whole = $uri eq 'mcp' ? $body
                                      : "data: $body\n\ndata: $body\n\n";
            my $from = length $t->log;
            clear();
            rules(@rules);
            my $res = $t->get("$at$uri");
            rules();
            ok($res->{body} eq $whole, "$name, $at$uri: as it was")
                or diag(length $res->{body}, ' of ', length $whole);
            ok(until_true(sub { warned($from) }, 2),
               "$name, $at$uri: a warning");
        }
    }
    is(left_behind($t), '', "$name: nothing is left");
}

# what is written aside finds no room

for my $offset (0, 20_000, 100_000) {
    for my $at (qw(/inline/ /threads/)) {
        rules("write @{[ENOSPC]} $offset /tmp/body");
        my $res = $t->get("${at}mcp");
        rules();
        ok($res->{body} eq $body, "no room aside at $offset, $at");
    }
}

my $from = length $t->log;
ok($t->get('/nowhere/mcp')->{body} eq $body, 'no root');
ok(warned($from), 'which is logged');

# an upstream that breaks off: what came, and no artifact

clear();

for my $at (qw(/inline/ /threads/)) {
    for my $cut (100, 2000, 17_000, 200_000, length($text) + 60) {
        my $res = $t->req('GET', "${at}mcp?frame=chunked&cut=$cut&nolast=1",
                          may_break => 1);
        my $got = $res->{body};
        ok(length $got <= $cut && index($body, $got) == 0,
           "$at: a beginning of what came, at $cut");
        cmp_ok(length $got, '>=', $cut - 4200, "$at: most of it, at $cut");
    }
}
is(scalar(artifacts()), 0, 'no artifact');
is(left_behind($t), '', 'and nothing else');

# a client that goes away, and one that is slow

for my $at (qw(/inline/ /threads/)) {
    my $client = $t->connect(timeout => 20);
    $client->send("GET ${at}many/mcp?step=4000&pause=1 HTTP/1.1\r\nHost: x\r\n\r\n");
    select undef, undef, undef, 0.3;
    $client->close;
    ok(until_true(sub { left_behind($t) eq '' }, 20),
       "$at: a client that goes away");

    $client = $t->connect(timeout => 20);
    $client->send("GET ${at}many/mcp HTTP/1.1\r\nHost: x\r\n"
                  . "Connection: close\r\n\r\n");
    select undef, undef, undef, 0.5;
    my @found = $client->response('GET')->{body} =~ /$excerpt/g;
    is(scalar @found, 40, "$at: a slow client");
    $client->close;
}

# kill -9 in the middle of a text

for my $at (qw(/inline/ /threads/)) {
    clear();
    my $client = $t->connect(timeout => 20);
    $client->send("GET ${at}mcp?step=2000&pause=20 HTTP/1.1\r\nHost: x\r\n\r\n");
    ok(until_true(sub { glob $t->data . '/artifacts/.artifact/tmp-*' }, 10),
       "$at: it is being written");
    my ($worker) = $t->workers;
    kill KILL => $worker;
    ok(until_true(sub {
        my ($now) = $t->workers;
        $now && $now != $worker;
    }, 10), "$at: another worker");
    $client->close;
    is(scalar(grep { !m{/\.artifact/} } artifacts()), 0,
       "$at: nothing half is there");
    like($t->get("${at}mcp")->{body}, $excerpt, "$at: then it is stored");
}
ok(until_true(sub { left_behind($t) eq '' }, 20), 'nothing is left at last');

$up->stop;
$t->finish;
