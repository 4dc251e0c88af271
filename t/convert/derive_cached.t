#!/usr/bin/perl

# Another form that a cache has, of all sizes around those of the buffers: the
# same bytes as the first time, with a length where all of it is known before
# the header, for clients of any speed; and one whose file was damaged.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;
use Compress::Zlib ();
use Time::HiRes qw(sleep);

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $line = "Content of a.png, converted from image/png:\n";

# as text, each line takes three bytes more

my @sizes = (1, 4095, 4096, 4097, 8192, 10_000, 20_000, 24_500, 24_576, 32_768,
             32_769, 36_865, 44_000, 48_600, 49_152, 57_344, 70_000, 300_000);
my %made;

for my $size (@sizes) {
    $made{"t$size"} = { type => 'text/plain',
        body => substr "say \"$size\"\n" x (1 + $size / 8), 0, $size };
    $made{"j$size"} = { type => 'image/jpeg',
        body => jpeg() . substr "\0\1\2\3$size" x (1 + $size / 4), 0, $size };
}

my $up = ArtifactUpstream->new("$dir/up", contents => {
    %made,
    page => { type => 'text/plain',
              body => "word\n" x 2000 . '<!--#include virtual="/inner/late" -->' },
    late => { type => 'text/plain', body => 'late' },
});

$t->artifact('shot', png(16, 16) . 'x' x 600_000,
             { type => 'image/png', name => 'a.png' });

$t->start(http => <<"HTTP", server => <<"SERVER" . join '', map { <<"CASE" } sort keys %made);
    proxy_cache_path $dir/cache keys_zone=cache:1m;
HTTP
    artifact_root %%DATA%%;
    artifact_route on;
    artifact_language en;
    artifact_inline_max 500k;

    location /convert/ {
        internal;
        proxy_pass http://unix:$dir/up:/;
        proxy_cache cache;
        proxy_cache_key \$artifact_version\$uri;
        proxy_cache_methods POST;
        proxy_cache_valid 1h;
    }

    location /including/ {
        internal;
        ssi on;
        ssi_types *;
        proxy_pass http://unix:$dir/up:/;
    }
    location /inner/ {
        internal;
        proxy_buffering off;
        proxy_pass http://unix:$dir/up:/;
    }
    location /page/ {
        artifact;
        artifact_text_max 50;
        artifact_derive image text/plain /including/page body;
    }
SERVER
    location /$_/ {
        artifact;
        artifact_derive image $made{$_}{type} /convert/$_ body;
    }
    location /gzip/$_/ {
        artifact;
        artifact_derive image $made{$_}{type} /convert/$_ body;
        gzip on;
        gzip_types *;
        gzip_min_length 1;
    }
CASE

sub content {
    my ($res) = @_;
    my $json = json_of($res) or return '';
    return $json->{imageUrl} ? $json->{imageUrl}{image_url}{url}
                             : $json->{content};
}

sub caps { return $_[0] =~ /^t/ ? 'text' : 'vision' }

for my $name (sort { substr($a, 1) <=> substr($b, 1) || $a cmp $b } keys %made) {
    my $body = $made{$name}{body};
    my $want = $name =~ /^t/ ? $line . $body
                             : 'data:image/jpeg;base64,' . b64($body);

    for my $when (qw(made cached), 'cached, again') {
        is(content($t->accept(caps($name), "/$name/shot")) eq $want, 1,
           "$name, $when");
    }

    my $res = $t->get("/$name/shot", 'X-LLM-Capabilities' => caps($name));
    header_is($res, 'Content-Length', length $res->body, "$name, its length")
        if $name =~ /^j/ || substr($name, 1) <= 24_500;

    my $zipped = $t->get("/gzip/$name/shot", 'Accept-Encoding' => 'gzip',
                         'X-LLM-Capabilities' => caps($name));
    is(Compress::Zlib::memGunzip($zipped->body) eq $res->body, 1,
       "$name in gzip");

    next if substr($name, 1) < 20_000;

    my $slow = $t->connect(rcvbuf => 2048);
    $slow->send("GET /$name/shot HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
                . 'X-LLM-Capabilities: ' . caps($name) . "\r\n\r\n");
    sleep 0.05;
    is($slow->response('GET')->body eq $res->body, 1, "$name, a slow client");
}

is(scalar(() = $up->requests), keys %made, 'each was made once');

# what comes after the end of the rendering does not take its place

is(content($t->accept('text', '/page/shot')), $line . "word\n" x 10,
   'an answer that includes another one, which is not read as far');

$up->stop;


# nothing was sent of what turns out to be too short

my ($file) = grep { slurp($_) =~ m{/convert/t20000\n} } glob "$dir/cache/*";
truncate $file, 15_000 or die "truncate: $!";

error_is($t->accept('text', '/t20000/shot'), 502, 'read_failed', 'shot',
         'a damaged file');
is(content($t->accept('text', '/t10000/shot')) eq $line . $made{t10000}{body},
   1, 'another one');

$t->allow(qr/artifact ended after|conversion "[^"]+" of an artifact failed/);
$t->finish;
