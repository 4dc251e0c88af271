#!/usr/bin/perl

# Too many media in a request: the oldest are described, in steps, so that a
# history that grows stays the same for many turns.  What is described is
# compared with a plain reference over growing histories.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFit;
use ArtifactFixtures;
use ArtifactTest;
use POSIX qw(ceil);

my $t = ArtifactTest->new;

$t->artifact("i$_", png_of(9, 9, "image $_"), { type => 'image/png',
    name => "i$_.png" }) for 0 .. 63;
$t->artifact("d$_", pdf() . "%$_\n", { type => 'application/pdf',
    name => "d$_.pdf" }) for 0 .. 9;
$t->artifact("t$_", tiff_of(9, 9, "scan $_"), { type => 'image/tiff',
    name => "t$_.tiff" }) for 0 .. 19;
$t->artifact('note', "a note\n", { type => 'text/plain' });

my @limits = (1, 2, 3, 4, 5, 8, 20);
my $map = fit_map();
push @{ $map->{services} }, map { { id => "max$_", model => "max$_",
    maxMedia => $_, capabilities => { input => [qw(text vision file pdf)] } } }
    @limits;
$t->file('map.json', $map);

my $converter = converter($t->prefix . '/convert',
    no => { status => 415 });
my $echo = echoed($t);

my $pass = 'artifact_expand on; proxy_pass http://unix:%%PREFIX%%/echo:;';
$t->start(http => 'artifact_capabilities %%PREFIX%%/map.json;',
          server => fit_server('artifact_refs_max 200;', <<"MORE"));
    location /texts/ {
        artifact_derive image/tiff text/plain /c/text body;
        $pass
    }
    location /images/ {
        artifact_derive image/tiff image/jpeg /c/jpeg body;
        $pass
    }
    location /vain/ {
        artifact_derive image/tiff image/jpeg /c/no body;
        $pass
    }
MORE

# --- the reference

# How many of the oldest media are described, of turns with so many of them.

sub described {
    my ($max, @turns) = @_;

    my $last = $turns[-1];
    my $all = 0;
    $all += $_ for @turns;
    return 0 if $all <= $max;

    my $step = ceil($max / 2);
    my $cut = ceil(($all - $max) / $step) * $step;
    my $before = $all - $last;
    $cut = $before if $cut > $before;
    $cut = $all - $max if $last > $max;
    return $cut;
}

# --- requests

sub ask {
    my ($api, $model, $turns, $at) = @_;
    my $uri = ($at // '') . uri_of($api, $model);
    return $t->req('POST', $uri, body => body_of($api, $model, @$turns),
                   headers => ['Content-Type' => 'application/json']);
}

# One letter for each part of the user: M a medium, w words, t other text.

sub kinds {
    my ($res) = @_;
    return "status $res->{status}" if $res->{status} != 200;
    my $data = json_of($res);
    my $list = $data->{messages} || $data->{input} || $data->{contents};
    return join '', map { ref $_ ? 'M' : /\A\[Unreadable\]/ ? 'w' : 't' }
        map { parts_in($_) } grep { $_->{role} eq 'user' } @$list;
}

sub want {
    my ($max, @turns) = @_;
    my $all = 0;
    $all += $_ for @turns;
    my $cut = described($max, @turns);
    return 'w' x $cut . 'M' x ($all - $cut);
}

# Turns with so many images each, of one form or of several.

my %form = (
    reference => sub { slot($_[0], 'image', "artifact:i$_[1]") },
    neutral => sub { neutral_part($_[0], "artifact:i$_[1]") },
    own => sub { inline_part($_[0], 'image', 'image/png',
                             png_of(9, 9, "image $_[1]")) },
    url => sub { slot($_[0], 'image', "https://h.example/$_[1].png") },
);

sub turns {
    my ($api, $form, @counts) = @_;
    my $n = 0;
    return [map { [map { my $i = $n++;
                         my $of = $form eq 'mixed'
                             ? (qw(own reference url neutral))[$i % 4] : $form;
                         $form{$of}->($api, $i % 64) } 1 .. $_] } @counts];
}

# histories of one image a turn, of two, and uneven ones

my %pace = (one => [1], two => [2], uneven => [1, 3, 2, 1]);

for my $max (@limits) {
    for my $pace (sort keys %pace) {
        next if $max < 2 && $pace ne 'one' || $max == 20 && $pace ne 'two';
        for my $form (qw(reference mixed)) {
            my (@counts, @wrong);
            my ($before, $cut, $kept, $changes) = ('', 0, 0, 0);

            for my $turn (0 .. ($max == 20 ? 24 : 2 * $max + 4)) {
                push @counts, $pace{$pace}[$turn % @{ $pace{$pace} }];
                my $res = ask('openai', "max$max",
                              turns('openai', $form, @counts));
                my $is = kinds($res);
                my $want = want($max, @counts);
                push @wrong, "@counts: $is, not $want" if $is ne $want;

                # until the next step all that was there stays, every byte

                my $now = described($max, @counts);
                my $same = index($res->{body}, $before) == 0;
                push @wrong, "@counts: the history has changed"
                    if $turn && $now == $cut && !$same;
                $changes++ if $now != $cut;
                $cut = $now;
                $before = substr $res->{body}, 0, -2;
            }
            is(join('; ', @wrong[0 .. ($#wrong > 2 ? 2 : $#wrong)]), '',
               "at most $max, $pace a turn, $form: $changes changes");
        }
    }
}

# each API

for my $api (grep { !/invoke/ } apis()) {
    for my $form (qw(reference own)) {
        my @counts = (1, 1, 1, 1, 1, 1);
        is(kinds(ask($api, 'max4', turns($api, $form, @counts))),
           want(4, @counts), "$api, $form: six of four");
        is(kinds(ask($api, 'max4', turns($api, $form, 2, 2))), 'MMMM',
           "$api, $form: four of four");
    }
}

# the last message alone

for (['one too many', 2, 3], ['three too many', 2, 5],
     ['too many, and others before', 2, 1, 3], ['as many as may be', 3, 2, 3],
     ['all of the last', 3, 4, 3], ['many before one', 2, 9, 1])
{
    my ($name, $max, @counts) = @$_;
    my $is = kinds(ask('openai', "max$max", turns('openai', 'reference',
                                                  @counts)));
    is($is, want($max, @counts), "the last message: $name");
}

# documents are media, too, and texts are none

my @documents = map { [slot('openai', 'document', "artifact:d$_")] } 0 .. 2;
is(kinds(ask('openai', 'max2', \@documents)), 'wMM', 'documents');
is(kinds(ask('openai', 'max2', [[slot('openai', 'image', 'artifact:i1')],
    @documents[0 .. 1]])), 'wMM', 'an image and documents');
is(kinds(ask('openai', 'max2', [map { [neutral_part('openai',
    'artifact:note')] } 1 .. 5])), 'ttttt', 'texts do not count');
is(kinds(ask('openai', 'max2', [[neutral_part('openai', 'artifact:note')],
    [neutral_part('openai', 'artifact:gone')],
    map { [slot('openai', 'image', "artifact:i$_")] } 1 .. 2])), 'twMM',
   'nor does what is missing');

# no limit is known

is(kinds(ask('openai', 'all', turns('openai', 'own', (2) x 30))), 'M' x 60,
   'without a limit all stay');

# what was derived counts as what it has become

sub scans { return [map { [slot('openai', 'image', "artifact:t$_")] } @_] }

is(kinds(ask('openai', 'max2', scans(0 .. 4), '/texts')), 'ttttt',
   'texts of scans do not count');
is(kinds(ask('openai', 'max2', scans(0 .. 2), '/images')), 'wMM',
   'images of scans do');
is(kinds(ask('openai', 'max2', [[slot('openai', 'image', 'artifact:i1')],
    @{ scans(1, 2) }], '/images')), 'wMM', 'beside others');
is(kinds(ask('openai', 'max2', scans(0 .. 2), '/vain')), 'www',
   'nothing came of it');

# the same again; the words are those of the artifact

my $res = ask('openai', 'max3', turns('openai', 'reference', (1) x 7));
is(ask('openai', 'max3', turns('openai', 'reference', (1) x 7))->{body},
   $res->{body}, 'the same again');
my @parts = parts_in(json_of($res)->{messages}[0]);
like($parts[0], qr/\A\[Unreadable\] i0\.png \(artifact:i0\)\n/,
     'the name of one that is described');

$_->stop for $converter, $echo;
$t->finish;
