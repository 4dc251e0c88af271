#!/usr/bin/perl

# Where the references of a request come from: any location, also a proxied
# one; what it learns; and what becomes of the request when it fails, or when the
# client does not wait.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactCurl;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;
use ArtifactWrite;
use Time::HiRes qw(sleep);

my $t = ArtifactTest->new;
my $spare = ArtifactTest->new;
my $png = png(50, 50);
my $large = $png . "\0" x 2_000_000;

$t->artifact('local', $png, { mimeType => 'image/png', name => 'l.png' });

my $store = ArtifactUpstream->new($t->prefix . '/store', contents => {
    'shot' => { body => $png, type => 'image/png' },
    'large' => { body => $large, type => 'image/png' },
    'gone' => { body => 'x', type => 'image/png', status => 410 },
    'busy' => { body => 'x', type => 'text/plain', status => 503 },
    'coded' => { body => 'x', type => 'image/png',
                 headers => ['Content-Encoding: gzip'] },
});
my $gateway = ArtifactUpstream->new($t->prefix . '/gateway', contents => {
    '*' => { body => '{}', type => 'application/json' },
});

my $dir = $t->prefix;
my $server = <<"SERVER";
    artifact_root %%DATA%%;
    artifact_accept "text, vision";
    client_max_body_size 64m;

    location /artifacts/ { internal; artifact; }
    location /v1/ {
        artifact_expand on;
        proxy_pass http://unix:$dir/gateway:;
    }
    location /t/ {
        artifact_expand on;
        artifact_source /store/\$http_x_tenant/;
        proxy_pass http://unix:$dir/gateway:;
    }
    location /slow/ {
        artifact_expand on;
        artifact_source /slow-store/;
        proxy_pass http://unix:$dir/gateway:;
    }
    location /cut/ {
        artifact_expand on;
        artifact_source /cut-store/;
        proxy_pass http://unix:$dir/gateway:;
    }
    location /page/ {
        artifact_expand on;
        error_page 502 = \@again;
        proxy_pass http://unix:$dir/nobody:;
    }
    location \@again {
        artifact_expand on;
        proxy_pass http://unix:$dir/gateway:;
    }
    location /store/a/ {
        internal;
        rewrite ^/store/a/(.*) /\$1 break;
        proxy_pass http://unix:$dir/store:;
    }
    location /slow-store/ {
        internal;
        rewrite ^/slow-store/(.*) /\$1?step=1000&pause=100 break;
        proxy_buffering off;
        proxy_pass http://unix:$dir/store:;
    }
    location /cut-store/ {
        internal;
        rewrite ^/cut-store/(.*) /\$1?cut=30000&frame=close break;
        proxy_pass http://unix:$dir/store:;
    }
SERVER

$t->allow(qr/nobody|prematurely closed|upstream|unsafe URI/);
$t->start(server => $server,
          http => 'server { listen 127.0.0.1:' . $spare->port . ' http2;'
              . $server . ' }');

sub body_of {
    my (@refs) = @_;
    return '{"messages":[{"role":"user","content":[' . join(',',
        map { qq({"type":"image_url","image_url":{"url":"artifact:$_"}}) }
        @refs) . ']}]}';
}

sub expanded {
    my ($body, %content) = @_;
    for my $id (keys %content) {
        my $url = 'data:image/png;base64,' . b64($content{$id});
        $body =~ s/artifact:$id/$url/g;
    }
    return $body;
}

sub ask {
    my ($uri, $body, @headers) = @_;
    return $t->req('POST', "$uri/chat/completions", body => $body,
        headers => ['Content-Type' => 'application/json', @headers]);
}

# The length that the gateway was told, of the last request.

sub length_told {
    my ($all) = (reverse $gateway->requests_in_full)[0] // '';
    return $all =~ /Content-Length: (\d+)/ ? $1 : undef;
}

# what a source learns

my $body = body_of('shot', 'large', 'shot');
my $res = ask('/t', $body, 'X-Tenant' => 'a', Authorization => 'Bearer secret',
    'X-Api-Key' => 'secret', 'api-key' => 'secret', 'X-Goog-Api-Key' =>
    'secret', 'X-Request-ID' => 'kept', Range => 'bytes=0-1', 'If-None-Match' =>
    '"x"', 'Accept-Encoding' => 'gzip');
is($res->{status}, 200, 'two artifacts of a store');
is(length_told(), length expanded($body, shot => $png, large => $large),
   'what the gateway is told');
my @asked = $store->requests_in_full;
is(scalar @asked, 2, 'each is asked for once');
like($asked[0], qr{^GET /shot\t}, 'with GET');
like($asked[0], qr/X-Request-ID: kept/, 'with what tells who asks');
unlike($asked[0], qr/secret/, 'but no keys');
unlike($asked[0], qr/\t(?:Range|If-|Accept-Encoding|Content-|Transfer-)/i,
       'nothing of the body, nor of the answer');

# another tenant's, who has no location

$res = ask('/t', body_of('shot'), 'X-Tenant' => 'b');
is($res->{status}, 502, 'another tenant');
is(length_told(), undef, 'the gateway was not asked');
is(scalar $store->requests, 0, 'nor was the store');

# sources that fail

for (['busy', 502], ['coded', 502], ['gone', 200], ['none', 200]) {
    my ($id, $status) = @$_;
    $res = ask('/t', body_of($id), 'X-Tenant' => 'a');
    is($res->{status}, $status, "$id: $status");
    like($res->{body}, qr/source_failed.*artifact:$id/, "$id: which")
        if $status == 502;
}
$gateway->requests_in_full;
$res = ask('/cut', body_of('large'));
is($res->{status}, 200, 'a body that ends by closing is whole');
$gateway->requests_in_full;
$store->requests;
$res = $t->req('POST', '/t/chat/completions', body => body_of('local'),
    headers => ['Content-Type' => 'application/json', 'X-Tenant' => 'a/../b']);
is($res->{status}, 502, 'a tenant that climbs');
is(scalar $store->requests, 0, 'gets nowhere');

# more than nginx lets subrequests be nested

$body = body_of(map { "none-$_" } 1 .. 63);
$res = ask('/v1', $body);
is($res->{status}, 200, 'many references');

# a second expansion does not follow

$body = body_of('local');
$res = ask('/page', $body);
is($res->{status}, 200, 'a fallback');
is(length_told(), length expanded($body, local => $png), 'gets the same body');

# other ways of sending

$body = body_of('local');
my $conn = $t->connect;
$conn->send("POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n"
    . "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    . join('', map { sprintf "%x\r\n%s\r\n", length, $_ }
           $body =~ /(.{1,20})/gs) . "0\r\n\r\n");
is($conn->response('POST')->{status}, 200, 'chunks');

$conn = $t->connect;
$conn->send("POST /page/chat/completions HTTP/1.1\r\nHost: x\r\n"
    . "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    . sprintf("%x\r\n%s\r\n0\r\n\r\n", length $body, $body));
is($conn->response('POST')->{status}, 200, 'chunks, with a fallback');
is(length_told(), length expanded($body, local => $png), 'are a length now');
$conn->close;

SKIP: {
    skip 'curl without HTTP/2', 2 unless curl_features('HTTP2');
    spew("$dir/body", $body);
    my $res = curl($dir, '--http2-prior-knowledge', '-H',
        'Content-Type: application/json', '--data-binary', "\@$dir/body",
        'http://127.0.0.1:' . $spare->port . '/v1/chat/completions');
    is($res->{status}, 200, 'HTTP/2');
    is(length_told(), length expanded($body, local => $png), 'likewise');
}

# a client that does not wait

$conn = $t->connect;
$body = body_of('large');
$conn->send("POST /slow/chat/completions HTTP/1.1\r\nHost: x\r\n"
    . "Content-Type: application/json\r\nContent-Length: " . length($body)
    . "\r\n\r\n$body");
sleep 0.3;
$conn->close;
sleep 0.3;
$gateway->requests_in_full;
is(left_behind($t), '', 'leaves nothing behind');
is($t->get('/none')->{status}, 404, 'and the server is well');
is(scalar $gateway->requests, 0, 'the gateway was not asked');

$_->stop for $store, $gateway;
$t->finish;
