#!/usr/bin/perl

# What providers take of documents, and of whom; and what a service's "accepts"
# opens.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use MIME::Base64 qw(decode_base64);

my $t = ArtifactTest->new;
my $csv = "a,b\n\xff,2\n";

$t->file('map.json', { services => [
    map { { capabilities => { input => ['text'] }, %$_ } }
    { id => 'tables', format => 'bedrock',
      accepts => ['text/csv', 'image/png'], maxBytes => 1000 },
    { id => 'converse', format => 'bedrock',
      capabilities => { input => ['text', 'pdf'] } },
    { id => 'responses', format => 'openai_responses',
      capabilities => { input => ['text', 'pdf'] } },
    { id => 'chat', format => 'openai',
      capabilities => { input => ['text', 'pdf'] } },
    { id => 'router', format => 'openrouter' },
    { id => 'vllm', format => 'openai_compatible',
      capabilities => { input => ['text', 'audio', 'video', 'pdf'] } },
    { id => 'vllm-pdf', format => 'openai_compatible', accepts =>
      ['application/pdf'], capabilities => { input => ['pdf'] } },
    { id => 'cites', format => 'anthropic_citations',
      capabilities => { input => ['text', 'pdf'] } },
    { id => 'interacts', format => 'gemini_interactions',
      capabilities => { input => ['text', 'file', 'vision'] } },
] });

$t->artifact('csv', $csv, { type => 'text/csv', name => 'Table (1).csv' });
$t->artifact('large', 'x,' x 1000, { type => 'text/csv', name => 'l.csv' });
$t->artifact('txt', 'words', { type => 'text/plain', name => 'w.txt' });
$t->artifact('docx', docx(), { name => 'a.docx' });
$t->artifact('pdf', pdf(), { type => 'application/pdf', name => 'r.pdf' });
$t->artifact('mp4', mp4(), { type => 'video/mp4', name => 'f.mp4' });
$t->artifact('wav', wav(), { type => 'audio/wav', name => 'n.wav' });
$t->artifact('empty', '', { type => 'text/plain', name => 'e.txt' });

$t->start(http => <<'HTTP');
    artifact_capabilities %%PREFIX%%/map.json;
    artifact_root %%DATA%%;
    artifact_route on;
HTTP

sub part {
    my ($service, $id) = @_;
    return json_of($t->service($service, "/artifacts/$id"));
}

# the keys of a part, in depth

sub shape {
    my ($part) = @_;
    return '' if ref $part ne 'HASH';
    return '{' . join(' ', map { $_ . shape($part->{$_}) } sort keys %$part)
        . '}';
}

my %expected = (
    'tables csv' => '{document{format name source{bytes}}}',
    'tables large' => '{text}',
    'tables txt' => '{text}',
    'converse csv' => '{text}',
    'converse docx' => '{document{format name source{bytes}}}',
    'responses docx' => '{file_data filename type}',
    'chat docx' => '{text type}',
    'router pdf' => '{file{file_data filename} type}',
    'router docx' => '{text type}',
    'vllm mp4' => '{type video_url{url}}',
    'vllm wav' => '{audio_url{url} type}',
    'vllm pdf' => '{text type}',
    'vllm-pdf pdf' => '{file{file_data filename} type}',
    'cites txt' => '{citations{enabled} source{data media_type type} title '
        . 'type}',
    'cites pdf' => '{citations{enabled} source{data media_type type} title '
        . 'type}',
    'cites mp4' => '{text type}',
    'cites empty' => '{text type}',
    'interacts docx' => '{data mime_type type}',
    'interacts txt' => '{text type}',
);

is(shape(part(split / /)), $expected{$_}, $_) for sort keys %expected;

my $table = part('tables', 'csv')->{document};
is($table->{format}, 'csv', 'a table is one for Bedrock');
is(decode_base64($table->{source}{bytes}), $csv, 'byte for byte');
is(part('cites', 'txt')->{source}{data}, 'words', 'a text that is cited');
is(part('interacts', 'pdf')->{type}, 'document', 'a document of Interactions');

$t->finish;
