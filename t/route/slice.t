#!/usr/bin/perl

# Large objects fetched and cached in slices: routed they are whole, raw they
# still have ranges.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;

my $t = ArtifactTest->new;

rand_seed(7);
my $block = rand_bytes(64 << 10);
my %file = (
    'big.png' => png() . join('', map { $_ . $block } 'a' .. 'z', 0 .. 21),
    'exact.pdf' => pdf() . "\0" x ((1 << 20) - length pdf()),
    'long.txt' => bytes("第一行 \"quoted\" \\\n" x 100_000),
    'small.png' => png(),
    'empty.txt' => '',
    'short.txt' => bytes("第一行 of a few\n" x 180),
);
mkdir $t->prefix . '/store' or die "mkdir: $!";
spew($t->prefix . "/store/$_", $file{$_}) for keys %file;

my $locations = join '', map {
    my ($name, $conf, $slice) = @$_;
    $slice ||= '512k';
    "location /$name/ {
        slice $slice;
        proxy_cache c;
        proxy_cache_key $name\$uri\$slice_range;
        proxy_set_header Range \$slice_range;
        proxy_set_header If-Range '';
        proxy_set_header If-None-Match '';
        proxy_set_header If-Modified-Since '';
        proxy_set_header If-Match '';
        proxy_set_header If-Unmodified-Since '';
        proxy_cache_valid 200 206 1m;
        proxy_pass http://back/;
        $conf
    }\n"
} ['s', ''], ['raw', 'artifact_route off;'],
  ['odd', 'sendfile on; output_buffers 1 512;', 70_001],
  ['decode', 'artifact_decode on;'],
  ['short', '', '1k'],
  ['unverified', 'artifact_verify off;'],
  ['derived', 'artifact_derive image text/plain /words;'],
  ['gzip', 'gzip on; gzip_types application/json;'];

$t->start(http => <<'HTTP', server => <<"SERVER");
    artifact_route on;
    upstream back {
        server unix:%%PREFIX%%/back.sock;
    }
    proxy_cache_path %%PREFIX%%/cache keys_zone=c:1m;
    server {
        listen unix:%%PREFIX%%/back.sock;
        artifact_route off;
        location / {
            root %%PREFIX%%/store;
            types {
                image/png        png;
                application/pdf  pdf;
                text/plain       txt;
            }
            access_log %%PREFIX%%/asked.log;
        }
    }
HTTP
    $locations
    location /words {
        default_type text/plain;
        return 200 'words';
    }
SERVER

sub asked {
    my $log = $t->prefix . '/asked.log';
    return scalar grep { length } split /\n/, slurp($log);
}

# slices that are shorter than the first bytes that decide

for my $name ('small.png', 'short.txt') {
    for my $n (1, 2) {
        my $res = $t->accept('vision, file', "/short/$name");
        ok($name =~ /txt/ ? json_of($res)->{content} eq chars($file{$name})
                          : data_of($res) eq $file{$name},
           "$name in short slices");
    }
}

for my $mode ('s', 'odd', 'decode', 'unverified', 'gzip') {
    for my $name (sort keys %file) {
        my $uri = "/$mode/$name";
        my $before = asked();
        my $res = $t->accept('vision, file', $uri);
        is(route_problems($res), '', "$uri is well-formed");
        ok($name =~ /txt/ ? json_of($res)->{content} eq chars($file{$name})
                          : data_of($res) eq $file{$name}, 'and whole');
        is(json_of($res)->{metadata}{size}, length $file{$name},
           'of the right size');
        if ($name !~ /txt/) {
            is($res->header('Content-Length'), length $res->body,
               'which was announced');
        }
        my $slices = asked() - $before;
        cmp_ok($slices, '>', 3, 'it came in slices')
            if $mode ne 'unverified' && $name eq 'big.png';

        my $again = $t->accept('vision, file', $uri);
        ok($again->body eq $res->body, 'the same from the cache');
        is(asked() - $before, $slices, 'without a request') if length
            $file{$name};

        my $described = $t->accept('text', $uri);
        is(route_problems($described), '', 'and for another reader');
        my $etag = $again->header('ETag');
        is($t->accept('vision, file', $uri, 'If-None-Match' => $etag)
           ->{status}, 304, 'If-None-Match');
        is($t->accept('vision, file', $uri, 'If-Match' => '"x"')->{status},
           412, 'If-Match');

        my $part = $t->accept('vision, file', $uri,
                              Range => 'bytes=600000-600009');
        ok($part->{complete} && $part->body eq $res->body,
           "$uri: a range is ignored")
            or diag("status $part->{status}, complete $part->{complete}, "
                    . length($part->body) . ' of ' . length $res->body);
    }
}

# raw bytes

for my $mode ('raw', 's', 'decode') {
    my $uri = "/$mode/big.png";
    my $res = $t->get($uri);
    ok($res->body eq $file{'big.png'}, "$uri, raw");
    for my $range ([0, 9], [524_280, 524_299], [600_000, 2_000_000],
                   [length($file{'big.png'}) - 5, length($file{'big.png'}) - 1])
    {
        my ($from, $to) = @$range;
        $res = $t->get($uri, Range => "bytes=$from-$to");
        is("$res->{status} " . $res->header('Content-Range'),
           "206 bytes $from-$to/" . length $file{'big.png'},
           "$uri, a range from $from");
        ok($res->body eq substr($file{'big.png'}, $from, $to - $from + 1),
           'the right bytes');
    }
    is($t->get($uri, Range => 'bytes=99999999-')->{status}, 416,
       'a range beyond the end');
}

my $head = $t->head('/s/big.png', 'X-LLM-Capabilities' => 'vision');
is("$head->{status} $head->{body}", '200 ', 'HEAD');
is($head->header('Content-Length'),
   length $t->accept('vision', '/s/big.png')->body, 'with the length of GET');

# the object changes between two slices: never half of one and half of another

spew($t->prefix . '/store/turn.png', $file{'big.png'});
is($t->get('/s/turn.png', Range => 'bytes=600000-600009')->{status}, 206,
   'the second slice is cached');
my $new = reverse $file{'big.png'};
substr($new, 0, 8) = "\x89PNG\r\n\x1a\n";
select undef, undef, undef, 0.02;
spew($t->prefix . '/store/turn.png', $new . 'x');
my $res = $t->req('GET', '/s/turn.png', may_break => 1,
                  headers => ['X-LLM-Capabilities' => 'vision']);
ok(!$res->{complete}, 'an object that changed between its slices');

# another form of what is sliced

my $words = json_of($t->accept('text', '/derived/big.png'));
like($words->{content} // '', qr/^[^\n]+\nwords\z/,
     'another form of an object in slices');
is(json_of($t->accept('text', '/derived/big.png'))->{content},
   $words->{content}, 'of those in a cache');

$t->finish;
