package ArtifactSdk;

# Programs of t/npm/sdk, beside the SDKs of build/sdk.

use strict;
use warnings;

use Cwd qw(abs_path);
use Exporter 'import';
use File::Basename qw(dirname);
use File::Copy qw(copy);
use File::Temp qw(tempdir);
use Test::More;

use ArtifactCheck;

our @EXPORT = qw(sdk_folder sdk_run);

my $REPO = abs_path(dirname(__FILE__) . '/../..');

# A program that hangs is ended after so many; on a busy machine with ASan some
# take minutes.

my $SECONDS = 1800;


# A folder from which the SDKs are found, with the programs in it; undef if the
# SDKs are not installed.

sub sdk_folder {
    my $sdk = "$REPO/build/sdk";

    ok(-e "$sdk/installed", 'scripts/deps.sh test has installed the SDKs')
        or return undef;

    my $folder = tempdir('check-XXXXXX', DIR => $sdk, CLEANUP => 1);
    copy($_, $folder) or die "$_: $!\n" for glob "$REPO/t/npm/sdk/*.mjs";

    return $folder;
}


# Runs one of the programs; its results, which have to be "least" at least, are
# those of the test.

sub sdk_run {
    my ($least, $folder, $program, @args) = @_;

    my $pid = open(my $pipe, '-|') // die "fork: $!\n";

    if ($pid == 0) {
        open STDIN, '<', '/dev/null';
        open STDERR, '>&', \*STDOUT;
        exec 'timeout', $SECONDS, 'node', "$folder/$program", @args
            or die "timeout: $!\n";
    }

    my ($plan, $count) = (0, 0);

    while (defined(my $bytes = <$pipe>)) {
        my $line = chars($bytes);
        chomp $line;

        if ($line =~ /^(not )?ok \d+ - (.*)/) {
            $count++;
            ok(!$1, $2);

        } elsif ($line =~ /^1\.\.(\d+)$/) {
            $plan = $1;

        } elsif ($line =~ /^#/) {
            diag($line);

        } else {
            note($line);
        }
    }

    close $pipe;

    diag("$program was ended after $SECONDS seconds") if $? >> 8 == 124;
    cmp_ok($plan, '>=', $least, "$program has looked at all of them");
    is($count, $plan, 'to the end');
}


1;
