#!/usr/bin/perl

# What is stored in front of a gateway: content that is known is not written again
# and lives longer, what is not whole is, and what cannot be stored stays in the
# request, but for a stand-in that a client wrote, which never passes.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFail;
use ArtifactFixtures;
use ArtifactJSON;
use ArtifactSandwich;
use ArtifactTest;
use ArtifactWrite qw(in_parallel left_behind);
use POSIX qw(EACCES EIO ENOSPC);

my $fail = ArtifactFail->new;
my $t = ArtifactTest->new(workers => 2, launcher => $fail->launcher);
my $echo = standin_echo($t);
my $data = $t->data;

standin_server($t, server => <<'SERVER');
    location /threads/ {
        artifact_offload_request on;
        aio threads;
        proxy_pass %%ECHO%%;
    }
    location /hours/ {
        artifact_offload_request on;
        artifact_expires 2h;
        proxy_pass %%ECHO%%;
    }
    location /days/ {
        artifact_offload_request on;
        artifact_expires 3d;
        proxy_pass %%ECHO%%;
    }
SERVER

my ($slot) = values %{ { standin_slots('openai', 'png') } };
my $chat = '/v1/chat/completions';

sub request { return standin_body('openai', 'sees',
                                  map { $slot->('image/png', $_) } @_) }

sub sent {
    my ($at, @media) = @_;
    return standin_post($t, "/$at$chat", request(@media))->body;
}

sub standin { return standin_b64('png', standin_id($data, $_[0], 'png')) }

sub meta { return "$data/artifacts/" . standin_id($data, $_[0], 'png')
               . '.meta' }

# its file, whatever extension it has

sub content {
    my ($file) = grep { !/\.meta\z/ } glob meta($_[0]) =~ s/\.meta\z/*/r;
    return $file // 'none';
}


# --- what is new is on the disk before it has a name, its metadata before it

sent('front', b64(standin_content('png', 2900)));

for my $at (qw(front threads)) {
    my $png = standin_content('png', 2950);
    my @calls = $fail->calls(sub { sent($at, b64($png)) });
    my $id = standin_id($data, $png, 'png');

    # a process syncs the folders before its first one

    shift @calls while @calls && $calls[0][1] !~ m{/tmp-};

    is(join(', ', map { my ($call, $path) = @$_;
        "$call " . ($path =~ m{/tmp-$id\z} ? 'own' : $path =~ m{/tmp-} ? 'temp'
            : $path =~ m{/$id\.meta\z} ? 'meta' : $path =~ m{/$id} ? 'content'
            : $path =~ m{/artifacts\z} ? 'folder' : 'other') } @calls),
       'sync temp, rename own, sync temp, rename meta, rename content, '
       . 'sync folder', "$at: step by step");
}


# --- known content

for my $at (qw(front threads)) {
    my $png = standin_content('png', 3000);

    for my $turn (1 .. 3) {
        my @calls = $fail->calls(sub {
            my $got = sent($at, b64($png));
            standin_same($got, request(standin($png)), "$at, turn $turn");
        });
        my @renamed = grep { $_->[0] eq 'rename' && $_->[1] !~ /key/ } @calls;
        is(@renamed ? 1 : 0, $turn == 1 ? 1 : 0,
           "$at, turn $turn: " . ($turn == 1 ? 'stored' : 'not written again'))
            or diag(join "\n", map { "@$_" } @calls);
    }

    # what is not whole is stored anew

    for my $case (['without its content', sub { unlink(content($png)) or die }],
                  ['without its metadata', sub { unlink(meta($png)) or die }],
                  ['cut', sub { truncate(content($png), 100) or die }],
                  ['empty', sub { truncate(content($png), 0) or die }],
                  ['gone', sub { unlink(content($png), meta($png)) == 2 or die }])
    {
        my ($name, $change) = @$case;
        $change->();
        standin_same(sent($at, b64($png)), request(standin($png)),
                     "$at, $name: a stand-in");
        is(standin_stored($data, standin_id($data, $png, 'png'), $png, 'png'), '',
           "$at, $name: is whole again");
        standin_same(standin_post($t, "/behind$chat",
                                  request(standin($png)))->body,
                     request(b64($png)), "$at, $name: and comes back");
    }

    # an id that is another's: the medium stays, or has another id

    my $was = slurp(meta($png));
    spew(meta($png), $was =~ s/hmac-sha256:..../hmac-sha256:ffff/r);
    my $got = sent($at, b64($png));
    is(standin_post($t, "/behind$chat", $got)->body, request(b64($png)),
       "$at: with another digest the bytes arrive all the same");
    spew(meta($png), $was);
}

is(left_behind($t), '', 'nothing is left');


# --- how long it lives

sub expires {
    my ($png) = @_;
    return decode_strict(slurp(meta($png)))->{expiresAt} // 'never';
}

{
    my $png = standin_content('png', 3100);

    sent('hours', b64($png));
    my $first = expires($png);
    like($first, qr/\A2\d{3}-/, 'it expires');

    sent('days', b64($png));
    my $second = expires($png);
    ok($second gt $first, 'longer, where it is longer');

    sent('hours', b64($png));
    is(expires($png), $second, 'and never shorter');

    sent('front', b64($png));
    is(expires($png), 'never', 'for ever, where nothing expires');

    sent('hours', b64($png));
    is(expires($png), 'never', 'and that stays');

    # one that has expired is as good as none

    my $meta = decode_strict(slurp(meta($png)));
    $meta->{expiresAt} = '2020-01-01T00:00:00.000Z';
    spew(meta($png), encode_json_bytes($meta));
    standin_same(sent('hours', b64($png)), request(standin($png)),
                 'one that has expired');
    ok(expires($png) gt '2020-01-02', 'is there again');
    standin_same(standin_post($t, "/behind$chat", request(standin($png)))->body,
                 request(b64($png)), 'and comes back');
}


# --- what cannot be stored

my $n = 4000;

for my $at (qw(front threads)) {
    for my $rule ('write ' . ENOSPC . ' 0 /artifacts/', 'write ' . ENOSPC
                  . ' 1000 /artifacts/', 'open ' . EACCES . ' 0 /artifacts/',
                  'rename ' . EIO . ' 0 /artifacts/',
                  'sync ' . EIO . ' 0 /artifacts/')
    {
        my $png = standin_content('png', $n++);
        my $size = length $t->log;

        $fail->rules($rule);
        my $res = standin_post($t, "/$at$chat", request(b64($png)));
        $fail->rules();

        is($res->status, 200, "$at, $rule: goes on");
        standin_same($res->body, request(b64($png)), "$at, $rule: stays");
        like(substr($t->log, $size), qr/\[(?:warn|error|crit|alert)\]/,
             "$at, $rule: with a word in the log");
        is(standin_files($data)->{ standin_id($data, $png, 'png') }, undef,
           "$at, $rule: nothing is stored");
    }

    # the one that can be, beside

    my ($one, $two) = map { standin_content('png', $n++) } 1, 2;
    sent($at, b64($one));
    $fail->rules('open ' . EACCES . ' 0 /artifacts/');
    my $got = sent($at, b64($one), b64($two));
    $fail->rules();
    standin_same($got, request(standin($one), b64($two)),
                 "$at: what is known is a stand-in all the same");

    # a client's own stand-in is not let through

    my $forged = standin_b64('png', sprintf '01234567-89ab-8def-8123-%012d', $n++);
    for my $body (request($forged), qq({"x":"$forged"})) {
        $fail->rules('open ' . EACCES . ' 0 /artifacts/');
        my $res = standin_post($t, "/$at$chat", $body);
        $fail->rules();
        is($res->status, 502, "$at: a stand-in of a client is refused");
        ok(index($res->body, $forged) < 0, "$at: and passes nowhere");
    }
}

$t->allow(qr/\[(?:crit|alert)\]/);
is(left_behind($t), '', 'nothing is left');


# --- many at once, of one content

{
    my $png = standin_content('png', 30_000);
    my $want;
    my @got = in_parallel($t, 16, sub { sent($_[0] % 2 ? 'front' : 'threads',
                                             b64($png)) });
    $want = request(standin($png));
    is(scalar(grep { $_ eq $want } @got), 16, 'sixteen at once');
    is(standin_stored($data, standin_id($data, $png, 'png'), $png, 'png'), '',
       'one artifact');
    is(left_behind($t), '', 'and nothing else');
}

$echo->stop;
$t->finish;
