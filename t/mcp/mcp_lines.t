#!/usr/bin/perl

# read_artifact with "lines", "grep" and "context": which lines are shown, in
# which words, of texts in any charset and with lines of any length; what is
# refused; in turns with other requests and in threads.

use strict;
use warnings;

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

my $numbers = join '', map { "$_\n" }
    qw(one two three four five six seven eight);
text('numbers', $numbers);
text('empty', '');
text('crlf', "one\r\n\"two\"\t\\\r\n\r\nthree\x01\r");
text('bad', "\xef\xbb\xbfa\xff\xe4\xb8b\n\xe4\xb8\xad\n");
text('gbk', encode('GBK', decode('UTF-8', "一\n二 needle\n三\n")),
     'text/plain; charset=gbk');
text('utf16', "\xff\xfe" . encode('UTF-16LE', "eins\nzwei \x{fc}\n" x 20000));
text('utf32', "\xff\xfe\0\0" . encode('UTF-32LE', "one\ntwo\n"));
text('long', "before\n" . 'x' x (10 * $MB) . 'needle' . 'y' x 5000
     . "\nafter\n");
text('many', "match\n" x 1_000_000);
text('svg', qq(<svg xmlns="http://www.w3.org/2000/svg">\n<desc>needle</desc>\n)
     . '</svg>', 'image/svg+xml');
text('json', qq({\n "a": 1,\n "b": 2\n}\n), 'application/json');
$t->artifact('image', png(40, 30), { mimeType => 'image/png' });
$t->workspace_file('ws', 'logs/a.log', "a\nb\nc\n");

# a match at each of the places where pieces of a file could end

my $at = '';
for my $n (1 .. 40) {
    $at .= '.' x (8192 * $n - length($at) - 1 - $n % 7) . 'ne' . "edle\n";
}
text('pieces', $at);

my $lines = join '', map { "line $_ of it\n" } 1 .. 50_000;
text('log', $lines);

$t->start(
    http => 'postpone_output 0;',
    server => mcp_server(server => <<'SERVER' . ($THREADS ? <<'SERVER' : '')));
    location = /zh {
        artifact_mcp;
        artifact_language zh;
    }
    location = /small {
        artifact_mcp;
        artifact_text_max 20;
    }
    location = /inline {
        artifact_mcp;
        artifact_text_max 100;
        artifact_inline_max 10;
    }
    location = /all {
        artifact_mcp;
        artifact_inline_max 0;
    }
SERVER
    location = /threads {
        artifact_mcp;
        artifact_inline_max 0;
        aio threads;
    }
SERVER

my @places = ('/mcp', $THREADS ? '/threads' : ());


sub words {
    my ($ref, $args, %opt) = @_;
    return mcp_words(mcp_tool($t, 'read_artifact',
                              { ref => "artifact:$ref", %$args }, %opt));
}

sub shows {
    my ($ref, $args, $want, %opt) = @_;
    for my $place ($opt{at} // @places) {
        my $got = words($ref, $args, %opt, at => $place);
        ok($got eq $want, "$place $ref: " . join ' ', map {
               my $value = $args->{$_};
               "$_=" . (length $value > 40 ? length $value : $value)
           } sort keys %$args)
            or diag(substr($got, 0, 400), "\n", substr $want, 0, 400);
    }
}


# --- ranges ------------------------------------------------------------------

my $END = "[lines in the file: 8; complete]";
my $AROUND = 'of long lines each match with the byte at which it begins and '
    . '200 bytes around it';

shows('numbers', { lines => '2-3' }, "2:two\n3:three\n$END");
shows('numbers', { lines => '5' }, "5:five\n$END");
shows('numbers', { lines => '7-' }, "7:seven\n8:eight\n$END");
shows('numbers', { lines => '-2' }, "7:seven\n8:eight\n$END");
shows('numbers', { lines => '-2', context => 5 }, "7:seven\n8:eight\n$END");
shows('numbers', { lines => '8-99999999999999999999999' }, "8:eight\n$END");
shows('numbers', { lines => '9-12' },
      '[lines in the file: 8; there is no line 9]');
shows('empty', { lines => '-5' }, '[lines in the file: 0; complete]');
shows('empty', { lines => '1-' }, '[lines in the file: 0; complete]');
shows('empty', { lines => '3' },
      '[lines in the file: 0; there is no line 3]');
shows('empty', { grep => 'x' },
      '[lines in the file: 0; lines that match: 0; complete]');

my $words = mcp_words(mcp_tool($t, 'read_artifact', {
    workspace => 'ws', path => 'logs/a.log', lines => '-1' }));
is($words, "3:c\n[lines in the file: 3; complete]", 'a file of a workspace');

is(words('numbers', { lines => '8' }, older => '2025-06-18'),
   "8:eight\n$END", 'an older client');

for my $value ('', 'x', '0', '-0', '0-1', '3-2', '1-2-3', ' 1', '1 - 2', '--1',
               '+1', "1\n", '1,2')
{
    my $got = words('numbers', { lines => $value }, fails => 1);
    like($got, qr/'lines'.*'100-200'/, 'says how it has to be');
}


# --- grep --------------------------------------------------------------------

sub sum {
    my ($lines, $matches, $more) = @_;
    return "[lines in the file: $lines; lines that match: $matches; "
        . ($more // 'complete') . ']';
}

shows('numbers', { grep => 'four' },
      "2-two\n3-three\n4:four\n5-five\n6-six\n" . sum(8, 1));
shows('numbers', { grep => 'four', context => 0 }, "4:four\n" . sum(8, 1));
shows('numbers', { grep => 't', context => 1 },
      "1-one\n2:two\n3:three\n4-four\n--\n7-seven\n8:eight\n" . sum(8, 3));
shows('numbers', { grep => 't', context => 1000 },
      "1-one\n2:two\n3:three\n4-four\n5-five\n6-six\n7-seven\n8:eight\n"
      . sum(8, 3));
shows('numbers', { grep => 'f', lines => '4-5' },
      "4:four\n5:five\n" . sum(8, 2));
shows('numbers', { grep => 'e', lines => '-2', context => 3 },
      "7:seven\n8:eight\n" . sum(8, 2));
shows('numbers', { grep => 'four', lines => '5-' }, sum(8, 0));
shows('numbers', { grep => 'f.*r' }, sum(8, 0));
shows('numbers', { grep => 'Four' }, sum(8, 0));
shows('log', { grep => 'line 25000 ', context => 1 },
      "24999-line 24999 of it\n25000:line 25000 of it\n"
      . "25001-line 25001 of it\n" . sum(50000, 1));
shows('pieces', { grep => 'needle', context => 0, lines => '40' },
      '40@' . (40 * 8192 - 6) . ':...' . '.' x 200 . "needle\n"
      . sum(40, 1, "complete; $AROUND"));
like(words('pieces', { grep => 'needle', context => 0 }),
     qr/lines that match: 40;/, 'where a piece of the file ends');

for my $value ('', "a\nb", "\r") {
    like(words('numbers', { grep => $value }, fails => 1), qr/'grep'/,
         'says what is wrong');
}
words('numbers', { grep => 'x', context => -1 }, fails => 1);
words('nowhere', { grep => 'x' }, fails => 1);


# --- texts of all kinds ------------------------------------------------------

shows('crlf', { grep => 'two', context => 2 },
      qq(1-one\n2:"two"\t\\\n3-\n4-three\x01\n) . sum(4, 1));
shows('bad', { lines => '1-' },
      "1:a\x{fffd}\x{fffd}b\n2:\x{4e2d}\n[lines in the file: 2; complete]");
shows('bad', { grep => "\x{4e2d}", context => 0 }, "2:\x{4e2d}\n" . sum(2, 1));
shows('gbk', { grep => "\x{4e8c}", context => 1 },
      "1-\x{4e00}\n2:\x{4e8c} needle\n3-\x{4e09}\n" . sum(3, 1));
shows('utf16', { grep => "\x{fc}", lines => '39997-', context => 0 },
      "39998:zwei \x{fc}\n40000:zwei \x{fc}\n" . sum(40000, 2));
shows('utf16', { lines => '-1' },
      "40000:zwei \x{fc}\n[lines in the file: 40000; complete]");
shows('utf32', { grep => 'two', context => 0 }, "2:two\n" . sum(2, 1));
shows('svg', { grep => 'needle', context => 0 },
      "2:<desc>needle</desc>\n" . sum(3, 1));
shows('json', { lines => '3' },
      qq(3: "b": 2\n[lines in the file: 4; complete]));

for my $ask ({ lines => '1-' }, { grep => 'IHDR' }) {
    $words = words('image', $ask);
    like($words, qr/not a text/, 'an image: words');
    unlike($words, qr/IHDR/, 'and none of its bytes');
}


# --- a line of 10 MB ---------------------------------------------------------

my $short = 'complete; long lines are shortened to 2000 bytes';

shows('long', { grep => 'needle', context => 1 },
      '1-before' . "\n2@" . (10 * $MB + 7) . ':...' . 'x' x 200 . 'needle'
      . 'y' x 200 . "...\n3-after\n" . sum(3, 1, "complete; $AROUND"));
shows('long', { grep => 'after', context => 1 },
      '2-' . 'x' x 2000 . "...\n3:after\n" . sum(3, 1, $short));
shows('long', { grep => 'before', context => 2 },
      "1:before\n2-" . 'x' x 2000 . "...\n3-after\n" . sum(3, 1, $short));
shows('long', { lines => '2' },
      '2:' . 'x' x 2000 . "...\n[lines in the file: 3; $short]");


# --- limits ------------------------------------------------------------------

shows('many', { grep => 'atc', max_bytes => 100 },
      join('', map { "$_:match\n" } 1 .. 12)
      . sum(1_000_000, 1_000_000,
            'cut after 100 bytes, go on with "lines": "13-"'));
shows('many', { lines => '-3', grep => 'm', max_bytes => 30 },
      "999998:match\n999999:match\n"
      . sum(1_000_000, 3, 'cut after 30 bytes, go on with "lines": "1000000-"'));
shows('numbers', { lines => '1-', max_bytes => 1 },
      "1\n[lines in the file: 8; cut after 1 bytes]");
shows('numbers', { lines => '1-', max_bytes => 56 },
      (map { my $n = 0; s/^/++$n . ':'/gemr } $numbers)[0] . $END);
shows('numbers', { lines => '1-' },
      "1:one\n2:two\n3:three\n[lines in the file: 8; cut after 20 bytes, "
      . 'go on with "lines": "4-"]',
      at => '/small');
shows('numbers', { lines => '1-', max_bytes => 12 },
      "1:one\n2:two\n[lines in the file: 8; cut after 12 bytes, "
      . 'go on with "lines": "3-"]',
      at => '/small');
shows('numbers', { lines => '1-', max_bytes => 50 },
      "1:one\n[lines in the file: 8; cut after 10 bytes, "
      . 'go on with "lines": "2-"]', at => '/inline');

# without a limit, 64 KB of whole lines

my ($got) = words('log', { lines => '1-' });
my ($next) = $got =~ /cut after 65536 bytes, go on with "lines": "(\d+)-"\]\z/;
$got =~ s/\[lines.*//;
ok(length $got <= 65536 && length "$got$next:line $next of it\n" > 65536,
   'at most 64 KB');
is(($got =~ /\A(\d+):/)[0] // '', 1, 'from the first line on');
like($got, qr/^@{[ $next - 1 ]}:.*\n\z/m, '... to the one before the next');

my $n = 0;
shows('log', { lines => '1-', max_bytes => 2 ** 31 - 1 }, $lines =~ s/^/++$n . ':'/gemr
      . '[lines in the file: 50000; complete]');


# --- in Chinese --------------------------------------------------------------

shows('numbers', { lines => '1', max_bytes => 50 },
      "1:one\n" . chars_of('[文件共 8 行；内容完整]'), at => '/zh');
shows('numbers', { lines => '9' }, chars_of('[文件共 8 行；没有第 9 行]'),
      at => '/zh');
shows('numbers', { grep => 't', context => 0, max_bytes => 7 }, "2:two\n"
      . chars_of('[文件共 8 行；匹配 3 行；已在 7 字节处截断，可用 "lines": "3-" '
                 . '继续]'), at => '/zh');
shows('long', { lines => '2-' }, '2:' . 'x' x 2000 . "...\n3:after\n"
      . chars_of('[文件共 3 行；内容完整；过长的行只显示 2000 字节]'),
      at => '/zh');
like(words('numbers', { lines => 'x' }, at => '/zh', fails => 1),
     qr/${\ chars_of('行号')}/, 'a refusal');
like(words('image', { lines => '1' }, at => '/zh'),
     qr/${\ chars_of('不是文本')}/, 'a binary');

sub chars_of {
    my ($bytes) = @_;
    return decode('UTF-8', $bytes);
}

$t->finish;
