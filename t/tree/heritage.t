#!/usr/bin/perl

# docs/heritage.md and its Chinese half have the same rows, name the platform's
# things alike, and show words that the code has.

use strict;
use warnings;
use utf8;

use Cwd qw(abs_path);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactCheck;
use Test::More;

my $root = abs_path("$FindBin::Bin/../..");
my ($english, $chinese) = map { rows("$root/docs/heritage$_.md") } '', '.zh';
my $code = join '', map { chars(slurp($_)) } glob "$root/src/core/*/*.c";

cmp_ok(scalar @$english, '>', 30, 'there are rows');
is(scalar @$chinese, scalar @$english, 'as many in both');

for my $n (0 .. $#$english) {
    my ($here, $there) = ($english->[$n], $chinese->[$n]);

    is(join(' ', named($there)), join(' ', named($here)), "row $n: names");
    is(join(' ', led($there)), join(' ', led($here)), "row $n: links");
}

# words: of each cell what does not depend on a file

my ($words) = chars(slurp("$root/docs/heritage.md"))
    =~ /^\| Chinese \| English \|\n\| --- \| --- \|\n((?:\|.*\n)+)/m;
my $count = 0;

for my $word (split / *\| *|[,;]\s|\n/, $words // '') {
    $word =~ s/\(?(?:artifact:)?a\b.*//;
    next if $word !~ /\S/ || $word =~ /^(?:artifact|agent|工件)$/;

    $count++;
    $word =~ s/\s+\z//;
    ok(index($code, $word) >= 0, bytes("the code has \"$word\""));
}

cmp_ok($count, '>', 20, 'there are words');

done_testing();


# The rows of tables above the part that has one language only.

sub rows {
    my ($path) = @_;
    my ($text) = chars(slurp($path)) =~ /\A(.*?)(?=^## Messages|\z)/ms;

    return [$text =~ /^(\|.*)$/gm];
}


sub named { return sort $_[0] =~ /`([^`]*\w[^`]*)`/g }

sub led {
    return sort map { s/^heritage\.md//r } $_[0] =~ /\]\(([^)]+)\)/g;
}
