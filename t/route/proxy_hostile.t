#!/usr/bin/perl

# Upstreams that stop, lie and stutter: no answer looks complete and is not.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;
use Time::HiRes qw(time);

my $t = ArtifactTest->new;

my %content = (
    png => [png(60, 60) . rand_bytes(9000), 'image/png'],
    text => [bytes("第一行 \"quoted\" \\\n" x 1200), 'text/plain'],
    small => [png(), 'image/png'],
    'small-text' => [bytes("第一行\n"), 'text/plain'],
    edge => [png() . 'x' x (4096 - length png()), 'image/png'],
    'edge-text' => ['w' x 4096, 'text/plain'],
    huge => [pdf() . "\0\1\2" x 200_000, 'application/pdf'],
    empty => ['', 'image/png'],
    'empty-text' => ['', 'text/plain'],
    'empty-bare' => ['', ''],
    utf16 => ["\xff\xfe" . "a\0" x 3000, 'text/plain'],
);
my $up = ArtifactUpstream->new($t->prefix . '/up.sock', contents => {
    map { $_ => { body => $content{$_}[0], type => $content{$_}[1] } }
        keys %content,
});

my %modes = (
    plain => '',
    unbuffered => 'proxy_buffering off;',
    'unbuffered-tiny' => 'proxy_buffering off; proxy_buffer_size 1k;',
    tiny => 'proxy_buffer_size 1k; proxy_buffers 3 1k;'
        . 'proxy_busy_buffers_size 2k;',
    'no-file' => 'proxy_max_temp_file_size 0;',
    file => 'proxy_buffers 2 4k; proxy_buffer_size 4k;'
        . 'proxy_busy_buffers_size 4k; proxy_temp_file_write_size 4k;',
    'file-sendfile' => 'proxy_buffers 2 4k; proxy_buffer_size 4k;'
        . 'proxy_busy_buffers_size 4k; sendfile on; output_buffers 1 512;',
    rate => 'proxy_limit_rate 4m;',
    'http11' => 'proxy_http_version 1.1;',
    'cached' => 'proxy_cache c; proxy_cache_valid 200 1m;'
        . 'proxy_cache_key "$uri$args";',
    'unverified' => 'artifact_verify off;',
    decode => 'artifact_decode on;',
    gzip => 'gzip on; gzip_types application/json; gzip_min_length 1;',
    intercept => 'proxy_intercept_errors on; error_page 502 =502 /sorry;',
);
my $locations = join '', map {
    "location /$_/ { proxy_pass http://up/; $modes{$_} }\n"
} sort keys %modes;

$t->start(http => <<'HTTP', server => <<"SERVER");
    upstream up {
        server unix:%%PREFIX%%/up.sock max_fails=0;
    }
    proxy_cache_path %%PREFIX%%/cache keys_zone=c:1m;
    artifact_route on;
HTTP
    location = /sorry {
        return 502 "sorry";
    }
    location /impatient/ {
        proxy_read_timeout 100ms;
        proxy_pass http://up/;
    }
    location /impatient-unbuffered/ {
        proxy_read_timeout 100ms;
        proxy_buffering off;
        proxy_pass http://up/;
    }
    $locations
SERVER

my $ALL = 'text, vision, file';

sub ask {
    my ($uri, %opt) = @_;
    return $t->req('GET', $uri, may_break => 1, %opt,
                   headers => ['X-LLM-Capabilities' => $ALL]);
}


# What is wrong with an answer that must not look complete: nothing, or an
# error answer, or one that ends short.

sub looks_whole {
    my ($res) = @_;
    return 0 unless $res->{complete};
    return $res->{status} < 500;
}

# The answers to a good upstream.

my (%want, %unsized);
for my $id (sort keys %content) {
    for my $mode ('plain', 'decode') {
        my $res = ask("/$mode/$id");
        is(route_problems($res), '', "$id is well-formed");
        $want{$mode}{$id} = $res->body;
    }
    my $res = ask("/plain/$id?frame=chunked");
    ok($res->{complete}, "$id without length");
    ($unsized{$id} = $want{plain}{$id}) =~ s/,"size":\d+//;
    ok($res->body eq $unsized{$id}, 'is the same but for the size');
    $want{decode}{$id} =~ s{"id":"}{"id":"plain/};
    $want{decode}{$id} =~ s{artifact:}{artifact:plain/};
    ok($want{decode}{$id} eq $want{plain}{$id}, 'and with a reference');
}
ok(data_of(ask("/plain/$_")) eq $content{$_}[0], "$_ is whole")
    for qw(png small edge huge);

sub same {
    my ($res, $mode, $id, $want) = @_;
    my $body = $res->body;
    $body =~ s{"id":"\Q$mode\E/}{"id":"plain/};
    $body =~ s{artifact:\Q$mode\E/}{artifact:plain/};
    $body =~ s{"id":"}{"id":"plain/} if $mode eq 'decode';
    return $res->{complete} && $body eq $want;
}

# A byte at a time, and in other odd pieces.

for my $mode (sort keys %modes) {
    next if $mode eq 'gzip';
    my @wrong;
    for my $id (qw(png text small small-text edge edge-text utf16 empty)) {
        my $long = length $content{$id}[0] > 1000;
        for my $frame ('length', 'chunked', 'close') {
            for my $step ($mode eq 'plain' || !$long ? 1 : (), 7, 1460, 4096) {
                my $res = ask("/$mode/$id?frame=$frame&step=$step");
                push @wrong, "$id $frame by $step" unless same($res, $mode,
                    $id, $frame eq 'length' ? $want{plain}{$id}
                                            : $unsized{$id});
            }
        }
    }
    is(join('; ', @wrong), '', "$mode: a stuttering upstream");
}

my @wrong;
for my $mode ('plain', 'unbuffered') {
    for my $case ('small?step=3&pause=1', 'png?wait=100', 'png?wait=4096',
                  'text?wait=4097', 'small-text?frame=chunked&step=3&pause=2')
    {
        my ($id, $chunked) = $case =~ /^([-\w]+)\?(.*chunked)?/;
        push @wrong, "$mode $case" unless same(ask("/$mode/$case"), $mode,
            $id, $chunked ? $unsized{$id} : $want{plain}{$id});
    }
}
is(join('; ', @wrong), '', 'an upstream that pauses');

# How long before the end the first bytes come, when there is a pause.

sub early {
    my ($uri) = @_;
    my $start = time;
    my $res = ask($uri);
    return time - $start - $res->{first_byte};
}

cmp_ok(early('/unbuffered/text?wait=9000'), '>', 0.2,
       'what there is goes on during a pause');
cmp_ok(early('/plain/text?wait=9000'), '>', 0.2, 'buffered, too');
cmp_ok(ask('/plain/text?wait=100')->{first_byte}, '>', 0.2,
       'but nothing before the type is sure');

# Broken off everywhere.

my %cuts = (
    png => [0, 1, 8, 100, 4095, 4096, 4097, 8191, 8192, 8193, -4097, -2, -1],
    text => [0, 1, 4095, 4096, 4097, 9000, -2, -1],
    small => [0, 1, 100, -1],
    'small-text' => [0, 1, 4, -1],
    edge => [0, 4000, -1],
    huge => [5000, 300_000, -1],
);
for my $mode (sort keys %modes) {
    my @wrong;
    for my $id (sort keys %cuts) {
        for my $cut (@{ $cuts{$id} }) {
            for my $frame ('length', 'chunked') {
                next if $mode =~ /tiny|rate/ && $id eq 'huge';
                my $res = ask("/$mode/$id?frame=$frame&cut=$cut");
                push @wrong, "$id $frame at $cut: $res->{status}, "
                    . length($res->body) . ' bytes' if looks_whole($res);
            }
        }
        my $res = ask("/$mode/$id?frame=chunked&nolast=1");
        push @wrong, "$id without its last chunk" if looks_whole($res);
        $res = ask("/$mode/$id?claim=999999");
        push @wrong, "$id shorter than it said" if looks_whole($res);
    }
    is(join('; ', @wrong), '', "$mode: an upstream that breaks off");
}

for my $mode (sort keys %modes) {
    my @wrong;
    for my $cut (0, 1, 12, 17, 40, 60) {
        my $res = ask("/$mode/png?headcut=$cut");
        push @wrong, "$cut: $res->{status}" if $res->{status} != 502
            || !$res->{complete};
    }
    is(join('; ', @wrong), '', "$mode: an upstream that has no whole header");
}

ok(looks_whole(ask('/plain/text?frame=close&cut=9000')),
   'where only the close tells the end, nobody can tell');

for my $mode ('impatient', 'impatient-unbuffered') {
    for my $args ('png?wait=0', 'png?wait=100', 'png?wait=5000',
                  'text?frame=chunked&wait=5000')
    {
        ok(!looks_whole(ask("/$mode/$args")), "too slow: $mode $args");
    }
}

# HTTP/1.0 readers have no chunks to miss: the length tells, where there is one

for my $id ('png', 'small', 'huge') {
    my $res = ask("/plain/$id?cut=-1", version => '1.0');
    ok(!looks_whole($res), "HTTP/1.0: $id broken off");
}

# Broken off, then another answer on the same connection: none is desynced.

my $conn = $t->connect;
$conn->send(join '', map {
    ArtifactHTTP::format_request('GET', $_, keep => 1,
        headers => ['X-LLM-Capabilities' => $ALL])
} '/plain/small', '/plain/png?cut=6000', '/plain/small');
is($conn->response('GET')->body, $want{plain}{small}, 'before a broken one');
ok(!$conn->response('GET')->{complete}, 'the broken one');
ok($conn->at_end, 'is the last of its connection');
$conn->close;

$conn = $t->connect;
$conn->send(join '', map {
    ArtifactHTTP::format_request('GET', $_, keep => 1,
        headers => ['X-LLM-Capabilities' => $ALL])
} '/plain/small?cut=9', '/plain/small');
my $res = $conn->response('GET');
ok(!looks_whole($res), 'broken off before its header went out');
ok($conn->at_end, 'nothing follows');
$conn->close;

# More than was promised.

@wrong = ();
for my $mode (sort grep { $_ !~ /gzip|cached/ } keys %modes) {
    for my $id (qw(png text small small-text)) {
        my $res = ask("/$mode/$id?extra=5000");
        push @wrong, "$mode $id" unless same($res, $mode, $id,
                                             $want{plain}{$id});
        $res = ask("/$mode/$id?extra=1&step=4096");
        push @wrong, "$mode $id by 1" unless same($res, $mode, $id,
                                                  $want{plain}{$id});
    }
}
is(join('; ', @wrong), '', 'bytes beyond the length are nobody\'s');

# Empty, in every way.

for my $mode ('plain', 'unbuffered', 'cached', 'decode') {
    for my $id ('empty', 'empty-text', 'empty-bare') {
        for my $frame ('length', 'chunked', 'close') {
            my $res = ask("/$mode/$id?frame=$frame");
            ok(same($res, $mode, $id, $frame eq 'length'
                    ? $want{plain}{$id} : $unsized{$id}),
               "$mode: $id, $frame");
        }
    }
}
is(routing_of(ask('/plain/empty-bare')), 'text text text/plain',
   'nothing at all is an empty text');

# Types that the content contradicts, types that are none.

for my $case (
    ['png?type=text/plain', 'image image_url image/png'],
    ['png?type=text/html;charset=gbk', 'image image_url image/png'],
    ['text?type=TEXT/PLAIN;;;charset', 'text text text/plain'],
    ['png?type=' . 'a' x 3000, 'image image_url image/png'],
    ['png?type=image/png,text/plain', 'image image_url image/png'],
    ['png?type=%01/%02', 'image image_url image/png'],
    ['png?type=/', 'image image_url image/png'],
    ['text?type=text/plain;charset=x-no-such', 'text text text/plain'],
) {
    my ($args, $want) = @$case;
    my $res = ask("/plain/$args");
    is(routing_of($res), $want, 'type: ' . substr $args, 0, 40);
    is(route_problems($res), '', 'well-formed');
}

# HEAD to such an upstream.

for my $args ('png?cut=100', 'png?headcut=9', 'png?claim=5', 'text?cut=0') {
    my $res = $t->req('HEAD', "/plain/$args", may_break => 1,
                      headers => ['X-LLM-Capabilities' => $ALL]);
    is($res->{body}, '', "HEAD of $args has no body");
}

is(ask('/plain/small')->body, $want{plain}{small}, 'all is well afterwards');

$up->stop;
$t->finish;
