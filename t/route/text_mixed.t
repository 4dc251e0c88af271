#!/usr/bin/perl

# Texts as developers in all countries have them: little in another charset in
# much ASCII, two charsets in one file, NULs, tables that are called Excel.  What
# a reader gets, a model's request, a message, and a search for words.

use strict;
use warnings;
use utf8;

use Encode qw(encode);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactJSON;
use ArtifactMcp;
use ArtifactTest;
use ArtifactUpstream;

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $n = 0;

# --- contents ----------------------------------------------------------------

my $code = "    if (buffer->pos == NULL) {\n        return -1;\n    }\n";
my $log = "2024-05-01 10:00:00 [worker-1] INFO GET /api/v1/items/17 200\n";
my $row = "4711,widget,12.50,in stock\n";
my $UTF8 = 'utf-8-strict';

# each is a list of charsets and texts that follow each other

my %texts = (
    'comments in GBK' => ['main.c', map { [gbk => "$code$code$code"
        . "    // 初始化数据库连接 $_\n"] } 1 .. 40],
    'one line of a long log in GBK' =>
        ['app.log', [ascii => $log x 700], [gbk => "ERROR 打开文件失败\n"],
         [ascii => $log x 700]],
    'a head of a table in GBK' =>
        ['t.csv', [gbk => "订单编号,产品,数量,备注\n"], [ascii => $row x 300]],
    'settings in Big5' => ['a.ini', [ascii => "[main]\n" . "a=1\n" x 500],
                           [big5 => "; 設定檔讀取失敗\n"]],
    'a page in EUC-KR' =>
        ['p.html', [ascii => "<p>words</p>\n" x 200],
         ['euc-kr' => "<p>데이터베이스 연결</p>\n"]],
    'a line in EUC-JP' => ['a.log', [ascii => $log x 30],
                           ['euc-jp' => "設定ファイルの読み込み\n"]],
    'a line in cp932' => ['b.log', [ascii => $log x 300],
                          [cp932 => "書き込みに失敗しました\n"],
                          [ascii => $log x 30]],
    'a line in windows-1251' =>
        ['c.log', [ascii => $log x 30], [cp1251 => "Ошибка записи в файл\n"]],
    'words in windows-1252' =>
        ['d.txt', [ascii => $log x 9],
         ['cp1252' => "Die Größe der Datei prüfen\n"]],
    'a log in UTF-8 with lines in GBK' =>
        ['e.log', map { ([$UTF8 => "$log INFO 用户登录成功 $_\n"],
                         [gbk => "ERROR 数据库连接超时 $_\n"]) } 1 .. 300],
    'the same, the other way round' =>
        ['f.log', [gbk => "ERROR 数据库连接超时\n" x 400],
         [$UTF8 => "用户登录成功\n" x 400]],
    'UTF-8 with a line in windows-1251' =>
        ['g.log', [$UTF8 => "Ошибка записи\n" x 20],
         [cp1251 => "Нет доступа к файлу\n"], [$UTF8 => "Готово\n" x 20]],
    'a mark of UTF-8, then GBK' =>
        ['h.log', [$UTF8 => "\x{feff}开始记录日志\n"],
         [gbk => "设置超时时间\n" x 3]],
);

my %content;

for my $what (keys %texts) {
    my ($name, @parts) = @{ $texts{$what} };
    my $bytes = join '', map { encode($_->[0], $_->[1]) } @parts;
    (my $want = join '', map { $_->[1] } @parts) =~ s/^\x{feff}//;
    $content{$what} = [$name, $bytes, $want];
}

my $crash = $log x 90 . "\0" x 5 . $log x 90 . "\0\nthe needle is here\n"
    . $log x 200;
my $dump = join '', map { "INSERT INTO t VALUES ($_, 'some words of a row');\n" }
    1 .. 100;
$dump .= "INSERT INTO t VALUES (0, 'a\0b');\n" . $dump;
my $late = $log x 900;
substr $late, 10_000, 400, "\0" x 400;

for (['a log with NULs', 'i.log', $crash], ['a dump with a BLOB', 'j.sql', $dump],
     ['a hole where nobody looks', 'k.log', $late . 'the needle' . "\n"]) {
    my ($what, $name, $bytes) = @$_;
    (my $want = $bytes) =~ s/\0/\x{fffd}/g;
    $content{$what} = [$name, $bytes, $want];
}

# nine lines of ten

my $junk = "\x93\x01\xfe\xff\x02 junk\n";
$content{'a line of junk'} = ['l.log', $log x 20 . $junk . $log x 20,
    $log x 20 . "\x{fffd}\x01\x{fffd}\x{fffd}\x02 junk\n" . $log x 20];

my %id = map { $_ => 'm' . ++$n } sort keys %content;
$t->artifact($id{$_}, $content{$_}[1], { name => $content{$_}[0] })
    for keys %content;

my $store = ArtifactUpstream->new("$dir/store", contents => {
    map { $id{$_} => { body => $content{$_}[1], type => 'text/plain' } }
        keys %content
});
my $echo = ArtifactUpstream->echo("$dir/echo");

$t->start(server => mcp_server(server => <<"SERVER"));
    location /routed/    { artifact; artifact_route on; }
    location /message/   { artifact_message; }
    location /up/        { artifact_route on; proxy_pass http://unix:$dir/store:/; }
    location /store/     { internal; proxy_pass http://unix:$dir/store:/; }
    location /v1/        { artifact_expand on; proxy_pass http://unix:$dir/echo:; }
    location /far/v1/    { artifact_expand on; artifact_source /store/;
                           proxy_pass http://unix:$dir/echo:; }
SERVER

# --- every reader ------------------------------------------------------------

sub asked_model {
    my ($at, $id) = @_;
    my $body = encode_json_bytes({ model => 'm', messages => [{ role => 'user',
        content => [{ type => 'artifact', artifact => "artifact:$id" }] }] });
    my $res = $t->req('POST', "${at}v1/chat/completions", body => $body,
                      headers => ['Content-Type' => 'application/json']);
    return (0, $res->{status}) if $res->{status} != 200;
    my $message = json_of($res)->{messages}[0];
    return (1, join '', map { $_->{text} // '' } @{ $message->{content} });
}

for my $what (sort keys %content) {
    my (undef, undef, $want) = @{ $content{$what} };
    my $id = $id{$what};

    for my $at ('/routed/', '/up/') {
        my $res = $t->accept('text', "$at$id");
        is(route_problems($res), '', "$what, $at: a whole answer");
        my $data = eval { json_of($res) } // {};
        ok(($data->{content} // '') eq $want, "$what, $at: as it was written")
            or diag(bytes(substr($data->{content} // '', 0, 200)));
    }
    for my $at ('/', '/far/') {
        my ($good, $text) = asked_model($at, $id);
        ok($good && index($text, $want) >= 0, "$what, ${at}v1: as it was written")
            or diag(bytes(substr $text, 0, 300));
    }
}

sub found {
    my ($what, $words, $want) = @_;
    my $got = mcp_words(mcp_tool($t, 'read_artifact', {
        ref => "artifact:$id{$what}", grep => $words, context => 0 }));
    my @lines = $got =~ /^\d+:(.*)$/mg;
    is(scalar @lines, $want, "$what: lines that match " . bytes($words))
        or diag(bytes(substr $got, 0, 300));
}

found('comments in GBK', '数据库', 40);
found('one line of a long log in GBK', '打开文件', 1);
found('a line in cp932', '失敗', 1);
found('a log in UTF-8 with lines in GBK', '登录', 300);
found('a log in UTF-8 with lines in GBK', '超时', 300);
found('a log with NULs', 'needle', 1);
found('a hole where nobody looks', 'needle', 1);
found('a line of junk', 'junk', 1);

my $last = mcp_words(mcp_tool($t, 'read_artifact', {
    ref => "artifact:$id{'UTF-8 with a line in windows-1251'}",
    lines => '-21' }));
like($last, qr/\A21:Нет доступа/, 'the last lines of it');

# --- a comment alone ---------------------------------------------------------

for my $comment (qw(初始化数据库连接 获取用户信息 设置超时时间 读取配置文件
                    检查参数 发送请求 释放内存 更新缓存 解析命令行
                    写入日志 打开文件失败 返回错误码 遍历列表 线程池大小
                    关闭套接字 校验签名 权限不足 重试次数 上传完成 用户名))
{
    my $id = 'c' . ++$n;
    $t->artifact($id, encode('gbk', "// $comment\n"), undef);
    is(json_of($t->accept('text', "/routed/$id"))->{content}, "// $comment\n",
       'alone: ' . bytes($comment));
}

# --- tables that are called Excel --------------------------------------------

my $table = "姓名,电话,备注\n张三,1,无\n李四,2,有\n";
my $excel = 'application/vnd.ms-excel';

for my $case (['a .csv in GBK', 't.csv', $table, 'text/csv', 'gbk'],
              ['a .csv in UTF-8', 't.csv', $table, 'text/csv', $UTF8],
              ['TSV in GBK', 't.xls', $table =~ s/,/\t/gr, 'text/plain', 'gbk'],
              ['a page in windows-1251', 't.xls', "<html><table><td>Номер заказа"
               . "</td><td>Количество</td></table></html>\n", 'text/html',
               'cp1251'])
{
    my ($what, $name, $text, $type, $charset) = @$case;
    my $id = 'e' . ++$n;
    $t->artifact($id, encode($charset, $text), { type => $excel, name => $name });
    my $res = $t->accept('text', "/routed/$id");
    is(routing_of($res), "text text $type", "$what: a text");
    is(json_of($res)->{content}, $text, "$what: as it was written");

    $t->artifact("p$id", encode($charset, $text), { type => 'image/png' });
    is(json_of($t->accept('text, vision', "/routed/p$id"))->{metadata}{mimeType},
       $charset eq $UTF8 ? 'text/plain' : 'image/png',
       "$what: an image stays one") if $name ne 't.xls';
}

$t->artifact('broken', "\x93\0\1\2\xff" x 90, { type => $excel });
is(json_of($t->accept('text', '/routed/broken'))->{metadata}{mimeType}, $excel,
   'what is binary stays Excel');

$t->finish;
$_->stop for $store, $echo;
