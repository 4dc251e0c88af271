#!/usr/bin/perl

# The id that a write returns works as it is, wherever a request takes a URL,
# data or a file id, and in the part for artifacts; but in no text.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactJSON;
use ArtifactTest;
use ArtifactUpstream;

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $png = png(50, 50);

my $echo = ArtifactUpstream->echo("$dir/echo");
my $pass = "artifact_expand on; proxy_pass http://unix:$dir/echo:;";

$t->start(server => <<"SERVER");
    artifact_root %%DATA%%;
    artifact_language en;
    artifact_accept text,vision,pdf;
    location /artifacts/  { internal; artifact; }
    location /workspaces/ { artifact_workspace; artifact_write on; }
    location /            { $pass }
    location /mistral/    { artifact_format mistral; $pass }
SERVER

sub written {
    my ($path, $type, $body) = @_;
    return json_of($t->req('PUT', "/workspaces/$path", body => $body,
                           headers => ['Content-Type' => $type]))->{artifactId};
}

my $shot = written('team:a/pictures/shot.png', 'image/png', $png);
my $note = written('team/note.txt', 'text/plain', "a note\n");
my $data = b64($png);

is($shot, ws_id('team:a', 'pictures/shot.png'), 'what a write returns');

my %path = (
    openai => '/v1/chat/completions',
    responses => '/v1/responses',
    anthropic => '/v1/messages',
    gemini => '/v1beta/models/gemini-2.5-pro:generateContent',
    bedrock => '/model/anthropic.claude-3-sonnet/converse',
    mistral => '/mistral/v1/chat/completions',
);

sub body {
    my ($api, $part) = @_;
    return $api eq 'responses'
        ? { model => 'm', input => [{ role => 'user', content => [$part] }] }
        : $api eq 'gemini'
        ? { contents => [{ role => 'user', parts => [$part] }] }
        : { model => 'm',
            messages => [{ role => 'user', content => [$part] }] };
}

sub sent {
    my ($api, $part) = @_;
    my $res = $t->req('POST', $path{$api},
                      body => encode_json_bytes(body($api, $part)),
                      headers => ['Content-Type' => 'application/json']);
    is($res->{status}, 200, "$api is answered");
    return $res->body;
}

my %slots = (
    openai => [
        sub { { type => 'image_url', image_url => { url => $_[0] } } },
        sub { { type => 'file', file => { file_id => $_[0] } } },
        sub { { type => 'file', file => { file_data => $_[0] } } },
        sub { { type => 'input_audio', input_audio =>
                    { data => $_[0], format => 'wav' } } },
        sub { { type => 'artifact', artifact => $_[0] } },
    ],
    responses => [
        sub { { type => 'input_image', image_url => $_[0] } },
        sub { { type => 'input_image', file_id => $_[0] } },
        sub { { type => 'input_file', file_url => $_[0] } },
        sub { { type => 'artifact', artifact => $_[0] } },
    ],
    anthropic => [
        (map { my $source = $_;
               sub { { type => 'image', source => { %$source,
                       $source->{type} eq 'url' ? 'url'
                           : $source->{type} eq 'file' ? 'file_id'
                           : 'data', $_[0] } } } }
            { type => 'url' }, { type => 'file' },
            { type => 'base64', media_type => 'image/png' }),
        sub { { type => 'artifact', artifact => $_[0] } },
    ],
    gemini => [
        sub { { fileData => { mimeType => 'image/png', fileUri => $_[0] } } },
        sub { { inlineData => { mimeType => 'image/png', data => $_[0] } } },
        sub { { artifact => $_[0] } },
    ],
    bedrock => [
        sub { { image => { format => 'png', source =>
                    { s3Location => { uri => $_[0] } } } } },
        sub { { artifact => $_[0] } },
    ],
    mistral => [
        sub { { type => 'image_url', image_url => $_[0] } },
        sub { { type => 'document_url', document_url => $_[0] } },
        sub { { type => 'artifact', artifact => $_[0] } },
    ],
);

for my $api (sort keys %slots) {
    my $n = 0;
    for my $slot (@{ $slots{$api} }) {
        $n++;
        my $body = sent($api, $slot->($shot));
        like($body, qr/\Q$data\E/, "$api, slot $n: the picture");
        is($body, sent($api, $slot->("artifact:$shot")),
           'as with "artifact:" before it');
        like(sent($api, $slot->($note)), qr/"a note\\n"/, 'the text');
        like(sent($api, $slot->(ws_id('team', 'none'))),
             qr/deleted|does not exist/, 'one that is missing');
    }
}

# what is no such id goes on as it came

my $encoded = $shot =~ s/.*://r;
for my $url ('ws:', 'ws:team', 'ws:team:', ':', "ws:team:$encoded!",
             "ws:team:$encoded ", "ws:team: $encoded", "WS:team:$encoded",
             "ws:..:$encoded", "ws::$encoded", 'ws://host:8080/socket',
             'ws://host/a:b', "ws:a/b:$encoded", "ws:team:" . b64url("../x"),
             "ws:team:" . b64url("/etc/passwd"), "ws:team:a\0",
             "ws:team:" . 'a' x 9000)
{
    my $part = { type => 'image_url', image_url => { url => $url } };
    is(sent('openai', $part), encode_json_bytes(body('openai', $part)),
       substr($url, 0, 40) . ' is no reference');
}

# nor is one in a text, however it stands there

for my $content ($shot, "See $shot", [{ type => 'text', text => $shot }]) {
    for my $role ('user', 'tool') {
        my $body = encode_json_bytes({ model => 'm', messages => [
            { role => $role, content => $content, tool_call_id => 'c' }] });
        my $res = $t->req('POST', $path{openai}, body => $body,
                          headers => ['Content-Type' => 'application/json']);
        is($res->body, $body, "a text of \"$role\" stays");
    }
}

$t->finish;
