#!/usr/bin/perl

# Whatever the disk, the client or a signal does while long texts of a request
# are stored: the model gets what it would have got without, or nothing, and
# nothing is left behind.  And many megabytes of texts take little memory.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactEcho;
use ArtifactFail;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactWrite qw(files_of in_parallel left_behind until_true);
use JSON::PP;
use POSIX qw(ENOSPC);

my $fail = ArtifactFail->new;
my $t = ArtifactTest->new(launcher => $fail->launcher);
my $echo = echo($t->prefix . '/echo');
my $digest = echo($t->prefix . '/digest', digest => 1);

sub rules { $fail->rules(@_) }

my @stored;
my $JSON = JSON::PP->new->ascii->allow_nonref;
my $log = join '', map { "line \x{e9} $_\n" } 1 .. 10_000;
my $size = length($log) + 10_000;
my $text = $JSON->encode($log);

sub request {
    my @texts = @_;
    my $n = 0;
    return '{"tools":[{"function":{"name":"read_artifact"}}],"messages":['
        . join(',', map { $n++; sprintf '{"tool_calls":[{"id":"c%d","function":'
            . '{"name":"get"}}]},{"role":"tool","tool_call_id":"c%d","content":'
            . '%s}', $n, $n, $_ } @texts) . ']}';
}

my $body = request($text);
my $pass = 'artifact_expand on; client_max_body_size 400m; '
    . 'artifact_body_max 400m; proxy_pass http://unix:' . $t->prefix;

$t->allow(qr/\[crit\]|exited on signal 9|was locked by|prematurely closed/);
$t->start(server => <<"SERVER");
    artifact_root %%DATA%%;
    artifact_offload_text 16k;
    artifact_language en;

    location /inline/ {
        $pass/echo:;
    }
    location /threads/ {
        aio threads;
        artifact_offload_request on;
        client_body_buffer_size 1k;
        $pass/echo:;
    }
    location /nowhere/ {
        artifact_root %%PREFIX%%/nowhere/\$arg_x;
        $pass/echo:;
    }
    location /digest/ {
        client_body_buffer_size 64k;
        $pass/digest:;
    }
    location /digest/threads/ {
        aio threads;
        client_body_buffer_size 64k;
        $pass/digest:;
    }
    location /artifacts/ {
        artifact;
    }
SERVER

sub artifacts { return grep { m{/[0-9a-f-]{36}\.} } keys %{ files_of($t) } }
sub clear { unlink map { $t->data . "/$_" } artifacts() }

sub post {
    my ($at, $body) = @_;
    return $t->req('POST', "${at}v1/chat/completions", body => $body,
                   timeout => 60,
                   headers => ['Content-Type' => 'application/json'])->{body};
}

sub warned {
    my ($from) = @_;
    return substr($t->log, $from)
        =~ /a long text in the request was not stored, it is left as it is/;
}

my $excerpt = qr/The whole text is artifact:([0-9a-f-]{36});/;

like(post('/inline/', $body), $excerpt, 'without failures');

# memory

my ($worker) = $t->workers;

sub peak {
    open my $fh, '<', "/proc/$worker/status" or die "status: $!";
    my ($kb) = join('', <$fh>) =~ /^VmHWM:\s+(\d+) kB/m;
    return $kb;
}

my $huge = request(map { $JSON->encode("$_ " . $log x 30) } 1 .. 12);
for my $at ('/digest/', '/digest/threads/') {
    post($at, request($text));
    my $before = peak();
    my ($length) = split ' ', post($at, $huge);
    cmp_ok($length, '<', 100_000, sprintf '%d MB of text become %d bytes',
           length($huge) / 1e6, $length);
    my $cost = peak() - $before;
    SKIP: {
        skip 'a sanitizer has memory of its own', 1
            if $t->version =~ /-fsanitize/;
        cmp_ok($cost, '<', 600, "$at: KB of memory: $cost");
        diag("$at: $cost KB for " . length($huge) . ' bytes') if $ENV{ART_SHOW};
    }
}

for my $case (disk_failures($size)) {
    my ($name, @rules) = @$case;
    for my $at (qw(/inline/ /threads/)) {
        my $from = length $t->log;
        clear();
        rules(@rules);
        my $got = post($at, $body);
        rules();
        ok($got eq $body, "$name, $at: as it was")
            or diag(length $got, ' of ', length $body);
        ok(until_true(sub { warned($from) }, 2), "$name, $at: a warning");
    }
    is(left_behind($t), '', "$name: nothing is left");
}

my $from = length $t->log;
ok(post('/nowhere/', $body) eq $body, 'no root');
ok(warned($from), 'which is logged');

# a body that is no JSON at its very end

clear();
my $broken = substr($body, 0, -2) . '}]';
ok(post('/inline/', $broken) eq $broken, 'no JSON: the same bytes');
is(scalar(artifacts()), 0, 'no JSON: nothing is stored');

# a client that goes away while it sends, or waits

my $many = request(map { $JSON->encode("$_ $log") } 1 .. 20);

for my $at (qw(/inline/ /threads/)) {
    for my $part (0.5, 1) {
        my $client = $t->connect(timeout => 20);
        $client->send("POST ${at}v1/chat/completions HTTP/1.1\r\nHost: x\r\n"
                      . "Content-Type: application/json\r\nContent-Length: "
                      . length($many) . "\r\n\r\n"
                      . substr($many, 0, $part * length $many));
        select undef, undef, undef, 0.1;
        $client->close;
        ok(until_true(sub { left_behind($t) eq '' }, 20),
           "$at: a client that goes away, $part");
    }
}

# kill -9 while texts are stored

for my $at (qw(/inline/ /threads/)) {
    clear();
    my $client = $t->connect(timeout => 20);
    $client->send("POST ${at}v1/chat/completions HTTP/1.1\r\nHost: x\r\n"
                  . "Content-Type: application/json\r\nContent-Length: "
                  . length($many) . "\r\n\r\n$many");
    until_true(sub { glob $t->data . '/artifacts/.artifact/tmp-*' }, 5);
    my ($worker) = $t->workers;
    kill KILL => $worker;
    ok(until_true(sub {
        my ($now) = $t->workers;
        $now && $now != $worker;
    }, 10), "$at: another worker");
    $client->close;

    my @half = grep { -s $_ < $size } map { $t->data . "/$_" }
        grep { !/\.meta\z/ } artifacts();
    is_deeply(\@half, [], "$at: nothing half is there");
    is(scalar(() = post($at, $many) =~ /$excerpt/g), 20,
       "$at: then they are stored");
}
ok(until_true(sub { left_behind($t) eq '' }, 20), 'nothing is left at last');

# texts that end where a piece of what is written does, or around it: all that
# is stored is right, and a process that has not seen them knows them, too, even
# if nothing can be written any more

my $some = join '', map { "$_ \x{e9}\t\"quoted\" \x{1f600}\n" } 1 .. 10_000;
utf8::encode($some);

for my $bytes (16_384, (map { $_ * 65_536 - 1, $_ * 65_536, $_ * 65_536 + 1 }
                        1, 2, 3), 250_000) {
    for my $at (qw(/inline/ /threads/)) {
        my $want = "$at $bytes\n" . $some;
        $want = substr $want, 0, $bytes;
        $want =~ s/[^\x00-\x7f]{1,4}\z/'x' x length $&/e;
        my $own = $want;
        utf8::decode($own);
        my $new = request($JSON->encode($own));
        my ($id) = post($at, $new) =~ $excerpt;
        is(length($own) && $id && $t->get("/artifacts/$id")->{body}, $want,
           "$at: $bytes bytes") or next;
        push @stored, [$at, $new, $id];

        # another one with the same beginning and length

        substr $own, -1, 1, '~';
        my $other = request($JSON->encode($own));
        utf8::encode($own);
        ($id) = post($at, $other) =~ $excerpt;
        is($id && $t->get("/artifacts/$id")->{body}, $own,
           "$at: $bytes bytes, another end") or next;
        push @stored, [$at, $other, $id];
    }
}

for my $again ('the same process', 'another one') {
    rules("write @{[ENOSPC]} 0 /artifacts/.artifact/tmp-");
    my @known = grep {
        my ($at, $new, $id) = @$_;
        (post($at, $new) =~ $excerpt)[0] eq $id;
    } @stored;
    rules();
    is(scalar(@known), scalar(@stored), "$again knows all of them");
    $t->reload;
}
is(left_behind($t), '', 'nothing is left of them');

# of two that begin alike and are known, neither is written again

{
    my $own = substr "twins\n" . $log x 3, 0, 100_000;
    my @twins = map { $JSON->encode($own =~ s/.\z/$_/sr) } 'a', 'b';
    post('/inline/', request(@twins));
    for my $at (qw(/inline/ /threads/)) {
        my @calls = grep { $_->[1] =~ /tmp-/ }
            $fail->calls(sub { post($at, request(@twins)) });
        is(scalar(@calls), 0, "$at: known twins are not written");
    }

    # a new one is written once

    my @calls = grep { $_->[0] eq 'unlink' && $_->[1] =~ /tmp-/ }
        $fail->calls(sub { post('/inline/', request($JSON->encode(
            'a new one' . $own))) });
    is(scalar(@calls), 0, 'a new one is written once');
}

# many at once

my @right = in_parallel($t, 24, sub {
    my ($n) = @_;
    my $at = $n % 2 ? '/inline/' : '/threads/';
    my $own = "$n\n" . $log;
    my ($id) = post($at, request($JSON->encode($own))) =~ $excerpt or return 0;
    my $want = $own;
    utf8::encode($want);
    return $t->get("/artifacts/$id")->{body} eq $want ? 1 : 0;
});
is(scalar(grep { $_ } @right), 24, 'each gets its own');

is(left_behind($t), '', 'nothing is left');

$echo->stop;
$digest->stop;
$t->finish;
