package ArtifactDocs;

# The configurations that README.md and the pages of docs/ print: blocks that
# are indented by four spaces, each of which is put where nginx takes it.

use strict;
use warnings;

use Exporter 'import';
use Test::More;

use ArtifactCheck;

our @EXPORT = qw(conf_part doc_blocks doc_sections);

# Where a statement belongs, by its first word: to the top of the file, to
# "http", to a location of its own; any other to a server.

my %LEVEL = (
    (map { $_ => 'main' } qw(events load_module pid user worker_processes)),
    (map { $_ => 'http' } qw(
        artifact_capabilities artifact_zone limit_conn_zone limit_req_zone
        log_format map proxy_cache_path server split_clients upstream
        variables_hash_bucket_size)),
    (map { $_ => 'location' } qw(
        artifact artifact_decode artifact_inspector artifact_message
        artifact_services artifact_status artifact_workspace limit_except
        proxy_pass)),
);

# A block is a configuration if its first word, comments apart, is one of
# nginx's that our pages use, or one of ours, and what follows ends as a
# statement does.

my $FIRST = qr/(?:http|location|include|set|listen|aio|access_log|add_header
                 |open_file_cache|error_\w+|auth_\w+|client_\w+|proxy_\w+
                 |artifact_\w+|@{[ join '|', sort keys %LEVEL ]})\b/x;

my $STRING = qr/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/;


# The sections of a page: title and text each.

sub doc_sections {
    my ($path) = @_;
    my $text = chars(slurp($path));
    my @found;

    push @found, [$1, $2] while $text =~ /^#+ (.*)\n((?:(?!#).*\n)*)/gm;
    return @found;
}


# The configurations in a text, without their indentation.

sub doc_blocks {
    my ($text) = @_;
    my @found;

    while ($text =~ /(?:\A|\n)\n((?:(?:[ ]{4}.*)?\n)+)/g) {
        my $block = $1;
        pos($text)--;

        $block =~ s/^    //gm;
        $block =~ s/\n\n(?:\$|[\[{]|[A-Z]+ |curl ).*//s;   # what comes of it
        $block =~ s/\n+\z/\n/;
        push @found, $block
            if $block =~ /\A(?:\s*\#.*\n)*\s*$FIRST(?:$STRING|[^;{'"])*
                          (?:;|\{[ ]*\n|\{[^"]*\}\n)/x;
    }

    return @found;
}


# What nginx needs of it, by where it belongs: main, http, server (what is not
# in a server of its own), location (what is not even in a location).

sub conf_part {
    my ($block) = @_;
    my %part;

    for my $statement (_statements($block)) {
        my ($name) = $statement =~ /(\w+)/;

        if ($name eq 'http') {
            my ($inner) = $statement =~ /\{(.*)\}\s*\z/s;
            my %inner = conf_part($inner);
            $part{$_} .= $inner{$_} for keys %inner;
            next;
        }

        $name = 'map' if $statement =~ /\bhttp\.conf;/;
        $part{ $LEVEL{$name} // 'server' } .= $statement . "\n";
    }

    return %part;
}


# A statement ends at its semicolon or at the brace that closes it; comments
# before it are left out.

sub _statements {
    my ($text) = @_;
    my @found;

    my $comment = qr/#.*(?:\n|\z)/;
    my $braces;
    $braces = qr/\{(?:$STRING|$comment|[^{}"'#]|(??{ $braces }))*\}/;

    $text =~ s/\A(?:\s|$comment)+//;

    while ($text =~ s/\A((?:$STRING|\$\{\w+\}|[^{};"'#])+(?:;|$braces))//) {
        push @found, $1;
        $text =~ s/\A(?:\s|$comment)+//;
    }

    fail("this is a statement: $text") if length $text;
    return @found;
}


1;
