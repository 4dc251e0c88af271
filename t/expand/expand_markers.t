#!/usr/bin/perl

# Markers of artifacts in the texts of tools: the text stays, and the artifact
# follows it where the API has a place for that.  Nowhere else they are looked
# for.

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

my $png = png(30, 20);
my $url = 'data:image/png;base64,' . b64($png);

sub uuid { return sprintf '0190a5f0-0000-7000-8000-%012x', $_[0] }
sub mark { return join '', map { '[artifact:' . uuid($_) . ']' } @_ }

my ($SHOT, $SONG, $NOTE, $BARE, $GONE) = (1 .. 5);

$t->artifact(uuid($SHOT), $png, { mimeType => 'image/png', name => 's.png' });
$t->artifact(uuid($SONG), mp3(),
             { mimeType => 'audio/mpeg', name => 's.mp3' });
$t->artifact(uuid($NOTE), qq(a "note"\n),
             { mimeType => 'text/plain', name => 'n.txt' });
$t->artifact(uuid($BARE), "\xef\xbb\xbf",
             { mimeType => 'text/plain', name => 'b.txt' });
$t->artifact('shot', $png, { mimeType => 'image/png', name => 's.png' });
$t->artifact(uuid(100 + $_), $png,
             { mimeType => 'image/png', name => "$_.png" }) for 1 .. 40;

my @all = qw(text vision audio file video);

$t->file('map.json', { services => [
    map { { id => $_->[0], model => $_->[0],
            capabilities => { input => $_->[1] } } }
    ['sees', \@all], ['gemini-2.5', \@all], ['gemini-3', \@all],
    ['reads', ['text']],
] });

my $echo = echo($t->prefix . '/echo');
my $pass = 'proxy_pass http://unix:' . $t->prefix . '/echo:;';

$t->start(http => <<'HTTP', server => <<"SERVER");
    artifact_capabilities %%PREFIX%%/map.json;
    artifact_root %%DATA%%;
    artifact_language en;
HTTP
    artifact_expand on;
    client_max_body_size 0;
    client_body_buffer_size 16k;
    proxy_set_header X-Parts
        "\$artifact_refs \$artifact_expanded \$artifact_degraded";

    location /artifacts/ {
        internal;
        artifact;
    }
    location / { $pass }
    location /mistral/ { artifact_format mistral; $pass }
    location /router/ { artifact_format openrouter; $pass }
    location /few/ { artifact_refs_max 4; $pass }
    location /small/ { artifact_body_max 20k; $pass }
SERVER

my %paths = (
    anthropic => '/v1/messages',
    bedrock => '/model/sees/converse',
    chat => '/v1/chat/completions',
    few => '/few/v1/chat/completions',
    gemini => '/v1beta/models/gemini-2.5:generateContent',
    gemini3 => '/v1beta/models/gemini-3:generateContent',
    mistral => '/mistral/v1/chat/completions',
    responses => '/v1/responses',
    router => '/router/v1/chat/completions',
    small => '/small/v1/chat/completions',
);

my $told;                # the variables of the last request

sub ask {
    my ($api, $body) = @_;

    my $res = $t->req('POST', $paths{$api}, body => $body,
                      headers => ['Content-Type' => 'application/json']);
    ($told) = ($res->header('X-Head') // '') =~ /X-Parts: ([\d ]+)/;
    return $res->{status} == 200 ? $res->{body} : "status $res->{status}";
}

# A request and what it becomes, as a diff: lines that begin with "-" go in
# only, those with "+" come out only.

sub check {
    my ($name, $api, $want, $text) = @_;

    my ($in, $out) = ('', '');
    for my $line (split /\n/, $text) {
        $line =~ s/^\s+//;
        my $how = $line =~ s/^([-+])// ? $1 : '';
        $in .= $line if $how ne '+';
        $out .= $line if $how ne '-';
    }
    is(ask($api, $in), $out, $name);
    is($told, $want, "$name: refs, expanded, degraded");
}

my $CANNOT = '\nThe current model cannot read this kind of file. Consider '
    . 'asking for it in another form.';

sub described {
    my ($n, $name, $type, $size) = @_;
    return "[Unreadable] $name (artifact:" . uuid($n) . ")\\nType: $type"
        . sprintf("\\nSize: %.1f KB", $size / 1024) . $CANNOT;
}

my $m = mark($SHOT);
my $id = uuid($SHOT);
my $g = mark($GONE);
my $shot = described($SHOT, 's.png', 'PNG image', length $png);
my $song = described($SONG, 's.mp3', 'MP3 audio', length mp3());
my $gone = '[Unreadable] artifact:' . uuid($GONE)
    . '\nThe artifact does not exist or has been deleted.';
my $part = qq({"type":"image_url","image_url":{"url":"$url"}});
my $lead = '{"type":"text","text":"Artifact content (s.png):"}';


# Chat Completions

for my $api (qw(chat router)) {
    check("$api: an image goes behind the tool messages", $api, '1 1 0', <<"E");
    {"model":"sees", "messages" : [{"role":"user","content":"?"},
    {"role":"assistant","tool_calls":[]},
    {"role":"tool","tool_call_id":"a","content":"Saved $m \\u00e9"},
    {"role":"tool","tool_call_id":"b","content":"ok"}
    +,{"role":"user","content":[$lead,$part]}
    ,{"role":"assistant","content":"$m"}]}
E
}

check('words go behind the text in its string', 'chat', '3 1 2', <<"E");
    {"model":"reads","messages":[{"role":"tool","content":
    "a\\"$m@{[mark($NOTE)]}$g
    +\\n$shot\\na \\"note\\"\\n\\n$gone
    "}]}
E
check('and so they do in a part', 'chat', '1 0 1', <<"E");
    {"model":"reads","messages":[{"role":"tool","content":[
    {"text":"$m
    +\\n$shot
    ","type":"text"},{"type":"text","text":"z"}]}]}
E
check('a text of which nothing is left', 'chat', '1 0 1', <<"E");
    {"model":"reads","messages":[{"role":"tool","content":"a@{[mark($BARE)]}
    +\\nArtifact content (b.txt):
    "}]}
E
check('each id once a result', 'chat', '2 2 0', <<"E");
    {"model":"sees","messages":[
    {"role":"tool","content":"$m$m$m"},
    {"role":"tool","content":[{"type":"text","text":"$m"},
    {"type":"text","text":"$m"}]}
    +,{"role":"user","content":[$lead,$part,$lead,$part]}
    ]}
E
check('a model that is not known sees images only', 'chat', '2 1 1', <<"E");
    {"model":"new","messages":[
    {"role":"tool","content":"$m@{[mark($SONG)]}
    +\\n$song
    "}
    +,{"role":"user","content":[$lead,$part]}
    ]}
E
check('nowhere else', 'chat', '0 0 0', <<"E");
    {"model":"sees","messages":[{"role":"system","content":"$m"},
    {"role":"user","content":[{"type":"text","text":"$m"}]},
    {"role":"developer","content":[{"type":"text","text":"$m"}]},
    {"role":"assistant","content":"$m","tool_calls":[{"id":"$m",
    "function":{"arguments":"$m"}}]},
    {"role":"tool","name":"$m","tool_call_id":"$m","content":
    "artifact:$id [artifact:shot] [artifact:$id [ artifact:$id]"}],
    "tools":[{"description":"$m"}],"metadata":{"a":"$m"}}
E


# APIs that take media in results

check('Mistral: the string becomes an array', 'mistral', '1 1 0', <<"E");
    {"model":"sees","messages":[{"role":"tool","content":
    +[{"type":"text","text":
    "a \\/ $m"
    +},{"type":"image_url","image_url":"$url"}]
    }]}
E
check('Responses: the string becomes an array', 'responses', '2 1 1', <<"E");
    {"model":"sees","input":[{"type":"message","role":"user","content":"$m"},
    {"type":"function_call_output","call_id":"a","output":
    +[{"type":"input_text","text":
    "a $m $g"
    +},{"type":"input_image","detail":"auto","image_url":"$url"},
    +{"type":"input_text","text":"$gone"}]
    },{"type":"mcp_call","output":"$m","arguments":"$m"}]}
E
check('Responses: a part follows its part', 'responses', '1 1 0', <<"E");
    {"model":"sees","input":[{"output":[{"text":"a $m","type":"input_text"}
    +,{"type":"input_image","detail":"auto","image_url":"$url"}
    ,{"type":"input_text","text":"$m"}],"type":"custom_tool_call_output"}]}
E

my $block = '{"type":"image","source":{"type":"base64","media_type":'
    . '"image/png","data":"' . b64($png) . '"}}';
my $named = "Artifact content (s.png): artifact:$id";

check('Anthropic: strings and parts of results', 'anthropic', '2 2 0', <<"E");
    {"model":"sees","messages":[{"role":"user","content":[
    {"content":
    +[{"type":"text","text":
    "a $m"
    +},$block]
    ,"type":"tool_result","tool_use_id":"a"},
    {"type":"tool_result","tool_use_id":"b","content":[
    {"type":"text","text":"$m","cache_control":{"type":"ephemeral"}}
    +,$block
    ]},{"type":"text","text":"$m"}]},{"role":"assistant","content":[
    {"type":"tool_use","input":{"a":"$m"}},{"type":"mcp_tool_result",
    "content":[{"type":"text","text":"$m"}]},{"type":"web_fetch_tool_result",
    "content":{"type":"text","text":"$m"}}]}]}
E
check('Anthropic: an error takes text only', 'anthropic', '2 0 2', <<"E");
    {"model":"sees","messages":[{"role":"user","content":[
    {"type":"tool_result","tool_use_id":"a","content":
    +[{"type":"text","text":
    "a $m"
    +},{"type":"text","text":"$named"}]
    ,"is_error":true},
    {"type":"tool_result","is_error":true,"content":[
    -{"type":"image","source":{"type":"url","url":"artifact:shot"}}
    +{"type":"text","text":"Artifact content (s.png): artifact:shot"}
    ]}]}]}
E

my $bytes = '{"image":{"format":"png","source":{"bytes":"' . b64($png)
    . '"}}}';
check('Bedrock: texts, and all strings of JSON', 'bedrock', '3 2 1', <<"E");
    {"messages":[{"role":"user","content":[{"toolResult":{"toolUseId":"a",
    "content":[{"text":"$m"}
    +,$bytes
    ]}},{"toolResult":{"content":[{"json":
    {"a":[["x",{"b":"{\\"c\\":\\"$m\\"}"}]],"d":"@{[mark($SONG)]}"}}
    +,$bytes,{"text":"Artifact content (s.mp3): artifact:@{[uuid($SONG)]}"}
    ,{"text":"z"}]}},{"text":"$m"}]}]}
E

my $inline = '{"inlineData":{"mimeType":"image/png","data":"' . b64($png)
    . '"}}';
check('Gemini 3: any string of the response', 'gemini3', '2 1 1', <<"E");
    {"contents":[{"role":"user","parts":[{"functionResponse":{"name":"f",
    "response":{"a":{"b":["$m",{"artifacts":"$g"}]},"output":1
    +,"artifacts":["$gone"]
    }
    +,"parts":[$inline]
    }},{"text":"$m"}]}]}
E
check('Gemini before: a content of its own', 'gemini', '1 1 0', <<"E");
    {"contents":[{"role":"user","parts":[{"functionResponse":{"name":"f",
    "response":{"output":"a $m"}}}]}
    +,{"role":"user","parts":[{"text":"Artifact content (s.png):"},$inline]}
    ,{"role":"model","parts":[{"text":"$m"},
    {"functionCall":{"args":{"a":"$m"}}}]}]}
E


# Any spelling of the brackets, and any depth of JSON in JSON

check('escaped', 'mistral', '1 1 0', <<"E");
    {"model":"sees","messages":[{"role":"tool","content":
    +[{"type":"text","text":
    "\\\\\\"\\u005bartifact:$id\\u005d\\\\\\""
    +},{"type":"image_url","image_url":"$url"}]
    }]}
E


# Limits: 16 of a result; the oldest of a request in steps; never a 413

sub tool { return qq({"role":"tool","content":"@_"}) }
sub body { return '{"model":"sees","messages":[' . join(',', @_) . ']}' }
sub images { return scalar(() = $_[0] =~ /"url":/g) }

is(images(ask('chat', body(tool(map { mark(100 + $_) } 1 .. 17)))), 16,
   'sixteen of a result');
is($told, '16 16 0', 'no more count');

my $turn = '{"role":"assistant","content":"."}';
my ($last, $broken, $most, $least) = ('', 0, 0, 9);

for my $turns (1 .. 30) {
    my $out = ask('few',
                  body(map { (tool(mark(100 + $_)), $turn) } 1 .. $turns));
    my $n = images($out);

    $most = $n if $n > $most;
    $least = $n if $turns > 4 && $n < $least;
    $broken++ if $turns > 1
                 && substr($out, 0, length($last) - 2)
                    ne substr($last, 0, length($last) - 2);
    $last = $out;
}

is("$least $most", '3 4', 'the last of a long history are sent');
is($broken, 13, 'the beginning changes every other turn at most');

my $body = body(map { tool(mark($_)) } 1000 .. 4000);
like(ask('few', $body), qr/^\{.*\}$/s, 'any number of them');
is($told, '4 0 4', 'the oldest are left out');

# the oldest go first where the request would be too large

$body = body((map { (tool(mark(100 + $_)), $turn) } 1 .. 20),
             tool(mark(121)));
my $out = ask('small', $body);
cmp_ok(length $out, '<=', 20 * 1024, 'within the limit');
like($out, qr/Size: [\d.]+ KB\\nThe file is larger.*"url":/s,
     'the oldest is described');


# In a file, with references and the client's own media beside them

my $text = 'x' x 200_000;
check('a long text', 'mistral', '3 3 0', <<"E");
    {"model":"sees","messages":[{"role":"user","content":[
    -{"type":"image_url","image_url":"artifact:shot"}
    +{"type":"image_url","image_url":"$url"}
    ]},{"role":"tool","content":
    +[{"type":"text","text":
    "$text$m$text"
    +},{"type":"image_url","image_url":"$url"}]
    },{"role":"tool","content":[{"type":"text","text":"$text$m"}
    +,{"type":"image_url","image_url":"$url"}
    ]}]}
E

$echo->stop;
$t->finish;
