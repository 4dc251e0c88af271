#!/usr/bin/perl

# What requests cost by the number of artifacts, and by how they lie in folders:
# stores of 1000, 10,000 and so on artifacts of 1 KB, with sidecars, for each of
# some layouts.  See docs/stores.md.
#
#     perl bench/layout.pl [sizes [layout ..]]
#
# Sizes are numbers of artifacts with commas between, by default 1000,10000,
# 50000; a million takes some minutes, 2 million inodes and 4 KB for each of them.
# A layout is the value of "artifact_layout", by default flat and levels=2;
# "old=levels=2" is a flat store that is served as levels=2.  BENCH_DIR: where they
# are made, by default in build/; BENCH_COLD=1: requests without anything in the
# kernel's caches, too, which are dropped for the whole machine, as root.

use strict;
use warnings;

use Digest::MD5 qw(md5_hex);
use File::Path qw(make_path);
use File::Temp qw(tempdir);
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../t/lib";
use ArtifactBench qw(cpu_time median);
use ArtifactTest;
use POSIX qw(ceil);
use Time::HiRes qw(sleep time);

my @sizes = split /,/, shift // '1000,10000,50000';
my @layouts = @ARGV ? @ARGV : ('flat', 'levels=2');

my $IMAGE = "\x89PNG\r\n\x1a\n" . 'x' x 1000;
my $ROUNDS = 400;

$| = 1;
$ENV{TMPDIR} = $ENV{BENCH_DIR} // "$FindBin::Bin/../build";

my @rows = (
    ['artifact', \&hit],
    ['artifact, nothing cached', \&cold],
    ['missing', \&missing],
    ['missing, after a POST', \&missing_after],
    ['POST, artifact_sync off', sub { post('off', @_) }],
    ['POST, artifact_sync on', sub { post('on', @_) }],
    ['first page of 100', sub { page('', @_) }],
    ['page in the middle', sub { page('&after=' . id(int($_[1] / 2)), @_) }],
);

for my $layout (@layouts) {
    measure($layout, $_) for @sizes;
}

exit 0;


sub measure {
    my ($layout, $n) = @_;

    my $t = ArtifactTest->new;
    my ($old, $levels) = $layout =~ /^(old=)?(.*)/;
    my $conf = $levels eq 'flat' ? '' : "artifact_layout $levels;";

    my $begin = time;
    fill($t->data . '/artifacts', $old ? 'flat' : $levels, $n);
    printf "\n%s, %d artifacts, made in %.0f s\n", $layout, $n, time - $begin;

    $t->start(server => <<"CONF");
    artifact_root %%DATA%%;
    artifact_index on;
    artifact_write on;
    keepalive_requests 1000000;
    $conf

    location /off/ { artifact; artifact_sync off; }
    location /on/ { artifact; }
CONF

    sleep 2.5;              # young folders are not believed
    memory($t, 'at the beginning');
    printf "  %-28s %10s %10s\n", '', 'us cpu', 'us';

    for my $row (@rows) {
        my ($name, $run) = @$row;
        my ($cpu, $wall) = $run->($t, $n) or next;
        printf "  %-28s %10.0f %10.0f\n", $name, $cpu, $wall;
    }

    memory($t, 'at the end');
    $t->stop;
    disk($t->data . '/artifacts');
    system 'rm', '-rf', $t->data;
}


# As the ids of new artifacts are, in the order of time.

sub id {
    my ($n) = @_;
    my $h = md5_hex("id $n");
    return sprintf '0196%04x-%04x-7%s-8%s-%s', $n >> 16, $n & 0xffff,
        substr($h, 0, 3), substr($h, 3, 3), substr $h, 6, 12;
}


sub fill {
    my ($dir, $layout, $n) = @_;

    my ($levels) = $layout =~ /^levels=([\d:]+)/;
    my @levels = split /:/, $levels // '';
    my %made;

    for my $i (0 .. $n - 1) {
        my $id = id($i);
        my ($sub, $end, $hash) = ('', 32, @levels ? md5_hex($id) : '');

        for my $len (@levels) {
            $end -= $len;
            $sub .= substr($hash, $end, $len) . '/';
        }
        make_path("$dir/$sub") if $sub && !$made{$sub}++;

        put("$dir/$sub$id.meta", qq({"id":"$id","extension":".png",)
            . qq("type":"image/png","name":"n-$i.png","size":1008,)
            . qq("createdAt":"2026-01-01T00:00:00.000Z"}\n));
        put("$dir/$sub$id.png", $IMAGE);
    }
}


sub put {
    my ($file, $bytes) = @_;
    open my $fh, '>:raw', $file or die "$file: $!\n";
    syswrite $fh, $bytes;
}


# Requests one after the other: the processor time of each, and the median of how
# long they took, in microseconds.

sub run {
    my ($t, $n, $status, $make) = @_;

    my @workers = $t->workers;
    my $conn = $t->connect;
    my (@took, $cpu);

    for my $i (0 .. $n - 1) {
        my ($method, $uri, %opt) = $make->($i) or next;
        my $before = cpu_time(@workers);
        my $begin = time;
        my $res = $conn->request($method, $uri, keep => 1, %opt);

        push @took, time - $begin;
        $cpu += cpu_time(@workers) - $before;
        die "$method $uri: $res->{status}\n" if $res->{status} != $status;
    }

    return map { $_ * 1e6 } $cpu / @took, median(@took);
}


sub some { my ($n) = @_; return id(int rand $n) }


sub hit {
    my ($t, $n) = @_;
    return run($t, $ROUNDS, 200, sub { (GET => '/off/' . some($n)) });
}


sub cold {
    my ($t, $n) = @_;

    return if !$ENV{BENCH_COLD};

    return run($t, 10, 200, sub {
        system 'sync';
        put('/proc/sys/vm/drop_caches', '3');
        return (GET => '/off/' . some($n));
    });
}


# Once the folder is known.

sub missing {
    my ($t, $n) = @_;
    my $i = 0;

    run($t, ceil($n / 300) + 10, 404, sub { (GET => '/off/a' . $i++) });
    return run($t, $ROUNDS, 404, sub { (GET => '/off/a' . $i++) });
}


sub missing_after {
    my ($t) = @_;
    my $conn = $t->connect;

    return run($t, $ROUNDS, 404, sub {
        my ($i) = @_;
        write_one($conn, 'off');
        return (GET => "/off/b$i");
    });
}


sub post {
    my ($sync, $t) = @_;
    return run($t, $ROUNDS / 2, 201, sub {
        (POST => "/$sync/", body => $IMAGE,
         headers => ['Content-Type' => 'image/png'])
    });
}


sub write_one {
    my ($conn, $sync) = @_;
    my $res = $conn->request('POST', "/$sync/", keep => 1, body => $IMAGE,
        headers => ['Content-Type' => 'image/png']);
    die "POST: $res->{status}\n" if $res->{status} != 201;
}


sub page {
    my ($after, $t, $n) = @_;
    return run($t, $n > 100_000 ? 3 : 9, 200,
               sub { (GET => "/off/?limit=100$after") });
}


sub memory {
    my ($t, $when) = @_;
    printf "  %-28s %10d KB\n", "memory $when", $t->memory($t->workers);
}


sub disk {
    my ($dir) = @_;

    my $size = (stat $dir)[7];
    my $begin = time;
    my $names = `find $dir -printf x | wc -c`;
    my $seen = time - $begin;

    $begin = time;
    my ($kb) = `du -sk $dir` =~ /(\d+)/;

    printf "  %-28s %10.1f KB, %d names\n", 'artifacts/ itself',
        $size / 1024, $names;
    printf "  %-28s %10.2f s, du %.2f s (%d MB)\n", 'find', $seen,
        time - $begin, $kb / 1024;
}
