#!/usr/bin/perl

# A workspace that is written to without a pause: every worker goes on serving
# its clients, though there is always something to fold.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactTest;
use ArtifactWrite;
use Time::HiRes qw(sleep time);

my $SECONDS = 5;

my $t = ArtifactTest->new(workers => 2);
$t->start(server => write_server(<<'SERVER'));
    location /nosync/ {
        artifact_workspace;
        artifact_sync off;
    }
SERVER

my $end = time + $SECONDS;
my @results = in_parallel($t, 6, sub {
    my ($k) = @_;

    my ($count, $longest) = (0, 0);
    while (time < $end) {
        my $begin = time;
        my $res = put($t, "busy/f$k-" . $count % 5, "write $count",
                      at => '/nosync/', agent => 'a');
        return [$count, "status $res->{status}"]
            if $res->{status} !~ /^20[01]$/;
        my $took = time - $begin;
        $longest = $took if $took > $longest;
        $count++;
    }
    return [$count, $longest];
});

for my $k (0 .. $#results) {
    my ($count, $longest) = @{ $results[$k] };
    cmp_ok($count, '>', 10, "writer $k writes");
    cmp_ok($longest, '<', $SECONDS / 2, "writer $k is not kept waiting");
}

$t->finish;
