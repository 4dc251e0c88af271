#!/usr/bin/perl

# The body of a message to the MCP server: however it comes, the answer is the
# same; what is too large, broken or never ends is refused, and the connection
# serves the next message.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactMcp;
use ArtifactTest;

my $t = ArtifactTest->new;

$t->artifact('note', bytes("eine \"Notiz\" – ☃\n"),
             { type => 'text/plain', name => 'note.txt' });

$t->start(server => <<'SERVER');
    artifact_root %%DATA%%;
    artifact_body_max 1m;
    client_max_body_size 4m;

    location = /mcp       { artifact_mcp; }
    location = /small     { artifact_mcp; client_body_buffer_size 1; }
    location = /mirrored  { artifact_mcp; mirror /null; }
    location = /file      { artifact_mcp; mirror /null;
                            client_body_in_file_only on; }
    location = /hundred   { artifact_mcp; artifact_body_max 100; }
    location = /unlimited { artifact_mcp; artifact_body_max 0;
                            client_max_body_size 0; }
    location = /nginx     { artifact_mcp; client_max_body_size 10; }
    location = /timeout   { artifact_mcp; client_body_timeout 200ms; }
    location = /null      { internal; return 204; }
SERVER

my $params = { name => 'read_artifact', arguments => { ref => 'note' } };
my $body = mcp_message('tools/call', $params, id => 7);
my @headers = mcp_headers('tools/call', $params);
my $want = $t->req('POST', '/mcp', headers => \@headers, body => $body);

is($want->status, 200, 'a message is answered');
like(chars($want->body), qr/"eine \\"Notiz\\" – ☃\\n"/, 'with the text');

sub head {
    my ($uri, @more) = @_;
    my @all = (@headers, @more);
    my $head = "POST $uri HTTP/1.1\r\nHost: x\r\n";

    while (my ($name, $value) = splice @all, 0, 2) {
        $head .= "$name: $value\r\n";
    }

    return "$head\r\n";
}

sub ask {
    my ($uri, $text) = @_;
    return $t->req('POST', $uri, headers => \@headers, body => $text);
}


# --- in any pieces -----------------------------------------------------------

for my $uri (qw(/small /mirrored /file /unlimited)) {
    is(ask($uri, $body)->body, $want->body, "$uri: the same");
}

my $conn = $t->connect;
my $wrong = 0;

for my $at (0 .. length $body) {
    $conn->send(head('/mcp', 'Content-Length' => length $body)
                . substr $body, 0, $at);
    $t->get('/null') if $at % 16 == 0;
    $conn->send(substr $body, $at);
    $wrong++ if $conn->response('POST')->body ne $want->body;
}

is($wrong, 0, 'cut anywhere, on one connection');

$conn->send(head('/mcp', 'Transfer-Encoding' => 'chunked')
            . join('', map { "1\r\n$_\r\n" } split //, $body) . "0\r\n\r\n");
is($conn->response('POST')->body, $want->body, 'in chunks of a byte');

$conn->send(head('/mcp', 'Content-Length' => length $body,
                 Expect => '100-continue'));
is($conn->response('POST')->status, 100, 'a client that waits is told to go on');
$conn->send($body);
is($conn->response('POST')->body, $want->body, 'and answered');

$conn->send(join '', (head('/mcp', 'Content-Length' => length $body)
                      . $body) x 3);
is($conn->response('POST')->body, $want->body, 'three at once') for 1 .. 3;


# --- of any length -----------------------------------------------------------

my $long = $body =~ s/\{/'{"x":"' . 'y' x 900000 . '",'/er;

is(ask($_, $long)->body, $want->body, "$_: behind 900 KB")
    for qw(/mcp /mirrored /file);

# each byte is a read of nginx's: a busy machine takes long for a million

$long = $body =~ s/\{/'{"x":"' . 'y' x 50000 . '",'/er;

is(ask('/small', $long)->body, $want->body, '/small: behind 50 KB');

$long = $body =~ s/\{/'{"x":"' . 'y' x 2000000 . '",'/er;

is(ask('/unlimited', $long)->body, $want->body, 'behind 2 MB without a limit');
mcp_error(ask('/mcp', $long), 413, -32600, undef, 'more than is allowed');
mcp_error(ask('/hundred', $body), 413, -32600, undef, 'even a little');
mcp_error(ask('/nginx', $body), 413, -32600, undef,
          'nginx refuses more than it takes');

$conn = $t->connect;
$conn->send(head('/mcp', 'Transfer-Encoding' => 'chunked')
            . sprintf("%x\r\n%s\r\n", length $long, $long) . "0\r\n\r\n");
mcp_error($conn->response('POST'), 413, -32600, undef,
          'more than is allowed, as is seen at the end');

$conn = $t->connect;
$conn->send(head('/hundred', 'Transfer-Encoding' => 'chunked')
            . sprintf("%x\r\n%s\r\n", length $body, $body) . "0\r\n\r\n");
mcp_error($conn->response('POST'), 413, -32600, undef, 'a little more');
$conn->send(head('/mcp', 'Content-Length' => length $body) . $body);
is($conn->response('POST')->body, $want->body, 'and the next one is answered');


# --- broken ------------------------------------------------------------------

$conn = $t->connect;
$conn->send(head('/mcp', 'Content-Length' => 500000) . 'no' . ' ' x 499998);
mcp_error($conn->response('POST'), 400, -32700, undef, 'half a megabyte of no JSON');
$conn->send(head('/mcp', 'Content-Length' => length $body) . $body);
is($conn->response('POST')->body, $want->body, 'and the next one');

for my $n (0, 1, int(length($body) / 2), length($body) - 1) {
    mcp_error(ask('/mcp', substr $body, 0, $n), 400, -32700, undef,
              "the first $n bytes");
    my $half = $t->connect;
    $half->send(head('/mcp', 'Content-Length' => length $body)
                . substr $body, 0, $n);
    $half->close;
}

is(ask('/timeout', $body)->body, $want->body, 'in time');
$conn = $t->connect;
$conn->send(head('/timeout', 'Content-Length' => length $body)
            . substr $body, 0, 10);
ok($conn->at_end, 'a body that never ends is not waited for');

$conn = $t->connect;
$conn->send(head('/mcp', 'Transfer-Encoding' => 'chunked') . "zz\r\n");
is($conn->response('POST')->status, 400, 'chunks that are none');

is(ask('/mcp', $body)->body, $want->body, 'others are answered');


$t->finish;
