#!/usr/bin/perl

# image_filter in routed locations, loaded before this module and after it.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactModules;
use ArtifactTest;
use ArtifactUpstream;

my $others = other_modules('image_filter');
plan(skip_all => 'no image_filter module') unless $others;

my $png = png(80, 60);
my $big = png(400, 300);
my %content = (png => [$png, 'image/png'], big => [$big, 'image/png'],
               text => ["words\n" x 20, 'text/plain']);
my $ALL = 'text, vision, file';


# Width and height of a PNG.

sub size_of {
    my ($bytes) = @_;
    return 'no PNG' if substr($bytes // '', 0, 8) ne "\x89PNG\r\n\x1a\n";
    return join 'x', unpack 'x16 NN', $bytes;
}


for my $order ('first', 'main') {
    my $t = ArtifactTest->new;
    $t->artifact($_, $content{$_}[0], { type => $content{$_}[1] })
        for keys %content;
    my $up = ArtifactUpstream->new($t->prefix . '/up.sock', contents => {
        map { $_ => { body => $content{$_}[0], type => $content{$_}[1],
                      headers => ['ETag: "one"'] } } keys %content });

    $t->start($order => $others, http => <<'HTTP', server => <<'SERVER');
    upstream up {
        server unix:%%PREFIX%%/up.sock;
    }
    artifact_root %%DATA%%;
    image_filter_buffer 4m;
HTTP
    artifact_route on;

    location /artifacts/ {
        artifact;
    }
    location /p/ {
        proxy_pass http://up/;
    }
    location /small/ {
        artifact;
        image_filter resize 40 30;
    }
    location /small-up/ {
        image_filter resize 40 30;
        proxy_pass http://up/;
    }
    location /test/ {
        artifact;
        image_filter test;
    }
    location /size/ {
        artifact;
        image_filter size;
    }
    location /turned/ {
        proxy_pass http://127.0.0.1:%%PORT%%/resized/;
        proxy_set_header Accept-Encoding "";
    }
    location /resized/ {
        artifact_route off;
        image_filter resize 40 30;
        proxy_pass http://up/;
    }
SERVER

    for my $where ('small', 'small-up') {
        is(size_of($t->get("/$where/big")->body), '40x30',
           "$order: image_filter of $where, raw");
        my $res = $t->accept($ALL, "/$where/big");
        is(route_problems($res), '', 'routed it is well-formed');
        is(size_of(data_of($res)), '40x30', 'with the small image');
        is($res->header('ETag'), undef, 'without the tag of the large one');
        like($res->header('Vary') // '', qr/X-LLM/, 'with its Vary');

        $res = $t->accept('text', "/$where/big");
        is($res->status, 415, 'no image for who cannot see it: 415');
        ok($res->{complete}, 'complete');
        is($t->accept('text', "/$where/text")->status, 415, 'nor of a text');
        $res = $t->head("/$where/big", 'X-LLM-Capabilities' => $ALL);
        ok($res->{complete}, 'HEAD is answered');
    }

    my $res = $t->accept($ALL, '/test/png');
    is(route_problems($res), '', "$order: image_filter test, routed");
    ok(data_of($res) eq $png, 'has the image');
    is($t->accept($ALL, '/test/text')->status, 415, 'of a text: 415');
    $res = $t->accept($ALL, '/size/png');
    is(route_problems($res), '', 'image_filter size, routed');

    # the way that the documentation gives

    is(size_of(data_of($t->accept($ALL, '/turned/big'))), '40x30',
       "$order: an image made small before it is routed");
    is(route_problems($t->accept($ALL, '/turned/big')), '', 'well-formed');
    is(length data_of($t->accept($ALL, '/turned/big')),
       json_of($t->accept($ALL, '/turned/big'))->{metadata}{size},
       'with its own size');
    is(routing_of($t->accept('text', '/turned/big')),
       'image text image/png capability', 'described to a text model');

    $up->stop;
    $t->stop;
    $t->check_log;
}

done_testing();
