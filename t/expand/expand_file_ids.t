#!/usr/bin/perl

# Files by the ids that clients of Files APIs see: each API gets its own part.

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
my $pdf = "%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n";

my %hex = (png => '019a0b1c2d3e7f408123456789abcdef',
           pdf => '019a0b1c2d3e7f408123456789abcde0',
           gone => '019a0b1c2d3e7f408123456789abcde1');

sub uuid {
    return join '-', $hex{$_[0]} =~ /^(.{8})(.{4})(.{4})(.{4})(.{12})$/;
}

$t->artifact(uuid('png'), $png, { mimeType => 'image/png', name => 's.png' });
$t->artifact(uuid('pdf'), $pdf,
             { mimeType => 'application/pdf', name => 'd.pdf' });

my $echo = ArtifactUpstream->echo("$dir/echo");
my $pass = "artifact_expand on; proxy_pass http://unix:$dir/echo:;";

$t->start(server => <<"SERVER");
    artifact_root %%DATA%%;
    artifact_language en;
    artifact_accept text,vision,pdf;
    artifact_url https://a.example/artifacts/;
    location /artifacts/ { internal; artifact; }
    location /           { $pass }
    location /mistral/   { artifact_format mistral; $pass }
SERVER

my %bytes = map { $_->[0] => b64($_->[1]) }
    ['png', $png], ['pdf', $pdf];
my %type = (png => 'image/png', pdf => 'application/pdf');

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
    return $t->req('POST', $path{$api},
                   headers => ['Content-Type' => 'application/json'],
                   body => encode_json_bytes(body($api, $part)));
}

my @slots = (
    ['openai', 'pdf', sub { { type => 'file', file => { file_id => $_[0] } } }],
    ['openai', 'png', sub { { type => 'file', file => { file_id => $_[0] } } }],
    ['responses', 'pdf', sub { { type => 'input_file', file_id => $_[0] } }],
    ['responses', 'png', sub { { type => 'input_image', file_id => $_[0] } }],
    ['anthropic', 'png', sub {
        { type => 'image', source => { type => 'file', file_id => $_[0] } } }],
    ['anthropic', 'pdf', sub {
        { type => 'document', source => { type => 'file', file_id => $_[0] } }
    }],
    ['gemini', 'png', sub { { fileData => { fileUri => $_[0] } } }],
    ['mistral', 'png', sub { { type => 'file', file_id => $_[0] } }],
    (map { my $api = $_;
           map { [$api, $_, sub { { type => 'artifact', artifact => $_[0] } }] }
               'png', 'pdf' } qw(openai responses anthropic)),
    ['mistral', 'png', sub { { type => 'artifact', artifact => $_[0] } }],
    (map { my $api = $_;
           map { [$api, $_, sub { { artifact => $_[0] } }] } 'png', 'pdf' }
         qw(gemini bedrock)),
);

for my $slot (@slots) {
    my ($api, $what, $part) = @$slot;

    for my $prefix ('file-art-', 'file_art_') {
        my $id = $prefix . $hex{$what};
        my $name = "$api, $prefix in " . encode_json_bytes($part->('..'));
        my $res = sent($api, $part->($id));

        is($res->{status}, 200, $name);
        ok(index($res->{body}, $bytes{$what}) >= 0, "... has the $what");
        ok(index($res->{body}, $hex{$what}) < 0, '... and not the id');

        next if $prefix eq 'file_art_';

        $res = sent($api, $part->("file-art-$hex{gone}"));
        ok($res->{status} == 200 && index($res->{body}, $hex{gone}) < 0
           && $res->{body} =~ /does not exist or has been deleted/,
           '... words if there is none');
    }
}

# What only looks like one is the provider's.

for my $id ('file-abc123', 'file-art-123', "file-art_$hex{png}",
            "file-art-$hex{png}0", 'file-art-' . uc $hex{png},
            "file-art-$hex{png} ")
{
    my $part = { type => 'input_image', file_id => $id };

    is_deeply(json_of(sent('responses', $part)),
              body('responses', $part), "\"$id\" is the provider's");
}

# In texts it is no reference.

my $text = { type => 'text', text => "file-art-$hex{png}" };
is_deeply(json_of(sent('openai', $text)),
          body('openai', $text), 'a text stays a text');

# A container of Anthropic's needs the file itself.

my $res = sent('anthropic', { type => 'container_upload',
                              file_id => "file_art_$hex{pdf}" });
is($res->{status}, 400, 'no file that is kept here goes into a container');
my $error = json_of($res)->{error};
is($error->{code}, 'invalid_artifact_id', '... says the code');
is($error->{type}, 'invalid_request_error', '... and the type');
is($error->{param}, 'artifact:' . uuid('pdf'), '... and which one');

for my $id ('file_011CNha8iCJcU1wXNR6q4V8w', 'artifact:' . uuid('pdf')) {
    my $part = { type => 'container_upload', file_id => $id };
    is_deeply(json_of(sent('anthropic', $part)),
              body('anthropic', $part), "... another id stays: $id");
}

$echo->stop;
$t->finish;
