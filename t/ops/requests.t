#!/usr/bin/perl

# The last requests (artifact_requests): what became of each artifact, why, for
# whom; filters, pages, a ring that is full, reloads; and what is never in it.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactEcho;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactWrite qw(until_true);
use MIME::Base64 ();

my $t = ArtifactTest->new(workers => 3);
my $dir = $t->prefix;

$t->artifact('shot', png(9, 9), { type => 'image/png' });
$t->artifact('note', 'SECRET of a note', { type => 'text/plain' });
$t->artifact($_, 'x', { type => 'text/plain',
                        expiresAt => '2020-01-01T00:00:00.000Z' })
    for qw(old gone);
$t->workspace_file('w', 'a.txt', "a\n");
$t->file('map.json', { services => [
    { id => 'blind', apiKey => 'KEY-OF-IT', model => 'blind-1',
      capabilities => { input => ['text'], output => ['text'] } },
    { id => 'eyes', capabilities => { input => ['text', 'vision'],
                                      output => ['text'] } } ] });

my $echo = echo("$dir/echo");

my @conf = (http => "artifact_capabilities %%PREFIX%%/map.json;",
            server => <<"SERVER");
    artifact_root %%DATA%%;
    artifact_route on;
    artifact_index on;
    artifact_language en;
    artifact_tenant \$http_x_tenant;

    location /artifacts/ { artifact; artifact_write on; }
    location /workspaces/ { artifact_workspace; artifact_write on; }
    location /services/ { artifact_services; }
    location /route { artifact_message; }
    location /mcp { artifact_mcp; }
    location /plain { return 204; }
    location /v1/ {
        artifact_expand on;
        artifact_refs_max 3;
        add_header X-Request-ID \$request_id;
        proxy_pass http://unix:$dir/echo:;
    }
    location /paged/ {
        artifact_expand on;
        artifact_refs_max 3;
        error_page 413 = /plain;
        proxy_pass http://unix:$dir/echo:/v1/;
    }
    location = /requests { artifact_requests; }
    location = /shut { artifact_requests; deny all; }
SERVER

$t->start(@conf);

sub found {
    my ($query) = @_;
    my $res = $t->get('/requests' . ($query ? "?$query" : ''));

    is($res->{status}, 200, 'found: ' . ($query // 'all'));
    return decode_strict($res->body);
}

sub list { return @{ found(@_)->{requests} } }

# The last one, once "n" requests are there: they are logged after their answer.

sub latest {
    my ($n) = @_;
    my $got;

    until_true(sub {
        $got = decode_strict($t->get('/requests')->body)->{requests};
        return @$got >= $n;
    }, 20);

    is(scalar @$got, $n, "request $n is there");
    return $got->[0];
}

sub refs {
    return join ' ', map { ($_->{ref} // $_->{kind} // '') . "=$_->{became}"
        . (defined $_->{reason} ? ":$_->{reason}" : '') } @{ $_[0]{refs} };
}

sub api {
    my ($model, $at, $headers, @content) = @_;

    return $t->req('POST', $at, headers => ['Content-Type' => 'application/json',
        @$headers], body => encode_json_bytes({ model => $model,
            messages => [{ role => 'user', content => \@content }] }));
}

sub artifact { return map { { type => 'artifact', artifact => "artifact:$_" } }
               @_ }

my $res = $t->get('/requests');
is($res->header('Cache-Control'), 'no-store', 'not to be cached');
is($res->header('Content-Type'), 'application/json', 'JSON');
is_deeply(decode_strict($res->body), { requests => [], kept => 1000 },
          'nothing as yet');

# a request to a model

my $png = png(8, 8);
$res = api('blind-1', '/v1/chat/completions', ['X-Tenant' => 'acme'],
    artifact(qw(shot note old)), { type => 'image_url', image_url =>
        { url => 'data:image/png;base64,' . MIME::Base64::encode($png, '') } },
    { type => 'text', text => 'WORDS of a client' });
is($res->{status}, 200, 'a request') or diag($res->body);

my $one = latest(1);
is(refs($one), 'artifact:shot=degraded:capability artifact:old=expired '
   . 'image=degraded:capability artifact:note=expanded',
   'what became of each, and why; the worst first');
is(join(' ', map { $one->{$_} } qw(number status handler method location api
                                   model service tenant)),
   '1 200 api POST /v1/ openai blind-1 blind acme', 'who asked for what');
my $id = $one->{id};
is($one->{id}, $res->header('X-Request-ID'), 'the id that the client knows');
like($one->{time}, qr/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, 'when');
like($t->get('/requests')->body, qr/"seconds":\d+\.\d{3},/, 'how long');
cmp_ok($one->{connection}, '>', 0, 'the number in the error log');
ok(!exists $one->{unknown}, 'a map has the model');

api('nobody', '/v1/chat/completions', [], artifact('shot'));
$one = latest(2);
ok($one->{unknown}, 'no map has this one');
is($one->{tenant}, undef, 'nor has it a tenant');

# refused, also by a page of the location's own

api('eyes', '/v1/chat/completions', [], artifact('shot', 'a', 'b', 'c'));
$one = latest(3);
is(refs($one), '=refused:too_many_artifacts', 'refused as a whole');
is("$one->{status} $one->{api}", '413 openai', 'with its status');

$res = api('eyes', '/paged/chat/completions', [], artifact('a' .. 'd'));
is($res->{status}, 204, 'an error page');
$one = latest(4);
is(refs($one), '=refused:too_many_artifacts', 'which is not the end of it');

# the handlers

my $n = 0;

for (['/artifacts/shot', [], 'artifact:shot=sent', 200],
     ['/artifacts/shot', ['X-LLM-Service' => 'eyes'],
      'artifact:shot=expanded', 200],
     ['/artifacts/shot', ['X-LLM-Service' => 'blind'],
      'artifact:shot=degraded:capability', 200],
     ['/artifacts/none', [], 'artifact:none=missing:artifact_not_found', 404],
     ['/artifacts/ws:w:*', [], 'artifact:ws:w:*=refused:invalid_artifact_id',
      400],
     ['/workspaces/w/a.txt', [], 'artifact:ws:w:YS50eHQ=sent', 200])
{
    my ($uri, $headers, $refs, $status) = @$_;
    $t->get($uri, @$headers);
    $one = latest(++$n + 4);
    is(refs($one), $refs, "$uri @$headers");
    is($one->{status}, $status, 'its status');
}

$t->req('PUT', '/workspaces/w/b.txt', headers => ['Content-Type' =>
    'text/plain'], body => "SECRET\n");
is(refs(latest(11)), 'artifact:ws:w:Yi50eHQ=stored', 'written');
$t->req('DELETE', '/workspaces/w/b.txt', headers => []);
is(refs(latest(12)), 'artifact:ws:w:Yi50eHQ=removed', 'and removed');
$t->get('/artifacts/');
is(refs(latest(13)), '', 'a list is about none');

$t->req('POST', '/route', headers => [], body =>
    '{"service":"blind","text":"x","attachments":["artifact:shot","note","gone"]}');
$one = latest(14);
is(refs($one), 'artifact:shot=degraded:capability artifact:note=expanded '
   . 'artifact:gone=expired', 'a message');
is($one->{service}, 'blind', 'for whom it says');

$t->req('POST', '/mcp', headers => ['Content-Type' => 'application/json',
    'Accept' => 'application/json, text/event-stream'], body =>
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":'
    . '{"name":"read_artifact","arguments":{"ref":"artifact:note"}}}');
$one = latest(15);
is($one->{call}, 'tools/call read_artifact', 'a call of a tool');
is(refs($one), 'artifact:note=expanded', 'and what it has read');

# what has nothing to do with artifacts, or is asked by every page

$t->get('/plain');
$t->get('/services/');
$t->get('/requests');
$t->get('/artifacts/note');
is(refs(latest(16)), 'artifact:note=sent', 'no other is kept');

# filters

for (['model=BLIND', 1], ['model=blind-1&tenant=ac', 1], ['tenant=acm', 1],
     ['tenant=other', 0], ['service=blind', 3], ['api=openai', 4], ['handler=api', 4], ['handler=ap', 0],
     ['ref=artifact:shot', 6], ['ref=old', 1], ['ref=ws:w:', 4],
     ['reason=capability', 4], ['reason=missing', 1], ['reason=expired', 2], ['reason=refused', 3],
     ['reason=too_many_artifacts', 2], ['reason=unknown_service', 1],
     ['reason=capabilit', 0], ['ref=shot&reason=capability', 4],
     ['ref=old&reason=capability', 0], ['status=4', 3], ['status=404', 1],
     ['status=20', 13], ['since=2020-01-01T00:00:00Z', 16],
     ['since=2100-01-01T00:00:00Z', 0], ['since=' . (time - 3600), 16],
     ['since=' . (time + 3600), 0], ["id=" . substr($id, 4, 9), 1], ['limit=5', 5], ['before=3', 2], ['before=99', 16], ['model=', 16])
{
    my ($query, $n) = @$_;
    is(scalar list($query), $n, "$n of $query");
}

for my $bad ('since=yesterday', 'limit=0', 'limit=x', 'before=-1',
             'before=1e3', 'since=99999999999999999999')
{
    my $res = $t->get("/requests?$bad");
    is($res->{status}, 400, "refused: $bad");
    is(decode_strict($res->body)->{error}, 'invalid_argument', 'with a word');
}

is($t->get('/shut')->{status}, 403, 'access is nginx\'s');
is($t->req('POST', '/requests', headers => [], body => 'x')->{status}, 405,
   'it only reads');

# pages

my ($page, @numbers) = (found('limit=7'));
push @numbers, map { $_->{number} } @{ $page->{requests} };

while (defined $page->{next}) {
    $page = found("limit=7&before=$page->{next}");
    push @numbers, map { $_->{number} } @{ $page->{requests} };
}

is("@numbers", join(' ', reverse 1 .. 16), 'pages, from the newest on');

# what is never in it

my $all = $t->get('/requests')->body;
unlike($all, qr/SECRET|WORDS|KEY-OF-IT|iVBOR|base64/, 'no contents, no keys');
unlike($all, qr/\Q$dir\E|\Q@{[ $t->data ]}\E/, 'no path');

# long values, and more than fit

my $long = 'm' x 300;
api($long, '/v1/chat/completions', ['X-Tenant' => bytes('长' x 90)],
    artifact('i' x 250, 'ws:w:**?s=SIGNATURE'));
$one = latest(17);
is($one->{model}, 'm' x 77 . '...', 'a long model is cut');
is($one->{tenant}, '长' x 20 . '...', 'between characters');
is($one->{refs}[0]{ref}, 'artifact:' . 'i' x 189 . '...', 'a long reference');
is($one->{refs}[1]{ref}, 'artifact:ws:w:**', 'a malformed one, no arguments');

ok($t->reload(@conf[0, 1], server => $conf[3] =~ s/refs_max 3/refs_max 500/gr),
   'a reload');
is(scalar list(), 17, 'keeps them');

api('eyes', '/v1/chat/completions', [], artifact(map { ('shot', "gone-$_") }
                                                 1 .. 100));
$one = latest(18);
cmp_ok(scalar @{ $one->{refs} }, '>', 30, 'many references');
is(@{ $one->{refs} } + $one->{more}, 200, 'those that do not fit are counted');

# a full ring

my $last = 0;

for my $n (1 .. 1200) {
    $t->get("/artifacts/n$n");
}

until_true(sub {
    $last = decode_strict($t->get('/requests?limit=1')->body)
        ->{requests}[0]{number};
    return $last == 1218;
}, 20);

is($last, 1218, 'all were counted');
@numbers = map { $_->{number} } list('limit=1000');
is(scalar @numbers, 1000, 'a thousand are kept');
is("$numbers[0] $numbers[-1]", '1218 219', 'the last ones');
is(found('limit=1000')->{next}, undef, 'and no more');

# two workers may log neighbours in another order

is(refs(list('ref=n150')), '', 'the others are gone');

$echo->stop;
$t->allow(qr/client sent more than 3 references/);
$t->allow(qr/no capability map has|"none"|not found|No such file/);
$t->finish;
