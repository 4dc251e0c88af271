#!/usr/bin/perl

# docs-table.pl PAGE TABLE [--check]
#
# Puts the table that the program TABLE prints between the two marks in a page of
# docs; with --check only tells whether it stands there.

use strict;
use warnings;

use FindBin;

my ($page, $program, $check) = @ARGV;

die "usage: $0 PAGE TABLE [--check]\n"
    unless defined $program && (!defined $check || $check eq '--check');

my $path = "$FindBin::Bin/../docs/$page";

my $table = qx("$program");
die "$program failed\n" if $? != 0 || $table eq '';

open my $in, '<:raw', $path or die "$path: $!\n";
my $text = do { local $/; <$in> };
close $in;

my $marks = qr/(<!-- made by "(make [\w-]+)" -->\n\n)(.*?)(\n<!-- end -->\n)/s;

$text =~ $marks or die "docs/$page has no marks for the table\n";

exit 0 if $3 eq $table;

die "the table in docs/$page is not that of the code: $2\n" if $check;

$text =~ s/$marks/$1$table$4/;

open my $out, '>:raw', "$path.tmp" or die "$path.tmp: $!\n";
print $out $text or die "$path.tmp: $!\n";
close $out or die "$path.tmp: $!\n";
rename "$path.tmp", $path or die "$path: $!\n";
