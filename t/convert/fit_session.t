#!/usr/bin/perl

# A session with many screenshots, and photographs of a telephone: all that
# arrives is what the API takes; a second send is the same bytes and converts
# nothing; and the session goes on with a model that does not see.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFit;
use ArtifactFixtures;
use ArtifactTest;

my $t = ArtifactTest->new;

my @screen = map { png_of(2560, 1440, "screen $_") } 0 .. 24;
$t->artifact("s$_", $screen[$_], { type => 'image/png', name => "s$_.png" })
    for 0 .. 24;
$t->artifact('photo', heic(4032, 3024), { type => 'image/heic',
                                          name => 'IMG_1.HEIC' });
$t->artifact('web', avif(1200, 900), { type => 'image/avif',
                                       name => 'web.avif' });
$t->artifact('paper', docx(), { type => 'application/vnd.openxmlformats-'
    . 'officedocument.wordprocessingml.document', name => 'paper.docx' });
$t->file('map.json', fit_map());

my $converter = converter($t->prefix . '/convert', fit => sub {
    my ($asked) = @_;
    return { body => jpeg_of(2000, 1125, "of $asked->{sha}"),
             type => 'image/jpeg' };
});
my $echo = echoed($t);

$t->start(http => 'artifact_capabilities %%PREFIX%%/map.json; '
          . 'proxy_cache_path %%PREFIX%%/derived keys_zone=derived:1m;',
          server => fit_server(<<'RULES', <<'MORE'));
    artifact_derive image image/jpeg /k/fit body;
    artifact_derive image text/plain /k/text body;
    artifact_derive document text/markdown /k/markdown body;
RULES
    location /k/ {
        internal;
        proxy_pass http://unix:%%PREFIX%%/convert:/;
        proxy_cache derived;
        proxy_cache_methods POST;
        proxy_cache_key $artifact_version$uri;
        proxy_cache_valid 200 204 415 30d;
        proxy_cache_lock on;
    }
MORE

sub ask {
    my ($model, @turns) = @_;
    return $t->req('POST', '/v1/messages',
        body => body_of('anthropic', $model, map { [$_] } @turns),
        headers => ['Content-Type' => 'application/json']);
}

sub ref_to { return slot('anthropic', 'image', "artifact:$_[0]") }

for my $form ('references', 'own media') {
    my @turns = $form eq 'references' ? map { ref_to("s$_") } 0 .. 24
        : map { inline_part('anthropic', 'image', 'image/png', $_) } @screen;
    push @turns, $form eq 'references' ? (ref_to('photo'), ref_to('web'))
        : (inline_part('anthropic', 'image', 'image/heic', heic(4032, 3024)),
           inline_part('anthropic', 'image', 'image/avif', avif(1200, 900)));
    $converter->asked;

    my $res = ask('sees', @turns);
    my @media = media_in(json_of($res));
    is($res->{status}, 200, "$form: 200");
    is(scalar @media, 27, "$form: all images arrive");
    is(join(' ', sort keys %{ { map { $_->{mime} => 1 } @media } }),
       'image/jpeg', "$form: of types that the API takes");
    is(scalar(grep { $_->{bytes} !~ /\A\xff\xd8.*of [0-9a-f]{64}/s } @media), 0,
       "$form: of at most 2000 pixels");
    is(scalar $converter->asked, 27, "$form: each was converted once");

    is(ask('sees', @turns)->{body}, $res->{body}, "$form: the same again");
    is($converter->names, '', "$form: without a conversion");

    # one turn more

    my $more = ask('sees', @turns, '{"type":"text","text":"thanks"}');
    is(index($more->{body}, substr $res->{body}, 0, -2), 0,
       "$form: a turn more leaves the history as it is");
    is($converter->names, '', "$form: and converts nothing");

    # each number of turns

    my ($before, @wrong) = '';
    for my $n (0 .. $#turns) {
        my $now = ask('sees', @turns[0 .. $n])->{body};
        push @wrong, $n if index $now, $before;
        $before = substr $now, 0, -2;
    }
    is("@wrong", '', "$form: from the first turn on");
    is($converter->names, '', "$form: and nothing is converted again");

    # a model that does not see

    my $read = ask('reads', @turns);
    my @texts = grep { !ref && /converted from image/ } parts_in(
        [grep { $_->{role} eq 'user' } @{ json_of($read)->{messages} }]);
    is(scalar @texts, 27, "$form: texts for one who does not see");
    is(scalar $converter->asked, 27, "$form: each was converted once");
    is(ask('reads', @turns)->{body}, $read->{body}, "$form: the same again");
    is(ask('sees', @turns)->{body}, $res->{body}, "$form: and back");
    is($converter->names, '', "$form: without a conversion");
}

# a document under its line, in either session

for my $model (qw(sees reads)) {
    my ($text) = parts_in(json_of(ask($model, slot('anthropic', 'document',
                                                   'artifact:paper'))));
    is($text, "Content of paper.docx, converted from application/vnd."
       . "openxmlformats-officedocument.wordprocessingml.document:\n"
       . converted('markdown', docx()), "a document for one who $model");
}
is($converter->names, 'markdown', 'is converted once');

$_->stop for $converter, $echo;
$t->finish;
