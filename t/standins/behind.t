#!/usr/bin/perl

# Behind a gateway: a stand-in is what a reference is in a slot, a find in a
# tool's text, and its base64 elsewhere.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactEcho;
use ArtifactFixtures;
use ArtifactJSON;
use ArtifactStandins;
use ArtifactTest;

my $t = ArtifactTest->new;

my %media = (png => png(64, 64), jpeg => jpeg(), gif => gif(),
    webp => webp(), pdf => pdf(), wav => wav(), mp3 => mp3(), mp4 => mp4());
my (%of, %id);

for my $kind (standin_kinds()) {
    ($of{$kind}, $id{$kind}) = standin($t, $kind, $media{$kind});
}

$t->artifact('plain', $media{png}, { type => 'image/png' });
my $key = 'aaaaaaaa-aaaa-8aaa-8aaa-aaaaaaaaaaaa';
$t->artifact($key, $media{png}, { type => 'image/png' });

$t->file('map.json', { services => [
    map { { id => $_->[0], provider => 'openai', model => $_->[0],
            capabilities => { input => $_->[1] } } }
    ['sees', ['text', 'vision']], ['reads', ['text']],
] });

my $echo = echo($t->prefix . '/echo');
$t->start(http => 'artifact_capabilities %%PREFIX%%/map.json;',
          server => <<"SERVER");
    artifact_root %%DATA%%;
    client_max_body_size 64m;
    location /artifacts/ { internal; artifact; }
    location /open/ { artifact; artifact_inline_max 10; }
    location /only/ {
        artifact_expand standins;
        artifact_refs_max 2;
        artifact_inline_max 10;
        proxy_pass http://unix:@{[$t->prefix]}/echo:;
    }
    location / {
        artifact_expand on;
        proxy_pass http://unix:@{[$t->prefix]}/echo:;
    }
SERVER

sub ask {
    my ($body, $uri) = @_;
    $uri = ($uri // '/only') . '/v1/chat/completions';
    return $t->req('POST', $uri, body => $body,
        headers => ['Content-Type' => 'application/json']);
}

sub b { return b64($_[0]) }

sub chat {
    my ($model, $content, $role) = @_;
    $role //= 'user';
    return qq({"model":"$model","messages":[{"role":"$role","content":$content}]});
}

# slots

my $image = '[{"type":"image_url","image_url":{"url":"data:image/png;base64,%s"}}]';

for my $where ('/only', '') {
    my $name = $where eq '' ? 'on' : 'standins';

    is(ask(chat('sees', sprintf $image, b($of{png})), $where)->{body},
       chat('sees', sprintf $image, b($media{png})), "$name: a slot");
    is(ask(chat('who', sprintf $image, b($of{png})), $where)->{body},
       chat('who', sprintf $image, b($media{png})), "$name: an unknown reader");

    my $res = ask(chat('reads', sprintf $image, b($of{png})), $where);
    like($res->{body}, qr/"type":"text","text":"/, "$name: words");
    unlike($res->{body}, qr/$id{png}|iVBOR/, "$name: without id or base64");
}

# elsewhere, in any spelling, on any path

for my $kind (standin_kinds()) {
    my ($of, $is) = (b($of{$kind}), b($media{$kind}));

    is(ask(qq({"model":"sees","x":{"y":[1,"$of"]},"messages":[]}))->{body},
       qq({"model":"sees","x":{"y":[1,"$is"]},"messages":[]}), "$kind: elsewhere");
    is(ask(qq({"x":"data:a/b;base64,$of"}))->{body},
       qq({"x":"data:a/b;base64,$is"}), "$kind: in a data URL");

    (my $safe = $of) =~ tr{+/}{-_};
    is(ask(qq({"x":"$safe"}))->{body}, qq({"x":"$is"}), "$kind: URL-safe");

    (my $escaped = $of) =~ s{/}{\\/}g;
    $escaped =~ s/\+/\\u002b/g;
    is(ask(qq({"x":"$escaped"}))->{body}, qq({"x":"$is"}), "$kind: escaped");

    (my $wrapped = $of) =~ s/(.{76})/$1\\r\\n/g;
    is(ask(qq({"x":"$wrapped"}))->{body}, qq({"x":"$is"}), "$kind: in lines");
}

my $many = join ',', map { '"' . b($of{png}) . '"' } 1 .. 40;
my $all = join ',', map { '"' . b($media{png}) . '"' } 1 .. 40;
is(ask(qq({"x":[$many]}))->{body}, qq({"x":[$all]}),
   'more than references may be');

my $path = $t->req('POST', '/only/any/thing', body => qq({"x":[$many]}),
    headers => ['Content-Type' => 'application/json']);
is($path->{body}, qq({"x":[$all]}), 'on a path of no API');

# a tool's text

my $text = 'see ' . b($of{png}) . ' and [artifact:' . $key . ']';
my $tool = chat('sees', encode_json_bytes($text), 'tool');
my $res = ask($tool);
my $got = decode_strict($res->{body});
like($got->{messages}[0]{content}, qr/^see \[image\/png, [^]]+\] and \[artifact:/,
     'the name stays in the text');
like($res->{body}, qr{data:image/png;base64,\Q@{[b($media{png})]}\E"},
     'the part follows');
is(() = $res->{body} =~ /base64,/g, 1, 'the marker is none');

$res = ask($tool, '');
is(() = $res->{body} =~ /base64,/g, 2, 'with "on" it is one');

is(ask(chat('who', encode_json_bytes($text), 'tool'))->{body},
   chat('who', encode_json_bytes($text =~ s/\Q@{[b($of{png})]}/@{[b($media{png})]}/r),
        'tool'), 'an unknown reader gets the base64 in its place');

# only stand-ins are references

my $ref = chat('sees', '[{"type":"image_url","image_url":{"url":"artifact:plain"}}]');
is(ask($ref)->{body}, $ref, 'a reference is none');
like(ask($ref, '')->{body}, qr/base64/, 'but for "on"');

# nothing else leads there, and nothing else is led to

for my $path ("/open/$id{png}", "/open/artifact:$id{png}", "/open/$id{png}/metadata") {
    is($t->req('GET', $path)->{status}, 404, "GET $path");
}

$res = ask(chat('sees', qq([{"type":"image_url","image_url":{"url":"artifact:$id{png}"}}])), '');
like($res->{body}, qr/Unreadable|\[\\u|无法/, 'no reference leads there');

my $wrong = b(standin_of('png', $key));
$res = ask(qq({"x":"$wrong"}));
is($res->{status}, 502, 'an artifact that is no stand-in\'s');
like($res->{body}, qr/"code":"source_failed"/, 'its code');
unlike($res->{body}, qr/$key/, 'without the id');

$res = ask(qq({"x":"@{[b(standin_of('jpeg', $id{png}))]}"}));
is($res->{status}, 502, 'another type');

$res = ask(qq({"x":"@{[b(standin_of('png', 'aaaaaaaa-aaaa-8aaa-8aaa-aaaaaaaaaaab'))]}"}));
is($res->{status}, 502, 'a missing one');
like($t->log, qr/which a stand-in of "image\/png" leads to, is missing/,
     'the log has it');

$echo->stop;
$t->finish;
