#!/usr/bin/perl

# Markers, pasted base64 and contents that are stored by their bytes, when all
# around them goes wrong: requests in chunks, over HTTP/2, that break off at
# any byte, clients that do not wait, sources that fail and come back, change
# or go, limits on files, threads that are busy.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactCurl;
use ArtifactFail;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactTools;
use ArtifactUpstream;
use ArtifactWrite qw(files_of left_behind until_true);

my $LIMIT = 400;         # KB that a file may have

# nginx itself does not care about this signal: it would end a worker

my $fail = ArtifactFail->new;
my $t = ArtifactTest->new(launcher => ['bash', '-c',
    'trap "" XFSZ; ulimit -f ' . $LIMIT . '; exec "$0" "$@"',
    @{ $fail->launcher }]);
my $h2_port = ArtifactTest->new->port;
my $dir = $t->prefix;

my ($ID, $TEXT) = map { sprintf '0190a5f0-1111-7222-8333-%012x', $_ }
    1 .. 2;
my $image = png(20, 20);
my $pasted = content_of('image/png', 20_000);
my $RUN = b64($pasted);
my $name = names_of({ mime => 'image/png', bytes => $pasted });

$t->artifact($ID, $image, { mimeType => 'image/png', name => 'a.png' });
$t->artifact($TEXT, 'some words', { mimeType => 'text/plain' });
$t->file('map.json', sample_map());

my $stored = png(30, 30) . rand_bytes(50_000);
my $large = png(30, 30) . rand_bytes(900_000);

sub answer {
    my $data = b64($_[0]);
    return '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"image",'
        . qq("data":"$data","mimeType":"image/png"},{"type":"text","text":)
        . '"x"}]}}';
}

my $up = ArtifactUpstream->new("$dir/up", contents => {
    'mcp' => { body => answer($stored), type => 'application/json' },
    map({ ("$_/mcp" => { type => 'application/json',
                         body => answer(png(30, 30) . $_) }) } 1 .. 3),
    'large/mcp' => { body => answer($large), type => 'application/json' },
});
my $echo = ArtifactUpstream->new("$dir/echo", serve => sub {
    my ($sock) = @_;
    my ($head, $body) = ArtifactUpstream::read_request($sock) or return;
    spew("$dir/asked", $body);
    ArtifactUpstream::send_answer($sock, "HTTP/1.1 200 OK\r\nConnection: "
        . 'close' . "\r\nContent-Length: " . length($body) . "\r\n\r\n$body");
});

my $locations = join '', map { <<"SERVER" }
    location /$_->[0]/ {
        artifact_expand on;
        $_->[1]
        proxy_pass http://unix:$dir/echo:/;
    }
SERVER
    ['memory', 'client_body_buffer_size 8m;'],
    ['file', 'client_body_buffer_size 1k; aio threads=one;'];

$locations .= <<"SERVER";
    location /artifacts/ {
        internal;
        if (-f $dir/down) {
            return 503;
        }
        artifact;
    }
    location /store/ {
        artifact_offload on;
        client_body_buffer_size 8m;
        proxy_pass http://unix:$dir/up:/;
    }
    location /threads/ {
        artifact_offload on;
        aio threads=one;
        client_body_buffer_size 1k;
        proxy_pass http://unix:$dir/up:/;
    }
SERVER

$t->start(main => 'thread_pool one threads=1 max_queue=1;',
          server => $locations, http => <<"HTTP");
    artifact_root %%DATA%%;
    artifact_language en;
    artifact_offload_min 256;
    artifact_capabilities %%PREFIX%%/map.json;
    server {
        listen 127.0.0.1:$h2_port http2;
        $locations
    }
HTTP

my @JSON = ('Content-Type' => 'application/json');

sub result {
    my ($text) = @_;
    return '{"model":"sees","messages":[{"role":"user","content":[{"type":'
        . qq("tool_result","tool_use_id":"a","content":$text}]}]});
}

sub text { return '{"type":"text","text":"' . $_[0] . '"}' }

sub part {
    return '{"type":"image","source":{"type":"base64","media_type":'
        . '"image/png","data":"' . b64($_[0]) . '"}}';
}

my $body = result(qq("a [artifact:$ID] $RUN z"));
my $want = result('[' . join(',', text("a [artifact:$ID] $name z"),
                             part($image), part($pasted)) . ']');

sub ask {
    my ($at, $body) = @_;
    return $t->req('POST', "/$at/v1/messages", headers => \@JSON,
                   body => $body);
}

my ($worker) = $t->workers;
sub open_files { return scalar(() = glob "/proc/$worker/fd/*") }


# --- how a request comes

for my $at (qw(memory file)) {
    ok(ask($at, $body)->{body} eq $want, "$at: a request");

    for my $size (1, 7, 100, 5000) {
        my $client = $t->connect(timeout => 20);
        my $short = $size > 1 ? $body : result(qq("[artifact:$ID]"));
        $client->send("POST /$at/v1/messages HTTP/1.1\r\nHost: x\r\n"
            . "Transfer-Encoding: chunked\r\nContent-Type: application/json"
            . "\r\nConnection: close\r\n\r\n" . join '', map {
                sprintf "%x\r\n%s\r\n", length, $_ }
                unpack("(a$size)*", $short), '');
        my $got = $client->response('POST')->{body};
        ok($size > 1 ? $got eq $want : $got =~ /\Q@{[ part($image) ]}/,
           "$at: in chunks of $size");
    }

  SKIP: {
        skip 'curl has no HTTP2', 2 unless curl_features('HTTP2');
        spew("$dir/body", $body);
        my @args = ('--http2-prior-knowledge', '-H', "@JSON" =~ s/ /: /r,
                    '--data-binary');
        for my $more ([], ['-H', 'Content-Length:']) {
            my $res = curl($dir, @args, "\@$dir/body", @$more,
                           "http://127.0.0.1:$h2_port/$at/v1/messages");
            ok($res->{body} eq $want, "$at: over HTTP/2 @$more");
        }
    }
}


# --- clients that do not wait

my $before = open_files();
unlink "$dir/asked";

for my $at (qw(memory file)) {
    my $request = ArtifactHTTP::format_request('POST', "/$at/v1/messages",
        headers => \@JSON, body => $body);
    my $end = index($request, "\r\n\r\n") + 4;

    for my $cut (map { $end + $_ } 0, 1, 130, 160, 5000, length($body) - 1) {
        my $client = $t->connect;
        $client->send(substr $request, 0, $cut);
        $client->close;
    }
}
ok(until_true(sub { open_files() <= $before }, 5),
   'requests that break off are let go');
ok(!-e "$dir/asked", 'and nobody is asked');
is(left_behind($t), '', 'nothing is left of them');

for my $at (qw(store threads)) {
    for my $uri ('mcp', 'large/mcp') {
        for my $pause (0, 0.01, 0.05) {
            my $client = $t->connect;
            $client->send("GET /$at/$uri?step=4096&pause=1 HTTP/1.0\r\n\r\n");
            select undef, undef, undef, $pause;
            $client->close;
        }
    }
}
ok(until_true(sub { open_files() <= $before + 1 }, 10),
   'answers that nobody waits for are let go');
is(left_behind($t), '', 'nothing is left of them');


# --- sources that fail, and come back

spew("$dir/down", '');
for my $at (qw(memory file)) {
    unlink "$dir/asked";
    my $res = ask($at, $body);
    is($res->{status}, 502, "$at: a source fails");
    unlike($res->{body}, qr/\Q$dir/, "$at: which tells no path");
    ok(!-e "$dir/asked", "$at: the model is not asked");
    is(ask($at, result(qq("$RUN")))->{status}, 200,
       "$at: no other source is asked");
}
unlink "$dir/down";
ok(ask($_, $body)->{body} eq $want, "$_: it comes back") for qw(memory file);
is(left_behind($t), '', 'nothing is left');


# --- artifacts that change between two requests of a session

sub content {
    my ($id) = @_;
    return json_of(ask('file', result(qq("[artifact:$id]"))))
        ->{messages}[0]{content}[0]{content};
}

is(content($ID)->[1]{source}{data}, b64($image), 'as it was');

my $other = png(50, 51);
$t->artifact($ID, $other, { mimeType => 'image/png', name => 'a.png' });
is(content($ID)->[1]{source}{data}, b64($other), 'its content changes');

$t->artifact($ID, '{"a":1}', { mimeType => 'application/json' });
is(content($ID)->[1]{text}, '{"a":1}', 'its type changes');

unlink glob $t->data . "/artifacts/$ID*";
like(content($ID)->[1]{text}, qr/\A\[Unreadable\] artifact:$ID\n.*deleted/,
     'it goes');
$t->artifact($ID, $image, { mimeType => 'image/png', name => 'a.png' });
ok(ask('memory', $body)->{body} eq $want, 'and comes back');


# --- a limit on the size of files

for my $at (qw(store threads)) {
    my $from = length $t->log;
    my $files = join ' ', sort keys %{ files_of($t) };
    my $res = $t->get("/$at/large/mcp");
    ok($res->{body} eq answer($large), "$at: too large: as it came");
    my $why = $at eq 'store' ? 'left as it is: write "' : 'pwrite() "';
    ok(until_true(sub {
        substr($t->log, $from) =~ /\Q$why\E.*\(27: File too large\)/ }, 2),
       "$at: too large: why");
    is(join(' ', sort keys %{ files_of($t) }), $files,
       "$at: too large: not stored");
    is(left_behind($t), '', "$at: too large: nothing is left");
}
like(ask('file', result(qq("x @{[ b64($large) ]}")))->{status},
     qr/^(?:500|413)$/, 'a request that is too large');
ok(ask('file', $body)->{body} eq $want, 'another one is not');
is(left_behind($t), '', 'nothing is left');


# --- one thread, which is busy

my @clients = map { $t->connect(timeout => 20) } 1 .. 3;

$fail->rules('hold 1 0 /.artifact/tmp-');
$clients[0]->send("GET /threads/1/mcp HTTP/1.0\r\n\r\n");
ok(until_true(sub { $fail->holds }, 10), 'the thread is busy');

$clients[$_ - 1]->send("GET /threads/$_/mcp HTTP/1.0\r\n\r\n") for 2, 3;
ok(until_true(sub { $t->log =~ /thread pool "one" queue overflow/ }, 10),
   'one waits for it, and there is no room for another');
ok($fail->holds, 'all the while');

$fail->rules;
like($_->response('GET')->{body}, qr/\[artifact:[0-9a-f-]{36}\]/,
     'all are stored') for @clients;
ok(ask('file', $body)->{body} eq $want, 'and it goes on');
is(left_behind($t), '', 'nothing is left');

$t->allow(qr/\[crit\].*pwrite.*File too large/);
is_deeply([$t->workers], [$worker], 'the worker is the same');

$up->stop;
$echo->stop;
$t->finish;
