package ArtifactLint;

# What nginx -t warns about: once, with the line of the directive at fault, which
# ends with an empty comment in the configuration.

use strict;
use warnings;

use Exporter 'import';
use Test::More;

use ArtifactCheck;

our @EXPORT = qw(warns silent warnings_of);


# Each warning of a configuration, without what stands before it.

sub warnings_of {
    my ($t, $server, %conf) = @_;

    my ($code, $out) = $t->conf_test(as_is => 1, server => $server, %conf);

    is($code, 0, 'accepted') or diag($out);
    return map { s/^.*?\[warn\] //r } grep { /\[warn\]/ } split /\n/, $out;
}


sub warns {
    my ($t, $name, $text, $server, %conf) = @_;

    my $file = $t->prefix . '/conftest.conf';
    my @got = warnings_of($t, $server, %conf);
    is(scalar @got, 1, "$name: one warning") or diag(join "\n", @got);

    my @lines = split /\n/, slurp($file);
    my ($line) = grep { $lines[$_ - 1] =~ /#\s*\z/ } 1 .. @lines;

    like($got[0] // '', qr/\Q$text\E/, "$name: its text");
    like($got[0] // '', qr/ in \Q$file\E:$line\z/, "$name: its line");
}


sub silent {
    my ($t, $name, $server, %conf) = @_;

    is(join("\n", warnings_of($t, $server, %conf)), '', "$name: no warning");
}


1;
