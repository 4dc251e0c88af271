#!/usr/bin/perl

# Texts in a charset that nobody declares: by what they say themselves, else by
# what they are; never garbage.

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
SERVER

sub answer {
    my ($content, $meta) = @_;
    my $id = 'c' . ++$n;
    $t->artifact($id, $content, $meta);
    my $res = $t->accept('text, file', "/artifacts/$id");
    my $wrong = route_problems($res);
    return $wrong ? { content => "malformed: $wrong" } : json_of($res);
}

my %text = (
    zh => "工件内容读取失败。请检查文件是否损坏，然后重新上传第 2 版。\n",
    tw => "工件內容讀取失敗。請檢查檔案是否損壞，然後重新上傳第 2 版。\n",
    ja => "ファイルを読み取れませんでした。もう一度お試しください。\n",
    ko => "파일을 읽을 수 없습니다. 다시 시도해 주십시오.\n",
    ru => "Не удалось прочитать файл. Попробуйте ещё раз позже.\n",
    fr => "Le café à la crème, où l'été était très agréable; déjà vu.\n",
    de => "Die Datei ließ sich nicht lesen; prüfen Sie bitte die Größe.\n",
    th => "ไม่สามารถอ่านไฟล์ได้ โปรดตรวจสอบไฟล์แล้วลองอีกครั้ง\n",
    ar => "تعذرت قراءة الملف. يرجى التحقق من الملف والمحاولة\n",
);
my @cases = (
    [zh => 'gbk'], [tw => 'big5'], [ja => 'shiftjis'],
    [ja => 'euc-jp'], [ko => 'euc-kr'], [ru => 'cp1251'], [ru => 'koi8-r'],
    [fr => 'iso-8859-1'], [fr => 'cp1252'], [de => 'iso-8859-1'],
);
for my $case (@cases) {
    my ($language, $charset) = @$case;

    for my $times (1, 30, 900) {
        my $want = $text{$language} x $times;
        my $bytes = encode($charset, $want);
        my $what = "$language in $charset, $times times";

        my $got = answer($bytes, undef);
        is($got->{routing}, 'text', "$what: text");
        ok($got->{content} eq $want, "$what: converted");
        ok(answer($bytes, { type => 'text/plain' })->{content} eq $want,
           "$what: declared text/plain");
    }
}

for my $short ("中文\n", "工件内容\n", "姓名,电话\n张三,1\n李四,2\n",
               "int main() { return 0; } /* 注释 */\n", "品名\t数量\n")
{
    (my $name = $short) =~ s/\s+/ /g;
    is(answer(encode('gbk', $short), undef)->{content}, $short,
       'a few characters: ' . bytes($name));
}
is(answer(encode('euc-kr', "한국어\n"), undef)->{content}, "한국어\n",
   'a word of Korean');
is(answer(encode('shiftjis', "日本語\n"), undef)->{content}, "日本語\n",
   'a word of Japanese');

# UTF-16 without a mark

for my $language (qw(zh ja ko ru th ar fr)) {
    for my $order (qw(LE BE)) {
        my $want = $text{$language} x 3;
        is(answer(encode("UTF-16$order", $want), undef)->{content}, $want,
           "$language in UTF-16$order");
    }
}

# what the text says

my $greek = "Δεν ήταν δυνατή η ανάγνωση";
for my $case (
    ['<meta charset>', "<html><meta charset=\"iso-8859-7\"><p>$greek</p>"],
    ['<meta http-equiv>', '<html><meta http-equiv="Content-Type" '
     . "content=\"text/html; charset=iso-8859-7\"><p>$greek</p>"],
    ['XML', "<?xml version='1.0' encoding='ISO-8859-7'?><a>$greek</a>"],
    ['CSS', "\@charset \"iso-8859-7\";\n/* $greek */ a { color: red }"],
    ['Python', "#!/usr/bin/python\n# -*- coding: iso-8859-7 -*-\n# $greek"],
)
{
    my ($what, $want) = @$case;
    is(answer(encode('iso-8859-7', $want), undef)->{content}, $want,
       "$what names its charset");
}

is(answer(encode('iso-8859-4', "<meta charset=iso-8859-4>" . 'words ' x 1000
                 . "Šķūnis, ēdienkarte, ģimene\n"), undef)->{content},
   "<meta charset=iso-8859-4>" . 'words ' x 1000
   . "Šķūnis, ēdienkarte, ģimene\n", 'it is named long before it matters');

# a mark, UTF-8 and nonsense

is(answer("\xef\xbb\xbf" . bytes('标记'), undef)->{content}, '标记',
   'the mark of UTF-8 is no part of the text');
is(answer("\x84\x31\x95\x33" . encode('gbk', '标记，后面是文字内容'),
          { type => 'text/plain; charset=gb18030' })->{content},
   '标记，后面是文字内容', 'nor is that of GB18030');
is(answer(bytes("<meta charset=gbk>\n中文"), undef)->{content},
   "<meta charset=gbk>\n中文", 'UTF-8 is UTF-8, whatever it says');
for my $junk ("\x81\xfe\x90\xff\xa0\xfd\x8f\xff" x 20,
              "\xff\xfe\xfd\xfc\xfb\x80\x81\x82\xff" x 20)
{
    my $got = answer($junk, { type => 'text/plain' });
    isnt($got->{routing}, 'text', 'what no charset fits is no text');
}

$t->finish;
