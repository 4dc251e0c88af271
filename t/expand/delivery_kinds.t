#!/usr/bin/perl

# Files as people have them, by URL: what a provider is told to fetch is of a
# type that it takes, and is served under this type, whatever is declared; all
# else is in the request, or words.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFit;
use ArtifactKinds;
use ArtifactTest;

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my %kind = kinds($dir);
my $url = 'https://files.example.com/artifacts/';

$t->artifact($_, $kind{$_}{body}, kind_meta($kind{$_})) for keys %kind;
$t->file('map.json', fit_map());

my $echo = echoed($t);

$t->start(http => 'artifact_capabilities %%PREFIX%%/map.json;',
          server => <<"SERVER");
    artifact_root %%DATA%%;
    artifact_language en;
    artifact_url $url;
    artifact_delivery url;

    location / { artifact_expand on; proxy_pass http://unix:$dir/echo:; }
    location /artifacts/ { artifact; }
SERVER

my $fetched = 0;

for my $id (sort keys %kind) {
    my $kind = $kind{$id};
    my @wrong;

    for my $api (qw(openai openai_responses anthropic gemini)) {
        for my $model (qw(all reads)) {
            my $res = $t->req('POST', uri_of($api, $model),
                headers => ['Content-Type' => 'application/json'],
                body => body_of($api, $model,
                                neutral_part($api, "artifact:$id")));

            if ($res->body !~ /"\Q$url$id\E"/) {
                my $wrong = kind_wrong($kind, $api, $res, filled => 1,
                                       reads => $model eq 'reads');
                push @wrong, "$api, $model: $wrong" if $wrong ne '';
                next;
            }

            my $type = $t->get("/artifacts/$id")->header('Content-Type');
            $fetched++;
            push @wrong, "$api, $model: $type"
                if $model eq 'reads' || $type ne $kind->{is}
                   || $kind->{fake} || !grep { $_ eq $type } kind_types($api);
        }
    }

    is(join("\n", @wrong), '', $id);

    next if $kind->{fake} || $kind->{is} !~ m{^(?:image|audio|video)/(?!svg)};
    is($t->get("/artifacts/$id")->header('Content-Type'), $kind->{is},
       'served as what it is');
}

cmp_ok($fetched, '>', 9, 'some are fetched');

$echo->stop;
$t->finish;
