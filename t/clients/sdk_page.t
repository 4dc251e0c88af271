#!/usr/bin/perl

# The programs of docs/clients.md, as they are printed, through the server that is
# printed with them: what arrives has the image, and they print what the model
# said (t/npm/sdk/page.mjs).

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactDocs;
use ArtifactFixtures;
use ArtifactSdk;
use ArtifactTest;

my $t = ArtifactTest->new;
my $here = 'http://127.0.0.1:' . $t->port;
my $png = png(30, 20);

$t->artifact('shot', $png, { type => 'image/png', name => 'shot.png' });

my @sections = doc_sections("$FindBin::Bin/../../docs/clients.md");
my ($conf) = doc_blocks($sections[1][1]);

# the models that its programs name

my $models = join '', map { $_->[1] } @sections;

$t->file('map.json', { services => [
    map { { id => $_, capabilities => { input => ['text', 'vision'] } } }
        $models =~ /\b(?:model: |(?:openai|anthropic)\()'([^']+)'/g
] });

$conf =~ s{/srv/agents}{%%DATA%%};
$conf =~ s{/etc/nginx/capabilities\.json}{%%PREFIX%%/map.json};
$conf =~ s{(listen 127\.0\.0\.1:)8080}{$1%%PORT%%};
$conf =~ s{https://llm\.example\.com}{$here};
is($conf =~ s{https://[\w.]+\.com/;}{http://unix:%%PREFIX%%/api:/;}g, 3,
   'three providers');

$t->start(http => $conf, no_server => 1);

my $folder = sdk_folder() // do { $t->finish; exit };

my @programs;

for my $section (@sections) {
    my ($title, $text) = @$section;

    while ($text =~ /^((?: {4}import .*\n)(?:(?: {4}.*)?\n)*)/gm) {
        my $program = $1;
        my $name = sprintf 'page_%02d.mjs', scalar @programs;

        $program =~ s/^ {4}//gm;
        $program =~ s{https://llm\.example\.com}{$here}g;

        spew("$folder/$name", bytes($program));
        push @programs, $name, $title;
    }
}

is(scalar @programs, 2 * 9, 'nine programs');

spew("$folder/image", b64($png));
sdk_run(18, $folder, 'page.mjs', $folder, $t->prefix . '/api', @programs);

$t->finish;
