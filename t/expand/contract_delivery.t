#!/usr/bin/perl

# Media by URL: which APIs get one, where and for what; what is behind it; and
# who gets bytes all the same.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactSign;
use ArtifactTest;
use ArtifactUpstream qw(read_request send_answer);
use MIME::Base64 qw(decode_base64);

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $URL = 'https://files.example.com/a/';
my $KEY = join '', map { chr($_ * 29 % 256) } 1 .. 32;
my $UUID = '0190a5f0-0000-7000-8000-00000000000a';

my %content = (
    shot => [png(30, 30), 'image/png', 'shot.png'],
    large => [png(40, 40) . "\0" x 300_000, 'image/png', 'large.png'],
    photo => [jpeg(), 'image/jpeg', 'photo.jpg'],
    report => [pdf(), 'application/pdf', 'r.pdf'],
    sheet => [xlsx(), 'application/vnd.openxmlformats-officedocument'
              . '.spreadsheetml.sheet', 'a.xlsx'],
    song => [mp3(), 'audio/mpeg', 'a.mp3'],
    note => ["a \"note\"\n", 'text/plain', 'note.txt'],
    bitmap => [bmp(), 'image/bmp', 'a.bmp'],
    heic => ["\0\0\0\x18ftypheic\0\0\0\0mif1heic" . 'h' x 3000, 'image/heic',
             'a.heic'],
    liar => [png(31, 31), 'image/jpeg', 'liar.jpg'],
    $UUID => [png(32, 32), 'image/png', 'marked.png'],
);
$t->artifact($_, $content{$_}[0], { type => $content{$_}[1],
                                    name => $content{$_}[2] })
    for keys %content;
$t->workspace_file('w', 'p q/shot.png', $content{shot}[0]);
my $ws = ws_id('w', 'p q/shot.png');

key_file($t, 'keys', \$KEY);
my $jpeg = jpeg();

my $echo = ArtifactUpstream->echo("$dir/echo");
my $convert = ArtifactUpstream->new("$dir/convert", serve => sub {
    my ($sock) = @_;
    read_request($sock) or return;
    send_answer($sock, "HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\n"
                . "Connection: close\r\nContent-Length: " . length($jpeg)
                . "\r\n\r\n$jpeg");
});

my $forbids = ArtifactUpstream->new("$dir/forbids", contents => {
    '*' => { body => 'no', status => 403, type => 'text/plain' } });

my $map = $t->file('map.json', { services => [
    map { { id => $_->[0], model => $_->[0],
            capabilities => { input => $_->[1] } } }
    ['sees', [qw(text vision)]], ['reads', ['text']],
    ['all', [qw(text vision file pdf audio video)]],
    ['gemini-2.0-flash', [qw(text vision file pdf audio video)]],
    ['gemini-2.5-pro', [qw(text vision file pdf audio video)]],
    ['gemini-3-pro', [qw(text vision file pdf audio video)]],
    ['anthropic.claude-sonnet-4-v1:0', [qw(text vision file pdf)]],
    ['us.anthropic.claude-sonnet-4-v1:0', [qw(text vision file pdf)]],
    ['claude-sonnet-4', [qw(text vision file pdf)]],
] });

my $pass = "proxy_pass http://unix:$dir/echo:;";
my $common = "artifact_expand on; artifact_delivery url; $pass";

$t->start(http => <<'HTTP', server => <<"SERVER");
    artifact_capabilities %%PREFIX%%/map.json;
    map $http_x_delivery $delivery {
        default $http_x_delivery;
    }
HTTP
    artifact_root %%DATA%%;
    artifact_language en;
    artifact_url $URL;
    artifact_source /internal/;
    client_max_body_size 64m;

    location /internal/ { internal; artifact; }
    location /forbidden/ { internal; proxy_pass http://unix:$dir/forbids:; }
    location /broken/ { internal; return 500; }
    location /a/ {
        artifact;
        artifact_signed on;
        artifact_sign_key %%PREFIX%%/keys;
    }
    location /convert/ { internal; proxy_pass http://unix:$dir/convert:; }

    location /v1/ { $common }
    location /v1beta/ { $common }
    location /model/ { $common }
    location /mistral/ { artifact_format mistral; $common }
    location /router/ { artifact_format openrouter; $common }
    location /bedrock/ { artifact_format bedrock; $common }

    location /inline/ { artifact_expand on; artifact_delivery inline; $pass }
    location /default/ { artifact_expand on; $pass }
    location /varied/ {
        artifact_expand on;
        artifact_delivery \$delivery;
        $pass
    }
    location /small/ { artifact_inline_max 1k; $common }
    location /signed/ {
        artifact_sign_key %%PREFIX%%/keys;
        artifact_sign_ttl 1h;
        $common
    }
    location /derive/ {
        artifact_derive image/heic image/jpeg /convert/jpeg body;
        $common
    }
    location /refused/ { artifact_source /forbidden/; $common }
    location /fails/ { artifact_source /broken/; $common }

    location = /message {
        artifact_message;
        artifact_delivery url;
        artifact_accept "text, vision, file, audio, video";
        artifact_inline_max 1k;
    }
    location = /message-signed {
        artifact_message;
        artifact_delivery \$delivery;
        artifact_sign_key %%PREFIX%%/keys;
        artifact_accept "text, vision, file";
    }
SERVER


sub ask {
    my ($uri, $body, @headers) = @_;
    return $t->req('POST', $uri, body => ref $body ? encode_json_bytes($body)
                                                   : $body,
        headers => ['Content-Type' => 'application/json', @headers]);
}

sub data_url { return "data:$content{$_[0]}[1];base64," . b64($content{$_[0]}[0]) }

# The body is that with the slot's value changed, and nothing else.

sub becomes {
    my ($uri, $body, $from, $to, $name, @headers) = @_;
    my $res = ask($uri, $body, @headers);
    my $at = index $body, $from;
    my $want = $body;
    substr $want, $at, length $from, $to;
    is($res->body, $want, $name);
}

# The parts of the one message.

sub parts_of {
    my ($res) = @_;
    my $data = json_of($res);
    my $list = $data->{messages} || $data->{input} || $data->{contents} || [];
    return @{ $list->[0]{content} || $list->[0]{parts} || [] };
}


# --- chat completions and what speaks it ----------------------------------------

sub chat {
    my ($model, @parts) = @_;
    return qq({"model":"$model", "x": 2e70,"messages":[{"role":"user",)
        . '"content":[' . join(', ', @parts) . ']}] }';
}

sub image_url {
    my ($ref) = @_;
    return qq({"type":"image_url","image_url":{"url":"$ref","detail":"low"}});
}

sub neutral { return qq({"type":"artifact","artifact":"$_[0]"}) }

my $CHAT = '/v1/chat/completions';

for my $id (qw(shot photo large)) {
    becomes($CHAT, chat('sees', image_url("artifact:$id")), "artifact:$id",
            "$URL$id", "chat: $id is a URL");
}
my ($part) = parts_of(ask($CHAT, chat('sees', neutral('artifact:shot'))));
is($part->{type}, 'image_url', 'chat: the neutral part');
is($part->{image_url}{url}, "${URL}shot", 'has the URL');

becomes($CHAT, chat('sees', image_url("${URL}shot")), "${URL}shot",
        "${URL}shot", 'chat: a URL of ours');
becomes($CHAT, chat('sees', image_url("${URL}shot?exp=1&sig=x")),
        "${URL}shot?exp=1&sig=x", "${URL}shot", 'chat: without its query');

($part) = parts_of(ask($CHAT, chat('sees', image_url("artifact:$ws"))));
like($part->{image_url}{url}, qr/\A\Q$URL\Ews(?::|%3A)w(?::|%3A)\Q@{[
     $ws =~ s{.*:}{}r]}\E\z/, 'chat: a file of a workspace');
is($part->{image_url}{detail}, 'low', 'other members stay');

is(ask($CHAT, chat('sees', image_url(data_url('shot'))))->body,
   chat('sees', image_url(data_url('shot'))), 'chat: the client\'s bytes stay');
is(ask($CHAT, chat('sees', image_url('https://h.example/x.png?a=b')))->body,
   chat('sees', image_url('https://h.example/x.png?a=b')), 'its URLs, too');

# what has no URL there

($part) = parts_of(ask($CHAT, chat('all', neutral('artifact:report'))));
is($part->{type}, 'file', 'chat: a PDF');
is($part->{file}{file_data}, data_url('report'), 'has its bytes');
is($part->{file}{filename}, 'r.pdf', 'and name');
($part) = parts_of(ask($CHAT, chat('all', neutral('artifact:song'))));
is($part->{input_audio}{data}, b64($content{song}[0]), 'chat: audio is bytes');
($part) = parts_of(ask($CHAT, chat('all', neutral('artifact:note'))));
is($part->{text}, $content{note}[0], 'chat: a text is a text');
($part) = parts_of(ask($CHAT, chat('all', image_url('artifact:note'))));
is($part->{text}, $content{note}[0], 'chat: a text, in the slot of an image');

for my $case (['reads', 'shot'], ['sees', 'bitmap'], ['sees', 'none'],
              ['sees', 'song'])
{
    my ($model, $id) = @$case;
    ($part) = parts_of(ask($CHAT, chat($model, image_url("artifact:$id"))));
    is($part->{type}, 'text', "chat: $id for one that $model");
    like($part->{text}, qr/artifact:\Q$id\E/, 'is described');
    unlike($part->{text}, qr/\Q$URL\E/, 'without the URL');
}

# an unknown reader

my $res = ask($CHAT, chat('nobody', image_url('artifact:shot')));
($part) = parts_of($res);
is($part->{image_url}{url}, "${URL}shot", 'for an unknown model');
($part) = parts_of(ask($CHAT, chat('nobody', image_url('artifact:note'))));
is($part->{type}, 'text', 'words in the slot of an image');

# tool messages, and markers in them

my $tools = '{"model":"sees","messages":[{"role":"assistant","content":null,'
    . '"tool_calls":[{"id":"1","type":"function","function":{"name":"f",'
    . '"arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","content":'
    . '"@"}]}';
for my $text ('artifact:shot', "see [artifact:$UUID]") {
    my ($id) = $text =~ /artifact:([-\w]+)/;
    my $data = json_of(ask($CHAT, $tools =~ s/\@/$text/r));
    my $last = $data->{messages}[2] // {};
    is($last->{role}, 'user', "a tool's \"$text\": a message behind");
    my ($image) = grep { $_->{type} eq 'image_url' }
        @{ $last->{content} // [] };
    is($image->{image_url}{url}, "$URL$id", 'with the URL');
}

# OpenRouter

my $ROUTER = '/router/chat/completions';
becomes($ROUTER, chat('all', image_url('artifact:shot')), 'artifact:shot',
        "${URL}shot", 'openrouter: an image');
($part) = parts_of(ask($ROUTER, chat('all', neutral('artifact:report'))));
is($part->{type}, 'file', 'openrouter: a PDF');
is($part->{file}{file_data}, "${URL}report", 'is a URL');
is($part->{file}{filename}, 'r.pdf', 'with its name');
($part) = parts_of(ask($ROUTER, chat('all', neutral('artifact:song'))));
is($part->{input_audio}{data}, b64($content{song}[0]),
   'openrouter: audio is bytes');

# Mistral

my $MISTRAL = '/mistral/chat/completions';
($part) = parts_of(ask($MISTRAL, chat('all', neutral('artifact:shot'))));
is($part->{type}, 'image_url', 'mistral: an image');
is(ref $part->{image_url} ? $part->{image_url}{url} : $part->{image_url},
   "${URL}shot", 'is a URL');
becomes($MISTRAL, chat('all', '{"type":"image_url","image_url":'
        . '"artifact:shot"}'), 'artifact:shot', "${URL}shot",
        'mistral: a string');
becomes($MISTRAL, chat('all', image_url('artifact:shot')), 'artifact:shot',
        "${URL}shot", 'mistral: an object');
($part) = parts_of(ask($MISTRAL, chat('all', neutral('artifact:report'))));
is("$part->{type} $part->{document_url}", "document_url ${URL}report",
   'mistral: a document');
becomes($MISTRAL, chat('all', '{"type":"document_url","document_url":'
        . '"artifact:report","document_name":"x.pdf"}'), 'artifact:report',
        "${URL}report", 'mistral: its name stays');


# --- Responses -------------------------------------------------------------------

sub responses {
    my ($model, @parts) = @_;
    return qq({"model":"$model","input":[{"role":"user","content":[)
        . join(',', @parts) . ']}]}';
}

my $RESPONSES = '/v1/responses';

becomes($RESPONSES, responses('sees', '{"type":"input_image","detail":"high",'
        . '"image_url":"artifact:shot"}'), 'artifact:shot', "${URL}shot",
        'responses: an image');
for my $slot ('{"type":"input_image","file_id":"artifact:shot"}',
              neutral('artifact:shot'))
{
    ($part) = parts_of(ask($RESPONSES, responses('sees', $slot)));
    is("$part->{type} $part->{image_url}", "input_image ${URL}shot",
       "responses: $slot");
    ok(!exists $part->{file_id}, 'and no file id');
}

for my $slot (map { qq({"type":"input_file",$_}) }
              '"file_id":"artifact:report"', '"file_url":"artifact:report"',
              '"filename":"x.pdf","file_data":"artifact:report"')
{
    ($part) = parts_of(ask($RESPONSES, responses('all', $slot)));
    is("$part->{type} " . ($part->{file_url} // 'none'),
       "input_file ${URL}report", "responses: $slot");
    is(join(' ', grep { exists $part->{$_} } qw(file_id file_data)), '',
       'one source only');
}
($part) = parts_of(ask($RESPONSES, responses('all',
                                             neutral('artifact:report'))));
is($part->{file_url}, "${URL}report", 'responses: the neutral part');
($part) = parts_of(ask($RESPONSES, responses('all', neutral('artifact:note'))));
is($part->{text}, $content{note}[0], 'responses: a text');

my $output = json_of(ask($RESPONSES, '{"model":"sees","input":[{"type":'
    . '"function_call_output","call_id":"1","output":"artifact:shot"}]}'))
    ->{input}[0]{output};
is(ref $output ? join ' ', grep { defined } map { $_->{image_url} } @$output
               : $output, "${URL}shot", 'responses: what a tool returned');


# --- Anthropic -------------------------------------------------------------------

sub messages {
    my ($model, @parts) = @_;
    my $head = $model eq '' ? '"anthropic_version":"vertex-2023-10-16"'
                            : qq("model":"$model");
    return "{$head,\"messages\":[{\"role\":\"user\",\"content\":["
        . join(',', @parts) . ']}]}';
}

sub block {
    my ($type, $source) = @_;
    return qq({"type":"$type","source":$source,"cache_control":)
        . '{"type":"ephemeral"}}';
}

my $MESSAGES = '/v1/messages';
my @SOURCES = ('{"type":"url","url":"artifact:@"}',
               '{"type":"file","file_id":"artifact:@"}',
               '{"type":"base64","media_type":"image/gif","data":"artifact:@"}');

for my $case (['image', 'shot'], ['document', 'report'], ['image', 'large']) {
    my ($type, $id) = @$case;

    for my $source (@SOURCES) {
        ($part) = parts_of(ask($MESSAGES, messages('claude-sonnet-4',
            block($type, $source =~ s/\@/$id/r))));
        is_deeply($part->{source}, { type => 'url', url => "$URL$id" },
                  "anthropic: $id from $source");
        is($part->{type}, $type, 'as such a block');
        is_deeply($part->{cache_control}, { type => 'ephemeral' },
                  'other members stay');
    }
    ($part) = parts_of(ask($MESSAGES, messages('claude-sonnet-4',
                                               neutral("artifact:$id"))));
    is_deeply($part->{source}, { type => 'url', url => "$URL$id" },
              "anthropic: the neutral part of $id");
}

my $result = json_of(ask($MESSAGES, messages('claude-sonnet-4',
    '{"type":"tool_result","tool_use_id":"1","content":"artifact:shot"}')))
    ->{messages}[0]{content}[0]{content};
is_deeply([map { $_->{source}{url} } grep { $_->{type} eq 'image' } @$result],
          ["${URL}shot"], 'anthropic: what a tool returned');

# where nothing is fetched

my %BYTES = (image => ['shot', 'image/png'],
             document => ['report', 'application/pdf']);
for my $case (
    ['/model/anthropic.claude-sonnet-4-v1%3A0/invoke', ''],
    ['/model/us.anthropic.claude-sonnet-4-v1%3A0/invoke-with-response-stream',
     ''],
    ['/v1/projects/p/locations/l/publishers/anthropic/models/claude-sonnet-4'
     . ':rawPredict', ''],
    ['/v1/projects/p/locations/l/publishers/anthropic/models/claude-sonnet-4'
     . '@20250514:streamRawPredict', ''],
    [$MESSAGES, 'anthropic.claude-sonnet-4-v1:0'],
    [$MESSAGES, 'us.anthropic.claude-sonnet-4-v1:0'],
) {
    my ($uri, $model) = @$case;

    for my $type (sort keys %BYTES) {
        my ($id, $mime) = @{ $BYTES{$type} };
        my $body = messages($model, block($type, $SOURCES[0] =~ s/\@/$id/r),
                            neutral("artifact:$id"));
        for my $part (parts_of(ask($uri, $body, 'X-LLM-Service' => 'all'))) {
            is_deeply($part->{source}, { type => 'base64', media_type => $mime,
                                         data => b64($content{$id}[0]) },
                      "$uri, $model: bytes of a $part->{type}");
        }
    }
}


# --- Gemini ----------------------------------------------------------------------

sub contents {
    my (@parts) = @_;
    return '{"contents":[{"role":"user","parts":[' . join(',', @parts)
        . ']}]}';
}

for my $case (['gemini-2.5-pro', 1], ['gemini-3-pro', 1],
              ['gemini-2.0-flash', 0])
{
    my ($model, $by_url) = @$case;

    for my $id (qw(shot report)) {
        for my $slot (
            qq({"fileData":{"mimeType":"x/y","fileUri":"artifact:$id"}}),
            qq({"inlineData":{"mimeType":"x/y","data":"artifact:$id"}}),
            qq({"artifact":"artifact:$id"})
        ) {
            ($part) = parts_of(ask("/v1beta/models/$model:generateContent",
                                   contents($slot)));
            is_deeply($part, $by_url
                ? { fileData => { mimeType => $content{$id}[1],
                                  fileUri => "$URL$id" } }
                : { inlineData => { mimeType => $content{$id}[1],
                                    data => b64($content{$id}[0]) } },
                "$model: $slot");
        }
    }
}


# --- Bedrock ---------------------------------------------------------------------

for my $uri ('/model/all/converse',
             '/model/anthropic.claude-sonnet-4-v1%3A0/converse',
             '/bedrock/converse')
{
    my $body = '{"messages":[{"role":"user","content":[{"image":{"format":'
        . '"gif","source":{"s3Location":{"uri":"artifact:shot"}}}},'
        . '{"artifact":"artifact:report"}]}]}';
    my ($image, $document) = grep { !$_->{text} }
        parts_of(ask($uri, $body, 'X-LLM-Service' => 'all'));
    is_deeply($image->{image}, { format => 'png', source => {
        bytes => b64($content{shot}[0]) } }, "$uri: bytes of an image");
    is($document->{document}{source}{bytes}, b64($content{report}[0]),
       "$uri: bytes of a document");
}


# --- when, and what is behind it -------------------------------------------------

for my $case (['/inline/chat/completions'], ['/default/chat/completions'],
              ['/varied/chat/completions', 'inline'],
              ['/varied/chat/completions', ''])
{
    my ($uri, $how) = @$case;
    becomes($uri, chat('sees', image_url('artifact:shot')), 'artifact:shot',
            data_url('shot'), "$uri " . ($how // '') . ': bytes',
            defined $how ? ('X-Delivery' => $how) : ());
}
becomes('/varied/chat/completions', chat('sees', image_url('artifact:shot')),
        'artifact:shot', "${URL}shot", 'a variable', 'X-Delivery' => 'url');
becomes('/inline/chat/completions',
        chat('sees', image_url("${URL}shot?exp=1&sig=x")),
        "${URL}shot?exp=1&sig=x", data_url('shot'), 'a URL becomes bytes');

becomes('/small/chat/completions', chat('sees', image_url('artifact:large')),
        'artifact:large', "${URL}large", 'artifact_inline_max is for bytes');
($part) = parts_of(ask('/small/messages', messages('us.anthropic.'
    . 'claude-sonnet-4-v1:0', neutral('artifact:large'))));
is($part->{type}, 'text', 'and applies where bytes are sent');

($part) = parts_of(ask('/derive/chat/completions',
                       chat('sees', image_url('artifact:heic'))));
is($part->{image_url}{url}, 'data:image/jpeg;base64,' . b64($jpeg),
   'another form has no URL');

for my $at ('/refused/', '/v1/') {
    my $id = $at eq '/v1/' ? 'none' : 'shot';
    ($part) = parts_of(ask("${at}chat/completions",
                           chat('sees', image_url("artifact:$id"))));
    is($part->{type}, 'text', "${at}: no URL of what is not there");
    like($part->{text}, qr/artifact:$id/, 'which');
}
is(ask('/fails/chat/completions', chat('sees', image_url('artifact:shot')))
   ->status, 502, 'a store that fails is no URL');

# signed: the same bytes again, and the provider fetches them with nothing else

sub fetched {
    my ($url) = @_;
    my ($path) = ($url // '') =~ m{\Ahttps://files\.example\.com(/.*)\z};
    return $t->get($path // '/none');
}

my $body = chat('sees', map { image_url("artifact:$_") } qw(shot photo large),
                $ws);
my $one = ask('/signed/chat/completions', $body);
is(ask('/signed/chat/completions', $body)->body, $one->body,
   'the same request: the same bytes');

my @urls = map { $_->{image_url}{url} } parts_of($one);
my $canonical = signer($urls[0] // '', $KEY, '', 'shot');
my @ids = (qw(shot photo large), $ws);
for my $n (0 .. 3) {
    my $id = $ids[$n];
    is(signed_problems($urls[$n] // 'none', prefix => $URL, id => $id,
                       key => $KEY, ref => $canonical->($id), ttl => 3600), '',
       "$id is signed");
    my $res = fetched($urls[$n]);
    is($res->status, 200, "$id is fetched");
    ok($res->body eq $content{ $id eq $ws ? 'shot' : $id }[0],
       'the exact bytes');
    is(fetched(($urls[$n] // '') =~ s/(.)\z/$1 eq 'A' ? 'Q' : 'A'/er)->status,
       403, 'not with another signature');
    is(fetched(($urls[$n] // '') =~ s/\?.*//r)->status, 403, 'nor with none');
}

# what stands in a history is signed anew

my $old = "${URL}shot?" . signed($KEY, '', $canonical->('shot'), 1000);
for my $text ($old, $urls[0] // '', "${URL}shot", "${URL}artifact:shot") {
    ($part) = parts_of(ask('/signed/chat/completions',
                           chat('sees', image_url($text))));
    is($part->{image_url}{url}, $urls[0], "$text: signed anew");
}
is(fetched($old)->status, 403, 'which has expired');

for my $case ([$MESSAGES =~ s/v1/signed/r, messages('claude-sonnet-4',
               block('document', $SOURCES[0] =~ s/\@/report/r)),
               sub { $_[0]{source}{url} }],
              ['/signed/responses', responses('all', '{"type":"input_file",'
               . '"file_id":"artifact:report"}'), sub { $_[0]{file_url} }],
              ['/signed/models/gemini-2.5-pro:generateContent',
               contents('{"artifact":"artifact:report"}'),
               sub { $_[0]{fileData}{fileUri} }])
{
    my ($uri, $body, $url_of) = @$case;
    ($part) = parts_of(ask($uri, $body));
    my $res = fetched($url_of->($part));
    is("$res->{status} " . ($res->body eq $content{report}[0]), '200 1',
       "$uri: signed, and fetched");
    is($res->header('Content-Type'), 'application/pdf', 'with its type');
}

# a type that the content contradicts

($part) = parts_of(ask('/signed/chat/completions',
                       chat('sees', image_url('artifact:liar'))));
my $url = $part->{image_url}{url} // '';
if ($url =~ /\Adata:/) {
    is($url, 'data:image/png;base64,' . b64($content{liar}[0]),
       'what was declared wrongly: bytes with the right type');
} else {
    my $res = fetched($url);
    is($res->header('Content-Type'), 'image/png',
       'what was declared wrongly is served with the right type');
    ok($res->body eq $content{liar}[0], 'and as it is');
}


# --- messages --------------------------------------------------------------------

my %FORMAT = (
    openai => sub { ($_[0]{image_url} // {})->{url} },
    openrouter => sub { ($_[0]{image_url} // {})->{url}
                        // ($_[0]{file} // {})->{file_data} },
    openai_responses => sub { $_[0]{image_url} // $_[0]{file_url} },
    anthropic => sub { ($_[0]{source} // {})->{url} },
    mistral => sub { my $i = $_[0]{image_url} // $_[0]{document_url};
                     ref $i ? $i->{url} : $i },
);

for my $format (sort keys %FORMAT) {
    my @want = $format eq 'openai' ? 'large' : qw(large report);
    for my $id (@want) {
        my $data = json_of(ask("/message?format=$format", { payload => {
            text => 'look', attachments => ["artifact:$id"] } }));
        my @parts = @{ $data->{processedContent}{content} // [] };
        my ($url) = grep { defined } map { $FORMAT{$format}->($_) } @parts;
        is($url, "$URL$id", "a message for $format: $id");
        is_deeply($data->{unsupportedAttachments}, [], 'which it takes');
    }
}

my $data = json_of(ask('/message?format=bedrock', { payload => { text => 'x',
    attachments => ['artifact:shot'] } }));
unlike(encode_json_bytes($data), qr/\Q$URL\E/, 'no URL in one for bedrock');

$data = json_of(ask('/message-signed?format=anthropic', { text => 'x',
    attachments => ['artifact:shot', 'artifact:none'] },
    'X-Delivery' => 'url'));
my ($image) = grep { $_->{type} eq 'image' }
    @{ $data->{processedContent}{content} // [] };
$res = fetched($image->{source}{url});
is("$res->{status} " . ($res->body eq $content{shot}[0]), '200 1',
   'a message: signed, and fetched');
is(scalar @{ $data->{unsupportedAttachments} // [] }, 1,
   'what is missing has none');
$data = json_of(ask('/message-signed?format=anthropic', { text => 'x',
    attachments => ['artifact:shot'] }, 'X-Delivery' => 'inline'));
unlike(encode_json_bytes($data), qr/\Q$URL\E/, 'a message: a variable');


# --- nginx -t --------------------------------------------------------------------

for my $case (
    ['url without artifact_url', 1, "location /v1/ { $common }"],
    ['another word', 1, "artifact_url $URL; location /v1/ { artifact_expand "
     . "on; artifact_delivery both; $pass }"],
    ['a query', 1, "artifact_url $URL?a=; location /v1/ { $common }"],
    ['all good', 0, "artifact_url $URL; location /v1/ { $common }"],
    ['inline without artifact_url', 0, 'artifact_delivery inline;'],
    ['the server has the URL', 0, "artifact_url $URL; artifact_delivery url;"],
) {
    my ($name, $fails, $server) = @$case;
    my ($code, $out) = $t->conf_test(server =>
                                     "artifact_root %%DATA%%;\n$server");
    is($code ? 1 : 0, $fails, "nginx -t: $name") or diag($out);
    like($out, qr/conftest\.conf:\d+/, "$name: where") if $fails;
}

$t->finish;
