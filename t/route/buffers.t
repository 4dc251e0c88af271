#!/usr/bin/perl

# Whatever the buffers, file modes and protocol: the same bodies.

use strict;
use warnings;
use utf8;

use Compress::Zlib qw(memGunzip);
use Encode ();
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;

my $t = ArtifactTest->new;

my %content = (
    png => png(50, 40),
    pdf => pdf() . "\0" . rand_bytes(70_001),
    tiny => "\x89PNG\r\n\x1a\n" . rand_bytes(1),
    text => bytes("第一行 \"quoted\" \\ \x{1f600}\tend\r\n\x01" x 2500),
    short => 'x',
    empty => '',
    utf16 => "\xff\xfe" . Encode::encode('UTF-16LE', "中\x{1f600}é" x 6000),
    stray => "text \xff and \xe4\xb8 more \xf0\x9f\x98" x 1500,
);
my %type = (png => 'image/png', tiny => 'image/png',
            pdf => 'application/pdf');
$t->artifact($_, $content{$_}, { type => $type{$_} || 'text/plain',
                                 name => "$_.x" }) for keys %content;

my %modes = (
    'tiny-buffers' => 'output_buffers 1 512;',
    'two-tiny-buffers' => 'output_buffers 2 64;',
    'odd-buffers' => 'output_buffers 3 1021;',
    'no-postpone' => 'postpone_output 0;',
    'no-postpone-tiny' => 'postpone_output 0; output_buffers 1 512;',
    'large-postpone' => 'postpone_output 65536;',
    'sendfile' => 'sendfile on;',
    'sendfile-tiny' => 'sendfile on; output_buffers 1 512;',
    'sendfile-chunk' => 'sendfile on; sendfile_max_chunk 1000;',
    'nopush' => 'sendfile on; tcp_nopush on;',
    'directio' => 'directio 512;',
    'directio-tiny' => 'directio 512; output_buffers 1 512;',
    'gzip' => 'gzip on; gzip_types application/json; gzip_min_length 1;',
    'gzip-tiny' => 'gzip on; gzip_types application/json; gzip_min_length 1;'
        . 'output_buffers 1 512; gzip_buffers 2 256;',
    'no-chunks' => 'chunked_transfer_encoding off;',
    'rate' => 'limit_rate 1m;',
    'expires' => 'expires 1h; add_header X-Extra 1; charset utf-8;',
    'cache' => 'open_file_cache max=10; open_file_cache_min_uses 1;',
    'formats' => 'artifact_format tool_message;',
);

my ($code) = $t->conf_test(server => 'aio threads;');
if ($code == 0) {
    $modes{threads} = 'aio threads;';
    $modes{'threads-sendfile'} = 'aio threads; sendfile on;';
    $modes{'threads-tiny'} = 'aio threads; output_buffers 1 512;';
    $modes{'threads-directio'} = 'aio threads; directio 512;';
}

my $locations = join '', map {
    "location /$_/ { artifact; $modes{$_} }\n"
} sort keys %modes;

$t->start(workers => 1, server => <<"SERVER");
    artifact_root %%DATA%%;
    artifact_route on;

    location /artifacts/ {
        artifact;
    }
    location /tool/ {
        artifact;
        artifact_format tool_message;
    }
    $locations
SERVER

# The reference: every answer with the default buffers.

my (%want, %tool);
for my $id (sort keys %content) {
    for my $caps ('text', 'text, vision, file') {
        my $res = $t->accept($caps, "/artifacts/$id");
        is(route_problems($res), '', "$id for \"$caps\" is well-formed");
        $want{"$id $caps"} = $res->body;
        $tool{"$id $caps"} = $t->accept($caps, "/tool/$id")->body;
    }
}
for my $id (qw(png pdf tiny)) {
    ok(data_of($t->accept('vision, file', "/artifacts/$id"))
       eq $content{$id}, "$id is whole");
}
is(json_of($t->accept('text', '/artifacts/text'))->{content},
   chars($content{text}), 'the text is whole');

sub plain_body {
    my ($res) = @_;
    return ($res->header('Content-Encoding') // '') eq 'gzip'
        ? memGunzip($res->body) // 'no gzip' : $res->body;
}

for my $mode (sort keys %modes) {
    my @wrong;
    my $want = $mode eq 'formats' ? \%tool : \%want;
    my $zipped = 0;

    for my $id (sort keys %content) {
        for my $caps ('text', 'text, vision, file') {
            my $res = $t->accept($caps, "/$mode/$id",
                                 'Accept-Encoding' => 'gzip');
            push @wrong, "$id for $caps"
                if !$res->{complete} || plain_body($res)
                   ne $want->{"$id $caps"};
            $zipped++ if $res->header('Content-Encoding');

            $res = $t->accept($caps, "/$mode/$id");
            push @wrong, "$id for $caps, not encoded"
                if !$res->{complete} || $res->body ne $want->{"$id $caps"};

            my $head = $t->req('HEAD', "/$mode/$id",
                               headers => ['X-LLM-Capabilities' => $caps]);
            push @wrong, "HEAD of $id for $caps"
                if $head->{status} != 200 || length $head->body;
        }

        my $raw = $t->get("/$mode/$id");
        push @wrong, "$id raw" if $raw->body ne $content{$id};
    }

    is(join('; ', @wrong), '', "$mode: every body is the same");
    ok($zipped, "$mode: and was compressed") if $mode =~ /gzip/;
}

# protocols

for my $id (sort keys %content) {
    my $caps = 'text, vision, file';
    my $want = $want{"$id $caps"};
    my @headers = (headers => ['X-LLM-Capabilities' => $caps]);

    for my $uri ("/artifacts/$id", "/tiny-buffers/$id") {
        my $res = $t->req('GET', $uri, version => '1.0', @headers);
        ok($res->{complete} && $res->body eq $want, "HTTP/1.0 $uri");
        is($res->header('Transfer-Encoding'), undef,
           "HTTP/1.0 $uri is not chunked");

        $res = $t->req('GET', $uri, version => '1.0', keep => 1, @headers);
        ok($res->body eq $want, "HTTP/1.0 $uri with keep-alive");
    }
}

my $conn = $t->connect;
my @wrong;
for my $round (1 .. 3) {
    for my $case (sort keys %want) {
        my ($id, $caps) = split / /, $case, 2;
        my $res = $conn->request('GET', "/artifacts/$id", keep => 1,
            headers => ['X-LLM-Capabilities' => $caps]);
        push @wrong, $case if $res->body ne $want{$case} || $res->{trailing};
    }
}
is(join('; ', @wrong), '', 'one connection, one request after the other');

my @cases = (sort keys %want) x 2;
$conn = $t->connect;
$conn->send(join '', map {
    my ($id, $caps) = split / /, $_, 2;
    ArtifactHTTP::format_request('GET', "/artifacts/$id", keep => 1,
        headers => ['X-LLM-Capabilities' => $caps]);
} @cases);
@wrong = ();
for my $case (@cases) {
    push @wrong, $case if $conn->response('GET')->body ne $want{$case};
}
is(join('; ', @wrong), '', 'pipelined requests');

# slow readers

for my $uri ('/artifacts/pdf', '/tiny-buffers/pdf', '/rate/pdf',
             '/sendfile/pdf', '/gzip-tiny/text', '/two-tiny-buffers/text')
{
    my ($id) = $uri =~ m{([^/]+)\z};
    my $slow = $t->connect(rcvbuf => 4096);
    my $res = $slow->request('GET', $uri, pace => [2000, 0.001],
        headers => ['X-LLM-Capabilities' => 'text, vision, file',
                    'Accept-Encoding' => 'gzip']);
    ok($res->{complete} && plain_body($res)
       eq $want{"$id text, vision, file"}, "a slow reader of $uri");
}

# readers that go away

for my $n (1 .. 10) {
    my $gone = $t->connect(rcvbuf => 4096);
    $gone->send(ArtifactHTTP::format_request('GET', '/tiny-buffers/pdf',
        headers => ['X-LLM-Capabilities' => 'file']));
    select undef, undef, undef, 0.01 * $n;
    $gone->close;
}
ok($t->accept('file', '/artifacts/pdf')->body
   eq $want{'pdf text, vision, file'}, 'readers that go away do no harm');

$t->finish;
