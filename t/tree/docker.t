#!/usr/bin/perl

# What the container images make of their environment: 18-artifact.envsh and the
# templates, with this machine's nginx.  What is needed and missing, or is not what
# it has to be, is refused, and nothing of it gets into the configuration.
#
# TEST_DOCKER_ROOT: a root with the files of an image (scripts/docker-test.sh),
# whose entrypoint and nginx are run instead.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactDocker;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream qw(read_request send_answer);

my $t = ArtifactTest->new;
my $docker = ArtifactDocker->new($t);

my %key = (acme => 'Key-of-acme-0123456789', globex => 'key-of-globex-012345');
my %needed = (
    ARTIFACT_UPSTREAM => 'http://gateway:4000',
    ARTIFACT_KEYS => join(', ', map { "$key{$_}=$_" } sort keys %key),
);

# --- what is refused -------------------------------------------------------

for (
    ['no upstream', { ARTIFACT_UPSTREAM => '' }, qr/UPSTREAM is missing/],
    ['no keys', { ARTIFACT_KEYS => '' }, qr/KEYS is missing/],
    ['only blanks', { ARTIFACT_KEYS => ' ,' }, qr/KEYS has no key/],
    ['a short key', { ARTIFACT_KEYS => 'short=acme' }, qr/KEY=TENANT/],
    ['no tenant', { ARTIFACT_KEYS => $key{acme} }, qr/KEY=TENANT/],
    ['a tenant that climbs', { ARTIFACT_KEYS => "$key{acme}=.." },
     qr/KEY=TENANT/],
    ['a key twice', { ARTIFACT_KEYS => "$key{acme}=a $key{acme}=b" },
     qr/a key twice/],
    ['keys and a file of them', { ARTIFACT_KEYS_FILE => '/dev/null' },
     qr/both set/],
    ['a file that is not there',
     { ARTIFACT_KEYS => '', ARTIFACT_KEYS_FILE => '/nope' },
     qr/KEYS_FILE cannot be read/],
    ['no map', { ARTIFACT_MODELS => '/nope.json' }, qr/no such file/],
    ['a path that climbs', { ARTIFACT_ROOT => '/srv/../etc' },
     qr/ROOT has to be an absolute path/],
    ['no URL', { ARTIFACT_UPSTREAM => 'gateway:4000' }, qr/UPSTREAM has to be/],
    ['a user in a URL', { ARTIFACT_UPSTREAM => 'http://a@b/' },
     qr/UPSTREAM has to be/],
    ['a path without an end', { ARTIFACT_UPSTREAM => 'http://gateway/v1' },
     qr/ends with a slash/],
    ['a provider without a folder', { ARTIFACT_PROVIDER => 'http://a' },
     qr/PROVIDER needs ARTIFACT_STANDINS/],
    ['a folder that climbs', { ARTIFACT_STANDINS => '/srv/..' },
     qr/STANDINS has to be/],
    ['a folder that nobody can make', { ARTIFACT_STANDINS => '/proc/x' },
     qr/not writable/],
    ['a socket', { ARTIFACT_CONVERTER => 'http://unix:/run/x' },
     qr/CONVERTER has to be/],
    ['no size', { ARTIFACT_MAX_BODY => '0' }, qr/MAX_BODY has to be/],
    ['no time', { ARTIFACT_EXPIRES => '30 days' }, qr/EXPIRES has to be/],
    ['a name that is not known', { ARTIFACT_KEY => 'x' },
     qr/ARTIFACT_KEY is not known/],
) {
    my ($name, $env, $message) = @$_;
    my ($code, $out) = $docker->configure(%needed, %$env);

    isnt($code, 0, "$name: refused");
    like($out, qr/^artifact: .*$message/ms, '.. with a reason');
}

# --- what would be configuration -------------------------------------------

my %good = (
    %needed,
    ARTIFACT_LISTEN => '8080', ARTIFACT_ADMIN_LISTEN => '8081',
    ARTIFACT_ROOT => '/srv/artifact', ARTIFACT_CACHE => '/var/cache/nginx',
    ARTIFACT_LANGUAGE => 'en', ARTIFACT_EXPIRES => '30d',
    ARTIFACT_MAX_BODY => '64m', ARTIFACT_URL => 'http://a.example/artifacts/',
    ARTIFACT_MODELS => '/etc/hostname', ARTIFACT_UPSTREAM_KEY => 'sk-1',
    ARTIFACT_CONVERTER => 'http://converter:8090',
    ARTIFACT_STANDINS => '/srv/standins',
    ARTIFACT_PROVIDER => 'http://127.0.0.1:4001',
    ARTIFACT_PROVIDER_LISTEN => '8082',
);

for my $name (sort keys %good) {
    my @taken;

    for my $evil (';', '{', '}', '"', "'", "\n", "\r", "\t\\", '$host', '`id`',
                  '$(id)', '#', '*', "\nlisten 1;", "é")
    {
        my $value = "$good{$name}$evil";

        # a line of keys may end
        next if $name eq 'ARTIFACT_KEYS' && $evil eq "\n";

        my ($code, $out) = $docker->configure(%good, $name => $value);

        push @taken, $evil if !$code || $out !~ /^artifact: $name has/m;
    }

    is("@taken", '', "$name: nothing but a value");
}

# --- what is made ----------------------------------------------------------

my $png = png(30, 20);
my $map = $docker->file('models.json', '{"services":['
    . '{"id":"sees","capabilities":{"input":["text","vision"]}},'
    . '{"id":"reads","capabilities":{"input":["text"]}}]}');

$docker->start(%needed, ARTIFACT_KEYS => '', ARTIFACT_MODELS => $map,
    ARTIFACT_KEYS_FILE => $docker->file('keys', join "\n",
        '# keys', map { "$key{$_}=$_" } sort keys %key),
    ARTIFACT_UPSTREAM_KEY_FILE => $docker->file('secret', "sk-gateway\n"),
    ARTIFACT_MAX_BODY => '100k', ARTIFACT_EXPIRES => '1h');

my $ref = json_of($t->req('POST', '/artifacts/?name=shot.png', body => $png,
    headers => [key('acme'), 'Content-Type' => 'image/png']), 201)
    ->{artifactRef};
my ($id) = $ref =~ /^artifact:(.*)/;

like($t->get("/artifacts/$id/metadata", key('acme'))->body, qr/"expiresAt"/,
     'an upload, which expires');

my $res = ask('acme', 'sees', $ref);
my $head = $docker->head_of($res);

like($res->body, qr/\Q@{[ b64($png) ]}\E/, 'a model that sees gets the picture');
like($head, qr/^Authorization: Bearer sk-gateway\r?$/m,
     'with the key of the gateway');
unlike($head, qr/$key{acme}/, 'not that of the client');
for my $name (qw(x-api-key x-goog-api-key api-key)) {
    $head = $docker->head_of(ask(undef, 'sees', $ref, $name => $key{acme}));
    like($head, qr/^$name: sk-gateway\r?$/m, "$name: or where the client has its");
    unlike($head, qr/$key{acme}|^Authorization/m, 'and nowhere else');
}

like(ask('acme', 'reads', $ref)->body, qr/\[Unreadable\] shot\.png/,
     'one that reads gets words');
unlike(ask('globex', 'sees', $ref)->body, qr/\Q@{[ b64($png) ]}\E/,
       'a model of another tenant does not get it');

is($t->get("/artifacts/$id", @{ $_->[1] })->status, $_->[2], $_->[0]) for
    ['its owner', [key('acme')], 200],
    ['the header of other SDKs', ['X-Api-Key' => $key{acme}], 200],
    ['and of Google', ['X-Goog-Api-Key' => $key{acme}], 200],
    ['another tenant', [key('globex')], 404],
    ['no key', [], 401],
    ['a key in other letters', [Authorization => "Bearer \U$key{acme}"], 401],
    ['a part of a key', [Authorization => 'Bearer ' . substr $key{acme}, 1],
     401],
    ['more than a key', [Authorization => "Bearer $key{acme}x"], 401];

is(json_of($t->get('/artifacts/x'), 401)->{error}{code}, 'unauthorized',
   'in JSON');
is($t->req('POST', '/artifacts/', headers => [key('acme')],
           body => 'x' x 102_401)->status, 413, 'a body that is too large');

for my $uri (qw(/status /healthz /acme/inspector/ /acme/artifacts/)) {
    is($t->get($uri, key('acme'))->status, 404, "$uri: not for clients");
    is($docker->admin($uri)->status, 200, '.. but for operators');
}
like($docker->admin('/acme/artifacts/')->body, qr/\Q$id\E/,
     'who see what there is');
unlike($docker->admin('/globex/artifacts/')->body, qr/\Q$id\E/, 'of whom');

$docker->stop;

# --- other environments ----------------------------------------------------

$docker->start(%needed, ARTIFACT_KEYS => 'off');
$ref = json_of($t->req('POST', '/artifacts/', body => 'words', headers =>
    ['Content-Type' => 'text/plain']), 201)->{artifactRef};
$res = ask(undef, 'sees', $ref, Authorization => 'Bearer own');

like($docker->head_of($res), qr/^Authorization: Bearer own\r?$/m,
     'without tenants a client has a key of its own');
is($docker->admin('/default/inspector/')->status, 200, 'and there is one');
$docker->stop;

$docker->start(%needed);
unlike($docker->head_of(ask('acme', 'sees', $ref, 'X-Api-Key' => $key{globex})),
       qr/Key-of|key-of|^Authorization|^X-Api/mi,
       'no key for the gateway: none is sent');
$docker->stop;

# --- in front of the gateway and behind it ---------------------------------

my %standins = (%needed, ARTIFACT_STANDINS => '/srv/standins',
                ARTIFACT_MODELS => $map,
                ARTIFACT_PROVIDER => 'http://gateway:4000');

SKIP: {
    skip('no ca-certificates', 1) if !-f '/etc/ssl/certs/ca-certificates.crt';

    my $large = png(140, 100);
    my @text = map { b64($_) } $large, $png;

    # the gateway is an echo

    $docker->start(%standins, ARTIFACT_UPSTREAM_KEY => 'sk-gateway');
    $ref = json_of($t->req('POST', '/artifacts/', body => $large,
        headers => [key('acme'), 'Content-Type' => 'image/png']), 201)
        ->{artifactRef};

    my $own = ask('acme', 'sees', "data:image/png;base64,$text[0]");
    my ($standin) = $own->body =~ m{data:image/png;base64,([^"]+)};

    is(length $standin, 416, 'a stand-in reaches the gateway');
    like($docker->head_of($own), qr/^Authorization: Bearer sk-gateway\r?$/m,
         'with its key');
    unlike($docker->head_of($own), qr/X-Artifact/i, 'and no tenant');

    like(ask('acme', 'sees', $ref)->body, qr/"data:image\/png;base64,\Q$standin\E"/,
         'so does one for an artifact');
    my $other = ask('globex', 'sees', $ref)->body;
    unlike($other, qr/;base64,/, 'not for one of another tenant');
    unlike(ask('globex', 'sees', "data:image/png;base64,$text[0]")->body,
           qr/\Q$standin\E/, 'whose own has another id');

    # what the gateway would send on

    my ($sees, $reads) = map {
        ArtifactHTTP->new((split /:/, $docker->provider)[1])->request(
            'POST', '/v1/chat/completions', body => body($_,
            "data:image/png;base64,$standin"),
            headers => ['Content-Type' => 'application/json'])->body
    } qw(sees reads);

    like($sees, qr/\Q$text[0]\E/, 'a model that sees gets the picture');
    like($reads, qr/\[Unreadable\]/, 'one that reads gets words');
    is($t->get("/standins/$_", key('acme'))->status, 404, 'nobody else does')
        for 'standin', 'x';
    is($docker->admin('/standins/x')->status, 404, 'nor operators');
    $docker->stop;

    # all the way, with a gateway that sends on what it gets

    $docker->start(%standins, ARTIFACT_UPSTREAM => 'http://'
                   . $docker->provider, ARTIFACT_UPSTREAM_KEY => 'sk-api',
                   ARTIFACT_MAX_BODY => '100k');
    $res = ask('acme', 'sees', "data:image/png;base64,$text[0]");
    is($res->body, body('sees', "data:image/png;base64,$text[0]"),
       'what is sent is what arrives');
    like($docker->head_of($res), qr/^Authorization: Bearer sk-api\r?$/m,
         'with the key');
    like(ask('acme', 'sees', $ref)->body, qr/\Q$text[0]\E/, 'so do artifacts');
    like(ask('globex', 'reads', $ref)->body, qr/does not exist/,
         'and another tenant reads that it has none');
    is(ask('acme', 'sees', 'x' x 110_000)->status, 413,
       'a body that is too large');
    $docker->stop;
}

# a converter, which is found by its name

my $spare = ArtifactTest->new;
my $converter = ArtifactUpstream->new('127.0.0.1:' . $spare->port,
    log => $t->prefix . '/converter.log', serve => sub {
        my ($sock) = @_;

        read_request($sock) or return;
        send_answer($sock, "HTTP/1.1 200 OK\r\nConnection: close\r\n"
            . "Content-Type: text/plain\r\nContent-Length: 9\r\n\r\n"
            . 'the words');
    });

SKIP: {
    skip('no ca-certificates', 1) if !-f '/etc/ssl/certs/ca-certificates.crt';

    $docker->start(%needed, ARTIFACT_MODELS => $map,
                   ARTIFACT_CONVERTER => 'http://localhost:' . $spare->port);
    like(ask('acme', 'reads', 'data:image/png;base64,' . b64($png))->body,
         qr/converted from image\/png:\\nthe words/, 'a picture is converted');
    $docker->stop;
}

$converter->stop;

my @others = (['no gateway', %needed, ARTIFACT_UPSTREAM => 'off']);

push @others, (
    ['everything', %good, ARTIFACT_UPSTREAM => 'http://127.0.0.1:4000/',
     ARTIFACT_CONVERTER => 'http://127.0.0.1:8090/', ARTIFACT_MODELS => $map],
    ['TLS, and a path', %needed,
     ARTIFACT_UPSTREAM => 'https://127.0.0.1/api/v1/',
     ARTIFACT_CONVERTER => 'https://[::1]'],
) if -f '/etc/ssl/certs/ca-certificates.crt';

for (@others) {
    my ($name, %env) = @$_;
    my ($code, $out) = $docker->test(%env);
    is($code, 0, "$name: nginx -t takes it") or diag($out);
}

$t->finish;


sub key {
    my ($tenant) = @_;
    return defined $tenant ? (Authorization => "Bearer $key{$tenant}") : ();
}


sub ask {
    my ($tenant, $model, $ref, @headers) = @_;

    return $t->req('POST', '/v1/chat/completions',
        headers => [key($tenant), @headers,
                    'Content-Type' => 'application/json'],
        body => body($model, $ref));
}


sub body {
    my ($model, $ref) = @_;

    return encode_json_bytes({ model => $model, messages => [
        { role => 'user', content => [{ type => 'image_url',
            image_url => { url => $ref } }] }] });
}
