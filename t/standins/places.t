#!/usr/bin/perl

# Behind a gateway a stand-in counts wherever it is a JSON string, or a data URL, on
# any path and in any spelling of base64; in what is none of these it is none.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactSandwich;
use ArtifactTest;
use ArtifactTools;

my $t = ArtifactTest->new;
my $echo = standin_echo($t);

standin_server($t, server => <<'SERVER');
    location /few/ {
        artifact_expand standins;
        artifact_refs_max 2;
        proxy_pass %%ECHO%%;
    }
    location /on/ {
        artifact_expand on;
        proxy_pass %%ECHO%%;
    }
    location /inline/ {
        artifact_expand standins;
        artifact_inline_max 1k;
        proxy_pass %%ECHO%%;
    }
    location /large/ {
        artifact_expand standins;
        artifact_offload_min 1m;
        proxy_pass %%ECHO%%;
    }
    location /url/ {
        artifact_expand standins;
        artifact_delivery url;
        artifact_url https://x.example/files/;
        proxy_pass %%ECHO%%;
    }
    location /body/ {
        artifact_expand standins;
        artifact_body_max 8k;
        proxy_pass %%ECHO%%;
    }
SERVER

my %content = map { $_ => standin_content($_, 3000) } @STANDIN_KINDS;
my %b64 = map { $_ => b64($content{$_}) } @STANDIN_KINDS;

for my $kind (@STANDIN_KINDS) {
    my %slot = standin_slots('gemini', $kind);
    standin_post($t, '/front' . standin_uri('gemini', 'sees'),
                 standin_body('gemini', 'sees',
                              $slot{inline}->(standin_mime($kind), $b64{$kind})));
}

my %standin = map {
    $_ => standin_bytes($_, standin_id($t->data, $content{$_}, $_))
} @STANDIN_KINDS;

my $chat = '/v1/chat/completions';


sub sent {
    my ($uri, $body) = @_;
    my $res = standin_post($t, $uri, $body);
    return $res->status == 200 ? $res->body : $res->status . $res->body;
}

# The stand-in in a text at "{}" becomes the base64.

sub becomes {
    my ($name, $kind, $template, $spelled, $uri) = @_;
    my $of = sub { $template =~ s/\{\}/$_[0]/gr };
    standin_same(sent($uri // "/behind$chat",
                      $of->($spelled // b64($standin{$kind}))),
                 $of->($b64{$kind}), $name);
}

sub stays {
    my ($name, $body, $uri) = @_;
    standin_same(sent($uri // "/behind$chat", $body), $body, "$name: stays");
}


# --- any string

for my $kind (@STANDIN_KINDS) {
    my $mime = standin_mime($kind);

    becomes("$kind, $_->[0]", $kind, $_->[1]) for
        ['a member that is no slot', '{"model":"sees","x":"{}"}'],
        ['metadata', '{"metadata":{"a":["{}"]},"model":"sees"}'],
        ['a string alone', '"{}"'],
        ['an array', '[1,["{}"],"{}"]'],
        ['a data URL', qq({"x":"data:$mime;base64,{}"})],
        ['a data URL of another type', '{"x":"data:a/b;base64,{}"}'],
        ['a data URL with a parameter', '{"x":"data:a/b;c=d;base64,{}"}'],
        ['a text of a user', '{"model":"sees","messages":[{"role":"user",'
         . '"content":"{}"}]}'],
        ['arguments', '{"model":"sees","messages":[{"role":"assistant",'
         . '"tool_calls":[{"id":"a","type":"function","function":{"name":"f",'
         . '"arguments":"{}"}}]}]}'],
        ['tools', '{"tools":[{"function":{"parameters":{"default":"{}"}}}],'
         . '"model":"sees"}'];
}

becomes('on a path of no API', 'png', '{"x":"{}"}', undef, '/behind/unknown');
becomes('on no path', 'png', '{"x":"{}"}', undef, '/behind/');
becomes('at a path of an API, in another\'s shape', 'png',
        '{"model":"sees","contents":[{"parts":[{"inlineData":{"data":"{}"}}]}]}');
becomes('whatever the minimum', 'png', '{"x":"{}"}', undef, "/large$chat");
becomes('whatever artifact_inline_max', 'png', '{"model":"sees","messages":[{'
        . '"role":"user","content":[{"type":"image_url","image_url":{"url":'
        . '"data:image/png;base64,{}"}}]}]}', undef, "/inline$chat");
becomes('by no URL', 'png', '{"model":"sees","messages":[{"role":"user",'
        . '"content":[{"type":"image_url","image_url":{"url":"data:image/png;'
        . 'base64,{}"}}]}]}', undef, "/url$chat");
becomes('with artifact_expand on', 'png', '{"model":"sees","messages":[{"role":'
        . '"user","content":[{"type":"image_url","image_url":{"url":"data:'
        . 'image/png;base64,{}"}}]}]}', undef, "/on$chat");


# --- spellings

for my $kind (qw(png wav)) {
    my $b64 = b64($standin{$kind});

    becomes("$kind, $_->[0]", $kind, '{"x":"{}"}', $_->[1]) for
        ['URL-safe', $b64 =~ tr{+/}{-_}r],
        ['"/" escaped', $b64 =~ s{/}{\\/}gr],
        ['"+" as \u002b', $b64 =~ s{\+}{\\u002b}gr],
        ['in lines of 76', $b64 =~ s/(.{76})(?=.)/$1\\n/gr],
        ['in lines of 64', $b64 =~ s/(.{64})(?=.)/$1\\r\\n/gr],
        ['all of it as \u', $b64 =~ s/(.)/sprintf '\\u%04x', ord $1/ger];
}


# --- what is none

stays('a character less', '{"x":"' . substr(b64($standin{png}), 0, -1) . '"}');
stays('four less', '{"x":"' . substr(b64($standin{png}), 0, -4) . '"}');
stays('a character more', '{"x":"' . b64($standin{png}) . 'A"}');
stays('in prose', '{"model":"sees","messages":[{"role":"user","content":"see '
      . b64($standin{png}) . '"}]}');
stays('a key', '{"' . b64($standin{png}) . '":1}');

{
    my $changed = $standin{png};
    substr($changed, 200, 1) ^= "\1";
    stays('another byte', '{"x":"' . b64($changed) . '"}');

    my $upper = $standin{png};
    substr($upper, 60, 36) =~ tr/a-f/A-F/;
    stays('an id in upper case', '{"x":"' . b64($upper) . '"}');

    my $crc = $standin{png};
    substr($crc, 96, 4) = "\0\0\0\0";
    stays('a wrong CRC', '{"x":"' . b64($crc) . '"}');
}

stays('a body that is no JSON', '{"x":"' . b64($standin{png}) . '"');
stays('twice the base64', '{"x":"' . b64(b64($standin{png})) . '"}');


# --- the number of them makes no error, a budget does

my ($slot) = values %{ { standin_slots('openai', 'png') } };
my @many = map { $slot->('image/png', '{}') } 1 .. 100;

becomes('a hundred', 'png', standin_body('openai', 'sees', @many));
becomes('a hundred, with artifact_refs_max 2', 'png',
        standin_body('openai', 'sees', @many), undef, "/few$chat");

my $res = standin_post($t, "/body$chat", standin_body('openai', 'sees',
    map { $slot->('image/png', b64($standin{png})) } 1 .. 5));
is($res->status, 413, 'what becomes too large');


# --- in a tool's text by prefix and length, whatever stands around

for my $api (qw(openai anthropic)) {
    my $of = sub {
        return $api eq 'openai' ? '{"model":"sees","messages":[{"role":"tool",'
            . '"tool_call_id":"a","content":"' . $_[0] . '"}]}'
            : '{"model":"sees","messages":[{"role":"user","content":[{"type":'
            . '"tool_result","tool_use_id":"a","content":"' . $_[0] . '"}]}]}';
    };
    my $uri = '/behind' . standin_uri($api);

    for my $kind (@STANDIN_KINDS) {
        my $b64 = b64($standin{$kind});
        my $name = names_of({ mime => standin_mime($kind),
                              bytes => $content{$kind} });

        for my $around (['see ', ' there'], ['', ''], ['x', 'x'], ['9', ''],
                        ['/', '/'], ['QUJD', 'QUJD'], ['\"', '\"'],
                        ['a=', '=='], ['\n', '\nmore'],
                        ['data:a/b;base64,', ')'], ['[{\"d\":\"', '\"}]'])
        {
            my ($before, $after) = @$around;
            my $got = sent($uri, $of->("$before$b64$after"));
            my $shown = $before =~ /^data:/ ? '' : $before;

            like($got, qr/"\Q$shown$name$after\E/,
                 "$api, $kind between \"$before\" and \"$after\": its name");
            like($got, qr/\Q$b64{$kind}\E|Unreadable/,
                 'and its part, or words');
            unlike($got, qr/\Q$b64\E/, 'it itself has gone');
        }
    }

    # more than sixteen: the short name alone

    my $twenty = join ' ', map { b64($standin{png}) } 1 .. 20;
    my $got = sent($uri, $of->($twenty));
    my $name = names_of({ mime => 'image/png', bytes => $content{png} });
    unlike($got, qr/\Q${\ b64($standin{png})}\E/, "$api: of twenty none is left");
    is(scalar(() = $got =~ /\Q$name\E/g) >= 20, 1, "$api: all are named");
}

$echo->stop;
$t->finish;
