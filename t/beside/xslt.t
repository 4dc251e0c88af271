#!/usr/bin/perl

# xslt_stylesheet in routed locations, loaded before this module and after it.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactModules;
use ArtifactTest;
use ArtifactUpstream;

my $others = other_modules('xslt_filter');
plan(skip_all => 'no xslt_filter module') unless $others;
plan(skip_all => 'libxml2 leaks at its end')
    if ArtifactTest->version =~ /fsanitize/;

my $xml = '<?xml version="1.0" encoding="UTF-8"?>' . "\n<r><v>words</v></r>\n";
my $xsl = <<'XSL';
<?xml version="1.0"?>
<xsl:stylesheet version="1.0"
    xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output method="text"/>
  <xsl:template match="/">made of <xsl:value-of select="r/v"/></xsl:template>
</xsl:stylesheet>
XSL
my %content = (xml => [$xml, 'text/xml']);
my $ALL = 'text, vision, file';


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
HTTP
    artifact_route on;

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

    for my $where ('xslt', 'xslt-up') {
        is($t->get("/$where/xml")->body, 'made of words',
           "$order: xslt_stylesheet of $where, raw");
        my $res = $t->accept($ALL, "/$where/xml");
        is(route_problems($res), '', 'routed it is well-formed');
        is(json_of($res)->{content}, $xml, 'and the document as it is');
    }
    my $res = $t->accept($ALL, '/xslt-json/xml');
    is($res->status, 200, "$order: xslt_types application/json");
    is(json_of($res)->{content}, 'made of words', 'works on the content');
    ok($res->{complete}, 'and ends as it should');

    $up->stop;
    $t->stop;
    $t->check_log;
}

done_testing();
