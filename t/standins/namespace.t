#!/usr/bin/perl

# The ids of what stand-ins stand for are nobody's: nothing serves, lists or names
# such an artifact, no reference leads to it, and no scope has another's id.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactSandwich;
use ArtifactTest;

my $t = ArtifactTest->new;
my $echo = standin_echo($t);

standin_server($t, server => <<'SERVER');
    location /tenant/ {
        artifact_offload_request on scope=$http_x_tenant;
        proxy_pass %%ECHO%%;
    }
    location /both/ {
        artifact_expand on;
        artifact_url http://x.example/files/;
        proxy_pass %%ECHO%%;
    }
    location /route/ {
        artifact_route on;
        artifact;
    }
    location /write/ {
        artifact_write on;
        artifact;
    }
    location /message {
        artifact_message;
    }
    location /mcp {
        artifact_mcp;
        artifact_index on;
    }
    location /v1/files {
        artifact_files;
    }
    location /argument/ {
        artifact_expand on;
        proxy_pass %%ECHO%%;
    }
SERVER

my $data = $t->data;
my $png = standin_content('png', 3000);
my ($slot) = values %{ { standin_slots('openai', 'png') } };
my $body = standin_body('openai', 'sees', $slot->('image/png', b64($png)));

my $front = standin_post($t, '/front/v1/chat/completions', $body);
my $id = standin_id($data, $png, 'png');
my $content = slurp(standin_files($data)->{$id}{path});

ok($content eq $png, 'it is stored');


# --- no handler

sub hidden {
    my ($name, $res) = @_;
    unlike($res->head, qr/\AHTTP\/1.1 200/, "$name: not served")
        if $res->can('head');
    isnt($res->status, 200, "$name: no 200");
    ok(index($res->body, substr $png, 60, 40) < 0, "$name: no bytes");
    ok(index($res->body, substr b64($png), 100, 60) < 0, "$name: no base64");
}

for my $at (qw(/files/ /route/ /write/)) {
    hidden("$at, $_", $t->get("$at$_"))
        for $id, "$id.png", "artifact:$id", "$id/metadata",
            $id =~ s/-/%2d/r, uc $id;
    hidden("$at, a range", $t->get("$at$id", Range => 'bytes=0-9'));
}

isnt($t->head("/files/$id")->status, 200, 'HEAD');
isnt($t->req('DELETE', "/write/$id")->status, 204, 'DELETE');
isnt($t->req('PUT', "/write/$id", body => 'x',
             headers => ['Content-Type' => 'text/plain'])->status, 201, 'PUT');
ok(slurp(standin_files($data)->{$id}{path}) eq $png, 'it is still there');


# --- no listing, nor descriptions

my $list = $t->get('/files/');
is($list->status, 200, 'there is a listing');
unlike($list->body, qr/$id/, 'without it');
unlike($t->get('/v1/files')->body, qr/$id|${\ ($id =~ tr{-}{}dr) }/,
       'nor in that of files');

my $hex = $id =~ tr/-//dr;
for my $file ("file-art-$hex", "file_art_$hex") {
    hidden("/v1/files/$file", $t->get("/v1/files/$file"));
    hidden("/v1/files/$file/content", $t->get("/v1/files/$file/content"));
}

my $message = standin_post($t, '/message',
    qq({"payload":{"text":"a","attachments":["artifact:$id"]},"service":"sees"}));
ok(index($message->body, substr b64($png), 100, 60) < 0,
   'a message does not get it');


# --- MCP

sub mcp {
    my ($method, $params) = @_;
    my $res = $t->req('POST', '/mcp',
        headers => ['Content-Type' => 'application/json',
                    'Accept' => 'application/json, text/event-stream',
                    'MCP-Protocol-Version' => '2025-06-18'],
        body => qq({"jsonrpc":"2.0","id":1,"method":"$method","params":$params}));
    return $res->body;
}

my $mcp_list = mcp('resources/list', '{}');
unlike($mcp_list, qr/$id/, 'not among the resources');
for my $call (mcp('tools/call', '{"name":"list_artifacts","arguments":{}}'),
              mcp('tools/call', qq({"name":"read_artifact","arguments":{)
                  . qq("ref":"artifact:$id"}})),
              mcp('tools/call', qq({"name":"get_artifact","arguments":{)
                  . qq("ref":"artifact:$id"}})),
              mcp('resources/read', qq({"uri":"artifact:$id"})))
{
    ok(index($call, substr b64($png), 100, 60) < 0, 'no bytes by MCP');
    unlike($call, qr/image\/png/, 'nor its type');
}


# --- no reference leads to it, and a stand-in to nothing else

for my $at (qw(direct both all behind)) {
    for my $ref ("artifact:$id", "http://x.example/files/$id",
                 "file-art-$hex", $id, "artifact:$id?x")
    {
        my $res = standin_post($t, "/$at/v1/chat/completions",
            standin_body('openai', 'sees',
                '{"type":"image_url","image_url":{"url":"' . $ref . '"}}'));
        ok(index($res->body, substr b64($png), 100, 60) < 0,
           "$at, $ref: not expanded");
    }
    for my $text ("[artifact:$id]", "see [artifact:$id] there") {
        my $res = standin_post($t, "/$at/v1/messages",
            '{"model":"sees","messages":[{"role":"user","content":[{"type":'
            . '"tool_result","tool_use_id":"a","content":"' . $text . '"}]}]}');
        ok(index($res->body, substr b64($png), 100, 60) < 0,
           "$at, a marker: not expanded");
    }
}

# a stand-in where only references are

my $standin = standin_b64('png', $id);
my $forged = standin_body('openai', 'sees', $slot->('image/png', $standin));

# "standins" takes no other reference

my $other = '0190a001-1111-8222-9333-000000000001';
$t->artifact($other, $png, { mimeType => 'image/png' });

for my $part ($slot->('image/png', standin_b64('png', $other)),
              '{"type":"image_url","image_url":{"url":"artifact:' . $other
              . '"}}')
{
    my $res = standin_post($t, '/behind/v1/chat/completions',
                           standin_body('openai', 'sees', $part));
    ok(index($res->body, substr b64($png), 100, 60) < 0,
       'only artifacts of stand-ins: ' . substr $part, 0, 60);
}

my $kept = standin_body('openai', 'sees', '{"type":"image_url","image_url":'
                        . '{"url":"artifact:' . $other . '"}}');
standin_same(standin_post($t, '/behind/v1/chat/completions', $kept)->body, $kept,
             'a reference passes behind');


# --- scopes

my %seen;
for my $tenant ('', 'a', 'b', "a\n", 'front') {
    my $res = standin_post($t, '/tenant/v1/chat/completions', $body,
                           $tenant =~ /\n/ ? () : ('X-Tenant' => $tenant));
    next if $tenant =~ /\n/;
    my $of = standin_id($data, $png, 'png', $tenant);
    standin_same($res->body, standin_body('openai', 'sees',
        $slot->('image/png', standin_b64('png', $of))), "scope \"$tenant\"");
    is(standin_stored($data, $of, $png, 'png', $tenant), '',
       "scope \"$tenant\": stored");
    ok(!$seen{$of}++, "scope \"$tenant\": an id of its own");
}

# the same content as an artifact of answers has another id

isnt($id, substr(standin_digest($data, $png, 'png', 'x'), 0, 8),
     'the scope is in the digest');


# --- the log

# but in lines of who has written it himself

my @low = grep { /$id/ && !/\[(?:warn|error|crit|alert|emerg|debug)\]/
                 && !/request: "[^"]*$id/ }
          split /\n/, $t->log;
is(join("\n", @low), '', 'no line of the log has the id');

$echo->stop;
$t->finish;
