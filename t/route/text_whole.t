#!/usr/bin/perl

# Text is judged by more than its first bytes: what is binary further on is no
# text, and a stream that turns out to be none is cut there, in a whole answer.

use strict;
use warnings;
use utf8;

use Encode qw(encode);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;

rand_seed(11);

my $junk = rand_bytes(300_000);
my $script = "#!/bin/sh\n" . "echo installing\n" x 400;
my $text = "one line of plain text\n" x 20_000;

my $t = ArtifactTest->new;

my %body = (
    installer => $script . $junk,
    late => $text . $junk,
    hole => $text . "\0" x 100_000 . $text,
    crash => $text . "\0" x 4096 . "the end\n",
    blob => $text . join('', map { "INSERT '$_\0'\n" } 1 .. 900),
    mixed => join('', map { bytes("中文 and words\n") x 2000
                            . encode('gbk', "另一种编码的一行\n") x 20 } 1 .. 4),
    good => $text,
);
my $socket = $t->prefix . '/up.sock';
my $upstream = ArtifactUpstream->new($socket, contents => {
    map { $_ => { body => $body{$_}, type => 'text/plain' } } keys %body
});

$t->allow(qr/artifact should be text, but is not/);
$t->start(server => <<"SERVER");
    artifact_root %%DATA%%;
    artifact_route on;

    location /artifacts/ {
        artifact;
    }
    location /up/ {
        proxy_pass http://unix:$socket:/;
    }
SERVER

my $n = 0;

sub routing {
    my ($content, $meta) = @_;
    my $id = 'w' . ++$n;
    $t->artifact($id, $content, $meta);
    my $res = $t->accept('text, file', "/artifacts/$id");
    my $wrong = route_problems($res);
    return $wrong ? "malformed: $wrong" : routing_of($res);
}

# files: the middle and the end count; libmagic 5.46 has a name for mailboxes,
# whatever is in them

my $octets = 'binary file application/octet-stream';
my $mailbox = qr{^binary file application/(?:octet-stream|mbox)$};
my %binary = (
    'a shell installer' => $script . $junk,
    'a short one' => $script . substr($junk, 0, 3000),
    'text, binary, text' => $text . $junk x 4 . $text,
    'a text that ends in NULs' => $text . "\0" x 3000,
    'a mailbox with a binary end' =>
        "From a\@b Mon Jan  1 00:00:00 2024\nSubject: x\n\n"
        . "words\n" x 900 . $junk,
);
for my $what (sort keys %binary) {
    my $wanted = $what =~ /mailbox/ ? $mailbox : qr/^\Q$octets\E$/;

    like(routing($binary{$what}, undef), $wanted, "$what, undeclared");
    like(routing($binary{$what}, { type => 'text/plain' }), $wanted,
         "$what, declared text/plain");
    like(routing($binary{$what}, { type => 'application/x-sh' }), $wanted,
         "$what, declared a script");
    like(routing($binary{$what}, { name => 'a.html' }), $wanted,
         "$what, named HTML");
}
is(routing("<svg xmlns='http://www.w3.org/2000/svg'>" . 'x' x 9000 . $junk,
           undef), $octets, 'a picture of markup that is none');
is(routing(encode('UTF-16', 'words ' x 9000) . $junk, undef), $octets,
   'UTF-16 with a binary end');

my $mb = bytes("第一行的中文字\n" x 60_000);
for my $pad (0 .. 3) {
    is(routing('x' x $pad . $mb, undef), 'text text text/plain',
       "a long Chinese text, shifted by $pad");
    is(routing(('x' x $pad) . encode('gbk', "中文的一行字\n" x 9000), undef),
       'text text text/plain', "a long one in GBK, shifted by $pad");
}
is(routing('plain words ' x 900 . encode('gbk', "这是后面的中文内容\n" x 900),
           undef), 'text text text/plain', 'ASCII, then GBK');
is(routing(encode('UTF-16LE', "\x{feff}" . 'слова ' x 9000), undef),
   'text text text/plain', 'a long text in UTF-16');
is(routing($text . "caf\xe9\n" . $text, undef), 'text text text/plain',
   'a stray byte in a long text');

# streams: nothing but the beginning is known

for my $name (qw(installer late hole)) {
    my $res = $t->accept('text', "/up/$name");
    is(route_problems($res), '', "$name: the answer is whole");
    is(routing_of($res), 'text text text/plain', "$name: a text");
    my $data = json_of($res);
    is($data->{metadata}{truncated} ? 1 : 0, 1, "$name: that was cut");
    ok(index($data->{content}, $name eq 'installer' ? $script : $text) == 0,
       "$name: with what could be read");
    unlike($res->body, qr/(?:\xef\xbf\xbd){9000}/, "$name: not as garbage");
}
for my $name (qw(crash blob)) {
    my $res = $t->accept('text', "/up/$name");
    is(route_problems($res), '', "$name: the answer is whole");
    (my $want = $body{$name}) =~ s/\0/\x{fffd}/g;
    my $data = json_of($res);
    ok($data->{content} eq $want, "$name: U+FFFD in place of each NUL");
    ok(!$data->{metadata}{truncated}, "$name: nothing was cut");
}
for my $name (qw(good mixed)) {
    my $res = $t->accept('text', "/up/$name");
    is(route_problems($res), '', "$name: the answer is whole");
    is(routing_of($res), 'text text text/plain', "$name: a text");
}
like($t->log, qr/artifact should be text, but is not after \d+ bytes/,
     'the log tells why');

# blank texts and long names

for my $blank (" \n\t\n", "\xef\xbb\xbf", "\xff\xfe", bytes("\x{3000}\n"),
               "\xfe\xff\0 \0\n")
{
    my $id = 'blank' . ++$n;
    $t->artifact($id, $blank, { type => 'text/plain', name => 'b.txt' });
    my $res = json_of($t->accept('text', "/artifacts/$id"));
    unlike($res->{content}, qr/\x{feff}/, 'no mark is part of a text');
}

my $long = ('名' x 200) . '.tar.gz';
$t->artifact('long', png(), { type => 'image/png', name => $long });
my $name = json_of($t->accept('vision', '/artifacts/long'))
    ->{metadata}{filename};
cmp_ok(length bytes($name), '<=', 255, 'a file name of at most 255 bytes');
like($name, qr/^名+\.gz$/, 'its extension is kept');

$t->finish;
$upstream->stop;
