#!/usr/bin/perl

# Roots made of variables: what expires is removed in all of them, however many
# there are, and after a restart in those that are asked for something that
# expires.  The clocks are set, so nobody waits.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactCheck;
use ArtifactFail;
use ArtifactTest;
use ArtifactWrite qw(until_true);

my $TENANTS = 300;

my $THREADS = ArtifactTest::version() =~ /--with-threads/;

my $fail = ArtifactFail->new;
my $t = ArtifactTest->new(launcher => $fail->launcher);
my $data = $t->data;

mkdir "$data/$_" or die "mkdir: $!" for 1 .. $TENANTS;

my @conf = (
    main => $THREADS ? 'thread_pool default threads=2;' : '',
    server => <<"SERVER" . ($THREADS ? <<"SERVER" : ''));
    artifact_root $data/\$arg_tenant;
    artifact_write on;
    artifact_sync off;
    location /artifacts/ { artifact; }
    location /minute/ { artifact; artifact_expires 1m; }
    location /month/ { artifact; artifact_expires 30d; }
    location = /none { return 204; }
SERVER
    location /threads/ { artifact; artifact_expires 1m; aio threads; }
SERVER

sub post {
    my ($place, $tenant) = @_;
    my $res = $t->req('POST', "/$place/?tenant=$tenant", body => 'x',
        headers => ['Content-Type' => 'text/plain']);
    die $res->{body} if $res->{status} != 201;
    return json_of($res)->{metadata}{id};
}

sub left {
    my @left = map { glob "$data/$_/artifacts/.artifact/expires/*/*" } @_;
    return scalar @left;
}

# Time goes by in steps of five minutes, a look each.  A process may take its two
# clocks for a jump, and waits for half an hour then.

my $later = 0;

sub gone {
    my ($n, @tenants) = @_;
    for (1 .. 60) {
        $later += 300;
        $fail->rules("later 1 $later clock");
        return 1 if until_true(sub {
            $t->get('/none');
            left(@tenants) == $n;
        }, 2);
    }
    return 0;
}

$t->start(@conf);

post($THREADS && $_ % 2 ? 'threads' : 'minute', $_) for 1 .. $TENANTS;
is(left(1 .. $TENANTS), $TENANTS, 'something expires in each root');
ok(gone(0, 1 .. $TENANTS), 'and is removed')
    or diag(left(1 .. $TENANTS) . ' left');

# Nobody knows roots after a restart.

my @kept = map { post('month', $_) } 1 .. 3;
post('minute', $_) for 1 .. 3;
is(left(1 .. 3), 6, 'two expire in each');

$t->stop;
$t->start(@conf);

for my $n (1, 2) {
    my $uri = "/artifacts/$kept[$n - 1]" . ($n == 1 ? '' : '/metadata');
    is($t->get("$uri?tenant=$n")->{status}, 200, 'a root is asked');
}
ok(gone(2, 1, 2), 'its artifact goes whose time is over');
is(left(3), 2, 'a root that nobody asks keeps it');
is($t->get("/artifacts/$kept[2]?tenant=3")->{status}, 200, 'until it is asked');
ok(gone(1, 3), 'then it goes');

$t->allow(qr/\[notice\].*clock was set/);
$t->finish;
