#!/usr/bin/perl

# What another form of a content costs once nginx's cache has it: processor time
# of a request through artifact_derive, compared with what nginx takes to serve
# that form from its cache; and the same where finished answers are in a cache in
# front, as docs/fit.md has it.
#
#     bench/derive.pl [seconds for each row]

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../t/lib";
use ArtifactBench;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;

my $SECONDS = shift // 6;
my $CONNECTIONS = 16;

# name, the form's bytes and type, capabilities of the reader, requests of a slice

my $jpeg = jpeg();
my @cases = (
    ['text 2 KB', 'some words ' x 186, 'text/plain', 'text', 500],
    ['text 64 KB', 'some words ' x 5958, 'text/plain', 'text', 200],
    ['JPEG 10 KB', $jpeg . 'x' x 10_000, 'image/jpeg', 'vision', 500],
    ['JPEG 100 KB', $jpeg . 'x' x 100_000, 'image/jpeg', 'vision', 200],
    ['JPEG 1 MB', $jpeg . 'x' x 1_000_000, 'image/jpeg', 'vision', 32],
);

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $up = ArtifactUpstream->new("$dir/up", contents => {
    map { $_ => { body => $cases[$_][1], type => $cases[$_][2],
                  headers => ['ETag: "one"'] } } 0 .. $#cases });

$t->artifact('shot', png(16, 16) . 'x' x 3_000_000,
             { type => 'image/png', name => 'a.png' });

open my $conf, '>', "$dir/derived" or die "$dir/derived: $!\n";
print $conf <<"CONVERT", map { <<"CASE" } 0 .. $#cases;
location /convert/ {
    proxy_pass http://unix:$dir/up:/;
    proxy_cache cache;
    proxy_cache_key \$artifact_version\$uri;
    proxy_cache_methods GET POST;
    proxy_cache_valid 1h;
}
CONVERT
location /derived-$_/ {
    artifact;
    artifact_route on;
    artifact_derive image $cases[$_][2] /convert/$_ body;
}
CASE
close $conf or die "$dir/derived: $!\n";

$t->start(http => <<'HTTP', server => <<"SERVER");
    proxy_cache_path %%PREFIX%%/cache keys_zone=cache:1m;
    proxy_cache_path %%PREFIX%%/answers keys_zone=answers:1m;
    artifact_root %%DATA%%;
    artifact_inline_max 2m;
    access_log off;
    open_file_cache max=100;

    server {
        listen unix:%%PREFIX%%/artifacts;
        include %%PREFIX%%/derived;
    }
HTTP
    keepalive_requests 100000000;

    location /form/ {
        proxy_pass http://unix:$dir/up:/;
        proxy_cache cache;
        proxy_cache_key \$uri;
        proxy_cache_valid 1h;
    }
    location /kept/ {
        proxy_pass http://unix:$dir/artifacts:/;
        proxy_cache answers;
        proxy_cache_valid 200 1h;
    }
    include $dir/derived;
SERVER

my ($worker) = $t->workers;
system("taskset -cp 0 $worker > /dev/null") == 0 or die "taskset failed\n";
pin_client();

# Answers are kept with the original when the files of the cache are two seconds
# old.

for my $i (0 .. $#cases) {
    my (undef, undef, undef, $caps) = @{ $cases[$i] };

    slice({}, $t->port, "/derived-$i/shot", "X-LLM-Capabilities: $caps\r\n",
          2, 1);
}

sleep 3;

sub cost {
    my ($state, $uri, $headers, $n) = @_;

    my $before = cpu_time($worker);
    slice($state, $t->port, $uri, $headers, $n, $n < 100 ? 2 : $CONNECTIONS);
    return (cpu_time($worker) - $before) / $n;
}

printf "%-16s %12s %12s %12s %8s %8s\n", 'cached form', 'us, derived',
    'us, kept', 'us, cache', 'derived', 'kept';

for my $i (0 .. $#cases) {
    my ($name, undef, undef, $caps, $n) = @{ $cases[$i] };
    my $headers = "X-LLM-Capabilities: $caps\r\n";
    my (@plain, @row, @ratios);

    for my $uri ("/derived-$i/shot", "/kept/derived-$i/shot") {
        my @states = ({}, {});
        my @costs;

        push @ratios, compare($SECONDS, sub {
            push @plain, cost($states[0], "/form/$i", '', $n);
            return $plain[-1];
        }, sub {
            push @costs, cost($states[1], $uri, $headers, $n);
            return $costs[-1];
        });

        push @row, median(@costs) * 1e6;
    }

    printf "%-16s %12.1f %12.1f %12.1f %8.2f %8.2f\n", $name, @row,
        median(@plain) * 1e6, @ratios;
}

printf "conversions asked for: %d\n",
    scalar(grep { /POST|GET/ } $up->requests) - @cases;

$up->stop;
$t->stop;
