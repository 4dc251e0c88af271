#!/usr/bin/perl

# In front of a gateway: in each slot of each API a medium becomes the stand-in of
# its kind, and every other byte stays.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactSandwich;
use ArtifactTest;

my $t = ArtifactTest->new;
my $echo = standin_echo($t);

standin_server($t);

my %content = map { $_ => standin_content($_, 3000) } @STANDIN_KINDS;
my $walked = 0;

for my $api (@STANDIN_APIS) {
    for my $kind (@STANDIN_KINDS) {
        my %slot = standin_slots($api, $kind);

        walk($api, $kind, $_, $slot{$_}) for sort keys %slot;
    }
}

cmp_ok($walked, '>', 40, 'all slots');
is(scalar keys %{ standin_files($t->data) }, scalar @STANDIN_KINDS,
   'one artifact for each content');


# One medium in one slot, and the same again.

sub walk {
    my ($api, $kind, $slot, $part) = @_;

    my $name = "$api, $slot, $kind";
    my $mime = standin_mime($kind);
    my $bytes = $content{$kind};
    my $uri = '/front' . standin_uri($api, 'sees');
    my $body = sub {
        return standin_body($api, 'sees', $part->($mime, $_[0]),
                            words($api));
    };

    my $res = standin_post($t, $uri, $body->(b64($bytes)));
    is($res->status, 200, "$name: passed on");

    my $id = standin_id($t->data, $bytes, $kind);
    standin_same($res->body, $body->(standin_b64($kind, $id)),
                 "$name: only the base64 differs");
    is(standin_stored($t->data, $id, $bytes, $kind), '', "$name: is stored");

    my $again = standin_post($t, $uri, $body->(b64($bytes)));
    standin_same($again->body, $res->body, "$name: again the same bytes");
    like($res->header('X-Head'),
         qr/\|Content-Length: @{[ length $res->body ]}\|/i,
         "$name: with a length");
    unlike($res->header('X-Head'), qr/Transfer-Encoding/i, "$name: not chunked");
    $walked++;
}

sub words {
    my ($api) = @_;
    return $api =~ /^(?:gemini|bedrock)\z/ ? '{"text":"a\/b"}'
        : $api eq 'openai_responses' ? '{"type":"input_text","text":"a\/b"}'
        : '{"type":"text","text":"a\/b"}';
}

$echo->stop;
$t->finish;
