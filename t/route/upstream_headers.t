#!/usr/bin/perl

# Headers of upstreams that say something of other bytes than those that are
# sent, or nothing sound at all: none of it is passed on with a routed answer.
# And artifacts as error pages, which have the headers of any.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;

my $t = ArtifactTest->new;
my $png = png(40, 40);

$t->artifact('page', "<p>gone</p>\n", { type => 'text/html' }, '.html');
$t->artifact('shot', $png, { type => 'image/png' }, '.png');

my $up = ArtifactUpstream->new($t->prefix . '/up.sock', contents => {
    png => { body => $png, type => 'image/png' },
    html => { body => "<p>a page</p>\n", type => 'text/html' },
});

$t->start(http => <<'HTTP', server => <<'SERVER');
    upstream up {
        server unix:%%PREFIX%%/up.sock;
    }
    proxy_cache_path %%PREFIX%%/cache keys_zone=c:1m;
HTTP
    artifact_root %%DATA%%;
    artifact_route on;

    location /p/ {
        proxy_pass http://up/;
    }
    location /gzip/ {
        gzip on;
        gzip_types application/json;
        gzip_min_length 1;
        proxy_pass http://up/;
    }
    location /cached/ {
        proxy_cache c;
        proxy_cache_valid 200 1h;
        proxy_cache_key $request_uri;
        proxy_pass http://up/;
    }
    location /fixed/ {
        artifact_service some;
        artifact_accept "vision";
        proxy_pass http://up/;
    }
    location /fixed-service/ {
        artifact_service some;
        proxy_pass http://up/;
    }
    location /mapped/ {
        artifact_service $arg_who;
        artifact_accept "";
        proxy_pass http://up/;
    }
    location /artifacts/ {
        artifact;
    }
    location /gone/ {
        error_page 404 /artifacts/page;
        return 404;
    }
    location /gone-with/ {
        error_page 404 =403 /artifacts/page;
        return 404;
    }
    location /gone-image/ {
        error_page 410 /artifacts/shot;
        return 410;
    }
    location /gone-far/ {
        error_page 404 =403 /far/html;
        return 404;
    }
    location /far/ {
        artifact_decode on;
        proxy_pass http://up/$artifact_id;
    }
    location /gone-nowhere/ {
        error_page 404 /artifacts/nope;
        return 404;
    }
SERVER


sub with {
    my ($caps, @headers) = @_;
    my $args = join '&', map {
        s/([^-A-Za-z0-9:])/sprintf '%%%02X', ord $1/ger;
    } @headers;
    $args = join '&', map { "header=$_" } split /&/, $args;
    return map { $t->accept($caps, "/$_/png?$args") } qw(p cached cached);
}

# what is dropped, in any number

for my $header ('Content-Range: bytes 0-9/100', 'Content-Range: garbage',
                'Content-MD5: abc', 'Digest: sha-256=abc',
                'Repr-Digest: sha-256=:abc:', 'Content-Digest: md5=:abc:',
                'Content-Disposition: attachment', 'Accept-Ranges: bytes',
                'Last-Modified: yesterday', 'ETag: "', 'ETag: W/"',
                'ETag: "a"b"', 'ETag: a"b', "ETag: \"a\x7f\"",
                "ETag: \"a\1\"", 'ETag: ', 'Content-Encoding: ',
                'Content-Encoding: identity')
{
    my ($name) = $header =~ /^([^:]+)/;
    for my $times (1, 2) {
        my @wrong;
        for my $res (with('vision', ($header) x $times)) {
            push @wrong, route_problems($res) if route_problems($res);
            push @wrong, $res->header($name) if defined $res->header($name);
        }
        is("@wrong", '', "$header, $times times");
    }
}

# one that says nothing is in nobody's way

is($t->accept('vision', '/gzip/png?header=Content-Encoding:identity',
              'Accept-Encoding' => 'gzip')->header('Content-Encoding'),
   'gzip', 'identity: the answer is compressed');

# tags that are some

for my $case (['ETag: "a"', qr/\A"a-[0-9a-f]{16}"\z/],
              ['ETag: W/"a"', qr/\AW\/"a-[0-9a-f]{16}"\z/],
              ['ETag: a', qr/\A"a-[0-9a-f]{16}"\z/],
              ['ETag: W/', qr/\A"W\/-[0-9a-f]{16}"\z/],
              ['ETag: ""', qr/\A"-[0-9a-f]{16}"\z/])
{
    my ($header, $like) = @$case;
    like($_->header('ETag') // '', $like, $header)
        for with('vision', $header);
}
for my $res (with('vision', 'ETag: "a"', 'ETag: "b"')) {
    is(scalar @{ $res->{headers}{etag} }, 1, 'two tags: one is left');
    like($res->header('ETag'), qr/\A"[ab]-[0-9a-f]{16}"\z/, 'of this answer');
}
for my $res (with('vision', map { "Last-Modified: $_" }
        'Mon, 02 Jan 2006 15:04:05 GMT', 'Tue, 03 Jan 2006 15:04:05 GMT'))
{
    is(scalar @{ $res->{headers}{'last-modified'} }, 1,
       'two dates: one is left');
}

# a coding is one wherever it stands

error_is($_, 502, 'upstream_encoded', undef, 'the first of two codings')
    for (with('vision', 'Content-Encoding: gzip',
              'Content-Encoding: identity'))[0];
error_is($_, 502, 'upstream_encoded', undef, 'the last of two codings')
    for (with('vision', 'Content-Encoding:', 'Content-Encoding: br'))[0];

# Vary: what there is is not said again, nor what cannot change the answer

my $both = 'X-LLM-Service, X-LLM-Capabilities';
for my $case (['', $both], ["Vary: $both", $both],
              ['Vary: x-llm-capabilities',
               'x-llm-capabilities, X-LLM-Service'],
              ['Vary: *', '*'], ['Vary: Origin,*', 'Origin,*'],
              ['Vary: X-LLM', "X-LLM, $both"],
              ['Vary: ,Origin,', ",Origin,, $both"])
{
    my ($header, $want) = @$case;
    for my $caps ('vision', '') {
        my ($res) = with($caps, $header || 'X-None: x');
        is($res->header('Vary'), $want, "Vary after \"$header\"");
    }
}
is($t->get('/fixed/png')->header('Vary'), undef, 'no Vary of constants');
is($t->get('/fixed-service/png')->header('Vary'), 'X-LLM-Capabilities',
   'of one of the two');
is($t->get('/mapped/png')->header('Vary'), 'X-LLM-Service',
   'of the other');

# artifacts as error pages

for my $case (['gone', 404], ['gone-with', 403]) {
    my ($where, $status) = @$case;
    my $res = $t->get("/$where/x");
    is($res->status, $status, "$where: its status");
    is($res->body, "<p>gone</p>\n", 'its content');
    header_is($res, 'Content-Type', 'text/html', 'its type');
    header_is($res, 'X-Content-Type-Options', 'nosniff', 'is not sniffed');
    header_is($res, 'Content-Security-Policy', 'sandbox', 'is sandboxed');
    like($res->header('Content-Disposition'), qr/page/, 'is named');

    $res = $t->accept('text', "/$where/x");
    is($res->status, $status, 'routed, its status');
    header_is($res, 'Content-Type', 'application/json', 'is JSON');
    is(json_of($res)->{content}, "<p>gone</p>\n", 'with the content');
    is($t->head("/$where/x")->status, $status, 'HEAD');
}
my $res = $t->accept('vision', '/gone-image/x');
is($res->status, 410, 'an image');
is(data_of($res), $png, 'is routed');
$res = $t->get('/gone-image/x', Range => 'bytes=0-3');
is($res->status . length $res->body, '410' . length $png,
   'an error page has no ranges');
$res = $t->get('/gone-far/x');
is($res->status . $res->body, "403<p>a page</p>\n", 'one of a store');
header_is($res, 'X-Content-Type-Options', 'nosniff', 'is not sniffed');
header_is($res, 'Content-Security-Policy', 'sandbox', 'is sandboxed');
error_is($t->get('/gone-nowhere/x'), 404, 'artifact_not_found', 'nope',
         'an error page that is not there');

$up->stop;
$t->finish;
