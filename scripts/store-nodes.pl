# store-nodes.pl: nodes die below the edges, for store-test.pl.

use strict;
use warnings;
use utf8;

use File::Path qw(make_path);
use IO::Socket::INET;
use JSON::PP ();
use Test::More;
use Time::HiRes qw(sleep time);

our ($repo, $dir, $module, $state, $base, $gateway, @ports, %object);

my @MODELS = qw(text-model vision-model full-model);
my @EDGES = (0, 1);


# --- nodes die ----------------------------------------------------------------

sub nodes {
    my ($store) = @_;

    my @node = $store eq 'ceph' ? ('osd.1') : map { "${_}2" }
        qw(object container account);

    my @objects = loop_objects('loop', 60);

    upload($store, @objects);

    my $cut = $object{'artifacts/large'};
    my $stats = { retries => 0, slowest => 0 };
    my @list;

    for my $i (0 .. $#objects) {

        if ($i == 15) {
            kill_node(@node);
        }

        if ($i == 45) {
            cut_short($store, $cut);
        }

        push @list, [$objects[$i], persist($objects[$i], int($i / 2) % 2,
                                           $MODELS[$i % 3], $stats)];
    }

    all_right("$store, while a node and a gateway are killed", @list);
    note(sprintf '%d retries, slowest answer %.1f s', @$stats{qw(retries slowest)});

    ok($stats->{retries} <= 10, "$store, few had to be asked for again");
    is(nodes_left($store), 2, "$store, two nodes are left");

    is(wrong(ask(0, ref_uri($cut, '/slow'), model => 'full-model'), $cut,
             'full-model'), 'status 502',
       "$store, the answer that was cut is not in the cache");
    is(wrong(ask(0, ref_uri($cut), model => 'full-model'), $cut,
             'full-model'), undef, "$store, the whole is");
}


# what the store itself says

sub nodes_left {
    my ($store) = @_;

    if ($store eq 'ceph') {
        my $stat;

        # on a busy machine the monitor may not answer the tool in time

        for (1 .. 3) {
            $stat = `timeout 20 ceph -c $state/ceph.conf osd stat 2>&1`;
            return $1 if $stat =~ /3 osds: (\d) up/;
        }

        return $stat;
    }

    return scalar grep {
        IO::Socket::INET->new(PeerAddr => '127.0.0.1:' . ($base + 3 * $_))
    } 1 .. 3;
}


# asks until there is a whole answer, which has to be right

sub persist {
    my ($o, $edge, $model, $stats) = @_;

    my $end = time + 60;

    while (1) {
        my $start = time;
        my $res = ask($edge, ref_uri($o), model => $model);
        my $took = time - $start;

        $stats->{slowest} = $took if $took > $stats->{slowest};

        return wrong($res, $o, $model)
            if $res->{status} == 200 && $res->{complete} || time > $end;

        $stats->{retries}++;
        note(printable("$o->{key}: status $res->{status}, again"));
        sleep 0.5;
    }
}


# the gateway is killed when the answer has begun

sub cut_short {
    my ($store, $o) = @_;

    my $killed;
    my $bytes = 0;
    my $res = ask(0, ref_uri($o, '/slow'),
        model => 'full-model', on_body => sub {
            kill_node($store eq 'ceph' ? 'rgw1' : 'proxy1')
                unless $killed++;
            $bytes += length $_[0];
        });

    ok($res->{status} == 200 && !$res->{complete} && $killed,
       "$store, killed in the middle of an answer: it ends short")
        or diag("status $res->{status}, $bytes bytes");
}


# The second edge anew, with objects that are stale after a second; then there
# is no store left.

sub revalidation {
    my ($store) = @_;

    my ($fresh, $stale, $never) = map {
        ws_object('stale', "$_.txt", 'text/plain', "$_\n" x 100)
    } qw(fresh stale never);

    $gateway = (gateways($store))[1];
    upload($store, $fresh, $stale, $never);

    sh("$repo/scripts/store-proc.sh", 'stop', $state, 'edge1');
    sh('rm', '-rf', "$state/edge1/cache");
    start_edge(1, edge_conf($store, 1,
                            [['proxy_cache_valid 200 10m',
                              'proxy_cache_valid 200 1s']]));

    is(wrong(ask(0, ref_uri($fresh), model => 'text-model'), $fresh,
             'text-model'), undef, "$store, stale: fetched");

    my @states;

    for (1 .. 2) {
        my $res = ask(1, ref_uri($stale), model => 'text-model');

        push @states, wrong($res, $stale, 'text-model')
            // $res->header('X-Cache');
        sleep 2.1;
    }

    is("@states", 'MISS REVALIDATED', "$store, stale: a 304 of the store");
    is(sent_of($store, $stale->{key}), 1, "$store, stale: it was sent once");

    kill_node($store eq 'ceph' ? 'rgw2' : 'proxy2');

    my $res = ask(0, ref_uri($fresh), model => 'full-model');

    is(wrong($res, $fresh, 'full-model') // $res->header('X-Cache'), 'HIT',
       "$store, no store: what is cached is served");

    $res = ask(1, ref_uri($stale), model => 'full-model');

    is(wrong($res, $stale, 'full-model') // $res->header('X-Cache'), 'STALE',
       "$store, no store: what is stale is served");

    $res = ask(1, ref_uri($never), model => 'full-model');

    is($res->{status}, 502, "$store, no store: 502 for what is not cached");
}


# --- a file system ------------------------------------------------------------

sub file_store {
    my ($store, @objects) = @_;

    my $root = "$state/mnt";

    sh('cp', '-a', "$dir/data/root/.", $root);
    @objects = grep { on_disk($_, $root) } @objects;

    for my $edge (@EDGES) {
        $ports[$edge] = $base + 30 + $edge;
        start_edge($edge, file_conf($root, $edge));
    }

    my $round = sub {
        my ($what) = @_;

        for my $edge (@EDGES) {
            all_right("$store, edge $edge, $what", map {
                my $o = $_;

                ([$o, wrong_raw(ask($edge, ref_uri($o)), $o)],
                 map { [$o, wrong(ask($edge, ref_uri($o), model => $_),
                                  $o, $_)] } @MODELS);
            } @objects);
        }
    };

    $round->('three bricks');
    kill_node('brick1');
    $round->('two bricks');
    kill_node('brick2');
    sleep 1.5;                  # what the kernel believes of a name
    lost($store, @objects);
}


# those of samples.pl; the others are too odd for it

sub on_disk {
    my ($o, $root) = @_;

    my $path = $o->{key} =~ m{^workspaces/} ? $o->{key} : "$o->{key}.meta";

    return -f "$root/$path";
}


sub file_conf {
    my ($root, $edge) = @_;

    my $prefix = "$state/edge$edge";

    return main_lines($prefix) . <<"END" . temp_lines($prefix) . "}\n";
load_module $module;
pid $prefix/nginx.pid;
error_log $prefix/error.log info;
events { worker_connections 512; }
http {
    access_log $prefix/access.log;
    artifact_capabilities $repo/scripts/capabilities.json;
    artifact_root $root;
    artifact_route on;
    server {
        listen 127.0.0.1:$ports[$edge];
        location /artifacts/ { artifact; }
    }
END
}


# One brick of three is no quorum: an error, never bytes.

sub lost {
    my ($store, @objects) = @_;

    my (%status, @list);

    for my $o (@objects) {
        for my $edge (@EDGES) {
            for my $model (@MODELS, 'raw') {
                my $res = ask($edge, ref_uri($o),
                              $model eq 'raw' ? () : (model => $model));
                my $json = eval { JSON::PP::decode_json($res->{body}) };

                my $is = $res->{status} . ' '
                    . (ref $json && $json->{error} || 'no error code');

                $status{$is}++;
                push @list, [$o, $is =~ /^502 read_failed$/ ? undef : $is];
            }
        }
    }

    note(join ', ', map { "$_: $status{$_}" } sort keys %status);
    all_right("$store, one brick: an error", @list);
}


1;
