#!/usr/bin/perl

# Of several directives "artifact_url" the first one is written; what begins
# like any of them is a reference, also with a signature, and also as an upload
# is told where it is.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactLint;
use ArtifactTest;

my $t = ArtifactTest->new;
my $id = '01a20aaf-a517-7f55-9271-0b1e65774184';

$t->file('map.json', { services => [{ id => 'm', capabilities => {
    input => ['text', 'vision'] } }] });
$t->artifact($id, 'the words', { type => 'text/plain', name => 'a.txt' });
$t->artifact('dir-b', 'other words', { type => 'text/plain', name => 'b.txt' });

my $one = 'https://files.example.com/artifacts/';
my $two = 'http://old.example.com/a/';

$t->start(http => 'artifact_capabilities %%PREFIX%%/map.json;', server => <<"END");
    artifact_root %%DATA%%;
    artifact_write on;
    artifact_language en;
    artifact_url $one;
    artifact_url $two;
    artifact_url /artifacts/;
    artifact_url \$arg_none;
    artifact_url http://old.example.com/a/dir-;

    location /artifacts/ { artifact; }

    location /v1/ {
        artifact_expand on;
        proxy_pass http://127.0.0.1:%%PORT%%/echo/;
    }

    location /own/v1/ {
        artifact_expand on;
        artifact_url https://own.example.com/;
        proxy_pass http://127.0.0.1:%%PORT%%/echo/;
    }

    location /route { artifact_message; }

    location /list/ { artifact; artifact_route always; artifact_format mcp; }

    location /echo/ {
        client_body_in_single_buffer on;
        client_body_buffer_size 64k;
        proxy_method POST;
        proxy_pass http://127.0.0.1:%%PORT%%/body/;
        proxy_set_body \$request_body;
        proxy_set_header X-Body \$request_body;
    }

    location /body/ { return 200 \$http_x_body; }
END

sub becomes {
    my ($url, $path) = @_;
    my $request = { model => 'm', messages => [{ role => 'user', content => [
        { type => 'image_url', image_url => { url => $url } } ] }] };

    my $r = $t->req('POST', ($path // '') . '/v1/chat/completions',
                    body => encode_json_bytes($request),
                    headers => ['Content-Type' => 'application/json']);
    is($r->{status}, 200, "$url: 200");
    return $r->{body};
}

my $upload = $t->req('POST', '/artifacts/?name=c.txt', body => 'uploaded',
                     headers => ['Content-Type' => 'text/plain']);
my $location = $upload->{headers}{location}[0];
like($location, qr{^/artifacts/[0-9a-f-]{36}\z}, 'Location is a path');

like(becomes("$_$id"), qr/the words/, "$_ begins a reference")
    for $one, "${one}artifact:", $two, '/artifacts/', 'artifact:';
like(becomes("$_$id?exp=1&sig=abc"), qr/the words/, "$_, signed")
    for $one, $two, '/artifacts/';
like(becomes($location), qr/uploaded/, 'where an upload is, as it was told');

# the longest one counts

$t->artifact('b', 'the short one', { type => 'text/plain', name => 'c.txt' });
like(becomes('http://old.example.com/a/dir-b'), qr/the short one/,
     'the longest prefix');

like(becomes($_), qr/"url":"\Q$_\E"/, "$_ is none")
    for "http://other.example.com/$id", 'https://files.example.com/artifacts/';

like(becomes("https://own.example.com/$id", '/own'), qr/the words/,
     'a block of its own');
like(becomes("$_$id", '/own'), qr/"url":"\Q$_$id\E"/,
     "which replaces $_") for $one, $two;

like($t->get("/list/$id")->{body}, qr/the words/, 'read');

my $message = { attachments => [{ type => 'file', url => "$two$id" },
                                { type => 'file', url => $location }] };
my $r = $t->req('POST', '/route', body => encode_json_bytes($message),
                headers => ['Content-Type' => 'application/json']);
is($r->{status}, 200, 'a message') or diag($r->{body});

# --- configurations ----------------------------------------------------------

my ($code, $out) = $t->conf_test(server => "artifact_url $one; "
                                 . 'artifact_url http://a/?x=;');
isnt($code, 0, 'each is checked');
like($out, qr/without a query or a fragment/, 'as the first one');

warns($t, 'each ends in a slash', '"artifact_url" "http://a/b" does not end ',
      "artifact_url $one;\nartifact_url http://a/b; #\n");
warns($t, 'the first one is written', 'which is "internal"',
      "artifact_root %%DATA%%;\nartifact_url http://\$host/in/; #\n"
      . "artifact_url http://\$host/out/;\n"
      . 'location = /mcp { artifact_mcp; } location /in/ { internal; '
      . 'artifact; } location /out/ { artifact; }');

$t->finish;
