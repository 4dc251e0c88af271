#!/usr/bin/perl

# Locations that demand a signed URL: what is let pass, what is refused, and
# how that goes together with nginx's own access modules.

use strict;
use warnings;
use utf8;

use Digest::SHA qw(hmac_sha256);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;

my $NEW = 'n' x 32;
my $OLD = pack 'H*', 'ab' x 40;
my $UUID = '018f0000-0000-7000-8000-000000000001';

my $t = ArtifactTest->new;
my $keys = $t->prefix . '/keys';
my $png = png();

sub keys_are {
    spew($keys, join '', "# keys\n\n", map { "$_\n" } @_);
    chmod 0600, $keys;
}

keys_are(b64($NEW), unpack 'H*', $OLD);

$t->artifact($UUID, $png, { type => 'image/png', name => 'a.png' });
$t->artifact('a b', 'text', { type => 'text/plain' });
$t->workspace_file('w', 'docs/x.txt', 'file');


my @end = gmtime(time + 300);
$t->artifact('ends', 'soon', {
    type => 'text/plain',
    expiresAt => sprintf('%04d-%02d-%02dT%02d:%02d:%02dZ', $end[5] + 1900,
                         $end[4] + 1, @end[3, 2, 1, 0]) });

my $page = 'location = /page { return 200 page; } location = /no { return 403; }';

$t->start(server => <<"SERVER");
    artifact_root %%DATA%%;
    artifact_sign_key $keys scope=t1;

    location /a/ { artifact; artifact_index on; artifact_write on;
                   artifact_signed on;
                   add_header X-Signature \$artifact_signature always; }
    location /open/ { artifact;
                   add_header X-Signature \$artifact_signature always; }
    location /w/ { artifact_workspace; artifact_signed on; }
    location /other/ { artifact; artifact_signed on;
                   artifact_sign_key $keys scope=\$arg_scope; }
    location /any/ { artifact; artifact_signed on; satisfy any;
                   deny all; }
    location /either/ { artifact; artifact_signed on; satisfy any;
                   auth_request /page; }
    location /both/ { artifact; artifact_signed on; auth_request /no; }
    location /store/ { alias %%DATA%%/; }
    location /decode/ { artifact_decode on; artifact_signed on; expires 30d;
                   proxy_pass http://127.0.0.1:%%PORT%%/page?; }
    location /paged/ { artifact; artifact_signed on; error_page 403 =200 /page; }
    location /jump/ { rewrite ^/jump/(.*)\$ /a/\$1 last; }
    $page
SERVER

my $NOW = time;

sub sig {
    my ($ref, $exp, $scope, $key) = @_;
    return b64url(hmac_sha256(join("\n", 'artifact-url-v1', $scope // 't1',
                                   $ref, $exp), $key // $NEW));
}

sub query {
    my ($ref, $exp, @rest) = @_;
    return "?exp=$exp&sig=" . sig($ref, $exp, @rest);
}

sub refused {
    my ($name, $code, $uri, $method, %more) = @_;

    my $r = $t->req($method // 'GET', $uri, %more);
    is($r->status, 403, "$name: 403");
    like($r->body, qr/"error":"signature_$code"/, "$name: $code")
        unless ($method // '') eq 'HEAD';
    is($r->header('Cache-Control'), undef, "$name: no Cache-Control");
}

my $exp = $NOW + 1000;
my $q = query($UUID, $exp);

# --- let pass -------------------------------------------------------------

my $r = $t->get("/a/$UUID$q");
is($r->status, 200, 'signed');
ok($r->body eq $png, 'the exact bytes');
is($r->header('X-Signature'), 'valid', 'valid');
my ($left) = ($r->header('Cache-Control') // '')
             =~ /^private, max-age=(\d+)$/;
ok(defined $left && $left <= 1000 && $left > 900, 'what is left');

for my $case ([1000, 300], [200, 200]) {
    my ($lives, $want) = @$case;
    for (1, 2) {                      # the second one from the cache
        my ($sec) = ($t->get('/a/ends' . query('ends', $NOW + $lives))
                     ->header('Cache-Control') // '')
                    =~ /^private, max-age=(\d+)$/;
        ok(defined $sec && $sec <= $want && $sec > $want - 60,
           "the sooner end: $want");
    }
}

is($t->head("/a/$UUID$q")->status, 200, 'HEAD');
$r = $t->req('GET', "/a/$UUID$q", headers => [Range => "bytes=0-3"]);
is($r->status, 206, 'a range');
like($r->header('Cache-Control'), qr/^private/, 'of a range as well');

is($t->get("/a/artifact:$UUID$q")->status, 200, 'with "artifact:"');
is($t->get("/a/018%660000-0000-7000-8000-000000000001$q")->status, 200,
   'encoded otherwise');
is($t->get('/a/a%20b' . query('a b', $exp))->status, 200, 'a decoded id');
is($t->get('/a/' . ws_id('w', 'docs/x.txt')
           . query(ws_id('w', 'docs/x.txt'), $exp))->body, 'file',
   'a workspace file by id');
is($t->get('/w/w/docs/x.txt' . query(ws_id('w', 'docs/x.txt'), $exp))->body,
   'file', 'by path');
is($t->get("/a/$UUID" . query($UUID, $exp, 't1', $OLD))->status, 200,
   'the other key verifies');
is($t->get("/a/$UUID$q&exp=1&sig=x")->status, 200, 'the first of several');
is($t->get("/a/$UUID?download=1&" . substr($q, 1))->status, 200,
   'behind another argument');
is($t->get("/other/$UUID?scope=zz&" . substr(query($UUID, $exp, 'zz'), 1))
   ->status, 200, 'a scope that is a variable');
is($t->get("/jump/$UUID$q")->status, 200, 'rewritten');
$r = $t->get("/decode/$UUID$q");
is($r->body, 'page', 'decoded, from an upstream');
like($r->header('Cache-Control'), qr/^private, max-age=/,
     'whatever "expires" says');
is($t->get("/a/gone" . query('gone', $exp))->status, 404, 'missing');
is($t->get("/a/gone" . query('gone', $exp))->header('Cache-Control'), undef,
   'not to be kept');

# --- refused --------------------------------------------------------------

refused('unsigned', 'missing', "/a/$UUID");
refused('no exp', 'missing', "/a/$UUID?sig=" . sig($UUID, $exp));
refused('no sig', 'missing', "/a/$UUID?exp=$exp");
refused('names in capitals', 'missing', "/a/$UUID" . uc $q);
refused('HEAD', 'missing', "/a/$UUID", 'HEAD');
refused('late', 'expired', "/a/$UUID" . query($UUID, $NOW - 1));
refused('late and forged', 'invalid', "/a/$UUID?exp=1&sig=" . 'A' x 43);
refused('another artifact', 'invalid', '/a/a%20b' . $q);
refused('another scope', 'invalid', "/other/$UUID$q&scope=t2");
refused('an empty scope', 'invalid', "/other/$UUID$q");
refused('another key', 'invalid',
        "/a/$UUID" . query($UUID, $exp, 't1', 'x' x 32));
refused('exp changed', 'invalid',
        "/a/$UUID?exp=" . ($exp + 1) . '&sig=' . sig($UUID, $exp));

for my $bad ("+$exp", "-$exp", "0$exp", "$exp ", "0x10", '', '9' x 20,
             "$exp.0") {
    (my $text = $bad) =~ s/ /%20/;
    refused("exp \"$bad\"", 'invalid',
            "/a/$UUID?exp=$text&sig=" . sig($UUID, $bad));
}

my $sig = sig($UUID, $exp);
my $last = substr $sig, -1;

# 43 characters are 258 bits: four last characters have the same 256

my $digits = join '', 'A' .. 'Z', 'a' .. 'z', 0 .. 9, '-', '_';
my $value = index $digits, $last;

for my $spare (1 .. 3) {
    refused("spare bits $spare", 'invalid', "/a/$UUID?exp=$exp&sig="
            . substr($sig, 0, 42) . substr($digits, $value + $spare, 1));
}

refused('padded', 'invalid', "/a/$UUID?exp=$exp&sig=$sig=");
refused('short', 'invalid', "/a/$UUID?exp=$exp&sig=" . substr $sig, 0, 42);
refused('empty', 'invalid', "/a/$UUID?exp=$exp&sig=");
refused('encoded', 'invalid', "/a/$UUID?exp=$exp&sig="
        . sprintf('%%%02X', ord $sig) . substr $sig, 1);
refused('run together', 'invalid', "/a/${UUID}1?exp=" . substr($exp, 1)
        . '&sig=' . sig($UUID, "1$exp"));

# only contents

refused('metadata', 'invalid', "/a/$UUID/metadata$q");
refused('a listing', 'missing', '/a/');
refused('a signed listing', 'invalid', '/a/' . query('', $exp));
refused('a folder', 'invalid', '/w/w/docs/' . query(ws_id('w', 'docs'), $exp));
refused('DELETE', 'invalid', "/a/$UUID$q", 'DELETE');
refused('POST', 'invalid', "/a/$q", 'POST', body => 'x',
        headers => ["Content-Type" => "text/plain"]);
is($t->get("/a/$UUID$q")->status, 200, 'it is still there');

# --- with other modules ---------------------------------------------------

is($t->get("/any/$UUID$q")->status, 200, 'any: signed');
$r = $t->get("/any/$UUID");
is($r->status, 403, 'any: neither');
unlike($r->body, qr/signature_/, "nginx's own page");
is($t->get("/either/$UUID")->status, 200, 'any: by another right');
is($t->get("/either/$UUID")->header('Cache-Control'), undef,
   'not by the signature');
is($t->get("/either/$UUID/metadata")->status, 200, 'all of it');
is($t->get("/both/$UUID$q")->status, 403, 'all: a signature is not enough');
is($t->get("/paged/$UUID")->body, 'page', 'an error page');

is($t->get("/open/$UUID")->header('X-Signature'), undef, 'no signature');
is($t->get("/open/$UUID?exp=1&sig=1")->header('X-Signature'), 'invalid',
   'the variable where none is demanded');
is($t->get("/open/$UUID" . query($UUID, 1))->header('X-Signature'), 'expired',
   'expired');

# --- rotation -------------------------------------------------------------

keys_are(unpack 'H*', $OLD);
$t->reload;
refused('a key that is gone', 'invalid', "/a/$UUID$q");
is($t->get("/a/$UUID" . query($UUID, $exp, 't1', $OLD))->status, 200,
   'the one that is left');

my $log = $t->log;
ok(index($log, $NEW) < 0 && index($log, b64($NEW)) < 0
   && index($log, unpack 'H*', $OLD) < 0, 'no key in the log');

$t->allow(qr/access forbidden by rule/, qr/auth request unexpected|forbidden/);
$t->finish;
