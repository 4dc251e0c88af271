#!/usr/bin/perl

# Routed and raw answers over TLS with HTTP/1.1: keep-alive, HEAD, 304,
# upstreams over TLS.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactCurl;
use ArtifactFixtures;
use ArtifactTest;

my $t = ArtifactTest->new;
my $spare = ArtifactTest->new;
my $secure = $spare->port;
my $dir = $t->prefix;
my ($key, $cert) = certificate($dir);

my %content = (
    png => [png(60, 60), 'image/png'],
    text => [bytes("第一行 \"quoted\"\n" x 20_000), 'text/plain'],
    pdf => [pdf() . "\0\1\2\xff" x 500_000, 'application/pdf'],
    short => ['x', 'text/plain'],
    empty => ['', 'text/plain'],
);
$t->artifact($_, $content{$_}[0], { type => $content{$_}[1] })
    for keys %content;

my %part = (http => <<"HTTP", server => <<'SERVER');
    artifact_root %%DATA%%;
    artifact_route on;
    log_format ids '\$connection \$ssl_protocol \$uri \$status';
    server {
        listen 127.0.0.1:$secure ssl;
        ssl_certificate $cert;
        ssl_certificate_key $key;
        ssl_buffer_size 1k;
        access_log %%PREFIX%%/access.log ids;
        location /artifacts/ {
            artifact;
        }
        location /sendfile/ {
            artifact;
            sendfile on;
            output_buffers 1 512;
        }
        location /p/ {
            proxy_pass http://127.0.0.1:%%PORT%%/raw/;
        }
        location /raw/ {
            artifact_route off;
            artifact;
        }
        location /self/ {
            proxy_buffering off;
            # nginx does not free a session that it keeps for an upstream
            proxy_ssl_session_reuse off;
            proxy_pass https://127.0.0.1:$secure/raw/;
        }
    }
HTTP
    location /artifacts/ {
        artifact;
    }
    location /raw/ {
        artifact_route off;
        artifact;
    }
SERVER
$t->start(%part);

my $ALL = 'X-LLM-Capabilities: text, vision, file';
my @tls = ('--http1.1', '-k');

sub ask {
    my ($uri, @args) = @_;
    return curl($dir, @tls, @args, "https://127.0.0.1:$secure$uri");
}

my %want = map {
    $_ => $t->accept('text, vision, file', "/artifacts/$_")->body
} keys %content;

sub same {
    my ($res, $uri) = @_;
    my ($mode, $id) = $uri =~ m{^/(\w+)/(\w+)};
    return 0 if $res->{exit} || $res->{status} != 200;
    my $data = json_of($res);
    return $res->body eq $want{$id} if $mode =~ /artifacts|sendfile/;
    return $content{$id}[1] =~ /text/
        ? $data->{content} eq chars($content{$id}[0])
        : data_of($res) eq $content{$id}[0];
}

for my $mode (qw(artifacts sendfile p self)) {
    for my $id (sort keys %content) {
        my $res = ask("/$mode/$id", '-H', $ALL);
        ok(same($res, "/$mode/$id"), "/$mode/$id over TLS");
        is(route_problems($res), '', 'well-formed');
    }
}

# one connection

my @uris = map { my $m = $_; map { "/$m/$_" } qw(png text empty pdf short) }
    qw(artifacts p self);
my ($sum, @wrong) = (0);
my @command = map { ('--next', '-s', @tls, '-m', 20, '-H', $ALL, '-o',
                     "$dir/kept.$_", '-w', '%{num_connects}\n',
                     "https://127.0.0.1:$secure$uris[$_]") } 0 .. $#uris;
shift @command;
open my $curl, '-|', 'curl', @command or die "curl: $!";
$sum += $_ while <$curl>;
close $curl;
is($?, 0, 'keep-alive');
is($sum, 1, 'on one connection');
for (0 .. $#uris) {
    my ($id) = $uris[$_] =~ m{(\w+)\z};
    my $body = slurp("$dir/kept.$_");
    push @wrong, $uris[$_] if $uris[$_] =~ /artifacts/
        ? $body ne $want{$id} : !eval { decode_strict($body) };
}
is(join(' ', @wrong), '', 'every answer is whole');

# HEAD, 304, ranges, errors

my $etag = ask('/artifacts/png', '-H', $ALL)->header('ETag');
my $res = ask('/artifacts/png', '-H', $ALL, '-H', "If-None-Match: $etag");
is("$res->{exit} $res->{status}", '0 304', 'If-None-Match');
$res = ask('/artifacts/png', '-H', $ALL, '-I');
is("$res->{exit} $res->{status}", '0 200', 'HEAD');
is($res->header('Content-Length'), length $want{png}, 'its length');
is(ask('/raw/pdf', '-r', '5-9')->body, substr($content{pdf}[0], 5, 5),
   'a raw range');
error_is(ask('/artifacts/nope', '-H', $ALL), 404, 'artifact_not_found',
         'nope', 'an error');

# slow readers, and a reload under one

$res = ask('/p/pdf', '-H', $ALL, '--limit-rate', '6M');
ok(same($res, '/p/pdf'), 'a slow reader');
my $pid = fork // die "fork: $!";
if (!$pid) {
    exec 'curl', '-s', @tls, '-m', 20, '-H', $ALL, '-o', "$dir/slow.out",
        '--limit-rate', '3M', "https://127.0.0.1:$secure/artifacts/pdf"
        or exit 1;
}
select undef, undef, undef, 0.2;
ok($t->reload(%part), 'a reload during a transfer');
waitpid $pid, 0;
is($?, 0, 'which ends well');
ok(slurp("$dir/slow.out") eq $want{pdf}, 'with every byte');

like(slurp("$dir/access.log"), qr{TLSv1\.[23] /artifacts/pdf 200},
     'it was TLS');

$t->finish;
