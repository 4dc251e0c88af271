#!/usr/bin/perl

# The invariants of the routing, over random artifacts, declared types and
# capability sets, on keep-alive connections:
#
#   1  binary content never stands in a text field
#   2  text content is never encoded
#   3  the same kind and capabilities always give the same decision
#   4  every answer is complete, of the right shape and types
#   5  what a reader cannot take degrades to a description

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;

my $COUNT = 300;

my $t = ArtifactTest->new;
note('seed ', rand_seed(20260101));

my @types = (
    undef, 'text/plain', 'text/markdown', 'application/json', 'image/png',
    'image/jpeg', 'image/svg+xml', 'audio/mpeg', 'video/mp4',
    'application/pdf', 'application/zip', 'application/octet-stream',
    'image', '', 'nonsense', 'application/x-unknown', 'text/html',
    'TEXT/PLAIN; charset=UTF-8', 'application/msword', 'font/woff2',
);
my @caps = qw(text vision audio video file pdf tool_calling other);
my @makers = (\&png, \&jpeg, \&gif, \&webp, \&pdf, \&wav, \&mp3, \&mp4,
              \&docx, \&elf, \&webm, sub { zip_of('a' => rand_bytes(40)) },
              sub { gzip_of(rand_bytes(40)) });
my @letters = (
    map({ chr } 32 .. 127), "\n", "\t", "\r", 'é', '中', '文', '。',
    "\x{1f600}", "\x{2028}", "\x{fffd}",
);


sub pick { return $_[rand_int(scalar @_)] }


# kind (text, bytes, or made) and content

sub random_content {
    my $what = rand_int(4);

    if ($what <= 1) {
        my $n = 1 + pick(rand_int(8), rand_int(200), rand_int(20000));
        return ('text', bytes(join '', map { pick(@letters) } 1 .. $n));
    }
    if ($what == 2) {
        my $n = 8 + pick(rand_int(8), rand_int(500), rand_int(30000));
        return ('bytes', "\0" . rand_bytes($n));
    }
    return ('made', pick(@makers)->());
}


my @artifacts;
for my $n (1 .. $COUNT) {
    my ($kind, $content) = random_content();
    my $type = pick(@types);
    push @artifacts, [$kind, $content, $type];
    $t->artifact("r$n", $content, pick(0, 1, 1)
        ? { defined $type ? (type => $type) : (), name => "名$n" } : undef);
}

$t->start;

my (@malformed, @leaked, @encoded, @changed, @differs, @undecided, @unequal);
my (%decision, %routings);
my $conn;

for my $n (1 .. $COUNT) {
    my ($kind, $content, $type) = @{ $artifacts[$n - 1] };

    for my $try (1 .. 2) {
        my %has = map { $_ => 1 } grep { rand_int(3) == 0 } @caps;
        my $caps = join ', ', sort keys %has;
        $caps = 'text' if $caps eq '';

        $conn = $t->connect if !$conn || $conn->{eof} || $n % 90 == 0;
        my $res = $conn->request('GET', "/artifacts/r$n", keep => 1,
            headers => ['X-LLM-Capabilities' => $caps]);
        my $case = "r$n ($kind, " . ($type // 'undeclared') . ", \"$caps\")";

        my $wrong = route_problems($res);
        push @malformed, "$case: $wrong" if $wrong;
        next if $wrong;

        my $data = json_of($res);
        my $meta = $data->{metadata};
        $routings{"$data->{contentType} $data->{routing}"}++;

        if ($data->{routing} ne 'text') {
            push @changed, $case if data_of($res) ne $content;
            push @leaked, $case
                if $data->{content} !~ /\A工件内容 \(.*\):\z/;

        } elsif ($data->{contentType} ne 'text') {
            push @leaked, $case
                if index($data->{content}, substr b64($content), 0, 24) >= 0
                   || length $data->{content} > 1000
                   || $data->{content} !~ /\A\[无法读取\] /;

        } elsif ($kind eq 'text') {
            push @encoded, $case if bytes($data->{content}) ne $content;

        } else {
            push @leaked, "$case as text" if $content =~ /\0/;
        }

        push @encoded, "$case as $meta->{binaryType}"
            if $kind eq 'text' && $data->{contentType} ne 'text'
               && (!defined $type || $type =~ m{^text/}i);
        push @unequal, $case if $meta->{size} != length $content;

        my $binary = $meta->{binaryType} // 'text';
        my $takes = $binary eq 'text' ? 'text'
            : $binary eq 'image' ? ($has{vision} ? 'image_url' : 'text')
            : $has{file} || ($binary =~ /^(audio|video)$/ && $has{$binary})
              || ($meta->{mimeType} eq 'application/pdf' && $has{pdf})
            ? 'file' : 'text';
        push @undecided, "$case: $binary to $data->{routing}"
            if $data->{routing} ne $takes;

        my $key = "$meta->{mimeType} $binary $caps";
        $decision{$key} //= $data->{routing};
        push @differs, $case if $decision{$key} ne $data->{routing};
    }
}

sub none {
    my ($name, @cases) = @_;
    is(scalar @cases, 0, $name) or diag(join "\n", splice @cases, 0, 10);
}

none('every answer is well-formed', @malformed);
none('binary content never stands in a text field', @leaked);
none('text content is never encoded or changed', @encoded);
none('routed bytes are the bytes of the file', @changed);
none('sizes are those of the files', @unequal);
none('the decision follows the table', @undecided);
none('the same decision for the same kind and capabilities', @differs);
is(join(' | ', sort keys %routings), 'binary file | binary text | '
   . 'image image_url | image text | text text', 'every outcome was met');
note(map { "$_: $routings{$_}\n" } sort keys %routings);

$t->finish;
