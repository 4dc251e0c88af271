#!/usr/bin/perl

# Limits hold for what was derived: the request's budget, artifact_text_max,
# artifact_inline_max; and a text of it is decoded as any text is.

use strict;
use warnings;
use utf8;

use Digest::SHA qw(sha256_hex);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFit;
use ArtifactFixtures;
use ArtifactTest;

my $t = ArtifactTest->new;

my %content = some_scans();
$t->artifacts(\%content);

$t->file('map.json', fit_map());

my $converter = converter($t->prefix . '/convert',
    large => sub {
        my ($asked) = @_;
        return { type => 'image/jpeg',
                 body => jpeg_of(8, 8, $asked->{sha} x 100) };
    },
    long => sub {
        my ($asked) = @_;
        return { type => 'text/plain', body => "$asked->{sha}\n" x 90 };
    },
    chinese => { type => 'text/plain', body => bytes('一二三四五六七八九十') },
    gbk => { type => 'text/plain; charset=gbk',
             body => "\xc4\xe3\xba\xc3" x 9 },
    mark => { type => 'text/plain', body => "\xef\xbb\xbfwords" },
    utf16 => { type => 'text/plain', body => "\xff\xfew\0o\0r\0d\0s\0" },
);
my $echo = echoed($t);

my $pass = 'artifact_expand on; proxy_pass http://unix:%%PREFIX%%/echo:;';

$t->start(http => 'artifact_capabilities %%PREFIX%%/map.json;',
          server => fit_server('', <<"MORE"));
    location /budget/ {
        artifact_body_max 20k;
        artifact_derive image/tiff image/jpeg /c/large body;
        artifact_derive application/pdf text/plain /c/long body;
        $pass
    }
    location /cut/ {
        artifact_text_max 7;
        artifact_derive image text/plain /c/chinese body;
        $pass
    }
    location /gbk/ { artifact_derive image text/plain /c/gbk body; $pass }
    location /mark/ { artifact_derive image text/plain /c/mark body; $pass }
    location /utf16/ { artifact_derive image text/plain /c/utf16 body; $pass }
    location /inline/ {
        artifact_inline_max 1500;
        artifact_derive image image/jpeg /c/jpeg body;
        $pass
    }
MORE

sub ask {
    my ($uri, $body, @headers) = @_;
    my $res = $t->req('POST', $uri, body => $body,
        headers => ['Content-Type' => 'application/json', @headers]);
    return $res;
}

sub text_line {
    my ($id) = @_;
    my (undef, $mime, $name) = @{ $content{$id} };
    return "Content of $name, converted from $mime:\n";
}

sub turns {
    my ($model, @parts) = @_;
    return body_of('openai', $model, map { [$_] } @parts);
}

sub kinds {
    my ($res) = @_;
    return "status $res->{status}" if $res->{status} != 200;
    return join ' ', map { my ($part) = parts_in($_->{content});
        ref $part ? 'medium' : $part =~ /\A\[Unreadable\]/ ? 'words' : 'text' }
        grep { $_->{role} eq 'user' } @{ json_of($res)->{messages} };
}

# the converter makes 6.4 KB of 200 bytes: 8.7 KB of base64, of 20 KB

for (['two', 'medium medium', qw(tiff tif2)],
     ['three', 'words words medium', qw(tiff tif2 odd)],
     ['four', 'words words words medium', qw(tiff tif2 odd other)])
{
    my ($name, $want, @ids) = @$_;
    $converter->asked;
    my $body = turns('sees', map { slot('openai', 'image', "artifact:$_") }
                             @ids);
    my $res = ask('/budget/chat/completions', $body);
    is(kinds($res), $want, "budget: $name images");
    is($converter->names, join(' ', ('large') x @ids),
       "budget: $name images: all are converted first");
    is(ask('/budget/chat/completions', $body)->{body}, $res->{body},
       "budget: $name images: the same again");
}
my $body = turns('sees', map { inline_part('openai', 'image', 'image/tiff',
                                        $content{$_}[0]) } qw(tiff tif2 odd));
is(kinds(ask('/budget/chat/completions', $body)), 'words words medium',
   'budget: own images');

# 6.5 KB of text of each PDF

$t->artifact("pdf$_", pdf() . "%$_\n", { type => 'application/pdf',
                                         name => "$_.pdf" }) for 1 .. 4;
for (['three', 'text text text', 1 .. 3],
     ['four', 'words words text text', 1 .. 4])
{
    my ($name, $want, @ids) = @$_;
    is(kinds(ask('/budget/chat/completions', turns('reads', map {
        slot('openai', 'document', "artifact:pdf$_") } @ids))), $want,
       "budget: texts of $name documents");
}

# the last message's own

is(ask('/budget/chat/completions', body_of('openai', 'sees', map {
    slot('openai', 'image', "artifact:$_") } qw(tiff tif2 odd)))->{status}, 413,
   'budget: the last message alone is too large');

# a text is cut behind the line, at a character

my $res = ask('/cut/chat/completions', body_of('openai', 'reads',
    neutral_part('openai', 'artifact:tiff')));
is(bytes((parts_in(json_of($res)))[0]), text_line('tiff')
   . bytes('一二'), 'artifact_text_max');

# ... is decoded as any text is

$res = ask('/gbk/chat/completions', body_of('openai', 'reads',
    neutral_part('openai', 'artifact:tiff')));
is(bytes((parts_in(json_of($res)))[0]), text_line('tiff')
   . bytes('你好' x 9), 'a charset');
$res = ask('/mark/chat/completions', body_of('openai', 'reads',
    neutral_part('openai', 'artifact:tiff')));
is(bytes((parts_in(json_of($res)))[0]), text_line('tiff') . 'words',
   'a byte order mark');
$res = ask('/utf16/chat/completions', body_of('openai', 'reads',
    neutral_part('openai', 'artifact:tiff')));
is(bytes((parts_in(json_of($res)))[0]), text_line('tiff') . 'words', 'UTF-16');

# an original that is too large for its own type

$t->artifact('large', png_of(9, 9, 'x' x 3000), { type => 'image/png',
                                                  name => 'large.png' });
$converter->asked;
$res = ask('/inline/chat/completions', body_of('openai', 'sees',
    slot('openai', 'image', 'artifact:large')));
my ($got) = media_in(json_of($res));
is($got && $got->{bytes}, converted('jpeg', png_of(9, 9, 'x' x 3000)),
   'larger than artifact_inline_max');
is($converter->names, 'jpeg', 'is converted');

$_->stop for $converter, $echo;
$t->finish;
