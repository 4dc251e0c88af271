#!/usr/bin/perl

# What an upload of 100 MB to the Files API costs, against nginx's own dav
# module: time as a client sees it, and processor time of the worker.  The
# figures that count are ratios, dav / ours: above 1 is faster than dav.
#
# The client is curl.
#
#     perl bench/files.pl [rounds] [megabytes]

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../t/lib";
use ArtifactBench;
use ArtifactTest;
use ArtifactFiles;

my $rounds = shift // 7;
my $size = (shift // 100) * 1024 * 1024;

die "this nginx has no dav module\n"
    unless ArtifactTest->version =~ /dav_module/;

$ENV{TMPDIR} = '/dev/shm' if -w '/dev/shm';

my $t = ArtifactTest->new;
mkdir $t->prefix . '/dav' or die "mkdir: $!";

$t->start(server => <<'CONF');
    client_max_body_size 0;
    artifact_root %%DATA%%;
    artifact_sync off;
    keepalive_requests 1000000;
    location /files { artifact_files; }
    location /threads { artifact_files; aio threads; }
    location /dav/ { root %%PREFIX%%; dav_methods PUT; }
CONF

my ($worker) = $t->workers;
my $seed = join '', map { pack 'N', $_ * 2_654_435_761 % 4_294_967_296 }
    1 .. 262_144;
my $file = $t->prefix . '/a.bin';
spew($file, substr $seed x (1 + $size / length $seed), 0, $size);

my @form = ('-F', 'purpose=user_data', '-F', "file=\@$file");
my @cases = (
    ['dav', '/dav/f', '-T', $file],
    ['files', '/files', @form],
    ['files, threads', '/threads', @form],
);

my (@wall, @cpu);

for my $round (0 .. $rounds) {
    for my $i (0 .. $#cases) {
        my $before = cpu_time($worker);
        my ($name, $uri, @args) = @{ $cases[$i] };
        open my $curl, '-|', 'curl', '-s', '-o', '/dev/null', '-w',
            '%{http_code} %{time_total}', '-H', 'Expect:', @args,
            'http://127.0.0.1:' . $t->port . $uri or die "curl: $!\n";
        my ($status, $wall) = split ' ', <$curl>;
        close $curl;
        my $cpu = cpu_time($worker) - $before;
        die "$name: $status\n" if $status !~ /^20/;
        unlink $t->prefix . '/dav/f', contents($t), markers($t);
        next if $round == 0;
        $wall[$i] = $wall if !$wall[$i] || $wall < $wall[$i];
        $cpu[$i] = $cpu if !$cpu[$i] || $cpu < $cpu[$i];
    }
}

printf "%-20s %10s %6s %10s %6s\n", 'milliseconds, best', 'wall', 'ratio',
    'processor', 'ratio';
for my $i (0 .. $#cases) {
    printf "%-20s %10.1f %6.2f %10.1f %6.2f\n", $cases[$i][0],
        1e3 * $wall[$i], $wall[0] / $wall[$i],
        1e3 * $cpu[$i], $cpu[0] / $cpu[$i];
}

$t->stop;
