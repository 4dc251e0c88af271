#!/usr/bin/perl

# docs/tour.md, as a newcomer takes it: artifact-init writes its configuration, but
# for the line that the page adds; with that and the page's stand-ins its commands
# are typed in their order, and print what it says.  There ".." stands for a part
# of a JSON string or a number: an id, a time, base64.

use strict;
use warnings;
use utf8;

use Cwd qw(abs_path);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactConvert;
use ArtifactDocs;
use ArtifactTest;
use ArtifactTyped;

plan(skip_all => 'not installed: ' . convert_missing()) if convert_missing();

my $root = abs_path("$FindBin::Bin/../..");
my $page = chars(slurp("$root/docs/tour.md"));
my $module = $ENV{TEST_NGINX_MODULE} // "$root/build/ngx_artifact_module.so";

plan(skip_all => 'the module is linked in') if !length $module;

my ($t, $operators) = map { ArtifactTest->new } 1 .. 2;
my ($dir, $port) = ($t->prefix, $t->port);
my $init = "$dir/init";

cmp_ok(scalar(split ' ', $page), '<=', 1600, 'the page is short');

# --- the first command -------------------------------------------------------

my ($first, @commands) = typed_commands($page);
my ($program, @args) = split ' ', $first->[0];

is($program, 'artifact-init', 'it begins with artifact-init');

push @args, qw(--no-check --converter unix:/run/artifact-convert/socket
               --prefix), $init, '--module', $module;
push @args, '--nginx', $ENV{TEST_NGINX_BINARY} if $ENV{TEST_NGINX_BINARY};

my $said = `$root/packaging/artifact-init @args 2>&1`;
is($?, 0, 'which works') or diag($said);

# --- the configuration -------------------------------------------------------

my ($site, $others, @more) = doc_blocks($page);
my $added = qr/^.*# add this line\n/m;

is(scalar @more, 0, 'two blocks are configurations');
cmp_ok(scalar @commands, '>=', 30, 'there are commands');
like($site, $added, 'a line is added');
is(plain($site =~ s/$added//r), plain(packaged(slurp("$init/artifact.conf"))),
   'the rest is what artifact-init writes');

my %conf = (http => here($site) . here($others), as_is => 1, no_server => 1);
my ($exit, $warned) = $t->conf_test(%conf);

unlike($warned, qr/\[warn\]/, 'nothing is warned about');

my $converter = ArtifactConvert->new($dir, listen => "unix:$dir/convert.sock");

$t->start(%conf);

# --- the commands ------------------------------------------------------------

my $terminal = ArtifactTyped->new($dir, \&here);

for my $command (@commands) {
    my ($line, $printed) = @$command;
    my $got = $terminal->type($line, $printed) =~ s/(127\.0\.0\.1):$port/$1:8080/gr;
    my $want = join '[^"\s]*', map { quotemeta } split /\.\./, $printed, -1;

    like($got, qr/\A$want\z/, $line);
}

$converter->stop;
$t->finish;


# Paths below the prefix of artifact-init, other ports, the test's own converter.

sub here {
    my ($text) = @_;

    $text =~ s{/usr/share/nginx/artifact/}{$root/packaging/presets/}g;
    $text =~ s{(?=include \S+/convert\.conf;)}
              {set \$artifact_convert http://unix:$dir/convert.sock:; };
    $text =~ s{/etc/nginx/artifact/}{$init/artifact/}g;
    $text =~ s{/srv/artifact/}{$init/data/}g;
    $text =~ s{/srv}{$dir}g;
    $text =~ s{/var/lib/nginx/artifact\b}{$dir/cache}g;
    $text =~ s{/var/log/nginx/}{$init/logs/}g;
    $text =~ s{listen 127\.0\.0\.1:4000}{listen unix:$dir/others};
    $text =~ s{http://127\.0\.0\.1:4000}{http://unix:$dir/others:}g;
    $text =~ s{127\.0\.0\.1:8080}{127.0.0.1:$port}g;
    $text =~ s{127\.0\.0\.1:8081}{"127.0.0.1:" . $operators->port}ge;

    return $text;
}


# The other way round: what it would have written as root, in Debian.

sub packaged {
    my ($text) = @_;

    $text =~ s{$root/packaging/presets/}{/usr/share/nginx/artifact/}g;
    $text =~ s{$init/artifact/}{/etc/nginx/artifact/}g;
    $text =~ s{$init/data}{/srv/artifact}g;
    $text =~ s{$init/cache}{/var/lib/nginx/artifact}g;
    $text =~ s{$init/logs/}{/var/log/nginx/}g;

    return $text;
}


# Without comments and empty lines.

sub plain {
    my ($text) = @_;
    return join "\n", map { s/^\s+//r } grep { /\S/ && !/^#/ } split /\n/, $text;
}
