#!/usr/bin/perl

# nginx-tests.pl [TEST...]
#
# Runs nginx's own tests three ways: without the module, with it loaded, and
# with it loaded and "artifact_route on" for all of http.  What differs from the
# first way is told test by test, whatever order the files run in; a difference
# counts if it is there each time when a file is run again by itself.
#
#   NGINX_TESTS             a checkout of nginx's tests
#   TEST_NGINX_BINARY       the nginx to run (default: nginx of the PATH)
#   TEST_NGINX_MODULE       ngx_artifact_module.so (default: build/ of this tree)
#   TEST_NGINX_MODULES_DIR  where its other dynamic modules are (default: the
#                           modules path that it was built with)
#   LOGS                    what the tests say (default: build/nginx-tests)
#   JOBS                    files that run at the same time (default: 2)
#
# The status is 0 if nothing differs, 1 if something does, 2 if nothing was
# compared, as no file passes without the module.

use strict;
use warnings;

use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Path qw(make_path remove_tree);
use TAP::Parser;

my $TIMES = 3;           # a difference has to be there each time
my $LIMIT = 300;         # seconds for a file

my $root = abs_path(dirname(__FILE__) . '/..');
my $tests = $ENV{NGINX_TESTS} // '';
my $module = abs_path($ENV{TEST_NGINX_MODULE}
                      // "$root/build/ngx_artifact_module.so");
my $logs = $ENV{LOGS} || "$root/build/nginx-tests";

$ENV{PATH} .= ':/usr/local/sbin:/usr/sbin:/sbin';

refuse("NGINX_TESTS has to name a checkout of nginx's tests")
    unless -f "$tests/lib/Test/Nginx.pm";
refuse('the module is not built') unless $module && -f $module;

my @files = @ARGV ? @ARGV
    : map { s{.*/}{}r } sort glob "$tests/*.t";
my $nginx = wrapped_nginx();

# as root, workers have to read the folder of the test, which is root's

my $globals = $> == 0 ? "user root;\n" : '';
my $loaded = "${globals}load_module $module;\n";
my @ways = (
    { name => 'without', main => $globals, http => '' },
    { name => 'loaded', main => $loaded, http => '',
      told => 'with the module' },
    { name => 'routed', main => $loaded, http => "artifact_route on;\n",
      told => 'with "artifact_route on"' },
);

for my $way (@ways) {
    run($way, $ENV{JOBS} || 2, @files);
    $way->{results} = { map { $_ => results($way, $_) } @files };
}

exit report();


sub refuse {
    print STDERR "nginx-tests: @_\n";
    exit 2;
}


# Test::Nginx loads each module that nginx says it has as a dynamic one, and
# Debian has each in a package of its own: what is not there, this nginx does not
# mention.

sub wrapped_nginx {
    my ($binary) = grep { -x } $ENV{TEST_NGINX_BINARY}
        // map { "$_/nginx" } split /:/, $ENV{PATH};
    refuse('there is no nginx') unless $binary;
    $binary = abs_path($binary);

    my $version = `'$binary' -V 2>&1`;
    my $dir = $ENV{TEST_NGINX_MODULES_DIR}
        // ($version =~ /--modules-path=(\S+)/)[0] // dirname($binary);
    $ENV{TEST_NGINX_MODULES} = $dir;

    my $edit = '';
    while ($version =~ /(--with-(\S+?))(?:_module)?=dynamic/g) {
        my ($option, $name) = ($1, $2);
        $edit .= "s/ $option\\(_module\\)\\?=dynamic//;"
            unless -f "$dir/ngx_${name}_module.so"
                || -f "$dir/ngx_${name}_filter_module.so";
    }

    make_path($logs);
    my $path = abs_path($logs) . '/nginx';
    open my $out, '>', $path or refuse("$path: $!");
    print $out <<"END";
#!/bin/sh
[ "\$*" = -V ] || exec '$binary' "\$@"
'$binary' -V 2>&1 | sed '$edit' >&2
END
    close $out;
    chmod 0755, $path;
    return $path;
}


# Runs files, leaving for each what it said and its status.

sub run {
    my ($way, $jobs, @todo) = @_;

    my $running = 0;
    make_path("$logs/$way->{name}");

    while (@todo || $running) {
        if (@todo && $running < $jobs) {
            my $file = shift @todo;
            my $pid = fork // die "fork: $!";
            if (!$pid) {
                run_file($way, $file);
                exit 0;
            }
            $running++;
            next;
        }
        $running-- if wait > 0;
    }
}


sub run_file {
    my ($way, $file) = @_;

    my $log = abs_path($logs) . "/$way->{name}/$file";
    my $pid = fork // die "fork: $!";

    if (!$pid) {
        setpgrp 0, 0;
        $ENV{TEST_NGINX_BINARY} = $nginx;
        $ENV{TEST_NGINX_GLOBALS} = $way->{main};
        $ENV{TEST_NGINX_GLOBALS_HTTP} = $way->{http};
        chdir $tests or die "$tests: $!";
        open STDIN, '<', '/dev/null' or die "/dev/null: $!";
        open STDOUT, '>', "$log.tap" or die "$log.tap: $!";
        open STDERR, '>', "$log.err" or die "$log.err: $!";
        exec $^X, $file or die "exec: $!";
    }

    local $SIG{ALRM} = sub { kill KILL => -$pid };
    alarm $LIMIT;
    waitpid $pid, 0;
    open my $out, '>', "$log.status" or die "$log.status: $!";
    print $out $? & 127 || $? >> 8 > 254 ? 'died' : 'ended';
}


# What became of each test, by number; 0 is the file as a whole.

sub results {
    my ($way, $file) = @_;

    my $log = "$logs/$way->{name}/$file";
    my $parser = TAP::Parser->new({ tap => slurp("$log.tap") });
    my %is = (0 => slurp("$log.status"));

    while (my $line = $parser->next) {
        if ($line->is_plan && $line->has_skip) {
            $is{0} = 'skipped: ' . $line->explanation;
        } elsif ($line->is_test) {
            $is{ $line->number } = $line->has_skip ? 'skipped'
                : $line->has_todo ? 'todo'
                : $line->is_actual_ok ? 'ok' : 'not ok';
        }
    }

    $is{$_} //= 'not run' for 1 .. $parser->tests_planned // 0;
    return \%is;
}


sub slurp {
    my ($path) = @_;
    local $/;
    open my $in, '<', $path or die "$path: $!";
    return <$in> // '';
}


# "what it was -> what it is" of the tests for which that differs.

sub differences {
    my ($was, $is) = @_;
    my %differs;
    for my $n (keys %{ { %$was, %$is } }) {
        my ($old, $new) = map { $_->{$n} // 'not run' } $was, $is;
        $differs{$n} = "$old -> $new" if $old ne $new;
    }
    return \%differs;
}


# Those that are there again each time.

sub constant_differences {
    my ($way, $file) = @_;

    my $differs = differences(map { $_->{results}{$file} } $ways[0], $way);

    for (2 .. $TIMES) {
        last unless %$differs;
        run($_, 1, $file) for $ways[0], $way;
        my $again = differences(map { results($_, $file) } $ways[0], $way);
        delete @$differs{ grep { ($again->{$_} // '') ne $differs->{$_} }
                          keys %$differs };
    }
    return $differs;
}


sub report {
    my $without = $ways[0]{results};
    my (%skipped, $differing);

    # a nginx that does not start leaves a few tests that pass nevertheless

    my @sound = grep { is_sound($without->{$_}) } @files;
    my $compared = grep { $_ eq 'ok' } map { values %{ $without->{$_} } }
        @files;

    for my $file (@files) {
        my ($reason) = $without->{$file}{0} =~ /^skipped: (.*)/;
        push @{ $skipped{$reason} }, $file if defined $reason;
        tell_tests("$file fails without the module, too", $without->{$file},
                   qr/^(?:not ok|not run|died)$/);
    }
    print "skipped, $_: @{ $skipped{$_} }\n" for sort keys %skipped;

    refuse('nothing was compared: without the module not one file passes')
        unless @sound;

    for my $way (@ways[1 .. $#ways]) {
        for my $file (@files) {
            my $differs = constant_differences($way, $file);
            $differing += keys %$differs ? 1 : 0;
            tell_tests("$file differs $way->{told}", $differs, qr//);
        }
    }

    printf "compared %d tests of %d files, %d skipped, %d passed without the "
        . "module\n", $compared, scalar(@files),
        scalar(map { @$_ } values %skipped), scalar @sound;
    print $differing ? "the module makes a difference\n"
                     : "the module makes no difference\n";
    return $differing ? 1 : 0;
}


sub is_sound {
    my ($is) = @_;
    return (grep { $_ eq 'ok' } values %$is)
        && !grep { /^(?:not ok|not run|died)$/ } values %$is;
}


sub tell_tests {
    my ($what, $states, $which) = @_;
    my %by;
    push @{ $by{ $states->{$_} } }, $_ || 'all'
        for sort { $a <=> $b } grep { $states->{$_} =~ $which } keys %$states;
    print "$what, $_: ", join(', ', @{ $by{$_} }), "\n" for sort keys %by;
}
