#!/usr/bin/perl

# From a client through both locations to a provider: a model that sees gets the
# very bytes of the request, one that only reads the words that it would get of a
# reference.

use strict;
use warnings;

use Digest::SHA qw(sha256_hex);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactJSON;
use ArtifactSandwich;
use ArtifactTest;

my $t = ArtifactTest->new;
my $echo = standin_echo($t);

standin_server($t);

my %content = map { $_ => standin_content($_, 3000) } @STANDIN_KINDS;

# the same contents as artifacts of a client

$t->artifact("of-$_", $content{$_}, { mimeType => standin_mime($_) })
    for @STANDIN_KINDS;

for my $api (@STANDIN_APIS) {
    for my $kind (@STANDIN_KINDS) {
        my %slot = standin_slots($api, $kind);
        walk($api, $kind, $_, $slot{$_}) for sort keys %slot;
    }
}


sub walk {
    my ($api, $kind, $slot, $part) = @_;

    my $name = "$api, $slot, $kind";
    my $b64 = b64($content{$kind});
    my $full = $part->(standin_mime($kind), $b64);

    for my $model (qw(sees reads new-model)) {
        my $body = standin_body($api, $model, $full);
        my $uri = standin_uri($api, $model);
        my $res = standin_post($t, "/all$uri", $body);
        is($res->status, 200, "$name, $model: arrives") or next;

        my $direct = standin_post($t, "/direct$uri", $body)->body;
        my $of = of_reference($api, $model, $kind, $part);

        # of an unknown model a medium that the API has no place for stays,
        # while a reference to it becomes words

        if (media($of) || !media($direct)) {
            standin_same($res->body, $direct, $direct eq $body
                         ? "$name, $model: the same bytes"
                         : "$name, $model: what becomes of the medium itself");
        }

        if (media($of)) {
            is(sha256_hex($_), sha256_hex($content{$kind}),
               "$name, $model: and content") for media($res->body);
        } else {
            told("$name, $model", $res->body, $of);
        }
    }
}


# What a reference in the same slot becomes.

sub of_reference {
    my ($api, $model, $kind, $part) = @_;

    my $ref = $part->(standin_mime($kind), '@@')
        =~ s/data:[^@]*\@\@|\@\@/artifact:of-$kind/r;
    return standin_post($t, '/direct' . standin_uri($api, $model),
                        standin_body($api, $model, $ref))->body;
}


# Words: they show no reference, and are those that a reference becomes.

sub told {
    my ($name, $got, $want) = @_;

    ok(eval { decode_strict($got) }, "$name: is JSON");
    unlike($got, qr/[A-Za-z0-9+\/]{300}/, "$name: no base64");
    unlike($got, qr/artifact:|[0-9a-f]{8}-[0-9a-f]{4}-8/, "$name: no id");
    is(lines_of($got), lines_of($want), "$name: the words of a reference");
    like(lines_of($got), qr/Type: /, "$name: there are some");
}


# All lines of a description but the first, which has its name.

sub lines_of {
    my ($body) = @_;
    return join '|', $body =~ /\\n((?:[^"\\]|\\[^n])+)/g;
}


# What stands as long base64 in a body.

sub media {
    my ($body) = @_;
    require MIME::Base64;
    return map { MIME::Base64::decode_base64($_) }
        $body =~ m{([A-Za-z0-9+/]{1000,}={0,2})}g;
}


# --- several at once, and one of another spelling, which becomes plain

my ($png) = values %{ { standin_slots('anthropic', 'png') } };
my ($pdf) = values %{ { standin_slots('anthropic', 'pdf') } };
my @two = ($png->('image/png', b64($content{png})),
           $pdf->('application/pdf', b64($content{pdf})),
           $png->('image/png', b64($content{png})));
my $body = standin_body('anthropic', 'sees', @two);
standin_same(standin_post($t, '/all/v1/messages', $body)->body, $body,
             'three at once');
standin_same(standin_post($t, '/all/v1/messages',
                          $body =~ s{/(?=\w)}{\\/}gr)->body
             =~ s{\\/}{/}gr, $body, 'with "/" escaped');

my $pass = standin_post($t, '/behind/v1/messages', $body);
standin_same($pass->body, $body, 'media that are no stand-ins pass behind');

$echo->stop;
$t->finish;
