#!/usr/bin/perl

# outside.pl record DIR
# outside.pl compare DIR DIR NEW
#
# What users see of the module, to be compared when its structure is changed.
# The first form, for "make record", writes into DIR what can be seen of the built
# module:
#
#   strings       all texts of it: of logs, errors, metrics, documents
#   directives    what nginx -t says to each directive in each context, with up to
#                 three parameters
#   variables     the names that a configuration may use
#   answers/      of each test the answers that it reads (TESTS: which tests)
#
# The second form compares with NEW two records of the same older version: what
# differs between these two, and requests that are not in all three, are left
# out.  Prints the differences; exits with 1 if there are any.

use strict;
use warnings;

use File::Path qw(make_path remove_tree);
use File::Temp qw(tempdir);
use FindBin;
use lib "$FindBin::Bin/../t/lib";

use ArtifactRecord;

my %CONTEXT = (
    main => '%s', http => 'http { %s }',
    server => 'http { server { %s } }',
    location => 'http { server { location / { %s } } }',
    if => 'http { server { location / { if ($uri) { %s } } } }',
    limit_except => 'http { server { location / { limit_except GET { %s } } } }',
    upstream => 'http { upstream u { server 127.0.0.1:1; %s } }',
    events => 'events { %s }',
);

my $MODULE = "$FindBin::Bin/../build/ngx_artifact_module.so";
my $DIFFERENT = 0;

my %COMMAND = (record => [\&record, 1], compare => [\&compare, 3]);

my ($command, @dirs) = @ARGV;
my $run = $COMMAND{ $command // '' };
die "usage: outside.pl record DIR | compare DIR DIR NEW\n"
    unless $run && @dirs == $run->[1];

$run->[0]->(@dirs);
exit $DIFFERENT;


sub record {
    my ($dir) = @_;

    remove_tree($dir);
    make_path($dir);

    my @strings = strings();
    keep("$dir/strings", @strings);

    my @names = grep { /\Aartifact(?:_[a-z_]*[a-z])?\z/ } @strings;
    keep("$dir/directives", directives(@names));
    keep("$dir/variables", grep {
        said("http { log_format f '\$$_'; }") !~ /unknown "/
    } @names);

    local $ENV{TEST_RECORD} = "$dir/answers";
    local $ENV{TEST_NGINX_MODULE} = $MODULE;
    my @tests = split ' ', $ENV{TESTS} // '';
    system 'prove', "-j$ENV{PROVE_JOBS}", @tests;
}


# The printable texts of constants, each once.

sub strings {
    open my $fh, '-|', 'objcopy', '-O', 'binary', '--only-section=.rodata*',
        $MODULE, '/dev/stdout' or die "objcopy: $!\n";
    local $/;
    my $bytes = <$fh>;
    my %seen;
    return grep { !$seen{$_}++ }
        sort $bytes =~ /([ -~\n\xe3-\xef\x80-\xbf]{4,})\0/g;
}


sub directives {
    my (@names) = @_;

    my @lines;
    for my $name (@names) {
        for my $context (sort keys %CONTEXT) {
            for my $n (0 .. 3) {
                my $text = said(sprintf $CONTEXT{$context},
                                join(' ', $name, ('on', 'x', '/x')[0 .. $n - 1])
                                . ';');
                push @lines, "$context: $name/$n: $text";
            }
        }
    }
    return @lines;
}


# What nginx -t prints, without what it says about itself.

sub said {
    my ($conf) = @_;

    our $prefix //= tempdir('artifact-test-XXXXXX', TMPDIR => 1, CLEANUP => 1);
    $conf .= ' events { }' if $conf !~ /^events/;
    keep("$prefix/nginx.conf", "load_module $MODULE; $conf");

    open my $fh, '-|', "nginx -t -p $prefix -c $prefix/nginx.conf -e stderr "
        . "-g 'pid $prefix/pid; error_log stderr;' 2>&1" or die "nginx: $!\n";
    local $/;
    my $text = ArtifactRecord::plain(<$fh> // '');

    $text =~ s/^.*?\[(\w+)\] \d+#\d+: /$1: /mg;
    $text =~ s/^nginx: (?:the )?configuration file.*\n//mg;
    return $text =~ s/\s+\z//r;
}


sub compare {
    my ($one, $two, $new) = @_;

    for my $name (qw(strings directives variables)) {
        differ($name, count("$one/$name"), count("$new/$name"));
    }

    my ($lines, $left) = (0, 0);

    for my $path (glob "$one/answers/*") {
        my ($name) = $path =~ m{([^/]+)\z};
        my ($was, $again, $is) =
            map { count("$_/answers/$name") } $one, $two, $new;

        my %loose = map { asked($_) => 1 }
            grep { ($was->{$_} // 0) != ($again->{$_} // 0) }
            keys %{ { %$was, %$again } };
        my %there = map { asked($_) => 1 } keys %$is;
        my %known = map { asked($_) => 1 } keys %$was;
        for my $set ($was, $is) {
            delete @$set{ grep {
                my $asked = asked($_);
                $loose{$asked} || !$there{$asked} || !$known{$asked}
            } keys %$set };
        }

        $lines += $_ for values %$again;
        $left += $_ for values %$was;
        differ($name, $was, $is);
    }

    print "$left of $lines answers compared\n";
}


sub asked { return $_[0] =~ s/ -> .*//sr }


sub differ {
    my ($name, $was, $is) = @_;

    for my $line (sort keys %{ { %$was, %$is } }) {
        my $more = ($is->{$line} // 0) - ($was->{$line} // 0) or next;
        print "$name: ", $more > 0 ? '+' : '-', " $line\n";
        $DIFFERENT = 1;
    }
}


# How often a file has each of its lines.

sub count {
    my ($path) = @_;

    my %count;
    open my $fh, '<', $path or return {};
    while (my $line = <$fh>) {
        chomp $line;
        $count{ ArtifactRecord::plain($line) }++;
    }
    return \%count;
}


sub keep {
    my ($path, @lines) = @_;
    open my $fh, '>', $path or die "$path: $!\n";
    print $fh map { s/\n/\\n/gr . "\n" } @lines;
    close $fh or die "$path: $!\n";
}
