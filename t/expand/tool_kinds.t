#!/usr/bin/perl

# Files as people have them that a tool answers with, by a reference: the result,
# or the message that follows it, has the part that the API takes under its own
# type, or words; texts are whole.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFit;
use ArtifactKinds;
use ArtifactTest;

my $t = ArtifactTest->new;
my %kind = kinds($t->prefix);
my %body = (
    openai => '{"model":"%m","messages":[{"role":"tool","tool_call_id":"a",'
        . '"content":"%r"}]}',
    openai_responses => '{"model":"%m","input":[{"type":"function_call_output",'
        . '"call_id":"a","output":"%r"}]}',
    anthropic => '{"model":"%m","messages":[{"role":"user","content":[{"type":'
        . '"tool_result","tool_use_id":"a","content":"%r"}]}]}',
    gemini => '{"contents":[{"role":"user","parts":[{"functionResponse":{"name":'
        . '"f","response":{"output":"%r"}}}]}]}',
    bedrock => '{"messages":[{"role":"user","content":[{"toolResult":'
        . '{"toolUseId":"a","content":[{"text":"%r"}]}}]}]}',
);
$body{mistral} = $body{openrouter} = $body{openai};

$t->artifact($_, $kind{$_}{body}, kind_meta($kind{$_})) for keys %kind;
$t->file('map.json', fit_map());

my $echo = echoed($t);

$t->start(http => 'artifact_capabilities %%PREFIX%%/map.json;',
          server => fit_server(''));

for my $id (sort keys %kind) {
    my @wrong;

    for my $api (sort keys %body) {
        for my $model (qw(all reads)) {
            my %in = (m => $model, r => "artifact:$id");
            my $res = $t->req('POST', uri_of($api, $model),
                headers => ['Content-Type' => 'application/json'],
                body => $body{$api} =~ s/%([mr])/$in{$1}/gr);

            # a result of Bedrock's names a sound

            my $wrong = kind_wrong($kind{$id}, $api, $res, filled => 1,
                reads => $model eq 'reads',
                any => "$api $kind{$id}{is}" =~ m{^bedrock audio/} ? 1 : 0);
            push @wrong, "$api, $model: $wrong" if $wrong ne '';
        }
    }

    is(join("\n", @wrong), '', $id);
}

$echo->stop;
$t->finish;
