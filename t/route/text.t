#!/usr/bin/perl

# Texts as JSON strings: every character, stray bytes, sizes, and the cut of
# artifact_text_max.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;

my $t = ArtifactTest->new;
my $n = 0;

# A location for each limit around the characters of the sample.

my $sample = "aé中\x{1f600}\"\n\\é中\x{1f600}z";
my $length = length bytes($sample);
my $cuts = join '', map {
    "location /max$_/ { artifact; artifact_text_max $_; }\n"
} 1 .. $length + 1;

$t->start(server => <<"SERVER");
    artifact_root %%DATA%%;
    artifact_route on;

    location /artifacts/ {
        artifact;
    }
    location /none/ {
        artifact;
        artifact_text_max 0;
    }
$cuts
SERVER

sub answer {
    my ($content, $type, $location) = @_;
    my $id = 't' . ++$n;
    $t->artifact($id, $content, { type => $type || 'text/plain' });
    my $res = $t->accept('text', ($location || '/artifacts/') . $id);
    my $wrong = route_problems($res);
    return { content => "malformed: $wrong" } if $wrong;
    return json_of($res);
}

# what is valid comes out as it is

my %texts = (
    'Chinese' => "床前明月光，疑是地上霜。\n"
        . "举头望明月，低头思故乡。\n",
    'emoji' => "\x{1f600}\x{1f468}\x{200d}\x{1f469}\x{200d}\x{1f467}",
    'quotes and backslashes' => q{"\\"\\\\'/},
    'line ends' => "a\nb\r\nc\rd\n\n",
    'separators' => "a\x{2028}b\x{2029}c\x{85}d\x{a0}e",
    'the edges of UTF-8' => "\x{7f}\x{80}\x{7ff}\x{800}\x{d7ff}\x{e000}"
        . "\x{ffff}\x{10000}\x{10ffff}\x{fffd}",
    'a single letter' => 'x',
    'one line feed' => "\n",
    'white space' => " \t \n",
    'what looks like JSON' => '{"contentType":"image","routing":"file"}',
    'what looks like base64' => 'QUJD' x 100,
    'an escape' => '\\u4e2d\\n',
    'a data URL' => 'data:image/png;base64,AAAA',
    'HTML' => '<script>alert("x")</script>',
);
for my $what (sort keys %texts) {
    my $data = answer(bytes($texts{$what}));
    is($data->{content}, $texts{$what}, "$what, verbatim");
    is($data->{metadata}{size}, length bytes($texts{$what}),
       "$what, the size in bytes");
    ok(!exists $data->{metadata}{truncated}, "$what, not truncated");
}

like($t->accept('text', '/artifacts/t1')->body,
     qr/"content":"\Q@{[bytes('床前明月光')]}\E/,
     'Chinese stands in the answer byte for byte');

my $controls = join '', map { "char $_ <" . chr($_) . ">\n" } 1 .. 31, 127;
is(answer($controls)->{content}, $controls, 'all control characters');

my $every = join '', map { chr } 0x20 .. 0xd7ff, 0xe000 .. 0xffff,
    0x10000 .. 0x107ff;
is(answer(bytes($every))->{content} eq $every, 1,
   'every character of the basic plane');

my $data = answer('');
is("$data->{contentType} $data->{content}", 'text ', 'an empty file');
is($data->{metadata}{size}, 0, 'its size');
$t->artifact('void', '', undef);
is(route_problems($t->accept('text', '/artifacts/void')), '',
   'an empty file without a sidecar');

my $long = bytes(join '', map { "第 $_ 行: \"text\"\\\t\x{1f600}\n" }
                 1 .. 120_000);
cmp_ok(length $long, '>', 3_000_000, 'a text of 3 MB');
$data = answer($long);
ok(bytes($data->{content}) eq $long, 'comes out verbatim');

for my $pad (0 .. 7) {
    my $text = 'x' x $pad . bytes("中\x{1f600}é" x 8000);
    ok(bytes(answer($text)->{content}) eq $text,
       "characters over buffer edges, shifted by $pad");
}

# what is not valid

my $words = 'some words of plain text before ';
my %stray = (
    'a lone byte' => ["\xff", qr/\x{fffd}/],
    'a lone continuation' => ["\x80", qr/\x{fffd}/],
    'Latin-1' => ["caf\xe9 au lait", qr/caf\x{fffd} au lait/],
    'a lead byte before a letter' => ["\xc3x", qr/\x{fffd}x/],
    'a cut character' => ["\xe4\xb8x", qr/\x{fffd}{1,2}x/],
    'a cut emoji' => ["\xf0\x9f\x98x", qr/\x{fffd}{1,3}x/],
    'an overlong slash' => ["\xc0\xaf", qr/\x{fffd}{1,2}/],
    'a surrogate' => ["\xed\xa0\x80", qr/\x{fffd}{1,3}/],
    'beyond Unicode' => ["\xf4\x90\x80\x80", qr/\x{fffd}{1,4}/],
    'a stray byte between characters' =>
        [bytes('中') . "\xfe" . bytes('文'), qr/中\x{fffd}文/],
);
for my $what (sort keys %stray) {
    my ($bytes, $re) = @{ $stray{$what} };
    my $data = answer("$words$bytes$words");
    is($data->{routing}, 'text', "$what: text all the same");
    like($data->{content}, qr/\A\Q$words\E$re\Q$words\E\z/,
         "$what: U+FFFD and nothing lost");
}
like(answer("$words\xe4\xb8")->{content}, qr/\A\Q$words\E\x{fffd}{1,2}\z/,
     'a character cut by the end of the file');
$data = answer("$words\xff" x 3000);
is($data->{content}, "$words\x{fffd}" x 3000, 'thousands of stray bytes');

# artifact_text_max

$t->artifact('sample', bytes($sample), { type => 'text/plain' });
for my $max (1 .. $length + 1) {
    my $res = $t->accept('text', "/max$max/sample");
    my $meta = json_of($res)->{metadata};

    my $want = $sample;
    chop $want while length bytes($want) > $max;

    is(route_problems($res), '', "cut at $max is well-formed");
    is(json_of($res)->{content}, $want, "cut at $max");
    is($meta->{size}, $length, "cut at $max keeps the size");
    if ($max < $length) {
        ok(is_bool($meta->{truncated}) && $meta->{truncated},
           "cut at $max is flagged");
    } else {
        ok(!exists $meta->{truncated}, "whole at $max is not flagged");
    }
}
is(answer($long, 'text/plain', '/none/')->{metadata}{truncated}, undef,
   'no limit is no cut');
is(answer($long, 'text/plain', '/max7/')->{metadata}{size}, length $long,
   'the size of a long text that is cut');

my $res = $t->accept('text', '/max7/sample');
is($res->header('Content-Type'), 'application/json', 'a cut text is JSON');

$t->artifact('picture', png(), { type => 'image/png' });
ok(data_of($t->accept('vision', '/max7/picture')) eq
   slurp($t->data . '/artifacts/picture'), 'the limit is none for binaries');

$t->finish;
