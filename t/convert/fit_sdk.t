#!/usr/bin/perl

# Images and documents that models do not take, from the providers' own SDKs,
# through the example converter: what arrives is what they take, the same in
# each turn, and nothing is converted twice.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactConvert;
use ArtifactDocs;
use ArtifactJSON;
use ArtifactSdk;
use ArtifactTest;
use MIME::Base64 qw(decode_base64);

plan(skip_all => 'not installed: ' . convert_missing()) if convert_missing();

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $DOCX = $ArtifactConvert::DOCX;
my $FOX = "The quick brown fox\njumps over invoice 4711";

my %file = (
    shot => ['image/heic', image_of($dir, 'heic', '1000x300', $FOX)],
    avif => ['image/avif', image_of($dir, 'avif', '640x480')],
    scan => ['application/pdf', scan_of($dir, 'page one', 'page two')],
    report => ['application/pdf', text_pdf('Report of the year')],
    docx => [$DOCX, convert_sample($dir, "# Title\n\nWords, **bold**.\n",
             'docx', qw(pandoc -f markdown -t docx -o OUT IN))],
    map { my $n = sprintf '%02d', $_;
          ("screen$n" => ['image/png', image_of($dir, 'png', '2560x1440',
                                                "screen $n")]) } 1 .. 25,
);

$t->artifact($_, $file{$_}[1], { mimeType => $file{$_}[0],
                                 name => "file.$_" }) for keys %file;

# Gemini takes HEIC, and those who read PDF as a file need no text of it

$t->file('map.json', { services => [
    { id => 'sees', capabilities => { input => ['text', 'vision'] },
      accepts => ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] },
    { id => 'reads', capabilities => { input => ['text'] } },
] });

# the recipe, as the guide has it

my (%conf, %part);

for my $section (doc_sections("$FindBin::Bin/../../docs/fit.md")) {
    my ($title, $text) = @$section;
    next if $title !~ /^(?:Conversion and OCR|The location)/;

    for my $block (doc_blocks($text)) {
        my %more = conf_part($block);
        $conf{$_} .= $more{$_} for keys %more;
    }
}

s{http://127\.0\.0\.1:8090}{http://unix:$dir/convert.sock},
s{/var/cache/nginx/}{$dir/} for values %conf;

# however slow the machine

my $converter = ArtifactConvert->new($dir, listen => "unix:$dir/convert.sock",
    wait => 500, time => 500, cpu => 500);

$t->start(http => <<"HTTP", server => <<"SERVER");
    artifact_capabilities %%PREFIX%%/map.json;
    artifact_root %%DATA%%;
    artifact_language en;
    artifact_derive_timeout 500s;
    proxy_read_timeout 500s;
    $conf{http}
HTTP
    $conf{server}
    location /artifacts/ {
        artifact;
        artifact_route on;
        artifact_format \$arg_format;
    }
    location /ok/ {
        artifact_expand on;
        artifact_format \$form;
        proxy_pass http://unix:$dir/api:;
    }
    set \$form "";
    if (\$uri ~ ^/ok/(mistral|openrouter)/) {
        set \$form \$1;
    }
SERVER

my $folder = sdk_folder() // do { $t->finish; exit };

mkdir "$folder/files" or die "$folder/files: $!\n";
spew("$folder/files/$_", $file{$_}[1]) for keys %file;

sdk_run(20, $folder, 'fit.mjs', $folder, $t->port, "$dir/api");

# --- what has arrived --------------------------------------------------------

my %arrived = map { m{([^/]+)\z} => slurp($_) } glob "$folder/arrived/*";

my @images = images($arrived{'agent-1'});
is(scalar @images, 27, '25 screenshots and two photos');

for my $n (0 .. $#images) {
    my ($format, $width, $height) =
        convert_size($dir, $images[$n]) =~ /^(\w+) (\d+)x(\d+)$/;

    ok(($format // '') =~ /^(?:PNG|JPEG)$/ && $width <= 2000
       && $height <= 2000, "image $n: $format ${width}x$height");
}

ok($arrived{'agent-1'} eq $arrived{'agent-2'}, 'the same in the next turn');

my $log = $converter->log;
my %asked;
$asked{$1}++ while $log =~ m{"POST (/convert/\w+) HTTP/1.\d" 200}g;

is($asked{'/convert/fit'}, 25, 'each screenshot was converted once');
is($asked{'/convert/jpeg'}, 3, 'each photo, too: one was sent, one is stored');

for my $api (qw(openai openai_responses anthropic gemini bedrock mistral
                openrouter))
{
    my @image = images($arrived{"sees-$api"});
    is(convert_size($dir, $image[0] // ''), 'JPEG 1000x300',
       "$api: a JPEG of the HEIC");

    like(words($arrived{"reads-$api"}),
         qr{^Content\ of\ file\.shot,\ converted\ from\ image/heic:\n
            (?:.|\n)*invoice\ 4711}mx, "$api: the words on it");
}

# and in the formats of answers

for my $format (qw(openai openai_responses openai_compatible anthropic gemini
                   gemini_interactions bedrock mistral openrouter mcp))
{
    my $answer = $t->service('sees', "/artifacts/shot?format=$format");
    my @image = images($answer->body);
    is(convert_size($dir, $image[0] // ''), 'JPEG 1000x300',
       "$format, routed: a JPEG");
}

like(words($arrived{'document-scan'}), qr{^Content\ of\ file\.scan,\ converted
     \ from\ application/pdf:\n(?:.|\n)*page\ one\s+page\ two}mx,
     'words of a scan');
like(words($arrived{'document-report'}), qr/^Report of the year$/m,
     'text of a PDF');
like(words($arrived{'document-docx'}), qr/^# Title\n\nWords, \*\*bold\*\*\./m,
     'Markdown of a DOCX');

$converter->stop;
$t->finish;


# The images in a request, wherever they stand.

sub images {
    my ($body) = @_;
    my @found;

    strings(decode_strict($body), sub {
        my ($type, $data) = $_[0] =~ /\A(?:data:(image\/\w+);base64,)?
                                      ([A-Za-z0-9+\/]{40,}=*)\z/x or return;
        push @found, decode_base64($data);
    });

    return @found;
}


# All texts in a request.

sub words {
    my ($body) = @_;
    my @found;

    strings(decode_strict($body), sub { push @found, $_[0] });
    return join "\n", @found;
}


sub strings {
    my ($value, $each) = @_;

    if (ref $value eq 'HASH') {
        strings($value->{$_}, $each) for sort keys %$value;

    } elsif (ref $value eq 'ARRAY') {
        strings($_, $each) for @$value;

    } elsif (defined $value && !ref $value) {
        $each->($value);
    }
}
