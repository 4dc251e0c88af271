#!/usr/bin/perl

# Variables and counters of both sides, as sums of what was sent.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactSandwich;
use ArtifactTest;
use ArtifactTools;
use Time::HiRes qw(sleep);

my $t = ArtifactTest->new;
my $echo = standin_echo($t);

standin_server($t, http => <<'HTTP', server => <<'SERVER');
    log_format media '$uri $artifact_offloaded $artifact_offloaded_bytes';
HTTP
    access_log %%PREFIX%%/media.log media;

    location /told/ {
        artifact_offload_request on;
        artifact_refs_max 4;
        proxy_set_header X-Offloaded $artifact_offloaded;
        proxy_set_header X-Offloaded-Bytes $artifact_offloaded_bytes;
        proxy_pass %%ECHO%%;
    }
    location /status {
        access_log off;
        artifact_status;
    }
SERVER

my %content = map { $_ => standin_content($_, 3000) } @STANDIN_KINDS;
my $jpeg = b64(standin_content('jpeg', 3000));
my ($slot) = values %{ { standin_slots('openai', 'png') } };
my $chat = '/v1/chat/completions';


sub counts {
    my $last = '';
    for (1 .. 40) {
        my $text = $t->get('/status')->body;
        my $now = standin_counts($text);
        my $shown = join ', ', map { "$_ $now->{$_}" } sort keys %$now;
        return $now if $shown eq $last;
        $last = $shown;
        sleep 0.1;
    }
}

my $before = counts();

sub more {
    my $now = counts();
    my %diff = map { $_ => $now->{$_} - ($before->{$_} // 0) } keys %$now;
    $before = $now;
    return join ', ', map { "$_ $diff{$_}" } grep { $diff{$_} }
           sort keys %diff;
}

sub post {
    my ($at, @parts) = @_;
    return standin_post($t, "/$at$chat", standin_body('openai', 'sees', @parts));
}


# --- in front

my $png = $slot->('image/png', b64($content{png}));
my $res = post('told', $png);
my $size = length $content{png};
like($res->header('X-Head'), qr/\|X-Offloaded: 1\|/i, 'one value');
like($res->header('X-Head'), qr/\|X-Offloaded-Bytes: $size\|/i, 'and its bytes');
is(more(), 'front png stored 1', 'stored');

$res = post('told', $png, $png);
like($res->header('X-Head'), qr/\|X-Offloaded: 2\|/i, 'two values');
like($res->header('X-Head'), qr/\|X-Offloaded-Bytes: @{[ 2 * $size ]}\|/i,
     'and the bytes of both');
is(more(), 'front png known 2', 'known');

$res = post('told', ($png) x 6);
like($res->header('X-Head'), qr/\|X-Offloaded: 4\|/i, 'not more than that');
is(more(), 'front png known 4, front png left_maximum 2', 'beyond the maximum');

$res = post('told', $slot->('image/png', $jpeg));
like($res->header('X-Head'), qr/\|X-Offloaded: 0\|/i, 'no value');
like($res->header('X-Head'), qr/\|X-Offloaded-Bytes: 0\|/i, 'no bytes');
like(more(), qr/\Afront (?:jpeg|png) left_type 1\z/, 'a type that disagrees');

$res = post('told', $slot->('image/png', b64('words and words ' x 300)));
like(more(), qr/\Afront \w+ left_kind 1\z/, 'a kind that has no stand-in');

$res = post('told', '{"type":"text","text":"a"}');
is(more(), '', 'nothing');
like($res->header('X-Head'), qr/\|X-Offloaded: 0\|/i, 'no value');

for my $kind (@STANDIN_KINDS) {
    my %gemini = standin_slots('gemini', $kind);
    standin_post($t, '/told' . standin_uri('gemini', 'sees'),
        standin_body('gemini', 'sees', $gemini{inline}->(standin_mime($kind),
                                                         b64($content{$kind}))));
    is(more(), "front $kind " . ($kind eq 'png' ? 'known' : 'stored') . ' 1',
       "$kind is counted as such");
}


# --- behind

for my $kind (@STANDIN_KINDS) {
    my %gemini = standin_slots('gemini', $kind);
    my $standin = standin_b64($kind, standin_id($t->data, $content{$kind}, $kind));
    my $part = $gemini{inline}->(standin_mime($kind), $standin);

    standin_post($t, '/behind' . standin_uri('gemini', 'sees'),
                 standin_body('gemini', 'sees', $part));
    is(more(), "behind $kind " . ($kind eq 'gif' ? 'described' : 'expanded')
       . ' 1', "$kind behind");

    standin_post($t, '/behind' . standin_uri('gemini', 'reads'),
                 standin_body('gemini', 'reads', $part));
    is(more(), "behind $kind described 1", "$kind behind, for who reads");
}

my $none = standin_b64('png', '01234567-89ab-8def-8123-456789abcdef');
standin_post($t, "/behind$chat",
             standin_body('openai', 'sees', $slot->('image/png', $none)));
is(more(), 'behind png missing 1', 'missing');

my $id = standin_id($t->data, $content{png}, 'png');
standin_post($t, "/behind$chat", standin_body('openai', 'sees',
    $slot->('image/png', standin_b64('gif', $id))));
is(more(), 'behind gif mismatch 1', 'of another type');


# --- the variables in a log

my @lines = split /\n/, slurp($t->prefix . '/media.log');
like(join('|', @lines), qr{/told$chat 1 $size\|}, 'in a log');

# outside of such locations

$res = $t->get('/files/');
$t->wait_for(qr{^/files/}m, 'media.log');
my $last = (split /\n/, slurp($t->prefix . '/media.log'))[-1];
like($last, qr{\A/files/ (?:-|0|) (?:-|0|)\z}, 'elsewhere they are empty');

$echo->stop;
$t->finish;
