#!/usr/bin/perl

# The MCP server under load: large contents in constant memory both ways, two
# hundred clients at once, HTTP/2, artifacts deleted while a page is read,
# clients that go away.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactCurl;
use ArtifactMcp;
use ArtifactTest;
use ArtifactWrite;
use Digest::SHA;
use MIME::Base64 qw(decode_base64 encode_base64);

my $SIZE = 200 << 20;
my $t = ArtifactTest->new;
my $files = $t->data . '/workspaces';
my $sanitized = $t->version =~ /-fsanitize/;
my $spare = ArtifactTest->new;

# a hole with a first and a last byte

my $large = $t->data . '/artifacts/large';
open my $fh, '>:raw', $large or die "$large: $!";
print $fh "\0" and seek $fh, $SIZE - 1, 0 and print $fh "\xff" or die $!;
close $fh or die $!;
$t->artifact('large', undef, { type => 'application/octet-stream',
                               name => 'large.bin' });
$t->artifact('small', "words\n", { type => 'text/plain', name => 's.txt' });
$t->artifact('text', "one line of text, and \"another\"\n" x 300_000,
             { type => 'text/plain', name => 't.txt' });
$t->artifact(sprintf('p%04d', $_), "content $_\n",
             { type => 'text/plain', name => "p$_.txt" }) for 1 .. 1500;

my $http2 = 'server { listen 127.0.0.1:' . $spare->port . ' http2;'
    . mcp_server(server => 'artifact_inline_max 0;') . ' }';

$t->start(main => 'thread_pool default threads=2;', http => $http2,
          server => mcp_server(server => 'artifact_inline_max 0;'));

my ($worker) = $t->workers;

sub grown {
    my ($before, $most, $name) = @_;

    SKIP: {
        skip 'a sanitizer keeps freed memory', 1 if $sanitized;
        cmp_ok($most - $before, '<', 1024, "$name: less than 1 MB more");
    }
}

sub uri_of {
    return { uri => "artifact:$_[0]" };
}


# everything once, so that what stays allocated is

for (1 .. 3) {
    mcp_ask($t, 'resources/read', uri_of('text'));
    mcp_ask($t, 'resources/list', {});
    mcp_ask($t, 'tools/call', { name => 'write_file', arguments => {
        workspace => 'warm', path => "$_", base64 => b64('x' x 300_000) } });
}


# --- 200 MB are read ---------------------------------------------------------

for my $older (undef, $OLDER[0]) {
    my ($before, $most, $bytes, $pieces) = ($t->memory($worker), 0, 0, 0);
    my ($head, $tail) = ('', '');

    my $res = mcp_ask($t, 'resources/read', uri_of('large'), timeout => 60,
        $older ? (older => $older) : (),
        on_body => sub {
            $bytes += length $_[0];
            $head .= $_[0] if length $head < 1000;
            $tail = substr $tail . $_[0], -1000;
            return if ++$pieces % 200;

            my $now = $t->memory($worker);
            $most = $now if $now > $most;
        });

    my $label = $older // $MODERN;
    is($res->status, 200, "$label: 200 MB");
    ok($res->{complete}, 'to the end');

    my $encoded = 4 * int(($SIZE + 2) / 3);
    cmp_ok($bytes, '>', $encoded, 'all of it');
    cmp_ok($bytes, '<', $encoded + 2000, 'once');
    like($head, qr/"blob":\s*"AAAA/, 'the first byte');
    like($tail, qr/AAAA[\w+\/]*=*"/, 'the last one');
    grown($before, $most, "$label: 200 MB");
}


# --- 100 MB are written ------------------------------------------------------

my $CHUNK = join '', map { chr(($_ * 7) % 256) } 1 .. 57 * 1024;
my $ROUNDS = int((100 << 20) / length $CHUNK);
my $digest = Digest::SHA->new(256);
$digest->add($CHUNK) for 1 .. $ROUNDS;
my $sha = $digest->hexdigest;
my $encoded = encode_base64($CHUNK, '');

for my $older (undef, $OLDER[0]) {
    my $label = $older // $MODERN;
    my $meta = $older ? '' : '"_meta":' . encode_json_bytes(mcp_meta()) . ',';
    my $ws = $older ? 'older' : 'modern';
    my $start = "{\"params\":{$meta\"arguments\":{\"base64\":\"";
    my $end = "\",\"workspace\":\"$ws\",\"path\":\"large.bin\"},"
        . '"name":"write_file"},"method":"tools/call","jsonrpc":"2.0","id":1}';
    my @headers = mcp_headers('tools/call', { name => 'write_file' },
                              $older ? (older => $older) : ());
    my $head = "POST /mcp HTTP/1.1\r\nHost: x\r\nConnection: close\r\n";

    while (my ($name, $value) = splice @headers, 0, 2) {
        $head .= "$name: $value\r\n";
    }

    $head .= 'Content-Length: ' . (length($start) + $ROUNDS * length($encoded)
                                   + length $end) . "\r\n\r\n";

    my ($before, $most) = ($t->memory($worker), 0);
    my $conn = $t->connect(timeout => 60);
    my $sent = $conn->send($head . $start);

    for my $round (1 .. $ROUNDS) {
        last unless $sent &&= $conn->send($encoded);
        next if $round % 50;

        my $now = $t->memory($worker);
        $most = $now if $now > $most;
    }

    ok($sent && $conn->send($end), "$label: 100 MB are sent");
    my $result = mcp_result($conn->response('POST'), "$label: and taken",
                            $older ? (older => $older) : ());
    ok(!$result->{isError}, "$label: without an error")
        or diag(mcp_words($result));
    is(eval { Digest::SHA->new(256)->addfile("$files/$ws/large.bin", 'b')
                  ->hexdigest } // '', $sha, "$label: the bytes");
    grown($before, $most, "$label: 100 MB");
    unlink "$files/$ws/large.bin";
}


# a writer that goes away, a reader that does

for my $sent (0, 1, 5) {
    my $conn = $t->connect;
    my @headers = mcp_headers('tools/call', { name => 'write_file' });
    my $head = "POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n";

    while (my ($name, $value) = splice @headers, 0, 2) {
        $head .= "$name: $value\r\n";
    }

    $conn->send("$head\r\n{\"params\":{\"arguments\":{\"workspace\":\"away\","
                . '"path":"a","base64":"' . $encoded x $sent);
    $conn->close;

    $conn = $t->connect(rcvbuf => 4096);
    my $message = mcp_message('resources/read', uri_of('large'));
    $head = "POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: "
        . length($message) . "\r\n";
    @headers = mcp_headers('resources/read', uri_of('large'));
    while (my ($name, $value) = splice @headers, 0, 2) {
        $head .= "$name: $value\r\n";
    }
    $conn->send("$head\r\n$message");
    sysread $conn->{sock}, my $some, 10_000;
    $conn->close;
}

is(left_behind($t), '', 'nothing is left of them');
ok(!-e "$files/away/a", 'nothing is written');


# --- many at once ------------------------------------------------------------

my @connections = map { $t->connect } 1 .. 200;
my @kinds = (
    ['tools/list', {}], ['resources/read', uri_of('small')],
    ['resources/list', {}], ['resources/read', uri_of('text')],
    ['tools/call', { name => 'read_artifact',
                     arguments => { ref => 'artifact:small' } }],
);

for my $i (0 .. $#connections) {
    my ($method, $params) = @{ $kinds[$i % @kinds] };

    $connections[$i]->send(ArtifactHTTP::format_request('POST', '/mcp',
        headers => [mcp_headers($method, $params)],
        body => mcp_message($method, $params, id => $i)));
}

my @wrong;

for my $i (0 .. $#connections) {
    my $res = $connections[$i]->response('POST');
    push @wrong, "$i: $res->{status} " . substr $res->{body}, 0, 60
        if $res->{status} != 200 || !$res->{complete}
           || $res->{body} !~ /"id":$i[,}]/ || $res->{body} !~ /"result":/;
}

is(join("\n", @wrong[0 .. ($#wrong < 4 ? $#wrong : 4)]), '',
   '200 clients have their answers');


# --- what is deleted while a page is read ------------------------------------

my $conn = $t->connect(rcvbuf => 4096);
$conn->send(ArtifactHTTP::format_request('POST', '/mcp',
    headers => [mcp_headers('resources/list', {})],
    body => mcp_message('resources/list', {})));
unlink map { my $id = sprintf 'p%04d', $_;
             map { $t->data . "/artifacts/$id$_" } '', '.meta' } 100 .. 900;
my $page = mcp_result($conn->response('POST', pace => [40_000, 0.02]),
                      'a page that is read slowly');

my @pages = ($page->{resources} // []);
while (defined(my $cursor = $page->{nextCursor})) {
    $page = mcp_result(mcp_ask($t, 'resources/list', { cursor => $cursor }),
                       'the next one');
    push @pages, $page->{resources} // [];
}

my %seen;
$seen{ $_->{uri} }++ for map { @$_ } @pages;
is(join(' ', grep { $seen{$_} > 1 } sort keys %seen), '', 'none twice');
is(join(' ', grep { !$seen{$_} } map { sprintf 'artifact:p%04d', $_ }
        1 .. 99, 901 .. 1500), '', 'those that stayed, once');


# --- HTTP/2 ------------------------------------------------------------------

SKIP: {
    skip('curl without HTTP/2', 3) unless curl_features('HTTP2');

    for my $case (['resources/read', uri_of('small')],
                  ['tools/list', {}], ['resources/read', uri_of('text')])
    {
        my ($method, $params) = @$case;
        my @headers = mcp_headers($method, $params);
        my @args;

        while (my ($name, $value) = splice @headers, 0, 2) {
            push @args, '-H', lc($name) . ": $value";
        }

        my $res = curl($t->prefix, '--http2-prior-knowledge', @args,
                       '--data-binary', mcp_message($method, $params),
                       'http://127.0.0.1:' . $spare->port . '/mcp');
        mcp_result($res, "HTTP/2: $method");
    }
}

$t->finish;
