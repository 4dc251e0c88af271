#!/usr/bin/perl

# Base64 in upstream answers becomes artifacts, and references stand in its
# place: every form, however the answer comes.

use strict;
use warnings;
use utf8;

use Compress::Zlib qw(memGzip);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream qw(read_request);
use ArtifactWrite qw(left_behind);
use MIME::Base64 qw(decode_base64 encode_base64);

my $t = ArtifactTest->new;

my $URL = 'https://files.example.com/artifacts/';
my $png = png(60, 60);
my $own = png(61, 61);
my $wav = wav() . rand_bytes(5000);
my $large = png(40, 40) . rand_bytes(600_000);
my $pcm = "\x01\xff\x03\x00" x 2000;


sub images {
    return '{"created": 1,"data":[' . join(', ', map {
        '{"b64_json":"' . $_ . '", "revised_prompt":"\u00e9"}' } @_)
        . '],"usage":{"x":1e0}}';
}

sub chat {
    my ($url, $in) = @_;
    return '{"choices":[{"index":0,"' . ($in // 'message')
        . '":{"content":"","images":[{"type":"image_url","image_url":{"url":"'
        . $url . '"}}]}}]}';
}

sub parts {
    my ($data, $type) = @_;
    return '{"candidates":[{"content":{"parts":[{"text":"x"},{"inlineData":'
        . '{"mimeType":"' . $type . '","data":"' . $data . '"}}]}}]}';
}

sub tool {
    return '{"jsonrpc":"2.0","id":1,"result":{"content":['
        . join(',', @_) . ']}}';
}

my $partial = 'event: image_generation.partial_image' . "\n" . 'data: '
    . '{"type":"image_generation.partial_image","b64_json":"' . b64($png)
    . '"}' . "\n\n";
my $completed = 'event: image_generation.completed' . "\n" . 'data: '
    . '{"type":"image_generation.completed","b64_json":"%s","usage":{}}'
    . "\n\n";

my %content = (
    'v1/images/generations' => { body => images(b64($png), b64($large)),
        type => 'application/json', headers => ['ETag: "x"',
        'Content-MD5: abc', 'Digest: abc', 'X-Other: y',
        'Last-Modified: Mon, 01 Jan 2024 00:00:00 GMT'] },
    'own/images/generations' => { type => 'application/json',
        body => images(b64($own)) },
    'v1/images/edits' => { body => $partial . sprintf($completed, b64($large))
        . "data: [DONE]\n\n", type => 'text/event-stream' },
    'v1/chat/completions' => { type => 'application/json; charset=utf-8',
        body => chat('data:image/png;base64,' . b64($png)) },
    's/chat/completions' => { type => 'text/event-stream',
        body => ": x\n\ndata: " . chat('data:image/png;base64,' . b64($png),
            'delta') . "\n\ndata: [DONE]\n\n" },
    'v1/m:generateContent' => { type => 'application/json',
        body => parts(b64($png), 'image/jpeg') },
    'v1/m:streamGenerateContent' => { type => 'text/event-stream',
        body => 'data: ' . parts(b64($pcm), 'audio/L16;codec=pcm;rate=24000')
            . "\r\n\r\ndata: " . parts(b64($png), 'image/png') . "\r\n\r\n" },
    'mcp' => { type => 'application/json', body => tool(
        '{"type":"image","data":"' . b64($png) . '","mimeType":"image/png",'
            . '"annotations":{"priority":1}}',
        '{"type":"audio","mimeType":"audio/wav","data":"' . b64($wav) . '"}',
        '{"type":"resource","resource":{"uri":"file:///r","mimeType":'
            . '"image/png","blob":"' . b64($png) . '"},"_meta":{"a":1}}',
        '{"type":"text","text":"' . b64($png) . '"}') },
    'order/mcp' => { type => 'application/json', body => tool(
        '{"data":"' . b64($large) . '","mimeType":"image/png","type":"chart"}',
        '{"data":"' . b64($pcm) . '","_meta":{"type":"image"},'
            . '"type":"audio","mimeType":"audio/L16;rate=24000"}',
        '{"resource":{"blob":"' . b64($png) . '","uri":"file:///r"},'
            . '"type":"link"}') },
    'x/images/variations' => { type => 'application/json',
        body => images('A' x 4096, 'A' x 4095) },
    'wrapped/images/variations' => { type => 'application/json',
        body => images(
            encode_base64($png) =~ s/\n/\\r\\n/gr,
            b64($png) =~ s{/}{\\/}gr, b64($png) =~ s/=+$//r,
            b64($png) =~ tr{+/}{-_}r) },
    'url/images/variations' => { type => 'application/json',
        body => images(map { "$_," . b64($png) } 'data:image/png;base64',
            'DATA:image\\/jpeg;base64', 'data:;base64') },
    'url/mcp' => { type => 'application/json', body => tool(
        '{"type":"image","mimeType":"image/webp","data":"data:image/jpeg;'
            . 'base64,' . b64($png) . '"}',
        '{"type":"audio","data":"data:audio/L16;rate=24000;base64,'
            . b64($pcm) . '","mimeType":"audio/wav"}',
        '{"type":"resource","resource":{"blob":"data:image/png;base64,'
            . b64($png) . '","uri":"file:///r"}}',
        '{"type":"image","mimeType":"image/png","data":"data:image/png,'
            . b64($png) . '"}') },
    'bad/images/variations' => { type => 'application/json',
        body => images(b64($large) . '!!', b64($png)) },
    'coded/images/variations' => { type => 'application/json',
        headers => ['Content-Encoding: gzip'],
        body => memGzip(images(b64($png))) },
    'text/images/variations' => { type => 'text/plain',
        body => images(b64($png)) },
    'v1/responses' => { type => 'application/json', body => '{"output":[{'
        . '"type":"image_generation_call","result":"' . b64($png) . '"}]}' },
    'v1/other' => { type => 'application/json', body => images(b64($png)) },
);

my $up = ArtifactUpstream->new($t->prefix . "/up",
                               contents => \%content);
my $echo = ArtifactUpstream->echo($t->prefix . '/echo');

# Events one by one: the second is sent when the client has seen the first.

my $turns = ArtifactUpstream->new($t->prefix . '/turns', serve => sub {
    my ($sock) = @_;

    my ($head) = read_request($sock) or return;
    syswrite $sock, "HTTP/1.1 200 OK\r\nConnection: close\r\n"
        . "Content-Type: text/event-stream\r\n\r\ndata: {\"one\":1}\n\n";
    my $seen = 0;
    for (1 .. 200) {
        last if $seen = -e $t->prefix . '/seen';
        select undef, undef, undef, 0.05;
    }
    syswrite $sock, 'data: {"two":' . ($seen ? 2 : 0) . "}\n\n";
});

my $pass = 'proxy_pass http://unix:' . $t->prefix . '/up:/;';
my $back = 'proxy_pass http://unix:' . $t->prefix . '/echo:;';

spew($t->prefix . "/map.json", encode_json_bytes({ services => [
    { id => "sees", provider => "openai", model => "sees",
      capabilities => { input => ["text", "vision"] } } ] }));

$t->start(server => <<"SERVER", http => <<'HTTP');
    artifact_root %%DATA%%;
    artifact_url $URL;
    artifact_offload_min 4k;
    client_max_body_size 64m;

    location /artifacts/ {
        artifact;
    }
    location /inline/ {
        artifact_offload on;
        $pass
    }
    location /threads/ {
        artifact_offload on;
        aio threads;
        proxy_buffering off;
        client_body_buffer_size 1k;
        $pass
    }
    location /inline-link/ {
        artifact_offload link;
        $pass
    }
    location /threads-link/ {
        artifact_offload link;
        aio threads;
        client_body_buffer_size 1k;
        $pass
    }
    location /plain/ {
        artifact_offload on;
        artifact_url "";
        artifact_agent agent-1;
        artifact_message_id m-1;
        gzip on;
        gzip_types application/json;
        $pass
    }
    location /high/ {
        artifact_offload on;
        artifact_offload_min 64m;
        $pass
    }
    location /router/ {
        artifact_offload on;
        artifact_format openrouter;
        $pass
    }
    location /off/ {
        $pass
    }
    location /changed/ {
        artifact_offload on;
        sub_filter ~~~ x;
        sub_filter_types *;
        $pass
    }
    location /turns/ {
        artifact_offload on;
        proxy_pass http://unix:%%PREFIX%%/turns:;
    }
    location /v1/ {
        artifact_expand on;
        $back
    }
SERVER
    artifact_capabilities %%PREFIX%%/map.json;
HTTP


sub ask {
    my ($uri, @headers) = @_;
    return $t->req('GET', $uri, headers => \@headers);
}


# The content and the metadata of what a URL refers to.

sub stored {
    my ($url) = @_;
    my ($id) = $url =~ m{\A(?:\Q$URL\E|artifact:)([0-9a-f-]{36})\z}
        or return ('no reference: ' . substr($url, 0, 60), {});
    return ($t->get("/artifacts/$id")->{body},
            json_of($t->get("/artifacts/$id/metadata")));
}


sub is_stored {
    my ($url, $bytes, $type, $name) = @_;
    my ($content, $meta) = stored($url);
    ok($content eq $bytes, "$name: the bytes")
        or diag(substr $content, 0, 100);
    is($meta->{type} // $meta->{mimeType}, $type, "$name: the type");
}


sub size_of { return sprintf '%.1f KB', length($_[0]) / 1024 }


my @ways = ('', map { "?$_" } 'frame=chunked', 'frame=close',
            'frame=chunked&step=1000', 'step=4096');

for my $at (qw(/inline/ /threads/)) {
    for my $way (@ways) {
        my $res = ask($at . 'v1/images/generations' . $way);
        my @url = $res->{body} =~ /"url":"([^"]+)"/g;
        is($res->{body} =~ s/"url":"[^"]+"/"b64_json":"?"/gr,
           images('?', '?'), "$at$way: two images");
        is_stored($url[0], $png, 'image/png', "$at$way first");
        is_stored($url[1], $large, 'image/png', "$at$way second");

        $res = ask($at . 'v1/images/edits' . $way);
        (my $url) = $res->{body} =~ /"url":"([^"]+)"/;
        is($res->{body} =~ s/"url":"[^"]+"/"b64_json":"?"/gr,
           $partial . sprintf($completed, '?') . "data: [DONE]\n\n",
           "$at$way: an event");
        is_stored($url, $large, 'image/png', "$at$way event");
    }

    my $res = ask($at . 'v1/images/generations');
    is($res->header('ETag'), undef, "$at: no tag of another body");
    is($res->header('Content-MD5'), undef, "$at: no digest");
    is($res->header('Digest'), undef, "$at: none of any name");
    is($res->header('X-Other'), 'y', "$at: other headers");
    like($res->header('Content-Type'), qr{^application/json}, "$at: the type");

    # chat

    for my $uri ('v1/chat/completions', 's/chat/completions') {
        $res = ask($at . $uri);
        my ($url) = $res->{body} =~ /"url":"([^"]+)"/;
        is_stored($url, $png, 'image/png', "$at$uri");
        is($res->{body} =~ s/"url":"[^"]+"/"url":"?"/r,
           $content{$uri}{body} =~ s/"url":"[^"]+"/"url":"?"/r,
           "$at$uri: all else");
    }

    # Gemini: the type is the content's; what has no signature has the declared

    $res = ask($at . 'v1/m:generateContent');
    my $part = json_of($res)->{candidates}[0]{content}{parts}[1];
    is_deeply([sort keys %$part], ['fileData'], "$at: file data");
    is($part->{fileData}{mimeType}, 'image/png', "$at: of its type");
    is_stored($part->{fileData}{fileUri}, $png, 'image/png', "$at gemini");

    $res = ask($at . 'v1/m:streamGenerateContent');
    my @events = map { decode_strict(s/^data: //r) }
        grep { length } split /\r\n\r\n/, $res->{body};
    my @data = map { $_->{candidates}[0]{content}{parts}[1]{fileData} } @events;
    is($data[0]{mimeType}, 'audio/L16;codec=pcm;rate=24000',
       "$at: samples without a signature");
    is_stored($data[0]{fileUri}, $pcm, 'audio/L16;codec=pcm;rate=24000',
              "$at samples");
    is_stored($data[1]{fileUri}, $png, 'image/png', "$at second event");

    # MCP: texts with markers

    $res = ask($at . 'mcp');
    my @part = @{ json_of($res)->{result}{content} };
    my ($id) = $part[0]{text} =~ /^\[artifact:([0-9a-f-]{36})\]/;
    my $size = size_of($png);
    is_deeply($part[0], { type => 'text',
        text => "[artifact:$id] image/png, $size",
        annotations => { priority => 1 } }, "$at: an image is a text");
    is_stored("artifact:$id", $png, 'image/png', "$at: the image");
    like($part[1]{text}, qr{^\[artifact:[0-9a-f-]{36}\] audio/wav, \S+ KB$},
         "$at: audio is one");
    is_deeply($part[2], { type => 'text',
        text => "[artifact:$id] image/png, $size", _meta => { a => 1 } },
        "$at: so is a resource, of the same artifact");

    $res = ask($at . 'order/mcp');
    @part = @{ json_of($res)->{result}{content} };
    ($id) = $part[1]{text} =~ /^\[artifact:([0-9a-f-]{36})\]/;
    is_deeply($part[1], { type => 'text',
        text => "[artifact:$id] audio/L16;rate=24000, 7.8 KB",
        _meta => { type => 'image' } }, "$at: audio whose type comes last");
    is_stored("artifact:$id", $pcm, 'audio/L16;rate=24000', "$at: samples");

    # links

    (my $link = $at) =~ s{/$}{-link/};
    $res = ask($link . 'mcp');
    @part = @{ json_of($res)->{result}{content} };
    ($id) = $part[0]{uri} =~ m{([^/]+)$};
    is_deeply($part[0], { type => 'resource_link', uri => $URL . $id,
        name => "$id.png", mimeType => 'image/png', size => length $png,
        annotations => { priority => 1 } }, "$at: an image is a link");
    is_stored($part[0]{uri}, $png, 'image/png', "$at image");
    is($part[1]{type}, 'resource_link', "$at: audio is one");
    is($part[1]{mimeType}, 'audio/wav', "$at: with its type");
    is_stored($part[1]{uri}, $wav, 'audio/wav', "$at audio");
    ($id) = $part[2]{uri} =~ m{([^/]+)$};
    is_deeply($part[2], { type => 'resource_link', uri => $URL . $id,
        name => "$id.png", mimeType => 'image/png', size => length $png,
        _meta => { a => 1 } }, "$at: so is a resource");
    is_stored($part[2]{uri}, $png, 'image/png', "$at resource");
    is($part[3]{text}, b64($png), "$at: a text stays");

    # its members in another order: what tells what the data are comes last

    $res = ask($link . 'order/mcp');
    @part = @{ json_of($res)->{result}{content} };
    ($id) = $part[1]{uri} =~ m{([^/]+)$};
    is_deeply($part[1], { type => 'resource_link', uri => $URL . $id,
        name => $id, mimeType => 'audio/L16;rate=24000', size => length $pcm,
        _meta => { type => 'image' } }, "$at: audio whose type comes last");
    is_stored($part[1]{uri}, $pcm, 'audio/L16;rate=24000', "$at samples");
    ok($res->{body} =~ s/\{"uri":.*?"\}(?=,\{"res)/?/r
       eq $content{'order/mcp'}{body} =~ s/(?<=,)\{"data".*?"\}(?=,\{"res)/?/r,
       "$at: data of another type stay, byte for byte");

    # any spelling of base64; the least length; what is none

    $res = ask($at . 'wrapped/images/variations');
    my @url = $res->{body} =~ /"url":"([^"]+)"/g;
    is(scalar @url, 4, "$at: lines, escapes, no padding, URL-safe");
    is_stored($_, $png, 'image/png', "$at spelling") for @url;

    # a data URL where base64 is meant

    $res = ask($at . 'url/images/variations');
    @url = $res->{body} =~ /"url":"([^"]+)"/g;
    is(scalar @url, 3, "$at: data URLs");
    is_stored($_, $png, 'image/png', "$at data URL") for @url;

    $res = ask($link . 'url/mcp');
    @part = @{ json_of($res)->{result}{content} };
    is_stored($part[0]{uri}, $png, 'image/png', "$at data URL of an image");
    is_stored($part[1]{uri}, $pcm, 'audio/L16;rate=24000',
              "$at data URL of samples");
    is_stored($part[2]{resource}{uri} // $part[2]{uri}, $png, 'image/png',
              "$at data URL of a resource");
    is($part[3]{data}, 'data:image/png,' . b64($png),
       "$at: a data URL without base64 stays");

    $res = ask($at . 'url/mcp');
    is_deeply([map { $_->{text} =~ s/:[0-9a-f-]{36}//r }
               @{ json_of($res)->{result}{content} }[0, 1, 2]],
              ["[artifact] image/png, @{[ size_of($png) ]}",
               "[artifact] audio/L16;rate=24000, @{[ size_of($pcm) ]}",
               "[artifact] image/png, @{[ size_of($png) ]}"],
              "$at: texts with markers");

    $res = ask($at . 'x/images/variations');
    like($res->{body}, qr/"url":"[^"]+"/, "$at: as long as it has to be");
    like($res->{body}, qr/"b64_json":"A{4095}"/, "$at: one less stays");

    $res = ask($at . 'bad/images/variations');
    ok(index($res->{body}, '"b64_json":"' . b64($large) . '!!"') > 0,
       "$at: no base64 stays");
    my ($url) = $res->{body} =~ /"url":"([^"]+)"/;
    is_stored($url, $png, 'image/png', "$at behind it");

    # what stays as it is

    for my $uri ('coded/images/variations', 'text/images/variations',
                 'v1/responses', 'v1/other') {
        ok(ask($at . $uri)->{body} eq $content{$uri}{body},
           "$at$uri: stays");
    }
    $res = $t->req('HEAD', $at . 'v1/images/generations');
    is($res->{status}, 200, "$at: HEAD");
    is($res->header('Content-Length'), undef, "$at: HEAD: no length");
}

ok($t->wait_for(qr/\[warn\].*base64.*not sound/), 'no base64: a warning');
ok($t->wait_for(qr/\[warn\].*encoded/), 'encoded: a warning');

# a format instead of the path, but for images; high limits; off

my $res = ask('/router/v1/other');
is($res->{body}, $content{'v1/other'}{body}, 'the format decides');
$res = ask('/router/v1/images/generations');
like($res->{body}, qr/"url":/, 'but not for images');
for my $uri ('v1/images/generations', 'mcp', 'v1/chat/completions') {
    ok(ask("/high/$uri")->{body} eq $content{$uri}{body}, "high: $uri stays");
    ok(ask("/off/$uri")->{body} eq $content{$uri}{body}, "off: $uri stays");
}

# references without a URL; whose they are; and nginx compresses the answer

$res = ask('/plain/own/images/generations');
my ($ref) = $res->{body} =~ /"url":"(artifact:[^"]+)"/;
is_stored($ref, $own, 'image/png', 'a reference');
my (undef, $meta) = stored($ref);
is($meta->{agentId}, 'agent-1', 'with its agent');
is($meta->{messageId}, 'm-1', 'and its message');
$res = ask('/plain/v1/chat/completions', 'Accept-Encoding' => 'gzip');
is($res->header('Content-Encoding'), 'gzip', 'the answer is compressed');
my ($asked) = grep { m{chat/completions} } reverse $up->requests_in_full;
unlike($asked, qr/Accept-Encoding/i, 'but not by the upstream');
ask('/off/v1/chat/completions', 'Accept-Encoding' => 'gzip');
($asked) = grep { m{chat/completions} } reverse $up->requests_in_full;
like($asked, qr/Accept-Encoding/i, 'which is asked for it elsewhere');

# another filter that changes the answer drops its date

$res = ask('/changed/v1/images/generations');
like($res->{body}, qr/"url":/, 'two filters change an answer');
is($res->header('Last-Modified'), undef, 'which has no date then');

# the circle: what the model made goes back to it as bytes

$res = ask('/inline/v1/chat/completions');
my ($url) = $res->{body} =~ /"url":"([^"]+)"/;
$res = $t->req('POST', '/v1/chat/completions',
    headers => ['Content-Type' => 'application/json'],
    body => '{"model":"sees","messages":[{"role":"user","content":[{"type":'
        . '"image_url","image_url":{"url":"' . $url . '"}}]}]}');
is($res->{body}, '{"model":"sees","messages":[{"role":"user","content":[{'
    . '"type":"image_url","image_url":{"url":"data:image/png;base64,'
    . b64($png) . '"}}]}]}', 'the circle closes');

# events pass as they come

my $client = $t->connect(timeout => 20);
$client->send("GET /turns/chat/completions HTTP/1.0\r\n\r\n");
my $came = '';
$client->response('GET', on_body => sub {
    $came .= $_[0];
    spew($t->prefix . '/seen', '') if $came =~ /one/;
});
is($came, "data: {\"one\":1}\n\ndata: {\"two\":2}\n\n", 'events as they come');

is(left_behind($t), '', 'no temporary file is left');

$turns->stop;
$up->stop;
$echo->stop;
$t->finish;
