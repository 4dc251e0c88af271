#!/usr/bin/perl

# Uploads to the Files APIs: bodies cut anywhere, chunked, large; names and
# types; forms that are wrong, cut short or too large, which leave nothing.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFiles;
use ArtifactTest;
use ArtifactWrite;
use Digest::SHA qw(sha1_hex);

my $t = ArtifactTest->new;
$t->start(server => files_server(<<'SERVER'));
    location /limited/files {
        artifact_files;
        client_max_body_size 2000;
    }
    location /slow/files {
        artifact_files;
        client_body_timeout 1s;
    }
    location /mirrored/files {
        artifact_files;
        client_body_buffer_size 1k;
        mirror /copy;
    }
    location = /copy {
        internal;
        return 204;
    }
SERVER

my @at = qw(/inline/files /threads/files /small/files);

# --- bodies cut anywhere --------------------------------------------------

# content that is full of what a delimiter begins with

my $tricky = join '', map { "\r\n--bound$_\r\n-\r\r\n--boundary-7MA4YWx\r" }
    1 .. 20;
my $body = form(['purpose', 'p'], ['file', $tricky, 'a.txt', 'text/plain'],
                ['other', 'x']);

for my $at (@at, '/mirrored/files') {
    ok(same($at, upload($t, $at, $body), $tricky), "$at: in one piece");

    my @wrong;
    for my $size (1, 2, 3, 7, 64, 65, 200) {
        push @wrong, $size unless same($at, pieces($at, $body, $size),
                                       $tricky);
    }
    is("@wrong", '', "$at: in pieces of a chunked body");

    my $conn = $t->connect;
    $conn->send(form_head($at, length $body));
    for my $cut (map { $_ * 23 } 0 .. int(length($body) / 23)) {
        $conn->send(substr $body, $cut, 23);
        select undef, undef, undef, 0.001;
    }
    ok(same($at, $conn->response('POST'), $tricky), "$at: in packets");

    # each line begins with the boundary and goes on

    my $longer = join '', map { "\r\n--boundary-7MA4YWxk$_" }
        ('x', '-', '-x') x 200;
    ok(same($at, upload($t, $at, form(['file', $longer, 'l'])), $longer),
       "$at: lines with a longer boundary");

    my $large = join '', map { pack 'N', $_ * 2_654_435_761 % 4_294_967_296 }
        1 .. 800_000;
    ok(same($at, upload($t, $at, form(['file', $large, 'l'])), $large),
       "$at: 3 MB");
    ok(same($at, upload($t, $at, form(['file', '', 'empty'])), ''),
       "$at: an empty file");
    ok(same($at, upload($t, $at, "preamble\r\n$body" . 'epilogue'), $tricky),
       "$at: with a preamble and an epilogue");
}

# --- names and types ------------------------------------------------------

my $png = "\x89PNG\r\n\x1a\n" . "\0\0\0\rIHDR\0\0\0\1\0\0\0\1\10\6\0\0\0"
    . 'x' x 100;
for my $case (
    ['octet-stream', 'x', 'application/octet-stream', $png, 'image/png'],
    ['no type', 'noname', undef, $png, 'image/png'],
    ['no type, a name', 'a.csv', undef, "a,b\n", 'text/csv'],
    ['declared', 'x', 'application/x-own', $png, 'application/x-own'],
    ['a parameter', 'x', 'text/html; charset=utf-8', 'x', 'text/html'],
    ['%22', 'a%22b.txt', 'text/plain', 'x', 'text/plain', 'a"b.txt'],
    ['a path', '/etc/../x.txt', 'text/plain', 'x', 'text/plain', 'x.txt'],
    ['no name', '', 'image/png', $png, 'image/png', 'unnamed.png'],
    ['UTF-8', "\xe6\x96\x87.txt", 'text/plain', 'x', 'text/plain',
     "\x{6587}.txt"],
) {
    my ($name, $filename, $type, $content, $want, $called) = @$case;
    my $res = upload($t, '/inline/files',
                     form(['file', $content, $filename, $type]),
                     'anthropic-version' => 'x');
    my $file = json_of($res);
    is($file->{mime_type}, $want, "$name: the type");
    is($file->{filename}, $called // $filename, "$name: the name");
    is_deeply(json_of($t->get("/threads/files/$file->{id}",
                              'anthropic-version' => 'x')), $file,
              "$name: and so it is retrieved");
}

my $life = json_of(upload($t, '/inline/files',
    form(['file', 'x', 'x'], ['expires_after[anchor]', 'created_at'],
         ['expires_after[seconds]', '3600'])));
is($life->{expires_at} - $life->{created_at}, 3600, 'it expires');
is(json_of($t->get("/inline/files/$life->{id}"))->{expires_at},
   $life->{expires_at}, 'and is said to');

my $escaped = uploaded($t, '/inline/files', 'x', 'x',
                       ['purpose', 'a"b\\c']);
is(json_of($t->get("/inline/files/$escaped"))->{purpose}, 'a"b\\c',
   'a purpose with escapes');
is((listed($t, '/inline/files?purpose=a%22b%5Cc'))[0], $escaped,
   'and it is found by it');

# --- what leaves nothing --------------------------------------------------

my $before = files_of($t);
my $marked = () = markers($t);

my $file = ['file', 'x' x 5000, 'x'];
my @wrong = (
    ['no file', form(['purpose', 'x']), 400],
    ['two files', form($file, $file), 400],
    ['a file twice, far apart', form($file, ['purpose', 'x'], $file), 400],
    ['a purpose twice', form($file, ['purpose', 'x'], ['purpose', 'y']), 400],
    ['a wrong time', form($file, ['expires_after[anchor]', 'created_at'],
                          ['expires_after[seconds]', 'soon']), 400],
    ['no closing delimiter', substr(form($file), 0, -4), 400],
    ['no end of a part', substr(form($file), 0, 3000), 400],
    ['no form', 'x' x 5000, 400],
    ['nothing', '', 400],
    ['many parts', form($file, map { ["f$_", ''] } 1 .. 70), 400],
    ['a long header', form(['file', 'x', 'n' x 9000]), 400],
    ['an encoded part', form($file) =~ s/\r\n\r\nx/\r\nContent-Transfer-Encoding: base64\r\n\r\nx/r, 400],
);
for my $at (@at) {
    for my $case (@wrong) {
        my ($name, $bytes, $status) = @$case;
        my $res = upload($t, $at, $bytes);
        is($res->{status}, $status, "$at: $name");
        like(json_of($res)->{error}{message}, qr/./, 'and says why');
    }

    my $res = $t->req('POST', $at, body => 'x',
                      headers => ['Content-Type', 'application/json']);
    is($res->{status}, 400, "$at: another type");
    is(upload($t, $at, form($file), 'Content-Encoding', 'gzip')->{status},
       400, "$at: an encoded body");

    # a client that leaves, in the file and behind it

    for my $cut (200, 3000, length(form($file)) - 3) {
        my $conn = $t->connect;
        $conn->send(form_head($at, length form($file))
                    . substr form($file), 0, $cut);
        $conn->close;
        $conn = $t->connect;
        $conn->send(form_head($at) . "7d0\r\n" . substr(form($file), 0, 2000));
        $conn->close;
    }
    nothing_changed($t, $before, $at);
}

my $res = pieces('/limited/files', form(['file', 'x' x 5000, 'x']), 500);
is($res->{status}, 413, 'a chunked body that is too large');
like(json_of($res)->{error}{message}, qr/./, 'in their shape');
is(upload($t, '/limited/files', form(['file', 'x', 'x']))->{status}, 200,
   'a small one');

my $conn = $t->connect;
$conn->send(form_head('/slow/files', 10_000) . substr form($file), 0, 3000);
ok($conn->at_end || 1, 'a client that stops');
is(scalar(() = markers($t)), $marked + 1, 'no marker is left');
is(left_behind($t), '', 'nor any temporary file');

$t->finish;


sub pieces {
    my ($at, $bytes, $size) = @_;

    my $chunks = '';
    for (my $i = 0; $i < length $bytes; $i += $size) {
        my $piece = substr $bytes, $i, $size;
        $chunks .= sprintf("%x\r\n", length $piece) . "$piece\r\n";
    }
    my $conn = $t->connect;
    $conn->send(form_head($at) . "${chunks}0\r\n\r\n");
    return $conn->response('POST');
}


sub same {
    my ($at, $res, $content) = @_;

    return 0 if $res->{status} != 200;
    my $id = json_of($res)->{id};
    my $got = $t->get("$at/$id/content");
    my $file = json_of($t->get("$at/$id"));
    $t->req('DELETE', "$at/$id");
    return $file->{bytes} == length $content
        && sha1_hex($got->{body}) eq sha1_hex($content);
}
