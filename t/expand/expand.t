#!/usr/bin/perl

# References in requests to models' APIs: what arrives at the upstream.

use strict;
use warnings;
use utf8;

use Compress::Zlib qw(compress memGzip);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactJSON;
use ArtifactTest;
use ArtifactUpstream;
use MIME::Base64 qw(decode_base64);

my $t = ArtifactTest->new;

my $png = png(40, 40);
my $pdf = pdf();
my $text = bytes("第一行\n\"second\"\n");
my $url = 'data:image/png;base64,' . b64($png);

$t->artifact('shot', $png, { mimeType => 'image/png', name => 'shot.png' });
$t->artifact('doc', $pdf, { mimeType => 'application/pdf', name => 'r.pdf' });
$t->artifact('log', $text, { mimeType => 'text/plain', name => 'a.log' });
$t->artifact('big', $png . "\0" x 3_000_000,
             { mimeType => 'image/png', name => 'b.png' });

spew($t->prefix . '/map.json', encode_json_bytes({ services => [
    map { { id => $_->[0], provider => 'openai', model => $_->[0],
            capabilities => { input => $_->[1] } } }
    ['sees', ['text', 'vision']], ['reads', ['text']],
    ['all', ['text', 'vision', 'file', 'pdf', 'audio']],
] }));

my $echo = ArtifactUpstream->echo($t->prefix . '/echo');

my $pass = 'proxy_pass http://unix:' . $t->prefix . '/echo:;';

$t->start(server => <<"SERVER", http => <<'HTTP');
    artifact_root %%DATA%%;
    artifact_language en;
    client_max_body_size 64m;

    location /artifacts/ {
        internal;
        artifact;
    }
    location /broken/ {
        internal;
        return 500;
    }
    location /v1/ {
        artifact_expand on;
        $pass
    }
    location /small/ {
        artifact_expand on;
        client_body_buffer_size 1k;
        sendfile on;
        $pass
    }
    location /few/ {
        artifact_expand on;
        artifact_refs_max 2;
        artifact_body_max 8k;
        $pass
    }
    location /fails/ {
        artifact_expand on;
        artifact_source /broken/;
        $pass
    }
    location /off/ {
        $pass
    }
SERVER
    artifact_capabilities %%PREFIX%%/map.json;
HTTP


sub ask {
    my ($body, %opt) = @_;
    return $t->req('POST', $opt{uri} // '/v1/chat/completions', body => $body,
        headers => ['Content-Type' => $opt{type} // 'application/json',
                    @{ $opt{headers} || [] }]);
}


sub arrived {
    my ($res) = @_;
    return decode_base64($res->header('X-Head') // '');
}


sub chat {
    my ($model, @parts) = @_;
    return '{"model":"' . $model . '", "x": 2e70,"messages":[{"role":"user",'
        . '"content":[' . join(',', @parts) . ']}] }';
}


my $TEXT = '{"type":"text","text":"caf\u00e9"}';
my $IMAGE = '{"type":"image_url","image_url":{"url":"artifact:shot",'
    . '"detail":"low"}}';

for my $at (qw(/v1/ /small/)) {
    my $uri = $at . 'chat/completions';

    # a model that sees

    my $res = ask(chat('sees', $TEXT, $IMAGE), uri => $uri);
    (my $want = chat('sees', $TEXT, $IMAGE)) =~ s/artifact:shot/$url/;
    is($res->{body}, $want, "$at: one value has changed");
    my $length = length $want;
    like(arrived($res), qr/^Content-Length: $length\r?$/m, "$at: its length");

    # one that does not

    $res = ask(chat('reads', $TEXT, $IMAGE), uri => $uri);
    my $part = json_of($res)->{messages}[0]{content}[1];
    is($part->{type}, 'text', "$at: words for a model that reads");
    like($part->{text}, qr/shot\.png.*artifact:shot/s, "$at: with its name");
    unlike($res->{body}, qr/base64/, "$at: and no base64");

    # texts, in any slot; twice the same; one that is missing

    $res = ask(chat('reads', map { qq({"type":"artifact","artifact":"$_"}) }
        qw(artifact:log artifact:log artifact:none artifact:../x)),
        uri => $uri);
    my @parts = @{ json_of($res)->{messages}[0]{content} };
    is(bytes($parts[0]{text}), $text, "$at: a text");
    is(bytes($parts[1]{text}), $text, "$at: once more");
    like($parts[$_]{text}, qr/artifact:/, "$at: missing, $_") for 2, 3;

    # prose that begins as a reference

    for my $prose ('artifact:log is stored', 'artifact:none\n',
                   bytes('artifact:log　已保存'))
    {
        $want = chat('sees', $TEXT) =~ s/"messages":\[/"messages":[{"role":/r
            =~ s/"role":\{/"role":"tool","content":"$prose"},{/r;
        is(ask($want, uri => $uri)->{body}, $want, "$at: prose stays: $prose");
    }

    # what the client has put there itself, and no API takes

    my $zip = b64(zip_of(a => 'x' x 3000));
    my $own = '{"type":"file","file":{"filename":"a.zip","file_data":'
        . qq("data:application/zip;base64,$zip"}});
    $res = ask(chat('all', $own), uri => $uri);
    $part = json_of($res)->{messages}[0]{content}[0];
    is($part->{type}, 'text', "$at: a ZIP becomes words");
    like($part->{text}, qr/a\.zip\nType: ZIP archive\nSize: \d.*does not take/s,
         "$at: which say what it was");
    is(ask(chat('new', $own), uri => $uri)->{body}, chat('new', $own),
       "$at: but stays for a model that is not known");

    # large

    my $large = b64($png . "\0" x 3_000_000);
    $res = ask(chat('sees', $TEXT, $IMAGE =~ s/shot/big/r, $IMAGE,
                    $IMAGE =~ s/shot/big/r), uri => $uri);
    $want = chat('sees', $TEXT, $IMAGE =~ s/shot/big/r, $IMAGE,
                 $IMAGE =~ s/shot/big/r);
    $want =~ s/artifact:shot/$url/;
    $want =~ s/artifact:big/data:image\/png;base64,$large/g;
    ok($res->{body} eq $want, "$at: megabytes, twice");
}

# what stays the bytes that it was

for my $body (chat('sees', $TEXT), '{"model":"sees","messages":[]}', '[1,',
              '{"a":1,"a":2}', chat('sees', '{"type":"text","text":'
                  . '"see artifact:shot"}'), "\x{ef}\x{bb}\x{bf}{}",
              '[' x 600 . ']' x 600)
{
    my $res = ask($body);
    is($res->{body}, $body, 'untouched: ' . substr $body, 0, 30);
}
for my $body (chat('sees', $IMAGE)) {
    is(ask($body, type => 'text/plain')->{body}, $body, 'no JSON');
    is(ask($body, uri => '/v1/other')->{body}, $body, 'no API');
    is(ask($body, uri => '/off/chat/completions')->{body}, $body, 'off');
}

# compressed

my $body = chat('sees', $TEXT, $IMAGE);
(my $want = $body) =~ s/artifact:shot/$url/;
for (['gzip', memGzip($body)], ['x-gzip', memGzip(substr $body, 0, 30)
                                . memGzip(substr $body, 30)],
     ['deflate', compress($body)], ['deflate', substr compress($body), 2, -4],
     ['identity', $body])
{
    my ($coding, $bytes) = @$_;
    my $res = ask($bytes, headers => ['Content-Encoding' => $coding]);
    is($res->{body}, $want, "$coding, " . length $bytes);
    unlike(arrived($res), qr/^Content-Encoding/mi, "$coding: plain now");
}
my $plain = chat('sees', $TEXT);
my $res = ask(memGzip($plain), headers => ['Content-Encoding' => 'gzip']);
is($res->{body}, memGzip($plain), 'gzip that is not edited');
like(arrived($res), qr/^Content-Encoding: gzip/mi, 'goes on as it came');

# errors

sub refused {
    my ($res, $status, $code, $param, $name) = @_;
    my $data = eval { json_of($res) } || {};
    is($res->{status}, $status, "$name: $status");
    is($data->{type}, 'error', "$name: the form");
    is($data->{error}{code}, $code, "$name: $code");
    is($data->{error}{param}, $param, "$name: which");
}

refused(ask("\x1f\x8b junk", headers => ['Content-Encoding' => 'gzip']),
        400, 'invalid_encoding', undef, 'junk');
refused(ask(substr(memGzip($body), 0, -20),
            headers => ['Content-Encoding' => 'gzip']),
        400, 'invalid_encoding', undef, 'cut');
my $res415 = ask('x', headers => ['Content-Encoding' => 'br']);
refused($res415, 415, 'unsupported_encoding', undef, 'br');
like($res415->header('Accept-Encoding'), qr/gzip/, 'br: what is taken');
refused(ask(chat('sees', ($IMAGE) x 3), uri => '/few/chat/completions'),
        413, 'too_many_artifacts', undef, 'three');
refused(ask(chat('sees', ($TEXT) x 1000), uri => '/few/chat/completions'),
        413, 'request_too_large', undef, 'long');
refused(ask(memGzip(' ' x 1_000_000), uri => '/few/chat/completions',
            headers => ['Content-Encoding' => 'gzip']),
        413, 'request_too_large', undef, 'a bomb');
refused(ask(chat('sees', $IMAGE), uri => '/fails/chat/completions'),
        502, 'source_failed', 'artifact:shot', 'a source that fails');
refused(ask(chat('sees', $IMAGE), headers => [Authorization =>
            'AWS4-HMAC-SHA256 Credential=x']),
        400, 'signed_request', undef, 'signed');
is(ask($plain, headers => [Authorization => 'AWS4-HMAC-SHA256 Credential=x'])
   ->{body}, $plain, 'signed, not edited');

# the form of each API

my %form = (
    '/v1/responses' => ['{"model":"sees","input":[{"role":"user","content":['
        . '{"type":"input_image","image_url":"artifact:shot"}]}]}',
        '"image_url":"' . $url],
    '/v1/messages' => ['{"model":"sees","messages":[{"role":"user","content":'
        . '[{"type":"image","source":{"type":"url","url":"artifact:shot"}}]}]}',
        '"media_type":"image/png"'],
    '/v1/models/sees:generateContent' => ['{"contents":[{"role":"user","parts"'
        . ':[{"fileData":{"fileUri":"artifact:shot"}}]}]}',
        '"inlineData":'],
    '/v1/model/sees/converse' => ['{"messages":[{"role":"user","content":['
        . '{"image":{"format":"png","source":{"s3Location":{"uri":'
        . '"artifact:shot"}}}}]}]}', '"bytes":"' . b64($png)],
);
for my $uri (sort keys %form) {
    my ($request, $part) = @{ $form{$uri} };
    my $res = ask($request, uri => $uri);
    ok(eval { json_of($res) }, "$uri: JSON");
    like($res->{body}, qr/\Q$part\E/, "$uri: its form");
    like($res->{body}, qr/\Q@{[ substr b64($png), 0, 200 ]}\E/,
         "$uri: the bytes");
}

$echo->stop;
$t->finish;
