#!/usr/bin/perl

# What a format, a service or a limit does not take becomes text: what can be
# read as text is, the rest is described, with the reason "type" or "size".

use strict;
use warnings;
use utf8;

use Encode qw(encode);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;

my $t = ArtifactTest->new;

my @all = qw(text vision audio video file);

sub entry {
    my ($id, @more) = @_;
    return { id => $id, capabilities => { input => \@all }, @more };
}

$t->file('map.json', { services => [
    entry('all'),
    entry('pngs', accepts => ['image/png']),
    entry('images', accepts => ['image/*']),
    entry('alias', accepts => ['IMAGE/JPG', 'application/pdf']),
    entry('small', maxBytes => 1000),
    entry('claude', format => 'anthropic', maxBytes => 1000),
    entry('svg', format => 'openai',
          accepts => ['image/svg+xml', 'image/png']),
    entry('no-svg', format => 'anthropic', accepts => ['image/svg+xml']),
    { id => 'blind', capabilities => { input => ['text'] },
      accepts => ['image/png'] },
] });

sub long {
    my ($content, $length) = @_;
    return $content . "\0" x ($length - length $content);
}

my $utf16 = "\x{feff}" . '<?xml version="1.0" encoding="UTF-16"?>'
    . '<svg xmlns="http://www.w3.org/2000/svg"><title>图</title></svg>';
my $big_svg = svg();
$big_svg =~ s/<rect/'<!-- ' . 'x' x 2000 . ' --><rect'/e;

my $PNG_MAX = 3932160;          # of Bedrock, 3.75 MB
my $B64_MAX = 7864320;          # of Anthropic, 10 MB in base64

my %file = (
    png => [png(), 'image/png', 'a.png'],
    p1000 => [long(png(), 1000), 'image/png', 'b.png'],
    p1001 => [long(png(), 1001), 'image/png', 'c.png'],
    jpeg => [jpeg(), 'image/jpeg', 'a.jpg'],
    svg => [svg(), 'image/svg+xml', 'd.svg'],
    utf16 => [encode('UTF-16LE', $utf16), 'image/svg+xml', 'u.svg'],
    bigsvg => [$big_svg, 'image/svg+xml', 'big.svg'],
    pdf => [pdf(), 'application/pdf', 'r.pdf'],
    html => ["<p>1 < 2</p>\n", 'text/html', 'p.html'],
    json => ["[1]\n", 'application/json', 'a.json'],
    nothing => ['', 'image/png', 'n.png'],
    nopdf => ['', 'application/pdf', 'n.pdf'],
    nowav => ['', 'audio/wav', 'n.wav'],
    nosvg => ['', 'image/svg+xml', 'n.svg'],
    notext => ['', 'text/plain', 'n.txt'],
    edge => [long(png(), $PNG_MAX), 'image/png', 'e.png'],
    over => [long(png(), $PNG_MAX + 1), 'image/png', 'o.png'],
    edge64 => [long(png(), $B64_MAX), 'image/png', 'e6.png'],
    over64 => [long(png(), $B64_MAX + 1), 'image/png', 'o6.png'],
);

my %contents;

for my $id (keys %file) {
    my ($body, $type, $name) = @{ $file{$id} };
    $t->artifact($id, $body, { type => $type, name => $name });
    $contents{$id} = { body => $body, type => $type };
}

ArtifactUpstream->new($t->prefix . '/up.sock', contents => \%contents);

mkdir $t->prefix . '/static' or die "mkdir: $!";
spew($t->prefix . "/static/a)\nSize: 1 B\e.zip", zip_of('a', 'b'));

$t->start(http => <<'HTTP', server => <<'SERVER');
    artifact_capabilities %%PREFIX%%/map.json;
    artifact_root %%DATA%%;
    artifact_route on;
    artifact_language en;
    artifact_format $arg_format;

    add_header X-Reason "$artifact_reason" always;
    add_header X-Kind "$artifact_content_type/$artifact_binary_type" always;
    add_header X-Routing "$artifact_routing" always;
HTTP
    location /artifacts/ {
        artifact;
    }
    location /p/ {
        artifact_inline_max 20m;
        proxy_pass http://unix:%%PREFIX%%/up.sock:/;
    }
    location /limit/ {
        artifact;
        artifact_inline_max 1000;
    }
    location /static/ {
        alias %%PREFIX%%/static/;
    }
    location /own/ {
        artifact;
        artifact_description "$artifact_reason: $artifact_name";
    }
SERVER

# "routing reason kind" of the variables, and what stands in the answer

sub told {
    my ($res) = @_;
    return join ' ', map { $res->header("X-$_") // '-' }
        qw(Routing Reason Kind);
}

sub asked {
    my ($service, $id, $format, $where) = @_;
    return $t->service($service, ($where // '/artifacts/') . $id
                       . ($format ? "?format=$format" : ''));
}

my $IMAGE = 'image image_url image/png';

# a service's media types, in the format "route"

for (['png', 'pngs', $IMAGE],
     ['png', 'images', $IMAGE],
     ['jpeg', 'images', 'image image_url image/jpeg'],
     ['jpeg', 'alias', 'image image_url image/jpeg'],
     ['pdf', 'alias', 'binary file application/pdf'],
     ['svg', 'images', 'image image_url image/svg+xml'],
     ['jpeg', 'pngs', 'image text image/jpeg type'],
     ['pdf', 'images', 'binary text application/pdf type'],
     ['png', 'alias', 'image text image/png type'],
     ['png', 'blind', 'image text image/png capability'],
     ['jpeg', 'blind', 'image text image/jpeg capability'],
     ['p1000', 'small', $IMAGE],
     ['p1001', 'small', 'image text image/png size'],
     ['html', 'pngs', 'text text text/html'],
     ['bigsvg', 'all', 'image image_url image/svg+xml'])
{
    my ($id, $service, $want) = @$_;
    is(routing_of(asked($service, $id)), $want, "$id for \"$service\"");
}

my $described = json_of(asked('pngs', 'jpeg'));
like($described->{content}, qr/^\[Unreadable\]\ a\.jpg\ \(artifact:jpeg\)\n
     Type:\ JPEG\ image\nSize:\ \d+\ B\nThe\ interface\ of\ the\ current/x,
     'a description tells the type');
is(key_order($described->{metadata}),
   'id type filename mimeType size binaryType reason',
   'nobody is suggested, nothing required');

like(json_of(asked('small', 'p1001'))->{content},
     qr/larger than may be inlined/, 'or the size');

like(asked('all', 'over', 'bedrock', '/own/')->body,
     qr/"text":"size: o\.png"/, 'own words have the reason');
like(asked('all', 'bigsvg', 'openai', '/own/')->body,
     qr/"text":"<\?xml/, 'but do not stand for what is read as text');

# where the id is the path of a URI, it cannot add lines either

my $static = '/static/a)%0aSize:%201%20B%1b.zip';
for my $format ('', 'openai', 'bedrock') {
    my $part = json_of($t->accept('text', "$static?format=$format"));
    my $text = $part->{text} // $part->{content};

    like($text, qr{^\[Unreadable\]\ a\)_Size:\ 1\ B_\.zip
         \ \(artifact:static/a\)_Size:\ 1\ B_\.zip\)\n}x,
         "\"$format\": the id is one line");
    is($text =~ tr/\n//, 3, 'and the description four');
}

# SVG: an image where it is taken, else its text

for (['svg', 'pngs', ''], ['svg', 'blind', ''], ['svg', 'all', 'anthropic'],
     ['svg', 'all', 'openai'], ['svg', 'all', 'openai_responses'],
     ['svg', 'all', 'mcp'], ['svg', 'no-svg', 'anthropic'],
     ['svg', 'images', 'openai'], ['svg', 'blind', 'openai'])
{
    my ($id, $service, $format) = @$_;
    my $res = asked($service, $id, $format);
    my $part = json_of($res);
    is($part->{text} // $part->{content}, svg(),
       "SVG is text for \"$service\", \"$format\"");
    is(told($res), 'text type text/', 'and said to be');
}

is(routing_of(asked('pngs', 'svg')), 'text text image/svg+xml type',
   'route: SVG as text');
is(key_order(json_of(asked('pngs', 'svg'))->{metadata}),
   'id type filename mimeType size reason', 'is no binary');
is(routing_of(asked('small', 'bigsvg')), 'text text image/svg+xml size',
   'route: SVG that is too large');
is(json_of(asked('small', 'bigsvg'))->{content}, $big_svg, 'is its text');
is(json_of(asked('all', 'bigsvg', '', '/limit/'))->{content}, $big_svg,
   'by artifact_inline_max as well');

my $svg = json_of(asked('svg', 'svg'));
like($svg->{image_url}{url}, qr{^data:image/svg\+xml;base64,},
     'SVG is an image for a service that names it');

is(json_of(asked('all', 'utf16', 'openai'))->{text}, substr($utf16, 1),
   'SVG in UTF-16 is converted');

is(told(asked('all', 'utf16', 'route')), 'image_url - image/image',
   'and goes as it is where it is an image');

# programs get the object, whatever the service takes

for my $id (qw(jpeg svg p1001 pdf)) {
    my $object = json_of(asked('pngs', $id, 'object'));
    is($object->{content}, b64($file{$id}[0]), "object: $id");
}

my $limited = json_of(asked('all', 'bigsvg', 'object', '/limit/'));
is($limited->{content}, undef, 'object: SVG above artifact_inline_max');
is($limited->{reason}, 'size', 'has no content');

# limits of the formats, at their edges

for (['edge', 'bedrock', 'image_url - image/image'],
     ['over', 'bedrock', 'text size image/image'],
     ['over', 'anthropic', 'image_url - image/image'],
     ['edge64', 'anthropic', 'image_url - image/image'],
     ['over64', 'anthropic', 'text size image/image'],
     ['over64', 'openai', 'image_url - image/image'])
{
    my ($id, $format, $want) = @$_;
    my $res = asked('all', $id, $format);
    is(told($res), $want, "$format: $id");
    is(length $res->body, $res->header('Content-Length'), 'its length');
}

my $edge = json_of(asked('all', 'edge64', 'anthropic'));
is(length $edge->{source}{data}, 10 * 1024 * 1024, '10 MB of base64');

is(told(asked('claude', 'p1000')), 'image_url - image/image',
   'the limit of a service in the format of the service');
is(told(asked('claude', 'p1001')), 'text size image/image', 'counts, too');

# nothing empty goes to a provider, whose clients would fail with it

my %bytes = map { $_ => 1 } qw(route tool_message object);

for my $format (qw(route tool_message object openai openai_responses anthropic
                   gemini bedrock mistral openrouter mcp))
{
    for (['nothing', 'image'], ['nopdf', 'document'], ['nowav', 'audio']) {
        my ($id, $kind) = @$_;
        my $as = $kind eq 'image' ? 'image_url' : 'file';
        my $where = $kind eq 'image' ? 'image/image' : "binary/$kind";

        my $want = $bytes{$format} ? "$as - $where" : "text type $where";

        is(told(asked('all', $id, $format)), $want, "$format: empty $kind");

        next if $format eq 'object';

        is(told(asked('all', "$id", "$format&frame=$_", '/p/')), $want,
           "$format: empty $kind, $_") for qw(length chunked);
    }
}

for my $format (qw(openai openai_responses mistral openrouter)) {
    is(json_of(asked('all', $_, $format))->{text}, '', "$format: $_")
        for qw(notext nosvg);
}

for my $format (qw(anthropic gemini bedrock mcp)) {
    my $res = asked('all', 'notext', $format);
    is(told($res), 'text - text/', "$format: an empty text has no reason");
    is(json_of($res)->{text}, 'Artifact content (n.txt):', 'but a line');
    is(length $res->body, $res->header('Content-Length'), 'its length');

    is(json_of(asked('all', 'notext', "$format&frame=chunked", '/p/'))
       ->{text}, 'Artifact content (notext):', 'of unknown length');
    is(json_of(asked('all', 'notext', $format, '/own/'))->{text},
       'Artifact content (n.txt):', 'own words are for what is refused');
    like(json_of(asked('all', 'nosvg', $format))->{text},
         qr/^\[Unreadable\] n\.svg /, 'an empty SVG is refused');
}

is(json_of(asked('all', 'notext', 'route'))->{content}, '',
   'elsewhere it is the empty text');

# a length that is not known: what is too long ends short

for (['edge', 'bedrock', 1], ['over', 'bedrock', 0],
     ['p1000', 'route', 1, 'small'], ['p1001', 'route', 0, 'small'],
     ['over', 'route', 1])
{
    my ($id, $format, $whole, $service) = @$_;
    my $res = $t->req('GET', "/p/$id?format=$format&frame=chunked",
        headers => ['X-LLM-Service' => $service // 'all'], may_break => 1);
    is($res->{complete} ? 1 : 0, $whole, "$format: $id of unknown length")
        or diag(substr $res->body, -100);

    next if !$whole;

    my $data = data_of($res)
        // MIME::Base64::decode(json_of($res)->{image}{source}{bytes});
    ok($data eq $file{$id}[0], 'it is whole');
}

like($t->log,
     qr/unknown length is longer than the 3932160 bytes [^\n]*"bedrock"/, 'the log has the reason');

# an SVG of unknown length is read to its end where it is text

my $res = $t->service('all', '/p/bigsvg?format=openai&frame=chunked');
is(json_of($res)->{text}, $big_svg, 'SVG of unknown length');

# the tag changes with what the service takes

isnt(asked('all', 'svg')->header('ETag'), asked('pngs', 'svg')->header('ETag'),
     'a tag for SVG, one for its text');
isnt(asked('all', 'png')->header('ETag'),
     asked('small', 'png')->header('ETag'), 'the limits are in the tag');

$t->finish;
