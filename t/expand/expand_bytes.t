#!/usr/bin/perl

# What does not have to change stays the bytes that it was, and the same request
# becomes the same bytes.

use strict;
use warnings;

use Compress::Zlib qw(deflateInit);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactEcho;
use ArtifactFixtures;
use ArtifactTest;

my $t = ArtifactTest->new;
my $png = png(30, 30);
my $url = 'data:image/png;base64,' . b64($png);

$t->artifact('shot', $png, { mimeType => 'image/png', name => 's.png' });
$t->artifact("shot$_", $png, { mimeType => 'image/png' }) for 2, 3;
$t->artifact('log', "a line\n", { mimeType => 'text/plain',
                                  name => 'l.txt' });
$t->file('map.json', { services => [
    map { { id => $_->[0], provider => 'openai', model => $_->[0],
            capabilities => { input => $_->[1] } } }
    ['sees', ['text', 'vision']], ['reads', ['text']],
] });

my $echo = echo($t->prefix . '/echo');
my %conf = (http => 'artifact_capabilities %%PREFIX%%/map.json;',
            server => <<"SERVER");
    artifact_root %%DATA%%;
    client_max_body_size 64m;
    location /artifacts/ { internal; artifact; }
    location /small/ {
        artifact_expand on;
        artifact_body_max @{[int(2.5 * length $url)]};
        proxy_pass http://unix:@{[$t->prefix]}/echo:;
    }
    location / {
        artifact_expand on;
        proxy_pass http://unix:@{[$t->prefix]}/echo:;
    }
SERVER
$t->start(%conf);

sub ask {
    my ($body, $uri, @headers) = @_;
    return $t->req('POST', $uri // '/v1/chat/completions', body => $body,
        headers => ['Content-Type' => 'application/json', @headers]);
}

sub becomes {
    my ($body, $want, $name, $uri) = @_;
    my $res = ask($body, $uri);
    is($res->{body}, $want, $name);
    like($res->header('X-Head'), qr/(?:^|\|)Content-Length: @{[length $want]}\|/,
         "$name: its length");
}

my $part = '{ "type":"image_url" ,"image_url":{"detail":"low","url":"%s"}}';
my $messages = '"messages":[{"role":"user","content":[%s]}]';

# odd JSON, with one reference and with none

my %odd = (
    'line feeds and tabs' => "{\r\n\t%s  ,\n \"x\" : [ 1 , 2 ]\n}\n\n",
    'numbers' => '{"a":1180591620717411303424,"b":-0,"c":1E+2,"d":1.0000000,'
        . '"e":0.1e-400,%s,"f":12345678901234567890123456789}',
    'keys that come twice' => '{"x":1,"x":{"x":2,"x":3},%s,"x":4}',
    'escapes' => '{"\u00e9":"\u00E9\/\b\ud83d\ude00\ud800","x":"\u0061",%s}',
    'the keys of parts, escaped' => '{"tools":[{"\u0074ype":"x"}],%s}',
    'no space' => '{%s}',
    'much before' => '{"x":"' . 'y' x 70_000 . '",%s}',
    'much behind' => '{%s,"x":[' . join(',', 1 .. 20_000) . ']}',
    'Chinese' => "{\"x\":\"\xe4\xb8\xad\xe6\x96\x87\",%s}",
    'a mark' => "\xef\xbb\xbf{%s}",
    'invalid UTF-8' => "{\"x\":\"\xff\xc0\x80\xed\xa0\x80\",%s}",
    'the delete character' => "{\"x\":\"\x7f\",%s}",
);
for my $name (sort keys %odd) {
    my ($body, $want) = map {
        sprintf $odd{$name}, sprintf $messages, sprintf $part, $_
    } 'artifact:shot', $url;
    becomes($body, $want, $name);
    becomes($want, $want, "$name, no reference");
}

# the reference itself, in other spellings

for my $spelling ('\u0061rtifact:shot', 'artifact\u003ashot',
                  '\u0061\u0072\u0074\u0069\u0066\u0061\u0063\u0074:shot')
{
    my ($body, $want) = map {
        sprintf "{$messages}", sprintf $part, $_ } $spelling, $url;
    becomes($body, $want, $spelling);
}

# where the model stands

my $words;
for my $case (['first', '"model":"reads",%s'], ['last', '%s,"model":"reads"'],
              ['twice', '"model":"sees",%s,"model":"reads"'],
              ['far behind', '%s,"x":"' . 'y' x 200_000
               . '","model":"reads"'],
              ['escaped', '%s,"mod\u0065l":"re\u0061ds"'])
{
    my $res = ask('{' . sprintf($case->[1], sprintf $messages,
                  sprintf $part, 'artifact:shot') . '}');
    my ($text) = $res->{body} =~ /"content":\[(\{.*?\})\]/s;
    $words //= $text;
    is($text, $words, "the model is $case->[0]");
    unlike($text, qr/base64/, "$case->[0]: it does not see");
}
for my $model ('reads', 'sees') {
    my $res = ask('{"contents":[{"role":"user","parts":[{"fileData":{"fileUri"'
        . ':"artifact:shot"}}]}]}', "/v1beta/models/$model:generateContent");
    is(scalar($res->{body} =~ /inlineData/), $model eq 'sees' ? 1 : '',
       "the path has $model");
    $res = ask('{' . sprintf($messages, sprintf $part, 'artifact:shot') . '}',
        "/openai/deployments/$model/chat/completions?api-version=1");
    is(scalar($res->{body} =~ /base64/), $model eq 'sees' ? 1 : '',
       "the deployment is $model");
}

# the same again, also after a restart; as chunks, and compressed

my $body = '{"model":"sees",' . sprintf($messages, join ',', map {
    sprintf $part, $_ } qw(artifact:shot artifact:log artifact:none
                           artifact:../x artifact:shot)) . '}';
my $first = ask($body)->{body};
is(ask($body)->{body}, $first, 'the same again');
is(ask(gzip_of($body), undef, 'Content-Encoding' => 'gzip')->{body}, $first,
   'compressed');
my ($z) = deflateInit(-Level => 1);
my ($large, $want) = map {
    '{"x":"' . 'y' x 30_000_000 . '",'
    . sprintf($messages, sprintf $part, $_) . '}' } 'artifact:shot', $url;
ok(ask($z->deflate($large) . $z->flush, undef, 'Content-Encoding' =>
       'deflate')->{body} eq $want, 'pieces that become megabytes');
my $conn = $t->connect;
$conn->send("POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n"
    . "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    . join('', map { sprintf "%x\r\n%s\r\n", length, $_ } split //, $body)
    . "0\r\n\r\n");
is($conn->response('POST')->{body}, $first, 'as chunks of one byte');
$conn->close;
$t->stop;
$t->start(%conf);
is(ask($body)->{body}, $first, 'after a restart');

# a body that is made while sources answer is the one that is made afterwards,
# as it is where a reference comes twice, or media have to go

for my $case (
    ['/v1/messages', '{"model":"sees","messages":[{"role":"user","content":[%s'
     . ']}]}', '{"type":"text","text":"t"}',
     map({ my $ref = $_; map { s/REF/$ref/r } '{"type":"artifact","artifact":'
         . '"REF","cache_control":{"type":"ephemeral"}}',
         '{"type":"image","cache_control":{} ,"source":{"type":"url","url":'
         . '"REF"}, "x":1}', '{"type":"document","source":{"type":"file",'
         . '"file_id":"REF"},"title":"t"}' } qw(artifact:shot artifact:log
         artifact:none artifact:../x))],
    ['/v1/model/sees/converse', '{"messages":[{"role":"user","content":[%s]}]}',
     '{"text":"t"}', map({ qq({"artifact":"$_"}) } qw(artifact:log artifact:no
     artifact:shot)), '{"image":{"format":"gif","source":{"s3Location":{"uri":'
     . '"artifact:shot2"}}}}', '{"image":{"source":{"bytes":"AAAA"},'
     . '"format":"png"}}'])
{
    my ($uri, $form, @parts) = @$case;
    my %seen;
    my @once = grep { !/artifact:(\w+)/ || !$seen{$1}++ } @parts;
    my @got = map { ask(sprintf($form, join ' , ', @$_), $uri)->{body} }
        \@once, [@once, $once[1], $once[-1]];
    my $behind = length((split /%s/, $form)[1]);
    ok(json_of({ body => $_ }), "$uri: JSON") for @got;
    is(substr($got[1], 0, length($got[0]) - $behind),
       substr($got[0], 0, -$behind), "$uri: the same, twice");
}
my @turns = map { sprintf '{"role":"user","content":[%s]}',
                  sprintf $part, $_ } qw(artifact:shot artifact:shot2
                                         artifact:shot3);
my $res = ask('{"messages":[' . join(',', @turns) . '],"model":"sees"}',
              '/small/chat/completions');
my @left = map { $_->{content}[0]{type} } @{ json_of($res)->{messages} };
is(join(' ', @left), 'text text image_url', 'the oldest have to go, in steps');
like($res->{body}, qr/\Q@{[sprintf $part, $url]}\E/, 'the last one stays');

# what is not for us goes on as it came

for my $type ('text/plain', 'application/x-ndjson', 'multipart/form-data',
              'application/json-seq')
{
    my $res = $t->req('POST', '/v1/chat/completions', body => $body,
                      headers => ['Content-Type' => $type]);
    is($res->{body}, $body, $type);
}
for my $type ('text/json', 'APPLICATION/JSON; charset=UTF-8',
              'application/vnd.x+json')
{
    my $res = $t->req('POST', '/v1/chat/completions/', body => $body,
                      headers => ['Content-Type' => $type]);
    is($res->{body}, $first, $type);
}
is($t->req('PUT', '/v1/chat/completions', body => $body, headers =>
           ['Content-Type' => 'application/json'])->{body}, $body, 'PUT');

$echo->stop;
$t->finish;
