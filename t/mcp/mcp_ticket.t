#!/usr/bin/perl

# Tickets, as agents and programs get them (request_upload, POST to ?ticket),
# and URLs that are shared (share_artifact): where there are any, what they
# have, and that they work.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactCurl;
use ArtifactMcp;
use ArtifactSign;
use ArtifactTest;
use ArtifactWrite;
use MIME::Base64 qw(decode_base64);

my $KEY = 'k' x 32;
my $DATE = qr/\A(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)\.000Z\z/;

my $t = ArtifactTest->new;
my $keys = key_file($t, 'keys', \$KEY);
my $base = 'http://127.0.0.1:%%PORT%%';

$t->artifact('pic', 'bytes', { type => 'image/png', name => 'pic.png' });
$t->workspace_file('w', 'docs/ä.txt', 'file');

my $soon = time + 300;
my @end = gmtime $soon;
$t->artifact('ends', 'x', { type => 'text/plain', expiresAt => sprintf(
    '%04d-%02d-%02dT%02d:%02d:%02dZ', $end[5] + 1900, $end[4] + 1,
    @end[3, 2, 1, 0]) });

$t->start(server => <<"SERVER");
    artifact_root %%DATA%%;
    artifact_language en;
    artifact_sign_key $keys scope=acme;
    artifact_url $base/files/;
    artifact_write on;
    artifact_sync off;
    client_max_body_size 8m;

    location = /mcp { artifact_mcp; }
    location = /zh { artifact_mcp; artifact_language zh; }
    location = /short { artifact_mcp; artifact_sign_ttl 90s; }
    location = /read { artifact_mcp; artifact_write off; }
    location = /variable { artifact_mcp; artifact_url \$arg_at; }
    location = /quote { artifact_mcp; artifact_url "http://a'b/"; }
    location /files/ { artifact; artifact_signed on; }
    location /a/ { artifact; }
    location /a-read/ { artifact; artifact_write off; }
    location /a-variable/ { artifact; artifact_url \$arg_at; }
    location /w/ { artifact_workspace; }
    location /inner/ {
        location = /inner/mcp { artifact_mcp; }
        location /inner/a/ { artifact; }
    }
SERVER

my $n = ArtifactTest->new;
$n->start(server => <<'SERVER');
    artifact_root %%DATA%%;
    artifact_language en;
    artifact_url http://files.example.com/;
    artifact_write on;
    location = /mcp { artifact_mcp; }
    location /a/ { artifact; }
SERVER

sub tools {
    my ($server, $at) = @_;
    my $result = mcp_result(mcp_ask($server, 'tools/list', {}, at => $at),
                            "$at: the tools");
    return { map { $_->{name} => $_ } @{ $result->{tools} } };
}

sub seconds {
    my ($date) = @_;
    require Time::Local;
    my @of = $date =~ $DATE or return 0;
    return Time::Local::timegm(@of[5, 4, 3, 2], $of[1] - 1, $of[0]);
}

sub get {
    my ($url) = @_;
    my ($uri) = $url =~ m{\Ahttp://127\.0\.0\.1:\d+(/.*)};
    return $t->get($uri // '/none');
}


# --- where they are ----------------------------------------------------------

for (['/mcp', 1, 1], ['/read', 0, 1]) {
    my ($at, $upload, $share) = @$_;
    my $tools = tools($t, $at);
    is(!!$tools->{request_upload}, !!$upload, "$at: request_upload");
    is(!!$tools->{share_artifact}, !!$share, "$at: share_artifact");
}
ok(!grep { /upload|share/ } keys %{ tools($n, '/mcp') }, 'without a key: none');
mcp_error(mcp_ask($n, 'tools/call', { name => $_, arguments => {} }, id => 7),
          200, -32602, 7, "without a key: $_ is unknown")
    for qw(request_upload share_artifact);
mcp_error(mcp_ask($t, 'tools/call', { name => 'request_upload',
                                      arguments => {} }, at => '/read',
                  id => 7), 200, -32602, 7, 'artifact_write off: request_upload is unknown');

my $tools = tools($t, '/mcp');
is_deeply($tools->{request_upload}{annotations},
          { readOnlyHint => JSON::PP::false, destructiveHint => JSON::PP::false,
            idempotentHint => JSON::PP::false,
            openWorldHint => JSON::PP::false }, 'request_upload: hints');
is_deeply($tools->{share_artifact}{annotations},
          { readOnlyHint => JSON::PP::false, destructiveHint => JSON::PP::false,
            idempotentHint => JSON::PP::true,
            openWorldHint => JSON::PP::true }, 'share_artifact: hints');
is(join(' ', sort keys %{ $tools->{request_upload}{inputSchema}{properties} }),
   'mime_type name size', 'request_upload: arguments');
is_deeply($tools->{request_upload}{inputSchema}{required}, ['mime_type'],
          'request_upload: the type is required');
is(join(' ', sort keys %{ $tools->{share_artifact}{inputSchema}{properties} }),
   'path ref workspace', 'share_artifact: arguments');

# --- what they have ----------------------------------------------------------

# Checks a ticket and returns its URI here.

sub ticket_is {
    my ($got, $want, $ttl, $name) = @_;

    is(join(' ', sort keys %$got), 'expires method ref url', "$name: members");
    is($got->{method}, 'PUT', "$name: the method");
    like($got->{ref}, qr/\Aartifact:[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/,
         "$name: the reference");

    my ($id) = $got->{ref} =~ /:(.*)/;
    my ($uri, $exp, $put) = $got->{url} =~
        m{\A(?:http://127\.0\.0\.1:\d+)(/files/\Q$id\E\?exp=(\d+)
          &put=([-\w]+)&sig=[-\w]{43})\z}x;
    ok($uri, "$name: the URL") or diag($got->{url});

    is(seconds($got->{expires}), $exp, "$name: until when");
    my $left = $exp - time;
    ok($left > $ttl - 20 && $left <= $ttl, "$name: $left s of $ttl");
    is_deeply(decode_strict(decode_base64($put =~ tr{-_}{+/}r)), $want,
              "$name: what it says");
    is("/files/$id?" . ticket($KEY, 'acme', $id, $exp, \decode_base64(
           $put =~ tr{-_}{+/}r)), $uri, "$name: its signature");
    return ($uri, $id);
}

for my $case (
    [{ mime_type => 'image/png' }, { type => 'image/png' }],
    [{ mime_type => 'image/png', name => undef, size => undef },
     { type => 'image/png' }],
    [{ mimeType => 'text/csv', name => 'ä "b".csv', size => 3 },
     { type => 'text/csv', name => 'ä "b".csv', size => 3 }],
    [{ mime_type => 'text/plain; charset=utf-8', name => '', size => 0 },
     { type => 'text/plain; charset=utf-8', size => 0 }],
    [{ mime_type => 'a/b', size => 9007199254740993 },
     { type => 'a/b', size => 9007199254740993 }],
) {
    my ($args, $want) = @$case;
    my $result = mcp_tool($t, 'request_upload', $args);
    my $got = $result->{structuredContent};
    ticket_is($got, $want, 3600, encode_json_bytes($args));
    is(mcp_words($result), "$got->{ref}: upload it until $got->{expires} with "
       . "(FILE is its path): curl -T FILE '$got->{url}'", 'a command');

    my $res = $t->req('POST', '/a/?ticket', body => encode_json_bytes($args),
                      headers => ['Content-Type' => 'application/json']);
    is($res->{status}, 200, 'the same for programs');
    ticket_is(json_of($res), $want, 3600, 'for programs');
}

ticket_is(mcp_tool($t, 'request_upload', { mime_type => 'a/b' },
                   at => '/short')->{structuredContent}, { type => 'a/b' }, 90,
          'a short ttl');
like(mcp_words(mcp_tool($t, 'request_upload', { mime_type => 'a/b' },
                        at => '/zh')),
     qr/\Aartifact:[-\w]+，在 \S+ 之前.*curl -T FILE 'http\S+'\z/, 'in Chinese');
like(mcp_words(mcp_tool($t, 'request_upload', { mime_type => 'a/b' },
                        at => '/quote')),
     qr{curl -T FILE "http://a'b/[^"]+"\z}, 'a quote in artifact_url');

# --- with curl, as a sandbox does --------------------------------------------

SKIP: {
    my $curl = `curl --version 2>/dev/null`;
    skip 'no curl', 6 unless $curl;

    my $content = join '', map { chr } 0 .. 255;
    my $file = $t->file('a file.bin', $content x 5000);
    my $result = mcp_tool($t, 'request_upload', {
        mime_type => 'application/zip', name => 'a.zip',
        size => length($content) * 5000 });
    my ($command) = mcp_words($result) =~ /(curl -T FILE .*)/;
    $command =~ s/-T FILE/-sS -T '$file'/;
    my $got = decode_strict(scalar `$command`);
    is($got->{artifactRef}, $result->{structuredContent}{ref},
       'curl: uploaded');
    is($got->{metadata}{size}, length($content) * 5000, 'curl: all of it');
    my ($id) = $got->{artifactRef} =~ /:(.*)/;
    ok($t->get("/a/$id")->body eq $content x 5000, 'curl: the content');
    is(decode_strict(scalar `$command`)->{artifactRef}, $got->{artifactRef},
       'curl: twice');
    my $words = mcp_words(mcp_tool($t, 'read_artifact',
                                   { ref => $got->{artifactRef} }));
    like($words, qr/a\.zip/, 'curl: the agent finds it');
}

# --- arguments that are wrong ------------------------------------------------

for my $case (
    [{}, qr/"mime_type" is missing/], [{ mime_type => undef }, qr/"mime_type"/],
    [{ mime_type => 'a/b', size => -1 }, qr/"size"/],
    [{ mime_type => 'a/b', size => '1' }, qr/"size".*integer/],
    [{ mime_type => 'a/b', size => 1.5 }, qr/"size".*integer/],
    [{ mime_type => 'a/b', name => 'a/b' }, qr/\(invalid_name\): a\/b/],
    [{ mime_type => 'a/b', name => "a\nb" }, qr/\(invalid_name\)/],
    [{ mime_type => '' }, qr/mime_type/],
    [{ mime_type => 'x' x 300 }, qr/mime_type/],
    [{ mime_type => 'a/b', content => 'x' }, qr/argument: content\. /],
) {
    my ($args, $words) = @$case;
    my $result = mcp_tool($t, 'request_upload', $args, fails => 1);
    like(mcp_words($result), $words, 'it says which one');
    ok(!exists $result->{structuredContent}, 'and has no structure');
}

sub ask {
    my ($at, $body, %header) = @_;
    $header{'Content-Type'} //= 'application/json';
    return $t->req('POST', $at, headers => [%header], body => $body);
}

for my $case (['{}', 400, 'missing_mime_type'], ['', 400, 'invalid_json'],
              ['[]', 400, 'invalid_json'], ['{"mime_type":', 400,
                                            'invalid_json'],
              ['{"mime_type":1}', 400, 'invalid_argument'],
              ['{"mime_type":"a/b","mimeType":"c/d"}', 400,
               'invalid_argument'],
              ['{"mime_type":"a/b","x":1}', 400, 'invalid_argument'],
              ['{"mime_type":"a/b","name":"a/b"}', 400, 'invalid_name'],
              ['{"mime_type":"a/b","size":-1}', 400, 'invalid_argument'],
              ['{"mime_type":"a/b","size":"1"}', 400, 'invalid_argument'],
              ["{\"mime_type\":\"a/\xff\"}", 400, 'invalid_json'],
              [' ' x 70_000, 413, 'content_too_large'])
{
    my ($body, $status, $code) = @$case;
    error_is(ask('/a/?ticket', $body), $status, $code, undef,
             'for programs: ' . substr $body, 0, 40);
}
is(ask('/a/?ticket', '{"mime_type":"a/b"}' . ' ' x 65_000)->{status}, 200,
   '64 KB');
my $conn = $t->connect;
$conn->send("POST /a/?ticket HTTP/1.1\r\nHost: localhost\r\n"
            . "Content-Type: application/json\r\n"
            . "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
            . ("2000\r\n" . ' ' x 8192 . "\r\n") x 9 . "0\r\n\r\n");
error_is($conn->response('POST'), 413, 'content_too_large', undef, 'chunked');

error_is(ask('/a/?ticket', '{"mime_type":"a/b"}', 'Content-Type' => $_), 415,
         'unsupported_media_type', undef, "for programs: $_")
    for 'text/plain', 'multipart/form-data; boundary=x';
error_is(ask('/a/?ticket', 'x', 'Content-Encoding' => 'gzip'), 415,
         'unsupported_media_type', undef, 'for programs: an encoding');
error_is(ask('/a-read/?ticket', '{"mime_type":"a/b"}'), 403,
         'permission_denied', undef, 'for programs: nothing is written');
error_is(ask('/a-variable/?ticket', '{"mime_type":"a/b"}'), 403,
         'permission_denied', undef, 'for programs: no URL');
error_is(ask('/files/?ticket', '{"mime_type":"a/b"}'), 403,
         'signature_missing', undef, 'for programs: a signed location');
is(ask('/w/?ticket', '{"mime_type":"a/b"}')->{status}, 405, 'a workspace');
error_is($n->req('POST', '/a/?ticket', body => '{"mime_type":"a/b"}',
                 headers => ['Content-Type' => 'application/json']), 403,
         'permission_denied', undef, 'for programs: no key');
error_is(ask('/a/?ticket', '{"mime_type":"a/b"}',
             Origin => 'https://evil.example'), 403, 'permission_denied',
         undef, 'for programs: a page of another');
like(mcp_words(mcp_tool($t, 'request_upload', { mime_type => 'a/b' },
                        at => '/variable', fails => 1)),
     qr/permission_denied/, 'no URL');

# --- share_artifact ----------------------------------------------------------

for my $case ([{ ref => 'artifact:pic' }, 'artifact:pic', 'bytes'],
              [{ ref => 'pic', workspace => undef, path => undef },
               'artifact:pic', 'bytes'],
              [{ workspace => 'w', path => 'docs/ä.txt' },
               'artifact:' . ws_id('w', bytes('docs/ä.txt')), 'file'])
{
    my ($args, $ref, $content) = @$case;
    my $result = mcp_tool($t, 'share_artifact', $args);
    my $got = $result->{structuredContent};
    is(join(' ', sort keys %$got), 'expires ref url', 'share: members');
    is($got->{ref}, $ref, 'share: the reference');
    my ($exp) = query_of($got->{url});
    is(seconds($got->{expires}), $exp, 'share: until when');
    is(get($got->{url})->body, $content, 'share: the URL');
    is(mcp_words($result), "$ref: until $got->{expires} anybody can read it at "
       . $got->{url}, 'share: in words');
}
is(seconds(mcp_tool($t, 'share_artifact', { ref => 'ends' })
           ->{structuredContent}{expires}), $soon,
   'share: what expires sooner');
like(mcp_words(mcp_tool($t, 'share_artifact', { ref => 'gone' }, fails => 1)),
     qr/artifact_not_found.*expired/, 'share: what is not there');
mcp_tool($t, 'share_artifact', $_, fails => 1)
    for {}, { ref => 'pic', workspace => 'w' }, { workspace => 'w' },
        { ref => 7 };

$n->stop;
$n->check_log;
$t->finish;
