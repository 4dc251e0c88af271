#!/usr/bin/perl

# README.md by itself: its configuration, its map and its commands, as they stand
# there; what it says that models get is what they get.  The gateway is an echo.

use strict;
use warnings;
use utf8;

use Cwd qw(abs_path);
use FindBin;
use File::Path qw(make_path);
use lib "$FindBin::Bin/../lib";
use ArtifactDocs;
use ArtifactFixtures;
use ArtifactJSON;
use ArtifactTest;
use ArtifactUpstream;

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $readme = slurp("$FindBin::Bin/../../README.md");
my $gateway = ArtifactUpstream->echo("$dir/gateway");

# --- the configuration -------------------------------------------------------

my ($http) = grep { /^server \{/m } map { doc_blocks($_->[1]) }
    doc_sections("$FindBin::Bin/../../README.md");

for ($http) {
    s{http://gateway\.example\.com}{http://unix:$dir/gateway:};
    s{/srv/}{$dir/}g;
    s{/etc/nginx/}{$dir/}g;
    s{127\.0\.0\.1:8080}{127.0.0.1:%%PORT%%}g;
}

my ($map) = $readme =~ /^ {4}(\{"services".*?\]\})\n\n/ms;
spew("$dir/llmservices.json", $map);
make_path("$dir/agents/artifacts", "$dir/agents/workspaces");
system("chmod 777 $dir/agents/*");

my %conf = (http => $http, as_is => 1, no_server => 1);
my ($exit, $said) = $t->conf_test(%conf);
is($exit, 0, 'nginx -t takes it') or diag($said);
unlike($said, qr/\[warn\]/, 'and has nothing to say');
$t->start(%conf);

# --- the commands ------------------------------------------------------------

my $base = 'http://127.0.0.1:' . $t->port;
my $shown = 0;

chdir $dir or die;
while ($readme =~ /^ {4}\$ (.*)\n(?: {4}(?!\$)(.*)\n)?/gm) {
    my ($command, $answer) = ($1, $2 // '');

    $command =~ s{http://127\.0\.0\.1:8080}{$base};
    $shown++;
    is(chars(scalar `$command`), chars($answer), $command);
}

is($shown, 4, 'all commands');

# --- before and after --------------------------------------------------------

my ($request) = $readme =~ /^ {4}(\{"model".*?\]\}\]\})\n\n/ms;

sub got {
    my ($model) = @_;
    my $res = $t->req('POST', '/v1/chat/completions',
        body => $request =~ s/vision-model/$model/r,
        headers => ['Content-Type' => 'application/json']);

    return encode_json_bytes(json_of($res)->{messages}[0]{content}[0]);
}

# The line of README.md that begins so; ".." stands for more.

sub promised {
    my ($from) = @_;
    my ($line) = $readme =~ /^ {4}(\{"type":"\Q$from\E".*\.\..*)$/m;
    my $want = join '.*', map { quotemeta } split /\.\./, $line;
    return qr/\A$want\z/s;
}

for (['vision-model', 'image_url'], ['text-model', 'text']) {
    my $part = got($_->[0]);

    # keys of JSON::PP are in the order of the alphabet

    $part =~ s/\A\{"text":(".*"),"type":"text"\}\z/{"type":"text","text":$1}/s;
    $part =~ s/\A\{"image_url":(.*),"type":"image_url"\}\z/{"type":"image_url","image_url":$1}/s;
    like($part, promised($_->[1]), "what $_->[0] gets");
}

my $drawn = $t->req('POST', '/v1/images/generations',
    headers => ['Content-Type' => 'application/json'],
    body => encode_json_bytes({ model => 'x', data => [{ b64_json =>
        b64(png(9, 9) . "\0" x 20000) }] }));
like($drawn->body, qr/\{"url":"artifact:[0-9a-f-]{36}"\}/,
     'base64 in an answer becomes a reference');

$gateway->stop;
$t->finish;
