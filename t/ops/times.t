#!/usr/bin/perl

# How long answers and sources take, in the histograms of artifact_status.  The
# source waits, so times have a lower bound; nothing is said of an upper one.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactCounts;
use ArtifactEcho;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;
use Time::HiRes qw(sleep);

my $t = ArtifactTest->new;
my $png = png(4, 4);

my $echo = echo($t->prefix . '/echo.sock');
my $slow = ArtifactUpstream->new($t->prefix . '/slow.sock', serve => sub {
    my ($sock) = @_;
    my $head = '';

    while ($head !~ /\r\n\r\n/) {
        sysread $sock, $head, 4096, length $head or return;
    }
    sleep 0.3;
    my ($status, $body) = $head =~ m{^GET /none}
        ? ('404 Not Found', '') : ('200 OK', $png);
    syswrite $sock, "HTTP/1.1 $status\r\nConnection: close\r\n"
        . "Content-Type: image/png\r\nContent-Length: " . length($body)
        . "\r\n\r\n$body";
});

$t->artifact('fast', $png, { type => 'image/png', name => 'a.png' });

$t->start(server => <<'SERVER');
    artifact_root %%DATA%%;

    location /artifacts/ {
        artifact;
    }
    location /source/ {
        internal;
        proxy_pass http://unix:%%PREFIX%%/slow.sock:/;
    }
    location /slow/ {
        artifact_route on;
        proxy_pass http://unix:%%PREFIX%%/slow.sock:/;
    }
    location = /route {
        artifact_message;
        artifact_source /source/;
    }
    location /v1/ {
        artifact_expand on;
        artifact_source /source/;
        proxy_pass http://unix:%%PREFIX%%/echo.sock;
    }
    location /other/ {
        return 200 other;
    }
    location = /status {
        artifact_status;
    }
SERVER

sub series { return of_handlers($t, qr/\w+_seconds_\w+/) }

is_deeply(series(), {}, 'nothing was timed as yet');

$t->get('/artifacts/fast') for 1 .. 3;
$t->get('/artifacts/missing');
$t->get('/other/');
my $etag = $t->get('/artifacts/fast')->header('ETag');
is($t->get('/artifacts/fast', 'If-None-Match' => $etag)->status, 304,
   'an answer without a body');

is($t->get('/artifacts/fast', Range => 'bytes=900000-')->status, 416,
   'one that replaces another');

my $s = series();
is($s->{'first_byte_seconds_count artifact'}, 7, 'each answer is timed');
is($s->{'first_byte_seconds_bucket artifact +Inf'}, 7, 'in the last bucket');
is(join(' ', grep { $_ !~ / artifact/ } keys %$s), '',
   'no other location, and not the counters themselves');

my @buckets = map { $s->{"first_byte_seconds_bucket artifact $_"} }
    qw(0.001 0.005 0.01 0.025 0.05 0.1 0.25 0.5 1 2.5 5 10 30 60 +Inf);
is(scalar(grep { !defined } @buckets), 0, 'all buckets are there');
is(join(' ', @buckets), join(' ', sort { $a <=> $b } @buckets),
   'and they are cumulative');

# a slow answer

$t->get('/slow/x');
$s = series();
is($s->{'first_byte_seconds_bucket route 0.25'}, 0, 'a slow one took longer');
is($s->{'first_byte_seconds_bucket route +Inf'}, 1, 'but it came');
cmp_ok($s->{'first_byte_seconds_sum route'}, '>=', 0.25, 'its seconds');

# sources

sub chat {
    my $parts = join ',', map {
        qq({"type":"image_url","image_url":{"url":"artifact:$_"}})
    } @_;
    return $t->req('POST', '/v1/chat/completions',
        headers => ['Content-Type' => 'application/json'],
        body => qq({"messages":[{"role":"user","content":[$parts]}]}));
}

is(chat('one', 'two')->status, 200, 'two references');
$s = series();
is($s->{'source_wait_seconds_count api'}, 2, 'two sources');
is($s->{'source_wait_seconds_bucket api 0.25'}, 0, 'both are slow');
cmp_ok($s->{'source_wait_seconds_sum api'}, '>=', 0.5, 'their seconds');
cmp_ok($s->{'first_byte_seconds_sum api'}, '>=', 0.5, 'the request waits');
is($s->{'first_byte_seconds_count api'}, 1, 'it is one');

is(chat('none')->status, 200, 'a reference that is missing');
is(series()->{'source_wait_seconds_count api'}, 3, 'takes its time as well');

is($t->req('POST', '/route', headers => ['Content-Type' => 'application/json'],
           body => '{"text":"x","attachments":["artifact:one"]}')->status, 200,
   'a message');
$s = series();
is($s->{'source_wait_seconds_count message'}, 1, 'has a source');
is($s->{'source_wait_seconds_bucket message 0.25'}, 0, 'which is slow');

my $json = json_of($t->get('/status?format=json'));
my ($sample) = grep { $_->{labels}{handler} eq 'api' }
    @{$json->{artifact_source_wait_seconds}{samples}};
is($json->{artifact_source_wait_seconds}{type}, 'histogram', 'in JSON');
is($sample->{value}, 3, 'the number');
cmp_ok($sample->{sum}, '>=', 0.75, 'the sum');
is($sample->{buckets}{'+Inf'}, 3, 'the buckets');

ok($t->reload, 'a reload');
is(series()->{'source_wait_seconds_count api'}, 3, 'keeps them');

$t->finish;
