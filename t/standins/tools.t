#!/usr/bin/perl

# What tools return: media in results, pasted into their texts, in blocks as MCP
# has them, screenshots of a computer.  Base64 is replaced where it stands, and
# behind the gateway the model gets what it would have got without one.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactSandwich;
use ArtifactTest;

my $t = ArtifactTest->new;
my $echo = standin_echo($t);

standin_server($t);

my %content = map { $_ => standin_content($_, 3000) } @STANDIN_KINDS;
my %b64 = map { $_ => b64($content{$_}) } @STANDIN_KINDS;

# the key is made with the first

my ($slot) = values %{ { standin_slots('openai', 'png') } };
standin_post($t, '/front/v1/chat/completions',
             standin_body('openai', 'sees', $slot->('image/png', $b64{png})));
my %standin = map {
    $_ => standin_b64($_, standin_id($t->data, $content{$_}, $_))
} @STANDIN_KINDS;


# The results of a tool by API: code that makes a request of a JSON value, which
# is a string or an array of parts.

my %result = (
    openai => sub {
        return qq({"model":"$_[0]","messages":[{"role":"user","content":"q"},)
            . '{"role":"assistant","content":null,"tool_calls":[{"id":"a",'
            . '"type":"function","function":{"name":"f","arguments":"{}"}}]},'
            . qq({"role":"tool","tool_call_id":"a","content":$_[1]}]});
    },
    openai_responses => sub {
        return qq({"model":"$_[0]","input":[{"type":"function_call_output",)
            . qq("call_id":"a","output":$_[1]}]});
    },
    anthropic => sub {
        return qq({"model":"$_[0]","messages":[{"role":"user","content":[)
            . qq({"type":"tool_result","tool_use_id":"a","content":$_[1]}]}]});
    },
    bedrock => sub {
        my $content = $_[1] =~ /\A"/ ? qq([{"text":$_[1]}]) : $_[1];
        return '{"messages":[{"role":"user","content":[{"toolResult":{'
            . qq("toolUseId":"a","content":$content}}]}]});
    },
    gemini => sub {
        return '{"contents":[{"role":"user","parts":[{"functionResponse":{'
            . qq("name":"f","response":{"x":[{"y":$_[1]}]}}}]}]});
    },
);
$result{mistral} = $result{openrouter} = $result{openai};


sub post {
    my ($at, $api, $body, $model) = @_;
    my $res = standin_post($t, "/$at" . standin_uri($api, $model // 'sees'),
                           $body);
    return $res->status == 200 ? $res->body : $res->status . $res->body;
}

# What is put back is plain, in one line.

sub plain {
    my ($body) = @_;
    $body =~ s{(?<=[A-Za-z0-9+/]{60})\\n(?=[A-Za-z0-9+/=])}{}g;
    $body =~ s{(?<=[A-Za-z0-9+])\\{2}/(?=[A-Za-z0-9+/])}{/}g;
    return $body;
}

# Without the names that documents get where they have none.

sub unnamed {
    my ($body) = @_;
    $body =~ s/"(?:pasted-\d+|document)((?:\.pdf)?(?:[ ]\[\w+\])?)"/
               '"document' . ($1 =~ s{ \[.*}{}r) . '"'/gex;
    return $body;
}

# What is replaced in a value, of "{}" in it, and what arrives in the end.

sub becomes {
    my ($name, $api, $value, $was, $standin, $request) = @_;

    $request //= $result{$api};
    my $of = sub { $request->('sees', $value =~ s/\{\}/$_[0]/gr) };
    standin_same(post('front', $api, $of->($was)), $of->($standin),
                 "$api, $name: in its place");

    for my $model (qw(sees reads new-model)) {
        my $body = $request->($model, $value =~ s/\{\}/$was/gr);
        standin_same(unnamed(post('all', $api, $body, $model)),
                     unnamed(plain(post('direct', $api, $body, $model))),
                     "$api, $name, $model: in the end as without it");
    }
}

sub stays {
    my ($name, $api, $value, $request) = @_;
    my $body = ($request // $result{$api})->('sees', $value);
    standin_same(post('front', $api, $body), $body, "$api, $name: stays");
}


# --- pasted into texts

for my $api (sort keys %result) {
    becomes("$_ in a text", $api, '"see {} there"', $b64{$_}, $standin{$_})
        for @STANDIN_KINDS;
    becomes('alone', $api, '"{}"', $b64{png}, $standin{png});
    becomes('with a prefix', $api, '"a data:image/png;base64,{}"', $b64{png},
            $standin{png});
    becomes('JSON in JSON', $api, '"[{\"type\":\"image\",\"data\":\"{}\"}]"',
            $b64{jpeg}, $standin{jpeg});
    becomes('"/" escaped in JSON in JSON', $api, '"{\"d\":\"{}\"}"',
            $b64{png} =~ s{/}{\\\\/}gr, $standin{png});
    becomes('lines', $api, '"see\n{}\nthere"',
            $b64{gif} =~ s/(.{76})(?=.)/$1\\n/gr, $standin{gif});
    becomes('twice', $api, '"{} and {}"', $b64{webp}, $standin{webp});
    stays('cut', $api, '"see ' . substr($b64{png}, 0, 3000) . '... (cut)"');
    stays('below the minimum', $api, '"see ' . substr($b64{mp3}, 0, 900) . ' "');
    stays('text', $api, '"see ' . b64('words and words ' x 300) . '"');
    stays('glued', $api, '"see x' . $b64{png} . '"');
}

becomes('in json', 'bedrock', '[{"json":{"a":["see {}"],"n":1}}]', $b64{png},
        $standin{png});

# sixteen of a text

{
    my @many = map { standin_content('png', 1000 + $_) } 0 .. 17;
    my $was = '"' . join(' ', map { b64($_) } @many) . '"';
    my $now = '"' . join(' ', (map { standin_b64('png',
        standin_id($t->data, $_, 'png')) } @many[0 .. 15]),
        map { b64($_) } @many[16, 17]) . '"';

    for my $api (qw(anthropic openai)) {
        standin_same(post('front', $api, $result{$api}->('sees', $was)),
                     $result{$api}->('sees', $now), "$api: sixteen finds");
    }
}


# --- no texts of tools

stays('the text of a user', 'openai', "see $b64{png}", sub {
    return qq({"model":"$_[0]","messages":[{"role":"user","content":"$_[1]"}]})
});
stays('arguments', 'openai', $b64{png}, sub {
    return qq({"model":"$_[0]","messages":[{"role":"assistant","content":null,)
        . '"tool_calls":[{"id":"a","type":"function","function":{"name":"f",'
        . qq("arguments":"{\\"a\\":\\"$_[1]\\"}"}}]}]});
});
stays('input of a call', 'anthropic', $b64{png}, sub {
    return qq({"model":"$_[0]","messages":[{"role":"assistant","content":[{)
        . qq("type":"tool_use","id":"a","name":"f","input":{"x":"$_[1]"}}]}]});
});
stays('results of a server\'s tool', 'anthropic', $b64{png}, sub {
    return qq({"model":"$_[0]","messages":[{"role":"assistant","content":[{)
        . '"type":"code_execution_tool_result","tool_use_id":"a","content":{'
        . '"type":"code_execution_result","stdout":"' . $_[1] . '"}}]}]}';
});
stays('a text source', 'anthropic', b64('words and words ' x 300), sub {
    return qq({"model":"$_[0]","messages":[{"role":"user","content":[{"type":)
        . '"document","source":{"type":"text","media_type":"text/plain",'
        . qq("data":"$_[1]"}}]}]});
});
stays('what a model has drawn', 'openai_responses', $b64{png}, sub {
    return qq({"model":"$_[0]","input":[{"type":"image_generation_call",)
        . qq("id":"a","status":"completed","result":"$_[1]"}]});
});


# --- media in results

my %part = (
    openai => '{"type":"image_url","image_url":{"url":"data:image/png;base64,{}"}}',
    openai_responses => '{"type":"input_image","image_url":"data:image/png;base64,{}"}',
    anthropic => '{"type":"image","source":{"type":"base64","media_type":"image/png","data":"{}"}}',
    bedrock => '{"image":{"format":"png","source":{"bytes":"{}"}}}',
    mistral => '{"type":"image_url","image_url":"data:image/png;base64,{}"}',
);

becomes('a part', $_, "[$part{$_}]", $b64{png}, $standin{png})
    for sort keys %part;

becomes('a part of the response', 'gemini', '"{}"', $b64{png}, $standin{png},
        sub {
    return '{"contents":[{"role":"user","parts":[{"functionResponse":{"name":'
        . '"f","response":{"x":1},"parts":[{"inlineData":{"mimeType":'
        . qq("image/png","data":$_[1]}}]}}]}]});
});


# --- blocks as MCP has them

for my $api (qw(openai openai_responses anthropic bedrock)) {
    becomes('an image of MCP', $api,
            '[{"type":"image","data":"{}","mimeType":"image/png"}]', $b64{png},
            $standin{png}) if $api ne 'bedrock';
    becomes('a sound of MCP', $api,
            '[{"type":"audio","data":"{}","mimeType":"audio/wav"}]', $b64{wav},
            $standin{wav}) if $api ne 'bedrock';
    becomes('a resource of MCP', $api, '[{"type":"resource","resource":{"uri":'
            . '"a:b","mimeType":"application/pdf","blob":"{}"}}]', $b64{pdf},
            $standin{pdf}) if $api ne 'bedrock';
}


# --- screenshots, and pictures of an assistant

becomes('a screenshot', 'openai_responses', '"{}"', $b64{png}, $standin{png},
        sub {
    return qq({"model":"$_[0]","input":[{"type":"computer_call_output",)
        . '"call_id":"a","output":{"type":"computer_screenshot","image_url":'
        . ($_[1] =~ s{^"}{"data:image/png;base64,}r) . '}}]}';
});
becomes('pictures of an assistant', 'openrouter', '"{}"', $b64{png},
        $standin{png}, sub {
    return qq({"model":"$_[0]","messages":[{"role":"user","content":"q"},)
        . '{"role":"assistant","content":"a","images":[{"type":"image_url",'
        . '"image_url":{"url":' . ($_[1] =~ s{^"}{"data:image/png;base64,}r)
        . '}}]},{"role":"user","content":"q"}]}';
});

$echo->stop;
$t->finish;
