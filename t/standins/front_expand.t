#!/usr/bin/perl

# References in front of a gateway, with artifact_expand on in the same location:
# what would become base64 becomes a stand-in of its content, whose store the
# location behind knows; tenants, names and file ids stay in front.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactJSON;
use ArtifactSandwich;
use ArtifactTest;
use ArtifactTools;
use File::Path qw(make_path);

my $t = ArtifactTest->new;
my $echo = standin_echo($t);
my $own = $t->prefix . '/tenants';

make_path(map { ("$own/$_/artifacts", "$own/$_/workspaces") } qw(a b));

standin_server($t, server => <<'SERVER');
    location /tenants/a/ {
        internal;
        artifact_root %%PREFIX%%/tenants/a;
        artifact;
    }
    location /tenants/b/ {
        internal;
        artifact_root %%PREFIX%%/tenants/b;
        artifact;
    }
    location /tenant/ {
        artifact_offload_request on scope=$http_x_tenant;
        artifact_expand on;
        artifact_source /tenants/$http_x_tenant/;
        proxy_pass %%ECHO%%;
    }
    location /through/ {
        artifact_offload_request on scope=$http_x_tenant;
        artifact_expand on;
        artifact_source /tenants/$http_x_tenant/;
        proxy_pass http://127.0.0.1:%%PORT%%/behind/;
    }
    location /prompt/ {
        artifact_offload_request on;
        artifact_prompt on;
        proxy_pass %%ECHO%%;
    }
SERVER

my %content = map { $_ => standin_content($_, 3000) } @STANDIN_KINDS;
my %id = map { $STANDIN_KINDS[$_] => sprintf '0190a001-1111-7222-9333-%012d', $_ }
         0 .. $#STANDIN_KINDS;

for my $kind (@STANDIN_KINDS) {
    my $at = "$own/a/artifacts/$id{$kind}";
    spew("$at.$kind", $content{$kind});
    spew("$at.meta", encode_json_bytes({
        id => $id{$kind}, extension => ".$kind", type => standin_mime($kind),
        name => "shot.$kind", size => length $content{$kind} }));
}
{
    my $at = "$own/a/artifacts/0190a001-1111-7222-9333-0000000000ff";
    spew("$at.txt", "words of a text\n");
    spew("$at.meta", encode_json_bytes({
        id => '0190a001-1111-7222-9333-0000000000ff', extension => '.txt',
        type => 'text/plain', name => 'a.txt', size => 16 }));
}

my @as = ('X-Tenant' => 'a');

sub standin { return standin_b64($_[0], standin_id($t->data, $content{$_[0]},
                                                   $_[0], $_[1] // 'a')) }

sub post {
    my ($at, $api, $body, @headers) = @_;
    my $res = standin_post($t, "/$at" . standin_uri($api, 'sees'), $body,
                           @headers ? @headers : @as);
    return $res->status == 200 ? $res->body : $res->status . $res->body;
}


# --- references in slots

for my $api (qw(openai openai_responses anthropic gemini bedrock)) {
    for my $kind (@STANDIN_KINDS) {
        my %slot = standin_slots($api, $kind);
        next if !%slot;
        my ($part) = map { $slot{$_} } (sort keys %slot)[0];
        my $mime = standin_mime($kind);
        my $ref = standin_body($api, 'sees', $part->($mime, '@@')
            =~ s/(?:data:[^@]*)?\@\@/artifact:$id{$kind}/r);

        my $got = post('tenant', $api, $ref);

        # who reads it is not known here, but the API takes none

        if ($api eq 'gemini' && $kind eq 'gif') {
            like($got, qr/\[Unreadable\] shot\.gif/, "$api, $kind: words");
            next;
        }

        my $standin = standin($kind);

        like($got, qr/\Q$standin\E/, "$api, $kind: a stand-in");
        unlike($got, qr/$id{$kind}/, "$api, $kind: not the reference");
        is(standin_stored($t->data, standin_id($t->data, $content{$kind}, $kind,
                                               'a'),
                          $content{$kind}, $kind, 'a'), '',
           "$api, $kind: is stored");
        my $again = post('tenant', $api, $ref);
        standin_same($again, $got, "$api, $kind: again the same");

        my $end = post('through', $api, $ref);
        ok(index($end, b64($content{$kind})) >= 0
           || $end =~ /\[Unreadable\]/, "$api, $kind: arrives");
    }
}


# --- beside media of the client's own

my ($slot) = values %{ { standin_slots('openai', 'png') } };
my $image = standin_content('png', 2000);
my $body = standin_body('openai', 'sees', $slot->('image/png', b64($image)),
    '{"type":"image_url","image_url":{"url":"artifact:' . $id{jpeg} . '"}}');

standin_same(post('tenant', 'openai', $body), standin_body('openai', 'sees',
    $slot->('image/png', standin_b64('png',
        standin_id($t->data, $image, 'png', 'a'))),
    '{"type":"image_url","image_url":{"url":"data:image/jpeg;base64,'
    . standin('jpeg') . '"}}'), 'a reference beside a medium');


# --- markers

my $marker = '{"model":"sees","messages":[{"role":"user","content":[{"type":'
    . '"tool_result","tool_use_id":"a","content":"see [artifact:' . $id{png}
    . ']"}]}]}';
my $got = post('tenant', 'anthropic', $marker);
like($got, qr/\Q${\ standin('png')}\E/, 'a marker: a stand-in follows');
like(post('through', 'anthropic', $marker), qr/\Q${\ b64($content{png})}\E/,
     'and arrives');


# --- texts and what is not there: words, here

my $text = standin_body('openai', 'sees', '{"type":"artifact","artifact":'
    . '"artifact:0190a001-1111-7222-9333-0000000000ff"}');
like(post('tenant', 'openai', $text), qr/words of a text/, 'a text');

my $none = standin_body('openai', 'sees', '{"type":"image_url","image_url":'
    . '{"url":"artifact:0190a001-1111-7222-9333-0000000000fe"}}');
like(post('tenant', 'openai', $none), qr/does not exist/, 'what is not there');


# --- tenants

my $of_a = standin_body('openai', 'sees', '{"type":"image_url","image_url":'
    . '{"url":"artifact:' . $id{png} . '"}}');
$got = post('tenant', 'openai', $of_a, 'X-Tenant' => 'b');
unlike($got, qr/base64/, 'another tenant gets nothing');
like($got, qr/does not exist/, 'but words');

# the stand-in that a gets, sent by b

my $forged = standin_body('openai', 'sees', $slot->('image/png',
                                                    standin('png')));
$got = post('through', 'openai', $forged, 'X-Tenant' => 'b');
ok(index($got, b64($content{png})) < 0, 'nor by the stand-in itself');

# an id of the stand-ins' as a reference

my $hidden = standin_id($t->data, $content{png}, 'png', 'a');
for my $tenant (qw(a b)) {
    $got = post('through', 'openai', standin_body('openai', 'sees',
        '{"type":"image_url","image_url":{"url":"artifact:' . $hidden . '"}}'),
        'X-Tenant' => $tenant);
    ok(index($got, b64($content{png})) < 0, "$tenant: nor by its id");
}


# --- a new version is another stand-in

my $new = standin_content('png', 5000);
spew("$own/a/artifacts/$id{png}.png", $new);
spew("$own/a/artifacts/$id{png}.meta", encode_json_bytes({
    id => $id{png}, extension => '.png', type => 'image/png',
    name => 'shot.png', size => length $new }));
like(post('through', 'openai', $of_a), qr/\Q${\ b64($new)}\E/,
     'a content that was written anew');


# --- the instruction, on the same scan

$got = post('prompt', 'openai', standin_body('openai', 'sees',
    $slot->('image/png', b64($image))));
like($got, qr/<artifacts>/, 'with an instruction');
like($got, qr/\Q${\ standin_b64('png', standin_id($t->data, $image, 'png'))}\E/,
     'and a stand-in');

$echo->stop;
$t->finish;
