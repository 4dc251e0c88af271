#!/usr/bin/perl

# docs-table.pl TABLE [--check]
#
# Puts the table that the program TABLE prints between the two marks in
# docs/formats.md; with --check only tells whether it stands there.

use strict;
use warnings;

use FindBin;

my ($program, $check) = @ARGV;

die "usage: $0 TABLE [--check]\n"
    unless defined $program && (!defined $check || $check eq '--check');

my $page = "$FindBin::Bin/../docs/formats.md";

my $table = qx("$program");
die "$program failed\n" if $? != 0 || $table eq '';

open my $in, '<:raw', $page or die "$page: $!\n";
my $text = do { local $/; <$in> };
close $in;

my $marks = qr/(<!-- made by "make docs-table" -->\n\n)(.*?)(\n<!-- end -->\n)/s;

$text =~ $marks or die "$page has no marks for the table\n";

exit 0 if $2 eq $table;

die "the table in docs/formats.md is not that of the code: make docs-table\n"
    if $check;

$text =~ s/$marks/$1$table$3/;

open my $out, '>:raw', "$page.tmp" or die "$page.tmp: $!\n";
print $out $text or die "$page.tmp: $!\n";
close $out or die "$page.tmp: $!\n";
rename "$page.tmp", $page or die "$page: $!\n";
