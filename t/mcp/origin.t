#!/usr/bin/perl

# Pages of other origins: what a browser sends without a preflight writes
# nothing, unless the page is the server's own, of this machine, or allowed.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFiles;
use ArtifactMcp;
use ArtifactTest;
use ArtifactWrite;

my $t = ArtifactTest->new;
my $store = $t->data . '/artifacts';

my $server = <<'SERVER';
    server_name files.example.com .example.org ~^re-\d+\.example\.net$;
    artifact_root %%DATA%%;

    location /v1/files            { artifact_files; client_max_body_size 64m; }
    location /v2/files            { artifact_files; aio threads;
                                    client_max_body_size 64m;
                                    artifact_origin https://app.example.net
                                                    $arg_origin; }
    location /v3/files            { artifact_files; client_max_body_size 64m;
                                    artifact_mcp_origin *; }
    location = /mcp               { artifact_mcp;
                                    artifact_origin https://app.example.net; }
    location /artifacts/          { artifact; artifact_write on; }
    location /artifacts/some/     { artifact; artifact_write on;
                                    artifact_origin https://app.example.net; }
    location /artifacts/page/     { artifact; artifact_write on;
                                    error_page 403 =418 /refused; }
    location /workspaces/         { artifact_workspace; artifact_write on; }
    location /route               { artifact_message; }
    location = /refused           { return 418; }
SERVER

$t->start(server => $server);

my $form = form(['purpose', 'user_data'], ['file', 'x' x 50_000, 'a.txt']);
my $evil = 'http://evil.example.com';


# How many artifacts there are.

sub artifacts {
    return scalar grep { !/\.meta$/ } glob "$store/*";
}

sub send_form {
    my ($at, $origin, @more) = @_;
    return upload($t, $at, $form, defined $origin ? (Origin => $origin) : (),
                  @more);
}

sub send_text {
    my ($at, $origin) = @_;
    return $t->req('POST', $at, body => 'text', headers => [
        'Content-Type' => 'text/plain',
        defined $origin ? (Origin => $origin) : ()]);
}


# --- pages of the server and of this machine -----------------------------

for my $good (undef, 'https://files.example.com', 'http://FILES.example.com:81',
              'http://a.example.org', 'https://re-17.example.net',
              'http://localhost:3000', 'http://127.0.0.1', 'http://[::1]:8080')
{
    my $name = $good // 'none';
    my $had = artifacts();

    is(send_form('/v1/files', $good)->status, 200, "$name uploads a file");
    is(send_text('/artifacts/?name=a.txt', $good)->status, 201,
       "$name posts an artifact");
    is(artifacts(), $had + 2, 'both are there');
}


# --- others --------------------------------------------------------------

my $had = artifacts();

for my $bad ($evil, 'null', '', 'http://localhost.evil.com', 'words',
             'https://files.example.com.evil.com', 'https://app.example.net',
             'https://xre-17.example.net')
{
    my $res = send_form('/v1/files', $bad);
    is($res->status, 403, "\"$bad\" uploads nothing");
    is(json_of($res)->{error}{type}, 'invalid_request_error',
       'in OpenAI\'s shape');

    $res = send_form('/v1/files', $bad, 'anthropic-version' => '2023-06-01');
    is($res->status, 403, 'nor as to Anthropic');
    is(json_of($res)->{error}{type}, 'permission_error', 'in their shape');

    $res = send_text('/artifacts/', $bad);
    is($res->status, 403, 'nor as an artifact');
    is(json_of($res)->{error}, 'permission_denied', 'in the module\'s shape');
}

is(artifacts(), $had, 'nothing is stored');
$t->wait_for(qr/origin "\Q$evil\E" is not allowed/);

my $conn = $t->connect;
$conn->send(form_head('/v1/files', 10_000_000, Origin => $evil));
is($conn->response('POST')->status, 403, 'the body is not waited for');

$conn = $t->connect;
$conn->send("POST /artifacts/ HTTP/1.1\r\nHost: evil.example.com\r\n"
            . "Origin: $evil\r\nContent-Type: text/plain\r\n"
            . "Content-Length: 4\r\n\r\ntext");
is($conn->response('POST')->status, 403, 'Host proves nothing');
$conn->send("POST /artifacts/ HTTP/1.1\r\nHost: evil.example.com\r\n"
            . "Content-Type: text/plain\r\nContent-Length: 4\r\n\r\ntext");
is($conn->response('POST')->status, 201, 'the connection goes on');

is(send_text('/artifacts/page/', $evil)->status, 418,
   'an error_page is the administrator\'s own answer');


# --- those that are allowed ----------------------------------------------

is(send_form('/v2/files', 'https://app.example.net')->status, 200,
   'a named origin');
is(send_form('/v2/files', $evil)->status, 403, 'but no other');
is(send_form("/v2/files?origin=$evil", $evil)->status, 200, 'by a variable');
is(send_form('/v2/files?origin=', '')->status, 403, 'an empty one names none');
is(send_form('/v3/files', $evil)->status, 200, 'any, by the former name');
is(send_text('/artifacts/some/', 'https://app.example.net')->status, 201,
   'a named origin posts an artifact');
is(send_text('/artifacts/some/', $evil)->status, 403, 'no other does');

my %ask = (at => '/mcp');
is(mcp_ask($t, 'tools/list', {}, %ask, headers => [Origin => $_->[0]])->status,
   $_->[1], "MCP: $_->[0]")
    for [$evil, 403], ['https://app.example.net', 200];


# --- what is protected otherwise -----------------------------------------

my $id = json_of(send_form('/v1/files'))->{id};
my $origin = [Origin => $evil];

is($t->req('GET', $_, headers => $origin)->status, 200, "GET $_")
    for '/v1/files', "/v1/files/$id", "/v1/files/$id/content";
is($t->req('PUT', '/workspaces/w/a.txt', body => 'x', headers => [
       @$origin, 'Content-Type' => 'text/plain'])->status, 201,
   'a browser asks before it sends PUT');
is($t->req('DELETE', $_, headers => $origin)->status, 200, "or DELETE $_")
    for '/workspaces/w/a.txt', "/v1/files/$id";
is($t->req('POST', '/route', body => '{"text":"x"}', headers => [
       @$origin, 'Content-Type' => 'application/json'])->status, 200,
   'a message changes nothing');


# --- the two names -------------------------------------------------------

sub tested {
    my ($location) = @_;
    return $t->conf_test(server => "location = /mcp {\nartifact_mcp;\n$location\n}");
}

for my $pair (['artifact_origin', 'artifact_mcp_origin'],
              ['artifact_mcp_origin', 'artifact_origin'])
{
    my ($one, $other) = @$pair;
    my ($code, $out) = tested("$one https://a.example;\n"
                              . "$other https://b.example;");

    isnt($code, 0, "$one beside $other is refused");
    like($out, qr/"$other" directive is duplicate, it is another name of "$one"/,
         'naming both');
    like($out, qr/\[emerg\].* is duplicate.* in \S+conftest\.conf:\d+/,
         'and where');

    ($code, $out) = tested("$one https://a.example/path;");
    like($out, qr/invalid origin "https:\/\/a.example\/path" in "$one"/,
         "$one takes origins only");
    is((tested("$one https://a.example;\n$one *;"))[0], 0, 'twice is a list');
}


$t->finish;
