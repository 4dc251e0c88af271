#!/usr/bin/perl

# Lists of files that leave out many: others have their turn, in the pool of
# threads as well, and a client that leaves ends its list.  What is counted is
# requests, not time.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFiles;
use ArtifactHTTP;
use ArtifactTest;

my $FILES = 6000;
my $LISTS = 20;

my $THREADS = ArtifactTest::version() =~ /--with-threads/;

my $t = ArtifactTest->new;
my $dir = $t->data . '/artifacts';

# files as they are uploaded, all within the same 17 minutes

mkdir $_ or die "$_: $!" for map { "$dir/.artifact$_" } '', '/files',
    '/files/01900', '/files/01900/00';
for my $n (1 .. $FILES) {
    my $uuid = sprintf '01900000-%04x-7000-8000-000000000000', $n;
    spew("$dir/$uuid.txt", 'x');
    spew("$dir/$uuid.meta", '{"mimeType":"text/plain","extension":".txt",'
         . '"createdAt":"2024-06-01T00:00:00.000Z","file":{"purpose":"p"}}');
    spew("$dir/.artifact/files/01900/00/$uuid", '');
}

$t->start(
    main => $THREADS ? 'thread_pool one threads=1;' : '',
    http => 'log_format status "$status $request_method $uri";',
    server => <<'SERVER' . ($THREADS ? <<'SERVER' : ''));
    artifact_root %%DATA%%;
    access_log %%PREFIX%%/access.log status;
    location /inline/files { artifact_files; }
SERVER
    location /threads/files {
        artifact_files;
        aio threads=one;
    }
SERVER

sub asks {
    my ($at) = @_;
    my $conn = $t->connect(timeout => 300);
    $conn->send(ArtifactHTTP::format_request('GET', "$at?purpose=none"));
    return $conn;
}

my $empty = qr/\A\{"object":"list","data":\[\]/;

for my $at ('/inline/files', $THREADS ? '/threads/files' : ()) {

    # the lists were asked for first, and need many turns each

    my @lists = map { asks($at) } 1 .. $LISTS;
    my $id = uploaded($t, $at, 'content', 'a.txt');
    like($id, qr/\Afile-art-/, "$at: an upload while files are listed");

    my @wrong = grep { $_->response('GET')->{body} !~ $empty } @lists;
    is(scalar(@wrong), 0, 'and the lists');

    my $log = slurp($t->prefix . '/access.log');
    my ($before) = $log =~ /\A(.*)^200 POST $at$/ms;
    my $n = () = ($before // '') =~ /^200 GET $at$/mg;
    cmp_ok($n, '<', $LISTS, 'the upload does not wait for all of them');
    note("$n lists had ended");
    is($t->req('DELETE', "$at/$id")->{status}, 200, 'deleted');

    asks($at)->close;
    ok($t->wait_for(qr/^499 GET $at$/m, 'access.log'),
       'one who leaves ends a list');
    spew($t->prefix . '/access.log', '');
}

$t->finish;
