#!/usr/bin/perl

# What only a stand-in leads to is served by no handler, described nowhere, on
# no list and at the end of no page; what is missing looks the same.

use strict;
use warnings;

use Digest::SHA qw(hmac_sha256);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactEcho;
use ArtifactFixtures;
use ArtifactMcp;
use ArtifactStandins;
use ArtifactTest;
use ArtifactWrite qw(until_true);

my $KEY = 'n' x 32;
my $NONE = '01234567-89ab-8cde-8123-456789abcdef';

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $png = png(40, 30);
my %of;

spew("$dir/keys", b64($KEY) . "\n");
chmod 0600, "$dir/keys";

my (undef, $id) = standin($t, png => $png);
my (undef, $gone) = standin($t, png => png(50, 50),
                            expiresAt => '2020-01-01T00:00:00.000Z');
my (undef, $upload) = standin($t, pdf => pdf(), file => {});

# more than the page has, on both sides of what is listed

my @hidden = map { (standin($t, png => png($_, 9)))[1] } 1 .. 30;
my @shown = map { sprintf '%08x-0000-8000-8000-000000000000', $_ * 0x14000000 }
    1 .. 9;

$t->artifact($_, $png, { type => 'image/png' }) for @shown;

my $echo = echo("$dir/echo");

$t->start(server => <<"SERVER");
    artifact_root %%DATA%%;
    artifact_language en;
    artifact_service \$http_x_llm_service;
    artifact_index on;
    client_max_body_size 8m;

    location /artifacts/ { artifact; artifact_write on; }
    location /cached/ { artifact; open_file_cache max=100;
                        open_file_cache_errors on; }
    location /routed/ { artifact; artifact_route always; }
    location /signed/ { artifact; artifact_signed on;
                        artifact_sign_key $dir/keys scope=t1; }
    location = /mcp { artifact_mcp; artifact_write on; }
    location = /message { artifact_message; }
    location /files { artifact_files; }
    location = /requests { artifact_requests; }
    location /expand/ {
        artifact_expand on;
        proxy_pass http://unix:$dir/echo:/v1/;
    }
    location /behind/ {
        artifact_expand standins;
        proxy_pass http://unix:$dir/echo:/v1/;
    }
SERVER

# what a client is told about an id, without the id

sub told {
    my ($res, $id) = @_;
    my $head = join "\n", map { "$_: @{ $res->{headers}{$_} }" }
        grep { $_ !~ /^(?:date|etag|last-modified)$/ }
        sort keys %{ $res->{headers} };
    return join "\n", $res->{status}, $head,
        $res->{body} =~ s/\Q$id\E|\Q@{[$id =~ tr|-||dr]}\E/ID/gr;
}

sub same {
    my ($name, $ask) = @_;
    my $none = told($ask->($NONE), $NONE);

    for ([there => $id], [expired => $gone], ['an upload' => $upload]) {
        is(told($ask->($_->[1]), $_->[1]), $none, "$name: $_->[0]");
    }
    return $none;
}

for my $method (qw(GET HEAD DELETE PUT POST)) {
    my $uri = '/artifacts/';
    same($method, sub { $t->req($method, $uri . $_[0], body => '') });
}

like(same('metadata', sub { $t->get("/artifacts/$_[0]/metadata") }),
     qr/^404/, 'no metadata');

same('reference', sub { $t->get("/artifacts/artifact:$_[0]") });
same('raw', sub { $t->get("/artifacts/$_[0]?raw=1") });
same('range', sub { $t->get("/artifacts/$_[0]", Range => 'bytes=0-3') });
same('validators', sub { $t->get("/artifacts/$_[0]", 'If-None-Match' => '*') });
same('routed', sub { $t->service('x', "/routed/$_[0]") });
same('cached', sub { $t->get("/cached/$_[0]") }) for 1 .. 3;

same('signed', sub {
    my $exp = time + 60;
    my $sig = b64url(hmac_sha256(
        join("\n", 'artifact-url-v1', 't1', $_[0], $exp), $KEY));
    return $t->get("/signed/$_[0]?exp=$exp&sig=$sig");
});

# MCP

same('read_artifact', sub {
    mcp_ask($t, 'tools/call', { name => 'read_artifact',
                                arguments => { ref => "artifact:$_[0]" } },
            id => 7);
});

same('resources/read', sub {
    mcp_ask($t, 'resources/read', { uri => "artifact:$_[0]" }, id => 7);
});

# messages, uploads, references

same('attachment', sub {
    $t->req('POST', '/message', body => encode_json_bytes({ content => 'x',
        attachments => [{ type => 'image', artifactId => $_[0] }] }));
});

for my $form ('file-art-', 'file_art_') {
    same("$form", sub { $t->get("/files/$form" . $_[0] =~ tr/-//dr) });
    same("$form content", sub {
        $t->get("/files/$form" . $_[0] =~ tr/-//dr . '/content') });
    same("$form removed", sub {
        $t->req('DELETE', "/files/$form" . $_[0] =~ tr/-//dr) });
}

unlike($t->get('/files')->body, qr/\Q$upload\E|art-/, 'no list of uploads');

sub asked {
    my ($where, $part) = @_;
    return $t->req('POST', "/$where/chat/completions",
        headers => ['Content-Type' => 'application/json'],
        body => encode_json_bytes({ model => 'm', messages => [
            { role => 'user', content => [$part] } ] }));
}

same('reference of a request', sub {
    asked('expand', { type => 'image_url',
                      image_url => { url => "artifact:$_[0]" } });
});

same('file id of a request', sub {
    asked('expand', { type => 'file',
                      file => { file_id => 'file-art-' . $_[0] =~ tr/-//dr } });
});

same('marker', sub {
    $t->req('POST', '/expand/chat/completions',
        headers => ['Content-Type' => 'application/json'],
        body => encode_json_bytes({ model => 'm', messages => [
            { role => 'tool', content => "[artifact:$_[0]]" } ] }));
});

# lists: all that is shown, nothing else, whatever the page; no page is empty,
# ends with what is hidden, or is followed by another one in vain

for my $limit (1, 2, 5, 9, 100) {
    my ($after, @got, @next) = ('');

    for (1 .. 20) {
        my $page = json_of($t->get("/artifacts/?limit=$limit"
                                   . ($after eq '' ? '' : "&after=$after")));
        push @got, map { $_->{id} } @{ $page->{artifacts} };
        push @next, grep { defined } $page->{next};
        $after = $page->{next} // last;
    }

    is("@got", "@shown", "pages of $limit");
    is_deeply([grep { my $one = $_; !grep { $_ eq $one } @shown } @next], [],
              "pages of $limit: what is next");
    is(scalar @next, int((@shown - 1) / $limit), "pages of $limit: how many");
}

my $resources = mcp_result(mcp_ask($t, 'resources/list', {}),
                           'a list of resources');
is_deeply([sort map { $_->{uri} } @{ $resources->{resources} }],
          [map { "artifact:$_" } @shown], 'resources/list');

my $listed = encode_json_bytes(mcp_result(mcp_ask($t, 'tools/call',
    { name => 'list_artifacts', arguments => { limit => 2 } }), 'a list'));
like($listed, qr/$shown[1]/, 'list_artifacts');
unlike($listed, qr/$_/, 'list_artifacts hides') for $id, @hidden;

# nothing of it was lost: a stand-in still leads there

is(json_of(asked('behind', { type => 'image_url', image_url => {
       url => 'data:image/png;base64,' . b64(standin_of(png => $id)) } }))
       ->{messages}[0]{content}[0]{image_url}{url},
   'data:image/png;base64,' . b64($png), 'a stand-in leads there');

# and the requests that it was in do not tell it

until_true(sub { $t->get('/requests?limit=1')->body =~ /behind/ }, 20);
unlike($t->get('/requests?limit=1')->body, qr/\Q$id\E/, 'the last requests');

$t->finish;
