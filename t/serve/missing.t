#!/usr/bin/perl

# Artifacts without a sidecar: whatever comes and goes is seen at once, and an
# id that has no content costs some looks at the folder, not one for each
# extension that it might have.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactTest;
use File::Path qw(make_path);
use File::Temp qw(tempdir);
use Time::HiRes qw(sleep);

my $tools = tempdir(CLEANUP => 1);
my $library = "$tools/count-calls.so";
my $cc = $ENV{CC} || 'cc';

is(system($cc, '-O1', '-Wall', '-shared', '-fPIC', '-o', $library,
          "$FindBin::Bin/../tools/count-calls.c", '-ldl'), 0,
   'the library compiles') or BAIL_OUT('no C compiler');

$ENV{ASAN_OPTIONS} = join ':', $ENV{ASAN_OPTIONS} // (),
    'detect_odr_violation=0', 'verify_asan_link_order=0';

spew("$tools/count", "\0" x 16);

my $t = ArtifactTest->new(user => 'nobody nogroup',
                          launcher => ['env', "LD_PRELOAD=$library",
                                       "COUNT_CALLS=$tools/count"]);
my $data = $t->data;

# So many calls of all processes that look for a file.

sub calls {
    open my $in, '<:raw', "$tools/count" or die $!;
    read $in, my $n, 8;
    return unpack 'Q', $n;
}

# Those for one request, and its status.

sub cost {
    my ($uri) = @_;
    my $before = calls();
    my $status = $t->get($uri)->{status};
    return (calls() - $before, $status);
}

sub fill {
    my ($folder, $n) = @_;
    make_path($folder);
    spew("$data/one", 'text') unless -e "$data/one";
    for my $i (1 .. $n) {
        link "$data/one", sprintf '%s/file-%05d.txt', $folder, $i or die $!;
    }
}

my $FEW = 12;        # calls
my $OLD = 2.2;       # seconds: its times stand for one state of a folder

fill("$data/artifacts", 20);
fill("$data/large/artifacts", 9000);
fill("$data/r$_/artifacts", 3) for 1 .. 24;
fill("$data/closed/artifacts", 3);
chmod 0711, "$data/closed/artifacts" or die $!;
chmod 0755, $data, glob "$data/*" or die $!;
spew("$data/artifacts/link.pdf.target", 'text');
symlink 'link.pdf.target', "$data/artifacts/link.pdf" or die $!;
spew("$data/artifacts/dots.v2.tar.gz", 'text');
spew("$data/artifacts/bare", 'text');
spew("$data/artifacts/said.png", 'text');
spew("$data/artifacts/said.meta", '{"name":"said"}');
spew("$data/artifacts/alone.meta", '{"name":"alone"}');
make_path("$data/artifacts/folder.png");
spew("$data/artifacts/folder.txt", 'text');

# sidecars without contents; some have one, some several

fill("$data/list/artifacts", 200);
spew("$data/list/artifacts/s$_.meta", '{"name":"n"}') for 1000 .. 1999;
my @some = map { 1000 + 37 * $_ } 0 .. 20;
for my $i (@some) {
    spew("$data/list/artifacts/s$i.$_", $_) for qw(zip unknown TXT txt gz md);
}
mkdir "$data/list/artifacts/s$_.gz" for 1001, 1002;
spew("$data/list/artifacts/s1001.json", 'json');
symlink '/etc/passwd', "$data/list/artifacts/s1003.json";
spew("$data/list/artifacts/s1004", 'bare');
spew("$data/list/artifacts/s1004.txt", 'not bare');
spew("$data/list/artifacts/s1005.v2.txt", 'of another');
spew("$data/list/artifacts/s1006.", 'of none');

$t->start(server => <<'SERVER');
    location /artifacts/ {
        artifact;
        artifact_root %%DATA%%;
    }

    location /at/ {
        artifact;
        artifact_root %%DATA%%/$arg_r;
    }

    location /large/ {
        artifact;
        artifact_root %%DATA%%/large;
    }

    location /closed/ {
        artifact;
        artifact_root %%DATA%%/closed;
    }

    location /list/ {
        artifact;
        artifact_root %%DATA%%/list;
        artifact_index on;
    }

    location /kept/ {
        artifact;
        artifact_root %%DATA%%;
        open_file_cache max=100;
        open_file_cache_errors on;
    }
SERVER

# --- what is there --------------------------------------------------------

sub all_there {
    my ($when) = @_;
    for my $id (qw(file-00001 link dots.v2.tar dots.v2.tar.gz bare said folder
                   file-00020.txt))
    {
        is($t->get("/artifacts/$id")->{status}, 200, "$id, $when");
    }
    for my $id (qw(file fil file-00001x alone link.pdf.t dots dots.v2
                   said.meta none FILE-00001))
    {
        is($t->get("/artifacts/$id")->{status}, 404, "no $id, $when");
    }
}

all_there('a folder that is new');

# --- a small folder -------------------------------------------------------

my ($n, $status) = cost('/artifacts/none-1');
is($status, 404, 'missing');
cmp_ok($n, '<=', $FEW, "a folder that has just changed: $n calls");

my $wrong = 0;
for my $i (1 .. 100) {
    $wrong++ if $t->get("/artifacts/soon-$i")->{status} != 404;
    link "$data/one", "$data/artifacts/soon-$i.pdf" or die $!;
    $wrong++ if $t->get("/artifacts/soon-$i")->{status} != 200;
}
is($wrong, 0, 'what is created right after it was missed is found');

sleep $OLD;
all_there('a folder that is not new');

$t->get('/artifacts/none-2');
($n, $status) = cost('/artifacts/none-3');
is($status, 404, 'missing');
cmp_ok($n, '<=', $FEW, "a folder that is known: $n calls");

link "$data/one", "$data/artifacts/none-3.pdf" or die $!;
is($t->get('/artifacts/none-3')->{status}, 200, 'created: found');
unlink "$data/artifacts/none-3.pdf" or die $!;
is($t->get('/artifacts/none-3')->{status}, 404, 'removed: missing');
rename "$data/artifacts/bare", "$data/artifacts/other.md" or die $!;
is($t->get('/artifacts/other')->{status}, 200, 'renamed: found');
is($t->get('/artifacts/bare')->{status}, 404, 'renamed: missing');
rename "$data/artifacts/other.md", "$data/artifacts/bare" or die $!;

($n, $status) = cost('/artifacts/file-00007');
is($status, 200, 'found by its name');
cmp_ok($n, '<=', 250, "that takes as many looks as before: $n");

# --- kept by open_file_cache ----------------------------------------------

is($t->get('/kept/none-4')->{status}, 404, 'missing');
($n, $status) = cost('/kept/none-4');
is("$n $status", '0 404', 'kept: no call');

# --- a large folder -------------------------------------------------------

# its times are seconds old: it is read while ids are missed

my @costs = map { (cost("/large/none-$_"))[0] } 1 .. 60;
cmp_ok($costs[-1], '<=', $FEW, "a large folder becomes known: @costs[0, -1]");
my $missing = grep { $t->get("/large/file-$_")->{status} != 200 }
              map { sprintf '%05d', $_ * 9 } 1 .. 1000;
is($missing, 0, 'all of it is found');
my @known = map { (cost("/large/gone-$_"))[0] } 1 .. 200;
cmp_ok((grep { $_ > $FEW } @known), '<', 20, 'few of what is not there is '
       . 'looked for');

$wrong = 0;
for my $i (1 .. 20) {
    $wrong++ if $t->get("/large/late-$i")->{status} != 404;
    link "$data/one", "$data/large/artifacts/late-$i.csv" or die $!;
    $wrong++ if $t->get("/large/late-$i")->{status} != 200;
}
is($wrong, 0, 'what is created in it is found');

# changed while it is read

sleep $OLD;
cost('/large/none-100');
link "$data/one", "$data/large/artifacts/between.csv" or die $!;
sleep $OLD;
cost("/large/none-$_") for 101 .. 160;
is($t->get('/large/between')->{status}, 200, 'created while it is read');
is($t->get('/large/file-00009')->{status}, 200, 'and what was there before');

# --- other folders --------------------------------------------------------

$wrong = 0;
for my $round (1, 2) {
    for my $r (map { "r$_" } 1 .. 24) {
        $wrong++ if $t->get("/at/file-00002?r=$r")->{status} != 200;
        $wrong++ if $t->get("/at/file-00009?r=$r")->{status} != 404;
    }
}
is($wrong, 0, 'more folders than are known');

is($t->get('/closed/file-00001')->{status}, 200,
   'a folder that may not be read');
is($t->get('/closed/none')->{status}, 404, 'missing in it');

# --- listings -------------------------------------------------------------

my $before = calls();
my ($after, @listed) = ('');
my $pages = 0;
do {
    my $page = decode_strict($t->get("/list/?limit=1000&after=$after")->{body});
    push @listed, @{ $page->{artifacts} };
    $after = $page->{next} // '';
    $pages++;
} while ($after ne '');
$n = calls() - $before;

cmp_ok($n, '<', 5000, "looks for the pages of 1200 artifacts: $n");
is(scalar @listed, 200 + @some + 2, 'those with a content are listed');
$wrong = 0;
for my $entry (@listed) {
    my $get = $t->get("/list/$entry->{id}");
    $wrong++ if $get->{status} != 200
                || length $get->{body} != $entry->{size};
}
is($wrong, 0, 'with the content that a request finds');

$t->stop;
done_testing();
