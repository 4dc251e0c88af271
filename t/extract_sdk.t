#!/usr/bin/perl

# Answers with artifacts, read by the providers' own clients
# (t/sdk/answers.mjs): to their end, without the block, with the items.

use strict;
use warnings;
use utf8;

use Cwd qw(abs_path);
use File::Copy qw(copy);
use File::Temp qw(tempdir);
use FindBin;
use lib "$FindBin::Bin/lib";
use ArtifactAnswers;
use ArtifactTest;
use ArtifactUpstream;
use JSON::PP ();

my $sdk = abs_path("$FindBin::Bin/..") . '/build/sdk';
my $t = ArtifactTest->new;

my $items = '[{"type":"image","url":"https://h/a.png","title":"图"}]';
my @pieces = ('工件 ', '<art', 'ifacts>', $items, '</artifacts', '> done');

my %content;

for my $api (qw(openai openai_responses anthropic gemini mistral openrouter
                bedrock)) {
    $content{"$api-json"} = { body => answer_json($api, join '', @pieces),
                              type => 'application/json' };
    $content{"$api-sse"} = { body => answer_stream($api, \@pieces),
                             type => 'text/event-stream' }
        if $api ne 'bedrock';
}

my $up = ArtifactUpstream->new($t->prefix . '/up.sock', serve => \&serve);

$t->start(http => <<'HTTP', server => <<'SERVER');
    upstream up {
        server unix:%%PREFIX%%/up.sock max_fails=0;
    }
    map $uri $api {
        ~^/[a-z]+/v1/responses$  openai_responses;
        ~^/(?<name>[a-z]+)/      $name;
    }
HTTP
    artifact_extract strip;
    artifact_format $api;
    location / {
        proxy_set_header X-API $api;
        proxy_pass http://up;
    }
SERVER

ok(-e "$sdk/installed", 'scripts/deps.sh test has installed the SDKs')
    or do { $t->finish; exit };

my $folder = tempdir('answers-XXXXXX', DIR => $sdk, CLEANUP => 1);
copy($_, $folder) or die "$_: $!\n" for glob "$FindBin::Bin/sdk/*.mjs";

open my $pipe, '-|', 'timeout', 100, 'node', "$folder/answers.mjs",
    'http://127.0.0.1:' . $t->port or die "node: $!";

my $count = 0;

while (my $line = <$pipe>) {
    my $got = JSON::PP::decode_json($line);
    $count++;

    is($got->{error}, undef, "$got->{name}: is read to its end");
    is($got->{text}, '工件  done', "$got->{name}: without the block");
    is_deeply($got->{items}, JSON::PP::decode_json(bytes($items)),
              "$got->{name}: and the items arrive")
        if $got->{name} !~ /^(?:gemini|mistral|openrouter|bedrock)/;
}

is($count, 13, 'all of them');

$t->finish;


# A stream if the body or the path asks for one, a few bytes at a time.

sub serve {
    my ($sock) = @_;

    my $request = '';
    until ($request =~ /\r\n\r\n/ && length $'
           >= ($request =~ /^Content-Length: (\d+)/mi ? $1 : 0))
    {
        sysread $sock, $request, 65536, length $request or return;
    }

    my ($api) = $request =~ /^X-API: (\w+)/m;
    my $answer = $content{$api . ($request =~ /"stream":true|streamGenerate/
                                  ? '-sse' : '-json')};

    syswrite $sock, "HTTP/1.0 200 OK\r\nContent-Type: $answer->{type}\r\n\r\n";
    syswrite $sock, $_ for $answer->{body} =~ /.{1,33}/gs;
}
