package ArtifactSource;

# What C sources in nginx's style are made of, read without a compiler: a
# function has its name and its braces in column 0, preprocessor lines are all
# taken, whatever their condition.

use strict;
use warnings;

use File::Find;


# All C sources below some folders, by their path from the current one; a file
# that is not there is left out of what is asked for later.

sub new {
    my ($class, @folders) = @_;
    my %file;

    find({ no_chdir => 1, wanted => sub {
        $file{$_} = parse($_) if -f && /\.[ch]\z/;
    } }, grep { -d } @folders);

    return bless { file => \%file }, $class;
}


sub files { return sort keys %{ $_[0]{file} } }

sub file { return $_[0]{file}{$_[1]} }


# A file in parts:
#
#     content    its bytes
#     includes   "..." and <...> as { line, name, system }
#     functions  as { name, line, lines, static }, in order
#     declares   what it gives to others: { name => 1 }
#     words      every identifier it has: { name => 1 }

sub parse {
    my ($path) = @_;

    open my $fh, '<:raw', $path or die "$path: $!\n";
    my $content = do { local $/; <$fh> } // '';

    my $code = $content;
    my @includes;

    # comments first, which may hold quotes; a string may hold a comment

    $code =~ s{ ( " (?: [^"\\\n] | \\. )* " | ' (?: [^'\\\n] | \\. )* ' )
              | ( /\* .*? \*/ ) }{ defined $1 ? $1 : lines_of($2) }gsex;

    my $line = 0;

    for (split /\n/, $code) {
        $line++;
        push @includes, { line => $line, name => $2, system => $1 eq '<' }
            if /^\s*#\s*include\s*(["<])([^">]+)[">]/;
    }

    $code =~ s/^\s*#\s*include\b.*$//mg;
    $code =~ s{ " (?: [^"\\\n] | \\. )* " }{""}gx;
    $code =~ s{ ' (?: [^'\\\n] | \\. )+ ' }{'0'}gx;

    return {
        path => $path,
        content => $content,
        includes => \@includes,
        functions => functions($code),
        declares => $path =~ /\.h\z/ ? declares($code) : {},
        words => { map { $_ => 1 } $code =~ /\b[A-Za-z_]\w*/g },
    };
}


sub lines_of { return "\n" x ($_[0] =~ tr/\n//) || ' ' }


sub functions {
    my ($code) = @_;
    my ($start, $head, $open, @functions) = (0, '', 0);
    my $line = 0;

    # macros that stand for "static inline" and the like

    my $static = join '|', 'static',
        $code =~ /^\s*#\s*define\s+(\w+)\s+static\b/mg;

    for (split /\n/, $code) {
        $line++;

        if ($open) {
            next unless /^\}/;

            $open = 0;
            $functions[-1]{lines} = $line - $functions[-1]{line} + 1;

        } elsif (/^\{\s*$/ && $head =~ /\)\s*\z/
                 && $head =~ /(?:^|\n)(\w+)\s*\(/)
        {
            my $name = $1;

            $open = 1;
            push @functions, {
                name => $name,
                line => $start,
                lines => 0,
                static => scalar($head =~ /\b(?:$static)\b/),
            };

        } elsif (/^\s*(?:#.*)?$/ || /[;}]\s*$/) {
            $head = '';
            next;

        } else {
            $start = $line if $head eq '';
            $head .= "$_\n";
            next;
        }

        $head = '';
    }

    return \@functions;
}


# The names of functions, types, tags, macros, constants of enums and
# variables that a header gives to those who include it.

sub declares {
    my ($code) = @_;
    my %names;

    while ($code =~ /^\s*#\s*define\s+(\w+)/mg) {
        $names{$1} = 1 unless $1 =~ /_INCLUDED_\z/;
    }

    $code =~ s/^\s*#(?:.*\\\n)*.*$//mg;

    # constants first, then bodies away: from the innermost to the outermost;
    # that of a function ends its declaration

    while ($code =~ /\benum\b[^{;]*\{([^{}]*)\}/g) {
        $names{$_} = 1 for map { /^\s*(\w+)/ } split /,/, $1;
    }

    # of a type that others name, the members are what it gives

    while ($code =~ /\bstruct\s+\w+_s\s*\{([^{}]*)\}/g) {
        $names{$_} = 1 for $1 =~ /(\w+)\s*(?:\[[^\]]*\]|:\s*\d+)?\s*;/g;
    }

    1 while $code =~ s/(\)\s*)?\{[^{}]*\}/ defined $1 ? ');' : ' ' /ge;

    for my $one (split /;/, $code) {

        # attributes stand before or after what they are for

        $one =~ s/__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)//g;

        $names{$1} = 1 while $one =~ /\b(?:struct|union|enum)\s+(\w+)/g;

        if ($one =~ /\btypedef\b/) {
            $names{$1} = 1 if $one =~ /\(\s*\*\s*(\w+)\s*\)\s*\(/
                              || $one =~ /(\w+)\s*(?:\[[^\]]*\]\s*)*\z/;

        } elsif ($one =~ /(\w+)\s*\(/) {
            $names{$1} = 1;

        } elsif ($one =~ /\w\s+\**(?:const\s+)?(\w+)\s*(?:\[[^\]]*\]\s*)*
                          (?:=.*)?\z/sx)
        {
            $names{$1} = 1;
        }
    }

    # "struct x_s { ... };" defines the x_t of another header

    $names{"${_}_t"} = 1 for map { /^(\w+)_s\z/ } keys %names;

    return \%names;
}


# The path of what a file includes: from one of the folders, or beside it.

sub resolve {
    my ($self, $path, $name, @folders) = @_;
    my ($beside) = $path =~ m{^(.*)/};

    for my $try ("$beside/$name", map { "$_/$name" } @folders) {
        return $try if $self->{file}{$try};
    }

    return undef;
}


# Files that include others: { path => { included path => 1 } }.

sub include_graph {
    my ($self, @folders) = @_;
    my %graph;

    for my $path ($self->files) {
        $graph{$path} = {
            map { $_ => 1 } grep { defined }
            map { $self->resolve($path, $_->{name}, @folders) }
            grep { !$_->{system} } @{ $self->file($path)->{includes} }
        };
    }

    return \%graph;
}


# Files that use public functions of others:
# { path => { path of the definition => [ functions ] } }.

sub call_graph {
    my ($self) = @_;
    my (%home, %graph);

    my @sources = grep { /\.c\z/ } $self->files;

    for my $path (@sources) {
        $home{$_->{name}} = $path
            for grep { !$_->{static} } @{ $self->file($path)->{functions} };
    }

    for my $path (@sources) {
        $graph{$path} = {};

        for my $name (sort keys %{ $self->file($path)->{words} }) {
            my $other = $home{$name} // next;
            push @{ $graph{$path}{$other} }, $name if $other ne $path;
        }
    }

    return \%graph;
}


# The strongly connected components of a graph that have more than one node,
# or one with an edge to itself, each sorted: Tarjan's algorithm.

sub circles {
    my ($graph) = @_;
    my (%index, %low, %on, @stack, @circles);

    my $visit;
    $visit = sub {
        my ($node) = @_;

        $index{$node} = $low{$node} = keys %index;
        push @stack, $node;
        $on{$node} = 1;

        for my $next (sort keys %{ $graph->{$node} || {} }) {
            my $low;

            if (!defined $index{$next}) {
                $visit->($next);
                $low = $low{$next};

            } elsif ($on{$next}) {
                $low = $index{$next};

            } else {
                next;
            }

            $low{$node} = $low if $low < $low{$node};
        }

        return if $low{$node} != $index{$node};

        my @circle;

        do {
            push @circle, pop @stack;
            delete $on{$circle[-1]};
        } while ($circle[-1] ne $node);

        push @circles, [sort @circle]
            if @circle > 1 || $graph->{$node}{$node};
    };

    {
        no warnings 'recursion';
        defined $index{$_} or $visit->($_) for sort keys %$graph;
    }

    undef $visit;

    return @circles;
}


# Everything that can be reached from a node, without it.

sub reach {
    my ($graph, $from) = @_;
    my %seen = ($from => 1);
    my @queue = ($from);

    while (defined(my $node = shift @queue)) {
        push @queue, grep { !$seen{$_}++ } keys %{ $graph->{$node} || {} };
    }

    delete $seen{$from};

    return keys %seen;
}


1;
