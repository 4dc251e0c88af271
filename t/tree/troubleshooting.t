#!/usr/bin/perl

# What docs/troubleshooting.md tells of the log is so: each case of its tree,
# and the words of its table.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $page = chars(slurp("$FindBin::Bin/../../docs/troubleshooting.md"));
my $up = ArtifactUpstream->echo("$dir/api");

$t->artifact('shot', png(30, 20), { type => 'image/png' });
$t->artifact('scan', "II*\0" . "\0" x 60, { type => 'image/tiff' });
$t->artifact('large', png() . "\0" x 4096, { type => 'image/png' });

$t->file('map.json', { services => [
    { id => 'sees', capabilities => { input => ['text', 'vision'] } },
    { id => 'reads', capabilities => { input => ['text'] } },
] });

$t->start(http => <<'HTTP', server => <<'SERVER');
    artifact_capabilities %%PREFIX%%/map.json;
    log_format llm '$artifact_api|$artifact_refs|$artifact_expanded|'
                   '$artifact_degraded';
HTTP
    artifact_root %%DATA%%;
    artifact_language en;
    artifact_inline_max 4k;
    artifact_url https://llm.example.com/artifacts/;

    location /v1/ {
        access_log %%PREFIX%%/llm.log llm;
        artifact_expand on;
        proxy_pass http://unix:%%PREFIX%%/api:;
    }
    location /own/ {
        access_log %%PREFIX%%/llm.log llm;
        artifact_expand on;
        artifact_format openai;
        proxy_pass http://unix:%%PREFIX%%/api:;
    }
    location /other/ {
        access_log %%PREFIX%%/llm.log llm;
        artifact_expand on;
        artifact_format openai_compatible;
        proxy_pass http://unix:%%PREFIX%%/api:;
    }
    location /artifacts/ {
        internal;
        artifact;
    }
SERVER

my ($body, $sent);
my $chat = '/v1/chat/completions';

# down the log

is(logged('/v1/chat', 'sees', 'artifact:shot'), '-|-|-|-', 'no path of an API');
is(logged($chat, 'sees', 'artifact:shot', 'text/plain'), '-|-|-|-', 'not JSON');
is(logged('/own/chat', 'sees', 'artifact:shot'), 'openai|1|1|0',
   'artifact_format names the API');
is(logged('/other/v1/chat/completions', 'sees', 'artifact:shot'), '-|-|-|-',
   'a format that is no API');
is(logged($chat, 'sees', 'see artifact:shot'), 'openai|0|0|0',
   'within a sentence');
is(logged($chat, 'sees', 'http://llm.example.com/artifacts/shot'),
   'openai|0|0|0', 'a URL of another scheme');
is(logged($chat, 'sees', 'https://llm.example.com/artifacts/shot'),
   'openai|1|1|0', 'the URL itself');
is(logged($chat, 'sees', 'artifact:shot'), 'openai|1|1|0', 'all is well');

# words, and their reasons

my %words = $page =~ /^\| `(\w+)` \| (.*?)(?:, \.\.|\.)? \|/gm;

for my $case ([capability => 'reads', 'shot'], [type => 'sees', 'scan'],
              [size => 'sees', 'large'], [missing => 'sees', 'gone'])
{
    my ($reason, $model, $id) = @$case;

    is(logged($chat, $model, "artifact:$id"),
       'openai|1|0|1', "$reason: degraded");
    like($body, qr/\Q$words{$reason}\E/i, "$reason: the words of the page");
}

$up->stop;
$t->finish;


# What the log says of a request.

sub logged {
    my ($uri, $model, $url, $type) = @_;

    my $res = $t->req('POST', $uri,
        headers => ['Content-Type' => $type // 'application/json'],
        body => encode_json_bytes({ model => $model, messages => [{
            role => 'user', content => [
                { type => 'image_url', image_url => { url => $url } }],
        }] }));

    $body = chars($res->body);
    my $lines = ++$sent;
    $t->wait_for(qr/\A(?:.*\n){$lines}\z/, 'llm.log');
    return (split /\n/, slurp("$dir/llm.log"))[$lines - 1];
}
