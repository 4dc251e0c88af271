#!/usr/bin/perl

# The recipe of docs/requests.md for restricting workspaces and paths holds for
# both URIs of a file, in any spelling.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactTest;
use MIME::Base64 qw(encode_base64url);

my $docs = slurp("$FindBin::Bin/../../docs/requests.md");

my ($recipe) = $docs =~ /^## Access control$(.*?)^## /ms;
my ($map, $server) = $recipe
    =~ /^(    map .*?^    \})\n.*?^    server \{\n(.*?)^    \}$/ms;
ok(defined $server, 'there is a recipe');
$server =~ s/artifact_root \S+;/artifact_root %%DATA%%;\nartifact_index on;\nartifact_write on;/;

my $t = ArtifactTest->new;

my @denied = (['private', 'secret.txt'], ['private', 'a/b.txt'],
              ['shared', 'secret/x.txt'], ['shared', 'secret/a/b.txt']);
my @allowed = (['shared', 'open.txt'], ['shared', 'secrets.txt'],
               ['shared', 'a/secret/x.txt'], ['privates', 'x.txt']);

$t->workspace_file(@$_, 'content') for @denied, @allowed;
$t->artifact('private', 'content', { type => 'text/plain' });

$t->start(http => $map, server => $server . <<'SERVER');
    location /workspaces/private/ {
        artifact_workspace;
        deny all;
    }
SERVER

sub uris {
    my ($ws, $path) = @_;
    my $id = encode_base64url($path);
    my $other = encode_base64url("x/../$path");
    (my $escaped = "$ws/$path") =~ s/(\w)/sprintf '%%%02x', ord $1/ge;
    return ("/workspaces/$ws/$path", "/workspaces/$escaped",
            "/workspaces/$ws//x/..//$path", "/artifacts/ws:$ws:$id",
            "/artifacts/artifact:ws:$ws:$id", "/artifacts/ws:$ws:$other",
            "/artifacts/ws%3a$ws%3A$id", "/artifacts/ws:$ws:$id/metadata",
            "/artifacts/ws:$ws:$id?x=1");
}

for my $file (@denied) {
    is($t->get($_)->{status}, 403, "GET $_") for uris(@$file);
    is($t->req('PUT', "/workspaces/$file->[0]/$file->[1]",
               headers => ['Content-Type' => 'text/plain'],
               body => 'new')->{status}, 403, 'PUT');
    is($t->req('DELETE', "/workspaces/$file->[0]/$file->[1]")->{status}, 403,
       'DELETE');
}

for my $file (@allowed) {
    is($t->get($_)->{status}, 200, "GET $_") for uris(@$file);
}

for my $uri (qw(/workspaces/private/ /workspaces/private
                /workspaces/private/a/ /workspaces/shared/secret/
                /workspaces/shared/secret /workspaces/private/?recursive=1))
{
    is($t->get($uri)->{status}, 403, "a listing: $uri");
}
is($t->get('/workspaces/shared/')->{status}, 200, 'others are listed');
is($t->get('/artifacts/private')->{status}, 200,
   'an artifact of that name is another thing');

$t->stop;
done_testing();
