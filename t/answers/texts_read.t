#!/usr/bin/perl

# What a long text was stored as is a text to every reader, whatever its bytes
# are: by MCP, in whole and by lines, and in requests to models.

use strict;
use warnings;
use utf8;

use Encode qw(encode);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactEcho;
use ArtifactFixtures;
use ArtifactMcp;
use ArtifactTest;
use ArtifactUpstream;
use JSON::PP;

my $JSON = JSON::PP->new->utf8->allow_nonref;

# NULs from the first byte on, and what looks like an image.

my %texts = (
    nuls => ("\0" x 10) . join('', map { "a\0b $_\n" } 1 .. 4000),
    image => "\x89PNG\r\n\x1a\n\0\0\0\rIHDR" . ("row \x01\x02\n" x 5000),
    pdf => "%PDF-1.7\n" . ("x \0\n" x 5000),
);

my $t = ArtifactTest->new;
my $up = ArtifactUpstream->new($t->prefix . '/up', contents => { map {
    ("$_/mcp" => { type => 'application/json', body => $JSON->encode({
        jsonrpc => '2.0', id => 1,
        result => { content => [{ type => 'text', text => $texts{$_} }] } }) })
} keys %texts });
my $echo = echo($t->prefix . '/echo.sock');

$t->start(server => mcp_server(server => <<"SERVER"));
    location /up/ {
        artifact_offload_text 16k;
        proxy_pass http://unix:@{[ $t->prefix ]}/up:/;
    }
    location /models/ {
        artifact_expand on;
        artifact_accept text;
        proxy_pass http://unix:@{[ $t->prefix ]}/echo.sock:/;
    }
SERVER

for my $name (sort keys %texts) {
    my ($id) = $t->req('POST', "/up/$name/mcp", body => '{}')->{body}
        =~ /artifact:([0-9a-f-]{36})/;
    ok(defined $id, "$name: an excerpt") or next;

    my $want = $texts{$name} =~ s/\0/\x{2400}/gr;

    my $meta = $JSON->decode($t->get("/artifacts/$id/metadata")->{body});
    is($meta->{type}, 'text/plain', "$name: its type");
    ok($meta->{text}, "$name: it is marked");
    ok($t->get("/artifacts/$id")->{body} eq encode('UTF-8', $texts{$name}),
       "$name: the bytes are those of the text");

    my @text = map { $_->{text} } grep { $_->{type} eq 'text' }
        @{ tool(ref => "artifact:$id", max_bytes => 1_000_000)->{content} };
    ok($text[-1] eq $want, "$name: read_artifact");

    my @lines = split /\n/, $want;
    like(mcp_words(tool(ref => "artifact:$id", lines => '2-3')),
         qr/\Q$lines[1]\E\n.*\Q$lines[2]\E/, "$name: its lines");

    my $resource = mcp_result(mcp_ask($t, 'resources/read',
                                      { uri => "artifact:$id" }));
    ok($resource->{contents}[0]{text} eq $want, "$name: resources/read");

    my $res = $t->req('POST', '/models/v1/chat/completions', body =>
        '{"model":"m","messages":[{"role":"user","content":[{"type":'
        . qq("artifact","artifact":"artifact:$id"}]}]}),
        headers => ['Content-Type' => 'application/json']);
    ok(index($JSON->decode($res->{body})->{messages}[0]{content}[0]{text},
             $want) >= 0, "$name: expanded")
        or diag(substr $res->{body}, 0, 300);
}

$up->stop;
$echo->stop;
$t->finish;


sub tool {
    my (%args) = @_;
    return mcp_tool($t, 'read_artifact', \%args);
}
