#!/usr/bin/perl

# What nginx's style and this module's order of rooms say that a machine can
# check, in all C sources.

use strict;
use warnings;

use Cwd qw(abs_path);
use Encode qw(decode FB_CROAK);
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;

use ArtifactSource;

# A file lies in src/LAYER/ROOM and includes from its own room and from those
# before it.

my @rooms = qw(
    core/base core/text core/form core/json core/media core/ref
    core/capability core/meta core/journal core/api core/format core/derive
    core/render core/expand core/attachment core/extract core/offload
    core/answer core/mcp core/files
    store/disk store/metadata store/files store/write store/list store/upkeep
    http/base http/source http/route http/compose http/derive http/expand
    http/attachment http/response
    http/list http/write http/serve http/services http/mcp http/files http/status
    http/inspector
    http/module
);

my %floor = map { $rooms[$_] => $_ } 0 .. $#rooms;

my $longest = 70;     # lines of a function

my $root = abs_path("$FindBin::Bin/../..");
chdir $root or die "$root: $!\n";

my $sources = ArtifactSource->new(qw(src t/unit t/fuzz));
my @files = $sources->files;

ok(@files > 0, 'there are sources');

for my $path (@files) {
    is(join("\n", problems($path)), '', $path);
}

rule("functions have at most $longest lines", sub {
    my ($path, $file) = @_;

    return unless $path =~ m{^src/};

    return map { "line $_->{line}: $_->{name}() has $_->{lines}" }
           grep { $_->{lines} > $longest } @{ $file->{functions} };
});

rule('sources lie in the rooms of the table, tests in rooms like theirs', sub {
    my ($path) = @_;

    return 'not in a room, src/LAYER/ROOM'
        if $path =~ m{^src/} && !defined room($path);

    return if $path =~ m{^src/} || $path =~ m{^t/unit/[^/]+\.h\z};

    return 'neither in a room nor a header of t/unit'
        if $path !~ m{^t/\w+/(\w+/\w+)/[^/]+\z};

    return "src/$1 is no room" unless defined $floor{$1} && -d "src/$1";
    return;
});

rule('what is included is there, by its path from src', sub {
    my ($path, $file) = @_;

    return map { "line $_->{line}: \"$_->{name}\"" }
           grep { !$_->{system} && !defined found($path, $_->{name}) }
           @{ $file->{includes} };
});

rule('a room includes only from itself and rooms before it', sub {
    my ($path, $file) = @_;
    my $own = room($path) // return;

    return map {
        my ($other) = $_->{name} =~ m{^(\w+/\w+)/};

        defined $other && defined $floor{$other}
            && $floor{$other} > $floor{$own}
            ? "line $_->{line}: $own includes \"$_->{name}\"" : ();
    } @{ $file->{includes} };
});

rule('the store knows no HTTP', sub {
    my ($path, $file) = @_;

    return unless $path =~ m{^src/store/};

    return ((map { "line $_->{line}: <$_->{name}>" }
             grep { $_->{name} =~ /^ngx_http/ } @{ $file->{includes} }),
            grep { /^(?:ngx_http|NGX_HTTP)_/ } sort keys %{ $file->{words} });
});

# <ngx_config.h> defines what system headers depend on, _GNU_SOURCE among others:
# none may be read before it, neither by the file itself nor by a header of ours.

my $embedded = ArtifactSource->new('generated');

is(join("\n", map { late_config($_) }
               (map { $sources->file($_) } grep { m{^src/(?!core/)} } @files),
               (map { $embedded->file($_) } $embedded->files)), '',
    'nginx\'s headers come first');

# By the names that stand in the header itself: what a file gets through it
# from yet another, it shall include itself.

# art_core.h is to the core what ngx_core.h is to nginx: all begin with it

rule('of each header that is included something is used', sub {
    my ($path, $file) = @_;

    return map { "line $_->{line}: \"$_->{name}\"" }
           grep { !$_->{system} && $_->{name} ne 'core/base/art_core.h'
                  && !is_used($path, $file, $_->{name}) }
           @{ $file->{includes} };
});

# A star stands for any part of a name.

my %named = map { m{([^/]+)\z}; $1 => 1 } @files;

rule('a file that a comment names is there', sub {
    my ($path, $file) = @_;

    return map { unknown_files($_) } $file->{content} =~ m{/\*.*?\*/}gs;
});

# ... but for the one that its exercise adds

is(join("\n", grep { $_ ne 'art_api_parrot.c' }
                    unknown_files(slurp('docs/design.md'))), '',
    'a file that docs/design.md names is there');

circles('no headers include each other in a circle',
    $sources->include_graph(qw(src t/unit)), sub { '' });

circles('no C files call each other in a circle', $sources->call_graph,
    sub { ': ' . join ' ', @{ $_[0] } });

done_testing();


# A test that no file breaks a rule, which is told as a list of what is wrong.

sub rule {
    my ($name, $broken) = @_;
    my @wrong;

    for my $path (@files) {
        push @wrong, map { "$path, $_" } $broken->($path,
                                                   $sources->file($path));
    }

    is(join("\n", @wrong), '', $name);
}


# A file that begins with something else from outside than <ngx_config.h>, or has
# nothing; headers of ours are followed to what they include.

sub late_config {
    my ($file) = @_;
    my $first = first_system($file) // 'nothing';

    return $first eq 'ngx_config.h' ? () : "$file->{path}, $first";
}


sub first_system {
    my ($file) = @_;

    for my $include (@{ $file->{includes} }) {
        return $include->{name} if $include->{system};

        my $first = first_system($sources->file("src/$include->{name}") // {});
        return $first if defined $first;
    }

    return;
}


# What looks like the name of one of our sources and is none, "..end.c" too.

sub unknown_files {
    my ($text) = @_;
    my @unknown;

    while ($text =~ /((?:\.\.\w+|\b(?:art|ngx\w*_artifact)[\w*]*)\.[ch])\b/g) {
        my $name = $1;
        my $pattern = join '\w*', map { quotemeta } split /\*/, $name;

        push @unknown, $name unless grep { /\A$pattern\z/ } keys %named;
    }

    return @unknown;
}


sub slurp {
    my ($path) = @_;

    open my $fh, '<:raw', $path or die "$path: $!\n";
    return do { local $/; <$fh> } // '';
}


sub circles {
    my ($name, $graph, $edge) = @_;
    my @wrong;

    for my $circle (ArtifactSource::circles($graph)) {
        push @wrong, 'a circle of ' . @$circle;

        for my $from (@$circle) {
            push @wrong, map { "$from -> $_" . $edge->($graph->{$from}{$_}) }
                         grep { $graph->{$from}{$_} } @$circle;
        }
    }

    is(join("\n", @wrong), '', $name);
}


sub room {
    my ($path) = @_;

    return unless $path =~ m{^src/(\w+/\w+)/[^/]+\z} && defined $floor{$1};
    return $1;
}


# Sources name everything by its path; tests also what is beside them.

sub found {
    my ($path, $name) = @_;

    return $sources->file("src/$name") ? "src/$name" : undef
        if $path =~ m{^src/};

    return $sources->resolve($path, $name, qw(src t/unit));
}


sub is_used {
    my ($path, $file, $name) = @_;
    my $header = found($path, $name) // return 1;

    # its own, and that of a family of files

    my ($stem) = $path =~ m{([^/]+?)(?:_int)?\.[ch]\z};
    return 1 if $header =~ m{/\Q$stem\E(?:_int)?\.h\z|_int\.h\z};

    return scalar grep { $file->{words}{$_} }
                  keys %{ $sources->file($header)->{declares} };
}


sub problems {
    my ($path) = @_;
    my $content = $sources->file($path)->{content};

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

    for my $n (1 .. @lines) {
        push @problems, map { "line $n: $_" }
            line_problems($path, $lines[$n - 1]);
    }

    return @problems;
}


sub line_problems {
    my ($path, $line) = @_;

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
        if $path =~ m{^src/core/}
           && $line =~ /\bngx_(?!artifact_module authors)|\bNGX_/;

    return @problems;
}


# ideographs are two columns wide

sub columns {
    my ($line) = @_;

    my $wide = () = $line =~ /[\p{EastAsianWidth=W}\p{EastAsianWidth=F}]/g;

    return length($line) + $wide;
}
