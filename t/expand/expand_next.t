#!/usr/bin/perl

# An expanded body goes to the next peer when one broke off while it was being
# sent: one in memory, and one in a file, with sendfile and without.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactEcho;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my %image = (small => png(4, 4), large => png(4, 4) . 'x' x (1 << 20));

$t->artifact($_, $image{$_}, { mimeType => 'image/png' }) for keys %image;

my $echo = echo("$dir/echo");
my $broken = ArtifactUpstream->new("$dir/broken", serve => sub {
    my ($sock) = @_;
    sysread $sock, my $some, 100;
});

my $next = 'artifact_expand on; proxy_pass http://peers;'
    . ' proxy_next_upstream error non_idempotent;';
$t->start(http => <<"HTTP", server => <<"SERVER");
    upstream peers {
        server unix:$dir/broken max_fails=0;
        server unix:$dir/echo max_fails=0;
    }
HTTP
    artifact_root %%DATA%%;
    artifact_inline_max 0;
    artifact_accept vision;
    proxy_send_timeout 5s;
    proxy_read_timeout 5s;
    client_body_buffer_size 16k;
    location /artifacts/ { internal; artifact; }
    location /v1/ { $next }
    location /sendfile/ { sendfile on; $next }
SERVER

for my $location (qw(v1 sendfile)) {
    for my $id (sort keys %image) {
        my $body = '{"messages":[{"role":"user","content":[{"type":"image_url",'
            . '"image_url":{"url":"%s"}}]}]}';
        my $want = sprintf $body, 'data:image/png;base64,' . b64($image{$id});

        # every other one comes to the first peer first

        for my $n (1 .. 4) {
            my $res = $t->req('POST', "/$location/chat/completions",
                body => sprintf($body, "artifact:$id"),
                headers => ['Content-Type' => 'application/json']);
            ok($res->{status} == 200 && $res->{body} eq $want,
               "$location: $id, $n");
        }
    }
}

like($t->log, qr/while (?:reading|sending).*unix:\Q$dir\E\/broken/,
     'a peer broke off');

$broken->stop;
$echo->stop;
$t->finish;
