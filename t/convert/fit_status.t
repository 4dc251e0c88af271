#!/usr/bin/perl

# Conversions are counted by the kind of the content and what came of them; what
# was converted counts as expanded, or as processed; variables tell likewise.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactCounts;
use ArtifactFit;
use ArtifactFixtures;
use ArtifactTest;
use MIME::Base64 qw(decode_base64);

my $t = ArtifactTest->new;

$t->artifact('tiff', tiff_of(9, 9), { type => 'image/tiff', name => 'a.tiff' });
$t->artifact('tif2', tiff_of(9, 9, 'x'), { type => 'image/tiff' });
$t->artifact('docx', docx(), { type => 'application/vnd.openxmlformats-'
    . 'officedocument.wordprocessingml.document', name => 'l.docx' });
$t->artifact('ogg', ogg(), { type => 'audio/ogg', name => 'a.ogg' });
$t->artifact('png', png(), { type => 'image/png' });
$t->file('map.json', fit_map());

my $converter = converter($t->prefix . '/convert', no => { status => 415 },
    empty => { body => '' }, broken => { status => 500 },
    cut => { body => 'x' x 99, cut => 9 },
    again => { body => tiff_of(9, 9), type => 'image/jpeg' });
my $echo = echoed($t);

my $pass = 'artifact_expand on; proxy_pass http://unix:%%PREFIX%%/echo:; '
    . 'proxy_set_header X-Counts "$artifact_refs $artifact_expanded '
    . '$artifact_degraded";';
my %rule = (
    taken => 'image/jpeg /c/jpeg', cannot => 'image/jpeg /c/no',
    empty => 'image/jpeg /c/empty', unfit => 'image/jpeg /c/again',
    failed => 'image/jpeg /c/broken', cut => 'text/plain /c/cut',
);
$t->allow(qr/upstream/);
$t->start(http => 'artifact_capabilities %%PREFIX%%/map.json;',
          server => fit_server('', join '', map({ <<"LOCATION" } keys %rule),
    location /$_/ { artifact_derive image $rule{$_} body; $pass }
LOCATION
    <<"MORE"));
    location /status { artifact_status; }
    location /next/ {
        artifact_derive image image/jpeg /c/no body;
        artifact_derive image image/jpeg /c/jpeg body;
        $pass
    }
    location /kinds/ {
        artifact_derive document text/markdown /c/markdown body;
        artifact_derive audio audio/mpeg /c/mp3 body;
        $pass
    }
    location /a/ {
        artifact;
        artifact_route on;
        artifact_derive image text/plain /c/text body;
    }
    location = /route {
        artifact_message;
        artifact_derive image text/plain /c/text body;
    }
MORE

sub ask {
    my ($at, @ids) = @_;
    return $t->req('POST', "/$at/chat/completions",
        body => body_of('openai', 'all',
                        map { neutral_part('openai', "artifact:$_") } @ids),
        headers => ['Content-Type' => 'application/json']);
}

sub derived { return "artifact_derived_total kind=$_[0],outcome=$_[1]" }

for (['taken', 'taken', 1], ['cannot', 'cannot', 1], ['empty', 'cannot', 1],
     ['unfit', 'unfit', 1], ['failed', 'failed', 1], ['cut', 'failed', 1])
{
    my ($at, $outcome) = @$_;
    grow($t, "an image: $at", sub { ask($at, 'tiff') },
         map { derived('image', $_) => $_ eq $outcome ? 1 : 0 }
             qw(taken cannot unfit failed));
}
grow($t, 'the next rule', sub { ask('next', 'tiff') },
     derived('image', 'cannot') => 1, derived('image', 'taken') => 1);
grow($t, 'other kinds', sub { ask('kinds', qw(docx ogg)) },
     derived('document', 'taken') => 1, derived('audio', 'taken') => 1,
     derived('image', 'taken') => 0);
grow($t, 'what needs none', sub { ask('taken', 'png') },
     map { derived('image', $_) => 0 } qw(taken cannot unfit failed));
grow($t, 'a routed answer', sub { $t->accept('text', '/a/png') },
     derived('image', 'taken') => 1);
grow($t, 'a message', sub {
         $t->req('POST', '/route', body => '{"service":"reads","attachments":'
             . '["artifact:png"]}') },
     derived('image', 'taken') => 1, attached('part') => 1);

# expanded, not degraded

for (['taken', '3 3 0', qw(tiff tif2 png)], ['cannot', '3 1 2',
     qw(tiff tif2 png)], ['next', '1 1 0', 'tiff'], ['kinds', '2 2 0',
     qw(docx ogg)])
{
    my ($at, $want, @ids) = @$_;
    my $head = decode_base64(ask($at, @ids)->header('X-Head') // '');
    my ($is) = $head =~ /^X-Counts: (.*?)\r?$/m;
    is($is, $want, "$at: references, expanded, degraded");
}

$_->stop for $converter, $echo;
$t->finish;
