#!/usr/bin/perl

# Answers with artifacts, read by the providers' own clients and the "ai"
# package (t/npm/sdk/answers.mjs): to their end, with the items, and with "strip"
# without the block.

use strict;
use warnings;
use utf8;

use Cwd qw(abs_path);
use File::Copy qw(copy);
use File::Temp qw(tempdir);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactAnswers;
use ArtifactTest;
use ArtifactUpstream;
use JSON::PP ();

my $sdk = abs_path("$FindBin::Bin/../..") . '/build/sdk';
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
        ~/v1/responses$        openai_responses;
        ~^/\w+/(?<name>\w+)/  $name;
    }
HTTP
    artifact_format $api;
    proxy_set_header X-API $api;
    location /on/ {
        artifact_extract on;
        proxy_pass http://up;
    }
    location /strip/ {
        artifact_extract strip;
        proxy_pass http://up;
    }
SERVER

ok(-e "$sdk/installed", 'scripts/deps.sh test has installed the SDKs')
    or do { $t->finish; exit };

my $folder = tempdir('answers-XXXXXX', DIR => $sdk, CLEANUP => 1);
copy($_, $folder) or die "$_: $!\n" for glob "$FindBin::Bin/../npm/sdk/*.mjs";

read_answers('on', join '', @pieces);
read_answers('strip', '工件  done');

$t->finish;


# What all of the clients make of the answers of a location.

sub read_answers {
    my ($location, $text) = @_;

    my $url = 'http://127.0.0.1:' . $t->port . "/$location";
    my $count = 0;

    open my $pipe, '-|', 'timeout', 100, 'node', "$folder/answers.mjs", $url
        or die "node: $!";

    while (my $line = <$pipe>) {
        my $got = JSON::PP::decode_json($line);
        my $name = "$location, $got->{name}";
        $count++;

        is($got->{error}, undef, "$name: is read to its end");
        is($got->{text}, $text, "$name: the text");
        is_deeply($got->{items}, [{ type => 'image', url => 'https://h/a.png',
                                    title => '图' }],
                  "$name: the items");
    }

    close $pipe;

    is($count, 35, "$location: all of them");
}


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
