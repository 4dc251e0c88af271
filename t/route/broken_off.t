#!/usr/bin/perl

# A source that breaks off once its answer has begun ends the connection at
# once, short of the answer's end, whatever a filter behind still holds: the
# client does not wait for a timeout of nginx's.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactCurl;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;
use Time::HiRes qw(time);

my $t = ArtifactTest->new;
my $spare = ArtifactTest->new;
my $h2 = $spare->port;
my $dir = $t->prefix;

my %content = (
    text => ["some words again and again\n" x 3000, 'text/plain'],
    pdf => [pdf() . "\0\1\2" x 30_000, 'application/pdf'],
);
my @ups = map { ArtifactUpstream->new("$dir/$_.sock", protocol => $_,
    contents => {
        map { $_ => { body => $content{$_}[0], type => $content{$_}[1] } }
            keys %content,
    }) } qw(http fastcgi scgi uwsgi);

my %modes = (
    plain => '',
    unbuffered => 'proxy_buffering off;',
    cached => 'proxy_cache c; proxy_cache_valid 200 1m;'
        . 'proxy_cache_key "$request_uri$http_x_key";',
    unverified => 'artifact_verify off;',
    tiny => 'proxy_buffer_size 1k; proxy_buffers 3 1k;'
        . 'proxy_busy_buffers_size 2k;',
);
my $gzip = 'gzip on; gzip_types application/json; gzip_min_length 1;';
my $gateways = join '', map { <<"CONF" } qw(fastcgi scgi uwsgi);
    location ~ ^/$_/(?<name>.*) {
        ${_}_pass unix:$dir/$_.sock;
        ${_}_param REQUEST_METHOD \$request_method;
        ${_}_param QUERY_STRING \$query_string;
        ${_}_param DOCUMENT_URI \$name;
    }
    location ~ ^/$_-gzip/(?<name>.*) {
        $gzip
        ${_}_buffering off;
        ${_}_pass unix:$dir/$_.sock;
        ${_}_param REQUEST_METHOD \$request_method;
        ${_}_param QUERY_STRING \$query_string;
        ${_}_param DOCUMENT_URI \$name;
    }
CONF
my $locations = $gateways . join '', map { <<"CONF" } sort keys %modes;
    location /$_/ {
        proxy_pass http://up/;
        $modes{$_}
    }
    location /$_-gzip/ {
        proxy_pass http://up/;
        $modes{$_}
        $gzip
    }
CONF

$locations .= <<"CONF";
    location /flushed/ {
        proxy_pass http://up/;
        proxy_buffering off;
        proxy_buffer_size 16k;
        proxy_buffers 4 16k;
        $gzip
    }
CONF

$t->start(http => <<"HTTP", server => $locations);
    upstream up {
        server unix:%%PREFIX%%/http.sock max_fails=0;
    }
    proxy_cache_path %%PREFIX%%/cache keys_zone=c:1m;
    artifact_route on;
    artifact_inline_max 0;
    gzip_comp_level 9;
    server {
        listen 127.0.0.1:$h2 http2;
        $locations
    }
HTTP

my @READER = ('X-LLM-Capabilities' => 'text, file',
              'Accept-Encoding' => 'gzip');
my @where = map { ($_, "$_-gzip") } sort(keys %modes),
    qw(fastcgi scgi uwsgi);

for my $where (@where) {
    my @wrong;
    for my $id (sort keys %content) {
        my $length = length $content{$id}[0];
        for my $how ("cut=30000&claim=$length", 'cut=30000&frame=chunked',
                     'nolast=1&frame=chunked', 'cut=30000&short=9'
                     . '&frame=chunked', 'cut=30000&junk=1&frame=chunked',
                     'cut=5000&junk=1&frame=chunked',
                     "cut=5000&junk=1&claim=$length")
        {
            next if $where =~ /fastcgi|scgi|uwsgi/ && $how =~ /chunked/;

            for my $version ('1.1', '1.0') {
                my $conn = $t->connect(timeout => 10);
                my $res = $conn->request('GET', "/$where/$id?$how",
                    version => $version, keep => 1, headers => [@READER]);
                my $case = "$id?$how by HTTP/$version";

                push @wrong, "$case: status $res->{status}"
                    if $res->{status} != 200;
                push @wrong, "$case: $conn->{error}" if $conn->{error};
                push @wrong, "$case: whole"
                    if $res->{complete} && ($res->{framing} // '') ne 'close';
                push @wrong, "$case: the connection goes on"
                    if !$conn->at_end;
                push @wrong, "$case: JSON"
                    if eval { decode_strict($res->body) };
            }
        }
    }
    is(join("\n", @wrong), '', "$where: broken off, over at once");
}

# The first bytes, for which the header waited, go on while the source is slow.

my $began = time;
my $first = $t->req('GET', '/flushed/text?wait=4096', headers => [@READER]);
cmp_ok(time - $began - $first->{first_byte}, '>', 0.2,
       'the first bytes are flushed');

SKIP: {
    skip 'no HTTP/2 in curl', scalar @where unless curl_features('HTTP2');

    for my $where (@where) {
        my $how = 'cut=30000&claim=' . length $content{text}[0];
        my $res = curl($dir, '--http2-prior-knowledge', '--max-time', 20,
                       '-H', 'X-LLM-Capabilities: text, file',
                       '-H', 'Accept-Encoding: gzip',
                       "http://127.0.0.1:$h2/$where/text?$how");
        ok($res->{exit} != 0 && $res->{exit} != 28,
           "$where: a stream of HTTP/2 is reset at once")
            or diag("exit $res->{exit}");
    }
}

$_->stop for @ups;
$t->finish;
