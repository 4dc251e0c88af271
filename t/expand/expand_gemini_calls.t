#!/usr/bin/perl

# Media in the results of Gemini's calls: before gemini-3 they follow in a
# content of their own, behind the last of the consecutive results; since then
# they are parts of the result, if it takes their type.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactEcho;
use ArtifactFixtures;
use ArtifactJSON;
use ArtifactTest;

my $t = ArtifactTest->new;

my $png = png(30, 20);
my $mp3 = mp3();
my $big = png(64, 64) . 'x' x 700_000;

$t->artifact('shot', $png, { mimeType => 'image/png', name => 'shot.png' });
$t->artifact('song', $mp3, { mimeType => 'audio/mpeg', name => 'song.mp3' });
$t->artifact('big', $big, { mimeType => 'image/png', name => 'big.png' });
$t->artifact('note', 'some text', { mimeType => 'text/plain' });

my @all = qw(text vision audio file video);

$t->file('map.json', { services => [
    map { { id => $_->[0], model => $_->[0],
            capabilities => { input => $_->[1] } } }
    ['gemini-2.5-flash', \@all], ['gemini-3-flash', \@all],
    ['gemini-2.0-text', ['text']],
] });

my $echo = echo($t->prefix . '/echo');

$t->start(http => <<'HTTP', server => <<"SERVER");
    artifact_capabilities %%PREFIX%%/map.json;
    artifact_root %%DATA%%;
    artifact_language en;
HTTP
    location /artifacts/ {
        internal;
        artifact;
    }
    location / {
        artifact_expand on;
        client_body_buffer_size 16k;
        client_max_body_size 0;
        proxy_set_header X-Parts "\$artifact_expanded \$artifact_degraded";
        proxy_pass http://unix:@{[ $t->prefix ]}/echo:;
    }
    location /small/ {
        artifact_expand on;
        artifact_body_max 1200k;
        client_max_body_size 0;
        proxy_pass http://unix:@{[ $t->prefix ]}/echo:;
    }
SERVER

sub result {
    my ($name, %of) = @_;
    return { functionResponse => { name => $name, %of } };
}

sub user { return { role => 'user', parts => [@_] } }

sub data {
    my ($type, $bytes) = @_;
    return { inlineData => { mimeType => $type, data => b64($bytes) } };
}

sub led {
    my ($name, @part) = @_;
    return ({ text => "Artifact content ($name):" }, data(@part));
}

sub named {
    my ($name) = @_;
    return "Artifact content ($name): artifact:" . ($name =~ s/\..*//r);
}

sub file {
    my ($id) = @_;
    return { fileData => { fileUri => "artifact:$id" } };
}

my ($question, $call) = (user({ text => 'q' }),
                         { role => 'model', parts => [
                             { functionCall => { name => 'f', args => {} } },
                         ] });

# The contents that arrive; its counters.

sub arrived {
    my ($model, $contents, %opt) = @_;

    my $res = $t->req('POST',
        ($opt{at} // '') . "/v1beta/models/$model:generateContent",
        body => encode_json_bytes({ contents => $contents }),
        headers => ['Content-Type' => 'application/json']);
    is($res->status, 200, "$model: status") or return;
    my ($parts) = ($res->header('X-Head') // '') =~ /X-Parts: ([^|]*)/;
    return (decode_strict($res->body)->{contents}, $parts);
}

sub becomes {
    my ($model, $contents, $want, $name, $counts) = @_;
    my ($got, $parts) = arrived($model, $contents);
    is_deeply($got, $want, "$model: $name");
    is($parts, $counts, "$model: $name: \$artifact_expanded, _degraded")
        if $counts;
}

# two calls at a time, their results in two contents

my @history = ($question, $call,
    user(result(f => response => { output => 'artifact:shot' })),
    user(result(g => response => { a => 1 },
                parts => [file('song'), file('note')])),
    $call);

becomes('gemini-2.5-flash', \@history, [
    $question, $call,
    user(result(f => response => { output => named('shot.png') })),
    user(result(g => response => {
        a => 1, artifacts => [named('song.mp3'), 'some text'],
    }, parts => [])),
    user(led('shot.png', 'image/png', $png),
         led('song.mp3', 'audio/mp3', $mp3)),
    $call,
], 'a content of their own', '3 0');

becomes('gemini-3-flash', \@history, [
    $question, $call,
    user(result(f => response => { output => named('shot.png') },
                parts => [data('image/png', $png)])),
    user(result(g => response => {
        a => 1, artifacts => [named('song.mp3'), 'some text'],
    }, parts => [])),
    user(led('song.mp3', 'audio/mp3', $mp3)),
    $call,
], 'an image is a part of the result, sound is not', '3 0');

my ($texts) = arrived('gemini-2.0-text', \@history);
is(scalar @$texts, scalar @history, 'a model that reads: no content of its own');
like($texts->[2]{parts}[0]{functionResponse}{response}{output},
     qr/\A\[Unreadable\] shot\.png \(artifact:shot\)\n/, 'it is described');

# a model that no map has: the typed slot is enough

becomes('gemini-9000', [user(result(f => response => {},
                                    parts => [file('shot')]))],
        [user(result(f => response => {}, parts => [data('image/png', $png)]))],
        'unknown');
becomes('gemini-pro', [user(result(f => response => {},
                                   parts => [file('shot')]))],
        [user(result(f => response => { artifacts => [named('shot.png')] },
                     parts => [])),
         user(led('shot.png', 'image/png', $png))],
        'unknown, and not known to take parts');

# the same artifact again, in files

my @big = map { user(result(f => response => { output => 'artifact:big' })) }
    1 .. 3;
my @want = map { user(result(f => response => { output => named('big.png') })) }
    1 .. 3;

becomes('gemini-2.5-flash', [@big, $call, @big], [
    @want, user((led('big.png', 'image/png', $big)) x 3), $call,
    @want, user((led('big.png', 'image/png', $big)) x 3),
], 'six times 900 KB');

# too large: the oldest go, those of the last results stay

my ($cut) = arrived('gemini-2.5-flash', [$big[0], $call, $big[0]],
                    at => '/small');
is(scalar @$cut, 4, 'too large: only the last results have their media');
like($cut->[0]{parts}[0]{functionResponse}{response}{output},
     qr/\A\[Unreadable\] big\.png \(artifact:big\)\n/, 'the oldest is described');
is_deeply([@$cut[2, 3]],
          [$want[0], user(led('big.png', 'image/png', $big))], 'the last stays');

my $res = $t->req('POST', '/small/v1beta/models/gemini-2.5-flash:generateContent',
    body => encode_json_bytes({ contents => [@big] }),
    headers => ['Content-Type' => 'application/json']);
is($res->status, 413, 'too large in the last results alone');

$echo->stop;
$t->finish;
