#!/usr/bin/perl

# Media by URL: their limits, where there is no reading, odd ids, who decides,
# and what the configuration may say.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactCounts;
use ArtifactEcho;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream qw(read_request send_answer);

my $GB = 1 << 30;
my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $prefix = "http://127.0.0.1:@{[$t->port]}/public/";
my $png = png(12, 9);

$t->artifact('shot', $png, { mimeType => 'image/png', name => 'shot.png' });
$t->artifact('wide', png(9000, 1), { mimeType => 'image/png' });
$t->artifact('ten', $png . 'x' x (9 << 20), { mimeType => 'image/png', name => 'ten.png' });
$t->artifact('svg', svg(), { mimeType => 'image/svg+xml', name => 'a.svg' });
$t->artifact('empty', '', { mimeType => 'image/png', name => 'empty.png' });
$t->artifact('text', 'no image', { mimeType => 'image/png', name => 'text.png' });
$t->artifact('heic', "\0\0\0\x18ftypheic\0\0\0\0mif1heic" . 'h' x 300,
             { mimeType => 'image/heic', name => 'a.heic' });
$t->artifact("a b#?\"\\%\xc3\xa9", $png, { mimeType => 'image/png', name => 'odd.png' });
$t->workspace_file('w', 'd/shot one.png', $png);

# A sparse file: reading it would take time, and show in the counters.

$t->artifact('huge', $png, { mimeType => 'image/png', name => 'huge.png' });
truncate $t->data . '/artifacts/huge', 2 * $GB or die "truncate: $!";

my $store = ArtifactUpstream->new("$dir/store", serve => sub {
    my ($sock) = @_;
    my ($head) = read_request($sock) or return;
    local $SIG{PIPE} = 'IGNORE';
    my ($id) = $head =~ m{^GET \S*/([^/ ]+) };
    my $type = $id eq 'octet' ? 'application/octet-stream'
               : $id eq 'liar' ? 'image/jpeg' : 'image/png';
    my $length = $id eq 'sized' ? 'Content-Length: ' . (50 << 20) . "\r\n" : '';
    send_answer($sock, "HTTP/1.1 200 OK\r\nContent-Type: $type\r\n$length"
        . "Connection: close\r\n\r\n$png");
    if ($id eq 'endless') {
        my $n = 0;
        while ($n < 300_000_000) {
            $n += syswrite($sock, 'x' x 65536) // last;
        }
        open my $out, '>', "$dir/endless" or die "endless: $!";
        print $out $n;
    }
});
my $echo = echo("$dir/echo");
my $convert = ArtifactUpstream->new("$dir/convert", serve => sub {
    my ($sock) = @_;
    read_request($sock) or return;
    my $made = jpeg(8, 8);
    send_answer($sock, "HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\n"
        . 'Content-Length: ' . length($made) . "\r\nConnection: close\r\n\r\n$made");
});

my $pass = "proxy_pass http://unix:$dir/echo:;";
$t->start(http => <<'HTTP', server => <<"SERVER");
    artifact_zone 1m;
    map $http_x_tenant $delivery { a url; b inline; c cloud; e url; r url; default ''; }
    map $http_x_tenant $public { a http://a.example/x; e ''; r /public/; default http://d.example/; }
HTTP
    artifact_root %%DATA%%;
    artifact_accept "text,vision,audio,video,file,pdf";
    artifact_language en;
    artifact_url $prefix;
    location /artifacts/ { internal; artifact; }
    location /public/ { artifact; }
    location /store/ { internal; proxy_pass http://unix:$dir/store:; }
    location /status { artifact_status; }
    location /convert { internal; proxy_pass http://unix:$dir/convert:; }

    artifact_delivery url;
    location / { artifact_expand on; artifact_format \$arg_format; $pass }
    location /small/ { artifact_expand on; artifact_inline_max 10; $pass }
    location /narrow/ { artifact_expand on; artifact_body_max 1k; $pass }
    location /proxied/ { artifact_expand on; artifact_source /store/; $pass }
    location /derived/ {
        artifact_expand on;
        artifact_derive image/heic image/jpeg /convert body;
        $pass
    }
    location /tenant/ {
        artifact_expand on;
        artifact_delivery \$delivery;
        artifact_url \$public;
        $pass
    }
    location /prefix/ {
        artifact_expand on;
        artifact_url http://x.example/get/id-;
        $pass
    }
    location /message { artifact_message; artifact_format \$arg_f; }
    location /message-small { artifact_message; artifact_inline_max 10; }
SERVER

sub sent {
    my ($uri, $body, @headers) = @_;
    my $res = $t->req('POST', $uri, headers => [
        'Content-Type' => 'application/json', @headers ], body => $body);
    return wantarray ? ($res->body, $res->status) : $res->body;
}

sub chat { return '{"messages":[{"role":"user","content":[' . join(',', @_) . ']}]}' }
sub image { return '{"type":"image_url","image_url":{"url":"' . $_[0] . '"}}' }

sub one {
    my ($uri, $id, @headers) = @_;
    my ($got) = sent($uri, chat(image("artifact:$id")), @headers);
    return $got =~ /"content":\[(.*)\]\}\]\}\z/s ? $1 : $got;
}

my $data = 'data:image/png;base64,' . b64($png);
my $chat = '/v1/chat/completions';

# Limits.

is(one("/small$chat", 'shot'), image("${prefix}shot"),
   'artifact_inline_max does not apply');
like(one("/small$chat", 'svg'), qr/"type":"text"/, 'nor is SVG sent by URL');
is(one($chat, 'ten'), image("${prefix}ten"), 'within the limit of the row');
my $source = '{"type":"image","source":{"type":"url","url":"artifact:%s"}}';
like(sent('/v1/messages', chat(sprintf $source, 'ten')), qr/"type":"text"/,
     "above Anthropic's");
like(one($chat, 'huge'), qr/"type":"text".*huge/, 'nothing takes 2 GB');
like(one($chat, 'empty'), qr/"type":"text"/, 'an empty one is described');
like(one($chat, 'text'), qr/"type":"text"/, 'what is no image is none');
like(sent('/v1/messages', chat(sprintf $source, 'wide')), qr/"type":"text".*9000/, 'pixels count');

like(one("$chat?format=openrouter", 'huge'), qr{/public/huge"},
     'but OpenRouter, which states no limit');

# Sources of other servers.

is(one("/proxied$chat", 'chunked'), image("${prefix}chunked"),
   'of unknown size');
is(one("/proxied$chat", 'endless'), image("${prefix}endless"),
   'an endless one is not read');
$t->wait_for(qr/\d/, 'endless');
cmp_ok(slurp("$dir/endless"), '<', 100_000_000, '... and its source is let go');
is(one("/proxied$chat", 'octet'), image($data),
   'inline if its server has not the type');
like(one("/proxied$chat", 'liar'), qr/^\Q{"type":"image_url","image_url":{"url":"data:image\/png\E/,
     'inline if its server has another type');

# Derived forms have no URL.

like(one("/derived$chat", 'heic'), qr/"url":"data:image\/jpeg;base64,/,
     'a derived form is inline');

# Ids.

is(sent($chat, chat('{"type":"file","file":{"file_id":"' . "${prefix}a%20b%23%3F%22%5C%25%C3%A9" . '"}}')),
   chat(image("${prefix}a%20b%23%3F%22%5C%25%C3%A9")), 'odd bytes in an id');
my $ws = ws_id('w', 'd/shot one.png');
is(one($chat, $ws), image("$prefix$ws"), 'a file of a workspace');
is($t->get("/public/$ws")->body, $png, '... can be fetched');
is($t->get('/public/a%20b%23%3F%22%5C%25%C3%A9')->body, $png, '... as the odd one');
is(one("/prefix$chat", 'shot'), image('http://x.example/get/id-shot'),
   'the id is put behind the prefix, whatever that is');

# Who decides.

is(one("/tenant$chat", 'shot', 'X-Tenant' => 'a'), image('http://a.example/xshot'),
   'a variable: url');
is(one("/tenant$chat", 'shot', 'X-Tenant' => 'b'), image($data), 'inline');
is(one("/tenant$chat", 'shot'), image($data), 'empty');
is(one("/tenant$chat", 'shot', 'X-Tenant' => 'c'), image($data), 'unknown');
like($t->log, qr/unknown artifact delivery "cloud", "inline" is used/, '... is logged');
$t->allow(qr/unknown artifact delivery/);

for my $case ([e => ''], [r => '/public/']) {
    my ($tenant, $url) = @$case;
    is(one("/tenant$chat", 'shot', 'X-Tenant' => $tenant), image($data),
       "url, but the prefix is \"$url\"");
    like($t->log, qr/artifact delivery is "url", and "artifact_url" is "\Q$url\E", which nobody can fetch, "inline" is used/,
         '... is logged');
}

# Many of them, and their number.

my ($all) = sent($chat, chat(map { image('artifact:shot') } 1 .. 64));
is($all, chat(map { image("${prefix}shot") } 1 .. 64), '64 references');
my (undef, $status) = sent($chat, chat(map { image('artifact:shot') } 1 .. 65));
is($status, 413, 'one more is too many');
my $mistral = '{"type":"image_url","image_url":"%s"}';
like(sent("$chat?format=mistral",
          chat(map { sprintf $mistral, 'artifact:shot' } 1 .. 9)),
     qr/\A\{"messages":\[\{"role":"user","content":\[\{"type":"text".*?\},(?:\Q@{[sprintf $mistral, "${prefix}shot"]}\E,?){8}\]\}\]\}\z/s,
     'of nine images for Mistral the oldest is described');
is(one("/narrow$chat", 'ten'), image("${prefix}ten"),
   'the size of a request is that with URLs');

# The counters tell.

my $counts = $t->get('/status')->body;
like($counts, qr/"url"|outcome="url"/, 'counted as such');

# Messages.

sub message {
    my ($uri, $ref) = @_;
    my ($got) = sent($uri, '{"text":"?","attachments":["' . $ref . '"]}');
    return $got =~ /"processedContent":(.*),"unsupportedAttachments"/ ? $1 : $got;
}

is(message('/message?f=openai', 'artifact:shot'),
   '{"role":"user","content":[{"type":"text","text":"?"},' . image("${prefix}shot") . ']}',
   'a message for OpenAI');
is(message('/message?f=anthropic', 'artifact:shot'),
   '{"role":"user","content":[{"type":"text","text":"?"},{"type":"image","source":{"type":"url","url":"' . "${prefix}shot" . '"}}]}',
   'Anthropic');
like(message('/message?f=bedrock', 'artifact:shot'), qr/"bytes":"/, 'Bedrock');
like(message('/message?f=gemini', 'artifact:shot'), qr/"inlineData"/,
     'Gemini: the model is not known');
my ($gemini) = sent('/message?f=gemini', '{"attachments":["artifact:shot"],"service":"gemini-2.5-pro"}');
like($gemini, qr/\Q"fileUri":"${prefix}shot"\E/, 'Gemini 2.5');
my ($claude) = sent('/message?f=anthropic', '{"attachments":["artifact:shot"],"service":"us.anthropic.claude-x"}');
like($claude, qr/"base64"/, "one of Anthropic's at Bedrock");
is(message('/message-small', 'artifact:shot'), '[{"type":"text","text":"?"},' . image("${prefix}shot") . ']',
   'without a format, above artifact_inline_max');
like(message('/message?f=openai', 'artifact:gone'), qr/does not exist/, 'one that is gone');

# Nothing but beginnings of contents were read.

unlike($t->log, qr/artifact ended after|breaks off/, 'no complaint');

# The configuration.

for my $case (
    ['artifact_delivery maybe;', qr/invalid value "maybe" in "artifact_delivery" directive, it must be "inline" or "url"/],
    ['artifact_delivery "";', qr/invalid value "" in "artifact_delivery" directive/],
    ['artifact_delivery url;', qr/\[emerg\] "artifact_delivery" needs "artifact_url", which location "\/v1\/" has not/],
) {
    my ($directive, $want) = @$case;
    my ($bad, $out) = $t->conf_test(server => "location /artifacts/ { artifact; } location /v1/ { artifact_expand on; $directive proxy_pass http://127.0.0.1:9; }");
    ok($bad, "$directive is refused");
    like($out, $want, '... with the reason');
}

for my $location ('artifact_message;', 'artifact_expand on; proxy_pass http://127.0.0.1:9;') {
    my ($bad, $out) = $t->conf_test(server => "artifact_delivery url; location /artifacts/ { artifact; } location /v1/ { $location }");
    ok($bad, "refused: $location");
    ($bad, $out) = $t->conf_test(server => "artifact_delivery url; location /artifacts/ { artifact; } location / {} location /v1/ { artifact_url http://x/; $location }");
    ok(!$bad, 'with artifact_url it is not') or diag $out;
    unlike($out, qr/artifact_delivery/, '... and nothing is said');
    ($bad, $out) = $t->conf_test(server => "location /artifacts/ { artifact; } location /v1/ { artifact_delivery \$arg_d; $location }");
    ok(!$bad, 'a variable without artifact_url');
    like($out, qr/\[warn\] "artifact_delivery" needs "artifact_url", which location "\/v1\/" has not: its media are sent inline/, '... is a warning');
}

$t->finish;
