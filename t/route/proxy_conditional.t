#!/usr/bin/perl

# Entity tags, dates, Vary and conditional requests over proxied sources.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;

my $t = ArtifactTest->new;
my $png = png(40, 40);

$t->file('map.json', { services => [
    { id => 'blind', capabilities => { input => ['text'] } },
    { id => 'sees', capabilities => { input => ['text', 'vision'] } },
    { id => 'also', capabilities => { input => ['text', 'vision'] } },
    { id => 'all', capabilities => { input => ['text', 'vision', 'file'] } },
] });
mkdir $t->prefix . '/store' or die "mkdir: $!";
my %file = ('shot.png' => $png, 'r.pdf' => pdf() . "\0" x 9000,
            'n.txt' => bytes("第一行\n" x 50), 'l.txt' => 'words ' x 50_000,
            'e.txt' => '');
spew($t->prefix . "/store/$_", $file{$_}) for keys %file;

my $up = ArtifactUpstream->new($t->prefix . '/up.sock', contents => {
    png => { body => $png, type => 'image/png' },
});

my @other = (
    ['en', 'artifact_language en;'], ['object', 'artifact_format object;'],
    ['tool', 'artifact_format tool_message;'],
    ['small', 'artifact_inline_max 50;'],
    ['smaller', 'artifact_inline_max 40;'], ['cut', 'artifact_text_max 20;'],
    ['cutter', 'artifact_text_max 10;'], ['unbuffered', 'proxy_buffering off;'],
    ['unverified', 'artifact_verify off;'], ['decode', 'artifact_decode on;'],
    ['own', 'artifact_description $arg_words;'],
);
my $locations = join '', map {
    my ($name, $conf) = @$_;
    "location /$name/ { proxy_pass http://back/; $conf }\n"
} @other;

$t->start(http => <<'HTTP', server => <<"SERVER");
    artifact_capabilities %%PREFIX%%/map.json;
    artifact_route on;

    upstream back {
        server unix:%%PREFIX%%/back.sock;
    }
    upstream up {
        server unix:%%PREFIX%%/up.sock;
    }
    server {
        listen unix:%%PREFIX%%/back.sock;
        artifact_route off;
        location / {
            root %%PREFIX%%/store;
            types {
                image/png        png;
                application/pdf  pdf;
                text/plain       txt;
            }
        }
    }
HTTP
    location /p/ {
        proxy_pass http://back/;
    }
    location /mock/ {
        proxy_pass http://up/;
    }
    $locations
SERVER

sub tag {
    my ($caps, $uri, @headers) = @_;
    return $t->accept($caps, $uri, @headers)->header('ETag') // 'none';
}

for my $case (['an image', 'shot.png', 'vision'],
              ['a description', 'shot.png', 'text'],
              ['a file', 'r.pdf', 'file'], ['a text', 'n.txt', 'text'],
              ['a long text', 'l.txt', 'text'], ['nothing', 'e.txt', 'text'])
{
    my ($what, $name, $caps) = @$case;
    for my $mode ('p', 'unbuffered', 'unverified', 'decode') {
        my $uri = "/$mode/$name";
        my $of = "$what ($mode)";
        my $raw = $t->get($uri);
        my $res = $t->accept($caps, $uri);
        my $etag = $res->header('ETag') // '';
        my $date = $res->header('Last-Modified') // '';

        (my $stem = $raw->header('ETag')) =~ s/"\z//;
        like($etag, qr/\A\Q$stem\E-[0-9a-f]{16}"\z/,
             "$of: the tag of the source, and more");
        is(tag($caps, $uri), $etag, "$of keeps its tag");
        is($date, $raw->header('Last-Modified'), "$of keeps the date");

        my $not = $t->accept($caps, $uri, 'If-None-Match' => $etag);
        is("$not->{status} $not->{body}", '304 ', "$of: 304 by its tag");
        header_is($not, 'ETag', $etag, "$of: 304 has the tag");
        header_is($not, 'Vary', $res->header('Vary'), "$of: 304 has Vary");
        is($t->accept($caps, $uri, 'If-None-Match' => "\"x\", W/$etag")
           ->{status}, 304, "$of: 304 by a list with its weak form");
        is($t->accept($caps, $uri, 'If-Modified-Since' => $date)->{status},
           304, "$of: 304 by its date");
        is($t->accept($caps, $uri, 'If-Modified-Since' =>
           'Thu, 01 Jan 1970 00:00:00 GMT')->{status}, 200,
           "$of: newer than that");
        $not = $t->accept($caps, $uri, 'If-None-Match' =>
                          $raw->header('ETag'));
        is($not->{status}, 200, "$of: the raw tag does not match");
        ok($not->body eq $res->body, "$of: so all of it comes");
        is($t->get($uri, 'If-None-Match' => $etag)->{status}, 200,
           "$of: nor its tag the raw bytes");

        is($t->accept($caps, $uri, 'If-Match' => $etag)->{status}, 200,
           "$of: If-Match");
        for my $match ('"x"', $raw->header('ETag')) {
            my $fails = $t->accept($caps, $uri, 'If-Match' => $match);
            is($fails->{status}, 412, "$of: If-Match $match");
            ok($fails->{complete} && !$fails->{trailing}, "$of: is framed");
        }
        is($t->accept($caps, $uri, 'If-Unmodified-Since' =>
           'Thu, 01 Jan 1970 00:00:00 GMT')->{status}, 412,
           "$of: If-Unmodified-Since");

        my $part = $t->accept($caps, $uri, Range => 'bytes=0-9',
                              'If-Range' => $etag);
        is($part->{status}, 200, "$of: a range is ignored");
        ok($part->body eq $res->body, "$of: whole in spite of it");
    }
}
error_is($t->accept('vision', '/decode/shot.png', 'If-Match' => '"x"'), 412,
         'precondition_failed', 'shot.png', '412 below artifact_decode');

# What follows on the same connection: the right answer, or nothing (nginx
# closes after a 412).

my @wrong;
my $whole = $t->accept('vision', '/p/shot.png')->body;
for my $case (['If-None-Match' => '*', 304], ['If-Match' => '"x"', 412],
              ['If-Match' => '*', 200])
{
    my ($name, $value, $status) = @$case;
    for my $uri ('/p/shot.png', '/p/l.txt', '/unbuffered/l.txt',
                 '/decode/r.pdf', '/unverified/shot.png')
    {
        my $conn = $t->connect;
        my @reader = ('X-LLM-Capabilities' => 'vision');
        $conn->send(join '',
            ArtifactHTTP::format_request('GET', $uri, keep => 1,
                headers => [@reader, $name => $value]),
            ArtifactHTTP::format_request('GET', '/p/shot.png', keep => 1,
                headers => \@reader));
        my $res = $conn->response('GET');
        push @wrong, "$uri $name: $res->{status}"
            if $res->{status} != $status || !$res->{complete};
        my $next = $conn->response('GET');
        push @wrong, "after $uri $name: " . substr $next->{head}, 0, 40
            if $next->{status} ? $next->body ne $whole || !$next->{complete}
                               : $status != 412 || length $next->{head};
    }
}
is(join('; ', @wrong), '', '304, 412 and 200 do not desync');

# HEAD

for my $name ('shot.png', 'l.txt') {
    my $get = $t->accept('vision', "/p/$name");
    my $head = $t->head("/p/$name", 'X-LLM-Capabilities' => 'vision');
    is("$head->{status} $head->{body} " . $head->header('Content-Type'),
       '200  application/json', "HEAD of $name");
    for my $field ('ETag', 'Content-Length') {
        my $value = $head->header($field);
        ok(!defined $value || $value eq ($get->header($field) // ''),
           "HEAD of $name: no other $field than that of GET");
    }
    $head = $t->head("/unverified/$name", 'X-LLM-Capabilities' => 'vision');
    $get = $t->accept('vision', "/unverified/$name");
    is($head->header('ETag'), $get->header('ETag'),
       "HEAD of $name: believed headers are enough for a tag");
    is($head->header('Content-Length'), $get->header('Content-Length'),
       'and a length');
    is($t->head("/unverified/$name", 'X-LLM-Capabilities' => 'vision',
                'If-None-Match' => $get->header('ETag'))->{status}, 304,
       'and 304');
}

# what the tag depends on

my %tags = (
    vision => tag('vision', '/p/shot.png'),
    text => tag('text', '/p/shot.png'),
    'file too' => tag('vision, file', '/p/shot.png'),
    map { $_ => tag('vision', "/$_/shot.png") }
        qw(en object tool small smaller),
);
$tags{'own a'} = tag('text', '/own/shot.png?words=a');
$tags{'own b'} = tag('text', '/own/shot.png?words=b');
$tags{'call b'} = tag('vision', '/tool/shot.png?tool_call_id=b');
$tags{'call header'} = tag('vision', '/tool/shot.png',
                           'X-Tool-Call-Id' => 'c');
my %seen;
push @{ $seen{ $tags{$_} } }, $_ for sort keys %tags;
is(join('; ', map { "@$_" } grep { @$_ > 1 } values %seen), '',
   'different answers have different tags');
my %cut;
$cut{ tag('text', $_) }++ for '/p/l.txt', '/cut/l.txt', '/cutter/l.txt';
is(scalar keys %cut, 3, 'text limits change the tag');
sub service_tag {
    return $t->service($_[0], '/p/shot.png')->header('ETag');
}
isnt(service_tag('blind'), service_tag('sees'), 'services do');
isnt(tag('vision', '/p/shot.png'), tag('vision', '/decode/shot.png'),
     'and ids, which are in the answer');

my $before = tag('vision', '/p/shot.png');
select undef, undef, undef, 0.02;
spew($t->prefix . '/store/shot.png', png(41, 41));
isnt(tag('vision', '/p/shot.png'), $before, 'and the content');
spew($t->prefix . '/store/shot.png', $png);

# raw, the upstream's own answers pass, and a part that it sends in spite of all
# is refused where it would be routed

$before = $t->get('/p/shot.png')->header('ETag');
is($t->get('/p/shot.png', 'If-None-Match' => $before)->{status}, 304,
   'the upstream may say 304 to its own tag');
is($t->accept('vision', '/p/shot.png', 'If-None-Match' => $before)->{status},
   200, 'which is none of a routed answer');
error_is($t->accept('vision', '/mock/png?status=206'), 502,
         'upstream_partial', undef, 'a part of it is refused');
is($t->get('/p/shot.png', Range => 'bytes=0-9')->body,
   substr($png, 0, 10), 'raw it is a part');

# tags of all kinds

sub mock {
    my ($caps, $headers, @headers) = @_;
    $headers =~ s/([^A-Za-z0-9:=&])/sprintf '%%%02X', ord $1/ge;
    return $t->accept($caps, "/mock/png?$headers", @headers);
}

for my $case (['"abc"', qr/\A"abc-([0-9a-f]{16})"\z/],
              ['W/"abc"', qr{\AW/"abc-([0-9a-f]{16})"\z}],
              ['abc', qr/\A"abc-([0-9a-f]{16})"\z/],
              ['""', qr/\A"-([0-9a-f]{16})"\z/],
              ['"a b,c"', qr/\A"a b,c-([0-9a-f]{16})"\z/],
              ['d41d8cd98f00b204e9800998ecf8427e-12',
               qr/\A"d41d8cd98f00b204e9800998ecf8427e-12-([0-9a-f]{16})"\z/])
{
    my ($tag, $like) = @$case;
    my $etag = mock('vision', "header=ETag:$tag")->header('ETag');
    like($etag, $like, "the tag of a source with $tag");
    is(mock('vision', "header=ETag:$tag", 'If-None-Match' => $etag)->{status},
       304, 'matches itself');
    is(mock('text', "header=ETag:$tag", 'If-None-Match' => $etag)->{status},
       200, 'and nothing else');
    is(mock('vision', "header=ETag:$tag", 'If-Match' => $etag)->{status},
       200, 'If-Match');
    is(mock('text', "header=ETag:$tag", 'If-Match' => $etag)->{status},
       412, 'If-Match of another reader');
}
my $res = mock('vision', 'header=X-None:x');
is($res->header('ETag'), undef, 'no tag of a source without');
is(mock('vision', 'header=X-None:x', 'If-None-Match' => '"x"')->{status}, 200,
   'which nothing matches');
$res = mock('vision', 'header=Last-Modified:Mon, 02 Jan 2006 15:04:05 GMT');
is($res->header('Last-Modified'), 'Mon, 02 Jan 2006 15:04:05 GMT',
   'a date alone');
is(mock('vision', 'header=Last-Modified:Mon, 02 Jan 2006 15:04:05 GMT',
        'If-Modified-Since' => 'Mon, 02 Jan 2006 15:04:05 GMT')->{status},
   304, 'is enough for 304');
is(mock('vision', 'header=Last-Modified:yesterday', 'If-Modified-Since' =>
        'Mon, 02 Jan 2006 15:04:05 GMT')->{status}, 200, 'a date that is none');

# Vary

for my $case (['', 'X-LLM-Service, X-LLM-Capabilities'],
              ['Accept-Encoding',
               'Accept-Encoding, X-LLM-Service, X-LLM-Capabilities'],
              ['Origin, Cookie',
               'Origin, Cookie, X-LLM-Service, X-LLM-Capabilities'])
{
    my ($vary, $want) = @$case;
    my $header = length $vary ? "header=Vary:$vary" : 'header=X-None:x';
    is(mock('vision', $header)->header('Vary'), $want, "Vary: $vary");
    is(mock('', $header)->header('Vary'), $want, 'raw, too');
    is(scalar @{ mock('vision', $header)->{headers}{vary} }, 1,
       'in one line');
}
like(mock('vision', 'header=Vary:*')->header('Vary'), qr/\*/, 'Vary: *');
$res = mock('vision', 'header=Vary:Origin&header=Vary:Cookie');
like($res->header('Vary'), qr/Origin.*Cookie|Cookie.*Origin/,
     'two lines of Vary');
like($res->header('Vary'), qr/X-LLM-Service/, 'and ours');
like($t->accept('vision', '/tool/shot.png')->header('Vary'),
     qr/X-LLM-Service.*X-LLM-Capabilities.*X-Tool-Call-Id/,
     'a tool_message varies by its call');

$up->stop;
$t->finish;
