#!/usr/bin/perl

# Every link in README.md, in the pages beside it and in docs/ leads to a file,
# and to a heading in it.
# DOCS_ROOT: where the pages are, such as the installed package, instead of this
# tree.

use strict;
use warnings;

use Cwd qw(abs_path);
use File::Basename qw(dirname);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactCheck;
use Test::More;

my $tree = abs_path("$FindBin::Bin/../..");
my $root = abs_path($ENV{DOCS_ROOT} || $tree);

my @pages = map { sort glob "$root/$_" } '*.md', 'docs/*.md';
my %anchors;

cmp_ok(scalar @pages, '>', 20, 'there are pages');

for my $page (@pages) {
    my $text = text($page);
    my @wrong;

    $text =~ s/^ {4}.*$//gm;      # blocks that are shown as they are

    while ($text =~ /\]\(([^)\s]+)\)/g) {
        my $link = $1;
        my ($path, $anchor) = split /#/, $link, 2;

        next if $link =~ /^\w+:/;

        my $file = length $path ? dirname($page) . "/$path" : $page;

        push @wrong, "$link: no such file" if !-f $file;
        push @wrong, "$link: no such heading"
            if -f $file && length($anchor // '')
            && !anchors($file)->{$anchor};
    }

    is(join("\n", @wrong), '', $page =~ s{^\Q$root\E/}{}r);
}

# from the start page all others are found

my $index = text("$root/docs/index.md");
my @lost = grep { $index !~ /\(\Q$_\E[)#]/ && $_ ne 'index.md' }
           map { m{([^/]+)\z} } glob "$root/docs/*.md";
is("@lost", '', 'docs/index.md leads to every page');

# the package has the folders that the links lead into, and leaves them as they
# are

if ($root eq $tree) {
    my %docs = map { $_ => 1 }
        split ' ', text("$root/debian/libnginx-mod-http-artifact.docs");
    my ($rule) = text("$root/debian/rules") =~ /dh_compress(?! *:)(.*)/;

    ok($docs{$_}, "the package has $_") for 'docs',
        map { m{([^/]+)\z} } glob "$root/*.md";
    like($rule // '', qr/-X\.md\b/, 'pages are not compressed');
}

done_testing();


# The anchors of a page, as GitHub makes them of headings.

sub anchors {
    my ($file) = @_;

    return $anchors{$file} //= do {
        my %known;
        my $text = text($file);

        while ($text =~ /^#+ +(.*?) *$/gm) {
            my $name = lc $1;
            $name =~ s/[^\w\- ]//g;
            $name =~ tr/ /-/;
            $known{$name} = 1;
        }
        \%known;
    };
}


sub text { return chars(slurp($_[0])) }
