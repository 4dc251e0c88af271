#!/usr/bin/perl

# With threads, the upkeep of a root is many short jobs, so that requests that
# use the same pool have their turn: a sweep, a fold, the removal of what has
# expired.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactCheck;
use ArtifactFail;
use ArtifactTest;
use ArtifactWrite qw(until_true);
use Test::More;

my $version = ArtifactTest::version();

plan skip_all => 'nginx without threads' if $version !~ /--with-threads/;
plan skip_all => 'nginx without --with-debug' if $version !~ /--with-debug/;

my $LEFT = 20_000;
my $ENTRIES = 20_000;
my $EXPIRED = 6000;

my $fail = ArtifactFail->new;
my $t = ArtifactTest->new(launcher => $fail->launcher);
my $control = $t->data . '/artifacts/.artifact';
my $log = $t->prefix . '/debug.log';

# what writers left that have died

mkdir $control or die "$control: $!";
for my $n (1 .. $LEFT) {
    spew(sprintf("$control/tmp-%08x-0000-7000-8000-000000000000", $n), '');
}

$t->workspace_meta('ws', { map { ("file-$_" => {
    mimeType => 'text/plain', createdAt => '2024-01-01T00:00:00.000Z',
    updatedAt => '2024-01-01T00:00:00.000Z' }) } 1 .. $ENTRIES });

$t->start(
    main => "thread_pool default threads=1; error_log $log debug;",
    server => <<'SERVER');
    artifact_root %%DATA%%;
    artifact_write on;
    artifact_sync off;
    aio threads;
    location /workspaces/ { artifact_workspace; }
    location /minute/ { artifact; artifact_expires 1m; }
    location = /none { return 204; }
SERVER


# How many jobs were given to threads since the last call.

my $seen = 0;

sub jobs {
    my $n = () = slurp($log) =~ /artifact task posted/g;
    my $new = $n - $seen;
    $seen = $n;
    return $new;
}

sub left {
    my @left = glob "$control/$_[0]";
    return scalar @left;
}


# --- a sweep -----------------------------------------------------------------

ok(until_true(sub { left('tmp-*') == 0 }, 60), 'what is left is removed');
my $jobs = jobs();
cmp_ok($jobs, '>', 3, 'in many turns');
note("$jobs jobs");


# --- a fold ------------------------------------------------------------------

my $res = $t->req('PUT', '/workspaces/ws/new', body => 'x',
    headers => ['Content-Type' => 'text/plain']);
is($res->{status}, 201, 'a file of a large workspace');

my $document = $t->data . '/workspaces/ws.meta.json';
ok(until_true(sub { slurp($document) =~ /"new"/ }, 60), 'is in its document');
my $turns = () = slurp($log) =~ /artifact fold: "ws" goes on after others/g;
cmp_ok($turns, '>', 0, 'in several turns');
note("$turns turns");


# --- what has expired --------------------------------------------------------

# markers without artifacts: a crash left them

my $id = json_of($t->req('POST', '/minute/', body => 'x',
    headers => ['Content-Type' => 'text/plain']))->{metadata}{id};
my ($span) = glob "$control/expires/*";
ok($span, 'an artifact that expires');
spew(sprintf("$span/%08x-0000-7000-8000-000000000000", $_), '')
    for 1 .. $EXPIRED;
jobs();

# a process may take its two clocks for a jump: it waits for half an hour then

my ($looks, $later, $gone) = (0, 0, 0);
while (!$gone && $looks++ < 60) {
    $later += 300;
    $fail->rules("later 1 $later clock");
    $t->get('/none') for 1 .. 3;
    $gone = until_true(sub {
        $t->get('/none');
        left('expires/*/*') == 0;
    }, 3);
}
ok($gone, 'what has expired is removed');
$jobs = jobs();
cmp_ok($jobs, '>', $looks + 5, 'in many turns');
note("$jobs jobs, $looks looks");

$t->allow(qr/\[notice\].*clock was set/);
$t->finish;
