#!/usr/bin/perl

# What a file is taken for: declared type, extension, name, content, and
# what wins when they disagree.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;

my $DOCX = 'application/vnd.openxmlformats-officedocument.'
    . 'wordprocessingml.document';
my $XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

my $t = ArtifactTest->new;
$t->start(http => <<'HTTP', server => <<'SERVER');
    types {
        text/x-custom cst;
        image/gif giff;
        text/x-other md;
    }
HTTP
    artifact_root %%DATA%%;
    artifact_route on;

    location /artifacts/ {
        artifact;
    }
    location /workspaces/ {
        artifact_workspace;
    }
    location /trust/ {
        artifact;
        artifact_verify off;
    }
SERVER

my $n = 0;

sub routing {
    my ($content, $meta, $ext, $location) = @_;

    my $id = 'c' . ++$n;
    $t->artifact($id, $content, $meta, $ext);
    my $res = $t->accept('text, vision, audio, video, file',
                         ($location || '/artifacts/') . $id);
    my $wrong = route_problems($res);
    return "malformed: $wrong" if $wrong;
    return routing_of($res) . ' '
        . (json_of($res)->{metadata}{binaryType} // '-');
}

sub declared {
    my ($content, $type, %more) = @_;
    return routing($content, { type => $type, %more });
}

# content alone

my $text = bytes("第一行\nthe second line\n");
my @alone = (
    ['PNG', png(), 'image image_url image/png image'],
    ['JPEG', jpeg(), 'image image_url image/jpeg image'],
    ['GIF', gif(), 'image image_url image/gif image'],
    ['WebP', webp(), 'image image_url image/webp image'],
    ['BMP', bmp(), 'image image_url image/bmp image'],
    ['SVG', svg(), 'image image_url image/svg+xml image'],
    ['PDF', pdf(), 'binary file application/pdf document'],
    ['WAV', wav(), 'binary file audio/wav audio'],
    ['MP3', mp3(), 'binary file audio/mpeg audio'],
    ['MP3 without a tag', substr(mp3(), 26),
     'binary file audio/mpeg audio'],
    ['MP4', mp4(), 'binary file video/mp4 video'],
    ['WebM', webm(), 'binary file video/webm video'],
    ['Ogg', ogg(), 'binary file audio/ogg audio'],
    ['ZIP', zip_of('a.txt' => 'x'), 'binary file application/zip other'],
    ['DOCX', docx(), "binary file $DOCX document"],
    ['XLSX', xlsx(), "binary file $XLSX document"],
    ['gzip', gzip_of('x' x 100), 'binary file application/gzip other'],
    ['UTF-8 text', $text, 'text text text/plain -'],
    ['ASCII text', "hello\r\n\tworld\n", 'text text text/plain -'],
    ['one letter', 'x', 'text text text/plain -'],
);
for my $case (@alone) {
    my ($what, $content, $want) = @$case;
    is(routing($content, undef), $want, "$what without name or sidecar");
    is(routing($content, {}), $want, "$what with an empty sidecar");
    is(declared($content, 'application/octet-stream'), $want,
       "$what declared application/octet-stream");
}
like(routing(elf(), undef), qr/^binary file \S+ other$/,
     'ELF without name or sidecar');
like(routing(ole(), undef), qr/^binary file \S+ (document|other)$/,
     'old Office file without name or sidecar');
like(routing("\x00\x01\x02\xff" x 50, undef),
     qr{^binary file application/octet-stream other$}, 'unknown bytes');
like(routing("words\0and more words\n", undef), qr/^binary file /,
     'a NUL makes binary');
like(routing("<!DOCTYPE html>\n<html><body>hi</body></html>\n", undef),
     qr{^text text text/(html|plain) -$}, 'HTML');
like(routing(qq({"a": 1}\n), undef),
     qr{^text text (text/plain|application/json) -$}, 'JSON');

# declared types

is(declared(png(), 'image/png'), 'image image_url image/png image',
   'a declared type');
is(declared(jpeg(), 'image/jpg'), 'image image_url image/jpeg image',
   'image/jpg is image/jpeg');
is(declared(png(), 'IMAGE/Png; q="x;y"'), 'image image_url image/png image',
   'case and parameters do not matter');
is(declared(png(), '  image/png  '), 'image image_url image/png image',
   'nor white space around');
is(declared('# title', 'text/markdown; charset=utf-8'),
   'text text text/markdown -', 'parameters of a text');
is(declared('{"a":1}', 'application/json'),
   'text text application/json -', 'JSON is text');
is(declared('let a;', 'application/javascript') =~ s/ \S+ -$//r,
   'text text', 'JavaScript is text');
is(declared('<a/>', 'application/xml'), 'text text application/xml -',
   'XML is text');
is(declared('a: 1', 'application/yaml') =~ s/ \S+ -$//r, 'text text',
   'YAML is text');
is(declared('{"a":1}', 'application/ld+json') =~ s/ \S+ -$//r, 'text text',
   'a +json type is text');

for my $type ('image', 'text', 'file', 'image/', '/png', '', 'a b/c', 'x/y/z',
              'image png', ';', 'image/png/', "im\x{4e00}ge/png", '*/*',
              'text/*', 'APPLICATION/OCTET-STREAM; x=y')
{
    is(declared(png(), $type), 'image image_url image/png image',
       "\"$type\" declares nothing, to a PNG");
    is(declared($text, $type), 'text text text/plain -',
       "\"$type\" declares nothing, to a text");
}

# extension and name

is(routing('# title', {}, '.md'), 'text text text/x-other -',
   'the extension, by the types of nginx');
is(routing('x', {}, '.cst'), 'text text text/x-custom -',
   'an extension only nginx knows');
is(routing('a { }', {}, '.css'), 'text text text/css -',
   'an extension of the built-in table');
is(routing(gif(), {}, '.giff'), 'image image_url image/gif image',
   'an image by its extension');
is(routing(mp3(), {}, '.MP3'), 'binary file audio/mpeg audio',
   'an extension in capitals');
is(routing('a { }', { name => 'style.css' }), 'text text text/css -',
   'the file name');
is(routing('a { }', { name => 'a.b.CSS' }), 'text text text/css -',
   'a file name with dots and capitals');
is(routing('x', { name => 'style.css' }, '.cst'),
   'text text text/x-custom -', 'the extension comes before the name');
is(routing('x', { type => 'text/html', name => 'a.css' }, '.cst'),
   'text text text/html -', 'the type comes before both');
is(routing('x', { type => 'image', name => 'a.css' }),
   'text text text/css -', 'after a bare word the name counts');
is(routing($text, { name => 'what.unknownext' }),
   'text text text/plain -', 'an unknown extension leaves it to the content');

$t->workspace_file('w1', 'dir.css/style.css', 'a { }');
$t->workspace_file('w1', 'dir.css/noext', 'words');
is(routing_of($t->accept('text', '/workspaces/w1/dir.css/style.css')),
   'text text text/css', 'the name of a workspace file');
is(routing_of($t->accept('text', '/workspaces/w1/dir.css/noext')),
   'text text text/plain', 'the extension of a folder is none of the file');

# contradictions

is(declared(png(), 'text/plain'), 'image image_url image/png image',
   'PNG declared text');
like(declared(elf(), 'image/png'), qr/^binary file (?!image)\S+ other$/,
     'ELF declared PNG');
is(declared('only words', 'image/png'), 'text text text/plain -',
   'text declared PNG: what is all text is no PNG');
is(declared("\x01\xfe no signature", 'image/png'),
   'image image_url image/png image',
   'no signature, but no text either: the metadata is believed');
is(declared(pdf(), $DOCX), 'binary file application/pdf document',
   'PDF declared DOCX');
is(declared(pdf(), 'image/png'), 'binary file application/pdf document',
   'PDF declared PNG');
is(declared(jpeg(), 'image/png'), 'image image_url image/jpeg image',
   'JPEG declared PNG');
is(declared(png(), 'video/mp4'), 'image image_url image/png image',
   'PNG declared video');
is(declared(mp3(), 'application/pdf'), 'binary file audio/mpeg audio',
   'MP3 declared PDF');
is(declared(png(), 'application/json'), 'image image_url image/png image',
   'PNG declared JSON');
like(declared("a\0b" x 10, 'text/plain'), qr/^binary file \S+ other$/,
     'NUL bytes in declared text');
like(declared("text first\n" x 20 . "\0" . "text\n" x 20, 'text/markdown'),
     qr/^binary file \S+ other$/, 'one NUL in declared text');
is(routing(png(), {}, '.txt'), 'image image_url image/png image',
   'PNG with the extension of a text');
is(routing(png(), { name => 'a.txt' }), 'image image_url image/png image',
   'PNG with the name of a text');

# compatible types

is(declared(docx(), 'application/zip'), "binary file $DOCX document",
   'DOCX declared ZIP');
is(declared(zip_of('a.txt' => 'x'), $DOCX), "binary file $DOCX document",
   'ZIP declared DOCX');
is(declared(zip_of('a.txt' => 'x'), 'application/zip'),
   'binary file application/zip other', 'ZIP declared ZIP');
is(declared(ole(), 'application/msword'),
   'binary file application/msword document', 'OLE declared Word');
is(declared(ole(), 'application/vnd.ms-excel'),
   'binary file application/vnd.ms-excel document', 'OLE declared Excel');
is(declared(svg(), 'application/xml'),
   'image image_url image/svg+xml image', 'SVG declared XML');
is(declared(svg(), 'text/xml'), 'image image_url image/svg+xml image',
   'SVG declared text/xml');
is(declared(svg(), 'image/svg+xml'), 'image image_url image/svg+xml image',
   'SVG declared SVG');
is(declared('<a>b</a>', 'text/xml'), 'text text text/xml -',
   'XML declared XML');
is(declared(mp4(), 'audio/mp4'), 'binary file audio/mp4 audio',
   'MP4 declared audio');
is(declared(mp4(), 'video/mp4'), 'binary file video/mp4 video',
   'MP4 declared video');
is(declared(ogg(), 'video/ogg'), 'binary file video/ogg video',
   'Ogg declared video');
is(declared(webm(), 'audio/webm'), 'binary file audio/webm audio',
   'WebM declared audio');

# content that changes

for my $case (['text', 'words', 'text text text/plain'],
              ['PNG', png(), 'image image_url image/png'],
              ['PDF', pdf(), 'binary file application/pdf'],
              ['text again', 'other words', 'text text text/plain'])
{
    my ($what, $content, $want) = @$case;
    $t->artifact('turncoat', $content, undef);
    is(routing_of($t->accept('vision, file', '/artifacts/turncoat')), $want,
       "a file turned into $what") for 1 .. 2;
}

# believed as it is

is(routing(elf(), { type => 'image/png' }, '', '/trust/'),
   'image image_url image/png image', 'ELF declared PNG, not verified');
is(routing(pdf(), { type => $DOCX }, '', '/trust/'),
   "binary file $DOCX document", 'PDF declared DOCX, not verified');
is(routing(png(), {}, '', '/trust/'), 'image image_url image/png image',
   'content decides where nothing is declared, not verified');
is(routing(svg(), { type => 'text/xml' }, '', '/trust/'),
   'text text text/xml -', 'SVG declared XML, not verified');
unlike(routing(png(), { type => 'text/plain' }, '', '/trust/'),
       qr/malformed/, 'PNG declared text, not verified, is well-formed');

$t->finish;
