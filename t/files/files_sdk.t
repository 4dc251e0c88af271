#!/usr/bin/perl

# The clients of the Files APIs, unmodified: OpenAI's, and Anthropic's in three
# generations.  scripts/deps.sh puts them into build/files.

use strict;
use warnings;

use Cwd qw(abs_path);
use File::Copy qw(copy);
use File::Temp qw(tempdir);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactSdk;
use ArtifactTest;

my $root = abs_path("$FindBin::Bin/../..");
my $installed = "$root/build/files";
my $LARGE = 200 << 20;

# each client has a folder of its own

my @APIS = qw(openai anthropic-0 anthropic-0-92 anthropic-1);

my $t = ArtifactTest->new(workers => 2);
my $locations = join '', map { <<"LOCATION" } @APIS;
    location /$_/v1/files {
        artifact_files;
        artifact_root %%DATA%%/$_;
    }
LOCATION

for (@APIS) {
    mkdir $t->data . "/$_" or die "mkdir: $!\n";
}

$t->start(server => "client_max_body_size 1g;\n$locations");

ok(-e "$installed/installed", 'scripts/deps.sh test has installed the clients')
    or do { $t->finish; exit };

my $folder = tempdir('check-XXXXXX', DIR => $installed, CLEANUP => 1);
copy($_, $folder) or die "$_: $!\n"
    for glob("$root/t/npm/files/*.mjs"), "$root/t/npm/sdk/tap.mjs";

my $base = 'http://127.0.0.1:' . $t->port;

sdk_run(37, $folder, 'clients.mjs', "$base/$_", $_) for @APIS;

$ENV{TMPDIR} = $folder;
sdk_run(2, $folder, 'large.mjs', "$base/$_", $_, $LARGE)
    for qw(openai anthropic-1);

$t->finish;
