#!/usr/bin/perl

# scripts/layout.pl moves a store from one layout to another while nginx serves,
# lists and writes: whatever exists is always found, with its metadata, and
# stands in each listing once.

use strict;
use warnings;

use Cwd qw(abs_path);
use Digest::MD5 qw(md5_hex);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactTest;
use File::Path qw(make_path);
use File::Temp qw(tempdir);
use POSIX ();

my $SCRIPT = abs_path("$FindBin::Bin/../../scripts/layout.pl");
my $ARTIFACTS = $ENV{TEST_ARTIFACTS} || 1500;

my $t = ArtifactTest->new(workers => 2);
my $dir = $t->data . '/artifacts';

sub conf {
    my ($layout) = @_;
    return "artifact_root %%DATA%%; artifact_index on; artifact_write on;\n"
        . "artifact_sync off; keepalive_requests 1000000;\n"
        . "artifact_layout $layout;\n"
        . "location /artifacts/ { artifact; }\n";
}


sub move {
    my ($from, $to) = @_;
    my $out = `$^X $SCRIPT --no-sync @{[ $t->data ]} $from $to 2>&1`;
    return ($? >> 8, $out);
}


sub names { my ($in) = @_; return grep { -f } glob "$in/*" }


# --- what there is ---------------------------------------------------------

my %type = (png => 'image/png', txt => 'text/plain', '' => 'text/x-declared');
my @ids = map { my $e = (sort keys %type)[$_ % 3];
                sprintf '%04x-%s', $_ * 40503 % 65536, $e }
          1 .. $ARTIFACTS;

for my $id (@ids) {
    my ($ext) = $id =~ /-(.*)/;
    my $dot = $ext eq '' ? '' : ".$ext";
    spew("$dir/$id$dot", "content of $id");
    spew("$dir/$id.meta", encode_json_bytes({ id => $id,
        extension => $dot, type => $type{$ext}, name => "name of $id" }));
}

# without a sidecar, with one that does not tell, with a content that is missing

spew("$dir/report.pdf", "%PDF-1.4\n");
spew("$dir/plain", "plain\n");
spew("$dir/part.v2", "part\n");
spew("$dir/telling.txt", "telling\n");
spew("$dir/telling.meta", '{"type":"text/csv"}');
spew("$dir/corrupt.tar.gz", "corrupt\n");
spew("$dir/corrupt.meta", '{');
spew("$dir/orphan.meta", '{"extension":".txt"}');
utime time - 3600, time - 3600, names($dir);

# a name and the type by which it is served

my %other = (report => 'application/pdf', 'report.pdf' => 'application/pdf',
             plain => 'text/plain', 'part.v2' => 'text/plain',
             telling => 'text/csv');

# --- what must hold all the time -------------------------------------------

sub hammer {
    my ($which) = @_;
    my ($conn, $n, @wrong) = ($t->connect, 0);

    my $parent = getppid;
    while (getppid == $parent && !-e $t->prefix . '/done') {
        my $id = $ids[($n * 7919 + $which) % @ids];
        my ($ext) = $id =~ /-(.*)/;
        my $res = $conn->request('GET', "/artifacts/$id", keep => 1);
        push @wrong, "$id: $res->{status} "
            . ($res->header('Content-Type') // '')
            if $res->{status} != 200
            || $res->body ne "content of $id"
            || ($res->header('Content-Type') // '') !~ /^\Q$type{$ext}\E/;

        $id = (sort keys %other)[$n % keys %other];
        $res = $conn->request('GET', "/artifacts/$id", keep => 1);
        push @wrong, "$id: $res->{status}" if $res->{status} != 200
            || ($res->header('Content-Type') // '') !~ /^\Q$other{$id}\E/;
        $n++;
    }
    return ($n, @wrong);
}


sub lister {
    my ($n, @wrong) = (0);
    my $parent = getppid;

    while (getppid == $parent && (!$n || !-e $t->prefix . '/done')) {
        my ($next, %seen);
        for (1 .. 10_000) {
            my $res = $t->get('/artifacts/?limit=97'
                . (defined $next ? "&after=$next" : ''));
            my $page = eval { decode_strict($res->body) } || {};
            $seen{ $_->{id} }++ for @{ $page->{artifacts} || [] };
            push @wrong, map { "$_->{id} is named $_->{name}" }
                grep { $_->{id} =~ /^[0-9a-f]{4}-(?:png|txt|)\z/
                       && $_->{name} ne "name of $_->{id}" }
                @{ $page->{artifacts} || [] };
            $next = $page->{next} // last;
        }
        push @wrong, map { "$_ is missed" } grep { !$seen{$_} } @ids,
            qw(report plain part.v2 telling);
        push @wrong, map { "$_ is met twice" }
            grep { $seen{$_} > 1 } keys %seen;
        $n++;
    }
    return ($n, @wrong);
}


sub writer {
    my ($n, @wrong) = (0);
    my $parent = getppid;

    while (getppid == $parent && !-e $t->prefix . '/done') {
        my $res = $t->req('POST', '/artifacts/', body => 'written',
            headers => ['Content-Type' => 'text/plain']);
        my ($id) = $res->body =~ /"id":"([^"]+)"/;
        push @wrong, "POST: $res->{status}" if $res->{status} != 201;
        my $got = $id ? $t->get("/artifacts/$id") : $res;
        push @wrong, "$id: $got->{status}" if $got->body ne 'written';
        $n++;
    }
    return ($n, @wrong);
}


sub start {
    my ($name, $run, @args) = @_;
    pipe my $in, my $out or die "pipe: $!";
    my $pid = fork // die "fork: $!";
    if (!$pid) {
        my ($n, @wrong) = eval { $run->(@args) };
        @wrong = $@ if $@;
        print $out "$n times\n", map { "$_\n" } splice @wrong, 0, 5;
        close $out;
        POSIX::_exit(0);
    }
    return [$pid, $in, $name];
}


# Moves under load; what the children say.

sub under_load {
    my ($from, $to) = @_;
    my $how = "$from to $to";

    unlink $t->prefix . '/done';
    my @children = (start('reader', \&hammer, 0), start('reader', \&hammer, 99),
                    start('lister', \&lister), start('writer', \&writer));
    my ($code, $out) = move($from, $to);
    spew($t->prefix . '/done', '');

    for (@children) {
        my ($pid, $in, $name) = @$_;
        my ($times, @wrong) = <$in>;
        waitpid $pid, 0;
        is(join('', @wrong), '', "$how: $name finds all");
        like($times, qr/^[1-9]/, "$how: $name was at work, $times");
    }
    is($code, 1, "$how: something stays");
    like($out, qr/^moved \d+, left 1$/m, "$how: the sidecar alone");
    unlike($out, qr/stays/, "$how: nothing was in the way");
}


# --- there and back --------------------------------------------------------

$t->start(server => conf('levels=2'));
under_load('flat', '2');
is(join(' ', names($dir)), "$dir/orphan.meta", 'the flat folder is empty');

is($t->reload(server => conf('levels=1:2 from=2')), 1, 'other levels');
my ($code, $out) = move('2', '1:2');
is($code, 0, 'moved to other levels') or diag($out);
is(join(' ', grep { -d } glob "$dir/??"), '', 'of the earlier none is left');
is(scalar(hits()), @ids + keys %other, 'all are found');

is($t->reload(server => conf('flat from=1:2')), 1, 'flat again');
spew("$dir/" . place('orphan2') . 'orphan2.meta', '{"extension":".txt"}')
    if make_path("$dir/" . place('orphan2')) || 1;
under_load('1:2', 'flat');
ok(-e "$dir/" . place('orphan2') . 'orphan2.meta', 'a sidecar alone stays');
unlink "$dir/" . place('orphan2') . 'orphan2.meta';
($code, $out) = move('1:2', 'flat');
is($out, "moved 0, left 0\n", 'nothing is left to do');
is(join(' ', grep { -d } glob "$dir/?"), '', 'nor a folder');
is($t->reload(server => conf('flat')), 1, 'and no more look');
is(scalar(hits()), @ids + keys %other, 'all are found');

sub place {
    my ($id) = @_;
    my $hash = md5_hex($id);
    return substr($hash, 31) . '/' . substr($hash, 29, 2) . '/';
}

sub hits {
    my $conn = $t->connect;
    return grep {
        $conn->request('GET', "/artifacts/$_", keep => 1)->{status} == 200
    } @ids, keys %other;
}

# --- two configurations at a time, as during a reload -------------------------

# What one of them writes the other one finds and lists.

sub misses {
    my ($data, @layouts) = @_;
    my @servers = map { my $s = ArtifactTest->new;
        $s->start(server => conf($_) =~ s/%%DATA%%/$data/r); $s } @layouts;
    my @misses;

    for my $n (0, 1) {
        my ($writes, $reads) = @servers[$n, 1 - $n];
        my $res = $writes->req('POST', '/artifacts/', body => 'written',
            headers => ['Content-Type' => 'text/plain']);
        my ($id) = $res->body =~ /"id":"([^"]+)"/;
        my $what = "$layouts[1 - $n] of $layouts[$n]";

        push @misses, $what if $reads->get("/artifacts/$id")->body
                               ne 'written';
        push @misses, "$what, in a list"
            if $reads->get('/artifacts/')->body !~ /\Q$id\E/;
    }

    $_->stop, $_->check_log for @servers;
    return join '; ', @misses;
}

{
    my $data = tempdir(CLEANUP => 1);
    make_path("$data/artifacts");
    chmod 0777, $data, "$data/artifacts";

    like(misses($data, 'flat', 'levels=2'), qr/^flat of levels=2\b/,
         'without a step between a worker that ends may miss what is new');

    for my $step (['flat', 'flat from=2'], ['flat from=2', 'levels=2'],
                  ['levels=2', 'levels=2 from=1:2'],
                  ['levels=2 from=1:2', 'levels=1:2 from=2'],
                  ['levels=1:2 from=2', 'levels=1:2 from=flat'],
                  ['levels=1:2 from=flat', 'flat from=1:2'],
                  ['flat from=1:2', 'flat'])
    {
        my ($from, $to) = @$step;
        is(misses($data, $from, $to), '', "$from, then $to");
    }
}

# --- moved while it is looked for ------------------------------------------

{
    my $build = tempdir(CLEANUP => 1);
    is(system($ENV{CC} || 'cc', '-O1', '-Wall', '-shared', '-fPIC', '-o',
              "$build/move-late.so", "$FindBin::Bin/../tools/move-late.c",
              '-ldl'), 0, 'the library compiles');
    local $ENV{ASAN_OPTIONS} = join ':', $ENV{ASAN_OPTIONS} // (),
        'detect_odr_violation=0', 'verify_asan_link_order=0';

    my $in = substr md5_hex('late'), 30;

    for my $case (['/artifacts/late', "$in/late.meta", 'text/x-late'],
                  ['/artifacts/?limit=10', "$in/late.meta", 'text/x-late'],
                  ['/artifacts/late', 'late.meta', 'text/plain'])
    {
        my ($uri, $missed, $type) = @$case;
        my $data = tempdir(CLEANUP => 1);
        my $u = ArtifactTest->new(launcher => ['env',
            "LD_PRELOAD=$build/move-late.so",
            "MOVE_LATE=$data/artifacts $in late.txt late.meta $missed"]);

        make_path("$data/artifacts/$in");
        chmod 0755, $data;
        spew("$data/artifacts/late.txt", "late\n");
        spew("$data/artifacts/late.meta",
             '{"type":"text/x-late","name":"n","extension":".txt"}')
            if $type eq 'text/x-late';

        $u->start(server => conf('levels=2') =~ s/%%DATA%%/$data/r);
        my $res = $u->get($uri);
        is($res->{status}, 200, "$uri: moved meanwhile, and found");
        like($uri =~ /late/ ? $res->header('Content-Type') : $res->body,
             qr/\Q$type\E/, 'with its metadata, if any');
        ok(-f "$data/artifacts/$in/late.txt", 'it has been moved');
        $u->stop;
        $u->check_log;
    }
}

# --- what is refused, and what was interrupted -----------------------------

for my $case (['flat', 'flat'], ['flat', '3'], ['2:2:2:2', 'flat'], ['', '2'])
{
    ($code, $out) = move(map { "'$_'" } @$case);
    isnt($code, 0, "refused: @$case");
    unlike($out, qr/moved/, 'before anything is moved');
}

symlink 'plain', "$dir/link" or die $!;
($code, $out) = move('flat', '2');
isnt($code, 0, 'links are refused');
like($out, qr/symbolic links.*\n\s+link$/m, 'and named');
unlink "$dir/link";

# as if it had been ended between the steps

for my $id (@ids[0 .. 8]) {
    my $place = substr(md5_hex($id), 30) . '/';
    my ($ext) = $id =~ /-(.*)/;
    my $name = $ext eq '' ? $id : "$id.$ext";
    my $n = (grep { $ids[$_] eq $id } 0 .. 8)[0];

    make_path("$dir/$place");
    link "$dir/$id.meta", "$dir/$place$id.meta" or die $!;
    link "$dir/$name", "$dir/$place$name" or die $! if $n >= 3;
    unlink "$dir/$name" if $n >= 6;
}
spew("$dir/$ids[9].meta.x", 'x');       # too young to go alone
is($t->reload(server => conf('levels=2')), 1, 'once more');
is(scalar(hits()), @ids + keys %other, 'all are found in between');
($code, $out) = move('flat', '2');
is(scalar(hits()), @ids + keys %other, 'and afterwards');
is(join(' ', map { s{.*/}{}r } names($dir)),
   join(' ', sort "$ids[9].meta.x", 'orphan.meta'), 'the rest has gone')
    or diag($out);

# each id keeps its content, whatever else that may be a content of

{
    my $data = tempdir(CLEANUP => 1);
    my $in = sub { "$data/artifacts/" . substr(md5_hex($_[0]), 30) };
    my %sidecars = (report => '{}', 'report.v2' => '{}',
                    two => '{"extension":".tar.gz"}',
                    'two.tar' => '{"extension":".gz"}', whole => '{}',
                    'whole.v2' => '{}', broken => '{');
    my %contents = (report => 'report.png', 'report.v2' => 'report.v2.png',
                    two => 'two.tar.gz', 'two.tar' => 'two.tar.gz',
                    whole => 'whole.txt', 'whole.v2' => 'whole.v2',
                    'broken.tar.gz' => 'broken.tar.gz');

    make_path("$data/artifacts");
    spew("$data/artifacts/$_.meta", $sidecars{$_}) for keys %sidecars;
    spew("$data/artifacts/$_", "is $_") for values %contents;

    # two.tar and two come in batches of their own

    spew("$data/artifacts/two.a$_", 'x'), spew("$data/artifacts/two.a$_.meta",
        '{}') for 1000 .. 1600;
    utime time - 3600, time - 3600, names("$data/artifacts");

    $out = `$^X $SCRIPT --no-sync $data flat 2 2>&1`;
    like($out, qr/^moved \d+, left 0$/, 'all are moved');
    is(join(' ', names("$data/artifacts")), '', 'nothing is left');

    for my $id (sort keys %contents) {
        my $file = $in->($id) . "/$contents{$id}";
        ok(-f $file, "$id has its content");
        ok(-f $in->($id) . "/$id.meta", 'and its sidecar') if $sidecars{$id};
    }
}

# links in the place of folders, of those that are left and of those that come

for my $case (['2', '1:2', 'ab'], ['1:2', '2', 'cd'], ['2', 'flat', 'ef'],
              ['1:2', '2:2', '7/ab'], ['flat', '1:2', '7/ab'])
{
    my ($from, $to, $link) = @$case;
    my $data = tempdir(CLEANUP => 1);

    make_path("$data/artifacts/7", "$data/elsewhere");
    symlink "$data/elsewhere", "$data/artifacts/$link" or die $!;
    $out = `$^X $SCRIPT $data $from $to 2>&1`;
    isnt($?, 0, "$from to $to: a link in the place of a folder");
    like($out, qr/symbolic links.*\n\s+\Q$link\E$/m, 'is refused');
}

# a file in the place of a folder is moved itself; what it was in the way of, the
# next time

for my $to ('2', '2:2') {
    my $data = tempdir(CLEANUP => 1);
    my $in = sub { my $hash = md5_hex($_[0]);
                   my @levels = (substr($hash, 30), substr $hash, 28, 2);
                   return join '/', $data, 'artifacts',
                       @levels[0 .. ($to eq '2' ? 0 : 1)] };
    my ($id) = grep { md5_hex(substr md5_hex($_), 30) !~ /^.{30}\Q@{[
        substr md5_hex($_), 30 ]}\E/ } 'x1' .. 'x9';
    my $folder = substr md5_hex($id), 30;

    make_path("$data/artifacts");
    spew("$data/artifacts/$id.txt", 'x');
    spew("$data/artifacts/$id.meta", '{"extension":".txt"}');
    spew("$data/artifacts/$folder", 'a file');
    utime time - 3600, time - 3600, names("$data/artifacts");

    my $run = sub { my $out = `$^X $SCRIPT $data flat $to 2>&1`;
                    return ($? >> 8, $out) };
    ($code, $out) = $run->();
    is($code, 1, "$to: a file in the way");
    like($out, qr/^moved 1, left 2$/m, 'is moved');
    is(slurp($in->($folder) . "/$folder"), 'a file', 'to its place');
    ($code, $out) = $run->();
    is($out, "moved 1, left 0\n", 'then it is in the way no more');
    is(slurp($in->($id) . "/$id.txt"), 'x', 'of the rest');
}

$t->stop;
$t->check_log;
done_testing();
