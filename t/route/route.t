#!/usr/bin/perl

# The routing decision for every kind of content and set of capabilities,
# and the exact shape of the answers.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;

my $DOCX = 'application/vnd.openxmlformats-officedocument.'
    . 'wordprocessingml.document';
my $created = '2026-01-01T00:00:00.000Z';

my $t = ArtifactTest->new;

sub service_entry {
    my ($id, @input) = @_;
    return { id => $id, model => "model-$id",
             capabilities => { input => \@input, output => ['text'] } };
}

$t->file('map.json', { services => [
    service_entry('words', 'text'),
    service_entry('eyes', 'text', 'vision'),
    service_entry('ears', 'text', 'audio'),
    service_entry('reader', 'text', 'file'),
    service_entry('paper', 'text', 'pdf'),
    service_entry('cinema', 'video'),
    map { service_entry("eyes$_", 'vision', 'text') } 2 .. 8,
] });
$t->file('empty.json', { services => [] });

my %kind = (
    png => [png(), 'image/png', 'shot.png'],
    svg => [svg(), 'image/svg+xml', 'd.svg'],
    wav => [wav(), 'audio/wav', 'a.wav'],
    mp3 => [mp3(), 'audio/mpeg', 'a.mp3'],
    mp4 => [mp4(), 'video/mp4', 'v.mp4'],
    pdf => [pdf(), 'application/pdf', 'r.pdf'],
    docx => [docx(), $DOCX, 'd.docx'],
    zip => [zip_of('a.txt' => 'x'), 'application/zip', 'z.zip'],
    blob => ["\0\1\2\xff" x 9, 'application/octet-stream', 'b.bin'],
    text => [bytes("第一行\n"), 'text/plain', 'n.txt'],
);
$t->artifact($_, $kind{$_}[0], { type => $kind{$_}[1], name => $kind{$_}[2],
                                 createdAt => $created }) for keys %kind;

$t->start(http => <<'HTTP', server => <<'SERVER');
    artifact_capabilities %%PREFIX%%/map.json;
    artifact_root %%DATA%%;
    artifact_route on;
HTTP
    location /artifacts/ {
        artifact;
    }
    location /workspaces/ {
        artifact_workspace;
    }
    location /en/ {
        artifact;
        artifact_language en;
    }
    location /own/ {
        artifact;
        artifact_description "no $artifact_name here, $arg_hint";
    }
    location /plain/ {
        artifact;
        artifact_route off;
    }
    location /always/ {
        artifact;
        artifact_route always;
    }
SERVER

# the table: capabilities => the kinds that are not described

my @table = (
    ['text', ''],
    ['vision', 'png svg'],
    ['audio', 'wav mp3'],
    ['video', 'mp4'],
    ['pdf', 'pdf'],
    ['file', 'wav mp3 mp4 pdf docx zip blob'],
    ['text, vision', 'png svg'],
    ['text, vision, file', 'png svg wav mp3 mp4 pdf docx zip blob'],
    ['audio, video', 'wav mp3 mp4'],
    ['vision,pdf', 'png svg pdf'],
    ['text,structured_output,tool_calling', ''],
    ['text, something-new', ''],
    ['visionary, filed', ''],
    ['  vision ,  file  ', 'png svg wav mp3 mp4 pdf docx zip blob'],
);
my %requires = (png => 'vision', wav => 'audio', mp3 => 'audio',
                mp4 => 'video', pdf => 'file', docx => 'file', zip => 'file',
                blob => 'file');

for my $row (@table) {
    my ($caps, $taken) = @$row;
    my %taken = map { $_ => 1 } split / /, $taken;

    for my $kind (grep { $_ ne 'svg' || $taken{svg} } sort keys %kind) {
        my ($bytes, $type) = @{ $kind{$kind} };
        my $res = $t->accept($caps, "/artifacts/$kind");
        my $data = json_of($res);
        is(route_problems($res), '', "$kind for \"$caps\" is well-formed");

        if ($kind eq 'text') {
            is(routing_of($res), 'text text text/plain', "text for \"$caps\"");

        } elsif ($taken{$kind}) {
            is(routing_of($res), $kind =~ /png|svg/
               ? "image image_url $type" : "binary file $type",
               "$kind for \"$caps\" goes through");
            ok(data_of($res) eq $bytes, 'its bytes are the same');

        } else {
            is(routing_of($res), ($kind eq 'png' ? 'image' : 'binary')
               . " text $type capability", "$kind for \"$caps\" is described");
            is($data->{metadata}{requires}, $requires{$kind},
               'it names what would be required');
            like($data->{content}, qr/\A\[无法读取\] /, 'in words');
        }
    }
}

# exact answers

my $size = length $kind{png}[0];
my $base64 = b64($kind{png}[0]);
is($t->accept('vision', '/artifacts/png')->body, bytes(
   '{"contentType":"image","routing":"image_url",'
   . '"content":"工件内容 (shot.png):","imageUrl":{"type":"image_url",'
   . '"image_url":{"url":"data:image/png;base64,' . $base64 . '"}},'
   . '"metadata":{"id":"png","type":"image/png","filename":"shot.png",'
   . '"mimeType":"image/png","size":' . $size
   . ',"createdAt":"2026-01-01T00:00:00.000Z","binaryType":"image"}}'),
   'an image, byte for byte');

$size = length $kind{pdf}[0];
$base64 = b64($kind{pdf}[0]);
is($t->accept('file', '/artifacts/artifact:pdf')->body, bytes(
   '{"contentType":"binary","routing":"file",'
   . '"content":"工件内容 (r.pdf):","file":{"type":"file","file":'
   . '{"filename":"r.pdf","mimeType":"application/pdf","data":"' . $base64
   . '"}},"metadata":{"id":"pdf","type":"application/pdf",'
   . '"filename":"r.pdf","mimeType":"application/pdf","size":' . $size
   . ',"createdAt":"2026-01-01T00:00:00.000Z","binaryType":"document"}}'),
   'a document, byte for byte');

is($t->accept('vision', '/artifacts/text')->body, bytes(
   '{"contentType":"text","routing":"text","content":"第一行\\n",'
   . '"metadata":{"id":"text","type":"text/plain","filename":"n.txt",'
   . '"mimeType":"text/plain","size":10,'
   . '"createdAt":"2026-01-01T00:00:00.000Z"}}'),
   'a text, byte for byte');

$size = length $kind{pdf}[0];
is($t->accept('vision', '/artifacts/pdf')->body, bytes(
   '{"contentType":"binary","routing":"text",'
   . '"content":"[无法读取] r.pdf (artifact:pdf)\\n类型: PDF 文档\\n'
   . "大小: $size B\\n"
   . '当前模型不支持读取此类文件。'
   . '建议创建具备相应能力的智能体协助处理。",'
   . '"metadata":{"id":"pdf","type":"application/pdf",'
   . '"filename":"r.pdf","mimeType":"application/pdf","size":' . $size
   . ',"createdAt":"2026-01-01T00:00:00.000Z","binaryType":"document",'
   . '"reason":"capability","requires":"file",'
   . '"suggestedServices":["reader","paper"]}}'),
   'a description, byte for byte');

# descriptions

sub content {
    my ($uri, $caps) = @_;
    return json_of($t->accept($caps || 'text', $uri))->{content};
}

$size = length $kind{png}[0];
my $limit = '当前模型不支持读取此类文件。'
    . '建议创建具备相应能力的智能体协助处理。';
is(content('/artifacts/png'), "[无法读取] shot.png (artifact:png)\n"
   . "类型: PNG 图片\n大小: $size B\n$limit",
   'the description in Chinese');
is(content('/en/png'), "[Unreadable] shot.png (artifact:png)\n"
   . "Type: PNG image\nSize: $size B\nThe current model cannot read this "
   . "kind of file. Consider asking for it in another form.",
   'the description in English');
is(content('/artifacts/png', 'vision'), '工件内容 (shot.png):',
   'the lead-in in Chinese');
is(content('/en/png', 'vision'), 'Artifact content (shot.png):',
   'the lead-in in English');
is(content('/en/pdf', 'file'), 'Artifact content (r.pdf):',
   'the lead-in of a file in English');
is(content('/own/png?hint=sorry'), 'no shot.png here, sorry',
   'a description of one\'s own, with variables');
is(content('/own/text'), "第一行\n", 'which text does not get');

for my $case (['mp3', 'MP3 音频'], ['wav', 'WAV 音频'],
              ['mp4', 'MP4 视频'], ['zip', 'ZIP 压缩包'],
              ['docx', 'Word 文档'], ['blob', '二进制文件'])
{
    my ($kind, $words) = @$case;
    like(content("/artifacts/$kind"), qr/\n类型: $words\n/,
         "a description names $words");
    like(content("/en/$kind"), qr/\nType: [\x20-\x7e]+\n/,
         "and has an English name for $kind");
}

my @sizes = ([0, '0 B'], [1, '1 B'], [1023, '1023 B'], [1024, '1.0 KB'],
             [1536, '1.5 KB'], [10240, '10.0 KB'], [12345, '12.1 KB'],
             [1048576, '1.0 MB'], [1258291, '1.2 MB'],
             [1073741824, '1.0 GB'], [5368709120, '5.0 GB']);
for my $case (@sizes) {
    my ($bytes, $words) = @$case;
    my $id = "size$bytes";
    $t->artifact($id, $bytes ? "\0" : '',
                 { type => 'application/x-blob', name => 'b' });
    truncate $t->data . "/artifacts/$id", $bytes or die "truncate: $!";
    my $res = $t->accept('text', "/artifacts/$id");
    my $data = json_of($res);
    like($data->{content} // '', qr/\n大小: \Q$words\E\n/,
         "$bytes bytes are $words");
    is($data->{metadata}{size}, $bytes, 'its size in the metadata');
}

my $n = 0;
for my $name ("a\nb.png", "a\r\nb\tc.png", "\x01\x1b[31m.png",
              "x\x{85}y\x{2028}z.png", "n\n大小: 0 B\n.png", "\x7f.png")
{
    my $id = 'odd' . ++$n;
    $t->artifact($id, $kind{png}[0], { type => 'image/png', name => $name });
    my $res = $t->accept('text', "/artifacts/$id");
    is(route_problems($res), '', "odd name $n is well-formed");
    my @lines = split /\R/, json_of($res)->{content};
    is(scalar @lines, 4, "odd name $n stays on its line");
    unlike($lines[0], qr/[[:cntrl:]]/, "odd name $n has no control character");
    $res = $t->accept('vision', "/artifacts/$id");
    unlike(json_of($res)->{content}, qr/[[:cntrl:]]|\R/,
           "nor has its lead-in");
}
for my $name (q{q"uo'te\\.png}, '中文 名.png', "\x{1f600}.png", 'a/b.png') {
    my $id = 'odd' . ++$n;
    $t->artifact($id, $kind{png}[0], { type => 'image/png', name => $name });
    my $res = $t->accept('vision', "/artifacts/$id");
    is(json_of($res)->{metadata}{filename}, $name, "the name $name is kept");
    is(json_of($res)->{content}, "工件内容 ($name):",
       'also in the lead-in');
}

# suggestions

sub suggested {
    my ($uri, $caps) = @_;
    my $list = json_of($t->accept($caps, $uri))->{metadata}
        {suggestedServices};
    return $list ? join(' ', @$list) : 'none';
}

is(suggested('/artifacts/png', 'text'), 'eyes eyes2 eyes3',
   'at most three services, in the order of the map');
is(suggested('/artifacts/pdf', 'text'), 'reader paper',
   'services that take a PDF');
is(suggested('/artifacts/docx', 'text'), 'reader',
   'services that take a document');
is(suggested('/artifacts/mp3', 'text'), 'ears reader',
   'services that take audio');
is(suggested('/artifacts/mp4', 'text'), 'reader cinema',
   'services that take video');
is(suggested('/artifacts/png', 'vision'), 'none',
   'no suggestions where none is needed');

# services by name, and where routing is on

is(routing_of($t->service('eyes', '/artifacts/png')),
   'image image_url image/png', 'a service that sees');
is(routing_of($t->service('words', '/artifacts/png')),
   'image text image/png capability', 'a service that reads');
ok($t->get('/artifacts/png')->body eq $kind{png}[0],
   'no service and no capabilities: the bytes');
ok($t->get('/artifacts/png', 'X-LLM-Service' => '',
           'X-LLM-Capabilities' => '')->body eq $kind{png}[0],
   'empty headers: the bytes');
ok($t->accept('vision', '/plain/png')->body eq $kind{png}[0],
   'artifact_route off: the bytes');
is(routing_of($t->get('/always/png')), 'image text image/png capability',
   'artifact_route always: described to nobody');
is(routing_of($t->accept('vision', '/always/png')),
   'image image_url image/png', 'artifact_route always with a reader');
is(routing_of($t->get('/always/text')), 'text text text/plain',
   'artifact_route always, a text');

# workspace files

$t->workspace_file('w1', '图/a.png', $kind{png}[0]);
my $updated = '2026-02-01T00:00:00.000Z';
$t->workspace_meta('w1', { '图/a.png' => {
    mimeType => 'image/png', createdAt => $created, updatedAt => $updated,
    modifiedBy => [] } });
my $id = ws_id('w1', bytes('图/a.png'));
my $res = $t->accept('text', '/workspaces/w1/' . uri(bytes('图/a.png')));
is(key_order(json_of($res)->{metadata}), 'id type filename mimeType size '
   . 'createdAt updatedAt workspaceId relativePath binaryType reason '
   . 'requires suggestedServices', 'the metadata of a workspace file');
like(json_of($res)->{content},
     qr/\A\[无法读取\] a\.png \(artifact:\Q$id\E\)\n/,
     'the description of a workspace file');

# what every routed answer has

for my $case (['an image', 'vision'], ['a description', 'text']) {
    my ($what, $caps) = @$case;
    my $res = $t->accept($caps, '/artifacts/png');
    header_is($res, 'Content-Type', 'application/json', "type of $what");
    is($res->header('Content-Length'), length $res->body,
       "length of $what");
    is($res->header('Accept-Ranges'), undef, "no ranges of $what");
    is($res->header('Content-Disposition'), undef,
       "no disposition of $what");
    like($res->header('Last-Modified'), qr/GMT$/, "a date of $what");
    like($res->header('ETag'), qr/^"[^"]+"$/, "a strong tag of $what");
}

unlike($t->log, qr/metadata.*corrupt/, 'what is sound is not called corrupt');

$t->finish;
