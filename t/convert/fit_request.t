#!/usr/bin/perl

# What a converter is asked: the method, the URI, the bytes with their length
# and type, whatever the limits of its location; what tells who asks; and
# nothing else of what a client sends, above all no keys.

use strict;
use warnings;
use utf8;

use Digest::SHA qw(sha256_hex);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFit;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;

my $t = ArtifactTest->new;

my %content = some_scans();
$t->artifacts(\%content);

$t->file('map.json', fit_map());

my $converter = converter($t->prefix . '/convert');
my $echo = echoed($t);
my $store = ArtifactUpstream->new($t->prefix . '/store', contents => { map {
    ("more$_" => { body => $content{tiff}[0] . 'z' x $_,
                   type => 'image/tiff' }) } 0 .. 3 });

my $pass = 'artifact_expand on; proxy_pass http://unix:%%PREFIX%%/echo:;';

$t->start(http => 'artifact_capabilities %%PREFIX%%/map.json;',
          server => fit_server('artifact_derive image image/jpeg '
                               . '/c/jpeg body;', <<"MORE"));
    location /stored-source/ { artifact_source /s/; $pass }
    location /s/ {
        internal;
        rewrite ^/s/(.*) /\$1 break;
        proxy_pass http://unix:%%PREFIX%%/store:;
    }
    location /jpeg/ {
        artifact_derive image image/jpeg /c/jpeg body;
        $pass
    }
    location /asks/ {
        artifact_derive image image/jpeg /stored/ body;
        $pass
    }
    location /asks-id/ {
        artifact_derive image image/jpeg /stored/;
        $pass
    }
    location /small/ {
        client_body_buffer_size 1k;
        artifact_derive image image/jpeg /c/jpeg body;
        $pass
    }
    location /http11/ {
        artifact_derive image image/jpeg /stored11/ body;
        $pass
    }
    location /streamed/ {
        artifact_derive image image/jpeg /unbuffered/ body;
        $pass
    }
    location /args/ {
        artifact_derive image image/jpeg /c/jpeg/\$arg_to body;
        $pass
    }
    location /stored/ {
        internal;
        client_max_body_size 10;
        client_body_buffer_size 8k;
        rewrite ^ /jpeg/stored break;
        proxy_pass http://unix:%%PREFIX%%/convert:;
    }
    location /stored11/ {
        internal;
        proxy_http_version 1.1;
        proxy_set_header Connection "";
        rewrite ^ /jpeg/stored break;
        proxy_pass http://unix:%%PREFIX%%/convert:;
    }
    location /unbuffered/ {
        internal;
        proxy_request_buffering off;
        rewrite ^ /jpeg/stored break;
        proxy_pass http://unix:%%PREFIX%%/convert:;
    }
MORE

sub ask {
    my ($uri, $body, @headers) = @_;
    my $res = $t->req('POST', $uri, body => $body,
        headers => ['Content-Type' => 'application/json', @headers]);
    return $res;
}

$converter->asked;
my @secret = (Authorization => 'Bearer secret', 'X-Api-Key' => 'secret',
    'api-key' => 'secret', 'X-Goog-Api-Key' => 'secret', Cookie => 'a=secret',
    'Proxy-Authorization' => 'secret', 'X-Other' => 'secret',
    'If-None-Match' => '"secret"', 'If-Modified-Since' =>
    'Thu, 01 Jan 2026 00:00:00 GMT', 'If-Range' => '"x"', Range => 'bytes=0-1',
    'Accept-Encoding' => 'gzip', 'X-Request-ID' => 'kept', 'Traceparent' =>
    '00-kept');
for (['POST', '/jpeg/chat/completions', 'artifact:tiff', '/jpeg'],
     ['POST', '/asks/chat/completions', 'artifact:tiff', '/jpeg/stored'],
     ['POST', '/jpeg/chat/completions', 'own', '/jpeg'],
     ['POST', '/asks/chat/completions', 'own', '/jpeg/stored'],
     ['POST', '/small/chat/completions', 'artifact:tiff', '/jpeg'],
     ['POST', '/small/chat/completions', 'own', '/jpeg'],
     ['POST', '/http11/chat/completions', 'artifact:tiff', '/jpeg/stored'],
     ['POST', '/http11/chat/completions', 'own', '/jpeg/stored'],
     ['POST', '/streamed/chat/completions', 'artifact:tiff', '/jpeg/stored'],
     ['POST', '/streamed/chat/completions', 'own', '/jpeg/stored'],
     ['GET', '/asks-id/chat/completions', 'artifact:tiff', '/jpeg/stored'])
{
    my ($method, $uri, $source, $path) = @$_;
    my $name = "$method for $uri, $source";
    my $part = $source eq 'own'
        ? inline_part('openai', 'image', 'image/tiff', $content{tiff}[0])
        : slot('openai', 'image', $source);

    my $res = ask("$uri?key=secret", body_of('openai', 'sees', $part), @secret);
    is($res->{status}, 200, "$name: 200");
    my ($asked, @more) = $converter->asked;
    is(scalar @more, 0, "$name: once");
    is($asked && "$asked->{method} $asked->{uri}", "$method $path", $name)
        or next;

    my $headers = join "\n", @{ $asked->{headers} };
    unlike($headers, qr/secret/, "$name: no keys, no cookies");
    unlike($headers, qr/^(?:If-|Range|Accept-Encoding|Transfer-|Expect)/mi,
           "$name: no conditions");
    like($headers, qr/^X-Request-ID: kept$/mi, "$name: what tells who asks");
    like($headers, qr/^Traceparent: 00-kept$/mi, "$name: as part of what");

    if ($method eq 'POST') {
        is($asked->{sha}, sha256_hex($content{tiff}[0]), "$name: the bytes");
        my $length = length $content{tiff}[0];
        like($headers, qr/^Content-Length: $length$/mi, "$name: their length");
        like($headers, qr/^Content-Type: image\/tiff$/mi, "$name: their type");
    } else {
        is($asked->{length}, 0, "$name: no bytes");
        unlike($headers, qr/^Content-(?:Type|Length: [1-9])/mi,
               "$name: nothing of the body of the request");
    }
}

# large ones, of whatever is spooled

my $large = tiff_of(9, 9, 'x' x 3_000_000);
$t->artifact('large', $large, { type => 'image/tiff', name => 'l.tiff' });

for my $uri (qw(/jpeg /asks /small /http11 /streamed)) {
    for my $part (slot('openai', 'image', 'artifact:large'),
                  inline_part('openai', 'image', 'image/tiff', $large))
    {
        my $name = "$uri, 3 MB, " . ($part =~ /artifact:/ ? 'a file' : 'own');
        my $res = ask("$uri/chat/completions",
                      body_of('openai', 'sees', $part));
        my ($asked, @more) = $converter->asked;
        is($asked && "$asked->{length} $asked->{sha}", length($large) . ' '
           . sha256_hex($large), "$name: all bytes");
        is(scalar @more, 0, "$name: once");
        my ($got) = media_in(json_of($res));
        ok($got && $got->{bytes} eq converted('jpeg', $large),
           "$name: what was made of them");
    }
}

# to the last byte, whatever remains of a group of base64, in every API and of
# every source

for my $more (0 .. 3) {
    my $bytes = $content{tiff}[0] . 'z' x $more;
    my $sha = sha256_hex($bytes);
    for my $api (apis()) {
        ask(uri_of($api, 'sees'), body_of($api, 'sees',
            inline_part($api, 'image', 'image/tiff', $bytes)));
        is(join(' ', map { $_->{sha} } $converter->asked), $sha,
           "$api: $more more bytes");
    }
    ask('/stored-source/chat/completions', body_of('openai', 'sees',
        slot('openai', 'image', "artifact:more$more")));
    is(join(' ', map { $_->{sha} } $converter->asked), $sha,
       "of a proxied source: $more more bytes");
}

# each has its own length and type, also at the same time

my @mixed = (['image/tiff', tiff_of(9, 9, 'y' x 500)], ['image/bmp', bmp()],
             ['image/heic', heic()], ['image/avif', avif(9, 9, 'z' x 9000)],
             ['image/tiff', tiff_of(9, 9, 'y' x 20_000)]);
my $res = ask('/jpeg/chat/completions', body_of('openai', 'sees',
    map { inline_part('openai', 'image', @$_) } @mixed));
is($res->{status}, 200, 'five at once');
my %told;
for my $asked ($converter->asked) {
    my $headers = join "\n", @{ $asked->{headers} };
    my ($length) = $headers =~ /^Content-Length: (\d+)/mi;
    my ($type) = $headers =~ /^Content-Type: (\S+)/mi;
    $told{$asked->{sha}} = "$length $type";
}
is_deeply(\%told, { map { sha256_hex($_->[1]) => length($_->[1]) . " $_->[0]" }
                    @mixed }, 'each with its own length and type');
ok((join '', map { $_->{bytes} } media_in(json_of($res)))
   eq (join '', map { converted('jpeg', $_->[1]) } @mixed), 'in their order');

# variables are the request's

ask('/args/chat/completions?to=abc', body_of('openai', 'sees',
    slot('openai', 'image', 'artifact:tiff')));
is(join(' ', map { $_->{uri} } $converter->asked), '/jpeg/abc',
   'a variable in the URI');

$_->stop for $converter, $echo, $store;
$t->finish;
