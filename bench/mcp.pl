#!/usr/bin/perl

# What MCP costs: requests per processor second of the tool read_artifact,
# compared with those of GET of the same artifact, routed for the same reader.
#
#     bench/mcp.pl [seconds for each row]

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../t/lib";
use ArtifactBench;
use ArtifactFixtures;
use ArtifactMcp;
use ArtifactTest;

my $SECONDS = shift // 6;
my ($REQUESTS, $CONNECTIONS) = (1000, 16);

# name, reference, capabilities of the reader

my @cases = (
    ['text 1 KB', 'short', 'text'],
    ['text 10 KB', 'text', 'text'],
    ['PNG 10 KB', 'shot', 'text,vision'],
    ['description', 'shot', 'text'],
);

my $t = ArtifactTest->new;
my $line = "A line of the log, with \"quotes\" and an umlaut: \xc3\xa4\n";

$t->artifact('short', substr($line x 30, 0, 1024),
             { type => 'text/plain', name => 'a.txt' });
$t->artifact('text', substr($line x 300, 0, 10240),
             { type => 'text/plain', name => 'b.txt' });
$t->artifact('shot', png(58, 58), { type => 'image/png', name => 'a.png' });

$t->start(server => <<'CONF');
    artifact_root %%DATA%%;
    artifact_route on;
    artifact_format mcp;
    artifact_service "";
    artifact_accept $http_x_llm_capabilities;
    keepalive_requests 100000000;
    open_file_cache max=100;
    access_log off;
    location /artifacts/ { artifact; }
    location = /mcp      { artifact_mcp; }
CONF

my ($worker) = $t->workers;
system("taskset -cp 0 $worker > /dev/null") == 0 or die "taskset failed\n";

sub cost {
    my ($state, $uri, $headers) = @_;

    my $before = cpu_time($worker);
    slice($state, $t->port, $uri, $headers, $REQUESTS, $CONNECTIONS);
    return cpu_time($worker) - $before;
}

sub message {
    my ($ref, $headers) = @_;
    my $params = { name => 'read_artifact', arguments => { ref => $ref } };
    my $body = mcp_message('tools/call', $params);
    my @headers = mcp_headers('tools/call', $params);
    my $request = "POST /mcp HTTP/1.1\r\nHost: bench\r\n$headers"
                  . 'Content-Length: ' . length($body) . "\r\n";

    while (my ($name, $value) = splice @headers, 0, 2) {
        $request .= "$name: $value\r\n";
    }

    return "$request\r\n$body";
}

pin_client();

printf "%-20s %s\n", 'read_artifact', 'requests per processor second, MCP/GET';

for my $case (@cases) {
    my ($name, $ref, $caps) = @$case;
    my $headers = "X-LLM-Capabilities: $caps\r\n";
    my @states = ({ request => message($ref, $headers) }, {});

    my $ratio = compare($SECONDS,
                        sub { cost($states[0], '', $headers) },
                        sub { cost($states[1], "/artifacts/$ref", $headers) });

    printf "%-20s %.3f\n", $name, 1 / $ratio;
}
