package ArtifactKinds;

# Files as people have them, and what is true of an answer that has one: a text
# is all there, in readable UTF-8; a medium that a format takes is there, byte
# for byte, under its own type; any other is described, and none of it is there.

use strict;
use warnings;
use utf8;

use Encode qw(encode);
use Exporter 'import';
use MIME::Base64 qw(decode_base64);

use ArtifactCheck;
use ArtifactConvert;
use ArtifactFixtures;
use ArtifactJSON;

our @EXPORT = qw($EVERYTHING @KIND_FORMATS kind_meta kind_wrong kinds);

our $EVERYTHING = 'text, vision, audio, video, file';
our @KIND_FORMATS = qw(
    route object tool_message openai openai_responses openai_compatible
    anthropic gemini bedrock mistral openrouter mcp
);

my $EXCEL = 'application/vnd.ms-excel';
my $OFFICE = 'application/vnd.openxmlformats-officedocument';
my ($DOCX, $PPTX, $XLSX) = map { "$OFFICE.$_" } 'wordprocessingml.document',
    'presentationml.presentation', 'spreadsheetml.sheet';

# What each carries as base64, of what is made here; a star stands for all.

my @IMAGES = qw(image/png image/jpeg image/gif image/webp);
my @SOUNDS = qw(audio/wav audio/mpeg);
my $PDF = 'application/pdf';
my @WORD = ('application/msword', $DOCX, $EXCEL, $XLSX);
my %TAKES = (
    route => ['*'], object => ['*'], tool_message => ['*'],
    openai => [@IMAGES, @SOUNDS, $PDF],
    openai_responses => [@IMAGES, $PDF, @WORD, $PPTX],
    openai_compatible => [@IMAGES, @SOUNDS, 'audio/ogg', qw(video/mp4
        video/webm video/quicktime video/x-matroska)],
    anthropic => [@IMAGES, $PDF],
    gemini => [qw(image/png image/jpeg image/webp image/heic), @SOUNDS,
        'audio/ogg', qw(video/mp4 video/webm video/quicktime), $PDF],
    bedrock => [@IMAGES, @SOUNDS, qw(audio/mp4 audio/webm audio/x-matroska
        audio/ogg), qw(video/mp4 video/webm video/x-matroska
        video/quicktime), $PDF, @WORD],
    mistral => [@IMAGES, @SOUNDS, 'audio/ogg', 'audio/mp4', $PDF],
    openrouter => [@IMAGES, @SOUNDS, qw(audio/ogg audio/mp4 video/mp4
        video/webm video/quicktime), $PDF],
    mcp => [@IMAGES, 'audio/*', 'video/*', 'application/*'],
);

# Names that an API has for a type, and aliases.

my %NAME = (
    'image/jpg' => 'image/jpeg',
    'audio/mp3' => 'audio/mpeg', 'audio/x-wav' => 'audio/wav',
    'audio/m4a' => 'audio/mp4', 'audio/mka' => 'audio/x-matroska',
    'video/mov' => 'video/quicktime', 'video/mkv' => 'video/x-matroska',
    'document/pdf' => $PDF, 'document/doc' => 'application/msword',
    'document/docx' => $DOCX, 'document/xls' => $EXCEL,
    'document/xlsx' => $XLSX,
);

# Those that may stand for no content, and those that show all.

my $NO_EMPTY = qr/^(?:anthropic|gemini|bedrock|mcp)$/;
my $FOR_NONE = qr/^(?:route|object|tool_message)$/;


# --- files -------------------------------------------------------------------

# name => { body; type, name: as declared; text: all that is to be read, of a
# text; is: its media type; bare: the same, without a name; fake: true, if it is
# none of what it is declared as, which only formats for no provider show }

sub kinds {
    my ($dir) = @_;
    return (_charsets(), _texts(), _tables(), _media($dir), _images($dir),
            _documents(), _others());
}


# What is recorded of one.

sub kind_meta {
    my ($kind) = @_;
    return { map { defined $kind->{$_} ? ($_ => $kind->{$_}) : () }
             qw(type name) };
}


sub _text {
    my ($id, $body, $text, %more) = @_;
    return ($id => { body => $body, text => $text, is => 'text/plain', %more });
}


sub _in {
    my ($charset, $id, $text, %more) = @_;
    return _text($id, encode($charset, $text), $text, %more);
}


sub _charsets {
    my $log = "2026-11-26 10:00:00 INFO worker started, 12 ms\n";
    my $code = "int a;                      // counts what is there\n" x 19;
    my $c = "$code    return total;      // 检查数据库连接\n" x 30;
    my $csv = "编号,姓名,金额\n" . "1,abc,2.50\n" x 200;
    my $ini = "[server]\nport=8080\n; 监听端口不能修改\n"
        . "host=example.com\n" x 30;
    my $html = '<html><head><meta charset=gbk><title>登录页面</title></head>'
        . '<body>' . '<p>x</p>' x 99 . "</body></html>\n";
    my $cannot = "エラー：ファイルを開くことができません\n" x 3;
    my $utf16 = "名前,Größe\r\n" x 40;
    my $refused = "错误：无法打开文件，没有访问权限\n";
    my $two = bytes("服务已经启动\n") x 3 . encode('gbk', $refused) x 3;

    return (
        _in('gbk', 'gbk-c', $c, name => 'a.c', is => 'text/x-c',
            bare => 'text/plain'),
        _in('gbk', 'gbk-short', "int x; // 初始化缓冲区\n", name => 'a.c',
            is => 'text/x-c', bare => 'text/plain'),
        _in('gbk', 'gbk-log', $log x 60 . $refused . $log x 30,
            name => 'a.log'),
        _in('gbk', 'gbk-log-late', $log x 6000 . $refused . $log x 2500,
            name => 'a.log'),
        _in('gbk', 'gbk-csv', $csv, type => 'text/csv', is => 'text/csv'),
        _in('gbk', 'gbk-ini', $ini, name => 'a.ini'),
        _in('gbk', 'gbk-html', $html, type => 'text/html', is => 'text/html'),
        _in('gbk', 'gbk-json', qq({"姓名": "张三", "备注": "已经付款"}\n) x 3,
            name => 'a.json', is => 'application/json', bare => 'text/plain'),
        _in('gbk', 'gbk-utf8', $refused x 9, type => 'text/plain; charset=utf-8'),
        _in('big5', 'big5-log',
            $log x 20 . "錯誤：無法開啟檔案，請檢查權限設定\n" x 3, name => 'a.log'),
        _in('big5', 'big5-csv', "編號,姓名,金額\n" . "1,abc,2.50\n" x 200,
            type => 'text/csv', is => 'text/csv'),
        _in('euc-kr', 'euckr-log', $log x 20 . "오류: 파일을 열 수 없습니다\n" x 3,
            name => 'a.log'),
        _in('euc-jp', 'eucjp-log', $log x 20 . $cannot, name => 'a.log'),
        _in('cp932', 'cp932-log', $log x 20 . $cannot, name => 'a.log'),
        _text('utf16', "\xff\xfe" . encode('utf-16le', $utf16), $utf16,
              name => 'a.csv', is => 'text/csv', bare => 'text/plain'),
        _text('two', $log x 9 . $two,
              $log x 9 . "服务已经启动\n" x 3 . $refused x 3, name => 'a.log'),
    );
}


sub _texts {
    my $log = "2026-11-26 10:00:00 INFO worker started, 12 ms\n";
    my $ts = "import { a } from './b';\nexport const c: number = a;\n" x 9;
    my $error = qq({"error":"the image has expired","code":404}\n);
    my $nul = sub { $log x $_[0] . "\0\0" . $log x $_[1] };

    return (
        _text('utf8', bytes("\x{feff}Größe: 你好 \x{1f600}\n"),
              "Größe: 你好 \x{1f600}\n", name => 'a.txt'),
        (map { _text("nul-$_->[0]", $nul->(@$_), $nul->(@$_)
                     =~ s/\0/\x{fffd}/gr, name => 'a.log') }
             [50, 50], [200, 2000], [24000, 90]),
        _text('ts', $ts, $ts, name => 'a.ts', is => 'text/x-typescript',
              bare => 'text/plain'),
        _text('ts-video', $ts, $ts, type => 'video/mp2t'),
        _text('error-png', $error, $error, type => 'image/png',
              name => 'a.png'),
        _text('page-pdf', "<html><body>Not found</body></html>\n",
              "<html><body>Not found</body></html>\n", name => 'a.pdf',
              type => $PDF, is => 'text/html'),
        _text('about-pdf', "See\n%PDF-1.4 is the header,\nsaid the obj.\n",
              "See\n%PDF-1.4 is the header,\nsaid the obj.\n"),
        _text('svg', svg(), svg(), name => 'a.svg', is => 'image/svg+xml'),
        _text('empty', '', '', name => 'a.txt'),
        _text('one', 'x', 'x', name => 'a.txt'),
    );
}


# Tables and pages that are called Excel.

sub _tables {
    my $table = "Name;Größe\nMüller;12\nJörg;4\n" x 3;
    my $paid = "姓名,金额,备注\n张三,12,已经付款\n李四,3,没有问题\n" x 4;
    my $html = '<html><body><table><tr><td>已经付款，没有问题</td></tr></table>'
        . "</body></html>\n";
    my @csv = (type => $EXCEL, name => 'a.csv', is => 'text/csv',
               bare => 'text/plain');

    return (
        _in('cp1252', 'excel-cp1252', $table, @csv),
        _in('utf-8', 'excel-utf8', $table, @csv),
        _in('gbk', 'excel-gbk', $paid, @csv),
        _in('gbk', 'excel-bare', $paid, type => $EXCEL),
        _in('gbk', 'xlsx-gbk', $paid, type => $XLSX, name => 'a.xlsx'),
        _in('utf-8', 'xls-tsv', "a\tb\tc\n1\t2\t3\n" x 9, name => 'a.xls'),
        _in('gbk', 'xls-gbk', $paid =~ tr/,/\t/r, name => 'a.xls'),
        _in('utf-8', 'xls-html', $html, name => 'a.xls', type => $EXCEL,
            is => 'text/html'),
        _in('gbk', 'xls-html-gbk', $html, name => 'a.xls', is => 'text/html'),
    );
}


sub _binary {
    my ($id, $body, $is, %more) = @_;
    return ($id => { body => $body, is => $is, %more });
}


sub _made {
    my ($dir, $suffix, @how) = @_;
    return convert_sample($dir, undef, $suffix, qw(ffmpeg -v error -f lavfi -i),
                          @how, qw(-y OUT));
}


sub _media {
    my ($dir) = @_;
    my @sine = qw(sine=duration=1);
    my @film = (@sine, qw(-f lavfi -i testsrc=duration=1:size=64x64:rate=5));
    my $mp4 = _made($dir, 'mp4', @sine, qw(-c:a aac -movflags faststart));

    return (
        _binary('sound-mp4', $mp4, 'audio/mp4', type => 'video/mp4',
                name => 'a.mp4'),
        _binary('sound-bare', $mp4, 'audio/mp4'),
        _binary('sound-webm', _made($dir, 'webm', @sine, qw(-c:a libopus)),
                'audio/webm', type => 'video/webm'),
        _binary('sound-mkv', _made($dir, 'mkv', @sine, qw(-c:a aac)),
                'audio/x-matroska', type => 'video/x-matroska'),
        _binary('sound-ogg', _made($dir, 'ogg', @sine, qw(-c:a libopus)),
                'audio/ogg', name => 'a.ogg'),
        _binary('film-mp4', _made($dir, 'mp4', @film, qw(-c:a aac -c:v mpeg4)),
                'video/mp4', name => 'a.mp4', type => 'video/mp4'),
        _binary('film-webm', _made($dir, 'webm', @film,
                                   qw(-c:a libopus -c:v libvpx)),
                'video/webm', type => 'video/webm'),
        _binary('film-ts', _made($dir, 'ts', @film, qw(-c:a aac -c:v
                                 mpeg2video)), 'video/mp2t', name => 'a.ts'),
        _binary('mp3-wav', mp3(), 'audio/mpeg', type => 'audio/wav',
                name => 'a.wav'),
        _binary('wav', wav(), 'audio/wav'),
    );
}


sub _images {
    my ($dir) = @_;
    my $tiff = convert_sample($dir, undef, 'tiff', qw(convert -size 40x30
        xc:red xc:blue tiff:OUT));

    return (
        _binary('tiff', $tiff, 'image/tiff', name => 'a.tif'),
        _binary('tiff-jpeg', $tiff, 'image/tiff', type => 'image/jpeg'),
        _binary('bmp', image_of($dir, 'bmp', '40x30'), 'image/bmp'),
        _binary('bmp-png', image_of($dir, 'bmp', '40x30'), 'image/bmp',
                type => 'image/png', name => 'a.png'),
        _binary('ico', image_of($dir, 'ico', '32x32'), 'image/x-icon'),
        _binary('ico-png', image_of($dir, 'ico', '32x32'), 'image/x-icon',
                type => 'image/png'),
        _binary('heic-jpeg', image_of($dir, 'heic', '64x64'), 'image/heic',
                type => 'image/jpeg', name => 'IMG_1.jpg'),
        _binary('avif', image_of($dir, 'avif', '64x64'), 'image/avif'),
        _binary('png-jpg', png(9, 9), 'image/png', name => 'a.jpg'),
        _binary('png-text', png(9, 9), 'image/png', type => 'text/plain'),
        _binary('jpeg-png', jpeg(), 'image/jpeg', type => 'image/png'),
        _binary('gif', gif(), 'image/gif', type => 'image'),
        _binary('webp', webp(), 'image/webp', type => 'image/jpg'),
    );
}


sub _documents {
    my $junk = "Warning: deprecated option\n" x 30;
    my $part = sub { return zip_of('[Content_Types].xml' => '<Types/>',
                                   '_rels/.rels' => '<R/>', @_) };

    return (
        _binary('pdf', pdf(), $PDF, name => 'a.pdf'),
        _binary('pdf-junk', $junk . pdf(), $PDF, type => $PDF),
        _binary('pdf-text', pdf(), $PDF, type => 'text/plain'),
        _binary('docx', docx(), $DOCX, name => 'a.docx', type =>
                'application/zip'),
        _binary('xlsx', xlsx(), $XLSX, type => $EXCEL),
        _binary('pptx', $part->('ppt/presentation.xml' => '<p/>',
                                'ppt/slides/slide1.xml' => '<s/>'), $PPTX,
                name => 'a.pptx'),
        _binary('xlsb', $part->('xl/workbook.bin' => "\x83\1\0",
                                'xl/styles.bin' => 'x'),
                "$EXCEL.sheet.binary.macroenabled.12", type => $XLSX,
                name => 'a.xlsx'),
        _binary('ole', ole(), $EXCEL, name => 'a.xls',
                bare => 'application/x-ole-storage'),
    );
}


sub _others {
    return (
        _binary('zip', zip_of('a.txt' => 'x'), 'application/zip'),
        _binary('gzip', gzip_of('x' x 99), 'application/gzip',
                type => 'text/plain', name => 'a.log'),
        _binary('random', rand_bytes(3000), 'application/octet-stream'),
        _binary('random-text', rand_bytes(3000), 'application/octet-stream',
                type => 'text/plain'),
        _binary('random-png', "\0" . rand_bytes(3000), 'image/png',
                type => 'image/png', fake => 1),
        _binary('nul', "\0", 'application/octet-stream'),
        _binary('empty-pdf', '', $PDF, type => $PDF, fake => 1),
    );
}


# --- answers -----------------------------------------------------------------

# All strings of a value, also of JSON in a string.

sub _strings {
    my ($value) = @_;
    return ref $value eq 'HASH' ? map { _strings($_) } values %$value
        : ref $value eq 'ARRAY' ? map { _strings($_) } @$value
        : !defined $value || ref $value ? ()
        : $value =~ /\A\{"status"/ ? _strings(decode_strict(bytes($value)))
        : $value;
}


# What is carried as base64: [type, base64] each.

sub _carried {
    my ($value) = @_;

    return map { _carried($_) } @$value if ref $value eq 'ARRAY';
    return defined $value && $value =~ /\Adata:([^;,]+);base64,(.*)\z/s
        ? [$1, $2] : () if ref $value ne 'HASH';

    my ($type) = map { $value->{$_} }
        grep { /^(?:media_?type|mime_?type)$/i } keys %$value;
    my ($data) = grep { defined && !ref } @$value{qw(data blob)};

    return [$type, $value->{content}] if $value->{isBinary};
    return [$type // "audio/$value->{format}", $data]
        if defined $data && defined($type // $value->{format});
    return map { _bytes_of($_, $value->{$_}) } keys %$value;
}


# ... in a member of an object.

sub _bytes_of {
    my ($name, $value) = @_;

    return ["$name/$value->{format}", $value->{source}{bytes}]
        if ref $value eq 'HASH' && ref $value->{source} eq 'HASH'
           && defined $value->{source}{bytes};
    return ['audio/*', $value] if $name eq 'input_audio' && !ref $value;
    return _carried($value);
}


# Media types that are told beside what is carried.

sub _told {
    my ($value) = @_;
    return map { _told($_) } @$value if ref $value eq 'ARRAY';
    return if ref $value ne 'HASH';
    return map {
        /^(?:media_?type|mime_?type)$/i && !ref $value->{$_} ? $value->{$_}
            : _told($value->{$_})
    } keys %$value;
}


sub _is_one_of {
    my ($type, @list) = @_;
    return grep { $_ eq '*' || $_ eq $type
                  || /^(.*\/)\*$/ && index($type, $1) == 0 } @list;
}


# What is wrong in the JSON of an answer, '' if nothing is.  format: that of the
# answer; opt: bare: the name was not known; reads: for a model of text only;
# takes: types, instead of what the format takes.

sub kind_wrong {
    my ($kind, $format, $res, %opt) = @_;

    return "status $res->{status}: " . substr $res->body // '', 0, 200
        if $res->status != 200;
    return 'cut' unless $res->{complete};
    my $value = eval { decode_strict($res->body) } // return "no JSON: $@";

    my $is = $opt{bare} && $kind->{bare} || $kind->{is};
    my @carried = _carried($value);
    my @wrong = map { "tells $_" }
        grep { ($NAME{$_} // $_) ne $is } grep { !/^text\/plain$/
            || $kind->{is} !~ /^text/ } _told($value);

    push @wrong, map { "carries another type, $_->[0]" }
        grep { !_is_one_of($is, $NAME{ $_->[0] } // $_->[0]) } @carried;
    push @wrong, 'other bytes' if grep { decode_base64($_->[1])
                                         ne $kind->{body} } @carried;

    my @strings = _strings($value);
    my $want = _wanted($kind, $format, $is, %opt);
    push @wrong, @carried . ' times instead of ' . ($want eq 'bytes' ? 1 : 0)
        if $want ne 'any' && @carried != ($want eq 'bytes' ? 1 : 0);
    push @wrong, 'no words' if $want eq 'words'
        && !grep { /^\[Unreadable\] .*\nType: /m } @strings;
    push @wrong, 'another text' if $want eq 'text'
        && !grep { index($_, _text_of($kind, $format)) >= 0 } @strings;

    return join ', ', @wrong;
}


# "text", "bytes", "words", or "any" of them.

sub _wanted {
    my ($kind, $format, $is, %opt) = @_;
    my $none = $format =~ $FOR_NONE;

    return $none ? 'any' : 'text' if $is eq 'image/svg+xml';
    return 'text' if defined $kind->{text};
    return 'bytes' if $format eq 'object';
    return 'bytes' if $format eq 'openrouter' && $is eq $PDF && !$kind->{fake};
    return 'words' if $opt{reads} || $kind->{fake} && !$none;
    return _is_one_of($is, @{ $opt{takes} // $TAKES{$format} }) ? 'bytes'
                                                                : 'words';
}


sub _text_of {
    my ($kind, $format) = @_;
    return $kind->{text} eq '' && $format =~ $NO_EMPTY ? 'Artifact content ('
                                                       : $kind->{text};
}


1;
