#!/usr/bin/perl

# All who ask for conversions at the same time, in one worker: a routed answer,
# a message, a request to a model, a tool of MCP.  Some of their clients leave
# while converters work; the others get what is theirs.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFit;
use ArtifactHTTP;
use ArtifactTest;
use ArtifactWrite qw(left_behind until_true);
use Digest::SHA qw(sha256_hex);
use Time::HiRes qw(sleep);

my $t = ArtifactTest->new;
my $gate = $t->prefix . '/gate';

my @image = map { tiff_of(9, 9, "number $_") } 0 .. 5;
$t->artifact("t$_", $image[$_], { type => 'image/tiff' }) for 0 .. 5;
$t->file('map.json', fit_map());

# Nobody gets an answer before the gate is open.

my $converter = converter($t->prefix . '/convert', gate => sub {
    my ($asked) = @_;
    for (1 .. 600) {
        last if -e $gate;
        sleep 0.05;
    }
    return { body => converted('text', "=$asked->{sha}"),
             type => 'text/plain' };
});
my $echo = echoed($t);

$t->allow(qr/upstream/);

for my $threads ('', 'aio threads; sendfile off;') {
    my $how = $threads ? 'threads' : 'no threads';

    $t->start(main => 'thread_pool default threads=2;',
              http => 'artifact_capabilities %%PREFIX%%/map.json;',
              server => fit_server($threads, <<"MORE"));
        artifact_derive image text/plain /c/gate body;
        artifact_derive_parallel 2;

        location /one/ { artifact; artifact_route always; }
        location = /message { artifact_message; }
        location = /mcp { artifact_mcp; artifact_service reads; }
MORE

    unlink $gate;
    $converter->asked;

    my @both = map { [request_to($_), $_] } (qw(one message v1 mcp)) x 2;
    my @conns = map { sent($_->[0]) } @both;

    # two at a time of a request to a model, one of the others

    my $begun = 0;
    until_true(sub { $begun += () = $converter->asked; $begun >= 10 }, 10);
    is($begun, 10, "$how: all have begun");

    # half of the clients leave

    $_->close for @conns[0 .. 3];
    sleep 0.2;

    open my $open, '>', $gate or die "$gate: $!";

    for (4 .. 7) {
        my (undef, $what) = @{ $both[$_] };
        my $body = $conns[$_]->response($what eq 'one' ? 'GET' : 'POST')->body;
        my @n = $what eq 'v1' ? 0 .. 5 : $what eq 'message' ? (1, 2) : (1);
        is(join(' ', map { my $sum = sha256_hex($image[$_]);
                           $body =~ /text of $sum/ ? $_ : () } 0 .. 5),
           "@n", "$how, $what: its conversions");
    }

    is(left_behind($t), '', "$how: nothing is left behind");
    is(answer_to('one'), 1, "$how: the server is well");
    $t->stop;
}

$_->stop for $converter, $echo;
$t->finish;


sub request_to {
    my ($what) = @_;

    return ArtifactHTTP::format_request('GET', '/one/t1')
        if $what eq 'one';

    my ($uri, $body) = $what eq 'message'
        ? ('/message', '{"service":"reads","attachments":["artifact:t1",'
                       . '"artifact:t2"]}')
        : $what eq 'mcp'
        ? ('/mcp', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{'
                   . '"name":"read_artifact","arguments":{"ref":"t1"}}}')
        : (uri_of('openai', 'reads'),
           body_of('openai', 'reads',
                   map { slot('openai', 'image', "artifact:t$_") } 0 .. 5));

    return ArtifactHTTP::format_request('POST', $uri, body => $body,
        headers => ['Content-Type' => 'application/json',
                    Accept => 'application/json, text/event-stream']);
}


sub sent {
    my $conn = $t->connect;
    $conn->send(@_);
    return $conn;
}


sub answer_to {
    my ($what) = @_;
    my $sum = sha256_hex($image[1]);
    return sent(request_to($what))->response('GET')->body
        =~ /text of $sum/ ? 1 : 0;
}
