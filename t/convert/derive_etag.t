#!/usr/bin/perl

# Tags, dates and methods of answers that are another form of the content: what the
# tag decides needs no conversion.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream qw(read_request send_answer);

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $png = png(40, 30);
my $log = "$dir/asked";

my $converter = ArtifactUpstream->new("$dir/convert.sock", serve => sub {
    my ($sock) = @_;
    my ($head) = read_request($sock) or return;
    my ($status) = $head =~ m{^\w+ /(\d+)};

    open my $file, '>>', $log or die;
    syswrite $file, '.';
    close $file;

    send_answer($sock, "HTTP/1.1 $status Status\r\nContent-Type: text/plain\r\n"
        . ($status == 204 ? '' : "Content-Length: 5\r\n")
        . "ETag: \"its own\"\r\nConnection: close\r\n\r\n"
        . ($status == 204 ? '' : 'words'));
});

sub asked {
    my $n = -s $log // 0;
    unlink $log;
    return $n;
}

my $up = ArtifactUpstream->new("$dir/up.sock", contents => {
    png => { body => $png, type => 'image/png', headers => ['ETag: "one"',
        'Last-Modified: Thu, 01 Jan 2026 00:00:00 GMT'] },
    bare => { body => $png, type => 'image/png' },
    large => { body => $png . 'x' x 2000000, type => 'image/png',
               headers => ['ETag: "large"', 'Cache-Control: max-age=60'] },
});

$t->artifact('png', $png, { type => 'image/png', name => 'shot.png' });
$t->artifact('gone', $png, { type => 'image/png' });

$t->start(http => <<'HTTP', server => <<"SERVER");
    proxy_cache_path %%PREFIX%%/cache keys_zone=cache:1m;
HTTP
    artifact_root %%DATA%%;
    artifact_route on;
    artifact_language en;

    location /words/ {
        artifact;
    }
    location /derived/ {
        artifact;
        artifact_derive image text/plain /convert/200 body;
    }
    location /other/ {
        artifact;
        artifact_derive image text/plain /convert/200/other body;
    }
    location /told/ {
        artifact;
        artifact_format openai;
        artifact_description "A picture.";
        artifact_derive image text/plain /convert/200 body;
    }
    location /variable/ {
        artifact;
        artifact_derive image text/plain /convert/200?\$arg_as body;
    }
    location /unused/ {
        artifact;
        artifact_derive audio text/plain /convert/200 body;
    }
    location /second/ {
        artifact;
        artifact_derive image text/plain /convert/204 body;
        artifact_derive image text/plain /convert/200 body;
    }
    location /vain/ {
        artifact;
        artifact_derive image text/plain /convert/204 body;
    }
    location /untagged/ {
        artifact;
        etag off;
        artifact_derive image text/plain /convert/200 body;
    }
    location /up/ {
        proxy_pass http://unix:$dir/up.sock:/;
        artifact_derive image text/plain /convert/200/;
    }
    location /cached/ {
        proxy_pass http://unix:$dir/up.sock:/;
        proxy_cache cache;
        artifact_derive image text/plain /convert/200/;
    }
    location /convert/ {
        internal;
        proxy_pass http://unix:$dir/convert.sock:/;
    }
SERVER

sub tag { return $t->accept('text', $_[0])->header('ETag') // 'none' }

my $uri = '/derived/png';
my $res = $t->accept('text', $uri);
my $tag = $res->header('ETag') // '';
my $date = $res->header('Last-Modified');
is(asked(), 1, 'a conversion');
like($tag, qr/^"[^"]+"$/, 'its answer has a strong tag');
is(tag($uri), $tag, 'and keeps it');
isnt(tag('/words/png'), $tag, 'which is not that of words');
isnt($t->get($uri)->header('ETag'), $tag, 'nor that of the content');
isnt($t->accept('vision', $uri)->header('ETag'), $tag, 'nor of the image');
isnt(tag('/other/png'), $tag, 'nor that of another rule');
is(tag('/unused/png'), tag('/words/png'), 'a rule for others changes none');
isnt(tag('/variable/png?as=1'), tag('/variable/png?as=2'),
     'variables in the URI count');
is($date, $t->get($uri)->header('Last-Modified'), 'the date is the original\'s');
like($res->header('Vary') // '', qr/X-LLM-Service.*X-LLM-Capabilities/i,
     'the answer varies');
asked();

my $not = $t->accept('text', $uri, 'If-None-Match' => $tag);
is("$not->{status} $not->{body}", '304 ', '304 by the tag');
header_is($not, 'ETag', $tag, 'which it states');
is($t->accept('text', $uri, 'If-None-Match' => "W/$tag")->status, 304,
   'weakly as well');
is($t->accept('text', $uri, 'If-Modified-Since' => $date)->status, 304,
   '304 by the date');
is($t->accept('text', $uri, 'If-Match' => '"x"')->status, 412, 'If-Match');
is(asked(), 0, 'without a conversion');
is($t->accept('text', $uri, 'If-None-Match' => '"x"')->status, 200,
   'another tag');
is(asked(), 1, 'needs one');

my $head = $t->req('HEAD', $uri, headers => ['X-LLM-Capabilities' => 'text']);
is("$head->{status} $head->{body}", '200 ', 'HEAD');
header_is($head, 'ETag', $tag, 'has the tag');
header_is($head, 'Content-Type', 'application/json', 'the type');
header_is($head, 'Content-Length', undef, 'and no length');
is(asked(), 0, 'without a conversion');
is($t->req('HEAD', '/untagged/png',
           headers => ['X-LLM-Capabilities' => 'text'])->status, 200,
   'HEAD without a tag');
is(asked(), 0, 'asks nobody either');

$res = $t->accept('text', $uri, Range => 'bytes=0-3');
is($res->status, 200, 'no ranges');
header_is($res, 'Accept-Ranges', undef, 'of what is made');
asked();

for my $where (qw(second vain)) {
    $res = $t->accept('text', "/$where/png");
    is($res->status, 200, "$where: answered");
    header_is($res, 'ETag', undef, 'without a tag, after a rule in vain');
    header_is($res, 'Last-Modified', undef, 'and without a date');
}
is(asked(), 3, 'all were asked');

# the original changes, or is deleted

$t->artifact('png', png(41, 30), { type => 'image/png', name => 'shot.png' });
isnt(tag($uri), $tag, 'a new content has a new tag');
is($t->accept('text', $uri, 'If-None-Match' => $tag)->status, 200,
   'the old one is not that of any answer');
asked();
unlink $t->data . '/artifacts/gone.png', $t->data . '/artifacts/gone';
unlink glob $t->data . '/artifacts/gone*';
is($t->accept('text', '/derived/gone')->status, 404, 'a deleted original');
is(asked(), 0, 'is not converted');

# what the metadata say is in the answer, or decides what the converter makes;
# the words in its place have nothing of it

sub told {
    $t->artifact('told', undef, { type => $_[0], name => $_[1] });
    return tag("/told/told");
}

$t->artifact('told', "\x01\x02\0\xff" x 99, {});
$tag = told('image/x-tga', 'a.bin');
like($tag, qr/^"[^"]+"$/, 'a tag');
is(told('image/x-tga', 'a.bin'), $tag, 'the same again');
isnt(told('image/x-pcx', 'a.bin'), $tag, 'another type');
isnt(told('image/x-tga', 'b.bin'), $tag, 'another name');
is(told('image/x-tga', 'a.bin'), $tag, 'the first ones again');
asked();

# proxied sources

$tag = tag('/up/png');
like($tag, qr/^"one-[^"]+"$/, 'the tag of an upstream is part of it');
is($t->accept('text', '/up/png', 'If-None-Match' => $tag)->status, 304,
   'and sufficient');
is(asked(), 1, 'for no conversion');
is(tag('/up/bare'), 'none', 'no tag of an upstream: none');
$head = $t->req('HEAD', '/up/png', headers => ['X-LLM-Capabilities' => 'text']);
is($head->status, 200, 'HEAD of an upstream');
is(asked(), 1, 'asks nobody');

for (1 .. 2) {
    my $http = $t->connect;
    for (1 .. 2) {
        $res = $http->request('GET', '/cached/large', keep => 1,
                              headers => ['X-LLM-Capabilities' => 'text']);
        is(decode_strict($res->body)->{content}, 'Content of large, converted '
           . "from image/png:\nwords", 'one that a cache would take');
        is($res->status, 200, 'on a connection that lives on');
    }
}
is(scalar(grep { /large/ } $up->requests), 4, 'a long one fills no cache');

$_->stop for $converter, $up;
$t->finish;
