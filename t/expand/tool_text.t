#!/usr/bin/perl

# What tools returned, pasted into texts by clients: markers get what they stand
# for behind them, pasted base64 becomes a part, and all else stays the bytes
# that it was.  Random texts, for each API and four models, against a naive
# reference that knows how they were made (ArtifactTools).

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactTools;
use MIME::Base64 qw(decode_base64);

my $MIN = 256;          # characters
my $ROUNDS = 4;

my $seed = rand_seed(20261123);
diag("seed $seed, ART_SEED= sets another") if $ENV{ART_SEED};

my $t = ArtifactTest->new;

my @stored = map {
    my ($n, $mime) = @$_;
    my $find = { mime => $mime, bytes => content_of($mime, 300 + 7 * $n),
                 id => sprintf('0190a%03x-1111-8222-9333-%012x', $n, $n),
                 name => "file$n." . $mime =~ s{.*/}{}r };
    $t->artifact($find->{id}, $find->{bytes},
                 { mimeType => $mime, name => $find->{name} });
    $find;
} [1, 'image/png'], [2, 'image/png'], [3, 'image/jpeg'], [4, 'image/gif'],
    [5, 'image/webp'], [6, 'application/pdf'], [7, 'audio/wav'],
    [8, 'text/plain'], [9, 'application/zip'], [10, 'image/png'];
push @stored, { id => '0190afff-1111-8222-9333-ffffffffffff', missing => 1 };

# locations with usual buffers, and with such as leave bodies in files

my $echo = tool_server($t, tool_location('client_body_buffer_size 1k;')
                           =~ s{location }{location /small}gr);


# --- pieces: the text, what is wanted in its place (undef: the same), the find

sub pick { return $_[rand_int(scalar @_)] }

my @PROSE = ('see', 'Saved.', bytes('截图：已保存'), '{not json', "a\ttab",
             'C:\\new\\run', '"quoted"', bytes("\x{1f600}"), '50 % = 1/2 + 0',
             "two\nlines", '[1, 2]', '\\u0041', '<b>', 'data:', ';base64,',
             'data:image/png;base64,', 'artifact:', '[artifact:]', '[artifact',
             '0190a001-1111-8222-9333-000000000001',
             'file 0190a001-1111-8222-9333-000000000001.png');

# What looks like one and is none.

my $ID = '0190a001-1111-8222-9333-000000000001';
my $WS = 'ws:w1:' . b64url('a.png');
my @NONE = ("artifact:$ID", "(artifact:$ID)", "[artifact:$ID", "artifact:$ID\]",
            "[ artifact:$ID\]", "[artifact: $ID\]", "[artifact:$ID \]",
            "[artifact:shot]", "[artifact:$WS]", "[artifact:artifact:$ID]",
            "[artifact:${ID}0]", '[artifact:' . $ID =~ tr/-//dr . ']',
            '[artifact:' . substr($ID, 0, -1) . ']', "[Artifact $ID]",
            "[artifact:$ID/metadata]", "[artifact:${ID}#1]");

sub none {
    my $kind = rand_int(7);

    return pick(@NONE) if $kind < 3;
    return b64(content_of('application/zip', 300)) if $kind == 3;
    return b64('just a long text, again and again ' x 20) if $kind == 4;

    # glued to what could be base64 too, of either alphabet

    return pick('Q', '9', 'Zm9v') . b64(content_of('image/png', 200))
        if $kind == 5;

    # one byte less than counts; with its padding it would be enough

    my $less = $MIN / 4 * 3 - 1;
    my $content;
    for (my $more = 100; length($content // '') != $less; ) {
        $content = content_of('image/png', $more);
        $more += $less - length $content;
    }
    return b64($content);
}

my @WHOLE = qw(image/png image/png image/jpeg image/gif image/webp
               application/pdf audio/wav);

sub run {
    my $mime = pick(@WHOLE);
    my $more = 250 + rand_int(700);

    my %how = map { $_ => !rand_int(3) } qw(urlsafe bare crlf);
    $how{lines} = pick(60, 64, 76, 100) unless rand_int(3);
    $how{data} = pick($mime, "$mime;name=a.b", 'text/plain', '')
        unless rand_int(3);

    # a last line of full length could go on with what is behind it

    my $content = content_of($mime, $more);
    while ($how{lines}
           && length(spelled($content, bare => 1)) % $how{lines} == 0)
    {
        $content = content_of($mime, ++$more);
    }

    my $find = { mime => $mime, bytes => $content };
    my $text = spelled($content, %how);
    return [$text, names_of($find), $find, $how{lines}] if rand_int(4);

    # cut somewhere, where the end is none by chance

    my $length = $MIN + rand_int(length($text = spelled($content)) - $MIN - 40);
    $length++ if $length % 4 == 1;
    $text = substr $text, 0, $length;
    $find = { mime => $mime, cut => 1, bytes => decode_base64($text) };
    return run() if $find->{bytes} =~ /(?:;|\xff\xd9)\z/;

    $text =~ tr{+/}{-_} if $how{urlsafe};
    return ["$text..", names_of($find) . '..', $find];
}

sub marker {
    my $find = pick(@stored);
    my $text = "[artifact:$find->{id}]";
    return [$text, $text, $find];
}

sub piece {
    my $kind = rand_int(8);
    return $kind < 3 ? marker() : $kind < 5 ? run()
        : [$kind == 5 ? none() : pick(@PROSE)];
}


# --- texts: pieces between what belongs to none, escaped again and again

my @BETWEEN = (' ', ', ', ' "', '" ', "\n\n", "\n", ' (', ') ', ': ', '`',
               bytes('。'), '{"data":"', '"}');

sub text {
    my @pieces = ['Result:'];
    my $lines;
    for (1 .. 1 + rand_int(4)) {
        my $between = pick(@BETWEEN);
        $between = ' ' if $lines && $between =~ /^\n/;
        my ($text, $new, $find, $of_lines) = @{ piece() };
        $between = ' ' if $text =~ /^[\]\\]/ || $between eq ': ';
        push @pieces, [$between], [$text, $new, $find];
        $lines = $of_lines;
    }
    push @pieces, [' done'] if rand_int(2);

    for my $level (0 .. rand_int(4)) {
        my %how = map { $_ => !rand_int(3) } qw(slash unicode);
        $_->[0] = escaped($_->[0], %how) for @pieces;
        @pieces = (['{"content":[{"type":"text","text":"'], @pieces,
                   ['"}],"n":1}']) if !rand_int(2);
    }

    # the last time, for the string of the request

    my %last = map { $_ => !rand_int(3) } qw(slash unicode ascii);
    for (@pieces) {
        $_->[0] = escaped($_->[0], %last);
        $_->[1] = $_->[0] if !defined $_->[1] || $_->[2] && $_->[2]{id};
    }
    return { pieces => \@pieces };
}

sub result {
    my ($api) = @_;

    my @texts = map { text() } 0 .. rand_int(3);
    $_->{json} = $api eq 'bedrock' && !rand_int(2) for @texts;
    return { texts => \@texts,
             string => $api !~ /^(?:bedrock|gemini)/ && @texts == 1 };
}

# Bedrock takes five documents, and no audio in tool results; Mistral takes eight
# images.

sub fits {
    my ($api, @batches) = @_;

    my @mimes = map { $_->[2] && $_->[2]{mime} || () }
        map { @{ $_->{pieces} } } map { @{ $_->{texts} } } map { @$_ } @batches;
    return grep({ m{^image/} } @mimes) <= 8 if $api eq 'mistral';
    return 1 if $api ne 'bedrock';
    return grep({ $_ eq 'application/pdf' } @mimes) <= 5
        && !grep { $_ eq 'audio/wav' } @mimes;
}

for my $api (@APIS) {
    for my $model (qw(all sees reads new)) {
        for my $round (1 .. $ROUNDS) {
            my @batches;
            do {
                @batches = map { [map { result($api) } 0 .. rand_int(3)] } 1, 2;
            } until fits($api, @batches);

            my @pieces = request_of($api, $model, @batches);
            my $body = join '', map { ref $_ ? $_->{was} : $_ } @pieces;
            decode_strict($body);

            my $at = $round % 2 ? '/small' : '';
            my $res = $t->req('POST', $at . uri_of($api, $model), body => $body,
                headers => ['Content-Type' => 'application/json']);
            my $wrong = $res->{status} == 200
                ? answer_problems_of($res->{body}, @pieces)
                : "$res->{status} $res->{body}";
            is(bytes($wrong), '', "$api, $model, $round")
                or $ENV{ART_KEEP} && spew("$ENV{ART_KEEP}/$api.$model.$round",
                                          "$body\n\n$res->{body}\n");
        }
    }
}

$echo->stop;
$t->finish;
