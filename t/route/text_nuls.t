#!/usr/bin/perl

# Texts with NULs, as logs have them after a crash, and dumps of databases: up
# to one byte in a thousand they are texts, with U+FFFD for each NUL, for all
# readers.  Behind the bytes that are looked at, anything goes on as text: no
# answer ends early, and no request to a model fails.

use strict;
use warnings;
use utf8;

use Encode qw(decode);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactEcho;
use ArtifactFixtures;
use ArtifactMcp;
use ArtifactTest;
use ArtifactUpstream;

rand_seed(7);

my $line = "2026-11-26 12:00:00 worker: 行 of a log\n";
my $bytes = bytes($line);
my $early = bytes($line x 20) . "\0crash\0\n" . bytes($line x 200);
my %texts = (
    early => $early,
    middle => bytes($line x 500) . "x\0y" . bytes($line x 37) . "\0"
              . bytes($line x 463),
    hole => bytes($line x 1000) . "\0" x 3000 . bytes($line x 1000),
    late => bytes($line x 1000) . rand_bytes(30_000) . bytes($line x 1000),
);

my $t = ArtifactTest->new;
my $socket = $t->prefix . '/up.sock';
my $upstream = ArtifactUpstream->new($socket, contents => {
    map { $_ => { body => $texts{$_}, type => 'text/plain' } } keys %texts
});
my $echo = echo($t->prefix . '/echo.sock');

$t->artifact($_, $texts{$_}, { name => "$_.log" }) for keys %texts;

$t->start(server => mcp_server(server => <<"SERVER") =~ s{artifact;\n}{artifact;\n        artifact_route on;\n}r);
    location /up/ {
        artifact_route on;
        proxy_pass http://unix:$socket:/;
    }
    location /models/ {
        artifact_expand on;
        artifact_accept text;
        proxy_pass http://unix:@{[ $t->prefix ]}/echo.sock:/;
    }
SERVER

my $asked = '{"model":"m","messages":[{"role":"user","content":'
    . '[{"type":"artifact","artifact":"artifact:%s"}]}]}';

for my $id (sort keys %texts) {
    my $want = decode('UTF-8', $texts{$id}) =~ s/\0/\x{fffd}/gr;
    my $res = $t->accept('text', "/artifacts/$id");

    # only what the samples show decides about a file

    if ($id =~ /early|middle/) {
        is(json_of($res)->{content}, $want, "$id: a file");
        like(found($id, 'of a log'), qr/^1:2026/, "$id: grep");
    }

    # what becomes of bad bytes is tested elsewhere

    my $got = json_of($t->accept('text', "/up/$id"))->{content};
    s/[^\n -~]+/?/g for $got, $want;
    ok($got eq $want, "$id: a response") or diag(length $got, ' ', length $want);
}

like(found('early', 'crash'), qr/^21:\x{fffd}crash\x{fffd}$/m,
     'a line with NULs is found');

for my $id (sort keys %texts) {
    my $res = $t->req('POST', '/models/v1/chat/completions',
                      body => sprintf($asked, $id),
                      headers => ['Content-Type' => 'application/json']);
    is($res->status, 200, "$id: a request to a model is passed on");
}

$upstream->stop;
$echo->stop;
$t->finish;


# What a search in an artifact shows.

sub found {
    my ($id, $what) = @_;

    return mcp_words(mcp_tool($t, 'read_artifact',
                              { ref => "artifact:$id", grep => $what }));
}
