#!/usr/bin/perl

# A large document of metadata is read in a thread where there is one: the
# answers are the same, and nobody waits for it.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactWrite;
use Fcntl qw(F_SETLKW F_UNLCK F_WRLCK SEEK_SET);

my $t = ArtifactTest->new;
my $dir = $t->data . '/workspaces';

sub entry {
    my ($type, $writes) = @_;
    return { mimeType => $type, createdAt => '2024-01-01T00:00:00.000Z',
             unknown => { x => 1 },
             modifiedBy => [map { { agentId => "agent-$_", messageId => 'm',
                 timestamp => '2024-01-01T00:00:00.000Z' } } 1 .. $writes] };
}

my %files = (
    'plain.txt' => "words\n", 'typed' => png(20, 20), 'back\\slash' => 'x',
    'long' => 'y' x 5000, 'none' => 'no entry', 'pdf' => pdf(),
);

# The same files below documents of all kinds.

my %entries = (
    'plain.txt' => entry('text/x-words', 1), 'typed' => entry('image/png', 2),
    'back/slash' => entry('text/x-slash', 3), 'long' => entry('text/x-y', 6000),
    'pdf' => { type => 'application/pdf', name => 'other.pdf' },
);
my %many = map { ("many/$_" => entry('text/plain', 1)) } 1 .. 1000;

for my $ws (qw(searched indexed small missing corrupt pending)) {
    $t->workspace_file($ws, $_, $files{$_}) for keys %files;
}
$t->workspace_meta($_, { %entries, %many }) for qw(searched indexed pending);
$t->workspace_meta('small', { 'plain.txt' => $entries{'plain.txt'} });
$t->workspace_meta('corrupt', '{"files":{' . ' ' x 100_000);
$t->file('page.html', join '', map {
    qq(<!--#include virtual="$_" -->\n)
} '/in-workspaces/searched/plain.txt', '/in-workspaces/indexed/plain.txt',
  '/in-workspaces/searched/nope');

my $here = 'artifact_workspace; artifact_write on;';
$t->start(main => 'thread_pool default threads=1;', server => <<"CONF");
    artifact_root %%DATA%%;
    artifact_index on;
    keepalive_requests 10000;
    location /here/ { $here }
    location /workspaces/ { $here aio threads; }
    location /in-workspaces/ { $here aio threads; internal; }
    location /here-route/ { $here artifact_route always; }
    location /workspaces-route/ {
        $here artifact_route always; aio threads;
    }
    location /artifacts/ { artifact; aio threads; }
    location /here-id/ { artifact; }
    location /workspaces-id/ { artifact; aio threads; }
    location = /page.html { root %%PREFIX%%; ssi on; }
CONF

# a fold makes an index; what is appended last is not folded yet

put($t, 'indexed/new', 'n', agent => 'a', at => '/here/');
ok(until_true(sub { glob "$dir/.artifact/indexed.index*" }, 10), 'an index');

sub seen {
    my ($res) = @_;
    my $headers = join ', ', map { "$_: " . ($res->header($_) // '') }
        qw(Content-Type Content-Length ETag Last-Modified Content-Range);
    return "$res->{status}; $headers; $res->{body}";
}

sub same {
    my ($uri, $name, %opt) = @_;
    my ($threads, $here) = map {
        seen($t->req('GET', "/$_$uri", %opt))
    } 'workspaces', 'here';
    ok($threads eq $here, $name)
        or diag(map { substr($_, 0, 500) . "\n" } $threads, $here);
    return $threads;
}

for my $ws (qw(searched indexed small missing corrupt)) {
    for my $path (sort(keys %files), 'nope') {
        same("-id/" . ws_id($ws, $path) . '/metadata',
             "$ws/$path: metadata");
        same('/' . uri("$ws/$path"), "$ws/$path: content");
        same('-route/' . uri("$ws/$path"), "$ws/$path: routed");
        same('/' . uri("$ws/$path"), "$ws/$path: a range",
             headers => [Range => 'bytes=1-2']);
    }
}
like(same('-id/' . ws_id('searched', 'back\\slash') . '/metadata',
          'the other key'), qr{text/x-slash}, 'is found');
is(scalar @{ json_of($t->get('/workspaces-id/' . ws_id('indexed', 'long')
                             . '/metadata'))->{meta}{modifiedBy} }, 6000,
   'a long history');
is($t->get('/workspaces/searched/none/')->status, 404, 'no listing');
is($t->get('/workspaces/searched')->status, 301, 'a workspace');

my $res = $t->head('/workspaces/searched/long');
is("$res->{status} $res->{body} " . $res->header('Content-Length'), '200  5000',
   'HEAD');
$res = $t->get('/workspaces/searched/long',
               'If-None-Match' => $res->header('ETag'));
is($res->status, 304, 'not modified');

# a record that is not in the document yet

for my $n (1 .. 3) {
    put($t, 'pending/long', "write $n", agent => "me-$n", type => "text/x-$n");
    my $meta = metadata_at($t, 'pending/long');
    my $by = $meta->{meta}{modifiedBy};
    is("$meta->{mimeType} $by->[-1]{agentId} " . @$by,
       "text/x-$n me-$n " . (6000 + $n), "write $n is seen at once");
    $meta = metadata_at($t, 'pending/plain.txt');
    is($meta->{mimeType}, 'text/x-words', 'and nothing else is');
}

# requests of one connection, and subrequests

my $conn = $t->connect;
my @uris = map { ("/workspaces/$_/plain.txt", "/workspaces/$_/long") }
    qw(searched small indexed corrupt);
$conn->send(join '', map {
    ArtifactHTTP::format_request('GET', $_, keep => 1)
} @uris);
is(join(' ', map { length $conn->response('GET')->{body} } @uris),
   join(' ', (6, 5000) x 4), 'pipelined');
$conn->close;

my ($first, $second) = split /^/, $t->get('/page.html')->{body};
is($first, "words\n", 'a subrequest');
like($t->get('/page.html')->{body}, qr/\Awords\n\nwords\n\n.*artifact_not_found/s,
     'several, and one that is not found');

for (1 .. 5) {
    $conn = $t->connect;
    $conn->send(ArtifactHTTP::format_request('GET',
        '/workspaces-id/' . ws_id('searched', 'long') . '/metadata'));
    $conn->close;
}
is($t->get('/workspaces/searched/plain.txt')->{body}, "words\n",
   'clients that go away do no harm');

# The only thread waits for a lock: so does who asks for a large document.

sub lock_all {
    my ($fh, $type) = @_;
    fcntl $fh, F_SETLKW, pack 's s x4 q q l x4', $type, SEEK_SET, 0, 0, 0
        or die "fcntl: $!";
}

open my $lock, '+<', "$dir/.artifact/lock" or die "lock: $!";
lock_all($lock, F_WRLCK);

my $writer = $t->connect;
$writer->send(ArtifactHTTP::format_request('PUT', '/workspaces/small/w',
    body => 'w', headers => [write_headers()]));
my $inode = (stat $lock)[1];
ok(until_true(sub {
    open my $locks, '<', '/proc/locks' or die "locks: $!";
    return grep { /->.*:$inode / } <$locks>;
}, 10), 'a write waits for the lock');

my @waiting = map {
    my $waiting = $t->connect;
    $waiting->send(ArtifactHTTP::format_request('GET', "/workspaces$_"));
    $waiting;
} '-id/' . ws_id('pending', 'typed') . '/metadata', '/pending/pdf';

is(metadata_at($t, 'small/plain.txt')->{mimeType}, 'text/x-words',
   'a small one is read while the thread is busy');
is($t->get('/here/pending/plain.txt')->{body}, "words\n",
   'so is a large one where there are no threads');
my $bits = '';
vec($bits, fileno $_->{sock}, 1) = 1 for @waiting;
is(select(my $ready = $bits, undef, undef, 0.5), 0,
   'a large one waits for the thread');

lock_all($lock, F_UNLCK);
is($writer->response('PUT')->status, 201, 'the write is over');
is(json_of($waiting[0]->response('GET'))->{mimeType}, 'image/png',
   'and metadata come');
is($waiting[1]->response('GET')->{body}, $files{pdf}, 'and a content');

like($t->log,
     qr{\[error\][^\n]*/workspaces/corrupt\.meta\.json" is corrupt at line 1},
     'what is corrupt is told of');
$t->finish;
