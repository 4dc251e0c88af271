#!/usr/bin/perl

# The models of the inspector: what a name finds in the maps and how, own ones
# first, none of a public map unasked; and that nothing large is read unasked.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactPage;
use ArtifactTest;

my $t = ArtifactTest->new;
my $text = { input => ['text'], output => ['text'] };

$t->file('dev.json', { '302ai' => { models => { map { ("model-$_" => {
    name => "Model $_", modalities => $text }) } 1 .. 200 } } });
$t->file('lite.json', { map { ("lite-$_" => { mode => 'chat',
    supports_vision => JSON::PP::true }) } 1 .. 9 });
$t->file('router.json', { data => [{ id => 'maker/seer',
    canonical_slug => 'maker/seer-20260101', name => 'Maker: Seer',
    description => 'Sees.', architecture => {
        input_modalities => ['text', 'image'],
        output_modalities => ['text'] } }] });
$t->file('own.json', { services => [
    { id => 'plain' },
    { id => 'eyes', model => 'eye-1', capabilityTags => ['vision'],
      capabilities => { input => ['text', 'vision'], output => ['text'] } },
] });

my $PNG = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1";
my $MB = 1024 * 1024;

$t->artifact('small', $PNG, { type => 'image/png', name => 'small.png' });
sparse('picture', 'image/png', $PNG, 200 * $MB);
sparse('sound', 'audio/wav', 'RIFFxxxxWAVEfmt ', 200 * $MB);
$t->artifact('text', "a line of a log\n" x (30 * $MB / 16),
             { type => 'text/plain', name => 'text.log' });

sub sparse {
    my ($id, $type, $start, $size) = @_;

    $t->artifact($id, $start, { type => $type, name => $id });
    truncate $t->data . "/artifacts/$id", $size or die "truncate: $!";
}

my $maps = join '', map { "artifact_capabilities %%PREFIX%%/$_.json;\n" }
    qw(dev lite router);
my $server = <<'SERVER';
    access_log %%PREFIX%%/access.log sizes;
    artifact_root %%DATA%%;
    artifact_index on;
    artifact_route on;
    artifact_format $arg_format;
    artifact_language en;
    artifact_inline_max 0;

    # browsers connect before they need it, which nginx waits for when it ends

    client_header_timeout 2s;

    location /artifacts/ { artifact; }
    location /services/ { artifact_services; }

    # a name whose capabilities are not those of the row that it finds

    location = /services/halved {
        default_type application/json;
        return 200 '{"id":"eyes","capabilities":{"input":["text"],"output":["text"]}}';
    }
    location /inspector/ { artifact_inspector workspaces= status=; }
SERVER
my $sizes = "log_format sizes '\$request_method \$uri \$bytes_sent';\n";

$t->start(http => "$sizes$maps"
          . "artifact_capabilities %%PREFIX%%/own.json;\n",
          server => $server);

my $page = ArtifactPage->new($t->port, $t->prefix . '/tmp');

# own ones first

$page->go('#/artifact/small');
is(join(',', $page->texts('article h4')), 'plain,eyes',
   'own services, and no other, unless somebody chooses');
$page->go('#/services');
is(join(',', ($page->texts('td .row'))[0 .. 2]), 'plain,eyes,302ai/model-1',
   'own ones first') or $page->texts('td .row');
is(join(',', ($page->texts('td:nth-child(2)'))[0 .. 2]), 'own,own,models.dev',
   'and each with its map');

# a name

sub found {
    my ($name) = @_;

    $page->go('#/services');
    $page->submit(0, $name);
    return join '|', $page->texts('main .card dd');
}

is(found('eyes'), 'eyes|own|its id|text, vision|text', 'an id');
is(found('eye-1'), 'eyes|own|its model’s name|text, vision|text', 'a model');
is(found('openai/EYE-1'), 'eyes|own|a part or another spelling of its name|'
   . 'text, vision|text', 'another spelling');
is(found('model-7'), '302ai/model-7|models.dev|its model’s name|text|text',
   'of models.dev');
is(found('seer'), 'maker/seer|OpenRouter|a part or another spelling of its '
   . 'name|text, vision|text', 'of OpenRouter');
is(found('lite-3'), 'lite-3|LiteLLM or own|its id|text, vision|text',
   'of LiteLLM');
is($page->run('return location.hash'), '#/services?name=lite-3',
   'an address for it');
unlike($page->text, qr/most rows/, 'of that row');
is(found('halved'), 'eyes|LiteLLM or own|a part or another spelling of its '
   . 'name|text|text', 'one of several rows');
like($page->text, qr/not those of this row, but those that most rows/,
     'whose capabilities are not its own');
is(found('nobody'), '', 'of none');
is($page->text('main .error'),
   'nobody is in no map: an unknown service gets text only.', 'and says so');

found('openai/EYE-1');
$page->click('.card input');
like($page->text('.chips'), qr{openai/EYE-1}, 'chosen by the name it has');
$page->go('#/artifact/small');
$page->submit(0, 'seer');
is(join(',', $page->texts('article h4')), 'plain,eyes,openai/EYE-1,seer',
   'another is added where it is looked at');
$page->submit(0, '');
is(scalar($page->texts('article')), 4, 'no name is none');
is(join(',', $page->texts('article strong')), 'text,image_url,image_url,'
   . 'image_url', 'and gets what it reads');
$page->submit(0, 'nobody');
like(($page->texts('article'))[-1], qr/^nobody\s+text\s/, 'an unknown one');

$page->run('localStorage.clear()');

# what is large

sub sent {
    my ($id, $then) = @_;

    $page->browser->go('about:blank');
    spew($t->prefix . '/access.log', '');
    $page->go("#/artifact/$id");
    $then->() if $then;
    $page->browser->go('about:blank');
    $t->stop;
    $t->start(http => "$sizes$maps"
              . "artifact_capabilities %%PREFIX%%/own.json;\n",
              server => $server);

    my $sum = 0;
    $sum += $_ for slurp($t->prefix . '/access.log')
        =~ m{^\w+ /artifacts/$id (\d+)}gm;
    return $sum;
}

for (['picture', qr/Load 200\.0 MB.*eyes\s+279,620,\d{3} bytes\s+Read the/s,
      qr/eyes\s+image_url\s+279,620,\d{3} bytes.*image\/png, 200\.0 MB/s],
     ['sound', qr/eyes\s+text\s+capability/],
     ['text', qr/a line of a log.*eyes\s+large\s+Read the beginning/s,
      qr/eyes\s+text\s+large\s+a line of a log.*The first 64 KB/s])
{
    my ($id, $unasked, $asked) = @$_;

    cmp_ok(sent($id, sub { like($page->text, $unasked, "$id, unasked") }), '<',
           80 * 1024, 'next to nothing was sent');
    next if !$asked;

    cmp_ok(sent($id, sub {
        $page->run('document.querySelector("article:last-child button").click()');
        $page->browser->until_true('document.querySelectorAll("article")[1]'
                                   . '.querySelector("details")');
        like($page->text, $asked, 'the beginning, asked for');
    }), '<', 20 * $MB, 'is not all of it');
}

# without an own map nothing is chosen

ok($t->reload(http => "$sizes$maps", server => $server), 'public maps only');
$page->go('#/artifact/small');
like($page->text, qr/No model is chosen: add one by its name/, 'none chosen');

$page->close;
$t->finish;
