#!/usr/bin/perl

# read_artifact of long texts: at most 64 KB, and how to go on; ranges of bytes,
# at each place of a character, in other charsets and beyond the end; strings
# that are searched in a range; which artifact a text is of.

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

my $BOM = "\xef\xbb\xbf";
my $mixed = bytes("aé中😀z");                 # 1, 2, 3, 4 and 1 bytes
my $log = join '', map { "line $_ of it\n" } 1 .. 50_000;
my %text = (
    mixed => $mixed, bom => "$BOM$mixed", empty => '', one => 'x',
    han => bytes("中") x 30_000, log => $log, crlf => "a\r\nb\r\n",
);
text($_, $text{$_}) for keys %text;

my $gbk = join '', map { "第 $_ 行\n" } 1 .. 20_000;
text('gbk', encode('GBK', $gbk), 'text/plain; charset=gbk');
text('guess', encode('GBK', $gbk));
text('utf16', "\xff\xfe" . encode('UTF-16LE', $gbk));
text('html', "<p>\n" x 40_000, 'text/html');
text('bad', "ab\xffcd\xe4\xb8");
$t->artifact('image', png(40, 30), { mimeType => 'image/png' });
$t->workspace_file('ws', 'a/é.log', 'file');

$t->file('map.json', { services => [
    { id => 'sees', capabilities => { input => [qw(text vision)] } }] });

$t->start(
    http => 'artifact_capabilities %%PREFIX%%/map.json;',
    server => mcp_server(server => <<'SERVER' . ($THREADS ? <<'SERVER' : '')));
    location = /zh { artifact_mcp; artifact_language zh; }
    location = /small { artifact_mcp; artifact_text_max 20; }
    location = /inline { artifact_mcp; artifact_inline_max 10; }
    location = /large { artifact_mcp; artifact_text_max 1m; }
SERVER
    location = /threads { artifact_mcp; aio threads; }
SERVER

my @places = ('/mcp', $THREADS ? '/threads' : ());

sub blocks {
    my ($ref, $args, %opt) = @_;
    my $result = mcp_tool($t, 'read_artifact', { ref => $ref, %$args }, %opt);
    return map { bytes($_->{text}) } @{ $result->{content} };
}

sub shows {
    my ($ref, $args, $want, %opt) = @_;
    for my $place ($opt{at} // @places) {
        my $got = join "\0", blocks($ref, $args, %opt, at => $place);
        my $wanted = ref $want ? join "\0", map { bytes($_) } @$want
            : bytes($want);
        ok($got eq $wanted, "$place $ref: " . encode_json_bytes($args))
            or diag(substr($got, 0, 300), "\n", substr $got, -300);
    }
}


# --- at most 64 KB -----------------------------------------------------------

sub cut {
    my ($shown, $total, $rows) = @_;
    return "[Cut after $shown bytes; the whole text has $total bytes and "
        . "$rows lines. Go on with \"bytes\": \"$shown-\", or read other parts "
        . 'with "lines" or "grep".]';
}

my $size = length $log;
shows('log', {}, [substr($log, 0, 65536), cut(65536, $size, 50_000)]);
shows('log', { max_bytes => 100 }, [substr($log, 0, 100),
                                    cut(100, $size, 50_000)]);
shows('log', { max_bytes => $size - 1 }, [substr($log, 0, -1),
                                          cut($size - 1, $size, 50_000)]);
shows('log', { max_bytes => $size }, [$log]);
shows('log', { max_bytes => 2147483647 }, [$log]);
shows('log', { max_bytes => 9 ** 15 }, [$log]);
shows('log', {}, [substr($log, 0, 20), cut(20, $size, 50_000)], at => '/small');
shows('log', { max_bytes => 21 }, [substr($log, 0, 20),
                                   cut(20, $size, 50_000)], at => '/small');
shows('log', { max_bytes => 19 }, [substr($log, 0, 19),
                                   cut(19, $size, 50_000)], at => '/small');
shows('log', {}, [substr($log, 0, 65536), cut(65536, $size, 50_000)],
      at => '/large');
shows('log', {}, [substr($log, 0, 65536), cut(65536, $size, 50_000)],
      at => '/inline');
shows('log', {}, [substr($log, 0, 65536),
    "[已在 65536 字节处截断，全文共 $size 字节、50000 行。可用 \"bytes\": "
    . '"65536-" 继续，或用 "lines"、"grep" 读取其他部分。]'], at => '/zh');

# what follows is what is left

shows('log', { bytes => '65536-', max_bytes => 2 ** 31 - 1 },
      '[bytes 65536 to ' . ($size - 1) . " of $size]\n"
      . substr($log, 65536));

# whole characters, and texts that are not cut

shows('han', {}, ["中" x 21845, cut(65535, 90_000, 1)]);
shows('mixed', {}, ["aé中😀z"]);
for my $n (1 .. 11) {
    my $whole = substr $mixed, 0, $n;
    $whole =~ s/[\xc2-\xf4][\x80-\xbf]*\z//
        unless utf8::decode(my $copy = $whole);
    shows('mixed', { max_bytes => $n },
          [decode('UTF-8', $whole), length $whole < 11
           ? cut(length $whole, 11, 1) : ()]);
}
shows('one', {}, ['x']);
shows('crlf', { max_bytes => 3 }, ["a\r\n", cut(3, 6, 2)]);
shows('bom', { max_bytes => 4 }, ['a', cut(4, 14, 1)]);
shows('html', {}, ["<p>\n" x 16384, cut(65536, 160_000, 40_000)]);

# other charsets: bytes of UTF-8

my $utf8 = bytes($gbk);
my $total = length $utf8;
my $shown = $utf8;
substr($shown, 65536) = '';
$shown =~ s/[\xc2-\xf4][\x80-\xbf]*\z// unless utf8::decode(my $copy = $shown);
for my $id (qw(gbk guess utf16)) {
    shows($id, {}, [decode('UTF-8', $shown),
                    cut(length $shown, $total, 20_000)]);
    shows($id, { max_bytes => 2 ** 31 - 1 }, [$gbk]);
}

# --- ranges ------------------------------------------------------------------

sub range {
    my ($from, $to, $of) = @_;
    return "[bytes $from to $to of $of]\n";
}

shows('log', { bytes => '0-13' }, range(0, 13, $size) . "line 1 of it\nl");
shows('log', { bytes => '5-5' }, range(5, 5, $size) . '1');
shows('log', { bytes => '-14' },
      range($size - 14, $size - 1, $size) . substr $log, -14);
shows('log', { bytes => "-$size" },
      range(0, 65535, $size) . substr $log, 0, 65536);
shows('log', { bytes => '-99999999999999999999999' },
      range(0, 65535, $size) . substr $log, 0, 65536);
shows('log', { bytes => '0-' }, range(0, 65535, $size)
      . substr $log, 0, 65536);
shows('log', { bytes => '100-99999999999999999999999', max_bytes => 10 },
      range(100, 109, $size) . substr $log, 100, 10);
shows('log', { bytes => ($size - 1) . '-' . $size },
      range($size - 1, $size - 1, $size) . "\n");
shows('log', { bytes => '0-99', max_bytes => 50 },
      range(0, 49, $size) . substr $log, 0, 50);
shows('log', { bytes => '0-99' }, range(0, 19, $size) . substr($log, 0, 20),
      at => '/small');
shows('log', { bytes => '0-99' }, range(0, 9, $size) . substr($log, 0, 10),
      at => '/inline');
shows('log', { bytes => "$size-" },
      "[the text has $size bytes, there is no byte $size]\n");
shows('log', { bytes => '99999999999999999999-' },
      "[the text has $size bytes, there is no byte 9223372036854775807]\n");
shows('empty', { bytes => $_ },
      "[the text has 0 bytes, there is no byte 0]\n") for '0-', '-5', '0-0';
shows('log', { bytes => '0-3' }, "[第 0 至 3 字节，共 $size 字节]\nline",
      at => '/zh');
shows('log', { bytes => "$size-" },
      "[全文共 $size 字节，没有第 $size 字节]\n", at => '/zh');

# each cut of a text with characters of each length

sub inner { return vec($_[0], $_[1], 8) >= 0x80 && vec($_[0], $_[1], 8) < 0xc0 }

for my $id (qw(mixed bom)) {
    my $text = $text{$id};
    my $n = length $text;
    my @wrong;

    for my $from (0 .. $n - 1) {
        for my $to ($from .. $n - 1) {
            my ($begin, $end) = ($from, $to + 1);
            $begin++ while $begin > 0 && $begin < $n && inner($text, $begin);
            $end-- while $end > 0 && $end < $n && inner($text, $end);

            my $want = $begin < $end
                ? range($begin, $end - 1, $n) . substr($text, $begin,
                                                       $end - $begin)
                : "[no whole character in bytes $from to $to of $n]\n";
            $want =~ s/\n$BOM/\n/;
            my $got = mcp_words(mcp_result(mcp_ask($t, 'tools/call', {
                name => 'read_artifact',
                arguments => { ref => $id, bytes => "$from-$to" } }),
                "$id $from-$to"));
            push @wrong, "$from-$to: " . bytes($got)
                if bytes($got) ne $want;
        }
    }
    is(join("\n", @wrong), '', "$id: each range");
}

# other charsets

my ($at) = $utf8 =~ /\A(.*?)\Q@{[ bytes('第 500 行') ]}\E/s;
$at = length $at;
for my $id (qw(gbk guess utf16)) {
    my $of = sub { "[bytes $_[0] to $_[1] of $total, as UTF-8]\n" };
    shows($id, { bytes => "$at-" . ($at + 10) },
          $of->($at, $at + 10) . '第 500 行');
    shows($id, { bytes => ($at + 1) . '-' . ($at + 9) },
          $of->($at + 3, $at + 7) . ' 500 ');
    shows($id, { bytes => '-4' },
          $of->($total - 4, $total - 1) . "行\n");
    shows($id, { bytes => "$total-" },
          "[the text has $total bytes, there is no byte $total]\n");
    shows($id, { bytes => '0-' }, $of->(0, length($shown) - 1)
          . decode('UTF-8', $shown));
    shows($id, { bytes => '1-1' },
          "[no whole character in bytes 1 to 1 of $total]\n");
}
shows('bad', { bytes => '0-4' }, range(0, 4, 7) . "ab\x{fffd}cd");

# --- what is wrong -----------------------------------------------------------

for my $value ('', '-', 'x', '5', '-0', '3-2', '1-2-3', ' 1-2', '1 - 2', '--1',
               '+1-2', "1-2\n", '1,2', '0x1-2', '-1-')
{
    my ($words) = blocks('log', { bytes => $value }, fails => 1);
    like($words, qr/'bytes'.*'0-4095'/, 'says how it has to be');
}
like((blocks('log', { bytes => '0-1', lines => '1' }, fails => 1))[0],
     qr/'lines' and 'bytes'/, 'lines and bytes');
like((blocks('image', { bytes => '0-1' }))[0], qr/not a text.*'bytes'/,
     'bytes of an image');

# --- searching in a range ----------------------------------------------------

my ($line) = $log =~ /\A(.*?)line 500 of/s;
my $begin = length $line;
my $sum = sub { "[lines in the file: 50000; lines that match: $_[0]; "
                    . 'complete]' };
shows('log', { bytes => "$begin-" . ($begin + 30), grep => 'of', context => 0 },
      range($begin, $begin + 30, $size)
      . "500:line 500 of it\n501:line 501 of it\n" . $sum->(2));
shows('log', { bytes => ($begin + 5) . '-' . ($begin + 30), grep => 'line',
               context => 0 },
      range($begin + 5, $begin + 30, $size) . "501:line 501 of it\n"
      . $sum->(1));
shows('log', { bytes => ($begin + 5) . '-' . ($begin + 20), grep => '50' },
      range($begin + 5, $begin + 20, $size) . "500:500 of it\n501-line 5\n"
      . $sum->(1));
shows('log', { bytes => "$begin-$begin", grep => 'line' },
      range($begin, $begin, $size) . $sum->(0));
shows('log', { bytes => "$size-", grep => 'line' },
      "[the text has $size bytes, there is no byte $size]\n");
shows('gbk', { bytes => "$at-" . ($at + 23), grep => '50', context => 0 },
      "[bytes $at to " . ($at + 23) . " of $total, as UTF-8]\n"
      . "500:第 500 行\n501:第 501 行\n"
      . '[lines in the file: 20000; lines that match: 2; complete]');

# --- which artifact it is ----------------------------------------------------

for my $case (['log', {}], ['log', { bytes => '0-9' }],
              ['log', { lines => '1' }], ['log', { grep => '77' }],
              ['log', { max_bytes => 3 }], ['one', {}], ['empty', {}],
              ['image', {}])
{
    my ($ref, $args) = @$case;
    my $res = mcp_ask($t, 'tools/call', { name => 'read_artifact',
                                          arguments => { ref => $ref, %$args } });
    my $result = mcp_result($res, "$ref " . encode_json_bytes($args));
    is(join(' ', map { $_->{_meta}{'artifact/ref'} // 'none' }
            @{ $result->{content} }),
       join(' ', ("artifact:$ref") x @{ $result->{content} }),
       'each block has the reference');
    like($res->body, qr/"content":\[\{"_meta":\{"artifact\/ref"/,
         'before its text');
}
my $result = mcp_tool($t, 'read_artifact', { workspace => 'ws',
                                             path => 'a/é.log' });
is($result->{content}[0]{_meta}{'artifact/ref'},
   'artifact:' . ws_id('ws', bytes('a/é.log')), 'a file of a workspace');
$result = mcp_tool($t, 'read_artifact', { ref => 'image' },
                   headers => ['X-LLM-Service' => 'sees']);
is(join(' ', sort keys %{ $result->{content}[0] }), 'data mimeType type',
   'an image is as it was');

# --- what is gone ------------------------------------------------------------

like((blocks('gone', {}, fails => 1))[0],
     qr/\Athe artifact does not exist .*artifact_not_found\): gone\. It is gone or has expired; .* call that tool again\.\z/,
     'what is gone');
like((blocks('gone', { grep => 'x' }, fails => 1, at => '/zh'))[0],
     qr/\Q@{[ bytes('已过期') ]}\E/, 'what is gone, in Chinese');
unlike(mcp_words(mcp_tool($t, 'read_artifact', { workspace => 'ws',
                                                 path => 'no' }, fails => 1)),
       qr/expired/, 'a file of a workspace is only missing');

$t->finish;
