#!/usr/bin/perl

# Filters of other dynamic modules, loaded before this one and after it: what
# they do to an answer does not depend on that.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/lib";
use ArtifactCurl;
use ArtifactFixtures;
use ArtifactModules;
use ArtifactTest;
use ArtifactUpstream;

my $others = other_modules(qw(brotli_filter subs_filter));
plan(skip_all => 'no brotli and subs_filter modules') unless $others;
plan(skip_all => 'curl has no brotli') unless curl_features('brotli');

my $png = png(80, 80);
my $text = "some \"words\" of text\n" x 3000;
my %content = (png => [$png, 'image/png'], text => [$text, 'text/plain'],
               pdf => [pdf() . "\0\1\2" x 30_000, 'application/pdf']);
my $ALL = 'text, vision, file';

my $server = <<'SERVER';
    artifact_root %%DATA%%;
    artifact_route on;

    location /artifacts/ {
        artifact;
    }
    location /brotli/ {
        artifact;
        brotli on;
        brotli_types application/json text/plain;
        brotli_min_length 1;
    }
    location /brotli-up/ {
        brotli on;
        brotli_types application/json;
        brotli_min_length 1;
        gzip on;
        gzip_types application/json;
        proxy_pass http://up/;
    }
    location /p/ {
        proxy_pass http://up/;
    }
    location /subs/ {
        subs_filter words WORDS;
        subs_filter_types application/json;
        proxy_pass http://up/;
    }
    location /subs-raw/ {
        subs_filter words WORDS;
        subs_filter_types text/plain;
        proxy_pass http://up/;
    }
SERVER

for my $order ('before', 'after') {
    my $t = ArtifactTest->new;
    $t->artifact($_, $content{$_}[0], { type => $content{$_}[1] })
        for keys %content;
    my $up = ArtifactUpstream->new($t->prefix . '/up.sock', contents => {
        map { $_ => { body => $content{$_}[0], type => $content{$_}[1] } }
            keys %content });
    $t->start(($order eq 'before' ? 'first' : 'main') => $others,
              http => 'upstream up { server unix:%%PREFIX%%/up.sock; }',
              server => $server);
    my $base = 'http://127.0.0.1:' . $t->port;

    for my $id (sort keys %content) {
        for my $caps ('text', $ALL) {
            my @header = ('-H', "X-LLM-Capabilities: $caps");
            my $want = $t->accept($caps, "/artifacts/$id")->body;
            my $res = curl($t->prefix, @header, '-H', 'Accept-Encoding: br',
                           '--compressed', "$base/brotli/$id");
            is("$res->{status} $res->{exit} "
               . ($res->header('Content-Encoding') // 'none'), '200 0 br',
               "$order: brotli of $id for $caps");
            ok($res->body eq $want, 'holds the answer');
            is($t->accept($caps, "/brotli/$id")->body, $want,
               'as it is without');

            $want = $t->accept($caps, "/p/$id")->body;
            $res = curl($t->prefix, @header, '-H', 'Accept-Encoding: br',
                        '--compressed', "$base/brotli-up/$id");
            (my $body = $res->body) =~ s{brotli-up/}{p/}g;
            ok($body eq $want && $res->{exit} == 0,
               'so does that of an upstream');
        }
    }
    my $res = curl($t->prefix, '-H', 'Accept-Encoding: br', '--compressed',
                   "$base/brotli/text");
    is($res->header('Content-Encoding'), 'br', "$order: a raw answer");
    ok($res->body eq $text, 'is whole');

    (my $upper = $text) =~ s/words/WORDS/g;
    for my $args ('', '?step=5000', '?frame=chunked&step=1000') {
        my $res = $t->accept('text', "/subs/text$args");
        ok(json_of($res)->{content} eq $upper,
           "$order: subs_filter in all of the content$args");
        ok($t->get("/subs-raw/text$args")->body eq $upper, 'and raw');
        ok(json_of($t->accept('text', "/subs-raw/text$args"))->{content}
           eq $text, 'not by the content\'s own type');
    }
    is(json_of($t->accept('vision', '/subs/png'))->{routing}, 'image_url',
       'subs_filter in an image without such words');
    ok(data_of($t->accept('vision', '/subs/png')) eq $png, 'leaves it');

    $up->stop;
    $t->stop;
    $t->check_log;
}

done_testing();
