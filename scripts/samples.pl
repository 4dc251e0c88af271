#!/usr/bin/perl

# samples.pl FOLDER
#
# Makes a data root with artifacts/ and workspaces/ out of nothing: every file
# is generated, the same each time.  Files that are right already are left.

use strict;
use warnings;
use utf8;

use Compress::Zlib qw(compress crc32);
use Encode qw(encode_utf8);
use File::Basename qw(dirname);
use File::Path qw(make_path);
use FindBin;
use JSON::PP ();
use Time::Local qw(timegm);

use lib "$FindBin::Bin/lib";
use SampleJpeg qw(jpeg);


my $root = shift or die "usage: $0 FOLDER\n";

my $json = JSON::PP->new->utf8->pretty->canonical;
my $base = timegm(0, 0, 0, 1, 0, 2026);          # 2026-01-01
my $count = 0;


# META adds the fields in which writers differ: type and name, or mimeType
# and filename, size, agentId

sub artifact {
    my ($id, $extension, $content, %meta) = @_;

    my $time = $base + 3600 * $count++;

    save("artifacts/$id$extension", $content, $time);

    save("artifacts/$id.meta", $json->encode({
        id => $id,
        extension => $extension,
        createdAt => iso($time),
        messageId => sprintf('msg-%03d', $count),
        meta => {},
        %meta,
    }), $time);
}


sub workspace {
    my ($id, @files) = @_;

    my %entries;
    my $time = $base;

    for my $file (@files) {
        my ($path, $type, $content) = @$file;

        $time += 600;
        save("workspaces/$id/$path", $content, $time);

        $entries{$path} = {
            mimeType => $type,
            createdAt => iso($time),
            updatedAt => iso($time),
            modifiedBy => [{
                agentId => $id,
                timestamp => iso($time),
                messageId => sprintf('msg-%03d', 100 + keys %entries),
            }],
        };
    }

    save("workspaces/$id.meta.json", $json->encode({
        workspaceId => $id,
        createdAt => iso($base),
        files => \%entries,
    }), $time);
}


# published by rename: a server may be reading the old file

sub save {
    my ($name, $content, $time) = @_;

    my $path = encode_utf8("$root/$name");

    if (open my $old, '<:raw', $path) {
        local $/;
        return if (<$old> // '') eq $content;
    }

    make_path(dirname($path));

    open my $new, '>:raw', "$path.tmp" or die "$path.tmp: $!\n";
    print $new $content or die "$path.tmp: $!\n";
    close $new or die "$path.tmp: $!\n";
    utime $time, $time, "$path.tmp";
    rename "$path.tmp", $path or die "$path: $!\n";
}


sub iso {
    my ($s, $m, $h, $day, $month, $year) = gmtime shift;

    return sprintf '%04d-%02d-%02dT%02d:%02d:%02d.000Z',
        $year + 1900, $month + 1, $day, $h, $m, $s;
}


sub png {
    my ($width, $height, $pixel) = @_;

    my $rows = '';

    for my $y (0 .. $height - 1) {
        $rows .= pack 'C*', 0, map { $pixel->($_, $y) } 0 .. $width - 1;
    }

    return "\x89PNG\r\n\x1a\n"
        . chunk('IHDR', pack 'N2 C5', $width, $height, 8, 2, 0, 0, 0)
        . chunk('IDAT', compress($rows, 9))
        . chunk('IEND', '');
}


sub chunk {
    my ($type, $data) = @_;

    return pack('N', length $data) . $type . $data
        . pack('N', crc32($type . $data));
}


sub pdf {
    my (@lines) = @_;

    my $text = "BT /F1 18 Tf 72 720 Td 24 TL\n"
        . join('', map { "($_) Tj T*\n" } @lines) . "ET\n";

    my @objects = (
        '<< /Type /Catalog /Pages 2 0 R >>',
        '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
        '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842]'
            . ' /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
        '<< /Length ' . length($text) . " >>\nstream\n${text}endstream",
        '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    );

    my $file = "%PDF-1.4\n%\xe2\xe3\xcf\xd3\n";
    my $xref = "xref\n0 " . (@objects + 1) . "\n0000000000 65535 f \n";
    my $n = 0;

    for my $object (@objects) {
        $xref .= sprintf "%010d 00000 n \n", length $file;
        $file .= ++$n . " 0 obj\n$object\nendobj\n";
    }

    return $file . $xref . 'trailer << /Size ' . (@objects + 1)
        . " /Root 1 0 R >>\nstartxref\n" . length($file) . "\n%%EOF\n";
}


sub wav {
    my ($rate, $hertz) = @_;

    my $data = pack 's<*', map {
        int 12000 * sin(2 * 3.14159265358979 * $hertz * $_ / $rate)
    } 0 .. $rate - 1;

    return pack('a4 V a4 a4 V v2 V2 v2 a4 V', 'RIFF', 36 + length $data,
        'WAVE', 'fmt ', 16, 1, 1, $rate, 2 * $rate, 2, 16,
        'data', length $data) . $data;
}


# stored entries; 0x0800: names are UTF-8; all dated 2026-01-01 00:00

sub zip {
    my (@entries) = @_;

    my ($file, $directory) = ('', '');

    while (my ($name, $content) = splice @entries, 0, 2) {
        $name = encode_utf8($name);

        my $common = pack 'v5 V3 v2', 20, 0x0800, 0, 0, 46 << 9 | 1 << 5 | 1,
            crc32($content), length $content, length $content,
            length $name, 0;

        $directory .= pack('a4 v', "PK\x01\x02", 20) . $common
            . pack('v3 V2', 0, 0, 0, 0, length $file) . $name;

        $file .= "PK\x03\x04$common$name$content";
    }

    my $n = () = $directory =~ /PK\x01\x02/g;

    return $file . $directory . pack 'a4 v4 V2 v', "PK\x05\x06", 0, 0, $n, $n,
        length $directory, length $file, 0;
}


sub gradient {
    my ($width, $height) = @_;

    return png($width, $height, sub {
        my ($x, $y) = @_;

        return (int 255 * $x / $width, int 255 * $y / $height,
                255 - int 255 * $x / $width);
    });
}


my $poem = encode_utf8(<<'END');
工件路由

图片给看得见的模型，
文档给读得懂的模型；
读不了的，只说一句：
这里有什么，该找谁。
END

my $script = <<'END';
// Greets everyone on the list.

const names = ["Ada", "Grace", "Edsger"];

for (const name of names) {
    console.log(`Hello, ${name}!`);
}
END

my $python = <<'END';
"""Counts the words of a text on standard input."""

import collections
import sys

words = collections.Counter(sys.stdin.read().split())

for word, n in words.most_common(10):
    print(f"{n:6} {word}")
END

my $svg = <<'END';
<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="120" height="120">
  <rect width="120" height="120" rx="16" fill="#0a7d4f"/>
  <circle cx="60" cy="60" r="36" fill="none" stroke="#fff" stroke-width="8"/>
</svg>
END

my $readme = encode_utf8(<<'END');
# agent-abc123

A workspace with some files in it: `src/main.js`, `截图/shot.png`.
END


artifact('gradient', '.png', gradient(320, 200),
    type => 'image/png', name => 'gradient.png');

artifact('photo', '.jpg', jpeg(64, 64, sub {
        my ($x, $y) = @_;
        my $d = sqrt(($x - 32) ** 2 + ($y - 32) ** 2);

        return $d < 20 ? (230, 180, 40) : (40, 2 * $x + 60, 3 * $y + 40);
    }),
    mimeType => 'image/jpg', filename => 'photo.jpg',
    agentId => 'agent-abc123');

artifact('report', '.pdf', pdf('A sample report', 'One page, two lines.'),
    type => 'application/pdf', name => 'report.pdf');

artifact('tone', '.wav', wav(8000, 440),
    mimeType => 'audio/wav', filename => 'tone.wav', size => 16044);

artifact('bundle', '.zip', zip('readme.txt' => "Two files.\n",
        '诗.txt' => $poem),
    type => 'application/zip', name => 'bundle.zip');

artifact('poem', '.txt', $poem,
    type => 'text/plain; charset=utf-8', name => '诗.txt');

artifact('script', '.js', $script,
    type => 'text/javascript', name => 'hello.js');

artifact('words', '.py', $python,
    type => 'text/x-python', name => 'words.py', agentId => 'agent-abc123');

artifact('logo', '.svg', $svg,
    type => 'image/svg+xml', name => 'logo.svg');

artifact('settings', '.json',
    $json->encode({ theme => 'dark', volume => 7, tags => ['a', 'b'] }),
    type => 'application/json', name => 'settings.json',
    meta => { source => 'sample' });

# wider than models take

artifact('panorama', '.png', png(2400, 100, sub { (255 & $_[0] >> 3, $_[1], 90) }),
    type => 'image/png', name => 'panorama.png');

# no metadata: found by its extension, classified by name and content

save('artifacts/orphan.csv', "city,population\nOslo,709037\n", $base);

workspace('agent-abc123',
    ['src/main.js', 'text/javascript', $script],
    ['README.md', 'text/markdown', $readme],
    ['截图/shot.png', 'image/png', gradient(160, 100)],
    ['docs/report.pdf', 'application/pdf', pdf('A report in a workspace')],
    ['data/notes.txt', 'text/plain', $poem]);
