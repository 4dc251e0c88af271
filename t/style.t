#!/usr/bin/perl

# What nginx's style says that a machine can check, in all C sources.

use strict;
use warnings;

use Cwd qw(abs_path);
use Encode qw(decode FB_CROAK);
use File::Find;
use FindBin;
use Test::More;

my $root = abs_path("$FindBin::Bin/..");
chdir $root or die "$root: $!\n";

my @files;

find({ no_chdir => 1, wanted => sub {
    push @files, $_ if -f && /\.[ch]\z/;
} }, grep { -d } qw(src t/unit t/fuzz));

ok(@files > 0, 'there are sources');

for my $file (sort @files) {
    is(join("\n", problems($file)), '', $file);
}

done_testing();


sub problems {
    my ($file) = @_;

    open my $fh, '<:raw', $file or return "$file: $!";
    my $content = do { local $/; <$fh> } // '';

    my $text = eval { decode('UTF-8', my $copy = $content, FB_CROAK) };
    return 'not UTF-8' unless defined $text;

    my @problems;
    my @lines = split /\n/, $text, -1;

    if (@lines && $lines[-1] eq '') {
        pop @lines;

    } else {
        push @problems, 'no newline at the end';
    }

    push @problems, 'an empty line at the end'
        if @lines && $lines[-1] eq '';

    push @problems, 'over 500 lines, ' . @lines
        if $file =~ m{^src/} && @lines > 500;

    for my $n (1 .. @lines) {
        push @problems, map { "line $n: $_" }
            line_problems($file, $lines[$n - 1]);
    }

    return @problems;
}


sub line_problems {
    my ($file, $line) = @_;

    my @problems;

    push @problems, 'over 80 columns' if columns($line) > 80;
    push @problems, 'a tab' if $line =~ /\t/;
    push @problems, 'a carriage return' if $line =~ /\r/;
    push @problems, 'blanks at the end' if $line =~ /[ \t]\r?\z/;
    push @problems, 'unfinished work' if $line =~ /\b(?:TODO|FIXME|XXX)\b/;

    push @problems, 'no space before the parenthesis'
        if $line =~ /^\s*(?:\} else )?(?:if|for|while|switch)\(/;

    push @problems, 'a comment of C++'
        if $line =~ m{^\s*//} || $line =~ m{[;{}]\s*//};

    push @problems, 'the domain core knows no nginx'
        if $file =~ m{^src/core/}
           && $line =~ /\bngx_(?!artifact_module authors)|\bNGX_/;

    return @problems;
}


# ideographs are two columns wide

sub columns {
    my ($line) = @_;

    my $wide = () = $line =~ /[\p{EastAsianWidth=W}\p{EastAsianWidth=F}]/g;

    return length($line) + $wide;
}
