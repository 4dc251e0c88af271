#!/usr/bin/perl

# pixels.pl
#
# Makes t/data/pixels.json, images for t/route/pixels.t and for the unit test of
# core/media/art_pixels.c, each with its width and height.  ImageMagick,
# libheif's, libavif's and JPEG XL's programs write them (imagemagick
# libheif-examples libavif-bin libjxl-tools); of a long one only the first 4 KB
# are kept, which have what the test needs.
#
# The file is committed, so that the tests need none of these programs.

use strict;
use warnings;

use Cwd qw(abs_path);
use File::Temp qw(tempdir);
use FindBin;
use JSON::PP;
use MIME::Base64 qw(encode_base64);

my $OUT = abs_path("$FindBin::Bin/..") . '/t/data/pixels.json';
my ($WIDTH, $HEIGHT) = (301, 203);

my @made = (
    ['plain.png'], ['interlaced.png', '-interlace', 'PNG'],
    ['grey.png', '-colorspace', 'Gray'],
    ['baseline.jpg'], ['progressive.jpg', '-interlace', 'JPEG'],
    ['cmyk.jpg', '-colorspace', 'CMYK'], ['grey.jpg', '-colorspace', 'Gray'],
    ['profile.jpg', '-set', 'exif:Orientation', '6', '-comment', 'words'],
    ['plain.gif'], ['GIF87:old.gif'],
    ['lossy.webp', '-define', 'webp:lossless=false'],
    ['lossless.webp', '-define', 'webp:lossless=true'],
    ['extended.webp', '-alpha', 'set', '-channel', 'A', '-evaluate', 'set',
     '50%'],
    ['plain.bmp', '-type', 'Bilevel'], ['BMP3:three.bmp', '-type', 'Bilevel'],
    ['BMP2:core.bmp', '-type', 'Bilevel'],
    ['little.tif', '-endian', 'LSB', '-compress', 'LZW'],
    ['big.tif', '-endian', 'MSB', '-compress', 'LZW'],
    ['TIFF64:large.tif', '-compress', 'LZW'],
    ['magick.heic'], ['magick.avif'],
);

my $dir = tempdir(CLEANUP => 1);
chdir $dir or die "$dir: $!\n";

my $size = "${WIDTH}x$HEIGHT";
my @cases;

run('convert', '-size', $size, 'gradient:red-blue', 'from.png');

for my $row (@made) {
    my ($to, @options) = @$row;
    (my $name = $to) =~ s/.*://;

    run('convert', 'from.png', @options, '-strip', $to);
    add($name, $WIDTH, $HEIGHT);
}

run('heif-enc', 'from.png', '-o', 'libheif.heic');
add('libheif.heic', $WIDTH, $HEIGHT);

run('convert', '-size', '128x128', 'gradient:red-blue', 'cell.png');
run('avifenc', '-s', '10', 'cell.png', 'libavif.avif');
add('libavif.avif', 128, 128);

# the primary item is a grid, its cells are smaller

run('avifenc', '-s', '10', '--grid', '2x2', ('cell.png') x 4, 'grid.avif');
add('grid.avif', 256, 256);

run('cjxl', 'from.png', 'bare.jxl');
add('bare.jxl', $WIDTH, $HEIGHT);
run('cjxl', '--container=1', 'from.png', 'boxes.jxl');
add('boxes.jxl', $WIDTH, $HEIGHT);
run('cjxl', 'baseline.jpg', 'jpeg.jxl');
add('jpeg.jxl', $WIDTH, $HEIGHT);
run('cjxl', 'cell.png', 'ratio.jxl');
add('ratio.jxl', 128, 128);

open my $out, '>:raw', $OUT or die "$OUT: $!\n";
print $out JSON::PP->new->canonical->encode(\@cases) =~ s/\},\{/},\n{/gr, "\n";
close $out or die "$OUT: $!\n";

print scalar @cases, " images\n";


sub run {
    my @command = @_;

    my $pid = fork // die "fork: $!\n";
    if (!$pid) {
        open STDOUT, '>', '/dev/null';
        open STDERR, '>', '/dev/null';
        exec @command or exit 127;
    }
    waitpid $pid, 0;
    die "$command[0] failed: @command\n" if $?;
}


sub add {
    my ($name, $width, $height) = @_;

    open my $in, '<:raw', $name or die "$name: $!\n";
    local $/;
    my $bytes = substr(<$in>, 0, 4096);

    push @cases, { name => $name, width => $width, height => $height,
                   data => encode_base64($bytes, '') };
}
