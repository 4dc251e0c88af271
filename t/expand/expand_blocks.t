#!/usr/bin/perl

# Blocks of MCP among the parts of a tool's result, as some clients pass them
# on, which no API takes: links of artifacts become what they refer to, data
# become parts, all else is text.  And where Gemini takes media of tools.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactTools;

my $t = ArtifactTest->new;

my $URL = 'https://files.example.com/a/';
my %id;

sub stored {
    my ($n, $mime, $name) = @_;

    my $find = { id => sprintf('0190e%03x-1111-8222-9333-%012x', $n, $n),
                 mime => $mime, name => $name,
                 bytes => content_of($mime, 100 + $n) };
    $t->artifact($find->{id}, $find->{bytes},
                 { mimeType => $mime, name => $name });
    return $find;
}

my $shot = stored(1, 'image/png', 'shot.png');
my $doc = stored(2, 'application/pdf', 'r.pdf');
my $sound = stored(3, 'audio/wav', 'a.wav');
my $moving = stored(4, 'image/gif', 'm.gif');
my $photo = stored(5, 'image/jpeg', 'p.jpg');
my $log = stored(6, 'text/plain', 'a.log');
$t->artifact('guess', $shot->{bytes}, { mimeType => 'image/png',
                                        name => 'guess.png' });

my $own = { mime => 'image/png', bytes => content_of('image/png', 50),
            name => qr/./ };
my $voice = { mime => 'audio/wav', bytes => content_of('audio/wav', 50),
              name => qr/./ };
my $report = { mime => 'application/pdf', name => qr/./,
               bytes => content_of('application/pdf', 50) };

my $echo = tool_server($t, "artifact_url $URL;");

sub ask {
    my ($api, $model, $body) = @_;
    my $res = $t->req('POST', uri_of($api, $model), body => $body,
                      headers => ['Content-Type' => 'application/json']);
    is($res->{status}, 200, "$api, $model: 200") if $res->{status} != 200;
    return $res->{body};
}


# --- blocks

sub block_of {
    my ($kind, $find, $more) = @_;

    $more //= '';
    my $data = b64($find->{bytes});
    return $kind eq 'resource'
        ? '{"type":"resource","resource":{"uri":"file:///x","mimeType":"'
          . qq($find->{mime}","blob":"$data"}$more})
        : qq({"type":"$kind","data":"$data","mimeType":"$find->{mime}"$more});
}

sub link_of {
    my ($uri) = @_;
    return qq({"type":"resource_link","uri":"$uri","name":"the-name",)
        . '"mimeType":"image/png","size":9,"annotations":{"priority":1}}';
}

sub text_json {
    my ($api, $text) = @_;
    return encode_json_bytes(text_part($api, $text));
}

my @CHAT = qw(openai openrouter);

sub request {
    my ($api, $model, @parts) = @_;
    my $parts = '[' . join(',', @parts) . ']';

    return qq({"model":"$model","messages":[{"role":"user","content":[{"type":)
        . qq("tool_result","tool_use_id":"a","content":$parts}]}]})
        if $api eq 'anthropic';
    return qq({"model":"$model","input":[{"type":"function_call_output",)
        . qq("call_id":"a","output":$parts}]}) if $api eq 'openai_responses';
    return qq({"model":"$model","messages":[{"role":"tool","tool_call_id":"a",)
        . qq("content":$parts},{"role":"assistant","content":"ok"}]});
}

# What the tool's result holds then, and what was hoisted: parts.

sub parts_of {
    my ($api, $body) = @_;

    my $data = decode_strict($body);
    return ($data->{messages}[0]{content}[0]{content}, [])
        if $api eq 'anthropic';
    return ($data->{input}[0]{output}, []) if $api eq 'openai_responses';

    my @messages = @{ $data->{messages} };
    return ($messages[0]{content}, @messages == 3 ? $messages[1]{content} : []);
}

# A block is replaced by this part, or by a text that matches; before it and
# behind it stand texts.

sub becomes {
    my ($api, $model, $name, $block, $want) = @_;

    my $chat = grep { $_ eq $api } @CHAT;
    my ($front, $end) = map { text_part($api, $_) } 'before', 'behind';
    my $body = ask($api, $model, request($api, $model,
        map({ ref $_ ? encode_json_bytes($_) : $_ } $front, $block, $end)));
    my ($in, $out) = parts_of($api, $body);

    # what is put elsewhere leaves a text behind

    my $media = ref $want eq 'HASH';
    my $inside = $media && !$chat ? $want
        : text_part($api, $media ? qr/./ : $want);
    is(difference($in, [$front, $inside, $end], ''), '',
       "$api, $model: $name");
    is(difference($out, $media && $chat
                  ? [text_part($api, qr/./), $want] : [], ''), '',
       "$api, $model: $name: what is put behind");
}

for my $api (qw(openai openrouter mistral openai_responses anthropic)) {
    for my $model (qw(all sees reads)) {
        my $one = sub {
            my ($name, $block, $find) = @_;
            becomes($api, $model, $name, $block, takes($api, $model, $find)
                    ? part_of($api, $find) : described($find));
        };

        $one->('a link', link_of("artifact:$shot->{id}"), $shot);
        $one->('a link by URL', link_of("$URL$shot->{id}"), $shot);
        $one->('a link of a document', link_of("artifact:$doc->{id}"), $doc);
        $one->('a link of a text', link_of("artifact:$log->{id}"), $log);
        $one->('a link of what is gone', link_of('artifact:0190ffff-1111-'
            . '8222-9333-0123456789ab'), { missing => 1,
            id => '0190ffff-1111-8222-9333-0123456789ab' });

        $one->('an image', block_of('image', $own), $own);
        $one->('an image and more', block_of('image', $own,
            ',"annotations":{"audience":["user"]},"_meta":{"x":1}'), $own);
        $one->('audio', block_of('audio', $voice), $voice);
        $one->('a resource', block_of('resource', $report), $report);
        $one->('an image as a resource', block_of('resource', $own,
            ',"_meta":{"x":1}'), $own);

        for my $uri ('https://example.com/x.png', 'file:///tmp/x', 'artifact:',
                     'artifact:guess', 'artifact:ws:w:YQ', "${URL}guess")
        {
            becomes($api, $model, "a link of $uri", link_of($uri),
                    qr/(?=.*the-name)(?=.*\Q$uri\E)/s);
        }
        becomes($api, $model, 'a resource with a text',
            '{"type":"resource","resource":{"uri":"file:///x","mimeType":'
            . '"text/plain","text":"caf\u00e9 \"1\"\n2"},"annotations":{}}',
            "caf\x{e9} \"1\"\n2");
    }

    # several, and what is in the API's own form

    my $own_part = part_of($api, $own);
    my ($in, $out) = parts_of($api, ask($api, 'all', request($api, 'all',
        link_of("artifact:$shot->{id}"), block_of('image', $own),
        text_json($api, "see [artifact:$photo->{id}]"),
        link_of("artifact:$doc->{id}"))));
    my @want = map { part_of($api, $_) } $shot, $own, $photo, $doc;
    my @all = grep { !defined $_->{text} } @$in, @$out;
    is(difference(\@all, \@want, ''), '', "$api: several, in their order");

    # nobody else's: a message of the user with such a block stays

    my $user = $api eq 'openai_responses'
        ? '{"model":"all","input":[{"role":"user","content":['
        : '{"model":"all","messages":[{"role":"user","content":[';
    $user .= join(',', link_of("artifact:$shot->{id}"),
                  block_of('resource', $own)) . ']}]}';
    is(ask($api, 'all', $user), $user, "$api: a user's blocks stay");
}


# --- Gemini

sub response {
    my ($name, $response, $parts) = @_;
    return qq({"functionResponse":{"name":"$name","response":$response)
        . (defined $parts ? qq(,"parts":[$parts]}}) : '}}');
}

sub contents {
    return '{"contents":[' . join(',', map { qq({"role":"user","parts":[$_]}) }
                                  @_) . ',{"role":"model","parts":[{"text":'
        . '"ok"}]}]}';
}

sub said {
    my ($find) = @_;
    return ({ text => "Artifact content ($find->{name}):" },
            part_of('gemini-3', $find));
}

sub output {
    my ($find) = @_;
    return qr/\Q$find->{name}\E.*artifact:$find->{id}/;
}

sub gemini_is {
    my ($api, $model, $name, $body, @want) = @_;
    my $got = eval { decode_strict(ask($api, $model, $body)) } || {};
    my @contents = map { { role => 'user', parts => $_ } } @want;
    push @contents, { role => 'model', parts => [{ text => 'ok' }] };
    is(difference($got->{contents}, \@contents, ''), '',
       "$api, $model: $name");
}

sub answered {
    my ($response, @parts) = @_;
    return { functionResponse => { name => 'f', response => $response,
                                   @parts ? (parts => \@parts) : () } };
}

# what each version takes within a result; all else is a content of its own

for my $find ($shot, $photo, $doc, $sound, stored(7, 'image/webp', 'w.webp')) {
    my $body = contents(response('f', qq({"output":"artifact:$find->{id}"})));
    my $words = { output => output($find) };

    gemini_is('gemini-2.5', 'all', "$find->{name}, a result", $body,
              [answered($words)], [said($find)]);
    gemini_is('gemini-3', 'all', "$find->{name}, a result", $body,
        $find == $sound ? ([answered($words)], [said($find)])
                        : [answered($words, part_of('gemini-3', $find))]);
    gemini_is($_, 'reads', "$find->{name}, words", $body,
        [answered({ output => described($find) })]) for 'gemini-2.5',
        'gemini-3';
}
gemini_is($_, 'all', 'a type that is never taken',
    contents(response('f', qq({"output":"artifact:$moving->{id}"}))),
    [answered({ output => described($moving) })]) for 'gemini-2.5', 'gemini-3';

# consecutive contents, and one with parts beside results

my $results = contents(
    response('f', qq({"output":"artifact:$shot->{id}"})) . ','
        . response('f', '{"x":1}'),
    response('f', qq({"a":"[artifact:$photo->{id}]"})));
gemini_is('gemini-2.5', 'all', 'behind the last of them', $results,
    [answered({ output => output($shot) }), answered({ x => 1 })],
    [answered({ a => "[artifact:$photo->{id}]" })],
    [said($shot), said($photo)]);
gemini_is('gemini-3', 'all', 'each in its own', $results,
    [answered({ output => output($shot) }, part_of('gemini-3', $shot)),
     answered({ x => 1 })],
    [answered({ a => "[artifact:$photo->{id}]" },
              part_of('gemini-3', $photo))]);

# parts that were there

my $png = encode_json_bytes(part_of('gemini-3', $own));
my $given = contents(response('f', qq({"a":"[artifact:$shot->{id}]"}), $png));
gemini_is('gemini-3', 'all', 'behind parts that were there', $given,
    [answered({ a => "[artifact:$shot->{id}]" }, part_of('gemini-3', $own),
              part_of('gemini-3', $shot))]);

gemini_is('gemini-3', 'all', "in place of $_",
    contents(response('f', qq({"a":"[artifact:$shot->{id}]"}))
             =~ s/"name"/"parts":$_,"name"/r),
    [answered({ a => "[artifact:$shot->{id}]" }, part_of('gemini-3', $shot))])
    for '[]', '[ ]', 'null';

$echo->stop;
$t->finish;
