#!/usr/bin/perl

# Formats that always begin with a signature, without it; containers, and what
# seems to be one format and is another.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;

my $OOXML = 'application/vnd.openxmlformats-officedocument.';
my ($DOCX, $XLSX, $PPTX) = map { $OOXML . $_ } 'wordprocessingml.document',
    'spreadsheetml.sheet', 'presentationml.presentation';

my @providers = qw(openai openai_responses anthropic gemini bedrock mistral
                   openrouter mcp);
my @own = qw(route object tool_message);

my $t = ArtifactTest->new;
my $n = 0;

my $formats = join '', map {
    "location /$_/ { artifact; artifact_format $_; }\n"
} @own, @providers;

$t->start(server => <<"SERVER");
    artifact_root %%DATA%%;
    artifact_route on;

    location /artifacts/ {
        artifact;
    }
    $formats
SERVER

my $ALL = 'text, vision, audio, video, file, pdf';

sub routing {
    my ($content, $meta, $extension) = @_;
    my $id = 'm' . ++$n;
    $t->artifact($id, $content, $meta, $extension);
    my $res = $t->accept($ALL, "/artifacts/$id");
    my $wrong = route_problems($res);
    return "malformed: $wrong" if $wrong;
    return json_of($res)->{metadata}{mimeType};
}

# no signature at all: believed at home, described to a provider

my %unsigned = (
    'image/png' => "\0" x 300, 'application/pdf' => "\0\1\2\3\xff" x 90,
    'audio/mpeg' => "\0" x 5000, 'video/mp4' => "\x93\0\1\2" x 90,
    $DOCX => "\0\1\2\3\xff" x 90,
);
for my $type (sort keys %unsigned) {
    my $id = 'u' . ++$n;
    $t->artifact($id, $unsigned{$type}, { type => $type, name => 'n.x' });

    my $data = b64($unsigned{$type});
    for my $format (@own) {
        my $body = $t->accept($ALL, "/$format/$id")->body;
        like($body, qr/\Q$data\E/, "$format believes $type");
    }
    for my $format (@providers) {
        my $body = $t->accept($ALL, "/$format/$id")->body;
        unlike($body, qr/\Q$data\E/, "$format does not get $type");
        like($body, qr/n\.x/, "$format gets a description of $type");
    }
}

# bytes that are text only in a charset that they are taken for

my %guessed = (
    quotes => "\x93" x 1_200_000, chinese => "\xb9\xa4\xbc\xfe\xb5\xc4\n" x 800,
    'a page' => "<!DOCTYPE html>\n" . "\xb9\xa4\xbc\xfe\xb5\xc4\n" x 20,
    'words before' => 'words ' x 1000 . "\x93\x94" x 9000,
);
for my $what (sort keys %guessed) {
    my $text = $guessed{$what};
    is(routing($text, { type => $_ }), $_, "$what declared $_")
        for 'image/png', 'application/pdf';
    like(routing($text, { type => $DOCX }), qr{^text/(?:plain|html)$},
         "$what declared $DOCX, which has a container");
    is(routing($text, {}, '.mp3'), 'audio/mpeg',
       "$what with an extension");
    is(routing($text, { name => 'a.webp' }), 'image/webp', "$what with a name");
    like(routing($text, { type => 'text/csv' }), qr{^text/csv$},
         "$what declared as text");
    like(routing($text, undef), qr{^text/(?:plain|html)$}, "$what undeclared");

    my $id = 'm' . ++$n;
    $t->artifact($id, $text, { type => 'image/png', name => 'n.png' });
    my $res = $t->accept($ALL, "/openai/$id");
    ok($res->status == 200 && length $res->body < 1000,
       "$what is described to a provider");
}

my $png = png();
$t->artifact('sound', $png, { type => 'image/png', name => 'n.png' });
my $sound = b64($png);
like($t->accept($ALL, "/$_/sound")->body, qr/\Q$sound\E/, "$_ gets a PNG")
    for @own, @providers;

# the content's own type, though its signature is weak

my $ico = "\0\0\1\0\1\0\x10\x10\0\0\1\0\x20\0" . pack('VV', 40, 22)
    . "\0" x 40;
my $adts = ("\xff\xf1\x50\x80\x02\x1f\xfc" . "\x21" x 9) x 20;
is(routing($ico, { type => 'image/png' }), 'image/x-icon', 'ICO as PNG');
is(routing($ico, { name => 'a.png' }), 'image/x-icon', 'ICO named PNG');
is(routing($adts, { type => 'audio/mpeg' }), 'audio/aac', 'ADTS as MP3');
is(routing("\xff\x0a\xfa\x7f\x01\x90" . "\1\2" x 90,
           { type => 'image/png' }), 'image/jxl', 'bare JPEG XL as PNG');
is(routing("\xff\x0a\xfa\x7f\x01\x90" . "\1\2" x 90, { name => 'a.jxl' }),
   'image/jxl', 'bare JPEG XL');

# one header of an audio frame, which any bytes may be, is no signature

for my $head ("\xff\xfb\x90\0", "\xff\xf1\x50\x80\x02\x1f") {
    my $bytes = $head . "\0\x93\x07\xee\x1c" x 600;
    my $what = unpack 'H*', $head;

    is(routing($bytes, { type => $_ }), $_, "$what declared $_ stays")
        for 'image/png', 'image/gif', 'audio/mpeg';
    is(routing($bytes, undef), 'application/octet-stream', "$what undeclared");

    for my $type ('image/gif', 'audio/mpeg') {
        my $id = 'h' . ++$n;
        $t->artifact($id, $bytes, { type => $type });
        ok(length $t->accept($ALL, "/openai/$id")->body < 1000,
           "$what declared $type is described to a provider");
    }
}

# ZIPs

sub member { return map { $_ => "<x/>" x 20 } @_ }

is(routing(zip_of(member('word/document.xml', '[Content_Types].xml')), undef),
   $DOCX, 'DOCX, its parts first');
is(routing(zip_of('docProps/thumbnail.jpeg' => "\xff\xd8" . rand_bytes(9000),
                  member('[Content_Types].xml', 'xl/workbook.xml')), undef),
   $XLSX, 'XLSX, told by its end');
is(routing(zip_of(member('ppt/presentation.xml')), undef), $PPTX, 'PPTX');
is(routing(zip_of(member('visio/document.xml')), undef),
   'application/vnd.ms-visio.drawing.main+xml', 'VSDX');
is(routing(zip_of(member('AndroidManifest.xml', 'META-INF/MANIFEST.MF')),
           undef), 'application/vnd.android.package-archive', 'APK');
is(routing(zip_of(member('META-INF/MANIFEST.MF', 'a.class')), undef),
   'application/java-archive', 'JAR');
is(routing(zip_of(member('META-INF/mozilla.rsa', 'manifest.json')), undef),
   'application/x-xpinstall', 'XPI');
is(routing(zip_of(member('word/notes.txt')), undef), 'application/zip',
   'a folder called "word"');
is(routing(zip_of(member('a')), { name => 'book.xlsx' }), $XLSX,
   'a ZIP named XLSX');
is(routing(zip_of(member('a')), { type => 'image/png',
                                  name => 'book.xlsx' }), $XLSX,
   'a ZIP named XLSX and declared PNG');
is(routing(zip_of(member('a')), { type => 'text/plain', name => 'a.txt' }),
   'application/zip', 'a ZIP named text');

# OLE: the directory behind the content

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
    return $head . "\x11\0\x22" x 170 . "\0\0" . "\5\0" x (256 * ($sector - 1))
        . $dir . "\0" x 512;
}

for my $sector (1, 40) {
    my %ole = (
        'WordDocument' => 'application/msword',
        'Workbook' => 'application/vnd.ms-excel',
        'Book' => 'application/vnd.ms-excel',
        'PowerPoint Document' => 'application/vnd.ms-powerpoint',
        'VisioDocument' => 'application/vnd.visio',
        '__properties_version1.0' => 'application/vnd.ms-outlook',
        'Something' => 'application/x-ole-storage',
    );
    for my $name (sort keys %ole) {
        is(routing(ole_of($sector, '1Table', $name), undef), $ole{$name},
           "OLE with $name, its directory in sector $sector");
    }
}
is(routing(ole_of(40, 'Workbook'), { type => 'application/msword' }),
   'application/vnd.ms-excel', 'Excel declared Word');
is(routing(ole_of(40, 'x'), { type => 'application/kswps' }),
   'application/msword', 'what WPS Office says');

# MP4, Matroska, ASF

sub brand { return "\0\0\0\x18ftyp$_[0]\0\0\0\0$_[0]isom" . "\0" x 50 }

my %brand = ('M4A ' => 'audio/mp4', 'M4V ' => 'video/mp4',
             '3gp5' => 'video/3gpp', '3g2a' => 'video/3gpp2',
             'crx ' => 'image/x-canon-cr3', 'aax ' => 'audio/vnd.audible.aax',
             'heic' => 'image/heic', 'avif' => 'image/avif',
             'mjp2' => 'video/mj2', 'qt  ' => 'video/quicktime',
             'isom' => 'video/mp4', 'mif1' => 'image/heif');
is(routing(brand($_), undef), $brand{$_}, "MP4 of the brand \"$_\"")
    for sort keys %brand;
is(routing(brand('3gp4'), { type => 'audio/3gpp' }), 'audio/3gpp',
   '3GP declared audio');
is(routing(webm(), { type => 'audio/x-matroska' }), 'audio/x-matroska',
   'Matroska declared audio');
is(routing("\x30\x26\xb2\x75\x8e\x66\xcf\x11" . "\0" x 90,
           { type => 'audio/x-ms-wma' }), 'audio/x-ms-wma',
   'ASF declared audio');

# weak guesses, and what only seems to be

is(routing("\0\1\2" x 400, undef), 'application/octet-stream',
   'no Targa for bytes that count');
is(routing("%PDF-1.4 is the first line of a PDF.\n", undef), 'text/plain',
   'a text about PDF');
is(routing("%PDF-1.4 is it.\n", { type => 'application/pdf' }), 'text/plain',
   'one declared PDF');
is(routing("\r\n\r\n" . pdf() . "\0\xff", undef), 'application/pdf',
   'a PDF behind empty lines');
is(routing("HTTP/1.1 200 OK\r\n\r\n" . pdf() . "\0\xff", undef),
   'application/pdf', 'a PDF behind a header');
for my $case (['a.asx', '<asx version="3.0"></asx>', 'audio/x-ms-asx'],
              ['a.gltf', '{"asset":{"version":"2.0"}}', 'model/gltf+json'],
              ['a.obj', "v 0 0 0\nf 1 1 1\n", 'model/obj'],
              ['a.ps', "%!PS-Adobe-3.0\nshowpage\n",
               'application/postscript'])
{
    my ($name, $content, $type) = @$case;
    my $id = 'x' . ++$n;
    $t->artifact($id, $content, { name => $name });
    is(routing_of($t->accept('text', "/artifacts/$id")), "text text $type",
       "$name is text");
}

# a text without a word, where a provider refuses one

for my $blank ("\n \t", "\xef\xbb\xbf", "\xff\xfe") {
    my $id = 'b' . ++$n;
    $t->artifact($id, $blank, { type => 'text/plain', name => 'b.txt' });
    for my $format (qw(anthropic gemini bedrock)) {
        like($t->accept('text', "/$format/$id")->body, qr/b\.txt/,
             "$format: a line for a blank text");
    }
}

$t->finish;
