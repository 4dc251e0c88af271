#!/usr/bin/perl

# Large uploads pass through a worker as a stream, and large metadata are
# merged as one: its memory does not grow.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactTest;
use ArtifactWrite;
use Time::HiRes qw(time);

my $GIGABYTE = 1 << 30;
my $LEAST = 300 << 20;
my $PATIENCE = 2;

my $t = ArtifactTest->new;
my $dir = $t->data . '/workspaces';

# What is measured is the module's memory, not that of the heaps (arenas) which
# glibc keeps for threads: each of them keeps 200 KB of a fold that is over.

$t->start(main => 'thread_pool default threads=2;', server => <<'SERVER');
    artifact_root %%DATA%%;
    artifact_write on;
    artifact_sync off;
    client_max_body_size 0;

    location /artifacts/ {
        artifact;
        aio threads;
    }
    location /workspaces/ {
        artifact_workspace;
        aio threads;
    }
    location /inline/ {
        artifact_workspace;
    }
SERVER

my ($worker) = $t->workers;
my $sanitized = $t->version =~ /-fsanitize/;

sub grown {
    my ($name, $limit, $before, $most) = @_;
    SKIP: {
        skip 'a sanitizer keeps freed memory', 1 if $sanitized;
        cmp_ok($most - $before, '<', $limit, $name);
    }
}

# The source of an upload is a hole in a file, with a word at its end.

my $source = $t->file('source', '');
truncate $source, $GIGABYTE or die "truncate: $!";

# Sends it as a body of one length, or in chunks until it or the patience ends
# (on a slow disk, but never less than $LEAST); returns the bytes sent.

sub upload {
    my ($uri, $size, $method) = @_;

    put($t, 'warm/' . $_ % 3, 'x' x 20_000, at => $_ % 2 ? '/inline/'
        : '/workspaces/', agent => 'a') for 1 .. 30;

    my $before = $t->memory($worker);
    my ($most, $sent, $began) = (0, 0, time);
    my $conn = $t->connect;
    $conn->send("$method $uri HTTP/1.1\r\nHost: x\r\nContent-Type: a/b\r\n"
        . ($size ? "Content-Length: $size\r\n\r\n"
                 : "Transfer-Encoding: chunked\r\n\r\n"));
    open my $fh, '<:raw', $source or die "$source: $!";
    my $want = $size || $GIGABYTE;
    until ($sent == $want
           || !$size && $sent >= $LEAST && time - $began > $PATIENCE)
    {
        my $n = sysread $fh, my $bytes, 1 << 20;
        last unless $n;
        $conn->send($size ? $bytes
                          : sprintf("%x\r\n", $n) . $bytes . "\r\n") or last;
        $sent += $n;
        next if $sent % (16 << 20);
        my $now = $t->memory($worker);
        $most = $now if $now > $most;
    }
    $conn->send("4\r\nlast\r\n0\r\n\r\n") if !$size;
    my $res = $conn->response($method);
    is($res->{status}, 201, sprintf '%s of %d MB', $method, $sent >> 20);
    note(sprintf '%.1f s', time - $began);
    grown("$method $uri: the worker grows by less than 2 MB", 2048, $before,
          $most);
    return ($sent, $res);
}

my ($sent) = upload('/workspaces/w/huge', 0, 'PUT');
cmp_ok($sent, '>=', $LEAST, 'a large body');
is(-s "$dir/w/huge", $sent + 4, 'all of it is there');
open my $fh, '<:raw', "$dir/w/huge" or die "huge: $!";
sysseek $fh, -8, 2;
sysread $fh, my $end, 8;
is($end, "\0\0\0\0last", 'in order');
close $fh;
unlink "$dir/w/huge";

for my $uri ('/workspaces/w/sized', '/inline/w/inline') {
    ($sent) = upload($uri, 64 << 20, 'PUT');
    is(-s $dir . $uri =~ s{^/[^/]+}{}r, $sent, 'all of it is there');
}
($sent, my $res) = upload('/artifacts/?name=big', 64 << 20, 'POST');
my $id = json_of($res)->{artifactRef} =~ s/^artifact://r;
is((-s $t->data . "/artifacts/$id") // -1, $sent, 'all of it is there');

# many small ones leave nothing behind

my $conn = $t->connect;
my $before;
for my $n (1 .. 600) {
    $before = $t->memory($worker) if $n == 201;
    $conn = $t->connect if $conn->{eof} || $n % 90 == 0;
    put($t, 'small/f' . $n % 20, 'x' x ($n * 10), conn => $conn,
        at => $n % 2 ? '/inline/' : '/workspaces/',
        headers => ['If-Match' => $n % 5 ? '*' : '"x"']) if $n > 20;
    put($t, 'small/f' . $n % 20, 'x', conn => $conn) if $n <= 20;
}
grown('hundreds of writes leave nothing behind', 1024, $before,
      $t->memory($worker));

# one entry into metadata of many

my $entry = '{"mimeType":"text/x-many","createdAt":"2024-01-01T00:00:00.000Z",'
    . '"updatedAt":"2024-01-01T00:00:00.000Z","modifiedBy":[{"agentId":"a",'
    . '"timestamp":"2024-01-01T00:00:00.000Z","messageId":"m"}]}';
open $fh, '>:raw', "$dir/many.meta.json" or die "many: $!";
print {$fh} '{"workspaceId":"many","files":{',
    join(",\n", map { "\"dir/file-$_\":$entry" } 1 .. 60_000), '},"end":1}';
close $fh or die "many: $!";
my $size = -s "$dir/many.meta.json";
note(sprintf '%.1f MB of metadata', $size / 1048576);
mkdir "$dir/many" or die "mkdir: $!";

$before = $t->memory($worker);
my $most = 0;
for my $round (1 .. 5) {
    put($t, "many/new$round", 'x', agent => 'me', type => "text/x-$round");
    is(metadata_at($t, "many/new$round")->{mimeType}, "text/x-$round",
       'in large metadata: at once');
    my $file = (stat "$dir/many.meta.json")[1];
    ok(until_true(sub {
        my $now = $t->memory($worker);
        $most = $now if $now > $most;
        return (stat "$dir/many.meta.json")[1] != $file;
    }, 60), 'in large metadata: written anew');
}
$t->workspace_file('many', 'dir/file-59999', 'x');
is(metadata_at($t, 'many/dir/file-59999')->{mimeType}, 'text/x-many',
   'an entry among many is found');
grown('large metadata are not held in memory', 4096, $before, $most);

my $text = slurp("$dir/many.meta.json");
is(join(' ', $text =~ /"(new\d)"/g), 'new1 new2 new3 new4 new5',
   'all that was written is there');
my $entries = () = $text =~ /"dir\/file-\d+":\Q$entry\E/g;
is($entries, 60_000, 'all entries are as they were');
like($text, qr/"end":1\}\s*\z/, 'and the end');

$t->finish;
