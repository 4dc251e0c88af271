#!/usr/bin/perl

# Three references to 20 MB each: the upstream gets every byte, and is told how
# many, whatever it speaks and however the source answers; the worker does not
# grow.  So does the next peer when one has died on the way.

use strict;
use warnings;

use Digest::SHA qw(sha1_hex);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactCurl;
use ArtifactEcho;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;

my $GROWS = 2048;       # KB

my $t = ArtifactTest->new;
my ($tls, $h2, $front) = map { ArtifactTest->new } 1 .. 3;
my $dir = $t->prefix;
my $sanitized = $t->version =~ /-fsanitize/;
my @certificate = grep { -x "$_/openssl" } split /:/, $ENV{PATH};
my ($key, $cert) = @certificate ? certificate($dir) : ();

my $png = png(50, 50);
my %content = map { $_ => $png . chr(ord $_) x 20_000_000 } qw(x y z);
$t->artifact($_, $content{$_}, { mimeType => 'image/png' })
    for keys %content;

my $body = '{"messages":[{"role":"user","content":[' . join(',',
    map { qq({"type":"image_url","image_url":{"url":"artifact:$_"}}) }
    sort keys %content) . ']}]}';
my $want = $body;
for my $id (keys %content) {
    my $url = 'data:image/png;base64,' . b64($content{$id});
    $want =~ s/artifact:$id/$url/;
}
my $length = length $want;
my $digest = "$length " . sha1_hex($want);
undef $want;

# Servers that answer with length and digest of what they get.

my @servers = (
    echo("$dir/echo", digest => 1),
    ArtifactUpstream->new("$dir/fastcgi", serve => \&fastcgi),
    ArtifactUpstream->new("$dir/uwsgi", serve => \&uwsgi),
    ArtifactUpstream->new("$dir/scgi", serve => \&scgi),
    map({ my $n = $_; ArtifactUpstream->new("$dir/dies-$n",
          serve => sub { dies($_[0], $n) }) } 0, 100_000, 30_000_000, -1),
    ArtifactUpstream->new("$dir/store", contents => { map {
        $_ => { body => $content{$_}, type => 'image/png' } }
        keys %content }),
);

my $locations = join '', map {
    my ($name, $more) = @$_;
    "location /$name/ { artifact_expand on; $more }\n";
} (['local', "proxy_pass http://unix:$dir/echo:;"],
   ['proxied', "artifact_source /store/; proxy_pass http://unix:$dir/echo:;"],
   ['unbuffered', "artifact_source /flow/; proxy_pass http://unix:$dir/echo:;"],
   ['threads', "artifact_source /thread/;
     proxy_pass http://unix:$dir/echo:;"],
   ['mapped', "client_body_buffer_size 1k; sendfile on;
     proxy_pass http://unix:$dir/echo:;"],
   ['off', "sendfile off; client_body_buffer_size 1k;
     proxy_pass http://unix:$dir/echo:;"],
   ['asked-off', "proxy_request_buffering off; proxy_http_version 1.1;
     proxy_pass http://unix:$dir/echo:;"],
   ['fastcgi', "fastcgi_param REQUEST_METHOD POST;
     fastcgi_param CONTENT_LENGTH \$content_length;
     fastcgi_pass unix:$dir/fastcgi;"],
   ['uwsgi', "uwsgi_param CONTENT_LENGTH \$content_length;
     uwsgi_pass unix:$dir/uwsgi;"],
   ['scgi', "scgi_param CONTENT_LENGTH \$content_length;
     scgi_pass unix:$dir/scgi;"],
   ['grpc', "grpc_pass grpc://127.0.0.1:@{[$h2->port]};"],
   $key ? ['tls', "proxy_ssl_session_reuse off;
     proxy_pass https://127.0.0.1:@{[$tls->port]};"] : (),
   map { ["dies$_", "proxy_next_upstream error non_idempotent;
           proxy_pass http://dies$_;"] } 0, 100_000, 30_000_000, -1);

my $server = <<"SERVER";
    artifact_root %%DATA%%;
    artifact_inline_max 0;
    artifact_body_max 128m;
    client_max_body_size 0;
    sendfile on;
    $locations
    location /artifacts/ { internal; artifact; }
    location /thread/ { internal; artifact; aio threads; }
    location /store/ {
        internal;
        proxy_pass http://unix:$dir/store:/;
    }
    location /flow/ {
        internal;
        proxy_buffering off;
        rewrite ^/flow/(.*) /\$1?frame=chunked break;
        proxy_pass http://unix:$dir/store:;
    }
SERVER

my $relay = <<"RELAY";
        client_max_body_size 0;
        location / {
            proxy_request_buffering off;
            proxy_http_version 1.1;
            proxy_pass http://unix:$dir/echo:;
        }
RELAY
my $secure = $key ? <<"TLS" : '';
    server {
        listen 127.0.0.1:@{[$tls->port]} ssl;
        ssl_certificate $cert;
        ssl_certificate_key $key;
        $relay
    }
TLS

$t->allow(qr/dies/);
$t->start(main => 'thread_pool default threads=2;', server => $server,
          http => join '', $secure, (map { "upstream dies$_ {
        server unix:$dir/dies-$_ max_fails=0;
        server unix:$dir/echo backup;
    }" } 0, 100_000, 30_000_000, -1), <<"HTTP");
    server { listen 127.0.0.1:@{[$h2->port]} http2; $relay }
    server { listen 127.0.0.1:@{[$front->port]} http2; $server }
HTTP

my ($worker) = $t->workers;

# The most that the worker has had since it was told to forget.

sub peak {
    my ($forget) = @_;
    if ($forget) {
        open my $fh, '>', "/proc/$worker/clear_refs" or die "clear_refs: $!";
        syswrite $fh, '5' or die "clear_refs: $!";
    }
    return slurp("/proc/$worker/status") =~ /^VmHWM:\s+(\d+)/m ? $1 : die;
}

sub ask {
    my ($at) = @_;
    return $t->req('POST', "/$at/chat/completions", body => $body,
                   headers => ['Content-Type' => 'application/json']);
}

# buffers that stay are there before it is measured

ask($_) for qw(local proxied), $key ? 'tls' : ();

for my $at (qw(local mapped off threads proxied unbuffered asked-off fastcgi
               uwsgi scgi grpc), $key ? 'tls' : (),
            map { "dies$_" } 0, 100_000, 30_000_000, -1)
{
    my $before = peak(1);
    my $res = ask($at);
    is($res->{body}, $digest, "$at: every byte");
    SKIP: {
        skip 'a sanitizer keeps freed memory', 1 if $sanitized;
        my $grown = peak() - $before;
        note("$at: $grown KB");
        cmp_ok($grown, '<=', $GROWS, "$at: the worker has not grown");
    }
}

is(join(' ', map { $_->connections } @servers[4 .. 7]), '1 1 1 1',
   'each of the peers that died was asked');

# other clients

spew("$dir/body", $body);
my @data = ('-H', 'Content-Type: application/json', '--data-binary',
            "\@$dir/body");
my $res = curl($dir, '-H', 'Transfer-Encoding: chunked', @data,
               'http://127.0.0.1:' . $t->port . '/local/chat/completions');
is($res->{body}, $digest, 'chunks');
SKIP: {
    skip 'curl without HTTP/2', 2 unless curl_features('HTTP2');
    for my $at (qw(local asked-off)) {
        $res = curl($dir, '--http2-prior-knowledge', @data, 'http://127.0.0.1:'
            . $front->port . "/$at/chat/completions");
        is($res->{body}, $digest, "HTTP/2, $at");
    }
}

$_->stop for @servers;
is(scalar(grep { (readlink $_ // '') =~ m{/tmp/body/} }
          glob "/proc/$worker/fd/*"), 0, 'no temporary file is open');
$t->finish;


sub answer {
    my ($sock, $told, $got) = @_;
    my $text = $told eq length $got ? length($got) . ' ' . sha1_hex($got)
        : "told $told, got " . length $got;
    return "Status: 200 OK\r\nContent-Length: " . length($text)
        . "\r\n\r\n$text";
}


sub filled {
    my ($sock, $buf, $n) = @_;
    while (length $$buf < $n) {
        sysread $sock, $$buf, 1 << 20, length $$buf or return 0;
    }
    return 1;
}


sub fastcgi {
    my ($sock) = @_;
    my ($buf, $got, $params) = ('', '', '');
    while (filled($sock, \$buf, 8)) {
        my ($type, $size, $padding) = unpack 'x C x2 n C', $buf;
        filled($sock, \$buf, 8 + $size + $padding) or return;
        $params .= substr $buf, 8, $size if $type == 4;
        $got .= substr $buf, 8, $size if $type == 5;
        substr $buf, 0, 8 + $size + $padding, '';
        last if $type == 5 && !$size;
    }
    my ($told) = $params =~ /CONTENT_LENGTH(\d+)/;
    my $text = answer($sock, $told, $got);
    syswrite $sock, pack('C2 n2 x2', 1, 6, 1, length $text) . $text
        . pack('C2 n2 x2', 1, 3, 1, 8) . "\0" x 8;
}


sub uwsgi {
    my ($sock) = @_;
    my $buf = '';
    filled($sock, \$buf, 4) or return;
    my $size = unpack 'x v', $buf;
    filled($sock, \$buf, 4 + $size) or return;
    my %param = unpack '(v/a)*', substr $buf, 4, $size;
    substr $buf, 0, 4 + $size, '';
    filled($sock, \$buf, $param{CONTENT_LENGTH}) or return;
    syswrite $sock, answer($sock, $param{CONTENT_LENGTH}, $buf);
}


sub scgi {
    my ($sock) = @_;
    my $buf = '';
    filled($sock, \$buf, 40) or return;
    my ($size) = $buf =~ /\A(\d+):/ or return;
    my $at = length($size) + 1 + $size + 1;
    filled($sock, \$buf, $at) or return;
    my ($told) = substr($buf, 0, $at, '') =~ /CONTENT_LENGTH\0(\d+)/;
    filled($sock, \$buf, $told) or return;
    syswrite $sock, answer($sock, $told, $buf);
}


# Reads so much of a request, all below 0, and ends without an answer.

sub dies {
    my ($sock, $n) = @_;
    my $buf = '';
    filled($sock, \$buf, $n < 0 ? $length : $n + 500);
}
