#!/usr/bin/perl

# Roots made of variables: what expires is removed in all of them, however many
# there are, and after a restart as well, also in those that nobody asks for.
# The clocks are set, so nobody waits.

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

# After a restart they are found again.

my @kept = map { post('month', $_) } 1 .. 3;
post('minute', $_) for 1 .. 3;
is(left(1 .. 3), 6, 'two expire in each');

# what a crash left, and folders that are no roots

my $old = "$data/2/artifacts/.artifact/tmp-00000001-0000-7000-8000-000000000000";
spew($old, 'x');
mkdir "$data/none";
mkdir "$data/.hidden";
spew("$data/file", 'x');

$t->stop;
$t->start(@conf);

ok($t->wait_for(qr{\[notice\].* $TENANTS data roots match "\Q$data\E/\*"}),
   'all are found') or diag($t->log);
ok(gone(3, 1 .. 3), 'what is due goes in roots that nobody asks for');
is($t->get("/artifacts/$kept[$_ - 1]?tenant=$_")->{status}, 200,
   "the other one of $_ is left") for 1 .. 3;
ok(until_true(sub { !-e $old }, 5), 'what a crash left is gone');

# a root that is made while nginx runs, by somebody else

rename "$data/3", "$data/later" or die "rename: $!";
$later += 40 * 86400;
ok(gone(0, 1, 2, 'later'), 'a root that is new is found');

# with more than one variable, and with text around them

$t->stop;
mkdir "$data/$_" for 'eu', 'eu/t-acme.d', 'eu/t-globex', 'us';
my @more = (server => <<"SERVER");
    artifact_write on;
    artifact_root $data/\$arg_region/t-\${arg_tenant}.d;
    location /minute/ { artifact; artifact_expires 1m; }
    location /any/ { artifact; artifact_root \$arg_root; }
    location = /none { return 204; }
SERVER
$t->start(@more);
post('minute', 'acme&region=eu');
is(left('eu/t-acme.d'), 1, 'one expires');
$t->stop;
$t->start(@more);
ok($t->wait_for(qr{\[notice\].* 1 data roots match "\Q$data\E/\*/t-\*\.d"}),
   'its root is found by two variables') or diag($t->log);
ok(gone(0, 'eu/t-acme.d'), 'and it goes');

$t->allow(qr/\[notice\].*clock was set/);
$t->finish;
