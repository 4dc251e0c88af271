#!/usr/bin/perl

# Media that clients put into requests themselves: what is right stays as it
# came, a type that is not that of the content is corrected where it stands, and
# what no model can read becomes words.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactEcho;
use ArtifactFixtures;
use ArtifactJSON;
use ArtifactTest;

my $t = ArtifactTest->new;

my $png = png(6, 4);
my $jpeg = jpeg();
my $gif = gif();
my $webp = webp();
my $wav = wav();
my $mp4 = mp4();
my $pdf = pdf();
my $html = "<!DOCTYPE html><html><head><title>503</title></head>\n"
    . "<body>Service unavailable</body></html>\n";

$t->file('map.json', { services => [
    { id => 'sees', model => 'sees',
      capabilities => { input => [qw(text vision audio video file)] } },
    { id => 'reads', model => 'reads', capabilities => { input => ['text'] } },
] });

my $echo = echo($t->prefix . '/echo');

my $common = <<"CONF";
        artifact_expand on;
        client_max_body_size 0;
        proxy_pass http://unix:@{[ $t->prefix ]}/echo:;
CONF

$t->start(http => <<'HTTP', server => <<"SERVER");
    artifact_capabilities %%PREFIX%%/map.json;
    artifact_root %%DATA%%;
    artifact_language en;
HTTP
    location / {
        client_body_buffer_size 16m;
$common
    }
    location /file/ {
        client_body_buffer_size 1k;
        client_body_in_file_only clean;
        aio threads;
$common
    }
    location /mistral/ {
        artifact_format mistral;
$common
    }
    location /openrouter/ {
        artifact_format openrouter;
$common
    }
SERVER

sub ask {
    my ($uri, $body, @headers) = @_;
    return $t->req('POST', $uri, body => $body,
        headers => ['Content-Type' => 'application/json', @headers]);
}

# Bodies of all APIs: the model, and one part

my %api = (
    openai => sub { ('/v1/chat/completions', qq({"model":"$_[0]",)
        . qq("messages":[{"role":"user","content":[$_[1]]}]})) },
    openai_responses => sub { ('/v1/responses', qq({"model":"$_[0]",)
        . qq("input":[{"role":"user","content":[$_[1]]}]})) },
    anthropic => sub { ('/v1/messages', qq({"model":"$_[0]",)
        . qq("messages":[{"role":"user","content":[$_[1]]}]})) },
    gemini => sub { ("/v1beta/models/$_[0]:generateContent",
        qq({"contents":[{"role":"user","parts":[$_[1]]}]})) },
    bedrock => sub { ("/model/$_[0]/converse",
        qq({"messages":[{"role":"user","content":[$_[1]]}]})) },
    mistral => sub { ('/mistral/v1/chat/completions', qq({"model":"$_[0]",)
        . qq("messages":[{"role":"user","content":[$_[1]]}]})) },
    openrouter => sub { ('/openrouter/v1/chat/completions',
        qq({"model":"$_[0]",)
        . qq("messages":[{"role":"user","content":[$_[1]]}]})) },
);

sub body { return ($api{ $_[0] }->($_[1], $_[2]))[1] }

sub sent {
    my ($api, $model, $part, %opt) = @_;
    my ($uri, $body) = $api{$api}->($model, $part);
    my $res = ask(($opt{at} // '') . $uri, $body, @{ $opt{headers} // [] });
    return $res->status == 200 ? $res->body : $res->status . $res->body;
}

sub stays {
    my ($api, $model, $part, $name, %opt) = @_;
    is(sent($api, $model, $part, %opt), body($api, $model, $part),
        "$api, $model, $name: stays");
}

sub becomes {
    my ($api, $model, $part, $want, $name, %opt) = @_;
    is(sent($api, $model, $part, %opt), body($api, $model, $want),
        "$api, $model, $name");
}

sub words {
    my ($api, $model, $part, $like, $name) = @_;
    my $sent = sent($api, $model, $part);
    my $data = eval { decode_strict($sent) };
    ok($data, "$api, $model, $name: JSON") or diag($sent);
    like($sent, $like, "$api, $model, $name: words");
    unlike($sent, qr/base64|inlineData|"bytes"|"data"/,
        "$api, $model, $name: and nothing else");
}

# Slots: how the API spells a type, and the part with it

sub url { return "data:$_[0];base64,$_[1]" }

my %slot = (
    openai => { image => sub {
        '{"type":"image_url","image_url":{"url":"' . url(@_) . '"}}' } },
    openai_responses => { image => sub {
        '{"type":"input_image","image_url":"' . url(@_) . '"}' } },
    anthropic => { image => sub {
        '{"type":"image","source":{"type":"base64","media_type":"' . $_[0]
            . '","data":"' . $_[1] . '"}}' } },
    gemini => { image => sub {
        '{"inlineData":{"mimeType":"' . $_[0] . '","data":"' . $_[1]
            . '"}}' } },
    bedrock => { image => sub {
        '{"image":{"format":"' . $_[0] . '","source":{"bytes":"' . $_[1]
            . '"}}}' } },
    mistral => { image => sub {
        '{"type":"image_url","image_url":"' . url(@_) . '"}' } },
    openrouter => { image => sub {
        '{"type":"image_url","image_url":{"url":"' . url(@_) . '"}}' } },
);

sub spelling {
    my ($api, $type) = @_;
    return $api eq 'bedrock' ? $type =~ s!.*/!!r : $type;
}

sub wrong {
    my ($api) = @_;
    return $api eq 'bedrock' ? qw(jpeg jpg PNG wav x-png)
        : qw(image/jpeg image/jpg IMAGE/JPEG application/octet-stream x-wav),
          'text/plain', '';
}

for my $api (sort keys %slot) {
    my $image = $slot{$api}{image};
    my $right = $image->(spelling($api, 'image/png'), b64($png));

    for my $model (qw(sees nobody)) {
        stays($api, $model, $right, 'a PNG');
        stays($api, $model, $right, 'a PNG in a file', at => '/file')
            if $api !~ /mistral|openrouter/;

        for my $type (wrong($api)) {
            becomes($api, $model, $image->($type, b64($png)), $right,
                "a PNG as \"$type\"");
        }
        becomes($api, $model, $image->((wrong($api))[0], b64($png)), $right,
            'a PNG in a file', at => '/file')
            if $api !~ /mistral|openrouter/;

        for ([$jpeg, 'jpeg'], [$webp, 'webp'], [$gif, 'gif']) {
            my ($bytes, $type) = @$_;
            next if $api eq 'gemini' && $type eq 'gif';
            stays($api, $model,
                $image->(spelling($api, "image/$type"), b64($bytes)),
                "right $type");
            becomes($api, $model,
                $image->(spelling($api, 'image/png'), b64($bytes)),
                $image->(spelling($api, "image/$type"), b64($bytes)),
                "$type as PNG");
        }

        my $type = spelling($api, 'image/png');
        my $failed = qr/File processing failed: /;
        for (
            ['nothing', ''],
            ['no base64', 'iVBORw0KGgo*'],
            ['a single digit', b64($png) =~ s/.{5}=*$//r . 'A'],
            ['HTML', b64($html)],
            ['noise', b64("\1\2\3\xff\xfe\x80\0" x 40)],
            ['half a PNG', b64(substr $png, 0, length($png) / 2)],
            ['a PNG without its last byte', b64(substr $png, 0, -1)],
            ['a JPEG without an end', b64(substr $jpeg, 0, -2)],
            ['a GIF without an end', b64(substr $gif, 0, -1)],
            ['a short WebP', b64(substr $webp, 0, -3)],
        ) {
            my ($name, $data) = @$_;
            $data =~ tr/=//d if $name eq 'a single digit';
            next if $name eq 'a single digit' && length($data) % 4 != 1;
            words($api, $model, $image->($type, $data), $failed, $name);
        }
        words($api, $model, $image->($type, b64($html)),
            qr!\(image/png: text/html\)!, 'HTML, both types');

        stays($api, $model, $image->($type, b64($png . "\0" x 5000)),
            'a PNG with zeros behind it');
        stays($api, $model, $image->($type, b64($png) =~ s/=+$//r),
            'not padded');
        stays($api, $model, $image->($type, b64($png) =~ tr!+/!-_!r),
            'URL-safe');
        stays($api, $model, $image->($type, wrapped($png)), 'wrapped');
        stays($api, $model, $image->($type, b64($png) =~ s!/!\\/!gr),
            'escaped');

        my $bad = (wrong($api))[0];
        for (['not padded', b64($png) =~ s/=+$//r],
            ['URL-safe', b64($png) =~ tr!+/!-_!r],
            ['wrapped', wrapped($png)],
            ['escaped', b64($png) =~ s!/!\\/!gr =~ s!\+!\\u002b!gr])
        {
            becomes($api, $model, $image->($bad, $_->[1]), $right,
                "$_->[0] and wrong");
        }
    }

    words($api, 'reads', $image->((wrong($api))[0], b64($png)),
        qr/PNG|image\/png/, 'a PNG as JPEG for a model that cannot see');
}

sub wrapped { return join '\n', b64($_[0]) =~ /.{1,76}/g }

# A data URL is right in any case, with parameters

for my $type ('IMAGE/PNG', 'image/png;name=a.png', 'Image/Png;charset=utf-8') {
    stays('openai', 'sees', $slot{openai}{image}->($type, b64($png)), $type);
}
becomes('openai', 'sees',
    $slot{openai}{image}->('image/jpeg;name=a.png', b64($png)),
    $slot{openai}{image}->('image/png;name=a.png', b64($png)),
    'parameters stay');
becomes('openai', 'sees',
    $slot{openai}{image}->('image\\/jpeg', b64($png)),
    $slot{openai}{image}->('image/png', b64($png)), 'an escape in the type');
for my $type ('IMAGE/PNG', 'image/png; charset=x', ' image/png') {
    becomes('anthropic', 'sees', $slot{anthropic}{image}->($type, b64($png)),
        $slot{anthropic}{image}->('image/png', b64($png)), "\"$type\"");
}

# Members that are absent, or come twice

my $b64 = b64($png);
becomes('anthropic', 'nobody',
    qq({"type":"image","source":{ "type":"base64", "data" : "$b64"}}),
    qq({"type":"image","source":{ "type":"base64", )
        . qq("media_type":"image/png","data" : "$b64"}}), 'no type');
becomes('gemini', 'nobody', qq({"inline_data":{"data":"$b64"}}),
    qq({"inline_data":{"mimeType":"image/png","data":"$b64"}}), 'no type');
becomes('bedrock', 'nobody', qq({"image":{"source":{"bytes":"$b64"}}}),
    qq({"image":{"format":"png","source":{"bytes":"$b64"}}}), 'no type');
becomes('anthropic', 'sees',
    '{"type":"image","source":{"media_type":"image/png","type":"base64",'
        . qq("media_type":"image/jpeg","data":"$b64"}}),
    '{"type":"image","source":{"media_type":"image/png","type":"base64",'
        . qq("media_type":"image/png","data":"$b64"}}), 'two types');
becomes('anthropic', 'sees',
    '{"type":"image","source":{"media_type":"image/jpeg","type":"base64",'
        . qq("data":"$b64","media_type":"image/png"}}),
    '{"type":"image","source":{"media_type":"image/png","type":"base64",'
        . qq("data":"$b64","media_type":"image/png"}}), 'two, the last right');

# A data URL where base64 is meant, and the reverse

for my $api (qw(anthropic gemini bedrock)) {
    my $image = $slot{$api}{image};
    my $type = spelling($api, 'image/png');
    my $right = $image->($type, $b64);
    for my $model (qw(sees nobody)) {
        becomes($api, $model, $image->($type, url('image/png', $b64)), $right,
            'a data URL');
        becomes($api, $model, $image->((wrong($api))[0],
            url('image/jpeg', $b64)), $right, 'a data URL, wrong');
        becomes($api, $model, $image->($type,
            url('image/png', $b64) =~ s!/!\\/!gr), $right,
            'a data URL, escaped');
    }
}
for my $api (qw(openai openai_responses mistral openrouter)) {
    my $image = $slot{$api}{image};
    for my $model (qw(sees nobody)) {
        my $bare = $image->('image/png', $b64) =~ s/data:[^,]*,//r;
        becomes($api, $model, $bare, $image->('image/png', $b64),
            'base64 in the slot of a URL');
    }
    stays($api, 'nobody', $image->('', 'file-abc') =~ s/data:[^,]*,//r,
        'a file id in the slot of a URL');
}

# Sounds, films and documents

for my $format (qw(mp3 WAV audio/wav)) {
    becomes('openai', 'sees', audio($format, $wav), audio('wav', $wav),
        "a WAV as $format");
}
stays('openai', 'sees', audio('wav', $wav), 'a WAV');
sub audio {
    return '{"type":"input_audio","input_audio":{"format":"' . $_[0]
        . '","data":"' . b64($_[1]) . '"}}';
}
words('openai', 'nobody', audio('wav', substr $wav, 0, -20),
    qr/processing failed/, 'a short WAV');
stays('openai', 'nobody', audio('wav',
    substr($wav, 0, 4) . "\xff\xff\xff\xff" . substr $wav, 8),
    'a WAV of an open length');
stays('openai', 'nobody', audio('wav',
    substr($wav, 0, 4) . pack('V', $_) . substr $wav, 8),
    "a WAV that says it has $_ bytes")
    for 0x7ffff024, 0x80000024, 0, length $wav;
stays('gemini', 'sees', $slot{gemini}{image}->('audio/mp3', b64(mp3())),
    'an MP3, as Gemini calls it');
becomes('gemini', 'sees', $slot{gemini}{image}->('video/mpeg', b64($mp4)),
    $slot{gemini}{image}->('video/mp4', b64($mp4)), 'an MP4 as MPEG');

sub file { return '{"type":"file","file":{"filename":"a","file_data":"'
    . url(@_) . '"}}' }
for my $type ('application/octet-stream', 'application/x-pdf', '',
    'image/png')
{
    for my $model (qw(sees nobody)) {
        becomes('openai', $model, file($type, b64($pdf)),
            file('application/pdf', b64($pdf)), "a PDF as \"$type\"");
    }
}
stays('openai', 'sees', file('application/pdf', b64($pdf)), 'a PDF');
words('openai', 'nobody', file('application/pdf',
    b64(substr $pdf, 0, -30)), qr/processing failed/, 'a PDF that is cut');

sub document { return '{"type":"document","source":{"type":"base64",'
    . qq("media_type":"$_[0]","data":") . b64($_[1]) . '"}}' }
my $locked = $pdf =~ s!(trailer\s*<<)!$1/Encrypt 9 0 R!r;
isnt($locked, $pdf, 'a PDF with a password');
words('anthropic', $_, document('application/pdf', $locked),
    qr/protected by a password/, 'a PDF with a password') for qw(sees nobody);
stays('openai', 'sees', file('application/pdf', b64($locked)),
    'a PDF with a password, which the API takes');

# What follows the end; and the first trailer of a linearized document

stays('anthropic', 'sees', document('application/pdf', $pdf . "\n" x 1900),
    'a PDF with 1900 bytes behind it');
for my $at (23 .. 25) {
    my $head = "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj" . "\n" x ($at - 22);
    my $table = "xref\n9 60\n" . "0000000015 00000 n \n" x 60;
    my ($protected, $open) = map {
        $head . $table . "trailer\n<</Size 69/Prev 5869$_>>\nstartxref\n0\n"
            . "%%EOF\n" . '%' x 5001 . "\ntrailer\n<</Size 9>>\nstartxref\n"
            . "$at\n%%EOF\n"
    } '/Encrypt 7 0 R', '/Info 7 0 R';
    words('anthropic', $_, document('application/pdf', $protected),
        qr/protected by a password/, "a linearized PDF, table at $at")
        for qw(sees nobody);
    stays('anthropic', 'sees', document('application/pdf', $open),
        'one without a password');
}

# Its trailer may be a stream, which is only found by its offset

sub pdf_of {
    my ($more, $behind) = @_;
    my $head = "%PDF-1.5\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<<>>\nendobj\n"
        . 'x' x 5001 . "\n";
    return $head . "7 0 obj\n<</Type/XRef/W[1 2 1]$more/Size 8>>\nstream\n"
        . rand_bytes($behind) . "\nendstream\nendobj\nstartxref\n"
        . length($head) . "\n%%EOF\n";
}
for my $behind (100, 4000) {
    my $pdf = pdf_of('/Encrypt 5 0 R', $behind);
    words('anthropic', 'nobody', document('application/pdf', $pdf),
        qr/protected by a password/, 'a stream of references');
    like(sent('anthropic', 'sees', document('application/pdf', $pdf),
        at => '/file'), qr/protected by a password/, 'in a file');
    stays('anthropic', 'sees', document('application/pdf', $_),
        'one without a password') for pdf_of('', $behind);
    stays('anthropic', 'sees', document('application/pdf', $_),
        'an offset that leads nowhere')
        for $pdf =~ s/(startxref\n)\d+/${1}99999999999999999999/r,
            $pdf =~ s/(startxref\n)\d+/${1}9/r;
}

# Texts as files: as they are where the API takes them, else their text

sub said { return '{"type":"text","text":"' . $_[0] . '"}' }
my $csv = "id,\"name\"\n1,\xc3\xa9\n";
my $said = 'id,\"name\"\n1,' . "\xc3\xa9" . '\n';
for my $model (qw(sees nobody reads)) {
    for my $type (qw(text/csv application/octet-stream application/pdf),
        'application/vnd.ms-excel')
    {
        becomes('openai', $model, file($type, b64($csv)), said($said),
            "a CSV as $type") if $type !~ /excel/;
        becomes('anthropic', $model, document($type, $csv), said($said),
            "a CSV as $type") if $type !~ /excel/;
    }
    for my $data (b64($csv) =~ s/=+$//r, b64($csv) =~ tr!+/!-_!r,
        join '\n', b64($csv) =~ /.{1,8}/g)
    {
        becomes('openai', $model, file('text/csv', $data), said($said),
            'a CSV, otherwise encoded');
    }
    becomes('openai', $model, file('text/plain',
        b64("\xff\xfeh\0i\0\xe9\0" . "x\0" x 40)),
        said("hi\xc3\xa9" . 'x' x 40), 'UTF-16');
    stays('openai_responses', $model, '{"type":"input_file","filename":'
        . '"a.csv","file_data":"' . url('text/csv', b64($csv)) . '"}',
        'a CSV, which the API takes');
    stays('gemini', $model, $slot{gemini}{image}->('text/csv', b64($csv)),
        'a CSV, which the API takes');
    becomes('mistral', $model, '{"type":"document_url","document_url":"'
        . url('text/markdown', b64("# A\n")) . '"}', said('# A\n'),
        'Markdown');
    words('openai', $model, file('text/plain', b64('x' x (1 << 20) . 'x')),
        qr/larger than may be inlined/, 'more than 1 MB of text');
    is(sent('openai', $model, file('text/plain', b64(" \n"))),
        body('openai', $model, said('Artifact content (a):')), 'a blank one');
}
becomes('openai', 'nobody', file('text/plain', b64('y' x (1 << 20))),
    said('y' x (1 << 20)), '1 MB of text', at => '/file');
becomes('openai', 'sees', $slot{openai}{image}->('image/svg+xml', b64(svg())),
    said(svg() =~ s/(["\\])/\\$1/gr =~ s/\n/\\n/gr), 'SVG');

# Of another kind than the slot: a part of its own

my $anew = decode_strict(sent('anthropic', 'sees',
    '{"type":"image","cache_control":{"type":"ephemeral"},"source":'
    . '{"type":"base64","media_type":"image/png","data":"' . b64($pdf)
    . '"}}'))->{messages}[0]{content}[0];
is($anew->{type}, 'document', 'a PDF in the slot of an image');
is($anew->{source}{media_type}, 'application/pdf', 'with its type');
is($anew->{source}{data}, b64($pdf), 'and its bytes');
is($anew->{cache_control}{type}, 'ephemeral', 'what belongs to it stays');

# A data URL in the place of an address, which would be downloaded

for my $model (qw(sees nobody)) {
    my $fetched = '{"type":"input_file","file_url":"'
        . url('application/pdf', b64($pdf)) . '"}';
    becomes('openai_responses', $model, $fetched,
        '{"type":"input_file","filename":"document.pdf","file_data":"'
            . url('application/pdf', b64($pdf)) . '"}', 'a PDF in "file_url"');
    becomes('openai_responses', $model,
        $fetched =~ s/data:[^"]*/url('text\/csv', b64($csv))/er,
        '{"type":"input_file","filename":"text.csv","file_data":"'
            . url('text/csv', b64($csv)) . '"}', 'a CSV in "file_url"');
    becomes('anthropic', $model, '{"type":"image","source":{"type":"url",'
        . '"url":"' . url('image/jpeg', $b64) . '"}}',
        $slot{anthropic}{image}->('image/png', $b64), 'a source of a URL');
    becomes('gemini', $model, '{"fileData":{"mimeType":"image/png","fileUri":"'
        . url('image/png', $b64) . '"}}',
        $slot{gemini}{image}->('image/png', $b64), 'a URI of a file');
}

# Bytes of no type, texts in the place of pictures, and a PDF that gets a text

for my $model (qw(sees nobody)) {
    for my $type (qw(text/csv application/octet-stream), '') {
        my $noise = "\1\2\3\xff\xfe\x80\0" x 40;
        words('openai', $model, file($type, b64($noise)), qr/processing failed/,
            "noise as \"$type\"");
        words('anthropic', $model, document($type, $noise),
            qr/processing failed/, "noise as \"$type\"");
        words('gemini', $model, $slot{gemini}{image}->($type, b64($noise)),
            qr/processing failed/, "noise as \"$type\"");
    }
    becomes('openai_responses', $model,
        $slot{openai_responses}{image}->('text/csv', b64($csv)),
        said($said) =~ s/"text"/"input_text"/r, 'a CSV in the place of one');
    becomes('bedrock', $model, $slot{bedrock}{image}->('csv', b64($csv)),
        said($said) =~ s/"type":"text",//r, 'a CSV in the place of one');
    like(sent('bedrock', $model, $slot{bedrock}{image}->('pdf', b64($pdf))),
        qr/"content":\[\{"text":"[^"]+"\},\{"document":\{"format":"pdf"/,
        "bedrock, $model: a PDF in the place of one, behind a text");
}

# More than could be edited, and a signed request

my $five = join ',', ($slot{openai}{image}->('image/png', $b64)) x 5000;
for my $model (qw(sees nobody)) {
    my ($uri, $body) = $api{openai}->($model, $five);
    is(ask($uri, $body)->status, 200, "5000 pictures, $model");
}
stays('openai', 'nobody', $five, '5000 pictures');

my @signed = (headers => ['Authorization' => 'AWS4-HMAC-SHA256 Credential=a']);
stays('bedrock', 'nobody', $slot{bedrock}{image}->('jpeg', $b64),
    'a wrong type, signed', @signed);
like(sent('bedrock', 'reads', $slot{bedrock}{image}->('jpeg', $b64), @signed),
    qr/^400.*signed/s, 'for one that cannot see: refused');

# Each turn the same

my @turns = map { sent('anthropic', 'sees', join ',',
    ($slot{anthropic}{image}->('image/jpeg', $b64),
    '{"type":"text","text":"x"}') x $_) } 1 .. 3;
for (1, 2) {
    my $prefix = $turns[$_ - 1] =~ s/\]\}\]\}$//r;
    is(substr($turns[$_], 0, length $prefix), $prefix, "turn $_ goes on");
}

$t->finish;
