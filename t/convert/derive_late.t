#!/usr/bin/perl

# The time for conversions also ends for those that cannot be stopped at once:
# that wait for another request's cache entry, or have another location's page.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream qw(read_request);
use Time::HiRes qw(sleep);

my $t = ArtifactTest->new;
my $dir = $t->prefix;

# Never ends, one way or the other.

my $converter = ArtifactUpstream->new("$dir/convert.sock", serve => sub {
    my ($sock) = @_;

    my ($head) = read_request($sock) or return;
    if ($head =~ m{^\w+ /silent}) {
        sysread $sock, my $end, 1;
        return;
    }

    open my $asked, '>>', "$dir/asked" or die "$dir/asked: $!";
    syswrite $asked, "1\n";

    syswrite $sock, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n";
    while (1) {
        syswrite $sock, 'x' or return;
        sleep 0.05;
    }
});

$t->artifact("scan$_", png(40, 30), { type => 'image/png' }) for 1, 2;

my $rule = 'artifact_derive_timeout 300ms; artifact_derive image text/plain';

$t->start(http => "proxy_cache_path $dir/cache keys_zone=derived:1m;",
          server => <<"SERVER");
    artifact_root %%DATA%%;
    artifact_route on;

    location /page/ { artifact; $rule /failing/silent body; }
    location /locked/ { artifact; $rule /cached/x body; }
    location /locking/ {
        artifact;
        artifact_derive image text/plain /cached/x body;
    }

    location /artifacts/ { internal; artifact; }
    location = /message { artifact_message; $rule /failing/silent body; }

    location /failing/ {
        internal;
        proxy_intercept_errors on;
        proxy_pass http://unix:$dir/convert.sock:/;
        error_page 502 504 = \@page;
    }
    location \@page {
        rewrite ^ /dripping break;
        proxy_pass http://unix:$dir/convert.sock:;
    }

    location /cached/ {
        internal;
        proxy_cache derived;
        proxy_cache_methods POST;
        proxy_cache_key same;
        proxy_cache_valid 1m;
        proxy_cache_lock on;
        proxy_cache_lock_age 60s;
        proxy_cache_lock_timeout 1s;
        proxy_pass http://unix:$dir/convert.sock:/;
    }
SERVER

is($t->accept('text', '/page/scan1')->status, 504, 'the page of an error');

my $res = $t->req('POST', '/message',
    headers => ['Content-Type' => 'application/json',
                'X-LLM-Capabilities' => 'text'],
    body => encode_json_bytes({ text => 'see',
                                attachments => ['artifact:scan1'] }));
is($res->status, 200, 'the same for an attachment');
like($res->body, qr/scan1/, 'that becomes words');

my $first = $t->connect;
$first->send("GET /locking/scan1 HTTP/1.1\r\nHost: x\r\n"
             . "X-LLM-Capabilities: text\r\n\r\n");
sleep 0.01 until -s "$dir/asked" && slurp("$dir/asked") =~ /1\n.*1\n/s;

is($t->accept('text', '/locked/scan2')->status, 504,
   'another request that fills the cache');
$first->close;

$t->allow(qr/conversion "[^"]+" of an artifact failed/,
          qr/conversions took longer/, qr/upstream timed out/);
$converter->stop;
$t->finish;
