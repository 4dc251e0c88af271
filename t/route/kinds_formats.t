#!/usr/bin/perl

# Files as people have them, in every form that they are read in: routed in each
# format for a model that takes everything and for one that reads, over MCP, raw
# and in a listing; from the store and from another server.  No answer is cut or
# a 502, no media type is false, texts are readable.

use strict;
use warnings;
use utf8;

use Encode qw(encode);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactConvert;
use ArtifactFit;
use ArtifactFixtures;
use ArtifactJSON;
use ArtifactMcp;
use ArtifactTest;
use ArtifactUpstream;

my $t = ArtifactTest->new;
my $dir = $t->prefix;

my @FORMATS = qw(route object tool_message openai openai_responses
                 openai_compatible anthropic gemini bedrock mistral mcp);
my $ALL = 'text, vision, audio, video, file';
my $EXCEL = 'application/vnd.ms-excel';
my $OFFICE = 'application/vnd.openxmlformats-officedocument';

# What each carries as base64, at most.

my $IMAGE = 'image/(?:png|jpeg|gif|webp)';
my $SOUND = 'audio/(?:mpeg|mp3|x-wav|wav)';
my $PDF = 'application/pdf';
my %TAKES = (
    openai => "$IMAGE|$SOUND|$PDF",
    openai_responses => "$IMAGE|$PDF|$OFFICE.*|$EXCEL",
    openai_compatible => "$IMAGE|$SOUND|$PDF|video/mp4",
    anthropic => "$IMAGE|$PDF",
    gemini => "$IMAGE|$SOUND|$PDF|image/hei[cf]|video/(?:mp4|webm)|audio/mp4",
    bedrock => 'none',       # it has formats instead of types
    mistral => "$IMAGE|$SOUND|$PDF",
    mcp => "$IMAGE|(?!image/).*",
);
$TAKES{$_} = '.*' for qw(route object tool_message);

# --- kinds -------------------------------------------------------------------

# name => { body, type, name; words: a text with them; is: its media types; }

my $c = "int main(void)\n{\n    return total;      // CHECK\n}\n\n" x 20;
my $log = "2026-11-26 10:00:00 INFO worker started, 12 ms\n";
my $junk = "Warning: deprecated option\n" x 8;
my @sine = qw(-v error -f lavfi -i sine=duration=2);
my %kind;

sub text {
    my ($id, $body, $words, %more) = @_;
    $kind{$id} = { body => $body, words => $words, is => qr{^text/}, %more };
}

sub binary {
    my ($id, $body, $is, %more) = @_;
    $kind{$id} = { body => $body, is => qr/^(?:$is)$/, %more };
}

text('c-gbk', encode('gbk', $c =~ s/CHECK/检查数据库连接/gr), '检查数据库连接',
     name => 'a.c');
text('c-one', encode('gbk', "int x; // 初始化缓冲区\n"), '初始化缓冲区', name => 'a.c');
text('log-gbk', $log x 60 . encode('gbk', "错误：无法打开文件\n") . $log x 30,
     '错误：无法打开文件', name => 'a.log');
text('csv-gbk', encode('gbk', "编号,姓名,金额\n") . "1,abc,2.50\n" x 200,
     '编号,姓名,金额', type => 'text/csv');
text('ini-gbk', "[server]\nport=8080\n" . encode('gbk', "; 监听端口不能修改\n")
     . "host=example.com\n" x 30, '监听端口不能修改', name => 'a.ini');
text('html-gbk', encode('gbk', "<html><head><meta charset=gbk><title>登录页面"
     . '</title></head><body>' . '<p>x</p>' x 99 . "</body></html>\n"),
     '登录页面', type => 'text/html');
text('log-big5', $log x 20 . encode('big5', "錯誤：無法開啟檔案，請檢查權限設定\n") x 3,
     '無法開啟檔案', name => 'a.log');
text('log-euckr', $log x 20 . encode('euc-kr', "오류: 파일을 열 수 없습니다\n") x 3,
     '파일을 열 수 없습니다', name => 'a.log');
text('log-eucjp', $log x 20
     . encode('euc-jp', "エラー：ファイルを開くことができません\n") x 3,
     'ファイルを開くことができません', name => 'a.log');
text('log-cp932', $log x 20
     . encode('cp932', "エラー：ファイルを開くことができません\n") x 3,
     'ファイルを開くことができません', name => 'a.log');
text('two', $log x 9 . bytes("服务已经启动\n") x 3
     . encode('gbk', "错误：无法打开文件\n") x 3, qr/服务已经启动.*错误：无法打开文件/s,
     name => 'a.log');
text('nul', $log x 90 . "\0\0" . $log x 9, qr/12 ms\n\x{fffd}{2}2026/,
     name => 'a.log');
text('nul-late', $log x 25000 . "\0" . $log x 9, qr/12 ms\n\x{fffd}2026/,
     name => 'a.log');
text('csv-excel', encode('cp1252', "Name;Größe\nMüller;12\nJörg;4\n" x 3),
     'Müller;12', type => $EXCEL, name => 'a.csv');
text('csv-excel8', bytes("Name;Größe\nMüller;12\nJörg;4\n" x 3), 'Müller;12',
     type => $EXCEL, name => 'a.csv');
text('csv-excelgbk', encode('gbk', "姓名,金额\n张三,已经付款\n李四,没有问题\n" x 4),
     '张三,已经付款', type => $EXCEL);
text('tsv-xls', "a\tb\tc\n1\t2\t3\n" x 9, "1\t2\t3", name => 'a.xls');
text('html-xls', "<html><body><table><tr><td>Umsatz</td></tr></table></body>"
     . "</html>\n", 'Umsatz', name => 'a.xls', type => $EXCEL);
text('ts', "import { a } from './b';\nexport const c: number = a;\n" x 9,
     'export const c: number', name => 'a.ts');
text('svg', svg(), '<svg', name => 'a.svg', is => qr{^(?:text/|image/svg)},
     but => qr/route|object|tool_message/);     # an image there
text('empty', '', '', name => 'a.txt');
text('one', 'x', 'x', name => 'a.txt');

binary('sound-mp4', convert_sample($dir, undef, 'mp4', 'ffmpeg', @sine,
       qw(-c:a aac -movflags faststart -y OUT)), 'audio/mp4',
       type => 'video/mp4', name => 'a.mp4');
binary('sound-webm', convert_sample($dir, undef, 'webm', 'ffmpeg', @sine,
       qw(-c:a libopus -y OUT)), 'audio/webm', type => 'video/webm');
binary('sound-mkv', convert_sample($dir, undef, 'mkv', 'ffmpeg', @sine,
       qw(-c:a aac -y OUT)), 'audio/x-matroska', type => 'video/x-matroska');
binary('film', mp4(), 'video/mp4', name => 'a.mp4');
binary('tiff', image_of($dir, 'tiff', '40x30'), 'image/tiff');
binary('bmp', image_of($dir, 'bmp', '40x30'), 'image/bmp');
binary('ico', image_of($dir, 'ico', '32x32'), 'image/x-icon');
binary('heic', heic(), 'image/heic');
binary('avif', avif(), 'image/avif');
binary('png', png(9, 9), 'image/png', name => 'a.jpg', type => 'image/jpeg');
binary('jpeg', jpeg(), 'image/jpeg', type => 'image/png');
binary('gif', gif(), 'image/gif');
binary('webp', webp(), 'image/webp');
binary('pdf', pdf(), 'application/pdf', name => 'a.pdf');
binary('pdf-junk', $junk . pdf(), 'application/pdf', type => 'application/pdf');
binary('docx', docx(), "$OFFICE.wordprocessingml.document", name => 'a.docx');
binary('xlsx', xlsx(), "$OFFICE.spreadsheetml.sheet", type => $EXCEL);
binary('ole', ole(), "$EXCEL|application/x-ole-storage", name => 'a.xls');
binary('zip', zip_of('a.txt' => 'x'), 'application/zip');
binary('gzip', gzip_of('x' x 99), 'application/gzip');
binary('random', rand_bytes(3000), 'application/octet-stream');
binary('mp3', mp3(), 'audio/(?:mpeg|mp3)');
binary('wav', wav(), 'audio/(?:x-)?wav');

$t->artifact($_, $kind{$_}{body}, { map { ($_->[1] => $_->[2]) }
    grep { defined $_->[2] } ['', type => $kind{$_}{type}],
                             ['', name => $kind{$_}{name}] }) for keys %kind;

# --- other servers -----------------------------------------------------------

my %up;

for my $id (keys %kind) {
    my ($type, $body) = @{ $kind{$id} }{qw(type body)};
    $type //= '';

    $up{$id} = { body => $body, type => $type };
}

my $upstream = ArtifactUpstream->new("$dir/up", contents => \%up);

$t->start(server => <<"SERVER");
    artifact_root %%DATA%%;
    artifact_language en;
    artifact_format \$arg_format;
    artifact_index on;

    location /artifacts/ { artifact; }
    location /routed/    { artifact; artifact_route on; }
    location /up/        { artifact_route on;
                           proxy_pass http://unix:$dir/up:/; }
    location = /mcp      { artifact_mcp; }
SERVER

# --- answers -----------------------------------------------------------------

# All strings of a value, and the media types that it tells or carries.

sub strings {
    my ($value) = @_;
    return ref $value eq 'HASH' ? map { strings($_) } values %$value
        : ref $value eq 'ARRAY' ? map { strings($_) } @$value
        : !defined $value ? ()
        : $value =~ /\A\{"/ ? strings(decode_strict(bytes($value)))
        : $value;
}

sub types {
    my ($value) = @_;
    return map { types($_) } @$value if ref $value eq 'ARRAY';
    return $value =~ /\Adata:([^;,]+)/ ? $1 : () if !ref $value;
    return if ref $value ne 'HASH';         # true, false
    return map {
        /^(?:media_?type|mime_?type)$/i && !ref $value->{$_} ? $value->{$_}
            : defined $value->{$_} ? types($value->{$_}) : ()
    } keys %$value;
}

# Media types of what is carried as base64.

sub inlined {
    my ($value) = @_;
    return map { inlined($_) } @$value if ref $value eq 'ARRAY';
    return $value =~ /\Adata:([^;,]+);base64,/ ? $1 : () if !ref $value;
    return if ref $value ne 'HASH';         # true, false
    my ($type) = map { $value->{$_} } grep { /^(?:media_?type|mime_?type)$/i }
        keys %$value;
    return $type if defined $type && grep { defined $value->{$_} } qw(data blob);
    return map { defined $value->{$_} ? inlined($value->{$_}) : () } keys %$value;
}

# What is wrong in an answer, '' if nothing is.

sub wrong {
    my ($id, $value, %opt) = @_;
    my $kind = $kind{$id};
    my @wrong = map { "type $_" }
        grep { $_ !~ $kind->{is} }
        grep { !/^text\/plain/ || $kind->{words} } types($value);

    push @wrong, map { "carries $_" }
        grep { $opt{reads} || !/^$opt{takes}$/ } inlined($value);

    if (defined $kind->{words} && $opt{format} !~ ($kind->{but} // qr/ /)) {
        my $words = ref $kind->{words} ? $kind->{words}
                                       : qr/\Q$kind->{words}\E/;
        push @wrong, 'no words' if join("\n", strings($value)) !~ $words;
        push @wrong, 'U+FFFD' if !ref $kind->{words}
            && join('', strings($value)) =~ /\x{fffd}/;
    }

    return join ', ', sort @wrong;
}

my %seen;

for my $id (sort keys %kind) {
    my (@wrong, $res);
    my $check = sub {
        my ($how, $res, @opt) = @_;
        my $value = $res->status == 200 ? eval { decode_strict($res->body) }
                                        : undef;
        my $wrong = !defined $value ? $res->status . " no JSON $@"
                                    : wrong($id, $value, @opt);
        push @wrong, "$how: $wrong" if $wrong ne '';
        $seen{$how}++;
        return $value;
    };

    # a raw answer has the type that was declared, else that of the content

    $res = $t->get("/artifacts/$id");
    my $type = $res->header('content-type') // 'none';
    push @wrong, "raw: $type" if $res->status != 200
        || $res->body ne $kind{$id}{body}
        || $type !~ $kind{$id}{is} && $type ne ($kind{$id}{type} // $EXCEL);

    for my $format (@FORMATS) {
        for my $place (qw(routed up)) {
            $check->("$place, $format, all", $t->accept($ALL,
                "/$place/$id?format=$format"),
                format => $format, takes => $TAKES{$format});
            $check->("$place, $format, reads", $t->accept('text',
                "/$place/$id?format=$format"),
                format => $format, reads => 1);
        }
    }

    for my $accept ($ALL, 'text') {
        my $answer = mcp_ask($t, 'tools/call', { name => 'read_artifact',
            arguments => { ref => $id } }, headers => ['X-LLM-Capabilities' => $accept]);
        $check->("read_artifact, $accept", $answer, format => 'mcp',
                 $accept eq 'text' ? (reads => 1) : (takes => $TAKES{mcp}));
    }

    is(join("\n", @wrong), '', $id);
}

is(scalar(keys %seen), @FORMATS * 4 + 2, 'all of them were read');

# a listing has the type that was declared, else that of the name

my $list = json_of($t->get('/artifacts/'))->{artifacts};
is(join(', ', sort map { "$_->{id} $_->{mimeType}" }
        grep { $_->{mimeType} !~ /^$kind{ $_->{id} }{is}|octet-stream|excel$/
               && $_->{mimeType} ne ($kind{ $_->{id} }{type} // '') } @$list),
   '', 'the listing tells no false type');
is(scalar @$list, scalar keys %kind, 'of all of them');

$upstream->stop;
$t->finish;
