package ArtifactConvert;

# The example converter, and files for it, which its own programs make.

use strict;
use warnings;

use Compress::Zlib qw(MAX_WBITS Z_FULL_FLUSH crc32 deflateInit);
use Cwd qw(abs_path);
use Exporter 'import';
use File::Basename qw(dirname);
use IO::Socket::INET;
use IO::Socket::UNIX;
use POSIX ();
use Time::HiRes qw(sleep);

use ArtifactCheck;

our @EXPORT = qw(
    convert_missing convert_sample convert_size image_of model_server
    png_bomb png_noise scan_of sound_of text_pdf tiled_heic zip_bomb
);

my $PROGRAM = abs_path(dirname(__FILE__)
    . '/../../packaging/convert/convert.py');
my $OWNER = $$;
my %RUNNING;

our $DOCX = 'application/vnd.openxmlformats-officedocument'
    . '.wordprocessingml.document';


# The programs that are needed and are not there.

sub convert_missing {
    local $ENV{PATH} = '/usr/bin:/bin';

    return join ' ', grep { !grep { -x } "/usr/bin/$_" }
        qw(python3 convert rsvg-convert pdftotext tesseract pandoc ffmpeg);
}


# Starts it, with options of its own.  Its temporary folders are below "dir".

sub new {
    my ($class, $dir, %opt) = @_;

    my $listen = delete $opt{listen};
    my $self = bless { dir => "$dir/convert", log => "$dir/convert.log",
                       listen => $listen }, $class;
    my @args = map { ("--$_", split / /, $opt{$_}) } sort keys %opt;

    mkdir $self->{dir};
    $self->{pid} = fork // die "fork: $!\n";

    if (!$self->{pid}) {
        $ENV{TMPDIR} = $self->{dir};
        open STDIN, '<', '/dev/null';
        open STDOUT, '>>', $self->{log};
        open STDERR, '>&', \*STDOUT;
        exec $PROGRAM, '--listen', $listen, @args
            or POSIX::_exit(127);
    }

    $RUNNING{ $self->{pid} } = 1;

    for (1 .. 200) {
        return $self if $self->_listens;
        sleep 0.1;
    }

    die "the converter does not start: " . slurp($self->{log});
}


sub _listens {
    my ($self) = @_;
    my ($path) = $self->{listen} =~ /^unix:(.*)/;

    return IO::Socket::UNIX->new(Peer => $path) if $path;
    return IO::Socket::INET->new(PeerAddr => $self->{listen});
}


# The programs that it runs.

sub children {
    my ($self) = @_;

    return grep { _parent($_) == $self->{pid} } glob '/proc/[0-9]*/stat';
}


sub _parent {
    my ($path) = @_;

    open my $stat, '<', $path or return 0;
    my $line = <$stat> // '';

    return $line =~ /\A\d+ \(.*\) \S (\d+) /s ? $1 : 0;
}


# The folders of its conversions, and what it has said since it began.

sub files {
    my ($self) = @_;
    return grep { !/policy\.xml$/ } glob "$self->{dir}/*/*";
}


sub log {
    my ($self) = @_;
    return slurp($self->{log});
}


sub stop {
    my ($self) = @_;
    my $pid = delete $self->{pid} or return;

    delete $RUNNING{$pid};
    kill TERM => $pid;
    waitpid $pid, 0;
}


# A server of models, as OpenAI's are: it hears and sees what it was sent, and
# refuses PNG.  Returns its process and port; it ends with the test.

sub model_server {
    my $listen = IO::Socket::INET->new(Listen => 5, LocalAddr => '127.0.0.1')
        or die "listen: $!";
    my $pid = fork // die "fork: $!";

    if (!$pid) {
        while (my $client = $listen->accept) {
            my ($head, $body) = ('', '');
            sysread($client, $head, 1, length $head) or last
                until $head =~ /\r\n\r\n\z/;
            my ($length) = $head =~ /^Content-Length: (\d+)/mi;
            sysread($client, $body, $length - length $body, length $body)
                or last while length $body < $length;

            my $key = $head =~ /^Authorization: (.*?)\r/mi ? $1 : '';
            my ($sound) = $body =~ /name="model"\r\n\r\n(\S+)/;
            my ($model) = $body =~ /"model": "(\w+)"/;
            my ($url) = $body =~ /"url": "(data:image\/\w+)/;
            my $gif = ($url // '') =~ /png/;
            my $json = $sound ? qq({"text":"heard 200 $sound $key"})
                : qq({"choices":[{"message":{"content":"seen $model $url"}}]});

            print $client 'HTTP/1.1 ', $gif ? '400 No' : '200 OK',
                "\r\nConnection: close\r\nContent-Length: ", length $json,
                "\r\n\r\n$json";
            close $client;
        }
        POSIX::_exit(0);
    }

    $RUNNING{$pid} = 1;
    return { pid => $pid, port => $listen->sockport };
}


END {
    if ($$ == $OWNER) {
        local $?;
        for my $pid (keys %RUNNING) {
            kill TERM => $pid;
            waitpid $pid, 0;
        }
    }
}


# --- files -------------------------------------------------------------------

# What a program makes of bytes; IN and OUT stand for the files, the latter with
# a suffix that some programs go by.

sub convert_sample {
    my ($dir, $bytes, $suffix, @command) = @_;
    my $out = "$dir/sample.$suffix";

    spew("$dir/sample.in", $bytes) if defined $bytes;
    s{\bIN\b}{$dir/sample.in}, s{\bOUT\b}{$out} for @command;

    unlink $out;
    system('env', 'PATH=/usr/bin:/bin', @command) == 0
        or die "@command failed\n";
    return slurp($out);
}


# A HEIC as phones write it: 4032 by 3024 pixels in 48 tiles of 512 by 512, all
# of which are one that ImageMagick made.

sub tiled_heic {
    my ($dir) = @_;
    my $tile = image_of($dir, 'heic', '512x512');
    my ($base, $from, $size)
        = unpack 'x8 x2 x2 N x2 N N', _inside($tile, 'iloc');
    my @tiles = 2 .. 49;
    my $grid = pack 'C4 n n', 0, 0, 5, 7, 4032, 3024;

    my $head = _box('ftyp', "heic\0\0\0\0mif1heic");
    my $meta = sub {
        my ($at) = @_;
        return _box('meta', "\0" x 4, _box('hdlr', _inside($tile, 'hdlr')),
            _box('pitm', "\0" x 4, pack 'n', 1),
            _box('iloc', "\1\0\0\0", pack('n n', 0x4400, 1 + @tiles),
                 pack('n4 N N', 1, 1, 0, 1, 0, length $grid),
                 map { pack 'n4 N N', $_, 0, 0, 1, $at, $size } @tiles),
            _box('iinf', "\0" x 4, pack('n', 1 + @tiles),
                 map { _box('infe', "\2\0\0" . ($_ > 1 ? "\1" : "\0"),
                            pack 'n n a4 x', $_, 0, $_ > 1 ? 'hvc1' : 'grid')
                     } 1, @tiles),
            _box('iref', "\0" x 4, _box('dimg', pack 'n*', 1, scalar @tiles,
                                        @tiles)),
            _box('iprp', _box('ipco', _inside($tile, 'ipco'),
                              _box('ispe', pack 'x4 N N', 4032, 3024)),
                 _box('ipma', "\0" x 4, pack('N', 1 + @tiles),
                      pack('n C3', 1, 2, 4, 3),
                      map { pack 'n C4', $_, 3, 0x81, 2, 3 } @tiles)),
            _box('idat', $grid));
    };

    my $at = length($head) + length($meta->(0)) + 8;
    return $head . $meta->($at)
        . _box('mdat', substr $tile, $base + $from, $size);
}


sub _box {
    my ($type, @parts) = @_;
    my $content = join '', @parts;
    return pack('N a4', 8 + length $content, $type) . $content;
}


# What is in the first box of a type.

sub _inside {
    my ($file, $type) = @_;
    my $at = index $file, $type;
    return substr $file, $at + 4, unpack('N', substr $file, $at - 4, 4) - 8;
}


# An image of ImageMagick's: with words on it, or a gradient without.

sub image_of {
    my ($dir, $format, $size, $words, @how) = @_;

    my @draw = $words
        ? ("xc:white", qw(-font DejaVu-Sans -pointsize 40 -fill black),
           '-annotate', '+40+100', $words)
        : ('gradient:red-blue');

    return convert_sample($dir, undef, $format, 'convert', '-size', $size,
                          @draw, @how, "$format:OUT");
}


# A page of a scanner: a PDF with nothing but a JPEG on each page.

sub scan_of {
    my ($dir, @words) = @_;
    my $count = @words;
    my @objects = (
        '<</Type/Catalog/Pages 2 0 R>>',
        "<</Type/Pages/Count $count/Kids["
            . join(' ', map { 3 * $_ . ' 0 R' } 1 .. $count) . ']>>');

    for my $i (1 .. $count) {
        my $jpeg = image_of($dir, 'jpeg', '1000x400', $words[$i - 1]);
        my $draw = 'q 500 0 0 200 0 0 cm /I Do Q';

        push @objects,
            '<</Type/Page/Parent 2 0 R/MediaBox[0 0 500 200]/Contents '
                . (3 * $i + 1) . ' 0 R/Resources<</XObject<</I '
                . (3 * $i + 2) . ' 0 R>>>>>>',
            '<</Length ' . length($draw) . ">>stream\n$draw\nendstream",
            '<</Type/XObject/Subtype/Image/Width 1000/Height 400/ColorSpace'
                . (convert_size($dir, $jpeg, '%[channels]') =~ /gray/i
                   ? '/DeviceGray' : '/DeviceRGB')
                . '/BitsPerComponent 8/Filter/DCTDecode/Length '
                . length($jpeg) . ">>stream\n$jpeg\nendstream";
    }

    my $pdf = "%PDF-1.4\n";
    my @at;

    for my $i (0 .. $#objects) {
        push @at, length $pdf;
        $pdf .= $i + 1 . " 0 obj\n$objects[$i]\nendobj\n";
    }

    my $xref = length $pdf;
    return $pdf . 'xref' . "\n0 " . (@at + 1) . "\n0000000000 65535 f \n"
        . join('', map { sprintf "%010d 00000 n \n", $_ } @at)
        . 'trailer<</Root 1 0 R/Size ' . (@at + 1) . ">>\nstartxref\n$xref\n"
        . "%%EOF\n";
}


# A PDF with a line of text.

sub text_pdf {
    my ($words) = @_;
    my $draw = "BT /F 12 Tf 20 20 Td ($words) Tj ET";

    return "%PDF-1.4\n"
        . "1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n"
        . "2 0 obj\n<</Type/Pages/Count 1/Kids[3 0 R]>>\nendobj\n"
        . "3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 100]"
        . "/Contents 4 0 R/Resources<</Font<</F<</Type/Font/Subtype/Type1"
        . "/BaseFont/Helvetica>>>>>>>>\nendobj\n"
        . '4 0 obj' . "\n<</Length " . length($draw)
        . ">>stream\n$draw\nendstream\nendobj\ntrailer<</Root 1 0 R>>\n%%EOF\n";
}


# Two seconds of a tone, or what other arguments say.

sub sound_of {
    my ($dir, $suffix, @more) = @_;

    return convert_sample($dir, undef, $suffix, qw(ffmpeg -v error -f lavfi -i
        sine=440), @more, (grep { $_ eq '-t' } @more) ? () : qw(-t 2),
        qw(-ar 8000 -y OUT));
}


# Format, width and height of an image, as ImageMagick reads it.

sub convert_size {
    my ($dir, $bytes, $format) = @_;

    $format //= '%m %wx%h';
    spew("$dir/sample.size", $bytes);

    local $ENV{PATH} = '/usr/bin:/bin';
    my $said = `identify -format '$format' $dir/sample.size 2>&1`;
    return $said;
}


# Noise, on which a program that reads text has long work to do.

sub png_noise {
    my ($dir, $size) = @_;
    return convert_sample($dir, undef, 'png', 'convert', '-size', $size,
                          'xc:gray', qw(-seed 7 +noise Random -colorspace gray),
                          'png:OUT');
}


# A small PNG of many pixels.

sub png_bomb {
    my ($width, $height) = @_;

    my $chunk = sub {
        return pack('N', length $_[1]) . $_[0] . $_[1]
            . pack('N', crc32("$_[0]$_[1]"));
    };
    my $rows = _piece(("\0" x ($width * 3 + 1)) x 10);

    return "\x89PNG\r\n\x1a\n"
        . $chunk->('IHDR', pack('NNCCCCC', $width, $height, 8, 2, 0, 0, 0))
        . $chunk->('IDAT', "\x78\x01" . $rows x ($height / 10)
                           . "\x03\0" . pack('N', 1))
        . $chunk->('IEND', '');
}


# A small DOCX of many megabytes.

sub zip_bomb {
    my ($megabytes) = @_;

    my $oxml = 'http://schemas.openxmlformats.org';
    my $to = "$oxml/officeDocument/2006/relationships/officeDocument";
    my $words = '<w:p><w:r><w:t>words</w:t></w:r></w:p>' x 25000;
    my ($zip, $central, $count) = ('', '', 0);

    for (['[Content_Types].xml', qq(<Types xmlns="$oxml/package/2006/)
                                 . 'content-types"/>'],
         ['_rels/.rels', qq(<Relationships xmlns="$oxml/package/2006/)
                         . qq(relationships"><Relationship Id="a" Type="$to")
                         . ' Target="word/document.xml"/></Relationships>'],
         ['word/document.xml', qq(<w:document xmlns:w="$oxml/wordprocessingml)
                               . '/2006/main"><w:body>', $megabytes])
    {
        my ($name, $text, $times) = @$_;

        my $data = _piece($text) . _piece($words) x ($times // 0) . "\x03\0";
        my $size = length($text) + length($words) * ($times // 0);
        my $fields = pack 'vvvvvVVVvv', 20, 0, 8, 0, 0, crc32($text),
            length $data, $size, length $name, 0;

        $central .= "PK\x01\x02" . pack('v', 20) . $fields
            . pack('vvvVV', 0, 0, 0, 0, length $zip) . $name;
        $zip .= "PK\x03\x04$fields$name$data";
        $count++;
    }

    return $zip . $central . "PK\x05\x06" . pack('vvvvVVv', 0, 0, $count,
        $count, length $central, length $zip, 0);
}


# Deflated, without an end or a look at what was before: may be repeated.

sub _piece {
    my ($text) = @_;
    my $z = deflateInit(-WindowBits => -(MAX_WBITS()));
    my ($data) = $z->deflate($text);

    return $data . ($z->flush(Z_FULL_FLUSH()))[0];
}


1;
