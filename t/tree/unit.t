#!/usr/bin/perl

# Builds and runs the C programs t/unit/*/*/test_*.c, each a subtest with the
# program's own TAP results.
#
#   CC, ART_CFLAGS   another compiler, flags besides the strict ones
#   ART_DIR          where objects and programs go; build, or a folder of its
#                    own when one of the former two is given
#   TEST_QUICK       leaves out those with random inputs, which take longer

use strict;
use warnings;

use Cwd qw(abs_path);
use Digest::SHA qw(sha1_hex);
use FindBin;
use Test::More;

my $root = abs_path("$FindBin::Bin/../..");
chdir $root or die "$root: $!\n";

my @settings = map { "$_=$ENV{$_}" }
    grep { length($ENV{$_} // '') } qw(CC ART_CFLAGS);

my $dir = $ENV{ART_DIR} || (@settings
    ? 'build/unit-' . substr sha1_hex("@settings"), 0, 8 : 'build');

# a make that runs these tests must not reach into the one that is run here

delete @ENV{qw(MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES)};

my @programs = sort map { m{^t/unit/(.+)\.c\z} } glob 't/unit/*/*/test_*.c';

@programs = grep { !/_random\z/ } @programs if $ENV{TEST_QUICK};

ok(@programs > 0, 'there are unit tests');

# all at once takes less time; what does not compile is told by itself

my @make = ('make', '-s', @settings, "ART_DIR=$dir");
my ($all_status) = command(@make, '-k', '-j2',
                           map { "$dir/unit/$_" } @programs);

for my $name (@programs) {
    subtest $name => sub { run($name) };
}

done_testing();


sub run {
    my ($name) = @_;

    my ($status, @log) = $all_status ? command(@make, "$dir/unit/$name") : 0;

    if (!is($status, 0, 'compiles without a warning')) {
        diag(@log);
        return;
    }

    ($status, my @output) = command("$dir/unit/$name");

    my ($planned, $count, $failed) = (undef, 0, 0);

    for (@output) {
        chomp;

        if (/^1\.\.(\d+)$/) {
            fail('one plan only') if defined $planned;
            $planned = $1;

        } elsif (/^(not )?ok\b(?: (\d+))?(?: - (.*))?$/) {
            $count++;
            $failed++ if $1;
            ok(!$1, $3 // "test $count");

            is($2, $count, "number $count in sequence")
                if defined $2 && $2 != $count;

        } elsif (/^#\s*seed/ || !$failed) {
            note($_);

        } else {
            diag($_);
        }
    }

    ok($planned, 'plans at least one test');
    is($count, $planned // 0, 'runs as many tests as planned');

    # a failed test is told above; any other bad end is a failure of its own

    if ($status & 127 || ($status && !$failed)) {
        fail("ends with wait status $status");
        diag(join "\n", @output > 40 ? @output[-40 .. -1] : @output);
    }
}


# the wait status, then the lines of standard output and error

sub command {
    my (@command) = @_;

    my $pid = open(my $pipe, '-|') // die "fork: $!\n";

    if ($pid == 0) {
        open STDIN, '<', '/dev/null';
        open STDERR, '>&', \*STDOUT;
        exec { $command[0] } @command
            or print "$command[0]: $!\n";
        exit 127;
    }

    my @lines = <$pipe>;
    close $pipe;

    return ($?, @lines);
}
