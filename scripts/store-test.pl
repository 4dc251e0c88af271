#!/usr/bin/perl

# store-test.pl [STORE...]
#
# Puts the module in front of real stores, of three nodes each, on 127.0.0.1:
# ceph (S3), swift, gluster, cephfs; all of them by default.  Two edges, nginx
# with the configuration of docs/stores.md, serve every object in every way,
# while nodes are killed; below one root on gluster and cephfs they write, too.
# Prints TAP; state is in build/store, processes are ended.

use strict;
use warnings;
use utf8;

use Cwd qw(abs_path);
use File::Path qw(make_path);
use FindBin;
use Test::More;
use Time::HiRes qw(time);

use lib "$FindBin::Bin/../t/lib";
binmode $_, ':utf8'
    for map { Test::More->builder->$_ } qw(output failure_output);
$| = 1;

our $repo = abs_path("$FindBin::Bin/..");
our $dir = "$repo/build/store";
our $module = $ENV{TEST_NGINX_MODULE} // "$repo/build/ngx_artifact_module.so";

my $began = time;
my $owner = $$;
our ($state, $base, $gateway, @ports, %object);

require "$FindBin::Bin/store-$_.pl" for qw(objects edges checks nodes cluster);

my @stores = @ARGV ? @ARGV : qw(ceph swift gluster cephfs);

$SIG{INT} = $SIG{TERM} = $SIG{HUP} = sub { exit 1 };
$ENV{PATH} .= ':/usr/local/sbin:/usr/sbin:/sbin';
delete @ENV{qw(http_proxy HTTP_PROXY all_proxy ALL_PROXY)};

-f $module or die "no module at $module, run make first\n";

# what a run before this one may have left

clean($_) for glob "$dir/*";

sh($^X, "$repo/scripts/samples.pl", "$dir/data/root");
read_samples("$dir/data/root");
make_objects();

my @samples = map { $object{$_} } sort keys %object;

# what is done with a store, each time a new one, and what its script is told

my %run = (
    ceph => [[\&object_store]],
    swift => [[\&object_store]],
    gluster => [[\&file_store], [\&cluster, qw(shared 2)]],
    cephfs => [[\&cluster, 2]],
);

for my $store (@stores) {
    my $runs = $run{$store} or die "unknown store $store\n";

    run_store($store, @$_) for @$runs;
}

clean("$dir/data");
rmdir $dir;
diag_time('everything', $began);
done_testing();


sub run_store {
    my ($store, $run, @arguments) = @_;

    $state = "$dir/$store";
    $base = free_ports(40);
    make_path($state);

    my $start = time;
    sh("$repo/scripts/store-$store.sh", $state, $base, @arguments);
    diag_time("$store is up", $start);

    $run->($store, @samples);
    clean($state);
    diag_time("$store, all in all", $start);
}


END {
    if (defined $owner && $$ == $owner) {
        my $status = $?;

        clean($_, 'keep') for grep { -f "$_/pids" } glob "$dir/*";
        $? = $status;
    }
}
