#!/usr/bin/perl

# Trees of many levels: each file is listed once, in its order, and not many
# descriptors are open, however deep they are.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactTest;
use File::Path qw(make_path);
use Time::HiRes qw(sleep);

my $LEVELS = 120;
my $THREADS = ArtifactTest::version() =~ /--with-threads/;

my $t = ArtifactTest->new;
my $data = $t->data;
my $ws = "$data/workspaces/deep";

# files and folders before and behind the folder that goes on

my ($path, @files) = ('');
make_path($ws);
for my $level (1 .. $LEVELS) {
    for my $n (1 .. 6) {
        push @files, "${path}a$n", "${path}z$n";
    }
    mkdir "$ws/${path}b" or die $!;
    mkdir "$ws/${path}y" or die $!;
    push @files, "${path}b/f", "${path}y/f";
    mkdir "$ws/${path}m" or die $!;
    $path .= 'm/';
}
spew("$ws/$_", 'x') for @files;
@files = sort @files;

# so many that a folder is read in several pieces

make_path("$data/workspaces/wide/" . 'd/' x 20);
my @wide = map { ("w$_", 'd/d/d/w' . $_) } 1000 .. 2999;
spew("$data/workspaces/wide/$_", '') for @wide, 'd/' x 20 . 'last';
@wide = sort @wide, 'd/' x 20 . 'last';

# nginx itself takes some 25

$t->start(main => 'worker_rlimit_nofile 130;', server => <<'SERVER'
    artifact_root %%DATA%%;
    artifact_index on;

    location /workspaces/ {
        artifact_workspace;
    }
SERVER
    . ($THREADS ? <<'SERVER' : ''));

    location /threads/ {
        artifact_workspace;
        aio threads;
    }
SERVER

sub pages {
    my ($uri) = @_;
    my ($after, @paths) = ('');
    do {
        my $res = $t->get("$uri?recursive=1&limit=700&after=$after");
        return "status $res->{status}" if $res->{status} != 200;
        my $page = decode_strict($res->{body});
        push @paths, map { $_->{path} } @{ $page->{entries} };
        $after = $page->{next} // '';
    } while ($after ne '');
    return "@paths";
}

for my $at ('/workspaces/', $THREADS ? '/threads/' : ()) {
    is(pages("${at}deep/"), "@files", "$at: a deep tree");
    is(pages("${at}deep/m/m/"), join(' ', grep { m{^m/m/} } @files),
       "$at: a part of it");
    is(pages("${at}wide/"), "@wide", "$at: folders in several pieces");
}

# --- many at once ---------------------------------------------------------

SKIP: {
    skip 'no threads', 1 unless $THREADS;

    my @pids;
    for (1 .. 6) {
        my $pid = fork // die $!;
        push @pids, $pid if $pid;
        next if $pid;
        my $wrong = grep { $t->get('/threads/deep/m/m/m/m/m/m/m/m/m/m/m/m/m/m/'
                                   . '?recursive=1')->{status} != 200 } 1 .. 5;
        require POSIX;
        POSIX::_exit($wrong);
    }

    my $failed = 0;
    for my $pid (@pids) {
        waitpid $pid, 0;
        $failed += $? >> 8;
    }
    is($failed, 0, 'many at once');
    is(pages('/threads/deep/'), "@files", 'and leave nothing open');
}

# --- what changes meanwhile -----------------------------------------------

# folders are replaced by others and by links while they are not open

mkdir "$data/outside" or die $!;
spew("$data/outside/secret$_", 'x') for 1 .. 200;

my $pid = fork // die $!;
if (!$pid) {
    my $n = 0;
    for (1 .. 400) {
        rename "$ws/m/m", "$ws/m/away";
        symlink '../../../outside', "$ws/m/m";
        select undef, undef, undef, 0.001;
        unlink "$ws/m/m";
        rename "$ws/m/away", "$ws/m/m";
        select undef, undef, undef, 0.001;
    }
    require POSIX;
    POSIX::_exit(0);
}

my ($wrong, $leaked, $n) = (0, 0, 0);
while (waitpid($pid, 1) == 0) {
    my $res = $t->get('/workspaces/deep/?recursive=1&limit=1000');
    $wrong++ if $res->{status} != 200;
    $leaked++ if $res->{body} =~ /secret/;
    $n++;
}
is("$wrong $leaked", '0 0', "$n listings of a tree that changes");
is(pages('/workspaces/deep/'), "@files", 'and of it as it was');

$t->stop;
done_testing();
