#!/usr/bin/perl

# Large values, many at once: what is offloaded costs a worker some buffers,
# whatever its size, and answers do not mix.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;
use ArtifactWrite qw(in_parallel left_behind);

my $t = ArtifactTest->new;

my %bytes = (
    large => png(40, 40) . rand_bytes(1_000_000) x 8,
    map { $_ => png(40, 40) . rand_bytes(100_000 + 1000 * $_) } 1 .. 8,
);
my %contents = map {
    ("$_/images/generations" => { type => 'application/json',
        body => '{"data":[{"b64_json":"' . b64($bytes{$_}) . '"}]}' })
} keys %bytes;

$contents{'bad/images/generations'} = { type => 'application/json',
    body => '{"data":[{"b64_json":"' . b64($bytes{large}) . '!"}],"x":"'
        . 'y' x 6_000_000 . '"}' };

my $up = ArtifactUpstream->new($t->prefix . '/up', contents => \%contents);
my $pass = 'proxy_pass http://unix:' . $t->prefix . '/up:/;';

$t->start(server => <<"SERVER");
    artifact_root %%DATA%%;
    proxy_buffers 4 16k;
    proxy_buffer_size 16k;
    proxy_busy_buffers_size 32k;

    location /artifacts/ {
        artifact;
    }
    location /inline/ {
        artifact_offload on;
        $pass
    }
    location /threads/ {
        artifact_offload on;
        aio threads;
        $pass
    }
    location /off/ {
        proxy_max_temp_file_size 0;
        $pass
    }
SERVER

my ($worker) = $t->workers;


# The content that an answer refers to.

sub content {
    my ($res) = @_;
    my ($id) = $res->{body} =~ m{\A\{"data":\[\{"url":"artifact:([^"]+)"\}\]\}\z}
        or return "no reference: $res->{status} " . substr $res->{body}, 0, 80;
    return $t->get("/artifacts/$id")->{body};
}


# the peak of one large value, over what nginx needs to pass it on

sub peak {
    open my $fh, '<', "/proc/$worker/status" or die "status: $!";
    my ($kb) = join('', <$fh>) =~ /^VmHWM:\s+(\d+) kB/m;
    return $kb;
}

$t->get("/$_/large/images/generations") for ('off') x 3;
content($t->get("/$_/1/images/generations")) for ('inline', 'threads') x 2;
my $before = peak();

for my $at (qw(/inline/ /threads/)) {
    ok(content($t->get("${at}large/images/generations?frame=chunked"))
       eq $bytes{large}, "$at: 11 MB of base64");
}
my $cost = peak() - $before;

SKIP: {
    skip 'a sanitizer has memory of its own', 1
        if $t->version =~ /-fsanitize/;
    cmp_ok($cost, '<=', 200, "KB of memory for 11 MB: $cost");
}

# many at once, of different sizes and at different speeds

my @right = in_parallel($t, 24, sub {
    my ($n) = @_;
    my $at = $n % 2 ? '/inline/' : '/threads/';
    my $name = 1 + $n % 8;
    my $step = 1000 + 977 * $n;
    my $res = $t->get("$at$name/images/generations?step=$step");
    return content($res) eq $bytes{$name} ? 1 : 0;
});
is(scalar(grep { $_ } @right), 24, 'each gets its own');

# a client that does not read for a while: what was put aside goes out again,
# and what passes, at its pace

for my $at (qw(/inline/ /threads/)) {
    for my $name ('bad', 'large') {
        my $client = $t->connect(timeout => 20);
        $client->send("GET ${at}$name/images/generations HTTP/1.1\r\n"
                      . "Host: x\r\nConnection: close\r\n\r\n");
        select undef, undef, undef, 0.7;
        my $res = $client->response('GET');
        ok($name eq 'bad' ? $res->{body} eq $contents{
               'bad/images/generations'}{body}
           : content($res) eq $bytes{large}, "$at$name: a slow client");
        $client->close;
    }
}

is(left_behind($t), '', 'nothing is left');

$up->stop;
$t->finish;
