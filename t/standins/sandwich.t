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

        if ($direct eq $body) {
            standin_same($res->body, $body, "$name, $model: the same bytes");
            is(sha256_hex($_), sha256_hex($content{$kind}),
               "$name, $model: and content") for media($res->body);
            next;
        }

        note("$name, $model: not as it came: ", substr $direct, 0, 300);
        told($name, $model, $res->body, $api, $kind, $part);
    }
}


# Words, as they are of a reference to the same content.

sub told {
    my ($name, $model, $got, $api, $kind, $part) = @_;

    my $mime = standin_mime($kind);
    my $ref = standin_body($api, $model,
        $part->($mime, '@@') =~ s/data:[^@]*\@\@|\@\@/artifact:of-$kind/r);
    my $want = standin_post($t, "/direct" . standin_uri($api, $model), $ref)
        ->body;

    ok(eval { decode_strict($got) }, "$name, $model: is JSON");
    unlike($got, qr/[A-Za-z0-9+\/]{300}/, "$name, $model: no base64");
    unlike($got, qr/[0-9a-f]{8}-[0-9a-f]{4}-8/, "$name, $model: no id");
    unlike($got, qr/artifact:/, "$name, $model: no reference");

    # but for the name

    my @of = map { join '|', /(Type: [^\\"]+)/, /(Size: [^\\"]+)/,
                   /(?:\\n)([^\\"]*(?:cannot|does not)[^\\"]*)/ }
             $got, $want;
    is($of[0], $of[1], "$name, $model: the words of a reference");
    isnt($of[0], '', "$name, $model: there are some");
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
