#!/usr/bin/perl

# Where the references in arguments come from: any location, also a proxied one,
# of a tenant; what it learns; and what becomes of answers, of large contents and
# of clients that leave.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactEcho;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;
use ArtifactWrite qw(until_true);
use Digest::SHA qw(sha1_hex);
use File::Path qw(make_path);

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $uuid = '0190a5f0-0000-7000-8000-00000000000a';
my $png = png(30, 30);
my $large = join '', map { pack 'N*', map { $_ * 2654435761 & 0xffffffff }
                               $_ * 1000 .. $_ * 1000 + 999 } 1 .. 5_000;

$t->artifact('shot', $png, { mimeType => 'image/png' });
$t->artifact('large', $large, { mimeType => 'application/zip' });
for my $tenant (qw(a b)) {
    make_path("$dir/data/$tenant/artifacts");
    spew("$dir/data/$tenant/artifacts/own.txt", "of $tenant\n");
}
spew("$dir/data/a/artifacts/only.txt", "of a only\n");

my $store = ArtifactUpstream->new("$dir/store", contents => {
    'shot' => { body => $png, type => 'image/png' },
    'typed' => { body => 'text', type => 'text/plain; charset=utf-8' },
    'plain' => { body => "no type \0\1\2", type => '' },
    'empty' => { body => '', type => 'text/plain' },
});
my $stalls = ArtifactUpstream->new("$dir/stalls", serve => sub {
    my ($sock) = @_;
    sysread $sock, my $head, 65536;
    sleep 60;
});
my $events = "event: message\ndata: {\"result\":{\"x\":\"artifact:shot "
    . "[artifact:$uuid]\"}}\n\n: ping\n\ndata: [DONE]\r\n\r\n";
my $server = ArtifactUpstream->new("$dir/server", contents => {
    '*' => { body => $events, type => 'text/event-stream',
             headers => ['Mcp-Session-Id: 7'] },
});
my $noise = png(100, 100);
my $camera = ArtifactUpstream->new("$dir/camera", contents => {
    '*' => { body => '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":'
                 . '"image","mimeType":"image/png","data":"' . b64($noise)
                 . '"}]}}', type => 'application/json' },
});
my $echo = echo("$dir/echo");
my $digest = echo("$dir/digest", digest => 1);

my $pass = "proxy_pass http://unix:$dir/echo:;";
$t->start(http => "proxy_cache_path $dir/cache keys_zone=z:1m;",
          server => <<"SERVER");
    artifact_root %%DATA%%;
    access_log %%PREFIX%%/access.log combined;
    artifact_url https://h/a/;
    artifact_language en;
    client_max_body_size 64m;
    location /artifacts/ { internal; artifact; }
    location /data { artifact_argument data; $pass }
    location /large {
        artifact_argument base64;
        proxy_pass http://unix:$dir/digest:;
    }
    location /events {
        artifact_argument data;
        proxy_buffering off;
        proxy_pass http://unix:$dir/server:;
    }
    location /tenant/ {
        artifact_argument data;
        artifact_source /of/\$http_x_tenant/;
        $pass
    }
    location /tenant-url/ {
        artifact_argument url;
        artifact_source /of/\$http_x_tenant/;
        $pass
    }
    location ~ ^/of/(?<tenant>[a-z]+)/(.*) {
        internal;
        rewrite ^/of/[a-z]+/(.*) /tenants/\$1 last;
    }
    location /tenants/ {
        internal;
        artifact;
        artifact_root %%DATA%%/\$tenant;
    }
    location /circle/ {
        artifact_argument base64;
        artifact_offload on;
        artifact_offload_min 1k;
        location /circle/camera/mcp { proxy_pass http://unix:$dir/camera:; }
        location /circle/tool/mcp { $pass }
    }
    location /store {
        artifact_argument data;
        artifact_source /from-store/;
        $pass
    }
    location /url {
        artifact_argument url;
        artifact_source /from-store/;
        $pass
    }
    location /cached {
        artifact_argument url;
        artifact_source /in-cache/;
        $pass
    }
    location /local { artifact_argument url; $pass }
    location /stalls {
        artifact_argument url;
        artifact_source /stalled/;
        $pass
    }
    location /static {
        artifact_argument url;
        artifact_source /files/;
        $pass
    }
    location /files/ {
        internal;
        alias %%DATA%%/artifacts/;
    }
    location /from-store/ { internal; proxy_pass http://unix:$dir/store:/; }
    location /in-cache/ {
        internal;
        proxy_cache z;
        proxy_cache_valid 1m;
        proxy_pass http://unix:$dir/store:/;
    }
    location /stalled/ { internal; proxy_pass http://unix:$dir/stalls:/; }
SERVER

sub ask {
    my ($uri, $body, @headers) = @_;
    return $t->req('POST', $uri, body => $body,
        headers => ['Content-Type' => 'application/json', @headers]);
}

sub call_of {
    my (@values) = @_;
    return '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":'
        . '"t","arguments":{"x":[' . join(',', map { qq("$_") } @values)
        . ']}}}';
}

sub data_url { return "data:$_[0];base64," . b64($_[1]) }

# the content of a store, and what it learns

my @secret = (Authorization => 'Bearer secret', Cookie => 'secret=1',
              'Mcp-Session-Id' => 'secret', 'X-Request-ID' => 'kept');
is(ask('/store', call_of('artifact:shot', 'artifact:typed', 'artifact:plain',
                         'artifact:empty', 'artifact:shot'), @secret)->{body},
   call_of(data_url('image/png', $png), data_url('text/plain', 'text'),
           data_url('application/octet-stream', "no type \0\1\2"),
           'data:text/plain;base64,', data_url('image/png', $png)),
   'contents of a store');
my @asked = $store->requests_in_full;
is(join(' ', map { /^(\S+ \S+)/ } @asked),
   'GET /shot GET /typed GET /plain GET /empty', 'each is asked for once');
unlike("@asked", qr/secret|\tContent-/i, 'without what is not for a store');
like("@asked", qr/X-Request-ID: kept/, 'with what tells who asks');

# a URL: only whether it is there

is(ask('/url', call_of('artifact:shot', 'artifact:empty', 'artifact:shot'),
       @secret)->{body},
   call_of(map { "https://h/a/$_" } qw(shot empty shot)), 'URLs');
@asked = $store->requests_in_full;
is(join(' ', map { /^(\S+ \S+)/ } @asked), 'HEAD /shot HEAD /empty',
   'asked by HEAD, each once');
unlike("@asked", qr/secret|\tContent-/i, 'without what is not for a store');

for my $uri (qw(/local /static)) {
    is(ask($uri, call_of('artifact:shot', 'artifact:large'))->{body},
       call_of('https://h/a/shot', 'https://h/a/large'), "$uri: URLs");
    like(ask($uri, call_of('artifact:none'))->{body},
         qr/"code":-32602.*artifact:none/, "$uri: a missing one");
}
my $uri = 'artifact:' . ws_id('w', 'none');
like(ask('/local', call_of($uri))->{body}, qr/"code":-32602.*\Q$uri\E/,
     'a missing file of a workspace');

is(ask('/cached', call_of('artifact:shot'))->{body},
   call_of('https://h/a/shot'), 'a source with a cache') for 1, 2;
like(ask('/cached', call_of('artifact:none'))->{body}, qr/"code":-32602/,
     'of which one is missing') for 1, 2;

# tenants

for my $tenant (qw(a b)) {
    is(ask('/tenant/mcp', call_of('artifact:own'), 'X-Tenant' => $tenant)
       ->{body}, call_of(data_url('text/plain', "of $tenant\n")),
       "tenant $tenant has its own");
    my $only = ask('/tenant/mcp', call_of('artifact:only'),
                   'X-Tenant' => $tenant)->{body};
    my $there = ask('/tenant-url/mcp', call_of('artifact:only'),
                    'X-Tenant' => $tenant)->{body};
    if ($tenant eq 'a') {
        is($only, call_of(data_url('text/plain', "of a only\n")), 'its own');
        is($there, call_of('https://h/a/only'), 'and its URL');
    } else {
        like($_, qr/"code":-32602/, 'nothing of another one')
            for $only, $there;
    }
}
my $nobody = ask('/tenant/mcp', call_of('artifact:own'));
like($nobody->{body}, qr/"code":-32603/, 'nobody has nothing');
like($t->log, qr/\$http_x_tenant|http_x_tenant/, 'the log names the variable');

# answers of the server

for my $refs ('artifact:shot', 'none') {
    my $res = ask('/events', call_of($refs), Accept => 'text/event-stream');
    is($res->{body}, $events, 'events are not touched');
    is($res->header('Content-Type'), 'text/event-stream', 'nor their type');
    is($res->header('Mcp-Session-Id'), 7, 'nor a session');
}

# what a tool answered is an argument of the next one

my $said = ask('/circle/camera/mcp', call_of('x'))->{body};
like($said, qr/\[artifact:[0-9a-f-]{36}\] image\/png/, 'a marker');
my ($marker) = $said =~ /(\[artifact:[0-9a-f-]{36}\])/;
is(ask('/circle/tool/mcp', call_of($marker))->{body}, call_of(b64($noise)),
   'and the next tool has the bytes');
is(ask('/circle/tool/mcp', call_of('artifact:none'))->{body},
   '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"the artifact '
   . 'does not exist or has been deleted: artifact:none","data":{"uri":'
   . '"artifact:none"}}}', 'an error is not stored');

# 20 MB, in constant memory

my $body = call_of('artifact:large', 'y' x 1_000_000);
(my $want = $body) =~ s/artifact:large/b64($large)/e;
ask('/large', $body);
my ($before) = map { $t->memory($_) } $t->workers;
is(ask('/large', $body)->{body}, length($want) . ' ' . sha1_hex($want),
   'a large one');
my ($after) = map { $t->memory($_) } $t->workers;
cmp_ok($after - $before, '<', 4 * 1024, 'in little memory');

# clients that leave

my $conn = $t->connect;
$conn->send("POST /stalls HTTP/1.1\r\nHost: x\r\nContent-Type: "
    . 'application/json' . "\r\nContent-Length: "
    . length(call_of('artifact:x')) . "\r\n\r\n" . call_of('artifact:x'));
ok(until_true(sub { $stalls->connections }, 10), 'a source is waited for');
$conn->close;
ok(until_true(sub { slurp("$dir/access.log") =~ /" 499 / }, 10),
   'a client that leaves ends it');
for my $cut (map { $_ * 17 } 0 .. 10) {
    my $half = $t->connect;
    $half->send("POST /data HTTP/1.1\r\nHost: x\r\nContent-Type: "
        . "application/json\r\nContent-Length: 400\r\n\r\n"
        . substr call_of('artifact:shot'), 0, $cut);
    $half->close;
}
is(ask('/data', call_of('artifact:shot'))->{body},
   call_of(data_url('image/png', $png)), 'the next one is served');

$_->stop for $store, $camera, $stalls, $server, $echo, $digest;
$t->finish;
