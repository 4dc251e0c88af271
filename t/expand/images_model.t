#!/usr/bin/perl

# $artifact_model of requests to OpenAI's Images, of which only edits in JSON are
# examined otherwise: JSON or a form.  The body goes on byte for byte, and is read before
# it only if the variable is used.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactEcho;
use ArtifactFixtures;
use ArtifactTest;
use IO::Compress::Gzip qw(gzip);

my $t = ArtifactTest->new;
my $plain = ArtifactTest->new;
my $dir = $t->prefix;

my $echo = echo("$dir/echo");
my $other = echo("$dir/other");

$t->start(http => <<"HTTP", server => <<"SERVER");
    log_format model '\$artifact_api|\$artifact_model|\$artifact_refs|';
    map \$artifact_model \$to {
        default     echo;
        gpt-image-1 other;
    }
HTTP
    access_log %%PREFIX%%/access.log model;
    client_max_body_size 64m;
    location / {
        artifact_expand on;
        proxy_set_header X-To \$to;
        proxy_pass http://unix:$dir/echo:;
    }
    location /prompt/ {
        artifact_prompt on;
        proxy_pass http://unix:$dir/echo:;
    }
    location /off/ {
        proxy_pass http://unix:$dir/echo:;
    }
SERVER

my $requests = 0;

sub named {
    my ($name, $want, $res, $body) = @_;
    my @lines;
    $requests++;
    is($res->{status}, 200, $name);
    ok($res->{body} eq $body, 'the body goes on as it came');
    for (1 .. 100) {
        @lines = split /\n/, slurp("$dir/access.log");
        last if @lines >= $requests;
        select undef, undef, undef, 0.05;
    }
    is($lines[-1], $want, 'its model');
}

sub form {
    my @parts = @_;
    my $body = '';
    while (my ($head, $value) = splice @parts, 0, 2) {
        $body .= "--xYz\r\nContent-Disposition: form-data; $head\r\n\r\n"
            . "$value\r\n";
    }
    return "$body--xYz--\r\n";
}

sub ask {
    my ($name, $want, $uri, $type, $body, @headers) = @_;
    named($name, $want, $t->req('POST', $uri, body => $body,
          headers => ['Content-Type' => $type, @headers]), $body);
}

my $form = 'multipart/form-data; boundary=xYz';
my $large = png(9, 9) . join('', map { chr $_ % 256 } 1 .. 3_000_000);

ask('JSON', 'images|gpt-image-1|-|', '/v1/images/generations',
    'application/json', '{"prompt":"x", "model" : "gpt-image-1" }');
ask('JSON for an edit', 'images|dall-e-2|0|', '/v1/images/edits',
    'application/json', '{"model":"dall-e-2","images":[{"model":"no"}]}');
ask('a form', 'images|dall-e-2|-|', '/v1/images/variations', $form,
    form('name="image"; filename="a.png"', png(9, 9),
         'name="model"', 'dall-e-2'));
ask('a large one', 'images|gpt-image-1|-|', '/v1/images/edits', $form,
    form('name="image"; filename="a.png"', $large,
         'name="model"', 'gpt-image-1', 'name="prompt"', 'x'));
ask('JSON of megabytes', 'images|m|0|', '/v1/images/edits',
    'application/json', '{"a":"' . 'x' x 3_000_000 . '","model":"m"}');
ask('none', 'images||-|', '/v1/images/generations', 'application/json',
    '{"prompt":"x"}');
ask('the path has it', 'images|my-dall-e|-|',
    '/openai/deployments/my-dall-e/images/generations', 'application/json',
    '{"prompt":"x"}');
ask('no JSON', 'images||-|', '/v1/images/generations', 'application/json',
    '{"model":');
ask('no form', 'images||-|', '/v1/images/generations', 'text/plain',
    '{"model":"x"}');
ask('a name of control characters', 'images|a%0Ab|-|',
    '/v1/images/generations', 'application/json', '{"model":"a\nb"}');
ask('with "artifact_prompt"', '-|-|-|', '/prompt/v1/images/generations',
    'application/json', '{"model":"m"}');
ask('with neither', '-|-|-|', '/off/v1/images/generations',
    'application/json', '{"model":"m"}');

my $json = '{"model":"m"}';
gzip(\$json => \my $coded);
ask('coded', '-|-|-|', '/v1/images/generations', 'application/json', $coded,
    'Content-Encoding' => 'gzip');

# the variable before the body is sent on, and a body in pieces

my $conn = $t->connect;
my $body = '{"model":"gpt-image-1","prompt":"x"}';
$conn->send("POST /v1/images/generations HTTP/1.1\r\nHost: x\r\n"
    . "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n");
for my $byte (split //, $body) {
    $conn->send("1\r\n$byte\r\n");
}
$conn->send("0\r\n\r\n");
my $res = $conn->response('POST');
named('byte by byte', 'images|gpt-image-1|-|', $res, $body);
like($res->header('X-Head'), qr/\|X-To: other\|/, 'a map depends on it');
$conn->close;

# without the variable nothing is read before the upstream is asked

$plain->start(server => <<"SERVER");
    location / {
        artifact_expand on;
        proxy_request_buffering off;
        proxy_http_version 1.1;
        proxy_pass http://unix:$dir/echo:;
    }
SERVER
$res = $plain->req('POST', '/v1/images/generations', body => $body,
    headers => ['Content-Type' => 'application/json']);
is($res->{body}, $body, 'without the variable');
$plain->stop;

$_->stop for $echo, $other;
$t->finish;
