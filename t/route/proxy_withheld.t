#!/usr/bin/perl

# What asks for other bytes than the whole content does not reach a source
# whose answer will be routed, without a line of configuration; nginx itself
# still compares, and compresses.  Raw requests are passed on as they are.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;
use IO::Uncompress::Gunzip qw(gunzip);

my $t = ArtifactTest->new;
my $grpc = ArtifactTest->new->port;
my $dir = $t->prefix;
my $text = join '', map { "line $_\n" } 1 .. 2000;

my @gateways = qw(fastcgi scgi uwsgi);
my %contents = (
    text => { body => $text, type => 'text/plain',
              headers => ['ETag: "one"', 'X-Model: reads'] },
);
my %up = map { $_ => ArtifactUpstream->new("$dir/$_.sock", protocol => $_,
                                           contents => \%contents) }
    'http', @gateways;

mkdir "$dir/html" or die "mkdir: $!";
spew("$dir/html/text", $text);

$t->file('map.json', { services => [ { id => 'reads' } ] });

my $gateways = join '', map { <<"CONF" } @gateways;
    location ~ ^/$_/(?<name>.*) {
        ${_}_pass unix:%%PREFIX%%/$_.sock;
        ${_}_param REQUEST_METHOD \$request_method;
        ${_}_param QUERY_STRING \$query_string;
        ${_}_param DOCUMENT_URI \$name;
    }
    location ~ ^/$_-cached/(?<name>.*) {
        ${_}_cache $_;
        ${_}_cache_key \$uri\$is_args\$args;
        ${_}_cache_valid 200 1h;
        ${_}_pass unix:%%PREFIX%%/$_.sock;
        ${_}_param REQUEST_METHOD \$request_method;
        ${_}_param QUERY_STRING \$query_string;
        ${_}_param DOCUMENT_URI \$name;
    }
CONF

$t->start(http => <<"HTTP", server => <<"SERVER");
    artifact_capabilities %%PREFIX%%/map.json;
    upstream up {
        server unix:%%PREFIX%%/http.sock;
    }
    proxy_cache_path %%PREFIX%%/cache keys_zone=c:1m;
    fastcgi_cache_path %%PREFIX%%/fcache keys_zone=fastcgi:1m;
    scgi_cache_path %%PREFIX%%/scache keys_zone=scgi:1m;
    uwsgi_cache_path %%PREFIX%%/ucache keys_zone=uwsgi:1m;
    map \$upstream_http_x_model \$told {
        default \$upstream_http_x_model;
    }
    log_format asked escape=json '\$uri|\$http_range|\$http_if_range|'
        '\$http_if_match|\$http_if_none_match|\$http_if_modified_since|'
        '\$http_if_unmodified_since|\$http_accept_encoding';
    server {
        listen unix:%%PREFIX%%/files.sock;
        access_log %%PREFIX%%/files.log asked;
        root %%PREFIX%%/html;
        default_type text/plain;
    }
    server {
        listen 127.0.0.1:$grpc http2;
        access_log %%PREFIX%%/grpc.log asked;
        root %%PREFIX%%/html;
        default_type text/plain;
    }
HTTP
    artifact_route on;
    access_log %%PREFIX%%/here.log asked;

    location /http/ {
        proxy_pass http://up/;
    }
    location /explicit/ {
        proxy_set_header Range \$http_range;
        proxy_set_header Accept-Encoding \$http_accept_encoding;
        proxy_pass http://up/;
    }
    location /http-cached/ {
        proxy_cache c;
        proxy_cache_key \$uri\$is_args\$args;
        proxy_cache_valid 200 1h;
        proxy_pass http://up/;
    }
    location /zip/ {
        gzip on;
        gzip_http_version 1.0;
        gzip_proxied any;
        gzip_types application/json;
        proxy_pass http://up/;
    }
    location /slice/ {
        slice 4k;
        proxy_cache c;
        proxy_cache_key \$uri\$slice_range;
        proxy_cache_valid 200 206 1h;
        proxy_set_header Range \$slice_range;
        proxy_pass http://unix:%%PREFIX%%/files.sock:/;
    }
    location /grpc/ {
        rewrite ^/grpc/(.*) /\$1 break;
        grpc_pass grpc://127.0.0.1:$grpc;
    }
    location /falls/ {
        proxy_intercept_errors on;
        error_page 404 = \@raw;
        proxy_pass http://up/none/;
    }
    location \@raw {
        artifact_route off;
        rewrite .* /text?raw break;
        proxy_pass http://up;
    }
    location /told/ {
        artifact_service \$told;
        proxy_pass http://up/;
    }
    $gateways
SERVER

my %NAMES = (
    'Range' => 'bytes=0-9',
    'If-Range' => '"one"',
    'If-Match' => '*',
    'If-None-Match' => '"one"',
    'If-Modified-Since' => 'Thu, 01 Jan 1970 00:00:00 GMT',
    'Accept-Encoding' => 'gzip',
);
my $WITHHELD = qr/^(?:HTTP_)?
    (?:Range|If[-_](?:Range|Match|None[-_]Match|Modified[-_]Since
                  |Unmodified[-_]Since)|Accept[-_]Encoding):/ix;

# Which of the headers an upstream saw, of the last request.

sub seen {
    my ($up) = @_;
    my ($last) = reverse $up{$up}->requests_in_full;
    return 'nothing asked' if !defined $last;
    my (undef, @headers) = split /\t/, $last;
    return join '; ', grep { /$WITHHELD/ } @headers;
}

sub routed {
    my ($uri, @headers) = @_;
    return $t->accept('text', $uri, @headers);
}

for my $up ('http', @gateways) {
    for my $uri ("/$up/text", "/$up-cached/text") {
        my $res = routed($uri, %NAMES);
        is(seen($up), '', "$uri: nothing of it goes upstream");
        is($res->status, 200, 'its answer is whole');
        is(eval { json_of($res)->{content} }, $text, 'and routed');

        $res = routed("$uri?again", map { $_ => $NAMES{$_} }
                                        grep { !/Match/ } keys %NAMES);
        is(seen($up), '', 'nor without a tag');
        is($res->status, 200, 'whole');
        my $tag = $res->header('ETag') // '';
        like($tag, qr/\A"one-/, 'the tag is that of the answer');

        is(routed("$uri?again", 'If-None-Match' => $tag)->status, 304,
           'nginx compares it: 304');
        is(routed("$uri?again", 'If-Match' => '"one"')->status, 412,
           'and 412');
    }

    $t->get("/$up/text", %NAMES, 'If-Unmodified-Since' => 'Thu');
    is(scalar(split /; /, seen($up)), 7, "raw, all of it goes to $up");
}

# lines that come twice, many others around them, whoever asks for them

my @many = map { ("X-Number-$_" => $_) } 1 .. 60;
splice @many, 60, 0, 'Accept-Encoding' => 'gzip', 'accept-encoding' => 'br';
$up{http}->requests;
routed('/http/text', @many, 'RANGE' => 'bytes=1-2');
my ($last) = $up{http}->requests_in_full;
unlike($last, qr/\taccept-encoding|\trange:/i, 'in any case, and twice');
is(join(',', $last =~ /\tX-Number-(\d+): /g), join(',', 1 .. 60),
   'all others go, in their order');

routed('/explicit/text', %NAMES);
is(seen('http'), '', 'not by variables either');
$t->get('/explicit/text', Range => 'bytes=1-2');
is(seen('http'), 'Range: bytes=1-2', 'which raw requests have');

# only what nginx does with them

my $res = routed('/zip/text', %NAMES);
is(seen('http'), '', 'of a compressed answer');
is($res->header('Content-Encoding'), 'gzip', 'nginx compresses it');
my $plain;
gunzip(\($res->body), \$plain);
is(eval { decode_strict($plain)->{content} }, $text, 'as a whole');

# slices and gRPC, by the log of a server behind

sub log_of {
    my ($name) = @_;
    my @lines = split /\n/, slurp("$dir/$name.log");
    return map { [split /\|/, $_, -1] } @lines;
}

sub others {
    my ($line) = @_;
    return join '', @$line[2 .. 7];
}

$res = routed('/slice/text', %NAMES);
is($res->status, 200, 'of slices');
is(eval { json_of($res)->{content} }, $text, 'all of them');
my @slices = log_of('files');
is(join(' ', map { $_->[1] } @slices),
   join(' ', map { sprintf 'bytes=%d-%d', $_ * 4096, $_ * 4096 + 4095 }
                 0 .. $#slices), 'each was asked for');
is(join('', map { others($_) } @slices), '', 'and nothing else');
my $tag = $res->header('ETag');
is(routed('/slice/text', 'If-None-Match' => $tag, Range => 'bytes=0-1')
   ->status, 304, 'nginx compares the tag of slices');
$res = $t->get('/slice/text', Range => 'bytes=5000-5009');
is($res->status . ' ' . $res->body, '206 ' . substr($text, 5000, 10),
   'raw, they have ranges');

$res = routed('/grpc/text', %NAMES);
is($res->status, 200, 'by gRPC');
is(eval { json_of($res)->{content} }, $text, 'whole');
my ($asked) = log_of('grpc');
is("$asked->[1]" . others($asked), '', 'nothing of it goes there');
is(routed('/grpc/text', 'If-None-Match' => $res->header('ETag'))->status, 304,
   'nginx compares');
$t->get('/grpc/text', %NAMES);
($asked) = reverse log_of('grpc');
is($asked->[1], $NAMES{Range}, 'raw, it goes');

# the log has what the client sent

is(routed('/http/text?logged', %NAMES)->status, 200, 'a request is logged');
$t->get('/http/text?after');
my ($here) = grep { $_->[1] && $_->[0] eq '/http/text' } log_of('here');
is(join('|', @$here[1 .. 5, 7]), join('|', map { $NAMES{$_} =~ s/"/\\"/gr }
   qw(Range If-Range If-Match If-None-Match If-Modified-Since
      Accept-Encoding)), 'with the headers of the client');

# a redirect to where nothing is routed

$up{http}->requests;
$res = routed('/falls/text', Range => 'bytes=0-9', 'Accept-Encoding' => 'br');
my @asked = $up{http}->requests_in_full;
unlike($asked[0], qr/\tRange|\tAccept-Enc/, 'not where it would be routed');
like($asked[1], qr/\tRange: bytes=0-9/, 'but where it is raw');
like($asked[1], qr/\tAccept-Encoding: br/, 'with all of it');

# a service that only the upstream tells

$res = $t->get('/told/text', 'Accept-Encoding' => 'identity');
is(eval { json_of($res)->{content} }, $text,
   'looking early does not keep what is not yet known');

# what comes all the same is refused

error_is(routed('/http/text?status=206&header=Content-Range:bytes%200-9/10'),
         502, 'upstream_partial', undef, 'a part that nobody asked for');
error_is(routed('/http/text?header=Content-Encoding:gzip'), 502,
         'upstream_encoded', undef, 'and what is encoded');

$_->stop for values %up;
$t->finish;
