#!/usr/bin/perl

# What MCP costs: requests per processor second of the tool read_artifact,
# compared with those of GET of the same artifact, routed for the same reader;
# then the same text from an MCP server in Node.js, server-filesystem behind
# mcp-proxy, with the processor time of both its processes.  Its packages are
# those of "make test-clients", in build/clients/more.
#
#     bench/mcp.pl [seconds for each row]

use strict;
use warnings;

use FindBin;
use IO::Socket::INET;
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

# The other server: what is measured takes turns as above.

my $modules = "$FindBin::Bin/../build/clients/more/node_modules";
my $bridge = "$modules/mcp-proxy/dist/bin/mcp-proxy.mjs";
my $server = "$modules/\@modelcontextprotocol/server-filesystem/dist/index.js";

if (!-e $bridge || !-e $server || `node --version 2>&1` !~ /^v(\d+)/
    || $1 < 20)
{
    print "server-filesystem: skipped, it needs Node.js 20 and the packages of",
        " t/npm/clients/more in $modules\n";
    exit;
}

my $folder = "$t->{data}/artifacts";
my $free = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 1)
    or die "listen: $!\n";
my $port = $free->sockport;

close $free;

my $pid = fork // die "fork: $!\n";

if ($pid == 0) {
    open STDOUT, '>', '/dev/null';
    open STDERR, '>', '/dev/null';
    exec 'taskset', '-c', '0', 'node', $bridge, '--host', '127.0.0.1',
        '--port', $port, '--server', 'stream', '--', 'node', $server, $folder
        or die "node: $!\n";
}

END {
    my $status = $?;

    # the bridge ends its server

    if ($pid) {
        kill 'TERM', $pid;
        waitpid $pid, 0;
    }

    $? = $status;
}

sub node_message {
    my ($session, $method, $params) = @_;
    my $body = mcp_message($method, $params);

    # of an older revision

    $body =~ s/"_meta":\{(?:[^{}]|\{[^{}]*\})*\},?//;

    return "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:$port\r\n$session"
           . "Content-Type: application/json\r\n"
           . "Accept: application/json, text/event-stream\r\n"
           . 'Content-Length: ' . length($body) . "\r\n\r\n$body";
}

# Of all of its threads.

sub children {
    my ($parent) = @_;

    return map {
        open my $fh, '<', $_ or die "$_: $!\n";
        split ' ', <$fh> // '';
    } glob "/proc/$parent/task/*/children";
}

# Sends one message, and returns what comes until the answer is complete.

sub ask {
    my ($request) = @_;
    my $sock;

    for (1 .. 200) {
        $sock = IO::Socket::INET->new("127.0.0.1:$port") and last;
        select undef, undef, undef, 0.1;
    }

    print {$sock // die "mcp-proxy does not start\n"} $request;

    my $got = '';

    while ($got !~ /\r\n\r\n.*\}\s*(?:\r\n0\r\n\r\n)?\z/s) {
        sysread $sock, $got, 65536, length $got or last;
    }

    return $got;
}

my $hello = ask(node_message('', 'initialize', {
    protocolVersion => '2025-06-18', capabilities => {},
    clientInfo => { name => 'bench', version => '1' },
}));
my ($id) = $hello =~ /^mcp-session-id: *(\S+)/im
    or die "mcp-proxy: $hello\n";
my $request = node_message("Mcp-Session-Id: $id\r\n", 'tools/call', {
    name => 'read_text_file', arguments => { path => "$folder/text" },
});

ask($request) =~ /A line of the log/ or die "server-filesystem: no text\n";

my @pids = ($pid, children($pid));
my %node = (request => $request);
my %here = (request => message('text', "X-LLM-Capabilities: text\r\n"));

# One at a time: requests of a session may not have the same id at once.

my $ratio = compare($SECONDS, sub {
    my $before = cpu_time(@pids);
    slice(\%node, $port, '', '', 50, 1);
    return (cpu_time(@pids) - $before) / 50;
}, sub { cost(\%here, '', '') / $REQUESTS });

printf "%-20s %.1f\n", 'MCP/Node, 10 KB', $ratio;
