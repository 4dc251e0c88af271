#!/usr/bin/perl

# Who can take what: look-ups in the platform's own map, layered maps, the
# accept header, and services named by other variables.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;

my $t = ArtifactTest->new;

sub entry {
    my ($id, $model, $input, %more) = @_;
    return { id => $id, name => "Name of $id", model => $model,
             baseURL => 'https://api.example.com/v1', apiKey => 'sk-none',
             capabilityTags => ['视觉理解'], description => 'a service',
             capabilities => { input => $input, output => ['text'] }, %more };
}

$t->file('one.json', {
    services => [
        entry('sees', 'eye-1', ['text', 'vision']),
        entry('reads', 'file-1', ['text', 'file']),
        entry('words', 'word-1', ['text']),
        entry('gpt-4-vision', 'gpt-4-vision-preview', ['text', 'vision']),
        entry('模型 一', '视觉', ['vision']),
        entry('word-id', 'sees', ['text']),
        entry('layered', 'layer-1', ['text']),
        entry('odd', 'odd-1', ['vision', 'smell', 'vision']),
        { id => 'nothing', model => 'nothing-1' },
        { id => 'no-input', capabilities => { output => ['vision'] } },
        { id => 'no-output', capabilities => { input => ['vision'] } },
        { id => 'only-id' },
        entry('as-object', 'obj-1', ['text'], format => 'object'),
        entry('as-tool', 'tool-1', ['vision'], format => 'tool_message'),
    ],
    agents => [ { id => 'agent-1', serviceId => 'sees' } ],
    other => { ignored => [1, 2] },
});
$t->file('two.json', { services => [
    entry('layered', 'layer-2', ['text', 'vision']),
    entry('added', 'add-1', ['text', 'vision']),
] });

$t->artifact('png', png(4, 4), { type => 'image/png', name => 'a.png' });
$t->artifact('pdf', pdf(), { type => 'application/pdf', name => 'a.pdf' });
$t->artifact('text', 'words', { type => 'text/plain', name => 'a.txt' });

$t->start(http => <<'HTTP', server => <<'SERVER');
    artifact_capabilities %%PREFIX%%/one.json;
    artifact_capabilities %%PREFIX%%/two.json;

    map $http_x_user $by_user {
        default words;
        painter sees;
    }
HTTP
    artifact_root %%DATA%%;
    artifact_route on;

    location /artifacts/ {
        artifact;
    }
    location /arg/ {
        artifact;
        artifact_service $arg_model;
    }
    location /mapped/ {
        artifact;
        artifact_service $by_user;
    }
    location /fixed/ {
        artifact;
        artifact_service sees;
    }
    location /glued/ {
        artifact;
        artifact_service "se$arg_tail";
    }
    location /accept/ {
        artifact;
        artifact_accept "text, vision";
    }
    location /accept-arg/ {
        artifact;
        artifact_accept $arg_caps;
    }
    location /always/ {
        artifact;
        artifact_route always;
    }
    location /format/ {
        artifact;
        artifact_format route;
    }
    location /format-arg/ {
        artifact;
        artifact_format $arg_format;
    }
SERVER

my $SEEN = 'image image_url image/png';
my $BLIND = 'image text image/png capability';
my $UNKNOWN = 'image text image/png unknown_service';

sub png_for {
    my ($service, @headers) = @_;
    return routing_of($t->service($service, '/artifacts/png', @headers));
}

# look-ups

is(png_for('sees'), $SEEN, 'by id');
is(png_for('eye-1'), $SEEN, 'by model');
is(png_for('words'), $BLIND, 'a service of text');
is(png_for('reads'), $BLIND, 'a service of files');
is(routing_of($t->service('reads', '/artifacts/pdf')),
   'binary file application/pdf', 'takes a file');
is(png_for(bytes('模型 一')), $SEEN, 'an id in Chinese with a space');
is(png_for(bytes('视觉')), $SEEN, 'a model in Chinese');
is(png_for('unknown'), $UNKNOWN, 'an unknown service reads text only');
is(routing_of($t->service('unknown', '/artifacts/text')),
   'text text text/plain', 'and gets text');
is(png_for('x' x 3000), $UNKNOWN, 'a very long unknown service');

is(png_for('gpt-4-vision'), $SEEN, 'a name by id');
is(png_for('gpt-4-vision-preview'), $SEEN, 'a name by model');
is(png_for('gpt-4-vision-unheard-of'), $UNKNOWN, 'a longer name is another');
is(png_for('gpt-4'), $UNKNOWN, 'a shorter name is another');
is(png_for('sees/words'), $BLIND, 'a provider that is an id');
is(png_for('word-id'), $BLIND, 'an id comes before a model of that name');

# entries

is(png_for('nothing'), $BLIND, 'no capabilities: text only');
is(png_for('only-id'), $BLIND, 'an id is enough for an entry');
is(png_for('no-input'), $BLIND, 'no input: text only');
is(png_for('no-output'), $SEEN, 'no output does not matter');
is(png_for('odd'), $SEEN, 'unknown and repeated capabilities');

# layers

is(png_for('layered'), $SEEN, 'a later map overrides an id');
is(png_for('added'), $SEEN, 'and adds ids');
is(png_for('sees'), $SEEN, 'and leaves others alone');
is(png_for('layer-2'), $SEEN, 'the model of the later entry');

# the accept value

is(png_for('words', 'X-LLM-Capabilities' => 'vision'), $SEEN,
   'accept wins over a service that reads');
is(png_for('sees', 'X-LLM-Capabilities' => 'text'), $BLIND,
   'accept wins over a service that sees');
is(png_for('sees', 'X-LLM-Capabilities' => ''), $SEEN,
   'an empty accept is none');
is(routing_of($t->get('/accept/png')), $SEEN, 'artifact_accept, constant');
is(routing_of($t->service('words', '/accept/png')), $SEEN,
   'wins over the service');
is(routing_of($t->accept('text', '/accept/png')), $SEEN,
   'and replaces the header');
is(routing_of($t->get('/accept-arg/png?caps=vision')), $SEEN,
   'artifact_accept, a variable');
is(routing_of($t->get('/accept-arg/png?caps=text,file')), $BLIND,
   'artifact_accept, another value');
is($t->get('/accept-arg/png')->header('Content-Type'), 'image/png',
   'artifact_accept, empty: the bytes');

# the service value

is(routing_of($t->get('/arg/png?model=sees')), $SEEN, 'artifact_service $arg');
is(routing_of($t->get('/arg/png?model=words')), $BLIND, 'another argument');
is($t->get('/arg/png')->header('Content-Type'), 'image/png',
   'no argument: the bytes');
is($t->service('sees', '/arg/png')->header('Content-Type'), 'image/png',
   'the header does not count any more');
is(routing_of($t->get('/mapped/png', 'X-User' => 'painter')), $SEEN,
   'a service by map');
is(routing_of($t->get('/mapped/png', 'X-User' => 'poet')), $BLIND,
   'the default of the map');
is(routing_of($t->get('/fixed/png')), $SEEN, 'a constant service');
is(routing_of($t->get('/glued/png?tail=es')), $SEEN,
   'a service of text and variable');

# always

is(routing_of($t->get('/always/png')), $BLIND, 'always: text for nobody');
is(routing_of($t->service('sees', '/always/png')), $SEEN,
   'always: as usual for a service');
is(routing_of($t->service('unknown', '/always/png')), $UNKNOWN,
   'always: text for an unknown one');

# what else an entry may say

is(key_order(json_of($t->service('as-object', '/artifacts/text'))),
   'id content type createdAt messageId meta isBinary mimeType',
   'the format of the service');
is(json_of($t->service('as-tool', '/artifacts/png'))->{role}, 'tool',
   'another format');
is(routing_of($t->service('as-object', '/format/text')),
   'text text text/plain', 'artifact_format comes before it');
is(json_of($t->accept('vision', '/format-arg/png?format=tool_message'))
   ->{role}, 'tool', 'artifact_format, a variable');
is(routing_of($t->accept('vision', '/format-arg/png')), $SEEN,
   'artifact_format, empty: route');

for my $ref (qw(png pdf text)) {
    my $res = $t->service('sees', "/artifacts/$ref");
    is(route_problems($res), '', "$ref is well-formed");
    unlike($res->{head} . $res->body, qr/sk-none/, 'and shows no key');
}

$t->finish;
