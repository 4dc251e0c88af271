#!/usr/bin/perl

# Clients that leave at any moment, in the middle of a request, of the work on
# it (several subrequests at once, threads, caches) or of the answer: whatever
# the feature, no connection, no descriptor and no temporary file stays.

use strict;
use warnings;

use Compress::Zlib qw(crc32);
use FindBin;
use lib "$FindBin::Bin/lib";
use ArtifactCheck;
use ArtifactCurl;
use ArtifactFiles;
use ArtifactFit;
use ArtifactFixtures;
use ArtifactMcp ();
use ArtifactTest;
use ArtifactUpstream;
use ArtifactWrite qw(left_behind until_true);
use IO::Select;
use Time::HiRes qw(sleep time);

my $N = $ENV{TEST_LEAVERS} || 60;   # of each kind of request and way to leave
my $AT_ONCE = 4;

my $t = ArtifactTest->new;
my $spare = ArtifactTest->new;
my @image = map { tiff_of(9, 9, "number $_" . 'x' x 70_000) } 0 .. 11;
my $text = join '', map { "line $_ of a long log\n" } 1 .. 30_000;

$t->artifact("t$_", $image[$_], { type => 'image/tiff' }) for 0 .. 11;
$t->artifact("s$_", "small $_", { type => 'text/plain' }) for 1 .. 300;
$t->artifact('log', $text, { type => 'text/plain' });
$t->workspace_file('ws', "dir/f$_.txt", "of $_") for 1 .. 100;
$t->file('map.json', fit_map());

# what a model's server answers with: an image of 300 KB, whole

my $extra = 'tEXt' . 'x' x 300_000;
my $png = substr(png(2, 2), 0, -12) . pack('N', 300_000) . $extra
    . pack('N', crc32($extra)) . substr png(2, 2), -12;
my $block = '{"type":"image","mimeType":"image/png","data":"' . b64($png)
    . '"}';
my $answer = qq({"jsonrpc":"2.0","id":1,"result":{"content":[$block,$block]}});

my $up = ArtifactUpstream->new($t->prefix . '/up', contents => {
    jpeg => { body => jpeg_of(8, 8, 'x' x 200_000), type => 'image/jpeg' },
    (map { ("t$_" => { body => $image[$_], type => 'image/tiff' }) } 0 .. 11),
    mcp => { body => $answer, type => 'application/json' },
    'sse/mcp' => { body => "event: message\ndata: $answer\n\n",
                   type => 'text/event-stream' } });
my $echo = echoed($t);

my $server = <<'SERVER';
    artifact_root %%DATA%%;
    artifact_language en;
    artifact_index on;
    artifact_sync off;
    artifact_offload_min 1k;
    client_max_body_size 64m;
    client_body_buffer_size 16k;
    aio threads;

    location /artifacts/ {
        artifact;
        artifact_write on;
    }
    location /workspaces/ {
        artifact_workspace;
        artifact_write on;
    }
    location /routed/ {
        artifact;
        artifact_route on;
        artifact_service reads;
        artifact_derive image/tiff text/plain /conv/jpeg body;
        artifact_derive image/tiff text/plain /conv/text body;
    }
    location /conv/ {
        internal;
        rewrite ^ /jpeg break;
        proxy_pass http://unix:%%PREFIX%%/up:;
        proxy_cache kept;
        proxy_cache_methods POST;
        proxy_cache_key $artifact_version$uri;
        proxy_cache_valid 200 404 30d;
        proxy_cache_lock on;
    }
    location /store/ {
        internal;
        rewrite ^/store/(.*) /$1 break;
        proxy_pass http://unix:%%PREFIX%%/up:;
        proxy_cache kept;
        proxy_cache_key store$uri;
        proxy_cache_valid 200 404 30d;
    }
    location /v1/ {
        artifact_expand on;
        artifact_derive image/tiff image/jpeg /conv/jpeg body;
        proxy_pass http://unix:%%PREFIX%%/echo:;
        location /v1/store/ {
            artifact_expand on;
            artifact_source /store/;
            artifact_derive image/tiff image/jpeg /conv/jpeg body;
            proxy_pass http://unix:%%PREFIX%%/echo:;
        }
    }
    location = /message {
        artifact_message;
        artifact_service sees;
        artifact_derive image/tiff image/jpeg /conv/jpeg body;
    }
    location /offload/ {
        artifact_offload on;
        proxy_pass http://unix:%%PREFIX%%/up:/;
        location /offload/sse/ {
            artifact_offload on;
            proxy_buffering off;
            proxy_pass http://unix:%%PREFIX%%/up:/sse/;
        }
    }
    location = /mcp {
        artifact_mcp;
        artifact_service sees;
        artifact_write on;
        artifact_derive image/tiff image/jpeg /conv/jpeg body;
    }
    location /files {
        artifact_files;
    }
    location = /ssi {
        ssi on;
        ssi_types *;
        return 200 '<!--# include virtual="/routed/t1" --><!--# include
 virtual="/artifacts/" --><!--# include virtual="/routed/t2" -->';
    }
SERVER

my $h2 = curl_features('HTTP2');

$t->allow(qr/upstream/);
$t->start(
    main => 'thread_pool default threads=3;',
    http => <<"HTTP" . ($h2 ? <<"MORE" : ''), server => $server);
    artifact_capabilities %%PREFIX%%/map.json;
    proxy_cache_path %%PREFIX%%/kept keys_zone=kept:1m;
HTTP
    server {
    listen 127.0.0.1:${\$spare->port} http2;
$server
    }
MORE

sub body {
    my ($own, $at) = @_;
    return post($at, body_of('openai', 'sees', map {
        $own ? inline_part('openai', 'image', 'image/tiff', $image[$_])
             : slot('openai', 'image', "artifact:t$_") } 0 .. 11),
        'Content-Type' => 'application/json');
}

sub post {
    my ($at, $body, @headers) = @_;
    return ArtifactHTTP::format_request('POST', $at, body => $body,
                                        headers => \@headers);
}

sub mcp {
    my ($tool, %args) = @_;
    my $params = { name => $tool, arguments => \%args };
    return post('/mcp', ArtifactMcp::mcp_message('tools/call', $params),
                ArtifactMcp::mcp_headers('tools/call', $params));
}

sub get { return "GET $_[0] HTTP/1.1\r\nHost: localhost\r\n"
              . "Connection: close\r\n\r\n" }

my $form = form(['purpose', 'user_data'],
                ['file', $text, 'log.txt', 'text/plain']);

my @KINDS = (
    'expansion' => body(0, '/v1/chat/completions'),
    'expansion of own media' => body(1, '/v1/chat/completions'),
    'expansion, proxied' => body(0, '/v1/store/chat/completions'),
    'message' => post('/message?format=openai', encode_json_bytes(
        { text => 'see', attachments => [map { "artifact:t$_" } 0 .. 11] }),
        'Content-Type' => 'application/json'),
    'converted answer' => get('/routed/t3'),
    'included answers' => get('/ssi'),
    'large answer' => get('/artifacts/log'),
    'list' => get('/artifacts/'),
    'tree' => get('/workspaces/ws/?recursive=true'),
    'write' => "PUT /workspaces/ws/put.txt HTTP/1.1\r\nHost: localhost\r\n"
        . "Content-Type: text/plain\r\n"
        . "Connection: close\r\nContent-Length: " . length($text)
        . "\r\n\r\n$text",
    'upload' => form_head('/files', length $form) . $form,
    'files' => get('/files'),
    'offload' => post('/offload/mcp', '{"jsonrpc":"2.0"}',
                      'Content-Type' => 'application/json'),
    'offload, stream' => post('/offload/sse/mcp', '{"jsonrpc":"2.0"}',
                              'Content-Type' => 'application/json'),
    'MCP: image' => mcp('read_artifact', ref => 'artifact:t5'),
    'MCP: lines' => mcp('read_artifact', ref => 'artifact:log',
                        grep => '777'),
    'MCP: list' => mcp('list_artifacts', limit => 200),
    'MCP: write' => mcp('write_file', workspace => 'ws', path => 'mcp.txt',
                        content => $text),
);

my ($started) = $t->workers;

sub descriptors {
    my ($worker) = $t->workers;
    return scalar(my @fds = glob "/proc/$worker/fd/*");
}

my (%before, @tried);

while (my ($name, $request) = splice @KINDS, 0, 2) {
    my $from = time;
    my $status = status_of($request);
    my $took = time - $from;
    like($status, qr/^20/, "$name: answered");
    push @tried, [$name, $request, $took];
}

sleep 0.3;
my $before = descriptors();

for (@tried) {
    my ($name, $request, $took) = @$_;

    leave($request, $took);
    cut($request);
    leave_http2($request, $took) if $h2;

    my $now;
    ok(until_true(sub { ($now = descriptors()) <= $before + 2 }, 20),
       "$name: no descriptor stays") or diag("$now, $before before");
    like(status_of($request), qr/^20/, "$name: answered as before");
}

is(left_behind($t), '', 'nothing is left behind');
is(join(' ', $t->workers), $started, 'by the same worker');

$_->stop for $up, $echo;
$t->finish;


sub status_of {
    my ($request) = @_;
    my $conn = $t->connect;
    $conn->send($request);
    return $conn->response($request =~ /^(\w+)/)->{status} // 'none';
}


# Sends requests and leaves, each a little later, until it would be answered;
# several at once, some of which read a part of the answer.

sub leave {
    my ($request, $took) = @_;
    my @conns;

    for my $i (1 .. $N) {
        my $conn = $t->connect;
        $conn->send($request);
        push @conns, $conn;

        sleep 1.5 * $took * $i / $N / $AT_ONCE;
        next if @conns < $AT_ONCE;

        my $first = shift @conns;
        sysread $first->{sock}, my $some, 1000
            if $i % 3 == 0 && IO::Select->new($first->{sock})->can_read(0);
        $first->close;
    }

    $_->close for @conns;
}


# Sends parts of the request only.

sub cut {
    my ($request) = @_;

    for my $i (1 .. 10) {
        my $conn = $t->connect;
        $conn->send(substr $request, 0, length($request) * $i / 10.5);
        sleep 0.005;
        $conn->close;
    }
}


# Over HTTP/2 a stream is reset, and the connection with it.

sub leave_http2 {
    my ($request, $took) = @_;

    my ($head, $body) = split /\r\n\r\n/, $request, 2;
    my ($line, @headers) = split /\r\n/, $head;
    my ($method, $uri) = split / /, $line;
    my $file = $t->prefix . '/body';
    spew($file, $body);

    my @args = ('-X', $method, map { ('-H', $_) }
                grep { !/^(?:Host|Connection|Content-Length)/i } @headers);
    push @args, '--data-binary', "\@$file" if length $body;

    for my $i (1 .. 6) {
        curl($t->prefix, '--http2-prior-knowledge', '-m',
             sprintf('%.3f', 0.01 + 1.5 * $took * $i / 6), @args,
             'http://127.0.0.1:' . $spare->port . $uri);
    }
}
