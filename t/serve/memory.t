#!/usr/bin/perl

# Large files pass through a worker as a stream: the first byte comes at
# once, and its memory does not grow.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;

my $GIGABYTE = 1 << 30;
my $WORDS = 48 << 20;

my $t = ArtifactTest->new;
my $store = $t->data . '/artifacts';

$t->artifact('huge', "\0", { type => 'application/x-blob', name => 'h' });
truncate "$store/huge", $GIGABYTE or die "truncate: $!";
$t->artifact('words', '', { type => 'text/plain' });
open my $fh, '>', "$store/words" or die "$store/words: $!";
print {$fh} ('a line with one "' . 'x' x 1006 . "\n") x 1024
    for 1 .. $WORDS >> 20;
close $fh or die "$store/words: $!";
$t->artifact('small', png(), { type => 'image/png' });

$t->start(server => <<'SERVER');
    artifact_root %%DATA%%;
    artifact_inline_max 0;
    artifact_route on;

    location /artifacts/ {
        artifact;
    }
SERVER

my ($worker) = $t->workers;
my $sanitized = $t->version =~ /-fsanitize/;

# Warms the worker up, then watches it during one answer.  Returns the first
# bytes of the body, its last bytes, its length, and counts of a byte.

sub watch {
    my ($uri, $caps, $byte) = @_;

    $t->accept($caps, '/artifacts/small') for 1 .. 20;
    my $before = $t->memory($worker);
    my ($head, $tail, $length, $count, $most, $next) = ('', '', 0, 0, 0, 0);

    my $res = $t->req('GET', $uri, headers => ['X-LLM-Capabilities' => $caps],
        on_body => sub {
            $head .= substr $_[0], 0, 2000 if length $head < 2000;
            $tail = substr $tail . substr($_[0], -2000), -2000;
            $length += length $_[0];
            $count += $byte eq 'A' ? $_[0] =~ tr/A// : $_[0] =~ tr/\\//;
            if ($length >= $next) {
                my $now = $t->memory($worker);
                $most = $now if $now > $most;
                $next = $length + (64 << 20);
            }
        });

    ok($res->{complete}, "$uri is complete");
    cmp_ok($res->{first_byte}, '<', 1, "$uri: the first byte within 1 s");
    SKIP: {
        skip 'a sanitizer keeps freed memory', 1 if $sanitized;
        cmp_ok($most - $before, '<', 2048,
               "$uri: the worker grows by less than 2 MB");
    }
    return ($head, $tail, $length, $count, $res);
}

my ($head, $tail, $length, $count, $res) =
    watch('/artifacts/huge', 'file', 'A');
my $encoded = 4 * int(($GIGABYTE + 2) / 3);

ok($head =~ /\A(\{"contentType":"binary","routing":"file",.*?"data":")A/s,
   'the head of the answer');
my $start = $1;
ok($tail =~ /A(=="\}\},"metadata":\{.*\}\})\z/s, 'and its end');
my $end = $1;
is($length, length($start) + $encoded - 2 + length($end),
   'one gigabyte has the right length');
is($count, $encoded - 2 + ($start =~ tr/A//) + ($end =~ tr/A//),
   'and every digit of it is right');
is($res->header('Content-Length'), $length, 'the length was announced');

($head, $tail, $length, $count) = watch('/artifacts/words', 'text', '\\');
is($count, 2 * ($WORDS >> 10), 'each quote and line feed was escaped');
like($tail, qr/xxx\\n","metadata":\{.*\}\}\z/, 'the end of the text');

# Many answers leave nothing behind.

my $before = $t->memory($worker);
my $conn = $t->connect;
for my $n (1 .. 900) {
    $conn = $t->connect if $conn->{eof} || $n % 90 == 0;
    $conn->request('GET', '/artifacts/small', keep => 1, headers =>
        ['X-LLM-Capabilities' => $n % 2 ? 'vision' : 'text']);
}
SKIP: {
    skip 'a sanitizer keeps freed memory', 1 if $sanitized;
    cmp_ok($t->memory($worker) - $before, '<', 1024,
           'hundreds of answers leave nothing behind');
}

$t->finish;
