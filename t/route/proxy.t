#!/usr/bin/perl

# Proxied sources: what an upstream sends is classified, decided upon and
# rendered as a local artifact of the same type, name and bytes would be.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;

my $t = ArtifactTest->new;

my %kind = (
    png => [png(30, 30), 'image/png', 'shot.png'],
    svg => [svg(), 'image/svg+xml', 'd.svg'],
    wav => [wav(), 'audio/wav', 'a.wav'],
    mp4 => [mp4(), 'video/mp4', 'v.mp4'],
    pdf => [pdf() . "\0" x 20_000, 'application/pdf', 'r.pdf'],
    zip => [zip_of('a.txt' => 'x'), 'application/zip', 'z.zip'],
    blob => ["\0\1\2\xff" x 9, 'application/octet-stream', 'b.bin'],
    text => [bytes("第一行 \"q\" \\ \x{1f600}\n" x 900), 'text/plain',
             'n.txt'],
    short => ['x', 'text/plain', 'x.txt'],
    json => ["{\"a\" : [1, 2]}\n", 'application/json', 'a.json'],
    gbk => ["\xb5\xda\xd2\xbb\xd0\xd0\n" x 900, 'text/plain; charset=gbk',
            'g.txt'],
    empty => ['', 'text/plain', 'e.txt'],
    'empty-png' => ['', 'image/png', 'e.png'],
    nothing => ['', '', ''],
    bare => [png(), '', ''],
    'bare-text' => ["only words\n" x 9, '', ''],
    generic => [pdf(), 'application/octet-stream', ''],
    word => [png(), 'image', ''],
    'named-only' => ["a,b\n1,2\n", '', 'table.csv'],
    lie => [png(), 'text/plain', 'n.txt'],
    'lie-text' => ["words\0\1\2" x 90, 'text/plain', 'n.txt'],
    elf => [elf(), 'image/png', 'a.png'],
    alias => [jpeg(), 'IMAGE/JPG; x=y', 'a.jpg'],
    map { $_->[0] => [$_->[1], 'application/json', 'a.json'] }
        ['json-100', '["' . 'x' x 96 . '"]'],
        ['json-5000', '["' . 'x' x 4996 . '"]'],
        ['json-65536', '["' . 'x' x 65532 . '"]'],
        ['json-65537', '["' . 'x' x 65533 . '"]'],
        ['json-bad', '["' . 'x' x 4996 . '"}'],
        ['json-open', '["' . 'x' x 9000],
        ['json-two', '[1] ' x 2000],
);

my %contents;
for my $id (keys %kind) {
    my ($body, $type, $name) = @{ $kind{$id} };
    $t->artifact($id, $body, { length $type ? (type => $type) : (),
                               length $name ? (name => $name) : () });
    my $content = {
        body => $body, type => $type, headers => [ length $name
            ? "Content-Disposition: attachment; filename=\"$name\"" : () ],
    };
    $contents{$_} = $content for $id, "artifacts/$id";
}
$contents{'dir/pic.png'} = { body => png(), type => 'image/png' };
$contents{'a%20b/c%22d.png'} = $contents{'dir/pic.png'};

my $up = ArtifactUpstream->new($t->prefix . '/up.sock',
                               contents => \%contents);
my $fast = ArtifactUpstream->new($t->prefix . '/fast.sock',
                                 protocol => 'fastcgi',
                                 contents => \%contents);

$t->start(http => <<'HTTP', server => <<'SERVER');
    upstream up {
        server unix:%%PREFIX%%/up.sock;
    }
    artifact_root %%DATA%%;
    artifact_route on;
    artifact_format $arg_format;
HTTP
    location /artifacts/ {
        artifact;
    }
    location /d/ {
        artifact_decode on;
        proxy_pass http://up/$artifact_key$is_args$args;
    }
    location /p/ {
        proxy_pass http://up/;
    }
    location /unverified/ {
        artifact_decode on;
        artifact_verify off;
        proxy_pass http://up/$artifact_key$is_args$args;
    }
    location /off/ {
        artifact_route off;
        proxy_pass http://up/;
    }
    location /always/ {
        artifact_route always;
        proxy_pass http://up/;
    }
    location /small/ {
        artifact_inline_max 9000;
        proxy_pass http://up/;
    }
    location /cut/ {
        artifact_text_max 20;
        proxy_pass http://up/;
    }
    location /unbuffered/ {
        proxy_buffering off;
        proxy_pass http://up/;
    }
    location /fast/ {
        fastcgi_keep_conn on;
        fastcgi_pass unix:%%PREFIX%%/fast.sock;
        fastcgi_param REQUEST_METHOD $request_method;
        fastcgi_param QUERY_STRING $query_string;
        fastcgi_param DOCUMENT_URI $1;
        if ($uri ~ ^/fast/(.*)) {
        }
    }
SERVER

my $ALL = 'text, vision, audio, video, file';

# the same as the local answers, byte for byte

for my $format ('route', 'object', 'tool_message') {
    my (@wrong, @lengths);
    for my $id (grep { !/^(generic|word)$/ } sort keys %kind) {
        for my $caps ('text', 'vision', $ALL) {
            my $args = "?format=$format";
            my $local = $t->accept($caps, "/artifacts/$id$args");
            my $res = $t->accept($caps, "/d/$id$args");
            push @wrong, "$id for $caps: " . substr $res->body, 0, 300
                if $res->body ne $local->body || !$res->{complete};
            push @lengths, "$id for $caps" if ($res->header('Content-Length')
                // 'none') ne ($local->header('Content-Length') // 'none');
        }
    }
    is(join("\n", @wrong), '', "$format: as from the disk");
    is(join("\n", @lengths), '', "$format: with the same Content-Length");
}

for my $id (qw(png pdf wav mp4 zip blob bare generic word lie alias)) {
    my $res = $t->accept($ALL, "/d/$id");
    is(route_problems($res), '', "$id is well-formed");
    ok(data_of($res) eq $kind{$id}[0], "$id is whole");
    is($res->header('Content-Length'), length $res->body,
       "$id has a length");
}
is(json_of($t->accept('text', '/d/text'))->{content}, chars($kind{text}[0]),
   'the text is whole');
is(json_of($t->accept('text', '/d/gbk'))->{content}, "第一行\n" x 900,
   'the charset parameter counts');

for my $case (
    ['bare', 'image image_url image/png'],
    ['generic', 'binary file application/pdf'],
    ['word', 'image image_url image/png'],
    ['bare-text', 'text text text/plain'],
    ['named-only', 'text text text/csv'],
    ['lie', 'image image_url image/png'],
    ['alias', 'image image_url image/jpeg'],
) {
    is(routing_of($t->accept($ALL, "/d/$case->[0]")), $case->[1],
       "$case->[0] by its content or name");
}
is(json_of($t->accept('text', '/d/generic'))->{metadata}{type},
   'application/pdf', 'what declares nothing is no type');
is(routing_of($t->accept($ALL, '/unverified/lie')), 'text text text/plain',
   'artifact_verify off believes the upstream');
is(routing_of($t->accept($ALL, '/unverified/bare')),
   'image image_url image/png', 'unless it says nothing');

# JSON in the "object" format, which has to see all of it first

my @wrong;
for my $id (grep { /json/ } sort keys %kind) {
    my $want = $t->accept('text', "/artifacts/$id?format=object")->body;
    for my $args ('step=1000', 'step=4096', 'frame=chunked',
                  'frame=chunked&step=999', 'frame=close')
    {
        my $res = $t->accept('text', "/d/$id?format=object&$args");
        push @wrong, "$id $args" if $res->body ne $want || !$res->{complete};
    }
    for my $args ('cut=-1', 'frame=chunked&nolast=1', 'cut=50') {
        my $res = $t->req('GET', "/d/$id?format=object&$args", may_break => 1,
                          headers => ['X-LLM-Capabilities' => 'text']);
        push @wrong, "$id $args"
            if $res->{complete} && $res->{status} != 502
               && length $kind{$id}[0] > 50;
    }
}
is(join('; ', @wrong), '', 'JSON as the object format has it');

# who is asked for, and whether

ok($t->get('/p/png')->body eq $kind{png}[0], 'nobody to read it: raw');
is($t->get('/p/png')->header('Content-Type'), 'image/png', 'with its type');
like($t->get('/p/png')->header('Vary') // '',
     qr/X-LLM-Service.*X-LLM-Capabilities/, 'and Vary');
ok($t->accept('vision', '/off/png')->body eq $kind{png}[0],
   'artifact_route off: raw');
is($t->accept('vision', '/off/png')->header('Vary'), undef, 'without Vary');
is(routing_of($t->get('/always/png')), 'image text image/png capability',
   'artifact_route always');
is(routing_of($t->accept('file', '/small/pdf')),
   'binary text application/pdf size', 'artifact_inline_max');
is(json_of($t->accept('text', '/cut/text'))->{metadata}{truncated},
   JSON::PP::true(), 'artifact_text_max');

# names and ids

my $meta = json_of($t->accept('vision', '/p/png'))->{metadata};
is($meta->{id}, 'p/png', 'without artifact_decode the path is the id');
$meta = json_of($t->accept('vision', '/p/dir/pic.png'))->{metadata};
is("$meta->{id} $meta->{filename}", 'p/dir/pic.png pic.png',
   'its last component the name');
$meta = json_of($t->accept('vision', '/p/a%20b/c%22d.png'))->{metadata};
is("$meta->{id} $meta->{filename}", 'p/a b/c"d.png c"d.png', 'decoded');

my @names = (
    ['attachment; filename="r%20x.pdf"', 'r%20x.pdf'],
    ['inline; filename=plain.pdf', 'plain.pdf'],
    ['attachment; filename="with \"quotes\".pdf"', 'with "quotes".pdf'],
    ['ATTACHMENT; FileName="Upper.pdf"', 'Upper.pdf'],
    ["attachment; filename*=UTF-8''%E8%AF%97.pdf", '诗.pdf'],
    ["attachment; filename=a.pdf; filename*=utf-8'zh'%E8%AF%97.pdf",
     '诗.pdf'],
    ["attachment; filename*=UTF-8''%E8%AF%97.pdf; filename=a.pdf", '诗.pdf'],
    ['attachment; filename="../../etc/passwd.pdf"', 'passwd.pdf'],
    ['attachment; filename="C:\\\\temp\\\\w.pdf"', 'w.pdf'],
    ["attachment; filename*=UTF-8''..%2F..%2Fx.pdf", 'x.pdf'],
    ['attachment; filename="a;b=c.pdf"; x=y', 'a;b=c.pdf'],
    ['attachment ;  filename = "spaced.pdf" ', 'spaced.pdf'],
    ['attachment; filename=""', 'pdf'],
    ['attachment; filename="dir/"', undef],
    ['attachment', 'pdf'],
    ['attachment; filename="open', undef],
    ["attachment; filename*=UTF-8''%ZZ%", undef],
    ['attachment; notfilename="x.pdf"', 'pdf'],
    ['attachment; filename="' . bytes('诗') . '.pdf"', '诗.pdf'],
);
$contents{pdf}{headers} = [];
for my $case (@names) {
    my ($value, $name) = @$case;
    my $header = "Content-Disposition: $value";
    $header =~ s/([^A-Za-z0-9])/sprintf '%%%02X', ord $1/ge;
    my $res = $t->accept('file', "/p/generic?header=$header");
    is(route_problems($res), '', "name: " . chars($value));
    is(json_of($res)->{metadata}{filename},
       ($name // '') eq 'pdf' ? 'generic' : $name, 'is the right one')
        if defined $name;
    is($res->header('Content-Disposition'), undef, 'its header is dropped');
}

my $res = $t->accept('vision', '/p/bare?header=Content-MD5:x'
    . '&header=Digest:sha-256%3Dx&header=X-Own:y&header=Accept-Ranges:bytes');
is(join(' ', map { $res->header($_) // 'none' }
        qw(Content-MD5 Digest X-Own Accept-Ranges)), 'none none y none',
   'digests go, other headers stay');

# lengths: known, unknown, HTTP/1.0

my $want = $t->accept('vision', '/p/png')->body;
my $size = length $kind{png}[0];
$res = $t->accept('vision', '/p/png?frame=chunked');
is($res->header('Content-Length'), undef, 'unknown length: none');
is($res->header('Transfer-Encoding'), 'chunked', 'but chunks');
is(route_problems($res), 'no size; size is no number', 'and no size');
(my $unsized = $want) =~ s/,"size":$size//;
is($res->body, $unsized, 'else the same');
$res = $t->accept('vision', '/p/png?frame=close');
is($res->body, $unsized, 'until the upstream closes');
ok($res->{complete}, 'complete');

$res = $t->req('GET', '/p/png?frame=chunked', version => '1.0',
               headers => ['X-LLM-Capabilities' => 'vision']);
is($res->body, $unsized, 'HTTP/1.0, unknown length');
is($res->header('Transfer-Encoding'), undef, 'without chunks');
is($res->{framing}, 'close', 'until the close');
$res = $t->req('GET', '/p/png', version => '1.0', keep => 1,
               headers => ['X-LLM-Capabilities' => 'vision']);
is($res->body, $want, 'HTTP/1.0, known length');
is($res->header('Content-Length'), length $want, 'says so');

is(routing_of($t->accept('file', '/p/short?frame=chunked')),
   'text text text/plain', 'short of unknown length');
$res = $t->req('GET', '/small/pdf?frame=chunked', may_break => 1,
               headers => ['X-LLM-Capabilities' => 'file']);
ok(!$res->{complete}, 'more than artifact_inline_max, too late to describe');
cmp_ok(length $res->body, '<', 13_000, 'is not sent');
is(routing_of($t->accept('file', '/small/short?frame=chunked&type=a/b')),
   routing_of($t->accept('file', '/p/short?type=a/b')),
   'less than that is');
is(routing_of($t->accept('text', '/small/pdf?frame=chunked')),
   'binary text application/pdf capability',
   'a description does not depend on it');

# HEAD

for my $uri ('/p/png', '/d/text', '/d/png', '/p/text?type=image/png') {
    my $get = $t->accept('vision', $uri);
    my $head = $t->head($uri, 'X-LLM-Capabilities' => 'vision');
    is("$head->{status} " . $head->header('Content-Type'),
       '200 application/json', "HEAD of $uri");
    is($head->header('Vary'), $get->header('Vary'), 'varies as GET does');
    ok(!defined $head->header('Content-Length')
       || $head->header('Content-Length')
          eq ($get->header('Content-Length') // ''), 'tells no wrong length');
}

# other statuses

for my $status (201, 202, 203, 301, 400, 403, 404, 412, 415, 418, 500, 503) {
    my $res = $t->accept('vision', "/p/png?status=$status");
    is($res->{status}, $status, "$status passes");
    ok($res->body eq $kind{png}[0], 'with its body');
    is($res->header('Content-Type'), 'image/png', 'and type');
}
for my $status (204, 304) {
    $res = $t->accept('vision', "/p/empty?status=$status&frame=close");
    is("$res->{status} $res->{body}", "$status ", "$status passes");
}
for my $status (201, 403, 412, 415, 416, 500) {
    my $res = $t->accept('vision', "/d/png?status=$status");
    is($res->{status}, $status, "$status below artifact_decode");
    ok($res->body eq $kind{png}[0], 'is the upstream\'s own');
}
error_is($t->accept('vision', '/d/png?status=404'), 404,
         'artifact_not_found', 'png', '404 below artifact_decode, routed');
error_is($t->get('/d/png?status=404'), 404, 'artifact_not_found', 'png',
         '404 below artifact_decode, raw');
error_is($t->get('/d/nope'), 404, 'artifact_not_found', 'nope',
         '404 of a store');
$res = $t->head('/d/nope');
is("$res->{status} $res->{body}", '404 ', '404, HEAD');

# encoded and partial bodies

for my $uri ('/p/png', '/d/png') {
    my $args = 'header=Content-Encoding:gzip';
    my $ref = $uri =~ /d/ ? 'png' : undef;
    error_is($t->accept('vision', "$uri?$args"), 502, 'upstream_encoded',
             $ref, "$uri: an encoded body is not routed");
    $res = $t->get("$uri?$args");
    is("$res->{status} " . $res->header('Content-Encoding'), '200 gzip',
       "$uri: nor changed, raw");
    ok($res->body eq $kind{png}[0], 'nor its bytes');
    $args = "status=206&header=Content-Range:bytes%200-9/99";
    $res = $t->accept('vision', "$uri?$args");
    error_is($res, 502, 'upstream_partial', $ref,
             "$uri: a part is not routed");
    is($res->header('Content-Range'), undef, 'and is not called so');
    $res = $t->get("$uri?$args");
    is("$res->{status} " . $res->header('Content-Range'),
       '206 bytes 0-9/99', "$uri: raw it passes");
}

# FastCGI

for my $id (qw(png text pdf short)) {
    my $want = json_of($t->accept($ALL, "/p/$id"));
    my $res = $t->accept($ALL, "/fast/$id?step=700");
    my $data = json_of($res);
    delete $_->{metadata} for $want, $data;
    is_deeply($data, $want, "FastCGI: $id");
}
$res = $t->req('GET', '/fast/pdf?cut=9000', may_break => 1,
               headers => ['X-LLM-Capabilities' => 'file']);
ok(!$res->{complete}, 'FastCGI: broken off');

$up->stop;
$fast->stop;
$t->finish;
