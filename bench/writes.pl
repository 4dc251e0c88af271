#!/usr/bin/perl

# What writes cost: in a workspace of 20,000 files against one of 10, and
# against nginx's own dav module.  The figures that count are ratios.
#
#     perl bench/writes.pl [rounds]

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../t/lib";
use ArtifactTest;
use Time::HiRes qw(sleep time);

my $rounds = shift // 5;
my $requests = 300;
my $content = 'some content ' x 80;

my $t = ArtifactTest->new;
mkdir $t->prefix . '/dav' or die "mkdir: $!";

my $dav = $t->version =~ /dav_module/;
my $plain = $dav ? 'location /dav/ { root %%PREFIX%%; dav_methods PUT; }' : '';

$t->start(main => 'thread_pool default threads=4;', server => <<"CONF");
    artifact_root %%DATA%%;
    artifact_write on;
    keepalive_requests 1000000;
    location /artifacts/ { artifact; }
    location /workspaces/ { artifact_workspace; artifact_sync off; }
    location /threads/ { artifact_workspace; artifact_sync off; aio threads; }
    location /sync/ { artifact_workspace; }
    $plain
CONF

my %entry = map { ($_ => entries($_)) } 10, 20_000;
for my $n (keys %entry) {
    $t->workspace_file("ws$n", "dir/file-$_", 'x') for 1 .. 10;
    $t->workspace_meta("ws$n", $entry{$n});
    put("/workspaces/ws$n/new");              # makes the index
}
sleep 2.5;

sub entries {
    my ($n) = @_;
    return { map { ("dir/file-$_" => {
        mimeType => 'text/plain', createdAt => '2024-01-01T00:00:00.000Z',
        updatedAt => '2024-01-01T00:00:00.000Z',
        modifiedBy => [{ agentId => 'a', messageId => 'm',
                         timestamp => '2024-01-01T00:00:00.000Z' }],
    }) } 1 .. $n };
}

my $conn;

sub request {
    my ($method, $uri, @more) = @_;
    $conn ||= $t->connect;
    my $res = $conn->request($method, $uri, keep => 1, @more);
    die "$method $uri: $res->{status} $res->{body}\n"
        unless $res->{status} =~ /^20/;
    return $res;
}

sub put {
    my ($uri) = @_;
    return request('PUT', $uri, body => $content, headers =>
        ['Content-Type' => 'text/plain', 'X-Agent-Id' => 'bench']);
}

sub metadata {
    my ($ws, $n) = @_;
    return request('GET', '/artifacts/'
        . ws_id($ws, 'dir/file-' . (1 + $n % 10)) . '/metadata');
}

# Microseconds for one of many, the median; as seen by one client.

sub measure {
    my ($call) = @_;
    my @times;
    for my $n (1 .. $requests) {
        my $began = time;
        $call->($n);
        push @times, time - $began;
    }
    return 1e6 * (sort { $a <=> $b } @times)[$requests / 2];
}

my @cases = (
    ['GET metadata, unchanged', sub { metadata("ws$_[0]", $_[1]) }],
    ['GET metadata, between writes', sub {
        put("/workspaces/ws$_[0]/changing") if $_[1] % 10 == 0;
        metadata("ws$_[0]", $_[1]);
    }],
    ['PUT', sub { put("/workspaces/ws$_[0]/f" . $_[1] % 50) }],
    ['PUT, in threads', sub { put("/threads/ws$_[0]/f" . $_[1] % 50) }],
    ['PUT, synced', sub { put("/sync/ws$_[0]/f" . $_[1] % 50) }],
);

printf "%-30s %8s %8s  %s\n", 'microseconds, median', '10', '20,000',
    'ratio';
for my $case (@cases) {
    my ($name, $call) = @$case;
    my (%best);
    for (1 .. $rounds) {
        for my $n (10, 20_000) {
            my $time = measure(sub { $call->($n, $_[0]) });
            $best{$n} = $time if !$best{$n} || $time < $best{$n};
            sleep 0.6;
        }
    }
    printf "%-30s %8.0f %8.0f  %5.2f\n", $name, @best{10, 20_000},
        $best{20_000} / $best{10};
}

if ($dav) {
    my %best;
    for (1 .. $rounds) {
        for my $case (['dav', sub { put('/dav/f' . $_[0] % 50) }],
                      ['ours', sub { put('/workspaces/ws10/f'
                                         . $_[0] % 50) }]) {
            my $time = measure($case->[1]);
            $best{$case->[0]} = $time
                if !$best{$case->[0]} || $time < $best{$case->[0]};
            sleep 0.4;
        }
    }
    printf "%-30s %8.0f %8.0f  %5.2f\n",
        'PUT against dav (dav, ours)', @best{qw(dav ours)},
        $best{ours} / $best{dav};
}

$t->stop;
