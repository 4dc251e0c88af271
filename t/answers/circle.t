#!/usr/bin/perl

# All that is done to requests and answers in one location: a reference goes in,
# a stream with an image and declared artifacts comes back, and the reference
# that stands for that image goes in again.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream qw(read_request send_answer);

my $t = ArtifactTest->new;

my $URL = 'https://files.example.com/artifacts/';
my $shot = png(20, 20);
my $made = png(90, 90);
my $item = '{"type":"image","url":"https://example.com/a.png","title":"A"}';

$t->artifact('shot', $shot, { mimeType => 'image/png', name => 'shot.png' });
spew($t->prefix . '/map.json', encode_json_bytes({ services => [
    { id => 'sees', provider => 'openai', model => 'sees',
      capabilities => { input => ['text', 'vision'] } } ] }));

sub event {
    my ($delta, $finish) = @_;
    return 'data: {"id":"c","object":"chat.completion.chunk","created":1,'
        . '"model":"sees","choices":[{"index":0,"delta":' . $delta
        . ',"finish_reason":' . ($finish ? "\"$finish\"" : 'null')
        . '}]}' . "\n\n";
}

# What the model's API answers, and what of it is to come.

my @text = ('See \u003', 'c/b> <art', 'ifacts>[' . ($item =~ s/"/\\"/gr),
            ']</artifacts> done');
my $image = '{"images":[{"type":"image_url","image_url":{"url":"%s"}}]}';
my $stream = join '', event('{"role":"assistant","content":""}'),
    (map { event("{\"content\":\"$_\"}") } @text),
    event(sprintf $image, 'data:image/png;base64,' . b64($made)),
    event('{}', 'stop'), "data: [DONE]\n\n";

my $api = ArtifactUpstream->new($t->prefix . '/api', serve => sub {
    my ($sock) = @_;

    my ($head, $body) = read_request($sock) or return;

    spew($t->prefix . '/request', $body);
    my ($step) = $head =~ m{^POST /(\d+)/};

    send_answer($sock, "HTTP/1.1 200 OK\r\nConnection: close\r\n"
        . "Content-Type: text/event-stream\r\n\r\n$stream", $step);
});

my $all = 'artifact_expand on; artifact_prompt on; artifact_offload on; '
    . 'artifact_offload_min 1k; artifact_format openrouter; proxy_pass '
    . 'http://unix:' . $t->prefix . '/api:/;';

$t->start(server => <<"SERVER", http => <<'HTTP');
    artifact_root %%DATA%%;
    artifact_url $URL;

    location /artifacts/ {
        artifact;
    }
    location /strip/ {
        artifact_extract strip;
        $all
    }
    location /on/ {
        artifact_extract on;
        aio threads;
        $all
    }
    location /tiny/ {
        artifact_extract strip;
        proxy_buffer_size 1k;
        output_buffers 1 64;
        $all
    }
SERVER
    artifact_capabilities %%PREFIX%%/map.json;
HTTP

sub chat {
    my ($uri, $ref) = @_;
    return $t->req('POST', $uri, headers => ['Content-Type' =>
        'application/json'], body => '{"model":"sees","stream":true,"messages":'
        . '[{"role":"user","content":[{"type":"image_url","image_url":{"url":"'
        . $ref . '"}}]}]}');
}

for my $case (['strip', 65536], ['strip', 1], ['on', 7], ['tiny', 100]) {
    my ($where, $step) = @$case;
    my $uri = "/$where/$step/chat/completions";
    my $name = "$where, $step bytes at a time";

    my $res = chat($uri, 'artifact:shot');
    my $request = slurp($t->prefix . '/request');

    like($request, qr/;base64,\Q${\ b64($shot)}\E"/, "$name: expanded");
    like($request, qr/"role":"system","content":"[^"]*<artifacts>/,
         "$name: with the instruction");

    my ($url) = $res->body =~ /"url":"\Q$URL\E([^"]+)"/;
    my $want = $stream;
    $want =~ s{data:image/png;base64,[^"]+}{$URL$url};
    $want =~ s/("finish_reason":"stop"\}\])\}/$1,"artifacts":[$item]}/;

    if ($where ne 'on') {
        $want =~ s/<art"/"/;
        $want =~ s/"ifacts>\[.*?\}"\}/""}/;
        $want =~ s/\]<\/artifacts> done/ done/;
    }

    is($res->body, $want, "$name: the stream");
    is($t->get("/artifacts/$url")->body, $made, "$name: the artifact");

    chat($uri, "$URL$url");
    like(slurp($t->prefix . '/request'), qr/;base64,\Q${\ b64($made)}\E"/,
         "$name: and back");
}

$api->stop;
$t->finish;
