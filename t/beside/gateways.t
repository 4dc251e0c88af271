#!/usr/bin/perl

# Upstreams of other protocols: FastCGI, SCGI, uwsgi and memcached.  Their
# answers are routed as those of HTTP are, a byte at a time, too, and broken
# ones are never taken for whole.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;
use Time::HiRes qw(sleep);

my $t = ArtifactTest->new;
my $dir = $t->prefix;

my %content = (
    png => [png(20, 20), 'image/png'],
    text => [bytes("第一行 \"q\" \\\n" x 500), 'text/plain'],
    pdf => [pdf() . "\0\1\2" x 60_000, 'application/pdf'],
    json => ["{\"a\" : [1, 2]}\n", 'application/json'],
    short => ['x', 'text/plain'],
    empty => ['', 'text/plain'],
);
my %contents = map { $_ => { body => $content{$_}[0], type => $content{$_}[1],
                             headers => ['ETag: "one"'] } } keys %content;

my @gateways = qw(fastcgi scgi uwsgi);
my @ups = map { ArtifactUpstream->new("$dir/$_.sock", protocol => $_,
                                      contents => \%contents) }
    'http', @gateways;

# memcached knows no types: the name in the key tells them.

my %ext = (png => 'png', text => 'txt', pdf => 'pdf', json => 'json',
           short => 'txt', empty => 'txt');
push @ups, ArtifactUpstream->new("$dir/memcached.sock", serve => sub {
    my ($sock) = @_;

    my $buf = '';
    while (1) {
        until ($buf =~ /\r\n/) {
            sysread $sock, $buf, 4096, length $buf or return;
        }
        $buf =~ s/\Aget (\S+)\r\n// or return;
        my $key = $1;
        my ($how, $id) = $key =~ m{\A/mem/(\w+)/(\w+)} or return;
        my $body = ($content{$id} || [])->[0];
        my $flags = $how eq 'packed' ? 1 : 0;
        my $answer = defined $body
            ? "VALUE $key $flags " . length($body) . "\r\n$body\r\nEND\r\n"
            : "END\r\n";
        $answer = substr $answer, 0, -9 if $how eq 'cut';

        my $step = $how eq 'slow' ? 1 : 65536;
        for (my $at = 0; $at < length $answer; ) {
            $at += syswrite($sock, $answer, $step, $at) // return;
        }
        return if $how eq 'cut';
    }
});

my $locations = join '', map { <<"CONF" } @gateways;
    location ~ ^/$_/(?<name>.*) {
        ${_}_pass unix:%%PREFIX%%/$_.sock;
        ${_}_param REQUEST_METHOD \$request_method;
        ${_}_param QUERY_STRING \$query_string;
        ${_}_param DOCUMENT_URI \$name;
        ${_}_param HTTP_RANGE "";
    }
    location ~ ^/$_-small/(?<name>.*) {
        ${_}_buffering off;
        ${_}_buffer_size 1k;
        ${_}_pass unix:%%PREFIX%%/$_.sock;
        ${_}_param REQUEST_METHOD \$request_method;
        ${_}_param QUERY_STRING \$query_string;
        ${_}_param DOCUMENT_URI \$name;
    }
    location ~ ^/$_-cached/(?<name>.*) {
        ${_}_cache $_;
        ${_}_cache_key $_\$name;
        ${_}_cache_valid 200 1h;
        ${_}_pass unix:%%PREFIX%%/$_.sock;
        ${_}_param REQUEST_METHOD \$request_method;
        ${_}_param QUERY_STRING \$query_string;
        ${_}_param DOCUMENT_URI \$name;
    }
CONF

$t->start(http => <<'HTTP', server => <<"SERVER");
    artifact_route on;
    upstream up {
        server unix:%%PREFIX%%/http.sock;
    }
    upstream kept {
        server unix:%%PREFIX%%/fastcgi.sock;
        keepalive 2;
    }
    upstream mem {
        server unix:%%PREFIX%%/memcached.sock;
        keepalive 2;
    }
    fastcgi_cache_path %%PREFIX%%/fcache keys_zone=fastcgi:1m;
    scgi_cache_path %%PREFIX%%/scache keys_zone=scgi:1m;
    uwsgi_cache_path %%PREFIX%%/ucache keys_zone=uwsgi:1m;
    types {
        text/plain        txt;
        image/png         png;
        application/pdf   pdf;
        application/json  json;
    }
HTTP
    location ~ ^/http/(?<name>.*) {
        proxy_pass http://up/\$name\$is_args\$args;
    }
    $locations
    location ~ ^/kept/(?<name>.*) {
        fastcgi_keep_conn on;
        fastcgi_pass kept;
        fastcgi_param REQUEST_METHOD \$request_method;
        fastcgi_param QUERY_STRING \$query_string;
        fastcgi_param DOCUMENT_URI \$name;
    }
    location /mem/ {
        set \$memcached_key \$uri;
        memcached_pass mem;
    }
    location /mem/packed/ {
        set \$memcached_key \$uri;
        memcached_pass mem;
        memcached_gzip_flag 1;
    }
SERVER

my $ALL = 'text, vision, file';


# The answer without what differs by the location.

sub without_id {
    my ($body) = @_;
    $body =~ s{"id":"[^"]*"}{"id":""};
    $body =~ s{\(artifact:[^)]*\)}{(artifact:)};
    return $body;
}


for my $where (@gateways, map({ "$_-small" } @gateways), 'kept',
               map { ("$_-cached", "$_-cached") } @gateways)
{
    my @wrong;
    for my $id (sort keys %content) {
        for my $caps ('text', $ALL) {
            my $sized = 'claim=' . length $content{$id}[0];
            for my $args ("$sized", '', 'step=700', "$sized&step=1",
                          'step=1')
            {
                next if $args =~ /step=1\b/
                    && (length $content{$id}[0] > 3000 || $where =~ /cache/);
                next if $where =~ /cached/ && $args ne $sized;

                # without a claim the length is not known, but to HTTP's

                my $http = $args =~ /claim/ ? '' : 'frame=close';
                my $want = $t->accept($caps, "/http/$id?$http");
                my $res = $t->accept($caps,
                                     "/$where/$id?frame=close&$args");
                push @wrong, "$id for $caps, $args: $res->{status} "
                    . substr $res->body, 0, 80
                    if !$res->{complete} || $res->status != 200
                    || without_id($res->body) ne without_id($want->body);
                push @wrong, "$id for $caps, $args: tag"
                    if ($res->header('ETag') // '')
                       !~ /\A"one-[0-9a-f]{16}"\z/;
            }
        }
        my $raw = $t->get("/$where/$id?step=900&frame=close");
        push @wrong, "$id, raw" if $raw->body ne $content{$id}[0];
        push @wrong, "$id, raw type"
            if $raw->header('Content-Type') ne $content{$id}[1];
    }
    is(join("\n", @wrong), '', "$where: as by HTTP");
}

# Broken off: the length tells, or the end that FastCGI has of its own, which
# nginx looks for where connections are kept.

for my $where (@gateways, map({ "$_-small" } @gateways), 'kept') {
    my $length = length $content{pdf}[0];
    my @cases = ("claim=$length&cut=5000", "claim=$length&cut=100",
                 "claim=$length&cut=-1", 'headcut=20');
    push @cases, 'nolast=1', 'cut=5000', 'cut=100' if $where eq 'kept';
    for my $args (@cases) {
        my $res = $t->req('GET', "/$where/pdf?frame=close&$args",
            may_break => 1, headers => ['X-LLM-Capabilities' => $ALL]);
        ok(!$res->{complete} || $res->status >= 500,
           "$where: broken by $args");
    }
}
is($t->accept($ALL, "/$_/nope")->status, 404, "$_: a 404 passes")
    for @gateways;
error_is($t->accept($ALL, "/$_/png?header=Content-Encoding:gzip"), 502,
         'upstream_encoded', undef, "$_: an encoded body") for @gateways;

# connections that are kept: no answer, whole or described, disturbs the next

my $before = $ups[1]->connections;
my @wrong;
for my $n (1 .. 30) {
    my $id = (qw(png text pdf short))[$n % 4];
    my $caps = $n % 3 ? $ALL : 'text';
    my $want = $t->accept($caps, "/http/$id?frame=close");
    my $res = $t->accept($caps, "/kept/$id");
    push @wrong, $n if without_id($res->body) ne without_id($want->body);
}
is("@wrong", '', 'kept connections');
cmp_ok($ups[1]->connections, '<', $before + 30, 'were used again');

# memcached

for my $how ('plain', 'slow') {
    my @wrong;
    for my $id (sort keys %content) {
        next if $how eq 'slow' && length $content{$id}[0] > 3000;
        for my $caps ('text', $ALL) {
            my $res = $t->accept($caps, "/mem/$how/$id.$ext{$id}");
            push @wrong, "$id for $caps: " . route_problems($res)
                if route_problems($res);
            my $want = json_of($t->accept($caps, "/http/$id"));
            my $data = json_of($res);
            push @wrong, "$id for $caps differs"
                if ($data->{routing} // '') ne $want->{routing}
                || (data_of($res) // '') ne ($data->{routing} eq 'text' ? ''
                                             : $content{$id}[0]);
            push @wrong, "$id for $caps: text"
                if $data->{contentType} eq 'text'
                && $data->{content} ne chars($content{$id}[0]);
        }
        push @wrong, "$id raw"
            if $t->get("/mem/$how/$id.$ext{$id}")->body ne $content{$id}[0];
    }
    is(join("\n", @wrong), '', "memcached, $how");
}
for my $id ('pdf', 'text') {
    my $res = $t->req('GET', "/mem/cut/$id.$ext{$id}", may_break => 1,
                      headers => ['X-LLM-Capabilities' => $ALL]);
    ok(!$res->{complete} || $res->status >= 500, "memcached: $id broken off");
}
is($t->accept($ALL, '/mem/plain/nope.png')->status, 404,
   'memcached: a key that is not there');
error_is($t->accept($ALL, '/mem/packed/text.txt'), 502, 'upstream_encoded',
         undef, 'memcached: a packed value');

$_->stop for @ups;
$t->finish;
