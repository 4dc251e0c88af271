#!/usr/bin/perl

# A service or model that no map has: the answer, the counter and the log tell
# it from one that cannot see.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactCounts;
use ArtifactEcho;
use ArtifactFixtures;
use ArtifactTest;

my $t = ArtifactTest->new;
my $up = echo($t->prefix . '/up.sock');

$t->file('map.json', { services => [
    { id => 'blind' },
    { id => 'sees', capabilities => { input => ['text', 'vision'] } },
] });

$t->artifact('png', png(4, 4), { type => 'image/png', name => 'a.png' });
$t->artifact('text', 'words', { type => 'text/plain', name => 'a.txt' });

my $http = <<'HTTP';
    log_format reasons '$uri $artifact_reason';
HTTP

my $server = <<'SERVER';
    artifact_root %%DATA%%;
    access_log %%PREFIX%%/access.log reasons;

    location /artifacts/ {
        artifact;
        artifact_route on;
    }
    location /always/ {
        artifact;
        artifact_route always;
    }
    location /openai/ {
        artifact;
        artifact_route on;
        artifact_format openai;
    }
    location /source/ {
        artifact;
    }
    location = /route {
        artifact_message;
        artifact_source /source/;
    }
    location /v1/ {
        artifact_expand on;
        artifact_source /source/;
        proxy_pass http://unix:%%PREFIX%%/up.sock;
    }
    location = /status {
        artifact_status;
    }
SERVER

$t->start(http => "artifact_capabilities %%PREFIX%%/map.json;\n$http",
          server => $server);

sub metadata {
    my ($service, $uri) = @_;
    return json_of($t->service($service, $uri))->{metadata};
}

sub counted {
    my $n = of_handlers($t, qr/unknown_services_total/);
    return join ' ', map { s/^\S+ //r . "=$n->{$_}" } grep { $n->{$_} }
        sort keys %$n;
}

sub warnings_in_log {
    return [$t->log =~ /\[warn\][^\n]*?(no capability map has [^\n]*?), client/g];
}

# answers

is(metadata('blind', '/artifacts/png')->{reason}, 'capability',
   'a service that cannot see');
is(counted(), '', 'is known');

my $data = metadata('nobody', '/artifacts/png');
is($data->{reason}, 'unknown_service', 'one that no map has');
is($data->{requires}, 'vision', 'what it would need');
is_deeply($data->{suggestedServices}, ['sees'], 'and who has it');
is(json_of($t->service('nobody', '/artifacts/png'))->{content},
   json_of($t->service('blind', '/artifacts/png'))->{content},
   'the model is told the same');
is(json_of($t->service('nobody', '/openai/png'))->{text},
   json_of($t->service('blind', '/openai/png'))->{text},
   'in a format of a provider, too');
is(metadata('nobody', '/artifacts/text')->{reason}, undef,
   'text needs no capability');
is(counted(), 'artifact=4', 'each answer is counted, text as well');

is(json_of($t->get('/always/png'))->{metadata}{reason}, 'capability',
   'nobody asks: not unknown');
is(json_of($t->get('/always/png', 'X-LLM-Service' => 'nobody'))
   ->{metadata}{reason}, 'unknown_service', 'not from what is kept');
is(json_of($t->get('/artifacts/png', 'X-LLM-Service' => 'nobody',
                   'X-LLM-Capabilities' => 'text'))->{metadata}{reason},
   'capability', 'nor with capabilities of its own');
is(counted(), 'artifact=5', 'nor are these counted');

like(slurp($t->prefix . '/access.log'), qr/^\/artifacts\/png unknown_service$/m,
     '$artifact_reason');
like($t->get('/status')->body,
     qr/^artifact_routed_total\{.*reason="unknown_service"\} 3$/m,
     'the reason in the counters of answers');

# the log

is_deeply(warnings_in_log(),
          ['no capability map has "nobody", it gets text only'],
          'one warning, with the name');

# messages

my $r = $t->req('POST', '/route', headers => ['Content-Type' => 'application/json'],
                body => '{"text":"x","attachments":["artifact:png"],'
                        . '"service":"stranger"}');
my $message = json_of($r);
ok(!$message->{canProcess}, 'a message for an unknown service');
is_deeply($message->{unsupportedAttachments}[0]{suggestedServices}, ['sees'],
          'who could take it');
like($message->{textDescription}, qr/当前模型不支持直接处理此类型内容/,
     'its words');
is(counted(), 'artifact=5 message=1', 'is counted');

# requests to models

sub chat {
    my ($model, $url) = @_;
    my $body = qq({"model":"$model","messages":[{"role":"user","content":[)
        . qq({"type":"image_url","image_url":{"url":"$url"}}]}]});
    return $t->req('POST', '/v1/chat/completions',
                   headers => ['Content-Type' => 'application/json'],
                   body => $body);
}

like(chat('blind', 'artifact:png')->body, qr/\Q${\bytes('无法读取')}/, 'a known model');
is(counted(), 'artifact=5 message=1', 'is not counted');

like(chat('gpt-9', 'artifact:png')->body, qr/data:image\/png;base64/,
     'to an unknown model, media pass');
is(chat('gpt-9', 'https://example.com/x.png')->status, 200,
   'also those of the client');
is($t->req('POST', '/v1/chat/completions',
           headers => ['Content-Type' => 'application/json'],
           body => '{"model":"gpt-9","messages":[]}')->status, 200,
   'a request without any');
is(counted(), 'api=2 artifact=5 message=1', 'is not counted, the others are');

my $json = json_of($t->get('/status?format=json'))
    ->{artifact_unknown_services_total};
is(join(' ', map { "$_->{labels}{handler}=$_->{value}" }
        grep { $_->{value} } @{$json->{samples}}),
   'artifact=5 message=1 api=2', 'in JSON');

is(@{warnings_in_log()}, 1, 'still one warning');

# no name is no model that a map could have; then one that would break the
# line, and a long one

$t->stop;
unlink $t->prefix . '/nginx-error.log';
$t->start(http => "artifact_capabilities %%PREFIX%%/map.json;\n$http",
          server => $server);
like($t->req('POST', '/v1/chat/completions', body =>
                 '{"messages":[{"role":"user","content":[{"type":"image_url",'
                 . '"image_url":{"url":"artifact:png"}}]}]}',
             headers => ['Content-Type' => 'application/json'])->body,
     qr/data:image\/png;base64/, 'to a model without a name, media pass');
is(counted(), '', 'which is not counted');
is_deeply(warnings_in_log(), [], 'and not warned about');
chat('a\\n2026/01/01 [fake] \\u001b[31m' . 'x' x 400, 'artifact:png');
my ($warning) = @{warnings_in_log()};
like($warning // '', qr/^no\ capability\ map\ has\ "a_2026\/01\/01\ \[fake\]
                        \ _\[31mx{100,200}\.\.\.",\ its\ media\ are\ passed\ on
                        $/x, 'one line, and not all of the name');

# without a map nobody is known: answers say so, requests pass silently

ok($t->reload(http => $http, server => $server), 'without a map');
is(metadata('sees', '/artifacts/png')->{reason}, 'unknown_service',
   'an answer');
my $before = counted();
like(chat('sees', 'artifact:png')->body, qr/data:image\/png;base64/,
     'a request');
is(counted(), $before, 'is not counted');

$t->finish;
