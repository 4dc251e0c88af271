package ArtifactFixtures;

# Small real files of many kinds, made in core Perl.

use strict;
use warnings;

use Compress::Zlib qw(compress crc32 memGunzip memGzip);
use Exporter 'import';

our @EXPORT = qw(
    png jpeg gif webp bmp svg pdf wav mp3 mp4 mp4_audio webm ogg zip_of docx
    xlsx gzip_of gunzip_of elf ole rand_bytes rand_int rand_seed
);

my $STATE = 1;


# A fixed pseudo-random sequence (xorshift), so that failures repeat; the
# seed can be set with ART_SEED.

sub rand_seed {
    my ($seed) = @_;
    $STATE = $ENV{ART_SEED} || $seed || 1;
    return $STATE;
}


sub rand_int {
    my ($max) = @_;
    $STATE ^= ($STATE << 13) & 0xffffffff;
    $STATE ^= $STATE >> 17;
    $STATE ^= ($STATE << 5) & 0xffffffff;
    return $STATE % $max;
}


sub rand_bytes {
    my ($n) = @_;
    return join '', map { chr rand_int(256) } 1 .. $n;
}


sub png {
    my ($width, $height) = @_;
    $width ||= 8;
    $height ||= 8;

    my $rows = join '', map { "\0" . rand_bytes($width * 3) } 1 .. $height;
    my $chunk = sub {
        return pack('N', length $_[1]) . $_[0] . $_[1]
            . pack('N', crc32("$_[0]$_[1]"));
    };
    return "\x89PNG\r\n\x1a\n"
        . $chunk->('IHDR', pack('NNCCCCC', $width, $height, 8, 2, 0, 0, 0))
        . $chunk->('IDAT', compress($rows)) . $chunk->('IEND', '');
}


sub jpeg {
    my $quant = pack 'n C C64', 67, 0, (16) x 64;
    my $frame = pack 'n C n n C (C3)1', 11, 8, 8, 8, 1, 1, 0x11, 0;
    my $huff = pack 'n C C16 C', 20, 0, 1, (0) x 15, 0;
    my $scan = pack 'n C C2 C3', 8, 1, 1, 0, 0, 63, 0;
    return "\xff\xd8\xff\xe0" . pack('n', 16) . "JFIF\0\x01\x01\0\0\x01\0\x01"
        . "\0\0\xff\xdb$quant\xff\xc0$frame\xff\xc4$huff\xff\xda$scan"
        . "\x3f\x7f\x1e\xa5\xff\xd9";
}


sub gif {
    return "GIF89a" . pack('v v C C C', 1, 1, 0x80, 0, 0)
        . "\xff\xff\xff\0\0\0," . pack('v4 C', 0, 0, 1, 1, 0)
        . "\x02\x02\x44\x01\0;";
}


sub webp {
    my $body = "\x2f\0\0\0\0\x07\xd0\xff\xfe\xf7\xbf\xff\x81\x88\xe8\x7f\0\0";
    my $chunk = "WEBPVP8L" . pack('V', length $body) . $body;
    return "RIFF" . pack('V', length $chunk) . $chunk;
}


sub bmp {
    my $pixels = rand_bytes(12) . "\0" x 4;
    return "BM" . pack('V v v V', 54 + length $pixels, 0, 0, 54)
        . pack('V l l v v V V l l V V', 40, 2, 2, 1, 24, 0, length $pixels,
               2835, 2835, 0, 0) . $pixels;
}


sub svg {
    return qq{<?xml version="1.0" encoding="UTF-8"?>\n}
        . qq{<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4">}
        . qq{<rect width="4" height="4" fill="red"/></svg>\n};
}


sub pdf {
    my $text = "%PDF-1.4\n%\xe2\xe3\xcf\xd3\n";
    my @at;
    for my $object ("<</Type/Catalog/Pages 2 0 R>>",
                    "<</Type/Pages/Kids[3 0 R]/Count 1>>",
                    "<</Type/Page/Parent 2 0 R/MediaBox[0 0 72 72]>>") {
        push @at, length $text;
        $text .= @at . " 0 obj\n$object\nendobj\n";
    }
    my $xref = length $text;
    return $text . "xref\n0 4\n0000000000 65535 f \n"
        . join('', map { sprintf "%010d 00000 n \n", $_ } @at)
        . "trailer\n<</Size 4/Root 1 0 R>>\nstartxref\n$xref\n%%EOF\n";
}


sub wav {
    my $data = rand_bytes(400);
    my $body = "WAVEfmt " . pack('V v v V V v v', 16, 1, 1, 8000, 8000, 1, 8)
        . "data" . pack('V', length $data) . $data;
    return "RIFF" . pack('V', length $body) . $body;
}


# MPEG-1 layer III, 128 kbit/s, 44.1 kHz: frames of 417 bytes, after a tag.

sub mp3 {
    my $title = "TIT2" . pack('N n', 6, 0) . "\0hello";
    my $size = length $title;
    return "ID3\x03\0\0" . pack('C4', 0, 0, $size >> 7, $size & 0x7f) . $title
        . ("\xff\xfb\x90\0" . "\0" x 413) x 6;
}


sub _atom { return pack('N', 8 + length $_[1]) . $_[0] . $_[1] }


sub mp4 {
    return _atom('ftyp', "isom\0\0\x02\0isomiso2avc1mp41")
        . _atom('free', '') . _atom('mdat', rand_bytes(600))
        . _atom('moov', _atom('mvhd', "\0" x 100));
}


sub mp4_audio {
    return _atom('ftyp', "M4A \0\0\0\0M4A mp42isom")
        . _atom('mdat', rand_bytes(300));
}


sub webm {
    return "\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\xf7\x81\x01\x42\xf2\x81"
        . "\x04\x42\xf3\x81\x08\x42\x82\x84webm\x42\x87\x81\x04\x42\x85\x81"
        . "\x02\x18\x53\x80\x67" . rand_bytes(200);
}


sub ogg {
    my $packet = "\x01vorbis" . pack('V C V V V V C C', 0, 2, 44100, 0,
                                     128000, 0, 0xb8, 1);
    return "OggS\0\x02" . "\0" x 8 . pack('V V V', 1, 0, 0)
        . pack('C C', 1, length $packet) . $packet . rand_bytes(100);
}


# A ZIP archive of stored files, in the given order: name => content, ...

sub zip_of {
    my @files = @_;

    my ($data, $directory, $count) = ('', '', 0);
    while (my ($name, $content) = splice @files, 0, 2) {
        my $common = pack 'v v v v v V V V v v', 20, 0, 0, 0, 0x5821,
            crc32($content), length $content, length $content, length $name,
            0;
        $directory .= "PK\x01\x02" . pack('v', 20) . $common
            . pack('v v v V V', 0, 0, 0, 0, length $data) . $name;
        $data .= "PK\x03\x04$common$name$content";
        $count++;
    }

    return $data . $directory . "PK\x05\x06"
        . pack('v v v v V V v', 0, 0, $count, $count, length $directory,
               length $data, 0);
}


sub _office {
    my ($part, $type) = @_;
    my $head = qq{<?xml version="1.0" encoding="UTF-8"?>\n};
    return zip_of(
        '[Content_Types].xml' => "$head<Types xmlns=\"http://schemas."
            . "openxmlformats.org/package/2006/content-types\"><Override "
            . "PartName=\"/$part\" ContentType=\"application/vnd.openxml"
            . "formats-officedocument.$type.main+xml\"/></Types>",
        '_rels/.rels' => "$head<Relationships/>",
        $part => "$head<document/>",
    );
}


sub docx {
    return _office('word/document.xml', 'wordprocessingml.document');
}


sub xlsx { return _office('xl/workbook.xml', 'spreadsheetml.sheet') }


sub gzip_of { return memGzip($_[0]) }


sub gunzip_of { return memGunzip(my $copy = $_[0]) }


sub elf {
    open my $fh, '<:raw', $^X or die "$^X: $!";
    read $fh, my $head, 4096;
    return $head;
}


# The first sector of a compound file (old Office).

sub ole {
    return "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" . "\0" x 16
        . pack('v v v v v', 0x3e, 3, 0xfffe, 9, 6) . "\0" x 478
        . rand_bytes(1024);
}


1;
