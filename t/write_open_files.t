#!/usr/bin/perl

# Contents that stay open (open_file_cache) and writes: whatever a worker had
# seen of a file, after a write it is not served any more, by any worker.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use ArtifactTest;
use ArtifactWrite;

my $t = ArtifactTest->new(workers => 4);

$t->start(http => <<'HTTP', server => write_server());
    open_file_cache max=1000 inactive=60s;
    open_file_cache_valid 60s;
    open_file_cache_errors on;
HTTP

# What connections enough to meet all workers get: each answer once.

sub seen {
    my ($uri, @header) = @_;
    my %seen;
    for (1 .. 40) {
        my $res = $t->get($uri, @header);
        my $type = $res->status == 200 ? $res->header('Content-Type') : '';
        $seen{join ' ', $res->status, $type,
              $res->status == 200 ? $res->body : ()}++;
    }
    return join '; ', sort keys %seen;
}

my $path = '/workspaces/w/a.txt';
my $id = '/artifacts/' . ws_id('w', 'a.txt');

is(seen($path), '404 ', 'missing, and known to be');
for my $round (1 .. 6) {
    my $at = $round % 2 ? '/workspaces/' : '/inline/';
    my $type = "text/x-$round";
    my $body = "round $round";

    put($t, 'w/a.txt', $body, type => $type, at => $at);
    is(seen($path), "200 $type $body", "written, round $round");
    is(seen($id), "200 $type $body", "written, by id, round $round");
    like(seen($path, 'X-LLM-Capabilities' => 'text'),
         qr/^200 application\/json [^;]*"content":"$body"[^;]*$/,
         "written, routed, round $round");
}

put($t, 'w/other.txt', 'other');
is(seen($path), '200 text/x-6 round 6', 'another file does not matter');

remove($t, 'w/a.txt');
is(seen($path), '404 ', 'deleted');
is(seen($id), '404 ', 'deleted, by id');

$t->finish;
