#!/usr/bin/perl

# The configuration of docs/gateway.md, as it stands there, and its steps: an
# upload, a request, an answer that is offloaded and extracted, the download,
# the next turn; and two tenants that do not see each other.

use strict;
use warnings;
use utf8;

use Digest::MD5 qw(md5_hex);
use File::Path qw(make_path);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactDocs;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream qw(read_request send_answer);

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $url = 'http://127.0.0.1:' . $t->port . '/artifacts/';
my @tenants = qw(acme globex);

my $shot = png(30, 20);
my $chart = png(200, 100) . "\0" x 20000;

# the model draws something else for each request, and says what it has made

my $up = ArtifactUpstream->new("$dir/model", serve => sub {
    my ($sock) = @_;
    my ($head, $body) = read_request($sock) or return;

    spew("$dir/head", $head);
    spew("$dir/body", $body);

    my $answer = encode_json_bytes({ choices => [{ index => 0,
        finish_reason => 'stop', message => { role => 'assistant',
            content => "Here it is.\n<artifacts>[{\"type\":\"text\","
                . "\"content\":\"# Chart\",\"format\":\"markdown\"}]"
                . '</artifacts>',
            images => [{ type => 'image_url', image_url => {
                url => 'data:image/png;base64,' . b64($chart . md5_hex($body))
            } }],
        } }] });

    send_answer($sock, "HTTP/1.1 200 OK\r\nConnection: close\r\n"
        . "Content-Type: application/json\r\nContent-Length: "
        . length($answer) . "\r\n\r\n$answer");
});

# --- what the page says ----------------------------------------------------

my ($text) = map { $_->[1] } grep { $_->[0] eq 'All of it on one server' }
    doc_sections("$FindBin::Bin/../../docs/gateway.md");
my %part = conf_part((doc_blocks($text))[0]);
my ($map) = $text =~ /^ {4}(\{"services".*?\]\})\n\n/ms;

make_path("$dir/etc", map { "$dir/srv/tenants/$_/artifacts" } @tenants);
spew("$dir/etc/llmservices.json", $map);

is(join(' ', sort keys %part), 'http', 'it is complete');
$part{http} =~ s{https://openrouter\.ai/}{http://unix:$dir/model:/};
$part{http} =~ s{/etc/nginx/}{$dir/etc/};
$part{http} =~ s{/srv/}{$dir/srv/};
$part{http} =~ s{127\.0\.0\.1:8080}{127.0.0.1:%%PORT%%}g;

$t->start(http => $part{http}, no_server => 1);

# --- an upload -------------------------------------------------------------

my ($ref, $link);

$ref = json_of($t->req('POST', '/artifacts/?name=shot.png', body => $shot,
    headers => [key('acme'), 'Content-Type' => 'image/png']), 201)
    ->{artifactRef};
like($ref, qr/^artifact:[0-9a-f-]{36}$/, 'an upload');

# --- a request, and its answer ---------------------------------------------

my $answer = ask('acme', 'example/vision-1', $ref);
my $sent = slurp("$dir/body");

like($sent, qr/\Q@{[ b64($shot) ]}\E/, 'the model sees it');
like($sent, qr/<artifacts>/, 'and is told to declare what it makes');
like(slurp("$dir/head"), qr/^Authorization: Bearer sk-key-of-the-platform\r/m,
     'with the key of the platform');
unlike(slurp("$dir/head"), qr/key-of-acme/, "not the client's");

is($answer->{choices}[0]{message}{content}, "Here it is.\n",
   'the declaration is out of the text');
is_deeply($answer->{artifacts}, [{ type => 'text', content => '# Chart',
                                   format => 'markdown' }],
          'and is a member of the answer');

$link = $answer->{choices}[0]{message}{images}[0]{image_url}{url};
like($link, qr/^\Q$url\E[0-9a-f-]{36}$/, 'the image is a link');

(my $path = $link) =~ s{^http://[^/]+}{};
my $res = $t->get($path, key('acme'));
is($res->status, 200, 'which can be downloaded');
is($res->body, $chart . md5_hex($sent), 'byte for byte');
header_is($res, 'Content-Type', 'image/png', 'with its type');

# --- the next turns --------------------------------------------------------

ask('acme', 'example/vision-1', $link);
like(slurp("$dir/body"), qr/\Q@{[ b64($res->body) ]}\E/,
     'the link is a reference: the next model sees it');

ask('acme', 'example/text-1', $link);
$sent = slurp("$dir/body");
ok($sent =~ /\[Unreadable\]/ && $sent !~ /base64/, 'one that reads gets words');

# --- another tenant, and strangers -----------------------------------------

for my $of ($ref, $link) {
    (my $uri = $of) =~ s{^artifact:|^.*/}{/artifacts/};

    is($t->get($uri, key('globex'))->status, 404, "$uri: not for others");
    is($t->get($uri)->status, 401, 'nor for strangers');
    is($t->get($uri, key('acme'))->status, 200, 'it is there');

    ask('globex', 'example/vision-1', $of);
    $sent = slurp("$dir/body");
    ok($sent =~ /does not exist/ && $sent !~ /base64/,
       "nor for another's model");
}

$res = $t->req('POST', '/artifacts/', body => $shot,
               headers => ['Content-Type' => 'image/png']);
is($res->status, 401, 'no upload without a key');
is($t->req('POST', '/v1/chat/completions', body => '{}',
           headers => ['Content-Type' => 'application/json'])->status, 401,
   'and no request');
is($t->get($path, key($_))->status, 401, "a key is another one as \"$_\"")
    for 'ACME', 'acm', 'acme1';

my @kept = map { scalar grep { !/\.meta$/ }
                 glob "$dir/srv/tenants/$_/artifacts/*" } @tenants;
is($kept[0], 4, 'one upload and three drawings of the first');
is($kept[1], 2, 'two drawings of the second');

$up->stop;
$t->finish;


sub key {
    my ($tenant) = @_;
    return (Authorization => "Bearer key-of-$tenant");
}


sub ask {
    my ($tenant, $model, $url) = @_;

    return json_of($t->req('POST', '/v1/chat/completions',
        headers => [key($tenant), 'Content-Type' => 'application/json'],
        body => encode_json_bytes({ model => $model, messages => [{
            role => 'user', content => [
                { type => 'text', text => 'Draw this as a chart.' },
                { type => 'image_url', image_url => { url => $url } }],
        }] })));
}
