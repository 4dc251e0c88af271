#!/usr/bin/perl

# Derived forms in requests to models: in each API, of references and of the
# client's own media, the part or the text that arrives; what the converter is
# asked; and that the same request becomes the same bytes.

use strict;
use warnings;
use utf8;

use Digest::SHA qw(sha256_hex);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFit;
use ArtifactFixtures;
use ArtifactTest;

my $t = ArtifactTest->new;

my %content = (
    tiff => [tiff_of(9, 9, 'one'), 'image/tiff', 'scan.tiff'],
    tif2 => [tiff_of(9, 9, 'two'), 'image/tiff', '图.1.tif'],
    nameless => [tiff_of(9, 9, 'three'), 'image/tiff', undef],
    odd => [tiff_of(9, 9, 'four'), 'image/tiff', 'without extension'],
    other => [tiff_of(9, 9, 'five'), 'image/tiff', 'page.unknown'],
    heic => [heic(), 'image/heic', 'phone.HEIC'],
    docx => [docx(), 'application/vnd.openxmlformats-officedocument.'
             . 'wordprocessingml.document', 'letter.docx'],
    pdf => [pdf(), 'application/pdf', 'r.pdf'],
    png => [png(), 'image/png', 'shot.png'],
    note => ["a note\n", 'text/plain', 'a.txt'],
);

$t->artifacts(\%content);

$t->file('map.json', fit_map(['papers', ['file', 'pdf']]));

my $odt = 'application/vnd.oasis.opendocument.text';
$t->artifact('odt', zip_of(mimetype => $odt, x => 'y'),
             { type => $odt, name => 'Letter.v2.odt' });

my $rules = <<'RULES';
    artifact_derive image/tiff,image/heic image/jpeg /c/jpeg body;
    artifact_derive application/pdf,image text/plain /c/text body;
    artifact_derive document text/markdown /c/markdown body;
RULES

my $pass = 'artifact_expand on; proxy_pass http://unix:%%PREFIX%%/echo:;';

my $converter = converter($t->prefix . '/convert');
my $echo = echoed($t);

$t->start(http => 'artifact_capabilities %%PREFIX%%/map.json;',
          server => fit_server($rules, <<"MORE"));
    location /zh/ { artifact_language zh; $pass }
    location /papers/ {
        artifact_derive document,image application/pdf /c/pdf body;
        $pass
    }
    location /papers/mistral/ {
        artifact_derive document,image application/pdf /c/pdf body;
        artifact_format mistral;
        $pass
    }
MORE

sub ask {
    my ($uri, $body, @headers) = @_;
    my $res = $t->req('POST', $uri, body => $body,
        headers => ['Content-Type' => 'application/json', @headers]);
    return $res;
}

sub text_line {
    my ($id, $language) = @_;
    my (undef, $mime, $name) = @{ $content{$id} };
    return bytes($language eq 'zh' ? "工件内容 ($name, 由 $mime 转换):\n"
                 : "Content of $name, converted from $mime:\n");
}

# --- each API: references

my $jpeg = converted('jpeg', $content{tiff}[0]);

for my $api (apis()) {
    my %mime = ($api => 'image/jpeg');

    for (['a slot', slot($api, 'image', 'artifact:tiff')],
         ['the neutral part', neutral_part($api, 'artifact:tiff')],
         ['a slot of another kind', slot($api, 'document', 'artifact:tiff')])
    {
        my ($name, $part) = @$_;
        $converter->asked;
        my $body = body_of($api, 'sees', $part);
        my $res = ask(uri_of($api, 'sees'), $body);
        my ($got, @more) = parts_in(json_of($res));

        is($res->{status}, 200, "$api: $name: 200");
        ok(ref $got && $got->{bytes} eq $jpeg && !@more,
           "$api: $name: what the converter made")
            or diag(substr $res->{body}, 0, 300);
        is(ref $got ? $got->{mime} : '', 'image/jpeg', "$api: $name: its type");
        is($converter->names, 'jpeg', "$api: $name: asked once");
        is(ask(uri_of($api, 'sees'), $body)->{body}, $res->{body},
           "$api: $name: the same again");
    }

    # ... for one who does not see, and a document

    for my $case (['reads', 'tiff', 'text'], ['sees', 'pdf', 'text'],
                  ['reads', 'pdf', 'text'], ['sees', 'docx', 'markdown'])
    {
        my ($model, $id, $form) = @$case;
        my $kind = $content{$id}[1] =~ /^image/ ? 'image' : 'document';

        # which reads a PDF for any model

        next if $api eq 'openrouter' && $id eq 'pdf';
        for my $part (slot($api, $kind, "artifact:$id"),
                      neutral_part($api, "artifact:$id"))
        {
            my $res = ask(uri_of($api, $model), body_of($api, $model, $part));
            my ($got, @more) = parts_in(json_of($res));
            is(ref $got || bytes($got // ''), text_line($id, 'en')
               . converted($form, $content{$id}[0]),
               "$api: $id for who $model");
            is(scalar @more, 0, "$api: $id for who $model: one part");
        }
    }

    # what needs no other form

    $converter->asked;
    my $res = ask(uri_of($api, 'sees'), body_of($api, 'sees',
        map { neutral_part($api, "artifact:$_") } qw(png note)));
    my ($image, $text) = parts_in(json_of($res));
    ok(ref $image && $image->{bytes} eq $content{png}[0], "$api: PNG as it is");
    is($text, "a note\n", "$api: text as it is");
    is($converter->names, '', "$api: nobody is asked");
}

# Gemini takes HEIC, the others do not

for my $api (apis()) {
    my $res = ask(uri_of($api, 'sees'), body_of($api, 'sees',
        slot($api, 'image', 'artifact:heic')));
    my ($got) = media_in(json_of($res));
    is($got->{mime}, $api eq 'gemini' ? 'image/heic' : 'image/jpeg',
       "$api: a HEIC becomes what it takes");
}
$converter->asked;

# --- each API: the client's own media

for my $api (apis()) {
    for my $case (['sees', 'image', 'image/tiff', $content{tif2}[0]],
                  ['reads', 'image', 'image/png', $content{png}[0]],
                  ['reads', 'document', 'application/pdf', $content{pdf}[0]])
    {
        my ($model, $kind, $mime, $bytes) = @$case;
        next if $api eq 'openrouter' && $kind eq 'document';
        my $body = body_of($api, $model, '{"type":"text","text":"look"}',
            inline_part($api, $kind, $mime, $bytes));
        $body =~ s/"type":"text",// if $api =~ /gemini|bedrock/;
        $body =~ s/"type":"text"/"type":"input_text"/ if $api =~ /responses/;
        my $name = "$api: own $mime for who $model";

        my $res = ask(uri_of($api, $model), $body);
        my (undef, $got, @more) = parts_in(json_of($res));
        my @asked = $converter->asked;

        is(scalar @more, 0, "$name: one part");
        is(scalar @asked, 1, "$name: asked once");
        is($asked[0]{sha} // '', sha256_hex($bytes), "$name: with its bytes");
        if ($model eq 'sees') {
            ok(ref $got && $got->{bytes} eq converted('jpeg', $bytes),
               "$name: what the converter made");
            is(ref $got ? $got->{mime} : '', 'image/jpeg', "$name: its type");
        } else {
            my $made = converted('text', $bytes);
            like(ref $got || $got // '',
                 qr/\A[^\n]*converted from \Q$mime\E:\n\Q$made\E\z/,
                 "$name: the text under a line");
            unlike($got // '', qr/\AContent of(?! d,)/, "$name: without a name")
                if $kind eq 'image';
        }
        is(ask(uri_of($api, $model), $body)->{body}, $res->{body},
           "$name: the same again");
        $converter->asked;
    }
}

# the other members of a part stay

my $part = '{ "type":"image_url" ,"image_url":{"detail":"low","url":"%s"},'
    . '"x":[1e5]}';
my $body = body_of('openai', 'sees', $part);
my $url = 'data:image/jpeg;base64,' . b64($jpeg);
for my $source ('artifact:tiff', 'data:image/tiff;base64,'
                . b64($content{tiff}[0]))
{
    is(ask('/v1/chat/completions', sprintf $body, $source)->{body},
       sprintf($body, $url), 'only the URL has changed: '
       . substr $source, 0, 12);
}
$body = body_of('anthropic', 'sees', '{"type":"image","cache_control":{"type":'
    . '"ephemeral"},"source":{"type":"base64","media_type":"%s","data":"%s"}}');
is(ask('/v1/messages', sprintf $body, 'image/tiff',
       b64($content{tiff}[0]))->{body}, sprintf($body, 'image/jpeg', b64($jpeg)),
   'and the media type that stands beside');

# --- names, lines

for my $language (qw(en zh)) {
    my $uri = $language eq 'zh' ? '/zh/chat/completions'
        : '/v1/chat/completions';
    for my $id (qw(tiff tif2 odd other docx pdf heic)) {
        my $form = $id eq 'docx' ? 'markdown' : 'text';
        my $res = ask($uri, body_of('openai', 'reads',
            neutral_part('openai', "artifact:$id")));
        is(bytes((parts_in(json_of($res)))[0]), text_line($id, $language)
           . converted($form, $content{$id}[0]), "$language: the line of $id");
    }

    # where there is no name

    my $own = inline_part('openai', 'image', 'image/tiff', $content{odd}[0]);
    my $res = ask($uri, body_of('openai', 'reads', $own));
    my $words = $language eq 'zh' ? qr{\A工件内容\V*由 image/tiff 转换\V*:\n}
        : qr{\AContent\V*converted from image/tiff\V*:\n};
    my ($got) = parts_in(json_of($res));
    like($got, $words, "$language: the line without a name");
    unlike($got, qr/\(, |of ,|\(\)| ,/, "$language: nothing stands for it");

    # several lines are several parts

    $res = ask($uri, body_of('openai', 'reads', map {
        neutral_part('openai', "artifact:$_") } qw(tiff docx tiff)));
    is(join('', map { bytes($_) } parts_in(json_of($res))),
       join('', map { text_line($_, $language)
                . converted($_ eq 'docx' ? 'markdown' : 'text',
                            $content{$_}[0]) } qw(tiff docx tiff)),
       "$language: three parts");
}

# documents keep their name, with another extension

for (['openai', '/papers/v1/chat/completions'],
     ['openai_responses', '/papers/v1/responses'],
     ['anthropic', '/papers/v1/messages'],
     ['mistral', '/papers/mistral/chat/completions'])
{
    my ($api, $uri) = @$_;
    for (['odt', 'Letter.v2.pdf'], ['odd', 'without extension'],
         ['other', 'page.unknown'], ['tif2', '图.1.pdf'])
    {
        my ($id, $name) = @$_;

        # which takes that document as it is

        next if $api eq 'openai_responses' && $id eq 'odt';

        my $res = ask($uri, body_of($api, 'papers',
            neutral_part($api, "artifact:$id")));
        my ($got) = media_in(json_of($res));
        my $is = $got && $got->{bytes} =~ /^%PDF/ ? $got->{name} : 'no PDF';

        # what has no known extension may get one, or not

        $is =~ s/\.pdf\z// if $name !~ /\.pdf\z/;
        is($is, $name, "$api: the name of $id");
    }
}

# --- once

$converter->asked;
$body = body_of('openai', 'sees', map({ slot('openai', 'image', "artifact:$_") }
    qw(tiff tif2 tiff odd tif2 tiff)));
my $res = ask('/v1/chat/completions', $body);
is(join(' ', map { my $got = $_; grep { $got->{bytes}
        eq converted('jpeg', $content{$_}[0]) } qw(tiff tif2 odd) }
        media_in(json_of($res))), 'tiff tif2 tiff odd tif2 tiff',
   'six places of three artifacts, in order');
is($converter->names, 'jpeg jpeg jpeg', 'each is converted once');
is(ask('/v1/chat/completions', $body)->{body}, $res->{body},
   'the same again');
$converter->asked;

# --- positions that are only named

for my $role (qw(system developer assistant)) {
    my $with = '{"model":"sees","messages":[{"role":"' . $role . '","content":['
        . neutral_part('openai', 'artifact:tiff') . ']},{"role":"user",'
        . '"content":"x"}]}';
    my $res = ask('/v1/chat/completions', $with);
    is($res->{status}, 200, "$role: 200");
    like($res->{body}, qr/scan\.tiff.*artifact:tiff/, "$role: its name");
    is($converter->names, '', "$role: and nobody is asked");
}
$res = ask('/v1/messages', '{"model":"sees","system":[' . neutral_part(
    'anthropic', 'artifact:tiff') . '],"messages":[{"role":"user","content":'
    . '"x"}]}');
is($res->{status}, 200, 'system of Anthropic');
is($converter->names, '', 'nobody is asked');

# a tool's result

$body = '{"model":"%s","messages":[{"role":"assistant","content":null,'
    . '"tool_calls":[{"id":"a","type":"function","function":{"name":"f",'
    . '"arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":'
    . '"artifact:tiff"}]}';
$res = ask('/v1/chat/completions', sprintf $body, 'sees');
my ($last) = media_in(json_of($res)->{messages}[-1]{content});
ok($last && $last->{bytes} eq $jpeg, 'what a tool returned');
is($converter->names, 'jpeg', 'is converted');
$res = ask('/zh/chat/completions', sprintf $body, 'reads');
like(bytes(json_of($res)->{messages}[1]{content}),
     qr/\Q@{[text_line('tiff', 'zh')
              . converted('text', $content{tiff}[0])]}\E/,
     'its text stays in the result');
$res = ask('/v1/messages', '{"model":"sees","messages":[{"role":"user",'
    . '"content":[{"type":"tool_result","tool_use_id":"t","content":['
    . slot('anthropic', 'image', 'artifact:tiff') . ']}]}]}');
is($res->{status}, 200, 'a tool result of Anthropic');
$converter->asked;

$_->stop for $converter, $echo;
$t->finish;
