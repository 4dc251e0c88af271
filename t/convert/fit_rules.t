#!/usr/bin/perl

# Which rule converts what: what a rule is for, what the reader takes, the
# order of rules, where they are inherited; and what nginx says of wrong ones.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFit;
use ArtifactFixtures;
use ArtifactTest;

my $t = ArtifactTest->new;

my %content = (
    heic => [heic(), 'image/heic', 'a.heic'],
    avif => [avif(), 'image/avif', 'a.avif'],
    tiff => [tiff_of(9, 9), 'image/tiff', 'a.tiff'],
    bmp => [bmp(), 'image/bmp', 'a.bmp'],
    png => [png(), 'image/png', 'a.png'],
    svg => [svg(), 'image/svg+xml', 'a.svg'],
    html => ["<!doctype html>\n<p>words</p>\n", 'text/html', 'a.html'],
    note => ["a note\n", 'text/plain', 'a.txt'],
    pdf => [pdf(), 'application/pdf', 'a.pdf'],
    docx => [docx(), 'application/vnd.openxmlformats-officedocument.'
             . 'wordprocessingml.document', 'a.docx'],
    ogg => [ogg(), 'audio/ogg', 'a.ogg'],
    wav => [wav(), 'audio/wav', 'a.wav'],
    mp4 => [mp4(), 'video/mp4', 'a.mp4'],
    zip => [zip_of('a.txt' => 'x'), 'application/zip', 'a.zip'],
);

$t->artifacts(\%content);

$t->file('map.json', fit_map());

# rules; and for contents what becomes of them: "jpeg" and its like are what
# the converter makes, "words" a description, "own" the content itself.  The
# reader takes all, but where a model stands before the content.

my @cases = (
    ['one type', 'image/heic image/jpeg /c/jpeg body;',
     heic => 'jpeg', avif => 'words', tiff => 'words', svg => 'own',
     pdf => 'own', docx => 'words', png => 'own', note => 'own'],
    ['in any case', 'Image/HEIC,IMAGE/avif IMAGE/Jpeg /c/jpeg body;',
     heic => 'jpeg', avif => 'jpeg', tiff => 'words'],
    ['several', 'image/heic,image/tiff,application/zip image/jpeg /c/jpeg '
     . 'body;', heic => 'jpeg', tiff => 'jpeg', zip => 'jpeg', avif => 'words'],
    ['a range', 'image/* image/jpeg /c/jpeg body;',
     heic => 'jpeg', avif => 'jpeg', tiff => 'jpeg', bmp => 'jpeg',
     png => 'own', svg => 'own', docx => 'words', zip => 'words'],
    ['a range in capitals', 'IMAGE/* image/jpeg /c/jpeg body;', bmp => 'jpeg'],
    ['application/*', 'application/* text/plain /c/text body;',
     docx => 'text', zip => 'text', pdf => 'own', heic => 'words',
     'reads pdf' => 'text'],
    ['video/*', 'video/* text/plain /c/text body;', mp4 => 'text',
     ogg => 'words'],
    ['images', 'image image/jpeg /c/jpeg body;',
     heic => 'jpeg', bmp => 'jpeg', png => 'own', svg => 'own',
     docx => 'words'],
    ['images in another case', 'IMAGE image/jpeg /c/jpeg body;',
     heic => 'jpeg'],
    ['audio', 'audio audio/mpeg /c/mp3 body;', ogg => 'mp3', wav => 'own',
     mp4 => 'words', 'sees ogg' => 'words', 'sees wav' => 'words'],
    ['video', 'video text/plain /c/text body;', mp4 => 'text', ogg => 'words'],
    ['documents', 'document text/markdown /c/markdown body;',
     docx => 'markdown', pdf => 'own', 'sees pdf' => 'markdown',
     zip => 'words', heic => 'words'],
    ['other', 'other text/plain /c/text body;', zip => 'text',
     docx => 'words', mp4 => 'words'],
    ['kinds and types', 'audio,application/zip,video/*,document text/plain '
     . '/c/text body;', ogg => 'text', zip => 'text', mp4 => 'text',
     docx => 'text', heic => 'words'],

    # what can be read as text is, unless the type itself is named

    ['SVG by its type', 'image/svg+xml image/jpeg /c/jpeg body;',
     svg => 'jpeg', 'sees svg' => 'jpeg', 'reads svg' => 'own',
     heic => 'words'],
    ['SVG by its type in capitals', 'IMAGE/SVG+XML image/png /c/png body;',
     svg => 'png'],
    ['SVG behind a kind', 'image,image/svg+xml image/jpeg /c/jpeg body;',
     svg => 'jpeg', heic => 'jpeg'],
    ['HTML by its type', 'text/html image/png /c/png body;',
     html => 'png', 'sees html' => 'png', 'reads html' => 'own', svg => 'own',
     note => 'own'],
    ['HTML by a range', 'text/* image/png /c/png body;',
     html => 'own', note => 'own'],
    ['other texts by their type', 'text/plain image/png /c/png body;',
     note => 'own'],

    # what the reader takes of what rules make

    ['not for one who does not see', 'image image/jpeg /c/jpeg body;',
     'reads heic' => 'words', 'reads png' => 'words', 'sees heic' => 'jpeg'],
    ['text for one who does not see', 'image text/plain /c/text body;',
     'reads heic' => 'text', 'reads png' => 'text', 'sees png' => 'own',
     'sees heic' => 'text'],
    ['a type that the API does not take', 'image image/tiff /c/tiff body;',
     heic => 'words'],
    ['a type that it takes by another name', 'image image/jpg /c/jpeg body;',
     heic => 'jpeg'],
    ['a document for one who sees', 'image application/pdf /c/pdf body;',
     'sees heic' => 'words', heic => 'pdf'],

    # order

    ['the first of two', 'image/heic image/jpeg /c/jpeg body; '
     . 'image image/png /c/png body;', heic => 'jpeg', avif => 'png'],
    ['the other way', 'image image/png /c/png body; '
     . 'image/heic image/jpeg /c/jpeg body;', heic => 'png', avif => 'png'],
    ['the first that the reader takes', 'image image/jpeg /c/jpeg body; '
     . 'image text/plain /c/text body;', 'sees heic' => 'jpeg',
     'reads heic' => 'text'],
    ['four, for one', 'audio audio/mpeg /c/mp3 body; document text/markdown '
     . '/c/markdown body; image/tiff image/png /c/png body; image image/jpeg '
     . '/c/jpeg body;', ogg => 'mp3', docx => 'markdown', tiff => 'png',
     heic => 'jpeg', mp4 => 'words'],
    ['with variables', 'image image/jpeg /c/$kind/x body;', heic => 'png'],
    ['with a variable for all', 'image image/jpeg $whole body;',
     heic => 'png'],
);

my $locations = join '', map {
    my $rules = join ' ', map { "artifact_derive $_;" }
        grep { /\S/ } split /;\s*/, $cases[$_][1];
    qq(location /case$_/ { $rules set \$kind png; set \$whole /c/png/y;
       artifact_expand on; proxy_pass http://unix:%%PREFIX%%/echo:; }\n);
} 0 .. $#cases;

my $http = <<'HTTP';
    artifact_capabilities %%PREFIX%%/map.json;
HTTP

my $converter = converter($t->prefix . '/convert');
my $echo = echoed($t);

$t->start(http => $http, server => fit_server('', $locations));

sub ask {
    my ($uri, $model, $id) = @_;
    my $body = body_of('openai', $model,
                       neutral_part('openai', "artifact:$id"));
    return $t->req('POST', "$uri/chat/completions", body => $body,
                   headers => ['Content-Type' => 'application/json']);
}

sub line_of {
    my ($id) = @_;
    return "Content of $content{$id}[2], converted from $content{$id}[1]:\n";
}

# What a content has become, in one word.

sub became {
    my ($res, $id, $model) = @_;
    return "status $res->{status}" if $res->{status} != 200;

    my ($part, @more) = parts_in(json_of($res));
    my $body = $content{$id}[0];
    return 'more parts' if @more;

    for my $name (qw(jpeg png mp3 pdf)) {
        return $name if ref $part && $part->{bytes} eq converted($name, $body);
    }
    for my $name (qw(text markdown)) {
        return $name if !ref $part
            && bytes($part) eq line_of($id) . converted($name, $body);
    }
    return 'own' if (ref $part ? $part->{bytes} : bytes($part)) eq $body;
    return 'words' if $res->{body} eq ask('/v1', $model, $id)->{body};
    return "something else: $res->{body}";
}

for my $n (0 .. $#cases) {
    my ($name, undef, @contents) = @{ $cases[$n] };
    while (my ($who, $want) = splice @contents, 0, 2) {
        my ($id, $model) = reverse split / /, $who;
        $model //= 'all';
        $converter->asked;
        is(became(ask("/case$n", $model, $id), $id, $model), $want,
           "$name: $who");
        is($converter->names, $want =~ /\A(?:own|words)\z/ ? '' : $want,
           "$name: $who: what is asked");
    }
}

# without a body, the id behind the URI if that ends so

my %odd = ('a b' => 'a%20b', 'a%41' => 'a%2541', 'q?x' => 'q%3Fx',
           'a#b' => 'a%23b', bytes('图') => '%E5%9B%BE', 'plain' => 'plain');
$t->artifact($_, heic(), { type => 'image/heic' }) for keys %odd;
$t->workspace_file('w', 'p/a.heic', heic());

$converter->asked;
$t->stop;
$t->start(http => $http . 'artifact_url https://files.example/a/;',
          server => fit_server('artifact_derive image image/jpeg /c/jpeg/;',
    <<'MORE'));
    location /fixed/ {
        artifact_derive image image/jpeg /c/jpeg/fixed;
        artifact_expand on; proxy_pass http://unix:%%PREFIX%%/echo:;
    }
    location /both/ {
        artifact_derive image image/jpeg /c/jpeg/;
        artifact_derive image image/png /c/png/ body;
        artifact_expand on; proxy_pass http://unix:%%PREFIX%%/echo:;
    }
    location /posted/ {
        artifact_derive image image/png /c/png/ body;
        artifact_expand on; proxy_pass http://unix:%%PREFIX%%/echo:;
    }
MORE

sub image_from {
    my ($uri, $part) = @_;
    my $res = $t->req('POST', "$uri/chat/completions",
        body => body_of('openai', 'sees', $part),
        headers => ['Content-Type' => 'application/json']);
    my ($medium) = media_in(json_of($res));
    return $medium ? $medium->{bytes} : "none: $res->{body}";
}

for my $id (sort keys %odd) {
    my $ref = 'https://files.example/a/' . uri($id) =~ s/%25/%25/gr;
    is(image_from('/v1', slot('openai', 'image', $ref)),
       converted('jpeg', "=$odd{$id}"), "GET: $odd{$id}");
    my ($asked) = $converter->asked;
    is("$asked->{method} $asked->{uri}", "GET /jpeg/$odd{$id}",
       "$odd{$id}: as it was asked");
}

my $ws = ws_id('w', 'p/a.heic');
image_from('/v1', slot('openai', 'image', "artifact:$ws"));
my ($asked) = $converter->asked;
my $colon = qr/:|%3A/;
like($asked->{uri},
     qr{\A/jpeg/ws${colon}w${colon}\Q@{[b64url('p/a.heic')]}\E\z},
     'the id of a file in a workspace');

is(image_from('/fixed', slot('openai', 'image', 'artifact:heic')),
   converted('jpeg', '=fixed'), 'no id behind another end');
is(join(' ', map { "$_->{method} $_->{uri}" } $converter->asked),
   'GET /jpeg/fixed', 'as it was asked');

my $own = inline_part('openai', 'image', 'image/heic', heic());
is(image_from('/both', $own), converted('png', heic()),
   'without an id the rule is passed over');
is(join(' ', map { "$_->{method} $_->{uri}" } $converter->asked),
   'POST /png/', 'and nothing stands behind the URI of the next');
like(image_from('/v1', $own), qr/^none.*Unreadable/s, 'words without a next');
is($converter->names, '', 'and nobody is asked');
image_from('/posted', slot('openai', 'image', 'artifact:heic'));
is(join(' ', map { "$_->{method} $_->{uri}" } $converter->asked),
   'POST /png/heic', 'with a body the id stands there, too');

# inheritance

$t->stop;
my $heic = 'artifact:heic';
$t->start(http => $http . 'artifact_derive image/heic image/png /c/png body; '
          . 'artifact_derive image/tiff image/png /c/png body;',
          server => fit_server('', <<'MORE'));
    location /own/ {
        artifact_derive image/avif image/jpeg /c/jpeg body;
        artifact_expand on; proxy_pass http://unix:%%PREFIX%%/echo:;
        location /own/inner/ {
            artifact_expand on; proxy_pass http://unix:%%PREFIX%%/echo:;
        }
        location /own/else/ {
            artifact_derive image/bmp image/jpeg /c/jpeg body;
            artifact_expand on; proxy_pass http://unix:%%PREFIX%%/echo:;
        }
    }
MORE
for (['/v1', heic => 'png', tiff => 'png', avif => 'words'],
     ['/own', heic => 'words', tiff => 'words', avif => 'jpeg'],
     ['/own/inner', heic => 'words', tiff => 'words', avif => 'jpeg'],
     ['/own/else', heic => 'words', avif => 'words', bmp => 'jpeg'])
{
    my ($uri, %want) = @$_;
    for my $id (sort keys %want) {
        my $res = ask($uri, 'all', $id);
        my ($part) = parts_in(json_of($res));
        my $is = !ref $part ? 'words'
            : (grep { $part->{bytes} eq converted($_, $content{$id}[0]) }
               qw(png jpeg))[0] // 'something else';
        is($is, $want{$id}, "inherited: $uri: $id");
    }
}
$t->stop;

# what nginx does not take, with its place

sub checked {
    my ($directive) = @_;
    return $t->conf_test(server => "\n\n" . fit_server("\n$directive\n"));
}

for (
    ['artifact_derive;', qr/invalid number of arguments/],
    ['artifact_derive image;', qr/invalid number of arguments/],
    ['artifact_derive image image/jpeg;', qr/invalid number of arguments/],
    ['artifact_derive image image/jpeg /c/x body more;', qr/"more"/],
    ['artifact_derive image image/jpeg /c/x body words more;',
     qr/invalid number of arguments/],
    ['artifact_derive image image/jpeg /c/x bodies;', qr/bodies/],
    ['artifact_derive image image/jpeg /c/x off;', qr/off/],
    ['artifact_derive picture image/jpeg /c/x;', qr/picture/],
    ['artifact_derive text image/jpeg /c/x;', qr/"text"/],
    ['artifact_derive image/ image/jpeg /c/x;', qr{image/}],
    ['artifact_derive /heic image/jpeg /c/x;', qr{/heic}],
    ['artifact_derive image/*/x image/jpeg /c/x;', qr{image/\*/x}],
    ['artifact_derive image/h* image/jpeg /c/x;', qr{image/h\*}],
    ['artifact_derive "" image/jpeg /c/x;', qr/artifact_derive/],
    ['artifact_derive "image," image/jpeg /c/x;', qr/artifact_derive|image,/],
    ['artifact_derive ",image" image/jpeg /c/x;', qr/artifact_derive|,image/],
    ['artifact_derive "image,,audio" image/jpeg /c/x;',
     qr/artifact_derive|image,,audio/],
    ['artifact_derive image image /c/x;', qr/"image"/],
    ['artifact_derive image image/* /c/x;', qr{image/\*}],
    ['artifact_derive image image/jpeg,image/png /c/x;',
     qr{image/jpeg,image/png}],
    ['artifact_derive image "" /c/x;', qr/artifact_derive|""/],
    ['artifact_derive image jpeg /c/x;', qr/jpeg/],
    ['artifact_derive image image/jpeg c/x;', qr{c/x}],
    ['artifact_derive image image/jpeg http://h/x;', qr{http://h/x}],
    ['artifact_derive image image/jpeg @words;', qr{\@words}],
    ['artifact_derive image image/jpeg "";', qr/artifact_derive|""/],
    ['artifact_derive_parallel;', qr/invalid number of arguments/],
    ['artifact_derive_parallel 0;', qr/artifact_derive_parallel|"0"/],
    ['artifact_derive_parallel -1;', qr/artifact_derive_parallel|-1|invalid/],
    ['artifact_derive_parallel few;', qr/few|invalid number/],
    ['artifact_derive_parallel 4; artifact_derive_parallel 5;', qr/duplicate/],
    ['artifact_derive_timeout;', qr/invalid number of arguments/],
    ['artifact_derive_timeout soon;', qr/invalid value|soon/],
    ['artifact_derive_timeout 1s; artifact_derive_timeout 2s;',
     qr/duplicate/],
) {
    my ($directive, $re) = @$_;
    my ($code, $out) = checked($directive);
    isnt($code, 0, "$directive is refused");
    like($out, qr/\[emerg\].*$re.* in \S+conftest\.conf:\d+/,
         "$directive: says what and where");
}

# ... and what it does

for my $directive (
    'artifact_derive image/heic image/jpeg /c/;',
    'artifact_derive image/heic image/jpeg /c/x body;',
    'artifact_derive image/heic image/jpeg /c/$host/ body;',
    'artifact_derive image/heic image/jpeg $uri body;',
    'artifact_derive image,audio,video,document,other text/plain /c/;',
    'artifact_derive application/vnd.x+json text/plain /c/;',
    'artifact_derive_parallel 1; artifact_derive_timeout 500ms;',
) {
    my ($code, $out) = checked($directive);
    is($code, 0, "$directive is accepted") or diag($out);
    unlike($out, qr/\[(?:warn|emerg)\]/, "$directive: silently");
}

# a location that is not there

for (['/nowhere/x', 1], ['/nowhere/', 1], ['/c/', 0], ['$host', 0]) {
    my ($uri, $warns) = @$_;
    my ($code, $out) = checked("artifact_derive image image/jpeg $uri;");
    is($code, 0, "$uri is accepted");
    is($out =~ m{\[warn\].*\Q$uri\E.* in \S+conftest\.conf:\d+} ? 1 : 0, $warns,
       "$uri: a warning of a location that is not there");
}

$_->stop for $converter, $echo;
$t->finish;
