#!/usr/bin/perl

# Where markers and pasted base64 count: in what tools of the client's returned,
# and nowhere else; and where the parts go that follow them.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactTools;

my $t = ArtifactTest->new;

my $ID = '0190a001-1111-8222-9333-000000000001';
my $DOC = '0190a002-1111-8222-9333-000000000002';
my $image = png(4, 4);
my $shot = content_of('image/png', 300);
my %data = (IMAGE => b64($image), SHOT => b64($shot));
my $name = names_of({ mime => 'image/png', bytes => $shot });

$t->artifact($ID, $image, { mimeType => 'image/png', name => 'shot.png' });
$t->artifact($DOC, pdf(), { mimeType => 'application/pdf', name => 'r.pdf' });

my $echo = tool_server($t);

# In templates: MARK and PDF are markers, RUN pasted base64, NAME what becomes
# of it, IMAGE and SHOT base64.

sub filled {
    my ($text) = @_;
    my %word = (MARK => "[artifact:$ID]", PDF => "[artifact:$DOC]",
                RUN => $data{SHOT}, NAME => $name, ID => $ID, DOC => $DOC,
                %data);
    return $text =~ s/\b(MARK|PDF|RUN|NAME|ID|DOC|IMAGE|SHOT)\b/$word{$1}/gr;
}

sub ask {
    my ($api, $model, $body) = @_;
    my $res = $t->req('POST', uri_of($api, $model), body => $body,
                      headers => ['Content-Type' => 'application/json']);
    return $res->{status} == 200 ? $res->{body} : "status $res->{status}";
}

# D1 and D2 stand for descriptions of the image and the document.

sub becomes {
    my ($api, $model, $name, $body, $want) = @_;

    my $got = ask($api, $model, my $was = filled($body));
    $want = quotemeta filled($want);
    my %file = (1 => "shot.png (artifact:$ID)", 2 => "r.pdf (artifact:$DOC)");
    my $line = '\\\\n[^"\\\\]+';
    $want =~ s/D([12])/\\[Unreadable\\] \Q$file{$1}\E${line}${line}${line}/g;
    like($got, qr/\A$want\z/, "$api, $model: $name");
}

sub stays {
    my ($api, $name, $body) = @_;
    for my $model (qw(sees reads)) {
        my $was = filled($body =~ s/MODEL/$model/r);
        is(ask($api, $model, $was), $was, "$api, $model: stays: $name");
    }
}


# --- what is not searched

my $PROSE = 'see MARK, data:image/png;base64,RUN and RUN';

for my $role (qw(user assistant system developer)) {
    for my $api (qw(openai openrouter mistral)) {
        stays($api, $role, '{"model":"MODEL","messages":[{"role":"' . $role
            . qq(","content":"$PROSE"},{"role":"$role","content":[{"type":)
            . qq("text","text":"$PROSE"}]}]}));
    }
    stays('openai_responses', $role, '{"model":"MODEL","input":[{"role":"'
        . $role . qq(","content":"$PROSE"},{"role":"$role","content":[{"type":)
        . qq("input_text","text":"$PROSE"}]}]}));
}

stays('openai', 'all but messages', '{"model":"MODEL","messages":[{"role":'
    . '"assistant","content":null,"refusal":"MARK","tool_calls":[{"id":"MARK",'
    . '"type":"function","function":{"name":"f","arguments":"{\"x\":\"MARK RUN'
    . '\"}"}}]},{"role":"tool","tool_call_id":"MARK","name":"RUN","content":'
    . '"done"}],"tools":[{"type":"function","function":{"name":"f",'
    . '"description":"MARK RUN"}}],"metadata":{"a":"MARK"},"user":"MARK"}');

stays('openai_responses', 'other items', '{"model":"MODEL","instructions":'
    . qq("$PROSE","input":[{"type":"function_call","call_id":"a","name":"f",)
    . '"arguments":"{\"x\":\"MARK\"}"},{"type":"mcp_call","id":"b","name":"f",'
    . qq("server_label":"s","arguments":"{}","output":"$PROSE"},)
    . '{"type":"reasoning","id":"c","summary":[{"type":"summary_text","text":'
    . '"MARK"}]},{"type":"message","role":"assistant","content":[{"type":'
    . '"output_text","text":"MARK RUN"}]}]}');

stays('anthropic', 'other blocks', qq({"model":"MODEL","system":"$PROSE",)
    . '"messages":[{"role":"user","content":"MARK RUN"},{"role":"assistant",'
    . qq("content":[{"type":"thinking","thinking":"$PROSE","signature":"x"},)
    . qq({"type":"text","text":"$PROSE"},{"type":"tool_use","id":"a","name":)
    . qq("f","input":{"x":"$PROSE"}},{"type":"server_tool_use","id":"b",)
    . qq("name":"web_search","input":{"query":"$PROSE"}}]},{"role":"user",)
    . qq("content":[{"type":"text","text":"$PROSE"},{"type":"tool_result",)
    . '"tool_use_id":"MARK","content":"done"}]}],"tools":[{"name":"f",'
    . '"description":"MARK","input_schema":{}}]}');

stays('anthropic', "results of the server's tools", '{"model":"MODEL",'
    . '"messages":[{"role":"assistant","content":[{"type":'
    . '"web_search_tool_result","tool_use_id":"a","content":[{"type":'
    . '"web_search_result","title":"MARK","url":"https://x/",'
    . '"encrypted_content":"RUN"}]},{"type":"code_execution_tool_result",'
    . '"tool_use_id":"b","content":{"type":"code_execution_result","stdout":'
    . qq("$PROSE","stderr":"","return_code":0,"content":[]}},)
    . '{"type":"bash_code_execution_tool_result","tool_use_id":"d","content":'
    . qq({"type":"bash_code_execution_result","stdout":"$PROSE"}},)
    . '{"type":"mcp_tool_result","tool_use_id":"c","is_error":false,"content":'
    . qq([{"type":"text","text":"$PROSE"}]}]}]}));

stays('anthropic', "a document of the client's", '{"model":"MODEL","messages":'
    . '[{"role":"user","content":[{"type":"tool_result","tool_use_id":"a",'
    . '"content":[{"type":"document","source":{"type":"text","media_type":'
    . qq("text/plain","data":"$PROSE"}}]}]}]}));

stays('bedrock', 'other blocks', qq({"system":[{"text":"$PROSE"}],"messages":)
    . qq([{"role":"user","content":[{"text":"$PROSE"},{"guardContent":{"text":)
    . qq({"text":"$PROSE"}}}]},{"role":"assistant","content":[{"text":)
    . qq("$PROSE"},{"toolUse":{"toolUseId":"a","name":"f","input":{"x":)
    . qq("$PROSE"}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":)
    . '"MARK","content":[{"text":"done"}],"status":"success"}}]}]}');

for my $api (qw(gemini-2.5 gemini-3)) {
    stays($api, 'other parts', '{"systemInstruction":{"parts":[{"text":"'
        . $PROSE . '"}]},"contents":[{"role":"user","parts":[{"text":"'
        . $PROSE . '"}]},{"role":"model","parts":[{"text":"' . $PROSE
        . '"},{"functionCall":{"name":"f","args":{"x":"' . $PROSE . '"}}},'
        . '{"executableCode":{"language":"PYTHON","code":"' . $PROSE . '"}},'
        . '{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"'
        . $PROSE . '"}}]},{"role":"user","parts":[{"functionResponse":{'
        . '"id":"MARK","name":"RUN","response":{"MARK":1,"RUN":"x"}}}]}],'
        . '"tools":[{"functionDeclarations":[{"name":"f","description":'
        . '"MARK"}]}]}');
}


# --- Anthropic: in place, and text only where it tells an error

my $BLOCK = '{"type":"image","source":{"type":"base64","media_type":'
    . '"image/png","data":"IMAGE"}}';
my $NAMED = '{"type":"text","text":"Artifact content (shot.png): '
    . 'artifact:ID"}';

sub claude {
    return '{"model":"sees","messages":[{"role":"user","content":[{"type":'
        . qq("tool_result","tool_use_id":"a",$_[0]}]}]});
}

for my $error ('true', 'false') {
    my $then = $error eq 'true' ? $NAMED : $BLOCK;

    becomes('anthropic', 'sees', "is_error $error in front",
        claude(qq("is_error":$error,"content":"see MARK.")),
        claude(qq("is_error":$error,"content":[{"type":"text","text":)
               . qq("see MARK."},$then])));
    becomes('anthropic', 'sees', "is_error $error behind",
        claude(qq("content":"see MARK.", "is_error": $error)),
        claude(qq("content":[{"type":"text","text":"see MARK."},$then],)
               . qq( "is_error": $error)));
    becomes('anthropic', 'sees', "is_error $error, parts",
        claude('"content":[{"type":"text","text":"a MARK","cache_control":'
               . '{"type":"ephemeral"}} , {"type":"text","text":"b MARK"}],'
               . qq("is_error":$error)),
        claude('"content":[{"type":"text","text":"a MARK","cache_control":'
               . qq({"type":"ephemeral"}},$then , {"type":"text","text":)
               . qq("b MARK"}],"is_error":$error)));
}

becomes('anthropic', 'sees', 'no more than a marker',
    claude('"content":"MARK"'),
    claude(qq("content":[{"type":"text","text":"MARK"},$BLOCK])));
becomes('anthropic', 'sees', 'two finds, and a picture that was there',
    claude(qq("content":[{"type":"text","text":"MARK RUN."},$BLOCK])),
    claude(qq("content":[{"type":"text","text":"MARK NAME."},$BLOCK,)
           . $BLOCK =~ s/IMAGE/SHOT/r . ",$BLOCK]"));
becomes('anthropic', 'sees', 'a reference beside a marker',
    claude('"content":[{"type":"text","text":"artifact:ID"},{"type":"text",'
           . '"text":"MARK"}]'),
    claude(qq("content":[$BLOCK,{"type":"text","text":"MARK"}])));
becomes('anthropic', 'reads', 'descriptions',
    claude('"content":"MARK and PDF"') =~ s/sees/reads/r,
    claude('"content":[{"type":"text","text":"MARK and PDF"},{"type":"text",'
           . '"text":"D1"},{"type":"text","text":"D2"}]') =~ s/sees/reads/r);

# pasted base64 is gone from an error too, and no image comes

my $got = ask('anthropic', 'sees', filled(claude(
    '"content":"see RUN.","is_error":true')));
like($got, qr/"see \Q$name\E\."/, 'an error: the short name');
unlike($got, qr/"image"/, 'an error: no image');


# --- Chat Completions: media behind the last of the tool messages

sub chat {
    my ($model, @results) = @_;
    return qq({"model":"$model","messages":[{"role":"user","content":"go"},)
        . join(',', @results) . ']}';
}

sub tool { return qq({"role":"tool","tool_call_id":"t","content":$_[0]}) }

my $SAID = '{"role":"assistant","content":"MARK"}';
my $MEDIA = '{"role":"user","content":[%s]}';
my $LEAD = '{"type":"text","text":"Artifact content (shot.png):"},'
    . '{"type":"image_url","image_url":{"url":"data:image/png;base64,IMAGE"}}';
my $PASTED = '{"type":"text","text":"NAME"},{"type":"image_url","image_url":'
    . '{"url":"data:image/png;base64,SHOT"}}';

for my $api (qw(openai openrouter)) {
    becomes($api, 'sees', 'parallel calls',
        chat('sees', tool('"a MARK"'), tool('"b"'), tool('"c RUN."'), $SAID),
        chat('sees', tool('"a MARK"'), tool('"b"'), tool('"c NAME."'),
             sprintf($MEDIA, "$LEAD,$PASTED"), $SAID));
    becomes($api, 'sees', 'two turns',
        chat('sees', tool('"MARK"'), tool('"b"'), $SAID, tool('"c"'),
             tool('[{"type":"text","text":"x MARK"}]')),
        chat('sees', tool('"MARK"'), tool('"b"'), sprintf($MEDIA, $LEAD),
             $SAID, tool('"c"'), tool('[{"type":"text","text":"x MARK"}]'),
             sprintf($MEDIA, $LEAD)));
    becomes($api, 'sees', 'a reference and a marker',
        chat('sees', tool('"artifact:ID"'), tool('"MARK"')),
        chat('sees', tool('"Artifact content (shot.png): artifact:ID"'),
             tool('"MARK"'), sprintf($MEDIA, "$LEAD,$LEAD")));
}

# that OpenRouter reads PDFs for any model is for others to tell

becomes('openai', 'sees', 'some seen, some described',
    chat('sees', tool('"a PDF b MARK c"')),
    chat('sees', tool('"a PDF b MARK c\nD2"'), sprintf($MEDIA, $LEAD)));
becomes('openai', 'reads', 'descriptions in the same string',
    chat('reads', tool('"caf\u00e9 \/ MARK and PDF"'), $SAID),
    chat('reads', tool('"caf\u00e9 \/ MARK and PDF\nD1\nD2"'), $SAID));
becomes('openai', 'new', 'a model that is not known',
    chat('new', tool('"PDF MARK RUN"')),
    chat('new', tool('"PDF MARK RUN\nD2"'), sprintf($MEDIA, $LEAD)));

becomes('mistral', 'sees', 'in place',
    chat('sees', tool('"a MARK"'), tool('"b"')),
    chat('sees', tool('[{"type":"text","text":"a MARK"},{"type":"image_url",'
         . '"image_url":"data:image/png;base64,IMAGE"}]'), tool('"b"')));


# --- members in any order, white space

becomes('openai', 'sees', 'the role behind the content',
    chat('sees', '{"content":"MARK","role":"assistant"}',
         '{ "content" : "a MARK" , "tool_call_id":"t","role":"tool"}',
         '{"content": [ {"text":"b RUN","type":"text"} ],"role":"tool"}',
         '{"content":"MARK RUN","role":"user"}'),
    chat('sees', '{"content":"MARK","role":"assistant"}',
         '{ "content" : "a MARK" , "tool_call_id":"t","role":"tool"}',
         '{"content": [ {"text":"b NAME","type":"text"} ],"role":"tool"}',
         sprintf($MEDIA, "$LEAD,$PASTED"),
         '{"content":"MARK RUN","role":"user"}'));
becomes('mistral', 'sees', 'the role behind the content',
    chat('sees', '{"content":"MARK","role":"assistant"}',
         '{"content":"a MARK" ,"role":"tool"}'),
    chat('sees', '{"content":"MARK","role":"assistant"}',
         '{"content":[{"type":"text","text":"a MARK"},{"type":"image_url",'
         . '"image_url":"data:image/png;base64,IMAGE"}] ,"role":"tool"}'));
becomes('anthropic', 'sees', 'the type behind the content',
    '{"messages":[{"content":[{"content":"MARK","type":"tool_result"},'
    . '{"content":[ {"text":"RUN","type":"text"} ],"type":"tool_result"},'
    . '{"text":"MARK RUN","type":"text"}],"role":"user"}],"model":"sees"}',
    '{"messages":[{"content":[{"content":[{"type":"text","text":"MARK"},'
    . "$BLOCK],\"type\":\"tool_result\"},"
    . '{"content":[ {"text":"NAME","type":"text"},' . $BLOCK =~ s/IMAGE/SHOT/r
    . ' ],"type":"tool_result"},{"text":"MARK RUN","type":"text"}],'
    . '"role":"user"}],"model":"sees"}');

# one that is signed must not be changed

for my $text ('MARK', 'RUN', 'artifact:ID is it') {
    my $body = filled(claude(qq("content":"$text")));
    my $res = $t->req('POST', uri_of('anthropic', 'sees'), body => $body,
        headers => ['Content-Type' => 'application/json', Authorization =>
                    'AWS4-HMAC-SHA256 Credential=x, Signature=y']);
    if ($text =~ /it/) {
        is($res->{body}, $body, 'a signed one with a mention stays');
    } else {
        is("$res->{status} " . (json_of($res)->{error}{code} // ''),
           '400 signed_request', "a signed one with $text");
    }
}


# --- Responses

becomes('openai_responses', 'sees', 'in place',
    '{"input":[{"type":"function_call_output","output":"a MARK","call_id":"c"}'
    . ',{"type":"function_call_output","call_id":"d","output":[{"type":'
    . '"input_text","text":"RUN"}]}],"model":"sees"}',
    '{"input":[{"type":"function_call_output","output":[{"type":"input_text",'
    . '"text":"a MARK"},{"type":"input_image","detail":"auto","image_url":'
    . '"data:image/png;base64,IMAGE"}],"call_id":"c"},{"type":'
    . '"function_call_output","call_id":"d","output":[{"type":"input_text",'
    . '"text":"NAME"},{"type":"input_image","detail":"auto","image_url":'
    . '"data:image/png;base64,SHOT"}]}],"model":"sees"}');

becomes('openai_responses', 'sees', 'the type behind the output',
    '{"input":[{"output":"MARK","type":"function_call_output"},{"output":'
    . '"MARK"}],"model":"sees"}',
    '{"input":[{"output":[{"type":"input_text","text":"MARK"},{"type":'
    . '"input_image","detail":"auto","image_url":"data:image/png;base64,IMAGE"'
    . '}],"type":"function_call_output"},{"output":"MARK"}],"model":"sees"}');


# --- Bedrock: strings anywhere in json

sub converse {
    return '{"messages":[{"role":"user","content":[{"toolResult":{"toolUseId":'
        . qq("a","content":[$_[0]]}}]}]});
}

my $PNG = '{"image":{"format":"png","source":{"bytes":"IMAGE"}}}';
my $JSON = '{"json":{"MARK":1,"a":[0,{"b":"x MARK"}],"c":"MARK","d":"RUN"}}';

becomes('bedrock', 'sees', 'json',
    converse("$JSON, " . '{"text":"end"}'),
    converse($JSON =~ s/RUN/NAME/r . ",$PNG," . $PNG =~ s/IMAGE/SHOT/r
             . ', {"text":"end"}'));
becomes('bedrock', 'sees', 'a text and a json',
    converse('{"text":"MARK"},{"json":{"a":"PDF"}}'),
    converse(qq({"text":"MARK"},$PNG,{"json":{"a":"PDF"}},{"text":"D2"})));
becomes('bedrock', 'reads', 'a json of one string',
    converse('{"json":"MARK"}'), converse('{"json":"MARK"},{"text":"D1"}'));


# --- Gemini: strings anywhere in the response

sub parts {
    return '{"contents":[{"role":"user","parts":[{"functionResponse":{"name":'
        . qq("f","response":$_[0]}}]}$_[1]]});
}

my $OBJECT = '{"a":[0,{"b":["x MARK"]}],"c":"MARK"%s}';
my $DATA = '{"inlineData":{"mimeType":"image/png","data":"IMAGE"}}';
my $OWN = ',{"role":"user","parts":[{"text":"Artifact content (shot.png):"},'
    . "$DATA]}";

becomes('gemini-2.5', 'sees', 'a content of its own',
    parts(sprintf($OBJECT, ''), ''), parts(sprintf($OBJECT, ''), $OWN));
becomes('gemini-3', 'sees', 'parts of the response',
    parts(sprintf($OBJECT, ''), ''),
    parts(sprintf($OBJECT, '') . qq(,"parts":[$DATA]), ''));

for my $api (qw(gemini-2.5 gemini-3)) {
    becomes($api, 'reads', 'words', parts(sprintf($OBJECT, ',"d":"PDF"'), ''),
        parts(sprintf($OBJECT, ',"d":"PDF","artifacts":["D1","D2"]'), ''));
    becomes($api, 'reads', 'words, a member of that name',
        parts('{"artifacts":["MARK"]}', ''),
        parts('{"artifacts":["MARK"],"artifacts_":["D1"]}', ''));
}

$echo->stop;
$t->finish;
