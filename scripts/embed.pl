#!/usr/bin/perl

# embed.pl [--check]
#
# Writes generated/ngx_http_artifact_inspector_files.c: the files of www/ as
# strings of C, a line for each line where it fits, so that the module is built
# by nginx's configure alone.  With --check, only tells whether the file is up
# to date.

use strict;
use warnings;

use Digest::SHA qw(sha256_hex);
use FindBin;

my $WWW = "$FindBin::Bin/../www";
my $TO = "$FindBin::Bin/../generated/ngx_http_artifact_inspector_files.c";
my $WIDTH = 75;

my %type = (
    css => 'text/css', html => 'text/html', js => 'application/javascript',
    svg => 'image/svg+xml',
);

my @rows;

for my $path (sort glob "$WWW/*") {
    my ($name, $extension) = $path =~ m{([\w-]+\.(\w+))\z}
        or die "$path: what is that?\n";
    my $text = slurp($path);

    push @rows, row($name eq 'index.html' ? '' : $name,
                    $type{$extension} // die("$path: of which type?\n"),
                    substr(sha256_hex($text), 0, 16), $text);
}

my $made = head() . join("\n", @rows) . "\n    { ngx_null_string, "
    . "ngx_null_string, ngx_null_string,\n      ngx_null_string }\n};\n";

if (($ARGV[0] // '') eq '--check') {
    exit 0 if -e $TO && slurp($TO) eq $made;

    print STDERR "$TO is not what www/ gives: run scripts/embed.pl\n";
    exit 1;
}

open my $fh, '>:raw', $TO or die "$TO: $!\n";
print $fh $made or die "$TO: $!\n";
close $fh or die "$TO: $!\n";


sub row {
    my ($name, $type, $etag, $text) = @_;

    return join '',
        "    { ngx_string(\"$name\"), ngx_string(\"$type\"),\n",
        "      ngx_string(\"\\\"$etag\\\"\"),\n",
        "      ngx_string(\n",
        join("\n", map { literals($_) } $text =~ /.*\n|.+\z/g),
        ") },\n";
}


# A line as one string or several; bytes that are not ASCII, and whatever C
# reads otherwise, in octal of three digits, which no digit can follow.

sub literals {
    my ($line) = @_;
    my ($out, @literals) = ('');

    for my $byte (split //, $line) {
        my $c = $byte eq "\n" ? '\n'
              : $byte =~ /["\\]/ ? "\\$byte"
              : $byte =~ /[\x20-\x3e\x40-\x7e]/ ? $byte
              : sprintf '\%03o', ord $byte;

        if (length($out) + length($c) > $WIDTH) {
            push @literals, $out;
            $out = '';
        }

        $out .= $c;
    }

    return map { "  \"$_\"" } @literals, $out;
}


sub head {
    return <<'END';

/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Made by scripts/embed.pl from the files of www/.
 */


#include "http/inspector/ngx_http_artifact_inspector.h"


const ngx_http_artifact_inspector_file_t
    ngx_http_artifact_inspector_files[] =
{
END
}


sub slurp {
    my ($path) = @_;

    open my $fh, '<:raw', $path or die "$path: $!\n";
    local $/;

    return scalar <$fh> // '';
}
