#!/usr/bin/perl

# The queries of artifact_services: lists and pages, ids of every form,
# capabilities, arguments, errors, conditional requests.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactTest;

my $t = ArtifactTest->new;
my $KEY = 'sk-SECRET-KEY-4711';

$t->file('own.json', { services => [
    { id => 'text-model', name => '纯文本 "模型"', model => 'gpt-4',
      baseURL => 'https://secret.example.com/v1', apiKey => $KEY,
      capabilityTags => ['文本对话', '工具调用'], description => "D\n1",
      format => 'route', accepts => ['image/png'], maxBytes => 5,
      capabilities => { input => ['text'],
                        output => ['text', 'tool_calling', 'vision'] } },
    { id => 'vision-model', capabilities => { input => ['text', 'vision'],
                                              output => ['text', 'vision'] } },
    { id => 'odd id/模型?#%:x', capabilities => { input => ['气味'] } },
    { id => 'plain' },
    { id => 'ends/capabilities' },
] });
$t->file('public.json', { data => [
    map { { id => "maker/model-$_:free", architecture => {
        input_modalities => $_ % 2 ? ['text', 'image'] : ['text'] } } }
        1 .. 250
] });

my $locations = <<'SERVER';
    artifact_route always;
    artifact_root %%DATA%%;

    location /services/ {
        artifact_services;
    }
    location /en {
        artifact_services;
        artifact_language en;
    }
    location /no-tag/ {
        artifact_services;
        etag off;
    }
    location /guarded/ {
        artifact_services;
        limit_except GET {
            deny all;
        }
    }
    location /own-page/ {
        artifact_services;
        error_page 404 /page;
    }
    location = /page {
        return 200 "own page";
    }
    location = /exact {
        artifact_services;
    }
    location /artifacts/ {
        artifact;
    }
SERVER

$t->start(server => $locations, http => <<'HTTP');
    artifact_capabilities %%PREFIX%%/own.json;
    artifact_capabilities %%PREFIX%%/public.json;
HTTP

sub answer {
    my ($uri) = @_;
    my $res = $t->get($uri);
    is($res->header('Content-Type'), 'application/json', "$uri is JSON");
    unlike($res->{head} . $res->body, qr/\Q$KEY\E|secret\.example|apiKey/,
           'and shows no secret');
    is($res->status, 200, 'with status 200');
    return decode_strict($res->body);
}

sub ids {
    my ($uri) = @_;
    my $list = answer($uri);
    is($list->{count}, scalar @{ $list->{services} }, 'count is that of ids');
    return join ' ', map { $_->{id} } @{ $list->{services} };
}

sub refused {
    my ($uri, $status, $code, $ref, $name) = @_;
    my $res = $t->get($uri);
    is($res->status, $status, "$name: $status");
    is($res->header('Content-Type'), 'application/json', 'as JSON');
    my $json = decode_strict($res->body);
    is(key_order($json), 'error ref message', 'with the keys of an error');
    is("$json->{error} $json->{ref}", "$code $ref", 'and its code');
    is($res->header('ETag'), undef, 'without a tag');
}

# one service

my $one = answer('/services/text-model');
is(key_order($one),
   'id name model description capabilityTags format capabilities',
   'the keys of a service, in order');
is(key_order($one->{capabilities}), 'input output', 'both directions');
is_deeply($one, {
    id => 'text-model', name => '纯文本 "模型"', model => 'gpt-4',
    description => "D\n1", capabilityTags => ['文本对话', '工具调用'],
    format => 'route', capabilities => {
        input => ['text'], output => ['text', 'tool_calling', 'vision'] },
}, 'and its values');
is(key_order(answer('/services/plain')), 'id capabilities',
   'what is absent is left out');

# ids of every form

is(answer('/services/gpt-4')->{id}, 'text-model', 'by the model');
is(answer('/services/openai/gpt-4-2024-08-06:free')->{id}, 'text-model',
   'by another form of its name');
is(answer('/services/maker/model-7:free')->{id}, 'maker/model-7:free',
   'an id with a slash and a colon');
is(answer('/services/maker%2Fmodel-7%3Afree')->{id}, 'maker/model-7:free',
   'the same percent-encoded');
is(answer('/services/model-7')->{id}, 'maker/model-7:free', 'a part of it');
is(answer('/services/odd%20id/%E6%A8%A1%E5%9E%8B%3F%23%25:x')->{id},
   'odd id/模型?#%:x', 'an id of other characters');
is(answer('/services/ends/capabilities')->{id}, 'ends/capabilities',
   'an id that ends so');
is(answer('/en/text-model')->{id}, 'text-model', 'a location without a slash');

# capabilities

is_deeply(answer('/services/vision-model/capabilities'),
          { input => ['text', 'vision'], output => ['text', 'vision'] },
          'the capabilities of a service');
is_deeply(answer('/services/maker/model-7:free/capabilities'),
          { input => ['text', 'vision'], output => ['text'] },
          'of an id with a slash');
is_deeply(answer('/services/maker%2Fmodel-7:free%2Fcapabilities'),
          { input => ['text', 'vision'], output => ['text'] },
          'percent-encoded');

my $cap = answer('/services/vision-model/capabilities/vision');
is(key_order($cap), 'service capability direction supported',
   'the keys of one capability');
is_deeply($cap, { service => 'vision-model', capability => 'vision',
                  direction => 'input', supported => JSON::PP::true() },
          'input by default');

for my $case (['text-model', 'vision', 'input', 0],
              ['text-model', 'vision', 'output', 1],
              ['text-model', 'vision', 'both', 0],
              ['vision-model', 'vision', 'both', 1],
              ['vision-model', 'smell', 'input', 0],
              ['maker/model-7:free', 'vision', 'input', 1],
              ['maker/model-8:free', 'vision', 'input', 0],
              ['openai/gpt-4', 'tool_calling', 'output', 1])
{
    my ($id, $name, $direction, $supported) = @$case;
    my $json =
        answer("/services/$id/capabilities/$name?direction=$direction");
    is(($json->{supported} ? 1 : 0) . " $json->{direction}",
       "$supported $direction", "$id: $name, $direction");
}

is(answer('/services/odd%20id/%E6%A8%A1%E5%9E%8B%3F%23%25:x/capabilities/'
          . '%E6%B0%94%E5%91%B3')->{supported}, 1,
   'an unknown capability in Chinese');

# lists

my $all = answer('/services/');
is(key_order($all), 'services count next', 'the keys of a list');
is($all->{count}, 100, 'a hundred by default');
is($all->{services}[0]{id}, 'text-model', 'in the order of the map');
is($all->{next}, $all->{services}[99]{id}, 'and where it goes on');
is(answer('/en?limit=1')->{count}, 1, 'a location without a slash');
is(answer('/exact?limit=1')->{count}, 1, 'a location that is exact');

is(ids('/services/?limit=2'), 'text-model vision-model', 'a limit');
is(ids('/services/?limit=2&after=vision-model'), 'odd id/模型?#%:x plain',
   'the next page');
is(ids('/services/?limit=1&after=odd%20id/%E6%A8%A1%E5%9E%8B%3F%23%25:x'),
   'plain', 'after an id of other characters');
is(ids('/services/?after=maker/model-249:free'), 'maker/model-250:free',
   'the last page');
is(ids('/services/?after=maker/model-250:free'), '', 'and what is behind it');
is(answer('/services/?limit=1000')->{count}, 255, 'all of them');
is(answer('/services/?limit=1000')->{next}, undef, 'without a next');
is(answer('/services/?limit=255')->{next}, undef, 'exactly all of them');
is(answer('/services/?limit=99999999999999999999')->{count}, 255,
   'a limit beyond all');

my ($seen, $after, $pages) = ('', '', 0);
while (defined $after) {
    my $page = answer("/services/?capability=vision&limit=30&after=$after");
    $seen .= join '', map { "$_->{id}\n" } @{ $page->{services} };
    $after = $page->{next};
    last if ++$pages > 10;
}
is($seen, join('', "vision-model\n",
               map { "maker/model-" . (2 * $_ - 1) . ":free\n" } 1 .. 125),
   'all pages together are all that have it, once each');
is($pages, 5, 'in five pages');

is(ids('/services/?capability=vision&direction=output'),
   'text-model vision-model', 'by output');
is(ids('/services/?capability=vision&direction=both'), 'vision-model',
   'by both');
is(ids('/services/?capability=%E6%B0%94%E5%91%B3'), 'odd id/模型?#%:x',
   'by an unknown capability');
is(ids('/services/?capability=nothing'), '', 'by one that nobody has');
is(ids('/services/?capability=&limit=1'), 'text-model',
   'by an empty one: any');

# errors

refused('/services/nobody', 404, 'service_not_found', 'nobody',
        'an unknown service');
refused('/services/no/body:x/capabilities', 404, 'service_not_found',
        'no/body:x', 'its capabilities');
refused('/services/nobody/capabilities/text', 404, 'service_not_found',
        'nobody', 'one of its capabilities');
refused('/services/?after=nobody', 404, 'service_not_found', 'nobody',
        'a page after an unknown service');
refused('/services/?limit=0', 400, 'invalid_argument', '', 'a limit of 0');
refused('/services/?limit=-1', 400, 'invalid_argument', '',
        'a negative limit');
refused('/services/?limit=ten', 400, 'invalid_argument', '',
        'a limit in words');
refused('/services/?direction=up', 400, 'invalid_argument', '',
        'an unknown direction');
refused('/services/plain/capabilities/text?direction=up', 400,
        'invalid_argument', 'plain/capabilities/text', 'the same of one');
refused('/services/gpt', 404, 'service_not_found', 'gpt', 'a part of a name');
refused('/services/' . 'x' x 3000, 404, 'service_not_found', 'x' x 3000,
        'a very long id');
refused('/enx', 404, 'service_not_found', '',
        'what only begins as a location without a slash');

like(decode_strict($t->get('/services/nobody')->body)->{message},
     qr/服务/, 'the message, in Chinese');
like(decode_strict($t->get('/en/nobody')->body)->{message}, qr/service/,
     'and in English');
is($t->get('/own-page/nobody')->body, 'own page', 'an error_page');
is($t->get('/services/%00')->status, 400, 'a NUL');
is($t->get('/servicesx')->status, 404, 'another location');

for my $method (qw(POST PUT DELETE OPTIONS PATCH)) {
    my $res = $t->req($method, '/services/plain', body => 'x');
    is($res->status, 405, "$method: 405");
    is($res->header('Allow'), 'GET, HEAD', 'with Allow');
    is(decode_strict($res->body)->{error}, 'method_not_allowed', 'as JSON');
}

is($t->req('POST', '/guarded/plain', body => 'x')->status, 403,
   'limit_except works');
is($t->get('/guarded/plain')->status, 200, 'for what it limits only');

# HEAD and conditional requests

for my $uri ('/services/?limit=3', '/services/plain',
             '/services/plain/capabilities',
             '/services/plain/capabilities/text', '/services/nobody')
{
    my $get = $t->get($uri);
    my $head = $t->head($uri);
    is($head->status, $get->status, "HEAD $uri: the same status");
    is($head->body, '', 'no body');
    is($head->header('Content-Length'), length $get->body, 'its length');
    is($head->header('ETag'), $get->header('ETag'), 'its tag');
}

my $res = $t->get('/services/plain');
my $tag = $res->header('ETag');
like($tag, qr/^"[0-9a-f]{16}"$/, 'a strong tag');
is($res->header('Last-Modified'), undef, 'no date');
is($t->get('/services/plain', 'If-None-Match' => $tag)->status, 304,
   'not modified');
is($t->get('/services/text-model', 'If-None-Match' => $tag)->status, 200,
   'another service');
is($t->get('/services/plain', 'If-Match' => '"x"')->status, 412,
   'a failed precondition');
is($t->get('/no-tag/plain')->header('ETag'), undef, 'etag off');

ok($t->reload, 'a reload');
is($t->get('/services/plain')->header('ETag'), $tag,
   'leaves the tag of what is the same');
$t->file('own.json', { services => [
    { id => 'plain', name => 'new', apiKey => $KEY } ] });
ok($t->reload, 'a reload with another map');
isnt($t->get('/services/plain')->header('ETag'), $tag, 'changes it');

# own services first, wherever their map is loaded

ok($t->reload(server => $locations, http => <<'HTTP'), 'the own map last');
    artifact_capabilities %%PREFIX%%/public.json;
    artifact_capabilities %%PREFIX%%/own.json;
HTTP
is(ids('/services/?limit=2'), 'plain maker/model-1:free', 'comes first');
is(ids('/services/?limit=1&after=plain'), 'maker/model-1:free',
   'then the public one');
is(ids('/services/?after=maker/model-249:free'), 'maker/model-250:free',
   'to its end');
is(answer('/services/?limit=250')->{next}, 'maker/model-249:free',
   'with a next where there is one more');
is(answer('/services/?limit=251')->{next}, undef, 'and none otherwise');

# no map at all

ok($t->reload(server => $locations), 'a reload without maps');
is($t->get('/services/')->body, '{"services":[],"count":0}', 'no services');
refused('/services/plain', 404, 'service_not_found', 'plain', 'nothing');
refused('/services/?after=plain', 404, 'service_not_found', 'plain',
        'nothing after it');

$t->finish;
