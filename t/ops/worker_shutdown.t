#!/usr/bin/perl

# A worker that shuts down waits for the answers that it owes, also where all
# that is left to do is that a thread reads a file for a subrequest: nginx sets
# no timer for that, by which the worker would know.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFail;
use ArtifactFeatures;
use ArtifactFit;
use ArtifactTest;
use ArtifactWrite qw(until_true);
use Time::HiRes qw(sleep);

my $fail = ArtifactFail->new;
my $t = ArtifactTest->new(launcher => $fail->launcher);
my ($http, $server) = features_server($t);

$http .= 'artifact_capabilities %%PREFIX%%/map.json;';

features_data($t);
$t->file('map.json', fit_map());
my @upstreams = features_upstreams($t);
$t->start(main => 'thread_pool default threads=3;', http => $http,
          server => $server);

my %request = features_requests();

outlives($_, $request{$_} // die "no $_\n")
    for 'converted answer', 'expansion', 'expansion of own media',
        'expansion, proxied', 'message';

$_->stop for @upstreams;
$t->finish;


# The worker is told to shut down while a thread that reads the cache for a
# request is held up.

sub outlives {
    my ($name, $request) = @_;
    my ($method) = $request =~ /^(\w+)/;
    my ($worker) = $t->workers;

    my $conn = $t->connect;
    $conn->send($request);
    my $before = $conn->response($method);
    like($before->{status}, qr/^20/, "$name: answered");

    $fail->rules('read 1 0 /kept/');
    $conn = $t->connect;
    $conn->send($request);
    ok(until_true(sub { $fail->holds }, 10), "$name: a thread reads");

    ok($t->reload, "$name: reload");
    sleep 0.3;  # one that does not wait closes its connections
    $fail->rules;

    my $after = $conn->response($method);
    is($after->{status}, $before->{status}, "$name: answered as before");
    ok($after->{complete} && $after->body eq $before->body, "$name: whole");

    $conn->close;
    ok(until_true(sub { !-e "/proc/$worker" }, 10), "$name: the worker ends");
}
