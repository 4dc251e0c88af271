#!/usr/bin/perl

# Width and height of images, read from their heads: $artifact_pixels; images
# with too many pixels for an API or a service, which are converted, or
# described with the reason; and the stricter limit of Anthropic's for many.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFit;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;
use MIME::Base64 ();

my $t = ArtifactTest->new;

# --- heads

sub gif_of { return "GIF89a" . pack('v v', @_) . substr gif(), 10 }

sub bmp_of {
    my ($width, $height) = @_;
    my $bmp = bmp();
    substr $bmp, 18, 8, pack 'l< l<', $width, $height;
    return $bmp;
}

sub riff {
    my ($name, $body) = @_;
    $body .= "\0" if length($body) % 2;
    my $chunk = "WEBP$name" . pack('V', length $body) . $body;
    return "RIFF" . pack('V', length $chunk) . $chunk;
}

sub webp_lossy {
    return riff('VP8 ', "\x10\x00\x00\x9d\x01\x2a" . pack('v v', @_)
                . "\0" x 20);
}

sub webp_lossless {
    my ($width, $height) = @_;
    return riff('VP8L', "\x2f" . pack('V', $width - 1 | ($height - 1) << 14)
                . "\0" x 20);
}

sub webp_extended {
    my ($width, $height) = map { substr pack('V', $_ - 1), 0, 3 } @_;
    return riff('VP8X', "\0\0\0\0$width$height");
}

sub tiff_big {
    my ($width, $height) = @_;
    return "MM\0*" . pack('N', 8) . pack('n', 3)
        . pack('n n N n n', 256, 3, 1, $width, 0)
        . pack('n n N n n', 257, 3, 1, $height, 0)
        . pack('n n N n n', 259, 3, 1, 1, 0) . pack('N', 0);
}

sub jpeg_progressive { return jpeg_of(@_) =~ s/\xff\xc0(?=\0\x0b)/\xff\xc2/r }

my $exif = "\xff\xe1" . pack('n', 60_002) . "Exif\0\0"
    . "\xff\xc0\0\x11" x 14_998 . 'xx';
my %image = (
    png => [png_of(640, 480), '640x480'],
    jpeg => [jpeg_of(641, 481), '641x481'],
    'jpeg-progressive' => [jpeg_progressive(642, 482), '642x482'],
    'jpeg-exif' => [jpeg_of(643, 483, '', $exif), '643x483'],
    gif => [gif_of(644, 484), '644x484'],
    'webp-lossy' => [webp_lossy(645, 485), '645x485'],
    'webp-lossless' => [webp_lossless(646, 486), '646x486'],
    'webp-extended' => [webp_extended(647, 487), '647x487'],
    heic => [heic(648, 488), '648x488'],
    avif => [avif(649, 489), '649x489'],
    bmp => [bmp_of(650, 490), '650x490'],
    'bmp-down' => [bmp_of(651, -491), '651x491'],
    tiff => [tiff_of(652, 492), '652x492'],
    'tiff-big' => [tiff_big(653, 493), '653x493'],
    wide => [png_of(65_000, 1), '65000x1'],

    # what cannot be read, and what is no image

    sizeless => [substr(png_of(640, 480), 0, 8)
                 . substr(png_of(640, 480), -12), ''],
    nothing => [png_of(0, 0), ''],
    pdf => [pdf(), ''],
    text => ["words\n", ''],
    svg => [svg(), ''],
);
my %mime = (pdf => 'application/pdf', text => 'text/plain',
            svg => 'image/svg+xml', sizeless => 'image/png',
            nothing => 'image/png', wide => 'image/png');
for my $id (keys %image) {
    my ($kind) = $id =~ /^(\w+)/;
    $t->artifact($id, $image{$id}[0],
                 { type => $mime{$kind} // "image/$kind",
                   name => "$id.$kind" });
}

# --- a server

my $map = fit_map();
push @{ $map->{services} },
    { id => 'narrow', maxSide => 500, capabilities => { input => ['text',
                                                                  'vision'] } },
    { id => 'exact', maxSide => 640, capabilities => { input => ['text',
                                                                 'vision'] } };
$t->file('map.json', $map);

$t->artifact('huge', png_of(9000, 6000), { type => 'image/png',
                                           name => 'huge.png' });
$t->artifact('tall', jpeg_of(10, 8001), { type => 'image/jpeg' });
$t->artifact('fits', png_of(8000, 8000), { type => 'image/png' });
$t->artifact("screen$_", png_of(2560, 1440, $_), { type => 'image/png',
    name => "screen$_.png" }) for 0 .. 24;
$t->artifact("small$_", png_of(2000, 1440, $_), { type => 'image/png' })
    for 0 .. 24;

my $store = ArtifactUpstream->new($t->prefix . '/store', contents => {
    huge => { body => png_of(9000, 6000), type => 'image/png' },
    exif => { body => $image{'jpeg-exif'}[0], type => 'image/jpeg' } });
my $converter = converter($t->prefix . '/convert',
    same => sub { return { body => png_of(9000, 5000), type => 'image/png' } },
    fit => sub { return { body => jpeg_of(2000, 1125, "of $_[0]{sha}"),
                          type => 'image/jpeg' } },
    middle => sub { return { body => jpeg_of(2500, 1406, "of $_[0]{sha}"),
                             type => 'image/jpeg' } });
my $echo = echoed($t);

my $pass = 'artifact_expand on; proxy_pass http://unix:%%PREFIX%%/echo:;';
$t->start(http => 'artifact_capabilities %%PREFIX%%/map.json; '
          . 'log_format p "$uri|$artifact_pixels|";',
          server => fit_server('', <<"MORE"));
    access_log %%PREFIX%%/access.log p;

    location /a/ { artifact; artifact_route on; artifact_accept vision;
                   add_header X-Pixels \$artifact_pixels;
                   add_header X-Reason \$artifact_reason; }
    location /zh/ { artifact; artifact_route on; artifact_language zh;
                    artifact_format anthropic; }
    location /anthropic/ { artifact; artifact_route on;
                           artifact_format anthropic;
                           add_header X-Reason \$artifact_reason; }
    location /named/ { artifact; artifact_route on; }
    location /raw/ { artifact; }
    location /s/ {
        artifact_decode on; artifact_route on; artifact_format anthropic;
        proxy_pass http://unix:%%PREFIX%%/store:/;
        add_header X-Pixels \$artifact_pixels;
        add_header X-Reason \$artifact_reason;
    }
    location /fit/ {
        artifact_derive image image/jpeg /c/fit body;
        $pass
    }
    location /two/ {
        artifact_derive image image/png /c/same body;
        artifact_derive image image/jpeg /c/fit body;
        $pass
    }
    location /same/ { artifact_derive image image/png /c/same body; $pass }
    location /middle/ { artifact_derive image image/jpeg /c/middle body; $pass }
    location /get/ { artifact_derive image image/jpeg /c/fit/; $pass }
    location /texts/ {
        artifact_derive document text/plain /c/text body;
        $pass
    }
    location = /route { artifact_message; }
    location = /route-fit {
        artifact_message;
        artifact_derive image image/jpeg /c/fit body;
    }
MORE

# --- \$artifact_pixels

for my $id (sort keys %image) {
    my $res = $t->get("/a/$id");
    is($res->header('X-Pixels') // '', $image{$id}[1], "pixels: $id");
}
$t->get('/raw/png');
$t->get('/raw/text');
$t->get('/raw/done');
$t->wait_for(qr{^/raw/done}m, 'access.log');
my $log = slurp($t->prefix . '/access.log');
like($log, qr{^/raw/png\|(?:640x480)\|$}m, 'pixels in the log, of raw answers');
like($log, qr{^/raw/text\|-?\|$}m, 'none of a text');
like($log, qr{^/a/jpeg-exif\|643x483\|$}m, 'of routed ones');
is($t->service('sees', '/s/exif')->header('X-Pixels') // '', '643x483',
   'of proxied ones');

# --- too many

for (['huge', 'pixels'], ['tall', 'pixels'], ['fits', ''], ['screen1', ''],
     ['sizeless', ''])
{
    my ($id, $reason) = @$_;
    my $res = $t->service('sees', "/anthropic/$id");
    next if $id eq 'sizeless' && ($res->header('X-Reason') // '') eq 'type';
    is($res->header('X-Reason') // '', $reason, "Anthropic: $id");
    like($res->{body}, $reason ? qr/"type":"text"/ : qr/"type":"image"/,
         "Anthropic: $id: its block");
}
my $text = json_of($t->service('sees', '/anthropic/huge'))->{text};
like($text, qr/\A\[Unreadable\] huge\.png \(artifact:huge\)\n/, 'described');
like($text, qr/\nPixels: 9000x6000\n/, 'with its pixels');
$text = json_of($t->service('sees', '/zh/huge'))->{text};
like($text, qr/\n像素: 9000x6000\n/, 'in Chinese, too');
unlike(json_of($t->service('reads', '/anthropic/huge'))->{text},
       qr/Pixels/, 'no pixels where they are not the reason');
my $res = $t->service('sees', '/s/huge');
is($res->header('X-Reason') // '', 'pixels', 'a proxied source');
like(json_of($res)->{text}, qr/\nPixels: 9000x6000\n/, 'with its pixels');

for (['narrow', 'png', 'image text image/png pixels'],
     ['narrow', 'jpeg-exif', 'image text image/jpeg pixels'],
     ['narrow', 'avif', 'image text image/avif pixels'],
     ['exact', 'png', 'image image_url image/png'],
     ['exact', 'jpeg', 'image text image/jpeg pixels'],
     ['narrow', 'pdf', 'binary text application/pdf capability'],
     ['sees', 'huge', 'image image_url image/png'])
{
    my ($service, $id, $want) = @$_;
    is(routing_of($t->service($service, "/named/$id")), $want,
       "maxSide: $id for $service");
}

# --- requests

sub ask {
    my ($uri, $model, @parts) = @_;
    my $res = $t->req('POST', "$uri/messages",
        body => body_of('anthropic', $model, @parts),
        headers => ['Content-Type' => 'application/json']);
    return $res;
}

sub image { return slot('anthropic', 'image', "artifact:$_[0]") }

sub own { return inline_part('anthropic', 'image', 'image/png', $_[0]) }

sub by_url {
    return qq({"type":"image","source":{"type":"url","url":"https://h/$_[0]"}});
}

sub by_id {
    return qq({"type":"image","source":{"type":"file","file_id":"file_$_[0]"}});
}

# What has become of each: "image", "words", "fit" (by the converter), "else".

sub became {
    my ($res) = @_;
    return "status $res->{status}" if $res->{status} != 200;
    my @is = map {
        my $source = $_->{source} || {};
        my $bytes = MIME::Base64::decode_base64($source->{data} // '');
        $_->{type} eq 'text' ? ($_->{text} =~ /\nPixels: \d+x\d+\n/ ? 'words'
                                : 'else')
            : $source->{type} ne 'base64' ? 'elsewhere'
            : $bytes =~ /of [0-9a-f]{64}/ ? 'fit' : 'image'
    } map { ref $_->{content} ? @{ $_->{content} } : () }
        @{ json_of($res)->{messages} };

    # "image x 3, words"

    my @runs;
    for (@is) {
        @runs && $runs[-1][0] eq $_ ? $runs[-1][1]++ : push @runs, [$_, 1];
    }
    return join ', ', map { $_->[1] > 1 ? "$_->[0] x $_->[1]" : $_->[0] } @runs;
}

my $huge = png_of(9000, 6000);
for (
    ['one that is huge', '/v1', 'words', image('huge')],
    ['own that is huge', '/v1', 'words', own($huge)],
    ['a screen', '/v1', 'image', image('screen1')],
    ['own screen', '/v1', 'image', own(png_of(2560, 1440))],
    ['twenty screens', '/v1', 'image x 20', map { image("screen$_") } 0 .. 19],
    ['twenty-one', '/v1', 'words x 21', map { image("screen$_") } 0 .. 20],
    ['own twenty', '/v1', 'image x 20', map { own(png_of(2560, 1440, $_)) }
     0 .. 19],
    ['own twenty-one', '/v1', 'words x 21', map { own(png_of(2560, 1440, $_)) }
     0 .. 20],
    ['twenty-one that are small', '/v1', 'image x 21',
     map { image("small$_") } 0 .. 20],
    ['with one among them', '/v1', 'image x 20, words, image x 4',
     map { image($_ == 20 ? "screen$_" : "small$_") } 0 .. 24],
    ['URLs count', '/v1', 'elsewhere x 20, words',
     map({ by_url($_) } 1 .. 20), image('screen1')],
    ['nineteen URLs', '/v1', 'elsewhere x 19, image',
     map({ by_url($_) } 1 .. 19), image('screen1')],
    ['ids of files count', '/v1', 'elsewhere x 20, words',
     map({ by_id($_) } 1 .. 20), own(png_of(1440, 2560))],
    ['one artifact, twenty-one times', '/v1', 'words x 21',
     map { image('screen1') } 1 .. 21],
    ['documents do not count', '/v1', 'image',
     image('screen1')],

    # with a rule

    ['huge, with a rule', '/fit', 'fit', image('huge')],
    ['own huge, with a rule', '/fit', 'fit', own($huge)],
    ['the stricter limit from the first one on', '/fit', 'fit',
     image('screen1')],
    ['own, from the first one on', '/fit', 'fit', own(png_of(2560, 1440))],
    ['what is small stays', '/fit', 'image x 2', image('small1'),
     own(png_of(1999, 2000))],
    ['twenty-five', '/fit', 'fit x 25', map { image("screen$_") } 0 .. 24],
    ['the next rule', '/two', 'fit', image('huge')],
    ['one that stays too large', '/same', 'words', image('huge')],
    ['one that stays too large for many', '/middle', 'words',
     image('screen1')],
    ['a rule of another kind', '/texts', 'image', image('screen1')],
    ['a rule without a body', '/get', 'image', image('screen1')],
    ['a rule without a body, huge', '/get', 'fit', image('huge')],
) {
    my ($name, $uri, $want, @parts) = @$_;
    my $res = ask($uri, 'sees', @parts);
    is(became($res), $want, $name);
}

# with a rule, a history does not change when it grows over twenty images

my $body = '';
my $same = 1;
for my $n (18 .. 23) {
    my $now = ask('/fit', 'sees', map { [image("screen$_")] } 0 .. $n)->{body};
    $same = 0 if length $body
        && index($now, substr $body, 0, length($body) - 2);
    $body = $now;
}
ok($same, 'a history that grows over twenty images stays the same');

# the map's own, in requests; what cannot be read is not held against it

sub chat {
    my ($model, $part) = @_;
    my $res = $t->req('POST', '/v1/chat/completions',
        body => body_of('openai', $model, $part),
        headers => ['Content-Type' => 'application/json']);
    my ($got) = parts_in(json_of($res));
    return ref $got ? 'image' : $got =~ /Pixels: (\S+)/ ? "words $1" : $got;
}

for (['narrow', 'png', 'words 640x480'], ['exact', 'png', 'image'],
     ['exact', 'jpeg', 'words 641x481'], ['narrow', 'webp-lossy',
     'words 645x485'], ['sees', 'huge', 'image'], ['narrow', 'wide',
     'words 65000x1'])
{
    my ($model, $id, $want) = @$_;
    is(chat($model, slot('openai', 'image', "artifact:$id")), $want,
       "maxSide: $id, $model");
    next if $id =~ /huge/;
    my ($kind) = $id =~ /^(\w+)/;
    is(chat($model, inline_part('openai', 'image', $mime{$kind}
       // "image/$kind", $image{$id}[0])), $want, "maxSide: own $id, $model");
}
my $unread = inline_part('openai', 'image', 'image/jpeg',
                         "\xff\xd8\xff\xe0" . "\0\x10JFIF\0" . "\0" x 300
                         . "\xff\xd9");
is(chat('narrow', $unread), 'image', 'one that cannot be read stays');

# messages

my $message = '{"service":"narrow","attachments":["artifact:png"]}';
$res = $t->req('POST', '/route', body => $message);
my $data = json_of($res);
is(scalar @{ $data->{unsupportedAttachments} }, 1, 'a message: unsupported');
ok(!$data->{canProcess}, 'a message: cannot be processed');

$_->stop for $converter, $echo, $store;
$t->finish;
