#!/usr/bin/perl

# PUT with a ticket: what it makes, a second time, with other bytes, of another
# size, with conditions; what is refused, and that it leaves nothing.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactSign;
use ArtifactTest;
use ArtifactWrite;

my $THREADS = ArtifactTest::version() =~ /--with-threads/;
my $KEY = 'k' x 32;
my $OLD = 'o' x 40;

my $t = ArtifactTest->new;
my $keys = key_file($t, 'keys', \$KEY, \$OLD);

$t->artifact('old', 'old', { type => 'text/plain' });

$t->start(server => <<"SERVER" . ($THREADS ? <<"SERVER" : ''));
    artifact_root %%DATA%%;
    artifact_sign_key $keys scope=acme;
    artifact_write on;
    artifact_sync off;
    client_max_body_size 1m;

    location /a/ { artifact; artifact_signed on; }
    location /short/ { artifact; artifact_signed on; artifact_sign_ttl 60s; }
    location /other/ { artifact; artifact_signed on;
                       artifact_sign_key $keys scope=other; }
    location /none/ { artifact; artifact_signed on;
                      artifact_sign_key $keys; }
    location /read/ { artifact; artifact_signed on; artifact_write off; }
    location /w/ { artifact_workspace; artifact_signed on; }
    location /open/ { artifact; }
    location /expires/ { artifact; artifact_signed on;
                         artifact_expires 1h; }
    location /any/ { artifact; artifact_signed on; satisfy any; allow all; }
    location /all/ { artifact; artifact_signed on; deny all; }
    location /forms/ { artifact; artifact_signed on;
                       add_header X-Signature \$artifact_signature always; }
SERVER
    location /threads/ { artifact; artifact_signed on; aio threads; }
SERVER

my $n = 0;

sub id { return sprintf '018f0000-0000-7000-8000-%012x', ++$n }

my $NOW = time;

sub url {
    my ($id, $what, %opt) = @_;
    return ($opt{at} // '/a/') . "$id?" . ticket(
        $opt{key} // $KEY, $opt{scope} // 'acme', $opt{ref} // $id,
        $opt{exp} // $NOW + 50, $what // { type => 'text/plain' });
}

sub send_to {
    my ($url, $body, @headers) = @_;
    return $t->req('PUT', $url, body => $body, headers => \@headers);
}

sub fails {
    my ($res, $status, $code, $name) = @_;
    error_is($res, $status, $code, undef, $name);
}

sub refused {
    my ($res, $status, $code, $name) = @_;
    fails($res, $status, $code, $name);
    is(left_behind($t), '', "$name: nothing is left behind");
}

sub missing {
    my ($id, $name) = @_;
    is($t->get("/open/$id")->{status}, 404, "$name: nothing is there");
}


# --- what it makes -----------------------------------------------------------

for my $at ('/a/', $THREADS ? '/threads/' : ()) {
    my $id = id();
    my $url = url($id, { name => "photo \"\xe4\".png" =~ s/\xe4/ä/r,
                         type => 'image/png', size => 5 }, at => $at);

    my $res = send_to($url, 'bytes', 'Content-Type' => 'text/html');
    is($res->{status}, 201, "$at: created");
    my $json = json_of($res);
    is($json->{artifactRef}, "artifact:$id", "$at: its reference");
    is($json->{metadata}{mimeType}, 'image/png', "$at: the ticket's type");
    is($json->{metadata}{name}, 'photo "ä".png', "$at: ... and name");
    is($json->{metadata}{size}, 5, "$at: its size");
    like($json->{metadata}{createdAt}, $TIME, "$at: its time");
    is($res->header('Location'), "$at$id", "$at: Location");
    my $etag = $res->header('ETag');
    ok($etag, "$at: ETag");
    is($t->get("/open/$id")->body, 'bytes', "$at: its content");
    is($t->get("/open/$id")->header('Content-Type'), 'image/png',
       "$at: served as that");

    # an answer was lost

    my $again = send_to($url, 'bytes', 'X-Agent-Id' => 'another');
    is($again->{status}, 200, "$at: the same again");
    is($again->body, $res->body, "$at: the same answer");
    is($again->header('ETag'), $etag, "$at: the same ETag");

    refused(send_to($url, 'other'), 409, 'conflict', "$at: other bytes");
    is($t->get("/open/$id")->body, 'bytes', "$at: stays as it was");

    fails(send_to($url, 'bytes', 'If-None-Match' => '*'), 412,
             'precondition_failed', "$at: If-None-Match: *");
    fails(send_to($url, 'bytes', 'If-Match' => $etag), 412,
             'precondition_failed', "$at: If-Match");
    fails(send_to($url, 'bytes', 'If-Match' => '*'), 412,
             'precondition_failed', "$at: If-Match: *");
    fails(send_to($url, 'bytes', 'If-None-Match' => $etag), 412,
             'precondition_failed', "$at: If-None-Match with its tag");
    is(send_to($url, 'bytes', 'If-None-Match' => '"x"')->{status}, 200,
       "$at: with another tag");

    # removed meanwhile

    unlink glob $t->data . "/artifacts/$id*";
    is(send_to($url, 'again')->{status}, 201, "$at: after it was removed");
}

my $id = id();
is(send_to(url($id), 'x', 'If-None-Match' => '*')->{status}, 201,
   'If-None-Match: * of a new one');
$id = id();
fails(send_to(url($id), 'x', 'If-Match' => '*'), 412,
         'precondition_failed', 'If-Match of a new one');
missing($id, 'If-Match');

$id = id();
is(send_to(url($id, { type => 'text/plain', size => 0 }), '')->{status}, 201,
   'an empty file');
is($t->get("/open/$id")->body, '', 'an empty file: its content');

$id = id();
my $res = send_to(url($id, { type => 'text/csv' }, at => '/expires/'), "a\n");
like(json_of($res)->{metadata}{expiresAt}, $TIME, 'artifact_expires');
my $again = send_to(url($id, { type => 'text/csv' }, at => '/expires/'),
                    "a\n");
is($again->body, $res->body, 'artifact_expires: not extended');
is(json_of($res)->{metadata}{name}, "$id.csv", 'without a name');

is(send_to(url(id(), undef, key => $OLD), 'x')->{status}, 201,
   'a key that only verifies');
is(send_to(url(id(), { type => 'text/plain' }, at => '/none/', scope => ''),
           'x')->{status}, 201, 'no scope');

my $form = send_to(url(id()), "--x\r\n\r\n--x--\r\n",
                   'Content-Type' => 'multipart/form-data; boundary=x');
is($form->{status}, 201, 'a form is bytes like others');

# --- sizes -------------------------------------------------------------------

sub chunked {
    my ($url, @chunks) = @_;
    my $conn = $t->connect;
    $conn->send("PUT $url HTTP/1.1\r\nHost: localhost\r\n"
                . "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
                . join '', map { sprintf "%x\r\n%s\r\n", length, $_ } @chunks);
    $conn->send("0\r\n\r\n");
    return $conn->response('PUT');
}

my $five = { type => 'text/plain', size => 5 };

for my $body ('', 'four', 'sixsix', 'x' x 200_000) {
    my $id = id();
    my $name = length($body) . ' bytes of 5';
    refused(send_to(url($id, $five), $body), 400, 'invalid_range', $name);
    missing($id, $name);
    $id = id();
    refused(chunked(url($id, $five), length $body ? $body : ()), 400,
            'invalid_range', "$name, chunked");
    missing($id, "$name, chunked");
    is(chunked(url($id, $five), 'fi', 've!')->{status}, 201,
       "$name: the ticket is not used up");
}

$id = id();
is(chunked(url($id), 'a' x 30_000, 'b' x 30_000)->{status}, 201,
   'chunked, without a size');
is(length $t->get("/open/$id")->body, 60_000, 'all of it');
refused(send_to(url(id()), 'x' x (1 << 20) . 'x'), 413, 'content_too_large',
        'client_max_body_size');

my $conn = $t->connect;
$id = id();
$conn->send('PUT ' . url($id) . " HTTP/1.1\r\nHost: localhost\r\n\r\n");
fails($conn->response('PUT'), 411, 'length_required', 'no length');

fails(send_to(url(id()), 'x', 'Content-Range' => 'bytes 0-0/2'), 400,
         'invalid_range', 'Content-Range');
fails(send_to(url(id()), 'x', 'Content-Encoding' => 'gzip'), 415,
         'unsupported_media_type', 'Content-Encoding');

# --- signatures --------------------------------------------------------------

sub forbidden {
    my ($uri, $code, $name, %opt) = @_;
    my $res = $t->req($opt{method} // 'PUT', $uri, headers => [],
                      ($opt{method} // '') =~ /GET|HEAD|DELETE/
                      ? () : (body => 'x'));
    fails($res, 403, $code, $name);
}

$id = id();
my $good = url($id);
my ($exp) = $good =~ /exp=(\d+)/;

forbidden("/a/$id", 'signature_missing', 'no query');
forbidden("/a/$id?exp=$exp", 'signature_missing', 'no signature');
forbidden("/a/$id?" . signed($KEY, 'acme', $id, $exp), 'signature_invalid',
          'the signature of a GET');
forbidden("/a/$id?" . signed($KEY, 'acme', $id, $exp) . '&put='
          . put_of({ type => 'text/plain' }), 'signature_invalid',
          'the signature of a GET, with put');
forbidden($good =~ s/&put=[^&]*//r, 'signature_invalid', 'without put');
forbidden($good =~ s/put=/put=A/r, 'signature_invalid', 'another put');
forbidden($good =~ s/put=([^&]*)/'put=' . put_of({ type => 'text\/html' })/er,
          'signature_invalid', 'another type');
forbidden($good =~ s/exp=(\d+)/'exp=' . ($1 + 1)/er, 'signature_invalid',
          'another exp');
forbidden($good =~ s/exp=/exp=0/r, 'signature_invalid', 'exp with a zero');
forbidden($good =~ s/(sig=.)./$1-/r =~ s/(sig=-)-/$1_/r, 'signature_invalid',
          'another signature');
forbidden($good . 'A', 'signature_invalid', 'a longer signature');
forbidden($good =~ s/$id/@{[id()]}/r, 'signature_invalid', 'another id');
forbidden($good =~ s{/a/}{/other/}r, 'signature_invalid', 'another scope');
forbidden($good =~ s{/a/}{/none/}r, 'signature_invalid', 'no scope');
forbidden($good =~ s{/a/}{/read/}r, 'signature_invalid', 'nothing is written');
forbidden($good =~ s{/a/}{/w/w/}r, 'signature_invalid', 'a workspace');
forbidden(url(ws_id('w', 'f.txt'), undef, at => '/w/',
              ref => ws_id('w', 'f.txt')) =~ s{/w/[^?]*}{/w/w/f.txt}r,
          'signature_invalid', 'a file of a workspace');
forbidden($good, 'signature_invalid', "a ticket: $_", method => $_)
    for qw(GET DELETE POST);
is($t->req('HEAD', $good)->{status}, 403, 'a ticket: HEAD');
forbidden($good =~ s/\?/\/metadata?/r, 'signature_invalid', 'metadata',
          method => 'GET');
forbidden($good =~ s/\?/\/metadata?/r, 'signature_invalid', 'PUT of metadata');
forbidden(url($id, undef, key => 'x' x 32), 'signature_invalid',
          'another key');
forbidden(url($id, undef, exp => $NOW - 5), 'signature_expired', 'too late');
forbidden(url($id, undef, exp => $NOW + 3700), 'signature_invalid',
          'too far ahead');
forbidden(url($id, undef, exp => $NOW + 90, at => '/short/'),
          'signature_invalid', 'too far ahead of a short ttl');
forbidden(url($id, undef, exp => '9' x 19), 'signature_invalid',
          'far too far ahead');
missing($id, 'all of these');

is(send_to(url($id, undef, at => '/short/'), 'x')->{status}, 201,
   'a short ttl');

# the first of several counts

$id = id();
forbidden("/a/$id?put=e30&" . (url($id) =~ s/.*\?//r), 'signature_invalid',
          'another put before');
$res = send_to(url($id) . '&put=e30&exp=1&sig=x', 'x');
is($res->{status}, 201, 'others behind');

# access control of others

is(send_to(url(id(), undef, at => '/all/'), 'x')->{status}, 403, 'deny all');
is(send_to(url(id(), undef, at => '/any/'), 'x')->{status}, 201,
   'satisfy any');
is(send_to(url(id(), undef, at => '/any/', key => 'x' x 32),
           'x')->{status}, 405, 'satisfy any: another may read, not write');
is($t->req('PUT', url(id(), undef, at => '/open/'),
           body => 'x')->{status}, 405, 'a location without signatures');
is(send_to(url(id(), undef, at => '/forms/'), 'x')->header('X-Signature'),
   'valid', '$artifact_signature');

# --- signed, and yet wrong ---------------------------------------------------

sub text { my ($text) = @_; return \$text }

for my $put (text('{}'), text('[]'), text('x'), text(''),
             text('{"type":1}'), text('{"type":""}'),
             text('{"name":"a"}'),
             text('{"type":"a/b","type":"a/b"}'),
             text('{"type":"a/b","more":1}'),
             text('{"type":"a/b","name":null}'),
             text('{"type":"a/b","name":"a/b"}'),
             text('{"type":"a/b","name":".."}'),
             text('{"type":"a/b","name":"a\\nb"}'),
             text('{"type":"a/b","name":"' . 'x' x 256 . '"}'),
             text('{"type":"a/b","name":"' . 'x' x 6000 . '"}'),
             text('{"type":"a/b","size":-1}'),
             text('{"type":"a/b","size":1.0}'),
             text('{"type":"a/b","size":"1"}'),
             text('{"type":"a/b","size":9223372036854775808}'),
             text('{"type":"a/b"} x'), text("{\"type\":\"a/\xff\"}"),
             text('{"type":"' . 'x' x 300 . '"}'))
{
    my $id = id();
    refused(send_to(url($id, $put), 'x'), 400, 'invalid_argument',
            'put: ' . substr $$put, 0, 60);
    missing($id, substr $$put, 0, 60);
}

refused(send_to(url(id(), 'e30='), 'x'), 400, 'invalid_argument', 'padding');
refused(send_to(url(id(), '!'), 'x'), 400, 'invalid_argument', 'no base64');
refused(send_to(url(id(), ''), 'x'), 400, 'invalid_argument', 'an empty put');

for my $id ('old', 'abc', uc id(), id() . 'a') {
    refused(send_to(url($id), 'x'), 400, 'invalid_argument', "the id $id");
}
is($t->get('/open/old')->body, 'old', 'no other artifact is replaced');

is(send_to(url(id(), text(" { \"type\" : \"text\\/plain\" } ")),
           'x')->{status}, 201, 'JSON as others write it');

$t->finish;
