#!/usr/bin/perl

# Media that a client itself puts where an API takes none of tools: messages of
# tools at OpenAI, results of calls before Gemini 3.  They follow the results
# with their own bytes.  So the messages that ?format=tool_message makes arrive.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactJSON;
use ArtifactTest;
use ArtifactTools qw(format_size);
use ArtifactUpstream;

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $png = png(40, 30);
my $pdf = pdf();

$t->artifact('shot', $png, { mimeType => 'image/png', name => 's.png' });
$t->artifact('doc', $pdf, { mimeType => 'application/pdf', name => 'd.pdf' });

my $echo = ArtifactUpstream->echo("$dir/echo");

$t->file('map.json', { services => [
    { id => 'reads', model => 'reads', capabilities => { input => ['text'] } },
    map { { id => $_, model => $_, toolMedia => $_ eq 'leaves' ? \1 : \0,
            capabilities => { input => [qw(text vision file)] } } }
        qw(sees leaves gemini-2.5-x gemini-3-x),
] });

$t->start(http => <<'HTTP', server => <<"SERVER");
    artifact_capabilities %%PREFIX%%/map.json;
    artifact_root %%DATA%%;
    artifact_language en;
HTTP
    client_max_body_size 16m;
    location /artifacts/ {
        artifact;
        artifact_route on;
        artifact_format \$arg_format;
        artifact_accept text,vision,file;
    }
    location / {
        artifact_expand on;
        add_header X-Saved \$artifact_saved;
        proxy_pass http://unix:$dir/echo:;
    }
    location /or/ {
        artifact_expand on;
        artifact_format openrouter;
        proxy_pass http://unix:$dir/echo:;
    }
    location /mistral/ {
        artifact_expand on;
        artifact_format mistral;
        proxy_pass http://unix:$dir/echo:;
    }
SERVER

sub sent {
    my ($path, $body) = @_;
    my $res = $t->req('POST', $path, body => $body,
                      headers => ['Content-Type' => 'application/json']);
    is($res->{status}, 200, "$path: 200") if $res->{status} != 200;
    return $res->{body};
}

my $image = '{"type":"image_url", "image_url":{"url":"data:image/png;base64,'
    . b64($png) . '","detail":"low"},"cache_control":{"type":"ephemeral"}}';
my $word = '[image/png, ' . format_size(length $png) . ']';
my $name = qq({"type":"text","text":"$word"});

sub chat {
    my ($model, @messages) = @_;
    return qq({"model":"$model","messages":[{"role":"user","content":"q"},)
        . join(',', @messages) . ',{"role":"assistant","content":"a"}]}';
}

sub tool {
    my ($id, @parts) = @_;
    return qq({"role":"tool","tool_call_id":"$id","content":[)
        . join(',', @parts) . ']}';
}

sub user {
    return '{"role":"user","content":[' . join(',', @_) . ']}';
}


# --- OpenAI and OpenRouter

for my $path ('/v1/chat/completions', '/or/chat/completions') {
    for my $model ('sees', 'strange') {
        is(sent($path, chat($model, tool('a', $image), tool('b', $name))),
           chat($model, tool('a', $name), tool('b', $name),
                user($name, $image)),
           "$path, $model: behind the last result");
    }

    my $body = chat('leaves', tool('a', $image));
    is(sent($path, $body), $body, "$path: \"toolMedia\" leaves them");

    $body = sent($path, chat('reads', tool('a', $image)));
    like($body, qr/"role":"tool","tool_call_id":"a","content":\[\{"type":"text",
                   "text":"\[Unreadable\]/x, "$path: words in their place");
    unlike($body, qr/image_url/, "$path: and nothing behind");
}

for my $path ('/mistral/chat/completions') {
    my $body = chat('sees', tool('a', $image));
    is(sent($path, $body), $body, "$path: they may be there");
}

# what the API has no part for, of another type than it says; a text that is
# called something else

sub called {
    my ($type, $bytes) = @_;
    return qq({"type":"image_url","image_url":{"url":"data:$type;base64,)
        . b64($bytes) . '"}}';
}

my $film = mp4();
my $short = '{"type":"text","text":"[video/mp4, ' . format_size(length $film)
    . ']"}';
my $part = called('video/mp4', $film);
is(sent('/v1/chat/completions', chat('strange', tool('a', $part))),
   chat('strange', tool('a', $short), user($short, $part)),
   'a film for a model that is not known');
for my $type ('audio/mpeg', 'application/octet-stream', '') {
    is(sent('/v1/chat/completions',
            chat('strange', tool('a', called($type, $film)))),
       chat('strange', tool('a', $short)), "a film as \"$type\": its name");
}

for my $model (qw(gemini-2.5-x gemini-3-x gemini-3-strange)) {
    my $csv = b64("id,name\n1,Ada\n");
    my $body = sub {
        my ($parts, @behind) = @_;
        return '{"contents":[{"role":"user","parts":[{"functionResponse":'
            . '{"name":"f","response":' . $parts . '}}' . join('', @behind)
            . ']}]}';
    };
    my $path = "/v1beta/models/$model:generateContent";
    my $out = decode_strict(sent($path, $body->('{"a":1},"parts":[{'
        . '"inlineData":{"mimeType":"application/octet-stream",'
        . qq("data":"$csv"}}]))));
    is_deeply($out->{contents}[1]{parts}[1], { inlineData =>
        { mimeType => 'text/plain', data => $csv } }, "$model: a text");
}

# in the place of another kind: a part of its own

for my $model ('sees', 'strange') {
    my $file = '{"type":"file","file":{"filename":"a","file_data":'
        . '"data:image/png;base64,' . b64($png) . '"}}';
    is(sent('/v1/chat/completions', chat($model, tool('a', $file))),
       chat($model, tool('a', $name), user($name, called('image/png', $png))),
       "$model: a picture in the place of a file");
}

# where they cannot be, and do not follow

for my $model ('sees', 'strange') {
    my $results = sub {
        my ($more, @parts) = @_;
        return qq({"model":"$model","messages":[{"role":"user","content":[)
            . '{"type":"tool_result","tool_use_id":"a"' . $more
            . ',"content":[' . join(',', @parts) . ']}]}]}';
    };
    for my $source ('"type":"base64","media_type":"image/png","data":"'
                    . b64($png) . '"', '"type":"url","url":"https://h/a.png"')
    {
        my $short = $source =~ /https/ ? '[image, https://h/a.png]' : $word;
        my $part = qq({"type":"image","source":{$source}});
        is(sent('/v1/messages', $results->(',"is_error":true', $part)),
           $results->(',"is_error":true', qq({"type":"text","text":"$short"})),
           "$model: in a result that is an error");
        is(sent('/v1/messages', $results->('', $part)),
           $results->('', $part), "$model: in one that is none");
    }

    my $result = '{"messages":[{"role":"user","content":[{"toolResult":'
        . '{"toolUseId":"a","content":[%s]}}]}]}';
    my $song = wav();
    is(sent("/model/$model/converse", sprintf $result,
            '{"audio":{"format":"wav","source":{"bytes":"' . b64($song)
            . '"}}}'),
       sprintf($result, '{"text":"[audio/wav, ' . format_size(length $song)
               . ']"}'), "$model: a sound in a result at Bedrock");
}

# a medium of megabytes, which is copied from a file

my $large = $image;
my $bytes = b64(png(40, 30) . "\0" x 3_000_000);
$large =~ s/base64,[^"]+/base64,$bytes/;
my $size = sprintf '{"type":"text","text":"[image/png, %.1f MB]"}',
    (3_000_000 + length $png) / 1048576;
ok(sent('/v1/chat/completions', chat('strange', tool('a', $large, $image)))
   eq chat('strange', tool('a', $size, $name),
           user($size, $large, $name, $image)), 'one of megabytes');


# --- what ?format=tool_message makes

my $made = sub {
    return $t->req('GET', "/artifacts/$_[0]?format=tool_message&tool_call_id=c")
        ->{body};
};

my $message = $made->('shot');
my $out = decode_strict(sent('/v1/chat/completions', chat('sees', $message)));
is(join(' ', map { $_->{role} } @{ $out->{messages} }),
   'user tool user assistant', 'a message of an image, and one more');
is_deeply([map { $_->{type} } @{ $out->{messages}[1]{content} }],
          ['text', 'text'], 'the result has texts only');
is($out->{messages}[2]{content}[1]{image_url}{url},
   'data:image/png;base64,' . b64($png), 'the image follows');

$message = $made->('doc');
$out = decode_strict(sent('/v1/chat/completions', chat('sees', $message)));
is_deeply([map { $_->{type} } @{ $out->{messages}[1]{content} }],
          ['text', 'text'], 'the result of a document has texts only');
is($out->{messages}[2]{content}[1]{file}{file_data},
   'data:application/pdf;base64,' . b64($pdf), 'the document follows');


# --- Gemini

my $inline = '{"inlineData":{"mimeType":"image/png","data":"' . b64($png)
    . '"%s}}';
my $plain = sprintf $inline, '';

sub gemini {
    my ($call, @more) = @_;
    return '{"contents":[{"role":"user","parts":[{"functionResponse":{"name":'
        . qq("f",$call}}]}) . join('', map { ",$_" } @more) . ']}';
}

for my $given ($plain, sprintf $inline, ',"displayName":"n"') {
    my $path = '/v1beta/models/gemini-%s:generateContent';
    my $body = gemini(qq("response":{"a":1},"parts":[$given]));

    is(sent((sprintf $path, '2.5-x'), $body),
       gemini(qq("response":{"a":1,"artifacts":["$word"]},"parts":[]),
              qq({"role":"user","parts":[{"text":"$word"},$plain]})),
       'before Gemini 3 they follow, without a name');
    is(sent((sprintf $path, '3-x'), $body), $body, 'since then they stay');
}

# What is called something else moves as what it is, with all that is in it, or is
# made anew if it is of another kind.

my $url = '{"type":"image_url","image_url":{"url":"data:image/%s;base64,'
    . b64($png) . '"%s}}';

for my $case ([sprintf($url, 'jpeg', ',"detail":"low"'),
               sprintf($url, 'png', ',"detail":"low"')],
              ['{"type":"input_audio","input_audio":{"format":"mp3","data":"'
                   . b64($png) . '"}}', sprintf($url, 'png', '')])
{
    my ($wrong, $right) = @$case;
    my $tool = '{"role":"tool","tool_call_id":"c","content":[%s]}';

    for my $model ('sees', 'nobody-knows') {
        is(sent('/v1/chat/completions', qq({"model":"$model","messages":[)
                . sprintf($tool, $wrong) . ']}'),
           qq({"model":"$model","messages":[) . sprintf($tool, $name)
               . qq(,{"role":"user","content":[$name,$right]}]}),
           "$model: a PNG that is called something else");
    }
}

{
    my $path = '/v1beta/models/gemini-2.5-x:generateContent';
    my $call = '{"contents":[{"role":"user","parts":[{"functionResponse":'
        . '{"name":"f","response":{%s},"parts":[%s]}}]}%s]}';
    my $inline = '{"inlineData":{"mimeType":"%s","data":"' . b64($png) . '"}}';

    is(sent($path, sprintf $call, '"a":1', sprintf($inline, 'image/jpeg'), ''),
       sprintf($call, qq("a":1,"artifacts":["$word"]), '',
               qq(,{"role":"user","parts":[{"text":"$word"},)
               . sprintf($inline, 'image/png') . ']}'),
       'so it is before Gemini 3');

    $inline =~ s/"\}\}$/","mime_type":"%s"}}/ or die;
    is(sent($path, sprintf $call, '"a":1',
            sprintf($inline, ('image/jpeg') x 2), ''),
       sprintf($call, qq("a":1,"artifacts":["$word"]), '',
               qq(,{"role":"user","parts":[{"text":"$word"},)
               . sprintf($inline =~ s/,"mime_type":"%s"//r, 'image/png')
               . ']}'), 'anew where two members tell its type');
}

# What no API has a part for moves as well.

for my $case (['foo/bar', "PK\3\4\24\0\0\0\10\0" . "\1" x 30],
              ['foo/bar', "\0\1\2\3"],
              ['imagecache/png', "\0\0\0"])
{
    my ($type, $bytes) = @$case;
    my $path = '/v1beta/models/gemini-2.5-strange:generateContent';
    my $blob = '{"inlineData":{"mimeType":"' . $type . '","data":"'
        . b64($bytes) . '"}}';
    my $call = '{"contents":[{"role":"user","parts":[{"functionResponse":'
        . qq({"name":"f","response":{"a":1},"parts":[$blob]}}]}]});
    my $data = decode_strict(sent($path, $call));

    is($data->{contents}[1]{parts}[1]{inlineData}{data}, b64($bytes),
       "$type of " . length($bytes) . ' bytes');
}

$t->finish;
