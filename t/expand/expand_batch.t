#!/usr/bin/perl

# Batches: each request in one is expanded for its own model, with its own
# limits; only "artifact_body_max" is the body's.

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
my $data = b64($png);
my $large = 'x' x 60_000;

$t->artifact('shot', $png, { mimeType => 'image/png', name => 's.png' });
$t->artifact('note', "a note\n", { mimeType => 'text/plain', name => 'n.txt' });
$t->artifact('long', $large, { mimeType => 'text/plain', name => 'l.txt' });

my $echo = ArtifactUpstream->echo("$dir/echo");

$t->file('map.json', { services => [
    { id => 'reads', model => 'reads', capabilities => { input => ['text'] } },
    { id => 'sees', model => 'sees',
      capabilities => { input => ['text', 'vision'] } },
    { id => 'one', model => 'one', maxMedia => 1,
      capabilities => { input => ['text', 'vision'] } },
] });

$t->start(http => <<'HTTP', server => <<"SERVER");
    artifact_capabilities %%PREFIX%%/map.json;
    artifact_root %%DATA%%;
    artifact_language en;
    artifact_refs_max 2;
    client_max_body_size 1m;
HTTP
    location /artifacts/ { internal; artifact; }
    location / {
        artifact_expand on;
        artifact_prompt on;
        artifact_body_max 128k;
        add_header X-Refs \$artifact_refs;
        add_header X-Model \$artifact_model;
        proxy_pass http://unix:$dir/echo:;
    }
    location /accepts/ {
        artifact_expand on;
        artifact_accept text;
        proxy_pass http://unix:$dir/echo:;
    }
SERVER

my $ref = '{"type":"image","source":{"type":"url","url":"artifact:shot"}}';
my $part = '{"type":"image","source":{"type":"base64","media_type":"image/png",'
    . qq("data":"$data"}});

sub params {
    my ($model, @parts) = @_;
    return qq({"custom_id":"c-$model","params":{"max_tokens":9,"messages":[)
        . '{"role":"user","content":[' . join(',', @parts)
        . qq(]}],"model":"$model"}});
}

sub batch {
    return '{ "requests": [' . join(', ', @_) . '] }';
}

sub sent {
    my ($path, $body) = @_;
    return $t->req('POST', $path, body => $body,
                   headers => ['Content-Type' => 'application/json']);
}

my $PATH = '/v1/messages/batches';


# --- readers

my $res = sent($PATH, batch(params('sees', $ref), params('reads', $ref),
                            params('strange', $ref)));
is($res->{status}, 200, 'a batch');
my ($sees, $reads, $strange) = map { $_->{params}{messages}[0]{content}[0] }
    @{ decode_strict($res->{body})->{requests} };
is($sees->{source}{data}, $data, 'a model that sees gets the image');
like($reads->{text}, qr/\A\[Unreadable\] s\.png/, 'one that reads gets words');
is($strange->{source}{data}, $data, 'one that no map has gets the image');
is($res->header('X-Refs'), 3, 'references of all are counted');
is($res->header('X-Model'), undef, 'the body names no model');

is(sent($PATH, batch(params('sees', $ref), params('sees', $ref)))->{body},
   batch(params('sees', $part), params('sees', $part)),
   'all else stays, and no instruction is added');

$res = sent("/accepts$PATH", batch(params('sees', $ref)));
like($res->{body}, qr/\[Unreadable\] s\.png/,
     'artifact_accept is for all of them');

my $own = batch(params('sees', $part), params('strange', $part));
is(sent($PATH, $own)->{body}, $own, "the client's own media stay");
$res = sent($PATH, batch(params('sees', $part), params('reads', $part)));
is(() = $res->{body} =~ /\Q$data\E/g, 1, 'but for a model that reads');


# --- limits

$res = sent($PATH, batch(map { params('sees', $ref, $ref) } 1 .. 5));
is($res->{status}, 200, 'two references of each request');
is(() = $res->{body} =~ /\Q$data\E/g, 10, 'become parts');
$res = sent($PATH, batch(params('sees', $ref), params('sees', ($ref) x 3)));
is($res->{status}, 413, 'three of one are too many');
is(decode_strict($res->{body})->{error}{code}, 'too_many_artifacts',
   'as the error says');

$res = sent($PATH, batch(params('one', $ref, $ref), params('one', $ref)));
is(() = $res->{body} =~ /\Q$data\E/g, 2, 'a limit of media is that of each');

my $text = '{"type":"artifact","artifact":"artifact:long"}';
is(sent($PATH, batch(params('sees', $text)))->{status}, 200, 'a long text');
$res = sent($PATH, batch(map { params('sees', $text) } 1 .. 3));
is($res->{status}, 413, 'three of them are too large for the body');
is(decode_strict($res->{body})->{error}{code}, 'request_too_large',
   'as the error says');


# --- Gemini

my $file = '{"fileData":{"fileUri":"artifact:shot"}}';
my $inline = qq({"inlineData":{"mimeType":"image/png","data":"$data"}});

sub gemini {
    my ($input, @requests) = @_;
    return qq({"batch":{"displayName":"d","$input":{"requests":{"requests":[)
        . join(',', @requests) . ']}}}}';
}

sub content {
    my ($model, $part) = @_;
    return qq({"request":{"contents":[{"parts":[$part]}])
        . ($model ? qq(,"model":"$model") : '') . '},"metadata":{"key":"k"}}';
}

for my $input ('inputConfig', 'input_config') {
    my $path = '/v1beta/models/sees:batchGenerateContent';
    is(sent($path, gemini($input, content('', $file),
                          content('models/sees', $file)))->{body},
       gemini($input, content('', $inline), content('models/sees', $inline)),
       "$input: the path has the model");
    my $body = sent($path, gemini($input, content('', $file),
                                  content('models/reads', $file)))->{body};
    is(() = $body =~ /inlineData/g, 1, "$input: or the request itself");
    like($body, qr/"text":"\[Unreadable\] s\.png/, 'which gets words');
}


# --- hostile bodies

for my $body ('{"requests":[]}', '{"requests":{}}', '{"requests":null}',
              '{"requests":[1,"a",[],{}]}', '{"requests":[{"params":[]}]}',
              '{"requests":[{"params":{}}]}', '{"requests":[{"params":{'
              . qq("messages":[{"role":"user","content":[$ref]}])) {
    is(sent($PATH, $body)->{body}, $body, "$body passes");
}

my $mixed = qq({"messages":[{"role":"user","content":[$ref]}],)
    . '"requests":[' . params('sees', $ref) . ']}';
is(sent($PATH, $mixed)->{body}, $mixed, 'messages beside a batch');

$t->finish;
