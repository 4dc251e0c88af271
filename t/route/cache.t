#!/usr/bin/perl

# proxy_cache below routing: what is cached is what the upstream sent, and
# every reader gets an answer of his own from it.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;

my $t = ArtifactTest->new;
my $png = png(60, 60);
my $text = bytes("第一行 \"q\"\n" x 4000);
my $pdf = pdf() . "\0\1\2" x 200_000;

$t->file('map.json', { services => [
    { id => 'blind', capabilities => { input => ['text'] } },
    { id => 'sees', capabilities => { input => ['text', 'vision'] } },
    { id => 'all', capabilities => { input => ['text', 'vision', 'file'] } },
] });

my @tag = ('ETag: "one"', 'Accept-Ranges: bytes',
           'Last-Modified: Mon, 02 Jan 2006 15:04:05 GMT');
my $up = ArtifactUpstream->new($t->prefix . '/up.sock', contents => {
    png => { body => $png, type => 'image/png', headers => \@tag },
    text => { body => $text, type => 'text/plain', headers => \@tag },
    pdf => { body => $pdf, type => 'application/pdf', headers => \@tag },
    bare => { body => $png, type => '', headers => \@tag },
});

$t->start(http => <<'HTTP', server => <<'SERVER');
    artifact_capabilities %%PREFIX%%/map.json;
    artifact_route on;
    upstream up {
        server unix:%%PREFIX%%/up.sock;
    }
    proxy_cache_path %%PREFIX%%/cache keys_zone=c:1m;
    proxy_cache_valid 200 1m;
    proxy_cache_key $uri$is_args$args;
    log_format cache '$uri $upstream_cache_status';
    server {
        listen unix:%%PREFIX%%/back.sock;
        artifact_route off;
        location / {
            root %%PREFIX%%/store;
            types {
                image/png   png;
                text/plain  txt;
            }
            add_header Cache-Control max-age=1;
        }
    }
HTTP
    access_log %%PREFIX%%/access.log cache;
    add_header X-Cache $upstream_cache_status always;
    add_header X-Routing $artifact_routing;

    location /c/ {
        proxy_cache c;
        proxy_pass http://up/;
    }
    location /sendfile/ {
        proxy_cache c;
        sendfile on;
        output_buffers 1 512;
        proxy_pass http://up/;
    }
    location /threads/ {
        proxy_cache c;
        aio threads;
        proxy_pass http://up/;
    }
    location /no-convert/ {
        proxy_cache c;
        proxy_cache_convert_head off;
        proxy_cache_key $request_method$uri$is_args$args;
        proxy_pass http://up/;
    }
    location /stale/ {
        proxy_cache c;
        proxy_cache_valid 200 1s;
        proxy_cache_use_stale error timeout http_500 http_503;
        proxy_pass http://up/;
    }
    location /background/ {
        proxy_cache c;
        proxy_cache_valid 200 1s;
        proxy_cache_use_stale updating;
        proxy_cache_background_update on;
        proxy_pass http://up/;
    }
    location /checked/ {
        proxy_cache c;
        proxy_cache_revalidate on;
        artifact_text_max 6000;
        proxy_pass http://unix:%%PREFIX%%/back.sock:/;
    }
    location /decode/ {
        artifact_decode on;
        proxy_cache c;
        proxy_cache_key $artifact_key;
        proxy_pass http://up/$artifact_id;
    }
    location /min-uses/ {
        proxy_cache c;
        proxy_cache_min_uses 2;
        proxy_pass http://up/;
    }
    location /lock/ {
        proxy_cache c;
        proxy_cache_lock on;
        proxy_pass http://up/;
    }
SERVER

sub state_of {
    my ($res) = @_;
    return "$res->{status} " . ($res->header('X-Cache') // '-');
}

my %want = (blind => 'image text image/png capability',
            sees => 'image image_url image/png',
            all => 'image image_url image/png');

# one object, many readers

for my $mode ('c', 'sendfile', 'threads', 'decode', 'lock') {
    my $uri = "/$mode/png";
    $up->requests;
    my %body;
    for my $service ('blind', 'sees', 'all', 'blind', 'sees') {
        my $res = $t->service($service, $uri);
        is(routing_of($res), $want{$service}, "$uri for $service");
        is(route_problems($res), '', 'well-formed');
        ok(data_of($res) eq $png, 'whole') if $service ne 'blind';
        $body{$service} //= $res->body;
        ok($res->body eq $body{$service}, 'the same each time');
        is($res->header('Content-Length'), length $res->body,
           'its length is known');
    }
    my $raw = $t->get($uri);
    is(state_of($raw), '200 HIT', 'raw, from the cache');
    ok($raw->body eq $png, 'the bytes are in it');
    is($raw->header('ETag'), '"one"', 'with their tag');
    is(scalar(() = $up->requests), 1, 'one request of the upstream');
}

# a raw reader first, text, large files, no type

for my $case (['/c/text', $text, 'text text text/plain'],
              ['/c/pdf', $pdf, 'binary file application/pdf'],
              ['/sendfile/text', $text, 'text text text/plain'],
              ['/sendfile/pdf', $pdf, 'binary file application/pdf'],
              ['/threads/pdf', $pdf, 'binary file application/pdf'],
              ['/threads/text', $text, 'text text text/plain'],
              ['/c/bare', $png, 'image image_url image/png'],
              ['/c/text?frame=chunked', $text, 'text text text/plain'],
              ['/c/pdf?frame=close', $pdf, 'binary file application/pdf'])
{
    my ($uri, $content, $want) = @$case;
    my $raw = $t->get($uri);
    ok($raw->body eq $content && state_of($raw) eq '200 MISS',
       "$uri, raw first");
    for (1 .. 2) {
        my $res = $t->service('all', $uri);
        is(state_of($res), '200 HIT', 'then routed from the cache');
        is(routing_of($res), $want, 'right');
        is(route_problems($res), $uri =~ /frame/
           ? 'no size; size is no number' : '', 'well-formed');
        ok($want =~ /^text/ ? json_of($res)->{content} eq chars($content)
                            : data_of($res) eq $content, 'and whole');
    }
    ok($t->get($uri)->body eq $content, 'raw as before');
}

# conditional requests on a hit

for my $uri ('/c/png', '/c/text', '/sendfile/png') {
    my $res = $t->service('sees', $uri);
    my $etag = $res->header('ETag');
    like($etag, qr/\A"one-[0-9a-f]{16}"\z/, "$uri: the tag on a hit");
    my $not = $t->service('sees', $uri, 'If-None-Match' => $etag);
    is(state_of($not) . " $not->{body}", '304 HIT ', '304 by it');
    is($t->service('sees', $uri, 'If-Modified-Since' =>
       'Mon, 02 Jan 2006 15:04:05 GMT')->{status}, 304, '304 by the date');
    is($t->service('sees', $uri, 'If-Match' => '"x"')->{status}, 412,
       'If-Match of another');
    is($t->service('sees', $uri, 'If-Match' => '"one"')->{status}, 412,
       '412 by the raw tag');
    is($t->service('sees', $uri, 'If-Match' => $etag)->{status}, 200,
       'If-Match');
    is($t->service('sees', $uri, 'If-None-Match' => '"one"')->{status}, 200,
       'the raw tag does not match');
    is($t->get($uri, 'If-None-Match' => '"one"')->{status}, 304,
       'but for raw bytes');
    $res = $t->service('sees', $uri, Range => 'bytes=0-9');
    is(state_of($res), '200 HIT', 'a range is ignored');
    is($t->get($uri, Range => 'bytes=0-9')->{status}, 206, 'but for raw ones');
}
isnt($t->service('sees', '/c/png')->header('ETag'),
     $t->service('blind', '/c/png')->header('ETag'), 'readers differ');

# 304 and 412 while the answer is being fetched

for my $n (1 .. 2) {
    my $etag = $t->service('sees', '/c/png')->header('ETag');
    my $res = $t->service('sees', "/c/png?fresh=$n", 'If-None-Match' => $etag);
    is(state_of($res) . " $res->{body}", '304 MISS ', '304 on a miss');
    $res = $t->service('sees', "/c/png?fresh=$n");
    is(state_of($res), '200 HIT', 'which fills the cache');
    ok(data_of($res) eq $png, 'with all of it');
    $res = $t->service('sees', "/c/text?fresh=$n", 'If-Match' => '"x"');
    is(state_of($res), '412 MISS', '412 on a miss');
}

# HEAD

for my $case (['/c/png', 'HIT'], ['/c/png?head=1', 'MISS'],
              ['/c/text?head=1', 'MISS'], ['/c/text', 'HIT'],
              ['/sendfile/pdf?head=1', 'MISS'])
{
    my ($uri, $state) = @$case;
    $up->requests;
    my $head = $t->head($uri, 'X-LLM-Service' => 'sees');
    is(state_of($head) . " $head->{body}", "200 $state ", "HEAD of $uri");
    is(join(' ', map { /^(\S+)/ } $up->requests),
       $state eq 'HIT' ? '' : 'GET', 'asks the upstream for all');
    select undef, undef, undef, 0.1;
    my $get = $t->service('sees', $uri);
    is(state_of($get), '200 HIT', 'so that GET hits');
    for my $name (qw(Content-Type Content-Length ETag Last-Modified Vary)) {
        is($head->header($name), $get->header($name), "$name as of GET");
    }
    is($t->head($uri, 'X-LLM-Service' => 'sees', 'If-None-Match' =>
                $get->header('ETag'))->{status}, 304, 'HEAD, 304');
}
$up->requests;
my $head = $t->head('/no-convert/png', 'X-LLM-Service' => 'sees');
is("$head->{status} $head->{body} " . join(' ', $up->requests),
   '200  HEAD /png', 'without proxy_cache_convert_head HEAD stays HEAD');
is(routing_of($t->service('sees', '/no-convert/png')), $want{sees},
   'GET is another');
$head = $t->head('/no-convert/png', 'X-LLM-Service' => 'sees');
is(state_of($head), '200 HIT', 'a cached HEAD');
is($head->header('X-Routing'), 'image_url', 'is decided by what it declares');
ok(!defined $head->header('Content-Length')
   || $head->header('Content-Length')
      == length $t->service('sees', '/no-convert/png')->body,
   'tells no wrong length');

# Vary of the upstream

$up->requests;
my $vary = '/c/png?header=Vary:X-Llm-Service';
for my $service ('blind', 'sees', 'blind', 'sees') {
    my $res = $t->service($service, $vary);
    is(routing_of($res), $want{$service}, "$service, an upstream that varies");
    is($res->header('Vary'),
       'X-Llm-Service, X-LLM-Capabilities', 'Vary is kept');
}
is(scalar(() = $up->requests), 2, 'and counts in the cache');
like($t->service('sees', '/c/png')->header('Vary'), qr/X-LLM-Service/,
     'Vary on a hit');
is($t->service('sees', '/c/png?header=Vary:*')->header('X-Cache'), 'MISS',
   'Vary: * is not cached');
is($t->service('sees', '/c/png?header=Vary:*')->header('X-Cache'), 'MISS',
   'never');

# broken answers are not cached, errors pass

for my $args ('cut=2000', 'cut=-1', 'frame=chunked&nolast=1') {
    for my $n (1 .. 2) {
        my $res = $t->req('GET', "/c/png?$args", may_break => 1,
                          headers => ['X-LLM-Service' => 'sees']);
        ok(!$res->{complete} || $res->{status} >= 500,
           "broken by $args, time $n");
    }
}
is(state_of($t->service('sees', '/c/png?status=500')), '500 MISS', 'errors');
is(state_of($t->service('sees', '/min-uses/png')), '200 MISS', 'min_uses');
is(state_of($t->service('all', '/min-uses/png')), '200 MISS', 'twice');
is(state_of($t->service('all', '/min-uses/png')), '200 HIT', 'then cached');
is(state_of($t->service('sees', '/c/png?header=Content-Encoding:x')),
   '502 MISS', 'an encoded answer');
is(state_of($t->service('sees', '/c/png?header=Content-Encoding:x')),
   '502 HIT', 'from the cache, too');
ok($t->get('/c/png?header=Content-Encoding:x')->body eq $png, 'raw it is');

# expired: stale, updating, revalidated

mkdir $t->prefix . '/store' or die "mkdir: $!";
spew($t->prefix . '/store/shot.png', $png);
spew($t->prefix . '/store/words.txt', "words and words\n" x 20_000);
utime 1e9, 1e9, map { $t->prefix . "/store/$_" } 'shot.png', 'words.txt';
for my $uri ('/stale/png?header=X:1', '/background/png', '/checked/shot.png') {
    my $res = $t->service('sees', $uri);
    is(state_of($res), '200 MISS', $uri);
    ok(data_of($res) eq $png, 'whole');
}
my $etag = $t->service('sees', '/checked/shot.png')->header('ETag');
my $cut = $t->service('sees', '/checked/words.txt')->body;
$t->allow(qr/connect\(\) to \S+up\.sock failed/);
rename $t->prefix . '/up.sock', $t->prefix . '/gone' or die "rename: $!";
select undef, undef, undef, 2.1;

for my $service ('sees', 'blind') {
    my $res = $t->service($service, '/stale/png?header=X:1');
    is(state_of($res) . ' ' . routing_of($res), "200 STALE $want{$service}",
       "stale for $service, while the upstream is down");
}
rename $t->prefix . '/gone', $t->prefix . '/up.sock' or die "rename: $!";
my $res = $t->service('blind', '/background/png');
is(state_of($res) . ' ' . routing_of($res), "200 STALE $want{blind}",
   'stale while it is updated');
select undef, undef, undef, 0.1;
$res = $t->service('sees', '/background/png');
is(state_of($res) . ' ' . routing_of($res), "200 HIT $want{sees}", 'updated');
ok(data_of($res) eq $png, 'whole');

for my $service ('sees', 'blind') {
    $res = $t->service($service, '/checked/shot.png');
    is(state_of($res) . ' ' . routing_of($res), '200 '
       . ($service eq 'sees' ? 'REVALIDATED' : 'HIT') . " $want{$service}",
       "revalidated for $service");
    is(route_problems($res), '', 'well-formed');
}

# not an upstream's any more, so that what is not needed is not missed

$res = $t->service('sees', '/checked/words.txt');
is(state_of($res), '200 REVALIDATED', 'a text, revalidated');
ok($res->{complete} && $res->body eq $cut, 'is cut as it was');
is(length json_of($res)->{content}, 6000, 'behind the first bytes');
is($t->service('sees', '/checked/shot.png')->header('ETag'), $etag,
   'the tag stays');
is($t->service('sees', '/checked/shot.png', 'If-None-Match' => $etag)
   ->{status}, 304, 'and matches');

ok($t->wait_for(qr{^/c/png HIT$}m, 'access.log'), 'the log knows');

$up->stop;
$t->finish;
