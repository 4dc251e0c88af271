#!/usr/bin/perl

# Conversions that run at the same time may all have directives of ssi.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactEcho;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream qw(read_request);
use Time::HiRes qw(sleep);

my $t = ArtifactTest->new;
my $dir = $t->prefix;

# The second answer begins after the first, and ends after it.

my $waits = sub { sleep 0.01 until -e "$dir/$_[0]" };

my $converter = ArtifactUpstream->new("$dir/convert.sock", serve => sub {
    my ($sock) = @_;

    my (undef, $body) = read_request($sock) or return;
    my ($n) = $body =~ /(.)\z/;
    my $start = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
              . "Connection: close\r\n\r\n<p>";

    if ($n == 1) {
        syswrite $sock, $start;
        spew("$dir/first", '');
        $waits->('second');
        sleep 0.2;
        syswrite $sock, 'words';
        spew("$dir/ended", '');
        return;
    }

    $waits->('first');
    sleep 0.2;
    syswrite $sock, $start;
    spew("$dir/second", '');
    $waits->('ended');
    sleep 0.2;
    syswrite $sock, '<!--#set var="x" value="more" --><!--#echo var="x" -->';
});
my $echo = echo("$dir/echo");

$t->artifact("scan$_", png(40, 30) . $_, { type => 'image/png' }) for 1, 2;

$t->start(server => <<"SERVER");
    artifact_root %%DATA%%;
    artifact_accept text;
    artifact_route on;

    location /artifacts/ { internal; artifact; }
    location /v1/ {
        artifact_expand on;
        artifact_derive image text/plain /convert/x body;
        proxy_pass http://unix:$dir/echo:;
    }
    location /convert/ {
        internal;
        ssi on;
        proxy_pass http://unix:$dir/convert.sock:/;
    }
SERVER

my $res = $t->req('POST', '/v1/chat/completions',
    headers => ['Content-Type' => 'application/json'],
    body => encode_json_bytes({ model => 'm', messages => [
        { role => 'user', content => [
            map { { type => 'artifact', artifact => "artifact:scan$_" } } 1, 2
        ] } ] }));

is($res->status, 200, 'the request');
like($res->body, qr/<p>words.*<p>more/, 'both in it');

$converter->stop;
$t->finish;
