#!/usr/bin/perl

# Files that change while they are being sent: one that shrinks breaks the
# answer off, never to be taken for a whole one; one that grows does not
# matter.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use Time::HiRes qw(sleep);

my $SIZE = 12_000_000;

my $t = ArtifactTest->new;
my $file = $t->data . '/artifacts/file';

$t->start(server => <<'SERVER');
    artifact_root %%DATA%%;
    artifact_inline_max 0;
    artifact_route on;

    location /artifacts/ {
        artifact;
    }
    location /sendfile/ {
        artifact;
        sendfile on;
    }
    location /object/ {
        artifact;
        artifact_format object;
    }
    location /tool/ {
        artifact;
        artifact_format tool_message;
    }
SERVER
$t->allow(qr/\[alert\].*(read only|truncated|sendfile)/);

# Starts reading, changes the file, reads the rest.

sub disturbed {
    my ($uri, $type, $caps, $change) = @_;

    unlink $file;
    spew($file, $type =~ /text/ ? 'some words ' x ($SIZE / 11)
                                : "\0\1\2\3" x ($SIZE / 4));
    $t->artifact('file', undef, { type => $type });
    my $size = -s $file;

    my $conn = $t->connect(rcvbuf => 8192);
    $conn->send(ArtifactHTTP::format_request('GET', $uri,
        headers => [$caps ? ('X-LLM-Capabilities' => $caps) : ()]));
    sleep 0.3;
    $change->($size);
    return ($conn->response('GET'), $size);
}

my @cases = (
    ['an image', 'image/png', 'vision', '/artifacts/file'],
    ['a file', 'application/x-blob', 'file', '/artifacts/file'],
    ['a file by sendfile', 'application/x-blob', 'file', '/sendfile/file'],
    ['a text', 'text/plain', 'text', '/artifacts/file'],
    ['an object', 'application/x-blob', 'file', '/object/file'],
    ['a tool message', 'text/plain', 'text', '/tool/file'],
    ['raw bytes', 'text/plain', '', '/artifacts/file'],
    ['raw bytes by sendfile', 'text/plain', '', '/sendfile/file'],
);

for my $case (@cases) {
    my ($what, $type, $caps, $uri) = @$case;

    my $size = length $t->log;
    my ($res) = disturbed($uri, $type, $caps,
                          sub { truncate $file, 1000 });
    is($res->{status}, 200, "$what: had begun");
    ok(!$res->{complete}, "$what: breaks off when its file shrinks");
    ok(!eval { decode_strict($res->body) }, "$what: what came is no JSON");
    ok($t->wait_for(qr/\A.{$size}.*\[alert\]/s), "$what: the log says so")
        if $size < 30000;

    ($res) = disturbed($uri, $type, $caps, sub {
        open my $fh, '>>', $file or die "$file: $!";
        print {$fh} 'more and more ' x 1000;
    });
    ok($res->{complete}, "$what: ends in time when its file grows");
    next if !$caps || $what =~ /object|tool/;
    is(route_problems($res), '', "$what: and is well-formed");
    is(length($caps eq 'text' ? json_of($res)->{content} : data_of($res)),
       json_of($res)->{metadata}{size}, "$what: of the size it had");
}

is($t->get('/artifacts/file')->{status}, 200, 'the server goes on');

$t->finish;
