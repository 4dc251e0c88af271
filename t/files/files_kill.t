#!/usr/bin/perl

# Uploads to the Files APIs while a worker is killed in the middle, or between
# the steps of a publication: nothing half is there, the upkeep removes the
# rest; a reload ends no upload.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFiles;
use ArtifactTest;
use ArtifactWrite;

my $t = ArtifactTest->new;
$t->allow(qr/exited on signal 9/);
$t->start(server => files_server());

my $content = join '', map { pack 'N', $_ } 1 .. 100_000;
my $body = form(['file', $content, 'a.bin']);

sub begin {
    my ($at) = @_;

    my $conn = $t->connect;
    $conn->send(form_head($at, length $body)
                . substr $body, 0, length($body) - 9);
    return $conn;
}

sub under_way {
    my ($want) = @_;
    return until_true(sub {
        my @tmp = glob $t->data . '/artifacts/.artifact/tmp-*';
        @tmp >= $want && 300_000 < -s $tmp[0];
    }, 10);
}

for my $at (qw(/inline/files /threads/files)) {
    my $conn = begin($at);
    ok(under_way(1), "$at: under way");
    ok($t->reload, "$at: reloaded");
    $conn->send(substr $body, length($body) - 9);
    my $file = json_of($conn->response('POST'));
    ok($t->get("$at/$file->{id}/content")->{body} eq $content,
       "$at: an upload to an old worker");

    my $before = files_of($t);
    my @marked = markers($t);
    my @conn = map { begin($at) } 1 .. 3;
    ok(under_way(3), "$at: three under way");
    my ($worker) = $t->workers;
    kill KILL => $worker;
    ok(until_true(sub {
        my @now = $t->workers;
        @now == 1 && $now[0] != $worker;
    }, 10), "$at: another worker");
    is(eval { $conn[0]->response('POST')->{status} } || 0, 0,
       "$at: no answer");
    nothing_changed($t, $before, "$at: a worker is killed");
    is("@{[ markers($t) ]}", "@marked", "$at: no marker");
    is((listed($t, $at))[0], $file->{id}, "$at: and the list is right");
    is($t->req('DELETE', "$at/$file->{id}")->{status}, 200, "$at: deleted");
}

# between the steps: what a worker leaves that dies behind the marker, or
# behind the sidecar, goes with its temporary file

my $dir = $t->data . '/artifacts';
# of a time to come, so that no list removes their markers

my $id = '01ff0000-0000-7000-8000-00000000000';
for my $step (1, 2) {
    my $uuid = "$id$step";
    mkdir "$dir/.artifact/files";
    mkdir "$dir/.artifact/files/01ff0";
    mkdir "$dir/.artifact/files/01ff0/00";
    spew("$dir/.artifact/files/01ff0/00/$uuid", '');
    spew("$dir/$uuid.meta", '{"file":{"purpose":"x"}}') if $step == 2;
    spew("$dir/.artifact/tmp-$uuid", 'content');
}
is((listed($t, '/inline/files'))[0], '', 'without a content there is no file');
is($t->get('/inline/files/file-art-01ff0000000070008000000000000002')
   ->{status}, 404, 'nor is it found');
ok($t->reload, 'the next worker cleans up');
ok(until_true(sub { !markers($t) && !contents($t) }, 10),
   'marker and sidecar go with the temporary file');
is(left_behind($t), '', 'which is gone, too');
ok(!-e "$dir/.artifact/files/01ff0", 'as are the folders');

$t->finish;
