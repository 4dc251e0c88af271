#!/usr/bin/perl

# A module that has replaced the former one is taken by a restart, not by a
# reload (docs/versions.md); what was written stays.  One for another nginx is
# refused by name.

use strict;
use warnings;
use utf8;

use Cwd qw(abs_path);
use File::Copy qw(copy);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactTest;

my $from = $ENV{TEST_NGINX_MODULE}
    // abs_path("$FindBin::Bin/../../build") . '/ngx_artifact_module.so';

plan(skip_all => 'the module is linked in') if $from eq '';

my $t = ArtifactTest->new;
my $module = $t->prefix . '/ngx_artifact_module.so';

replace();
local $ENV{TEST_NGINX_MODULE} = $module;

my @conf = (server => <<'SERVER');
    artifact_root %%DATA%%;
    artifact_write on;

    location /artifacts/ {
        artifact;
    }
    location /workspaces/ {
        artifact_workspace;
    }
SERVER

$t->start(@conf);

my $uri = '/workspaces/w/file';

is(put('one'), 201, 'a write');
is_there('one', 1, 'before');

replace();
ok($t->reload, 'a reload');
is(loaded($t->workers), 'deleted', 'keeps the former module');
is_there('one', 1, 'with it');

$t->stop;
$t->start(@conf);
is(loaded($t->workers), 'current', 'a restart takes the new one');
is_there('one', 1, 'after it');
is(put('two'), 200, 'another write');
is_there('two', 2, 'with both');

# of another nginx: its number stands in the module beside its signature

my $so = slurp($module);
my ($version) = ArtifactTest::version() =~ m{/(\d+\.\d+\.\d+)};
my $number = sprintf '%d%03d%03d', split /\./, $version;
my $bytes = pack 'Q<', $number;

cmp_ok($so =~ s/\Q$bytes\E/pack 'Q<', $number + 1/gse, '>=', 1, 'a number');
spew("$module.new", $so);
rename "$module.new", $module or die "rename: $!\n";

my ($exit, $said) = $t->conf_test;
isnt($exit, 0, 'a module of another version is refused');
my $other = $number + 1;
like($said, qr/module "\Q$module\E" version $other instead of $number/,
     'by name');

replace();
$t->finish;


# As apt does it: under another inode.

sub replace {
    copy($from, "$module.new") or die "$from: $!\n";
    rename "$module.new", $module or die "rename: $!\n";
}


# Which module a process has: the current file, or one that was replaced.

sub loaded {
    my ($pid) = @_;
    my ($path) = slurp("/proc/$pid/maps") =~ /(\Q$module\E.*)$/m;
    return ($path // 'none') eq $module ? 'current'
        : ($path // 'none') eq "$module (deleted)" ? 'deleted' : 'none';
}


sub put {
    my ($body) = @_;
    return $t->req('PUT', $uri, body => $body,
                   headers => ['Content-Type' => 'text/plain',
                               'X-Agent-Id' => "agent-$body"])->status;
}


sub is_there {
    my ($body, $writes, $name) = @_;

    is($t->get($uri)->body, $body, "$name: the content");

    my $meta = json_of($t->get('/artifacts/' . ws_id('w', 'file')
                               . '/metadata'));
    is(scalar @{ $meta->{meta}{modifiedBy} }, $writes, "$name: its history");
}
