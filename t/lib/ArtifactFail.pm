package ArtifactFail;

# An nginx whose calls to the system fail as told, or are noted: see
# t/tools/fail-write.c.

use strict;
use warnings;

use File::Temp qw(tempdir);
use File::Basename qw(dirname);
use Test::More;

use ArtifactCheck;


# Compiles the library; there are no rules yet.

sub new {
    my ($class) = @_;

    my $dir = tempdir(CLEANUP => 1);
    my $library = "$dir/fail-write.so";

    is(system($ENV{CC} || 'cc', '-O1', '-Wall', '-shared', '-fPIC', '-o',
              $library, dirname(__FILE__) . '/../tools/fail-write.c', '-ldl'), 0,
       'the library compiles') or BAIL_OUT('no C compiler');

    $ENV{ASAN_OPTIONS} = join ':', $ENV{ASAN_OPTIONS} // (),
        'detect_odr_violation=0', 'verify_asan_link_order=0';

    my $self = bless { library => $library, rules => "$dir/rules" }, $class;
    $self->rules;
    return $self;
}


# For ArtifactTest's new.

sub launcher {
    my ($self) = @_;
    return ['env', "LD_PRELOAD=$self->{library}",
            "FAIL_WRITE_RULES=$self->{rules}"];
}


# From now on calls fail by these rules; without any all is well.

sub rules {
    my ($self, @rules) = @_;
    spew("$self->{rules}.new", join '', map { "$_\n" } @rules);
    rename "$self->{rules}.new", $self->{rules} or die "rename: $!";
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
