#!/usr/bin/perl

# What nginx itself cannot read as a URI is refused before any location is
# known; below the handlers' locations it is JSON all the same.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;

my $t = ArtifactTest->new;

$t->artifact('here', 'words', { type => 'text/plain' });

$t->start(server => <<'SERVER');
    artifact_root %%DATA%%;
    artifact_language en;

    location /artifacts/ { artifact; artifact_route on; }
    location /workspaces/ { artifact_workspace; }
    location /plain/ { return 200 plain; }
SERVER

for my $path ('/artifacts/../../etc/passwd', '/artifacts/..%2f..%2fetc%2fx',
              '/artifacts/%2e%2e/%2e%2e/x', '/artifacts/%00', '/artifacts/%zz',
              '/artifacts/here%00', '/workspaces/w1/../../../etc/passwd',
              '/workspaces/w1/%00')
{
    for my $method ('GET', 'HEAD') {
        my $res = $t->req($method, $path);

        is($res->status, 400, "$method $path");
        is($res->header('Content-Type'), 'application/json', 'is JSON');
        ok($res->{complete}, 'and complete');
        next if $method eq 'HEAD';

        my ($ref) = $path =~ m{^/\w+/(.*)};
        my $json = json_of($res);
        is($json->{error}, 'invalid_artifact_id', 'its code');
        is($json->{ref}, $ref, 'its reference, as it came');
    }
}

my $res = $t->get('/artifacts/../../x?secret=1');
is(json_of($res)->{ref}, '../../x', 'no arguments in it');

for my $path ('/plain/../../x', '/%00', '/artifact/%00', '/../artifacts/x') {
    $res = $t->get($path);
    is($res->status, 400, "$path: elsewhere");
    like($res->header('Content-Type'), qr{^text/html}, "is nginx's own page");
}

is($t->get('/artifacts/here')->body, 'words', 'the others are served');

$t->finish;
