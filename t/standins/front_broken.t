#!/usr/bin/perl

# Bodies that are no JSON, or not to the end, pass as they came, and nothing is
# stored; signed ones are refused, and so are codings that nobody can decode.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactSandwich;
use ArtifactTest;

my $t = ArtifactTest->new;
my $echo = standin_echo($t);

standin_server($t);

my $png = standin_content('png', 40_000);
my ($slot) = values %{ { standin_slots('openai', 'png') } };
my $body = standin_body('openai', 'sees', $slot->('image/png', b64($png)));
my $uri = '/front/v1/chat/completions';


my $res;


# --- no JSON

for my $case (['cut in the base64', substr $body, 0, 20_000],
              ['cut behind it', substr $body, 0, -1],
              ['cut in a key', substr $body, 0, -4],
              ['more behind the end', "$body}"],
              ['two values', "$body$body"],
              ['a trailing comma', $body =~ s/\}\z/,}/r],
              ['a raw line feed', $body =~ s/sees/se\nes/r],
              ['a bad escape', $body =~ s/sees/\\x/r],
              ['no JSON at all', 'x' x 50_000], ['nothing', ''])
{
    my ($name, $bytes) = @$case;
    $res = standin_post($t, $uri, $bytes);
    is($res->status, 200, "$name: passed on");
    standin_same($res->body, $bytes, "$name: as it came");
    is(join(' ', keys %{ standin_files($t->data) }), '',
       "$name: nothing is stored");
    is(join(' ', grep { !m{/(?:\.|\.\.|key|lock\w*)\z} }
            glob $t->data . '/artifacts/.artifact/{tmp,new,*}/*'), '',
       "$name: nothing is left");
}

# what is too deep to be looked at may hide what a client must not send

$res = standin_post($t, $uri, $body =~ s/9\}\z/'[' x 600 . ']' x 600 . '}'/er);
is($res->status, 502, 'nested too deeply');
is(json_of($res)->{error}{code}, 'source_failed', 'is refused');

my $bom = "\xef\xbb\xbf$body";
$res = standin_post($t, $uri, $bom);
my $standin = standin_b64('png', standin_id($t->data, $png, 'png'));
my $want = standin_body('openai', 'sees', $slot->('image/png', $standin));
standin_same($res->body, "\xef\xbb\xbf$want", 'behind a byte order mark');


# --- codings

$res = standin_post($t, $uri, gzip_of($body), 'Content-Encoding' => 'gzip');
standin_same($res->body, $want, 'gzip');
unlike($res->header('X-Head'), qr/Content-Encoding/i, 'is none any more');

$res = standin_post($t, $uri, $body, 'Content-Encoding' => 'x-unknown');
is($res->status, 415, 'an unknown coding');
is(json_of($res)->{error}{code}, 'unsupported_encoding', 'is told');

$res = standin_post($t, $uri, 'not gzip' x 40, 'Content-Encoding' => 'gzip');
is($res->status, 400, 'what is no gzip');

$res = standin_post($t, $uri, $body, 'Content-MD5' => 'x', 'Digest' => 'x');
unlike($res->header('X-Head'), qr/\|(?:Content-MD5|Digest):/i,
       'digests of the old body go');


# --- chunked

my $conn = $t->connect;
$conn->send("POST $uri HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            . "Transfer-Encoding: chunked\r\n\r\n"
            . join('', map { sprintf "%x\r\n%s\r\n", length, $_ }
                       $body =~ /.{1,7001}/gs) . "0\r\n\r\n");
$res = $conn->response('POST');
standin_same($res->body, $want, 'chunked');
like($res->header('X-Head'), qr/\|Content-Length: @{[ length $want ]}\|/i,
     'goes on with a length');


# --- signed requests

my @signed = ('Authorization' => 'AWS4-HMAC-SHA256 Credential=a/b/c/d/e, '
              . 'SignedHeaders=host, Signature=00');
my $converse = '/front/model/sees/converse';
my ($image) = values %{ { standin_slots('bedrock', 'png') } };

$res = standin_post($t, $converse,
                    standin_body('bedrock', 'sees',
                                 $image->('image/png', b64($png))), @signed);
is($res->status, 400, 'a signed request with a medium');
is(json_of($res)->{error}{code}, 'signed_request', 'is refused');

my $plain = standin_body('bedrock', 'sees', '{"text":"a"}');
$res = standin_post($t, $converse, $plain, @signed);
standin_same($res->body, $plain, 'a signed request without one');

$echo->stop;
$t->finish;
