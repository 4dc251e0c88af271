#!/usr/bin/perl

# How base64 is spelled, before it is taken out: in any spelling that it is base64
# in, and what stands for it has one spelling.  What is none, or cut, or of another
# kind than declared stays as it came.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactSandwich;
use ArtifactTest;
use ArtifactTools;

my $t = ArtifactTest->new;
my $echo = standin_echo($t);

standin_server($t, min => '2k');

# a content with "+", "/" and padding in its base64

my ($png, $more) = ('', 3000);
$png = standin_content('png', $more++)
    until length($png) % 3 == 1 && b64($png) =~ m{\+.*/}s;

my $b64 = b64($png);
my ($url) = values %{ { standin_slots('openai', 'png') } };
my ($data) = values %{ { standin_slots('anthropic', 'png') } };
my $standin;


sub sent {
    my ($api, @parts) = @_;
    my $body = standin_body($api, 'sees', @parts);
    my $res = standin_post($t, '/front' . standin_uri($api, 'sees'), $body);
    return $res->status == 200 ? $res->body : $res->status . $res->body;
}

sub becomes {
    my ($name, $text) = @_;

    $standin //= do {
        sent('openai', $url->('image/png', $b64));
        standin_b64('png', standin_id($t->data, $png, 'png'));
    };
    standin_same(sent('openai', $url->('image/png', $text)),
                 standin_body('openai', 'sees',
                              $url->('image/png', $standin)),
                 "$name, in a data URL");
    standin_same(sent('anthropic', $data->('image/png', $text)),
                 standin_body('anthropic', 'sees',
                              $data->('image/png', $standin)),
                 "$name, as data");
}

sub stays {
    my ($name, $text, $type) = @_;
    my @parts = ($url->($type // 'image/png', $text),
                 $data->($type // 'image/png', $text));
    is_same('openai', $parts[0], $name);
    is_same('anthropic', $parts[1], "$name, as data");
}

sub is_same {
    my ($api, $part, $name) = @_;
    standin_same(sent($api, $part), standin_body($api, 'sees', $part),
                 "$name: stays");
}


# --- spellings

becomes('plain', $b64);
becomes('"/" escaped', $b64 =~ s{/}{\\/}gr);
becomes('one "/" escaped', $b64 =~ s{/}{\\/}r);
becomes('"/" as \u002f', $b64 =~ s{/}{\\u002f}gr);
becomes('"+" as \u002B', $b64 =~ s{\+}{\\u002B}gr);
becomes('"=" as \u003d', $b64 =~ s{=}{\\u003d}gr);
becomes('a letter as \u0041', $b64 =~ s{A}{\\u0041}gr);
becomes('without padding', $b64 =~ s/=+\z//r);
becomes('URL-safe', $b64 =~ tr{+/}{-_}r);
becomes('URL-safe without padding', b64url($png));
becomes("lines of $_->[0]", spelled($png, lines => $_->[0])
        =~ s/\n/$_->[1]/gr)
    for [76, '\n'], [64, '\r\n'], [60, '\u000a'];
becomes('lines, the last with a feed', spelled($png, lines => 76)
        =~ s/\n/\\n/gr . '\n');


# --- the header of a data URL stays what it was

for my $head ('data:image/png;base64,', 'data:image\/png;base64,',
              'data:image/png;name=a.png;base64,', 'DATA:image/png;BASE64,',
              'data:image/png;charset=utf-8;base64,', 'data:IMAGE/PNG;base64,')
{
    my $part = sub {
        return '{"type":"image_url","image_url":{"url":"' . $head . $_[0]
            . '"}}';
    };
    my $got = sent('openai', $part->($b64));
    my $want = standin_body('openai', 'sees', $part->($standin));
    standin_same($got, $want, "behind $head");
}


# --- what is no whole base64

stays('cut to a length of 1 modulo 4',
      substr($b64, 0, 4 * int(length($b64) / 8) + 1));
stays('a character of no alphabet', substr($b64, 0, 2500) . '*'
      . substr $b64, 2501);
stays('padding within', substr($b64, 0, 2500) . '==' . substr $b64, 2502);
stays('bad escapes', substr($b64, 0, 2500) . '\u0000' . substr $b64, 2506);
stays('ellipsis', substr($b64, 0, 2500) . '...');
stays('both alphabets', do {
    my $mixed = $b64;
    substr($mixed, index($mixed, '/'), 1) = '_';
    $mixed;
});


# --- types

my %content = map { $_ => standin_content($_, 3000) } @STANDIN_KINDS;

stays('image/jpg', b64($content{jpeg}), 'image/jpg');
stays('a JPEG that is called PNG', b64($content{jpeg}), 'image/png');
stays('a PNG that is called JPEG', $b64, 'image/jpeg');
stays('text that is called PNG', b64('words and words ' x 300));
stays('a TIFF', b64("II*\0" . rand_bytes(4000)), 'image/tiff');
stays('an archive', b64(content_of('application/zip', 4000)));

is_same('bedrock', '{"image":{"format":"jpeg","source":{"bytes":"' . $b64
        . '"}}}', 'bedrock, a format that is not that of the content');
is_same('openai', '{"type":"input_audio","input_audio":{"data":"'
        . b64($content{wav}) . '","format":"mp3"}}',
        'openai, WAV that is called mp3');
is_same('gemini', '{"inlineData":{"mimeType":"image/webp","data":"' . $b64
        . '"}}', 'gemini, another type');

# nothing declared: the content's

my $id = sub { standin_b64($_[0], standin_id($t->data, $content{$_[0]}, $_[0])) };

my $none = '{"inlineData":{"data":"%s"}}';
standin_same(sent('gemini', sprintf $none, b64($content{gif})),
             standin_body('gemini', 'sees', sprintf $none, $id->('gif')),
             'no type is declared');


# --- sizes

my $small = standin_content('png', 900);
stays('below the minimum', b64($small));

is_same('openai', $url->('image/png', b64(png(2, 2))), 'a tiny one');

$echo->stop;
$t->finish;
