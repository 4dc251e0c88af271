#!/usr/bin/perl

# Finished answers in a cache of nginx's own, in front of the location that
# converts (docs/fit.md): neither this location nor the converter is asked while
# they are kept; each reader has its own; what has changed is made anew, and what
# has not is only asked for by its tag.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactDocs;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;
use Time::HiRes qw(sleep);

my $t = ArtifactTest->new;
my $dir = $t->prefix;

my $up = ArtifactUpstream->new("$dir/up", contents => {
    jpeg => { type => 'image/jpeg', body => jpeg() . 'x' x 50_000 },
    text => { type => 'text/plain', body => "some words\n" x 500 },
});

$t->artifact('shot', png(16, 16) . 'x' x 90_000,
             { type => 'image/png', name => 'a.png' });

# the configuration in front, as the guide has it, but for the times

my ($section) = grep { $_->[0] eq 'Finished answers' }
    doc_sections("$FindBin::Bin/../../docs/fit.md");
my %conf = map { conf_part($_) } doc_blocks($section->[1]);

s{/var/cache/nginx/}{$dir/}, s{/run/artifacts\.socket}{$dir/artifacts},
s{(proxy_cache_valid 200) 10s}{$1 2s} for values %conf;

(my $long = $conf{server}) =~ s{location /artifacts/}{location /long/};
$long =~ s{(proxy_cache_valid 200) 2s}{$1 1h} or die "no proxy_cache_valid\n";

$t->start(http => <<"HTTP", server => <<"SERVER");
    $conf{http}
    proxy_cache_path $dir/derived keys_zone=derived:1m;

    server {
        listen unix:$dir/artifacts;

        artifact_root %%DATA%%;
        artifact_language en;
        artifact_route on;
        artifact_derive image image/jpeg /convert/jpeg body;
        artifact_derive image text/plain /convert/text body;

        location /artifacts/ {
            artifact;
        }
        location /long/ {
            artifact;
        }

        location /convert/ {
            internal;
            proxy_pass http://unix:$dir/up:/;
            proxy_cache derived;
            proxy_cache_methods POST;
            proxy_cache_key \$artifact_version\$uri;
            proxy_cache_valid 200 1h;
        }
    }
HTTP
    add_header X-Cache \$upstream_cache_status;
    $conf{server}
    $long
SERVER

my $line = 'Content of a.png, converted from image/png:';

sub ask {
    my ($caps, $uri, %headers) = @_;
    return $t->get($uri // '/long/shot', 'X-LLM-Capabilities' => $caps,
                   %headers);
}

my $first = ask('text');

header_is($first, 'X-Cache', 'MISS', 'the first time');
is(json_of($first)->{content}, "$line\n" . "some words\n" x 500,
   'what was made of it');

for my $when (qw(second third)) {
    my $res = ask('text');

    header_is($res, 'X-Cache', 'HIT', "the $when time");
    is($res->body eq $first->body, 1, "the same bytes, the $when time");
    is($res->header('ETag'), $first->header('ETag'), "and tag, $when");
}

is(scalar(() = $up->requests), 1, 'it was converted once');

my $res = ask('text', undef, 'If-None-Match' => $first->header('ETag'));
is($res->status, 304, 'a client that has it');

$res = ask('text vision');
header_is($res, 'X-Cache', 'MISS', 'another reader has an answer of its own');
is(json_of($res)->{contentType}, 'image', 'an image');
header_is(ask('text vision'), 'X-Cache', 'HIT', 'which is kept as well');
header_is(ask('text'), 'X-Cache', 'HIT', 'beside the first');
is(scalar(() = $up->requests), 0, 'nothing more was converted');


# after their time they are asked for by the tag, and no converter is

header_is(ask('text', '/artifacts/shot'), 'X-Cache', 'MISS', 'another cache');
sleep 3.1;
$res = ask('text', '/artifacts/shot');
header_is($res, 'X-Cache', 'REVALIDATED', 'it has not changed');
is($res->body eq $first->body, 1, 'and is the same');
is(scalar(() = $up->requests), 0, 'without a conversion');

$t->artifact('shot', png(17, 17) . 'y' x 90_000,
             { type => 'image/png', name => 'b.png' });
sleep 3.1;
$res = ask('text', '/artifacts/shot');
header_is($res, 'X-Cache', 'EXPIRED', 'it has changed');
is(json_of($res)->{content} =~ /^Content of b\.png/, 1, 'and is made anew');
is(scalar(() = $up->requests), 1, 'with a conversion');

$up->stop;
$t->finish;
