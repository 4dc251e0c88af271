#!/usr/bin/perl

# The client's side of proxied sources: slow readers, readers that go away,
# pipelining, limits of speed, and reloads in the middle of it.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;
use ArtifactWrite qw(until_true);

my $t = ArtifactTest->new;
my $spare = ArtifactTest->new;
my $narrow = $spare->port;

my %content = (
    png => [png(90, 90), 'image/png'],
    text => [bytes("第一行 \"quoted\"\n" x 30_000), 'text/plain'],
    pdf => [pdf() . "\0\1\2\xff" x 300_000, 'application/pdf'],
    small => ["words\n", 'text/plain'],
);
my $up = ArtifactUpstream->new($t->prefix . '/up.sock', contents => {
    map { $_ => { body => $content{$_}[0], type => $content{$_}[1] } }
        keys %content,
});

my $locations = join '', map {
    my ($name, $conf) = @$_;
    "location /$name/ { proxy_pass http://up/; $conf }\n"
} ['plain', ''], ['unbuffered', 'proxy_buffering off;'],
  ['no-file', 'proxy_max_temp_file_size 0;'],
  ['sendfile', 'sendfile on; proxy_buffers 2 4k; proxy_buffer_size 4k;'
      . 'proxy_busy_buffers_size 4k;'],
  ['rate', 'limit_rate 4m;'], ['rate-up', 'proxy_limit_rate 8m;'],
  ['no-postpone', 'postpone_output 0; tcp_nopush on;'],
  ['store', 'proxy_store %%PREFIX%%/store$uri;'],
  ['ignore', 'proxy_ignore_client_abort on;'];

my %part = (http => <<'HTTP', server => <<"SERVER");
    upstream up {
        server unix:%%PREFIX%%/up.sock max_fails=0;
    }
    artifact_route on;
HTTP
    listen 127.0.0.1:$narrow sndbuf=32k;
    $locations
SERVER
$t->start(%part);

my $ALL = 'text, vision, file';
my @READER = ('X-LLM-Capabilities' => $ALL);

my %want;
for my $id (keys %content) {
    my $res = $t->accept($ALL, "/plain/$id");
    is(route_problems($res), '', "$id is well-formed");
    $want{$id} = $res->body;
}
is(json_of($t->accept($ALL, '/plain/text'))->{content},
   chars($content{text}[0]), 'the text is whole');

sub same {
    my ($res, $uri) = @_;
    my ($mode, $id) = $uri =~ m{([^/]+)/([^?]+)};
    my $body = $res->body;
    $body =~ s{"id":"$mode/}{"id":"plain/};
    return $res->{complete} && $body eq $want{$id};
}

# A connection that takes little at a time, from a server whose buffers in the
# kernel are small.

sub slow_reader {
    return ArtifactHTTP->new($narrow, rcvbuf => 4096);
}


sub format_get {
    my ($uri, %opt) = @_;
    return ArtifactHTTP::format_request('GET', $uri, headers => [@READER],
                                        %opt);
}

# slow readers

for my $uri ('/plain/png', '/plain/text', '/plain/pdf', '/unbuffered/pdf',
             '/unbuffered/text', '/no-file/pdf', '/sendfile/pdf',
             '/sendfile/text', '/rate/pdf', '/rate-up/pdf',
             '/no-postpone/text', '/store/pdf')
{
    my $slow = slow_reader();
    my $res = $slow->request('GET', $uri, pace => [30_000, 0.001],
                             headers => [@READER]);
    ok(same($res, $uri), "a slow reader of $uri");
}
ok(slurp($t->prefix . '/store/store/pdf') eq $content{pdf}[0],
   'proxy_store keeps what came, not what was made of it');

# keep-alive and pipelining

my @uris = map { my $mode = $_; map { "/$mode/$_" } qw(png small text pdf) }
    qw(plain unbuffered no-file);
my (@wrong, @statuses);
my $conn = $t->connect;
for my $uri (@uris) {
    my $res = $conn->request('GET', $uri, keep => 1, headers => [@READER]);
    push @wrong, $uri if !same($res, $uri) || $res->{trailing};
}
is(join('; ', @wrong), '', 'one connection, one request after the other');

$conn = $t->connect;
$conn->send(join '', map { format_get($_, keep => 1) } @uris);
@wrong = grep { !same($conn->response('GET'), $_) } @uris;
is(join('; ', @wrong), '', 'pipelined requests');

$conn = $t->connect;
my @mixed = (['GET', '/plain/png', 200], ['HEAD', '/plain/png', 200],
             ['GET', '/plain/nope', 404], ['HEAD', '/unbuffered/text', 200],
             ['GET', '/plain/png?header=Content-Encoding:x', 502],
             ['GET', '/plain/pdf?header=Content-Encoding:x', 502],
             ['GET', '/plain/png?status=206', 502],
             ['GET', '/unbuffered/pdf?header=Content-Encoding:x', 502],
             ['GET', '/plain/pdf?status=415', 415],
             ['GET', '/plain/small', 200]);
$conn->send(join '', map {
    ArtifactHTTP::format_request($_->[0], $_->[1], keep => 1,
                                 headers => [@READER])
} @mixed);
push @statuses, $conn->response($_->[0])->{status} for @mixed;
is("@statuses", join(' ', map { $_->[2] } @mixed),
   'GET, HEAD and refusals, pipelined');
$conn->close;

# readers that go away, early and late

for my $n (0 .. 11) {
    my $mode = (qw(plain unbuffered no-file ignore))[$n % 4];
    my $gone = slow_reader();
    $gone->send(format_get("/$mode/pdf" . ($n < 4 ? '?wait=100' : '')));
    select undef, undef, undef, 0.01 * $n;
    $gone->close;
}
ok(same($t->accept($ALL, '/plain/pdf'), '/plain/pdf'),
   'readers that go away do no harm');

# a reload in the middle, and the end of nginx

my @readers = map {
    my $reader = slow_reader();
    $reader->send(format_get($_, keep => 1));
    [$_, $reader];
} '/plain/pdf?last', '/unbuffered/pdf?last', '/no-file/text?last',
  '/plain/png?last&wait=50', '/unbuffered/text?last&wait=5000';
my $asked = 0;
ok(until_true(sub {
    $asked += grep { /\?last/ } $up->requests;
    return $asked == @readers;
}, 20), 'the upstream is asked for all of them');
ok($t->reload(%part), 'a reload during transfers');
for (@readers) {
    my ($uri, $reader) = @$_;
    ok(same($reader->response('GET'), $uri), "$uri outlives it");
    $reader->close;
}
ok(same($t->accept($ALL, '/plain/text'), '/plain/text'),
   'the new workers do as well');

$up->stop;
$t->finish;
