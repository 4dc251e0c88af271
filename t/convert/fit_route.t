#!/usr/bin/perl

# Derived forms in routed answers: of artifacts, of files in workspaces and of
# proxied sources, in each format; metadata; HEAD, tags and conditions; and raw
# answers, which are never derived.

use strict;
use warnings;
use utf8;

use Digest::SHA qw(sha256_hex);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFit;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;

my $t = ArtifactTest->new;
my $created = '2026-01-01T00:00:00.000Z';

my %content = (
    heic => [heic(), 'image/heic', 'phone.HEIC'],
    scan => [png_of(9, 9, 'scan'), 'image/png', 'scan.png'],
    pdf => [pdf(), 'application/pdf', 'r.pdf'],
    docx => [docx(), 'application/vnd.openxmlformats-officedocument.'
             . 'wordprocessingml.document', 'letter.docx'],
    ogg => [ogg(), 'audio/ogg', 'voice.ogg'],
    note => ["a note\n", 'text/plain', 'a.txt'],
    nameless => [png_of(9, 9, 'no name'), 'image/png', undef],
);
$t->artifacts(\%content, createdAt => $created, messageId => 'm-1');
my $path = 'p/scan.png';
my $ws = ws_id('w1', $path);
$t->workspace_file('w1', $path, $content{scan}[0]);
$t->workspace_meta('w1', { $path => { mimeType => 'image/png',
                                      updatedAt => $created } });

my $map = fit_map();
push @{ $map->{services} }, { id => 'jpegs', accepts => ['image/jpeg'],
    capabilities => { input => ['text', 'vision'] } };
$t->file('map.json', $map);

my $converter = converter($t->prefix . '/convert',
    no => { status => 415 }, broken => { status => 500 },
    cut => { body => 'x' x 5000, type => 'text/plain', cut => 100 });
my $echo = echoed($t);
my $store = ArtifactUpstream->new($t->prefix . '/store', contents => {
    scan => { body => $content{scan}[0], type => 'image/png',
              headers => ['ETag: "s1"'] },
    heic => { body => heic(), type => 'image/heic' },
    large => { body => heic(9, 9, 'x' x 500_000), type => 'image/heic',
               headers => ['ETag: "l1"'] },
    note => { body => "a note\n", type => 'text/plain' },
    broken => { body => 'x', type => 'text/plain', status => 500 },
});

my $derive = <<'RULES';
    artifact_derive image/heic image/jpeg /c/jpeg body;
    artifact_derive application/pdf,image text/plain /c/text body;
    artifact_derive document text/markdown /c/markdown body;
RULES

# with a name each, what rules there are; the reader is named in headers

my @formats = qw(openai openai_responses openai_compatible anthropic
                 anthropic_citations gemini gemini_interactions bedrock mistral
                 openrouter mcp tool_message);

my $locations = join '', map { <<"LOCATION" } @formats, 'object';
    location /to-$_/ { artifact; artifact_format $_; artifact_route on; }
    location /plain-$_/ {
        artifact;
        artifact_format $_;
        artifact_route on;
        artifact_derive other text/plain /c/text body;
    }
LOCATION

$t->allow(qr/upstream/);
$t->start(http => 'artifact_capabilities %%PREFIX%%/map.json; '
          . 'log_format d "$uri|$artifact_derived|$artifact_reason"; ',
          server => fit_server($derive, $locations . <<'MORE'));
    access_log %%PREFIX%%/access.log d;

    location /a/ { artifact; artifact_route on;
                   add_header X-Derived $artifact_derived;
                   add_header X-Reason $artifact_reason; }
    location /zh/ { artifact; artifact_route on; artifact_language zh; }
    location /w/ { artifact_workspace; artifact_route on; }
    location /get/ {
        artifact; artifact_route on;
        artifact_derive image text/plain /c/text/;
    }
    location /w-get/ {
        artifact_workspace; artifact_route on;
        artifact_derive image text/plain /c/text/;
    }
    location /none/ {
        artifact; artifact_route on;
        artifact_derive other text/plain /c/text body;
    }
    location /vain/ {
        artifact; artifact_route on;
        artifact_derive image text/plain /c/no body;
    }
    location /vain-first/ {
        artifact; artifact_route on;
        artifact_derive image text/plain /c/no body;
        artifact_derive image text/plain /c/text body;
    }
    location /broken/ {
        artifact; artifact_route on;
        artifact_derive image text/plain /c/broken body;
    }
    location /cut/ {
        artifact; artifact_route on;
        artifact_derive image text/plain /c/cut body;
    }
    location /other-rule/ {
        artifact; artifact_route on;
        artifact_derive image text/plain /c/markdown body;
    }
    location /text-max/ { artifact; artifact_route on; artifact_text_max 9; }
    location /inline-max/ {
        artifact; artifact_route on; artifact_inline_max 1k;
        artifact_derive image image/jpeg /c/jpeg body;
    }
    location /always/ { artifact; artifact_route always; }
    location /raw/ { artifact; }
    location /s/ {
        artifact_decode on; artifact_route on;
        artifact_derive image/heic image/jpeg /c/jpeg/;
        artifact_derive image text/plain /c/text/;
        proxy_pass http://unix:%%PREFIX%%/store:/;
        add_header X-Derived $artifact_derived;
    }
    location /s-openai/ {
        artifact_decode on; artifact_route on; artifact_format openai;
        artifact_derive image/heic image/jpeg /c/jpeg/;
        proxy_pass http://unix:%%PREFIX%%/store:/;
    }
    location /s-body/ {
        artifact_decode on; artifact_route on;
        artifact_derive image text/plain /c/text body;
        proxy_pass http://unix:%%PREFIX%%/store:/;
    }
    location /s-vain/ {
        artifact_decode on; artifact_route on;
        artifact_derive image text/plain /c/no/;
        artifact_derive image text/plain /c/text/;
        proxy_pass http://unix:%%PREFIX%%/store:/;
    }
    location /s-broken/ {
        artifact_decode on; artifact_route on;
        artifact_derive image text/plain /c/broken/;
        proxy_pass http://unix:%%PREFIX%%/store:/;
    }
MORE

sub text_of {
    my ($id, $form, $language, $of) = @_;
    my ($body, $mime, $name) = @{ $content{$id} };
    my $line = ($language // '') eq 'zh' ? "工件内容 ($name, 由 $mime 转换):\n"
        : "Content of $name, converted from $mime:\n";
    return $line . converted($form, $of // $body);
}

# --- the format "route"

for (['/a', 'scan', 'text'], ['/a', 'pdf', 'text'], ['/a', 'docx', 'markdown'],
     ['/a', 'heic', 'text'], ['/zh', 'scan', 'text'],
     ['/zh', 'docx', 'markdown'])
{
    my ($uri, $id, $form) = @$_;
    my $name = "$uri/$id";
    my ($body, $mime, $file) = @{ $content{$id} };
    my $type = $form eq 'text' ? 'text/plain' : 'text/markdown';

    $converter->asked;
    my $res = $t->accept('text', "$uri/$id");
    my $data = json_of($res);
    my ($asked, @more) = $converter->asked;

    is($res->{status}, 200, "$name: 200");
    header_is($res, 'Content-Type', 'application/json', "$name: JSON");
    is(key_order($data), 'contentType routing content metadata',
       "$name: its keys");
    is("$data->{contentType} $data->{routing}", 'text text',
       "$name: what is delivered");
    is($data->{content}, text_of($id, $form, $uri eq '/zh' ? 'zh' : 'en'),
       "$name: the text under its line");
    is($asked->{sha}, sha256_hex($body), "$name: what was asked");
    is(scalar @more, 0, "$name: once");

    my $meta = $data->{metadata};
    my @keys = split / /, key_order($meta);
    is(join(' ', @keys[0 .. 6]),
       'id type filename mimeType derivedType size createdAt',
       "$name: the metadata's keys");
    is("@$meta{qw(id type filename mimeType derivedType size createdAt)}",
       "$id $mime $file $mime $type @{[length $body]} $created",
       "$name: the original's");
    ok(!exists $meta->{reason} && !exists $meta->{requires}
       && !exists $meta->{suggestedServices}, "$name: no reason");
}

my $res = $t->accept('text', '/a/scan');
is($res->header('X-Derived'), 'text/plain', '$artifact_derived');
is($res->header('X-Reason') // '', '', '$artifact_reason is empty');
$res = $t->accept('vision', '/a/scan');
is($res->header('X-Derived') // '', '', '$artifact_derived of the original');
is(routing_of($res), 'image image_url image/png', 'which goes as it is');
ok(!exists json_of($res)->{metadata}{derivedType}, 'without derivedType');
$res = $t->accept('text', '/none/scan');
is(routing_of($res), 'image text image/png capability', 'no rule: words');
is(route_problems($res), '', 'as ever');

# an image for one that takes only JPEG

for my $id (qw(scan heic)) {
    my ($body, $mime, $file) = @{ $content{$id} };
    $res = $t->service('jpegs', "/a/$id");
    my $data = json_of($res);
    if ($id eq 'scan') {
        is("$data->{contentType} $data->{routing}", 'text text',
           'the text of a PNG for one that takes JPEG only');
        next;
    }
    is("$data->{contentType} $data->{routing}", 'image image_url',
       'a JPEG of a HEIC');
    is(key_order($data), 'contentType routing content imageUrl metadata',
       'its keys');
    is($data->{imageUrl}{image_url}{url}, 'data:image/jpeg;base64,'
       . b64(converted('jpeg', $body)), 'the image');
    is($data->{content}, 'Artifact content (phone.jpg):',
       'the name in the line has the new extension');
    is("@{$data->{metadata}}{qw(type filename mimeType derivedType size)}",
       "$mime $file $mime image/jpeg @{[length $body]}", 'its metadata');
    is($data->{metadata}{binaryType}, 'image', 'its kind');
}

# limits

$res = $t->accept('text', '/text-max/scan');
my $data = json_of($res);
is($data->{content}, "Content of scan.png, converted from image/png:\n"
   . substr(converted('text', $content{scan}[0]), 0, 9), 'artifact_text_max');
ok($data->{metadata}{truncated}, 'which is told');
is($data->{metadata}{size}, length $content{scan}[0], "the original's size");

$t->artifact('large', png_of(9, 9, 'x' x 3000), { type => 'image/png',
                                                  name => 'large.png' });
$data = json_of($t->accept('vision', '/inline-max/large'));
is($data->{routing}, 'image_url', 'larger than artifact_inline_max');
is($data->{imageUrl}{image_url}{url} // '', 'data:image/jpeg;base64,'
   . b64(converted('jpeg', png_of(9, 9, 'x' x 3000))), 'a smaller one');

# by GET

$converter->asked;
is(json_of($t->accept('text', '/get/scan'))->{content},
   text_of('scan', 'text', 'en', '=scan'), 'by GET');
is(join(' ', map { "$_->{method} $_->{uri}" } $converter->asked),
   'GET /text/scan', 'as it was asked');

# workspaces

for my $uri ("/w/w1/$path", "/a/$ws") {
    $data = json_of($t->accept('text', $uri));
    is($data->{content}, text_of('scan', 'text'),
       "$uri: a file of a workspace");
    is($data->{metadata}{derivedType}, 'text/plain', "$uri: derivedType");
    is($data->{metadata}{relativePath}, $path, "$uri: its path");
}
$converter->asked;
is(json_of($t->accept('text', "/w-get/w1/$path"))->{content} =~ /\n(.*)/s && $1,
   (converted('text', "=$ws") =~ /(.*)/s)[0], 'a workspace by GET');
like(join(' ', map { "$_->{method} $_->{uri}" } $converter->asked),
     qr{\AGET /text/ws(?::|%3A)w1(?::|%3A)\w+\z}, 'as it was asked');

# route always: text only, for who names nothing

is(json_of($t->get('/always/scan'))->{content}, text_of('scan', 'text'),
   'route always');

# --- the other formats

for my $format (@formats) {
    $res = $t->accept('text', "/to-$format/scan?tool_call_id=c1");
    is($res->{status}, 200, "$format: 200");
    $data = json_of($res);
    my $want = text_of('scan', 'text');
    $data = json_of({ body => bytes($data->{content}) })
        if $format eq 'tool_message';
    like(join('|', strings($data)), qr/(?:\A|\|)\Q$want\E(?:\z|\|)/,
         "$format: text") or diag($res->{body});
    isnt($t->accept('text', "/plain-$format/scan?tool_call_id=c1")->{body},
         $res->{body}, "$format: which is not the words");
}

sub strings {
    my ($data) = @_;
    return map { strings($_) } @$data if ref $data eq 'ARRAY';
    return map { strings($data->{$_}) } sort keys %$data
        if ref $data eq 'HASH';
    return $data // ();
}

for my $format (qw(openai openai_responses openai_compatible anthropic
                   anthropic_citations bedrock mistral openrouter))
{
    $res = $t->accept('vision', "/to-$format/heic");
    my ($got) = media_in([json_of($res)]);
    is($got && "$got->{mime} " . sha256_hex($got->{bytes}),
       'image/jpeg ' . sha256_hex(converted('jpeg', heic())),
       "$format: a JPEG of a HEIC");
}
$converter->asked;
for my $format (qw(gemini gemini_interactions)) {
    $res = $t->accept('vision', "/to-$format/heic");
    like($res->{body}, qr{image/heic}, "$format: HEIC as it is");
}
is($converter->names, '', 'nobody is asked');

# for programs it is the content itself

$data = json_of($t->accept('text', '/to-object/scan'));
is($data->{content}, b64($content{scan}[0]), 'object: the content itself');
is($data->{mimeType}, 'image/png', 'object: its type');
is($converter->names, '', 'nobody is asked');

# --- HEAD, tags, conditions

my $one = $t->accept('text', '/a/scan');
my $tag = $one->header('ETag');
ok(length($tag // ''), 'a derived answer has a tag');
is($t->accept('text', '/a/scan')->header('ETag'), $tag, 'the same again');
isnt($t->accept('text', '/none/scan')->header('ETag'), $tag,
     'another one than the words');
isnt($t->accept('vision', '/a/scan')->header('ETag'), $tag,
     'another one than the image');
isnt($t->accept('text', '/other-rule/scan')->header('ETag'), $tag,
     'another one than by another rule');
like($one->header('Vary') // '', qr/X-LLM-Capabilities/i, 'Vary');
is($one->header('Accept-Ranges'), undef, 'no ranges');

$converter->asked;
my $not = $t->accept('text', '/a/scan', 'If-None-Match' => $tag);
is($not->{status}, 304, 'If-None-Match: 304');
is($not->header('ETag'), $tag, 'with the tag');
is($converter->names, '', 'without asking');
my $head = $t->head('/a/scan', 'X-LLM-Capabilities' => 'text');
is($head->{status}, 200, 'HEAD');
is($head->header('ETag'), $tag, 'with the tag');
header_is($head, 'Content-Type', 'application/json', 'and the type');
is($converter->names, '', 'without asking');
my $length = $head->header('Content-Length');
ok(!defined $length || $length == length $one->{body},
   'no length that is not the body\'s');
is($t->accept('text', '/a/scan', 'If-None-Match' => '"x"')->{status}, 200,
   'another tag: 200');
is($converter->names, 'text', 'which asks');
is($t->accept('text', '/a/scan', Range => 'bytes=0-1')->{status}, 200,
   'no ranges of it');
$converter->asked;

my $date = $one->header('Last-Modified');
is($t->accept('text', '/a/scan', 'If-Modified-Since' => $date)->{status}, 304,
   'If-Modified-Since') if defined $date;

# one that was made after a rule in vain has none

for my $uri (qw(/vain/scan /vain-first/scan)) {
    $res = $t->accept('text', $uri);
    is($res->{status}, 200, "$uri: 200");
    is($res->header('ETag'), undef, "$uri: no tag");
    is($t->accept('text', $uri, 'If-None-Match' => '*')->{status}, 200,
       "$uri: nothing matches it") if $uri eq '/none';
}
is(routing_of($t->accept('text', '/vain/scan')),
   'image text image/png capability', 'in vain: words');
is(json_of($t->accept('text', '/vain-first/scan'))->{content},
   text_of('scan', 'text'), 'in vain, then not');
$converter->asked;

# the original changes

$t->artifact('scan', png_of(9, 9, 'other'), { type => 'image/png',
    createdAt => $created, name => 'scan.png' });
$res = $t->accept('text', '/a/scan', 'If-None-Match' => $tag);
is($res->{status}, 200, 'the original has changed');
isnt($res->header('ETag'), $tag, 'another tag');
is(json_of($res)->{content}, text_of('scan', 'text', 'en',
   png_of(9, 9, 'other')), 'another text');
$t->artifact('scan', $content{scan}[0], { type => 'image/png',
    createdAt => $created, name => 'scan.png' });

# failures

for my $uri (qw(/broken/scan /cut/scan)) {
    error_is($t->accept('text', $uri), 502, undef, undef, "$uri: 502");
}
$converter->asked;
is($t->accept('text', '/a/gone')->{status}, 404, 'what is not there');
is($converter->names, '', 'nobody is asked');

# --- proxied sources: without a body

$store->requests;
$res = $t->accept('text', '/s/scan');
$data = json_of($res);
is($data->{routing}, 'text', 'a proxied source');
like($data->{content}, qr/converted from image\/png:\n\Q@{[
     converted('text', '=scan')]}\E\z/, 'its text');
is($data->{metadata}{derivedType}, 'text/plain', 'its derivedType');
is($data->{metadata}{mimeType}, 'image/png', 'its mimeType');
is($res->header('X-Derived'), 'text/plain', 'its $artifact_derived');
is(join(' ', map { "$_->{method} $_->{uri}" } $converter->asked),
   'GET /text/scan', 'as it was asked');
is(join(' ', $store->requests), 'GET /scan', 'the store was asked once');

is(json_of($t->accept('vision', '/s/scan'))->{routing}, 'image_url',
   'as it is for one who sees');
is($converter->names, '', 'without asking');
for my $id (qw(heic large)) {
    my ($got) = media_in([json_of($t->accept('vision', "/s-openai/$id"))]);
    is($got && $got->{bytes}, converted('jpeg', "=$id"),
       "a proxied $id: JPEG for OpenAI");
}
is(routing_of($t->accept('text', '/s-body/scan')),
   'image text image/png capability', 'a rule with a body is passed over');
$converter->asked;
like(json_of($t->accept('text', '/s-vain/scan'))->{content},
     qr/\Q@{[converted('text', '=scan')]}\E\z/, 'in vain, then not');
is($converter->names, 'no text', 'in order');
is($t->accept('text', '/s-vain/scan')->header('ETag'), undef, 'without a tag');
is($t->accept('text', '/s-broken/scan')->{status}, 502, 'one that fails');
is(json_of($t->accept('text', '/s/note'))->{content}, "a note\n",
   'text needs no other form');
is($t->accept('text', '/s/none')->{status}, 404, 'what is not there');
my $status = $t->accept('text', '/s/broken')->{status};
cmp_ok($status, '>=', 500, 'a store that fails');
$converter->asked;
$tag = $t->accept('text', '/s/scan')->header('ETag');
if (defined $tag) {
    $converter->asked;
    is($t->accept('text', '/s/scan', 'If-None-Match' => $tag)->{status}, 304,
       'If-None-Match of a proxied source');
    is($converter->names, '', 'without asking');
}
is($t->head('/s/scan', 'X-LLM-Capabilities' => 'text')->{status}, 200,
   'HEAD of a proxied source');

# --- raw

$converter->asked;
for my $id (qw(scan heic docx)) {
    for my $uri ("/a/$id", "/raw/$id") {
        $res = $t->get($uri);
        ok($res->{body} eq $content{$id}[0], "$uri: raw");
        is($res->header('Content-Type'), $content{$id}[1], "$uri: its type");
    }
}
is($t->get('/a/scan', Range => 'bytes=0-3')->{status}, 206, 'ranges of raw');
is($t->get('/s/scan')->{body}, $content{scan}[0], 'raw of a proxied source');
$data = json_of($t->get('/a/scan/metadata'));
ok(!exists $data->{derivedType}, 'metadata have no derivedType');
is($converter->names, '', 'nobody is asked');

# the log knows

$t->wait_for(qr/\|\|/, 'access.log');
like(slurp($t->prefix . '/access.log'), qr{^/a/scan\|text/plain\|-?$}m,
     '$artifact_derived in the log');

$_->stop for $converter, $echo, $store;
$t->finish;
