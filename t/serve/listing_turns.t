#!/usr/bin/perl

# Long listings: others have their turn, in the pool of threads as well, and a
# client that leaves ends its listing, of which nothing stays open.  What is
# counted is requests, not time.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactCheck;
use ArtifactHTTP;
use ArtifactTest;
use ArtifactWrite qw(until_true);

my $ARTIFACTS = 3000;
my $FOLDERS = 1500;
my $LISTS = 20;

my $THREADS = ArtifactTest::version() =~ /--with-threads/;

my $t = ArtifactTest->new;
my $dir = $t->data . '/artifacts';

for my $n (1 .. $ARTIFACTS) {
    spew("$dir/a-$n.txt", 'x');
    spew("$dir/a-$n.meta", '{"mimeType":"text/plain","extension":".txt",'
         . '"createdAt":"2024-06-01T00:00:00.000Z"}');
}
$t->workspace_file('tree', "d$_/e/f", 'x') for 1 .. $FOLDERS;
$t->workspace_meta('tree', { map { ("d$_/e/f" => {
    mimeType => 'text/plain' }) } 1 .. $FOLDERS });
$t->workspace_file('small', 'f', 'x');

$t->start(
    main => $THREADS ? 'thread_pool one threads=1;' : '',
    http => 'log_format status "$status $request_uri";',
    server => <<'SERVER' . ($THREADS ? <<'SERVER' : ''));
    artifact_root %%DATA%%;
    artifact_index on;
    access_log %%PREFIX%%/access.log status;
    location = /none { return 204; access_log off; }
    location /inline/a/ { artifact; }
    location /inline/w/ { artifact_workspace; }
SERVER
    location /threads/a/ { artifact; aio threads=one; }
    location /threads/w/ { artifact_workspace; aio threads=one; }
SERVER

my ($worker) = $t->workers;

sub asks {
    my ($uri) = @_;
    my $conn = $t->connect;
    $conn->send(ArtifactHTTP::format_request('GET', $uri));
    return $conn;
}

# What the worker has open, except connections.

sub opened {
    return join ' ', sort grep { m{^/} && !m{^/(?:dev|memfd)} }
        map { readlink || '' } glob "/proc/$worker/fd/*";
}

my $before = opened();

for my $at ('/inline', $THREADS ? '/threads' : ()) {
    my %long = ("$at/a/?limit=1000" => 'a-', "$at/w/tree/?recursive=1&limit=1000" => 'd');

    for my $uri (sort keys %long) {

        # the long ones were asked for first, and need many turns each

        my @lists = map { asks($uri) } 1 .. $LISTS;
        my $small = json_of($t->get("$at/w/small/"));
        is($small->{count}, 1, "$uri: a small listing meanwhile");

        my @bodies = map { $_->response('GET')->{body} } @lists;
        is(scalar(grep { $_ ne $bodies[0] } @bodies), 0, 'all are the same');
        my $page = decode_strict($bodies[0]);
        is($page->{count}, 1000, 'and whole');
        like($page->{next}, qr/^$long{$uri}/, 'with a cursor');

        my $log = slurp($t->prefix . '/access.log');
        my ($ended) = $log =~ /\A(.*)^200 $at\/w\/small\/$/ms;
        my $n = () = ($ended // '') =~ /^200 \Q$uri\E$/mg;
        cmp_ok($n, '<', $LISTS, 'the small one does not wait for all of them');
        note("$n listings had ended");

        asks($uri)->close for 1 .. 3;
        ok(until_true(sub {
            my $n = () = slurp($t->prefix . '/access.log')
                =~ /^499 \Q$uri\E$/mg;
            $n == 3;
        }, 10), 'those who leave end their listings');
        ok(until_true(sub { opened() eq $before }, 10),
           'of which nothing stays open') or diag(opened());

        spew($t->prefix . '/access.log', '');
    }
}

$t->finish;
