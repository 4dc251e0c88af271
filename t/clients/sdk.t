#!/usr/bin/perl

# The parts of providers, against the providers' own SDKs: what nginx answers
# compiles with their types and goes through their clients unchanged.
# scripts/deps.sh puts the SDKs of t/npm/sdk/package-lock.json into build/sdk.

use strict;
use warnings;
use utf8;

use File::Path qw(make_path);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactSdk;
use ArtifactTest;

my $t = ArtifactTest->new;

# too large for Anthropic, Bedrock and Mistral, not for the others

my $large = png();
$large .= "\0" x (11 * 1024 * 1024 - length $large);

my %file = (
    'shot.png' => [png(30, 20), 'image/png'],
    'photo.jpg' => [jpeg(), 'image/jpg'],
    'drawing.svg' => [svg(), 'image/svg+xml'],
    'report.pdf' => [pdf(), 'application/pdf'],
    'letter.docx' => [docx(), ''],
    'song.mp3' => [mp3(), 'audio/mpeg'],
    'noise.wav' => [wav(), 'audio/wav'],
    'film.mp4' => [mp4(), 'video/mp4'],
    'pack.zip' => [zip_of('a.txt' => 'x'), 'application/zip'],
    'note.txt' => [bytes("第一行 \"q\" \\ \x{1f600}\n"), 'text/plain'],
    'table.json' => ["{\"a\" : [1, 2]}\n", 'application/json'],
    'large.png' => [$large, 'image/png'],
    'odd.pdf' => [pdf(), 'application/pdf', "\"报告\"\\ <v1.2>\n(x).pdf"],
    'plain' => [pdf(), '', 'Minutes'],
);

for my $name (keys %file) {
    my ($content, $type, $title) = @{ $file{$name} };
    $t->artifact($name, $content, { name => $title // $name,
                                    length $type ? (type => $type) : () });
}

my @formats = qw(openai openai_responses openai_compatible anthropic
                 anthropic_citations gemini gemini_interactions bedrock mistral
                 openrouter mcp);

# which of them go out as bytes; the others are text

my %bytes = (
    openai => 'large.png noise.wav odd.pdf photo.jpg plain report.pdf '
        . 'shot.png song.mp3',
    openai_responses => 'large.png letter.docx odd.pdf photo.jpg plain '
        . 'report.pdf shot.png',
    anthropic => 'odd.pdf photo.jpg plain report.pdf shot.png',
    openai_compatible => 'film.mp4 large.png noise.wav photo.jpg shot.png '
        . 'song.mp3',
    anthropic_citations => 'drawing.svg note.txt odd.pdf photo.jpg plain '
        . 'report.pdf shot.png table.json',
    gemini_interactions => 'film.mp4 large.png letter.docx noise.wav odd.pdf '
        . 'photo.jpg plain report.pdf shot.png song.mp3',
    gemini => 'film.mp4 large.png noise.wav odd.pdf photo.jpg plain '
        . 'report.pdf shot.png song.mp3',
    bedrock => 'film.mp4 letter.docx noise.wav odd.pdf photo.jpg plain '
        . 'report.pdf shot.png song.mp3',
    mistral => 'noise.wav odd.pdf photo.jpg plain report.pdf shot.png '
        . 'song.mp3',
    openrouter => 'film.mp4 large.png noise.wav odd.pdf photo.jpg plain '
        . 'report.pdf shot.png song.mp3',
    mcp => 'film.mp4 large.png letter.docx noise.wav odd.pdf pack.zip '
        . 'photo.jpg plain report.pdf shot.png song.mp3',
);

$t->start(server => <<'SERVER');
    artifact_root %%DATA%%;
    artifact_format $arg_format;
    artifact_url https://files.example.com/artifacts/;

    location /artifacts/ {
        artifact;
        artifact_route on;
    }

    location /route {
        artifact_message;
    }
SERVER

my $folder = sdk_folder() // do { $t->finish; exit };

make_path(map { "$folder/$_" } 'files', @formats,
          map { "$_.message" } @formats);
spew("$folder/files/$_", $file{$_}[0]) for keys %file;

for my $format (@formats) {
    my @bytes;

    for my $name (sort keys %file) {
        my $res = $t->accept('text, vision, audio, video, file',
                             "/artifacts/$name?format=$format");
        my $part = json_of($res);

        push @bytes, $name if !exists $part->{text};
        spew("$folder/$format/$name", $res->body);

        $res = $t->req('POST', "/route?format=$format",
            headers => ['X-LLM-Capabilities' => 'vision,audio,video,file'],
            body => encode_json_bytes({ text => "\x{770b} it", attachments =>
                                        [$name, 'note.txt', 'gone'] }));
        my ($message) = $res->body =~ /^\{"processedContent":(.*),
                                        "unsupportedAttachments":/x;

        spew("$folder/$format.message/$name", $message);
    }

    is("@bytes", $bytes{$format}, "$format: what goes out as bytes");
}

# what a model does not take is a link

spew("$folder/mcp/linked.pdf", $t->accept(
    'text', '/artifacts/odd.pdf?format=mcp')->body);

sdk_run(301, $folder, 'check.mjs', $folder);

$t->finish;
