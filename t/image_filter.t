#!/usr/bin/perl

# image_filter and xslt_stylesheet in routed locations, loaded before this
# module and after it.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/lib";
use ArtifactFixtures;
use ArtifactModules;
use ArtifactTest;
use ArtifactUpstream;

my $others = other_modules(qw(image_filter xslt_filter));
plan(skip_all => 'no image_filter and xslt_filter modules') unless $others;

my $png = png(80, 60);
my $big = png(400, 300);
my $xml = '<?xml version="1.0" encoding="UTF-8"?>' . "\n<r><v>words</v></r>\n";
my $xsl = <<'XSL';
<?xml version="1.0"?>
<xsl:stylesheet version="1.0"
    xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output method="text"/>
  <xsl:template match="/">made of <xsl:value-of select="r/v"/></xsl:template>
</xsl:stylesheet>
XSL
my %content = (png => [$png, 'image/png'], big => [$big, 'image/png'],
               text => ["words\n" x 20, 'text/plain'],
               xml => [$xml, 'text/xml']);
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
    $t->file('style.xsl', $xsl);
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
    location /xslt/ {
        artifact;
        xslt_stylesheet %%PREFIX%%/style.xsl;
    }
    location /xslt-up/ {
        xslt_stylesheet %%PREFIX%%/style.xsl;
        proxy_pass http://up/;
    }
    location /xslt-json/ {
        xslt_stylesheet %%PREFIX%%/style.xsl;
        xslt_types application/json;
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

    for my $where ('xslt', 'xslt-up') {
        is($t->get("/$where/xml")->body, 'made of words',
           "$order: xslt_stylesheet of $where, raw");
        my $res = $t->accept($ALL, "/$where/xml");
        is(route_problems($res), '', 'routed it is well-formed');
        is(json_of($res)->{content}, $xml, 'and the document as it is');
    }
    $res = $t->accept($ALL, '/xslt-json/xml');
    is($res->status, 200, "$order: xslt_types application/json");
    is(json_of($res)->{content}, 'made of words', 'works on the content');
    ok($res->{complete}, 'and ends as it should');

    $up->stop;
    $t->stop;
    $t->check_log;
}

done_testing();
