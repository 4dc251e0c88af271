#!/usr/bin/perl

# Files as people have them, over MCP: what a client passes on to the API of its
# model is of a type that this API takes, whatever the file is called, and else
# in words; texts are whole, also by lines; a program gets all of them.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactJSON;
use ArtifactKinds;
use ArtifactMcp;
use ArtifactTest;

my $t = ArtifactTest->new;
my %kind = kinds($t->prefix);
my @all = qw(text vision audio video file);
my @others = qw(video/* application/*);
my @sees = qw(image/png image/jpeg);

# What a client may pass on: images and sounds of the API's row, all else.

my %service = map { $_ => { takes => [
    (grep { m{^(?:image|audio)/} } kind_types($_)), @others ] } }
    qw(openai openai_responses openai_compatible anthropic gemini bedrock
       mistral openrouter);

$service{pngs} = { accepts => \@sees, takes => \@sees };
$service{gemini_pngs} = { accepts => [@sees, 'audio/*'], format => 'gemini',
                          takes => [@sees, qw(audio/wav audio/mpeg audio/ogg)] };
$service{bare} = { takes => [grep { $_ ne '*' } kind_types('mcp')] };
$service{blind} = { input => ['text'], reads => 1 };
$service{unknown} = { reads => 1 };

$t->artifact($_, $kind{$_}{body}, kind_meta($kind{$_})) for keys %kind;
$t->file('map.json', { services => [
    map { {
        id => $_, capabilities => { input => $service{$_}{input} // \@all },
        ($service{$_}{accepts} ? (accepts => $service{$_}{accepts}) : ()),
        ($service{$_}{format} ? (format => $service{$_}{format})
            : /^(?:pngs|bare|blind)$/ ? () : (format => $_)),
    } } grep { $_ ne 'unknown' } sort keys %service
] });

$t->start(http => 'artifact_capabilities %%PREFIX%%/map.json;',
          server => mcp_server());

sub read_as {
    my ($id, $header, $value, %args) = @_;
    return mcp_ask($t, 'tools/call', { name => 'read_artifact',
        arguments => { ref => $id, max_bytes => 1 << 30, %args } },
        headers => defined $header ? [$header => $value] : []);
}

for my $id (sort keys %kind) {
    my $kind = $kind{$id};
    my @wrong;
    my $check = sub {
        my ($how, @args) = @_;
        my $wrong = kind_wrong($kind, @args);
        push @wrong, "$how: $wrong" if $wrong ne '';
    };

    for my $name (sort keys %service) {
        $check->("for $name", 'mcp', read_as($id, 'X-LLM-Service', $name),
                 %{ $service{$name} });
    }

    $check->('for no service', 'mcp', read_as($id), reads => 1);
    $check->("for $_", 'mcp', read_as($id, 'X-LLM-Capabilities', $_),
             reads => $_ eq 'text') for $EVERYTHING, 'text';
    $check->('for a program', 'route',
             mcp_ask($t, 'resources/read', { uri => "artifact:$id" }));

    is(join("\n", @wrong), '', $id);
    is(by_lines($id), defined $kind->{text} ? lines_of($kind->{text})
                                            : 'no lines', "$id, by lines");
}

# the pages of a TIFF, and what else no API takes as an image

for my $id (qw(tiff bmp ico heic-jpeg avif)) {
    my $content = decode_strict(read_as($id, 'X-LLM-Service', 'pngs')->body)
        ->{result}{content};
    is(join(' ', map { $_->{type} } @$content), 'text', "$id is words");
}

$t->finish;


sub lines_of {
    my ($text) = @_;
    return join "\n", split /\r?\n/, $text;
}


# The lines of a text without their numbers; what is no text has none.

sub by_lines {
    my ($id) = @_;

    my $result = decode_strict(read_as($id, undef, undef, lines => '1-')->body)
        ->{result};
    my $words = mcp_words($result);

    return 'no lines' if $words !~ /^\[lines in the file: /m;
    return join "\n", map { s/\A\d+://r } grep { /\A\d+:/ } split /\n/, $words;
}
