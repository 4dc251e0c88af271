#!/usr/bin/perl

# What is no ordinary answer of an upstream passes through a routed location
# as it does through any other: upgraded connections, interim answers, answers
# of HTTP/0.9.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;

my $t = ArtifactTest->new;

my $png = png(80, 60);
my $final = "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: "
    . length($png) . "\r\nConnection: close\r\n\r\n$png";
my %answer = (
    'early' => "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n$final",
    'continue' => "HTTP/1.1 100 Continue\r\n\r\n$final",
    'processing' => "HTTP/1.1 102 Processing\r\n\r\n$final",
    'uninvited' => "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n"
        . "Connection: Upgrade\r\n\r\nbytes of another protocol",
    'refused' => "HTTP/1.1 426 Upgrade Required\r\nUpgrade: x\r\n"
        . "Content-Length: 5\r\n\r\nwords",
    'upgradable' => "HTTP/1.1 200 OK\r\nUpgrade: h2c\r\nConnection: Upgrade"
        . "\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nwords",
    'bare' => "words without a header, as HTTP/0.9 has them\n" x 200,
    'status-only' => "HTTP/1.1 200 OK\r\n\r\n",
);


# An upstream that speaks as it is told, or echoes what follows an upgrade.

my $up = ArtifactUpstream->new($t->prefix . '/up.sock', serve => sub {
    my ($sock) = @_;

    my $head = '';
    until ($head =~ /\r\n\r\n/) {
        sysread $sock, $head, 4096, length $head or return;
    }
    my ($name) = $head =~ m{^\S+ /(\w[-\w]*)} or return;

    if ($answer{$name}) {
        syswrite $sock, $answer{$name};
        shutdown $sock, 1;
        sysread $sock, my $rest, 1;
        return;
    }

    $head =~ /^Upgrade: (\S+)\r$/mi or return;
    syswrite $sock, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: $1\r\n"
        . "Content-Type: text/plain\r\nConnection: Upgrade\r\n\r\nhello";
    while (sysread $sock, my $bytes, 65536) {
        my $at = 0;
        while ($at < length $bytes) {
            $at += syswrite($sock, uc $bytes, length($bytes) - $at, $at)
                // return;
        }
    }
});

# nginx passes early hints on since 1.29.0, if it is told to

my ($version) = $t->version =~ m{nginx/1\.(\d+)};
my $hints = $version >= 29 ? 'early_hints 1;' : '';

my %location = map { $_ => <<"CONF" } qw(off on always);
    location /$_/ {
        artifact_route $_;
        proxy_pass http://up/;
        proxy_http_version 1.1;
        proxy_set_header Upgrade \$http_upgrade;
        proxy_set_header Connection \$http_connection;
    }
CONF
$t->start(http => <<'HTTP', server => <<"SERVER");
    upstream up {
        server unix:%%PREFIX%%/up.sock;
    }
HTTP
    @location{sort keys %location}
    location /hinted/ {
        $hints
        artifact_route always;
        proxy_pass http://up/;
    }
    location /decode/ {
        artifact_route always;
        artifact_decode on;
        proxy_pass http://up/\$artifact_id;
        proxy_http_version 1.1;
        proxy_set_header Upgrade \$http_upgrade;
        proxy_set_header Connection \$http_connection;
    }
SERVER

my @READER = ('X-LLM-Capabilities' => 'text, vision, file');


# Sends bytes through a tunnel and reads as many.

sub echo {
    my ($conn, $bytes) = @_;
    $conn->send($bytes) or return 'not sent';
    my $got = '';
    $conn->_sized(sub { $got .= $_[0] }, length $bytes) or return 'short';
    return $got;
}


for my $where ('off', 'on', 'always', 'decode') {
    my $conn = $t->connect;
    my $res = $conn->request('GET', "/$where/socket", keep => 1, headers => [
        Upgrade => 'websocket', Connection => 'Upgrade', @READER ]);
    is($res->status, 101, "$where: the connection is upgraded");
    is($res->header('Upgrade'), 'websocket', 'with its header');
    is($res->header('Content-Type'), 'text/plain', 'nothing is changed');
    my $hello = '';
    $conn->_sized(sub { $hello .= $_[0] }, 5);
    is($hello, 'hello', 'bytes that came with the header');
    is(echo($conn, "{\"a\"\0\xff}"), "{\"A\"\0\xff}", 'bytes both ways');
    my $long = 'abcdefgh' x 4000;
    is(echo($conn, $long), uc $long, 'many');
    is(echo($conn, 'x'), 'X', 'one');
    $conn->close;
}

# whoever gets no 200 gets what any location would say

for my $name (sort keys %answer) {
    my %got;
    for my $where ('off', 'always') {
        my $conn = $t->connect(timeout => 5);
        $conn->send(ArtifactHTTP::format_request('GET', "/$where/$name",
                                                 headers => [@READER]));
        my $bytes = '';
        while ($conn->_fill) { $bytes .= $conn->{buf}; $conn->{buf} = '' }
        $conn->close;
        $bytes =~ s/^Date: .*\r\n//m;
        $got{$where} = $bytes;
    }
    if ($got{off} =~ m{^HTTP/1.1 200 }) {
        my $res = $t->req('GET', "/always/$name", headers => [@READER]);
        ok($res->{complete}, "$name: complete");
        my $problems = route_problems($res);
        is($problems =~ s/no size; size is no number//r =~ s/no type(; )?//r,
           '', 'and routed');
    } else {
        is($got{always}, $got{off}, "$name: as without routing");
    }
}
is(json_of($t->get('/always/upgradable', @READER))->{content}, 'words',
   'a 200 that offers an upgrade');

SKIP: {
    skip 'an nginx without early_hints', 3 unless $hints;

    my $conn = $t->connect;
    my $hint = $conn->request('GET', '/hinted/early', headers => [@READER]);
    is($hint->status, 103, 'early hints');
    is($hint->header('Link'), '</a>', 'with their headers');
    my $res = $conn->response('GET');
    is(routing_of($res), 'image image_url image/png', 'before the answer');
}

# the methods that no upstream is asked for

for my $method ('CONNECT', 'TRACE') {
    my $res = $t->req($method, '/always/socket', headers => [@READER]);
    like($res->status, qr/^40[05]$/, $method);
}

$up->stop;
$t->finish;
