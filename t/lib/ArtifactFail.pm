package ArtifactFail;

# An nginx whose calls to the system fail as told, or are noted: see
# t/tools/fail-write.c.

use strict;
use warnings;

use File::Temp qw(tempdir);
use Exporter 'import';
use File::Basename qw(dirname);
use POSIX qw(EACCES EIO ENOSPC EROFS);
use Test::More;

use ArtifactCheck;

our @EXPORT = qw(disk_failures);


# Compiles the library; there are no rules yet but those that always hold.

sub new {
    my ($class, @always) = @_;

    my $dir = tempdir(CLEANUP => 1);
    my $library = "$dir/fail-write.so";

    is(system($ENV{CC} || 'cc', '-O1', '-Wall', '-shared', '-fPIC', '-o',
              $library, dirname(__FILE__) . '/../tools/fail-write.c', '-ldl'), 0,
       'the library compiles') or BAIL_OUT('no C compiler');

    $ENV{ASAN_OPTIONS} = join ':', $ENV{ASAN_OPTIONS} // (),
        'detect_odr_violation=0', 'verify_asan_link_order=0';

    my $self = bless {
        library => $library, rules => "$dir/rules", always => \@always,
    }, $class;
    $self->rules;
    return $self;
}


# For ArtifactTest's new.

sub launcher {
    my ($self) = @_;
    return ['env', "LD_PRELOAD=$self->{library}",
            "FAIL_WRITE_RULES=$self->{rules}"];
}


# From now on calls fail by these rules, and by those that always hold.

sub rules {
    my ($self, @rules) = @_;
    spew("$self->{rules}.new",
         join '', map { "$_\n" } @rules, @{ $self->{always} });
    rename "$self->{rules}.new", $self->{rules} or die "rename: $!";
}


# Ways in which an artifact of so many bytes cannot be written: for each its name
# and its rules.

sub disk_failures {
    my ($size) = @_;

    my $tmp = '/artifacts/.artifact/tmp-';
    return (
        ['no space', "write @{[ENOSPC]} 0 $tmp"],
        ['no space for the last byte', "write @{[ENOSPC]} @{[ $size - 1 ]} $tmp"],
        ['a bad disk', "write @{[EIO]} 50000 $tmp"],
        ['no space on closing', "sync @{[ENOSPC]} 0 $tmp"],
        ['read-only', "open @{[EROFS]} 0 $tmp"],
        ['closed for names', "rename @{[EACCES]} 0 /artifacts/"],
    );
}


# Whether a call is held up, see "hold".

sub holds { return -e "$_[0]{rules}.held" }


# When one that was held up has been killed.

sub unhold { unlink "$_[0]{rules}.held" }


# The calls, in order, that are made while the code runs: lists of a call and
# a path.

sub calls {
    my ($self, $code) = @_;

    my $log = "$self->{rules}.log";
    spew($log, '');
    $code->();
    my @calls = map { [split / /, $_, 2] } split /\n/, slurp($log);
    unlink $log;
    return @calls;
}


1;
