#!/usr/bin/perl

# A mirror that still sends the body when another location expands it gets all
# of it: the file that the client's body is in is not closed then.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactEcho;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream qw(read_request send_answer);

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $MB = 1 << 20;

$t->artifact('image', png(20, 20), undef, '.png');

# The other one begins to read when the expanded body has been answered.

my $echo = echo("$dir/echo");
my $mirror = ArtifactUpstream->new("$dir/mirror", serve => sub {
    my ($sock) = @_;
    for (1 .. 200) {
        last if -e "$dir/answered";
        select undef, undef, undef, 0.05;
    }
    my (undef, $body) = read_request($sock);
    open my $log, '>>', "$dir/came" or die "came: $!";
    syswrite $log, length($body // '') . "\n";
    send_answer($sock, "HTTP/1.1 200 OK\r\nConnection: close\r\n"
        . "Content-Length: 0\r\n\r\n");
});

$t->start(server => <<"SERVER");
    artifact_root %%DATA%%;
    artifact_inline_max 0;
    artifact_accept vision;
    client_max_body_size 0;
    location /artifacts/ { internal; artifact; }
    location /v1/ {
        mirror /mirror;
        error_page 502 = \@next;
        proxy_pass http://127.0.0.1:1;
    }
    location = /mirror {
        internal;
        proxy_pass http://unix:$dir/mirror:;
    }
    location \@next {
        artifact_expand on;
        proxy_pass http://unix:$dir/echo:;
    }
SERVER

my $body = '{"messages":[{"role":"user","content":[{"type":"text","text":"'
    . 'x' x (8 * $MB) . '"},{"type":"image_url","image_url":'
    . '{"url":"artifact:image"}}]}]}';

my $conn = $t->connect;
my $res = $conn->request('POST', '/v1/chat/completions', body => $body,
                         headers => ['Content-Type' => 'application/json']);
like($res->{body}, qr/"data:image\/png;base64,/, 'expanded');

open my $answered, '>', "$dir/answered" or die "answered: $!";
my $length = length $body;
ok($t->wait_for(qr/^$length$/m, 'came'), 'the mirror has all of it');

$mirror->stop;
$echo->stop;
$t->finish;
