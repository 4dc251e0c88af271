#!/usr/bin/perl

# The instruction to declare artifacts, in requests to models' APIs: what
# arrives at the upstream.

use strict;
use warnings;
use utf8;

use Compress::Zlib qw(memGzip);
use FindBin;
use JSON::PP;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;
use MIME::Base64 qw(decode_base64 encode_base64);

my $SAYS = <<'TEXT';
When you complete your task, include an <artifacts> block at the end of your final response
listing any meaningful outputs you produced. Format:

<artifacts>
[
  { "type": "image", "url": "https://...", "title": "描述" },
  { "type": "text", "content": "...", "format": "markdown" },
  { "type": "table", "title": "...", "headers": ["col1"], "rows": [["val1"]] },
  { "type": "file", "name": "filename.ts", "path": "/path/to/file" }
]
</artifacts>

Rules:
- Only include artifacts that are actual deliverables (generated images, created files, analysis results)
- Do NOT include intermediate tool outputs (file reads, grep results) as artifacts
- If your task has no meaningful artifacts, omit the <artifacts> block entirely
- The JSON inside must be valid
TEXT
chomp $SAYS;

my $t = ArtifactTest->new;

my $png = png(40, 40);
$t->artifact('shot', $png, { mimeType => 'image/png', name => 'shot.png' });

# The body comes back, and the header as it was, in X-Head.

my $echo = ArtifactUpstream->echo($t->prefix . '/echo');

my $pass = 'proxy_pass http://unix:' . $t->prefix . '/echo:;';

$t->start(server => <<"SERVER");
    artifact_root %%DATA%%;
    client_max_body_size 64m;

    location /artifacts/ {
        internal;
        artifact;
    }
    location /v1/ {
        artifact_prompt on;
        $pass
    }
    location /both/ {
        artifact_prompt on;
        artifact_expand on;
        client_body_buffer_size 1k;
        $pass
    }
    location /en/ {
        artifact_prompt on;
        artifact_language en;
        $pass
    }
    location /mistral/ {
        artifact_prompt on;
        artifact_format mistral;
        $pass
    }
    location /small/ {
        artifact_prompt on;
        artifact_body_max 8k;
        $pass
    }
    location /off/ {
        artifact_expand on;
        $pass
    }
SERVER


sub ask {
    my ($body, %opt) = @_;
    return $t->req($opt{method} // 'POST', $opt{uri} // '/v1/chat/completions',
        body => $body, headers => ['Content-Type' => $opt{type}
            // 'application/json', @{ $opt{headers} || [] }]);
}


# What stands for \@ in a body that is wanted.

my $json = JSON::PP->new->allow_nonref->canonical;
my $inside = bytes(substr $json->encode($SAYS), 1, -1);

sub becomes {
    my ($uri, $body, $want, $name, %opt) = @_;
    (my $full = $want // $body) =~ s/\@/$inside/;
    is(ask($body, uri => $uri, %opt)->{body}, $full, "$uri: $name");
}


# the place of each API, by the path

for my $at (qw(/v1/ /both/)) {
    becomes($at . 'chat/completions',
        '{"model":"m", "x": 2e70,"messages":[{"role":"developer","content":'
        . '"Be \u4e2d brief"},{"role":"user","content":"Hi"}] }',
        '{"model":"m", "x": 2e70,"messages":[{"role":"developer","content":'
        . '"Be \u4e2d brief\n\n@"},{"role":"user","content":"Hi"}] }',
        'behind the system text');
    becomes($at . 'chat/completions', '{"messages":[{"role":"user"}]}',
        '{"messages":[{"role":"system","content":"@"},{"role":"user"}]}',
        'without one');
    becomes($at . 'responses', '{"input":"x"}',
        '{"input":"x","instructions":"@"}', 'instructions');
    becomes($at . 'messages/count_tokens',
        '{"system":[{"type":"text","text":"A"}],"messages":[]}',
        '{"system":[{"type":"text","text":"A"},{"type":"text","text":'
        . '"\n\n@"}],"messages":[]}', 'an array, counted');
    becomes($at . 'models/g:streamGenerateContent', '{"contents":[]}',
        '{"contents":[],"systemInstruction":{"parts":[{"text":"@"}]}}',
        'an object');
    becomes($at . 'model/x/converse', '{"messages":[]}',
        '{"messages":[],"system":[{"text":"@"}]}', 'a list');
    becomes($at . 'model/x/invoke', '{"messages":[]}', undef,
        'no known API');
    becomes($at . 'model/x/invoke', '{"anthropic_version":"b","system":null}',
        '{"anthropic_version":"b","system":"@"}', 'known by the version');
}
becomes('/mistral/x', '{"messages":[{"role":"system","content":""}]}',
    '{"messages":[{"role":"system","content":"@"}]}', 'by the directive');

# in English

like(ask('{"system":"A"}', uri => '/en/messages')->{body},
     qr/"title\\": \\"description\\" \}/, 'in English');

# where it does not belong

becomes('/v1/messages', '{"system":"Write <artifacts>."}', undef, 'is there');
becomes('/v1/chat/completions', '{"messages":[],"response_format":'
    . '{"type":"json_object"}}', undef, 'JSON is asked for');
becomes('/v1/models/g:generateContent', '{"generationConfig":'
    . '{"responseMimeType":"application/json"}}', undef, 'so it is');
becomes('/v1/messages', '{"system":"A"', undef, 'no JSON');
becomes('/v1/messages', '{"a":' . '[' x 600 . ']' x 600 . '}', undef, 'deep');
becomes('/v1/other', '{"system":"A"}', undef, 'no API');
becomes('/off/messages', '{"system":"A"}', undef, 'off');
becomes('/v1/messages', '{"system":"A"}', undef, 'no media type of JSON',
        type => 'text/plain');
becomes('/v1/messages', '{"system":"A"}', undef, 'another method',
        method => 'PUT');

# once: what has it stays

my $first = ask('{"system":"A","messages":[]}', uri => '/v1/messages')->{body};
becomes('/v1/messages', $first, undef, 'has it already');

# the same bytes each turn: what providers cache stays the prefix

my $turns = '{"messages":[{"role":"system","content":"A"}';
my $before = '';
for my $turn (1 .. 4) {
    $turns .= qq(,{"role":"user","content":"$turn"});
    my $body = ask($turns . ']}')->{body};
    is(substr($body, 0, length $before), $before, "turn $turn: a prefix");
    $before = substr $body, 0, -2;
}

# with references, whose slots are before and behind

my $url = 'data:image/png;base64,' . b64($png);
my $parts = '[{"type":"image_url","image_url":{"url":"%s"}}]';
becomes('/both/chat/completions', sprintf(
    '{"messages":[{"role":"user","content":' . $parts . '}]}',
    'artifact:shot'), sprintf(
    '{"messages":[{"role":"system","content":"@"},{"role":"user","content":'
    . $parts . '}]}', $url), 'with a reference');

# compressed, large, and what is refused

my $body = '{"system":"' . 'A' x 3_000_000 . '"}';
(my $want = $body) =~ s/"\}$/\\n\\n$inside"}/;
for my $at (qw(/v1/ /both/)) {
    ok(ask($body, uri => $at . 'messages')->{body} eq $want,
       "$at: megabytes of system text");
    my $res = ask(memGzip($body), uri => $at . 'messages',
                  headers => ['Content-Encoding' => 'gzip']);
    ok($res->{body} eq $want, "$at: compressed");
    unlike(decode_base64($res->header('X-Head')), qr/^Content-Encoding/mi,
           "$at: plain now");
    my $length = length $want;
    like(decode_base64($res->header('X-Head')),
         qr/^Content-Length: $length\r?$/m, "$at: its length");
}
my $tagged = memGzip('{"system":"<artifacts>"}');
is(ask($tagged, uri => '/v1/messages', headers => ['Content-Encoding' =>
       'gzip'])->{body}, $tagged, 'what is not edited stays compressed');
my @signed = (headers => [Authorization => 'AWS4-HMAC-SHA256 Credential=x']);
my $res = ask('{"messages":[]}', uri => '/v1/model/x/converse', @signed);
is($res->{status}, 400, 'signed');
is(json_of($res)->{error}{code}, 'signed_request', 'which is told');
$res = ask('{"outputConfig":{}}', uri => '/v1/model/x/converse', @signed);
is($res->{body}, '{"outputConfig":{}}', 'signed, but not edited');
$res = ask('{"system":"' . 'A' x 10_000 . '"}', uri => '/small/messages');
is($res->{status}, 413, 'too large');
is(json_of($res)->{error}{code}, 'request_too_large', 'which is told, too');

$echo->stop;
$t->finish;
