#!/usr/bin/perl

# corpus.pl
#
# Makes t/data/corpus.json, the contents of t/route/corpus.t: at least 400 files as
# programs write them, each with what it is taken for.  ffmpeg, gzip and their
# like write them; what they cannot write is made here, after the
# formats' specifications.  Of a large file the first 4 KB are
# kept.
#
# The file is committed, so that the tests need none of these programs.

use strict;
use warnings;
use utf8;

use Cwd qw(abs_path);
use Encode qw(encode);
use File::Temp qw(tempdir);
use FindBin;
use JSON::PP;
use MIME::Base64 qw(encode_base64);

use lib "$FindBin::Bin/../t/lib";
use ArtifactCheck;
use ArtifactFixtures;

my $OUT = abs_path("$FindBin::Bin/..") . '/t/data/corpus.json';
my $OOXML = 'application/vnd.openxmlformats-officedocument.';
my $ODF = 'application/vnd.oasis.opendocument.';

my $dir = tempdir(CLEANUP => 1);
my (@cases, %seen);

chdir $dir or die "$dir: $!\n";
rand_seed(2026);

images();
media();
archives();
office();
programs();
texts();
charsets();

open my $out, '>:raw', "$OUT.tmp" or die "$OUT.tmp: $!\n";
print $out JSON::PP->new->utf8->canonical->encode(\@cases) =~ s/\},\{/},\n{/gr,
    "\n";
close $out or die "$OUT.tmp: $!\n";
rename "$OUT.tmp", $OUT or die "$OUT: $!\n";

print scalar @cases, " contents\n";


# add NAME, BYTES, KIND, TYPE: the type that the name tells, and with "alone"
# what the content alone tells, if that is less.

sub add {
    my ($name, $bytes, $kind, $type, %more) = @_;

    return if !defined $bytes;
    die "$name: twice\n" if $seen{$name}++;

    $bytes = substr($bytes, 0, 4096) if length $bytes > 6000;

    push @cases, { name => $name, kind => $kind, type => $type,
                   data => encode_base64($bytes, ''), %more };
}

sub made {
    my ($name, @command) = @_;

    open my $null, '>', '/dev/null' or die;
    my $pid = fork // die;
    if (!$pid) {
        open STDOUT, '>&', $null;
        open STDERR, '>&', $null;
        exec @command or exit 127;
    }
    waitpid $pid, 0;
    return undef if $? != 0 || !-s $name;

    open my $in, '<:raw', $name or die "$name: $!\n";
    my $bytes = do { local $/; <$in> };
    unlink $name;
    return $bytes;
}


sub images {
    my %type = (png => 'image/png', jpg => 'image/jpeg', gif => 'image/gif',
                webp => 'image/webp', bmp => 'image/bmp', tiff => 'image/tiff',
                jp2 => 'image/jp2', avif => 'image/avif',
                jxl => 'image/jxl', ico => 'image/x-icon');
    my @how = ([plain => ()], [gray => qw(-pix_fmt gray)],
               [large => qw(-s 90x70)]);

    for my $ext (sort keys %type) {
        for my $how (@how) {
            my ($what, @options) = @$how;
            my $name = "$what.$ext";
            my $bytes = made($name, qw(ffmpeg -y -f lavfi -i),
                             'testsrc=size=32x20', qw(-frames:v 1), @options,
                             $name);
            add($name, $bytes, 'image', $type{$ext});
        }
    }
    add("drawn-$_.ico", ico($_), 'image', 'image/x-icon') for 16, 32;
    add("order-$_->[0].tif", $_->[1] . "\0" x 90, 'image', 'image/tiff')
        for [little => "II*\0\x08\0\0\0"], [big => "MM\0*\0\0\0\x08"];
    add('a.psd', "8BPS\0\1" . "\0" x 90, 'image',
        'image/vnd.adobe.photoshop');
    add("tool-$_.svg", svg(), 'image', 'image/svg+xml') for 1;
    add('codestream.j2k', "\xff\x4f\xff\x51\0\x29" . "\0\1" x 60, 'image',
        'image/jp2');
    add('bare.jxl', "\xff\x0a\xfa\x7f\1\x90" . "\1\2\xff" x 60, 'image',
        'image/jxl');
    add('boxed.jxl', "\0\0\0\x0cJXL \r\n\x87\n\0\0\0\x14ftypjxl " . "\0" x 60,
        'image', 'image/jxl');

    my %brand = (
        heic => ['image', 'image/heic', qw(heic heix heim heis hevc hevx)],
        heif => ['image', 'image/heif', qw(mif1 msf1)],
        avif => ['image', 'image/avif', qw(avif avis)],
        cr3 => ['image', 'image/x-canon-cr3', 'crx '],
        m4a => ['audio', 'audio/mp4', 'M4A ', 'M4B ', 'M4P '],
        aax => ['audio', 'audio/vnd.audible.aax', 'aax '],
        m4v => ['video', 'video/mp4', 'M4V ', 'M4VH', 'M4VP'],
        mp4 => ['video', 'video/mp4', qw(isom iso2 mp41 mp42 avc1 dash)],
        mov => ['video', 'video/quicktime', 'qt  '],
        '3gp' => ['video', 'video/3gpp', qw(3gp4 3gp5 3gp6 3gpp)],
        '3g2' => ['video', 'video/3gpp2', qw(3g2a 3g2b)],
        mj2 => ['video', 'video/mj2', qw(mjp2 mj2s)],
    );
    for my $ext (sort keys %brand) {
        my ($kind, $type, @brands) = @{ $brand{$ext} };
        for my $brand (@brands) {
            (my $name = "brand-$brand.$ext") =~ s/ //g;
            add($name, "\0\0\0\x18ftyp$brand\0\0\2\0${brand}isom"
                . "\0\0\1\0moov" . "\0\1\2" x 80, $kind, $type);
        }
    }
}


sub ico {
    my ($size) = @_;
    return "\0\0\1\0\1\0" . pack('CC', $size, $size) . "\0\0\1\0\x20\0"
        . pack('VV', 40 + 4 * $size * $size, 22) . pack('V', 40)
        . "\x33\x66\x99\xff" x ($size * $size);
}


sub media {
    my @tone = qw(-f lavfi -i sine=duration=0.3);
    my @film = qw(-f lavfi -i testsrc=duration=0.3:size=64x48:rate=10);
    my %audio = (
        wav => 'audio/wav', mp3 => 'audio/mpeg', aac => 'audio/aac',
        m4a => 'audio/mp4', flac => 'audio/flac', ogg => 'audio/ogg',
        opus => 'audio/ogg', oga => 'audio/ogg', aiff => 'audio/aiff',
        au => 'audio/basic', wma => 'audio/x-ms-wma',
        mka => 'audio/x-matroska', weba => 'audio/webm',
        mp2 => 'audio/mpeg', spx => 'audio/ogg',
    );
    my %option = (weba => ['-f', 'webm'], oga => ['-c:a', 'flac'],
                  mka => ['-c:a', 'libopus']);
    for my $ext (sort keys %audio) {
        for my $rate (48000, 44100, 32000) {
            my $name = "tone-$rate.$ext";
            add($name, made($name, 'ffmpeg', '-y', @tone, '-ar', $rate,
                            @{ $option{$ext} || [] }, $name), 'audio',
                $audio{$ext});
        }
    }
    add('untagged.mp3', made('untagged.mp3', 'ffmpeg', '-y', @tone,
                             qw(-write_xing 0 -id3v2_version 0 untagged.mp3)),
        'audio', 'audio/mpeg');
    add('tune.mid', "MThd\0\0\0\6\0\0\0\1\0\x60MTrk\0\0\0\4\0\xff\x2f\0",
        'audio', 'audio/midi');
    add('voice.amr', "#!AMR\n\x3c" . "\x55\0\x91" x 40, 'audio', 'audio/amr');

    my %video = (
        mp4 => 'video/mp4', mov => 'video/quicktime', m4v => 'video/mp4',
        '3gp' => 'video/3gpp', '3g2' => 'video/3gpp2',
        mkv => 'video/x-matroska', webm => 'video/webm',
        avi => 'video/x-msvideo', flv => 'video/x-flv',
        wmv => 'video/x-ms-wmv', mpg => 'video/mpeg', m2ts => 'video/mp2t',
        ogv => 'video/ogg', asf => 'video/x-ms-asf',
    );
    for my $ext (sort keys %video) {
        for my $how ([silent => @film], [sound => @film, @tone]) {
            my ($what, @in) = @$how;
            my $name = "$what.$ext";
            my @codec = $ext =~ /^3g/ ? qw(-c:v mpeg4 -c:a aac) : ();
            add($name, made($name, 'ffmpeg', '-y', @in, @codec, $name),
                'video', $video{$ext},
                $ext eq 'asf' ? (alone => 'video/x-ms-wmv') : ());
        }
    }
}


sub archives {
    my $text = "words\n" x 90;
    my %packed = (gz => ['gzip', 'application/gzip'],
                  bz2 => ['bzip2', 'application/x-bzip2'],
                  xz => ['xz', 'application/x-xz'],
                  zst => ['zstd', 'application/zstd']);
    for my $ext (sort keys %packed) {
        my ($program, $type) = @{ $packed{$ext} };
        for my $level (1, 9) {
            my $name = "packed-$level.$ext";
            spew('in', $text);
            add($name, made($name, 'sh', '-c',
                            "$program -$level -c in > $name"), 'other', $type);
        }
    }
    for my $format (qw(ustar gnu pax v7)) {
        my $name = "$format.tar";
        spew('in', $text);
        add($name, made($name, 'tar', "--format=$format", '-cf', $name, 'in'),
            'other', 'application/x-tar');
    }
    add('plain.zip', zip_of('a.txt' => 'x'), 'other', 'application/zip');
    add('two.zip', zip_of('a.txt' => 'x', 'b/c.txt' => 'y'), 'other',
        'application/zip');
    add('words.zip', zip_of('word/notes.txt' => 'x'), 'other',
        'application/zip');
    add('none.zip', "PK\5\6" . "\0" x 18, 'other', 'application/zip');
    add('a.rar', "Rar!\x1a\7\0" . "\xcf\x90\x73" x 20, 'other',
        'application/vnd.rar');
    add('b.rar', "Rar!\x1a\7\1\0" . "\xcf\x90\x73" x 20, 'other',
        'application/vnd.rar');
    add('a.7z', "7z\xbc\xaf\x27\x1c\0\4" . "\x9a\1" x 30, 'other',
        'application/x-7z-compressed');
    add('a.cab', "MSCF\0\0\0\0\x99\0\0\0" . "\0\1" x 30, 'other',
        'application/vnd.ms-cab-compressed');
    add('a.deb', "!<arch>\ndebian-binary   1342943816  0     0     100644  4"
        . "         `\n2.0\n" . "\x1f\x8b\0\1" x 20, 'other',
        'application/vnd.debian.binary-package');
}


sub office {
    my %of = (docx => ['word', 'document.xml', 'wordprocessingml.document'],
              xlsx => ['xl', 'workbook.xml', 'spreadsheetml.sheet'],
              pptx => ['ppt', 'presentation.xml',
                       'presentationml.presentation']);
    for my $ext (sort keys %of) {
        my ($folder, $main, $type) = @{ $of{$ext} };
        my $types = '[Content_Types].xml';
        my %order = (
            usual => [$types, '_rels/.rels', "$folder/$main"],
            main => ["$folder/$main", $types],
            rels => ['_rels/.rels', 'docProps/app.xml', "$folder/$main",
                     $types],
            media => ["$folder/media/image1.png", "$folder/$main", $types],
            theme => ["$folder/theme/theme1.xml", $types],
            props => ['docProps/core.xml', 'docProps/app.xml',
                      "$folder/_rels/$main.rels", $types],
        );
        for my $order (sort keys %order) {
            add("$order.$ext", zip_of(map { $_ => "<x/>" x 9 }
                                      @{ $order{$order} }),
                'document', $OOXML . $type);
        }
        add("named.$ext", zip_of('a' => 'x'), 'document', $OOXML . $type,
            alone => 'application/zip', wrong => $OOXML . $type);
    }
    for my $type (qw(text spreadsheet presentation graphics formula
                     text-template spreadsheet-template
                     presentation-template))
    {
        my %ext = (text => 'odt', spreadsheet => 'ods', presentation => 'odp',
                   graphics => 'odg', formula => 'odf',
                   'text-template' => 'ott', 'spreadsheet-template' => 'ots',
                   'presentation-template' => 'otp');
        add("stored.$ext{$type}",
            zip_of(mimetype => $ODF . $type, 'content.xml' => '<x/>'),
            'document', $ODF . $type);
    }
    add('stored.epub', zip_of(mimetype => 'application/epub+zip',
                              'META-INF/container.xml' => '<x/>'),
        'document', 'application/epub+zip');
    add('lax.epub', zip_of('META-INF/container.xml' => '<x/>'), 'document',
        'application/epub+zip');
    add('a.vsdx', zip_of('visio/document.xml' => '<x/>'), 'document',
        'application/vnd.ms-visio.drawing.main+xml');
    add('a.jar', zip_of('META-INF/MANIFEST.MF' => 'x'), 'other',
        'application/java-archive');
    add('b.jar', zip_of('a.class' => 'x', 'META-INF/MANIFEST.MF' => 'x'),
        'other', 'application/java-archive');
    for my $member (qw(AndroidManifest.xml classes.dex resources.arsc)) {
        add("$member.apk", zip_of($member => 'x', 'META-INF/X.SF' => 'x'),
            'other', 'application/vnd.android.package-archive');
    }
    for my $member (qw(install.rdf META-INF/mozilla.rsa META-INF/mozilla.sf)) {
        (my $name = "$member.xpi") =~ s/.*\///;
        add($name, zip_of($member => 'x', 'manifest.json' => '{}'), 'other',
            'application/x-xpinstall');
    }

    my %ole = (
        doc => ['application/msword', 'WordDocument'],
        xls => ['application/vnd.ms-excel', 'Workbook', 'Book'],
        ppt => ['application/vnd.ms-powerpoint', 'PowerPoint Document'],
        msg => ['application/vnd.ms-outlook', '__properties_version1.0',
                '__nameid_version1.0'],
        vsd => ['application/vnd.visio', 'VisioDocument'],
    );
    for my $ext (sort keys %ole) {
        my ($type, @names) = @{ $ole{$ext} };
        for my $i (0 .. $#names) {
            for my $sector (1, 3, 6) {
                add("dir$sector-$i.$ext", ole_of($sector, $names[$i]),
                    'document', $type);
            }
        }
    }
    add("$_.pdf", "%PDF-$_\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<<>>\nendobj\n"
        . "\0\1\2" x 30, 'document', 'application/pdf')
        for qw(1.0 1.3 1.4 1.5 1.6 1.7 2.0);
    add('prefixed.pdf', "\r\n\r\n" . pdf() . "\0\xff", 'document',
        'application/pdf');
    add('mail.pdf', "X-Header: 1\r\n\r\n" . pdf() . "\0\xff", 'document',
        'application/pdf');
    add('ascii.pdf', pdf(), 'document', 'application/pdf');
    add('a.rtf', "{\\rtf1\\ansi words}", 'document', 'application/rtf');
}


sub ole_of {
    my ($sector, @names) = @_;
    my $head = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" . "\0" x 16
        . pack('vvvvv', 0x3e, 3, 0xfffe, 9, 6) . "\0" x 14
        . pack('V', $sector);
    $head .= "\0" x (512 - length $head);
    my $dir = join '', map {
        my $name = pack('v*', unpack('C*', $_), 0);
        $name . "\0" x (64 - length $name) . pack('v', length $name)
            . "\0" x 62
    } 'Root Entry', @names;
    return $head . "\5\0" x (256 * $sector) . $dir . "\0" x 512;
}


sub programs {
    my @rows = (
        ['a.class', "\xca\xfe\xba\xbe\0\0\0\x34" . "\0\1" x 30,
         'application/java-vm'],
        ['a.wasm', "\0asm\1\0\0\0" . "\1\2" x 30, 'application/wasm'],
        ['a.sqlite', "SQLite format 3\0\x10\0" . "\1\1" x 40,
         'application/vnd.sqlite3'],
        ['a.parquet', "PAR1\x15\0\x15" . "\0\x80" x 30,
         'application/vnd.apache.parquet'],
        ['a.otf', "OTTO\0\x0b\0\x80" . "\0\1" x 30, 'font/otf'],
        ['a.ttf', "\0\1\0\0\0\x0b\0\x80" . "\0\1" x 30, 'font/ttf'],
        ['a.woff', "wOFF\0\1\0\0" . "\0\1" x 30, 'font/woff'],
        ['a.woff2', "wOF2\0\1\0\0" . "\0\1" x 30, 'font/woff2'],
        ['a.glb', "glTF\2\0\0\0" . "\0\1" x 30, 'model/gltf-binary'],
    );
    add($_->[0], $_->[1], 'other', $_->[2]) for @rows;
    add('program.bin', elf(), 'other', 'application/x-executable',
        named => 'application/x-executable');
}


sub texts {
    my %type = (
        graphql => 'application/graphql', json => 'application/json',
        jsonl => 'application/jsonl', sql => 'application/sql',
        toml => 'application/toml', php => 'application/x-httpd-php',
        ipynb => 'application/x-ipynb+json', sh => 'application/x-sh',
        bash => 'application/x-sh', tex => 'application/x-tex',
        yaml => 'application/yaml', yml => 'application/yaml',
        ics => 'text/calendar', css => 'text/css', scss => 'text/css',
        csv => 'text/csv', js => 'text/javascript', mjs => 'text/javascript',
        md => 'text/markdown', txt => 'text/plain', log => 'text/plain',
        conf => 'text/plain', ini => 'text/plain', diff => 'text/plain',
        srt => 'text/plain', tsv => 'text/tab-separated-values',
        vtt => 'text/vtt', c => 'text/x-c', h => 'text/x-c',
        cc => 'text/x-c++', cpp => 'text/x-c++', cs => 'text/x-csharp',
        go => 'text/x-go', java => 'text/x-java', kt => 'text/x-kotlin',
        lua => 'text/x-lua', pl => 'text/x-perl', py => 'text/x-python',
        rb => 'text/x-ruby', rs => 'text/x-rust', swift => 'text/x-swift',
        tsx => 'text/x-typescript', vue => 'text/x-vue',
        eml => 'message/rfc822', ps => 'application/postscript',
        obj => 'model/obj', mtl => 'model/mtl', gltf => 'model/gltf+json',
        asx => 'audio/x-ms-asx', m3u => 'audio/x-mpegurl',
    );
    my %body = (
        words => "some words, and then \"some more\"\n" x 9,
        chinese => bytes("第一行的内容，还有 words\n" x 9),
        emoji => bytes("done \x{1f389}\x{2705} next\n" x 9),
    );
    for my $ext (sort keys %type) {
        for my $what (sort keys %body) {
            next if $what eq 'emoji' && length $ext > 2;
            add("$what.$ext", $body{$what}, 'text', $type{$ext},
                alone => 'text/plain');
        }
    }
    add('a.html', "<!DOCTYPE html>\n<html><p>hi</p></html>\n", 'text',
        'text/html');
    add('b.html', "\n<!-- c -->\n<html><p>hi</p></html>\n", 'text',
        'text/html');
    add('a.xhtml', "<?xml version='1.0'?>\n<html xmlns='x'/>\n", 'text',
        'application/xhtml+xml');
    add('a.xml', "<?xml version='1.0'?>\n<a/>\n", 'text', 'application/xml');
}


sub charsets {
    my %text = (
        zh => "工件内容读取失败。请检查文件是否损坏，然后重新上传。\n",
        tw => "工件內容讀取失敗。請檢查檔案是否損壞，然後重新上傳。\n",
        ja => "ファイルを読み取れませんでした。もう一度お試しください。\n",
        ko => "파일을 읽을 수 없습니다. 다시 시도해 주십시오.\n",
        ru => "Не удалось прочитать файл. Попробуйте ещё раз позже.\n",
        fr => "Le café à la crème, où l'été était très agréable; déjà.\n",
        de => "Die Datei ließ sich nicht lesen; prüfen Sie die Größe.\n",
        el => "Δεν ήταν δυνατή η ανάγνωση του αρχείου. Δοκιμάστε ξανά.\n",
        th => "ไม่สามารถอ่านไฟล์ได้ โปรดตรวจสอบไฟล์แล้วลองอีกครั้ง\n",
        ar => "تعذرت قراءة الملف. يرجى التحقق من الملف والمحاولة\n",
        he => "לא ניתן לקרוא את הקובץ. נא לבדוק את הקובץ ולנסות שוב\n",
    );
    my %charset = (
        zh => ['gbk', 'hz'], tw => ['big5'], ja => ['shiftjis', 'euc-jp'],
        ko => ['euc-kr'], ru => ['cp1251', 'koi8-r', 'cp866'],
        fr => ['iso-8859-1', 'cp1252'], de => ['iso-8859-1'],
        el => ['iso-8859-7'], th => ['cp874'], ar => ['cp1256'],
        he => ['cp1255'],
    );
    for my $language (sort keys %text) {
        my @charsets = (grep({ $_ ne 'hz' } @{ $charset{$language} }),
                        'UTF-16LE', 'UTF-16BE', 'UTF-16', 'UTF-8');
        for my $charset (@charsets) {
            for my $times (3, 20) {
                my $want = $text{$language} x $times;
                add("$language-$times-$charset.txt", encode($charset, $want),
                    'text', 'text/plain', text => $want);
            }
        }
    }
}
