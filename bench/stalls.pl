#!/usr/bin/perl

# How long a small static file has to wait while the same worker does what is
# large: the longest of many requests in a few seconds of each kind of work, the
# median and the worst of some rounds.  Without threads, and with "aio threads".
# A "!" stands where the median is beyond the aim.  On a machine that has other
# things to do one waits for a processor, too: "cpu" is the processor time of the
# longest step of the worker's event loop, which others hardly change.
#
#     perl bench/stalls.pl [rounds [pattern of the work]]
#
# STALLS_LISTED is the number of artifacts and of files that are listed.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../t/lib";
use ArtifactBench qw(median);
use ArtifactFixtures;
use ArtifactMcp qw(mcp_headers mcp_message);
use ArtifactTest;
use ArtifactWrite;
use File::Temp qw(tempdir);
use List::Util qw(max);
use Time::HiRes qw(sleep time);

my $rounds = shift // 5;
my $pattern = shift // '';
my $SECONDS = 2;
my %AIM = (inline => 50, threads => 10);
my $ENTRIES = 20_000;
my $FOREIGN = 60_000;
my $JOURNALS = 100_000;
my $LISTED = $ENV{STALLS_LISTED} || 3000;
my $CLIENTS = 8;
my @IMAGES = (40, 1024 * 1024);

$| = 1;
$ENV{TMPDIR} = '/dev/shm' if !$ENV{TMPDIR} && -w '/dev/shm';

my $build = tempdir(CLEANUP => 1);
my $steps = "$build/steps";
system('cc', '-O2', '-shared', '-fPIC', '-o', "$build/loop.so",
       "$FindBin::Bin/loop.c", '-ldl') == 0 or die "loop.c\n";

my $t = ArtifactTest->new(launcher => [
    'env', "LD_PRELOAD=$build/loop.so", "LOOP_LOG=$steps" ]);
my $spare = ArtifactTest->new;
my $folder = $t->data . '/workspaces';
my $line = ('x' x 99 . "\n") x 10_000;

mkdir $t->prefix . '/static' or die "mkdir: $!";
$t->file('static/small', 'x' x 1000);
spew($t->prefix . '/static/large.txt', $line x 200);

$t->workspace_meta('ws', { map { ("dir/file-$_" => entry()) }
                           1 .. $ENTRIES });
$t->workspace_meta('long', { 'f' => { %{ entry() }, modifiedBy => [
    map { { agentId => "agent-$_", messageId => 'm',
            timestamp => '2024-01-01T00:00:00.000Z' } } 1 .. 11_000 ] } });
$t->workspace_file('hot', 'f', 'x');
$t->workspace_meta('foreign', { map { ("f$_" => entry()) } 1 .. $FOREIGN });
$t->workspace_file('foreign', "f$_", 'x') for 1 .. 1000;
mkdir "$folder/bare" or die "mkdir: $!";
$t->workspace_meta('bare', { map { ("f$_" => entry()) } 1 .. 1000 });
mkdir $t->prefix . '/static/v1' or die "mkdir: $!";
mkdir $t->prefix . '/static/v1/images' or die "mkdir: $!";
spew($t->prefix . '/static/v1/images/generations',
     '{"created":1,"data":[{"b64_json":"' . 'QUJD' x 15e6 . '"}]}');

# 60 MB of text in one string, and in events of a few words; artifacts at the end

my $text = 'a line of a text, and "quotes\\" in it\\n' =~ s/"/\\"/r x 1.5e6;
my $block = '<artifacts>[{\"type\":\"image\",\"url\":\"u\"}]</artifacts>';
spew($t->prefix . '/static/v1/chat.json',
     qq({"choices":[{"index":0,"message":{"content":"$text$block"},)
     . '"finish_reason":"stop"}]}');
my $event = 'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","choices"'
    . ':[{"index":0,"delta":{"content":"%s"},"finish_reason":%s}]}' . "\n\n";
spew($t->prefix . '/static/v1/chat.sse',
     sprintf($event, 'some words', 'null') x 500_000
     . sprintf($event, $block, '"stop"') . "data: [DONE]\n\n");

# 53 MB of requests with images, which the store has after the first one

my $images = join ',', map {
    my $png = png(100, 100);
    substr $png, -12, 0, rand_bytes($IMAGES[1] - length $png);
    '{"type":"image_url","image_url":{"url":"data:image/png;base64,'
        . b64($png) . '"}}' } 1 .. $IMAGES[0];
$images = qq({"model":"m","messages":[{"role":"user","content":[$images]}]});

# 200 MB of lines, then a hole, which takes no memory

$t->artifact('log', $line x 200, { mimeType => 'text/plain' });
truncate $t->data . '/artifacts/log', 1 << 30 or die "truncate: $!";

spew($t->data . "/artifacts/bare-$_.meta", '{"mimeType":"text/plain"}')
    for 1 .. 1000;

# artifacts as they are written, and files as they are uploaded

mkdir $_ or die "$_: $!"
    for map { $t->prefix . "/listed$_" } '', '/artifacts', '/artifacts/.artifact',
        '/artifacts/.artifact/files', '/artifacts/.artifact/files/01900',
        '/artifacts/.artifact/files/01900/00';
for my $n (1 .. $LISTED) {
    my $uuid = sprintf '01900000-%04x-7000-8000-%012x', $n & 0xffff, $n >> 16;
    my $folder = $t->prefix . '/listed/artifacts';
    spew("$folder/$uuid.txt", 'x');
    spew("$folder/$uuid.meta", '{"mimeType":"text/plain","extension":".txt",'
         . '"createdAt":"2024-01-01T00:00:00.000Z","file":{"purpose":"p"}}');
    spew("$folder/.artifact/files/01900/00/$uuid", '');
}

my $write = 'artifact_workspace; artifact_write on; artifact_sync off;';
my $cached = 'proxy_cache answers; proxy_cache_valid 1h; artifact_offload on;'
    . ' artifact_sync off; proxy_pass http://127.0.0.1:' . $spare->port . '$1;';
my $media = 'client_max_body_size 64m; client_body_buffer_size 128k;'
    . ' artifact_sync off; proxy_set_header Content-Type "";'
    . ' proxy_pass http://127.0.0.1:' . $spare->port . ';';
my $extract = 'proxy_cache answers; proxy_cache_valid 1h; artifact_format openai;'
    . ' proxy_pass http://127.0.0.1:' . $spare->port . '$1; artifact_extract';

$t->start(main => 'thread_pool default threads=2;', server => <<"CONF",
    artifact_root %%DATA%%;
    artifact_index on;
    keepalive_requests 1000000;
    location /static/ { root %%PREFIX%%; }
    location /inline/ { $write }
    location /threads/ { $write aio threads; }
    location /inline-artifacts/ { artifact; }
    location /threads-artifacts/ { artifact; aio threads; }
    location = /inline-mcp { artifact_mcp; artifact_verify off; }
    location = /threads-mcp { artifact_mcp; artifact_verify off; aio threads; }
    location /inline-listed/ { artifact; artifact_root %%PREFIX%%/listed; }
    location /threads-listed/ {
        artifact; artifact_root %%PREFIX%%/listed; aio threads;
    }
    location /inline-files { artifact_files; artifact_root %%PREFIX%%/listed; }
    location /threads-files {
        artifact_files; artifact_root %%PREFIX%%/listed; aio threads;
    }
    location = /inline-mcp-listed {
        artifact_mcp; artifact_root %%PREFIX%%/listed;
    }
    location = /threads-mcp-listed {
        artifact_mcp; artifact_root %%PREFIX%%/listed; aio threads;
    }
    location ~ ^/(inline|threads)-pass/ { $media }
    location ~ ^/inline-front/ { $media artifact_offload_request on; }
    location ~ ^/threads-front/ {
        $media artifact_offload_request on; aio threads;
    }
    location ~ ^/inline-cached(/.*) { $cached }
    location ~ ^/threads-cached(/.*) { $cached aio threads; }
    location ~ ^/inline-on(/.*) { $extract on; }
    location ~ ^/inline-strip(/.*) { $extract strip; }
    location ~ ^/threads-on(/.*) { $extract on; aio threads; }
    location ~ ^/threads-strip(/.*) { $extract strip; aio threads; }
    location /cut/ {
        artifact_route always;
        artifact_text_max 1k;
        proxy_buffering off;
        proxy_pass http://127.0.0.1:@{[ $spare->port ]}/;
    }
CONF
    http => 'proxy_cache_path %%PREFIX%%/cache keys_zone=answers:1m;'
        . ' server { listen 127.0.0.1:' . $spare->port . ';'
        . ' root %%PREFIX%%/static; types { text/plain txt;'
        . ' text/event-stream sse; }'
        . ' location ~ ^/[^/]+/v1/chat/ { client_max_body_size 0; return 204; }'
        . ' location /v1/ { default_type application/json; } }');

# What is done over and over; "once" only at the beginning.

my $deep = join '/', map { "d$_" } 1 .. 60;
my @work = (
    ['nothing', sub { sleep 0.01 }],
    ["a fold of $ENTRIES entries", once(sub { write_to("/$_[0]/ws/new") })],
    ["a sweep of $JOURNALS journals", once(sub { $t->reload }),
     'inline'],
    ['metadata of a file written 9,000 times', sub {
        metadata($_[0], 'hot', 'f') }],
    ["contents of $FOREIGN entries without index", sub {
        ask('GET', "/$_[0]/foreign/f" . (1 + $_[1] % 1000)) }],
    ['missing ids', sub { ask('GET', "/$_[0]-artifacts/missing" . rand) }],
    ['a listing of 1,000 artifacts without content', sub {
        ask('GET', "/$_[0]-artifacts/") }],
    ["a listing of $LISTED artifacts", sub {
        has(ask('GET', "/$_[0]-listed/?limit=1000"), '"count":1000') }],
    ["a list of $LISTED artifacts by MCP", sub {
        my $params = { name => 'list_artifacts', arguments => {} };
        has(ask('POST', "/$_[0]-mcp-listed",
                body => mcp_message('tools/call', $params),
                headers => [mcp_headers('tools/call', $params)]),
            '"artifacts":\\[\\{') }],
    ["a list of $LISTED files", sub {
        has(ask('GET', "/$_[0]-files?limit=1000"), '"has_more":true') }],
    ["a list of $LISTED files of no purpose", sub {
        has(ask('GET', "/$_[0]-files?purpose=none"), '"data":\\[\\]') }],
    ["a listing of a folder of 1,000 of $FOREIGN entries", sub {
        has(ask('GET', "/$_[0]/foreign/?limit=1000"), '"count":1000') }],
    ['writes next to 11,000 modifiers', sub { write_to("/$_[0]/long/f");
                                              metadata($_[0], 'long', 'f') }],
    ['writes 60 folders deep', sub { write_to("/$_[0]/deep/$deep/f") }],
    ['60 MB of base64 in a cached answer', sub {
        ask('GET', "/$_[0]-cached/v1/images/generations") }],
    map({
        my ($how, $end) = @$_;
        [ "60 MB of $end in a cached answer, $how", sub {
            ask('GET', "/$_[0]-$how/v1/chat.$end") } ];
    } ['on', 'json'], ['strip', 'json'], ['on', 'sse'], ['strip', 'sse']),
    map({
        my ($what, $at, $n) = @$_;
        [ "53 MB of images, $what", sub { images("/$_[0]-$at/") }, undef, $n ];
    } ['nginx passes on', 'pass', 1], ['in front', 'front', 1],
      ["nginx, $CLIENTS clients", 'pass', $CLIENTS],
      ["in front, $CLIENTS clients", 'front', $CLIENTS]),
    ['grep in 1 GB', sub { lines($_[0], grep => 'needle') }],
    ['the last lines of 1 GB', sub { lines($_[0], lines => '-10') }],
    ['1 KB of a text of 200 MB, unbuffered', sub {
        ask('GET', '/cut/large.txt') }],
);

printf "%-43s %6s %6s %5s  %7s %6s %5s\n", 'milliseconds, longest wait',
    'inline', 'worst', 'cpu', 'threads', 'worst', 'cpu';

for my $work (@work) {
    my ($name, $do, $only, $clients) = @$work;
    next if $name !~ /(?:$pattern)/;

    journals() if $name =~ /sweep/;

    if ($name =~ /9,000/) {
        write_to('/inline/hot/f') for 1 .. 9000;
    }

    printf '%-43s', $name;
    for my $how ('inline', 'threads') {
        if ($only && $how ne $only) {
            printf '  %6s %6s %5s', ('-') x 3;
            next;
        }
        truncate $steps, 0;
        my @longest = map { longest($how, $do, $clients // 1) }
            1 .. $rounds;
        my $median = median(@longest);
        printf ' %6.1f%s %6.1f %5.1f', $median,
            $median > $AIM{$how} ? '!' : ' ', max(@longest),
            max(0, split ' ', slurp($steps)) / 1000;
    }
    print "\n";
}

$t->stop;


sub entry {
    return { mimeType => 'text/plain', createdAt => '2024-01-01T00:00:00.000Z',
             updatedAt => '2024-01-01T00:00:00.000Z',
             modifiedBy => [{ agentId => 'a', messageId => 'm',
                              timestamp => '2024-01-01T00:00:00.000Z' }] };
}


sub once {
    my ($do) = @_;
    my $done;
    return sub {
        my ($how, $n) = @_;
        $n ? sleep 0.01 : $do->($how);
    };
}


# Children do the work while this process asks for the small file.

sub longest {
    my ($how, $do, $clients) = @_;

    sleep 0.3;
    my @pids = map { child($how, $do) } 1 .. $clients;

    my ($longest, $conn, $end) = (0, $t->connect, time + $SECONDS);
    while (time < $end) {
        my $began = time;
        my $res = eval {
            $conn->request('GET', '/static/small', keep => 1)
        };
        if (!$res || $res->{status} != 200) {
            $conn = $t->connect;              # after a reload
            next;
        }
        my $took = 1e3 * (time - $began);
        $longest = $took if $took > $longest;
        sleep 0.0005;
    }

    waitpid $_, 0 for @pids;
    return $longest;
}


sub child {
    my ($how, $do) = @_;

    my $pid = fork // die "fork: $!";
    return $pid if $pid;

    my $end = time + $SECONDS;
    for (my $n = 0; time < $end; $n++) {
        $do->($how, $n);
    }
    POSIX::_exit(0);
}


my $conn;

sub ask {
    my ($method, $uri, @more) = @_;

    $conn = undef if $conn && $conn->{owner} != $$;
    $conn ||= { owner => $$, to => $t->connect };
    return $conn->{to}->request($method, $uri, keep => 1, @more);
}


sub has {
    my ($res, $what) = @_;
    die substr($res->{body}, -200), "\n" unless $res->{body} =~ /$what/;
}


sub lines {
    my ($how, %args) = @_;
    my $params = { name => 'read_artifact',
                   arguments => { ref => 'artifact:log', %args } };
    my $res = ask('POST', "/$how-mcp",
        body => mcp_message('tools/call', $params),
        headers => [mcp_headers('tools/call', $params)]);
    die 'lines: ', substr($res->{body}, -200), "\n"
        unless $res->{body} =~ /\[[^\]]*\b2000001\b[^\]]*\]"/;
}


sub images {
    my ($uri) = @_;
    my $res = ask('POST', "${uri}v1/chat/completions", body => $images,
                  headers => ['Content-Type' => 'application/json']);
    die "$uri: $res->{status}\n" unless $res->{status} == 204;
}


sub write_to {
    my ($uri) = @_;
    my $res = ask('PUT', $uri, body => 'x',
        headers => ['Content-Type' => 'text/plain', 'X-Agent-Id' => 'bench']);
    die "$uri: $res->{status} $res->{body}\n" unless $res->{status} =~ /^20/;
}


sub metadata {
    my ($how, $ws, $path) = @_;
    my $res = ask('GET', "/$how-artifacts/" . ws_id($ws, $path)
        . '/metadata');
    die "$ws: $res->{status} $res->{body}\n" unless $res->{status} == 200;
}


# Journals with nothing to fold, as most workspaces have one.

sub journals {
    return if -d "$folder/swept-1";
    my ($like) = grep { (-s $_) >= 40 }
        glob "$folder/.artifact/*journal*";
    my $head = substr slurp($like), 0, 40;
    mkdir "$folder/swept-$_" or die "mkdir: $!" for 1 .. $JOURNALS;
    for my $n (1 .. $JOURNALS) {
        (my $file = $like) =~ s/\bws\b/swept-$n/;
        spew($file, $head);
    }
}
