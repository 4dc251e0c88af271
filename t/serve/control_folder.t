#!/usr/bin/perl

# The module's own folder, .artifact: whatever a workspace is called, its files
# there are told from others, and what nobody needs any more goes away.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactTest;
use ArtifactWrite;
use File::Path qw(make_path);
use Time::HiRes qw(sleep);

my $t = ArtifactTest->new;
my $dir = $t->data . '/workspaces';
my $own = "$dir/.artifact";

# --- names ----------------------------------------------------------------

# With each of the module's suffixes as long as a file on its way, or with a
# suffix of their own.

my @names = (map({ "tmp-" . "w" x (36 - length) }
                 qw(.journal .index .index2)),
             map({ "tmp-01a20108-0e02-769f-82ab-e4aca6a10a6b$_" }
                 '', qw(.journal .folding .index .tmp)),
             qw(lock clock x x.journal x.folding x.index x.index2 x.lock),
             'n' x 245);

my $locations = <<'SERVER';
    artifact_root %%DATA%%;
    artifact_write on;
    artifact_sync off;
    location /artifacts/ { artifact; }
    location /workspaces/ { artifact_workspace; }
SERVER

$t->start(server => $locations);

sub wrong {
    my ($agents) = @_;
    my %wrong;
    for my $ws (@names) {
        my $list = metadata_at($t, "$ws/file")->{meta}{modifiedBy} || [];
        my $got = join ' ', map { $_->{agentId} } @$list;
        $wrong{$ws} = $got if $got ne $agents;
    }
    return join '; ', map { "$_: $wrong{$_}" } sort keys %wrong;
}

my $failed = join ' ', grep {
    put($t, "$_/file", 'x', agent => 'first')->{status} != 201
} @names;
is($failed, '', 'workspaces of names like those of the module');
ok(until_true(sub { !grep { !-e "$dir/$_.meta.json" } @names }, 10),
   'metadata of all are written');
is(wrong('first'), '', 'and read');

# What another process finds there is a crash's, but for journals.

put($t, "$_/file", 'y', agent => 'second') for @names;
$t->crash;

my $fresh = 'tmp-01a20108-0e02-769f-82ab-e4aca6a10a6b';
spew("$own/$fresh", 'content');
my %index = map { $_ => 1 } glob "$own/*.index*";

$t->start(server => $locations);
ok(until_true(sub { !-e "$own/$fresh" }, 5), 'a file on its way is removed');
is(wrong('first second'), '', 'no journal is');
is(join(' ', grep { !-e } sort keys %index), '', 'nor is an index');

# --- what nobody needs any more -------------------------------------------

# How a process finds it: with the first write after it began.

sub swept {
    my ($change) = @_;
    $t->stop;
    $change->();
    spew("$t->{data}/artifacts/.artifact/$fresh", 'the last to go');
    $t->start(server => $locations);
    ok(until_true(sub { !-e "$t->{data}/artifacts/.artifact/$fresh" }, 10),
       'all was looked at');
}

my @all = ('gone', 'stays', 'busy');
post($t, 'name=x', 'x');
put($t, "$_/file", 'x', agent => 'first') for @all;
until_true(sub { !grep { !-e "$dir/$_.meta.json" } @all }, 10);

sub own { join ' ', map { s{.*/}{}r } glob "$own/{gone,stays,busy}.*" }

swept(sub {});
is(own(), 'gone.index gone.journal stays.index stays.journal '
   . 'busy.index busy.journal', 'at first all stays');

swept(sub {
    unlink "$dir/gone.meta.json" or die "unlink: $!";
    utime 1, time - 7200, glob "$own/{gone,stays}.*";
});
is(own(), 'stays.index busy.index busy.journal',
   'old journals go, and the index of a workspace that is gone');
is(-s "$own/clock", 40, 'a clock remains');

put($t, "$_/file", 'y', agent => 'second') for @all;
is(join(' ', map { scalar @{ metadata_at($t, "$_/file")->{meta}{modifiedBy} } }
        @all), '1 2 2', 'all goes on');

# --- slices, without threads ----------------------------------------------

# So many that to look at them takes long; others are served meanwhile.

$t->stop;
for my $n (1 .. 40_000) {
    open my $fh, '>', "$own/many-$n.journal" or die "journal: $!";
}
spew("$t->{data}/artifacts/.artifact/$fresh", 'the last to go');
$t->workspace_file('read', 'file', 'x');
(my $late = $locations) =~ s/%%DATA%%/%%DATA%%\$arg_root/;
$t->start(server => $late);
my $conn = $t->connect;
put($t, 'slices/file', 'x', conn => $conn);
my $served = 0;
while (-e "$t->{data}/artifacts/.artifact/$fresh") {
    $conn = $t->connect if $conn->{eof};
    my $res = $conn->request('GET', '/workspaces/read/file', keep => 1);
    last if $res->{status} != 200;
    $served++;
}
note("$served served");
cmp_ok($served, '>', 3, 'others are served meanwhile');

# --- roots, more than are remembered at a time ----------------------------

my @roots = map { $t->prefix . "/roots/$_" } 1 .. 100;
make_path(map { "$_/workspaces/.artifact" } @roots);
(my $any = $locations) =~ s/%%DATA%%/\$arg_root/;
$t->stop;
$t->start(server => $any);

sub write_to {
    my ($root) = @_;
    return $t->req('PUT', "/workspaces/w/file?root=$root", body => 'x',
                   headers => ['Content-Type' => 'a/b'])->{status};
}

sub temp { "$_[0]/workspaces/.artifact/$fresh" }

spew(temp($_), 'x') for @roots;
is(join(' ', grep { write_to($_) != 201 } @roots), '', 'many roots');
ok(until_true(sub { !grep { -e temp($_) } @roots }, 10), 'all are swept');
spew(temp($_), 'x') for @roots;
write_to($_) for @roots, @roots;
sleep 0.5;
is(scalar(grep { !-e temp($_) } @roots), 0, 'none of them again at once');

$t->finish;
