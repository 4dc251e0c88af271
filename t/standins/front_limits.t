#!/usr/bin/perl

# How many media are taken out, and of which size: the first ones up to
# artifact_refs_max, repeats counted; what is more stays, and is no error.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactSandwich;
use ArtifactTest;

my $t = ArtifactTest->new;
my $echo = standin_echo($t);

standin_server($t, server => <<'SERVER');
    location /few/ {
        artifact_offload_request on;
        artifact_refs_max 3;
        proxy_pass %%ECHO%%;
    }
    location /small/ {
        artifact_offload_request on;
        artifact_body_max 100k;
        proxy_pass %%ECHO%%;
    }
    location /ofvar/ {
        artifact_offload_request $arg_on;
        proxy_pass %%ECHO%%;
    }
    location /status {
        artifact_status;
    }
SERVER

my ($slot) = values %{ { standin_slots('anthropic', 'png') } };
my @shots = map { standin_content('png', 2000 + $_) } 0 .. 69;


sub request {
    return standin_body('anthropic', 'sees',
                        map { $slot->('image/png', $_) } @_);
}

sub standin { return standin_b64('png', standin_id($t->data, $_[0], 'png')) }

# the key is made with the first

standin_post($t, '/front/v1/messages', request(b64($shots[0])));


# --- 65 screenshots

for my $count (64, 65, 70) {
    my @these = @shots[0 .. $count - 1];
    my $res = standin_post($t, '/front/v1/messages',
                           request(map { b64($_) } @these));
    is($res->status, 200, "$count screenshots");
    standin_same($res->body, request(
        (map { standin($_) } @these[0 .. 63]),
        (map { b64($_) } @these[64 .. $#these])), "$count: the first 64");
}

my @mixed = map { b64($_) } @shots[0, 0, 1, 2, 0];
standin_same(standin_post($t, '/few/v1/messages', request(@mixed))->body,
             request((map { standin($_) } @shots[0, 0, 1]), @mixed[3, 4]),
             'repeats are counted');

# what stays for another reason takes no place

my $other = b64('words and words ' x 300);
standin_same(standin_post($t, '/few/v1/messages',
                          request($other, @mixed, $other))->body,
             request($other, (map { standin($_) } @shots[0, 0, 1]),
                     @mixed[3, 4], $other), 'what is none is not counted');


# --- a body that is too large

my $res = standin_post($t, '/small/v1/messages',
                       request(b64(standin_content('png', 90_000))));
is($res->status, 413, 'a body that is too large');
is(json_of($res)->{error}{code}, 'request_too_large', 'is refused');


# --- on and off

for my $on ('on', 'off', 'yes', '', 'ON', '1') {
    my $body = request(b64($shots[0]));
    my $got = standin_post($t, "/ofvar/v1/messages?on=$on", $body)->body;
    standin_same($got, $on eq 'on' ? request(standin($shots[0])) : $body,
                 "a variable: \"$on\"");
}


# --- the bodies that are not looked at

for my $case (['text', 'text/plain'], ['a form', 'multipart/form-data; boundary=x'],
              ['no type', ''])
{
    my ($name, $type) = @$case;
    my $body = request(b64($shots[0]));
    my $got = $t->req('POST', '/front/v1/messages', body => $body,
                      headers => [$type ? ('Content-Type' => $type) : ()]);
    standin_same($got->body, $body, "$name stays");
}

for my $method (qw(PUT PATCH)) {
    my $body = request(b64($shots[0]));
    my $got = $t->req($method, '/front/v1/messages', body => $body,
                      headers => ['Content-Type' => 'application/json']);
    standin_same($got->body, $body, "$method stays");
}

{
    my $body = request(b64($shots[0]));
    my $got = standin_post($t, '/front/v1/unknown', $body);
    standin_same($got->body, $body, 'an API that is not known');
}

$echo->stop;
$t->finish;
