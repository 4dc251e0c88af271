package ArtifactSymlinks;

# The checks of symbolic links, run against every way of opening a file.

use strict;
use warnings;

use Exporter 'import';
use POSIX ();
use Time::HiRes qw(time);

use ArtifactTest;

our @EXPORT = qw(link_data link_conf link_checks link_race);

my $SECRET = 'TOP-SECRET-4711';


sub _link {
    my ($target, $name) = @_;
    symlink $target, $name or die "symlink $name: $!";
}


sub link_data {
    my ($t) = @_;

    my $data = $t->data;
    my $w1 = "$data/workspaces/w1";
    my $store = "$data/artifacts";

    spew("$data/secret.txt", $SECRET);
    spew("$data/secret.json",
         encode_json_bytes({ type => 'text/plain', name => $SECRET }));
    $t->workspace_file('w1', 'a.txt', 'inside');
    $t->workspace_file('w1', 'src/b.txt', 'inside');
    $t->workspace_file('w1', 'src/deep/c.txt', 'inside');
    $t->workspace_file('w2', 'a.txt', $SECRET);
    $t->artifact('real', 'inside', { type => 'text/plain' }, '.txt');

    _link('a.txt', "$w1/same");
    _link('src/b.txt', "$w1/down");
    _link('../a.txt', "$w1/src/up");
    _link('src', "$w1/folder");
    _link('./src/../a.txt', "$w1/dots");
    _link('same', "$w1/chain");
    _link('folder/up', "$w1/both");
    _link('deep', "$w1/src/inner");
    _link('.', "$w1/src/dot");

    _link('../../secret.txt', "$w1/out");
    _link('../w2/a.txt', "$w1/other");
    _link('../w1/a.txt', "$w1/outandback");
    _link("$w1/a.txt", "$w1/absolute");
    _link("$data/secret.txt", "$w1/absolute-out");
    _link('/etc/passwd', "$w1/passwd");
    _link('/', "$w1/slash");
    _link('..', "$w1/parent");
    _link('../..', "$w1/src/parent");
    _link('loop2', "$w1/loop1");
    _link('loop1', "$w1/loop2");
    _link('self', "$w1/self");
    _link('nowhere', "$w1/dangling");
    _link('out', "$w1/chain-out");
    _link('../out', "$w1/src/chain-out");
    _link('/proc/self/root/etc/passwd', "$w1/magic");

    _link('w2', "$data/workspaces/w3");
    _link('w1', "$data/workspaces/w4");
    _link("$data", "$data/workspaces/w5");
    _link('w2', "$data/workspaces/w6");

    _link('real.txt', "$store/linked.txt");
    _link('../secret.txt', "$store/out.txt");
    _link('../artifacts/real.txt', "$store/outandback.txt");
    _link("$data/secret.txt", "$store/absolute.txt");
    $t->artifact($_, undef, { type => 'text/plain' }, '.txt')
        for qw(linked out outandback absolute);
    $t->artifact('sidecar', 'inside', undef, '.txt');
    _link('../secret.json', "$store/sidecar.meta");

    mkdir $t->prefix . '/data2' or die "mkdir: $!";
    _link('../data/artifacts', $t->prefix . '/data2/artifacts');
    _link('../data/workspaces', $t->prefix . '/data2/workspaces');
}


sub link_conf {
    return (server => <<'CONF');
    artifact_root %%DATA%%;
    artifact_route on;

    location /artifacts/ {
        artifact;
    }
    location /workspaces/ {
        artifact_workspace;
    }
    location /linked/artifacts/ {
        artifact;
        artifact_root %%PREFIX%%/data2;
    }
    location /linked/workspaces/ {
        artifact_workspace;
        artifact_root %%PREFIX%%/data2;
    }
CONF
}


sub link_checks {
    my ($t, $how) = @_;

    is($t->get('/workspaces/w1/src/deep/c.txt')->body, 'inside',
       "$how: no link at all");

    for my $path (qw(same down src/up folder/b.txt dots chain both
                     src/inner/c.txt folder/deep/c.txt src/dot/b.txt
                     folder/inner/c.txt))
    {
        is($t->get("/workspaces/w1/$path")->body, 'inside',
           "$how: a link inside, $path");
        is($t->get('/artifacts/' . ws_id('w1', $path))->body, 'inside',
           "$how: a link inside by id, $path");
    }

    for my $path (qw(out other outandback absolute absolute-out passwd
                     slash/etc/passwd parent/w2/a.txt parent/w1/a.txt
                     src/parent/secret.txt src/parent/w1/a.txt loop1 self
                     self/x dangling chain-out src/chain-out folder/chain-out
                     magic slash parent))
    {
        _absent($t, "/workspaces/w1/$path", 'artifact_not_found',
                "$how: a link out, $path");
        _absent($t, '/artifacts/' . ws_id('w1', $path), 'artifact_not_found',
                "$how: a link out by id, $path");
    }

    for my $ws (qw(w3 w4 w5 w6)) {
        my $file = $ws eq 'w5' ? 'secret.txt' : 'a.txt';
        _absent($t, "/workspaces/$ws/$file", 'workspace_not_bound',
                "$how: a linked workspace, $ws");
        _absent($t, '/artifacts/' . ws_id($ws, $file), 'artifact_not_found',
                "$how: a linked workspace by id, $ws");
    }

    is($t->get('/artifacts/linked')->body, 'inside',
       "$how: a linked artifact");
    for my $id (qw(out outandback absolute)) {
        _absent($t, "/artifacts/$id", 'artifact_not_found',
                "$how: an artifact linked $id");
    }

    my $res = $t->get('/artifacts/sidecar');
    is($res->body, 'inside', "$how: an artifact with a linked sidecar");
    unlike($res->{head}, qr/$SECRET/, "$how: that sidecar is not read");
    unlike($t->get('/artifacts/sidecar/metadata')->body, qr/$SECRET/,
           "$how: nor for its metadata");

    _absent($t, '/linked/artifacts/real', 'artifact_not_found',
            "$how: a linked artifacts folder");
    $res = $t->get('/linked/workspaces/w1/a.txt');
    is($res->{status}, 404, "$how: a linked workspaces folder");
}


sub _absent {
    my ($t, $uri, $code, $name) = @_;

    my $res = $t->get($uri);
    error_is($res, 404, $code, undef, $name);
    unlike($res->body, qr/$SECRET|root:/, "$name, unseen")
        if $res->{status} != 404;
}


# A child swaps a folder, and a file, for links out while requests run.

sub link_race {
    my ($t, $how, $seconds) = @_;

    my $w1 = $t->data . '/workspaces/w1';
    $t->workspace_file('w1', 'race/f.txt', 'inside');
    $t->workspace_file('w1', 'race.txt', 'inside');
    mkdir $t->data . '/out' or die "mkdir: $!";
    spew($t->data . '/out/f.txt', $SECRET);
    _link('../../out', "$w1/away");
    _link('../../secret.txt', "$w1/away.txt");

    my $child = fork // die "fork: $!";
    if (!$child) {
        my $parent = getppid;
        while (getppid == $parent) {
            for my $n (1 .. 100) {
                for my $ext ('', '.txt') {
                    rename "$w1/race$ext", "$w1/parked$ext";
                    rename "$w1/away$ext", "$w1/race$ext";
                    select undef, undef, undef, 0.0001 if $n % 3 == 0;
                    rename "$w1/race$ext", "$w1/away$ext";
                    rename "$w1/parked$ext", "$w1/race$ext";
                }
            }
        }
        POSIX::_exit(0);
    }

    my %seen;
    my $end = time + $seconds;
    my $conn;
    while (time < $end) {
        for my $uri ('/workspaces/w1/race/f.txt', '/workspaces/w1/race.txt',
                     '/artifacts/' . ws_id('w1', 'race/f.txt'))
        {
            $conn = $t->connect if !$conn || $conn->{eof};
            my $res = $conn->request('GET', $uri, keep => 1);
            my $what = $res->{body} eq 'inside' ? 'inside'
                : $res->{body} =~ /$SECRET/ ? 'secret'
                : "status $res->{status}";
            $seen{$what}++;
        }
        $conn = undef if rand(20) < 1;
    }
    kill TERM => $child;
    waitpid $child, 0;

    is($seen{secret}, undef, "$how: a race never shows the secret");
    ok($seen{inside}, "$how: the file is read between swaps");
    ok($seen{'status 404'}, "$how: a link out is absent in the race");
    is(join(' ', grep { !/^(inside|status 404|secret)$/ } sort keys %seen),
       '', "$how: and there is no other answer");
}


1;
