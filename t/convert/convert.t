#!/usr/bin/perl

# The example converter by itself: each conversion with real files, and what
# becomes of files and clients that mean no good.

use strict;
use warnings;
no utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactCheck;
use ArtifactConvert;
use ArtifactFixtures;
use ArtifactHTTP;
use ArtifactTest;
use Digest::SHA qw(sha256_hex);
use Errno qw(EAGAIN);
use IO::Socket::INET;
use Time::HiRes qw(sleep);

plan(skip_all => 'not installed: ' . convert_missing()) if convert_missing();

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $port = $t->port;
my $DOCX = $ArtifactConvert::DOCX;
my $OFFICE = 'application/vnd.openxmlformats-officedocument.';
my $XLSX = "${OFFICE}spreadsheetml.sheet";
my $PPTX = "${OFFICE}presentationml.presentation";
my $ODT = 'application/vnd.oasis.opendocument.text';
my $FOX = "The quick brown fox\njumps over invoice 4711";


sub post {
    my ($to, $type, $bytes, %opt) = @_;

    return ArtifactHTTP->new($port, timeout => 120)->request('POST',
        "/convert/$to", headers => ['Content-Type' => $type], body => $bytes,
        %opt);
}


sub start {
    return ArtifactConvert->new($dir, listen => "127.0.0.1:$port", @_);
}


sub eventually {
    my ($true) = @_;

    for (1 .. 600) {
        return 1 if $true->();
        sleep 0.05;
    }
    return 0;
}


# --- each conversion ---------------------------------------------------------

my $page = <<'HTML';
<html><head><title>T</title></head><body><h1>Title</h1>
<p>Words, <b>bold</b>.</p><img alt="a chart" src="data:image/png;base64,AAAA">
<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>
</body></html>
HTML

my $svg = '<svg xmlns="http://www.w3.org/2000/svg" width="100" height="50">'
    . '<rect width="100" height="50" fill="red"/></svg>';

my $wav = sound_of($dir, 'wav');

my $SALES = quotemeta("## Sales\n\n| Name | a\\|b |\n| --- | --- |\n| Müller | 12 |\n");
my $ROWS = quotemeta('[rows 1 to 2000 of 2502]');
my $TWO = quotemeta("## Two\n\n|  | x y |\n");

my @CASES = (
    # to, type, content, answer's type, what it is
    ['jpeg', 'image/heic', image_of($dir, 'heic', '800x600'),
     'image/jpeg', 'JPEG 800x600'],
    ['jpeg', 'image/heic', tiled_heic($dir), 'image/jpeg', 'JPEG 2000x1500'],
    ['jpeg', 'image/avif', image_of($dir, 'avif', '800x600'),
     'image/jpeg', 'JPEG 800x600'],
    ['jpeg', 'image/tiff', image_of($dir, 'tiff', '400x300'),
     'image/jpeg', 'JPEG 400x300'],
    ['jpeg', 'image/bmp', image_of($dir, 'bmp', '400x300'),
     'image/jpeg', 'JPEG 400x300'],
    ['jpeg', 'image/svg+xml', $svg, 'image/jpeg', 'JPEG 2000x1000'],
    ['jpeg', 'image/tiff', image_of($dir, 'tiff', '400x300', '',
                                    qw(-colorspace CMYK)),
     'image/jpeg', 'JPEG 400x300'],
    ['fit', 'image/png', image_of($dir, 'png', '9000x6000'),
     'image/png', 'PNG 2000x1333'],
    ['fit', 'image/png', image_of($dir, 'png', '80x60'), 'image/png',
     'PNG 80x60'],
    ['fit', 'image/png', image_of($dir, 'png', '2400x1200', '',
                                  qw(-seed 1 +noise Random)),
     'image/jpeg', 'JPEG 2000x1000'],
    ['fit', 'image/jpeg', image_of($dir, 'jpeg', '9000x6000'),
     'image/jpeg', 'JPEG 2000x1333'],
    ['fit', 'image/jpeg', turned(image_of($dir, 'jpeg', '300x200')),
     'image/jpeg', 'JPEG 200x300'],
    ['fit', 'image/gif', gif(), 'image/png', 'PNG 1x1'],
    ['fit', 'image/webp', image_of($dir, 'webp', '2200x1100'),
     'image/jpeg', 'JPEG 2000x1000'],
    ['text', 'application/pdf', text_pdf('Report of the year'),
     'text/plain; charset=utf-8', qr/\AReport of the year\n/],
    ['text', 'application/pdf', scan_of($dir, 'page one', 'page two'),
     'text/plain; charset=utf-8', qr/page one\s+page two/],
    ['text', 'application/pdf', named_scan('page one', 'page two'),
     'text/plain; charset=utf-8', qr/page one.*\n.*page two/s],
    ['text', 'application/pdf', joined_pdf(),
     'text/plain; charset=utf-8',
     qr/\Aa page of text.*\n.*page two.*\n.*Last of all\n/s],
    ['text', 'image/tiff', fax('page one', 'page two', 'page three'),
     'text/plain; charset=utf-8', qr/page one\s+page two\s+page three/],
    ['fit', 'image/x-icon', icon(16, 64, 32), 'image/png', 'PNG 64x64'],
    ['text', 'image/png', image_of($dir, 'png', '1000x300', $FOX),
     'text/plain; charset=utf-8', qr/quick brown fox\s+jumps over invoice/],
    ['text', 'image/heic', image_of($dir, 'heic', '1000x300', $FOX),
     'text/plain; charset=utf-8', qr/invoice 4711/],
    ['markdown', $DOCX, made_by_pandoc('docx'), 'text/markdown; charset=utf-8',
     qr/\A# Title\n\nWords, \*\*bold\*\*\./],
    ['markdown', $ODT, made_by_pandoc('odt'), 'text/markdown; charset=utf-8',
     qr/^# Title\n\nWords, \*\*bold\*\*\./m],
    ['markdown', 'application/rtf', made_by_pandoc('rtf'),
     'text/markdown; charset=utf-8', qr/Words, \*\*bold\*\*\./],
    ['markdown', 'application/epub+zip', made_by_pandoc('epub'),
     'text/markdown; charset=utf-8', qr/^# Title\n\nWords, \*\*bold\*\*\./m],
    ['markdown', 'text/html', $page, 'text/markdown; charset=utf-8',
     qr/\A# Title\n\nWords, \*\*bold\*\*\.\n\na chart\n\n\| a +\| b +\|/],
    ['markdown', $XLSX, by_python(<<'PY'), 'text/markdown; charset=utf-8',
import openpyxl
b = openpyxl.Workbook()
b.active.title = 'Sales'
for row in (['Name', 'a|b'], ['Müller', 12.0], *([n] for n in range(2500))):
    b.active.append(row)
b.create_sheet('Empty')
b.create_sheet('Two')['B1'] = 'x\ny'
b.save('out')
PY
     qr/\A$SALES.*$ROWS\n\n$TWO/s],
    ['markdown', 'application/vnd.ms-excel', by_python(<<'PY'),
import xlwt
b = xlwt.Workbook()
s = b.add_sheet('Liste')
s.write(0, 0, 'Name')
s.write(1, 0, 'Müller')
s.write(1, 1, 3.5)
b.save('out')
PY
     'text/markdown; charset=utf-8',
     qr/\A## Liste\n\n\| Name \|  \|\n\| --- \| --- \|\n\| Müller \| 3\.5 \|/],
    ['markdown', $PPTX, by_python(<<'PY'), 'text/markdown; charset=utf-8',
import zipfile
with zipfile.ZipFile('out', 'w') as z:
    for n, t in ((1, 'First'), (10, 'Last'), (2, 'Second')):
        z.writestr(f'ppt/slides/slide{n}.xml', '<s xmlns:a="http://schemas.open'
            'xmlformats.org/drawingml/2006/main"><a:p><a:r><a:t>' + t
            + '</a:t></a:r><a:r><a:t> title</a:t></a:r></a:p></s>')
PY
     qr/\A## Slide 1\n\nFirst title\n\n## Slide 2\n\nSecond .*## Slide 3\n\nLast/s],
    ['frames', 'video/mp4', film(), 'image/jpeg', 'JPEG 1998x1998'],
    ['mp3', 'audio/wav', $wav, 'audio/mpeg', 'mp3'],
    ['mp3', 'audio/flac', sound_of($dir, 'flac'), 'audio/mpeg', 'mp3'],
    ['mp3', 'audio/x-ms-wma', sound_of($dir, 'wma'), 'audio/mpeg', 'mp3'],
    ['mp3', 'audio/ogg', sound_of($dir, 'ogg'), 'audio/mpeg', 'mp3'],
    ['mp3', 'audio/mp4', sound_of($dir, 'm4a'), 'audio/mpeg', 'mp3'],
);

my $server = start();
my ($res, %first);

for my $case (@CASES) {
    my ($to, $from, $content, $type, $what) = @$case;
    my $res = post($to, "$from; charset=x", $content);
    my $name = "$from to $to";

    is($res->status, 200, $name) or diag($res->body);
    header_is($res, 'Content-Type', $type, "$name: the type");

    if ($what eq 'mp3') {
        ok(is_mp3($res->body), "$name: an MP3");

    } elsif (ref $what) {
        like($res->body, $what, "$name: the text");

    } else {
        is(convert_size($dir, $res->body), $what, "$name: the image");
    }

    $first{"@$case"} = sha256_hex($res->body);
}

for my $case (@CASES) {
    my ($to, $from, $content, undef, $what) = @$case;
    next if $what =~ /x1333/;       # takes a while

    is(sha256_hex(post($to, $from, $content)->body), $first{"@$case"},
       "$from to $to: the same again");
}

ok(eventually(sub { !$server->files }), 'no file is left');

# what is left out is told

$server->stop;
$server = start(pages => 2);
like(post('text', 'application/pdf', scan_of($dir, map { "page $_" } 1 .. 4))
         ->body, qr/^\[pages 1 to 2 of 4 have been read: those behind them are/m,
     'a PDF with more pages');
like(post('text', 'image/tiff', fax(map { "page $_" } 1 .. 3))->body,
     qr/^\[pages 1 to 2 of 3 have been read: those behind them are/m,
     'a fax with more');

# by other servers

is(post('transcript', 'audio/wav', $wav)->status, 501, 'no server for speech');
is(post('caption', 'image/png', png())->status, 501, 'nor for images');
$server->stop;

my @asked;
my $other = model_server();
$ENV{ARTIFACT_CONVERT_KEY} = 'sk-hidden';
$server = start(transcribe => "http://127.0.0.1:$other->{port}/v1/audio/"
                . 'transcriptions whisper-1', caption =>
                "http://127.0.0.1:$other->{port}/v1/chat/completions seer");
delete $ENV{ARTIFACT_CONVERT_KEY};

$res = post('transcript', 'audio/wav', $wav);
is($res->status . ' ' . $res->body, "200 heard 200 whisper-1 Bearer sk-hidden\n",
   'what is said');
$res = post('caption', 'image/heic', $CASES[0][2]);
is($res->status . ' ' . $res->body, "200 seen seer data:image/jpeg\n",
   'what is seen');
is(post('caption', 'image/gif', gif())->status, 422, 'refused there');
kill KILL => $other->{pid};
waitpid $other->{pid}, 0;
is(post('caption', 'image/png', png())->status, 503, 'gone');
unlike(slurp("$dir/convert.log"), qr/sk-hidden/, 'the key is in no log');

# --- what is no such thing ---------------------------------------------------

$server->stop;
is(join(' ', glob "$dir/convert/*"), '', 'nothing is left at its end');
$server = start(memory => 1 << 30);

my $big = png_bomb(30000, 30000);
my $secret = "$dir/secret.png";
my $listener = IO::Socket::INET->new(Listen => 5, LocalAddr => '127.0.0.1',
                                     Blocking => 0);
my $http = 'http://127.0.0.1:' . $listener->sockport . '/x.png';

spew($secret, image_of($dir, 'png', '100x50'));

for my $case (
    [415, 'jpeg', 'text/plain', 'words', 'a type that is not taken'],
    [415, 'mp3', 'image/png', png(), 'a type of another conversion'],
    [415, 'jpeg', '', png(), 'no type'],
    [404, 'exe', 'image/png', png(), 'no such conversion'],
    [404, '../../etc/passwd', 'image/png', png(), 'nor such a path'],
    [422, 'fit', 'image/png', image_of($dir, 'bmp', '40x30'),
     'a BMP that is called PNG'],
    [422, 'fit', 'image/png', '', 'no bytes'],
    [422, 'fit', 'image/png', rand_bytes(5000), 'garbage for PNG'],
    [422, 'jpeg', 'image/heic', rand_bytes(5000), 'garbage for HEIC'],
    [422, 'jpeg', 'image/svg+xml', rand_bytes(5000), 'garbage for SVG'],
    [422, 'text', 'application/pdf', rand_bytes(5000), 'garbage for PDF'],
    [422, 'markdown', $DOCX, rand_bytes(5000), 'garbage for DOCX'],
    [422, 'mp3', 'audio/flac', rand_bytes(5000), 'garbage for FLAC'],
    [422, 'markdown', $XLSX, rand_bytes(5000), 'garbage for XLSX'],
    [422, 'markdown', 'application/vnd.ms-excel', rand_bytes(5000),
     'garbage for XLS'],
    [422, 'markdown', $PPTX, rand_bytes(5000), 'garbage for PPTX'],
    [422, 'markdown', $PPTX, made_by_pandoc('docx'), 'a DOCX called PPTX'],
    [422, 'frames', 'video/mp4', rand_bytes(5000), 'garbage for video'],
    [422, 'fit', 'image/x-icon', rand_bytes(5000), 'garbage for an icon'],
    [422, 'jpeg', 'image/heic', substr($CASES[0][2], 0, 700),
     'a truncated HEIC'],
    [422, 'markdown', $DOCX, substr(made_by_pandoc('docx'), 0, 3000),
     'a truncated DOCX'],
    [422, 'fit', 'image/png', $big, '30000x30000 pixels'],
    [422, 'fit', 'image/png', png_bomb(16000, 16000), '16000x16000 pixels'],
    [422, 'markdown', $DOCX, zip_bomb(3000), 'a DOCX of 3 GB'],
    [422, 'fit', 'image/png', "push graphic-context\nviewbox 0 0 9 9\n"
     . "image over 0,0 0,0 'file://$secret'\npop graphic-context\n",
     'MVG that is called PNG'],
    [422, 'fit', 'image/jpeg', $svg, 'SVG that is called JPEG'],
    [422, 'jpeg', 'image/tiff', "%!PS\n(/etc/passwd) (r) file\n",
     'PostScript that is called TIFF'],
    [422, 'mp3', 'audio/mpeg', "#EXTM3U\n#EXTINF:1,\nfile://$secret\n",
     'a playlist that is called MP3'],
    [204, 'text', 'image/png', image_of($dir, 'png', '200x100'),
     'an image without words'],
) {
    my ($status, $to, $type, $content, $name) = @$case;
    my $res = post($to, $type, $content);

    is($res->status, $status, "$name: $status") or diag($res->body);
    unlike($res->body, qr{/tmp|root:}, "$name: no path");
}

is(post('fit', 'image/png', $_)->status, 200, 'an image is taken after that')
    for png();

# other files and hosts

my $plain = post('fit', 'image/svg+xml', $svg)->body;

for my $what ("<image href='file://$secret' width='100' height='50'/>",
              "<image href='$secret' width='100' height='50'/>",
              "<image href='in' width='100' height='50'/>",
              "<image href='$http' width='100' height='50'/>",
              "<style>\@import url('$http');</style>",
              "<xi:include xmlns:xi='http://www.w3.org/2001/XInclude'"
              . " parse='text' href='file:///etc/passwd'/>")
{
    (my $bad = $svg) =~ s{</svg>}{$what</svg>};
    my $res = post('fit', 'image/svg+xml', $bad);

    ok($res->status == 422 || $res->body eq $plain, "SVG: $what");
}

for my $what ("<img src='file:///etc/passwd'>", "<img src='$http'>",
              "<iframe src='/etc/passwd'></iframe>",
              "<link rel='stylesheet' href='$http'>",
              "<object data='file:///etc/passwd'></object>")
{
    my $res = post('markdown', 'text/html', "<p>words</p>$what");

    unlike($res->body, qr/root:/, "HTML: $what");
}

ok(!$listener->accept && $! == EAGAIN, 'nobody has asked another host');

# --- clients -----------------------------------------------------------------

$res = post('fit', 'image/png', 'x' x (200 << 20));
is($res->status, 413, '200 MB: 413');
like($res->body, qr/^it has more than \d+ bytes$/, '200 MB: words');

my $client = ArtifactHTTP->new($port);
$client->send("POST /convert/fit HTTP/1.1\r\nHost: x\r\n"
              . "Content-Type: image/png\r\n\r\n");
is($client->response('POST')->status, 411, 'no length: 411');
is(ArtifactHTTP->new($port)->request('GET', '/convert/fit')->status, 501,
   'GET: 501');
$server->stop;
is(join(' ', glob "$dir/convert/*"), '', 'nothing is left at its end');

# one slot, which a conversion holds that ends with its client

my $noise = png_noise($dir, '4000x4000');
$server = start(slots => 1, wait => 0.2, time => 900, cpu => 900);

for my $whole (0, 1) {
    my $slow = ArtifactHTTP->new($port);
    $slow->send("POST /convert/fit HTTP/1.1\r\nHost: x\r\nContent-Type: "
                . "image/png\r\nContent-Length: 5000\r\n\r\nhalf");
    is(post('fit', 'image/png', png())->status, 200,
       'a slow client holds no slot');

    $client = ArtifactHTTP->new($port);
    $client->send(ArtifactHTTP::format_request('POST', '/convert/text',
        headers => ['Content-Type' => 'image/png'], body => $noise));
    ok(eventually(sub { $server->children }), 'it works on the noise');
    is(post('fit', 'image/png', png())->status, 503, 'no slot is free: 503');

    my @programs = $server->children;
    $whole ? $server->stop : $client->close;
    ok(eventually(sub { !grep { -e } @programs }), 'the program has ended');
    next if $whole;

    $slow->close;
    ok(eventually(sub { !$server->files }), 'its files are gone');
    is(post('fit', 'image/png', png())->status, 200, 'the slot is free');
}

is(join(' ', glob "$dir/convert/*"), '', 'nothing is left at its end');

# limits

$server = start(slots => 1, cpu => 1, listen => "unix:$dir/convert.sock");
is(by_curl('text', 'image/png', $noise), 422, 'too much work: 422');
$server->stop;

$server = start(file => 100000);
is(post('mp3', 'audio/wav', $wav)->status, 200, 'not too large: 200');
is(post('mp3', 'audio/wav', sound_of($dir, 'wav', qw(-t 60)))->status, 422, 'too large: 422');
$server->stop;

$server = start(time => 2, cpu => 900);
is(post('text', 'image/png', $noise)->status, 504, 'too long: 504');

$client = ArtifactHTTP->new($port);
$client->send("POST /convert/fit HTTP/1.1\r\nHost: x\r\nContent-Type: "
              . "image/png\r\nContent-Length: 5000\r\n\r\nhalf");
ok($client->at_end, 'who sends nothing is let go');
ok(eventually(sub { !$server->files }), 'no file is left');
$server->stop;

$server = start(connections => 2);
my @clients;
ok(eventually(sub {
    push @clients, ArtifactHTTP->new($port);
    $clients[-1]->send("POST /convert/fit HTTP/1.1\r\n");
    return (post('fit', 'image/png', png())->status // 0) == 503;
}), 'too many connections: 503');
$server->stop;

unlike(slurp("$dir/convert.log"), qr/Traceback/, 'no exception');

done_testing();


# --- files -------------------------------------------------------------------

sub made_by_pandoc {
    my ($format) = @_;
    return convert_sample($dir, "# Title\n\nWords, **bold**.\n", $format,
        qw(pandoc -s -f markdown -M title=T -t), $format,
        qw(-o OUT IN));
}


# What a few lines of Python write.

sub by_python {
    my ($script) = @_;

    mkdir "$dir/py";
    spew("$dir/py/made.py", $script);
    system("cd $dir/py && PATH=/usr/bin:/bin PYTHONIOENCODING=utf-8 "
           . 'python3 made.py') == 0 or die "made.py failed\n";
    return slurp("$dir/py/out");
}


# A scan on which the scanner's program has put its name as text.

sub named_scan {
    my $pdf = scan_of($dir, @_);
    my $text = 'BT /F 8 Tf 10 5 Td (Scanned by CamScanner) Tj ET';

    $pdf =~ s{q 500 0 0 200 0 0 cm /I Do Q}{$& $text}g;
    $pdf =~ s{<</Length 28>>stream}{'<</Length ' . (29 + length $text)
              . '>>stream'}ge;
    $pdf =~ s{/Resources<<}{/Resources<</Font<</F<</Type/Font/Subtype/Type1
/BaseFont/Helvetica>>>>}g;
    return $pdf;
}


# A page of text, one of a scanner, a page with few words.

sub joined_pdf {
    spew("$dir/one.pdf", text_pdf('a page of text'));
    spew("$dir/two.pdf", scan_of($dir, 'page two'));
    spew("$dir/three.pdf", text_pdf('Last of all'));
    system("cd $dir && PATH=/usr/bin:/bin pdfunite one.pdf two.pdf three.pdf "
           . 'all.pdf') == 0 or die "pdfunite failed\n";
    return slurp("$dir/all.pdf");
}


sub fax {
    return convert_sample($dir, undef, 'tiff', qw(convert -size 1000x300
        -font DejaVu-Sans -pointsize 60 -gravity center),
        (map { "label:$_" } @_), 'tiff:OUT');
}


sub icon {
    return convert_sample($dir, undef, 'ico', 'convert', (map {
        ('(', '-size', "${_}x$_", 'xc:red', ')') } @_), 'ico:OUT');
}


sub film {
    return convert_sample($dir, undef, 'mp4', qw(ffmpeg -v error -f lavfi -i
        testsrc=duration=3:size=64x64 -c:v mpeg4 -y OUT));
}


# A photo that is to be turned by 90 degrees.

sub turned {
    my ($jpeg) = @_;
    my $exif = "Exif\0\0MM\0*" . pack 'N n nnNnx2 N', 8, 1, 0x112, 3, 1, 6, 0;

    substr $jpeg, 2, 0, "\xff\xe1" . pack('n', 2 + length $exif) . $exif;
    return $jpeg;
}


sub is_mp3 {
    my ($bytes) = @_;
    return convert_sample($dir, $bytes, 'txt', 'sh', '-c',
        'ffprobe -v error -f mp3 -show_entries stream=codec_name -of csv=p=0'
        . ' IN > OUT') eq "mp3\n";
}


sub by_curl {
    my ($to, $type, $bytes) = @_;

    spew("$dir/curl.in", $bytes);
    return join '', map { scalar `$_` } "curl -s -w '%{http_code}'"
        . " --unix-socket $dir/convert.sock -o /dev/null"
        . " -H 'Content-Type: $type' --data-binary \@$dir/curl.in"
        . " http://x/convert/$to";
}
