#!/usr/bin/perl

# Calls of tools that are refused: in JSON-RPC's form, with the id of the
# request, and the tool is never called.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactCounts;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;

my $t = ArtifactTest->new;
my $dir = $t->prefix;

$t->artifact('shot', png(30, 30), { mimeType => 'image/png' });
$t->artifact('large', 'x' x 20_000, { mimeType => 'text/plain' });
$t->artifact('fits', 'x' x 10_240, { mimeType => 'text/plain' });

my $tool = ArtifactUpstream->new("$dir/tool", contents => {
    '*' => { body => '{"jsonrpc":"2.0","id":1,"result":{}}',
             type => 'application/json' },
});
my $store = ArtifactUpstream->new("$dir/store", contents => {
    (map { $_ => { body => 'x', type => 'text/plain', status => $_ } }
     301, 401, 403, 404, 410, 429, 500, 503),
    long => { body => 'x' x 20_000, type => 'text/plain' },
    short => { body => 'x', type => 'text/plain' },
    coded => { body => 'x', type => 'text/plain',
               headers => ['Content-Encoding: gzip'] },
});

my $pass = "proxy_pass http://unix:$dir/tool:;";
my $log = q(log_format short '$status $artifact_api $artifact_refs )
    . q($artifact_expanded $artifact_degraded [$artifact_model]';);
$t->start(http => $log, server => <<"SERVER");
    access_log %%PREFIX%%/access.log short;
    artifact_root %%DATA%%;
    artifact_language en;
    artifact_inline_max 10k;
    client_max_body_size 64m;
    location /artifacts/ { internal; artifact; }
    location = /status { artifact_status; }
    location /data { artifact_argument data; $pass }
    location /base64 { artifact_argument base64; $pass }
    location /url {
        artifact_argument url;
        artifact_url https://h/a/;
        $pass
    }
    location /zh { artifact_argument data; artifact_language zh; $pass }
    location /few { artifact_argument data; artifact_refs_max 2; $pass }
    location /small { artifact_argument data; artifact_body_max 12k; $pass }
    location /nowhere { artifact_argument url; artifact_url \$arg_none; $pass }
    location /store {
        artifact_argument data;
        artifact_source /from-store/;
        $pass
    }
    location /store-url {
        artifact_argument url;
        artifact_url https://h/a/;
        artifact_source /from-store/;
        $pass
    }
    location /chunked {
        artifact_argument data;
        artifact_source /in-chunks/;
        $pass
    }
    location /page {
        artifact_argument data;
        artifact_body_max 1k;
        error_page 413 = \@page;
        $pass
    }
    location \@page { return 200 page; }
    location /from-store/ { internal; proxy_pass http://unix:$dir/store:/; }
    location /in-chunks/ {
        internal;
        rewrite ^/in-chunks/(.*) /\$1?frame=chunked break;
        proxy_pass http://unix:$dir/store:;
    }
SERVER

sub ask {
    my ($uri, $body, @headers) = @_;
    return $t->req('POST', $uri, body => $body,
        headers => ['Content-Type' => 'application/json', @headers]);
}

sub call_of {
    my ($refs, $id) = @_;
    my $list = join ',', map { qq("$_") } split ' ', $refs;
    return '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"t",'
        . qq("arguments":{"x":[$list]}}) . (defined $id ? qq(,"id":$id}) : '}');
}

sub refused {
    my ($res, $status, $code, $message, $ref, $id, $name) = @_;
    my $want = '{"jsonrpc":"2.0"' . (defined $id ? qq(,"id":$id) : '')
        . qq(,"error":{"code":$code,"message":"$message)
        . (defined $ref ? qq(: $ref","data":{"uri":"$ref"}) : '"') . '}}';
    is("$res->{status} $res->{body}", "$status $want", $name);
    is($res->header('Content-Type'), 'application/json', "$name: JSON");
}

my $missing = 'the artifact does not exist or has been deleted';
my $too_large = 'the artifact is too large to be passed to a tool';
my $failed = 'the artifact could not be read, try again later';

# a missing one

for my $uri (qw(/data /base64 /url)) {
    refused(ask($uri, call_of('artifact:none', 1)), 200, -32602, $missing,
            'artifact:none', 1, "$uri: missing");
    refused(ask($uri, call_of('artifact:shot artifact:none artifact:no', 1)),
            200, -32602, $missing, 'artifact:none', 1, "$uri: one of three");
    refused(ask($uri, call_of('artifact:../x', 1)), 200, -32602, $missing,
            'artifact:../x', 1, "$uri: malformed");
    refused(ask($uri, call_of('[artifact:none]', 1)), 200, -32602, $missing,
            'artifact:none', 1, "$uri: a marker");
}
refused(ask('/data', call_of('artifact:"a' =~ s{"}{\\u0022}r, 1)), 200,
        -32602, $missing, 'artifact:\"a', 1, 'with a quote');
refused(ask('/zh', call_of('artifact:none', 1)), 200, -32602,
        "\xe5\xb7\xa5\xe4\xbb\xb6\xe4\xb8\x8d\xe5\xad\x98\xe5\x9c\xa8\xe6\x88"
        . "\x96\xe5\xb7\xb2\xe8\xa2\xab\xe5\x88\xa0\xe9\x99\xa4",
        'artifact:none', 1, 'in Chinese');

# ids of every type, wherever they are

for my $id ('0', '1', '-7', '9007199254740993', '123456789012345678901234567890',
            '1.5', '1e3', '"a"', '""', '"\u00e9\"\\\\ \ud83d\ude00"',
            '"' . 'x' x 8000 . '"', qq("\xe4\xb8\xad"))
{
    refused(ask('/data', call_of('artifact:none', $id)), 200, -32602, $missing,
            'artifact:none', $id, 'id ' . substr $id, 0, 40);
    my $first = call_of('artifact:none') =~ s/^\{/{"id": $id ,/r;
    refused(ask('/data', $first), 200, -32602, $missing, 'artifact:none', $id,
            'first, id ' . substr $id, 0, 40);
}
for my $id ('null', 'true', 'false', '{}', '[]', '{"id":1}', '[1]',
            '"' . 'x' x 9000 . '"')
{
    refused(ask('/data', call_of('artifact:none', $id)), 400, -32602, $missing,
            'artifact:none', undef, 'no id: ' . substr $id, 0, 40);
}
refused(ask('/data', call_of('artifact:none')), 400, -32602, $missing,
        'artifact:none', undef, 'a notification');
refused(ask('/data', call_of('artifact:none', '1,"id":2')), 200, -32602,
        $missing, 'artifact:none', 2, 'the last one of two');
refused(ask('/data', call_of('artifact:none', '1,"x":{"id":2},"y":["id",3]')),
        200, -32602, $missing, 'artifact:none', 1, 'no other one');
my $much = 'y' x 3_000_000;
refused(ask('/data', call_of('artifact:none', qq("z","y":"$much"))), 200,
        -32602, $missing, 'artifact:none', '"z"', 'before 3 MB');
refused(ask('/data', call_of('artifact:none') =~ s/\}\z/,"y":"$much","id":5}/r),
        200, -32602, $missing, 'artifact:none', 5, 'behind 3 MB');
refused(ask('/data', gzip_of(call_of('artifact:none', '"z"')),
            'Content-Encoding' => 'gzip'), 200, -32602, $missing,
        'artifact:none', '"z"', 'compressed');

# too many, too large

refused(ask('/few', call_of('artifact:shot artifact:shot artifact:shot',
                            '"last"')), 200, -32602,
        'the request has too many artifact references', undef, '"last"',
        'too many');
like($t->log, qr/more than 2 references to artifacts \("artifact_refs_max"\)/,
     'it is logged');
is(ask('/few', call_of('artifact:shot artifact:shot', 1))->{status}, 200,
   'as many as may be');
is(ask('/few', call_of('artifact:shot artifact:shot artifact:shot', 1)
             =~ s/tools.call/tools\/list/r)->{body},
   '{"jsonrpc":"2.0","id":1,"result":{}}', 'another method');

for my $uri (qw(/data /base64)) {
    refused(ask($uri, call_of('artifact:large', 3)), 200, -32602, $too_large,
            'artifact:large', 3, "$uri: too large");
}
like($t->log, qr/artifact "large" is larger than the 10240 bytes of "artifact_/,
     'it is logged');
is(ask('/data', call_of('artifact:fits', 3))->{status}, 200, 'just fits');
is(ask('/url', call_of('artifact:large', 3))->{status}, 200,
   'a URL may be of any');
refused(ask('/store', call_of('artifact:long', 3)), 200, -32602, $too_large,
        'artifact:long', 3, 'of a store');
refused(ask('/chunked', call_of('artifact:long', 3)), 200, -32602, $too_large,
        'artifact:long', 3, 'of unknown length');
refused(ask('/small', call_of('artifact:fits', 3)), 200, -32602,
        'the request body is too large', undef, 3, 'a new body that is');
refused(ask('/small', '{"x":"' . 'y' x 20_000 . '"}'), 413, -32602,
        'the request body is too large', undef, undef, 'a body that is');
is(ask('/page', '{"x":"' . 'y' x 20_000 . '"}')->{body}, 'page',
   'an error page');

# what cannot be decoded

refused(ask('/data', 'no gzip', 'Content-Encoding' => 'gzip'), 400, -32700,
        'the encoded request body is not valid', undef, undef, 'broken gzip');
my $res = ask('/data', 'x', 'Content-Encoding' => 'br');
refused($res, 415, -32600, 'the content encoding is not supported here', undef,
        undef, 'unknown coding');
like($res->header('Accept-Encoding'), qr/gzip/, 'what is known');
my $signed = 'AWS4-HMAC-SHA256 Credential=x';
refused(ask('/data', call_of('artifact:shot', 1), Authorization => $signed),
        200, -32600, 'the request is signed: its references cannot be expanded',
        undef, 1, 'signed');
refused(ask('/nowhere', call_of('artifact:shot', 1)), 200, -32603,
        'artifacts have no URL here', undef, 1, 'no URL');

# sources

for my $uri (qw(/store /store-url)) {
    for my $status (401, 403, 404, 410) {
        refused(ask($uri, call_of("artifact:$status", 1)), 200, -32602,
                $missing, "artifact:$status", 1, "$uri: $status");
    }
    for my $status (301, 429, 500, 503) {
        refused(ask($uri, call_of("artifact:$status", 1)), 200, -32603,
                $failed, "artifact:$status", 1, "$uri: $status");
    }
    refused(ask($uri, call_of('artifact:coded', 1)), 200, -32603, $failed,
            'artifact:coded', 1, "$uri: encoded");
}

# nothing of all this has reached the tool but what was right

my @calls = $tool->requests_in_full;
is(scalar @calls, 4, 'the tool was called for the four others');

# variables and counters

open my $fh, '<', "$dir/access.log" or die;
my @lines = <$fh>;
close $fh;
is($lines[0], "200 mcp 1 0 0 []\n", 'variables of a call that was refused');

grow($t, 'a call', sub { ask('/url', call_of('artifact:shot artifact:shot', 1)) },
     requests('api', '200') => 1,
     part('mcp', 'other', 'part') => 2);
grow($t, 'a call with an image', sub { ask('/data', call_of('artifact:shot', 1)) },
     requests('api', '200') => 1, part('mcp', 'image', 'part') => 1);
grow($t, 'a missing one', sub { ask('/data', call_of('artifact:none', 1)) },
     requests('api', '200') => 1, part('mcp', 'other', 'missing') => 1);

open $fh, '<', "$dir/access.log" or die;
@lines = grep { /mcp/ } <$fh>;
close $fh;
is($lines[-3], "200 mcp 2 2 0 []\n", 'variables of a call');

$_->stop for $tool, $store;
$t->finish;
