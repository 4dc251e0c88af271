#!/usr/bin/perl

# What it costs to fold one write into a workspace of 20,000 files: how long it
# takes, how long other requests of the same worker wait meanwhile, with threads
# and without (and how long when nothing is folded), and how often the document is written anew under steady writes.
# Several modules take turns.
#
#     perl bench/fold.pl [rounds] [module ...]

use strict;
use warnings;

use Cwd qw(abs_path);
use FindBin;
use lib "$FindBin::Bin/../t/lib";
use ArtifactTest;
use POSIX qw(WNOHANG);
use Time::HiRes qw(lstat sleep time);

my $ENTRIES = 20_000;
my $STEADY = 8;                               # seconds
my $RATE = 100;                               # writes a second

my $rounds = shift // 5;
my @modules = map { abs_path($_) } @ARGV
    ? @ARGV
    : $ENV{TEST_NGINX_MODULE}
      // "$FindBin::Bin/../build/ngx_artifact_module.so";

$| = 1;

my @servers = map { server($_) } @modules;

print "milliseconds, median (longest) of $rounds rounds\n";
printf "%-14s %12s %12s %12s %12s %12s\n", '', 'longest wait', 'fold',
    'longest wait', 'in a thread', 'longest wait';

for (1 .. $rounds) {
    for my $server (@servers) {
        fold_once($server, $_) for qw(inline threads);
    }
}
for my $server (@servers) {
    printf "%-14s %12s %12s %12s %12s %12s\n", $server->{name},
        map { figure($server->{$_}) } qw(idle inline inline-wait threads
                                          threads-wait);
}

printf "\n%-14s %12s %12s %12s\n", "$RATE writes/s", 'folds/s',
    'CPU, percent', 'longest wait';
for my $server (@servers) {
    printf "%-14s %12.2f %12.1f %12.1f\n", $server->{name}, steady($server);
}

$_->{t}->stop for @servers;


# An nginx with one worker and a document that has its index.

sub server {
    my ($module) = @_;

    local $ENV{TEST_NGINX_MODULE} = $module;
    my $t = ArtifactTest->new;
    my %server = (t => $t, name => name_of($module),
                  folder => $t->data . '/workspaces');

    mkdir $t->prefix . '/static' or die "mkdir: $!";
    $t->file('static/small', 'x' x 1000);
    $t->workspace_meta('ws', { map { ("dir/file-$_" => {
        mimeType => 'text/plain', createdAt => '2024-01-01T00:00:00.000Z',
        updatedAt => '2024-01-01T00:00:00.000Z',
        modifiedBy => [{ agentId => 'a', messageId => 'm',
                         timestamp => '2024-01-01T00:00:00.000Z' }],
    }) } 1 .. $ENTRIES });

    $t->start(main => 'thread_pool default threads=2;', server => <<'CONF');
        artifact_root %%DATA%%;
        artifact_write on;
        artifact_sync off;
        keepalive_requests 1000000;
        location /static/ { root %%PREFIX%%; }
        location /inline/ { artifact_workspace; }
        location /threads/ { artifact_workspace; aio threads; }
CONF

    fold_once(\%server, 'inline');
    delete @server{qw(idle inline inline-wait)};
    return \%server;
}


# build/ tells nothing: the folder above it does.

sub name_of {
    my ($module) = @_;
    return $module =~ m{([^/]+)/build/[^/]*$} ? $1 : substr $module, -14;
}


sub request {
    my ($server, $method, $uri, @more) = @_;

    $server->{conn} ||= $server->{t}->connect;
    my $began = time;
    my $res = $server->{conn}->request($method, $uri, keep => 1, @more);
    die "$method $uri: $res->{status} $res->{body}\n"
        unless $res->{status} =~ /^20/;
    return 1e3 * (time - $began);
}


sub put {
    my ($server, $how) = @_;
    return request($server, 'PUT', "/$how/ws/new" . $server->{writes}++ % 50,
        body => 'x', headers => ['Content-Type' => 'text/plain',
                                 'X-Agent-Id' => 'bench']);
}


sub inode {
    my ($server) = @_;
    return (lstat "$server->{folder}/ws.meta.json")[1];
}


# One write, and requests for a small file until it is folded.  Meanwhile a
# child sees how long the journal is one that is being folded.

sub fold_once {
    my ($server, $how) = @_;

    sleep 3.2;                                # the longest pause
    my $end = time + 0.2;
    push @{ $server->{idle} }, longest($server, sub { time > $end });

    pipe my $in, my $out or die "pipe: $!";
    put($server, $how);
    my $pid = fork // die "fork: $!";
    if (!$pid) {
        my $folding = "$server->{folder}/.artifact/ws.folding";
        sleep 0.0002 until lstat $folding;
        my $began = time;
        sleep 0.0002 while lstat $folding;
        syswrite $out, 1e3 * (time - $began);
        POSIX::_exit(0);
    }

    $end = time + 20;
    push @{ $server->{"$how-wait"} }, longest($server, sub {
        die "$server->{name}: nothing is folded\n" if time > $end;
        return waitpid($pid, WNOHANG) == $pid;
    });
    sysread $in, my $took, 64;
    push @{ $server->{$how} }, $took;
}


# Of requests for a small file, one after the other.

sub longest {
    my ($server, $enough) = @_;

    my $longest = 0;
    until ($enough->()) {
        my $took = request($server, 'GET', '/static/small');
        $longest = $took if $took > $longest;
    }
    return $longest;
}


# Writes at an even pace: documents and processor time a second.

sub steady {
    my ($server) = @_;

    sleep 2;
    my ($folds, $last, $longest) = (0, inode($server), 0);
    my ($began, $used) = (time, processor($server));

    for my $n (1 .. $STEADY * $RATE) {
        my $took = put($server, 'inline');
        $longest = $took if $took > $longest;
        my $inode = inode($server);
        $folds++ if $inode != $last;
        $last = $inode;
        my $ahead = $began + $n / $RATE - time;
        sleep $ahead if $ahead > 0;
    }

    my $seconds = time - $began;
    return ($folds / $seconds,
            100 * (processor($server) - $used) / $seconds, $longest);
}


sub processor {
    my ($server) = @_;
    my ($worker) = $server->{t}->workers;
    open my $fh, '<', "/proc/$worker/schedstat" or die "schedstat: $!";
    my ($ns) = split ' ', <$fh>;
    return $ns / 1e9;
}


sub figure {
    my ($list) = @_;
    my @sorted = sort { $a <=> $b } @$list;
    return sprintf '%.0f (%.0f)', $sorted[$#sorted / 2], $sorted[-1];
}
