#!/usr/bin/perl

# Results of MCP tools: where artifact_url tells how an artifact is reached,
# what is not sent is a link, and what is embedded goes by that URL.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;
use MIME::Base64 qw(encode_base64 encode_base64url);

my $t = ArtifactTest->new;

my $pdf = pdf();
my $png = png();
my $url = 'https://files.example.com/a/';

$t->artifact('shot', $png, { type => 'image/png', name => 'shot.png' });
$t->artifact('doc', $pdf, { type => 'application/pdf', name => "r \"1\".pdf" });
$t->artifact('zip', zip_of('a', 'b' x 900), { type => 'application/zip',
                                              name => 'z.zip' });
$t->artifact('text', "words\n", { type => 'text/plain', name => 'n.txt' });
$t->artifact("a b\xc3\xa9", $pdf, { type => 'application/pdf', name => 'x.pdf' });
$t->workspace_file('ws1', 'dir/r.pdf', $pdf, { mimeType => 'application/pdf' });

$t->file('map.json', { services => [
    { id => 'pngs', capabilities => { input => [qw(text vision file)] },
      accepts => ['image/png'] },
] });

my $up = ArtifactUpstream->new($t->prefix . '/up.sock', contents => {
    map { $_ => { body => $pdf, type => 'application/pdf' } } 'doc', 'd/doc'
});

$t->start(http => <<"HTTP", server => <<"SERVER");
    artifact_capabilities %%PREFIX%%/map.json;
    artifact_root %%DATA%%;
    artifact_route on;
    artifact_format mcp;
    artifact_language en;
    artifact_url $url;
HTTP
    location /artifacts/ {
        artifact;
    }
    location /workspaces/ {
        artifact_workspace;
    }
    location /small/ {
        artifact;
        artifact_inline_max 100;
    }
    location /own/ {
        artifact;
        artifact_description "no \\"way\\"";
    }
    location /nowhere/ {
        artifact;
        artifact_url "";
    }
    location /host/ {
        artifact;
        open_file_cache max=10;
        artifact_url 'http://\$arg_host/"/';
    }
    location /openai/ {
        artifact;
        artifact_format openai;
    }
    location /decoded/ {
        artifact_decode on;
        proxy_pass http://unix:@{[$t->prefix]}/up.sock:/;
    }
    location /d/ {
        proxy_pass http://unix:@{[$t->prefix]}/up.sock;
    }
SERVER

sub part {
    my ($accept, $uri, @more) = @_;
    return json_of($t->accept($accept, $uri, @more));
}

# what the model does not take

my $res = $t->accept('text', '/artifacts/shot');
is($res->header('Content-Type'), 'application/json', 'a link is JSON');
like($res->{body}, qr/^\{"type":"resource_link","uri":"\Q$url\Eshot",
     "name":"shot\.png","mimeType":"image\/png","size":\d+,
     "description":"[^"]+"\}$/x, 'with these members, in this order');

my $link = json_of($res);
like($link->{description}, qr/shot\.png \(artifact:shot\)\n.*PNG/s,
     'described by the words that stand elsewhere');
is($link->{size}, length $png, 'its size is that of the content');

my $text = part('text', '/nowhere/shot');
is($text->{type}, 'text', 'without a URL the words are all');
is($link->{description}, $text->{text}, 'and are the same');

is(part('text', '/artifacts/doc')->{name}, 'r "1".pdf', 'its name');
is(part('text, vision', '/artifacts/doc')->{type}, 'resource_link',
   'a kind that is not taken');
is(part('file', '/small/zip')->{type}, 'resource_link', 'a large one');
is(part('file', '/artifacts/zip')->{type}, 'resource',
   'which is embedded otherwise');
is(json_of($t->service('pngs', '/artifacts/doc'))->{type}, 'resource_link',
   'a type that the service does not take');
is(part('text', '/own/doc')->{description}, 'no "way"',
   'artifact_description describes a link, too');

# what it takes

is_deeply(part('file', '/artifacts/doc'), { type => 'resource', resource => {
    uri => "${url}doc", mimeType => 'application/pdf',
    blob => encode_base64($pdf, '') } }, 'what is embedded goes by the URL');
is_deeply(part('vision', '/artifacts/shot'), { type => 'image',
    mimeType => 'image/png', data => encode_base64($png, '') },
    'an image stays one');
is_deeply(part('text', '/artifacts/text'),
          { type => 'text', text => "words\n" }, 'a text likewise');

# ids

my $id = 'ws:ws1:' . encode_base64url('dir/r.pdf');
is(part('text', '/workspaces/ws1/dir/r.pdf')->{uri}, $url . $id,
   'a file of a workspace by its id');
is(part('text', "/artifacts/$id")->{uri}, $url . $id, 'the same by its id');
is(part('text', '/artifacts/a%20b%C3%A9')->{uri}, $url . 'a%20b%C3%A9',
   'an id is encoded');

# an upstream's

is(part('text', '/decoded/doc')->{uri}, "${url}doc", 'a decoded reference');
is(part('text', '/d/doc')->{type}, 'text', 'what has no id has no link');

# variables, also of a content that is kept open

for my $host (qw(one.example two.example one.example)) {
    is(part('text', "/host/doc?host=$host")->{uri},
       "http://$host/\"/doc", "by $host");
}

# others know no links

is(part('text', '/openai/doc')->{type}, 'text', 'no link of another format');

$t->finish;
