#!/usr/bin/perl

# Width and height of images, as $artifact_pixels tells them: for images that
# programs have written, with much before the size, behind much else, and for
# heads that are broken or endless.

use strict;
use warnings;

use FindBin;
use JSON::PP ();
use MIME::Base64 qw(decode_base64);

use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;

my $images = JSON::PP->new->decode(slurp("$FindBin::Bin/../data/pixels.json"));
my (%bytes, %pixels);

for my $image (@$images) {
    my $name = $image->{name};

    $bytes{$name} = decode_base64($image->{data});
    $pixels{$name} = "$image->{width}x$image->{height}";
}

# as they are: what was cut off is not looked at

sub segment {
    my ($marker, $body) = @_;
    return "\xff" . chr($marker) . pack('n', 2 + length $body) . $body;
}

sub frame {
    my ($width, $height) = @_;
    return segment(0xc0, pack('C n n C', 8, $height, $width, 1)
                         . "\1\x11\0");
}

sub box {
    my ($type, $content) = @_;
    return pack('N', 8 + length $content) . $type . $content;
}

# a HEIF with such boxes before its metadata

sub heif {
    my ($before, $width, $height) = @_;

    my $ispe = box('ispe', pack('N3', 0, $width, $height));
    my $ipma = box('ipma', pack('N2 n C C', 0, 1, 7, 1, 0x81));

    return box('ftyp', 'heic' . "\0\0\0\0" . 'mif1heic') . $before
        . box('meta', "\0\0\0\0" . box('pitm', pack('N n', 0, 7))
                      . box('iprp', box('ipco', $ispe) . $ipma));
}

my $thumbnail = "Exif\0\0\xff\xd8" . frame(160, 120) . "\xff\xd9";
my $exif = segment(0xe1, $thumbnail . "\0" x 60000);

my %far = (
    'exif.jpg' => ["\xff\xd8$exif" . frame(4032, 3024), '4032x3024'],
    'profile.jpg' => ["\xff\xd8$exif" . segment(0xe2, 'x' x 65000) x 16
                      . frame(9000, 6000), '9000x6000'],
    'filled.jpg' => ["\xff\xd8" . "\xff" x 9000 . substr(frame(70, 80), 1)
                     . "\xff\xd9", '70x80'],
    'end.tif' => ["II*\0" . pack('V', 1_000_008) . 'x' x 1_000_000
                  . pack('v', 2) . pack('v2 V2', 256, 4, 1, 7000)
                  . pack('v2 V v v', 257, 3, 1, 5000, 0) . "\0" x 4,
                  '7000x5000'],
    'behind.heic' => [heif(box('mdat', 'x' x 1_000_000), 8064, 6048),
                      '8064x6048'],
    'many.heic' => [heif(box('free', 'x' x 70) x 200, 33, 44), '33x44'],
    'wide.heic' => [heif("\0\0\0\1mdat" . pack('Q>', 100_016) . 'x' x 100_000,
                         55, 66), '55x66'],
);

my %unknown = (
    'cut.png' => substr(png(), 0, 22),
    'cut.jpg' => "\xff\xd8" . substr($exif, 0, 30000),
    'none.jpg' => "\xff\xd8" . segment(0xe0, "JFIF\0\1") . "\xff\xda\0\2",
    'endless.jpg' => "\xff\xd8" . segment(0xe2, 'x' x 65000) x 60
                     . frame(9000, 6000),
    'filled.jpg' => "\xff\xd8" . "\xff" x 200_000 . frame(9000, 6000),
    'back.tif' => "II*\0" . pack('V', 2) . "\0" x 100,
    'beyond.tif' => "MM\0*" . pack('N', 0xffffffff) . "\0" x 100,
    'no.heic' => heif('', 0, 0),
    'long.heic' => heif("\0\0\0\1mdat" . "\xff" x 8, 33, 44),
    'short.heic' => heif("\0\0\0\4mdat", 33, 44),
    'empty.png' => '',
);

my $t = ArtifactTest->new;
my $socket = $t->prefix . '/upstream.sock';
my $upstream = ArtifactUpstream->new($socket, contents => {
    (map { ("far-$_" => { body => $far{$_}[0] }) } keys %far),
    (map { ("odd-$_" => { body => $unknown{$_} }) } keys %unknown),
    (map { $_ => { body => $bytes{$_} } } keys %bytes),
});

for my $folder (qw(data cached)) {
    my $root = $t->prefix . "/$folder";

    mkdir $root;
    mkdir "$root/artifacts";

    for my $name (keys %bytes) {
        spew("$root/artifacts/$name", $bytes{$name});
    }
    for my $name (keys %far) {
        spew("$root/artifacts/far-$name", $far{$name}[0]);
    }
    for my $name (keys %unknown) {
        spew("$root/artifacts/odd-$name", $unknown{$name});
    }
    spew("$root/artifacts/words.txt", 'words');
    spew("$root/artifacts/page.pdf", pdf());
    spew("$root/artifacts/drawn.svg", svg());
    spew("$root/artifacts/alone", png());
}

utime 1e9, 1e9, glob $t->prefix . '/cached/artifacts/*';

$t->start(main => "thread_pool few threads=2;\n", server => <<"SERVER");
    artifact_root %%DATA%%;
    artifact_route on;
    add_header X-Pixels [\$artifact_pixels];

    location /artifacts/ {
        artifact;
    }
    location /threads/ {
        artifact;
        aio threads=few;
        sendfile off;
    }
    location /kept/ {
        artifact;
        artifact_root %%PREFIX%%/cached;
        open_file_cache max=200;
    }
    location /proxied/ {
        proxy_pass http://unix:$socket:/;
        artifact_format object;
    }
    location /asked/ {
        proxy_pass http://unix:$socket:/;
        artifact_format anthropic;
    }
    location /static/ {
        alias %%DATA%%/;
        artifact_format anthropic;
    }
    location /read/ {
        alias %%DATA%%/;
        artifact_format anthropic;
        aio threads=few;
        sendfile off;
    }
SERVER

# what the part of a provider's format has in base64

sub data_in {
    my ($body) = @_;
    my ($data) = $body =~ m{"data":"([^"]*)"};

    return decode_base64($data // '');
}

sub pixels {
    my ($uri, @headers) = @_;

    my $res = $t->get($uri, @headers);
    my ($value) = ($res->header('X-Pixels') // '') =~ /\A\[(.*)\]\z/;

    return $res->{status} == 200 ? $value : "status $res->{status}";
}

my @sees = ('X-LLM-Capabilities' => 'vision');

for my $name (sort keys %pixels) {
    is(pixels("/artifacts/$name"), $pixels{$name}, "$name, raw");
    is(pixels("/artifacts/$name", @sees), $pixels{$name}, "$name, routed");
}

for my $where (qw(artifacts threads kept kept)) {

    for my $name (sort keys %far) {
        is(pixels("/$where/far-$name"), $far{$name}[1],
           "$name, far away, in $where");
        is(pixels("/$where/far-$name", @sees), $far{$name}[1],
           "$name, far away, routed, in $where");
    }

    for my $name (sort keys %unknown) {
        is(pixels("/$where/odd-$name"), '', "$name, broken, in $where");
        is(pixels("/$where/odd-$name", @sees), '',
           "$name, broken, routed, in $where");
    }
}

for my $name (qw(words.txt page.pdf drawn.svg)) {
    is(pixels("/artifacts/$name"), '', "$name is not measured");
    is(pixels("/artifacts/$name", @sees), '', "$name, routed");
}

is(pixels('/artifacts/alone'), pixels('/artifacts/alone', @sees),
   'without a name or metadata');
isnt(pixels('/artifacts/alone'), '', 'there are pixels');
is(pixels('/artifacts/plain.png/metadata'), $pixels{'plain.png'},
   'of the content, with its metadata');
is(pixels('/static/nothing'), 'status 404', 'no source');

# what a file's answer sends does not depend on it

is($t->get('/artifacts/far-exif.jpg')->body, $far{'exif.jpg'}[0],
   'the content is whole');

# responses: the first bytes only, and only where they are looked at

for my $name (sort keys %pixels) {
    is(pixels("/proxied/$name", @sees), $pixels{$name}, "$name, proxied");
    is(pixels("/asked/$name", @sees), $pixels{$name},
       "$name, proxied, for a provider");
}

is(pixels('/proxied/plain.png'), '', 'a response that passes unchanged');
is(pixels('/proxied/far-exif.jpg', @sees), '', 'no more for a program');

# a model's limit is worth waiting for

my %near = map { $_ => 1 } qw(exif.jpg filled.jpg many.heic wide.heic);

for my $name (sort keys %far) {
    my $want = $near{$name} ? $far{$name}[1] : '';
    my %res;

    for my $where ('asked', 'static/artifacts', 'read/artifacts') {
        my $res = $res{$where} = $t->get("/$where/far-$name", @sees);

        is($res->header('X-Pixels'), "[$want]", "$name, in $where");
    }

    is(pixels("/asked/far-$name?step=1000&frame=chunked", @sees), $want,
       "$name, in pieces");
    s/artifact:[^)]*// for my @bodies = map { $_->body } values %res;
    is(scalar(grep { $_ eq $bodies[0] } @bodies), 3, "$name, the same answers");
    is(data_in($res{asked}->body), $far{$name}[0], "$name is whole")
        if $name =~ /jpg\z/;
}

for my $name (sort keys %unknown) {
    is(pixels("/$_/odd-$name", @sees), '', "$name, broken, in $_")
        for 'asked', 'static/artifacts';
}

is($t->get('/asked/far-exif.jpg?cut=30000', @sees)->{status}, 502,
   'an upstream that breaks off before the size');
$t->allow(qr/upstream (?:prematurely closed|ended)/);

# a file that changes is measured again

my $path = $t->data . '/artifacts/changes.png';

spew($path, $bytes{'plain.png'});
is(pixels('/artifacts/changes.png', @sees), $pixels{'plain.png'}, 'a file');
spew($path, png());
isnt(pixels('/artifacts/changes.png', @sees), $pixels{'plain.png'},
     'and another one in its place');

$upstream->stop;
$t->finish;
