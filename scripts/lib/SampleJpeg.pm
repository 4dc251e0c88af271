package SampleJpeg;

# A small baseline JPEG encoder (ITU-T T.81): 8 bits, YCbCr without
# subsampling, the example quantisation and Huffman tables of annex K.

use strict;
use warnings;

use Exporter 'import';

our @EXPORT_OK = ('jpeg');

use constant PI => 4 * atan2(1, 1);


my @ZIGZAG = (
     0,  1,  8, 16,  9,  2,  3, 10, 17, 24, 32, 25, 18, 11,  4,  5,
    12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13,  6,  7, 14, 21, 28,
    35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
    58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
);

# K.1 and K.2, in raster order

my @QUANT = (
    [
        16, 11, 10, 16,  24,  40,  51,  61,
        12, 12, 14, 19,  26,  58,  60,  55,
        14, 13, 16, 24,  40,  57,  69,  56,
        14, 17, 22, 29,  51,  87,  80,  62,
        18, 22, 37, 56,  68, 109, 103,  77,
        24, 35, 55, 64,  81, 104, 113,  92,
        49, 64, 78, 87, 103, 121, 120, 101,
        72, 92, 95, 98, 112, 100, 103,  99,
    ],
    [
        17, 18, 24, 47, 99, 99, 99, 99,
        18, 21, 26, 66, 99, 99, 99, 99,
        24, 26, 56, 99, 99, 99, 99, 99,
        47, 66, 99, 99, 99, 99, 99, 99,
        (99) x 32,
    ],
);

# K.3 to K.6: how many codes of each length 1..16, then their symbols

my @HUFFMAN = (
    {   # DC, luminance
        class => 0, id => 0,
        counts => [0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0],
        symbols => [0 .. 11],
    },
    {   # AC, luminance
        class => 1, id => 0,
        counts => [0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125],
        symbols => [unpack 'C*', pack 'H*', join '',
            '01020300041105122131410613516107227114328191a1082342b1c11552',
            'd1f02433627282090a161718191a25262728292a3435363738393a434445',
            '464748494a535455565758595a636465666768696a737475767778797a83',
            '8485868788898a92939495969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6',
            'b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8',
            'e9eaf1f2f3f4f5f6f7f8f9fa'],
    },
    {   # DC, chrominance
        class => 0, id => 1,
        counts => [0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0],
        symbols => [0 .. 11],
    },
    {   # AC, chrominance
        class => 1, id => 1,
        counts => [0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 119],
        symbols => [unpack 'C*', pack 'H*', join '',
            '0001020311040521310612415107617113223281081442'
            . '91a1b1c109233352f0156272d10a162434e125f11718191a262728292a35',
            '363738393a434445464748494a535455565758595a636465666768696a73',
            '7475767778797a82838485868788898a92939495969798999aa2a3a4a5a6',
            'a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9',
            'dae2e3e4e5e6e7e8e9eaf2f3f4f5f6f7f8f9fa'],
    },
);


# jpeg(WIDTH, HEIGHT, PIXEL): PIXEL->(x, y) gives (r, g, b), each 0 to 255;
# both sizes are multiples of 8

sub jpeg {
    my ($width, $height, $pixel) = @_;

    my @codes = map { codes($_) } @HUFFMAN;
    my @previous = (0, 0, 0);
    my $bits = '';

    for (my $y = 0; $y < $height; $y += 8) {
        for (my $x = 0; $x < $width; $x += 8) {
            my @planes = planes($pixel, $x, $y);

            for my $i (0 .. 2) {
                my $kind = $i ? 1 : 0;
                my @q = quantised($planes[$i], $QUANT[$kind]);

                $bits .= block(\@q, $q[0] - $previous[$i],
                    @codes[2 * $kind, 2 * $kind + 1]);

                $previous[$i] = $q[0];
            }
        }
    }

    $bits .= '1' x (-length($bits) % 8);

    my $data = pack 'B*', $bits;
    $data =~ s/\xff/\xff\x00/g;

    return "\xff\xd8"
        . segment(0xe0, pack 'a5 C2 C n2 C2', 'JFIF', 1, 1, 0, 1, 1, 0, 0)
        . join('', map {
              segment(0xdb, pack 'C65', $_, @{$QUANT[$_]}[@ZIGZAG]) } 0, 1)
        . segment(0xc0, pack 'C n2 C*', 8, $height, $width, 3,
              1, 0x11, 0, 2, 0x11, 1, 3, 0x11, 1)
        . join('', map {
              segment(0xc4, pack 'C*', $_->{class} << 4 | $_->{id},
                  @{$_->{counts}}, @{$_->{symbols}}) } @HUFFMAN)
        . segment(0xda, pack 'C*', 3, 1, 0x00, 2, 0x11, 3, 0x11, 0, 63, 0)
        . $data
        . "\xff\xd9";
}


sub segment {
    my ($marker, $data) = @_;

    return pack('C2 n', 0xff, $marker, length($data) + 2) . $data;
}


# the canonical code of each symbol, as a string of "0" and "1"

sub codes {
    my ($table) = @_;

    my @symbols = @{$table->{symbols}};
    my ($code, %codes) = (0);

    for my $length (1 .. 16) {
        for (1 .. $table->{counts}[$length - 1]) {
            $codes{shift @symbols} = sprintf '%0*b', $length, $code++;
        }

        $code <<= 1;
    }

    return \%codes;
}


sub planes {
    my ($pixel, $x0, $y0) = @_;

    my (@y, @cb, @cr);

    for my $y ($y0 .. $y0 + 7) {
        for my $x ($x0 .. $x0 + 7) {
            my ($r, $g, $b) = $pixel->($x, $y);

            push @y, 0.299 * $r + 0.587 * $g + 0.114 * $b - 128;
            push @cb, -0.168736 * $r - 0.331264 * $g + 0.5 * $b;
            push @cr, 0.5 * $r - 0.418688 * $g - 0.081312 * $b;
        }
    }

    return (\@y, \@cb, \@cr);
}


# the forward transform, rows then columns, divided and put in zigzag order

sub quantised {
    my ($samples, $quant) = @_;

    my @rows = map { transform(@{$samples}[8 * $_ .. 8 * $_ + 7]) } 0 .. 7;
    my @out;

    for my $x (0 .. 7) {
        my @column = transform(@rows[map { 8 * $_ + $x } 0 .. 7]);

        $out[8 * $_ + $x] = $column[$_] for 0 .. 7;
    }

    return map { int(sprintf '%.0f', $out[$_] / $quant->[$_]) } @ZIGZAG;
}


sub transform {
    my @in = @_;

    return map {
        my $u = $_;
        my $sum = 0;

        $sum += $in[$_] * cos((2 * $_ + 1) * $u * PI / 16) for 0 .. 7;

        $sum / 2 * ($u == 0 ? sqrt(0.5) : 1);
    } 0 .. 7;
}


sub block {
    my ($q, $difference, $dc, $ac) = @_;

    my ($size, $value) = magnitude($difference);
    my $bits = $dc->{$size} . $value;
    my $zeros = 0;

    for my $i (1 .. 63) {
        if ($q->[$i] == 0) {
            $zeros++;
            next;
        }

        for (; $zeros > 15; $zeros -= 16) {
            $bits .= $ac->{0xf0};
        }

        ($size, $value) = magnitude($q->[$i]);
        $bits .= $ac->{$zeros << 4 | $size} . $value;
        $zeros = 0;
    }

    return $zeros ? $bits . $ac->{0} : $bits;
}


# the size category of a value, and its bits (a negative one less one)

sub magnitude {
    my ($value) = @_;

    return (0, '') if $value == 0;

    my $size = length sprintf '%b', abs $value;

    $value += (1 << $size) - 1 if $value < 0;

    return ($size, sprintf '%0*b', $size, $value);
}


1;
