#!/usr/bin/perl

# The echo module: handlers and filters that mix output of their own with that
# of subrequests, in the order in which they make it.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactModules;
use ArtifactTest;
use Compress::Zlib qw(memGunzip);

my $others = other_modules('echo');
plan(skip_all => 'no echo module') unless $others;

my $png = png(40, 40);
my $ALL = 'text, vision, file';
my $mixed = <<'SERVER';
        default_type text/plain;
        echo "before";
        %%LOCATION%% /artifacts/short;
        echo "after";
SERVER
my %how = map { $_ => $mixed =~ s/%%LOCATION%%/$_/r }
    qw(echo_location echo_location_async);
my $locations = join '', map { <<"CONF" } sort keys %how;
    location = /$_ {
        $how{$_}
    }
    location = /trusting-$_ {
        artifact_verify off;
        $how{$_}
    }
CONF

for my $order ('first', 'main') {
    my $t = ArtifactTest->new;
    $t->artifact('png', $png, { type => 'image/png' });
    $t->artifact('short', 'x', { type => 'text/plain' });

    $t->start($order => $others, server => <<"SERVER");
    artifact_root %%DATA%%;
    artifact_route on;

    location /artifacts/ {
        artifact;
    }
    location = /echo {
        default_type text/plain;
        echo -n "one ";
        echo_flush;
        echo_sleep 0.05;
        echo "two";
    }
    location = /flushed {
        artifact_verify off;
        default_type text/plain;
        gzip on;
        gzip_types application/json;
        gzip_min_length 1;
        echo -n "one ";
        echo_flush;
        echo -n "two ";
        echo_sleep 0.01;
        echo -n "three ";
        echo_sleep 0.01;
        echo "four";
    }
    location /around/ {
        artifact;
        echo_before_body "before";
        echo_after_body "after";
    }
    $locations
SERVER

    is(json_of($t->accept('text', '/echo'))->{content}, "one two\n",
       "$order: echo");

    # gzip marks each flush by an empty block

    my $zipped = $t->accept('text', '/flushed', 'Accept-Encoding' => 'gzip');
    is(decode_strict(memGunzip($zipped->body))->{content}, "one two three four\n",
       'echo_flush, compressed');
    is(scalar(() = $zipped->body =~ /\0\0\xff\xff/g), 1, 'flushed once');

    is(json_of($t->accept('text', '/around/short'))->{content},
       "before\nxafter\n", 'echo_before_body, echo_after_body');
    is(routing_of($t->accept('text', '/around/png')),
       'image text image/png capability', 'around a description');

    for my $name (sort keys %how) {
        my $want = $t->get("/$name")->body;
        is($want =~ tr/\n//d, 2, "$order: $name, raw");
        my $res = $t->accept('text', "/trusting-$name");
        is(json_of($res)->{content} =~ s/\n//gr, $want,
           'routed, where nothing waits');

        $res = $t->accept($ALL, "/$name");
        is(json_of($res)->{content} =~ s/\n//gr, $want,
           'where the first bytes are waited for, the same');
    }
    ok(data_of($t->accept($ALL, '/artifacts/png')) eq $png, 'all goes on');

    $t->stop;
    $t->check_log;
}

done_testing();
