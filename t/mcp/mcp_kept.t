#!/usr/bin/perl

# What is kept with an open content is used by read_artifact and resources/read,
# too: the same answer as without, whatever limit and message it is for.

use strict;
use warnings;
use utf8;

use Encode qw(encode);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactMcp;
use ArtifactTest;

my $t = ArtifactTest->new;

my %content = (
    empty => [''],
    one => ['x'],
    short => [encode('UTF-8', "two \"lines\"\nof 文字\n") x 20],
    long => [encode('UTF-8', "a line of täglich\n") x 700],
    broken => ["\xff\x80" x 300],
    nuls => ["a\0b" x 100],
    gbk => [encode('gbk', '这是一个没有声明编码的文本文件。' x 20)],
    combined => ["\x88\x62" x 200, 'text/plain; charset=big5-hkscs'],
    json => ["{\"a\": [1, 2 ,3]}\n" x 20, 'application/json'],
    page => ['<!DOCTYPE html><p>text</p>' x 20, 'text/html'],
    png => [png(12, 12), 'image/png'],
    shot => [png(58, 58), 'image/png'],
    song => [mp3(), 'audio/mpeg'],
);

for my $id (keys %content) {
    my ($body, $type) = @{ $content{$id} };
    $t->artifact($id, $body, { type => $type // 'text/plain',
                               name => "$id.bin" });
}

my $open = 'open_file_cache max=100; open_file_cache_valid 1h;';
my %more = (all => '', few => 'artifact_text_max 1000;',
            tiny => 'output_buffers 1 16;', threads => 'aio threads;');

my @locations = map { (
    "location = /$_ { artifact_mcp; $more{$_} $open }",
    "location = /$_-plain { artifact_mcp; $more{$_} open_file_cache off; }",
) } sort keys %more;

$t->start(server => <<"SERVER");
    artifact_root %%DATA%%;
    artifact_language en;
    artifact_accept \$http_x_accept;
    @locations
SERVER

sub answer {
    my ($at, $method, $params, $accept, %opt) = @_;
    return mcp_ask($t, $method, $params, at => $at, %opt,
                   headers => ['X-Accept' => $accept]);
}

# Three answers to one question, the last one of which is kept if it is short.

sub compare {
    my ($where, $method, $params, $accept, %opt) = @_;
    my @bad;

    for my $round (1 .. 3) {
        $opt{id} = "\"$round\"";

        my $plain = answer("/$where-plain", $method, $params, $accept, %opt);
        my $r = answer("/$where", $method, $params, $accept, %opt);

        push @bad, "body $round" if $r->body ne $plain->body;
        push @bad, "status $round" if $r->status != $plain->status;
        push @bad, "length $round"
            if ($r->header('Content-Length') // length $r->body)
               != length $r->body;
        push @bad, "no length $round"
            if $round == 3 && $opt{kept} && !$r->header('Content-Length');
    }

    return map { "$_ of $method " . encode_json_bytes($params) } @bad;
}

for my $where (sort keys %more) {
    for my $id (sort keys %content) {
        my @bad;

        # limits that matter, and such that do not, in turns

        # where three bytes for one just fit, and where not

        my $most = 3 * length $content{$id}[0];
        my @borders = grep { $_ > 0 } map { $most + $_ } -3 .. 1;

        for my $max (undef, 1, 100, undef, 700, 4000, 40000, @borders, 2) {
            my %args = (ref => $id, defined $max ? (max_bytes => $max) : ());

            for my $accept ('text', 'text,vision') {
                push @bad, compare($where, 'tools/call', {
                    name => 'read_artifact', arguments => \%args }, $accept,
                    older => defined $max && $max == 2);
            }
        }

        push @bad, compare($where, 'resources/read',
                           { uri => "artifact:$id" }, 'text') for 1, 2;

        is("@bad", '', "$where: $id");
    }
}

# once more, for what is kept

my @bad = map {
    compare('all', 'tools/call', { name => 'read_artifact',
            arguments => { ref => $_ } }, 'text', kept => 1)
} grep { $_ ne 'long' } sort keys %content;
is("@bad", '', 'short answers have a length');

$t->finish;
