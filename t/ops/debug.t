#!/usr/bin/perl

# The debug log has a line for each decision about an answer.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;

my $t = ArtifactTest->new;
my $log = $t->prefix . '/debug.log';

plan skip_all => 'nginx without --with-debug' if $t->version !~ /--with-debug/;

$t->artifact('note', 'some words', { type => 'text/plain', name => 'a.txt' });
$t->artifact('image', png(), { type => 'image/png', name => 'a.png' });
mkdir $t->prefix . '/html' or die "mkdir: $!";
spew($t->prefix . '/html/big.txt', "some words\n" x 5000);

$t->file('map.json', { services => [
    { id => 'blind', model => 'some-model', capabilities => {} } ] });

$t->allow(qr/nobody/);
$t->start(http => 'artifact_capabilities %%PREFIX%%/map.json;', server => <<'SERVER');
    error_log %%PREFIX%%/debug.log debug;
    artifact_root %%DATA%%;
    artifact_route on;

    location /artifacts/ {
        artifact;
    }
    location /file/ {
        alias %%PREFIX%%/html/;
    }
    location /v1/ {
        artifact_route off;
        artifact_expand on;
        proxy_set_header X-Model $artifact_model;
        proxy_pass http://unix:%%PREFIX%%/nobody:/;
    }
    location /wrong/ {
        artifact_route off;
        artifact_expand on;
        artifact_source /none/;
        proxy_pass http://unix:%%PREFIX%%/nobody:/;
    }
SERVER

logs('raw', ['/artifacts/note'],
    'handler: "note"',
    'reader: service "", accept "", capabilities 0001',
    'routed: 0',
    'raw: type "text/plain"');

logs('routed', ['/artifacts/note', 'X-LLM-Capabilities' => 'text'],
    'reader: service "", accept "text", capabilities 0001',
    'routed: 1',
    'stream: render "route" as text, reason none, cacheable 1, length -1',
    'stream: end, 10 bytes read, answer -1');

logs('described', ['/artifacts/image', 'X-LLM-Service' => 'nobody'],
    'reader: service "nobody" unknown, accept "", capabilities 0001',
    'stream: render "route" as text, reason unknown_service,');

logs('fed, and waited for',
    ['/file/big.txt', 'X-LLM-Capabilities' => 'text', 'Range' => 'bytes=1-2'],
    'withheld: 1 headers, encoding only 0',
    'feed: first 4096 of 55000 bytes',
    'wait: 4096 first bytes, whole 0',
    'feed: other 50904 bytes',
    'stream: end, 55000 bytes read');

logs('an error', ['/artifacts/none'], 'handler: "none"', 'error: 404');

my $body = '{"model":"some-model","messages":[{"role":"user","content":'
    . '[{"type":"artifact","artifact":"artifact:image"},'
    . '{"type":"artifact","artifact":"artifact:none"}]}]}';

logs('expanded', ['/v1/chat/completions', body => $body],
    'expand: api "openai"',
    'expand: scanned for "openai", model "some-model", 2 slots, 2 references',
    'expand: model "some-model" is "blind"',
    'expand: reader is known, capabilities',
    'ask: "/artifacts/image"',
    'expand: slot 0, artifact "image": described, capability',
    'place: "/artifacts/none" answered with 404, source 0',
    'consumed: "/artifacts/none", status 404, whole 0, missing 1, no source 0',
    'expand: slot 1, artifact "none": described, missing');

my $id = '0190a5f0-3c00-7000-8000-00000000002a';

logs('found in texts',
    ['/v1/chat/completions', body => '{"model":"some-model","messages":['
        . qq({"role":"tool","content":"a [artifact:$id]"}]})],
    'expand: scanned for "openai", model "some-model", 1 slots, 1 references,'
        . ' 1 found in texts',
    qq(expand: slot 0, marker "$id": described, missing));

logs('a wrong location', ['/wrong/chat/completions', body => $body],
    'place: "/none/image" answered with 404, source -5',
    'consumed: "/none/image", status 404, whole 0, missing 0, no source 1',
    'expand: refused with 502');

logs('only named', ['/v1/images/generations', body => $body],
    'expand: api "none", named by "images"');

$t->finish;


# A request has these lines, in this order, perhaps among others.

sub logs {
    my ($name, $request, @lines) = @_;
    my $before = -s $log // 0;

    my ($uri, @more) = @$request;

    if (@more && $more[0] eq 'body') {
        $t->req('POST', $uri, @more,
                headers => ['Content-Type' => 'application/json']);
    } else {
        $t->get($uri, @more);
    }

    my $got = substr(slurp($log), $before);
    my $wanted = join '.*', map { "http artifact \Q$_\E" } @lines;

    like($got, qr/$wanted/s, $name);
}
