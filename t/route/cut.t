#!/usr/bin/perl

# Artifacts that are cut, or need a password: no model can read them, so they
# become words wherever they would be a part for a provider.  What has its end,
# wherever that is, is a part as before; and so is what is sent before anybody
# has seen its end.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactEcho;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;

my $t = ArtifactTest->new;

my $png = png(6, 4);
my $big = png(300, 300);
my $pdf = pdf();

# A PDF whose trailer is a stream, which is only found by its offset

sub pdf_of {
    my ($more, $behind) = @_;
    my $head = "%PDF-1.5\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<<>>\nendobj\n"
        . "x" x 5001 . "\n";
    return $head . "7 0 obj\n<</Type/XRef/W[1 2 1]$more/Size 8>>\nstream\n"
        . rand_bytes($behind) . "\nendstream\nendobj\nstartxref\n"
        . length($head) . "\n%%EOF\n";
}

my %pdf = (
    locked => $pdf =~ s!(trailer\s*<<)!$1/Encrypt 9 0 R!r,
    'locked-stream' => pdf_of('/Encrypt 5 0 R', 100),
    'locked-far' => pdf_of('/Encrypt 5 0 R', 6000),
    'open-stream' => pdf_of('', 100),
    'cut-pdf' => substr($pdf, 0, -30),
    'zeros-pdf' => $pdf . "\0" x 9000,
    pdf => $pdf,
);

my %whole = (
    png => $png, big => $big, jpeg => jpeg(), gif => gif(), webp => webp(),
    'more-png' => $big . 'x' x 9000,
    'more-jpeg' => jpeg() . 'x' x 9000,
    'more-gif' => gif() . 'x' x 9000,
    'more-webp' => webp() . 'x' x 9000,
    'zeros-gif' => gif() . "\0" x 9000,
    'thumbnail' => "\xff\xd8\xff\xe1\0\x08ab\xff\xd9cd" . 'x' x 100_000,
    'open-webp' => substr(webp(), 0, 4) . "\xff\xff\xff\xff"
        . substr(webp(), 8),
);

my %cut = (
    'cut-png' => substr($png, 0, -1),
    'half-png' => substr($png, 0, length($png) / 2),
    'cut-big' => substr($big, 0, -12),
    'half-big' => substr($big, 0, length($big) / 2),
    'cut-jpeg' => substr(jpeg(), 0, -2),
    'cut-large-jpeg' => substr(jpeg(), 0, -2) . 'x' x 100_000,
    'cut-gif' => substr(gif(), 0, -1),
    'cut-webp' => substr(webp(), 0, -1),
);

sub type_of {
    my ($id) = @_;
    return $pdf{$id} ? 'application/pdf'
        : 'image/' . ($id eq 'thumbnail' ? 'jpeg'
                      : $id =~ /(jpeg|gif|webp)/ ? $1 : 'png');
}

my %all = (%pdf, %whole, %cut);

mkdir $t->prefix . '/static';
for my $id (keys %all) {
    $t->artifact($id, $all{$id}, { mimeType => type_of($id), name => $id });
    spew($t->prefix . "/static/$id", $all{$id});
}

$t->file('map.json', { services => [
    { id => 'sees', model => 'sees',
      capabilities => { input => [qw(text vision audio video file)] } },
    { id => 'reads', model => 'reads', capabilities => { input => ['text'] } },
] });

my $echo = echo($t->prefix . '/echo');
my $up = ArtifactUpstream->new($t->prefix . '/up.sock', contents => {
    map { $_ => { body => $all{$_}, type => type_of($_) } } keys %all
});

$t->start(http => <<'HTTP', server => <<'SERVER');
    artifact_capabilities %%PREFIX%%/map.json;
    artifact_root %%DATA%%;
    artifact_language en;
    artifact_format $arg_format;
    proxy_cache_path %%PREFIX%%/cache keys_zone=c:1m;
    proxy_cache_valid 200 1m;
HTTP
    location /artifacts/ { artifact; artifact_route on; }
    location /open/ {
        artifact; artifact_route on;
        open_file_cache max=100 inactive=60s;
    }
    location /threads/ { artifact; artifact_route on; aio threads; }
    location /direct/ {
        artifact; artifact_route on; aio threads; directio 1;
    }
    location /trusting/ { artifact; artifact_route on; artifact_verify off; }
    location /static/ {
        alias %%PREFIX%%/static/;
        artifact_route on;
        types { image/png none; }
        default_type '';
    }
    location /proxied/ {
        proxy_pass http://unix:%%PREFIX%%/up.sock:/;
        artifact_route on;
    }
    location /cached/ {
        proxy_pass http://unix:%%PREFIX%%/up.sock:/;
        proxy_cache c;
        proxy_cache_key $uri;
        add_header X-Cache $upstream_cache_status always;
        artifact_route on;
    }
    location = /message { artifact_message; artifact_source /artifacts/;
        artifact_route off; }
    location = /provided {
        artifact_message; artifact_source /artifacts/;
        artifact_format anthropic;
    }
    location /v1/ {
        artifact_expand on;
        artifact_source /artifacts/;
        proxy_pass http://unix:%%PREFIX%%/echo:;
    }
    location /opened/ {
        artifact_expand on;
        artifact_source /open/;
        proxy_pass http://unix:%%PREFIX%%/echo:/;
    }
    location /from-cache/ {
        artifact_expand on;
        artifact_source /cached/;
        proxy_pass http://unix:%%PREFIX%%/echo:/;
    }
    location /by-url/ {
        artifact_expand on;
        artifact_source /artifacts/;
        artifact_url https://a.example/artifacts/;
        artifact_delivery url;
        proxy_pass http://unix:%%PREFIX%%/echo:/;
    }
SERVER

my $failed = qr/\[File processing failed: /;
my $locked = qr/protected by a password/;

# Bodies are told with the first digits of their media.

sub brief { return $_[0] =~ s!([\w+/]{40})[\w+/=]+!$1..!gr }

# Routed answers

sub routed {
    my ($at, $id, $format) = @_;
    return brief($t->service('sees', "$at/$id?format=$format")->body);
}

for my $at ('/artifacts', '/open', '/open', '/threads', '/direct',
            '/trusting', '/static')
{
    for my $id (sort keys %whole) {
        like(routed($at, $id, 'anthropic'), qr/"type":"image"/,
             "$at: $id is a part");
    }
    for my $id (sort keys %cut) {
        my $body = routed($at, $id, 'anthropic');
        like($body, qr/\A\{"type":"text","text":"$failed/, "$at: $id");
        unlike($body, qr/password/, "$at: $id: nothing about a password");
    }
    like(routed($at, $_, 'anthropic'), qr/"type":"document"/,
         "$at: $_ is a part") for qw(pdf open-stream zeros-pdf);
    like(routed($at, $_, 'anthropic'), $locked, "$at: $_")
        for qw(locked locked-stream locked-far);
    like(routed($at, 'locked', 'openai'), qr/"type":"file"/,
         "$at: locked, which the API takes");
    like(routed($at, 'cut-pdf', $_), $failed, "$at: a PDF, cut, for $_")
        for qw(anthropic openai gemini mcp);
    like(routed($at, 'cut-png', $_), qr/iVBORw0KGgo/,
         "$at: $_ is for no provider") for qw(route object);
}

my $head = $t->head('/artifacts/cut-big?format=anthropic',
                    'X-LLM-Service' => 'sees');
is($head->header('Content-Length'),
   length $t->service('sees', '/artifacts/cut-big?format=anthropic')->body,
   'HEAD tells the same');
like($t->service('reads', '/artifacts/cut-big?format=anthropic')->body,
     qr/cannot read this kind/, 'one that cannot see is told that');

# What comes from elsewhere: where all of it is there

for my $id ('big', 'half-big', 'cut-large-jpeg', 'more-png', 'thumbnail') {
    my $seen = $cut{$id} ? $failed : qr/"type":"image"/;

    like(routed('/proxied', $id, 'anthropic'), qr/"type":"image"/,
         "$id: sent while it comes");
    routed('/cached', $id, 'object');
    my $res = $t->service('sees', "/cached/$id?format=anthropic");
    is($res->header('X-Cache'), 'HIT', "$id: in the cache");
    like($res->body, $seen, "$id: what is in the cache is seen");
}
like(routed('/proxied', 'cut-png', 'anthropic'), $failed,
     'a short one is there as a whole');
like(routed('/proxied', 'png', 'anthropic'), qr/"type":"image"/, 'another');
like(routed('/proxied', 'cut-webp', 'anthropic'), $failed,
     'RIFF tells its length');
like(routed('/proxied', 'png', "anthropic&frame=chunked"), qr/"type":"image"/,
     'in chunks');

# Requests

sub slot {
    my ($id) = @_;
    my $type = $pdf{$id} ? 'document' : 'image';
    return qq({"type":"$type","source":{"type":"base64","media_type":)
        . '"' . type_of($id) . qq(","data":"artifact:$id"}});
}

sub sent {
    my ($uri, $model, @ids) = @_;
    my $parts = join ',', map { slot($_) } @ids;
    return brief($t->req('POST', "$uri/messages",
        headers => ['Content-Type' => 'application/json'],
        body => qq({"model":"$model","messages":[{"role":"user","content":)
            . qq([$parts]}]}))->body);
}

for my $model (qw(sees nobody)) {
    for my $at ('/v1', '/opened', '/opened') {
        for my $id (sort keys %cut) {
            my $body = sent($at, $model, $id);
            like($body, qr/"text":"$failed$id/, "$at, $model: $id");
            unlike($body, qr/base64/, "$at, $model: $id: and nothing else");
        }
        like(sent($at, $model, $_), qr/"base64"/, "$at, $model: $_ is a part")
            for sort keys %whole;
        like(sent($at, $model, 'locked'), $locked, "$at, $model: a password");
    }
    my @parts = sent('/v1', $model, ('cut-png', 'png') x 3)
        =~ /(processing failed|"base64")/g;
    is("@parts", join(' ', ('processing failed', '"base64"') x 3),
       'each of several');
    like(sent('/from-cache', $model, 'half-big'), $failed, 'from a cache');
    like(sent('/from-cache', $model, 'more-png'), qr/base64/,
         'one that is whole');
    like(sent('/by-url', $model, 'half-big'), $failed, 'as a URL');
    like(sent('/by-url', $model, 'big'), qr/base64|a\.example/,
         'one that is whole');
}
like(sent('/v1', 'reads', 'cut-png'), qr/cannot read this kind/,
     'one that cannot see is told that');

# Messages

sub message {
    my ($uri, @ids) = @_;
    return json_of($t->req('POST', $uri, body => encode_json_bytes({
        service => 'sees', attachments => [map { "artifact:$_" } @ids] })));
}

my $data = message('/provided', qw(cut-png png locked));
my @types = map { $_->{type} } @{ $data->{processedContent}{content} };
is("@types", 'text image text', 'a message');
like($data->{textDescription}, qr/check whether the file is damaged.*$locked/s,
     'what is wrong with them');
is(scalar @{ $data->{unsupportedAttachments} }, 2, 'two are unsupported');
is(scalar @{ message('/message', qw(cut-png png))->{processedContent} }, 2,
   'a message for no provider');

# A file that is replaced, or becomes longer

$t->artifact('grows', substr($big, 0, 100), { mimeType => 'image/png' });
like(routed('/artifacts', 'grows', 'anthropic'), $failed, 'not all of it yet');
$t->artifact('grows', $big, undef);
like(routed('/artifacts', 'grows', 'anthropic'), qr/"type":"image"/,
     'now it is there');
$t->artifact('grows', '', undef);
unlike(routed('/artifacts', 'grows', 'anthropic'), qr/"type":"image"/,
       'nothing is left');

$t->finish;
