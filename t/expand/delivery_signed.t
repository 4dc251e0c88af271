#!/usr/bin/perl

# From a request with a reference to the provider's fetch: the provider gets a
# URL, fetches it without any other right, and has the bytes and their type.
# What was changed in the URL, is late, or is another tenant's, is refused.  A
# history that brings back an old URL gets a new one.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactEcho;
use ArtifactFixtures;
use ArtifactSign;
use ArtifactTest;

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $server = "http://127.0.0.1:@{[$t->port]}";
my $key = 'a key that signs' x 2;
my $file = key_file($t, 'keys', \$key);

my $id = 'ws:team:' . b64url('docs/the report.pdf');
my %content = (shot => [png(12, 9), 'image/png', 'shot.png'],
               other => [png(13, 9), 'image/png', 'other.png']);

$t->artifacts(\%content);
$t->workspace_file('team', 'docs/the report.pdf', pdf());
$content{$id} = [pdf(), 'application/pdf'];

my $echo = echo("$dir/echo");

# A tenant has a location that writes URLs, and one that they lead to.

$t->start(server => <<"SERVER" . join '', map { <<"TENANT" } 'a', 'b');
    artifact_root %%DATA%%;
    artifact_accept "text,vision,file,pdf";

    location /artifacts/ { internal; artifact; }
SERVER
    location ~ ^/$_/ {
        artifact_expand on;
        artifact_delivery url;
        artifact_url $server/public-$_/;
        artifact_sign_key $file scope=tenant-$_;
        artifact_sign_ttl 10y;
        artifact_format \$arg_format;
        rewrite ^/$_(/.*) \$1 break;
        proxy_pass http://unix:$dir/echo:;
    }
    location /public-$_/ {
        artifact;
        artifact_signed on;
        artifact_sign_key $file scope=tenant-$_;
    }
TENANT

sub sent {
    my ($uri, $body) = @_;
    return $t->req('POST', $uri, headers => [
        'Content-Type' => 'application/json'], body => $body)->body;
}

sub code { return json_of($_[0])->{error} }

my $messages = '{"messages":[{"role":"user","content":[%s]}]}';

# API, its path, a request with %s for a reference, and what it refers to

my @apis = (
    [openai => '/v1/chat/completions', sprintf($messages,
        '{"type":"image_url","image_url":{"url":"%s"}}'), 'shot'],
    [openrouter => '/v1/chat/completions?format=openrouter', sprintf($messages,
        '{"type":"file","file":{"filename":"r.pdf","file_data":"%s"}}'), $id],
    [mistral => '/v1/chat/completions?format=mistral', sprintf($messages,
        '{"type":"document_url","document_url":"%s"}'), $id],
    [responses => '/v1/responses', '{"input":[{"role":"user","content":['
        . '{"type":"input_image","image_url":"%s"}]}]}', 'shot'],
    [responses => '/v1/responses', '{"input":[{"role":"user","content":['
        . '{"type":"input_file","file_url":"%s"}]}]}', $id],
    [anthropic => '/v1/messages', sprintf($messages,
        '{"type":"image","source":{"type":"url","url":"%s"}}'), 'shot'],
    [anthropic => '/v1/messages', sprintf($messages,
        '{"type":"document","source":{"type":"url","url":"%s"}}'), $id],
    [gemini => '/v1beta/models/gemini-2.5-flash:generateContent',
        '{"contents":[{"role":"user","parts":[{"fileData":{"fileUri":"%s",'
        . '"mimeType":"x/y"}}]}]}', 'shot'],
);

my $signed = qr{"(\Q$server\E(/public-[ab]/[^"?]+)\?exp=(\d+)&sig=([-\w]{43}))"};
my %of;

for (@apis) {
    my ($api, $path, $body, $ref) = @$_;
    my $got = sent("/a$path", sprintf($body, "artifact:$ref"));
    my ($url, $uri, $exp, $sig) = $got =~ $signed
        or do { fail("$api: a signed URL") or diag($got); next };

    my $res = $t->get("$uri?exp=$exp&sig=$sig");

    is($res->status, 200, "$api: it is fetched");
    ok($res->body eq $content{$ref}[0], "$api: the bytes");
    is($res->header('Content-Type'), $content{$ref}[1], "$api: the type");

    is(sent("/a$path", sprintf($body, "artifact:$ref")), $got, "$api: again");
    is(sent("/a$path", sprintf($body, $url)), $got, "$api: the URL comes back");

    my $late = $url =~ s/\?.*//r . '?' . signed($key, 'tenant-a', $ref, time - 9);
    is(sent("/a$path", sprintf($body, $late)), $got, "$api: one that is late");

    $of{$ref} = [$uri, $exp, $sig];
}

# What is not as it was signed.

for my $ref (sort keys %of) {
    my ($uri, $exp, $sig) = @{ $of{$ref} };

    for my $i (0 .. length($sig) - 1) {
        my $other = $sig;
        substr($other, $i, 1) =~ tr/A-Za-z0-9\-_/B-ZAb-za1-90_-/;
        my $res = $t->get("$uri?exp=$exp&sig=$other");
        is($res->status . code($res), '403signature_invalid',
           "$ref: character $i");
    }

    for my $case ([$uri, $exp + 1, 'a second more'], [$uri, "+$exp", 'a sign'],
                  [$uri, "0$exp", 'a zero'],
                  [$uri =~ s/[^\/]+\z/other/r, $exp, 'another artifact'],
                  [$uri =~ s/public-a/public-b/r, $exp, 'another tenant'])
    {
        my ($at, $end, $what) = @$case;
        my $res = $t->get("$at?exp=$end&sig=$sig");
        is($res->status . code($res), '403signature_invalid', "$ref: $what");
    }

    my $res = $t->get("$uri?" . signed($key, 'tenant-a', $ref, time));
    is($res->status . code($res), '403signature_expired', "$ref: too late");
    is($t->get("$uri?" . signed($key, 'tenant-a', $ref, time + 60))->status, 200,
       "$ref: in time");
    is(code($t->get($uri)), 'signature_missing', "$ref: no signature");
}

# The other tenant's are signed with its scope.

my ($url, $uri, $exp, $sig) = sent("/b$apis[0][1]",
    sprintf($apis[0][2], 'artifact:shot')) =~ $signed;

like($uri, qr{^/public-b/}, 'the other tenant has a URL');
is($t->get("$uri?exp=$exp&sig=$sig")->status, 200, 'which is fetched there');
is($t->get("/public-a/shot?exp=$exp&sig=$sig")->status, 403, 'and only there');

# Bedrock does not fetch.

is(sent('/a/model/us.amazon.nova-pro-v1%3A0/converse', sprintf($messages,
        '{"image":{"format":"png","source":{"s3Location":{"uri":"artifact:shot"}}}}')),
   sprintf($messages, '{"image":{"format":"png","source":{"bytes":"'
        . b64($content{shot}[0]) . '"}}}'), 'Bedrock has the bytes');

$t->finish;
