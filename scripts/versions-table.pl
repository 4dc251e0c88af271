#!/usr/bin/perl

# versions-table.pl
#
# Prints the table of docs/versions.md, for scripts/docs-table.pl: its rows, with
# those that the last run of scripts/matrix.sh has left in build/matrix/rows put in
# their places or added.  A row is of one suite or tree and one build of it.

use strict;
use warnings;

use FindBin;
use POSIX qw(strftime);

my $root = "$FindBin::Bin/..";

my @head = ('nginx', 'of', 'gcc', 'build', 'tests', 'failed', 'skipped', 'on');
my $today = strftime('%Y-%m-%d', gmtime);
my (@order, %row);

for (lines("$root/docs/versions.md")) {
    my @cells = /^\| (\d.*) \|$/ ? split / \| /, $1 : ();

    put(@cells) if @cells == @head;
}

# what could not be tried, or not be built, says nothing of the tests

for (lines("$root/build/matrix/rows")) {
    my @cells = /^(\S+)\t(\S+)\t(\S+)\t(\S+)\t(\d+)\t(\d+)\t(\d+)\t/;

    put(@cells, $today) if @cells;
}

print map { '| ' . join(' | ', @$_) . " |\n" }
    \@head, [('---') x @head], @row{@order};


sub put {
    my (@cells) = @_;
    my $key = "@cells[1, 3]";

    push @order, $key unless $row{$key};
    $row{$key} = \@cells;
}


sub lines {
    my ($path) = @_;

    open my $fh, '<', $path or die "$path: $!\n";
    chomp(my @lines = <$fh>);
    return @lines;
}
