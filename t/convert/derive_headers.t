#!/usr/bin/perl

# Headers of a converter that would act: on the client, on nginx, on the answer
# in the making.  The answer is that of a converter without them.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFit;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $tiff = tiff_of(9, 9, 'one');

$t->artifact('one', $tiff, { type => 'image/tiff', name => 'one.tiff' });
$t->file('map.json', fit_map());

my @headers = (
    ['Set-Cookie: a=b; Path=/', 'set-cookie: c=d'],
    ['Location: http://example.com/', 'Refresh: 0; url=/elsewhere'],
    ['Link: </secret>; rel=preload', 'Content-Location: /elsewhere'],
    ['WWW-Authenticate: Basic realm="x"', 'Proxy-Authenticate: Basic'],
    ['Content-Disposition: attachment; filename="x.html"'],
    ['Content-Security-Policy: none', 'Access-Control-Allow-Origin: *'],
    ['Strict-Transport-Security: max-age=0', 'Clear-Site-Data: "*"'],
    ['Trailer: X-After', 'Status: 500 No', 'Age: 5'],
    ['X-Accel-Limit-Rate: 1'],
    ['X-Accel-Buffering: no'],
    ['X-Accel-Buffering: yes', 'X-Accel-Expires: @9999999999'],
    ['Cache-Control: no-store, private', 'Vary: *', 'Pragma: no-cache'],
    ['X-Accel-Expires: 0', 'Expires: Thu, 01 Jan 1970 00:00:00 GMT'],
    ['ETag: "its own"', 'Last-Modified: Thu, 01 Jan 1970 00:00:00 GMT'],
    ['Accept-Ranges: bytes', 'Server: evil', 'X-Powered-By: evil'],
    ['Retry-After: 99', 'Alt-Svc: h3=":443"', 'Upgrade: h2c'],
);

my %contents = (plain => [], map { $_ => $headers[$_] } 0 .. $#headers);
my $words = 'words, ' x 20_000;
my $converter = ArtifactUpstream->new("$dir/convert", contents => {
    map { ("$_" => { type => 'text/plain', body => $words,
                     headers => $contents{$_} },
           "short-$_" => { type => 'text/plain', body => 'words',
                           headers => $contents{$_} }) } keys %contents });
my $echo = echoed($t);

my $locations = join '', map { my $how = $_; map { <<"CASE" }
    location /$how-$_/ {
        artifact_expand on;
        artifact_derive image text/plain /$how/$_ body;
        proxy_pass http://unix:%%PREFIX%%/echo:/up?;
    }
    location /routed-$how-$_/ {
        artifact;
        artifact_route always;
        artifact_derive image text/plain /$how/$_ body;
    }
CASE
    map { ($_, "short-$_") } sort keys %contents } qw(asked cached);

my $proxy = "proxy_pass http://unix:$dir/convert:/; internal; "
    . 'proxy_pass_request_body off; proxy_set_header Content-Length "";';

$t->start(http => <<"HTTP", server => fit_server('', <<"MORE"));
    artifact_capabilities %%PREFIX%%/map.json;
    proxy_cache_path %%PREFIX%%/derived keys_zone=derived:1m;
HTTP
    $locations
    location /asked/ { $proxy }
    location /cached/ {
        $proxy
        proxy_cache derived;
        proxy_cache_methods POST;
        proxy_cache_key \$artifact_version\$uri;
        proxy_cache_valid 200 30d;
    }
MORE

# What a client sees of an answer, but for the time; the tag, which has the
# rule's URI in it; and the framing, which a cache changes.

sub seen {
    my ($r) = @_;
    my @seen = map { my $name = $_; map { "$name: $_" } @{ $r->{headers}{$_} } }
        grep { !/^(?:date|etag|content-length|transfer-encoding)\z/ }
        sort keys %{ $r->{headers} };
    return join "\n", $r->{status}, @seen, '', $r->{body};
}

my $body = body_of('openai', 'reads', slot('openai', 'image', 'artifact:one'));

sub routed { return seen($t->service('reads', "/routed-$_[0]/one")) }

sub expanded {
    return seen($t->req('POST', "/$_[0]/chat/completions", body => $body,
                        headers => ['Content-Type' => 'application/json']));
}

for my $how (qw(asked cached)) {
    for my $size ('', 'short-') {
        my @plain = (routed("$how-${size}plain"), expanded("$how-${size}plain"));

        like($_, qr/words/, "$how, ${size}without: converted") for @plain;

        for my $n (0 .. $#headers) {
            my $name = "$how, $size$headers[$n][0]";

            for (1, 2) {
                ok(routed("$how-$size$n") eq $plain[0],
                   "$name: nothing of it in a routed answer")
                    or diag(substr routed("$how-$size$n"), 0, 800);
                ok(expanded("$how-$size$n") eq $plain[1],
                   "$name: nothing of it in a request")
                    or diag(substr expanded("$how-$size$n"), 0, 800);
            }
        }
    }
}

$_->stop for $converter, $echo;
$t->finish;
