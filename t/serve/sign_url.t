#!/usr/bin/perl

# The URLs that the module writes are signed, and are references when they come
# back.

use strict;
use warnings;

use Digest::SHA qw(hmac_sha256);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactTest;

my $KEY = 'k' x 32;

my $t = ArtifactTest->new;
my $keys = $t->prefix . '/keys';

spew($keys, b64($KEY));
chmod 0600, $keys;

$t->artifact('movie', "\0\0\0\x18ftypmp42" . "\0" x 999, { type => 'video/mp4' });
$t->artifact('artifact:own', "\0\0\0\x18ftypmp42" . 'o' x 999,
             { type => 'video/mp4' });
$t->artifact('words', 'these words', { type => 'text/plain' });
$t->start(server => <<"SERVER");
    artifact_root %%DATA%%;
    artifact_url http://127.0.0.1:%%PORT%%/f/;
    artifact_sign_key $keys scope=t;
    artifact_sign_ttl 1h;

    location /f/ { artifact; artifact_signed on; }
    location /link/ { artifact; artifact_route always; artifact_format mcp; }
    location /message { artifact_message; artifact_source /f/; }
SERVER

my $r = $t->get('/link/movie');
my ($exp, $sig) = $r->body
    =~ m{"http://127\.0\.0\.1:\d+/f/movie\?exp=(\d+)&sig=([\w-]{43})"};
ok($exp, 'a signed link') or diag($r->body);
is($sig // '', b64url(hmac_sha256("artifact-url-v1\nt\nmovie\n$exp", $KEY)),
   'its signature');
ok($exp > time + 3600 && $exp <= time + 7200, 'one to two ttl');
is($t->get('/link/movie')->body, $r->body, 'the same bytes');
is($t->get("/f/movie?exp=$exp&sig=$sig")->status, 200, 'it leads there');

($r) = $t->get('/link/artifact:artifact:own')->body =~ m{:\d+(/f/[^"]+)"};
is($t->get($r // '/none')->body, "\0\0\0\x18ftypmp42" . 'o' x 999,
   'an id that begins with "artifact:" leads there, too') or diag($r);

my $url = 'http://127.0.0.1:' . $t->port . '/f/words';

for my $query ('?exp=1&sig=x', "?exp=$exp&sig=$sig", '') {
    $r = $t->req('POST', '/message',
                 headers => ['Content-Type' => 'application/json'],
                 body => qq({"text":"a","attachments":["$url$query"]}));
    like($r->body, qr/these words/, "a reference with \"$query\", which a "
         . 'subrequest asks for without a signature') or diag($r->body);
}

$t->finish;
