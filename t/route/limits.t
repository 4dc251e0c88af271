#!/usr/bin/perl

# artifact_inline_max: what is inlined, what is described.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;

my $t = ArtifactTest->new;
my $store = $t->data . '/artifacts';

sub blob {
    my ($id, $size, $type) = @_;
    my $head = $type =~ /png/ ? png() : pdf();
    $t->artifact($id, $head, { type => $type, name => "$id.bin" });
    truncate "$store/$id", $size or die "truncate: $!";
}

blob('png1023', 1023, 'image/png');
blob('png1024', 1024, 'image/png');
blob('png1025', 1025, 'image/png');
blob('pdf1024', 1024, 'application/pdf');
blob('pdf1025', 1025, 'application/pdf');
blob('mega20', 20 * 1048576, 'application/pdf');
blob('mega21', 20 * 1048576 + 1, 'application/pdf');
$t->artifact('text', 'x' x 5000, { type => 'text/plain' });

$t->start(server => <<'SERVER');
    artifact_root %%DATA%%;
    artifact_route on;

    location /artifacts/ {
        artifact;
    }
    location /1k/ {
        artifact;
        artifact_inline_max 1k;
    }
    location /none/ {
        artifact;
        artifact_inline_max 0;
    }
    location /en/ {
        artifact;
        artifact_inline_max 1024;
        artifact_language en;
    }
    location /tool/ {
        artifact;
        artifact_inline_max 1k;
        artifact_format tool_message;
    }
    location /off/ {
        artifact;
        artifact_inline_max 1k;
        artifact_route off;
    }
SERVER

for my $case (['png1023', 'image image_url image/png'],
              ['png1024', 'image image_url image/png'],
              ['png1025', 'image text image/png size'],
              ['pdf1024', 'binary file application/pdf'],
              ['pdf1025', 'binary text application/pdf size'],
              ['text', 'text text text/plain'])
{
    my ($id, $want) = @$case;
    my $res = $t->accept('vision, file', "/1k/$id");
    is(route_problems($res), '', "$id under 1k is well-formed");
    is(routing_of($res), $want, "$id under 1k");
}
is(data_of($t->accept('file', '/1k/pdf1024')), slurp("$store/pdf1024"),
   'a binary of exactly the limit is whole');

my $data = json_of($t->accept('vision, file', '/1k/png1025'));
like($data->{content}, qr/\A\[无法读取\]\ png1025\.bin\ \(artifact:png1025\)
                          \n类型:\ PNG\ 图片\n大小:\ 1\.0\ KB\n./x,
     'what is too large is described');
ok(!exists $data->{metadata}{requires}, 'no capability would help');
ok(!exists $data->{metadata}{suggestedServices}, 'nor another service');
is($data->{metadata}{size}, 1025, 'its size');
like(json_of($t->accept('vision', '/en/png1025'))->{content},
     qr/\A\[Unreadable\] png1025\.bin \(artifact:png1025\)\n[\x20-\x7e\n]*\z/,
     'also in English');
is(routing_of($t->accept('text', '/1k/png1025')) =~ s/^image text \S+ //r,
   'capability', 'what cannot be read at all lacks the capability first');

is(routing_of($t->accept('file', '/artifacts/mega20')),
   'binary file application/pdf', '20 MB are inlined by default');
is(routing_of($t->accept('file', '/artifacts/mega21')),
   'binary text application/pdf size', 'one byte more is not');
is(routing_of($t->accept('file', '/none/mega21')),
   'binary file application/pdf', '0 is no limit');

$data = json_of($t->accept('vision', '/tool/png1025'));
is(decode_strict(bytes($data->{content}))->{metadata}{reason}, 'size',
   'the limit holds for a tool message');
is($t->get('/off/png1025')->header('Content-Length'), 1025,
   'raw bytes have no limit');

$t->finish;
