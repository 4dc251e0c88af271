#!/usr/bin/perl

# The content of a subrequest, rendered for a consumer: the bytes that the same
# reader would get in the same format, in bounded memory, whatever the source;
# and nothing of it goes anywhere else.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactConsumer;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;
use Compress::Zlib qw(memGzip);

my $LARGE = 96 << 20;
my $ALL = 'text,vision,audio,video,file';

my $t = ArtifactTest->new;
my $module = consumer_module($t->prefix);

my %content = (
    png => [png(60, 60), 'image/png'],
    pdf => [pdf() . rand_bytes(200_000) . "%%EOF\n", 'application/pdf'],
    text => ["日志 \"line\"\t1\n" x 9000, 'text/plain'],
    gbk => ["\xc4\xe3\xba\xc3\n" x 40, 'text/plain; charset=gbk'],
    json => ['{"a":[1,2.50]}', 'application/json'],
    empty => ['', 'text/plain'],
);

for my $id (keys %content) {
    my ($body, $type) = @{ $content{$id} };
    utf8::encode($body) if $id eq 'text';
    $content{$id}[2] = $content{$id}[0];
    $content{$id}[0] = $body;
    $t->artifact($id, $body, { type => $type, name => "$id.x" });
}

$t->artifact('included', join('<i>between</i>', map {
    qq(<!--#include virtual="/$_" -->) } 'plain/text', 'artifacts/text',
    'plain/gbk', 'artifacts/json'), { type => 'text/html' });
my $rows = join '', map { "row $_: some words in a long text\n" } 1 .. 20_000;
$t->artifact('rows', $rows, { type => 'text/plain' });
$t->artifact('large', "\0", { type => 'application/x-blob' });
truncate $t->data . '/artifacts/large', $LARGE or die "truncate: $!";

my $upstream = ArtifactUpstream->new($t->prefix . '/upstream.sock',
    contents => { map { $_ => { body => $content{$_}[0],
                                type => $content{$_}[1] } } keys %content });

$t->start(
    main => "load_module $module;",
    http => <<'HTTP',
    proxy_cache_path %%PREFIX%%/cache keys_zone=cache:1m;
    gzip on;
    gzip_types *;
    gzip_min_length 1;
HTTP
    server => <<'SERVER');
    artifact_root %%DATA%%;
    set $up http://unix:%%PREFIX%%/upstream.sock;
    proxy_ignore_headers X-Accel-Buffering;

    location /artifacts/  { artifact; artifact_route on;
                            artifact_format $arg_format; }
    location /raw/        { internal; artifact; }
    location /threads/    { artifact; aio threads; output_buffers 1 4k; }
    location /tiny/       { artifact; output_buffers 1 64; sendfile on; }
    location /plain/      { rewrite ^/plain(/.*) $1 break;
                            proxy_pass http://unix:%%PREFIX%%/upstream.sock; }
    location /unbuffered/ { rewrite ^/unbuffered(/.*) $1 break;
                            proxy_pass http://unix:%%PREFIX%%/upstream.sock;
                            proxy_buffering off; }
    location /cached/     { rewrite ^/cached(/.*) $1 break;
                            proxy_pass http://unix:%%PREFIX%%/upstream.sock;
                            proxy_cache cache; proxy_cache_valid 1m; }
    location /ssi/        { artifact; ssi on; ssi_types *; }
    location /sub/        { artifact; sub_filter words WORDS;
                            sub_filter_once off; sub_filter_types *; }
    location /fallback/   { artifact; error_page 404 = @plain; }
    location @plain       { rewrite ^/fallback/(.*) /png break;
                            proxy_pass http://unix:%%PREFIX%%/upstream.sock; }
    location /gone/       { return 410; }

    location /consume/    { consumer_test; artifact_inline_max 0; }
    location /short/      { consumer_test; artifact_inline_max 100;
                            artifact_text_max 10; artifact_language en; }
SERVER

# %opt: caps, and what the consumer's URI takes

sub consume {
    my ($uri, $format, %opt) = @_;
    my $caps = delete $opt{caps} // $ALL;
    my $location = delete $opt{location} // 'consume';
    $uri =~ s/([?&])/sprintf '%%%02X', ord $1/ge;
    my $args = join '&', "uri=$uri", "format=$format",
        map { "$_=$opt{$_}" } sort keys %opt;
    return $t->accept($caps, "/$location/?$args");
}

sub outcome {
    my ($res) = @_;
    return join ' ', map { $res->header("X-$_") // '-' } qw(Status Whole);
}

sub direct {
    my ($id, $format, $caps) = @_;
    return $t->accept($caps // $ALL, "/artifacts/$id?format=$format")->body;
}

# every format, every kind, for readers of everything and of text only

for my $format (qw(route object tool_message openai openai_responses anthropic
                   gemini bedrock mistral openrouter mcp))
{
    my @wrong;

    for my $id (sort keys %content) {
        for my $caps ($ALL, 'text') {
            my $res = consume("/raw/$id", $format, caps => $caps);
            push @wrong, "$id for $caps, " . outcome($res)
                if $res->body ne direct($id, $format, $caps)
                   || outcome($res) ne '200 1' || $res->header('X-Last') != 1;
        }
    }

    is("@wrong", '', "$format as the same reader gets it");
}

# every source; the id of a proxied content is the path of its URI

sub plain {
    my ($body) = @_;
    $body =~ s/"id":"[^"]*"/"id":""/;
    $body =~ s/"createdAt":"[^"]*",?//;
    $body =~ s/"filename":"[^"]*"/"filename":""/g;
    $body =~ s/ \([^)]*\):"/:"/;
    return $body;
}

for my $id (sort keys %content) {
    for my $source (qw(threads tiny)) {
        is(consume("/$source/$id", 'route')->body, direct($id, 'route'),
           "$id of /$source/");
    }

    for my $args ('', '?frame=chunked&step=700', '?frame=close&step=900') {
        for my $source (qw(plain unbuffered cached cached)) {
            my $res = consume("/$source/$id$args", 'openai');
            is(outcome($res), '200 1', "$id of /$source/$args is whole");
            is(plain($res->body), plain(direct($id, 'openai')),
               '... and rendered');
        }
    }
}

is(plain(consume('/plain/empty?frame=chunked', 'anthropic')->body),
   plain(direct('empty', 'anthropic')), 'empty, of unknown length');
is(plain(consume('/plain/png?frame=chunked&step=1', 'openai')->body),
   plain(direct('png', 'openai')), 'byte by byte');

# limits and language are those of the location that consumes

my $res = consume('/raw/png', 'route', location => 'short');
is(json_of($res)->{metadata}{reason}, 'size', 'the consumer\'s limit');
like(json_of($res)->{content}, qr/^\[Unreadable|^\[Cannot|^\[/,
     'the consumer\'s words');
is(json_of(consume('/raw/text', 'route', location => 'short'))->{metadata}
   {truncated}, JSON::PP::true(), 'the consumer\'s length of texts');

# sources that fail, and what stands in for them

for my $case (['/raw/none', '404 0'], ['/gone/x', '410 0'],
              ['/plain/png?status=500', '500 0'],
              ['/plain/png?status=206', '502 0'],
              ['/plain/text?header=Content-Encoding:gzip', '502 0'],
              ['/plain/pdf?cut=100000', '200 0'],
              ['/plain/pdf?frame=chunked&step=9000&cut=100000', '200 0'],
              ['/unbuffered/pdf?cut=100000', '200 0'],
              ['/plain/text?frame=chunked&step=900&cut=9000', '200 0'],
              ['/plain/text?headcut=10', '502 0'],
              ['/fallback/none', '200 1'], ['/fallback/png', '200 1'])
{
    my ($uri, $want) = @$case;
    my $res = consume($uri, 'openai');
    is(outcome($res), $want, "$uri: status and whole");
    is($res->body, '', '... and nothing of it') if $want =~ /^[45]/;
}

is(plain(consume('/fallback/none', 'openai')->body),
   plain(direct('png', 'openai')), 'the page of an error is the content');

# subrequests of the source's own are part of it

for my $pace (0, 2) {
    $res = $t->req('GET', "/consume/?uri=/ssi/included&format=route&pace=$pace",
                   timeout => 20);
    is(outcome($res), '200 1', 'a content mixed with others is whole');
    like(json_of($res)->{content},
         qr/\A\Q$content{text}[2]\E<i>between<.*\Q$content{json}[0]\E\z/s,
         '... and has them in their places');
}

# consumers that take their time, or have enough

for my $uri ('/raw/pdf', '/threads/text', '/plain/pdf', '/unbuffered/text') {
    my $fast = consume($uri, 'openai');
    my $slow = consume($uri, 'openai', pace => 3);
    is(outcome($slow), '200 1', "a slow consumer of $uri gets it whole");
    is($slow->body, $fast->body, '... the same');
}

# a filter takes its buffers back, and fills them anew

(my $subbed = $rows) =~ s/words/WORDS/g;
ok(json_of(consume('/sub/rows', 'route', pace => 1))->{content} eq $subbed,
   'a slow consumer has the bytes of many buffers in their order');

for my $uri ('/raw/pdf', '/threads/pdf', '/plain/pdf', '/unbuffered/pdf') {
    $res = consume($uri, 'openai', after => 60_000);
    is(outcome($res), '200 0', "a consumer that fails ends $uri");
    $res = consume($uri, 'openai', after => 60_000, pace => 3);
    is(outcome($res), '200 0', '... a slow one, too');
}

# HEAD and other clients' headers do not reach into it

$res = $t->head("/consume/?uri=/raw/png&format=openai",
                'X-LLM-Capabilities' => $ALL);
is($res->header('Content-Length'), length direct('png', 'openai'),
   'HEAD: the content is rendered all the same');

# memory

SKIP: {
    skip 'a sanitizer keeps freed memory', 3 if $t->version =~ /-fsanitize/;

    my ($worker) = $t->workers;
    consume('/raw/pdf', 'openrouter') for 1 .. 10;
    my $before = $t->memory($worker);
    $res = consume('/raw/large', 'route', pace => 0);
    is(length $res->body > 4 * $LARGE / 3, 1, 'a large content is rendered');
    is(outcome($res), '200 1', '... and whole');
    cmp_ok($t->memory($worker) - $before, '<', 2048,
           '... while the worker grows by less than 2 MB');
}

for my $uri ('/raw/pdf', '/plain/pdf') {
    cmp_ok(consume($uri, 'openai', pace => 1)->header('X-Buffers'), '<=',
           2 * 24576, "two buffers of 24 KB are all there is of $uri");
}

$upstream->stop;
$t->finish;
