#!/usr/bin/perl

# What counting costs: the processor time of small requests of an nginx with
# "artifact_status", compared with that of one without.
#
#     bench/status.pl [seconds for each row]

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../t/lib";
use ArtifactBench;
use ArtifactFixtures;
use ArtifactTest;

my $SECONDS = shift // 6;
my ($REQUESTS, $CONNECTIONS) = (1000, 16);

# name, reference, capabilities of the reader

my @cases = (
    ['raw 1 KB', 'text', ''],
    ['routed text 1 KB', 'text', 'text'],
    ['routed PNG 1 KB', 'shot', 'text,vision'],
    ['description', 'shot', 'text'],
);

sub server {
    my ($counted) = @_;

    my $t = ArtifactTest->new;
    $t->artifact('text', 'x' x 1024, { type => 'text/plain', name => 'a.txt' });
    $t->artifact('shot', png(16, 16), { type => 'image/png', name => 'a.png' });

    $t->start(server => <<'CONF' . ($counted ? <<'STATUS' : ''));
        artifact_root %%DATA%%;
        artifact_route on;
        keepalive_requests 100000000;
        open_file_cache max=100;
        access_log off;
        location /artifacts/ { artifact; }
CONF
        location /status { artifact_status; }
STATUS

    my ($worker) = $t->workers;
    system("taskset -cp 0 $worker > /dev/null") == 0 or die "taskset failed\n";

    return { t => $t, worker => $worker };
}

sub cost {
    my ($server, $state, $uri, $headers) = @_;

    my $before = cpu_time($server->{worker});
    slice($state, $server->{t}->port, $uri, $headers, $REQUESTS, $CONNECTIONS);
    return cpu_time($server->{worker}) - $before;
}

pin_client();
my ($counted, $plain) = (server(1), server(0));

printf "%-20s %s\n", 'small requests', 'processor time, counted/not';

for my $case (@cases) {
    my ($name, $ref, $caps) = @$case;
    my $uri = "/artifacts/$ref";
    my $headers = length $caps ? "X-LLM-Capabilities: $caps\r\n" : '';
    my @states = ({}, {});

    # the length of a text is known from the second answer on

    slice({}, $_->{t}->port, $uri, $headers, 1, 1) for $counted, $plain;

    my $ratio = compare($SECONDS,
                        sub { cost($counted, $states[0], $uri, $headers) },
                        sub { cost($plain, $states[1], $uri, $headers) });

    printf "%-20s %.3f\n", $name, $ratio;
}

$_->{t}->stop for $counted, $plain;
