#!/usr/bin/perl

# artifact_status: what known requests come to, over several workers, reloads
# and crashes.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactCounts;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream qw(read_request send_answer);
use ArtifactWrite;

my $t = ArtifactTest->new(workers => 2);
my $png = png(30, 30);

$t->artifact('shot', $png, { type => 'image/png', name => 'shot.png' });
$t->artifact('wrong', $png, { type => 'text/plain', name => 'wrong.txt' });
$t->artifact('kept', 'kept', { type => 'text/plain' });
$t->artifact('named', 'named', { name => 'named.txt' });
$t->workspace_file('w', 'a.txt', 'of a workspace');

$t->file('map.json', { services => [
    map { { id => $_->[0], model => $_->[0],
            capabilities => { input => $_->[1] } } }
    ['sees', ['text', 'vision']], ['reads', ['text']],
] });

my $echo = ArtifactUpstream->echo($t->prefix . '/echo');
my $pass = 'proxy_pass http://unix:' . $t->prefix . '/echo:;';

# answers with what it got, as JSON

my $model = ArtifactUpstream->new($t->prefix . '/model', serve => sub {
    my ($sock) = @_;

    my (undef, $body) = read_request($sock) or return;

    send_answer($sock, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
        . "Connection: close\r\nContent-Length: " . length($body)
        . "\r\n\r\n$body");
});
my $said = 'proxy_pass http://unix:' . $t->prefix . '/model:;';

my $server = <<"SERVER";
    artifact_root %%DATA%%;
    artifact_route on;
    artifact_write on;

    location = /status {
        artifact_status;
        artifact_route always;
    }
    location /guarded {
        artifact_status;
        limit_except GET {
            deny all;
        }
    }
    location /inspector/ {
        artifact_inspector;
    }
    location /artifacts/ {
        artifact;
        artifact_index on;
    }
    location /workspaces/ {
        artifact_workspace;
    }
    location /services/ {
        artifact_services;
    }
    location /open/ {
        artifact;
        open_file_cache max=10;
        open_file_cache_valid 1h;
    }
    location /decode/ {
        artifact_decode on;
        $pass
    }
    location /v1/ {
        artifact_expand on;
        $pass
    }
    location /route {
        artifact_message;
        artifact_source /artifacts/;
    }
    location /route-broken {
        artifact_message;
        artifact_source /nowhere/;
    }
    location /answers/ {
        artifact_route off;
        artifact_extract on;
        $said
    }
    location /images/ {
        artifact_route off;
        artifact_offload on;
        artifact_offload_min 1k;
        $said
    }
    location /images-lost/ {
        artifact_route off;
        artifact_offload on;
        artifact_offload_min 1k;
        artifact_root %%PREFIX%%/nothing;
        $said
    }
    location /broken/ {
        artifact_expand on;
        artifact_source /nowhere/;
        $pass
    }
    location /nowhere/ {
        return 500;
    }
    location /plain/ {
        artifact_route off;
        return 200 "nothing of ours";
    }
SERVER

my $http = 'artifact_capabilities %%PREFIX%%/map.json;';

$t->start(server => $server, http => $http);


# Both forms, and who may have them.

my $res = $t->get('/status');
is($res->status, 200, 'counters');
is($res->header('Content-Type'), 'text/plain; version=0.0.4; charset=utf-8',
   'as Prometheus takes them');
is($res->header('Cache-Control'), 'no-store', 'and nobody keeps them');
like($res->body, qr/^artifact_zone_size_bytes 4194304$/m, 'with the size of the zone');
unlike($res->body, qr/^artifact_requests_total/m, 'no request as yet');

is($t->get('/status?format=prometheus')->header('Content-Type'),
   $res->header('Content-Type'), 'the same by its name');

my $json = $t->get('/status?format=json');
is($json->header('Content-Type'), 'application/json', 'as JSON');
is(join(' ', sort keys %{ decode_strict($json->body) }),
   join(' ', sort $res->body =~ /^# TYPE (\S+)/mg), 'with the same names');

my $head = $t->head('/status');
is($head->status, 200, 'HEAD');
cmp_ok($head->header('Content-Length'), '>', 1000, 'tells the length');
is($head->body, '', 'and no more');

error_is($t->get('/status?format=xml'), 400, 'invalid_argument', '');

my $post = $t->req('POST', '/status', body => 'x');
is($post->status, 405, 'nobody writes there');
is($post->header('Allow'), 'GET, HEAD', 'as the answer tells');
is($t->get('/guarded')->status, 200, 'a location with "limit_except"');
is($t->req('POST', '/guarded', body => 'x')->status, 403, 'has it');


# Raw and routed answers, errors, queries

grow($t, 'raw', sub { $t->get('/artifacts/shot') },
     requests('artifact', 200) => 1, 'artifact_read_bytes_total' => 0,
     'artifact_types_total source=metadata' => 1,
     'artifact_contradictions_total' => 0);

grow($t, 'routed', sub { $t->service('sees', '/artifacts/shot') },
     requests('artifact', 200) => 1, routed('route', 'image', 'image_url',
                                            'none') => 1,
     'artifact_read_bytes_total' => length $png);

grow($t, 'described', sub { $t->service('reads', '/artifacts/shot') },
     requests('artifact', 200) => 1, routed('route', 'image', 'text',
                                            'capability') => 1,
     'artifact_read_bytes_total' => 0);

grow($t, 'not what was declared', sub { $t->service('sees', '/artifacts/wrong') },
     'artifact_types_total source=content' => 1,
     'artifact_contradictions_total' => 1);

grow($t, 'by the name', sub { $t->service('sees', '/artifacts/named') },
     'artifact_types_total source=name' => 1);

grow($t, 'errors', sub {
         $t->get('/artifacts/none');
         $t->get('/artifacts/ws:w:!!');
         $t->get('/workspaces/w/none');
     }, requests('artifact', 404) => 1, requests('artifact', 400) => 1,
     requests('workspace', 404) => 1);

grow($t, 'metadata, listings, services', sub {
         $t->get('/artifacts/shot/metadata');
         $t->get('/artifacts/');
         $t->get('/services/');
         $t->get('/services/none');
     }, requests('artifact', 200) => 2, requests('services', 200) => 1,
     requests('services', 404) => 1);

grow($t, 'a bad reference to an upstream', sub { $t->get('/decode/ws:w') },
     requests('decode', 400) => 1);

grow($t, 'nothing of ours', sub {
         is($t->get($_)->status, 200, $_) for qw(/plain/ /status /inspector/);
     }, map { requests($_, 200) => 0 }
            qw(artifact workspace decode services message api route));

my $raw;
grow($t, 'an answer', sub { $raw = $t->get('/workspaces/w/a.txt') },
     requests('workspace', 200) => 1);
grow($t, 'bytes sent', sub { $t->get('/workspaces/w/a.txt') },
     'artifact_sent_bytes_total handler=workspace'
        => length($raw->{head}) + 2 + length $raw->body);


# Writes

grow($t, 'writes', sub {
         put($t, 'w/new.txt', 'twelve bytes');
         put($t, 'w/new.txt', 'six by');
         remove($t, 'w/new.txt');
         remove($t, 'w/new.txt');
         post($t, 'name=a.txt', 'abc');
     },
     writes('put', 'created') => 1,
     writes('put', 'changed') => 1,
     writes('delete', 'changed') => 1,
     writes('delete', 'refused') => 1,
     writes('post', 'created') => 1,
     'artifact_written_bytes_total' => 21, requests('workspace', 404) => 1);

my $folds = 'artifact_folds_total outcome=done';
ok(until_true(sub { counts($t)->{$folds} > 0 }, 20), 'a journal was folded');


# Requests to models

my $url = 'data:image/png;base64,' . b64($png);

sub ask {
    my ($model, $uri, @urls) = @_;
    return $t->req('POST', "$uri/chat/completions",
        headers => ['Content-Type' => 'application/json'],
        body => encode_json_bytes({ model => $model, messages => [
            { role => 'user', content => [
                map { { type => 'image_url', image_url => { url => $_ } } }
                    @urls ] } ] }));
}

grow($t, 'expanded', sub {
         ask('sees', '/v1', 'artifact:shot', $url, 'artifact:none',
             'artifact:kept');
     }, requests('api', 200) => 1, part('openai', 'image', 'part') => 1,
     part('openai', 'image', 'kept') => 1, part('openai', 'other', 'missing') => 1,
     part('openai', 'text', 'text') => 1, 'artifact_saved_bytes_total' => 0,
     'artifact_read_bytes_total' => length($png) + 4,
     routed('openai', 'image', 'image_url', 'none') => 0);

my $degraded;
grow($t, 'described', sub { $degraded = ask('reads', '/v1', $url) },
     part('openai', 'image', 'described') => 1);

my $saved = length(encode_json_bytes({ type => 'image_url',
                                       image_url => { url => $url } }))
    - length(encode_json_bytes(
          decode_strict($degraded->body)->{messages}[0]{content}[0]));

cmp_ok($saved, '>', 0, 'media taken out');
grow($t, 'degraded', sub { ask('reads', '/v1', $url, 'artifact:shot') },
     part('openai', 'image', 'described') => 2, 'artifact_saved_bytes_total' => $saved);

grow($t, 'a source that fails', sub {
         ask('sees', '/broken', 'artifact:shot');
     }, requests('api', 502) => 1, 'artifact_sources_failed_total' => 1);


# Messages with attachments

sub message {
    my ($uri, @ids) = @_;
    return $t->req('POST', $uri, headers => ['Content-Type' =>
                                             'application/json'],
        body => encode_json_bytes({ service => 'sees', text => 'x',
            attachments => [map { "artifact:$_" } @ids] }));
}

grow($t, 'attachments', sub { message('/route', qw(shot shot none)) },
     requests('message', 200) => 1, attached('part') => 2,
     attached('missing') => 1, 'artifact_sources_failed_total' => 0);
grow($t, 'whose source fails', sub { message('/route-broken', 'shot') },
     attached('unread') => 1, 'artifact_sources_failed_total' => 1);


# Answers of models: what comes back is what was sent.

sub answer {
    my ($uri, $answer) = @_;
    return $t->req('POST', $uri, body => encode_json_bytes($answer),
                   headers => ['Content-Type' => 'application/json']);
}

my $block = '<artifacts>[{"type":"text","content":"a"},'
    . '{"type":"text","content":"b"}]</artifacts>';
my $declared;

grow($t, 'declared', sub {
         $declared = answer('/answers/v1/chat/completions', { choices => [
             { message => { content => "done $block" } } ] });
     }, 'artifact_declared_total' => 2, requests('api', 200) => 1);
is(scalar @{ decode_strict($declared->body)->{artifacts} }, 2,
   'as the client was told');

my $image = b64(png(40, 40));
my $offloaded = 'artifact_offloaded_total kind=media,outcome';

grow($t, 'offloaded', sub {
         answer('/images/v1/images/generations',
                { data => [map { { b64_json => $image } } 1 .. 2] });
     }, "$offloaded=stored" => 2, "$offloaded=failed" => 0,
     requests('api', 200) => 1);
grow($t, 'nowhere to put it', sub {
         answer('/images-lost/v1/images/generations',
                { data => [{ b64_json => $image }] });
     }, "$offloaded=stored" => 0, "$offloaded=failed" => 1);


# Kept open: one worker answers while the other one stands still.

sub one_worker {
    my ($number, $do) = @_;
    my $other = (sort { $a <=> $b } $t->workers)[1 - $number];

    kill STOP => $other;
    until_true(sub { slurp("/proc/$other/stat") =~ /\) T / }, 20)
        or die "a worker goes on\n";
    my $res = $do->();
    kill CONT => $other;

    return $res;
}

for my $number (0, 1) {
    grow($t, "worker $number keeps a file open", sub {
             one_worker($number, sub {
                 $t->get('/open/kept') for 1 .. 3;
             });
         }, 'artifact_open_files' => 1, requests('artifact', 200) => 3,
         'artifact_open_lookups_total result=hit' => 2,
         'artifact_open_lookups_total result=miss' => 1);
}

# Many clients at once: none is lost.

grow($t, 'many at once', sub {
         in_parallel($t, 4, sub { $t->get('/services/') for 1 .. 50 });
     }, requests('services', 200) => 200);


# Kept over a reload; nothing is open any more.

sub lasting {
    my $counts = counts($t);
    return { map { $_ => $counts->{$_} } grep { /_total/ } keys %$counts };
}

my $before = lasting();
is(counts($t)->{artifact_open_files}, 2, 'two files are open');

ok($t->reload(server => "$server location /more/ { artifact; }",
              http => "$http artifact_zone 1m;"), 'a reload');
ok(until_true(sub { counts($t)->{artifact_open_files} == 0 }, 20),
   'closes them');
is_deeply(lasting(), $before, 'and changes no count');
is(counts($t)->{artifact_zone_size_bytes}, 1048576, 'the zone has its new size');
grow($t, 'counted on', sub { $t->get('/more/shot') },
     requests('artifact', 200) => 1);

# An old worker counts for as long as it has a request to answer.

my $slow = $t->connect;
$slow->send("GET /artifacts/shot HTTP/1.1\r\n");
until_true(sub { 0 }, 0.2);
ok($t->reload, 'a reload with a client in the middle of its request');
grow($t, 'from an old worker', sub {
         $slow->send("Host: a\r\nConnection: close\r\n\r\n");
         is($slow->response('GET')->status, 200, 'is answered');
     }, requests('artifact', 200) => 1);

# A worker that crashes takes no count with it, and its files are not open.

grow($t, 'before a crash', sub {
         one_worker(0, sub { $t->get('/open/kept') });
     }, 'artifact_open_files' => 1);
$before = lasting();
my ($victim) = sort { $a <=> $b } $t->workers;
kill KILL => $victim;
$t->allow(qr/exited on signal 9/);
ok(until_true(sub { $t->workers == 2 && !grep { $_ == $victim } $t->workers },
              20), 'another worker');
ok(until_true(sub { counts($t)->{artifact_open_files} == 0 }, 20),
   'no file is open');
is_deeply(lasting(), $before, 'and all is counted');

# Without "artifact_status" there is nothing; with it again, it is new.

(my $without = $server) =~ s/artifact_status;//g;
ok($t->reload(server => $without), 'a reload without counters');
is($t->get('/artifacts/shot')->status, 200, 'serves');
ok($t->reload(server => $server), 'and with them again');
is(counts($t)->{requests('artifact', 200)}, undef, 'begins anew');

$t->finish;
