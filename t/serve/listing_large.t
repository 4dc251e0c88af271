#!/usr/bin/perl

# Large folders: pages cover everything exactly once, the memory of a worker
# does not grow with the folder, and other requests do not wait for a listing
# that a thread makes.  With threads and without.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactTest;
use File::Path qw(make_path);
use POSIX ();
use Time::HiRes qw(sleep time);

my $FILES = 20_000;
my $THREADS = ArtifactTest::version() =~ /--with-threads/;

my $t = ArtifactTest->new;
my $data = $t->data;
my $sanitized = $t->version =~ /-fsanitize/;

# 20,000 files in one folder, as many in a tree, as many artifacts: hard links
# to one file are enough.

spew("$data/one", 'x' x 100);

sub link_all {
    for my $path (@_) {
        link "$data/one", $path or die "link $path: $!";
    }
}

my (@flat, @tree, @ids);
make_path("$data/workspaces/flat", "$data/workspaces/meta",
          map { "$data/workspaces/tree/" . sprintf('d%02d/e%d', $_ / 10,
                $_ % 10) } 0 .. 199);
for my $n (0 .. $FILES - 1) {
    push @flat, sprintf 'file-%05d.txt', $n * 7919 % $FILES;
    push @tree, sprintf 'd%02d/e%d/f%03d.js', $n % 20, $n / 20 % 10, $n / 200;
    push @ids, sprintf '%08x-aaaa-7000-8000-000000000000',
        $n * 7919 % $FILES * 101;
}
link_all(map { "$data/workspaces/flat/$_" } @flat);
link_all(map { "$data/workspaces/tree/$_" } @tree);
for my $id (@ids) {
    link_all("$data/artifacts/$id.png");
    spew("$data/artifacts/$id.meta", qq({"id":"$id","extension":".png",)
         . qq("type":"image/png","name":"n-$id.png"}));
}
$t->workspace_meta('flat', { map { $_ => { mimeType => "text/x-$_" } }
    @flat[0 .. 9999] });
@$_ = sort @$_ for \@flat, \@tree, \@ids;

# names so long that a page cannot hold a thousand of them

my $LONG = 'l' x 200;
my @long = map { sprintf '%s/%s%04d', $LONG, 'n' x 240, $_ } 0 .. 1199;
make_path("$data/workspaces/long/$LONG");
link_all(map { "$data/workspaces/long/$_" } @long);

my $CONF = <<'CONF';
    artifact_root %%DATA%%;
    artifact_index on;

    location /artifacts/ { artifact; }
    location /workspaces/ { artifact_workspace; }
CONF

# The names of all pages; the worker's greatest growth meanwhile.

sub cover {
    my ($uri, $key, $name, $limit, $kb) = @_;

    my ($worker) = $t->workers;
    my $conn = $t->connect;
    my ($next, $most, @all, @wrong) = (undef, 0);

    my $ask = sub {
        $conn = $t->connect if $conn->{eof};
        my $res = $conn->request('GET', $uri . ($uri =~ /\?/ ? '&' : '?')
            . "limit=$limit" . (defined $next ? "&after=$next" : ''),
            keep => 1);
        return $res;
    };

    $ask->() for 1 .. 3;
    my $before = $t->memory($worker);
    my $started = time;

    for my $n (0 .. $FILES / $limit) {
        my $page = json_of($ask->());
        push @wrong, "page $n: " . ($page->{count} // 'no') . ' entries'
            if ($page->{count} // -1) != @{ $page->{$key} || [] };
        push @all, map { $_->{$name} } @{ $page->{$key} || [] };
        my $now = $t->memory($worker);
        $most = $now if $now > $most;
        $next = $page->{next} // last;
    }
    note(sprintf '%s: %.2f s, %d KB', $uri, time - $started,
         $most - $before);

    is("@wrong", '', "$uri: pages are sound");
    SKIP: {
        skip 'a sanitizer keeps freed memory', 1 if $sanitized;
        cmp_ok($most - $before, '<', $kb,
               "$uri: the worker grows by less than $kb KB");
    }
    return @all;
}

# A child that deletes, and another that adds, while pages are read: what was
# there all the time is met exactly once.

sub churn {
    my ($how) = @_;

    my $dir = "$data/workspaces/churn";
    make_path($dir);
    link_all(map { sprintf '%s/k%04d', $dir, $_ } 0 .. 1999);
    my @kept = map { sprintf 'k%04d', $_ * 2 } 0 .. 999;

    my $child = fork // die "fork: $!";
    if (!$child) {
        my $parent = getppid;
        my $n = 0;
        while (getppid == $parent) {
            my $name = sprintf '%s/k%04d', $dir, ($n++ * 2 + 1) % 2000;
            unlink $name or link "$data/one", $name;
            link "$data/one", sprintf '%s/new%06d', $dir, $n;
            unlink sprintf '%s/new%06d', $dir, $n - 50;
        }
        POSIX::_exit(0);
    }

    my (@missed, @twice, @out);
    for my $round (1 .. 5) {
        my ($next, %seen, $last);
        for (1 .. 100) {
            my $page = json_of($t->get('/workspaces/churn/?limit=97'
                . (defined $next ? "&after=$next" : '')));
            for my $name (map { $_->{name} } @{ $page->{entries} || [] }) {
                push @out, $name if defined $last && $name le $last;
                push @twice, $name if $seen{$name}++;
                $last = $name;
            }
            $next = $page->{next} // last;
        }
        push @missed, grep { !$seen{$_} } @kept;
    }
    kill TERM => $child;
    waitpid $child, 0;

    is("@missed", '', "$how: nothing that stays is missed among deletes");
    is("@twice", '', "$how: nothing is met twice");
    is("@out", '', "$how: everything is in order");
    system 'rm', '-rf', $dir;
}

sub run {
    my ($how, $conf, $kb) = @_;

    $t->start(server => $conf);

    for my $case (['/workspaces/flat/', 'entries', 'path', \@flat, 1000],
                  ['/workspaces/tree/?recursive=1', 'entries', 'path', \@tree,
                   1000],
                  ['/artifacts/', 'artifacts', 'id', \@ids, 1000])
    {
        my ($uri, $key, $name, $want, $limit) = @$case;
        my @got = cover($uri, $key, $name, $limit, $kb);
        is(scalar @got, $FILES, "$how: $uri has them all");
        ok("@got" eq "@$want", "$how: each once and in order");
    }

    my $page = json_of($t->get('/workspaces/flat/?limit=1000&after='
        . $flat[1999]));
    is(join(' ', grep { $_ } map {
           $_->{mimeType} =~ m{^text/(?:x-\Q$_->{name}\E|plain)$}
               ? '' : $_->{name} } @{ $page->{entries} }), '',
       "$how: each has its own type");
    is(scalar(grep { $_->{mimeType} ne 'text/plain' }
              map { @{ json_of($t->get('/workspaces/flat/?limit=1000&after='
                  . "file-$_"))->{entries} } } map { sprintf '%05d', $_ }
              map { $_ * 1000 } 0 .. 19), 10_000,
       "$how: all that have one");

    my @deep = @{ json_of($t->get('/workspaces/tree/d07/?recursive=1&limit=5'
        . '&after=d07/e3/f050.js'))->{entries} };
    is(join(' ', map { $_->{path} } @deep),
       join(' ', map { "d07/e3/f0$_.js" } 51 .. 55),
       "$how: a page from the middle of a tree");

    my (@got, @counts, $next);
    do {
        $page = json_of($t->get("/workspaces/long/$LONG/?limit=1000"
            . (defined $next ? "&after=$next" : '')));
        push @counts, $page->{count} // 0;
        push @got, map { $_->{path} } @{ $page->{entries} || [] };
        $next = $page->{next};
    } while (defined $next && @counts < 50);
    ok("@got" eq "@long", "$how: long names, each once and in order");
    is(scalar(grep { $_ > 600 } @counts), 0,
       "$how: a page of long names holds fewer of them");

    churn($how);
}

run('inline', $CONF, 1024);

# Many clients at once.

sub storm {
    my ($how) = @_;

    my @pids;
    for my $n (1 .. 4) {
        my $pid = fork // die "fork: $!";
        if (!$pid) {
            my $bad = 0;
            for my $k (1 .. 6) {
                my $res = eval { $t->get('/workspaces/flat/?limit=200&after='
                    . $flat[$n * 1000 + $k * 100]) };
                my $page = eval { decode_strict($res->{body}) } || {};
                $bad++ if ($page->{count} // 0) != 200
                    || $page->{entries}[0]{path}
                       ne $flat[$n * 1000 + $k * 100 + 1];
            }
            POSIX::_exit($bad);
        }
        push @pids, $pid;
    }
    my $failed = 0;
    for (@pids) {
        waitpid $_, 0;
        $failed += $? >> 8 || $? & 127;
    }
    is($failed, 0, "$how: many listings at once");
}

storm('inline');
$t->stop;
$t->check_log;

SKIP: {
    skip 'nginx without threads', 1 unless $THREADS;

    unlink $t->prefix . '/nginx-error.log', $t->prefix . '/nginx.pid';
    # each of 32 threads keeps what its heap does not give back

    mkdir $t->prefix . '/ssi' or die "mkdir: $!";
    $t->file('ssi/page.html', '<!--# include virtual='
        . '"/workspaces/flat/?limit=2" -->|<!--# include virtual='
        . '"/artifacts/?limit=2" -->');

    run('threads', "location /ssi/ { root %%PREFIX%%; ssi on;"
        . " ssi_types *; }\naio threads;\n$CONF", 4096);
    storm('threads');

    # clients that go away while a thread works for them

    for my $n (1 .. 40) {
        my $conn = $t->connect;
        $conn->send(ArtifactHTTP::format_request('GET',
            '/workspaces/tree/?recursive=1&limit=1000'));
        sleep 0.005 if $n % 2;
    }
    is(json_of($t->get('/workspaces/flat/?limit=1'))->{entries}[0]{path},
       $flat[0], 'clients that go away do no harm');

    # other answers do not wait, and one may be made of several listings

    my $slow = $t->connect;
    $slow->send(ArtifactHTTP::format_request('GET',
        '/artifacts/?limit=1000'));
    my $asked = time;
    is($t->get("/artifacts/$ids[0]")->{status}, 200, 'a file meanwhile');
    note(sprintf '%.3f s', time - $asked);
    is(json_of($slow->response('GET'))->{count}, 1000, 'the listing follows');

    my $page = $t->get('/ssi/page.html');
    is($page->{status}, 200, 'listings as parts of a page');
    my ($one, $two) = split /\|/, $page->body;
    is(eval { decode_strict($one)->{entries}[0]{path} }, $flat[0], 'the first');
    is(eval { decode_strict($two)->{artifacts}[0]{id} }, $ids[0],
       'and the second');

    # a reload waits for what is under way

    my @conns = map { $t->connect } 1 .. 4;
    $_->send(ArtifactHTTP::format_request('GET',
        '/workspaces/tree/?recursive=1&limit=1000')) for @conns;
    sleep 0.05;
    ok($t->reload, 'a reload while threads are at work');
    is(join(' ', map { json_of($_->response('GET'))->{count} } @conns),
       '1000 1000 1000 1000', 'their listings are whole');
    $t->stop;
    $t->check_log;
}

done_testing();
