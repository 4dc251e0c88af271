#!/usr/bin/perl

# Raw answers: headers, ranges, file names, and what a browser may do.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;

my $t = ArtifactTest->new;
my $png = png(40, 40);
my $text = bytes("第一行\nline two\n");

$t->artifact('png', $png, { type => 'image/png', name => 'shot.png' });
$t->artifact('text', $text, { type => 'text/plain', name => 'n.txt' });
$t->artifact('gbk', "\xd6\xd0", { type => 'text/plain; charset=gbk' });
$t->artifact('lies', $png, { type => 'text/css', name => 'a.css' });
$t->artifact('named', 'x', { name => 'style.css' });
$t->artifact('alone', $png, undef);
$t->artifact('generic', $png, { type => 'application/octet-stream' });
$t->artifact('empty', '', { type => 'text/plain' });
$t->workspace_file('w1', 'src/a.js', 'let a;');
$t->workspace_meta('w1', { 'src/a.js' => { mimeType => 'text/javascript' } });

$t->start(server => <<'SERVER');
    artifact_root %%DATA%%;

    location /artifacts/ {
        artifact;
    }
    location /routed/ {
        artifact;
        artifact_route on;
    }
    location /workspaces/ {
        artifact_workspace;
    }
SERVER

# the plain answer

my $res = $t->get('/artifacts/png');
is($res->{status}, 200, 'status');
ok($res->body eq $png, 'the bytes of the file');
header_is($res, 'Content-Type', 'image/png', 'the declared type');
header_is($res, 'Content-Length', length $png, 'the length');
header_is($res, 'Accept-Ranges', 'bytes', 'ranges are offered');
header_is($res, 'X-Content-Type-Options', 'nosniff', 'no sniffing');
header_is($res, 'Content-Disposition', 'inline; filename="shot.png"',
          'the name of the file');
like($res->header('ETag'), qr/^"[^"]+"$/, 'a strong entity tag');
like($res->header('Last-Modified'), qr/^\w{3}, \d\d \w{3} \d{4} .* GMT$/,
     'a date');
is($res->header('Content-Security-Policy'), undef,
   'an image is not sandboxed');
is($res->header('Vary'), undef, 'no Vary where nothing is routed');

my $head = $t->head('/artifacts/png');
is("$head->{status} $head->{body}", '200 ', 'HEAD has no body');
for my $name (qw(Content-Type Content-Length ETag Last-Modified
                 Accept-Ranges Content-Disposition X-Content-Type-Options))
{
    is($head->header($name), $res->header($name), "HEAD has the same $name");
}

# types

header_is($t->get('/artifacts/text'), 'Content-Type', 'text/plain',
          'a text without a charset');
header_is($t->get('/artifacts/gbk'), 'Content-Type',
          'text/plain; charset=gbk', 'a declared charset is kept');
$res = $t->get('/artifacts/lies');
header_is($res, 'Content-Type', 'text/css', 'raw answers are not verified');
ok($res->body eq $png, 'nor changed');
header_is($t->get('/artifacts/named'), 'Content-Type', 'text/css',
          'the type by the name');
header_is($t->get('/artifacts/alone'), 'Content-Type', 'image/png',
          'the type by the content');
header_is($t->get('/artifacts/generic'), 'Content-Type', 'image/png',
          'a generic type declares nothing');
header_is($t->get('/workspaces/w1/src/a.js'), 'Content-Type',
          'text/javascript', 'the type of a workspace file');
header_is($t->get('/workspaces/w1/src/a.js'), 'Content-Disposition',
          'inline; filename="a.js"', 'the name of a workspace file');
$res = $t->get('/artifacts/empty');
is("$res->{status} $res->{body}", '200 ', 'an empty file');
header_is($res, 'Content-Length', 0, 'has a length of 0');

# ranges

sub range {
    my ($value, @more) = @_;
    return $t->get('/artifacts/png', Range => $value, @more);
}

my $size = length $png;
$res = range('bytes=0-9');
is($res->{status}, 206, 'a range');
ok($res->body eq substr($png, 0, 10), 'its bytes');
header_is($res, 'Content-Range', "bytes 0-9/$size", 'its Content-Range');
ok(range('bytes=10-')->body eq substr($png, 10), 'an open range');
ok(range('bytes=-7')->body eq substr($png, -7), 'a suffix range');
$res = range('bytes=0-3,8-11');
is($res->{status}, 206, 'two ranges');
like($res->header('Content-Type'), qr{^multipart/byteranges}, 'in parts');
like($res->body, qr{Content-Type: image/png}, 'that have the type');
$res = range("bytes=$size-");
is($res->{status}, 416, 'a range beyond the end');
header_is($res, 'Content-Range', "bytes */$size", 'says how long it is');
header_is($res, 'Content-Type', 'application/json', 'in JSON');
is($res->header('Content-Disposition'), undef, 'without a name');
is(range('lines=1-2')->{status}, 200, 'another unit is ignored');

my $etag = $t->head('/artifacts/png')->header('ETag');
my $date = $t->head('/artifacts/png')->header('Last-Modified');
is(range('bytes=0-1', 'If-Range' => $etag)->{status}, 206,
   'If-Range with the tag');
is(range('bytes=0-1', 'If-Range' => '"other"')->{status}, 200,
   'If-Range with another tag');
is(range('bytes=0-1', 'If-Range' => $date)->{status}, 206,
   'If-Range with the date');
is($t->get('/workspaces/w1/src/a.js', Range => 'bytes=0-2')->body, 'let',
   'a range of a workspace file');

# file names (RFC 6266, RFC 8187)

my $n = 0;

sub disposition {
    my ($name, $args) = @_;
    my $id = 'n' . ++$n;
    $t->artifact($id, 'x', { type => 'text/plain', name => $name });
    my $res = $t->get("/artifacts/$id" . ($args || ''));
    is($res->{status}, 200, "name number $n") if $res->{status} != 200;
    return $res->header('Content-Disposition') // 'none';
}

is(disposition('a b.txt'), 'inline; filename="a b.txt"',
   'a name with a space');
is(disposition('a.txt', '?download'), 'attachment; filename="a.txt"',
   '?download');
is(disposition('a.txt', '?x=1&download&y=2'),
   'attachment; filename="a.txt"', '?download among other arguments');
is(disposition('a.txt', '?download=1'), 'attachment; filename="a.txt"',
   '?download=1');
is(disposition('a.txt', '?nodownload'), 'inline; filename="a.txt"',
   '?nodownload');
like(disposition('报告.txt'), qr/^inline; filename="[\x20-\x7e]*"; /,
     'a Chinese name has an ASCII fallback');
like(disposition('报告.txt'),
     qr/; filename\*=UTF-8''%E6%8A%A5%E5%91%8A\.txt$/,
     'and the real name in UTF-8');
like(disposition('报告.txt', '?download'),
     qr/^attachment; .*filename\*=UTF-8''%E6%8A%A5%E5%91%8A\.txt$/,
     'also as an attachment');
like(disposition("na\x{ef}ve \x{20ac}%.txt"),
     qr/filename\*=UTF-8''na%C3%AFve%20%E2%82%AC%25\.txt$/,
     'what is no attr-char is percent-encoded');
like(disposition(q{say "hi"\\.txt}),
     qr/^inline; filename="say (\\"hi\\"|[^"]*)(\\\\|[^\\"])\.txt"/,
     'quotes and backslashes are escaped or replaced');

for my $name ("a\nb.txt", "a\r\nX-Evil: 1\r\n\r\nb.txt", "a\x01b\x7f.txt",
              "tab\there.txt", "\x{85}.txt", "a;b=c.txt", "'a'.txt", '"',
              '\\', 'x' x 3000, "\x{1f600}" x 300)
{
    my $value = disposition($name);
    my $shown = substr($name, 0, 20) =~ s/[^ -~]/?/gr;
    like($value, qr/^inline;\ filename="(?:[^"\\[:cntrl:]]|\\["\\])*"
                    (?:;\ filename\*=UTF-8''[-!#\$&+.^_`|~0-9A-Za-z%]*)?$/x,
         "a sound header for the name $shown");
}
is($t->get("/artifacts/n$n")->header('X-Evil'), undef,
   'no header comes out of a name');

# what a browser would execute

for my $type ('text/html', 'image/svg+xml', 'application/xml', 'text/xml',
              'application/xhtml+xml', 'TEXT/HTML; charset=utf-8',
              'application/rss+xml')
{
    my $id = 'x' . ++$n;
    $t->artifact($id, svg(), { type => $type });
    like($t->get("/artifacts/$id")->header('Content-Security-Policy') // '',
         qr/^sandbox/, "$type is sandboxed");
}
for my $type ('text/plain', 'image/png', 'application/pdf', 'text/css') {
    my $id = 'x' . ++$n;
    $t->artifact($id, 'x', { type => $type });
    is($t->get("/artifacts/$id")->header('Content-Security-Policy'), undef,
       "$type is not");
}
$t->artifact('page', '<!DOCTYPE html><html></html>', undef, '.html');
like($t->get('/artifacts/page')->header('Content-Security-Policy') // '',
     qr/^sandbox/, 'HTML by its name is sandboxed');
$t->artifact('drawing', svg(), undef);
like($t->get('/artifacts/drawing')->header('Content-Security-Policy') // '',
     qr/^sandbox/, 'SVG by its content is sandboxed');

# a location that routes

$res = $t->get('/routed/png');
ok($res->body eq $png, 'raw bytes of a location that routes');
like($res->header('Vary') // '', qr/X-LLM-Service/i,
     'vary by the service');
like($res->header('Vary') // '', qr/X-LLM-Capabilities/i,
     'and by the capabilities');
is($t->get('/routed/png', Range => 'bytes=0-9')->{status}, 206,
   'ranges of raw bytes there');

$t->finish;
