#!/usr/bin/perl

# The first sections of docs/requests.md, docs/writes.md and docs/mcp.md, as a
# newcomer takes them: each configuration runs, its commands are typed in their order, and print
# what the page says.  There ".." stands for anything, and "ID" for an id that is
# the same in later commands.

use strict;
use warnings;
use utf8;

use Cwd qw(abs_path);
use File::Path qw(make_path);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactDocs;
use ArtifactTest;
use ArtifactTyped;

my $docs = abs_path("$FindBin::Bin/../../docs");
my $UUID = qr/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $base = 'http://127.0.0.1:' . $t->port;
my $started;

for my $case (
    ['requests.md', 'Artifacts by id', 4],
    ['requests.md', 'Routed answers', 3],
    ['writes.md', 'Uploads, files, listings, expiry', 5],
    ['mcp.md', 'Set it up', 1],
) {
    my ($page, $title, $at_least) = @$case;
    my ($text) = map { $_->[1] } grep { $_->[0] eq $title }
        doc_sections("$docs/$page");

    runs($text, "$page, $title");
    cmp_ok(typed($text), '>=', $at_least, 'there are commands');
}

$t->finish;


# Starts nginx with the configuration, where the rest is, too: the folders, and
# the map if there is one.

sub runs {
    my ($text, $name) = @_;
    my ($map) = $text =~ /^ {4}(\{"services".*?\]\})\n\n/ms;
    my $conf = here(join "\n", doc_blocks($text));

    make_path("$dir/agents/artifacts", "$dir/agents/workspaces");
    chmod 0777, "$dir/agents/artifacts", "$dir/agents/workspaces";
    spew("$dir/llmservices.json", bytes($map)) if defined $map;

    my %conf = (http => $conf, as_is => 1, no_server => 1);
    my ($exit, $said) = $t->conf_test(%conf);

    is($said =~ /\[warn\].*/ ? $& : '', '', "$name: nothing is warned about");
    ok($started++ ? $t->reload(%conf) : $t->start(%conf), 'it is valid');
}


# The number of commands.

sub typed {
    my ($text) = @_;
    my $known = $UUID;
    my $count = 0;

    for my $command (typed_commands($text)) {
        my ($line, $printed) = @$command;

        # what make run shows has other artifacts

        next if $line =~ /gradient/;

        (my $type = here($line)) =~ s/\bID\b/$known/g;
        spew("$dir/typed", bytes("cd $dir\n$type\n"));

        my $got = chars(scalar `bash $dir/typed 2>&1`) =~ s/\n\z//r;
        my $want = join "($UUID)", map { join '.*', map { quotemeta }
            split /\.\./, $_, -1 } split /\bID\b/, $printed, -1;

        like($got, qr/\A$want\z/s, $line);
        $known = $1 if $got =~ /($UUID)/;
        $count++;
    }

    return $count;
}


sub here {
    my ($text) = @_;

    $text =~ s{/etc/nginx/}{$dir/}g;
    $text =~ s{/srv/agents}{$dir/agents}g;
    $text =~ s{listen 127\.0\.0\.1:8080;}{listen 127.0.0.1:%%PORT%%;};
    $text =~ s{http://127\.0\.0\.1:8080}{$base}g;

    return $text;
}
