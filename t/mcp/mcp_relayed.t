#!/usr/bin/perl

# What a client passes on to a model must be what the API of that model takes,
# or its session cannot go on: the row of the service's format decides about
# types, sizes and sides; without a known format what all APIs take.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactConvert;
use ArtifactFixtures;
use ArtifactMcp;
use ArtifactTest;

my $t = ArtifactTest->new;
my $dir = $t->prefix;

my %images = (png => png(40, 30), jpg => jpeg(), map {
    $_ => convert_sample($dir, undef, $_, qw(convert -size 40x30 xc:red), 'OUT')
} qw(gif webp tiff bmp ico));
my %type = (png => 'image/png', jpg => 'image/jpeg', gif => 'image/gif',
            webp => 'image/webp', tiff => 'image/tiff', bmp => 'image/bmp',
            ico => 'image/x-icon');

$t->artifact($_, $images{$_}, { name => "a.$_" }) for keys %images;
$t->artifact('heic', "\0\0\0\x18ftypheic\0\0\0\0mif1heic" . "\0" x 500,
             { name => 'a.heic' });
$t->artifact('wide', png(9000, 10), { name => 'wide.png' });
$t->artifact('large', png(10, 10) . "\0" x 12_000_000, { name => 'large.png' });
$t->artifact('song', mp3(), { name => 'a.mp3' });

mkdir "$dir/made" or die;
spew("$dir/made/a.png", $images{png});

spew("$dir/map.json", encode_json_bytes({ services => [
    map { {
        id => $_, capabilities => { input => [qw(text vision audio file)] },
        $_ eq 'plain' ? () : (format => $_),
    } } qw(anthropic openai gemini bedrock plain object)
] }));

$t->start(http => 'artifact_capabilities %%PREFIX%%/map.json;',
          server => mcp_server(server => <<'SERVER'));
    location = /derives {
        artifact_mcp;
        artifact_derive image/tiff image/png /made/a.png;
    }
    location /made/ {
        internal;
        root %%PREFIX%%;
    }
SERVER

sub given {
    my ($id, $service, %opt) = @_;
    my $result = mcp_result(
        mcp_ask($t, 'tools/call', { name => 'read_artifact',
                                    arguments => { ref => "artifact:$id" } },
                headers => [$service ? ('X-LLM-Service' => $service)
                            : ('X-LLM-Capabilities' => 'text,vision,audio')],
                %opt), "$id for " . ($service // 'whoever'));
    my ($media) = grep { $_->{type} =~ /^(?:image|audio)$/ }
        @{ $result->{content} };
    return $media ? $media->{mimeType} : 'words';
}

# without a known format: the intersection

for my $service (undef, 'plain', 'object') {
    my $who = $service // 'whoever';
    is(given($_, $service), $type{$_}, "$_ for $who") for qw(png jpg gif webp);
    is(given($_, $service), 'words', "$_ for $who") for qw(tiff bmp ico heic);
    is(given('song', $service), 'audio/mpeg', "sound for $who");
}

# with one: its row

for my $service (qw(anthropic openai gemini bedrock)) {
    is(given($_, $service), $type{$_}, "$_ for $service") for qw(png jpg webp);
    is(given($_, $service), 'words', "$_ for $service") for qw(tiff ico);
}

is(given('gif', 'gemini'), 'words', 'Gemini takes no GIF');
is(given('heic', 'gemini'), 'image/heic', 'but HEIC');
is(given('heic', 'anthropic'), 'words', 'which others do not');
is(given('wide', 'anthropic'), 'words', 'an image that is too wide');
is(given('wide', 'openai'), 'image/png', 'for one of them');
is(given('large', 'anthropic'), 'words', 'one that is too large');
is(given('song', 'openai'), 'audio/mpeg', 'sound for one that hears');
is(given('song', 'anthropic'), 'words', 'and for one whose API has none');

# what is not taken is converted

is(given('tiff', 'anthropic', at => '/derives'), 'image/png',
   'a rule makes what is taken');
is(given('tiff', undef, at => '/derives'), 'image/png', 'for whoever, too');

$t->finish;
