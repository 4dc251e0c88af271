#!/usr/bin/perl

# Agents of the platform's own map: where a service is asked for, the agent's
# counts, behind ids and names of services.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;

my $t = ArtifactTest->new;
my $echo = ArtifactUpstream->echo($t->prefix . '/echo');

my @sees = (capabilities => { input => ['text', 'vision'] });

$t->file('public.json', { data => [
    { id => 'maker/painter', architecture => { input_modalities => ['text'] } },
    { id => 'maker/writer', architecture => { input_modalities => ['text'] } },
] });
$t->file('own.json', {
    services => [
        { id => 'eyes', model => 'eyes-1', @sees },
        { id => 'blind', model => 'blind-1' },
        { id => 'team/plain' },
    ],
    agents => [
        { id => 'doc-agent', serviceId => 'eyes' },
        { id => 'by-model', serviceId => 'eyes-1' },
        { id => 'by-part', serviceId => 'any/eyes-1:free' },
        { id => 'next-file', serviceId => 'later' },
        { id => 'blind', serviceId => 'eyes' },
        { id => 'blind-1', serviceId => 'eyes' },
        { id => 'BLIND', serviceId => 'eyes' },
        { id => 'painter', serviceId => 'eyes' },
        { id => 'plain', serviceId => 'eyes' },
        { id => 'second', serviceId => 'doc-agent' },
        { id => '代理 "x"', serviceId => 'eyes' },
        { id => 'Mixed', serviceId => 'eyes' },
        { id => 'mixed', serviceId => 'blind' },
        { id => 'lost', serviceId => 'nowhere' },
        { id => 'l' x 1024, serviceId => 'eyes' },
    ],
});
$t->file('later.json', { services => [{ id => 'later', @sees }],
                         agents => [{ id => 'far', serviceId => 'gone' }] });
$t->artifact('png', png(4, 4), { type => 'image/png', name => 'a.png' });

my $http = join "\n", map { "artifact_capabilities %%PREFIX%%/$_.json;" }
    qw(public own later);

$t->start(http => $http, server => <<"SERVER");
    artifact_root %%DATA%%;

    location /artifacts/ {
        artifact;
        artifact_route on;
        add_header X-Service \$artifact_service;
        add_header X-Capabilities \$artifact_capabilities;
    }
    location /services/ { artifact_services; }
    location /message   { artifact_message; artifact_source /artifacts/; }
    location /v1/ {
        artifact_expand on;
        proxy_pass http://unix:%%PREFIX%%/echo:;
    }
SERVER

# an agent, its service, whether that sees

my @agents = (
    ['doc-agent', 'eyes', 1, 'an agent'],
    ['by-model', 'eyes', 1, 'its service by the model'],
    ['by-part', 'eyes', 1, 'by another form of its name'],
    ['next-file', 'later', 1, 'a service of a later file'],
    ['DOC-Agent', 'eyes', 1, 'an agent in another case'],
    ["\xe4\xbb\xa3\xe7\x90\x86 \"x\"", 'eyes', 1, 'of any characters'],
    ['l' x 1024, 'eyes', 1, 'a long one'],
    ['Mixed', 'eyes', 1, 'two that differ by case: one'],
    ['mixed', 'blind', 0, 'and the other'],
    ['blind', 'blind', 0, 'a service with this id comes first'],
    ['Blind', 'blind', 0, 'in any case'],
    ['blind-1', 'blind', 0, 'and one with this model'],
    ['painter', 'eyes', 1, 'an agent comes before a part of a public name'],
    ['plain', 'eyes', 1, 'and before a part of an own one'],
    ['writer', 'maker/writer', 0, 'which are found all the same'],
    ['maker/painter', 'maker/painter', 0, 'by their ids'],
    ['second', 'second', 0, 'an agent is no service of another'],
    ['lost', 'lost', 0, 'a service that no map has'],
    ['l' x 1025, 'l' x 1025, 0, 'an id that is too long'],
    ['doc-agent:free', 'doc-agent:free', 0, 'a part of an agent is none'],
);

for my $case (@agents) {
    my ($agent, $service, $sees, $name) = @$case;
    my $res = $t->service($agent, '/artifacts/png');
    is($res->header('X-Service'), $service, $name);
    is(json_of($res)->{routing}, $sees ? 'image_url' : 'text', 'and what it '
       . 'can take');
}

my $json = json_of($t->get('/services/doc-agent'));
is($json->{id}, 'eyes', 'a query tells the service');
$json = json_of($t->get('/services/doc-agent/capabilities/vision'));
is("$json->{service} $json->{supported}", 'eyes 1', 'and its capabilities');
is(json_of($t->get('/services/'))->{count}, 6, 'agents are not listed');

$json = json_of($t->req('POST', '/message', body => encode_json_bytes({
    text => 'look', attachments => ['artifact:png'], service => 'doc-agent' }),
    headers => ['Content-Type' => 'application/json']));
ok($json->{canProcess}, 'a message for an agent');

like($t->req('POST', '/v1/chat/completions', body => encode_json_bytes({
        model => 'anything', messages => [{ role => 'user', content => [
            { type => 'artifact', artifact => 'artifact:png' }] }] }),
        headers => ['Content-Type' => 'application/json',
                    'X-LLM-Service' => 'doc-agent'])->body,
     qr/"image_url"/, 'a request with the agent as its service');


# --- what a query for nothing leaves ------------------------------------------

sub warned { return scalar(() = $t->log =~ /no capability map has/g) }

$t->stop;
unlink $t->prefix . '/nginx-error.log';
$t->start(http => $http, server => <<'SERVER');
    location /services/ { artifact_services; }
SERVER

is($t->get('/services/')->status, 200, 'a list');
is($t->get('/services/doc-agent')->status, 200, 'one');
is(warned(), 0, 'no warning');
is($t->get("/services/odd%0Aname/capabilities/vision")->status, 404, 'none');
like($t->log, qr/\[warn\].* no capability map has "odd\S*name", a query for it /,
     'a warning with the name');
is($t->get('/services/other')->status, 404, 'another');
is(warned(), 1, 'one a minute');


# --- nginx -t -----------------------------------------------------------------

my ($code, $out) = $t->conf_test(http => $http);
my @warnings = grep { /\[warn\]/ } split /\n/, $out;

is($code, 0, 'accepted');
is(@warnings, 3, 'a warning for each agent without a service') or diag($out);
like($warnings[0], qr/agent "second" has the service "doc-agent", which/,
     'an agent is none');
like($warnings[1], qr/agent "lost" .* "nowhere", .* in ".*own\.json" line 1$/,
     'in the first file');
like($warnings[2], qr/agent "far" .* "gone", .* in ".*later\.json" line 1$/,
     'in the second');

$t->file('own.json', <<'JSON');
{"services": [{"id": "eyes"}],
 "agents": [
   {"id": "a", "serviceId": "eyes"},
   {"id": "a", "serviceId": "eyes"},
   7,
   {"id": "b"},
   {"id": "", "serviceId": "eyes"},
   {"id": "c",
    "serviceId": "e\u0007\nyes"}
 ]}
JSON

($code, $out) = $t->conf_test(
    http => 'artifact_capabilities %%PREFIX%%/own.json;');
@warnings = grep { /\[warn\]/ } split /\n/, $out;

is($code, 0, 'accepted');
is(@warnings, 5, 'a warning for each fault') or diag($out);
for my $re (qr/agents\[2\] is not an object.* line 5/,
            qr/agents\[3\] lacks .* line 6/, qr/agents\[4\] lacks .* line 7/,
            qr/agent "a" is listed more than once/,
            qr/agent "c" has the service "e\S+yes", .* line 8$/)
{
    my $warning = shift @warnings;
    like($warning, $re, 'it says what and where');
}

$t->finish;
