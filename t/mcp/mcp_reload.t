#!/usr/bin/perl

# A reload, and the graceful end of nginx, in the middle of a search, a list and
# a write: each is finished by its worker.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactMcp;
use ArtifactTest;
use IO::Select;
use MIME::Base64 qw(encode_base64);
use Time::HiRes qw(sleep);

my $THREADS = ArtifactTest::version() =~ /--with-threads/;
my $t = ArtifactTest->new;
my $dir = $t->data . '/artifacts';
my $bytes = join '', map { chr($_ * 11 % 256) } 1 .. 500_000;

# a hole between its first and its last line

$t->artifact('large', "one line\n", { mimeType => 'text/plain' });
open my $fh, '+<', "$dir/large" or die "large: $!";
truncate $fh, 1 << 30 or die "truncate: $!";
seek $fh, 0, 2 or die "seek: $!";
print $fh "\nneedle\n";
close $fh or die "large: $!";

for my $ws (1 .. 1500) {
    mkdir $t->data . "/workspaces" if $ws == 1;
    mkdir $t->data . "/workspaces/w$ws" or die "mkdir: $!";
    spew($t->data . "/workspaces/w$ws/f", 'x');
}

$t->start(main => 'thread_pool default threads=2;',
    server => mcp_server(server => 'location = /none { return 204; }'
        . ($THREADS ? 'location = /threads { artifact_mcp; artifact_write on;'
           . ' artifact_sync off; artifact_verify off; aio threads; }' : ''),
        more => 'artifact_verify off;'));

my @places = ('/mcp', $THREADS ? '/threads' : ());

sub begin {
    my ($at, $method, $params, $left) = @_;
    my $conn = $t->connect;
    my $request = ArtifactHTTP::format_request('POST', $at,
        headers => [mcp_headers($method, $params)],
        body => mcp_message($method, $params));
    $conn->send(substr $request, 0, length($request) - ($left // 0));
    return ($conn, $left ? substr($request, -$left) : '');
}

sub begin_all {
    my ($at, $name) = @_;
    my ($search) = begin($at, 'tools/call', { name => 'read_artifact',
        arguments => { ref => 'artifact:large', grep => 'needle',
                       context => 0 } });
    my ($list) = begin($at, 'resources/list', {});
    my ($write, $rest) = begin($at, 'tools/call', { name => 'write_file',
        arguments => { base64 => encode_base64($bytes, ''),
                       workspace => 'new', path => $name } }, 300_000);
    $t->req('GET', '/none') for 1 .. 3;
    ok(!IO::Select->new($search->{sock})->can_read(0), 'a search has begun');
    return ($search, $list, $write, $rest);
}

sub end_all {
    my ($how, $name, $search, $list, $write, $rest) = @_;
    $write->send($rest);

    my $result = mcp_result($write->response('POST'), "$how: a write");
    ok(!$result->{isError}, 'it is done') or diag(mcp_words($result));
    is(slurp($t->data . "/workspaces/new/$name"), $bytes, 'all of it');
    cmp_ok(@{ mcp_result($list->response('POST'), "$how: a list")->{resources}
                  // [] }, '>', 900, 'a page of it');
    like(mcp_words(mcp_result($search->response('POST'), "$how: a search")),
         qr/\A3:needle\n\[lines in the file: 3; lines that match: 1; compl/,
         'with its end');
}

for my $at (@places) {
    my ($name) = $at =~ m{/(.*)};
    my @all = begin_all($at, $name);
    $t->reload;
    end_all("$at, reload", $name, @all);
}

my ($search, $list, $write, $rest) = begin_all($places[-1], 'quit');
my ($worker) = $t->workers;
my $master = (split ' ', slurp("/proc/$worker/stat") =~ s/.*\) //r)[1];
kill QUIT => $master or die "kill: $!";
sleep 0.2;
end_all("$places[-1], quit", 'quit', $search, $list, $write, $rest);
for (1 .. 200) {
    last unless kill 0 => $worker;
    sleep 0.05;
}
ok(!kill(0 => $worker), 'then the worker ends');

$t->finish;
