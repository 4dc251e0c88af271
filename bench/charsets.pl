#!/usr/bin/perl

# How many texts in other charsets are read as they were written.  Texts are
# made of translations that Debian's packages have installed, and of some
# phrases below: comments in a source, lines in a log, tables, settings, pages,
# prose, with few or many bytes that are not ASCII.  The core classifies and
# converts each (bench/charsets.c).  The texts are the same each time, as long
# as the packages are.
#
#     perl bench/charsets.pl [-l] [-n texts] [program ...]
#
# -l lists the texts that came out wrong, -n says how many there are of each
# charset, density and kind; with two programs, the table has both.

use strict;
use warnings;
use utf8;

use Encode qw(decode encode);
use FindBin;
use Getopt::Std;

binmode STDOUT, ':utf8';

# what iconv calls it, its languages

my @charsets = (
    ['GB18030', 'zh_CN'], ['CP950', 'zh_TW'], ['CP932', 'ja'],
    ['EUC-JP', 'ja'], ['CP949', 'ko'], ['CP1251', 'ru'], ['KOI8-R', 'ru'],
    ['CP1252', 'de', 'fr', 'es'], ['CP1250', 'pl', 'cs', 'hu'],
    ['ISO-8859-2', 'pl', 'cs', 'hu'], ['CP1253', 'el'], ['CP1254', 'tr'],
    ['CP1255', 'he'], ['CP1256', 'ar'],
);

# of all bytes, those that are not ASCII; 1: each line has some

my @densities = (0.003, 0.01, 0.04, 0.2, 1);
my %label = (0.003 => '0.3 %', 0.01 => '1 %', 0.04 => '4 %', 0.2 => '20 %',
             1 => 'all');

my @packages = qw(coreutils git tar wget systemd apt dpkg findutils grep sed
                  make shadow psql-15 bash procps-ng gtk30 gettext-tools);

my %phrases = (
    zh_CN => ['初始化数据库连接', '获取用户信息', '设置超时时间',
              '读取配置文件', '检查参数是否合法', '发送请求并等待响应',
              '释放内存', '更新缓存', '解析命令行参数', '写入日志失败',
              '打开文件失败', '返回错误码', '循环遍历列表', '线程池大小',
              '关闭套接字', '校验签名', '权限不足', '重试次数', '上传完成',
              '用户名或密码错误', '姓名', '电话', '备注', '数量',
              '订单编号', '创建时间', '删除临时目录', '网络连接超时'],
    zh_TW => ['初始化資料庫連線', '取得使用者資訊', '設定逾時時間',
              '讀取設定檔', '檢查參數是否合法', '送出要求並等待回應',
              '釋放記憶體', '更新快取', '寫入紀錄失敗', '開啟檔案失敗',
              '傳回錯誤碼', '權限不足', '姓名', '電話', '備註', '數量'],
    ja => ['データベース接続を初期化', 'ユーザー情報を取得',
           'タイムアウトを設定', '設定ファイルの読み込み', '引数を検査する',
           'メモリを解放', 'キャッシュ更新', '書き込みに失敗しました',
           'ファイルが開けません', '名前', '電話番号', '備考', '数量',
           '接続エラー', '権限がありません'],
    ko => ['데이터베이스 연결 초기화', '사용자 정보 가져오기',
           '시간 제한 설정', '설정 파일 읽기', '인자 검사',
           '메모리 해제', '캐시 갱신', '로그 쓰기 실패', '파일 열기 실패',
           '이름', '전화번호', '비고', '수량', '연결 오류', '권한 없음'],
    ru => ['Инициализация соединения с базой', 'Получить пользователя',
           'Ошибка записи в журнал', 'таймаут', 'имя', 'телефон',
           'количество', 'Нет прав доступа', 'Проверка параметров'],
);

my %option = (n => 7);
getopts('ln:', \%option) or exit 1;
my @programs = @ARGV ? @ARGV : ("$FindBin::Bin/../build/bench_charsets");

my $seed = 1;

sub below {
    my ($n) = @_;
    $seed = ($seed * 1103515245 + 12345) & 0x7fffffff;
    return ($seed >> 8) % $n;
}

sub pick { return $_[below(scalar @_)] }

# The translations of a language, one a line.

sub translations {
    my ($language) = @_;
    my @found;

    for my $package (@packages) {
        my $file = "/usr/share/locale/$language/LC_MESSAGES/$package.mo";
        next if !-r $file;
        open my $fh, '-|', "msgunfmt $file 2>/dev/null | msgconv --no-wrap "
            . '-t UTF-8 2>/dev/null' or die "msgunfmt: $!\n";
        binmode $fh, ':utf8';

        while (my $line = <$fh>) {
            next if $line !~ /^msgstr(?:\[0\])? "(.+)"$/;
            (my $text = $1) =~ s/\\n.*//;
            $text =~ s/\\.//g;
            my $wide = () = $text =~ /[^\x00-\x7f]/g;
            push @found, $text
                if length $text >= 4 && length $text <= 60
                   && $wide >= ($language =~ /^(?:de|fr|es|pl|cs|hu|tr)$/
                                ? 1 : length($text) / 2);
        }
    }

    return @found;
}

sub word { return pick(qw(value buffer index count name size offset request
                          state item handler result config list error)) }

# Lines of ASCII, and lines with a phrase.

my %kinds = (
    comment => ['main.c',
        sub { return pick('    ' . word() . ' = ' . word() . '->' . word() . ';',
                          '    if (' . word() . ' == NULL) {', '    }', '',
                          'static int ' . word() . '_' . word() . '(void);') },
        sub { return pick("    /* $_[0] */", "    // $_[0]",
                          '    ' . word() . "++;  // $_[0]") }],
    log => ['server.log',
        sub { return sprintf '2024-05-%02d 10:%02d:%02d.%03d [worker-%d] INFO  '
                  . 'http - GET /api/v1/%s/%d 200 %dms', 1 + below(28),
                  below(60), below(60), below(1000), below(8), word(),
                  below(9999), below(400) },
        sub { return sprintf '2024-05-%02d 10:%02d:%02d.%03d [worker-%d] ERROR '
                  . 'db - %s', 1 + below(28), below(60), below(60),
                  below(1000), below(8), $_[0] }],
    table => ['table.csv',
        sub { return join ',', below(9999), word(), below(99) . '.5', word() },
        sub { return join ',', $_[0], below(9999), word(), $_[0] }],
    settings => ['app.ini',
        sub { return pick('[' . word() . ']', word() . '=' . below(9999),
                          word() . '.' . word() . '=' . word()) },
        sub { return pick("; $_[0]", "title=$_[0]") }],
    page => ['index.html',
        sub { return '<li class="' . word() . '"><a href="/' . word() . '/'
                  . below(999) . '">' . word() . '</a></li>' },
        sub { return pick("<p>$_[0]</p>", "<td>$_[0]</td>") }],
    prose => ['notes.txt',
        sub { return join ' ', map { word() } 1 .. 10 },
        sub { return $_[0] }],
);

sub text {
    my ($kind, $density, $wide, @phrases) = @_;
    my (undef, $plain, $coded) = @{ $kinds{$kind} };
    my $n = $density < 0.04 ? 1 + below(4)
          : $density < 0.2 ? 1 + below(10)
          : 1 + below($density < 1 || below(2) ? 30 : 2);
    my @lines = map { $coded->(pick(@phrases)) } 1 .. $n;
    my $bytes = 0;
    $bytes += $wide * (() = /[^\x00-\x7f]/g) for @lines;

    my (@ascii, $length);
    for ($length = $bytes; $density < 1 && $length < $bytes / $density; ) {
        push @ascii, $plain->();
        $length += 1 + length $ascii[-1];
    }

    # a table's head comes first, anything else anywhere

    my @all = $kind eq 'table' ? @lines : ();
    if ($kind ne 'table') {
        @all = @ascii;
        splice @all, below(@all + 1), 0, $_ for @lines;
    } else {
        push @all, @ascii;
    }

    return join("\n", @all) . "\n";
}

my (@corpus, $input);
$input = '';

for my $row (@charsets) {
    my ($charset, @languages) = @$row;
    my $wide = $charset =~ /GB|950|932|EUC|949/ ? 2 : 1;
    my %from = map { $_ => [translations($_)] } @languages;

    for my $density (@densities) {
        for my $kind (sort keys %kinds) {
            for my $i (1 .. $option{n}) {
                my $language = $languages[$i % @languages];
                my @known = @{ $phrases{$language} // [] };
                my @phrases = $i % 2 && @known ? @known : @{ $from{$language} };
                next if !@phrases;
                my $text = text($kind, $density, $wide, @phrases);
                my $bytes = encode('UTF-8', $text);
                push @corpus, { charset => $charset, density => $density,
                                kind => $kind, text => $text };
                $input .= "$charset $kinds{$kind}[0] " . length($bytes)
                    . "\n$bytes";
            }
        }
    }
}

# The outcome of each text, by a program.

sub outcomes {
    my ($program) = @_;
    my $file = $ENV{KEEP} // "/tmp/charsets.$$";
    open my $out, '>:raw', $file or die "$file: $!\n";
    print $out $input;
    close $out or die "$file: $!\n";
    my @lines = `$program < $file`;
    unlink $file if !$ENV{KEEP};
    chomp @lines;
    @lines == @corpus or die "$program: " . @lines . ' answers to ' . @corpus
        . " texts\n";
    return map { [split] } @lines;
}

my (%total, %good, %kind, $texts);

for my $p (0 .. $#programs) {
    my @outcomes = outcomes($programs[$p]);

    for my $i (0 .. $#corpus) {
        my ($outcome, $taken) = @{ $outcomes[$i] };
        next if $outcome eq 'skip';
        my $case = $corpus[$i];

        for my $density ($case->{density}, 'sum') {
            for my $charset ($case->{charset}, 'all') {
                $total{$charset}{$density}[$p]++;
                $good{$charset}{$density}[$p] += $outcome eq 'ok';
            }
        }
        $kind{$case->{kind}}{$outcome}[$p]++;

        if ($option{l} && $p == $#programs && $outcome ne 'ok') {
            my ($line) = grep { /[^\x00-\x7f]/ } split /\n/, $case->{text};
            print "$outcome $case->{charset} as $taken, $case->{kind}, ",
                "$label{$case->{density}}: $line\n";
        }
    }
}

sub cell {
    my ($charset, $density) = @_;
    return join ' → ', map {
        my $n = $total{$charset}{$density}[$_] or return '-';
        sprintf '%.0f', 100 * $good{$charset}{$density}[$_] / $n;
    } 0 .. $#programs;
}

printf "%d texts\n\n| charset | %s | together |\n| --- |%s\n",
    $total{all}{sum}[0], join(' | ', map { $label{$_} } @densities),
    ' --- |' x (@densities + 1);
for my $charset((map { $_->[0] } @charsets), 'all') {
    printf "| %s | %s |\n", $charset,
        join ' | ', map { cell($charset, $_) } @densities, 'sum';
}
print "\n";
for my $name (sort keys %kind) {
    print "$name: ", join(', ', map { my $o = $_; "$o " . join ' → ',
        map { $kind{$name}{$o}[$_] // 0 } 0 .. $#programs }
        sort keys %{ $kind{$name} }), "\n";
}
