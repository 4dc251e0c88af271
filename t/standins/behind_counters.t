#!/usr/bin/perl

# What became of stand-ins behind a gateway, by kind: in the status; also of a
# request that was refused, and behind an error page.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactEcho;
use ArtifactFixtures;
use ArtifactStandins;
use ArtifactTest;
use ArtifactWrite qw(until_true);

my $t = ArtifactTest->new(workers => 1);
my $dir = $t->prefix;
my %of;

($of{png}) = standin($t, png => png(30, 20));
($of{pdf}) = standin($t, pdf => pdf());
($of{size}) = standin($t, gif => gif(), size => 7);
$of{none} = standin_of(jpeg => '01234567-89ab-8cde-8123-456789abcdef');

$t->file('map.json', { services => [
    { id => 'sees', model => 'sees', capabilities => { input => [qw(text vision)] } },
] });

my $echo = echo("$dir/echo");

$t->start(http => 'artifact_capabilities %%PREFIX%%/map.json;', server => <<"SERVER");
    artifact_root %%DATA%%;
    artifact_language en;
    location /artifacts/ { internal; artifact; }
    location /behind/ {
        artifact_expand standins;
        proxy_pass http://unix:$dir/echo:/v1/;
    }
    location /paged/ {
        artifact_expand on;
        error_page 502 = /page;
        proxy_pass http://unix:$dir/echo:/v1/;
    }
    location = /page { return 200 page; }
    location = /status { artifact_status; }
SERVER

sub image {
    return { type => 'image_url', image_url => {
        url => 'data:image/png;base64,' . b64($of{$_[0]}) }, @_[1 .. $#_] };
}

sub ask {
    my ($where, @parts) = @_;
    return $t->req('POST', "/$where/chat/completions",
        headers => ['Content-Type' => 'application/json'],
        body => ref $parts[0] ? encode_json_bytes({ model => 'sees',
            messages => [{ role => 'user', content => \@parts }] })
            : $parts[0]);
}

sub counted {
    my %got;
    for (split /\n/, $t->get('/status?format=prometheus')->body) {
        $got{"$1 $2"} = $3 if /^artifact_standins_total\{side="behind",
            kind="(\w+)",outcome="(\w+)"\}\ (\d+)/x;
    }
    return \%got;
}

sub counts {
    my ($name, %want) = @_;
    my $got;
    until_true(sub {
        $got = counted();
        return join(' ', map { "$_ $got->{$_}" } sort keys %$got)
            eq join(' ', map { "$_ $want{$_}" } sort keys %want);
    }, 5);
    is_deeply($got, \%want, $name);
}

my %all;
is_deeply(counted(), {}, 'nothing yet');

is(ask('behind', image('png'), image('png'), image('pdf'))->{status}, 200, 'asked');
counts('expanded, described',
       %all = ('png expanded' => 2, 'pdf described' => 1));

is(ask('behind', image('png'), image('none'), image('png'))->{status}, 502,
   'refused');
counts('missing', %all = (%all, 'jpeg missing' => 1));

is(ask('paged', image('size'))->body, 'page', 'a page');
counts('mismatch', %all = (%all, 'gif mismatch' => 1));

ask('behind', image('png', beside => b64($of{pdf})));
counts('beside a slot', %all = (%all, 'png expanded' => 3, 'pdf untouched' => 1));

my $cut = '{"model":"sees","x":"' . b64($of{png}) . '"';
is(ask('behind', $cut)->body, $cut, 'no JSON');
counts('in what is no JSON', %all = (%all, 'png untouched' => 1));

is(ask('behind', "[\"@{[b64($of{png})]}\"]")->{status}, 200, 'an array');
counts('anywhere', %all = (%all, 'png expanded' => 4));

$t->finish;
