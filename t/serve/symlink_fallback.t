#!/usr/bin/perl

# The same links on systems without openat2(): old kernels (ENOSYS) and
# sandboxes (EPERM), imitated by a seccomp filter.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactSymlinks;
use ArtifactTest;
use File::Temp qw(tempdir);

my $dir = tempdir(CLEANUP => 1);
my $launcher = "$dir/no-openat2";
my $cc = $ENV{CC} || 'cc';
my $source = "$FindBin::Bin/../tools/no-openat2.c";

is(system($cc, '-O1', '-Wall', '-o', $launcher, $source), 0,
   'the launcher compiles') or BAIL_OUT('no C compiler');
is(system("$launcher ENOSYS $launcher --probe") >> 8, 38,
   'openat2 fails with ENOSYS under the launcher');
is(system("$launcher EPERM $launcher --probe") >> 8, 1,
   'openat2 fails with EPERM under the launcher');

for my $errno (qw(ENOSYS EPERM)) {
    my $t = ArtifactTest->new(launcher => [$launcher, $errno]);
    link_data($t);
    $t->start(link_conf());
    link_checks($t, $errno);
    link_race($t, $errno, 2);
    $t->stop;
    $t->check_log;
}

done_testing();
