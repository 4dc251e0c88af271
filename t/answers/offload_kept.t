#!/usr/bin/perl

# Answers that nginx keeps as well, in a cache or by proxy_store: what is kept
# is what the upstream sent, and each client gets references of its own; what
# artifact_extract takes out stays the same.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;
use ArtifactWrite qw(left_behind);

my $t = ArtifactTest->new;

my $image = b64(png(40, 40) . rand_bytes(200_000));

sub event {
    return qq(data: {"choices":[{"index":0,"delta":{$_[0]}}]}\n\n);
}

my $url = '"images":[{"type":"image_url","image_url":{"url":"%s"}}]';
my $item = '{"type":"text","content":"a"}';
my @words = map { event(qq("content":"word $_")) } 1 .. 500;
my $sent = join '', @words, event(sprintf $url, "data:image/png;base64,$image"),
    @words, event(qq("content":"<artifacts>[) . $item =~ s/"/\\"/gr
                  . qq(]</artifacts>")),
    event('') =~ s/\}\}\]/},"finish_reason":"stop"}]/r, "data: [DONE]\n\n";

my $up = ArtifactUpstream->new($t->prefix . '/up', contents => {
    'chat/completions' => { body => $sent, type => 'text/event-stream' },
});

my $pass = 'proxy_pass http://unix:' . $t->prefix . '/up:/;';
my $on = 'artifact_offload on; artifact_extract on; aio threads;';

$t->start(http => <<'HTTP', server => <<"SERVER");
    proxy_cache_path %%PREFIX%%/cache keys_zone=kept:1m;
HTTP
    artifact_root %%DATA%%;

    location /plain/ {
        $on
        $pass
    }
    location /cache/ {
        $on
        proxy_cache kept;
        proxy_cache_valid 1h;
        add_header X-Cache \$upstream_cache_status;
        $pass
    }
    location /store/ {
        $on
        proxy_store %%PREFIX%%/kept;
        $pass
    }
SERVER


# An answer, and the reference in it.

sub ask {
    my $res = $t->get("$_[0]chat/completions");
    (my $body = $res->{body}) =~ s/artifact:([0-9a-f-]{36})/artifact:/;
    return ($body, $1, $res->header('X-Cache'));
}

my ($want) = ask('/plain/');
ok($want =~ /"url":"artifact:"/, 'a reference');
ok($want =~ /"artifacts":\[\Q$item\E\]/, 'and what was declared');

my ($miss, $first, $said) = ask('/cache/');
is($said, 'MISS', 'an answer on its way to the cache');
ok($miss eq $want, 'is as any other');

(my $hit, my $second, $said) = ask('/cache/');
is($said, 'HIT', 'it is kept');
ok($hit eq $want, 'as it came');
is($second, $first, 'with the same reference');

my ($stored) = ask('/store/');
ok($stored eq $want, 'an answer on its way to proxy_store is as any other');
open my $fh, '<:raw', $t->prefix . '/kept';
ok($fh && do { local $/; <$fh> } eq $sent, 'what is kept is what came');

is(left_behind($t), '', 'nothing is left');

$up->stop;
$t->finish;
