#!/usr/bin/perl

# A source that is a file, but includes what comes later: what is before that is
# passed on meanwhile.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream qw(read_request send_answer);
use Time::HiRes qw(sleep);

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $before = 'words ' x 1000;

mkdir "$dir/docs";
$t->file('docs/page', "$before<!--#include virtual=\"/late/\" -->end");

# answers when it is told to

my $late = ArtifactUpstream->new("$dir/late", serve => sub {
    my ($sock) = @_;
    my ($head) = read_request($sock) or return;
    for (1 .. 100) {
        last if -e "$dir/go";
        sleep 0.05;
    }
    send_answer($sock, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
        . "Content-Length: 4\r\nConnection: close\r\n\r\n"
        . (-e "$dir/go" ? 'late' : 'lost'));
});

$t->start(server => <<"SERVER");
    artifact_language en;
    location = /message {
        artifact_message;
        artifact_accept text;
        artifact_source /docs/;
    }
    location /docs/ {
        internal;
        root $dir;
        default_type text/plain;
        ssi on;
        ssi_types *;
    }
    location /late/ {
        internal;
        proxy_pass http://unix:$dir/late:;
    }
SERVER

my $body = '{"text":"x","attachments":["artifact:page"]}';
my $conn = $t->connect;
$conn->send("POST /message HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
            . 'Content-Length: ' . length($body) . "\r\n\r\n$body");

my $got = '';
my $res = $conn->response('POST', on_body => sub {
    $got .= $_[0];
    spew("$dir/go", 'x') if $got =~ /words words/;
});

is($res->{complete}, 1, 'the whole answer');
like($got, qr/"(?:words ){1000}lateend"/,
     'words came before the other answer was there');

$late->stop;
$t->finish;
