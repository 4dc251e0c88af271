#!/usr/bin/perl

# What "artifact_offload_text" takes, and what it needs.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactTest;

my $t = ArtifactTest->new;
my $root = 'artifact_root /r;';

my @cases = (
    ['off', ''], ['16k', ''], ['1m', ''], ['1024 head=0 tail=0', ''],
    ['1k head=200 tail=56', ''], ['12k', ''], ['16k head=3k tail=1k', ''],
    ['1m head=128k tail=128k always', ''], ['16k always', ''],
    ['$http_x', ''], ['$http_x head=1k tail=0 always', ''],
    ['1023', 'size from 1k to 1m'], ['1025k', 'size from 1k to 1m'],
    ['0', 'size from 1k to 1m'], ['on', 'size from 1k to 1m'],
    ['16k head=4k', 'four times'], ['16k tail=2049', 'four times'],
    ['11k', 'four times'], ['1k head=0', 'four times'],
    ['$http_x head=200k tail=100k', 'a quarter'],
    ['16k head=x', 'invalid parameter'], ['16k head=', 'invalid parameter'],
    ['16k sometimes', 'invalid parameter'], ['off always', 'nothing besides'],
);

for my $case (@cases) {
    my ($args, $why) = @$case;
    my ($status, $text) = $t->conf_test(server =>
        "location /mcp { artifact_offload_text $args; $root }");
    is($status == 0 ? '' : 'refused', $why ? 'refused' : '', "takes $args")
        or diag($text);
    like($text, qr/\[emerg\].*\Q$why\E/, "$args: why") if $why;
}

my @places = (
    ['location / { artifact_offload_text 16k; }', 0],
    ['artifact_offload_text 16k; location / { }', 0],
    ["artifact_offload_text 16k; $root location / { }", 1],
    ["location / { artifact_offload_text \$a; set \$a 16k; }", 0],
    ['artifact_offload_text 16k; location / { artifact_offload_text off; }', 1],
    ['location / { artifact_offload_text off; }', 1],
);

for my $place (@places) {
    my ($conf, $good) = @$place;
    my ($status, $text) = $t->conf_test(server => $conf);
    is($status == 0 ? 1 : 0, $good, $conf) or diag($text);
    like($text, qr/"artifact_offload_text" in location "\/" requires "artifact_root"/,
         "$conf: a root is missing") if !$good;
}

my ($status, $text) = $t->conf_test(server => <<"SERVER");
    location /mcp {
        artifact_offload_text 16k;
        artifact_root %%PREFIX%%/none;
        proxy_pass http://127.0.0.1:1;
    }
SERVER
is($status, 0, 'a root that is not there');
like($text, qr/\[warn\].*"artifact_root": stat\(\)/, 'is warned about');
like($text, qr/\[warn\].*"artifact_offload_text": location "\/mcp" passes requests on without "proxy_ignore_headers X-Accel-Redirect"/,
     'and what somebody else could do');

done_testing();
