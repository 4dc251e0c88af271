#!/usr/bin/perl

# Paths that carry histories and pictures without asking for an answer in words:
# references are expanded there as anywhere, no instruction is added, and what
# has to be a picture and is none is refused.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactJSON;
use ArtifactTest;
use ArtifactUpstream;

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $png = png(40, 30);
my $file = '019a0b1c2d3e7f408123456789abcdef';
my $uuid = '019a0b1c-2d3e-7f40-8123-456789abcdef';
my $url = 'data:image/png;base64,' . b64($png);

$t->artifact('shot', $png, { mimeType => 'image/png', name => 's.png' });
$t->artifact($uuid, $png, { mimeType => 'image/png', name => 'u.png' });
$t->artifact('note', "a note\n", { mimeType => 'text/plain', name => 'n.txt' });

my $echo = ArtifactUpstream->echo("$dir/echo");

$t->file('map.json', { services => [
    { id => 'reads', model => 'reads', capabilities => { input => ['text'] } },
    { id => 'sees', model => 'sees',
      capabilities => { input => ['text', 'vision'] } },
] });

$t->start(http => <<'HTTP', server => <<"SERVER");
    artifact_capabilities %%PREFIX%%/map.json;
    artifact_root %%DATA%%;
    artifact_language en;
HTTP
    proxy_pass_request_headers on;
    location /artifacts/ { internal; artifact; }
    location / {
        artifact_expand on;
        artifact_prompt on;
        add_header X-Api \$artifact_api;
        add_header X-Refs \$artifact_refs;
        add_header X-Model \$artifact_model;
        proxy_pass http://unix:$dir/echo:;
    }
    location /named/ {
        artifact_expand on;
        artifact_prompt on;
        artifact_format openai_responses;
        proxy_pass http://unix:$dir/echo:;
    }
    location /routed/ {
        artifact_expand on;
        artifact_format openrouter;
        proxy_pass http://unix:$dir/echo:;
    }
    location /prompt/ {
        artifact_prompt on;
        proxy_pass http://unix:$dir/echo:;
    }
SERVER

sub sent {
    my ($path, $body) = @_;
    return $t->req('POST', $path, body => $body,
                   headers => ['Content-Type' => 'application/json']);
}


# --- histories

my $image = qq({"type":"input_image","detail":"low","image_url":"%s"});
my $item = qq({"type":"message","role":"user","content":[$image]});
my $from = sprintf $item, 'artifact:shot';
my $to = sprintf $item, $url;

for my $case (
    ['/v1/responses/compact', '{"model":"sees", "input":[%s]}'],
    ['/v1/conversations', '{"metadata":{"a":"b"},"items":[%s]}'],
    ['/v1/conversations/', '{"items":[%s]}'],
    ['/v1/conversations/conv_1/items', '{"items":[%s]}'],
    ['/v1/conversations/conv_1/items?include=x', '{"items":[%s]}'],
    ['/named/v1/conversations', '{"items":[%s]}'],
    ['/named/v1/responses/compact', '{"input":[%s],"instructions":"i"}'],
) {
    my ($path, $body) = @$case;
    my $res = sent($path, sprintf $body, $from);
    is($res->{status}, 200, "$path: 200");
    is($res->{body}, (sprintf $body, $to), "$path: nothing else changes");
}

my $res = sent('/v1/responses/compact',
               sprintf '{"model":"reads","input":[%s]}', $from);
like($res->{body}, qr/\[Unreadable\] s\.png/, 'a model that reads gets words');
is($res->header('X-Api'), 'openai_responses', 'the API of a history');
is($res->header('X-Model'), 'reads', 'and the model');

# an empty conversation, a change of its metadata, an item of it

for my $case (['/v1/conversations', '{}'],
              ['/v1/conversations', '{"items":[]}'],
              ['/v1/conversations/conv_1', '{"metadata":{}}'],
              ['/v1/conversations/conv_1', qq({"items":[$from]})],
              ['/v1/items', qq({"items":[$from]})],
              ['/prompt/v1/conversations', qq({"items":[$from]})],
              ['/prompt/v1/responses/compact', qq({"input":[$from]})]) {
    my ($path, $body) = @$case;
    is(sent($path, $body)->{body}, $body, "$path: $body passes");
}

like(sent('/v1/responses', '{"model":"sees","input":"x"}')->{body},
     qr/artifacts>/, 'an answer in words is asked for an instruction');


# --- pictures that are edited

for my $path ('/v1/images/edits', '/routed/v1/images/edits/',
              '/openai/deployments/d/images/edits?api-version=1') {
    my $body = '{"model":"reads","prompt":"artifact:shot","n":1, "images":['
        . '{"image_url":"%s"},{%s}],"mask":{%s},"image":"%s"}';
    my $res = sent($path, sprintf $body, 'artifact:shot',
                   qq("file_id":"file-art-$file"),
                   '"file_id":"artifact:shot"', 'artifact:shot');
    is($res->{status}, 200, "$path: 200");
    is($res->{body}, (sprintf $body, $url, qq("image_url":"$url"),
                      qq("image_url":"$url"), $url),
       "$path: references are pictures, whatever the model reads");
}

$res = sent('/v1/images/edits', '{"model":"m","image":"artifact:shot"}');
is($res->header('X-Api'), 'images', 'the API of edits');
is($res->header('X-Refs'), 1, 'and the number of references');
is($res->header('X-Model'), 'm', 'and the model');

my $own = qq({"images":[{"image_url":"$url"},{"file_id":"file-abc"}],)
    . '"mask":{"image_url":"https://example.com/m.png"}}';
is(sent('/v1/images/edits', $own)->{body}, $own, 'own pictures stay');

my $wrong = $url =~ s{image/png}{image/jpeg}r;
my $cut = substr $wrong, 0, 200;
my $page = 'data:image/png;base64,' . b64('<!DOCTYPE html><p>error</p>');
my $both = '{"model":"reads","images":[{"image_url":"%s"},{"image_url":"' . $cut
    . '"},{"image_url":"' . $page . '"}],"mask":{"image_url":"%s"}}';
is(sent('/v1/images/edits', sprintf $both, $wrong, b64($png))->{body},
   (sprintf $both, $url, $url),
   'they get the right type; what is no picture stays, without words for it');

for my $path ('/v1/images/generations', '/v1/images/variations') {
    my $body = '{"image":"artifact:shot"}';
    is(sent($path, $body)->{body}, $body, "$path has none");
}

my $mask = '{"model":"reads","input":"x","instructions":"<artifacts>","tools":['
    . '{"type":"image_generation","input_image_mask":{%s}}]}';
is(sent('/v1/responses', sprintf $mask, '"file_id":"artifact:shot"')->{body},
   (sprintf $mask, qq("image_url":"$url")), 'the mask of a tool');
is(sent('/v1/responses', sprintf $mask, qq("image_url":"$wrong"))->{body},
   (sprintf $mask, qq("image_url":"$url")), 'and the right type of an own one');


# --- what is no picture

for my $case (['/v1/images/edits', '{"images":[{"image_url":"%s"}]}'],
              ['/v1/images/edits', '{"image":"%s"}'],
              ['/v1/images/edits', '{"mask":{"file_id":"%s"}}'],
              ['/v1/responses', sprintf $mask, '"image_url":"%s"']) {
    my ($path, $body) = @$case;

    for my $ref ('artifact:note', 'artifact:gone', 'artifact:a/b') {
        my $res = sent($path, sprintf $body, $ref);
        is($res->{status}, 400, "$path, $ref: 400");
        my $error = decode_strict($res->{body})->{error};
        is("$error->{code} $error->{param} $error->{type}",
           "invalid_artifact_id $ref invalid_request_error",
           'with the code and the reference');
    }
}

$t->finish;
