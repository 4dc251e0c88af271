#!/usr/bin/perl

# Markers and pasted base64 in the text of tools, spelling by spelling: what is
# one, where it begins and ends, and what only looks like it.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactTools;
use MIME::Base64 qw(decode_base64);

my $t = ArtifactTest->new;

my $ID = '0190a001-1111-8222-9333-000000000001';
my $OTHER = '0190a002-1111-8222-9333-000000000002';
my $WORDS = '0190a003-1111-8222-9333-000000000003';
my $image = png(4, 4);
my $text = "words [artifact:$ID]";
$t->artifact($_, $image, { mimeType => 'image/png', name => 'shot.png' })
    for $ID, $OTHER;
$t->artifact($WORDS, $text, { mimeType => 'text/plain', name => 'a.log' });

my $echo = tool_server($t);


# --- one content, with "+", "/" and two "=" in its base64; the first of them
# soon, since what stands behind a "/" could be URL-safe

my ($pasted, $more);
do { $pasted = content_of('image/png', 310 + $more++) }
    until length($pasted) % 3 == 1 && b64($pasted) =~ m{^.{0,200}\+.*/}
          && length(b64($pasted)) % 59 > 9;
my $find = { mime => 'image/png', bytes => $pasted };
my $NAME = names_of($find);
my $B = b64($pasted);
my $SAFE = $B =~ tr{+/}{-_}r;
my $BARE = $B =~ s/=+\z//r;

sub lines { return spelled($pasted, lines => $_[0]) =~ s/\n/$_[1]/gr }


# The string of a tool's result, its bytes between the quotes, and what becomes
# of them; the contents that follow.

sub becomes {
    my ($name, $raw, $want, @follow) = @_;

    my $body = '{"model":"all","messages":[{"role":"user","content":[{"type":'
        . '"tool_result","tool_use_id":"a","content":%s}]}]}';
    my $res = $t->req('POST', '/v1/messages',
                      body => sprintf($body, qq("$raw")),
                      headers => ['Content-Type' => 'application/json']);
    my @parts = map { ',' . (ref $_ ? '{"type":"image","source":{"type":'
        . '"base64","media_type":"image/png","data":"' . b64($$_) . '"}}'
        : qq({"type":"text","text":"$_"})) } @follow;
    is($res->{body}, sprintf($body, @parts
        ? qq([{"type":"text","text":"$want"}) . join('', @parts) . ']'
        : qq("$want")), $name);
}

sub is_run { becomes(@_, \$pasted) }

sub stays { becomes($_[0], $_[1], $_[1]) }


# --- where a run begins and ends

is_run('nothing else', $B, $NAME);
is_run('at the beginning', "$B.", "$NAME.");
is_run('at the end', "see $B", "see $NAME");
is_run("before it $_", "x$_$B y", "x$_$NAME y")
    for '\n', '\r\n', '\t', '\"', '\\\\n', '\\\\\"', '\u00e9', '\uff1A',
        '\u0022', ' ', ',', '(', '`', '>', ':', '=', '.', "\xe3\x80\x82",
        '\u003e', '\u003D';
is_run("behind it $_", "x $B$_", "x $NAME$_")
    for '\n', '\ny', '\r\ny', '\t', '\"', '\\\\n', '\\\\\"', '\u00e9', '...',
        ')',
        ',', ' y', "\xe3\x80\x82", '<', '\\\\u003c';
is_run("without padding, behind it $_", "x $BARE$_", "x $NAME$_")
    for '\n', '\ny', '\t', '\"', '\\\\n', '\\\\\"', '\u00e9', '...', ' y', '<';
is_run('and a text in the next line', "$B\\nand more", "$NAME\\nand more");

for my $before ('x', '9', '/', '+', 'img/', 'QUJD', '\/', '\\\\/', '\\\\\/',
                'img\\\\/', '\u002f', '\u002B', '\\\\u002b', 'x\\\\u002f')
{
    stays("glued to $before", "see $before$B");
}


# --- how it is spelled

is_run("\"/\" as $_", "a $B" =~ s{/}{$_}gr, "a $NAME")
    for '\/', '\\\\/', '\\\\\/', '\\\\\\\\\/', '\u002f', '\u002F', '\\\\u002f',
        '\\\\\\\\u002F';
is_run("\"+\" as $_", "a $B" =~ s{\+}{$_}gr, "a $NAME")
    for '\u002b', '\u002B', '\\\\u002b', '\\\\\\\\u002B';
is_run("\"=\" as $_", "a $B." =~ s{=}{$_}gr, "a $NAME.")
    for '\u003d', '\u003D', '\\\\u003d', '\\\\\\\\u003D';
is_run('URL-safe', "a $SAFE b", "a $NAME b");
is_run('URL-safe without padding', "a $SAFE" =~ s/=+//r, "a $NAME");
is_run('without padding', "a $BARE", "a $NAME");

for my $break ('\n', '\r\n', '\u000a', '\u000D\u000A', '\\\\n', '\\\\r\\\\n',
               '\\\\u000d\\\\u000a')
{
    for my $width (60, 64, 76, 100) {
        is_run("lines of $width, $break", 'a ' . lines($width, $break) . ' b',
               "a $NAME b");
    }
    stays("lines of $_, $break", lines($_, $break)) for 40, 59, 101;
}
is_run('a text behind a line', lines(76, '\n') . '\nand more',
       "$NAME\\nand more");
is_run('a text behind an empty line', lines(64, '\r\n') . '\r\n\r\nmore',
       "$NAME\\r\\n\\r\\nmore");


# --- its data: prefix

is_run("a prefix $_", "a \\\"$_$B\\\"", "a \\\"$NAME\\\"")
    for 'data:image/png;base64,', 'data:image\/png;base64,', 'data:;base64,',
        'data:image/png;name=a.png;base64,', 'data:text/plain;base64,',
        'data:application/octet-stream;base64,';

my $long = 'data:image/png;name=' . 'n' x 100 . ';base64,';
is_run('128 characters of it', substr($long, 0, 20)
    . 'n' x (108 - length ';base64,') . ";base64,$B", $NAME);
is_run('a prefix that is too long', substr($long, 0, 20) . 'n' x 300
    . ";base64,$B", substr($long, 0, 20) . 'n' x 300 . ";base64,$NAME");


# --- several

my $second = content_of('image/png', 400);
my $name2 = names_of({ mime => 'image/png', bytes => $second });
my $b2 = b64($second);
becomes("two, $_ between", "$B$_$b2", "$NAME$_$name2", \$pasted, \$second)
    for ' ', ',', '\",\"', ', data: ', '\n\n', '|';


# --- what is none

my $none = substr $BARE, 0, int(length($BARE) / 4) * 4 - 3;
stays('a length of 1 modulo 4', "a $none b");
stays('too short', 'a ' . b64(png(2, 2)) . ' b');
stays('no signature', 'a ' . b64('x' x 1000) . ' b');
stays('an archive', 'a ' . b64(content_of('application/zip', 800)));
stays('a program', 'a ' . b64(elf()));
stays('text', b64("%!PS\n" . 'words ' x 100));


# --- what is cut: its name, and why there is nothing to see

for my $left (260, 262, 263) {
    my $cut = substr $BARE, 0, $left;
    my $bytes = decode_base64($cut . '=' x (-$left % 4));
    my $name = names_of({ mime => 'image/png', bytes => $bytes });
    my $raw = "a $cut... (truncated)";

    my $res = $t->req('POST', '/v1/messages', headers => ['Content-Type' =>
        'application/json'], body => '{"model":"all","messages":[{"role":'
        . '"user","content":[{"type":"tool_result","tool_use_id":"a",'
        . qq("content":"$raw"}]}]}));
    my $content = json_of($res)->{messages}[0]{content}[0]{content};
    is(difference($content, [
        { type => 'text', text => "a $name... (truncated)" },
        { type => 'text', text => described({ cut => 1 }) }], ''), '',
        "$left characters of it");
}


# --- markers

my $M = "artifact:$ID";

sub is_marker { becomes(@_[0, 1, 1], \$image) }

is_marker("a marker as $_->[0]$_->[1]", "a $_->[0]$M$_->[1] b")
    for ['[', ']'], ['\\\\[', '\\\\]'], ['\\\\\\\\[', '\\\\\\\\]'],
        ['\\\\[', ']'], ['[', '\\\\]'], ['\u005b', '\u005d'],
        ['\u005B', '\u005D'], ['\\\\u005b', '\\\\u005d'], ['[[', ']]'],
        ['x[', ']x'], ['\"[', ']\"'], ['\n[', ']\n'], ['[artifact:[', ']'],
        ['[artifact[', ']'];
becomes('two of them', "[$M][artifact:$OTHER]", "[$M][artifact:$OTHER]",
        \$image, \$image);
becomes('a marker and a run', "[$M]$B", "[$M]$NAME", \$image, \$pasted);
becomes('a run and a marker', "${B}[$M]", "${NAME}[$M]", \$pasted, \$image);
becomes('what is inserted is not searched', "[artifact:$WORDS]",
        "[artifact:$WORDS]", $text);
stays("no marker: $_", "a $_ b")
    for $M, "($M)", "[$M", "$M]", "[ $M]", "[$M ]", "[artifact: $ID]", "[$ID]",
        "[$M\\n]", '[artifact:\n' . "$ID]", "[$M.png]", "[${M}0]", "[$M,$M]",
        '[artifact:shot]', '[artifact:ws:w:YS5wbmc]', '[artifact:]',
        "[artifact:$M]", "{$M}", "<$M>", '[' . substr($M, 0, -1) . ']',
        '[artifact:' . $ID =~ tr/-//dr . ']', "[image:$ID]", "[Xartifact:$ID]";

$echo->stop;
$t->finish;
