#!/usr/bin/perl

# Of a file that another handler or a cache serves, no more is read than the
# answer needs: nothing to speak of for a description, HEAD, 304 or a cut text.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;

my $SIZE = 64 * 1024 * 1024;
my $t = ArtifactTest->new;

mkdir $t->prefix . '/html' or die "mkdir: $!";
big('film.mp4', mp4());
big('words.txt', "words\n");
spew($t->prefix . '/html/shot.png', my $png = png(300, 300));
spew($t->prefix . '/html/long.txt', my $text = "words and more\n" x 20000);

my $modes = join '', map { <<"MODE" } ['file', ''], ['off', 'sendfile off;'],
    location /$_->[0]/ {
        alias %%PREFIX%%/html/;
        $_->[1]
    }
    location /cut-$_->[0]/ {
        alias %%PREFIX%%/html/;
        artifact_text_max 100;
        $_->[1]
    }
    location /later-$_->[0]/ {
        alias %%PREFIX%%/html/;
        artifact_text_max 6000;
        $_->[1]
    }
MODE
    ['threads', 'aio threads;'], ['small', 'output_buffers 1 512;'],
    ['direct', 'directio 512; aio threads;'];

$t->start(http => <<'HTTP', server => <<"SERVER");
    types { video/mp4 mp4; text/plain txt; image/png png; }
    proxy_cache_path %%PREFIX%%/cache keys_zone=c:1m;
    proxy_max_temp_file_size 200m;
HTTP
    artifact_route on;
    artifact_inline_max 0;
$modes
    location /cached/ {
        proxy_cache c;
        proxy_cache_valid 1h;
        proxy_pass http://127.0.0.1:%%PORT%%/raw/;
    }
    location /raw/ {
        artifact_route off;
        alias %%PREFIX%%/html/;
    }
SERVER

# Fills the cache, which goes on after the description has been sent.

$t->accept('text', '/cached/film.mp4');

for (my ($last, $now) = (-1, 0); $last != $now; ) {
    $last = $now;
    select undef, undef, undef, 0.5;
    $now = read_bytes();
}

for my $mode (qw(file off threads small direct cached)) {
    my $before = read_bytes();
    my $res = $t->accept('text', "/$mode/film.mp4");

    like(json_of($res)->{content}, qr/film\.mp4/, "$mode: a description");

    my $tag = $res->header('ETag');
    is($t->head("/$mode/film.mp4", 'X-LLM-Capabilities' => 'text')->status,
       200, "$mode: HEAD");
    is($t->accept('text', "/$mode/film.mp4", 'If-None-Match' => $tag)->status,
       304, "$mode: not modified");

    if ($mode ne 'cached') {
        my $json = json_of($t->accept('text', "/cut-$mode/words.txt"));
        is(length $json->{content}, 100, "$mode: a cut text");
        ok($json->{metadata}{truncated}, "$mode: flagged");

        # cut behind the first bytes, which tell what it is

        $json = json_of($t->accept('text', "/later-$mode/words.txt"));
        is(length $json->{content}, 6000, "$mode: a text cut later");
    }

    cmp_ok(read_bytes() - $before, '<', 1024 * 1024, "$mode: little is read");

    for my $n (1 .. 3) {
        is(data_of($t->accept('vision', "/$mode/shot.png")), $png,
           "$mode: all of an image $n");
        is(json_of($t->accept('text', "/$mode/long.txt"))->{content}, $text,
           "$mode: all of a text $n");
    }
}

$t->finish;


# A large sparse file that begins as given.

sub big {
    my ($name, $head) = @_;

    my $file = $t->prefix . "/html/$name";
    spew($file, $name =~ /txt/ ? $head x 100_000 : $head);
    truncate $file, $SIZE or die "truncate: $!" if $name !~ /txt/;
    spew($file, $head x 4_000_000) if $name =~ /txt/;
}


sub read_bytes {
    my $sum = 0;

    for my $pid ($t->workers) {
        open my $fh, '<', "/proc/$pid/io" or die "io of $pid: $!";
        my ($n) = join('', <$fh>) =~ /^rchar: (\d+)/m;
        $sum += $n;
    }

    return $sum;
}
