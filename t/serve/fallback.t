#!/usr/bin/perl

# Local first, then a store: error_page leads what is not here to a named
# location, which still knows the reference and routes what the store answers.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;

my $t = ArtifactTest->new;
my $png = png(20, 20);

$t->artifact('here', 'local words', { type => 'text/plain' });

mkdir $t->prefix . "/$_" or die "mkdir: $!"
    for 'store', 'store/artifacts', 'store/workspaces', 'store/workspaces/w1',
        'store/workspaces/w1/a b';
spew($t->prefix . '/store/artifacts/there', $png);
spew($t->prefix . '/store/workspaces/w1/a b/c.txt', 'stored words');

$t->start(server => <<'SERVER');
    artifact_route on;
    artifact_root %%DATA%%;

    location /artifacts/ {
        artifact;
        error_page 404 = @store;
    }

    location @store {
        add_header X-Key $artifact_key always;
        add_header X-Id $artifact_id always;
        proxy_pass http://127.0.0.1:%%PORT%%/store/$artifact_key;
    }

    location /store/ {
        artifact_route off;
        alias %%PREFIX%%/store/;
    }
SERVER

my $res = $t->accept('vision', '/artifacts/here');
is(json_of($res)->{content}, 'local words', 'what is here');
is($res->header('X-Key'), undef, 'is not asked for elsewhere');

$res = $t->accept('vision', '/artifacts/artifact:there');
is($res->status, 200, 'what is not here');
is($res->header('X-Key'), 'artifacts/there', 'is asked for by its key');
my $json = json_of($res);
is($json->{routing}, 'image_url', 'and routed');
is($json->{metadata}{id}, 'there', 'under its id');

$res = $t->accept('vision', '/artifacts/ws:w1:' . b64url('a b/c.txt'));
is($res->header('X-Key'), 'workspaces/w1/a%20b/c.txt', 'a workspace file');
is(json_of($res)->{content}, 'stored words', 'its content');
is(json_of($res)->{metadata}{relativePath}, 'a b/c.txt', 'its path');

$res = $t->accept('vision', '/artifacts/nowhere');
is($res->status, 404, 'what is nowhere');

$res = $t->accept('vision', '/artifacts/ws:w1:Li4vLi4v');
is($res->status, 403, 'a bad reference is not passed on');
is($res->header('X-Key'), undef, 'to anyone');

$t->finish;
