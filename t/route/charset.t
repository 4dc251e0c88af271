#!/usr/bin/perl

# Texts in other charsets are converted; what names no charset is UTF-8.

use strict;
use warnings;
use utf8;

use Encode qw(encode);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;

my $t = ArtifactTest->new;
my $n = 0;

$t->start(server => <<'SERVER');
    artifact_root %%DATA%%;
    artifact_route on;

    location /artifacts/ {
        artifact;
    }
    location /cut/ {
        artifact;
        artifact_text_max 20;
    }
SERVER

sub answer {
    my ($content, $type, $location) = @_;
    my $id = 'c' . ++$n;
    $t->artifact($id, $content, defined $type ? { type => $type } : undef);
    my $res = $t->accept('text', ($location || '/artifacts/') . $id);
    my $wrong = route_problems($res);
    return { content => "malformed: $wrong", routing => '' } if $wrong;
    return json_of($res);
}

my $text = "床前明月光，\r\n\"疑是\" \\地上霜。\tend\n";
my $emoji = "$text\x{1f600}\x{20000}";

# UTF-16

for my $order (qw(LE BE)) {
    my $bom = $order eq 'LE' ? "\xff\xfe" : "\xfe\xff";
    my $body = encode("UTF-16$order", $emoji);
    my $ascii = encode("UTF-16$order", "plain words, in two bytes each\n" x 9);

    for my $type ('text/plain', undef) {
        my $how = "UTF-16$order " . ($type ? 'declared text' : 'undeclared');
        my $data = answer("$bom$body", $type);
        is($data->{content}, $emoji, "$how, with a BOM");
        is($data->{contentType}, 'text', "$how, with a BOM, is text");
        is($data->{metadata}{size}, 2 + length $body,
           "$how, the size is the file's");
        is(answer($ascii, $type)->{content},
           "plain words, in two bytes each\n" x 9, "$how, without a BOM");
    }
    is(answer($body, "text/plain; charset=UTF-16$order")->{content}, $emoji,
       "UTF-16$order by its charset");
    is(answer("$bom$body", 'text/plain; charset=utf-16')->{content}, $emoji,
       "UTF-16 by its charset, $order by its BOM");

    my $long = encode("UTF-16$order", "中\x{1f600}é\n" x 30000);
    ok(answer("$bom$long")->{content} eq "中\x{1f600}é\n" x 30000,
       "a long UTF-16$order text");
    like(answer("$bom${body}X")->{content}, qr/\A\Q$emoji\E\x{fffd}?\z/,
         "an odd byte at the end of UTF-16$order");
    my $half = $body . ($order eq 'LE' ? "\x3d\xd8" : "\xd8\x3d") . $body;
    like(answer("$bom$half")->{content},
         qr/\A\Q$emoji\E\x{fffd}+\Q$emoji\E\z/,
         "half a surrogate pair in UTF-16$order");
}

# UTF-8 with a mark

my $data = answer("\xef\xbb\xbf" . bytes($text));
is($data->{routing}, 'text', 'UTF-8 with a BOM is text');
like($data->{content}, qr/\A\x{feff}?\Q$text\E\z/, 'and whole');

# by the charset parameter

my %charsets = (
    'gbk' => 'gbk', 'GBK' => 'gbk', 'gb2312' => 'euc-cn', 'big5' => 'big5',
    'shift_jis' => 'shiftjis', 'euc-jp' => 'euc-jp', 'euc-kr' => 'euc-kr',
    'iso-8859-1' => 'iso-8859-1', 'windows-1251' => 'cp1251',
);
my %words = (
    'gbk' => $text, 'GBK' => $text, 'gb2312' => $text,
    'big5' => "床前明月光\n", 'shift_jis' => "日本語のテキスト\n",
    'euc-jp' => "日本語のテキスト\n", 'euc-kr' => "한국어\n",
    'iso-8859-1' => "café à la crème\n",
    'windows-1251' => "русский текст\n",
);
for my $name (sort keys %charsets) {
    my $bytes = encode($charsets{$name}, $words{$name});
    my $data = answer($bytes, "text/plain; charset=$name");
    is($data->{content}, $words{$name}, "charset=$name");
    is($data->{metadata}{mimeType}, 'text/plain',
       "charset=$name, the media type has no parameter");
    is($data->{metadata}{type}, "text/plain; charset=$name",
       "charset=$name, the declared type has it");
    is($data->{metadata}{size}, length $bytes,
       "charset=$name, the size is the file's");
}
is(answer(encode('gbk', $text), 'text/plain;charset="gbk"')->{content},
   $text, 'a quoted charset');
is(answer(encode('gbk', $text),
          'Text/Markdown; format=flowed; CHARSET=gbk')->{content},
   $text, 'a charset among parameters');
is(answer(encode('gbk', $text), 'application/xml; charset=gbk')->{content},
   $text, 'the charset of XML');

my $long = "第一行的中文字\n" x 40000;
ok(answer(encode('gbk', $long), 'text/plain; charset=gbk')->{content}
   eq $long, 'a long GBK text');
for my $pad (0 .. 3) {
    my $shifted = 'x' x $pad . '中' x 20000;
    ok(answer(encode('gbk', $shifted), 'text/plain; charset=gbk')->{content}
       eq $shifted, "GBK over buffer edges, shifted by $pad");
}
like(answer(encode('gbk', $text) . "\xff\xff" . 'after',
            'text/plain; charset=gbk')->{content},
     qr/\A\Q$text\E\x{fffd}+after\z/, 'stray bytes in GBK');
like(answer(encode('gbk', $text) . "\xd6", 'text/plain; charset=gbk')
     ->{content}, qr/\A\Q$text\E\x{fffd}\z/,
     'GBK cut in the middle of a character');

# the charset that is none

for my $charset ('x-unknown', 'utf-8', 'UTF8', 'us-ascii', '', '"', '../gbk',
                 'gbk//IGNORE', 'UTF-8//TRANSLIT', 'x' x 300, "\x{4e2d}")
{
    my $data = answer(bytes("plain words, 中文\n"),
                      "text/plain; charset=$charset");
    is($data->{routing}, 'text', 'charset=' . substr($charset, 0, 20)
       . ' is text');
    like($data->{content}, $charset =~ /ascii|gbk/
         ? qr/\Aplain words, / : qr/\Aplain words, 中文\n\z/,
         'charset=' . substr($charset, 0, 20) . ' is read as UTF-8');
}
is(answer(bytes($text), 'text/plain; charset=utf-8')->{content}, $text,
   'charset=utf-8 changes nothing');

# cut after conversion

$data = answer(encode('gbk', '中文' x 30), 'text/plain; charset=gbk',
               '/cut/');
is($data->{content}, '中文' x 3, 'GBK is cut at 20 bytes of UTF-8');
ok($data->{metadata}{truncated}, 'and flagged');
is($data->{metadata}{size}, 120, 'with its full size');
$data = answer("\xff\xfe" . encode('UTF-16LE', "\x{1f600}" x 30),
               'text/plain', '/cut/');
is($data->{content}, "\x{1f600}" x 5, 'UTF-16 is cut at 20 bytes of UTF-8');

# raw answers keep their bytes

my $gbk = encode('gbk', $text);
$t->artifact('raw', $gbk, { type => 'text/plain; charset=gbk' });
ok($t->get('/artifacts/raw')->body eq $gbk, 'raw GBK is not converted');

$t->finish;
