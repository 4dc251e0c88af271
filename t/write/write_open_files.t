#!/usr/bin/perl

# Contents that stay open (open_file_cache) and writes: whatever a worker had
# seen of a file, after a write it is not served any more, by any worker.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
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

# A worker that ends, and those that take its place with a zone of another
# size: what the one writes the others see, and what they write it sees.

put($t, "w/$_", 'old') for qw(early late);
my $writer = $t->connect;
$writer->send("PUT /inline/w/late HTTP/1.1\r\nHost: x\r\n"
    . "Content-Type: a/b\r\nContent-Length: 3\r\n\r\nne");
my $reader = $t->connect;
is($reader->request('GET', '/workspaces/w/early', keep => 1)->body, 'old',
   'the worker that is to end has seen a file');
$reader->send("GET /workspaces/w/early HTTP/1.1\r\n");
ok(until_true(sub { glob $t->data . '/workspaces/.artifact/tmp-*' }, 5),
   'an upload begins');

ok($t->reload(http => <<'HTTP', server => write_server()), 'another zone');
    artifact_zone 1m;
    open_file_cache max=1000 inactive=60s;
    open_file_cache_valid 60s;
    open_file_cache_errors on;
HTTP
like(seen('/workspaces/w/late'), qr/^200 \S+ old$/,
     'the new workers have seen a file');
$writer->send('w');
is($writer->response('PUT')->{status}, 200, 'an old worker writes');
is(seen('/workspaces/w/late'), '200 a/b new', 'the new ones see it');

put($t, 'w/early', 'newer', type => 'c/d');
$reader->send("Host: x\r\n\r\n");
is($reader->response('GET')->body, 'newer', 'and it sees what they write');

$t->finish;
