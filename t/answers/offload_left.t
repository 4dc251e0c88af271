#!/usr/bin/perl

# A client that leaves while a thread writes base64 of its answer, and nginx
# waits for a subrequest: the request ends.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream qw(read_request);
use ArtifactWrite qw(left_behind until_true);
use IO::Socket::INET;

my $t = ArtifactTest->new;

my $image = b64(png(40, 40) . rand_bytes(400_000));
my $body = '{"data":[' . join(',', map { qq({"b64_json":"$image"}) } 1 .. 3)
    . ']}';

my $up = ArtifactUpstream->new($t->prefix . '/up', contents => {
    'images/generations' => { body => $body, type => 'application/json' },
});

my $slow = ArtifactUpstream->new($t->prefix . '/slow', serve => sub {
    my ($sock) = @_;

    read_request($sock) or return;
    select undef, undef, undef, 0.3;
});

my $pass = 'proxy_pass http://unix:' . $t->prefix . '/up:/;';

$t->start(server => <<"SERVER");
    artifact_root %%DATA%%;

    location /buffered/ {
        artifact_offload on;
        aio threads;
        add_before_body /slow;
        addition_types *;
        $pass
    }
    location /unbuffered/ {
        artifact_offload on;
        aio threads;
        add_before_body /slow;
        addition_types *;
        proxy_buffering off;
        $pass
    }
    location /slow {
        proxy_pass http://unix:@{[$t->prefix]}/slow:;
    }
SERVER

my ($worker) = $t->workers;

sub sockets {
    return scalar grep { (readlink($_) // '') =~ /^socket:/ }
        glob "/proc/$worker/fd/*";
}

my $before = sockets();

for my $uri ('/buffered/', '/unbuffered/') {
    for my $n (1 .. 60) {
        my $sock = IO::Socket::INET->new(PeerAddr => '127.0.0.1',
            PeerPort => $t->port) or die "connect: $!";
        syswrite $sock, "GET ${uri}images/generations HTTP/1.1\r\n"
            . "Host: localhost\r\n\r\n";
        select undef, undef, undef, 0.0005 * $n;
        close $sock;
    }
    ok(until_true(sub { sockets() <= $before }, 5), "$uri: all have ended");
    is(($t->workers)[0], $worker, "$uri: the worker lives");
}
is(left_behind($t), '', 'nothing is left');

$_->stop for $up, $slow;
$t->finish;
