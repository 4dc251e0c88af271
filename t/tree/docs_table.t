#!/usr/bin/perl

# The table of media types and limits in docs/formats.md is the code's own, and that
# of versions in docs/versions.md made of what scripts/matrix.sh has counted.

use strict;
use warnings;

use Cwd qw(abs_path);
use File::Temp qw(tempdir);
use FindBin;
use Test::More;

my $root = abs_path("$FindBin::Bin/../..");
chdir $root or die "$root: $!\n";

# a make that runs these tests must not reach into the one that is run here

delete @ENV{qw(MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES)};

my $dir = $ENV{ART_DIR} || 'build';
my @settings = $ENV{ART_DIR}
    ? map { "$_=$ENV{$_}" } grep { length($ENV{$_} // '') } qw(CC ART_CFLAGS)
    : ();

is(system('make', '-s', @settings, "ART_DIR=$dir", "$dir/formats-table"), 0,
    'the program that prints it is built');

is(system('scripts/docs-table.pl', 'formats.md', "$dir/formats-table",
          '--check'), 0,
    'docs/formats.md has its table');


# a page with another table is told from it, and made right

my $tree = tempdir(CLEANUP => 1);
mkdir "$tree/$_" or die "$tree/$_: $!\n" for qw(docs scripts);

my $page = slurp('docs/formats.md');
(my $other = $page) =~ s/\| `anthropic` \| image \|[^\n]*\n//;

isnt($other, $page, 'a line of the table can be taken away');

spew("$tree/docs/formats.md", $other);
spew("$tree/scripts/docs-table.pl", slurp('scripts/docs-table.pl'));

my @command = ($^X, "$tree/scripts/docs-table.pl", 'formats.md',
               "$root/$dir/formats-table");

isnt(system("@command --check 2> $tree/told"), 0, 'then it is told');
like(slurp("$tree/told"), qr/docs-table/, 'and what to do');
is(system(@command), 0, 'and can be made again');
is(slurp("$tree/docs/formats.md"), $page, 'as it was');


# a run of two builds, and of some that came to nothing

mkdir "$tree/$_" or die "$tree/$_: $!\n" for 'build', 'build/matrix';
spew("$tree/scripts/versions-table.pl", slurp('scripts/versions-table.pl'));
chmod 0755, "$tree/scripts/versions-table.pl";

$page = slurp('docs/versions.md');
(my $around = $page) =~ s/^\|(?= \d+\.\d+\.\d+ \|.*\d{4}-\d\d-\d\d \|$).*\n//mg;
(my $before = $around) =~ s/^\| nginx \| of .*\n.*\n\K/
    row('1.20.0', 'trixie', '10.1.0', 'dynamic', 7, 0, 1, '2020-01-01')
    . row('1.22.1', 'bookworm', '12.2.0', 'dynamic', 9, 0, 2, '2020-02-02')/me;

isnt($before, $around, 'a page with a table of other versions');
spew("$tree/docs/versions.md", $before);
spew("$tree/build/matrix/rows", join '', map { join("\t", @$_) . "\t\n" }
    ['1.30.0', 'trixie', '14.2.0', 'dynamic', 3000, 1, 4, '-t/a.t ~t/b.t'],
    ['1.30.0', 'trixie', '14.2.0', 'static', '-', '-', '-', 'not built'],
    ['1.30.0', 'trixie', '14.2.0', 'unit', 114, 0, 0, ''],
    ['-', 'sid', '12.2.0', '-', '-', '-', '-', 'not tried']);

is(system($^X, "$tree/scripts/docs-table.pl", 'versions.md',
          "$tree/scripts/versions-table.pl"), 0, 'and what a run has counted');

(my $after = slurp("$tree/docs/versions.md")) =~ s/\| 20[2-9]\d-[\d-]+ \|$/| D |/mg;

like($after, qr/^\Q@{[ row('1.30.0', 'trixie', '14.2.0', 'dynamic', 3000, 1, 4, 'D')
                     . row('1.22.1', 'bookworm', '12.2.0', 'dynamic', 9, 0, 2, 'D')
                     . row('1.30.0', 'trixie', '14.2.0', 'unit', 114, 0, 0, 'D')
                     ]}\E\n<!-- end -->\n/m,
    'are one table');

done_testing();


sub row { return '| ' . join(' | ', @_) . " |\n" }


sub slurp {
    my ($path) = @_;

    open my $fh, '<:raw', $path or die "$path: $!\n";
    local $/;

    return scalar <$fh>;
}


sub spew {
    my ($path, $text) = @_;

    open my $fh, '>:raw', $path or die "$path: $!\n";
    print $fh $text;
    close $fh or die "$path: $!\n";
}
