#!/usr/bin/perl

# docker-steps.pl DOCKERFILE ROOT [NAME=VALUE...]
#
# Does in ROOT what a Dockerfile says, with the current folder as its context and
# these variables for all that is run: all its stages in the same root, which has
# to have what FROM would bring.  That leaves out whether a stage lacks what only
# another one has.

use strict;
use warnings;

my ($dockerfile, $root, @variables) = @ARGV;

die "usage: $0 DOCKERFILE ROOT [NAME=VALUE...]\n" if !defined $root;

open my $fh, '<', $dockerfile or die "$dockerfile: $!\n";
my $text = do { local $/; <$fh> };

$text =~ s/^\s*#.*\n//gm;
$text =~ s/\\\n\s*/ /g;

my @user;

# as docker does: nginx opens them by their names, as another user

chmod 0666, \*STDOUT, \*STDERR if -f STDOUT;

for my $line (grep { /\S/ } split /\n/, $text) {
    my ($name, $rest) = $line =~ /^(\w+)\s+(.*)$/ or die "what is: $line\n";

    print "$line\n";

    if ($name eq 'USER') {
        @user = ("--userspec=$rest");

    } elsif ($name eq 'FROM') {
        @user = ();

    } elsif ($name eq 'RUN') {
        run('chroot', @user, $root, 'env', '-i', 'DEBIAN_FRONTEND=noninteractive',
            'PATH=/usr/sbin:/usr/bin:/sbin:/bin', @variables, 'sh', '-c', $rest);

    } elsif ($name eq 'COPY') {
        my $from = $rest =~ s/^--from=\S+ // ? $root : '.';
        copy($from, split ' ', $rest);
    }
}


# To a name that ends with a slash files are copied by their names, and folders
# with what is in them; to another one, the file or what is in the folder.

sub copy {
    my ($from, @names) = @_;
    my $to = $root . pop @names;

    run('mkdir', '-p', $to =~ m{/\z} ? $to : $to =~ s{[^/]*\z}{}r);

    for my $name (map { "$from/$_" } @names) {
        run('cp', '-rT', $name, $to =~ m{/\z} ? $to . $name =~ s{.*/}{}r : $to);
    }
}


sub run {
    my (@command) = @_;
    system(@command) == 0 or die "failed: @command\n";
}
