#!/usr/bin/perl

# Files as people have them: sound in the container of a film, tables that are
# called Excel, a PDF behind lines of a tool.  The content decides about what it
# shows, whatever name or type it comes with; real files of ffmpeg's.

use strict;
use warnings;
use utf8;

use Encode qw(encode);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactConvert;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $EXCEL = 'application/vnd.ms-excel';
my $XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
my $XLSB = 'application/vnd.ms-excel.sheet.binary.macroenabled.12';

my @sine = qw(-f lavfi -i sine=duration=2);
my @film = (@sine, qw(-f lavfi -i testsrc=duration=2:size=64x64));
my %body;

sub made {
    my ($name, @how) = @_;
    $body{$name} = convert_sample($dir, undef, $name =~ s/.*\.//r,
                                  qw(ffmpeg -v error), @how, qw(-y OUT));
}

made('sound.webm', @sine, qw(-c:a libopus));
made('sound.mkv', @sine, qw(-c:a aac));
made('sound.mp4', @sine, qw(-c:a aac));
made('long.mp4', qw(-f lavfi -i sine=duration=300 -c:a aac));
made('fast.mp4', @sine, qw(-c:a aac -movflags faststart));
made('parts.mp4', @sine, qw(-c:a aac -movflags frag_keyframe+empty_moov));
made('film.webm', @film, qw(-c:a libopus -c:v libvpx));
made('film.mkv', @film, qw(-c:a aac -c:v mpeg4));
made('film.mp4', @film, qw(-c:a aac -c:v mpeg4));
made('quick.mp4', @film, qw(-c:a aac -c:v mpeg4 -movflags faststart));
made('mute.mp4', qw(-f lavfi -i testsrc=duration=2:size=64x64 -c:v mpeg4));

my $socket = "$dir/up.sock";
my $upstream = ArtifactUpstream->new($socket, contents => {
    map { $_ => { body => $body{$_}, type => /\.(\w+)$/ && $1 eq 'mkv'
                  ? 'video/x-matroska' : "video/$1" } } keys %body
});

$t->start(server => <<"SERVER");
    artifact_root %%DATA%%;
    artifact_route on;

    location /artifacts/ {
        artifact;
    }
    location /up/ {
        proxy_pass http://unix:$socket:/;
    }
SERVER

my $n = 0;

sub kind {
    my ($content, %meta) = @_;
    my $id = 'k' . ++$n;
    $t->artifact($id, $content, %meta ? { %meta } : undef);
    return kind_of("/artifacts/$id");
}

sub kind_of {
    my ($uri) = @_;
    my $res = $t->accept('text, vision, audio, video, file', $uri);
    my $wrong = route_problems($res);
    return $wrong ? "malformed: $wrong" : routing_of($res);
}

# sound

my %audio = (webm => 'audio/webm', mkv => 'audio/x-matroska',
             mp4 => 'audio/mp4');

for my $name (sort keys %body) {
    my ($ext) = $name =~ /\.(\w+)$/;
    my $type = $ext eq 'mkv' ? 'video/x-matroska' : "video/$ext";
    my $sound = $name !~ /film|quick|mute/;
    my $want = $sound ? "binary file $audio{$ext}" : "binary file $type";

    is(kind($body{$name}, type => $type), $want, "$name, declared $type");
    is(kind($body{$name}, name => $name), $want, "$name, by its name");
    is(kind($body{$name}), $want, "$name, nothing declared")
        if $sound || $ext ne 'mkv';

    # of a response only the beginning is known

    is(kind_of("/up/$name"), $want, "$name, a response")
        if $name !~ /^(?:sound|long)\.mp4$/;
}

is(kind($body{'sound.mp4'}, type => 'audio/x-m4a'), 'binary file audio/mp4',
   'sound that is declared as sound');
is(kind($body{'sound.mkv'}, type => 'audio/x-matroska'),
   'binary file audio/x-matroska', 'the same in Matroska');

# QuickTime's own brand, with the tracks behind the media, and Microsoft's files

made('memo.mov', @sine, qw(-c:a aac));
made('film.mov', @film, qw(-c:a aac -c:v mpeg4));
made('memo.wma', @sine);
made('film.wmv', @film);

for (['memo.mov', 'audio/mp4', 'video/quicktime'],
     ['film.mov', 'video/quicktime', 'video/mp4'],
     ['memo.wma', 'audio/x-ms-wma', 'video/x-ms-wmv'],
     ['film.wmv', 'video/x-ms-wmv', 'video/x-ms-wmv'])
{
    my ($name, $is, $type) = @$_;
    is(kind($body{$name}, type => $type), "binary file $is",
       "$name, declared $type");
    is(kind($body{$name}), "binary file $is", 'nothing declared');
}

# tables

my $table = "Name;Größe\nMüller;12\nSchäfer;3\nJörg;4\n";
my $chinese = "姓名,金额,备注\n张三,12,已经付款\n李四,3,没有问题\n" x 4;
my $html = "<html><head><title>Liste</title></head><body><table><tr><td>Größe"
    . "</td></tr></table></body></html>\n";

for my $text (encode('cp1252', $table), bytes($table), encode('gbk', $chinese),
              join("\t", 1 .. 9) . "\n")
{
    for my $type ($EXCEL, $XLSX) {
        is(kind($text, type => $type, name => 'a.csv'), 'text text text/csv',
           "a table of " . length($text) . ' bytes, declared as Excel');
        is(kind($text, type => $type), 'text text text/plain',
           'without a name');
    }

    is(kind($text, name => 'a.xls'), 'text text text/plain', 'called .xls');
}

is(json_of($t->accept('text', '/artifacts/k' . ($n - 9)))->{content} =~ /已经/
   ? 1 : 0, 1, 'it reads as Chinese');
is(kind(encode('cp1252', $html), type => $EXCEL), 'text text text/html',
   'HTML that is called Excel');
is(kind("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" . "\0" x 600, type => $EXCEL),
   "binary file $EXCEL", 'what is one stays one');
is(kind(encode('cp1252', $table), type => 'image/png'), 'image image_url image/png',
   'a guess makes no text of a picture');

my $xlsb = zip('[Content_Types].xml' => '<Types/>', '_rels/.rels' => '<R/>',
               'xl/workbook.bin' => "\x83\1\0", 'xl/styles.bin' => 'x');

is(kind($xlsb), "binary file $XLSB", 'an XLSB is no XLSX');
is(kind($xlsb, type => $XLSX), "binary file $XLSB", 'whatever is declared');
is(kind($xlsb, name => 'b.xlsb'), "binary file $XLSB", 'by its name');

# a PDF behind what a tool has printed

my $pdf = pdf();

for my $junk ("Warning: deprecated option\n", "HTTP/1.1 200 OK\r\nServer: x\r\n\r\n",
              ('log of a tool' x 5 . "\n") x 12)
{
    is(kind($junk . $pdf, type => 'application/pdf'),
       'binary file application/pdf', length($junk) . ' bytes before a PDF');
    is(kind($junk . $pdf, name => 'a.pdf'),
       'binary file application/pdf', 'by its name');
    is(kind($junk . $pdf), 'binary file application/pdf', 'nothing declared');
}

is(kind("See\n%PDF-1.4 is the header,\nsaid the obj.\n"),
   'text text text/plain', 'a text about PDF');
is(kind("# PDF\n\n%PDF-1.4\n1 0 obj\n<< >>\nendobj\n", name => 'a.md'),
   'text text text/markdown', 'a listing in a text that is declared');

$upstream->stop;
$t->finish;


# A ZIP of stored members.

sub zip {
    my (@members) = @_;
    my ($all, $directory, $count) = ('', '', 0);

    while (my ($name, $content) = splice @members, 0, 2) {
        my $fields = pack 'vvvvvVVVvv', 20, 0, 0, 0, 0, 0, length $content,
            length $content, length $name, 0;
        $directory .= "PK\1\2" . pack('v', 20) . $fields
            . pack('vvvVV', 0, 0, 0, 0, length $all) . $name;
        $all .= "PK\3\4" . $fields . $name . $content;
        $count++;
    }

    return $all . $directory . "PK\5\6" . pack 'vvvvVVv', 0, 0, $count, $count,
        length $directory, length $all, 0;
}
