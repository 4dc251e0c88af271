#!/usr/bin/perl

# A cache in front of a store whose key has the artifact and not the tenant: one
# gets what is another's.  The error log says so, and says nothing of right keys.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactTest;
use ArtifactUpstream;

my $t = ArtifactTest->new;
my $dir = $t->prefix;

my $store = ArtifactUpstream->new("$dir/store", contents => {
    map { my $who = $_;
          map { ("$who/artifacts/$_" => { body => "$_ of $who",
                                          type => 'text/plain' }) }
              qw(a b c) } qw(acme globex) });

my %key = (wrong => '$artifact_key', right => '$http_x_tenant/$artifact_key',
           host => '$artifact_key$http_x_tenant', uri => '$request_uri',
           bucket => '$artifact_key');

mkdir "$dir/$_" or die "mkdir: $!" for keys %key;

my $pass = "proxy_pass http://unix:$dir/store:";

$t->start(http => join("\n", map {
    "proxy_cache_path %%PREFIX%%/$_ keys_zone=$_:1m;" } sort keys %key),
    server => join "\n", 'proxy_cache_valid 200 10m; proxy_cache_lock on;',
    (map { "location /$_/ { artifact_decode on; proxy_cache $_; "
           . "proxy_cache_key $key{$_}; "
           . "$pass/\$http_x_tenant/\$artifact_key; }" }
         qw(wrong right host uri)),
    map { "location /$_/ { artifact_decode on; proxy_cache bucket; "
          . "proxy_cache_key $key{bucket}; $pass/$_/\$artifact_key; }" }
        qw(acme globex));

my $line = qr/key of the cache in location/;

sub of {
    my ($uri, $tenant) = @_;
    return $t->get($uri, 'X-Tenant' => $tenant)->{body};
}

for my $name (qw(right host)) {
    is(of("/$name/$_->[0]", $_->[1]), "$_->[0] of $_->[1]", "$name: its own")
        for map { my $id = $_; map { [$id, $_] } qw(acme globex acme) } qw(a b);
}

is(of('/uri/a', 'acme'), 'a of acme', 'a key without the artifact');
is(of('/wrong/a', 'acme'), 'a of acme', 'one tenant, a miss');
is(of('/wrong/b', 'acme'), 'b of acme', 'another artifact');
is(of('/acme/a', ''), 'a of acme', 'one bucket');
unlike($t->log, $line, 'nothing in the log so far');

is(of('/wrong/a', 'globex'), 'a of acme', 'another tenant gets what is not its');
is(of('/wrong/c', 'globex'), 'c of globex', 'and is asked for from the store');
like($t->log, qr{\[error\].*$line "/wrong/" is the same for "/globex/artif},
     'the log has it');

is(of('/globex/b', ''), 'b of globex', 'another bucket in one cache');
like($t->log, qr{$line "/globex/" is the same for}, 'the log has it, too');

$store->stop;
$t->finish;
