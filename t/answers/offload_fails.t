#!/usr/bin/perl

# Whatever the disk or the upstream does: an answer that cannot be offloaded is
# what it would have been without, and nothing is left behind.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFail;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;
use ArtifactWrite qw(files_of left_behind until_true);
use POSIX qw(EACCES EDQUOT EIO EMFILE ENOSPC EROFS);

my $fail = ArtifactFail->new;
my $t = ArtifactTest->new(launcher => $fail->launcher);

sub rules { $fail->rules(@_) }

my $image = b64(png(40, 40) . rand_bytes(300_000));
my $small = b64(png(60, 60));
my $body = qq({"data":[{"b64_json":"$image"},{"b64_json":"$small"}],"x":1});
my $event = 'data: {"type":"image_generation.completed","b64_json":'
    . qq("$image"}\n\ndata: {"type":"image_generation.completed","b64_json":)
    . qq("$small"}\n\n);

my $many = '{"data":[' . join(',', (qq({"b64_json":"$small"})) x 1000) . ']}';

my $up = ArtifactUpstream->new($t->prefix . '/up', contents => {
    'images/generations' => { body => $body, type => 'application/json' },
    'images/edits' => { body => $event, type => 'text/event-stream' },
    'many/images/edits' => { type => 'application/json', body => $many },
    'bad/images/edits' => { type => 'application/json',
        body => qq({"data":[{"b64_json":"$image!"}]}) },
});

my $pass = 'proxy_pass http://unix:' . $t->prefix . '/up:/;';

$t->allow(qr/\[crit\]/);
$t->start(server => <<"SERVER");
    artifact_root %%DATA%%;
    artifact_offload_min 4k;

    location /inline/ {
        artifact_offload on;
        $pass
    }
    location /threads/ {
        artifact_offload on;
        aio threads;
        client_body_buffer_size 1k;
        $pass
    }
    location /nowhere/ {
        artifact_offload on;
        artifact_root %%PREFIX%%/nowhere;
        $pass
    }
    location /variable/ {
        artifact_offload on;
        artifact_root \$arg_root;
        $pass
    }
SERVER


sub artifacts { return grep { m{/[0-9a-f-]{36}\.} } keys %{ files_of($t) } }


sub warned {
    my ($from) = @_;
    return substr($t->log, $from) =~ /\[warn\].*left as it is/;
}


# the first one makes the folders

like($t->get('/inline/images/generations')->{body}, qr/"url":"artifact:/,
     'without failures');
is(scalar(artifacts()), 4, 'two artifacts and their metadata');


# what is there already would not be written

sub clear { unlink map { $t->data . "/$_" } artifacts() }

my $tmp = '/artifacts/.artifact/tmp-';
my @cases = (
    ['no space', "write @{[ENOSPC]} 0 $tmp"],
    ['no more space', "write @{[ENOSPC]} 100000 $tmp"],
    ['a quota', "write @{[EDQUOT]} 70000 $tmp"],
    ['a bad disk', "write @{[EIO]} 50000 $tmp"],
    ['no space on closing', "sync @{[ENOSPC]} 0 $tmp"],
    ['no descriptor', "open @{[EMFILE]} 0 $tmp"],
    ['read-only', "open @{[EROFS]} 0 $tmp"],
    ['closed', "open @{[EACCES]} 0 $tmp"],
    ['closed for names', "rename @{[EACCES]} 0 /artifacts/"],
);

# small images fit what is on the disk in some of them

my $any = qr/"(?:url":"artifact:[^"]+|b64_json":"\Q$small\E)"/;

for my $case (@cases) {
    my ($name, @rules) = @$case;
    for my $at (qw(/inline/ /threads/)) {
        for my $uri ('images/generations', 'images/edits') {
            my $whole = $uri =~ /edits/ ? $event : $body;
            my $from = length $t->log;
            clear();
            rules(@rules);
            my $res = $t->get("$at$uri");
            rules();
            (my $got = $res->{body}) =~ s/$any/"b64_json":"$small"/g;
            ok($got eq $whole, "$name, $at$uri: the answer as it was")
                or diag(length $got, ' of ', length $whole);
            ok(until_true(sub { warned($from) }, 2),
               "$name, $at$uri: a warning");
            like(substr($t->log, $from), qr{left\ as\ it\ is:\ \S.*
                     \ "/\S+/artifacts/[0-9a-f-]{36}\S*"\ \(\d+:\ }x,
                 "$name, $at$uri: the call, the path, the reason");
            unlike($res->{body}, qr/"url":"artifact:[^"]+"\}?,\{"b64_json":/,
                   "$name, $at$uri: not of the large one");
        }
    }
    is(left_behind($t), '', "$name: nothing is left");
}

# what is written aside finds no room: it was in memory, or goes on as it came

for my $offset (0, 20_000, 100_000) {
    for my $at (qw(/inline/ /threads/)) {
        rules("write @{[ENOSPC]} $offset /tmp/body");
        my $res = $t->get("${at}images/generations");
        rules();
        (my $got = $res->{body}) =~ s/$any/"b64_json":"$small"/g;
        ok($got eq $body, "no room aside at $offset, $at");
    }
}
is(left_behind($t), '', 'nothing is left aside');

# of many values no one has memory of its own

my ($worker) = $t->workers;

sub peak {
    open my $fh, '<', "/proc/$worker/status" or die "status: $!";
    my ($kb) = join('', <$fh>) =~ /^VmHWM:\s+(\d+) kB/m;
    return $kb;
}

my $before = peak();
rules("write @{[ENOSPC]} 0 /tmp/body");
ok($t->get('/threads/many/images/edits')->{body} eq $many,
   'no room aside for a thousand values');
rules();
my $cost = peak() - $before;

SKIP: {
    skip 'a sanitizer has memory of its own', 1
        if $t->version =~ /-fsanitize/;
    cmp_ok($cost, '<=', 2000, "KB of memory for them: $cost");
}

# roots that are none

for my $uri ('/nowhere/images/generations', '/variable/images/generations',
             '/variable/images/generations?root=/../x') {
    my $from = length $t->log;
    ok($t->get($uri)->{body} eq $body, "$uri: the answer as it was");
    ok(until_true(sub { warned($from) }, 2), "$uri: a warning");
}

# no base64 at its very end

for my $at (qw(/inline/ /threads/)) {
    my $files = artifacts();
    ok($t->get("${at}bad/images/edits")->{body}
       eq qq({"data":[{"b64_json":"$image!"}]}), "$at: no base64");
    is(scalar(artifacts()), $files, "$at: no artifact");
}

# upstreams that break off, in a value and behind it

for my $at (qw(/inline/ /threads/)) {
    for my $frame (qw(length chunked close)) {
        for my $cut (20, 30_000, 250_000) {
            clear();
            my $files = artifacts();
            my $uri = "${at}images/generations?frame=$frame&cut=$cut";
            my $res = eval { $t->get($uri) };
            if ($frame eq 'close') {
                ok($res && $res->{body} eq substr($body, 0, $cut),
                   "$uri: as far as it came");
            }
            is(left_behind($t), '', "$uri: nothing is left");
            is(scalar(artifacts()), $files, "$uri: no artifact");
        }
    }
}

# clients that go away meanwhile

for my $at (qw(/inline/ /threads/)) {
    for (1 .. 5) {
        my $client = $t->connect;
        $client->send("GET ${at}images/generations?step=4096&pause=5 "
                      . "HTTP/1.0\r\n\r\n");
        select undef, undef, undef, 0.05 * $_;
        $client->close;
    }
}
is(left_behind($t), '', 'of clients that left nothing is left');
like($t->get('/threads/images/generations')->{body}, qr/"url":"artifact:/,
     'and it goes on');

$up->stop;
$t->finish;
