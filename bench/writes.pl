#!/usr/bin/perl

# What writes cost: in a workspace of 20,000 files against one of 10, and
# against nginx's own dav module.  The figures that count are ratios.
#
#     perl bench/writes.pl [rounds]
#
# BENCH_OLD, the path of another ngx_artifact_module.so, is compared with the
# tree's: new/old is the ratio of the processor time of a request, without the
# folds that follow.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../t/lib";
use ArtifactBench;
use ArtifactTest;
use Time::HiRes qw(sleep time);

my $rounds = shift // 5;
my $requests = 300;
my $content = 'some content ' x 80;
my $dav = ArtifactTest->version =~ /dav_module/;

my $server = server();
my @pair;

if ($ENV{BENCH_OLD}) {
    local $ENV{TMPDIR} = '/dev/shm' if -w '/dev/shm';
    push @pair, server();

    local $ENV{TEST_NGINX_MODULE} = $ENV{BENCH_OLD};
    push @pair, server();

    pin_client();
}

sleep 2.5;

# What is asked for the n-th time, in a workspace of this many files.

my @cases = (
    ['GET metadata, unchanged', sub {
        my ($files, $n) = @_;
        return metadata("ws$files", $n);
    }],
    ['GET metadata, between writes', sub {
        my ($files, $n) = @_;
        return (($n % 10 ? () : put("/workspaces/ws$files/changing")),
                metadata("ws$files", $n));
    }],
    ['PUT', sub {
        my ($files, $n) = @_;
        return put("/workspaces/ws$files/f" . $n % 50);
    }],
    ['PUT, in threads', sub {
        my ($files, $n) = @_;
        return put("/threads/ws$files/f" . $n % 50);
    }],
    ['PUT, synced', sub {
        my ($files, $n) = @_;
        return put("/sync/ws$files/f" . $n % 50);
    }],
);

printf "%-30s %8s %8s  %5s%s\n", 'microseconds, median', '10', '20,000',
    'ratio', @pair ? '  new/old: 10  20,000' : '';

for my $case (@cases) {
    my ($name, $call) = @$case;

    print_row($name, 0.6, map {
        my $files = $_;
        [sub { $call->($files, @_) }, "$files files"];
    } 10, 20_000);
}

if ($dav) {
    print_row('PUT against dav (dav, ours)', 0.4,
        [sub { put('/dav/f' . $_[0] % 50) }],
        [sub { put('/workspaces/ws10/f' . $_[0] % 50) }, 'ours']);
}

print worst_ratio();

$_->{test}->stop for $server, @pair;


# An nginx with workspaces of its own.

sub server {
    my $t = ArtifactTest->new;
    mkdir $t->prefix . '/dav' or die "mkdir: $!";

    my $main = 'thread_pool default threads=4;';
    $main .= ' worker_cpu_affinity 01;' if $ENV{BENCH_OLD};

    my $plain = $dav
        ? 'location /dav/ { root %%PREFIX%%; dav_methods PUT; }' : '';

    $t->start(main => $main, server => <<"CONF");
    artifact_root %%DATA%%;
    artifact_write on;
    keepalive_requests 1000000;
    location /artifacts/ { artifact; }
    location /workspaces/ { artifact_workspace; artifact_sync off; }
    location /threads/ { artifact_workspace; artifact_sync off; aio threads; }
    location /sync/ { artifact_workspace; }
    $plain
CONF

    my $s = { test => $t, conn => $t->connect, workers => [$t->workers] };

    for my $n (10, 20_000) {
        $t->workspace_file("ws$n", "dir/file-$_", 'x') for 1 .. 10;
        $t->workspace_meta("ws$n", entries($n));
        ask($s, put("/workspaces/ws$n/new"));     # makes the index
    }

    return $s;
}


sub entries {
    my ($n) = @_;
    return { map { ("dir/file-$_" => {
        mimeType => 'text/plain', createdAt => '2024-01-01T00:00:00.000Z',
        updatedAt => '2024-01-01T00:00:00.000Z',
        modifiedBy => [{ agentId => 'a', messageId => 'm',
                         timestamp => '2024-01-01T00:00:00.000Z' }],
    }) } 1 .. $n };
}


# The bytes of a request.

sub put {
    my ($uri) = @_;
    return ArtifactHTTP::format_request('PUT', $uri, keep => 1,
        body => $content,
        headers => ['Content-Type' => 'text/plain', 'X-Agent-Id' => 'bench']);
}


sub metadata {
    my ($ws, $n) = @_;
    return ArtifactHTTP::format_request('GET', '/artifacts/'
        . ws_id($ws, 'dir/file-' . (1 + $n % 10)) . '/metadata', keep => 1);
}


# Sends requests, all at once, and reads what comes back.

sub ask {
    my ($s, @requests) = @_;

    $s->{conn}->send(join '', @requests);

    for my $request (@requests) {
        my ($line) = $request =~ /^(.*)\r\n/;
        my $res = $s->{conn}->response($line =~ /^(\w+)/);
        die "$line: $res->{status} $res->{body}\n"
            unless $res->{status} =~ /^20/;
    }
}


# Two sides, each [function of a number, name for its new/old], taking turns:
# the best median of the rounds of each, and their ratio.

sub print_row {
    my ($name, $pause, @sides) = @_;
    my @best;

    for (1 .. $rounds) {
        for my $i (0, 1) {
            my $time = measure($sides[$i][0]);
            $best[$i] = $time if !$best[$i] || $time < $best[$i];
            sleep $pause;
        }
    }

    printf '%-30s %8.0f %8.0f  %5.2f', $name, @best, $best[1] / $best[0];

    if (@pair) {
        print '       ';

        for my $side (@sides) {
            printf '  %6s', defined $side->[1]
                ? new_old($side->[0], "$name, $side->[1]") : '';
        }
    }

    print "\n";
}


# Microseconds for one of many, the median; as seen by one client.

sub measure {
    my ($call) = @_;
    my @times;

    for my $n (1 .. $requests) {
        my @all = $call->($n);
        my $began = time;
        ask($server, $_) for @all;
        push @times, time - $began;
    }

    return 1e6 * (sort { $a <=> $b } @times)[$requests / 2];
}


# Ten of them at once: a worker that goes to sleep after each takes now less,
# now more.  Between slices whatever was written is folded, so that no fold
# falls into one, and both journals are as long.

sub new_old {
    my ($call, $row) = @_;

    my @slices = map {
        my ($s, $n) = ($_, 0);

        sub {
            my @all = map { $call->(++$n) } 1 .. 10;
            my $before = cpu_time(@{ $s->{workers} });
            ask($s, @all);
            return cpu_time(@{ $s->{workers} }) - $before;
        }
    } @pair;

    $_->() for @slices;

    my $ratio = compare(6, @slices, \&settle);
    note_ratio($row, $ratio);

    return sprintf '%.3f', $ratio;
}


# A folded journal has nothing but its first record; the longest pause between
# folds is three seconds.

sub settle {
    my @journals = map { glob $_->{test}->data . '/workspaces/.artifact/*.j*' }
        @pair;

    for (1 .. 200) {
        last if !grep { (-s $_ // 0) > 40 } @journals;
        sleep 0.05;
    }

    cpu_time(map { @{ $_->{workers} } } @pair);
}
