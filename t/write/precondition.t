#!/usr/bin/perl

# Conditional writes (RFC 9110, 13): nobody overwrites what he has not seen,
# however close the race.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactTest;
use ArtifactWrite;

my $t = ArtifactTest->new(workers => 2);
my $dir = $t->data . '/workspaces';
$t->workspace_file('w', 'f', 'old');
$t->workspace_file('w', 'untouched', 'old');
$t->start(server => write_server());

my $LONG_AGO = 'Thu, 01 Jan 1970 00:00:01 GMT';
my $FAR_OFF = 'Thu, 01 Jan 2099 00:00:00 GMT';

sub tag { return $t->get("/workspaces/$_[0]")->header('ETag') }

# One conditional request on a file that exists; the status, and that it did
# what the status says.

my $count = 0;

sub tried {
    my ($name, $want, $method, $at, @headers) = @_;

    my $before = slurp("$dir/w/f");
    my $tag = tag('w/f');
    my $body = 'try ' . ++$count;
    my $res = $method eq 'PUT'
        ? put($t, 'w/f', $body, at => $at, headers => \@headers)
        : remove($t, 'w/f', at => $at, headers => \@headers);

    $name = "$method $at, $name";
    if ($want == 412) {
        error_is($res, 412, 'precondition_failed', 'w/f', $name);
        header_is($res, 'ETag', $tag, "$name: the current tag");
        is(slurp("$dir/w/f"), $before, "$name: nothing changed");
        is(tag('w/f'), $tag, "$name: nor the tag");

    } elsif ($method eq 'PUT') {
        written($res, 200, 'w/f', $name);
        stored($t, 'w/f', $body, $res->header('ETag'), "$name: done");

    } else {
        is($res->{status}, 200, $name);
        ok(!-e "$dir/w/f", "$name: done");
        put($t, 'w/f', 'again');
    }
}

for my $at (qw(/workspaces/ /inline/)) {
    for my $method (qw(PUT DELETE)) {
        for my $case (
            ['If-Match', 200, sub { $_[0] }],
            ['If-Match, any', 200, sub { '*' }],
            ['If-Match in a list', 200, sub { "\"x\", $_[0] ,\"y\"" }],
            ['If-Match in a narrow list', 200, sub { "\"x\",$_[0]" }],
            ['If-Match, another tag', 412, sub { '"x"' }],
            ['If-Match, other tags', 412, sub { '"x", "y"' }],
            ['If-Match, a weak tag', 412, sub { "W/$_[0]" }],
            ['If-Match, part of the tag', 412,
             sub { substr($_[0], 0, -2) . '"' }],
            ['If-Match, not quoted', 412, sub { $_[0] =~ tr/"//dr }],
            ['If-Match, any in a list', 412, sub { "$_[0], *" }],
        ) {
            my ($name, $want, $value) = @$case;
            tried($name, $want, $method, $at,
                  'If-Match' => $value->(tag('w/f')));
        }
        for my $case (
            ['If-None-Match, any', 412, sub { '*' }],
            ['If-None-Match', 412, sub { $_[0] }],
            ['If-None-Match in a list', 412, sub { "\"x\", $_[0]" }],
            ['If-None-Match, the weak tag', 412, sub { "W/$_[0]" }],
            ['If-None-Match, another tag', 200, sub { '"x"' }],
            ['If-None-Match, malformed', 412, sub { 'x' }],
        ) {
            my ($name, $want, $value) = @$case;
            tried($name, $want, $method, $at,
                  'If-None-Match' => $value->(tag('w/f')));
        }
        tried('If-Unmodified-Since, long ago', 412, $method, $at,
              'If-Unmodified-Since' => $LONG_AGO);
        tried('If-Unmodified-Since, in future', 200, $method, $at,
              'If-Unmodified-Since' => $FAR_OFF);
        tried('If-Unmodified-Since, exactly', 200, $method, $at,
              'If-Unmodified-Since' =>
              $t->get('/workspaces/w/f')->header('Last-Modified'));
        tried('If-Match counts, not the date', 200, $method, $at,
              'If-Match' => tag('w/f'), 'If-Unmodified-Since' => $LONG_AGO);
        tried('If-Match and If-None-Match, both must hold', 412, $method, $at,
              'If-Match' => tag('w/f'), 'If-None-Match' => '*');
        tried('If-Modified-Since is for reading', 200, $method, $at,
              'If-Modified-Since' => $FAR_OFF);
    }
}

# in two lines, which nginx refuses for itself

for my $method (qw(PUT DELETE)) {
    my $before = files_of($t);
    my $res = $t->req($method, '/workspaces/w/f', body => 'x', headers =>
                      ['Content-Type' => 'a/b', 'If-Match' => '"x"',
                       'If-Match' => '"y"']);
    like($res->{status}, qr/^4(00|12)$/, "$method: If-Match in two lines");
    nothing_changed($t, $before, "$method: If-Match in two lines");
}

# files that are not there

for my $at (qw(/workspaces/ /inline/)) {
    my $before = files_of($t);
    for my $path ('w/new', 'w/new/deeper', 'fresh/new') {
        for my $value ('*', '"x"', tag('w/f')) {
            my $res = put($t, $path, 'x', at => $at,
                          headers => ['If-Match' => $value]);
            error_is($res, 412, 'precondition_failed', $path,
                     "$at: If-Match, no file");
            is($res->header('ETag'), undef, "$at: which has no tag");
        }
        nothing_changed($t, $before, "$at: If-Match, no file");
    }

    my ($ws) = $at =~ m{(\w+)};
    for my $path ("$ws/new", "$ws/a/b/new", "fresh-$ws/new") {
        my $res = put($t, $path, 'x', at => $at,
                      headers => ['If-None-Match' => '*']);
        written($res, 201, $path, "$at: If-None-Match creates");
        error_is(put($t, $path, 'y', at => $at,
                     headers => ['If-None-Match' => '*']),
                 412, 'precondition_failed', $path, "$at: once");
        is(slurp("$dir/$path"), 'x', "$at: and leaves it");
    }
    $before = files_of($t);
    error_is(remove($t, "$ws/none", at => $at,
                    headers => ['If-Match' => '"x"']),
             qr/^4(04|12)$/, undef, undef, "$at: DELETE of no file");
    nothing_changed($t, $before, "$at: DELETE of no file");
}

# the connection goes on, and 100-continue is not promised in vain

my $conn = $t->connect;
for my $n (1 .. 3) {
    my $res = put($t, 'w/f', 'z' x 50_000, conn => $conn,
                  headers => ['If-Match' => '"x"']);
    is("$res->{status} $res->{trailing}", '412 0', 'refused, with a body');
}
is($conn->request('GET', '/workspaces/w/untouched', keep => 1)->body, 'old',
   'the connection goes on');

# races: many rounds, each with exactly one winner

sub start_put {
    my ($path, $body, @headers) = @_;
    my $conn = $t->connect;
    my $bytes = ArtifactHTTP::format_request('PUT', "/workspaces/$path",
        keep => 1, headers => ['Content-Type' => 'a/b', @headers],
        body => $body);
    $conn->send(substr $bytes, 0, -1);
    return [$conn, substr($bytes, -1), $body];
}

my (@replaced, @created, @torn, @deleted);
for my $round (1 .. 60) {
    my $tag = tag('w/f');
    my @racers = map {
        start_put('w/f', "racer $_ in $round " x (1 + 900 * ($_ % 2)),
                  'If-Match' => $tag)
    } 1 .. 4;
    $_->[0]->send($_->[1]) for @racers;
    my @won = grep { ($_->[3] = $_->[0]->response('PUT'))->{status} == 200 }
        @racers;
    my $lost = grep { $_->[3]{status} == 412 } @racers;
    push @replaced, "$round: " . @won . " won, $lost lost"
        if @won != 1 || $lost != 3;
    my $now = $t->get('/workspaces/w/f');
    push @torn, $round
        if @won != 1 || $now->body ne $won[0][2]
           || $now->header('ETag') ne $won[0][3]->header('ETag');
    for my $loser (grep { $_->[3]{status} == 412 } @racers) {
        push @torn, "$round: tag"
            if ($loser->[3]->header('ETag') // '') ne $now->header('ETag');
    }

    @racers = map {
        start_put("race/f$round", "creator $_", 'If-None-Match' => '*')
    } 1 .. 4;
    $_->[0]->send($_->[1]) for @racers;
    my $made = grep { $_->[0]->response('PUT')->{status} == 201 } @racers;
    push @created, "$round: $made" if $made != 1;

    next if $round % 3;

    $tag = tag('w/f');
    my $racer = start_put('w/f', "against a DELETE $round",
                          'If-Match' => $tag);
    my $conn = $t->connect;
    my $delete = ArtifactHTTP::format_request('DELETE', '/workspaces/w/f',
                                              headers => ['If-Match', $tag]);
    if ($round % 2) {
        $racer->[0]->send($racer->[1]);
        $conn->send($delete);
    } else {
        $conn->send($delete);
        $racer->[0]->send($racer->[1]);
    }
    my $put = $racer->[0]->response('PUT')->{status};
    my $del = $conn->response('DELETE')->{status};
    my $there = -e "$dir/w/f" ? 1 : 0;
    push @deleted, "$round: PUT $put, DELETE $del, there: $there"
        unless "$put $del $there" =~ /^(200 412 1|412 (200|204) 0)$/;
    put($t, 'w/f', 'again') unless $there;
}
is(join('; ', @replaced), '', 'one of four replaces, in each round');
is("@torn", '', 'the content and the tags are the winner\'s');
is(join('; ', @created), '', 'one of four creates, in each round');
is(join('; ', @deleted), '', 'one of a PUT and a DELETE, in each round');
is(left_behind($t), '', 'nothing is left on its way');

# a path in the log stays on its line

is(put($t, "w/a\nb", 'x', headers => ['If-Match', '*'])->{status}, 412,
   'a line feed in a path');
ok($t->wait_for(qr{\[info\].*/workspaces/w/a_b" is not written,.*%0A}),
   'the log names the path, on one line');

$t->finish;
