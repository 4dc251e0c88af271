#!/usr/bin/perl

# Listings never show what symbolic links outside lead to, whatever the race,
# with openat2() and on systems without it.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactTest;
use File::Temp qw(tempdir);
use POSIX ();
use Time::HiRes qw(time);

my $SECRET = 'secret-4711';
my $dir = tempdir(CLEANUP => 1);
my $launcher = "$dir/no-openat2";

is(system($ENV{CC} || 'cc', '-O1', '-Wall', '-o', $launcher,
          "$FindBin::Bin/../tools/no-openat2.c"), 0, 'the launcher compiles')
    or BAIL_OUT('no C compiler');

sub link_to { symlink $_[0], $_[1] or die "symlink $_[1]: $!" }

sub data {
    my ($t) = @_;

    my $w1 = $t->data . '/workspaces/w1';
    $t->workspace_file('w1', $_, 'inside') for 'a.txt', 'src/b.txt',
        'race/f.txt', 'deep/er/c.txt';
    $t->workspace_file('w2', "$SECRET.txt", 'outside!');
    mkdir $t->data . '/out' or die "mkdir: $!";
    spew($t->data . "/out/$SECRET.txt", 'outside!');
    spew($t->data . '/out/f.txt', 'outside!');

    link_to('a.txt', "$w1/same");
    link_to('src', "$w1/folder");
    link_to('../a.txt', "$w1/src/up");
    link_to('folder/up', "$w1/both");
    link_to('../w2', "$w1/other");
    link_to("../w2/$SECRET.txt", "$w1/$SECRET-file");
    link_to('../w1/a.txt', "$w1/outandback");
    link_to("$w1/a.txt", "$w1/absolute");
    link_to('/', "$w1/slash");
    link_to('loop', "$w1/loop");
    link_to('../../out', "$w1/away");
    link_to('..', "$w1/parent");
    link_to('w2', $t->data . '/workspaces/w3');
    return $w1;
}

sub paths { return join ' ', map { $_->{path} } @{ json_of($_[0])->{entries} } }

sub checks {
    my ($t, $how) = @_;

    my $res = $t->get('/workspaces/w1/');
    is(paths($res), 'a.txt both deep folder race same src',
       "$how: a folder with links");
    is(join(' ', map { $_->{kind} } @{ json_of($res)->{entries} }),
       'file file folder folder folder file folder',
       "$how: links are what they lead to");
    is(join(' ', map { $_->{size} // '-' } @{ json_of($res)->{entries} }),
       '6 6 - - - 6 -', "$how: and as large");
    is(paths($t->get('/workspaces/w1/?recursive=1')), 'a.txt both '
       . 'deep/er/c.txt race/f.txt same src/b.txt src/up', "$how: a tree");
    is(paths($t->get('/workspaces/w1/folder/')), 'folder/b.txt folder/up',
       "$how: a linked folder");
    for my $name (qw(other away parent slash loop)) {
        error_is($t->get("/workspaces/w1/$name/"), 404, 'artifact_not_found',
                 undef, "$how: no listing through $name");
        error_is($t->get("/workspaces/w1/$name"), 404, 'artifact_not_found',
                 undef, "$how: no redirect to $name");
    }
    error_is($t->get('/workspaces/w3/'), 404, 'workspace_not_bound', undef,
             "$how: a linked workspace");
    is(json_of($t->get('/workspaces/'))->{count}, 2,
       "$how: it is not listed either");
}

# A child swaps a folder for a link out, and back, while listings run.

sub race {
    my ($t, $how, $w1) = @_;

    my $child = fork // die "fork: $!";
    if (!$child) {
        my $parent = getppid;
        while (getppid == $parent) {
            for (1 .. 100) {
                rename "$w1/race", "$w1/parked";
                rename "$w1/away", "$w1/race";
                rename "$w1/race", "$w1/away";
                rename "$w1/parked", "$w1/race";
            }
        }
        POSIX::_exit(0);
    }

    my (%seen, $leaks);
    my $end = time + 1.5;
    while (time < $end) {
        for my $uri ('/workspaces/w1/', '/workspaces/w1/race/',
                     '/workspaces/w1/?recursive=1')
        {
            my $res = $t->get($uri);
            $seen{$res->{status}}++;
            my $data = json_of($res);
            $leaks++ if $res->{body} =~ /$SECRET/
                || grep { ($_->{size} // 6) != 6 } @{ $data->{entries} || [] };
        }
    }
    kill TERM => $child;
    waitpid $child, 0;

    is($leaks, undef, "$how: a race never shows what is outside");
    ok($seen{200}, "$how: listings come meanwhile");
    is(join(' ', grep { !/^(?:200|404)$/ } keys %seen), '',
       "$how: and there is no other answer but 404");
}

for my $case (['openat2'], ['ENOSYS', $launcher, 'ENOSYS'],
              ['EPERM', $launcher, 'EPERM'])
{
    my ($how, @launcher) = @$case;
    my $t = ArtifactTest->new(launcher => \@launcher);
    my $w1 = data($t);
    $t->start(server => <<'CONF');
    location /workspaces/ {
        artifact_workspace;
        artifact_root %%DATA%%;
        artifact_index on;
    }
CONF
    checks($t, $how);
    race($t, $how, $w1);
    $t->stop;
    $t->check_log;
}

done_testing();
