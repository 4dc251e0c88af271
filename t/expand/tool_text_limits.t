#!/usr/bin/perl

# How much of the text of tools counts: 16 finds of a result, artifact_refs_max
# of a request, of which the oldest give way in steps, so that the bytes in
# front of them stay what they were; never is a session ended by them.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactTools;

my $t = ArtifactTest->new;

my $image = png(4, 4);
my $data = b64($image);

sub id { return sprintf '0190b000-1111-8222-9333-%012x', $_[0] }

$t->artifact(id($_), $image, { mimeType => 'image/png', name => "n$_.png" })
    for 0 .. 99;

my $eight = tool_location('artifact_refs_max 8;');
$eight =~ s{location /}{location /eight/}g;
my $pass = 'artifact_expand on; proxy_pass http://unix:%%PREFIX%%/echo:;';

my $echo = tool_server($t, $eight . <<"SERVER");
    location /five/ {
        artifact_refs_max 5;
        $pass
    }
    location /one/ {
        artifact_refs_max 1;
        $pass
    }
SERVER

sub ask {
    my ($uri, $body) = @_;
    return $t->req('POST', $uri, body => $body,
                   headers => ['Content-Type' => 'application/json']);
}

sub marker { return "[artifact:$_[0]]" }


# --- one result

sub result {
    my ($text) = @_;
    return '{"model":"sees","messages":[{"role":"user","content":[{"type":'
        . '"tool_result","tool_use_id":"a","content":"' . $text . '"}]}]}';
}

# Its parts, a string as one.

sub content {
    my ($res) = @_;
    my $content = json_of($res)->{messages}[0]{content}[0]{content};
    return ref $content ? $content : [{ type => 'text', text => $content }];
}

my $many = join ' ', map { marker(id($_)) } 0 .. 19;
my $content = content(ask('/v1/messages', result($many)));
is($content->[0]{text}, $many, 'twenty of a result: the text');
is(scalar @$content, 1 + 16, 'sixteen count');

$many = join ' ', map { marker(id($_ % 4)) } 0 .. 39;
$content = content(ask('/v1/messages', result("$many " . marker(id(9)))));
is(scalar @$content, 1 + 5, 'each once, wherever it stands again');

my @runs = map { content_of('image/png', 200 + $_) } 1 .. 18;
$many = join ' ', map { b64($_) } @runs;
$content = content(ask('/v1/messages', result($many)));
my @came = map { $_->{source}{data} // () } @$content;
is_deeply(\@came, [map { b64($_) } @runs[0 .. 15]], 'the first sixteen runs');

# ids of a page by the thousand, as markers and as mentions

my @ids = map { sprintf '0190c000-1111-8222-9333-%012x', $_ } 1 .. 5000;
for my $form ('artifact:%s', '[artifact:%s]', '%s') {
    my $page = join '\n', map { sprintf $form, $_ } @ids;
    my $res = ask('/v1/messages', result($page));
    is($res->{status}, 200, "5,000 of $form");
    my ($text, @rest) = @{ content($res) };
    ok($text->{text} eq $page =~ s/\\n/\n/gr, "5,000 of $form: the text");
    is(scalar @rest, $form =~ /^\[/ ? 16 : 0, "5,000 of $form: what follows");
}


# --- a request: the oldest give way in steps of half of the most

sub session {
    my ($n, $text) = @_;
    return '{"model":"sees","messages":[' . join(',', map {
        my $one = $text->($_);
        qq({"role":"assistant","content":[{"type":"tool_use","id":"t$_",)
        . qq("name":"f","input":{}}]},{"role":"user","content":[{"type":)
        . qq("tool_result","tool_use_id":"t$_","content":"$one"}]})
    } 0 .. $n - 1) . ']}';
}

# Of each result whether it got an image, as a string.

sub kept {
    my ($res) = @_;
    return "status $res->{status}" if $res->{status} != 200;
    return join '', map {
        my $content = $_->{content}[0]{content};
        ref $content && grep({ $_->{type} eq 'image' } @$content) ? 'x' : '.'
    } grep { $_->{role} eq 'user' } @{ json_of($res)->{messages} };
}

sub wanted {
    my ($n, $most) = @_;
    my $half = int($most / 2) || 1;
    my $over = $n > $most ? $n - $most : 0;
    my $cut = int(($over + $half - 1) / $half) * $half;
    $cut = $n if $cut > $n;
    return '.' x $cut . 'x' x ($n - $cut);
}

for my $case (['/v1/messages', 64, 63, 64, 65, 96, 97, 100],
              ['/eight/v1/messages', 8, 7 .. 21],
              ['/five/v1/messages', 5, 5 .. 9], ['/one/v1/messages', 1, 1 .. 4])
{
    my ($uri, $most, @turns) = @$case;
    for my $n (@turns) {
        is(kept(ask($uri, session($n, sub { 'at ' . marker(id($_[0])) }))),
           wanted($n, $most), "$n of at most $most");
    }
}

# pasted screenshots keep their short name

my @shots = map { content_of('image/png', 150 + $_) } 0 .. 64;
my $res = ask('/v1/messages', session(65, sub { 'at ' . b64($shots[$_[0]]) }));
is(kept($res), wanted(65, 64), '65 screenshots');
my @texts = $res->{body} =~ /"(at [^"]*)"/g;
is_deeply(\@texts, [map { 'at ' . names_of({ mime => 'image/png',
                                             bytes => $_ }) } @shots],
          '65 screenshots: their names');
unlike($res->{body}, qr/\Q${\ substr b64($shots[0]), -40}\E/,
       '65 screenshots: the first is gone');

# only references in slots are too many

my $slot = '{"type":"image","source":{"type":"url","url":"artifact:%s"}}';
my $slots = sub { join ',', map { sprintf $slot, id($_) } 1 .. $_[0] };
my $both = sub {
    return session(10, sub { marker(id($_[0])) }) =~ s/\]\}\z//r
        . ',{"role":"user","content":[' . $slots->($_[0]) . ']}]}';
};
is(ask('/eight/v1/messages', $both->(9))->{status}, 413, 'nine in slots');
$res = ask('/eight/v1/messages', $both->(8));
is($res->{status}, 200, 'eight in slots, and ten finds');
my $images = () = $res->{body} =~ /"data":"\Q$data\E"/g;
cmp_ok($images, '>=', 8, 'eight in slots: all of them');

# thousands of finds in hundreds of results

my $n = 0;
$res = ask('/v1/messages', session(300, sub {
    join ' ', map { marker(id($n++ % 100)) } 1 .. 16 }));
is($res->{status}, 200, '4,800 finds');
$images = () = $res->{body} =~ /"data":"\Q$data\E"/g;
cmp_ok($images, '<=', 64, '4,800 finds: no more than 64 images');


# --- turn by turn: what was sent before is sent again, but for the steps

my @kinds = (sub { 'x ' . marker(id($_[0])) },
             sub { 'y ' . b64($shots[$_[0]]) . ' ' . marker(id($_[0])) },
             sub { 'z ' . marker(sprintf '0190d000-1111-8222-9333-%012x',
                                 @_) });

for my $api (@APIS) {
    for my $model (qw(sees reads new)) {
        my (@batches, $before, $breaks, $tail);
        my $uri = '/eight' . uri_of($api, $model);

        for my $turn (0 .. 19) {
            my $kind = $turn % 3 == 1 && $model eq 'new' ? 0 : $turn % 3;
            my $text = $kinds[$kind]->($turn);
            push @batches, [{ string => $api !~ /^(?:gemini|bedrock)/,
                              texts => [{ pieces => [[$text, $text]] }] }];
            my @pieces = request_of($api, $model, @batches);
            $tail = length $pieces[-1];

            my $res = ask($uri, join '', map { ref $_ ? $_->{was} : $_ }
                                         @pieces);
            is($res->{status}, 200, "$api, $model, turn $turn")
                if $res->{status} != 200;
            my $body = substr $res->{body}, 0, -$tail;
            $breaks .= substr($body, 0, length $before) eq $before ? '.' : 'x'
                if defined $before;
            $before = $body;
        }

        # with "y" two finds a turn; where runs stay there is none

        my ($finds, $cut, $want) = (0, 0, '');
        for my $turn (0 .. 19) {
            $finds += $turn % 3 == 1 && $model ne 'new' ? 2 : 1;
            my $now = $finds > 8 ? int(($finds - 8 + 3) / 4) * 4 : 0;
            $want .= $now > $cut ? 'x' : '.' if $turn;
            $cut = $now;
        }
        is($breaks, $want, "$api, $model: the prefix stays");
    }
}

$echo->stop;
$t->finish;
