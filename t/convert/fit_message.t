#!/usr/bin/perl

# Derived forms in messages with attachments: processed as what they have
# become, in every format; nothing is told of them as of what a model cannot
# take; and what becomes of a message when a converter fails.

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

my %content = (
    heic => [heic(), 'image/heic', 'phone.heic'],
    scan => [png_of(9, 9, 'scan'), 'image/png', 'scan.png'],
    docx => [docx(), 'application/vnd.openxmlformats-officedocument.'
             . 'wordprocessingml.document', 'letter.docx'],
    zip => [zip_of('a.txt' => 'x'), 'application/zip', 'a.zip'],
    note => ["a note\n", 'text/plain', 'a.txt'],
);
$t->artifacts(\%content);
$t->file('map.json', fit_map());

my $converter = converter($t->prefix . '/convert', no => { status => 415 },
    broken => { status => 500 }, cut => { body => 'x' x 50_000, cut => 9,
                                          type => 'text/plain' },
    large => sub { return { type => 'text/plain',
                            body => "$_[0]{sha}\n" x 1000 } });
my $echo = echoed($t);
my $store = ArtifactUpstream->new($t->prefix . '/store', contents => {
    scan => { body => $content{scan}[0], type => 'image/png' },
    map { ("more$_" => { body => $content{scan}[0] . 'z' x $_,
                         type => 'image/png' }) } 1 .. 3 });

my $derive = <<'RULES';
    artifact_derive image/heic image/jpeg /c/jpeg body;
    artifact_derive image text/plain /c/text body;
    artifact_derive document text/markdown /c/markdown body;
RULES

$t->allow(qr/upstream/);
$t->start(http => 'artifact_capabilities %%PREFIX%%/map.json;',
          server => fit_server($derive, <<'MORE'));
    location = /route { artifact_message; }
    location = /zh { artifact_message; artifact_language zh; }
    location = /none {
        artifact_message;
        artifact_derive other application/pdf /c/pdf body;
    }
    location = /vain {
        artifact_message;
        artifact_derive image image/jpeg /c/no body;
        artifact_derive image text/plain /c/no body;
    }
    location = /next {
        artifact_message;
        artifact_derive image text/plain /c/no body;
        artifact_derive image text/plain /c/text body;
    }
    location = /broken {
        artifact_message;
        artifact_derive image text/plain /c/broken body;
    }
    location = /cut {
        artifact_message;
        artifact_derive image text/plain /c/cut body;
    }
    location = /large {
        artifact_message;
        artifact_derive image text/plain /c/large body;
    }
    location = /text-max {
        artifact_message;
        artifact_text_max 9;
    }
    location = /get {
        artifact_message;
        artifact_derive image text/plain /c/text/;
    }
    location = /store {
        artifact_message;
        artifact_source /s/;
    }
    location /s/ {
        internal;
        rewrite ^/s/(.*) /$1 break;
        proxy_pass http://unix:%%PREFIX%%/store:;
    }
MORE

sub ask {
    my ($uri, $service, @ids) = @_;
    return $t->req('POST', $uri, may_break => 1, body => encode_json_bytes({
        payload => { text => 'look', attachments => [map { "artifact:$_" }
                                                         @ids] },
        service => $service }));
}

sub content {
    my ($data) = @_;
    my $content = $data->{processedContent};
    return @{ ref $content eq 'ARRAY' ? $content
              : $content->{parts} || $content->{content} };
}

sub text_of {
    my ($id, $form, $language) = @_;
    my ($body, $mime, $name) = @{ $content{$id} };
    my $line = ($language // '') eq 'zh' ? "工件内容 ($name, 由 $mime 转换):\n"
        : "Content of $name, converted from $mime:\n";
    return $line . converted($form, $body);
}

# texts

for (['/route', 'scan', 'text'], ['/route', 'docx', 'markdown'],
     ['/zh', 'scan', 'text', 'zh'], ['/zh', 'docx', 'markdown', 'zh'],
     ['/route', 'heic', 'text'])
{
    my ($uri, $id, $form, $language) = @$_;
    my $name = "$uri, $id";
    $converter->asked;

    my $res = ask($uri, 'reads', $id);
    is($res->{status}, 200, "$name: 200");
    my $data = json_of($res);
    my ($text, $part, @more) = content($data);
    is($text->{text}, 'look', "$name: the message's text");
    is($part->{type}, 'text', "$name: a text");
    is($part->{text}, text_of($id, $form, $language), "$name: under its line");
    is(scalar @more, 0, "$name: one part");
    is_deeply($data->{unsupportedAttachments}, [],
              "$name: none is unsupported");
    is($data->{textDescription}, '', "$name: nothing is described")
        if defined $data->{textDescription};
    ok($data->{canProcess}, "$name: it can be processed");

    my ($asked, @again) = $converter->asked;
    is("$asked->{method} $asked->{name} $asked->{sha}", "POST $form "
       . sha256_hex($content{$id}[0]), "$name: what was asked");
    is(scalar @again, 0, "$name: once");
}

# media

my $res = ask('/route', 'sees', 'heic', 'scan', 'note');
my $data = json_of($res);
my (undef, @parts) = content($data);
is($parts[0]{image_url}{url} // '', 'data:image/jpeg;base64,'
   . b64(converted('jpeg', $content{heic}[0])), 'route takes HEIC or a JPEG')
    if ($parts[0]{image_url}{url} // '') !~ m{^data:image/heic};
is($parts[1]{image_url}{url}, 'data:image/png;base64,' . b64($content{scan}[0]),
   'PNG as it is');
is($parts[2]{text}, "a note\n", 'text as it is');
ok($data->{canProcess}, 'all can be processed');
$converter->asked;

for my $format (qw(openai openai_responses openai_compatible anthropic
                   anthropic_citations bedrock mistral openrouter))
{
    my (undef, @got) = map { [parts_in([$_])] }
        content(json_of(ask("/route?format=$format", 'sees', 'heic', 'docx')));
    my ($image) = grep { ref } map { @$_ } @got;
    my ($text) = grep { !ref } map { @$_ } @got;
    is($image && "$image->{mime} " . sha256_hex($image->{bytes}), 'image/jpeg '
       . sha256_hex(converted('jpeg', $content{heic}[0])), "$format: a JPEG");
    is($text, text_of('docx', 'markdown'), "$format: a text");
    is($converter->names, 'jpeg markdown', "$format: each is asked once");
}

# beside what it cannot take

$data = json_of(ask('/route', 'reads', 'scan', 'zip', 'docx', 'gone', 'note'));
@parts = content($data);
is(scalar @parts, 6, 'five attachments');
is($parts[1]{text}, text_of('scan', 'text'), 'the first');
is($parts[3]{text}, text_of('docx', 'markdown'), 'the third');
is($parts[5]{text}, "a note\n", 'the fifth');
is(join(' ', map { $_->{artifactRef} } @{ $data->{unsupportedAttachments} }),
   'artifact:zip artifact:gone', 'two are unsupported');
unlike($data->{textDescription}, qr/scan|letter/, 'and described, no others');
ok(!$data->{canProcess}, 'so that it cannot be processed');

# no rule, in vain, the next

for my $uri (qw(/none /vain)) {
    $data = json_of(ask($uri, 'reads', 'scan'));
    is(join(' ', map { $_->{artifactRef} }
            @{ $data->{unsupportedAttachments} }), 'artifact:scan',
       "$uri: unsupported");
    ok(!$data->{canProcess}, "$uri: it cannot be processed");
}
is(ask('/vain', 'reads', 'scan')->{body}, ask('/none', 'reads', 'scan')->{body},
   'in vain is as without rules');
$converter->asked;
is((content(json_of(ask('/next', 'reads', 'scan'))))[1]{text},
   text_of('scan', 'text'), 'the next rule');
is($converter->names, 'no text', 'in order');

# limits

is((content(json_of(ask('/text-max', 'reads', 'scan'))))[1]{text},
   "Content of scan.png, converted from image/png:\n"
   . substr(converted('text', $content{scan}[0]), 0, 9), 'artifact_text_max');
is((content(json_of(ask('/large', 'reads', 'scan'))))[1]{text},
   "Content of scan.png, converted from image/png:\n"
   . (sha256_hex($content{scan}[0]) . "\n") x 1000, 'a long text');

# by GET, and of a proxied source

$converter->asked;
is((content(json_of(ask('/get', 'reads', 'scan'))))[1]{text},
   "Content of scan.png, converted from image/png:\n"
   . converted('text', '=scan'), 'by GET');
is(join(' ', map { "$_->{method} $_->{uri}" } $converter->asked),
   'GET /text/scan', 'as it was asked');
like((content(json_of(ask('/store', 'reads', 'scan'))))[1]{text},
     qr/converted from image\/png:\n\Q@{[converted('text',
        $content{scan}[0])]}\E\z/, 'of a proxied source, with its bytes');
is(join(' ', map { "$_->{method} $_->{sha}" } $converter->asked),
   'POST ' . sha256_hex($content{scan}[0]), 'as it was asked');

for my $more (1 .. 3) {
    ask('/store', 'reads', "more$more");
    is(join(' ', map { $_->{sha} } $converter->asked),
       sha256_hex($content{scan}[0] . 'z' x $more),
       "of a proxied source: $more more bytes");
}

# A failure is that of a source: before its first byte the attachment is
# described, with its reference; a text that breaks off is not taken for whole.

for my $uri (qw(/broken /cut)) {
    $res = ask($uri, 'reads', 'scan');
    if ($res->{complete}) {
        is($res->{status}, 200, "$uri: 200");
        $data = json_of($res);
        ok(!$data->{canProcess}, "$uri: it cannot be processed");
        like($res->{body}, qr/artifact:scan/, "$uri: its reference");
    } else {
        fail("$uri: breaks off") if $uri eq '/broken';
    }
    unlike($res->{body}, qr/"text":"[^"]*x{9}"/, "$uri: no half a text");
}

# none twice

$converter->asked;
$data = json_of(ask('/route', 'reads', 'scan', 'docx', 'scan'));
is($_->[0]{text}, $_->[1], 'in order') for
    map { [(content($data))[$_->[0]], text_of($_->[1], $_->[2])] }
    [1, 'scan', 'text'], [2, 'docx', 'markdown'], [3, 'scan', 'text'];

$_->stop for $converter, $echo, $store;
$t->finish;
