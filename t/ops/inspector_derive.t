#!/usr/bin/perl

# The inspector's comparison where artifact_derive has rules: which models get a
# conversion, of what and into what, and that it is not shown as the artifact.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactPage;
use ArtifactTest;

my $t = ArtifactTest->new;
my $png = png(40, 40);

$t->file('own.json', { services => [
    { id => 'plain', description => 'reads' },
    { id => 'eyes', description => 'sees',
      capabilities => { input => ['text', 'vision'] } },
] });
$t->artifact('shot', $png, { type => 'image/png', name => 'shot.png' });
$t->artifact('drawing', '<svg xmlns="http://www.w3.org/2000/svg"/>',
             { type => 'image/svg+xml', name => 'drawing.svg' });
$t->artifact('wave', "RIFF\x24\0\0\0WAVEfmt \x10\0\0\0",
             { type => 'audio/wav', name => 'wave.wav' });

# a picture with the very length of the drawing

$t->file('made', substr $png, 0, 41);

$t->start(http => 'artifact_capabilities %%PREFIX%%/own.json;',
          server => <<'SERVER');
    artifact_root %%DATA%%;
    artifact_route on;
    artifact_format $arg_format;
    artifact_language en;
    artifact_derive audio text/plain /nothing/;
    artifact_derive image/svg+xml image/png /picture/;
    artifact_derive image text/plain /words/;

    location /artifacts/ { artifact; }
    location /services/ { artifact_services; }
    location /nothing/ { internal; return 204; }
    location /words/ {
        internal;
        default_type text/plain;
        return 200 "some words";
    }
    location /picture/ {
        internal;
        default_type image/png;
        rewrite ^ /made break;
        root %%PREFIX%%;
    }
    location /inspector/ { artifact_inspector workspaces= status=; }
SERVER

my $page = ArtifactPage->new($t->port, $t->prefix . '/tmp');

# What the card of each model says above the content, without how many bytes.

sub said {
    my ($place) = @_;

    $page->go("#/artifact/$place");
    return join '|', map { s/\s*[\d,]+ bytes\z//r =~ s/\s+/ /gr }
        $page->texts('article > .row');
}

# And the content.

sub shown {
    return join '|', map { s/\s+/ /gr }
        $page->texts('article > pre, article > figure figcaption');
}

is(said('shot'), 'text converted, image/png → text/plain|image_url',
   'a conversion for a model without eyes');
is(shown(), 'Content of shot.png, converted from image/png: some words|'
   . 'Artifact content (shot.png):|image/png, 4.8 KB', 'its words');
is($page->run('return document.querySelectorAll("article img").length'), 1,
   'the artifact for the other');

is(said('wave'), 'text capability · audio|text capability · audio',
   'a rule that cannot');

# "openai" does not take the drawing, which "route" does

is(said('drawing?format=openai'),
   'text converted, image/svg+xml → text/plain|image_url',
   'in the format of a provider');
like(shown(), qr{\|image/png, 41 B\z}, 'a picture');
is($page->run('return document.querySelectorAll("article img").length'), 0,
   'which is not the artifact');

$page->close;
$t->finish;
