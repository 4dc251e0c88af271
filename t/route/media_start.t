#!/usr/bin/perl

# The mp4 and flv modules: what they make of a file for "?start=" is a content
# of its own, raw and routed the same bytes; the handlers of artifacts have no
# such argument.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;


sub atom { return pack('N', 8 + length $_[1]) . $_[0] . $_[1] }


# One track of samples of a second each, one in a chunk.

sub film {
    my ($samples, $size) = @_;

    my $ftyp = atom('ftyp', "isom\0\0\x02\0isomiso2avc1mp41");
    my $film = sub {
        my ($first) = @_;
        my $duration = 1000 * $samples;
        my $stbl = atom('stsd', pack('N N', 0, 1)
                        . atom('avc1', "\0" x 6 . pack('n', 1) . "\0" x 70))
            . atom('stts', pack 'N4', 0, 1, $samples, 1000)
            . atom('stsc', pack 'N5', 0, 1, 1, 1, 1)
            . atom('stsz', pack 'N3 N*', 0, 0, $samples, ($size) x $samples)
            . atom('stco', pack 'N2 N*', 0, $samples,
                   map { $first + $_ * $size } 0 .. $samples - 1);
        my $minf = atom('vmhd', pack 'N n4', 1, 0, 0, 0, 0)
            . atom('dinf', atom('dref', pack('N2', 0, 1)
                                . atom('url ', pack 'N', 1)))
            . atom('stbl', $stbl);
        my $mdia = atom('mdhd', pack 'N5 n2', 0, 0, 0, 1000, $duration, 0, 0)
            . atom('hdlr', pack('N2', 0, 0) . 'vide' . "\0" x 13)
            . atom('minf', $minf);
        my $trak = atom('tkhd', pack('N6', 0, 0, 0, 1, 0, $duration)
                        . "\0" x 60) . atom('mdia', $mdia);
        return atom('moov', atom('mvhd', pack('N5', 0, 0, 0, 1000, $duration)
                                 . "\0" x 80) . atom('trak', $trak));
    };

    my $length = length $film->(0);
    return $ftyp . $film->(8 + $length + length $ftyp)
        . atom('mdat', rand_bytes($size * $samples));
}


my $t = ArtifactTest->new;
my $dir = $t->prefix;

plan(skip_all => 'no mp4 and flv modules')
    if $t->version !~ /http_mp4_module/ || $t->version !~ /http_flv_module/;

my %content = (
    'film.mp4' => film(10, 3000),
    'long.mp4' => film(100, 3000),
    'film.flv' => "FLV\1\5\0\0\0\x09\0\0\0\0" . rand_bytes(60_000),
);
mkdir "$dir/html" or die "mkdir: $!";
spew("$dir/html/$_", $content{$_}) for keys %content;
$t->artifact('film', $content{'film.mp4'}, { type => 'video/mp4' });
$t->artifact('flash', $content{'film.flv'}, { type => 'video/x-flv' });

my %modes = (plain => '', sendfile => 'sendfile on;',
             threads => 'aio threads;', tiny => 'output_buffers 1 512;',
             trusting => 'artifact_verify off;');
my $locations = join '', map { <<"CONF" } sort keys %modes;
    location ~ ^/$_/(.*\\.mp4)\$ {
        alias %%PREFIX%%/html/\$1;
        mp4;
        $modes{$_}
    }
    location ~ ^/$_/(.*\\.flv)\$ {
        alias %%PREFIX%%/html/\$1;
        flv;
        $modes{$_}
    }
CONF

$t->start(http => <<'HTTP', server => <<"SERVER");
    artifact_root %%DATA%%;
    artifact_route on;
    types {
        video/mp4    mp4;
        video/x-flv  flv;
    }
HTTP
    location /artifacts/ {
        artifact;
    }
    $locations
SERVER

my @uris = ('film.mp4', 'film.mp4?start=3', 'film.mp4?start=3&end=6',
            'film.mp4?start=9.5', 'film.mp4?end=2', 'film.mp4?start=99',
            'long.mp4?start=1', 'long.mp4?start=50', 'film.mp4?start=x',
            'film.flv', 'film.flv?start=1', 'film.flv?start=20000',
            'film.flv?start=60012', 'film.flv?start=60014',
            'film.flv?start=-5');
my (%tag, $parts);

for my $mode (sort keys %modes) {
    my @wrong;
    for my $uri (@uris) {
        my $raw = $t->get("/$mode/$uri");
        my $res = $t->accept('video', "/$mode/$uri");

        if ($raw->status != 200) {
            push @wrong, "$uri: $raw->{status}, $res->{status}"
                if $raw->status != $res->status || !$res->{complete};
            next;
        }
        my ($name) = $uri =~ /^([^?]*)/;
        $parts++ if $raw->body ne $content{$name};
        push @wrong, "$uri: " . route_problems($res) if route_problems($res);
        push @wrong, "$uri: another content"
            if (data_of($res) // '') ne $raw->body;
        push @wrong, "$uri: another size"
            if json_of($res)->{metadata}{size} != length $raw->body;
        push @wrong, "$uri: length"
            if $res->header('Content-Length') != length $res->body;

        my $text = $t->accept('text', "/$mode/$uri");
        push @wrong, "$uri: described as " . routing_of($text)
            if routing_of($text) !~ /^binary text video\S+ capability$/;
        my $head = $t->head("/$mode/$uri", 'X-LLM-Capabilities' => 'video');
        push @wrong, "$uri: HEAD" if $head->status != 200
            || ($head->header('Content-Length') // length $res->body)
               != length $res->body;

        my $tag = $res->header('ETag');
        my $other = $tag{"$mode $tag"} // $raw->body;
        push @wrong, "$uri: the tag of other bytes" if $other ne $raw->body;
        $tag{"$mode $tag"} = $raw->body;
        push @wrong, "$uri: 304" if $t->accept('video', "/$mode/$uri",
            'If-None-Match' => $tag)->status != 304;
    }
    is(join("\n", @wrong), '', $mode);
}
cmp_ok($parts, '>', 20, 'there were parts');

for my $id ('film', 'flash') {
    my $bytes = $content{$id eq 'film' ? 'film.mp4' : 'film.flv'};
    ok($t->get("/artifacts/$id?start=3")->body eq $bytes,
       "an artifact has no parts: $id, raw");
    ok(data_of($t->accept('video', "/artifacts/$id?start=3")) eq $bytes,
       'routed');
}

$t->finish;
