# store-cluster.pl: two edges write below one root, each through a mount of
# its own as if on a machine of its own, while nodes die; for store-test.pl.

use strict;
use warnings;
use utf8;

use Digest::SHA;
use Errno ();
use File::Find ();
use Test::More;
use Time::HiRes qw(sleep time);

use ArtifactCheck ();
use ArtifactCluster;
use ArtifactLoad;
use ArtifactTest ();
use ArtifactWrite;

our ($repo, $state);

my @mounts = qw(mnt mnt2 mnt3);
my ($ENOTCONN, $ECONNABORTED) = (Errno::ENOTCONN, Errno::ECONNABORTED);


sub cluster {
    my ($store) = @_;

    # links, so that another mount may take the place of one that is dead

    symlink $mounts[$_], "$state/root$_" or die "root$_: $!\n" for 0, 1;

    my @edges = map {
        ArtifactTest->new(workers => 2, data => "$state/root$_/data")
    } 0, 1;

    my $server = "artifact_index on;\n" . write_server();

    for my $edge (@edges) {
        # one that was killed keeps its port while the file system has a thread

        $edge->allow(qr/exited on signal 9|was locked by|bind\(\).* in use
                        |\((?:$ENOTCONN|$ECONNABORTED):\ /x);
        $edge->start(server => $server);
    }

    note("$store, two edges: many writers of one workspace");
    torture($edges[0], servers => \@edges, writers => 8, writes => 12,
            files => 10, readers => 4);

    seen_at_once($store, @edges);
    replaced_while_read($store, @edges);

    storm_check(\@edges, storm(\@edges, writers => 6, pace => 60, events => [
        $store eq 'gluster' ? bricks_die() : daemons_die(),
        ['an edge is killed', sub {
            $edges[0]->crash;
            $edges[0]->start(server => $server);
        }],
        ['a mount is killed', sub { mount_dies($store) }],
    ]), "$store, storm");

    $_->stop for @edges;
    $edges[0]->start(server => $server);
    is(left_on_the_way($edges[0]), '', "$store, nothing is left on its way");
    $edges[0]->stop;

    copies_agree($store) if $store eq 'gluster';
    $_->check_log for @edges;
}


# --- what happens -------------------------------------------------------------

sub bricks_die {
    return (
        ['a brick is killed', sub { kill_node('brick2') }],
        ['it comes back', sub {
            sh("$repo/scripts/store-gluster.sh", 'brick', $state, 2);
        }],
        ['another one hangs', sub { signal_node('STOP', 'brick3') }],
        ['it goes on', sub { signal_node('CONT', 'brick3') }],
    );
}


sub daemons_die {
    return (
        ['an OSD is killed', sub { kill_node('osd.1') }],
        ['the metadata server is killed', sub { kill_node(active_mds()) }],
    );
}


# The monitor may refuse to tell for a moment.

sub active_mds {
    my $stat;

    for my $try (1 .. 10) {
        $stat = `timeout 20 ceph -c $state/ceph.conf mds stat 2>&1`;
        return "mds.$1" if $stat =~ /0=([ab])=up:active/;
        sleep 0.5;
    }

    die "no active metadata server: $stat\n";
}


sub mount_dies {
    my ($store) = @_;

    kill_node('mount2');
    sleep 0.5;
    sh("$repo/scripts/store-$store.sh", 'mount', $state, 3);
    symlink $mounts[2], "$state/root" or die "root: $!\n";
    rename "$state/root", "$state/root1" or die "root1: $!\n";
}


sub signal_node {
    my ($signal, $name) = @_;

    my ($pid) = slurp("$state/pids") =~ /^(\d+) \d+ \Q$name\E$/m
        or die "no $name\n";
    kill $signal => $pid;
}


# --- what one sees of the other -----------------------------------------------

sub seen_at_once {
    my ($store, @edges) = @_;

    my ($late, $lost) = (0, 0);

    for my $n (1 .. 50) {
        my ($here, $there) = @edges[$n % 2, ($n + 1) % 2];
        my $res = put($here, 'seen/file', "version $n", agent => 'a',
                      type => "text/x-version-$n");
        my $tag = $res->header('ETag') // '';
        my $got = $there->get('/workspaces/seen/file');

        $late++ if $got->body ne "version $n"
            || ($got->header('ETag') // '') ne $tag
            || ($got->header('Content-Type') // '') ne "text/x-version-$n";

        $res = put($there, 'seen/file', "again $n", agent => 'a',
                   headers => ['If-Match' => $tag]);
        $lost++ if $res->{status} != 200;
    }

    is($late, 0, "$store, 50 writes: the other edge has each at once");
    is($lost, 0, "$store, ... and knows its tag");
}


# the old content to its end

sub replaced_while_read {
    my ($store, @edges) = @_;

    my $old = sealed('old', 8_000_000);
    my $body = '';

    put($edges[0], 'seen/large', $old, agent => 'a');

    my $replaced;
    my $res = $edges[1]->connect(rcvbuf => 4096)->request('GET',
        '/workspaces/seen/large', on_body => sub {
            $body .= $_[0];
            $replaced //= put($edges[0], 'seen/large', sealed('new', 100),
                              agent => 'a')->{status};
        });

    is($replaced, 200, "$store, a file is replaced while it is read");
    ok($res->{complete} && $body eq $old, "$store, ... it comes to its end")
        or diag(length($body) . ' of ' . length($old) . ' bytes');
    is(unsealed($edges[1]->get('/workspaces/seen/large')->body) // '', 'new',
       "$store, ... then there is the new one");
}


# --- the copies ---------------------------------------------------------------

# What a brick has missed it is given by the others, in seconds.

sub copies_agree {
    my ($store) = @_;

    my $start = time;
    my %count;

    until_true(sub {
        my @copies = map { copy_of("$state/brick$_") } 1 .. 3;

        %count = ();
        $count{$_}++ for map { my $c = $_; map { "$_ $c->{$_}" } keys %$c }
            @copies;
        return !grep { $_ != 3 } values %count;
    }, 60);

    my @differ = grep { $count{$_} != 3 } sort keys %count;

    is("@differ[0 .. ($#differ > 3 ? 3 : $#differ)]", '',
       sprintf '%s: three copies of %d files agree', $store, scalar keys %count)
        or diag("$state/brick*");
    note(sprintf 'after %.1f s', time - $start);
}


sub copy_of {
    my ($brick) = @_;

    my %sum;
    File::Find::find({ no_chdir => 1, wanted => sub {
        return $File::Find::prune = 1 if m{/\.glusterfs\z};
        return unless -f $_;
        $sum{ substr $_, length $brick } = eval {
            Digest::SHA->new(1)->addfile($_, 'b')->hexdigest;
        } // 'gone';
    } }, $brick);
    return \%sum;
}


1;
