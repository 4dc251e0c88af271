#!/usr/bin/perl

# In front of a gateway, with artifact_expand in the same location: references
# are looked up here, and their media become stand-ins; texts are texts, and
# media of the client's own are neither corrected nor moved.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactSandwich;
use ArtifactTest;

my $t = ArtifactTest->new;
my $echo = standin_echo($t);

my $png = standin_content('png', 30_000);
my $small = standin_content('png', 100);
my $pdf = standin_content('pdf', 20_000);
my $marked = '01234567-89ab-4def-8123-456789abcdef';

$t->artifact('big.png', $png, { type => 'image/png' });
$t->artifact('small.png', $small, { type => 'image/png' });
$t->artifact('a.pdf', $pdf, { type => 'application/pdf' });
$t->artifact('note.txt', "some words\n", { type => 'text/plain' });
$t->artifact('b.bmp', 'BM' . "\x3a\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\1\0\0\0"
    . "\1\0\0\0\1\0\x18\0\0\0\0\0\4\0\0\0" . "\0" x 20,
    { type => 'image/bmp' });
$t->artifact($marked, $png, { type => 'image/png' });

standin_server($t, server => <<'SERVER');
    location /own/ { internal; artifact; }
    location /refs/ {
        artifact_offload_request on;
        artifact_expand on;
        artifact_source /own/;
        proxy_pass %%ECHO%%;
        add_header X-Count "$artifact_offloaded $artifact_offloaded_bytes $artifact_refs $artifact_expanded";
    }
    location /prompt/ {
        artifact_offload_request on;
        artifact_prompt on;
        proxy_pass %%ECHO%%;
    }
SERVER

sub ask {
    my ($content, %opt) = @_;
    my $body = qq({"model":"blind","messages":[$content]});
    return standin_post($t, ($opt{at} // '/refs') . '/v1/chat/completions',
                        $body);
}

sub part { qq({"type":"image_url","image_url":{"detail":"low","url":"$_[0]"}}) }
sub user { qq({"role":"user","content":[) . join(',', @_) . ']}' }

# the key is made with the first

ask(user(part('data:image/png;base64,' . b64($png))));

my $of_png = standin_b64('png', standin_id($t->data, $png, 'png'));

my $res = ask(user(part('artifact:big.png')));
is($res->status, 200, 'a reference');
standin_same($res->body, '{"model":"blind","messages":['
    . user(part("data:image/png;base64,$of_png")) . ']}',
    'a reference becomes a stand-in, for a model that reads only text, too');
is($res->header('X-Count'), '1 ' . length($png) . ' 1 1', 'variables');

my $of_small = standin_b64('png', standin_id($t->data, $small, 'png'));

standin_same(ask(user(part('artifact:small.png')))->body,
    '{"model":"blind","messages":['
    . user(part("data:image/png;base64,$of_small")) . ']}',
    'however small it is');

# the same twice, beside one of the client's own

my $own = part('data:image/png;base64,' . b64($pdf));

standin_same(ask(user(part('artifact:big.png'), $own,
                      part('artifact:big.png')))->body,
    '{"model":"blind","messages":['
    . user(part("data:image/png;base64,$of_png"), $own,
           part("data:image/png;base64,$of_png")) . ']}',
    'what is declared wrongly stays');

# text, missing, a kind that has no stand-in

$res = ask(user('{"type":"artifact","artifact":"artifact:note.txt"}',
                part('artifact:gone'), part('artifact:b.bmp')));
like($res->body, qr/some words/, 'a text is its text');
like($res->body, qr/\[Unreadable\] artifact:gone/, 'what is missing is described');
unlike($res->body, qr/iVBORw0KGgo/, 'nothing else is a stand-in');

# a document: another form, a name

$res = ask(user('{"type":"file","file":{"file_id":"artifact:a.pdf"}}'));
my $of_pdf = standin_b64('pdf', standin_id($t->data, $pdf, 'pdf'));
like($res->body, qr/"file_data":"data:application\/pdf;base64,\Q$of_pdf\E"/,
     'a part that is made anew');

# a marker in a tool's text, hoisted

$res = ask('{"role":"tool","tool_call_id":"a","content":"see [artifact:'
           . $marked . ']"}');
like($res->body, qr/see \[artifact:$marked\]"\},\{"role":"user"/,
     'a marker: the text stays');
like($res->body, qr/base64,\Q$of_png\E"/, 'a marker: a stand-in follows');

# media of a tool, of the client's own, stay where they are

my $tool = '{"role":"tool","tool_call_id":"a","content":['
    . part('data:image/png;base64,%s') . ']}';
standin_same(ask(sprintf $tool, b64($png))->body,
    '{"model":"blind","messages":[' . sprintf($tool, $of_png) . ']}',
    'media of tools are not moved');

# the prompt

$res = ask(user(part('data:image/png;base64,' . b64($png))), at => '/prompt');
like($res->body, qr/"role":"system".*<artifacts>/s, 'the prompt is added');
like($res->body, qr/base64,\Q$of_png\E"/, 'and media leave');

# a signed one

$res = $t->req('POST', '/refs/v1/chat/completions',
    body => '{"messages":[' . user(part('data:image/png;base64,' . b64($png)))
        . ']}',
    headers => ['Content-Type' => 'application/json',
                Authorization => 'AWS4-HMAC-SHA256 Credential=a']);
is($res->{status}, 400, 'signed: refused');
like($res->{body}, qr/signed_request/, 'signed: the code');

$echo->stop;
$t->finish;
