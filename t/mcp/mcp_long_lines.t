#!/usr/bin/perl

# "grep" in lines of megabytes: each match with what is around it and where it
# is, so that "bytes" reads on there.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactMcp;
use ArtifactTest;
use Encode qw(decode encode);

my $THREADS = ArtifactTest::version() =~ /--with-threads/;
my $MB = 1 << 20;

my $t = ArtifactTest->new;

sub text {
    my ($id, $content, $type) = @_;
    $t->artifact($id, $content, { mimeType => $type // 'text/plain',
                                  name => "$id.txt" });
}

# one line of 2 MB with a match at each place where pieces of it could end

my $line = '';
for my $n (1 .. 60) {
    $line .= '.' x (32768 * $n - length($line) - 1 - $n % 9) . "needle$n,";
}
$line .= '.' x (2 * $MB - length $line);

my %text = (
    one => $line,
    lines => "before\n$line\r\nafter needle\nlast",
    ends => 'needle' . 'x' x 3000 . 'needle',
    close => 'x' x 3000 . 'needle needle' . 'y' x 3000 . "\n",
    short => 'x' x 990 . 'needle' . 'y' x 1004 . "\r\n",
    over => 'x' x 990 . 'needle' . 'y' x 1005 . "\r\n",
    han => bytes('中' x 1000 . 'needle' . '文' x 1000),
    bom => "\xef\xbb\xbf" . 'x' x 3000 . 'needle',
    bad => "\xff" x 10 . 'x' x 40_000 . "\n" . 'z' x 4000 . 'needle',
    many => 'needle' . '.' x 500 . ('.' x 500 . 'needle') x 5000,
);
text($_, $text{$_}) for keys %text;
text('utf16', "\xff\xfe" . encode('UTF-16LE', '中' x 1000 . 'needle'
                                  . '文' x 1000));

$t->start(server => mcp_server(server => ($THREADS ? <<'SERVER' : '')));
    location = /threads { artifact_mcp; aio threads; }
SERVER

my @places = ('/mcp', $THREADS ? '/threads' : ());

sub words {
    my ($ref, $args, %opt) = @_;
    return bytes(mcp_words(mcp_tool($t, 'read_artifact',
                                    { ref => $ref, %$args }, %opt)));
}

sub shows {
    my ($ref, $args, $want) = @_;
    for my $place (@places) {
        my $got = words($ref, $args, at => $place);
        ok($got eq bytes($want), "$place $ref: " . encode_json_bytes($args))
            or diag(substr($got, 0, 600), "\n", substr $got, -300);
    }
}

my $AROUND = '; of long lines each match with the byte at which it begins and '
    . '200 bytes around it';

sub sum {
    my ($rows, $n, $more) = @_;
    return "[lines in the file: $rows; lines that match: $n; complete"
        . ($more // $AROUND) . ']';
}

# What grep shows of a line in bytes that begins at an offset.

sub pieces {
    my ($text, $number, $at, $string) = @_;
    my $out = '';
    for (my $i = index $text, $string; $i >= 0;
         $i = index $text, $string, $i + length $string)
    {
        my $from = $i < 200 ? 0 : $i - 200;
        my $to = $i + length($string) + 200;
        $to = length $text if $to > length $text;
        $out .= "$number@" . ($at + $i) . ':' . ($from ? '...' : '')
            . substr($text, $from, $to - $from)
            . ($to < length $text ? '...' : '') . "\n";
    }
    return $out;
}


shows('one', { grep => 'needle' }, pieces($line, 1, 0, 'needle') . sum(1, 1));
shows('lines', { grep => 'needle' },
      "1-before\n" . pieces($line, 2, 7, 'needle')
      . "3:after needle\n4-last\n" . sum(4, 2));
shows('lines', { grep => 'needle33,', context => 0 },
      pieces($line, 2, 7, 'needle33,') . sum(4, 1));
shows('lines', { grep => 'needle', lines => '3-' },
      "3:after needle\n4-last\n" . sum(4, 1, ''));
shows('ends', { grep => 'needle' },
      pieces($text{ends}, 1, 0, 'needle') . sum(1, 1));
shows('close', { grep => 'needle' },
      pieces('x' x 3000 . 'needle needle' . 'y' x 3000, 1, 0, 'needle')
      . sum(1, 1));
shows('bom', { grep => 'needle' }, pieces('x' x 3000 . 'needle', 1, 3,
                                          'needle') . sum(1, 1));

# 2,000 bytes are not long, without their line's end

shows('short', { grep => 'needle' },
      '1:' . ('x' x 990 . 'needle' . 'y' x 1004) . "\n" . sum(1, 1, ''));
shows('over', { grep => 'needle' },
      pieces('x' x 990 . 'needle' . 'y' x 1005, 1, 0, 'needle') . sum(1, 1));

# whole characters; of another charset, offsets in UTF-8

for my $id (qw(han utf16)) {
    shows($id, { grep => 'needle' },
          '1@3000:...' . '中' x 66 . 'needle' . '文' x 66 . "...\n"
          . sum(1, 1));
    like(words($id, { bytes => '3000-3005' }), qr/\]\nneedle\z/,
         "$id: bytes from there");
}

# what was repaired before does not matter once a line has ended

shows('bad', { grep => 'needle', context => 0 },
      pieces('z' x 4000 . 'needle', 2, 40_011, 'needle') . sum(2, 1));

# "bytes" goes on where a match was found

my ($at) = words('one', { grep => 'needle42,' }) =~ /\A1@(\d+):/;
is(words('one', { bytes => "$at-" . ($at + 8) }),
   "[bytes $at to " . ($at + 8) . ' of ' . 2 * $MB . "]\nneedle42,",
   'bytes from there');

# ... and a range of them limits the search

my ($low, $high) = (10 * 32768, 12 * 32768);
my $got = words('one', { grep => 'needle', bytes => "$low-$high" });
my @found = $got =~ /needle(\d+),/g;
my @want;
while ($line =~ /needle(\d+),/g) {
    push @want, $1 if $-[0] >= $low && $-[0] + 6 <= $high + 1;
}
is("@found", "@want", 'within a range') or diag($got);
is(join(' ', $got =~ /^1@(\d+):/mg),
   join(' ', map { index $line, "needle$_," } @want), 'their offsets');

# a match at the very ends of a range

$at = index $line, 'needle42,';
for my $case ([$at, $at + 5, 1], [$at + 1, $at + 20, 0], [$at - 9, $at + 4, 0],
              [$at - 9, $at + 5, 1])
{
    my ($from, $to, $n) = @$case;
    my $got = words('one', { grep => 'needle', bytes => "$from-$to" });
    like($got, qr/that match: $n;/, "range $from-$to") or diag($got);
}

# the limit

$got = words('many', { grep => 'needle' });
ok(length $got < 66_000, 'at most 64 KB') or diag(length $got);
like($got, qr/that match: 1; cut after 65536 bytes/, 'it was cut');
my @offsets = $got =~ /^1@(\d+):/mg;
ok(@offsets > 100 && !(grep { substr($text{many}, $_, 6) ne 'needle' }
                       @offsets), 'the first matches');
$got = words('many', { grep => 'needle', max_bytes => 10 * $MB });
is(scalar(() = $got =~ /^1@/mg), 5001, 'all of them, if asked for');

$t->finish;
