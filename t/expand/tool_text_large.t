#!/usr/bin/perl

# What tools returned, by the megabyte: pasted images and long texts around
# them, whatever the buffers; and sessions that grow beyond what an API takes.

use strict;
use warnings;

use Compress::Zlib qw(crc32 memGzip);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactTools;

my $t = ArtifactTest->new;

# PNGs of a size

sub image {
    my ($size, $letter) = @_;
    my $more = 'tEXt' . $letter x $size;
    return substr(png(2, 2), 0, -12) . pack('N', $size) . $more
        . pack('N', crc32($more)) . substr png(2, 2), -12;
}

my @stored = map {
    my $find = { id => sprintf('0190a%03x-1111-8222-9333-%012x', $_, $_),
                 mime => 'image/png', name => "n$_.png",
                 bytes => image(200_000, chr 65 + $_) };
    $find->{data} = b64($find->{bytes});
    $t->artifact($find->{id}, $find->{bytes},
                 { mimeType => 'image/png', name => $find->{name} });
    $find;
} 0 .. 9;


sub locations {
    my ($name, $more) = @_;
    return tool_location($more) =~ s{location /}{location /$name/}gr;
}

my $echo = tool_server($t,
    locations('small', 'client_body_buffer_size 1k; aio threads;')
    . locations('memory', 'client_body_buffer_size 32m;')
    . locations('tight', 'artifact_body_max 1m;'));

sub ask {
    my ($uri, $body, @headers) = @_;
    return $t->req('POST', $uri, body => $body, headers => ['Content-Type' =>
        'application/json', @headers]);
}

sub body_of { return join '', map { ref $_ ? $_->{was} : $_ } @_ }

sub result_of {
    my ($api, @pieces) = @_;
    return { string => $api !~ /^(?:gemini|bedrock)/,
             texts => [{ pieces => [map { ref $_ ? $_ : [$_, $_] }
                                        @pieces] }] };
}

sub pasted_run {
    my ($bytes, %how) = @_;
    my $find = { mime => 'image/png', bytes => $bytes };
    return [escaped(spelled($bytes, %how)), names_of($find), $find];
}

sub marker_of { return ["[artifact:$_[0]{id}]", "[artifact:$_[0]{id}]", $_[0]] }


# --- large ones

my $large = image(500_000, 'x');
my $prose = 'words of a page, and more of them: \u00e9 \"a\/b\" ' x 3_000;
my @results = (
    [$prose, pasted_run($large, lines => 76, crlf => 1), ' and ',
     marker_of($stored[0]), " $prose"],
    [pasted_run($large, data => 'image/png'), " $prose", marker_of($stored[1]),
     pasted_run(image(200_000, 'y'), urlsafe => 1)],
);

for my $api (@APIS) {
    my @pieces = request_of($api, 'all', [map { result_of($api, @$_) }
                                              @results]);
    my $body = body_of(@pieces);
    for my $at ($api eq 'anthropic' ? ('', '/small', '/memory') : '') {
        my $res = ask($at . uri_of($api, 'all'), $body);
        is($res->{status} == 200 ? bytes(answer_problems_of($res->{body},
           @pieces)) : $res->{status}, '', "$api$at: megabytes");
    }
    next if $api ne 'anthropic';

    my $res = ask(uri_of($api, 'all'), memGzip($body),
                  'Content-Encoding' => 'gzip');
    is(bytes(answer_problems_of($res->{body}, @pieces)), '', "$api: in gzip");
}

# megabytes without an end, and such as are no image

for my $text ($prose, 'QUJD' x 500_000, '\\\\' x 500_000,
              'iVBORw0KGgo=' x 100_000, '[artifact:' x 100_000,
              '[artifact:0190a000-1111-8222-9333-00000000000' x 30_000,
              'data:image/png;base64,' x 50_000, '\\\\\\\\\/' x 100_000)
{
    my $body = body_of(request_of('openai', 'all',
                                  [result_of('openai', $text)]));
    my $name = substr $text, 0, 30;
    ok(ask('/openai/chat/completions', $body)->{body} eq $body, "stays: $name");
}


# --- more than an API takes: the oldest are described, in steps of half of it

my $L = 1 << 20;

for my $api (@APIS) {
    my $part = length $stored[0]{data};
    for my $n (3, 4, 6, 10) {
        my $body = body_of(request_of($api, 'all', map {
            [result_of($api, "turn $_ ", marker_of($stored[$_ - 1]))]
        } 1 .. $n));

        my $res = ask('/tight' . uri_of($api, 'all'), $body);
        is($res->{status}, 200, "$api, $n: 200") if $res->{status} != 200;
        cmp_ok(length $res->{body}, '<=', $L, "$api, $n: what it takes");

        my $kept = join '', map {
            index($res->{body}, $_->{data}) < 0 ? '.' : 'x';
        } @stored[0 .. $n - 1];

        # net of their descriptions, of some hundred bytes each

        my $over = length($body) + $n * ($part + 150) - $L;
        my $steps = $over > 0 ? int($over / ($L / 2)) + 1 : 0;
        my $gone = int($steps * $L / 2 / ($part - 150) + 0.999);
        is($kept, '.' x $gone . 'x' x ($n - $gone), "$api, $n: the newest");

        for my $turn (1 .. $n) {
            my $text = "turn $turn [artifact:$stored[$turn - 1]{id}]";
            fail("$api, $n: the text of turn $turn")
                if index($res->{body}, $text) < 0;
        }
    }

    # what came last is never dropped

    my @pieces = request_of($api, 'all', [result_of($api,
        map { marker_of($_) } @stored[0 .. 3])]);
    splice @pieces, -2, 1;
    my $body = body_of(@pieces);
    is(ask('/tight' . uri_of($api, 'all'), $body)->{status}, 413,
       "$api: too much in one turn");
}

$echo->stop;
$t->finish;
