#!/usr/bin/perl

# "words": a converter that is down, or fails, is seen by the operator, in the
# error log, the access log and the counters, while models get the words that
# they would get without a rule.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactCheck;
use ArtifactFit;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;
use ArtifactWrite qw(left_behind until_true);
use Digest::SHA qw(sha256_hex);

my $t = ArtifactTest->new;
my $dir = $t->prefix;

my @image = map { tiff_of(9, 9, "number $_") } 0 .. 9;
$t->artifact("t$_", $image[$_], { type => 'image/tiff' }) for 0 .. 9;
$t->artifact('page', '<svg xmlns="http://www.w3.org/2000/svg"/>',
             { type => 'image/svg+xml' });
$t->file('map.json', fit_map());

my $converter = converter("$dir/convert",
    s500 => { status => 500 }, s503 => { status => 503 },
    s403 => { status => 403 },
    cut => { body => 'words that break off', type => 'text/plain', cut => 5 },
    hangs => { hang => 1 },
    mixed => sub {
        my ($asked) = @_;
        my ($n) = grep { $asked->{sha} eq sha256_hex($image[$_]) } 0 .. 9;
        return $n % 2 ? { status => 500 }
            : { body => converted('text', "=$asked->{sha}"),
                type => 'text/plain' };
    });
my $echo = echoed($t);

# Each failure: the URI that is asked, its status in the log.

my @FAILURES = (['refused', '/dead/x', 502], ['500', '/c/s500', 500],
                ['503', '/c/s503', 503], ['403', '/c/s403', 403],
                ['cut', '/c/cut', 502], ['slow', '/quick/hangs', 504],
                ['late', '/c/hangs', 504]);

my $locations = join '', map {
    my ($name, $uri) = @$_;
    my $rule = "artifact_derive image text/plain $uri body words;"
        . ' artifact_derive image/svg+xml image/png ' . "$uri words body;"
        . ' artifact_derive image text/markdown /c/markdown body;'
        . ($name eq 'late' ? ' artifact_derive_timeout 300ms;' : '');
    locations($name, $rule);
} @FAILURES;

$locations .= locations('none', '')
    . locations('mixed', 'artifact_derive image text/plain /c/mixed body '
                . 'words; artifact_derive_parallel 3;')
    . locations('strict', 'artifact_derive image text/plain /c/s500 body;')
    . locations('lateboth', 'artifact_derive_timeout 300ms;'
                . 'artifact_derive_parallel 1;'
                . 'artifact_derive image text/plain /c/hangs body words;')
    . locations('latestrict', 'artifact_derive_timeout 300ms;'
                . 'artifact_derive image/tiff text/plain /c/hangs body;')
    . <<"LOCATIONS";
    access_log $dir/told.log told;
    location = /status { artifact_status; }
    location /dead/ { internal; proxy_pass http://unix:$dir/nobody:/; }
    location /quick/ {
        internal;
        proxy_read_timeout 200ms;
        proxy_pass http://unix:%%PREFIX%%/convert:/;
    }
LOCATIONS

$t->allow(qr/upstream|conversion/);
$t->start(http => <<"HTTP", server => fit_server('', $locations));
    artifact_capabilities %%PREFIX%%/map.json;
    log_format told '\$uri|\$artifact_reason|\$artifact_reasons|'
                    '\$artifact_derived|\$artifact_degraded';
HTTP

sub locations {
    my ($name, $rule) = @_;
    return <<"LOCATIONS";
        location /one/$name/ { artifact; artifact_route on; $rule }
        location = /message/$name { artifact_message; $rule }
        location = /mcp/$name {
            artifact_mcp; artifact_service reads; $rule
        }
        location /v1/$name/ {
            artifact_expand on; $rule
            add_header X-Reasons \$artifact_reasons always;
            add_header X-Derived \$artifact_derived always;
            proxy_pass http://unix:%%PREFIX%%/echo:;
        }
LOCATIONS
}


# What four kinds of requests answer, without what depends on the location.

sub answers {
    my ($name) = @_;
    my @json = (headers => ['Content-Type' => 'application/json', Accept =>
                            'application/json, text/event-stream']);

    my @res = (
        $t->req('GET', "/one/$name/t0",
                headers => ['X-Artifact-Service' => 'reads',
                            'X-LLM-Service' => 'reads']),
        $t->req('POST', "/message/$name", @json,
                body => '{"service":"reads","attachments":["artifact:t0"]}'),
        $t->req('POST', "/mcp/$name", @json, body => '{"jsonrpc":"2.0",'
                . '"id":1,"method":"tools/call","params":{"name":'
                . '"read_artifact","arguments":{"ref":"t0"}}}'),
        expanded($name, 'reads', 0, 1, 0, '=2', '=2'));

    return join "\n", map { "$_->{status} $_->{body}" } @res;
}


sub expanded {
    my ($name, $model, @of) = @_;
    return $t->req('POST', "/v1/$name/chat/completions",
        headers => ['Content-Type' => 'application/json'],
        body => body_of('openai', $model, map {
            /^=(\d+)/ ? inline_part('openai', 'image', 'image/tiff',
                                    $image[$1])
                : slot('openai', 'image', /^\d/ ? "artifact:t$_"
                                                : "artifact:$_") } @of));
}


sub lines_of { return scalar(() = $t->log =~ /$_[0]/g) }


# the words are those without a rule, and nobody else is asked

my $without = answers('none');
unlike($without, qr/^(?!200)/m, 'without rules');
like($without, qr/t0/, 'words without rules');
$converter->asked;

for (@FAILURES) {
    my ($name, $uri, $status) = @$_;

    is(answers($name), $without, "$name: the same words");
    unlike($converter->names, qr/markdown/, "$name: no other rule is asked");
    my $log = "conversion \"$uri\" of an artifact failed: .* \\(status "
        . "$status\\), the request goes on without it: rule to \"text/plain\" in "
        . ".*nginx.conf:\\d+";
    is(lines_of($log), 6, "$name: the log names rule, URI and status")
        or diag($t->log);
}
is(left_behind($t), '', 'nothing is left behind');

# variables

my @told = grep { m{^/(one|message|v1)/refused} } told(6);
is(shift @told, '/one/refused/t0|conversion|artifact:t0=conversion|-|-',
   'a routed answer in the access log');
is(shift @told, '/message/refused|-|artifact:t0=conversion|-|-', 'a message');
is(shift @told, '/v1/refused/chat/completions|-|artifact:t0=conversion '
   . 'artifact:t1=conversion image=conversion|-|5', 'a request to a model');

# some fail, some do not

my $res = expanded('mixed', 'reads', 0 .. 9, '=2', '=3');
is($res->{status}, 200, 'some fail');
is(join(' ', map { my $part = $_;
                   map { $part =~ /text of \Q@{[sha256_hex $image[$_]]}/
                         ? $_ : () } 0 .. 9 } parts_in(json_of($res))),
   '0 2 4 6 8 2', 'the others are converted');
is($res->header('X-Derived'),
   join(' ', map({ "artifact:t$_=derived:text/plain" } 0, 2, 4, 6, 8),
        'image=derived:text/plain'), 'what was converted');
is($res->header('X-Reasons'),
   join(' ', map({ "artifact:t$_=" . ($_ % 2 ? 'conversion'
                                      : 'derived:text/plain') } 0 .. 9),
        'image=derived:text/plain', 'image=conversion'), 'and what was not');

$t->req('POST', '/message/mixed', body =>
        '{"service":"reads","attachments":["artifact:t2","artifact:t3"]}');
until_true(sub { @told = grep { m{^/message/mixed} } told(1) }, 5);
is($told[0], '/message/mixed|-|artifact:t2=derived:text/plain '
   . 'artifact:t3=conversion|artifact:t2=derived:text/plain|-',
   'in a message');
is($t->get('/one/mixed/t2', 'X-LLM-Service' => 'reads')->{status}, 200,
   'one that is converted');
until_true(sub { @told = grep { m{^/one/mixed} } told(1) }, 5);
is($told[0], '/one/mixed/t2|-|artifact:t2=derived:text/plain|text/plain|-',
   'in a routed answer');

# a page is the text that it is without rules

$res = expanded('500', 'sees', 'page');
is($res->{body}, expanded('none', 'sees', 'page')->{body}, 'a page');
like($res->{body}, qr/w3\.org/, 'is its text');
is($res->header('X-Reasons'), undef, 'which is no reason');

# without the parameter the request fails, as ever; one time for all

is(expanded('strict', 'reads', 0)->{status}, 502, 'without "words"');
$res = expanded('lateboth', 'reads', 0 .. 3, '=4');
is($res->{status}, 200, 'no time is left for the others');
is($res->{body}, expanded('none', 'reads', 0 .. 3, '=4')->{body},
   'they are words');
is(expanded('latestrict', 'reads', 0 .. 3)->{status}, 502,
   'without "words" they are late');
is(left_behind($t), '', 'nothing is left behind');

# counted as failed

my $status = $t->get('/status')->{body};
my ($failed) = $status
    =~ /^artifact_derived_total\{kind="image",outcome="failed"\} (\d+)/m;
cmp_ok($failed, '>=', 6 * @FAILURES, 'counted as failed');
like($status, qr/^artifact_routed_total\{.*reason="conversion"\} 7$/m,
     'routed answers by their reason');

$_->stop for $converter, $echo;
$t->finish;


sub told {
    my ($n) = @_;
    my @lines;

    until_true(sub {
        open my $log, '<', "$dir/told.log" or die "$dir/told.log: $!";
        @lines = <$log>;
        return @lines >= $n;
    }, 5);
    chomp @lines;
    return @lines;
}
