#!/usr/bin/perl

# Long texts in results of tools, in requests: an excerpt in front of the model,
# and an artifact that has the whole text; if the model can read it, and never
# what it has read.  For each API, in each place, by each name of the reader.

use strict;
use warnings;
use utf8;

use Digest::SHA qw(hmac_sha256_hex);
use Encode qw(decode encode);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactEcho;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactWrite qw(left_behind);
use JSON::PP;

my $JSON = JSON::PP->new->utf8->allow_nonref->canonical;

# A chunk of a PNG that no reader looks at.

sub junk {
    my $data = rand_bytes($_[0]);
    return pack('N', length $data) . 'juNk' . $data . "\0\0\0\0";
}

# As is(), of bodies that nobody wants to read.

sub same {
    my ($got, $want, $name) = @_;
    ok($got eq $want, $name)
        or diag(length($got) . ' bytes, not ' . length($want));
}

sub str {
    my ($text, $ascii) = @_;
    return JSON::PP->new->allow_nonref->ascii($ascii // 0)->utf8(!$ascii)
        ->encode($text);
}

my $log = join '', map { "line $_ of a \"log\"\n" } 1 .. 3000;
my $wide = join '', map { "行 $_ 😀\r\n" } 1 .. 2000;
my $line = join ' ', 1 .. 20_000;
my $nested = $JSON->encode([map { { id => $_, name => "n\"$_\"" } } 1 .. 2000]);
my $odd = ("\0a\x{2028}\x7f\t" x 5000) . "\n";

# Each API: where it is asked, tools of a name, a call (its tool, its id), and
# the result of a call as a string or as parts.

my %api = (
    openai => {
        uri => '/v1/chat/completions', list => 'messages',
        tools => '"tools":[{"type":"function","function":{"name":"%s"}}]',
        call => '{"role":"assistant","tool_calls":[{"id":"%2$s","type":'
            . '"function","function":{"name":"%1$s","arguments":"{}"}}]}',
        result => '{"role":"tool","tool_call_id":"%2$s","content":%3$s}',
        parts => '[{"type":"text","text":%s}]',
    },
    custom => {
        uri => '/v1/chat/completions', list => 'messages',
        tools => '"tools":[{"type":"custom","custom":{"name":"%s"}}]',
        call => '{"role":"assistant","tool_calls":[{"type":"custom","custom":'
            . '{"input":"","name":"%1$s"},"id":"%2$s"}]}',
        result => '{"content":%3$s,"tool_call_id":"%2$s","role":"tool"}',
    },
    mistral => {
        uri => '/v1/chat/completions', format => 'mistral', list => 'messages',
        tools => '"tools":[{"type":"function","function":{"name":"%s"}}]',
        call => '{"role":"assistant","tool_calls":[{"id":"%2$s",'
            . '"function":{"name":"%1$s","arguments":"{}"}}]}',
        result => '{"role":"tool","name":"%1$s","tool_call_id":"%2$s",'
            . '"content":%3$s}',
    },
    responses => {
        uri => '/v1/responses', list => 'input',
        tools => '"tools":[{"type":"function","name":"%s"}]',
        call => '{"type":"function_call","id":"fc_%2$s","call_id":"%2$s",'
            . '"name":"%1$s","arguments":"{}"}',
        result => '{"type":"function_call_output","call_id":"%2$s",'
            . '"output":%3$s}',
        parts => '[{"type":"input_text","text":%s}]',
    },
    custom_call => {
        uri => '/v1/responses', list => 'input',
        tools => '"tools":[{"type":"namespace","name":"n","tools":['
            . '{"type":"custom","name":"%s"}]}]',
        call => '{"type":"custom_tool_call","call_id":"%2$s","name":"%1$s"}',
        result => '{"type":"custom_tool_call_output","call_id":"%2$s",'
            . '"output":%3$s}',
    },
    shell => {
        uri => '/v1/responses', list => 'input',
        tools => '"tools":[{"type":"mcp","server_label":"a",'
            . '"allowed_tools":["%s"]}]',
        call => '{"type":"shell_call","call_id":"%2$s","action":{}}',
        result => '{"type":"shell_call_output","call_id":"%2$s","output":['
            . '{"stdout":%3$s,"stderr":"","outcome":{"type":"exit"}}]}',
    },
    local_shell => {
        uri => '/v1/responses', list => 'input',
        tools => '"tools":[{"type":"mcp","server_label":"a",'
            . '"allowed_tools":{"tool_names":["a","%s"]}}]',
        call => '{"type":"local_shell_call","id":"%2$s","call_id":"c%2$s"}',
        result => '{"type":"local_shell_call_output","id":"%2$s",'
            . '"output":%3$s}',
    },
    anthropic => {
        uri => '/v1/messages', list => 'messages',
        tools => '"tools":[{"name":"%s","input_schema":{}}]',
        call => '{"role":"assistant","content":[{"type":"tool_use",'
            . '"id":"%2$s","name":"%1$s","input":{}}]}',
        result => '{"role":"user","content":[{"type":"tool_result",'
            . '"tool_use_id":"%2$s","content":%3$s}]}',
        parts => '[{"type":"text","text":%s}]',
    },
    toolset => {
        uri => '/v1/messages', list => 'messages',
        tools => '"tools":[{"type":"mcp_toolset","mcp_server_name":"a",'
            . '"configs":{"%s":{"enabled":true}}}]',
        call => '{"role":"assistant","content":[{"caller":{"type":"direct"},'
            . '"name":"%1$s","input":{},"id":"%2$s","type":"tool_use"}]}',
        result => '{"content":[{"content":%3$s,"tool_use_id":"%2$s",'
            . '"type":"tool_result"}],"role":"user"}',
    },
    gemini => {
        uri => '/v1beta/models/reads:generateContent', list => 'contents',
        tools => '"tools":[{"functionDeclarations":[{"name":"%s"}]}]',
        call => '{"role":"model","parts":[{"functionCall":{"name":"%1$s",'
            . '"args":{}}}]}',
        result => '{"role":"user","parts":[{"functionResponse":{"name":"%1$s",'
            . '"response":{"output":%3$s}}}]}',
        parts => '{"a":[{"content":[{"type":"text","text":%s}]},"b"]}',
    },
    bedrock => {
        uri => '/model/reads/converse', list => 'messages',
        tools => '"toolConfig":{"tools":[{"toolSpec":{"name":"%s"}}]}',
        call => '{"role":"assistant","content":[{"toolUse":{"toolUseId":"%2$s",'
            . '"name":"%1$s","input":{}}}]}',
        result => '{"role":"user","content":[{"toolResult":{"toolUseId":"%2$s",'
            . '"content":[{"text":%3$s}]}}]}',
    },
    json => {
        uri => '/model/reads/converse', list => 'messages',
        tools => '"toolConfig":{"tools":[{"toolSpec":{"name":"%s"}}]}',
        call => '{"role":"assistant","content":[{"toolUse":{"input":{},'
            . '"name":"%1$s","toolUseId":"%2$s"}}]}',
        result => '{"role":"user","content":[{"toolResult":{"content":['
            . '{"json":{"rows":[{"log":%3$s}],"n":1}}],'
            . '"toolUseId":"%2$s"}}]}',
    },
);

my $t = ArtifactTest->new;
$t->file('map.json', { services => [
    { id => 'reads', capabilities => { input => ['text'] } },
    { id => 'sees', capabilities => { input => ['text', 'vision'] } }] });
my $echo = echo($t->prefix . '/echo');

sub location {
    my ($name, $more) = @_;
    return <<"CONF";
    location /$name/ {
        $more
        access_log %%PREFIX%%/access.log offloaded;
        artifact_format \$http_x_format;
        proxy_pass http://unix:%%PREFIX%%/echo:;
    }
CONF
}

$t->start(http => <<'HTTP', server => <<'SERVER'
    artifact_capabilities %%PREFIX%%/map.json;
    log_format offloaded '$artifact_offloaded $artifact_offloaded_bytes';
    map $http_x_texts $texts { default $http_x_texts; "" 16k; }
HTTP
    artifact_root %%DATA%%;
    artifact_language en;
    artifact_offload_text 16k;
    client_max_body_size 20m;

    location /artifacts/ {
        artifact;
    }
    location /kept/ {
        artifact;
        open_file_cache max=100;
        open_file_cache_errors on;
    }
    location /status {
        artifact_status;
    }
SERVER
    . location('on', 'artifact_expand on;')
    . location('small', 'artifact_expand on; client_body_buffer_size 1k; '
                        . 'aio threads;')
    . location('standins', 'artifact_expand standins;')
    . location('front', 'artifact_offload_request on; artifact_expand on;')
    . location('alone', 'artifact_offload_request on;')
    . location('always', 'artifact_expand on; '
                         . 'artifact_offload_text 16k always;')
    . location('var', 'artifact_expand on; artifact_offload_text $texts;')
    . location('zh', 'artifact_expand on; artifact_language zh; '
                     . 'artifact_offload_text 8k head=1k tail=0;')
    . location('keeps', 'artifact_expand on; artifact_source /kept/; '
                       . 'artifact_offload_text 4k head=512 tail=256;')
    . location('tiny', 'artifact_expand on; artifact_sync off; '
                       . 'artifact_offload_text 1k head=100 tail=50;')
    . location('cut', 'artifact_expand on; artifact_text_max 20k;')
    . location('told', 'artifact_expand on; artifact_expires 1h; '
                       . 'artifact_agent $http_x_agent; '
                       . 'artifact_message_id $http_x_message;')
    . location('off', 'artifact_expand on; artifact_offload_text off;'));

sub post {
    my ($at, $api, $body, @headers) = @_;
    return $t->req('POST', "/$at$api{$api}{uri}", body => $body,
                   headers => ['Content-Type' => 'application/json',
                               'X-Format' => $api{$api}{format} // '',
                               @headers]);
}

# A request: a reader among the tools, a call, and its result.

sub request {
    my ($api, $value, %opt) = @_;
    my $of = $api{$api};
    my $tool = $opt{tool} // 'get_log';
    my $tools = sprintf $of->{tools}, $opt{reader} // 'read_artifact';
    my $call = sprintf $of->{call}, $tool, 'id1';
    my $result = sprintf $of->{result}, $tool, 'id1', $value;
    my $list = qq("$of->{list}":[$call,$result]);
    return $opt{last} ? "{\"model\":\"reads\",$list,$tools}"
                      : "{$tools,\"model\":\"reads\",$list}";
}

my $said = qr/\[\.\. (?:lines|bytes) \d+ to \d+ of \d+ are left out, \S+ \S+ of \S+ \S+\. The whole text is artifact:([0-9a-f-]{36}); read_artifact reads parts of it: \\"lines\\", \\"bytes\\", \\"grep\\"\.\]/;

sub refs { return $_[0] =~ /$said/g }
sub stored { return $t->get("/artifacts/$_[0]")->{body} }

# Both ends of what came, and the sentence between them.

sub excerpt {
    my ($name, $body, $got, $text) = @_;

    my ($id, @more) = refs($got);
    ok(defined $id && !@more, "$name: one excerpt") or return;
    ok(eval { $JSON->decode($got); 1 }, "$name: JSON");
    cmp_ok(length $got, '<', 8000, "$name: short");

    my ($head, $tail) = $got =~ /\A(.*?)(?:\\n)?\[\.\. .*?\\"grep\\"\.\]\\n(.*)\z/s;
    ok(index($body, $head) == 0 && $tail eq substr($body, -length $tail),
       "$name: ends as they came");
    ok(stored($id) eq encode('UTF-8', $text), "$name: the whole text")
        if defined $text;
    return $id;
}


# --- each API, each location

my %ids;

for my $api (sort keys %api) {
    my $body = request($api, str($log));

    for my $at (qw(on small standins front alone)) {
        my $res = post($at, $api, $body);
        my $id = excerpt("$api, $at", $body, $res->body, $log);
        $ids{$id}++ if $id;
    }

    my $last = request($api, str($log), last => 1);
    excerpt("$api, tools last", $last, post('on', $api, $last)->body, $log);

    same(post('off', $api, $body)->body, $body, "$api: off");

    my $other = request($api, str($log), reader => 'other');
    same(post('on', $api, $other)->body, $other, "$api: nobody reads");
    excerpt("$api, always", $other, post('always', $api, $other)->body, $log);

    my $short = request($api, str('x ' x 8191 . 'x'));
    same(post('on', $api, $short)->body, $short, "$api: a byte less");

    my $exact = request($api, str('x ' x 8192));
    excerpt("$api, exactly", $exact, post('on', $api, $exact)->body);

    if ($api{$api}{parts}) {
        my $parts = request($api, sprintf $api{$api}{parts}, str($log));
        excerpt("$api, parts", $parts, post('on', $api, $parts)->body, $log);
    }

    next if $api =~ /shell/;      # its calls have no names

    for my $tool (qw(read_artifact mcp__artifacts__read_artifact)) {
        my $own = request($api, str($log), tool => $tool);
        same(post('on', $api, $own)->body, $own, "$api: what $tool has read");
        same(post('always', $api, $own)->body, $own, "$api: always, the same");
    }
}

is(scalar keys %ids, 1, 'one artifact for one text');

my ($made) = keys %ids;
my $digest = hmac_sha256_hex("$log\ntext/plain",
                             slurp($t->data . '/artifacts/.artifact/key'));
is($JSON->decode(slurp($t->data . "/artifacts/$made.meta"))->{digest},
   "hmac-sha256:$digest", 'its digest is that of the text');
is($made =~ tr/-//dr =~ s/^(.{12})./${1}x/r =~ s/^(.{16})./${1}x/r,
   substr($digest, 0, 32) =~ s/^(.{12})./${1}x/r =~ s/^(.{16})./${1}x/r,
   'and its id the beginning of that');


# --- kinds of texts

for (['ascii', str($wide, 1), $wide], ['UTF-8', str($wide), $wide],
     ['a line', str($line), $line], ['JSON in JSON', str($nested), $nested],
     ['odd', str($odd), $odd],
     ['half', '"' . ('x y\n' x 6000) . '\ud83d and \udc00"',
      ('x y' . "\n") x 6000 . "\x{fffd} and \x{fffd}"])
{
    my ($name, $value, $text) = @$_;
    for my $api (qw(openai anthropic)) {
        my $body = request($api, $value);
        excerpt("$name, $api", $body, post('small', $api, $body)->body, $text);
    }
}

my $escaped = request('openai', str('"' x 10_000));
same(post('on', 'openai', $escaped)->body, $escaped,
     'long with its escapes only: stays');

my $base64 = request('openai', str(b64(rand_bytes(30_000))));
same(post('on', 'openai', $base64)->body, $base64, 'base64 stays');

my $zh = request('openai', str($log));
like(decode('UTF-8', post('zh', 'openai', $zh)->body),
     qr/\[\.\. 此处省略第 \d+ 至 3000 行（共 3000 行，/, 'zh');


# --- names of the reader

for my $name (qw(read_artifact mcp__srv__read_artifact srv.read_artifact
                 srv-read_artifact srv:read_artifact artifacts_read_artifact
                 functions.read_artifact srv/read_artifact))
{
    my $body = request('openai', str($log), reader => $name);
    excerpt("reader $name", $body, post('on', 'openai', $body)->body);
}

for my $name (qw(xread_artifact 2read_artifact read_artifacts Read_Artifact
                 read_artifact_2))
{
    my $body = request('openai', str($log), reader => $name);
    same(post('on', 'openai', $body)->body, $body, "no reader: $name");
}


# --- calls

my $tools = '"tools":[{"type":"function","function":{"name":"read_artifact"}}]';

sub turns {
    my ($calls, @messages) = @_;
    return '{"model":"reads","messages":[' . join(',',
        '{"role":"assistant","tool_calls":[' . join(',', map {
            sprintf '{"id":"%s","function":{"name":"%s"}}', @$_ } @$calls)
        . ']}', @messages) . "],$tools}";
}

sub tool { return sprintf '{"role":"tool","tool_call_id":"%s","content":%s}', @_ }

my $two = turns([['a', 'get'], ['b', 'read_artifact']],
                tool('a', str($log)), tool('b', str($log)));
is(scalar(() = refs(post('on', 'openai', $two)->body)), 1,
   'one of two results was read');

my $none = turns([['a', 'get']], tool('b', str($log)));
same(post('always', 'openai', $none)->body, $none, 'no call');

my $again = '{"model":"reads","messages":['
    . '{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"get"}}]},'
    . tool('a', str($log)) . ',{"role":"assistant","tool_calls":[{"id":"a",'
    . '"function":{"name":"read_artifact"}}]},' . tool('a', str($log)) . ']}';
my $got = post('on', 'openai', $again)->body;
is(scalar(() = refs($got)), 1, 'the last call of an id, a reader in history');
ok($got =~ /"a","content":"line 1 .{50000}/s, 'what was read is whole');

my $program = request('toolset', str($log)) =~ s/"direct"/"code_execution"/r;
same(post('always', 'toolset', $program)->body, $program, 'called by a program');

my $by = request('responses', str($log))
    =~ s/"type":"function_call_output"/$&,"caller":{"type":"program"}/r;
same(post('always', 'responses', $by)->body, $by, 'the result of a program');

my $user = '{"model":"reads","messages":[{"role":"user","content":' . str($log)
    . "}],$tools}";
same(post('always', 'openai', $user)->body, $user, 'the text of a user');

my $signed = request('bedrock', str($log));
same(post('on', 'bedrock', $signed, Authorization => 'AWS4-HMAC-SHA256 a=b')
   ->body, $signed, 'a signed request');
$t->allow(qr/long texts stay in a request that is signed/);


my $foreign = request('anthropic', str($log));
for my $at (qw(on front alone)) {
    same($t->req('POST', "/$at/model/m/invoke", body => $foreign, headers => [
             'Content-Type' => 'application/json'])->body,
         $foreign, "$at: no request of an API");
}


# --- media and markers in a text

my $png = png(40, 40) =~ s/(?=....IEND)/junk(9000)/ser;
my $shot = 'a0b1c2d3-1111-8222-9333-00000000000a';
$t->artifact($shot, $png, { mimeType => 'image/png' });

my $long = b64($png);
my $media = "before [artifact:$shot] " . ("x\n" x 20_000) . b64($png)
    . "\nafter\n";
my $body = request('openai', str($media)) =~ s/"reads"/"sees"/r;
$got = post('on', 'openai', $body)->body;
my ($id) = refs($got);
ok($id, 'media: an excerpt') && do {
    my $text = stored($id);
    is(substr($text, 0, 7), 'before ', 'media: the beginning');
    ok($text =~ /\Abefore \S+ (?:x\n){20000}\[[^\]\n]*\]\nafter\n\z/,
       'media: all that is around them');
    ok(index($text, substr b64($png), 0, 60) < 0, 'media: no base64');
    is(scalar(() = $got =~ /"image_url"/g), 4, 'media: two parts follow');
    ok(eval { $JSON->decode($got); 1 }, 'media: JSON');
};


# what a text loses with a medium in it is lost once

my $little = request('openai', str("before $long " . "x\n" x 9000));
$got = post('on', 'openai', $little);
is($got->status, 200, 'a text is most of the request');
is(scalar(() = refs($got->body)), 1, 'and becomes an excerpt');


# --- what is stored

my $note = join '', map { "note $_\n" } 1 .. 4000;
my $told = request('openai', str($note));
($id) = refs(post('told', 'openai', $told, 'X-Agent' => 'a1',
                  'X-Message' => 'm1')->body);
my $meta = $JSON->decode(slurp($t->data . "/artifacts/$id.meta"));
is_deeply([@$meta{qw(text type size agentId messageId)}, $meta->{extension}],
          [JSON::PP::true, 'text/plain', length $note, 'a1', 'm1', '.txt'],
          'its metadata');
ok($meta->{expiresAt}, 'it expires');
ok(-f $t->data . "/artifacts/$id.txt", 'its file');

# one that was there, is known to be gone, and is there again

is(stored($id), $note, 'it is read');
unlink glob $t->data . "/artifacts/$id.*";
is($t->get("/kept/$id")->status, 404, 'it is gone') for 1, 2;
refs(post('told', 'openai', $told)->body);
ok(-f $t->data . "/artifacts/$id.txt", 'it is stored again');
is($t->get("/kept/$id")->status, 200, 'nobody holds it for missing');


# --- a reference that is all of a result

my $kept = 'b0b1c2d3-1111-8222-9333-00000000000b';
$t->artifact($kept, $log, { mimeType => 'text/plain' });

for my $api (qw(openai responses anthropic gemini bedrock)) {
    my $short = request($api, qq("artifact:$kept"));
    my $got = post('on', $api, $short)->body;
    is_deeply([refs($got)], [$kept], "$api: a reference becomes an excerpt");
    cmp_ok(length $got, '<', 8000, "$api: which is short");
    ok(eval { $JSON->decode($got); 1 }, "$api: JSON");
    ok(index(post('off', $api, $short)->body, str($log)) > 0, "$api: off");

    my $own = request($api, qq("artifact:$kept"), tool => 'read_artifact');
    ok(index(post('on', $api, $own)->body, str($log)) > 0, "$api: read");
}


my $cut = request('openai', qq("artifact:$kept"));
my $part = post('cut', 'openai', $cut)->body;
ok(!refs($part) && length $part > 20_000 && length $part < 30_000,
   'what artifact_text_max has cut is no excerpt');

my $file = join '', map { "line $_ of a file\n" } 1 .. 2000;
$t->workspace_file('w', 'a.log', $file);
my $of = request('openai', '"artifact:' . ws_id('w', 'a.log') . '"');
ok(index(post('on', 'openai', $of)->body, str($file)) > 0,
   'nor is a file of a workspace');


# answers that nginx keeps as a whole

my $small = join '', map { "line $_ of a log\n" } 1 .. 300;
my $kept2 = 'b0b1c2d3-1111-8222-9333-00000000000c';
$t->artifact($kept2, $small, { mimeType => 'text/plain' });

for my $api (qw(openai anthropic gemini bedrock)) {
    my $first;
    for my $n (1 .. 4) {
        my $got = post('keeps', $api, request($api, qq("artifact:$kept2")))
            ->body;
        is_deeply([refs($got)], [$kept2], "$api: kept, $n: an excerpt");
        ok(eval { $JSON->decode($got); 1 }, "$api: kept, $n: JSON");
        same($got, $first //= $got, "$api: kept, $n: the same bytes");
    }
}


# --- a history that grows has the same beginning

my @history;
my $before = '';
for my $n (1 .. 8) {
    push @history, sprintf('{"role":"assistant","tool_calls":[{"id":"c%d",'
        . '"function":{"name":"get"}}]}', $n), tool("c$n", str("$n\n$log"));
    my $res = post($n % 2 ? 'on' : 'small', 'openai', "{$tools,\"model\":\"reads\",\"messages\":["
                   . join(',', @history) . ']}')->body;
    same(substr($res, 0, length $before), $before, "turn $n: the same bytes");
    $before = $res =~ s/\]\}\z//r;
}


# --- more than leave a request

my @many = map { "$_ " . 'a word ' x 160 } 1 .. 1030;
$got = post('tiny', 'openai', "{$tools,\"messages\":[" . join(',', map {(
    qq({"tool_calls":[{"id":"c$_","function":{"name":"get"}}]}),
    tool("c$_", str($many[$_ - 1])))} 1 .. @many) . ']}')->body;
is(scalar(() = refs($got)), 1024, '1024 texts leave a request');
is(scalar(grep { index($got, str($_)) > 0 } @many), 6, 'the last ones stay');
is(scalar(grep { index($got, str($_)) > 0 } @many[1024 .. 1029]), 6,
   'as they came');


# --- variables, counters, many

my $many = turns([map { ["c$_", 'get'] } 1 .. 30],
                 map { tool("c$_", str("$_\n$log")) } 1 .. 30);
is(scalar(() = refs(post('on', 'openai', $many)->body)), 30, '30 texts');

same(post('var', 'openai', $zh, 'X-Texts' => 'off')->body, $zh, 'a variable');
excerpt('a size', $zh, post('var', 'openai', $zh, 'X-Texts' => '20k')->body,
        $log);

my $bytes = 30 * length($log) + 9 * 2 + 21 * 3;
like(slurp($t->prefix . '/access.log'), qr/^30 $bytes$/m, 'variables');
like($t->get('/status?format=prometheus')->body,
     qr/artifact_offloaded_total\{kind="text",outcome="stored"\} [1-9]/,
     'a counter');

is(left_behind($t), '', 'nothing is left behind');
$t->finish;
