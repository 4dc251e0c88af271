#!/usr/bin/perl

# A filter of a converter's location gives up (image_filter, xslt), also while
# that subrequest waits for its turn behind others: the request ends, with the
# right parts in order.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactCheck;
use ArtifactFit;
use ArtifactFixtures;
use ArtifactModules;
use ArtifactTest;
use ArtifactUpstream;

my $t = ArtifactTest->new;

# libxml2 leaks at its end

my @filters = ('image_filter',
               $t->version =~ /-fsanitize/ ? () : 'xslt_filter');
my $others = other_modules(@filters);
plan(skip_all => "no modules @filters") unless $others;

# what is broken looks like an image from its first bytes

my $png = png(9, 9);
my %content = (
    png => { good => $png, broken => substr($png, 0, 60) . 'junk' x 100 },
    xml => { good => '<words>of wisdom</words>',
             broken => '<words>of wisdom</word' },
);
my %type = (png => 'image/png', xml => 'text/xml');

for my $kind (keys %content) {
    for my $name (keys %{ $content{$kind} }) {
        $t->artifact("$kind-$name", $content{$kind}{$name},
                     { type => $type{$kind} });
    }
}
$t->artifact($_, tiff_of(9, 9, $_), { type => 'image/tiff' })
    for map { my $n = $_; map { "$n-$_" } 'good', 'broken' } 1 .. 3;

$t->file('map.json', fit_map());
$t->file('words.xslt', <<'XSLT');
<xsl:stylesheet version="1.0"
 xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">words <xsl:value-of select="words"/></xsl:template>
</xsl:stylesheet>
XSLT

# What is broken comes first, so its subrequest is one that waits.

my $up = converter($t->prefix . '/up', map {
    my $kind = $_;
    map { ("$kind-$_" => { body => $content{$kind}{$_}, type => $type{$kind},
                           pause => $_ eq 'good' ? 0.1 : 0 }) }
        'good', 'broken';
} 'png', 'xml');
my $echo = echoed($t);

# The name of what is converted chooses what is asked for, good or broken.

my $locations = <<'SERVER';
    location /file/ {
        internal;
        rewrite ^/file/.*-(good|broken)$ /file/png-$1 break;
        artifact;
        image_filter resize 5 5;
        image_filter_buffer 20m;
    }
    location = /auth {
        internal;
        proxy_pass http://unix:%%PREFIX%%/up:/png-good;
        proxy_pass_request_body off;
    }
    location /proxied/ {
        internal;
        auth_request /auth;
        rewrite ^/proxied/.*-(good|broken)$ /png-$1 break;
        proxy_pass http://unix:%%PREFIX%%/up:;
        image_filter resize 5 5;
        image_filter_buffer 20m;
    }
    location /large/ {
        internal;
        rewrite ^/large/.*-(good|broken)$ /png-$1 break;
        proxy_pass http://unix:%%PREFIX%%/up:;
        image_filter resize 5 5;
        image_filter_buffer 350;
    }
SERVER

$locations .= <<'SERVER' if @filters > 1;
    location /xslt/ {
        internal;
        rewrite ^/xslt/.*-(good|broken)$ /xml-$1 break;
        proxy_pass http://unix:%%PREFIX%%/up:;
        xslt_stylesheet %%PREFIX%%/words.xslt;
    }
SERVER

my %to = (file => 'image/png', proxied => 'image/png', large => 'image/png',
          @filters > 1 ? (xslt => 'text/plain') : ());

for my $where (sort keys %to) {
    $locations .= <<"SERVER";
    location /v1/$where/ {
        artifact_expand on;
        artifact_derive image/tiff $to{$where} /$where/;
        proxy_pass http://unix:%%PREFIX%%/echo:;
    }
    location = /message/$where {
        artifact_message;
        artifact_service sees;
        artifact_derive image/tiff $to{$where} /$where/;
    }
SERVER
}

$t->allow(qr/artifact/);

for my $threads ('', 'aio threads;') {
    my $how = $threads ? ', with threads' : '';

    $t->start(first => $others, main => 'thread_pool default threads=2;',
              http => 'artifact_capabilities %%PREFIX%%/map.json;',
              server => fit_server($threads, $locations));

    for my $where (sort keys %to) {
        my $good = $where eq 'xslt' ? 'words' : 'image';
        for my $order ('good', 'broken', 'broken good', 'good broken',
                       'good broken broken good broken',
                       'good good good broken broken broken broken good')
        {
            my @names = split / /, $order;
            my $i = 0;
            my @ids = map { 1 + $i++ % 3 . "-$_" } @names;

            # xslt gives up with a 500: the conversion has failed

            my $want = $where eq 'xslt' && $order =~ /broken/ ? 'status 502'
                : join ' ', map { $_ eq 'good' ? $good : '-' } @names;

            is(outcome("/v1/$where/chat/completions",
                       body_of('openai', 'sees', map { slot('openai', 'image',
                               "artifact:$_") } @ids)),
               $want, "$where: $order$how");
        }

        is(outcome("/message/$where?format=openai", JSON::PP::encode_json({
               text => 'see', attachments => [map { "artifact:1-$_" }
                                                  qw(good broken good)] })),
           "$good - $good", "$where: a message$how");
    }

    $t->stop;
}

$_->stop for $up, $echo;
$t->finish;


# What has become of each part; a request that does not end is no answer.

sub outcome {
    my ($uri, $body) = @_;

    my $conn = $t->connect(timeout => 20);
    $conn->send(ArtifactHTTP::format_request('POST', $uri, body => $body,
        headers => ['Content-Type' => 'application/json']));
    my $res = $conn->response('POST');

    return 'no answer' unless $res && $res->{status};
    return "status $res->{status}" if $res->{status} != 200;

    my $json = json_of($res);
    return join ' ', map { ref $_ ? 'image' : /words of/ ? 'words' : '-' }
        grep { ref $_ || !/^see\z/ }
        parts_in($json->{processedContent} // $json);
}
