#!/usr/bin/perl

# artifact_status: each outcome that is counted, those of bad days too: a full
# disk, a zone without room, sources and clients that go away.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactCounts;
use ArtifactFail;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;
use ArtifactWrite;
use POSIX qw(EACCES EIO ENOSPC);

my $fail = ArtifactFail->new;
my $t = ArtifactTest->new(launcher => $fail->launcher);
my $png = png(30, 30);
my $data = 'data:image/png;base64,' . b64($png);

$t->artifact('shot', $png, { type => 'image/png', name => 'shot.png' });
$t->artifact('big', png(8, 8) . rand_bytes(1900), { type => 'image/png' });
$t->artifact('note', 'a note', { type => 'text/plain', name => 'note.txt' });
# for the zone, of which each takes some

$t->artifact("z$_", 'z' x 100, { name => "$_-" . 'n' x 200 }) for 1 .. 600;
my $filled = time;

$t->file('map.json', { services => [
    map { { id => $_->[0], model => $_->[0],
            capabilities => { input => $_->[1] } } }
    ['sees', ['text', 'vision']], ['reads', ['text']],
] });

my $echo = ArtifactUpstream->echo($t->prefix . '/echo');
my $image = encode_json_bytes({ data => [{ b64_json => b64(png(40, 40)) }] });
my $store = ArtifactUpstream->new($t->prefix . '/store', contents => {
    'images/generations' => { body => $image, type => 'application/json' },
    'cut/shot' => { body => $png . rand_bytes(50_000), type => 'image/png' } });
my $silent = ArtifactUpstream->new($t->prefix . '/silent', serve => sub {
    my ($sock) = @_;
    1 while sysread $sock, my $buf, 65536;
});

$t->allow(qr/\[crit\]/);
$t->start(http => <<'HTTP', server => <<"SERVER");
    artifact_capabilities %%PREFIX%%/map.json;
    artifact_zone 64k;
HTTP
    artifact_root %%DATA%%;
    artifact_route on;
    artifact_write on;

    location /status {
        artifact_status;
    }
    location /artifacts/ {
        artifact;
        log_subrequest on;
    }
    location /anthropic/ {
        artifact;
        artifact_format anthropic;
    }
    location /one/ {
        artifact;
        open_file_cache max=1;
        open_file_cache_valid 1h;
        open_file_cache_errors on;
    }
    location /read-only/ {
        artifact_workspace;
        artifact_write off;
    }
    location /workspaces/ {
        artifact_workspace;
    }
    location /services/ {
        artifact_services;
    }
    location /v1/ {
        artifact_expand on;
        proxy_pass http://unix:@{[ $t->prefix ]}/echo:;
    }
    location /lost/ {
        artifact_expand on;
        proxy_pass http://unix:@{[ $t->prefix ]}/nobody:;
        error_page 502 = /services/;
    }
    location /prompt/ {
        artifact_route off;
        artifact_prompt on;
        proxy_pass http://unix:@{[ $t->prefix ]}/echo:;
    }
    location /small/ {
        artifact_expand on;
        artifact_body_max 6k;
        proxy_pass http://unix:@{[ $t->prefix ]}/echo:;
    }
    location /route/ {
        artifact_message;
        location /route/hang { artifact_message; artifact_source /hang/; }
        location /route/cut { artifact_message; artifact_source /cut/; }
        location /route/empty { artifact_message; artifact_source /empty/; }
    }
    location /hang/ {
        artifact_route off;
        proxy_pass http://unix:@{[ $t->prefix ]}/silent:;
    }
    location /cut/ {
        artifact_route off;
        proxy_pass http://unix:@{[ $t->prefix ]}/store:\$uri?cut=-10;
    }
    location /empty/ {
        return 204;
    }
    location /proxied/ {
        proxy_pass http://unix:@{[ $t->prefix ]}/echo:;
    }
    location /stalls/ {
        proxy_pass http://unix:@{[ $t->prefix ]}/store:/cut/shot?cut=10&hang=1;
    }
    location /broken/ {
        proxy_pass http://unix:@{[ $t->prefix ]}/store:/cut/shot?cut=10;
    }
    location /images/ {
        artifact_route off;
        artifact_offload on;
        artifact_offload_min 1k;
        client_body_buffer_size 1k;
        proxy_pass http://unix:@{[ $t->prefix ]}/store:;
    }
SERVER

# --- writes

sub full { $fail->rules(join(' ', $_[0], $_[1] // ENOSPC, 0, $_[2])) }

my $tmp = '/.artifact/tmp-';

put($t, 'w/old.txt', 'old');
post($t, 'name=warm', 'x');

grow($t, 'a write whose metadata are not', sub {
         full('write', ENOSPC, 'w.journal');
         is(json_of(put($t, 'w/old.txt', 'four', agent => 'a'))->{metadata},
            'failed', 'the client is told of it');
         $fail->rules;
     }, writes('put', 'incomplete') => 1, writes('put', 'changed') => 0,
     writes('put', 'failed') => 0, 'artifact_written_bytes_total' => 4);

grow($t, 'a full disk', sub {
         full('write', ENOSPC, $tmp);
         put($t, 'w/old.txt', 'five.') for 1 .. 2;
         post($t, 'name=a', 'abc');
         $fail->rules;
     }, writes('put', 'failed') => 2, writes('post', 'failed') => 1,
     requests('workspace', 500) => 2, requests('artifact', 500) => 1,
     'artifact_written_bytes_total' => 0);

grow($t, 'a disk that does not delete', sub {
         $fail->rules(map { "$_ " . EIO . ' 0 /workspaces/' }
                      qw(unlink rename));
         remove($t, 'w/old.txt');
         $fail->rules;
     }, writes('delete', 'failed') => 1, writes('delete', 'changed') => 0);

grow($t, 'what is refused', sub {
         full('open', EACCES, $tmp);
         put($t, 'w/old.txt', 'x');
         $fail->rules;
         post($t, 'name=a', 'x', type => undef);
         put($t, '.hidden/a', 'x');
     }, writes('put', 'refused') => 2, writes('post', 'refused') => 1,
     writes('put', 'failed') => 0);

grow($t, 'what writes nothing', sub {
         put($t, 'w/a', 'x', at => '/read-only/');
     }, requests('workspace', 405) => 1, writes('put', 'refused') => 0);

grow($t, 'reading is no write', sub { $t->get('/workspaces/w/old.txt') },
     requests('workspace', 200) => 1,
     map { writes($_, 'changed') => 0, writes($_, 'refused') => 0 }
         qw(put post delete));

# --- folds: it is tried again, and again

my $folds = 'artifact_folds_total outcome';
my $before = counts($t);

full('rename', ENOSPC, 'w.meta.json');
put($t, 'w/old.txt', 'folded', agent => 'a');
ok(until_true(sub {
       counts($t)->{"$folds=failed"} >= $before->{"$folds=failed"} + 2
   }, 20), 'a fold that fails, twice');

$before = counts($t);
$fail->rules;
ok(until_true(sub {
       counts($t)->{"$folds=done"} > $before->{"$folds=done"}
   }, 30), 'and is done once there is room');

# --- what is offloaded

sub offload { return $t->get('/images/generations') }

grow($t, 'offloaded', \&offload, 'artifact_offloaded_total kind=media,outcome=stored' => 1,
     'artifact_offloaded_total kind=media,outcome=failed' => 0);
for my $case (['where it belongs', $tmp], ['where it is kept aside', '/tmp/body/'])
{
    my ($where, $path) = @$case;

    grow($t, "no room $where", sub {
             full('write', ENOSPC, $path);
             ok(offload()->body eq $image, 'it stays');
             $fail->rules;
         }, 'artifact_offloaded_total kind=media,outcome=stored' => 0,
         'artifact_offloaded_total kind=media,outcome=failed' => 1,
         requests('api', 200) => 1);
}

# --- requests to models

sub ask {
    my ($uri, $body, %opt) = @_;
    return $t->req('POST', $uri, %opt, body => encode_json_bytes($body),
                   headers => ['Content-Type' => 'application/json']);
}

sub url { return { type => 'image_url', image_url => { url => $_[0] } } }

grow($t, 'every outcome but one', sub {
         ask('/v1/chat/completions', { model => 'sees', messages => [
             { role => 'system', content => [url('artifact:shot')] },
             { role => 'user', content => [url($data),
                 map { url("artifact:$_") }
                     qw(shot note gone ws:bad:!!)] } ] });
     }, part('openai', 'image', 'named') => 1,
     part('openai', 'image', 'kept') => 1, part('openai', 'image', 'part') => 1,
     part('openai', 'text', 'text') => 1,
     part('openai', 'other', 'missing') => 2,
     part('openai', 'image', 'described') => 0,
     'artifact_saved_bytes_total' => 0, requests('api', 200) => 1);

grow($t, 'the other API', sub {
         ask('/v1/messages', { model => 'reads', messages => [
             { role => 'user', content => [{ type => 'image', source =>
                 { type => 'url', url => 'artifact:shot' } }] } ] });
     }, part('anthropic', 'image', 'described') => 1,
     part('openai', 'image', 'described') => 0);

grow($t, 'too large, the oldest first', sub {
         ask('/small/chat/completions', { model => 'sees', messages => [
             map { { role => 'user', content => [url('artifact:big')] } } 1 .. 3 ] });
     }, part('openai', 'image', 'dropped') => 2,
     part('openai', 'image', 'part') => 1);

grow($t, 'nothing to expand', sub {
         ask('/v1/chat/completions', { model => 'sees', messages => [] });
     }, requests('api', 200) => 1, part('openai', 'image', 'kept') => 0);

grow($t, 'the instruction alone', sub {
         ask('/prompt/chat/completions', { model => 'sees', messages => [] });
     }, requests('api', 200) => 1);

grow($t, 'what ends elsewhere', sub {
         ask('/lost/chat/completions', { model => 'sees', messages => [
             { role => 'user', content => [url($data)] } ] });
     }, requests('services', 200) => 1, requests('api', 502) => 0,
     part('openai', 'image', 'kept') => 0);

# --- attachments

sub message { return { service => $_[0], text => 'x',
                       attachments => [map { "artifact:$_" } @_[1 .. $#_]] } }

grow($t, 'attachments', sub {
         ask('/route/', message('reads', qw(shot note gone)));
     }, attached('part') => 1, attached('described') => 1,
     attached('missing') => 1, attached('unread') => 0,
     'artifact_sources_failed_total' => 0, requests('message', 200) => 1,
     requests('artifact', 200) => 0, requests('artifact', 404) => 0,
     map { writes('post', $_) => 0 } qw(created changed refused failed));

grow($t, 'a source that has nothing', sub {
         ask('/route/empty', message('sees', 'shot'));
     }, attached('unread') => 1, 'artifact_sources_failed_total' => 1);

grow($t, 'a source that breaks off', sub {
         ask('/route/cut', message('sees', 'shot', 'shot'),
             may_break => 1);
     }, attached('part') => 1, attached('pending') => 1,
     'artifact_sources_failed_total' => 1);

# the client goes away once the first source is being asked

grow($t, 'a client that leaves', sub {
         my $asked = $silent->connections;
         my $body = encode_json_bytes(message('sees', 'shot', 'shot'));
         my $conn = $t->connect;
         $conn->send("POST /route/hang HTTP/1.1\r\nHost: a\r\n"
             . "Content-Type: application/json\r\nContent-Length: "
             . length($body) . "\r\n\r\n$body");
         ok(until_true(sub { $silent->connections > $asked }, 20), 'it waits');
         $conn->close;
     }, attached('pending') => 2, requests('message', 200) => 1,
     'artifact_sources_failed_total' => 0);

# --- the zone: what has no room pushes out what was used longest ago

my $evictions = 'artifact_zone_evictions_total';
sub ask_all { $t->get("/artifacts/$_") for @_ }

$before = counts($t);
is($before->{$evictions}, 0, 'there is room as yet');
cmp_ok($before->{artifact_zone_used_bytes}, '<',
       $before->{artifact_zone_size_bytes}, 'and it shows');

# what changed a moment ago is not kept

ok(until_true(sub { time > $filled + 3 }, 20), 'the contents have aged');
ask_all(map { "z$_" } 1 .. 600);

my $after = counts($t);
cmp_ok($after->{$evictions}, '>', 100, 'many contents push others out');
cmp_ok($after->{$evictions}, '<', 600 * 3, 'one or a few each');
cmp_ok($after->{artifact_zone_used_bytes}, '>',
       $before->{artifact_zone_used_bytes}, 'more of it is in use');

grow($t, 'the last ones are still there', sub {
         ask_all(map { "z$_" } 598 .. 600);
     }, $evictions => 0, requests('artifact', 200) => 3);

# --- contents that are kept open, one of them at a time

my $lookups = 'artifact_open_lookups_total result';

grow($t, 'contents kept open', sub {
         $t->get("/one/$_") for qw(shot shot note note note);
     }, 'artifact_open_files' => 1, "$lookups=hit" => 3, "$lookups=miss" => 2);

grow($t, 'and what is not there', sub {
         $t->get('/one/none') for 1 .. 3;
     }, 'artifact_open_files' => -1, "$lookups=hit" => 2,
     "$lookups=miss" => 1, requests('artifact', 404) => 3);

# --- formats, and what could not be routed

grow($t, 'a format of its own', sub { $t->service('sees', '/anthropic/shot') },
     routed('anthropic', 'image', 'image_url', 'none') => 1,
     routed('route', 'image', 'image_url', 'none') => 0);

grow($t, 'a source without its beginning', sub {
         is($t->service('sees', '/broken/')->status, 502, 'is none');
     }, requests('route', 502) => 1);

grow($t, 'a client that leaves while it is waited for', sub {
         my $asked = $store->connections;
         my $conn = $t->connect;
         $conn->send("GET /stalls/ HTTP/1.1\r\nHost: a\r\n"
             . "X-LLM-Service: sees\r\n\r\n");
         ok(until_true(sub { $store->connections > $asked }, 20), 'it waits');
         until_true(sub { 0 }, 0.5);
         $conn->close;
     }, requests('route', 499) => 1);
is(join(' ', grep { /routing=raw/ } keys %{ counts($t) }), '',
   'none of which was routed');

# --- who answered

grow($t, 'each handler', sub {
         $t->get('/artifacts/shot');
         $t->get('/services/');
         $t->service('sees', '/proxied/');
     }, map { requests($_, 200) => 1 } qw(artifact services route));

$t->finish;
