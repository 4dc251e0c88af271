#!/usr/bin/perl

# The longest text that a provider takes: OpenAI's input_text has 10485760
# characters, whatever their bytes.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactTest;
use ArtifactUpstream;

my $MAX = 10_485_760;

my $t = ArtifactTest->new;

my %text = (
    ascii => 'x' x ($MAX + 1),
    fits => 'x' x ($MAX - 1) . "\n",
    wide => '中' x ($MAX / 2) . 'y' x ($MAX / 2 - 1) . '文字',
    gbk => '中' x ($MAX + 3),
);
my %bytes = map { $_ => bytes($text{$_}) } keys %text;
$bytes{gbk} = "\xd6\xd0" x ($MAX + 3);

for my $id (sort keys %bytes) {
    my $charset = $id eq 'gbk' ? 'gbk' : 'utf-8';
    $t->artifact($id, $bytes{$id}, { type => "text/plain; charset=$charset" });
}

my $upstream = ArtifactUpstream->new($t->prefix . '/up', contents => {
    wide => { body => $bytes{wide}, type => 'text/plain' },
});
my $echo = ArtifactUpstream->new($t->prefix . '/echo', serve => sub {
    my ($sock) = @_;
    my ($buf, $length) = ('');
    while (!defined $length || length $buf < $length) {
        sysread $sock, $buf, 1048576, length $buf or return;
        $length //= $buf =~ /^Content-Length: (\d+)\r.*?\r\n\r\n/ims
            ? $+[0] + $1 : undef;
    }
    $buf =~ s/.*?\r\n\r\n//s;
    my $answer = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: "
        . length($buf) . "\r\n\r\n$buf";
    for (my $at = 0; $at < length $answer; ) {
        $at += syswrite($sock, $answer, 1048576, $at) // return;
    }
});

$t->start(server => <<"SERVER");
    artifact_root %%DATA%%;
    artifact_route always;
    artifact_format openai_responses;

    location /artifacts/ {
        artifact;
    }
    location /shorter/ {
        artifact;
        artifact_text_max 20;
    }
    location /longer/ {
        artifact;
        artifact_text_max 40m;
    }
    location /bytes/ {
        artifact;
        artifact_text_max 12m;
    }
    location /chat/ {
        artifact;
        artifact_format openai;
    }
    location /up/ {
        proxy_pass http://unix:@{[$t->prefix]}/up:/;
    }
    location /v1/ {
        artifact_expand on;
        artifact_route off;
        artifact_format "";
        proxy_pass http://unix:@{[$t->prefix]}/echo:;
    }
SERVER

# answers of megabytes: compared, and told by their lengths

sub same {
    my ($got, $want, $what) = @_;
    ok(defined $got && $got eq $want, $what)
        or diag('lengths: ' . length($got // '') . ' and ' . length $want);
}

sub part {
    my ($uri) = @_;
    return $t->req('GET', $uri)->{body};
}

sub input_text { return '{"type":"input_text","text":"' . $_[0] . '"}' }

my $wide = substr $text{wide}, 0, $MAX;

for my $at ('/artifacts/', '/longer/') {
    same(part("${at}ascii"), input_text('x' x $MAX), "$at: ASCII is cut");
    same(part("${at}wide"), input_text(bytes($wide)),
         "$at: characters count, not bytes");
}
same(part('/artifacts/gbk'), input_text(bytes('中' x $MAX)),
     'of another charset likewise');
same(part('/artifacts/fits'), input_text('x' x ($MAX - 1) . '\n'),
     'a text of that length is whole');
same(part('/up/wide'), input_text(bytes($wide)), 'of a proxied source');
is(part('/shorter/wide'), input_text(bytes('中' x 6)),
   'artifact_text_max may be smaller');
same(part('/bytes/gbk'), input_text(bytes('中' x (4 * 1048576))),
     'also if it is larger, in bytes');
same(part('/chat/ascii'), '{"type":"text","text":"' . $text{ascii} . '"}',
     'no such limit of Chat Completions');

# in a request

my $request = '{"model":"m","input":[{"role":"user","content":['
    . '{"type":"artifact","artifact":"artifact:wide"}]}]}';
my $res = $t->req('POST', '/v1/responses', body => $request,
                  headers => ['Content-Type' => 'application/json']);
(my $want = $request)
    =~ s/\{"type":"artifact".*?\}/input_text(bytes($wide))/e;
same($res->{body}, $want, 'in a request that is expanded');

$t->finish;
