#!/usr/bin/perl

# What artifact_expand costs: the processor time of the proxying worker for a
# request, against the same nginx that passes on what the body would become,
# and against scripts that do the same.  All of them send to one nginx that
# reads the body and answers 204, and are asked in turn.
#
#     perl bench/expand.pl [rounds] [cases, a regular expression] [servers, too]
#
# BENCH_OLD, the path of another ngx_artifact_module.so, is compared with the
# tree's.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../t/lib";
use ArtifactBench;
use ArtifactFixtures;
use ArtifactTest;
use Socket qw(AF_INET SOCK_STREAM inet_aton pack_sockaddr_in);
use Time::HiRes qw(sleep);

my $ROUNDS = shift // 9;
my $ONLY = shift // '.';
my $WHO = shift // '.';
my $MB = 1024 * 1024;

my $png = png(100, 100);
$png .= rand_bytes($MB - length $png);

my @prose = map { sprintf 'Line %d says \"so\" of what the tool has found, '
    . 'and goes on for a while.\n', $_ } 1 .. 200;

my $small = request(100 * 1024, 0);
my $one = request(100 * 1024, 1);
my $whole = $one =~ s/artifact:shot/'data:image\/png;base64,' . b64($png)/er;
my $long = request(10 * $MB, 0);
my ($tools2, $tools64, $tools20) = map { request(20 * $MB, 0, 'tool', $_) }
    2 * 1024, 64 * 1024, 20 * $MB;

# media of the client's own, as one and as many; random bytes, but for the end

my ($own1, $own100) = map {
    my $media = png(8, 8) . substr($png x 15, 0, 15 * $MB / $_);
    '{"model":"m","messages":[{"role":"user","content":[' . join(',',
        ('{"type":"image_url","image_url":{"url":"data:image/png;base64,'
         . b64($media) . '"}}') x $_) . ']}]}';
} 1, 100;
my $photo = $own1 =~ s!base64,\K[^"]*!
    b64(substr(jpeg(), 0, -2) . substr($png x 15, 0, 15 * $MB) =~ tr/\xd9/x/r
        . "\xff\xd9")!er =~ s/image\/png/image\/jpeg/r;

# name, sent to the one that expands, sent to the one that passes on

my @cases = (
    ['a PNG of 1 MB in 100 KB', $one, $whole],
    ['100 KB, no reference', $small, $small],
    ['10 MB, no reference', $long, $long],
    ['20 MB of own media, one PNG', $own1, $own1],
    ['20 MB of own media, 100 PNGs', $own100, $own100],
    ['20 MB of own media, one JPEG', $photo, $photo],
    ['20 MB of tools, 2 KB each', $tools2, $tools2],
    ['20 MB of tools, 64 KB each', $tools64, $tools64],
    ['20 MB of tools, one text', $tools20, $tools20],
);

my $sink = ArtifactTest->new;
$sink->start(server => <<'CONF');
    client_max_body_size 0;
    client_body_buffer_size 64k;
    keepalive_requests 1000000;
    location / { return 204; }
CONF

my @servers = (['nginx passes on', nginx(), '/pass'],
               ['artifact_expand', nginx(), '/v1']);
$servers[0][1] = $servers[1][1];
if ($ENV{BENCH_OLD}) {
    local $ENV{TEST_NGINX_MODULE} = $ENV{BENCH_OLD};
    push @servers, ['the other module', nginx(), '/v1'];
}
push @servers, scripts();
my $node = node();
push @servers, ['node', $node, ''] if $node;

$SIG{$_} = sub { exit 1 } for qw(INT TERM);

pin_client();
sleep 2.5;

@servers = grep { $_->[0] =~ /$WHO/ } @servers;

for my $case (grep { $_->[0] =~ /$ONLY/ } @cases) {
    my ($name, $body, $expanded) = @$case;
    my @cost;

    for my $round (0 .. $ROUNDS) {
        for my $i (0 .. $#servers) {
            my (undef, $server, $uri) = @{ $servers[$i] };
            my $cost = cost($server, "$uri/chat/completions",
                            $uri eq '/pass' ? $expanded : $body);
            push @{ $cost[$i] }, $cost if $round;
        }
    }

    printf "%-26s %10s %8s\n", $name, 'us cpu', 'ratio';
    for my $i (0 .. $#servers) {
        my $cost = median(@{ $cost[$i] });
        printf "  %-24s %10.0f %8.2f\n", $servers[$i][0], $cost,
            $cost / median(@{ $cost[0] });
    }
}

$_->[1]{server}->stop for grep { $_->[1]{server} } @servers;
$sink->stop;
if ($node) {
    kill TERM => $node->{pids}[0];
    waitpid $node->{pids}[0], 0;
}


# A chat of this many bytes, with a reference or without; others than the
# assistant are users, or tools.  A text has 2 KB, or a given size.

sub request {
    my ($size, $ref, $other, $text_size) = @_;
    my $prose = length join '', @prose;
    my $lines = 1 + int(($text_size // 2300) * @prose / $prose);

    my @messages;
    my $length = 0;
    while ($length < $size) {
        my $text = join '', @prose[map { ($_ + @messages) % @prose }
                                   1 .. $lines];
        push @messages, sprintf '{"role": "%s", "content": "%s"}',
            !$other && @messages % 2 ? 'assistant' : $other // 'user', $text;
        $length += length $messages[-1];
    }
    push @messages, '{"role":"user","content":[{"type":"text","text":"look"},'
        . '{"type":"image_url","image_url":{"url":"artifact:shot"}}]}' if $ref;

    return '{"model":"sees","messages":[' . join(',', @messages) . ']}';
}


# Microseconds of processor time of a request.

sub cost {
    my ($server, $uri, $body) = @_;

    my $n = length $body > $MB ? 10 : 40;
    my $before = cpu_time(@{ $server->{pids} });

    socket(my $sock, AF_INET, SOCK_STREAM, 0) or die "socket: $!\n";
    connect($sock, pack_sockaddr_in($server->{port}, inet_aton('127.0.0.1')))
        or die "connect: $!\n";

    post_json($sock, $uri, $body) for 1 .. $n;

    return (cpu_time(@{ $server->{pids} }) - $before) / $n * 1e6;
}


sub of {
    my ($t) = @_;
    return { server => $t, port => $t->port, pids => [$t->workers] };
}


sub upstream {
    my $port = $sink->port;
    return ("upstream sink { server 127.0.0.1:$port; keepalive 4; }",
        'proxy_http_version 1.1; proxy_set_header Connection "";'
        . 'proxy_pass http://sink;');
}


my $COMMON;
BEGIN {
    $COMMON = <<'CONF';
    client_max_body_size 64m;
    keepalive_requests 1000000;
    sendfile on;
CONF
}


sub nginx {
    my ($upstream, $pass) = upstream();
    my $t = ArtifactTest->new;

    $t->artifact('shot', $png, { mimeType => 'image/png', name => 's.png' });
    $t->start(http => $upstream, server => <<"CONF");
    $COMMON
    artifact_root %%DATA%%;
    artifact_accept "text, vision";
    location /artifacts/ { internal; artifact; }
    location /v1/ { artifact_expand on; $pass }
    location /pass/ { $pass }
CONF
    return of($t);
}


# The same in Lua and in njs: the body parsed and printed anew, and in Lua also
# without, a pattern replaced in its text.

sub scripts {
    my $modules = '/usr/lib/nginx/modules';
    my @servers;

    my $cjson = grep { -e "$_/cjson.so" }
        '/usr/lib/x86_64-linux-gnu/lua/5.1', '/usr/local/lib/lua/5.1';

    if (-e "$modules/ngx_http_lua_module.so") {
        my $server = script("load_module $modules/ndk_http_module.so;"
            . "load_module $modules/ngx_http_lua_module.so;", <<'LUA', '');
    location /text/ {
        access_by_lua_block {
            %%BODY%%
            body = body:gsub('"artifact:(%w+)"', function (id)
                return '"data:image/png;base64,'
                       .. ngx.encode_base64(content(id)) .. '"'
            end)
            ngx.req.set_body_data(body)
        }
        %%PASS%%
    }
    location /json/ {
        access_by_lua_block {
            %%BODY%%
            local cjson = require "cjson"
            local request = cjson.decode(body)
            for _, message in ipairs(request.messages) do
                for _, part in ipairs(type(message.content) == "table"
                                      and message.content or {}) do
                    local url = part.image_url and part.image_url.url
                    if url and url:sub(1, 9) == "artifact:" then
                        part.image_url.url = "data:image/png;base64,"
                            .. ngx.encode_base64(content(url:sub(10)))
                    end
                end
            end
            ngx.req.set_body_data(cjson.encode(request))
        }
        %%PASS%%
    }
LUA
        push @servers, ['Lua, cjson', $server, '/json'] if $cjson;
        push @servers, ['Lua, a pattern', $server, '/text'];
    }

    return @servers;
}


sub script {
    my ($first, $locations, $http) = @_;
    my ($upstream, $pass) = upstream();
    my $t = ArtifactTest->new;

    $t->artifact('shot', $png);
    my $body = <<'LUA';
            ngx.req.read_body()
            local function slurp(path)
                local f = io.open(path, "rb")
                local all = f:read("*a")
                f:close()
                return all
            end
            local body = ngx.req.get_body_data()
                         or slurp(ngx.req.get_body_file())
            local function content(id)
                return slurp("%%DATA%%/artifacts/" .. id)
            end
LUA
    s/%%BODY%%/$body/g, s/%%PASS%%/$pass/g for $locations;

    local $ENV{TEST_NGINX_MODULE} = '';
    $t->start(first => $first, as_is => 1, http => "$upstream $http",
              server => <<"CONF");
    $COMMON
$locations
CONF
    return of($t);
}


sub node {
    my ($port) = ArtifactTest::_free_port();
    my $dir = $servers[0][1]{server}->data;
    my $path = $sink->file('proxy.js', <<"JS");
const http = require('http'), fs = require('fs');
const agent = new http.Agent({ keepAlive: true });
http.createServer((req, res) => {
    const chunks = [];
    req.on('data', (chunk) => chunks.push(chunk));
    req.on('end', async () => {
        const request = JSON.parse(Buffer.concat(chunks).toString());
        for (const message of request.messages) {
            if (!Array.isArray(message.content)) continue;
            for (const part of message.content) {
                const url = part.image_url && part.image_url.url;
                if (url && url.startsWith('artifact:')) {
                    const id = url.slice(9);
                    part.image_url.url = 'data:image/png;base64,'
                        + (await fs.promises.readFile('$dir/artifacts/' + id))
                          .toString('base64');
                }
            }
        }
        const body = Buffer.from(JSON.stringify(request));
        const out = http.request({ agent, port: @{[$sink->port]},
            host: '127.0.0.1', method: 'POST', path: req.url,
            headers: { 'content-type': 'application/json',
                       'content-length': body.length } }, (answer) => {
            answer.resume();
            answer.on('end', () => { res.writeHead(204); res.end(); });
        });
        out.end(body);
    });
}).listen($port, '127.0.0.1');
JS
    my $pid = fork // die "fork: $!\n";
    if (!$pid) {
        exec 'node', $path or exit 127;
    }
    for (1 .. 100) {
        return { port => $port, pids => [$pid] }
            if IO::Socket::INET->new(PeerAddr => "127.0.0.1:$port");
        sleep 0.05;
    }
    return undef;
}
