#!/usr/bin/perl

# The eight stand-ins as decoders see them: each is a file of its type, read
# without a complaint, images of a size that nobody changes.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactSandwich;
use ArtifactTest;

my $t = ArtifactTest->new;
my $echo = standin_echo($t);

standin_server($t);

# as the module writes them

my %file;
for my $kind (@STANDIN_KINDS) {
    my %slot = standin_slots('gemini', $kind);
    my $content = standin_content($kind, 3000);
    my $body = standin_post($t, '/front' . standin_uri('gemini', 'sees'),
        standin_body('gemini', 'sees',
                     $slot{inline}->(standin_mime($kind), b64($content))))->body;
    my ($b64) = $body =~ m{"data":"([A-Za-z0-9+/]+)"};

    require MIME::Base64;
    my $bytes = MIME::Base64::decode_base64($b64);
    my ($is, $id) = standin_read($bytes);

    is($is, $kind, "$kind: as it shall be");
    is($id, standin_id($t->data, $content, $kind), "$kind: with its id");
    unlike($b64, qr/=/, "$kind: without padding");
    is(index($b64, b64($id)) % 4, 0, "$kind: the id has its own place");
    $file{$kind} = $t->file("standin.$kind", $bytes);
}


sub said {
    my ($command) = @_;
    my $text = `$command 2>&1`;
    return ($?, $text);
}

my %type = (png => 'image/png', jpeg => 'image/jpeg', gif => 'image/gif',
            webp => 'image/webp', pdf => 'application/pdf',
            wav => 'audio/(?:x-)?wav', mp3 => 'audio/mpeg', mp4 => 'video/mp4');

for my $kind (@STANDIN_KINDS) {
    my ($status, $text) = said("file --brief --mime-type $file{$kind}");
    like($text, qr{\A$type{$kind}\n\z}, "$kind: by file");
}

for my $kind (qw(png jpeg gif webp)) {
    my ($status, $text) = said("identify -regard-warnings -format '%m %w %h\n' "
                               . $file{$kind});
    is("$status $text", '0 ' . uc($kind) . " 160 64\n", "$kind: by ImageMagick");
}

for my $kind (qw(png jpeg gif webp wav mp3 mp4)) {
    my ($status, $text) = said("ffprobe -v error -of csv=p=0 -show_entries "
                               . "stream=codec_type $file{$kind}");
    like($text, $kind =~ /^(?:wav|mp3)\z/ ? qr/\Aaudio\n\z/ : qr/\Avideo\n\z/,
         "$kind: by ffprobe");
    is($status, 0, "$kind: without an error");

    ($status, $text) = said("ffmpeg -v error -i $file{$kind} -f null -");
    is("$status $text", '0 ', "$kind: decoded");
}

{
    my ($status, $text) = said("pdfinfo $file{pdf}");
    is($status, 0, 'by pdfinfo');
    like($text, qr/^Pages: +1$/m, 'one page');
    unlike($text, qr/error|warning/i, 'without a complaint');

    ($status, $text) = said("pdftotext $file{pdf} -");
    like($text, qr/placeholder.*not inserted/s, 'which says what it is');

    ($status, $text) = said("qpdf --check $file{pdf}");
    is($status, 0, 'by qpdf');
    unlike($text, qr/WARNING/, 'without a warning');
}

$echo->stop;
$t->finish;
