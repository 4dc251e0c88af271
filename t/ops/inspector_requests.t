#!/usr/bin/perl

# The inspector at three in the morning: what happened to a request, by what is
# known of it; the reasons first among the counters; artifacts by name, the
# newest first, with pictures, expiry and history.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactEcho;
use ArtifactFixtures;
use ArtifactPage;
use ArtifactTest;
use ArtifactWrite qw(put until_true);

my $t = ArtifactTest->new;
my $dir = $t->prefix;

$t->artifact('shot', png(9, 9), { type => 'image/png', name => 'shot.png',
    updatedAt => '2026-01-02T00:00:00Z', expiresAt => '2099-01-01T00:00:00Z' });
$t->artifact('note', 'a note', { type => 'text/plain', name => 'Notes.txt',
    updatedAt => '2026-01-03T00:00:00Z' });
$t->artifact('late', "\x89PNG no more", { type => 'image/png',
    name => 'late.png', updatedAt => '2026-01-01T00:00:00Z' });
$t->artifact("x$_", 'x', { type => 'text/plain', name => "x $_",
    updatedAt => '2025-01-01T00:00:00Z' }) for 1 .. 150;
$t->file('map.json', { services => [
    { id => 'blind', capabilities => { input => ['text'],
                                       output => ['text'] } },
    { id => 'eyes', capabilities => { input => ['text', 'vision'],
                                      output => ['text'] } } ] });

my $echo = echo("$dir/echo");

$t->start(http => "artifact_capabilities %%PREFIX%%/map.json;",
          server => <<"SERVER");
    artifact_root %%DATA%%;
    artifact_index on;
    artifact_route on;
    artifact_format \$arg_format;
    artifact_language en;
    artifact_tenant \$http_x_tenant;
    location /artifacts/ { artifact; }
    location /workspaces/ { artifact_workspace; artifact_write on; }
    location /services/ { artifact_services; }
    location /v1/ {
        artifact_expand on;
        add_header X-Request-ID \$request_id;
        proxy_pass http://unix:$dir/echo:;
    }
    location = /status { artifact_status; }
    location = /requests {
        artifact_requests;
        if (-f %%PREFIX%%/shut) {
            return 403;
        }
    }
    location /inspector/ { artifact_inspector; }
SERVER

sub api {
    my ($model, $tenant, @refs) = @_;

    return $t->req('POST', '/v1/chat/completions', headers => [
        'Content-Type' => 'application/json', 'X-Tenant' => $tenant],
        body => encode_json_bytes({ model => $model, messages => [
            { role => 'user', content => [map { { type => 'artifact',
                artifact => "artifact:$_" } } @refs] }] }));
}

my $id = api('blind', 'acme', qw(shot note old))->header('X-Request-ID');
api('eyes', '<b>bad</b>', 'shot');
api('nobody', 'other', 'shot') for 1 .. 2;
until_true(sub { @{ decode_strict($t->get('/requests')->body)->{requests} }
                 == 4 }, 20);

my $page = ArtifactPage->new($t->port, "$dir/tmp");

# a request

$page->go('#/requests');
is($page->text('h2'), 'Requests', 'the last requests');
is(scalar($page->texts('tbody tr')), 4, 'all of them');

my ($row) = grep { /acme/ } $page->texts('tbody tr');
like($row, qr/\Q$id\E\ ·\ \*\d+.*200.*\d\.\d{3}\ s.*openai
              .*POST\ \/v1\/.*blind.*acme.*degraded\ ·\ capability\ shot.*missing\ old
              .*expanded\ note/xs, 'what, for whom, why');
unlike($row, qr/null|undefined/, 'and what is not known is left out');
like($page->text, qr/<b>bad<\/b>/, 'a tenant that means harm is a text');
like($page->text, qr/in no map · other/, 'no map has the model');
$page->accessible('requests');

# by what is known of it

for (['ref=old', 1], ['tenant=ACME', 1], ['model=eyes', 1], ["id=$id", 1],
     ['reason=missing', 1], ['reason=unknown_service', 2], ['status=2', 4],
     ['age=10', 4], ['handler=api', 4], ['handler=mcp', 0],
     ['ref=shot&reason=capability', 3])
{
    $page->go("#/requests?$_->[0]");
    is(scalar($page->texts('tbody tr')), $_->[1], "$_->[1] of $_->[0]");
}

$page->go('#/requests');
$page->run('document.querySelector("[name=ref]").value = "old";'
           . 'document.querySelector("form.filters").requestSubmit()');
$page->browser->until_true('document.querySelectorAll("tbody tr").length === 1');
$page->settled;
is($page->run('return location.hash'), '#/requests?ref=old', 'an address');
is($page->run('return document.querySelector("[name=ref]").value'), 'old',
   'which the form shows');
$page->click('.became a');
is($page->run('return location.hash'), '#/artifact/shot',
   'each leads to its artifact');

$page->go('#/requests?ref=nothing');
like($page->text, qr/No such request/, 'none');

# pages

$t->get("/artifacts/x$_") for 1 .. 120;
until_true(sub { @{ decode_strict($t->get('/requests?limit=200')->body)
                    ->{requests} } >= 124 }, 20);
$page->go('#/requests?handler=artifact&reason=sent');
is(scalar($page->texts('tbody tr')), 100, 'a page');
$page->click('main p:last-child a');
cmp_ok(scalar($page->texts('tbody tr')), '>=', 20, 'the older ones');
$page->click('main p:last-child a');
is(scalar($page->texts('tbody tr')), 100, 'and the newest');

# narrow, in the dark

$page->browser->cdp('Emulation.setEmulatedMedia', { features => [
    { name => 'prefers-color-scheme', value => 'dark' }] });
$page->browser->size(390, 844);
$page->go('#/requests');
cmp_ok($page->run('return document.documentElement.scrollWidth'), '<=', 390,
       '390 pixels wide');
$page->accessible('requests in the dark');
$page->browser->cdp('Emulation.setEmulatedMedia', { features => [] });
$page->browser->size(1280, 800);

# the counters begin with what went wrong, and count on by themselves

$page->go('#/status');
like($page->text('.why'), qr/capability artifact_parts_total|described/,
     'the reasons come first');
like($page->text('.why'), qr/missing artifact_parts_total\s+1\b/,
     'with their numbers');
ok($page->run('return document.querySelector("input[type=checkbox]").checked'),
   'it asks again by itself');
ok($page->browser->until_true('document.querySelector(".why").innerText'
                              . '.includes("/s")'), 'then there are rates');
api('blind', 'acme', 'gone') for 1 .. 3;
ok($page->browser->until_true('/^missing.*\\n?.*(\/min|[1-9.]+\/s)/m.test('
    . 'document.querySelector(".why tr").innerText)'),
   'of what happens now, first') or diag($page->text('.why'));
$page->accessible('reasons');
$page->click('.why a');
is($page->run('return location.hash'), '#/requests?reason=missing',
   'a reason leads to its requests');
like($page->text, qr/gone/, 'which are there');

# artifacts

$page->go('#/artifacts');
is(join(',', ($page->texts('td a'))[0 .. 2]), 'Notes.txt,shot.png,late.png',
   'the newest first');
like(($page->texts('tbody tr'))[1], qr/Expires .*2099/, 'what expires');
ok($page->browser->until_true(
    'document.querySelector("td img.icon")?.naturalWidth === 9'),
   'a picture of an image');
is($page->run('return document.querySelector("td img.icon").loading'), 'lazy',
   'when it is seen');
ok($page->browser->until_true(
    'document.querySelectorAll("tbody tr")[2].querySelector("svg.icon")'),
   'a sign of what is none');
$page->accessible('artifacts');
$page->submit(0, 'NOTE');
$page->browser->until_true('document.querySelectorAll("tbody tr").length === 1');
$page->settled;
is(join(',', $page->texts('td a')), 'Notes.txt', 'by a part of the name');
is($page->run('return location.hash'), '#/artifacts?q=NOTE', 'an address');
$page->submit(0, 'artifact:shot');
$page->browser->until_true('document.querySelector("h2").innerText'
                           . ' === "shot.png"');
is($page->text('h2'), 'shot.png', 'a reference is opened');
$page->settled;

# who has changed a file

put($t, 'w/f.txt', "v$_", at => '/workspaces/', headers => [
    'X-Agent-Id' => "agent-$_", 'X-Message-Id' => "msg-$_"]) for 1 .. 3;
$page->go('#/workspaces/w/');
is($page->text('h2'), 'w', 'a workspace');
$page->click('td a');
my @changes = $page->texts('.changes li');
is(scalar @changes, 3, 'its history');
like($changes[0], qr/agent-3 · msg-3$/, 'the last change first');
unlike($page->text('dl'), qr/modifiedBy/, 'in words');
$page->accessible('history');

# models

$page->go('#/services');
unlike($page->text, qr/null/, 'no word that nobody wrote');
$page->go('#/services?name=eyes');
unlike($page->text, qr/null/, 'nor beside a name');

# where it is not answered

spew("$dir/shut", '');
$page->browser->go('about:blank');
$page->go('#/requests');
like($page->text, qr/Not for this visitor: 403/, 'what nginx refuses');
unlike(join(' ', $page->texts('nav a')), qr/Requests/, 'is no view');

is(join(' ', grep { !/Failed to load resource/ } $page->browser->console), '',
   'nothing in the console');

$page->close;
$echo->stop;
$t->finish;
