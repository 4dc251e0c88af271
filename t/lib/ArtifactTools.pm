package ArtifactTools;

# Requests with results of tools, and a naive reference of what becomes of them:
# texts are made of pieces whose nature is known, so nothing is searched here.
#
# A find is what a piece refers to or holds: { id (of a marker), mime, bytes,
# name, cut, missing }.  Texts are bytes, as everywhere in the tests.

use strict;
use warnings;

use Compress::Zlib qw(crc32);
use Encode qw(encode);
use Exporter 'import';
use List::Util qw(first);
use MIME::Base64 qw(encode_base64);
use Test::More;

use ArtifactCheck;
use ArtifactFixtures;
use ArtifactJSON;
use ArtifactUpstream;

our @EXPORT = qw(
    @APIS @FORMS answer_problems_of content_of described difference escaped
    format_size names_of part_of pasted pasted_request request_of sample_map
    spelled takes text_part times_in tool_location tool_server uri_of
);

our @APIS = qw(openai openrouter mistral openai_responses anthropic bedrock
               gemini-2.5 gemini-3);

# What the rows take in tool results, of the types that the tests use.

my @IMAGES = qw(image/png image/jpeg image/gif image/webp);
my @ALL = (@IMAGES, 'application/pdf', 'audio/wav');
my @GEMINI = grep { $_ ne 'image/gif' } @ALL;
my %TAKES = (
    openai => \@ALL, openrouter => \@ALL, mistral => \@ALL,
    openai_responses => [@IMAGES, 'application/pdf'],
    anthropic => [@IMAGES, 'application/pdf'],
    bedrock => [@IMAGES, 'application/pdf'],
    'gemini-2.5' => \@GEMINI, 'gemini-3' => \@GEMINI,
);

# Readers: what they can take in.  A model of any other name is unknown.
# OpenRouter reads PDFs itself, for any model.

my %READER = (
    sees => qr{^image/}, reads => qr{^-$},
    all => qr{^(?:image/|audio/|application/pdf$)},
);

my %URI = (
    openai => '/openai/chat/completions', mistral => '/mistral/v1',
    openrouter => '/openrouter/v1', openai_responses => '/v1/responses',
    anthropic => '/v1/messages', bedrock => '/v1/model/%s/converse',
    'gemini-2.5' => '/v1/models/gemini-2.5-%s:generateContent',
    'gemini-3' => '/v1/models/gemini-3-%s:generateContent',
);


# The models of a map for all of these tests.

sub sample_map {
    my %input = (sees => ['text', 'vision'], reads => ['text'],
                 all => ['text', 'vision', 'pdf', 'file', 'audio']);
    return { services => [map {
        my $reader = $_;
        map { { id => "$_$reader",
                capabilities => { input => $input{$reader} } } }
            '', 'gemini-2.5-', 'gemini-3-';
    } sort keys %input] };
}


# Locations that pass requests of each API to the server of tool_server().

sub tool_location {
    my ($more) = @_;
    $more //= '';
    return join '', map {
        my $format = m{^(?:mistral|openrouter)$} ? "artifact_format $_;" : '';
        qq(
    location /$_/ {
        artifact_expand on;
        $format
        $more
        proxy_pass http://unix:%%PREFIX%%/echo:;
    }
) } qw(v1 openai mistral openrouter);
}


# Starts an nginx with these locations, and more of them; returns the upstream,
# which sends back what it gets.

sub tool_server {
    my ($t, $more) = @_;

    $t->file('map.json', sample_map());
    my $echo = ArtifactUpstream->echo($t->prefix . '/echo');

    $t->start(http => 'artifact_capabilities %%PREFIX%%/map.json;',
              server => <<'SERVER' . tool_location() . ($more // ''));
    artifact_root %%DATA%%;
    artifact_language en;
    artifact_offload_min 256;

    location /artifacts/ {
        internal;
        artifact;
    }
SERVER

    return $echo;
}


sub uri_of {
    my ($api, $model) = @_;
    return $URI{$api} =~ s/%s/$model/r;
}


# --- texts ----------------------------------------------------------------

# As a JSON string without its quotes.  slash: "/" becomes "\/"; unicode: "+"
# and "=" become \u escapes; ascii: so does all that is not ASCII.

sub escaped {
    my ($text, %opt) = @_;

    $text =~ s/(["\\])/\\$1/g;
    $text =~ s/\n/\\n/g;
    $text =~ s/\r/\\r/g;
    $text =~ s/\t/\\t/g;
    $text =~ s{/}{\\/}g if $opt{slash};
    $text =~ s/([+=])/sprintf '\\u%04x', ord $1/ge if $opt{unicode};
    if ($opt{ascii}) {
        $text = encode('UTF-16BE', chars($text));
        $text = join '', map { $_ < 128 ? chr : sprintf '\\u%04X', $_ }
            unpack 'n*', $text;
    }
    return $text;
}


# base64 as people paste it.  urlsafe, bare (no padding), lines (of that width,
# with crlf between them), data (a prefix: its type).

sub spelled {
    my ($content, %opt) = @_;

    my $text = encode_base64($content, '');
    $text =~ tr{+/}{-_} if $opt{urlsafe};
    $text =~ s/=+\z// if $opt{bare};
    my $eol = $opt{crlf} ? "\r\n" : "\n";
    $text =~ s/(.{$opt{lines}})(?=.)/$1$eol/gs if $opt{lines};
    return (defined $opt{data} ? "data:$opt{data};base64," : '') . $text;
}


sub format_size {
    my ($size) = @_;
    return "$size B" if $size < 1024;
    return sprintf '%.1f KB', int($size * 10 / 1024 + 0.5) / 10;
}


# A content of this type, with that many bytes more than it needs.

sub content_of {
    my ($mime, $more) = @_;

    my $fill = join '', map { chr 33 + rand_int(90) } 1 .. $more;
    my $make = {
        'image/png' => sub {
            my $chunk = "tEXt$fill";
            return substr(png(2, 2), 0, -12)
                . pack('N', $more) . $chunk . pack('N', crc32($chunk))
                . substr png(2, 2), -12;
        },
        'image/jpeg' => sub {
            return "\xff\xd8\xff\xfe" . pack('n', $more + 2) . $fill
                . substr jpeg(), 2;
        },
        'image/gif' => sub {
            return substr(gif(), 0, -1) . "!\xfe"
                . join('', map { pack 'C/a', $_ } $fill =~ /.{1,200}/gs)
                . "\0;";
        },
        'image/webp' => sub {
            my $chunks = substr(webp(), 8) . 'XMP ' . pack('V', $more) . $fill
                . "\0" x ($more % 2);
            return 'RIFF' . pack('V', length $chunks) . $chunks;
        },
        'audio/wav' => sub {
            my $chunks = substr(wav(), 8) . 'junk' . pack('V', $more) . $fill
                . "\0" x ($more % 2);
            return 'RIFF' . pack('V', length $chunks) . $chunks;
        },
        'application/pdf' => sub { return pdf() =~ s/\ntr/\n%$fill\ntr/r },
        'video/mp4' => sub { return mp4() . $fill },
        'text/plain' => sub { return "a text of $more bytes: $fill\n" },
        'application/zip' => sub { return zip_of(a => $fill) },
    };
    return $make->{$mime}->();
}


# "[image/png, 1.2 KB]"

sub names_of {
    my ($find) = @_;
    return sprintf '[%s, %s]', $find->{mime},
        format_size(length $find->{bytes});
}


# --- what becomes of a find ------------------------------------------------

sub takes {
    my ($api, $model, $find) = @_;

    return 0 if $find->{missing} || $find->{cut};
    my $taken = first { $_ eq $find->{mime} } @{ $TAKES{$api} };
    return 0 if !$taken;
    return 1 if $api eq 'openrouter' && $find->{mime} eq 'application/pdf';
    return $find->{mime} =~ $READER{$model} if $READER{$model};
    return $find->{mime} =~ m{^image/};
}


# The words that stand for a find, as a pattern, or a text's own.

sub described {
    my ($find) = @_;

    return chars($find->{bytes})
        if defined $find->{mime} && $find->{mime} eq 'text/plain';
    return qr/\A\[Unreadable\]\ artifact:$find->{id}\n.*not\ exist.*\z/x
        if $find->{missing};
    return qr/\A\[File processing failed: [^\n]+\]\nError: .*\z/s
        if $find->{cut};

    my $name = defined $find->{id} ? "\Q$find->{name} (artifact:$find->{id})\E"
                                   : '[^\n]+';
    my $size = quotemeta format_size(length $find->{bytes});
    return qr/\A\[Unreadable\]\ $name\nType:\ [^\n]+\nSize:\ $size\n
              [^\n]*(?:cannot\ read|does\ not\ take)[^\n]*\z/x;
}


# The part of a find for an API; of pasted bytes the name may be any.

sub part_of {
    my ($api, $find) = @_;

    my ($mime, $data) = ($find->{mime}, b64($find->{bytes}));
    my $url = "data:$mime;base64,$data";
    my ($kind, $format) = $mime =~ m{^(\w+)/(\w+)};
    my $name = $find->{name} // qr/./;

    if ($api =~ /^gemini/) {
        return { inlineData => { mimeType => $mime, data => $data } };
    }
    if ($api eq 'bedrock') {
        my $source = { bytes => $data };
        return $kind eq 'image'
            ? { image => { format => $format, source => $source } }
            : { document => { format => $format, source => $source,
                              name => qr/\A[-\w()\[\] ]{1,200}\z/ } };
    }
    if ($api eq 'anthropic') {
        my $source = { type => 'base64', media_type => $mime, data => $data };
        return $kind eq 'image'
            ? { type => 'image', source => $source }
            : { type => 'document', source => $source, '?title' => $name };
    }
    if ($api eq 'openai_responses') {
        return $kind eq 'image'
            ? { type => 'input_image', detail => 'auto', image_url => $url }
            : { type => 'input_file', filename => $name, file_data => $url };
    }
    if ($api eq 'mistral') {
        return { type => 'image_url', image_url => $url } if $kind eq 'image';
        return { type => 'input_audio', input_audio => $data }
            if $kind eq 'audio';
        return { type => 'document_url', document_url => $url,
                 '?document_name' => $name };
    }
    return { type => 'image_url', image_url => { url => $url } }
        if $kind eq 'image';
    return { type => 'input_audio',
             input_audio => { data => $data, format => $format } }
        if $kind eq 'audio';
    return { type => 'file', file => { filename => $name,
                                       file_data => $url } };
}


sub text_part {
    my ($api, $text) = @_;

    return { text => $text } if $api =~ /^(?:gemini|bedrock)/;
    return { type => $api eq 'openai_responses' ? 'input_text' : 'text',
             text => $text };
}


# The JSON text of a text part with these bytes between the quotes.

sub text_part_json {
    my ($api, $raw) = @_;

    my $type = $api eq 'openai_responses' ? 'input_text' : 'text';
    return $api =~ /^(?:gemini|bedrock)/ ? qq({"text":"$raw"})
                                         : qq({"type":"$type","text":"$raw"});
}


# --- requests --------------------------------------------------------------

# A request of a model with batches of results; a batch is what tools returned
# at one turn.  A result: { texts, string }, a string if it is to stand for its
# only text; a text: { pieces, json }, one of Bedrock's json if it is to be.  A
# piece: [ its bytes in the string, those that are wanted there, the find ].
#
# The list of pieces of which the body consists: a string stands as it is, a
# hash is what may change: { was, now }; now: see _problem.

sub request_of {
    my ($api, $model, @batches) = @_;

    my $n = 0;
    my @pieces = _head($api, $model);
    for my $batch (@batches) {
        push @pieces, $n ? ',' : '', _call($api, \$n, scalar @$batch);

        my (@hoisted, $first);
        for my $result (@$batch) {
            my ($before, $after) = _frame($api, $n - @$batch + ++$first,
                                          $first, scalar @$batch);
            push @pieces, $before,
                _value($api, $model, $result, \@hoisted), $after;
        }
        push @pieces, { was => '', now => _hoist($api, @hoisted) },
            _said($api, $n);
    }
    return (@pieces, _tail($api));
}


sub _head {
    my ($api, $model) = @_;

    return '{"contents":[' if $api =~ /^gemini/;
    return '{"messages": [' if $api eq 'bedrock';
    return qq({"model":"$model","input":[) if $api eq 'openai_responses';
    return qq({"model": "$model", "temperature":1e0,"messages":[);
}


sub _tail {
    my ($api) = @_;
    return '],"safetySettings":[]}' if $api =~ /^gemini/;
    return '],"inferenceConfig":{"maxTokens":9}}' if $api eq 'bedrock';
    return '],"stream":true , "user":"caf\u00e9"}';
}


# What the model called: nothing of it is searched.

my $MENTION = '[artifact:0190a000-0000-7000-8000-0000000000ff]';

sub _call {
    my ($api, $n, $count) = @_;

    my @calls = map {
        my $id = 't' . ($$n + $_);
        $api =~ /^gemini/
            ? qq({"functionCall":{"name":"$id","args":{"x":"$MENTION"}}})
            : $api eq 'bedrock'
            ? qq({"toolUse":{"toolUseId":"$id","name":"f",)
              . qq("input":{"x":"$MENTION"}}})
            : $api eq 'anthropic'
            ? qq({"type":"tool_use","id":"$id","name":"f",)
              . qq("input":{"x":"$MENTION"}})
            : $api eq 'openai_responses'
            ? qq({"type":"function_call","call_id":"$id","name":"f",)
              . qq("arguments":"{\\"x\\":\\"$MENTION\\"}"})
            : qq({"id":"$id","type":"function","function":{"name":"f",)
              . qq("arguments":"{\\"x\\":\\"$MENTION\\"}"}})
    } 1 .. $count;
    $$n += $count;

    my $calls = join ',', @calls;
    return qq({"role":"model","parts":[$calls]},) if $api =~ /^gemini/;
    return "$calls," if $api eq 'openai_responses';
    return qq({"role":"assistant","content":[$calls]},)
        if $api =~ /^(?:anthropic|bedrock)$/;
    return qq({"role":"assistant","content":"see $MENTION",)
        . qq("tool_calls":[$calls]},);
}


# What stands around the value of a result, the how manieth of its batch.

sub _frame {
    my ($api, $n, $which, $count) = @_;

    my $first = $which == 1;
    my $last = $which == $count;
    my $comma = $first ? '' : ',';

    # of Gemini, in one content or each in its own

    if ($api =~ /^gemini/) {
        my $apart = ($n - $which) % 2;
        return (($first || $apart ? $comma . '{"role":"user","parts":[' : ',')
                . '{"functionResponse":', $last || $apart ? '}]}' : '}');
    }
    if ($api eq 'bedrock') {
        return (($first ? '{"role":"user","content":[' : ',')
                . qq({"toolResult":{"toolUseId":"t$n","content":),
                $last ? '}}]}' : '}}');
    }
    if ($api eq 'anthropic') {
        return (($first ? '{"role":"user","content":[' : ',')
                . qq({"type":"tool_result","tool_use_id":"t$n","content":),
                $last ? '}]}' : '}');
    }
    return (qq($comma\{"type":"function_call_output","call_id":"t$n",)
            . '"output":', '}') if $api eq 'openai_responses';
    return (qq($comma\{"role":"tool","tool_call_id":"t$n","content":), '}');
}


# A turn of the user behind a batch.

sub _said {
    my ($api, $n) = @_;

    return qq(,{"role":"model","parts":[{"text":"$MENTION $n"}]})
        if $api =~ /^gemini/;
    return qq(,{"role":"assistant","content":[{"text":"$MENTION $n"}]})
        if $api eq 'bedrock';
    return qq(,{"role":"assistant","content":"$MENTION $n"});
}


# The texts of a result for a model: { raw, new, finds, json }, each id once.

sub _texts {
    my ($model, $result) = @_;

    my %seen;
    return map {
        my $text = { json => $_->{json}, raw => '', new => '', finds => [] };
        for my $piece (@{ $_->{pieces} }) {
            my ($raw, $new, $find) = @$piece;
            ($new, $find) = ($raw) if $find && !defined $find->{id}
                                      && !$READER{$model};
            $text->{raw} .= $raw;
            $text->{new} .= $new;
            push @{ $text->{finds} }, $find
                if $find && !(defined $find->{id} && $seen{ $find->{id} }++);
        }
        $text;
    } @{ $result->{texts} };
}


# The value of a result, before and after; what goes elsewhere is collected.

sub _value {
    my ($api, $model, $result, $hoisted) = @_;

    my @texts = _texts($model, $result);
    return _response($api, $model, \@texts, $hoisted) if $api =~ /^gemini/;

    my $json = sub {
        my ($text, $raw) = @_;
        return $text->{json} ? qq({"json":{"a":["$raw"],"n":1}})
                             : text_part_json($api, $raw);
    };
    my $was = $result->{string} ? qq("$texts[0]{raw}")
        : '[' . join(',', map { $json->($_, $_->{raw}) } @texts) . ']';

    my $chat = $api =~ /^open(?:ai|router)$/;
    my @want;
    for my $text (@texts) {
        my @words = chars_of($text->{new});
        push @want, $text->{json} ? { json => { a => [@words], n => 1 } }
                                  : text_part($api, @words);
        for my $find (@{ $text->{finds} }) {
            if (!takes($api, $model, $find)) {
                push @words, described($find);
                push @want, text_part($api, $words[-1]) unless $chat;
            } elsif ($chat) {
                push @$hoisted, $find;
            } else {
                push @want, part_of($api, $find);
            }
        }
        $want[-1]{text} = joined(@words) if $chat;
    }

    my $string = $result->{string} && @want == 1;
    my $part = $json->($texts[0], $texts[0]{new}) =~ s/"\}\z//r;
    return { was => $was, now => {
        begins => $string ? qq("$texts[0]{new}) : "[$part",
        want => $string ? $want[0]{text} : \@want,
        same => _is_same(@texts),
    } };
}


sub _is_same { return !grep { @{ $_->{finds} } || $_->{raw} ne $_->{new} } @_ }


# A functionResponse: its texts are strings anywhere in the response.

sub _response {
    my ($api, $model, $texts, $hoisted) = @_;

    my $json = sub {
        my ($which) = @_;
        return '{"name":"f", "response":{' . join(',', map {
            my $raw = $texts->[$_]{$which};
            $_ % 2 ? qq("k$_":{"deep":[0,"$raw"]}) : qq("k$_":"$raw")
        } 0 .. $#$texts);
    };

    my $want = { name => 'f', response => {} };
    my (@words, @parts);
    for my $n (0 .. $#$texts) {
        my $string = chars_of($texts->[$n]{new});
        $want->{response}{"k$n"} = $n % 2 ? { deep => [0, $string] } : $string;
        for my $find (@{ $texts->[$n]{finds} }) {
            if (!takes($api, $model, $find)) {
                push @words, described($find);
            } elsif ($api eq 'gemini-3' && $find->{mime} !~ m{^audio/}) {
                push @parts, part_of($api, $find);
            } else {
                push @$hoisted, $find;
            }
        }
    }
    $want->{response}{artifacts} = \@words if @words;
    $want->{parts} = \@parts if @parts;

    return { was => $json->('raw') . '}}', now => {
        begins => $json->('new'), want => $want, same => _is_same(@$texts),
    } };
}


# The message with what the tool messages cannot hold.

sub _hoist {
    my ($api, @finds) = @_;

    return { same => 1 } unless @finds;
    my @parts = map {
        (text_part($api, defined $_->{id} ? "Artifact content ($_->{name}):"
                                          : names_of($_)), part_of($api, $_))
    } @finds;
    return { begins => ',{"role":"user",', comma => 1,
             want => { role => 'user', ($api =~ /^gemini/ ? 'parts'
                                        : 'content') => \@parts } };
}


# Texts that stand in one string, each on a line of its own.

sub joined {
    my @texts = @_;
    return $texts[0] if @texts == 1;
    my $pattern = join '\n', map {
        my $one = ref $_ ? "$_" : quotemeta $_;
        $one =~ s/\\A|\\z//g;
        $one;
    } @texts;
    return qr/\A$pattern\z/s;
}


sub chars_of {
    my ($raw) = @_;
    return decode_strict(qq("$raw"));
}


# --- clients ---------------------------------------------------------------

# What clients make of the result of an MCP tool.

our @FORMS = ('a string', 'JSON', 'JSON of what is structured', 'JSON in JSON',
              'JSON in JSON in JSON', 'text parts',
              'text parts glued to others');

# The JSON value that they put where an API has the result of a tool.

sub pasted {
    my ($api, $form, $result) = @_;

    my @texts = map { $_->{text} } @{ $result->{content} };
    my $json = sub { chars(encode_json_bytes($_[0])) };

    if ($form =~ /^text parts/) {
        @texts = map { "<a>${_}</a>" } @texts if $form =~ /glued/;
        return encode_json_bytes([map { text_part($api, $_) } @texts]);
    }
    my $text = {
        'a string' => sub { join "\n", @texts },
        'JSON' => sub { $json->($result->{content}) },
        'JSON of what is structured' =>
            sub { $json->($result->{structuredContent}) },
        'JSON in JSON' =>
            sub { $json->({ output => $json->($result), n => 1 }) },
        'JSON in JSON in JSON' =>
            sub { $json->({ a => $json->({ b => $json->($result) }) }) },
    }->{$form}->();
    return encode_json_bytes($text);
}


# A request to a model that takes all, with one result of a tool.

sub pasted_request {
    my ($api, $value) = @_;

    return '{"contents":[{"role":"user","parts":[{"functionResponse":{"name":'
        . qq("f","response":{"x":$value}}}]}]}) if $api =~ /^gemini/;
    if ($api eq 'bedrock') {
        $value = qq([{"text":$value}]) if $value =~ /^"/;
        return '{"messages":[{"role":"user","content":[{"toolResult":{'
            . qq("toolUseId":"a","content":$value}}]}]});
    }
    return '{"model":"all","messages":[{"role":"user","content":[{"type":'
        . qq("tool_result","tool_use_id":"a","content":$value}]}]})
        if $api eq 'anthropic';
    return '{"model":"all","input":[{"type":"function_call_output","call_id":'
        . qq("a","output":$value}]}) if $api eq 'openai_responses';
    return '{"model":"all","messages":[{"role":"tool","tool_call_id":"a",'
        . qq("content":$value},{"role":"user","content":"see"}]});
}


# --- answers --------------------------------------------------------------

# The bytes of the JSON object, array or string that begins at a position.

sub _value_at {
    my ($body, $at) = @_;

    my $depth = 0;
    pos($$body) = $at;
    do {
        if ($$body =~ /\G"/gc) {
            1 while $$body =~ /\G(?:[^"\\]++|\\.){1,10000}+/gc;
            $$body =~ /\G"/gc or return '';
        } elsif ($$body =~ /\G[\{\[]/gc) {
            $depth++;
        } elsif ($$body =~ /\G[\}\]]/gc) {
            $depth--;
        } elsif (!$depth || $$body !~ /\G[^"\[\]\{\}]+/gc) {
            return '';
        }
    } while $depth > 0;
    return substr $$body, $at, pos($$body) - $at;
}


# What is wrong with what arrived, compared with the pieces of the request: as
# one string.

sub answer_problems_of {
    my ($body, @pieces) = @_;

    my $at = 0;
    for my $piece (@pieces) {
        my $user = ',{"role":"user",';
        my $got = !ref $piece ? substr $body, $at, length $piece
            : length $piece->{was} ? _value_at(\$body, $at)
            : substr($body, $at, length $user) ne $user ? ''
            : ',' . _value_at(\$body, $at + 1);
        my $wrong = ref $piece ? _problem($got, $piece)
            : $got eq $piece ? '' : 'changed: ' . substr($piece, 0, 80)
              . "\n    now " . substr $got, 0, 300;
        return $wrong if $wrong;
        $at += length $got;
    }
    return $at == length $body ? '' : 'more behind the end';
}


# One piece.  same: the very bytes; begins: the bytes it begins with; want: the
# value, for difference().

sub _problem {
    my ($got, $piece) = @_;

    my $now = $piece->{now};
    if ($now->{same}) {
        return $got eq $piece->{was} ? ''
            : 'not as it came: ' . substr $got, 0, 300;
    }
    if (substr($got, 0, length $now->{begins}) ne $now->{begins}) {
        my $same = 0;
        $same++ while $same < length $now->{begins}
            && substr($got, $same, 1) eq substr $now->{begins}, $same, 1;
        $same -= $same < 60 ? $same : 60;
        return "at $same: " . substr($got, $same, 300) . "\n    not "
            . substr $now->{begins}, $same, 300;
    }

    $got =~ s/\A,// if $now->{comma};
    my $value = eval { decode_strict($got) };
    return "no value: $@" . substr $got, 0, 300 if $@;
    return difference($value, $now->{want}, '');
}


# Compares values: a pattern matches a string, "?name" need not be there.

sub difference {
    my ($got, $want, $path) = @_;

    if (ref $want eq 'HASH') {
        return "$path: no object" if ref $got ne 'HASH';
        my %left = %$got;
        for my $key (sort keys %$want) {
            my $name = $key =~ s/^\?//r;
            if (!exists $left{$name}) {
                return "$path: no $name" if $name eq $key;
                next;
            }
            my $wrong = difference(delete $left{$name}, $want->{$key},
                                   "$path.$name");
            return $wrong if $wrong;
        }
        return %left ? "$path: also " . join ' ', sort keys %left : '';
    }
    if (ref $want eq 'ARRAY') {
        return "$path: no array: " . _shown($got) if ref $got ne 'ARRAY';
        for my $n (0 .. $#$want) {
            return "$path\[$n]: missing" if $n > $#$got;
            my $wrong = difference($got->[$n], $want->[$n], "$path\[$n]");
            return $wrong if $wrong;
        }
        return @$got > @$want ? "$path: more, " . _shown($got->[@$want]) : '';
    }
    return "$path: " . _shown($got) if !defined $got || ref $got;
    return $got =~ $want ? '' : "$path: " . _shown($got) . "\n    not $want"
        if ref $want eq 'Regexp';
    return $got eq $want ? '' : "$path: " . _shown($got) . "\n    not "
        . _shown($want);
}


# How often a value is somewhere in another one.

sub times_in {
    my ($part, $value) = @_;

    return 1 if difference($value, $part, '') eq '';
    my @inner = ref $value eq 'HASH' ? map { $value->{$_} } sort keys %$value
        : ref $value eq 'ARRAY' ? @$value : ();
    my $times = 0;
    $times += times_in($part, $_) for @inner;
    return $times;
}


sub _shown {
    my ($value) = @_;
    my $text = ref $value ? encode_json_bytes($value) : bytes($value // 'null');
    return length $text > 400 ? substr($text, 0, 400) . '..' : $text;
}


1;
