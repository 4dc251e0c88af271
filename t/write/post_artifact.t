#!/usr/bin/perl

# POST of artifacts: ids, names, what is on the disk, and reading back.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactWrite;
use Time::HiRes qw(time);

my $UUID = qr/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}
              -[0-9a-f]{12}/x;

my $t = ArtifactTest->new(workers => 4);
my $store = $t->data . '/artifacts';

my $server = write_server(<<'SERVER');
    location /off/ {
        artifact;
        artifact_write off;
    }
    location /limit/ {
        artifact;
        client_max_body_size 1000;
    }
    location /always/ {
        artifact;
        artifact_route always;
    }
    location "/my files/%中/" {
        artifact;
    }
    location /bare {
        artifact;
    }
    location /en/ {
        artifact;
        artifact_language en;
    }
SERVER

utf8::encode($server);
$t->start(server => $server);

# A good answer: its id, or undef.

sub posted {
    my ($res, $name) = @_;

    my $data = eval { decode_strict($res->body) };
    my @wrong;
    push @wrong, "status $res->{status}" if $res->{status} != 201;
    push @wrong, 'type' if $res->header('Content-Type')
                           ne 'application/json';
    push @wrong, 'keys ' . key_order($data)
        if key_order($data) ne 'artifactRef metadata';
    push @wrong, 'artifactRef'
        if ref $data ne 'HASH'
           || ($data->{artifactRef} // '') !~ /\Aartifact:($UUID)\z/;
    my $id = $1;
    push @wrong, 'metadata.id'
        if !@wrong && ($data->{metadata}{id} // '') ne $id;
    is(join('; ', @wrong), '', "$name: the answer");
    return @wrong ? undef : $id;
}

# The content read back, and the metadata in three places.

sub kept {
    my ($res, $name, $body, %want) = @_;

    my $id = posted($res, $name) or return;
    my $got = $t->get("/artifacts/$id");
    is($got->body, $body, "$name: read back");
    header_is($got, 'Content-Type', $want{type}, "$name: its type");

    my $answer = json_of($res)->{metadata};
    my $meta = json_of($t->get("/artifacts/artifact:$id/metadata"));
    my $disk = decode_strict(slurp("$store/$id.meta"));
    for my $key (sort keys %want) {
        my $is = $key eq 'ext' ? next : $key;
        is($answer->{$is}, $want{$key}, "$name: $is in the answer")
            if exists $answer->{$is} || defined $want{$key};
        is($meta->{$is}, $want{$key}, "$name: $is in the metadata");
        is($disk->{$is}, $want{$key}, "$name: $is on the disk");
    }
    like($disk->{createdAt}, $TIME, "$name: createdAt on the disk");
    is($meta->{createdAt}, $disk->{createdAt}, "$name: createdAt");
    is($answer->{createdAt}, $disk->{createdAt},
       "$name: createdAt in the answer");
    is($disk->{id}, $id, "$name: id on the disk");
    is($disk->{size}, length $body, "$name: size on the disk")
        if exists $disk->{size};
    is($disk->{extension}, $want{ext}, "$name: extension")
        if exists $want{ext};
    ok(-f "$store/$id$disk->{extension}", "$name: the file has it");
    return $id;
}

my $png = png();
for my $at (qw(/artifacts/ /inline-artifacts/)) {
    my $id = kept(post($t, 'name=shot.png', $png, type => 'image/png',
                       agent => 'agent-a', message => 'msg-7', at => $at),
                  "$at a PNG", $png, type => 'image/png', ext => '.png',
                  name => 'shot.png', messageId => 'msg-7');
    is(decode_strict(slurp("$store/$id.meta"))->{agentId}, 'agent-a',
       "$at the author is recorded");
    like($t->get("/artifacts/$id")->header('Content-Disposition'),
         qr/filename="shot\.png"/, "$at its name is offered");
    my $res = $t->accept('vision', "/artifacts/$id");
    is(routing_of($res), 'image image_url image/png', "$at routed");
    is(data_of($res), $png, "$at with all of its bytes");
    is(routing_of($t->accept('text', "/artifacts/$id")),
       'image text image/png capability', "$at described");
    is($t->accept('text', "/artifacts/$id")->body,
       $t->accept('text', "/artifacts/artifact:$id")->body,
       "$at by the whole reference");

    kept(post($t, '', "main();\n", type => 'text/javascript', at => $at),
         "$at no name", "main();\n", type => 'text/javascript',
         ext => '.js');
    kept(post($t, 'name=' . uri(bytes('报告 最终.pdf')), pdf(),
              type => 'application/pdf', at => $at),
         "$at Chinese", pdf(), type => 'application/pdf', ext => '.pdf',
         name => '报告 最终.pdf');
    kept(post($t, 'name=x', '', type => 'application/x-unheard-of',
              at => $at), "$at an empty body, an unknown type", '',
         type => 'application/x-unheard-of', name => 'x');
    kept(post($t, 'name=big', 'y' x 3_000_000, type => 'a/b', at => $at),
         "$at 3 MB", 'y' x 3_000_000, type => 'a/b', name => 'big');
}

my $conn = $t->connect;
$conn->send("POST /artifacts/?name=c.txt HTTP/1.1\r\nHost: x\r\n"
    . "Content-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n"
    . "5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n");
kept($conn->response('POST'), 'chunks', 'hello world', type => 'text/plain',
     name => 'c.txt', ext => '.txt');
kept(post($t, 'name=o', 'x', type => 'text/plain', version => '1.0'),
     'HTTP/1.0', 'x', type => 'text/plain', name => 'o');

# names that need care: one line, and never a way out of the folder

for my $name ('a', '.', '..', '...', '.png', 'a.', 'x.meta', 'X.META',
              'x.meta.json', 'a.' . 'e' x 200, 'no ext', 'a.b c', 'q"x.txt',
              'back\\slash.txt', 'a.tar.gz', bytes('图.图'), 'a%41', '-',
              bytes("\x{1f600}"), "a.\xc2\x85", 'con.txt', '~', 'artifact:x')
{
    my $label = bytes(substr chars($name), 0, 12) =~ s/[^ -~]/?/gr;
    my $res = post($t, 'name=' . uri($name), "in $name",
                   type => 'application/octet-stream');
    if ($res->{status} == 400) {
        error_is($res, 400, 'invalid_name', undef, "the name $label");
        next if $name =~ /^\.\.?$|\xc2\x85/;
        fail("the name $label is a name");
        next;
    }
    my $id = posted($res, "the name $label") or next;
    is($t->get("/artifacts/$id")->body, "in $name",
       "the name $label: read back");
    is(json_of($t->get("/artifacts/$id/metadata"))->{name}, chars($name),
       "the name $label is kept");
}

my @before = sort glob "$store/*";
for my $case (['a/b', 'a slash'], ['../x', 'a way up'], ['a%00b', 'a NUL'],
              ['a%0ab', 'a line feed'], ['a%0d%0aX-Y:%20z', 'a header'],
              ['a%7fb', 'a DEL'], ['%ff', 'no UTF-8'], ['%1b[0m', 'ESC'],
              ['%c0%afx', 'an overlong slash'], ['a%2Fb', 'a hidden slash'])
{
    my ($name, $what) = @$case;
    error_is(post($t, "name=$name", 'x'), 400, 'invalid_name', undef,
             "a name with $what");
}
error_is(post($t, 'name=a', 'x', type => undef), 400, 'missing_mime_type',
         undef, 'no Content-Type');
error_is(post($t, 'name=a', 'x', at => '/off/'), 405, 'method_not_allowed',
         undef, 'writing is off');
error_is(post($t, 'name=a', 'x' x 1001, at => '/limit/'), 413,
         'content_too_large', undef, 'over the limit');
error_is(post($t, 'name=a', 'x', headers =>
              ['Content-Range' => 'bytes 0-0/2']), 400, 'invalid_range',
         undef, 'Content-Range');
my ($some) = map { m{([^/]+)\.meta$} ? $1 : () } @before;
for my $uri ("/artifacts/$some", '/artifacts/new', '/artifacts/new/metadata',
             '/workspaces/w/f', '/workspaces/')
{
    my $res = $t->req('POST', $uri, body => 'x',
                      headers => ['Content-Type' => 'a/b']);
    is($res->{status}, 405, "POST $uri");
    like($res->header('Allow'), qr/GET, ?HEAD/, 'says what is allowed');
}
my $allow = $t->req('PATCH', '/artifacts/')->header('Allow');
like($allow // '', qr/\bPOST\b/, 'POST is allowed where artifacts are made');
$conn = $t->connect;
$conn->send("POST /artifacts/?name=c.txt HTTP/1.1\r\nHost: x\r\n"
    . "Content-Type: text/plain\r\nContent-Length: 100000\r\n\r\n"
    . 'x' x 60_000);
select undef, undef, undef, 0.05;
$conn->close;
is(left_behind($t), '', 'a POST that is broken off leaves nothing');
is_deeply([sort glob "$store/*"], \@before, 'nothing was stored');

my ($zh, $en) = map {
    json_of(post($t, 'name=%0a', 'x', at => "/$_/"))->{message}
} qw(artifacts en);
like($zh, qr/\p{Han}{3}/, 'the message in Chinese');
like($en, qr/\A[\x20-\x7e]{5,}\z/, 'and in English');

# whoever reads, the answer is the answer

for my $at (qw(/artifacts/ /always/)) {
    posted(post($t, 'name=r.txt', 'x', at => $at,
                headers => ['X-LLM-Capabilities' => 'text']), "$at routed");
}

# ids: one after the other in time

my @ids;
$conn = $t->connect;
my $began = int(time * 1000);
for my $n (1 .. 60) {
    my $res = $n % 2 ? post($t, 'name=n', 'x', conn => $conn)
                     : post($t, 'name=n', 'x');
    push @ids, json_of($res)->{artifactRef} =~ s/^artifact://r;
}
my $ended = int(time * 1000);
my @times = map {
    no warnings 'portable';
    hex tr/-//dr =~ s/^(.{12}).*/$1/r;
} @ids;
is(join(' ', sort { $a <=> $b } @times), "@times", 'ids sort by time');
cmp_ok($times[0], '>=', $began - 50, 'which is the time of the server');
cmp_ok($times[-1], '<=', $ended + 50, 'and no other');

# unique, whoever asks

my @lists = in_parallel($t, 8, sub {
    my $conn = $t->connect;
    return [map {
        my $res = post($t, "name=n$_", "content $_", conn => $conn);
        json_of($res)->{artifactRef} // 'none';
    } 1 .. 50];
});
my %seen;
$seen{$_}++ for map { @{ $_ || [] } } @lists;
is(scalar keys %seen, 400, 'four hundred ids, all different');
is(scalar(grep { !/\Aartifact:$UUID\z/ } keys %seen), 0, 'all of the form');
my %random;
$random{ substr $_, -12 }++ for keys %seen;
is(scalar keys %random, 400, 'not by the time alone');
my @lost = grep {
    my $id = s/^artifact://r;
    !-s "$store/$id.meta" || !-s "$store/$id.txt" && !-s "$store/$id"
} keys %seen;
is("@lost", '', 'all are stored');
is(left_behind($t), '', 'nothing is left on its way');

# where it is

for my $at ('/artifacts/', '/my%20files/%25%E4%B8%AD/', '/bare/') {
    my $res = post($t, 'name=l.txt', "at $at", at => $at);
    my $id = posted($res, "at $at") // '';
    my ($id_only) = (json_of($res)->{artifactRef} // '') =~ /artifact:(.*)/;
    is($res->header('Location'), "$at$id_only", "at $at: its location");
    is($t->get($res->header('Location') // '/')->body, "at $at",
       "at $at: it is there");
}

$t->finish;
