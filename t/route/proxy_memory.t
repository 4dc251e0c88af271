#!/usr/bin/perl

# A hundred slow readers of a large routed answer of an upstream: each costs
# the worker at most 64 KB beyond the proxy's own buffers.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;

my $READERS = 100;
my $SIZE = 200 << 20;

# what nginx itself needs for a connection to a client and one to an upstream,
# in KB: proxy_buffer_size and proxy_buffers below, and its pools

my $PROXY = 4 + 4 * 4 + 12;

my $back = ArtifactTest->new;
my $t = ArtifactTest->new;
my $spare = ArtifactTest->new;
my $narrow = $spare->port;

$back->file('huge.pdf', pdf());
truncate $back->prefix . '/huge.pdf', $SIZE or die "truncate: $!";
open my $fh, '>', $back->prefix . '/words.txt' or die "words.txt: $!";
print {$fh} (('a line with one "' . 'x' x 1006 . "\n") x 1024) for 1 .. 24;
close $fh or die "words.txt: $!";
$back->file('small.txt', 'words');

# the types are known to the backend, so that it needs no mime.types

$back->start(server => <<'SERVER');
    root %%PREFIX%%;
    sendfile on;
    types {
        application/pdf  pdf;
        text/plain       txt;
    }
SERVER

$t->start(server => <<"SERVER");
    listen 127.0.0.1:$narrow sndbuf=16k;
    artifact_route on;
    artifact_inline_max 0;
    proxy_buffer_size 4k;
    proxy_buffers 4 4k;
    proxy_busy_buffers_size 8k;
    proxy_max_temp_file_size 0;

    location /buffered/ {
        proxy_pass http://127.0.0.1:@{[$back->port]}/;
    }
    location /unbuffered/ {
        proxy_buffering off;
        proxy_pass http://127.0.0.1:@{[$back->port]}/;
    }
SERVER

my ($worker) = $t->workers;
my $sanitized = $t->version =~ /-fsanitize/;
my @reader = (headers => ['X-LLM-Capabilities' => 'file']);

$t->req('GET', "/$_/small.txt", @reader)
    for ('buffered', 'unbuffered') x 20;
my $before = $t->memory($worker);

for my $case (['buffered', 'huge.pdf'], ['unbuffered', 'huge.pdf'],
              ['buffered', 'words.txt'], ['unbuffered', 'words.txt'])
{
    my ($mode, $name) = @$case;
    my @readers;
    my $most = 0;

    for (1 .. $READERS) {
        my $reader = ArtifactHTTP->new($narrow, rcvbuf => 4096);
        $reader->send(ArtifactHTTP::format_request('GET', "/$mode/$name",
                                                   @reader));
        push @readers, $reader;
    }
    for my $round (1 .. 3) {
        select undef, undef, undef, 0.1;
        sysread $_->{sock}, $_->{buf}, 3000, length $_->{buf} for @readers;
        my $now = $t->memory($worker);
        $most = $now if $now > $most;
    }

    is(scalar(grep { $_->{buf} =~ m{\AHTTP/1.1 200 } } @readers), $READERS,
       "$mode $name: all readers have begun");
    SKIP: {
        skip 'a sanitizer keeps freed memory', 1 if $sanitized;
        my $each = ($most - $before) / $READERS;
        note("$mode $name: $each KB a reader");
        cmp_ok($each, '<', $PROXY + 64,
               "$mode $name: at most 64 KB a reader");
    }
    $_->close for @readers;
}

# One that reads to the end.

my $length = 0;
$before = $t->memory($worker);
my $most = 0;
my $res = $t->req('GET', '/buffered/huge.pdf', @reader, on_body => sub {
    my $mark = $length >> 25;
    $length += length $_[0];
    if ($length >> 25 != $mark) {
        my $now = $t->memory($worker);
        $most = $now if $now > $most;
    }
});
ok($res->{complete}, 'a large answer is complete');
is($length, $res->header('Content-Length'), 'of the length it said');
cmp_ok($length, '>', $SIZE * 4 / 3, 'that of base64');
SKIP: {
    skip 'a sanitizer keeps freed memory', 1 if $sanitized;
    cmp_ok($most - $before, '<', 1024, 'the worker does not grow with it');
}

$back->stop;
$back->check_log;
$t->finish;
