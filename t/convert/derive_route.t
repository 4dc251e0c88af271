#!/usr/bin/perl

# A routed answer whose reader does not take the content: another location makes
# another form of it, which is what the reader gets.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream qw(read_request send_answer);

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $png = png(40, 30);
my $jpeg = jpeg();
my $heic = "\0\0\0\x18ftypheic\0\0\0\0mif1heic" . 'x' x 3000;
my $svg = svg();
my $html = "<!DOCTYPE html>\n<html><body>Hello</body></html>\n";
my $words = bytes("第一页\nsecond line\n");

$t->artifact('scan', $png, { type => 'image/png', name => 'scan.png' });
$t->artifact('heic', $heic, { type => 'image/heic', name => 'IMG.1.HEIC' });
$t->artifact('svg', $svg, { type => 'image/svg+xml', name => 'a.svg' });
$t->artifact('page', $html, { type => 'text/html', name => 'a.html' });
$t->artifact('pdf', pdf(), { type => 'application/pdf', name => 'r.pdf' });
$t->artifact('text', 'words', { type => 'text/plain', name => 'a.txt' });
$t->workspace_file('ws1', 'in/shot.png', $png);
mkdir "$dir/html" or die;
spew("$dir/html/words.txt", $words);
spew("$dir/html/other.jpg", $jpeg);
spew("$dir/html/large.txt", "0123456789\n" x 20000);
spew("$dir/html/static.png", $png);


# A converter: the path of the URI says what it makes of what comes; each request
# is written down.

my $log = "$dir/asked";
my %made = (
    jpeg => ['image/jpeg', $jpeg], words => ['text/plain', $words],
    png => ['image/png', $png], blank => ['text/plain', " \n\t" x 3000],
    empty => ['image/jpeg', ''], html => ['text/html', $html],
    large => ['text/plain', "line\n" x 30000],
);

my $converter = ArtifactUpstream->new("$dir/convert.sock", serve => sub {
    my ($sock) = @_;
    my ($head, $body) = read_request($sock) or return;
    my ($method, $what, $more) = $head =~ m{^(\w+) /(\w+)(\S*) } or return;

    open my $file, '>>', $log or die;
    syswrite $file, "$method $what$more " . length($body) . ' '
        . ($head =~ /^Content-Type: (\S+)/mi ? $1 : '-') . ' '
        . ($head =~ /^(Cookie|Authorization|If-\S+|Range|X-Api-Key):/mi
           ? "leaked:$1" : 'clean') . "\n";
    close $file;

    return send_answer($sock, "HTTP/1.1 $1 Status\r\nContent-Length: 3\r\n"
                              . "Connection: close\r\n\r\nno\n")
        if $what =~ /^s(\d+)$/;
    if ($what eq 'hang') {
        sysread $sock, my $buf, 1;
        return;
    }

    my ($type, $bytes) = @{ $made{$what =~ s/^(half|chunked)_//r} };
    return send_answer($sock, "HTTP/1.1 200 OK\r\nContent-Type: $type\r\n"
        . "Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
        . join('', map { sprintf "%x\r\n%s\r\n", length, $_ }
               unpack '(a1000)*', $bytes) . "0\r\n\r\n")
        if $what =~ /^chunked_/;

    send_answer($sock, "HTTP/1.1 200 OK\r\nContent-Type: $type\r\n"
        . 'Content-Length: ' . length($bytes) . "\r\n"
        . "Connection: close\r\n\r\n"
        . ($what =~ /^half_/ ? substr $bytes, 0, length($bytes) / 2 : $bytes));
});

sub asked {
    my $text = -e $log ? slurp($log) : '';
    unlink $log;
    return $text;
}

my $up = ArtifactUpstream->new("$dir/up.sock", contents => {
    scan => { body => $png, type => 'image/png', headers => ['ETag: "one"'] },
    svg => { body => $svg, type => 'image/svg+xml' },
    huge => { body => $png . 'x' x 3000000, type => 'image/png' },
});

my $to = "http://unix:$dir/convert.sock:";

# each location has its rules; "from to what body" each

sub rules {
    return join '', map {
        my ($from, $to, $what, $body) = split / /;
        "artifact_derive $from $to /convert/$what " . ($body // '') . ";\n"
    } @_;
}

my %rules = (
    words => [rules('image text/plain words body')],
    get => [rules('image text/plain words/')],
    jpeg => [rules('image/heic,image/svg+xml image/jpeg jpeg body'),
             'artifact_inline_max 2k;'],
    second => [rules('image/heic image/jpeg s204 body',
                     'image text/plain s415 body', 'image text/plain words/')],
    same => [rules('image image/jpeg png body', 'image text/plain words/')],
    blank => [rules('image text/plain blank/', 'image text/plain empty/',
                    'image text/plain s422/')],
    chunked => [rules('image text/plain chunked_words/',
                      'image image/jpeg chunked_jpeg/')],
    wrong => [rules('image image/jpeg html/')],
    page_as_image => [rules('image image/jpeg html body'),
                      'artifact_format openai;', 'artifact_inline_max 2k;'],
    large => [rules('image text/plain large/')],
    cut => [rules('image text/plain words/'), 'artifact_text_max 4;'],
    small => [rules('image image/jpeg jpeg/'), 'artifact_inline_max '
              . (length($jpeg) + 10) . ';'],
    page => [rules('text/html,image/svg+xml image/jpeg jpeg body')],
    range => [rules('image/*,document image/jpeg jpeg body')],
    nopage => [rules('text/html,image/svg+xml image/jpeg s204 body')],
    (map { $_ => [rules("image text/plain $_/")] }
     qw(s500 s302 s403 half_words half_jpeg nowhere)),
    half => [rules('image image/jpeg half_jpeg/')],
    hang => [rules('image text/plain hang/'), 'artifact_derive_timeout 500ms;'],
);

my $locations = join '', map { <<"LOCATION" } sort keys %rules;
    location /$_/ {
        artifact;
        @{ $rules{$_} }
    }
LOCATION

$t->start(http => <<'HTTP', server => <<"SERVER");
    artifact_language en;
    log_format derived '$uri $status [$artifact_derived] $artifact_routing $artifact_reason.';
HTTP
    artifact_root %%DATA%%;
    artifact_route on;
    access_log %%PREFIX%%/derived.log derived;
$locations
    location /convert/ {
        internal;
        proxy_pass $to/;
    }
    location /convert/nowhere/ {
        proxy_pass http://127.0.0.1:1/;
    }
    location /workspaces/ {
        artifact_workspace;
        artifact_derive image text/plain /convert/words body;
    }
    location /up/ {
        proxy_pass http://unix:$dir/up.sock:/;
        artifact_derive image text/plain /convert/words body;
        artifact_derive image/svg+xml image/jpeg /convert/jpeg/;
        artifact_derive image text/plain /convert/words/;
    }
    location /up-vain/ {
        proxy_pass http://unix:$dir/up.sock:/;
        artifact_derive image,image/svg+xml image/jpeg /convert/s204/;
        artifact_derive image text/plain /convert/s204/;
    }
    location /static/ {
        alias %%PREFIX%%/html/;
        artifact_derive image text/plain /file/words.txt;
    }
    location /file-text/ {
        artifact;
        artifact_derive image text/plain /file/words.txt;
    }
    location /file-jpeg/ {
        artifact;
        artifact_inline_max 2k;
        artifact_derive image/heic image/jpeg /file/other.jpg;
    }
    location /file/ {
        internal;
        artifact_route off;
        types { text/plain txt; image/jpeg jpg; }
        alias %%PREFIX%%/html/;
    }
    location /named/ {
        artifact;
        artifact_derive image text/plain /down/;
        error_page 502 504 = \@gone;
    }
    location /down/ {
        proxy_pass http://127.0.0.1:1/;
        error_page 502 = \@words;
    }
    location \@words { return 204; }
    location \@gone { return 418; }
    location /loop/ {
        artifact;
        artifact_derive image text/plain /loop/;
        artifact_derive image text/plain /convert/words/;
    }
    location /object/ {
        artifact;
        artifact_format object;
        artifact_inline_max 1k;
        artifact_derive image image/jpeg /file/other.jpg;
    }
    location /openai/ {
        artifact;
        artifact_format openai;
        artifact_derive image/heic image/jpeg /convert/jpeg body;
    }
    location /gzip/ {
        artifact;
        gzip on;
        gzip_types application/json;
        gzip_min_length 1;
        artifact_derive image text/plain /convert/large/;
    }
SERVER

sub json { return decode_strict($_[0]->body) }

my $LINE = 'Content of scan.png, converted from image/png:' . "\n";
my $TEXT = chars($words);


# --- text in place of an image

for my $case ([words => 'POST words ' . length($png) . ' image/png clean'],
              [get => 'GET words/scan 0 - clean'])
{
    my ($where, $asked) = @$case;
    my $res = $t->accept('text', "/$where/scan", 'X-Api-Key' => 'secret',
                         Cookie => 'a=b', Authorization => 'Bearer x');
    is($res->status, 200, "$where: answered");
    is(asked(), "$asked\n", 'by one conversion, which learns no secrets');
    header_is($res, 'Content-Type', 'application/json', 'JSON');
    header_is($res, 'Content-Length', length $res->body, 'with its length');

    is(route_problems($res), '', 'in the shape of all');

    my $json = json($res);
    is_deeply([@{$json}{qw(contentType routing content)}],
              ['text', 'text', $LINE . $TEXT], 'the text, behind its line');
    is($json->{metadata}{mimeType}, 'image/png', 'metadata of the original');
    is($json->{metadata}{derivedType}, 'text/plain', 'and the new type');
    is($json->{metadata}{size}, length $png, 'its size');
    is($json->{metadata}{filename}, 'scan.png', 'its name');
    ok(!exists $json->{metadata}{reason}, 'no reason');
    like($res->body, qr/"mimeType":"image\/png","derivedType":"text\/plain",/,
         'in this order');
}

is($t->accept('text', '/words/text')->status, 200, 'a text');
is(asked(), '', 'needs no conversion');
is(json($t->accept('vision', '/words/scan'))->{routing}, 'image_url',
   'a reader who sees gets the image');
is(asked(), '', 'without one');
is($t->get('/words/scan')->body, $png, 'raw is raw');
is(asked(), '', 'and asks nobody');

my $ws = $t->accept('text', '/workspaces/ws1/in/shot.png');
is(json($ws)->{content},
   "Content of shot.png, converted from image/png:\n$TEXT",
   'a file of a workspace');
is(asked(), 'POST words ' . length($png) . " image/png clean\n", 'is sent');


# --- media in place of media

my $res = $t->accept('vision', '/jpeg/heic');
my $json = json($res);
is($json->{contentType}, 'image', 'a JPEG of a HEIC is an image');
is($json->{content}, 'Artifact content (IMG.1.jpg):', 'has its extension');
is($json->{imageUrl}{image_url}{url}, "data:image/jpeg;base64," . b64($jpeg),
   'is what was made');
is($json->{metadata}{filename}, 'IMG.1.HEIC', 'its metadata have the name');
is(asked(), 'POST jpeg ' . length($heic) . " image/heic clean\n", 'of HEIC');
is(json($t->accept('vision', '/openai/heic'))->{image_url}{url},
   "data:image/jpeg;base64," . b64($jpeg), "a provider's part");
asked();

$json = json($t->accept('vision', '/page/svg'));
is($json->{metadata}{mimeType}, 'image/svg+xml', 'SVG');
ok(!exists $json->{metadata}{derivedType}, 'is taken by "route" as it is');
$json = json($t->accept('vision', '/page/page'));
is($json->{metadata}{derivedType}, 'image/jpeg', 'HTML for one who sees');
is(asked(), 'POST jpeg ' . length($html) . " text/html clean\n", 'is seen');
is(json($t->accept('text', '/page/page'))->{content}, $html,
   'for others it is text');
is(json($t->accept('vision', '/range/page'))->{content}, $html,
   'also by a range or a binary type');
is(asked(), '', 'which ask nobody');
$res = $t->accept('vision', '/nopage/page');
is(json($res)->{content}, $html, 'HTML that nobody can make seen is text');
header_is($res, 'ETag', undef, 'without a tag');
asked();

$json = json($t->get('/object/heic', 'X-LLM-Capabilities' => 'text'));
is($json->{mimeType} . ' ' . $json->{derivedType}, 'image/heic image/jpeg',
   'object: a smaller form of what is too large');
is($json->{content}, b64($jpeg), 'its bytes');


# --- rules, one after the other

is(json($t->accept('text', '/second/heic'))->{content},
   "Content of IMG.1.HEIC, converted from image/heic:\n$TEXT",
   'the third rule');
is(join(' ', map { (split)[1] } split /\n/, asked()), 's415 words/heic',
   'the first makes what the reader does not take');
is(json($t->accept('text', '/same/scan'))->{content}, $LINE . $TEXT,
   'the rule whose form the reader takes');
is(asked(), "GET words/scan 0 - clean\n", 'is the only one that is asked');

$res = $t->accept('text', '/blank/scan');
is(json($res)->{metadata}{reason}, 'capability', 'no rule: words');
header_is($res, 'ETag', undef, 'without a tag');
header_is($res, 'Last-Modified', undef, 'and without a date');
header_is($res, 'Content-Length', length $res->body, 'but a length');
is(scalar(my @n = asked() =~ /\n/g), 3, 'after all rules');
$res = $t->accept('text', '/wrong/scan');
is(json($res)->{metadata}{reason}, 'capability', 'a rule for others: words');
is(asked(), '', 'which is not asked');
is(json($t->accept('text', '/chunked/scan'))->{content}, $LINE . $TEXT,
   'a length that is not known');
like(json($t->accept('vision', '/small/heic'))->{imageUrl}{image_url}{url},
     qr/^data:image\/jpeg/, 'what is too large becomes smaller');
is(json($t->accept('text', '/large/scan'))->{content},
   $LINE . $made{large}[1], 'a long text');
$json = json($t->accept('text', '/cut/scan'));
is($json->{content}, $LINE . substr($TEXT, 0, 1), 'a text that is cut');
ok($json->{metadata}{truncated}, 'and says so');
like(json($t->accept('vision', '/page_as_image/heic'))->{text},
     qr/^\[Unreadable\] IMG.1.HEIC/, 'the page of an error is no image');
is(json($t->accept('text', '/loop/scan'))->{content}, $LINE . $TEXT,
   'nothing is derived of what is derived');
asked();


# --- failures

for my $where (qw(s500 s302 s403 half_words nowhere)) {
    $res = $t->accept('text', "/$where/scan");
    is($res->status, 502, "$where: 502");
    is(json($res)->{error}, 'read_failed', 'in JSON');
    is(json($res)->{message}, 'the content cannot be converted at the moment',
       'in words');
    header_is($res, 'ETag', undef, 'without a tag');
}
$res = $t->accept('text', '/hang/scan');
is($res->status, 504, 'one that takes too long: 504');
is($t->accept('text', '/named/scan')->status, 200, 'a page for one that fails');
$t->allow(qr/conversion "[^"]+" of an artifact failed/,
          qr/upstream (?:prematurely closed|timed out)/,
          qr/connect\(\) failed/,
          qr/upstream sent|upstream ended/);
asked();


# --- proxied sources, and files of nginx

is(json($t->accept('text', '/up/scan'))->{content},
   "Content of scan, converted from image/png:\n$TEXT", 'a proxied source');
is(asked(), "GET words/up/scan 0 - clean\n", 'by its id, since it is let go');
is(json($t->accept('text', '/up/huge'))->{content},
   "Content of huge, converted from image/png:\n$TEXT", 'a large one');
is(json($t->accept('text', '/up-vain/scan'))->{metadata}{reason}, 'capability',
   'words if nobody can');
is(json($t->accept('text', '/static/static.png'))->{content},
   "Content of static.png, converted from image/png:\n$TEXT", 'a static file');
is(json($t->accept('text', '/file-text/scan'))->{content}, $LINE . $TEXT,
   'a form that is a file');
is(json($t->accept('vision', '/file-jpeg/heic'))->{imageUrl}{image_url}{url},
   "data:image/jpeg;base64," . b64($jpeg), 'also an image');
asked();

$res = $t->accept('text', '/gzip/scan', 'Accept-Encoding' => 'gzip');
header_is($res, 'Content-Encoding', 'gzip', 'gzip');
is(decode_strict(gunzip_of($res->body))->{content}, $LINE . $made{large}[1],
   'of a long text');


# --- what the log has

$t->stop;
my $lines = slurp("$dir/derived.log");
like($lines, qr{^/words/scan 200 \[text/plain\] text -\.$}m, 'a derived text');
like($lines, qr{^/jpeg/heic 200 \[image/jpeg\] image_url -\.$}m, 'an image');
like($lines, qr{^/words/text 200 \[-\] text -\.$}m, 'what is not derived');
like($lines, qr{^/blank/scan 200 \[-\] text capability\.$}m, 'words');

$_->stop for $converter, $up;
$t->finish;
