#!/usr/bin/perl

# Thousands expire at once: killed in the middle, nothing is left half, and two
# servers on one root do not get in each other's way.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactCheck;
use ArtifactFail;
use ArtifactTest;
use ArtifactWrite qw(until_true);
use File::Path qw(make_path);
use IO::Socket::INET;
use Time::HiRes qw(time);

my $N = $ENV{TEST_EXPIRED} // 3000;

my $fail = ArtifactFail->new;
my $t = ArtifactTest->new(workers => 1, launcher => $fail->launcher);
my $other = ArtifactTest->new(workers => 1, launcher => $fail->launcher);
my $data = $t->data;
my $store = "$data/artifacts";

my @server = (server => <<"SERVER");
    artifact_root $data;
    artifact_write on;
    artifact_index on;
    send_timeout 365d;
    client_max_body_size 50m;
    location /artifacts/ { artifact; }
    location /hour/ { artifact; artifact_expires 1h; }
SERVER

# As the module writes them.

my $span = int((time() - 100) / 600);
my $time = '2020-01-01T00:00:00.000Z';
my $due = "$store/.artifact/expires/$span";
make_path($due, { mode => 0700 });

for my $n (1 .. $N) {
    my $id = sprintf '%08x-0000-7000-8000-000000000000', $n;
    spew("$store/$id.txt", "content $n");
    spew("$store/$id.meta", qq({"id":"$id","extension":".txt",)
                            . qq("expiresAt":"$time"}));
    spew("$due/$id", '');
}

my $later = 0;

sub count {
    opendir my $dir, $store or die $!;
    my %n;
    /\.(txt|meta)$/ and $n{$1}++ for readdir $dir;
    return ($n{txt} // 0, $n{meta} // 0);
}

sub wake { $_->get('/artifacts/none') for $t, $other }

sub elapse {
    for (1 .. $_[0] / 5) {
        $later += 300;
        $fail->rules("later 1 $later clock");
        wake() for 1 .. 3;
    }
}

sub markers { my @all = glob("$store/.artifact/expires/*/*"); return @all }

$t->start(@server);
$other->start(@server);

for my $round (1 .. 3) {
    elapse(25);
    my ($before) = count();
    until_true(sub { (count())[0] < $before || (count())[0] == 0 }, 10);
    $t->crash;

    # the other one goes on: what goes last is counted first

    my $markers = () = markers();
    my $sidecars = (count())[1];
    my $contents = (count())[0];
    cmp_ok($contents, '<=', $sidecars, "$round: no content without sidecar");
    cmp_ok($sidecars, '<=', $markers, 'no sidecar without marker');
    $t->start(@server);
}

# A client begins to read what then expires.

my $bytes = 'x' x 40_000_000;
my $res = $t->req('POST', '/hour/', body => $bytes,
    headers => ['Content-Type' => 'text/plain']);
my $large = decode_strict($res->body)->{metadata}{id};

my $slow = IO::Socket::INET->new(PeerAddr => '127.0.0.1',
    PeerPort => $t->port, Timeout => 10) or die "connect: $@";
print $slow "GET /artifacts/$large HTTP/1.0\r\nHost: h\r\n\r\n";
sysread $slow, my $got, 1000 or die "read: $!";

elapse(120);

# Time goes on: where a process reads its two clocks just before and after a step,
# it takes that for a jump, and waits for half an hour.

ok(until_true(sub { elapse(5); my @n = count(); $n[1] + $n[0] == 0 }, 60),
    'all have gone') or diag(join ' ', count());
ok(until_true(sub { elapse(5); !markers() }, 30), 'and their markers');

is($t->get("/artifacts/$large")->{status}, 404, 'what is read is gone');
while (sysread $slow, my $more, 1_000_000) {
    $got .= $more;
}
$got =~ s/^.*?\r\n\r\n//s;
ok($got eq $bytes, 'but the reader gets all of it');

$other->stop;
$other->check_log;
$t->finish;
