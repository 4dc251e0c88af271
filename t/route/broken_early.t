#!/usr/bin/perl

# An upstream that begins an answer and fails before its first bytes have
# decided what it is: nothing has gone out yet, so that it is a 502 like any
# other, in the module's JSON or by its "error_page", in the log as well.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactCurl;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;
use Time::HiRes qw(sleep);

my $t = ArtifactTest->new;
my $spare = ArtifactTest->new;
my $h2 = $spare->port;
my $dir = $t->prefix;

my %content = (
    text => [bytes("第一行 of some words\n" x 3000), 'text/plain'],
    png => [png(60, 60) . rand_bytes(9000), 'image/png'],
);
my %contents = map { $_ => {
    body => $content{$_}[0], type => $content{$_}[1],
    headers => ['ETag: "one"', 'X-Upstream: yes', 'Set-Cookie: a=b',
                'Content-Disposition: attachment'],
} } keys %content;
my @ups = map { ArtifactUpstream->new("$dir/$_.sock", protocol => $_,
                                      contents => \%contents) }
    qw(http fastcgi scgi uwsgi);

# Frames of HTTP/2: HEADERS (status 200, text/plain) and DATA with a few bytes,
# then the end of the connection, or of the stream, with what comes before it or
# on its own.

sub frame {
    my ($type, $flags, $stream, $data) = @_;
    return substr(pack('N C C N', length $data, $type, $flags, $stream), 1)
        . $data;
}

my $begun = frame(4, 0, 0, '') . frame(1, 4, 1, "\x88\x0f\x10\x0atext/plain");
my $words = frame(0, 0, 1, 'a few words');
my $reset = frame(3, 0, 1, pack 'N', 2);
my $goaway = frame(7, 0, 0, pack 'NN', 0, 2);
my %grpc = (
    end => [$begun . $words],
    'end-of-nothing' => [$begun],
    half => [$begun . substr $words, 0, 15],
    reset => [$begun . $words . $reset],
    'reset-of-nothing' => [$begun . $reset],
    'reset-later' => [$begun . $words, $reset],
    goaway => [$begun . $words . $goaway],
    'goaway-later' => [$begun . $words, $goaway],
    junk => [$begun . $words, "\xff" x 20],
);

for my $how (keys %grpc) {
    push @ups, ArtifactUpstream->new("$dir/grpc-$how.sock", serve => sub {
        my ($sock) = @_;
        sysread $sock, my $buf, 4096 or return;
        for my $i (0 .. $#{ $grpc{$how} }) {
            sleep 0.1 if $i;
            syswrite $sock, $grpc{$how}[$i];
        }
        1 while $how !~ /end|half/ && sysread $sock, $buf, 4096;
    });
}

my %modes = (
    plain => '',
    unbuffered => 'proxy_buffering off;',
    cached => 'proxy_cache c; proxy_cache_valid 200 1m;'
        . 'proxy_cache_key "$request_uri";',
    stored => 'proxy_store %%PREFIX%%/store$uri;',
    gzip => 'gzip on; gzip_types application/json text/html;'
        . 'gzip_min_length 1;',
    decode => 'artifact_decode on;',
    next => 'proxy_next_upstream error timeout http_502;',
    tiny => 'proxy_buffer_size 1k; proxy_buffers 3 1k;'
        . 'proxy_busy_buffers_size 2k;',
);
my $pages = 'error_page 502 /sorry;';
my $locations = join '', map { <<"CONF" } sort keys %modes;
    location /$_/ {
        proxy_pass http://up/;
        $modes{$_}
    }
    location /$_-page/ {
        proxy_pass http://up/;
        $modes{$_}
        $pages
    }
CONF
my @gateways = map { ($_, "$_-unbuffered") } qw(fastcgi scgi uwsgi);
for my $name (@gateways) {
    my ($protocol, $off) = split /-/, $name;
    for my $page ('', '-page') {
        $locations .= "
    location ~ ^/$name$page/(?<name>.*) {
        ${protocol}_pass unix:$dir/$protocol.sock;
        ${protocol}_param REQUEST_METHOD \$request_method;
        ${protocol}_param QUERY_STRING \$query_string;
        ${protocol}_param DOCUMENT_URI \$name;
        " . ($off ? "${protocol}_buffering off;" : '')
          . ($page ? $pages : '') . "
    }\n";
    }
}

$t->start(http => <<"HTTP", server => <<"SERVER");
    upstream up {
        server unix:%%PREFIX%%/http.sock max_fails=0;
        server unix:%%PREFIX%%/http.sock max_fails=0;
    }
    proxy_cache_path %%PREFIX%%/cache keys_zone=c:1m;
    log_format short '\$status \$request_uri';
    artifact_route on;
    server {
        listen 127.0.0.1:$h2 http2;
        $locations
    }
HTTP
    access_log %%PREFIX%%/access.log short;
    location = /sorry {
        return 502 "sorry\\n";
    }
    location ~ ^/grpc/(?<how>.*) {
        grpc_pass grpc://unix:%%PREFIX%%/grpc-\$how.sock;
    }
    location ~ ^/grpc-page/(?<how>.*) {
        grpc_pass grpc://unix:%%PREFIX%%/grpc-\$how.sock;
        error_page 502 /sorry;
    }
    location /named/ {
        proxy_pass http://up/;
        error_page 502 = \@named;
    }
    location /elsewhere/ {
        proxy_pass http://up/;
        error_page 502 http://elsewhere/sorry;
    }
    location \@named {
        rewrite ^/named/(.*) /\$1? break;
        proxy_pass http://up;
    }
    $locations
SERVER

my @READER = ('X-LLM-Capabilities' => 'text, vision, file');


sub ask {
    my ($uri, %opt) = @_;
    return $t->req('GET', $uri, may_break => 1, %opt, headers => [@READER]);
}


# What is wrong with a 502 in JSON, and with one that has a page.

sub problems {
    my ($uri) = @_;
    my @wrong;

    my $res = ask($uri);
    push @wrong, "status $res->{status}" if $res->{status} != 502;
    push @wrong, 'incomplete' if !$res->{complete};
    push @wrong, 'not JSON' if ($res->header('Content-Type') // '')
        ne 'application/json';
    my $data = eval { decode_strict($res->body) } || {};
    push @wrong, 'body ' . substr $res->body, 0, 80
        if ($data->{error} // '') ne 'read_failed';
    push @wrong, "a header of the upstream's: $_"
        for grep { defined $res->header($_) }
            qw(ETag X-Upstream Set-Cookie Content-Disposition);
    $t->wait_for(qr/^(\d+) \Q$uri\E$/m, 'access.log');
    my ($logged) = slurp("$dir/access.log") =~ /^(\d+) \Q$uri\E$/m;
    push @wrong, 'logged as ' . ($logged // 'none') if ($logged // 0) != 502;

    (my $page = $uri) =~ s{\A/([^/]+)/}{/$1-page/};
    $res = ask($page);
    push @wrong, "error_page: status $res->{status}, body "
        . substr $res->body, 0, 80
        if $res->{status} != 502 || $res->body ne "sorry\n";
    return map { "$uri: $_" } @wrong;
}


for my $where (sort(keys %modes), @gateways) {
    my @wrong;
    for my $id (sort keys %content) {
        my $claim = 'claim=' . length $content{$id}[0];
        my @cases = map { "$claim&cut=$_" } 0, 1, 100, 4000;
        push @cases, map { "frame=chunked&cut=$_" } 0, 1, 100, 4000
            if $where !~ /fastcgi|scgi|uwsgi/;

        # in the middle of a chunk or a record, and with something else for one

        push @cases, map { ("$_&cut=1&short=10", "$_&cut=4000&short=1",
                            "$_&cut=100&junk=1", "$_&cut=0&junk=1",
                            "$_&cut=100&pause=20&junk=1",
                            "$_&cut=100&junk=30000") }
            $where =~ /fastcgi/ ? $claim : 'frame=chunked'
            if $where !~ /scgi|uwsgi/;
        push @wrong, problems("/$where/$id?$_") for @cases;
    }
    is(join("\n", splice @wrong, 0, 8), '', "$where: a 502 like any other");
}

is(join("\n", problems("/grpc/$_")), '', "gRPC: $_") for sort keys %grpc;

is(ask("/named/png?cut=100")->{status}, 200, 'a page of a named location');
is(routing_of(ask('/named/png?cut=100')), 'image image_url image/png',
   'which is routed');

my $res = ask('/elsewhere/png?cut=100');
is("$res->{status} " . ($res->header('Location') // ''),
   '302 http://elsewhere/sorry', 'a page elsewhere');
ok($res->{complete} && $res->header('Content-Type') eq 'text/html',
   'with the words of the redirect');

$res = ask('/cached/png');
is(routing_of($res), 'image image_url image/png',
   'nothing of it was cached');
ok(data_of($res) eq $content{png}[0], 'but the whole');
ok(!-e "$dir/store/stored/png", 'nor stored');

# an answer goes on, on the same connection of HTTP/2

SKIP: {
    skip 'no HTTP/2 in curl', 1 unless curl_features('HTTP2');

    $res = curl($dir, '--http2-prior-knowledge',
                '-H', 'X-LLM-Capabilities: vision',
                "http://127.0.0.1:$h2/plain/png?cut=100");
    is("$res->{status} " . json_of($res)->{error}, '502 read_failed',
       'by HTTP/2');
}

$res = $t->req('GET', '/plain/png?cut=100', may_break => 1);
ok(!$res->{complete} && $res->{status} == 200,
   'a raw answer is as it was');

$_->stop for @ups;
$t->finish;
