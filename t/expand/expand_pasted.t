#!/usr/bin/perl

# Base64 of images, audio, video and PDFs that was pasted into the texts of
# tools: a short name stands in its place, and a part made of its own bytes
# follows.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactEcho;
use ArtifactFixtures;
use ArtifactJSON;
use ArtifactTest;

my $t = ArtifactTest->new;

my $png = png(40, 30);
my $pdf = pdf() . '%' x 2000 . "\n%%EOF\n";
my $mp3 = mp3();
my @all = qw(text vision audio file pdf video);

$t->artifact('0190a5f0-0000-7000-8000-000000000001', $png,
             { mimeType => 'image/png', name => 's.png' });
$t->artifact('shot', $png, { mimeType => 'image/png', name => 's.png' });
$t->file('map.json', { services => [
    map { { id => $_->[0], model => $_->[0],
            capabilities => { input => $_->[1] } } }
    ['sees', \@all], ['gemini-2.5', \@all], ['gemini-3', \@all],
    ['reads', ['text']],
] });

# a request that fits, unless its parts make it longer

my $full = qq({"model":"sees","messages":[)
    . join(',', (qq({"role":"tool","content":") . b64($png) . '"}') x 15)
    . ']}';
my $limit = 200 + length $full;
my $rest = '$artifact_degraded $artifact_saved $artifact_reasons';
my $echo = echo($t->prefix . '/echo');
my $pass = 'proxy_pass http://unix:' . $t->prefix . '/echo:;';

$t->start(http => <<'HTTP', server => <<"SERVER");
    artifact_capabilities %%PREFIX%%/map.json;
    artifact_root %%DATA%%;
    artifact_language en;
HTTP
    artifact_expand on;
    artifact_offload_min 1k;
    client_max_body_size 0;
    client_body_buffer_size 16k;
    proxy_set_header X-Parts "\$artifact_refs \$artifact_expanded $rest";

    location /artifacts/ {
        internal;
        artifact;
    }
    location / { $pass }
    location /mistral/ { artifact_format mistral; $pass }
    location /long/ { artifact_format mistral; artifact_offload_min 8k; $pass }
    location /few/ { artifact_format mistral; artifact_refs_max 4; $pass }
    location /small/ { artifact_format mistral; artifact_body_max $limit; $pass }
SERVER

my %paths = (
    anthropic => '/v1/messages',
    bedrock => '/model/sees/converse',
    chat => '/v1/chat/completions',
    gemini => '/v1beta/models/gemini-2.5:generateContent',
    gemini3 => '/v1beta/models/gemini-3:generateContent',
    responses => '/v1/responses',
    map { ($_ => "/$_/v1/chat/completions") } qw(few long mistral small),
);

my $told;                # the variables of the last request

sub ask {
    my ($api, $body) = @_;

    my $res = $t->req('POST', $paths{$api}, body => $body,
                      headers => ['Content-Type' => 'application/json']);
    ($told) = ($res->header('X-Head') // '') =~ /X-Parts: ([^|]*)/;
    return $res->status == 200 ? $res->body : 'status ' . $res->status;
}

# A request and what it becomes, as a diff: lines that begin with "-" go in
# only, those with "+" come out only.

sub check {
    my ($name, $api, $text, $want) = @_;

    my ($in, $out) = ('', '');
    for my $line (split /\n/, $text) {
        $line =~ s/^\s+//;
        my $how = $line =~ s/^([-+])(?!\d)// ? $1 : '';
        $in .= $line if $how ne '+';
        $out .= $line if $how ne '-';
    }
    is(ask($api, $in), $out, $name);
    like($told, $want, "$name: variables") if $want;
}

sub size {
    my ($n) = @_;
    return $n < 1024 ? "$n B" : sprintf '%.1f KB', int($n * 10 / 1024 + 0.5) / 10;
}

my $p64 = b64($png);
my $name = '[image/png, ' . size(length $png) . ']';
my $url = "data:image/png;base64,$p64";
my $image = qq({"type":"image_url","image_url":"$url"});

sub mistral {
    my ($text) = @_;
    return qq({"model":"sees","messages":[{"role":"tool","content":)
        . "\n$text\n}]}";
}


# Each API

check('Chat Completions', 'chat', <<"E", qr/^0 1 0 /);
    {"model":"sees","messages":[{"role":"tool","content":"{\\"image\\":\\"
    -$p64
    +$name
    \\"}"}
    +,{"role":"user","content":[{"type":"text","text":"$name"},
    +{"type":"image_url","image_url":{"url":"$url"}}]}
    ]}
E
check('Mistral', 'mistral', mistral(<<"E"), qr/^0 1 0 /);
    +[{"type":"text","text":
    "a
    - $p64 
    + $name 
    z"
    +},$image]
E
check('Responses', 'responses', <<"E");
    {"model":"sees","input":[{"type":"function_call_output","output":
    [{"type":"input_text","text":"
    -$p64
    +$name
    "}
    +,{"type":"input_image","detail":"auto","image_url":"$url"}
    ]}]}
E
check('Anthropic', 'anthropic', <<"E");
    {"model":"sees","messages":[{"role":"user","content":[
    {"type":"tool_result","content":
    +[{"type":"text","text":
    "
    -$p64
    +$name
    "
    +},{"type":"image","source":{"type":"base64","media_type":"image/png",
    +"data":"$p64"}}]
    },{"type":"tool_result","is_error":true,"content":
    "
    -$p64
    +$name
    "},{"type":"text","text":"$p64"}]}]}
E
check('Bedrock', 'bedrock', <<"E");
    {"messages":[{"role":"user","content":[{"toolResult":{"content":[
    {"json":{"a":{"data":"
    -$p64
    +$name
    "}}}
    +,{"image":{"format":"png","source":{"bytes":"$p64"}}}
    ]}}]}]}
E
check('Gemini 3', 'gemini3', <<"E");
    {"contents":[{"role":"user","parts":[{"functionResponse":{"response":{
    "output":"
    -$p64
    +$name
    "}
    +,"parts":[{"inlineData":{"mimeType":"image/png","data":"$p64"}}]
    }}]}]}
E
check('Gemini before', 'gemini', <<"E");
    {"contents":[{"role":"user","parts":[{"functionResponse":{"response":{
    "output":"
    -$p64
    +$name
    "}}}]}
    +,{"role":"user","parts":[{"text":"$name"},
    +{"inlineData":{"mimeType":"image/png","data":"$p64"}}]}
    ]}
E


# However it is written

my $safe = $p64 =~ tr{+/}{-_}r =~ s/=+$//r;
my $wrapped = join '\n', $p64 =~ /(.{1,76})/g;
my $escaped = $p64 =~ s{/}{\\/}gr =~ s/\+/\\u002B/gr =~ s/=/\\u003d/gr;
my $inner = $escaped =~ s/\\/\\\\/gr;

# What is between the strings of before and after becomes the name, and a part.

sub pasted {
    my ($what, $before, $run, $after, %of) = @_;

    my $api = $of{api} // 'mistral';
    my $model = $of{model} // 'sees';
    my $message = sub {
        return qq({"model":"$model","messages":[{"role":"tool","content":$_[0])
            . '}]}';
    };
    my $short = $of{short} // $name;
    my $text = qq("$before$short$after");
    $text = qq([{"type":"text","text":$text},) . ($of{part} // $image) . ']'
        if !exists $of{part} || $of{part};
    is(ask($api, $message->(qq("$before$run$after"))), $message->($text),
       $what);
}

pasted('in a data URL', 'a ', "data:image/png;base64,$p64", ' z');
pasted('in a data URL of another type', '\"', "data:text/x;a=b;base64,$p64",
       '\"');
pasted('in lines', 'a\n', $wrapped, '\nz');
pasted('URL-safe, without padding', 'a ', $safe, ' z');
pasted('with escapes', 'a ', $escaped, ' z');
pasted('with escapes of escapes', '{\"a\":\"', $inner, '\",\"b\":1}');
pasted('alone', '', $p64, '');
pasted('as the first of a text', '', $p64, ' z');


# Other types

sub part_of { return qq({"type":"$_[0]","$_[0]":"$_[1]"$_[2]}) }

for (['application/pdf', $pdf, sub {
          part_of('document_url', "data:application/pdf;base64,$_[0]",
                  ',"document_name":"pasted-1.pdf"') }],
     ['audio/mpeg', $mp3, sub { part_of('input_audio', $_[0], '') }])
{
    my ($type, $bytes, $part) = @$_;
    my $b64 = b64($bytes);
    pasted($type, 'a ', $b64, ' z', part => $part->($b64),
           short => "[$type, " . size(length $bytes) . ']');
}


# What was cut off, what the model or the API cannot take

my $CANNOT = 'The current model cannot read this kind of file. Consider '
    . 'asking for it in another form.';

sub words { return qq({"type":"text","text":"$_[0]"}) }

my $half = substr $p64, 0, 2000;
pasted('cut off', 'a ', $half, '...',
       short => '[image/png, ' . size(1500) . ']',
       part => words('[File processing failed: Image]\nError: the file content '
                     . 'could not be read\nPlease check whether the file is '
                     . 'damaged'));
like($told, qr/^0 0 1 \d+ .*read/, 'cut off: variables');

pasted('a model that cannot see', 'a ', $p64, ' z', model => 'reads',
       part => words('[Unreadable] Image\nType: PNG image\nSize: '
                     . size(length $png) . "\\n$CANNOT"));
like($told, qr/^0 0 1 \d{4} .*capability/, 'cannot see: variables');

pasted('a model that is not known', 'a ', $p64, ' z', model => 'new',
       short => $p64, part => '');
like($told, qr/^0 0 0 0 /, 'not known: variables');


# What is left alone

my %left = (
    'too short' => b64(gif()),
    'another type' => b64(zip_of('a.bin' => rand_bytes(3000))),
    'no type' => b64("\0" . rand_bytes(3000)),
    'text' => 'A' x 3000,
);
pasted($_, 'a ', $left{$_}, ' z', short => $left{$_}, part => '')
    for sort keys %left;

pasted('the limit of the location', 'a ', $p64, ' z', api => 'long',
       short => $p64, part => '');
my $large = png(80, 60);
my $l64 = b64($large);
pasted('longer than that', 'a ', $l64, ' z', api => 'long',
       short => '[image/png, ' . size(length $large) . ']',
       part => qq({"type":"image_url","image_url":"data:image/png;base64,$l64"}));

my $there = qq({"model":"sees","messages":[{"role":"user","content":"$p64"},)
    . qq({"role":"assistant","content":"$p64"},{"role":"system","content":[)
    . qq({"type":"text","text":"$p64"}]}]});
is(ask('mistral', $there), $there, 'not in what others say');


# Several, beside markers; one that is as long as a file, cut by buffers

my $mark = '[artifact:0190a5f0-0000-7000-8000-000000000001]';
check('several', 'mistral', mistral(<<"E"), qr/^1 3 0 /);
    +[{"type":"text","text":
    "a
    - $p64 
    + $name 
    $mark,
    -$p64
    +$name
    "
    +},$image,$image,$image]
E

for my $n (60_000, 66_000, 700_001) {
    my $bytes = substr($png, 0, 33) . pack('N', $n) . 'teXt' . rand_bytes($n)
        . '0000' . substr $png, 33;
    my $b64 = b64($bytes);
    my $lines = join '\r\n', $b64 =~ /(.{1,64})/g;
    my $fill = 'x y ' x 5000;

    pasted("$n bytes", "$fill\\n", $lines, "\\n$fill",
           short => '[image/png, ' . size(length $bytes) . ']',
           part => qq({"type":"image_url","image_url":)
                   . qq("data:image/png;base64,$b64"}));
}


# A body that is compressed

my $plain = qq({"model":"sees","messages":[{"role":"tool","content":"$p64"}]});
my $res = $t->req('POST', $paths{mistral}, body => gzip_of($plain),
                  headers => ['Content-Type' => 'application/json',
                              'Content-Encoding' => 'gzip']);
is($res->body, $plain =~ s/"\Q$p64\E"/[{"type":"text","text":"$name"},$image]/r,
   'in gzip');


# Limits: more than 16 stay, the oldest keep only their names, the request fits

my $many = join ' ', ($p64) x 18;
my $out = ask('anthropic', qq({"model":"sees","messages":[{"role":"user",)
              . qq("content":[{"type":"tool_result","content":"$many"}]}]}));
is(scalar(() = $out =~ /\Q$name\E/g), 16, 'sixteen of a result');
is(scalar(() = $out =~ /"type":"base64"/g), 16, 'each has its part');

my $turns = join ',', (qq({"role":"tool","content":"$p64"})) x 9;
$out = ask('few', qq({"model":"sees","messages":[$turns]}));
is(scalar(() = $out =~ /\Q$name\E/g), 9, 'all of a history have names');
is(scalar(() = $out =~ /"data:image/g), 3, 'the last have parts');
like($told, qr/^0 3 6 /, 'the others are named');

$out = ask('small', $full);
cmp_ok(length $out, '<=', $limit, 'no larger than may be');
like($out, qr/^.{0,90}\Q$name\E"\},\{"type":"text","text":"\[Unreadable\]/,
     'the oldest is described');
like($out, qr/\Q$name\E"\},\Q$image\E\]\}\]\}$/, 'the last is not');

$echo->stop;
$t->finish;
