#!/usr/bin/perl

# A client leaves a page that includes several answers while a thread reads for
# one of them that does not have its turn: the request ends as soon as the thread
# is done, not when nginx's send_timeout is over.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFail;
use ArtifactTest;
use ArtifactWrite qw(until_true);

my $fail = ArtifactFail->new;
my $t = ArtifactTest->new(launcher => $fail->launcher);
my $text = join '', map { "line $_ of a long log\n" } 1 .. 500_000;

$t->artifact($_, $text, { type => 'text/plain' }) for qw(first held);
$t->start(main => 'thread_pool default threads=3;', server => <<'SERVER');
    artifact_root %%DATA%%;
    aio threads;
    location /artifacts/ {
        artifact;
    }
    location = /page {
        ssi on;
        ssi_types *;
        return 200 '<!--# include virtual="/artifacts/first" --><!--# include
 virtual="/artifacts/held" -->';
    }
SERVER

sub descriptors {
    my ($worker) = $t->workers;
    return scalar(my @fds = glob "/proc/$worker/fd/*");
}

my $page = $t->get('/page');
is($page->{status}, 200, 'the page');
is(length $page->body, 2 * length $text, 'has both answers');

my $before = descriptors();

$fail->rules('read 1 1000 /artifacts/held');
my $conn = $t->connect(rcvbuf => 4096);
$conn->send("GET /page HTTP/1.1\r\nHost: localhost\r\n\r\n");
ok(until_true(sub { $fail->holds }, 10), 'a thread reads');

$conn->close;
ok($t->wait_for(qr/reset by peer|Broken pipe/), 'nginx knows of it');
$fail->rules;

my $now;
ok(until_true(sub { ($now = descriptors()) <= $before }, 20),
   'no descriptor stays') or diag("$now, $before before");
is($t->get('/page')->body, $page->body, 'answered as before');

$t->finish;
