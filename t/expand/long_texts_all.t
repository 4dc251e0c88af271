#!/usr/bin/perl

# Long texts beside all else that changes requests and answers, in one location:
# random histories of tools, with media and markers in their texts, stay JSON
# with all of their messages, and are never too large.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactEcho;
use ArtifactFixtures;
use ArtifactTest;
use JSON::PP;

my $ROUNDS = $ENV{ART_ROUNDS} // 60;
my $seed = rand_seed(20261127);
diag("seed $seed, ART_SEED= sets another") if $ENV{ART_SEED};

my $t = ArtifactTest->new;
my $echo = echo($t->prefix . '/echo');
my $JSON = JSON::PP->new->utf8->canonical;

my $png = 'a0b1c2d3-1111-8222-9333-00000000000a';
my $text = 'a0b1c2d3-1111-8222-9333-00000000000b';
$t->artifact($png, png(40, 40), { mimeType => 'image/png' });
$t->artifact($text, "a line\n" x 3000, { mimeType => 'text/plain' });
$t->file('map.json', { services => [
    { id => 'sees', capabilities => { input => ['text', 'vision'] } } ] });

$t->start(http => 'artifact_capabilities %%PREFIX%%/map.json;',
          server => <<'SERVER');
    artifact_root %%DATA%%;
    artifact_language en;
    artifact_offload_text 4k head=512 tail=256;
    artifact_offload_min 1k;
    artifact_prompt on;
    artifact_offload on;
    artifact_extract strip;
    aio threads;

    location /artifacts/ {
        artifact;
    }
    location /converts/ {
        internal;
        proxy_pass http://unix:%%PREFIX%%/echo:/;
    }
    location /front/ {
        artifact_offload_request on;
        artifact_expand on;
        artifact_derive image text/plain /converts/x body;
        proxy_pass http://unix:%%PREFIX%%/echo:;
    }
    location /model/ {
        artifact_expand on;
        artifact_delivery url;
        artifact_url https://h/artifacts/;
        proxy_pass http://unix:%%PREFIX%%/echo:;
    }
SERVER

sub one { return $_[rand_int(scalar @_)] }

sub content {
    my $shot = b64(png(20, 20) . rand_bytes(rand_int(6000)));
    return one("x\n" x rand_int(6000), "artifact:$text", "artifact:$png", '',
               "see [artifact:$png] " . "y\n" x rand_int(5000),
               "before $shot after" . "z\n" x rand_int(4000),
               "\x{1f600}" x rand_int(3000));
}

sub image {
    return { type => 'image_url', image_url => { url => $_[0] } };
}

# A call, its result, and perhaps images of the user.

sub turn {
    my ($n) = @_;
    my $id = one(1 .. 9) == 1 ? 'c' : "c$n";
    my @turn = ({ role => 'assistant', tool_calls => [{
        id => "c$n", type => 'function', function => { arguments => '{}',
            name => one('get', 'get', 'get', 'read_artifact') } }] }, {
        role => 'tool', tool_call_id => $id, content => rand_int(3)
            ? content() : [map { { type => 'text', text => content() } } 1 .. 3]
    });
    push @turn, { role => 'user', content => [image("artifact:$png"),
        image('data:image/png;base64,'
              . b64(png(20, 20) . rand_bytes(rand_int(6000))))] }
        if rand_int(2);
    return @turn;
}

my ($right, $all) = (0, 0);

for my $round (1 .. $ROUNDS) {
    my @messages = map { turn($_) } 1 .. 1 + rand_int(8);
    my $body = $JSON->encode({ model => one('sees', 'other'),
        messages => \@messages, rand_int(5) ? (tools => [{ type => 'function',
            function => { name => 'x_read_artifact' } }]) : () });

    for my $at ('/front', '/model') {
        my $res = $t->req('POST', "$at/v1/chat/completions", body => $body,
                          timeout => 20, headers => [
                              'Content-Type' => 'application/json']);
        my $got = eval { $JSON->decode($res->body) };
        my $ok = $res->status == 200 && $got
            && @{ $got->{messages} // [] } >= @messages;
        $all++;
        $right += $ok ? 1 : 0;
        diag("$at, round $round: " . $res->status . ' '
             . substr $res->body, 0, 100) if !$ok;
    }
}

is($right, $all, 'each request arrives');

$echo->stop;
$t->finish;
