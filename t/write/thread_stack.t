#!/usr/bin/perl

# Metadata of two thousand levels is parsed in a thread: its stack suffices, also
# where those of threads are as small as with Alpine's C library.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactTest;

# what glibc gives a thread is the limit of the main stack

my $t = ArtifactTest->new(launcher => ['sh', '-c',
    'ulimit -S -s 512 && exec "$@"', 'sh']);
my $levels = 2000;

sub deep {
    my ($members) = @_;
    return "{$members" . ',"deep":' . '{"a":' x $levels . '1'
        . '}' x $levels . '}';
}

$t->artifact('deep', "words\n",
    deep('"id":"deep","extension":"","type":"text/x-deep"'));
$t->workspace_file('ws', 'deep.txt', "words\n");
$t->workspace_meta('ws', '{"workspaceId":"ws","files":{"deep.txt":'
    . deep('"mimeType":"text/x-deep"') . '}}');

$t->start(main => 'thread_pool default threads=1;', server => <<'CONF');
    artifact_root %%DATA%%;
    artifact_index on;
    artifact_write on;
    aio threads;

    location /artifacts/ { artifact; }
    location /workspaces/ { artifact_workspace; }
CONF

like($t->get('/artifacts/')->body, qr{text/x-deep}, 'a listing of artifacts');
like($t->get('/workspaces/ws/')->body, qr{text/x-deep}, 'and of files');

is($t->req('PUT', '/workspaces/ws/deep.txt', body => 'other',
           headers => ['Content-Type' => 'text/x-other'])->status, 200,
   'a write');
is($t->req('DELETE', '/workspaces/ws/deep.txt')->status, 200, 'a removal');

$t->finish;
