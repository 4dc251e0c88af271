#!/usr/bin/perl

# README.md, as it stands there: its configuration runs, its commands are typed
# in their order, and print what it says, byte for byte, but for the id of an
# artifact that is made.  What its first lines show is what they print.

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

my $root = abs_path("$FindBin::Bin/../..");
my $page = chars(slurp("$root/README.md"));

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $base = 'http://127.0.0.1:' . $t->port;

# --- the configuration, the map, the folders --------------------------------

my %section = map { @$_ } doc_sections("$root/README.md");
my $try = $section{'Try it'} // '';
my $conf = join "\n", doc_blocks($try);

is(scalar(() = $conf =~ /^ *server \{/gm), 2, 'two servers');

$conf =~ s{/etc/nginx/}{$dir/}g;
$conf =~ s{/srv/agents}{$dir/agents}g;
$conf =~ s{listen 127\.0\.0\.1:8080;}{listen 127.0.0.1:%%PORT%%;};
$conf =~ s{listen 127\.0\.0\.1:8081;}{listen unix:$dir/provider;};
$conf =~ s{http://127\.0\.0\.1:8081(/\w+/)?;}
          {"http://unix:$dir/provider:" . ($1 // '') . ';'}ge;
unlike($conf, qr/808\d/, 'and no port but theirs');

my ($map) = $try =~ /^ {4}(\{"services".*?\]\})\n\n/ms;
spew("$dir/llmservices.json", bytes($map // ''));

my ($folders) = $try =~ /^ {4}install -d .*? (\S+ \S+)\n/m;
$folders =~ s{/srv/agents}{$dir/agents}g;
make_path(split / /, $folders);
chmod 0777, split / /, $folders;

my %conf = (http => $conf, as_is => 1, no_server => 1);
my ($code, $said) = $t->conf_test(%conf);
unlike($said, qr/\[warn\]/, 'nothing is warned about');
$t->start(%conf);

# --- the commands, as in one terminal ---------------------------------------

my @typed = typed_commands($try);
my $terminal = ArtifactTyped->new($dir,
    sub { $_[0] =~ s{http://127\.0\.0\.1:8080}{$base}gr });

cmp_ok(scalar @typed, '>=', 7, 'there are commands');

for my $command (@typed) {
    my ($line, $printed) = @$command;
    is($terminal->type($line, $printed), $printed, $line);
}

# --- the first lines ---------------------------------------------------------

my ($top) = $page =~ /\A(.*?)^## /ms;
my $printed = join '', map { $_->[1] } @typed;
my @shown = $top =~ /(\{(?:[^{}]|(?1))*\})/mg;
@shown = grep { /\A\{"/ } @shown;

is(scalar @shown, 5, 'it shows five objects');

for my $part (@shown) {
    my $like = join '.*', map { quotemeta } split /\.\.\./, $part;

    ok($try =~ /$like/, "$part stands below");
}

$t->finish;
