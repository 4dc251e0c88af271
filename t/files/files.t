#!/usr/bin/perl

# The Files APIs: objects, lists with their cursors, contents, removal, what is
# no file, errors, and what is left on the disk.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFiles;
use ArtifactTest;
use ArtifactWrite;

my $t = ArtifactTest->new;
$t->start(server => files_server(<<'SERVER'));
    location /tenants/ {
        artifact_files;
        artifact_root %%DATA%%/$arg_tenant;
    }
    location /routed/files {
        artifact_files;
        artifact_route always;
    }
    location /brief/files {
        artifact_files;
        artifact_expires 1h;
    }
    location = /status {
        artifact_status;
    }
SERVER

my @anthropic = ('anthropic-version' => '2023-06-01');

# --- objects --------------------------------------------------------------

for my $at (qw(/inline/files /threads/files /small/files)) {
    my $bytes = join '', map { chr($_ % 256) } 1 .. 5000;
    my $res = upload($t, "$at?beta=true",
        form(['file', $bytes, 'a.bin', 'application/x-own'],
             ['purpose', 'batch']));
    is($res->{status}, 200, "$at: uploaded");
    my $file = json_of($res);
    like($file->{id}, qr/\Afile-art-[0-9a-f]{32}\z/, "$at: its id");
    is("$file->{object} $file->{bytes} $file->{filename} $file->{purpose}",
       'file 5000 a.bin batch', "$at: its object");

    is_deeply(json_of($t->get("$at/$file->{id}")), $file, "$at: retrieved");
    (my $other = $file->{id}) =~ tr/-/_/;
    my $claude = json_of($t->get("$at/$other", @anthropic));
    is("$claude->{id} $claude->{type} $claude->{size_bytes} "
       . $claude->{mime_type}, "$other file 5000 application/x-own",
       "$at: as the other API has it");

    my $content = $t->get("$at/$file->{id}/content");
    ok($content->{body} eq $bytes, "$at: its bytes");
    header_is($content, 'X-Content-Type-Options', 'nosniff', "$at: safe");
    header_is($content, 'Content-Type', 'application/x-own', "$at: the type");
    my $part = $t->get("$at/$file->{id}/content", Range => 'bytes=10-19');
    is("$part->{status} $part->{body}", '206 ' . substr($bytes, 10, 10),
       "$at: a range");
    is($t->get("$at/$file->{id}/content",
               'If-None-Match' => $content->header('ETag'))->{status}, 304,
       "$at: not modified");

    my $gone = $t->req('DELETE', "$at/$file->{id}");
    is($gone->{body}, qq({"id":"$file->{id}","object":"file","deleted":true}),
       "$at: deleted");
    for my $what ('', '/content') {
        is($t->get("$at/$file->{id}$what")->{status}, 404, "$at: gone$what");
    }
    is($t->req('DELETE', "$at/$file->{id}")->{status}, 404,
       "$at: deleted twice");
    is(join(' ', contents($t), markers($t)), '', "$at: nothing is left");
}

# --- lists ----------------------------------------------------------------

my @ids = map { uploaded($t, '/inline/files', "file $_", "$_.txt",
                         ['purpose', $_ % 2 ? 'odd' : 'even']) } 1 .. 9;
my @new = reverse @ids;

my $raw = json_of(post($t, '/artifacts/', 'no file', type => 'text/plain'));
my ($raw_id) = ($raw->{artifactRef} // '') =~ /:(.*)/;
ok($raw_id, 'an artifact that is no file');

for my $at (qw(/inline/files /threads/files)) {
    my @cases = (
        ['', "@new", 0],
        ['?limit=9', "@new", 0],
        ['?limit=8', "@new[0 .. 7]", 1],
        ['?order=asc&limit=2', "@ids[0, 1]", 1],
        ["?order=asc&after=$ids[4]", "@ids[5 .. 8]", 0],
        ["?after=$new[2]&limit=3", "@new[3 .. 5]", 1],
        ["?after=$new[8]", '', 0],
        ['?purpose=odd', join(' ', @new[0, 2, 4, 6, 8]), 0],
        ['?purpose=odd&limit=2', "@new[0, 2]", 1],
        ["?purpose=even&after=$new[1]&limit=3", "@new[3, 5, 7]", 0],
        ['?purpose=none', '', 0],
    );
    for my $case (@cases) {
        my ($query, $want, $more) = @$case;
        my ($got, $has) = listed($t, $at . $query);
        is("$got; $has", "$want; $more", "$at$query");
    }

    my @claude = map { tr/-/_/r } @new;
    for my $case (
        ["?limit=2", "@claude[0, 1]", 1],
        ["?after_id=$claude[1]&limit=2", "@claude[2, 3]", 1],
        ["?before_id=$claude[4]&limit=2", "@claude[2, 3]", 1],
        ["?before_id=$claude[2]&limit=5", "@claude[0, 1]", 0],
        ["?page=$claude[6]", "@claude[7, 8]", 0],
    ) {
        my ($query, $want, $more) = @$case;
        my ($got, $has) = listed($t, $at . $query, @anthropic);
        is("$got; $has", "$want; $more", "$at$query of Anthropic");
    }
}

# a cursor whose file is gone goes on from its place

is($t->req('DELETE', "/threads/files/$new[4]")->{status}, 200, 'one is gone');
is((listed($t, "/inline/files?after=$new[4]&limit=2"))[0], "@new[5, 6]",
   'a cursor goes on behind a file that is gone');
is((listed($t, "/inline/files?order=asc&after=$new[4]&limit=2"))[0],
   "@new[3, 2]", 'and in the other direction');

# what an operator removes is gone as well; markers alone mean nothing

my $uuid = uuid($new[0]);
unlink glob $t->data . "/artifacts/$uuid*";
my ($left) = listed($t, '/threads/files');
unlike($left, qr/$new[0]/, 'a file removed by hand is not listed');
is((grep { /$uuid/ } markers($t)), 1, 'its marker may be needed: it is new');

my $old = '01900000-0000-7000-8000-000000000000';
make_marker($old);
($left) = listed($t, '/threads/files');
is((grep { /$old/ } markers($t)), 0, 'an old marker goes with a list');
ok(!-e $t->data . '/artifacts/.artifact/files/01900', 'and its folders');

# markers of other times, and what is no marker

my %far = map { $_ => make_file($_) } map {
    sprintf '%08x-%04x-7000-8000-%012x', $_ >> 16, $_ & 0xffff, $_
} 1, 1_048_575, 1_048_576, 268_435_455, 268_435_456, 1_600_000_000_000;
spew($t->data . '/artifacts/.artifact/files/00000/00/README', '');
my @far = map { 'file-art-' . tr/-//dr } sort keys %far;
is((listed($t, '/inline/files?order=asc&limit=6'))[0], "@far",
   'files of many folders, the oldest first');
is((listed($t, "/inline/files?order=desc&after=$far[4]"))[0],
   join(' ', reverse @far[0 .. 3]), 'and the newest first');
is((listed($t, "/inline/files?order=asc&after=$far[1]&limit=2"))[0],
   "@far[2, 3]", 'from one folder to the next');

# --- what is no file ------------------------------------------------------

(my $no_file = "file-art-$raw_id") =~ s/(?<=-art-)(.*)/$1 =~ tr!-!!dr/e;
for my $case (['GET', ''], ['GET', '/content'], ['DELETE', '']) {
    my ($method, $what) = @$case;
    my $res = $t->req($method, "/inline/files/$no_file$what");
    is($res->{status}, 404, "$method of an artifact that is no file$what");
    is(json_of($res)->{error}{type}, 'invalid_request_error', 'in their shape');
}
is($t->get("/artifacts/$raw_id")->{body}, 'no file', 'it is still there');

# --- errors ---------------------------------------------------------------

for my $case (
    ['GET', '/inline/files/file-abc', 404],
    ['GET', '/inline/files/file-art-' . 'g' x 32, 404],
    ['GET', "/inline/files/$ids[1]/metadata", 404],
    ['GET', "/inline/files/$ids[1]/", 404],
    ['GET', '/inline/filesabc', 404],
    ['PUT', '/inline/files', 405, 'GET, HEAD, POST'],
    ['POST', "/inline/files/$ids[1]", 405, 'GET, HEAD, DELETE'],
    ['DELETE', "/inline/files/$ids[1]/content", 405, 'GET, HEAD'],
    ['GET', '/inline/files?limit=x', 400],
    ['GET', '/inline/files?order=up', 400],
    ['GET', '/inline/files?after=abc', 400],
) {
    my ($method, $uri, $status, $allow) = @$case;
    my $res = $t->req($method, $uri);
    is($res->{status}, $status, "$method $uri");
    is($res->header('Allow'), $allow, 'Allow');
    like(json_of($res)->{error}{message}, qr/./, 'a message');
    unlike($res->{body}, qr/\Q@{[ $t->data ]}/, 'without a path');
    is(json_of($t->req($method, $uri, headers => \@anthropic))->{type},
       'error', 'and as Anthropic has it') if $uri !~ /\?/;
}
is($t->head('/inline/files')->{status}, 200, 'HEAD');

# --- tenants, routing -----------------------------------------------------

mkdir $t->data . '/acme';
my $acme = uploaded($t, '/tenants/?tenant=acme', 'x', 'x.txt');
like($acme, qr/\Afile-art-/, 'a file of a tenant');
is((listed($t, '/tenants/?tenant=acme'))[0], $acme, 'in their list');
is((listed($t, '/tenants/?tenant=other'))[0], '', 'and in no other');
is($t->get("/tenants/$acme?tenant=other")->{status}, 404, 'nor found there');
is($t->get("/routed/files/$ids[1]/content")->{body}, 'file 2',
   'contents are never routed');

# a file lives as long as the shorter of what is asked for and what is set

for my $case ([undef, 3600], [60, 60], [86_400, 3600]) {
    my ($asked, $want) = @$case;
    my $file = json_of(upload($t, '/brief/files', form(['file', 'x', 'x'],
        defined $asked ? (['expires_after[anchor]', 'created_at'],
                          ['expires_after[seconds]', $asked]) : ())));
    is(($file->{expires_at} // 0) - ($file->{created_at} // 0), $want,
       'it lives for ' . ($asked // 'any') . ' seconds') or diag(explain $file);
}

my $counts = json_of($t->get('/status?format=json'));
my ($sample) = grep {
    $_->{labels}{operation} eq 'upload' && $_->{labels}{outcome} eq 'done'
} @{ $counts->{artifact_files_total}{samples} };
is($sample->{value}, 16, 'uploads are counted');

$t->finish;


sub uuid {
    my ($hex) = $_[0] =~ /([0-9a-f]{32})\z/;
    return join '-', unpack 'A8 A4 A4 A4 A12', $hex;
}


sub make_marker {
    my ($id) = @_;

    my $dir = $t->data . '/artifacts/.artifact/files';
    for my $name (substr($id, 0, 5), substr $id, 5, 2) {
        $dir .= "/$name";
        mkdir $dir;
    }
    spew("$dir/$id", '');
}


sub make_file {
    my ($id) = @_;

    make_marker($id);
    my $path = $t->data . "/artifacts/$id";
    spew("$path.meta", qq({"id":"$id","extension":".txt","type":"text/plain",)
         . '"name":"x","createdAt":"2020-01-01T00:00:00.000Z",'
         . '"file":{"purpose":"user_data"}}');
    spew("$path.txt", 'x');
    return 1;
}
