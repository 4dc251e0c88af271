#!/usr/bin/perl

# The table of media types and limits in docs/formats.md is the code's own.

use strict;
use warnings;

use Cwd qw(abs_path);
use File::Temp qw(tempdir);
use FindBin;
use Test::More;

my $root = abs_path("$FindBin::Bin/..");
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

done_testing();


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
