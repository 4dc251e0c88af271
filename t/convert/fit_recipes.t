#!/usr/bin/perl

# The configurations of docs/fit.md, as they stand there, with the example
# converter: each does what its section says.

use strict;
use warnings;
use utf8;

use Cwd qw(abs_path);
use FindBin;
use HTTP::Tiny;
use lib "$FindBin::Bin/../lib";
use ArtifactConvert;
use ArtifactDocs;
use ArtifactFixtures;
use ArtifactJSON;
use ArtifactModules;
use ArtifactTest;
use ArtifactUpstream qw(read_request send_answer);
use MIME::Base64 qw(decode_base64);

plan(skip_all => 'not installed: ' . convert_missing()) if convert_missing();

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $DOCX = $ArtifactConvert::DOCX;
my $FOX = "The quick brown fox\njumps over invoice 4711";
my $filter = other_modules('image_filter');

# --- what there is -----------------------------------------------------------

my %file = (
    heic => ['image/heic', image_of($dir, 'heic', '800x600')],
    avif => ['image/avif', image_of($dir, 'avif', '640x480')],
    tiff => ['image/tiff', image_of($dir, 'tiff', '400x300')],
    bmp => ['image/bmp', image_of($dir, 'bmp', '200x150')],
    svg => ['image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg" '
            . 'width="100" height="50"><rect width="9" height="9"/></svg>'],
    large => ['image/png', image_of($dir, 'png', '3000x1500')],
    small => ['image/png', png(30, 20)],
    fox => ['image/png', image_of($dir, 'png', '1000x300', $FOX)],
    blank => ['image/png', image_of($dir, 'png', '100x50')],
    report => ['application/pdf', text_pdf('Report of the year')],
    scan => ['application/pdf', scan_of($dir, 'page one', 'page two')],
    xls => ['application/vnd.ms-excel', xls()],
    docx => [$DOCX, convert_sample($dir, "# Title\n\nWords, **bold**.\n",
             'docx', qw(pandoc -f markdown -t docx -o OUT IN))],
    flac => ['audio/flac', sound_of($dir, 'flac')],
    mp4 => ['video/mp4', sound_of($dir, 'mp4', qw(-f lavfi -i color=d=2:s=64x48))],
);

$t->artifact($_, $file{$_}[1], { mimeType => $file{$_}[0],
                                 name => "file.$_" }) for keys %file;

# the map has the service that the page shows

my $page = "$FindBin::Bin/../../docs/fit.md";
my ($entry) = slurp($page) =~ /^    (\{ "id": "local-vision".*?\n)\n/ms;

$t->file('map.json', { services => [
    decode_strict($entry),
    { id => 'vision-model', capabilities => { input => ['text', 'vision'] } },
    { id => 'text-model', capabilities => { input => ['text'] } },
    { id => 'hears', capabilities => { input => ['text', 'audio'] } },
] });

my $gateway = ArtifactUpstream->echo("$dir/gateway");
my $imgproxy = ArtifactUpstream->new("$dir/imgproxy", serve => \&imgproxy);
my $socket = "$dir/convert.sock";
my $models = model_server();
my $converter = converter();

# --- the sections ------------------------------------------------------------

my %part;       # of each section

for my $section (doc_sections($page)) {
    my ($title, $text) = @$section;

    for my $block (doc_blocks($text)) {
        my %more = conf_part($block);
        $part{$title}{$_} .= here($more{$_}) for keys %more;
    }
}

my $location = delete $part{'The location'};

delete $part{'Finished answers'};       # t/convert/derive_kept.t
delete $part{'Tenants'};                # its key: t/convert/fit_version.t

my @TRY = (
    'Conversion and OCR: HEIC, PDF, scans, Word, sound' => sub {
        image($_->[0], 'vision-model', $_->[1])
            for ['heic', 'JPEG 800x600'], ['avif', 'JPEG 640x480'],
                ['tiff', 'JPEG 400x300'], ['bmp', 'JPEG 200x150'],
                ['svg', 'JPEG 2000x1000'], ['large', 'PNG 3000x1500'];
        image('large', 'local-vision', 'PNG 2000x1000');

        text('report', 'text-model', 'application/pdf',
             qr/^Report of the year\n/m);
        text('scan', 'text-model', 'application/pdf', qr/page one\s+page two/);
        text('fox', 'text-model', 'image/png', qr/invoice 4711/);
        text('docx', 'text-model', $DOCX, qr/^# Title\n\nWords, \*\*bold\*\*/m);
        sound('flac');

        like(words('blank', 'text-model'), qr/^\[Unreadable\] file\.blank/,
             'no words on it: words');
        like(words('svg', 'text-model'), qr/<svg /, 'an SVG is a text');

        cached();
        failures();
    },

    'Sizes of images' => sub {
        image('large', 'local-vision', 'PNG 2000x1000');
        image('large', 'vision-model', 'PNG 3000x1500');
        image('small', 'local-vision', 'PNG 30x20');
        image("data:image/png;base64," . b64($file{large}[1]), 'local-vision',
              'PNG 2000x1000');
    },

    'HEIC, AVIF, TIFF, BMP, SVG' => sub {
        image('heic', 'vision-model', 'JPEG 800x600');
        image("data:image/heic;base64," . b64($file{heic}[1]), 'vision-model',
              'JPEG 800x600');
        like(words('heic', 'text-model'), qr/^\[Unreadable\] file\.heic/,
             'no eyes');
        like(words('svg', 'text-model'), qr/<svg /, 'an SVG is a text');
    },

    'PDF and scans' => sub {
        text('report', 'vision-model', 'application/pdf',
             qr/^Report of the year\n/m);
        text('scan', 'text-model', 'application/pdf', qr/page one\s+page two/);
        text('fox', 'text-model', 'image/png', qr/invoice 4711/);
        image('fox', 'vision-model', 'PNG 1000x300');
    },

    'Word, Excel, PowerPoint, OpenDocument, EPUB' => sub {
        text('docx', 'text-model', $DOCX, qr/^# Title\n\nWords, \*\*bold\*\*/m);
        text('xls', 'text-model', 'application/vnd.ms-excel', qr/^\| 4711 \|/m);
    },

    'Sound' => sub {
        sound($_) for qw(flac mp4);
        text('flac', 'text-model', 'audio/flac', qr/^heard 200 whisper-1/m);
    },

    'Videos' => sub {
        image('mp4', 'vision-model', 'JPEG 1998x1500');
    },

    'Captions' => sub {
        text('heic', 'text-model', 'image/heic', qr/^seen llava data:image/m);
    },

    'imgproxy' => sub {
        image('large', 'local-vision', 'JPEG 2000x1000') for 1, 2;
        is($imgproxy->connections, 1, 'imgproxy was asked once');
        like(words('data:image/png;base64,' . b64($file{large}[1]),
                   'local-vision'), qr/^\[Unreadable\]/,
             'what has no id cannot be asked for');
        $imgproxy->stop;
        like(words('fox', 'text-model'), qr/^\[Unreadable\]/, 'no rule');
    },

    'image_filter' => sub {
        image('large', 'local-vision', 'PNG 2000x1000');
    },
);

my ($started, %now);
my $seen = 0;

while (my ($title, $try) = splice @TRY, 0, 2) {
    my $section = delete $part{$title};

    ok($section, "$title: it is there") or next;
    next if $title eq 'image_filter' && !$filter;

    note($title);
    $now{$_} = join '', map { $_ // '' } $location->{$_}, $section->{$_}
        for qw(http server);
    run(%now) or next;
    $try->();
}

is(join(', ', sort keys %part), '', 'all sections are tried');

$_->stop for $converter, $gateway;
$t->allow(qr/connect\(\) to unix:\S+convert\.sock failed/);
$t->finish;


# --- configurations ----------------------------------------------------------

sub here {
    my ($text) = @_;

    $text =~ s{http://127\.0\.0\.1:8090}{http://unix:$socket}g;
    $text =~ s{http://127\.0\.0\.1:8081}{http://unix:$dir/imgproxy:}g;
    $text =~ s{127\.0\.0\.1:8080}{127.0.0.1:%%PORT%%}g;
    $text =~ s{/var/cache/nginx/}{$dir/}g;
    return $text;
}


sub run {
    my (%conf) = @_;

    $conf{first} = $filter // '';
    $conf{http} .= <<'HTTP';
    artifact_capabilities %%PREFIX%%/map.json;
    artifact_root %%DATA%%;
    artifact_language en;
HTTP
    $conf{server} .= <<"SERVER";
    location /v1/ {
        artifact_expand on;
        proxy_pass http://unix:$dir/gateway:;
    }
    location /artifacts/ {
        artifact;
        artifact_route on;
    }
SERVER

    my ($exit, $said) = $t->conf_test(%conf);
    is($said =~ /\[warn\].*/ ? $& : '', '', 'nothing is warned about');

    return $started++ ? ok($t->reload(%conf), 'it is valid')
                      : ok(eval { $t->start(%conf) }, 'it is valid')
                        || !diag($@);
}


# --- requests ----------------------------------------------------------------

sub ask {
    my ($ref, $model) = @_;

    $ref = "artifact:$ref" if $ref !~ /:/;
    return $t->req('POST', '/v1/chat/completions',
        headers => ['Content-Type' => 'application/json'],
        body => encode_json_bytes({ model => $model, messages => [{
            role => 'user', content => [{
                type => 'image_url', image_url => { url => $ref } }] }] }));
}


sub part {
    my ($res) = @_;

    is($res->status, 200, 'it arrives') or diag($res->body);
    return $res->status == 200 ? json_of($res)->{messages}[0]{content}[0] : {};
}


sub image {
    my ($ref, $model, $what) = @_;

    my $url = part(ask($ref, $model))->{image_url}{url} // '';
    my ($type, $data) = $url =~ /\Adata:(\S+);base64,(.*)/s;

    is(convert_size($dir, decode_base64($data // '')), $what,
       substr($ref, 0, 30) . " for $model: $what");
    is($type // '', 'image/' . lc((split / /, $what)[0]), 'its type');
}


sub words {
    my ($ref, $model) = @_;
    return part(ask($ref, $model))->{text} // '';
}


sub text {
    my ($id, $model, $from, $what) = @_;
    my ($line, $text) = split /\n/, words($id, $model), 2;

    like($line // '', qr/^Content of file\.\w+, converted from \Q$from\E:$/,
         "$id: the line");
    like($text // '', $what, "$id for $model: its text");

    my $answer = $t->service($model, "/artifacts/$id");
    is(json_of($answer)->{contentType}, 'text', "$id, routed: a text");
    is(json_of($answer)->{metadata}{mimeType}, $from, 'of what it is');
    like(json_of($answer)->{content}, $what, 'this one');
}


sub sound {
    my ($id) = @_;
    my $part = part(ask($id, 'hears'));

    is($part->{input_audio}{format}, 'mp3', "$id becomes MP3");
    is(substr(decode_base64($part->{input_audio}{data} // ''), 0, 1), "\xff",
       'really');
}


# A table, as a few lines of Python write it.

sub xls {
    return convert_sample($dir, undef, 'xls', 'python3', '-c', <<'PY', 'OUT');
import sys, xlwt
b = xlwt.Workbook()
b.add_sheet('One').write(0, 0, 4711)
b.save(sys.argv[1])
PY
}


sub converter {
    my $server = "http://127.0.0.1:$models->{port}/v1";

    return ArtifactConvert->new($dir, listen => "unix:$socket",
        transcribe => "$server/audio/transcriptions whisper-1",
        caption => "$server/chat/completions llava");
}


# Conversions since the last call.

sub conversions {
    my $count = () = $converter->log =~ m{"POST /convert/}g;

    ($seen, $count) = ($count, $count - $seen);
    return $count;
}


sub cached {
    my $own = 'data:image/png;base64,' . b64(image_of($dir, 'png', '2200x100'));

    conversions();
    ask($_, 'local-vision') for qw(heic large);
    is(conversions(), 0, 'nothing is converted twice');

    image($own, 'local-vision', 'PNG 2000x91');
    is(conversions(), 1, "the client's own are converted");
    image($own, 'local-vision', 'PNG 2000x91');
    is(conversions(), 0, 'once');

    words('blank', 'text-model');
    is(conversions(), 0, 'what has none is kept as well');

    $t->artifact('large', image_of($dir, 'png', '2600x100'),
                 { mimeType => 'image/png', name => 'file.large' });
    image('large', 'local-vision', 'PNG 2000x77');
    is(conversions(), 1, 'what has changed is converted again');
    $t->artifact('large', $file{large}[1],
                 { mimeType => 'image/png', name => 'file.large' });
}


sub failures {
    my $new = sub { 'data:image/png;base64,'
                    . b64(image_of($dir, 'png', "25$_[0]x100")) };

    $converter->stop;
    image('heic', 'vision-model', 'JPEG 800x600');
    like(words($new->(11), 'local-vision'), qr/^\[Unreadable\]/,
         'the converter is down: words');

    my %plain = %now;
    ok($plain{server} =~ s/ body words;/ body;/g, 'without "words"');
    run(%plain);
    is(ask($new->(12), 'local-vision')->status, 502, '... 502');
    image('heic', 'vision-model', 'JPEG 800x600');
    run(%now);

    $converter = converter();
    image($new->(11), 'local-vision', 'PNG 2000x80');
}


# What imgproxy does with such a URL.

sub imgproxy {
    my ($sock) = @_;
    local $SIG{CHLD} = 'DEFAULT';
    my ($head) = read_request($sock) or return;
    my ($url) = $head =~ m{^GET\ /insecure/rs:fit:2000:2000/plain/
                           (http://127\.0\.0\.1:\d+/originals/[\w.:-]+)
                           \@jpg\ HTTP}x or return;
    my $res = HTTP::Tiny->new->get($url);
    my $jpeg = $res->{success} ? convert_sample($dir, $res->{content}, 'jpg',
        qw(convert IN -resize 2000x2000> jpeg:OUT)) : '';

    send_answer($sock, 'HTTP/1.1 ' . ($jpeg ? '200 OK' : '404 Not Found')
        . "\r\nConnection: close\r\nContent-Type: image/jpeg\r\n"
        . 'Content-Length: ' . length($jpeg) . "\r\n\r\n$jpeg");
}
