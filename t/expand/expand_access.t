#!/usr/bin/perl

# Who gets what: the key of a model's API stays with the model, whatever the
# configuration passes on; a tenant's artifacts stay with the tenant, whatever a
# reference says.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;

my $t = ArtifactTest->new;
my $png = png(20, 20);

my $store = ArtifactUpstream->new($t->prefix . '/store', contents => {
    'a/shot' => { body => $png, type => 'image/png' },
    'b/shot' => { body => "\x89PNG of b", type => 'image/png' },
});
my $gateway = ArtifactUpstream->new($t->prefix . '/gateway', contents => {
    '*' => { body => '{}', type => 'application/json' },
});
my $auth = ArtifactUpstream->new($t->prefix . '/auth', contents => {
    '*' => { body => '', type => 'text/plain',
             headers => ['X-Tenant: a'] },
});

my $dir = $t->prefix;
my $keys = join '', map {
    (my $var = lc) =~ tr/-/_/;
    "proxy_set_header $_ \$http_$var;";
} qw(Authorization X-Api-Key Api-Key X-Goog-Api-Key X-Amz-Security-Token);
my $pass = "proxy_pass http://unix:$dir/gateway:;";

# the second is that of docs/expand.md; keys and the URI are passed on by name,
# once looked at before the source is asked, and once not

$t->start(http => <<'HTTP', server => <<"SERVER");
    map $http_x_api_key $looked_at {
        default  1;
    }
HTTP
    $keys
    proxy_set_header X-Original-URI \$request_uri;
    proxy_set_header X-Args         \$args;
    proxy_set_header X-User         \$remote_user;

    location /named/ {
        artifact_expand on;
        artifact_source /keys/;
        $pass
    }
    location /seen/ {
        set \$seen "\$looked_at\$http_authorization\$request_uri\$remote_user";
        artifact_expand on;
        artifact_source /keys/;
        $pass
    }
    location /keys/ {
        internal;
        rewrite ^/keys/(.*) /a/\$1 break;
        proxy_pass http://unix:$dir/store:;
    }

    location /v1/ {
        auth_request /auth;
        auth_request_set \$tenant \$upstream_http_x_tenant;

        artifact_expand on;
        artifact_source /t/\$tenant/artifacts/;
        artifact_url https://files.example/artifacts/;
        $pass
    }
    location /t/ {
        internal;
        rewrite ^/t/([a-z0-9]+)/artifacts/(.*)\$ /\$1/\$2 break;
        return 404;
        proxy_pass http://unix:$dir/store:;
    }
    location = /auth {
        internal;
        proxy_pass_request_body off;
        proxy_set_header Content-Length "";
        proxy_pass http://unix:$dir/auth:;
    }
SERVER

sub ask {
    my ($uri, $url, @headers) = @_;
    $_->requests_in_full for $store, $gateway;
    return $t->req('POST', $uri, body =>
        '{"messages":[{"role":"user","content":[{"type":"image_url",'
        . qq("image_url":{"url":"$url"}}]}]}),
        headers => ['Content-Type' => 'application/json', @headers]);
}

# keys

my @keys = (Authorization => 'Bearer secret-1', 'X-Api-Key' => 'secret-2',
            'Api-Key' => 'secret-3', 'X-Goog-Api-Key' => 'secret-4',
            'X-Amz-Security-Token' => 'secret-8');

for my $at ('/named', '/seen') {
    for my $api ('/chat/completions', '/models/m:generateContent') {
        my $uri = "$at$api?key=secret-5";
        my $body = $api =~ /gemini|models/
            ? '{"contents":[{"role":"user","parts":[{"fileData":{"fileUri":'
              . '"artifact:shot"}}]}]}' : undef;
        $_->requests_in_full for $store, $gateway;
        my $res = defined $body
            ? $t->req('POST', $uri, body => $body, headers =>
                      ['Content-Type' => 'application/json', @keys])
            : ask($uri, 'artifact:shot', @keys);
        is($res->{status}, 200, "$uri: answered");

        my ($asked) = $store->requests_in_full;
        like($asked, qr{^GET /a/shot}, "$uri: the store was asked");
        unlike($asked, qr/secret/, "$uri: and has learnt no key");

        my ($sent) = $gateway->requests_in_full;
        like($sent, qr/\t\Q$keys[2 * $_]: $keys[2 * $_ + 1]\E/i,
             "$uri: $keys[2 * $_] goes to the model") for 0 .. 4;
        like($sent, qr/X-Original-URI: \Q$uri\E/, "$uri: and the URI");
    }
}

my $basic = 'Basic ' . b64('secret-6:secret-7');
for my $at ('/named', '/seen') {
    ask("$at/chat/completions", 'artifact:shot', Authorization => $basic);
    unlike(($store->requests_in_full)[0], qr/secret-7|\Q$basic\E/,
           "$at: nor a password");
    like(($gateway->requests_in_full)[0], qr/X-User: secret-6/,
         "$at: which the model's side may know");
}

# tenants

my $res = ask('/v1/chat/completions', 'artifact:shot');
is(join(' ', $store->requests), 'GET /a/shot', 'an own artifact');
$res = ask('/v1/chat/completions', 'https://files.example/artifacts/shot');
is(join(' ', $store->requests), 'GET /a/shot', 'by its URL');

my @tricks = map {
    my $id = $_;
    map { "$_$id" } 'artifact:', 'https://files.example/artifacts/',
                    'https://files.example/artifacts/artifact:';
} ('../b/shot', '..%2fb%2fshot', '..%2Fb/shot', '%2e%2e/b/shot',
   '%2e%2e%2fb%2fshot', '..%252fb%252fshot', '..\\\\/b\\\\/shot',
   '..\\\\b\\\\shot', './../b/shot', 'x/../../b/shot', '/b/shot', '//b/shot',
   '..;/b/shot', '..%00/b/shot', '..\\u0000/b/shot', '\\u002e\\u002e/b/shot',
   '\\u002e\\u002e\\u002fb\\u002fshot', '..%c0%afb/shot', 'shot/../../b/shot',
   'b64:' . b64('../b/shot'), b64('../b/shot'), b64url('../b/shot'),
   'ws~' . b64url('../../b/shot'), '?x=../b/shot', 'shot?/../../b/shot',
   '#/../../b/shot', '../../t/b/artifacts/shot');
push @tricks, qw(/t/b/artifacts/shot http://localhost/t/b/artifacts/shot
    https://files.example/t/b/artifacts/shot
    https://files.example/artifacts/../b/shot
    https://FILES.example/artifacts/../../t/b/artifacts/shot
    https://files.example.b/artifacts/shot
    https://b@files.example/artifacts/shot);

my (@asked, @status);
for my $trick (@tricks) {
    $res = ask('/v1/chat/completions', $trick, 'X-Tenant' => 'b',
               'X-Original-URI' => '/t/b/artifacts/shot');
    push @status, "$trick: $res->{status}" if $res->{status} !~ /^(200|502)$/;
    push @asked, map { "$trick: $_" }
        grep { !m{^GET /a/[^/]*$} || m{/\.\.?$} } $store->requests;
}
is(join("\n", @asked), '', 'no reference leads to another tenant');
is(join("\n", @status), '', 'and none to an error of ours');
is($t->get('/t/b/artifacts/shot')->{status}, 404, 'nor does a request');

$_->stop for $store, $gateway, $auth;
$t->finish;
