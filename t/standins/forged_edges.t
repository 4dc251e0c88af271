#!/usr/bin/perl

# Exact stand-ins of a client where a body is at its limits: too deep, too many,
# coded, signed, in pieces.  They are taken out, or the request is refused; the
# location behind would make of each that passes what it leads to.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactJSON;
use ArtifactSandwich;
use ArtifactTest;

my $t = ArtifactTest->new;
my $echo = standin_echo($t);

standin_server($t, server => <<'SERVER');
    location /few/ {
        artifact_offload_request on;
        artifact_refs_max 1;
        proxy_pass %%ECHO%%;
    }
    location /slow/ {
        artifact_offload_request on;
        client_body_buffer_size 1k;
        proxy_pass %%ECHO%%;
    }
    location /large/ {
        artifact_offload_request on;
        artifact_offload_min 1m;
        proxy_pass %%ECHO%%;
    }
SERVER

my %mark = map {
    $_ => standin_b64($_, '01234567-89ab-8def-8123-456789abcdef')
} @STANDIN_KINDS;
my $mark = $mark{png};
my $chat = '/v1/chat/completions';


# Refused, or it is not there any more.

sub kept_out {
    my ($name, $body, %opt) = @_;

    my $res = $t->req('POST', $opt{uri} // "/front$chat", body => $body,
        headers => ['Content-Type' => 'application/json',
                    @{ $opt{headers} // [] }]);
    ok(index($res->body, $opt{mark} // $mark) < 0, "$name: does not pass")
        or diag(substr $res->body, 0, 200);
    like($res->status, $opt{status} // qr/\A(?:200|4\d\d|502)\z/,
         "$name: an answer");
    return $res;
}


for my $kind (@STANDIN_KINDS) {
    kept_out("$kind in a string", qq({"x":"$mark{$kind}"}), mark => $mark{$kind});
    kept_out("$kind alone", qq("$mark{$kind}"), mark => $mark{$kind});
}

kept_out('among a thousand', '{"x":[' . join(',', (qq("$mark")) x 1000) . ']}');
kept_out('among ten thousand',
         '{"x":[' . join(',', (qq("$mark")) x 10_000) . ']}');
kept_out('beyond a maximum of one', '{"x":["' . $mark . '","' . $mark{gif}
         . '","' . $mark . '"]}', uri => "/few$chat");
kept_out('beneath a minimum', qq({"x":"$mark"}), uri => "/large$chat");
kept_out('on another path', qq({"x":"$mark"}), uri => '/front/any/path');
kept_out('on no path', qq({"x":"$mark"}), uri => '/front/');
kept_out('with an argument', qq({"x":"$mark"}), uri => "/front$chat?a=b");

for my $depth (10, 500, 511, 513, 600, 5000) {
    my ($open, $close) = ('[' x $depth, ']' x $depth);
    kept_out("beside a depth of $depth", qq({"d":$open$close,"x":"$mark"}));
    kept_out("before a depth of $depth", qq({"x":"$mark","d":$open$close}));
    kept_out("at a depth of $depth", qq({"d":$open"$mark"$close}));
}

kept_out('behind two lists of messages', '{"messages":[],"messages":[],"x":"'
         . $mark . '"}');
kept_out('in the second of two lists', '{"messages":[],"messages":[{"role":"user",'
         . qq("content":"$mark"}]}));
kept_out('in a member that comes twice', qq({"x":"$mark","x":"$mark"}));
kept_out('in a name of its own', qq({"":"$mark"}));
kept_out('behind a byte order mark', qq(\xef\xbb\xbf{"x":"$mark"}));
kept_out('behind white space', qq( \n\t{ "x" :\n"$mark" }\n));
kept_out('in gzip', gzip_of(qq({"x":"$mark"})),
         headers => ['Content-Encoding' => 'gzip']);
kept_out("of the type $_", qq({"x":"$mark"}), headers => ['Content-Type' => $_])
    for 'application/json; charset=utf-8', 'APPLICATION/JSON', 'text/json',
        'application/vnd.a+json';

for my $at ('front/model/sees/converse', 'front/v1/messages') {
    my $res = kept_out("in a signed request to $at", qq({"x":"$mark"}),
        uri => "/$at", headers => ['Authorization' => 'AWS4-HMAC-SHA256 Cred'
        . 'ential=a/b/c/d/e, SignedHeaders=host, Signature=00']);
    is($res->status, 400, "$at: is refused");
}

# in pieces, at each byte

for my $step (1, 7, 100) {
    my $body = qq({"x":"$mark","y":"$mark{webp}"});
    for my $at ('front', 'slow') {
        my $conn = $t->connect;
        $conn->send("POST /$at$chat HTTP/1.1\r\nHost: x\r\n"
                    . "Content-Type: application/json\r\n"
                    . "Transfer-Encoding: chunked\r\n\r\n"
                    . join('', map { sprintf "%x\r\n%s\r\n", length, $_ }
                               $body =~ /.{1,$step}/gs) . "0\r\n\r\n");
        my $res = $conn->response('POST');
        is($res->status, 200, "$at, $step bytes at a time");
        ok(index($res->body, $mark) < 0 && index($res->body, $mark{webp}) < 0,
           "$at, $step bytes at a time: do not pass");
    }
}

# what a client sent is put back, as its own few bytes

my $res = standin_post($t, "/all$chat", qq({"x":["$mark","$mark{mp3}"]}));
is($res->body, qq({"x":["$mark","$mark{mp3}"]}), 'a client\'s own bytes arrive');

# and of the stand-in of such a one there may be another

my $front = standin_post($t, "/front$chat", qq({"x":"$mark"}))->body;
isnt($front, qq({"x":"$mark"}), 'it has a stand-in');
$res = standin_post($t, "/all$chat", $front);
is($res->body, $front, 'which is a client\'s own bytes again');

$echo->stop;
$t->finish;
