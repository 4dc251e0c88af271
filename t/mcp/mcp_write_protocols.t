#!/usr/bin/perl

# MCP's tools that write, over HTTP/2, with bodies that another module reads
# first, with small buffers, and from clients that stop sending.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactCurl;
use ArtifactMcpWrite;
use ArtifactTest;
use ArtifactWrite;

plan(skip_all => 'curl has no HTTP2') unless curl_features('HTTP2');

my $t = ArtifactTest->new;
my $spare = ArtifactTest->new;
my $h2 = $spare->port;

my $more = <<'SERVER';
    client_body_timeout 1s;

    location = /mirrored {
        artifact_mcp;
        aio threads;
        mirror /copy;
    }
    location = /mirrored-inline {
        artifact_mcp;
        mirror /copy;
    }
    location = /copy {
        internal;
        return 204;
    }
    location = /small {
        artifact_mcp;
        aio threads;
        client_body_buffer_size 1k;
    }
    location = /limited {
        artifact_mcp;
        artifact_body_max 200k;
    }
SERVER
my $locations = mcp_server($more) =~ s/keepalive_requests \d+;//r;
$t->start(http => <<"HTTP", server => mcp_server($more));
    server {
        listen 127.0.0.1:$h2 http2;
$locations
    }
HTTP

my $large = join '', map { chr($_ % 251) . chr($_ % 7) } 1 .. 400_000;
my @content = ([small => base64 => b64('few')], [large => base64 => b64($large)],
               [text => content => "line\n" x 100_000]);
my %bytes = (small => 'few', large => $large, text => "line\n" x 100_000);

my $n = 0;
for my $content (@content) {
    my ($kind, @content) = @$content;
    for my $at (qw(/mcp /mcp-inline /mirrored /mirrored-inline /small)) {
        my $path = 'f' . $n++;
        my $text = tool_text('write_file', [@content, workspace => 'w',
                                            path => $path]);
        wrote($t, call_text($t, $text, at => $at), "w/$path", $bytes{$kind},
              "$at: $kind");

        my $file = $t->file("body-$path", $text);
        my $res = curl($t->prefix, '--http2-prior-knowledge',
            '-H', 'Content-Type: application/json', '-H', 'Accept: */*',
            '-H', 'MCP-Protocol-Version: 2025-11-25', '--data-binary',
            "\@$file", "http://127.0.0.1:$h2$at");
        wrote($t, ArtifactMcpWrite::answer($res), "w/$path", $bytes{$kind},
              "$at: $kind, HTTP/2");
    }
}
is(left_behind($t), '', 'nothing is left behind');

# --- too much, too slow ---------------------------------------------------

my $before = files_of($t);
my $text = tool_text('write_file', [base64 => b64($large), workspace => 'w',
                                    path => 'f0']);
{
    my $got = call_text($t, $text, at => '/limited');
    is($got->{status}, 413, 'beyond artifact_body_max');

    my $conn = $t->connect;
    $conn->send(call_head('/limited', 0)
                =~ s/Content-Length: 0/Transfer-Encoding: chunked/r);
    $conn->send(sprintf("%x\r\n", length $text) . "$text\r\n0\r\n\r\n");
    is($conn->response('POST')->{status}, 413, '... in chunks');
    nothing_changed($t, $before, 'beyond artifact_body_max');
}

for my $at (qw(/mcp /mcp-inline)) {
    my $conn = $t->connect;
    $conn->send(call_head($at, length $text) . substr $text, 0, 500_000);
    my $res = $conn->response('POST');
    like($res->{status}, qr/\A(?:0|408)\z/, "$at: a client that stops sending");
    nothing_changed($t, $before, "$at: it");
}

$t->finish;
