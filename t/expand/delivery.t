#!/usr/bin/perl

# Media by URL: in each slot of each API, what goes by its URL and what inline.
# A provider that fetches each URL has the bytes, and the type that was decided
# on, whatever was declared.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactEcho;
use ArtifactFixtures;
use ArtifactTest;

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $prefix = "http://127.0.0.1:@{[$t->port]}/public/";

my %content = (
    shot => [png(12, 9), 'image/png', 'shot.png'],
    wrong => [jpeg(12, 9), 'image/png', 'wrong.png'],
    none => [gif(), 'application/octet-stream', 'none'],
    report => [pdf(), 'application/pdf', 'report.pdf'],
    letter => [docx(), 'application/zip', 'letter.docx'],
    song => [mp3(), 'audio/mpeg', 'song.mp3'],
    film => [mp4(), 'video/mp4', 'film.mp4'],
    note => ["a note\n", 'text/plain', 'note.txt'],
);
my %mime = (shot => 'image/png', wrong => 'image/jpeg', none => 'image/gif',
            report => 'application/pdf');

$t->artifacts(\%content);

my $echo = echo("$dir/echo");

$t->start(server => <<"SERVER");
    artifact_root %%DATA%%;
    artifact_accept "text,vision,audio,video,file,pdf";
    artifact_url $prefix;
    artifact_language en;

    location /artifacts/ { internal; artifact; }
    location /public/    { artifact; }
    location / {
        artifact_expand on;
        artifact_delivery url;
        artifact_format \$arg_format;
        proxy_pass http://unix:$dir/echo:;
    }
    location /inline/ {
        artifact_expand on;
        artifact_format \$arg_format;
        proxy_pass http://unix:$dir/echo:;
    }
SERVER

sub url { return "$prefix$_[0]" }
sub data { return "data:$mime{$_[0]};base64," . b64($content{$_[0]}[0]) }
sub raw { return b64($content{$_[0]}[0]) }

sub sent {
    my ($uri, $body) = @_;
    my $res = $t->req('POST', $uri, headers => [
        'Content-Type' => 'application/json'], body => $body);
    is($res->status, 200, "$uri: 200") or diag $res->body;
    return $res->body;
}

my %path = (
    openai => '/v1/chat/completions',
    openrouter => '/v1/chat/completions?format=openrouter',
    mistral => '/v1/chat/completions?format=mistral',
    responses => '/v1/responses',
    anthropic => '/v1/messages',
    gemini => '/v1beta/models/gemini-2.5-flash:generateContent',
    gemini3 => '/v1beta/models/gemini-3-pro-preview:generateContent',
    gemini2 => '/v1beta/models/gemini-2.0-flash:generateContent',
    bedrock => '/model/us.amazon.nova-pro-v1%3A0/converse',
    vertex => '/v1/projects/p/models/claude-sonnet-4@20250514:rawPredict',
    invoke => '/model/anthropic.claude-sonnet-4/invoke',
);

# API, a part, what it becomes; both are in a user's message.

my @parts = (
    # OpenAI: images only

    [openai => '{"type":"image_url","image_url":{"url":"artifact:shot","detail":"low"}}',
     '{"type":"image_url","image_url":{"url":"' . url('shot') . '","detail":"low"}}'],
    [openai => '{"type":"artifact","artifact":"artifact:wrong","cache_control":{"a":1}}',
     '{"type":"image_url","image_url":{"url":"' . url('wrong') . '"},"cache_control":{"a":1}}'],
    [openai => '{"type":"file","file":{"file_id":"artifact:shot"}}',
     '{"type":"image_url","image_url":{"url":"' . url('shot') . '"}}'],
    [openai => '{"type":"file","file":{"file_id":"artifact:report"}}',
     '{"type":"file","file":{"file_data":"' . data('report') . '","filename":"report.pdf"}}'],
    [openai => '{"type":"image_url","image_url":{"url":"artifact:note"}}',
     '{"type":"text","text":"a note\n"}'],
    [openai => '{"type":"image_url","image_url":{"url":"' . url('shot') . '?exp=1&sig=x"}}',
     '{"type":"image_url","image_url":{"url":"' . url('shot') . '"}}'],
    [openai => '{"type":"image_url","image_url":{"url":"' . data('shot') . '"}}',
     '{"type":"image_url","image_url":{"url":"' . data('shot') . '"}}'],

    # OpenRouter: images and PDFs

    [openrouter => '{"type":"image_url","image_url":{"url":"artifact:none"}}',
     '{"type":"image_url","image_url":{"url":"' . url('none') . '"}}'],
    [openrouter => '{"type":"file","file":{"filename":"r.pdf","file_data":"artifact:report"}}',
     '{"type":"file","file":{"filename":"r.pdf","file_data":"' . url('report') . '"}}'],
    [openrouter => '{"type":"file","file":{"file_id":"artifact:report"}}',
     '{"type":"file","file":{"file_data":"' . url('report') . '","filename":"report.pdf"}}'],
    [openrouter => '{"type":"artifact","artifact":"artifact:report"}',
     '{"type":"file","file":{"filename":"report.pdf","file_data":"' . url('report') . '"}}'],
    [openrouter => '{"type":"video_url","video_url":{"url":"artifact:film"}}',
     '{"type":"video_url","video_url":{"url":"data:video/mp4;base64,' . raw('film') . '"}}'],

    # Mistral: images and documents

    [mistral => '{"type":"image_url","image_url":"artifact:shot"}',
     '{"type":"image_url","image_url":"' . url('shot') . '"}'],
    [mistral => '{"type":"image_url","image_url":{"url":"artifact:shot","detail":"high"}}',
     '{"type":"image_url","image_url":{"url":"' . url('shot') . '","detail":"high"}}'],
    [mistral => '{"type":"document_url","document_url":"artifact:report","document_name":"x"}',
     '{"type":"document_url","document_url":"' . url('report') . '","document_name":"x"}'],
    [mistral => '{"type":"file","file_id":"artifact:report"}',
     '{"type":"document_url","document_url":"' . url('report') . '","document_name":"report.pdf"}'],
    [mistral => '{"type":"input_audio","input_audio":"artifact:song"}',
     '{"type":"input_audio","input_audio":"' . raw('song') . '"}'],

    # Responses: a file's name must not be beside its URL

    [responses => '{"type":"input_image","detail":"low","image_url":"artifact:shot"}',
     '{"type":"input_image","detail":"low","image_url":"' . url('shot') . '"}'],
    [responses => '{"type":"input_image","file_id":"artifact:shot","detail":"low"}',
     '{"type":"input_image","image_url":"' . url('shot') . '","detail":"low"}'],
    [responses => '{"type":"input_file","file_id":"artifact:report"}',
     '{"type":"input_file","file_url":"' . url('report') . '"}'],
    [responses => '{"type":"input_file","file_url":"artifact:letter","detail":"low"}',
     '{"type":"input_file","file_url":"' . url('letter') . '","detail":"low"}'],
    [responses => '{"type":"input_file","file_data":"artifact:report"}',
     '{"type":"input_file","file_url":"' . url('report') . '"}'],
    [responses => '{"type":"input_file","filename":"a.pdf","file_data":"artifact:report"}',
     '{"type":"input_file","file_url":"' . url('report') . '"}'],
    [responses => '{"type":"artifact","artifact":"artifact:report"}',
     '{"type":"input_file","file_url":"' . url('report') . '"}'],

    # Anthropic: any source

    (map { [anthropic => '{"type":"image","source":{' . $_ . '},"cache_control":{"type":"ephemeral"}}',
            '{"type":"image","source":{"type":"url","url":"' . url('wrong') . '"},"cache_control":{"type":"ephemeral"}}'] }
        '"type":"url","url":"artifact:wrong"', '"type":"file","file_id":"artifact:wrong"',
        '"type":"base64","media_type":"image/png","data":"artifact:wrong"'),
    [anthropic => '{"type":"document","title":"T","source":{"type":"file","file_id":"artifact:report"},"citations":{"enabled":true}}',
     '{"type":"document","title":"T","source":{"type":"url","url":"' . url('report') . '"},"citations":{"enabled":true}}'],
    [anthropic => '{"type":"image","source":{"type":"url","url":"artifact:report"}}',
     '{"type":"document","title":"report.pdf","source":{"type":"url","url":"' . url('report') . '"}}'],

    # Gemini

    [gemini => '{"fileData":{"fileUri":"artifact:wrong","mimeType":"image/png"},"mediaResolution":1}',
     '{"fileData":{"mimeType":"image/jpeg","fileUri":"' . url('wrong') . '"},"mediaResolution":1}'],
    [gemini => '{"inline_data":{"mime_type":"image/png","data":"artifact:shot"}}',
     '{"fileData":{"mimeType":"image/png","fileUri":"' . url('shot') . '"}}'],
    [gemini => '{"artifact":"artifact:report"}',
     '{"fileData":{"mimeType":"application/pdf","fileUri":"' . url('report') . '"}}'],
    [gemini => '{"fileData":{"fileUri":"artifact:film"}}',
     '{"inlineData":{"mimeType":"video/mp4","data":"' . raw('film') . '"}}'],
    [gemini2 => '{"fileData":{"fileUri":"artifact:shot"}}',
     '{"inlineData":{"mimeType":"image/png","data":"' . raw('shot') . '"}}'],

    # Bedrock, and Anthropic's models there and at Vertex

    [bedrock => '{"image":{"format":"png","source":{"s3Location":{"uri":"artifact:wrong"}}}}',
     '{"image":{"format":"jpeg","source":{"bytes":"' . raw('wrong') . '"}}}'],
    (map { [$_ => '{"type":"image","source":{"type":"url","url":"artifact:shot"}}',
            '{"type":"image","source":{"type":"base64","media_type":"image/png","data":"' . raw('shot') . '"}}'] }
        'vertex', 'invoke'),
);

my %open = (
    (map { $_ => ['{"messages":[{"role":"user","content":[', ']}]}'] }
        qw(openai openrouter mistral anthropic bedrock)),
    responses => ['{"input":[{"role":"user","content":[', ']}]}'],
    (map { $_ => ['{"contents":[{"role":"user","parts":[', ']}]}'] }
        qw(gemini gemini2 gemini3)),
    (map { $_ => ['{"anthropic_version":"2023-06-01","messages":[{"role":"user","content":[', ']}]}'] }
        qw(vertex invoke)),
);

my %fetched;

for (@parts) {
    my ($api, $part, $want) = @$_;
    my ($open, $close) = @{ $open{$api} };
    my $got = sent($path{$api}, "$open$part$close");

    is($got, "$open$want$close", "$api: $part");
    $fetched{$_}++ for $got =~ m{"\Q$prefix\E([^"]+)"}g;
    is(sent($path{$api}, "$open$part$close"), $got, "$api: the same again");
}

# Results of tools.

my $shot = '{"type":"image","source":{"type":"url","url":"' . url('shot') . '"}}';

is(sent($path{anthropic}, '{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"artifact:shot"}]}]}'),
   '{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[' . $shot . ']}]}]}',
   'anthropic: a result');

is(sent($path{responses}, '{"input":[{"type":"function_call_output","call_id":"c","output":"artifact:report"}]}'),
   '{"input":[{"type":"function_call_output","call_id":"c","output":[{"type":"input_file","file_url":"' . url('report') . '"}]}]}',
   'responses: an output');

is(sent($path{openai}, '{"messages":[{"role":"tool","tool_call_id":"c","content":"artifact:shot"},{"role":"user","content":"?"}]}'),
   '{"messages":[{"role":"tool","tool_call_id":"c","content":"Artifact content (shot.png): artifact:shot"},'
   . '{"role":"user","content":[{"type":"text","text":"Artifact content (shot.png):"},{"type":"image_url","image_url":{"url":"' . url('shot') . '"}}]},'
   . '{"role":"user","content":"?"}]}', 'openai: a tool message');

is(sent($path{mistral}, '{"messages":[{"role":"tool","tool_call_id":"c","content":"artifact:shot"}]}'),
   '{"messages":[{"role":"tool","tool_call_id":"c","content":[{"type":"image_url","image_url":"' . url('shot') . '"}]}]}',
   'mistral: a tool message');

is(sent($path{gemini}, '{"contents":[{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"artifact:shot"}}}]}]}'),
   '{"contents":[{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"Artifact content (shot.png): artifact:shot"}}}]},'
   . '{"role":"user","parts":[{"text":"Artifact content (shot.png):"},{"fileData":{"mimeType":"image/png","fileUri":"' . url('shot') . '"}}]}]}',
   'gemini: a function response before gemini-3');

for my $part ('{"fileData":{"fileUri":"artifact:shot"}}',
              '{"inlineData":{"mimeType":"image/png","data":"artifact:shot"}}')
{
    is(sent($path{gemini3}, '{"contents":[{"role":"user","parts":[{"functionResponse":{"name":"f","response":{},"parts":[' . $part . ']}}]}]}'),
       '{"contents":[{"role":"user","parts":[{"functionResponse":{"name":"f","response":{},"parts":[{"inlineData":{"mimeType":"image/png","data":"' . raw('shot') . '"}}]}}]}]}',
       'gemini-3: parts of a function response are inline');
}

my $id = '11111111-2222-4333-8444-555555555555';
$t->artifact($id, $content{shot}[0], { mimeType => 'image/png' });

is(sent($path{anthropic}, '{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"see [artifact:' . $id . ']"}]}]}'),
   '{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"see [artifact:' . $id . ']"},{"type":"image","source":{"type":"url","url":"' . url($id) . '"}}]}]}]}',
   'anthropic: a marker in a result');

# Other places.

like(sent($path{anthropic}, '{"system":[{"type":"artifact","artifact":"artifact:shot"}],"messages":[]}'),
     qr/^\{"system":\[\{"type":"text","text":"Artifact content \(shot\.png\): artifact:shot"\}\],/,
     'a system text names it');

is(sent($path{anthropic}, '{"messages":[{"role":"user","content":[{"type":"document","source":{"type":"content","content":[{"type":"image","source":{"type":"url","url":"artifact:shot"}}]}}]}]}'),
   '{"messages":[{"role":"user","content":[{"type":"document","source":{"type":"content","content":[' . $shot . ']}}]}]}',
   'an image within a document');

is(sent($path{openrouter}, '{"messages":[{"role":"assistant","content":"x","images":[{"type":"image_url","image_url":{"url":"artifact:shot"}}]}]}'),
   '{"messages":[{"role":"assistant","content":"x","images":[{"type":"image_url","image_url":{"url":"' . data('shot') . '"}}]}]}',
   'openrouter: images of an assistant are inline');

# Anthropic's models elsewhere, by their names.

for my $model ('anthropic.claude-3-5-sonnet-20241022-v2:0',
               'us.anthropic.claude-sonnet-4', 'bedrock/eu.Anthropic.claude')
{
    like(sent($path{anthropic}, '{"messages":[{"role":"user","content":[{"type":"image","source":{"type":"url","url":"artifact:shot"}}]}],"model":"' . $model . '"}'),
         qr/"type":"base64"/, "inline for $model");
}

like(sent($path{anthropic}, '{"messages":[{"role":"user","content":[{"type":"image","source":{"type":"url","url":"artifact:shot"}}]}],"anthropic_version":"bedrock-2023-05-31"}'),
     qr/"type":"base64"/, 'inline with anthropic_version');

for my $case (['gemini-2.5-pro', 1], ['gemini-3.5-flash', 1], ['gemini-10-x', 1],
              ['gemini-2.4', 0], ['gemini-1.5-pro', 0], ['gemini-flash-latest', 0],
              ['models/gemini-2.5-flash', 1])
{
    my ($model, $by_url) = @$case;
    my $got = sent('/x/models/m:generateContent', '{"contents":[{"parts":[{"fileData":{"fileUri":"artifact:shot"}}]}],"model":"' . $model . '"}');
    is($got =~ /"fileUri"/ ? 1 : 0, $by_url, "$model");
}

# Without the directive, or without an artifact, all is as before.

like(sent('/inline/v1/messages', '{"messages":[{"role":"user","content":[{"type":"image","source":{"type":"url","url":"artifact:shot"}}]}]}'),
     qr/"type":"base64"/, 'inline by default');
like(sent($path{openai}, '{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"artifact:gone"}}]}]}'),
     qr/"type":"text","text":"\[Unreadable\] artifact:gone/, 'what is missing is described');

# Who fetches has the bytes and the type.

for my $id (sort keys %fetched) {
    my $res = $t->get("/public/$id");
    is($res->status, 200, "$id is fetched");
    is($res->body, $content{$id}[0], "$id: the bytes");
    next if !$mime{$id};
    is($res->header('Content-Type'), $mime{$id}, "$id: the type");
}

$t->finish;
