#!/usr/bin/perl

# figures.pl [single]
#
# Prints how large src/ is and how much its files know of each other: lines,
# files, functions, includes, circles.  With "single", the external functions
# that only one other file uses, grouped by the two files.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../t/lib";

use ArtifactSource;

chdir "$FindBin::Bin/.." or die "$FindBin::Bin/..: $!\n";

my $sources = ArtifactSource->new('src');
my @files = $sources->files or die "no sources in src\n";

my %layer;

for my $path (@files) {
    my $lines = $sources->file($path)->{content} =~ tr/\n//;

    for my $sum ('src', $path =~ m{^src/(\w+)/}) {
        $layer{$sum}{lines} += $lines;
        $layer{$sum}{files}++;
    }
}

printf "%-9s %7s lines in %d files\n", $_, $layer{$_}{lines}, $layer{$_}{files}
    for 'src', sort grep { $_ ne 'src' } keys %layer;

my @functions = sort { $a->{lines} <=> $b->{lines} } map {
    my $path = $_;
    map { { %$_, path => $path } } @{ $sources->file($path)->{functions} };
} @files;

printf "functions %7d, lines: median %d, p95 %d, longest %d, %s() in %s\n",
    scalar @functions, (map { $_->{lines} } at(0.5, @functions),
    at(0.95, @functions), $functions[-1]), @{ $functions[-1] }{qw(name path)};

my @single = single();
my $external = grep { !$_->{static} } @functions;

printf "external  %7d, with one other file that uses them: %d\n",
    $external, scalar @single;

if (@ARGV && $ARGV[0] eq 'single') {
    my %pair;
    push @{ $pair{"$_->{path} <- $_->{user}"} }, $_->{name} for @single;
    printf "%4d  %s: %s\n", scalar @{ $pair{$_} }, $_, join ' ', @{ $pair{$_} }
        for sort { @{ $pair{$b} } <=> @{ $pair{$a} } || $a cmp $b } keys %pair;
    exit;
}

my $includes = $sources->include_graph('src');

spread('includes of our headers per file',
    map { scalar keys %{ $includes->{$_} } } @files);
spread('... per C file, with theirs',
    map { scalar ArtifactSource::reach($includes, $_) }
    grep { /\.c\z/ } @files);

circles('headers', $includes);
circles('calls', $sources->call_graph);


# Functions of C files that exactly one other C file names.

sub single {
    my %users;

    for my $path (grep { /\.c\z/ } @files) {
        push @{ $users{$_} }, $path for keys %{ $sources->file($path)->{words} };
    }

    my @single;

    for my $one (grep { !$_->{static} && $_->{path} =~ /\.c\z/ } @functions) {
        my @others = grep { $_ ne $one->{path} } @{ $users{ $one->{name} } };
        push @single, { %$one, user => $others[0] } if @others == 1;
    }

    return @single;
}


sub spread {
    my ($what, @numbers) = @_;

    @numbers = sort { $a <=> $b } @numbers;

    printf "%s: median %d, p95 %d, most %d\n", $what, at(0.5, @numbers),
        at(0.95, @numbers), $numbers[-1];
}


# The element at this share of a sorted list.

sub at {
    my ($share, @sorted) = @_;
    return $sorted[$#sorted * $share];
}


sub circles {
    my ($what, $graph) = @_;
    my @circles = ArtifactSource::circles($graph);

    printf "circles of %s: %d%s\n", $what, scalar @circles,
        @circles ? ', of ' . join ' ', sort { $b <=> $a }
                                       map { scalar @$_ } @circles : '';
}
