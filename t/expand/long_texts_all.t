#!/usr/bin/perl

# Long texts beside all else that changes requests and answers, in one location:
# random histories of tools, with media and markers in their texts, stay JSON
# with all of their messages, and are never too large.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactEcho;
use ArtifactFixtures;
use ArtifactTest;
use JSON::PP;

my $ROUNDS = $ENV{ART_ROUNDS} // 40;
my $seed = rand_seed(20261127);
diag("seed $seed, ART_SEED= sets another") if $ENV{ART_SEED};

my $t = ArtifactTest->new;
my $echo = echo($t->prefix . '/echo');
my $JSON = JSON::PP->new->utf8->canonical;

my $png = 'a0b1c2d3-1111-8222-9333-00000000000a';
my $text = 'a0b1c2d3-1111-8222-9333-00000000000b';
$t->artifact($png, png(40, 40), { mimeType => 'image/png' });
$t->artifact($text, "a line\n" x 3000, { mimeType => 'text/plain' });
$t->file('map.json', { services => [
    { id => 'sees', capabilities => { input => ['text', 'vision'] } } ] });

$t->start(http => 'artifact_capabilities %%PREFIX%%/map.json;',
          server => <<'SERVER');
    artifact_root %%DATA%%;
    artifact_language en;
    artifact_offload_text 4k head=512 tail=256;
    artifact_offload_min 1k;
    artifact_prompt on;
    artifact_offload on;
    artifact_extract strip;
    aio threads;

    location /artifacts/ {
        artifact;
    }
    location /converts/ {
        internal;
        proxy_pass http://unix:%%PREFIX%%/echo:/;
    }
    location /front/ {
        artifact_offload_request on;
        artifact_expand on;
        artifact_derive image text/plain /converts/x body;
        proxy_pass http://unix:%%PREFIX%%/echo:;
    }
    location /model/ {
        artifact_expand on;
        artifact_delivery url;
        artifact_url https://h/artifacts/;
        proxy_pass http://unix:%%PREFIX%%/echo:;
    }
SERVER

sub one { return $_[rand_int(scalar @_)] }

sub content {
    my $shot = b64(png(20, 20) . rand_bytes(rand_int(6000)));
    return one("x\n" x rand_int(6000), "artifact:$text", "artifact:$png", '',
               "see [artifact:$png] " . "y\n" x rand_int(5000),
               "before $shot after" . "z\n" x rand_int(4000),
               "\x{1f600}" x rand_int(3000));
}

sub image {
    return { type => 'image_url', image_url => { url => $_[0] } };
}

# What a tool may return as JSON: contents at any depth.

sub tree {
    my ($depth) = @_;
    return content() if $depth == 0 || rand_int(3) == 0;
    return rand_int(2) ? [map { tree($depth - 1) } 1 .. 1 + rand_int(3)]
        : { map { (one(qw(output result text data artifacts type content))
                   => tree($depth - 1)) } 1 .. 1 + rand_int(3) };
}

# A call, its result, and perhaps images of the user: of each API.

sub gemini {
    my ($n) = @_;
    my $name = one('get', 'get', 'read_artifact');
    return ({ role => 'model', parts => [{ functionCall => {
        args => {}, name => $name } }] }, { role => 'user', parts => [
        { functionResponse => { name => $name, response => {
            output => tree(3), more => tree(4) } } },
        (rand_int(2) ? { fileData => { fileUri => "artifact:$png",
                                       mimeType => 'image/png' } } : ()) ] });
}

sub bedrock {
    my ($n) = @_;
    return ({ role => 'assistant', content => [{ toolUse => {
        toolUseId => "c$n", name => one('get', 'get', 'read_artifact'),
        input => {} } }] }, { role => 'user', content => [{ toolResult => {
        toolUseId => "c$n", content => [{ text => content() },
                                        { json => { a => tree(4) } }] } }] });
}

sub openai {
    my ($n) = @_;
    my $id = one(1 .. 9) == 1 ? 'c' : "c$n";
    my @turn = ({ role => 'assistant', tool_calls => [{
        id => "c$n", type => 'function', function => { arguments => '{}',
            name => one('get', 'get', 'get', 'read_artifact') } }] }, {
        role => 'tool', tool_call_id => $id, content => rand_int(3)
            ? content() : [map { { type => 'text', text => content() } } 1 .. 3]
    });
    push @turn, { role => 'user', content => [image("artifact:$png"),
        image('data:image/png;base64,'
              . b64(png(20, 20) . rand_bytes(rand_int(6000))))] }
        if rand_int(2);
    return @turn;
}

# Each API: where it is asked, its list of turns, its tools, how to make a turn.

my @apis = (
    ['/v1/chat/completions', 'messages', { tools => [{ type => 'function',
        function => { name => 'x_read_artifact' } }] }, \&openai],
    ['/v1beta/models/sees:generateContent', 'contents', { tools => [{
        functionDeclarations => [{ name => 'x_read_artifact' }] }] }, \&gemini],
    ['/model/sees/converse', 'messages', { toolConfig => { tools => [{
        toolSpec => { name => 'x_read_artifact' } }] } }, \&bedrock],
);

for my $api (@apis) {
    my ($uri, $list, $tools, $make) = @$api;
    my ($right, $all) = (0, 0);

    for my $round (1 .. $ROUNDS) {
        my @turns = map { $make->($_) } 1 .. 1 + rand_int(8);
        my $body = $JSON->encode({ $list => \@turns,
            ($uri =~ /chat/ ? (model => one('sees', 'other')) : ()),
            rand_int(5) ? %$tools : () });

        for my $at ('/front', '/model') {
            my $res = $t->req('POST', "$at$uri", body => $body, timeout => 20,
                              headers => ['Content-Type' => 'application/json']);
            my $got = eval { $JSON->decode($res->body) };
            my $ok = $res->status == 200 && $got
                && @{ $got->{$list} // [] } >= @turns;
            $all++;
            $right += $ok ? 1 : 0;
            diag("$at$uri, round $round: " . $res->status . ' '
                 . substr $res->body, 0, 100) if !$ok;
        }
    }

    is($right, $all, "$uri: each request arrives");
}

$echo->stop;
$t->finish;
