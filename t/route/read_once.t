#!/usr/bin/perl

# What a content is, that it can be read, and that it has its end is looked at
# once: another answer that does not hold its bytes costs no read.  In the shared zone only what has
# not changed for some time is known, with a content that stays open all is.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use File::Temp qw(tempdir);
use Time::HiRes qw(sleep);

my $tools = tempdir(CLEANUP => 1);
my $library = "$tools/count-calls.so";
my $cc = $ENV{CC} || 'cc';

is(system($cc, '-O1', '-Wall', '-shared', '-fPIC', '-o', $library,
          "$FindBin::Bin/../tools/count-calls.c", '-ldl'), 0,
   'the library compiles') or BAIL_OUT('no C compiler');

$ENV{ASAN_OPTIONS} = join ':', $ENV{ASAN_OPTIONS} // (),
    'detect_odr_violation=0', 'verify_asan_link_order=0';

spew("$tools/count", "\0" x 16);

my $t = ArtifactTest->new(launcher => ['env', "LD_PRELOAD=$library",
                                       "COUNT_CALLS=$tools/count"]);

for my $id (qw(old new ahead)) {
    $t->artifact($id, png(30, 30), undef, '.png');
    $t->artifact("$id-text", "some text\n" x 100, undef, '.txt');
}

$t->artifact('cut', substr(png(30, 30), 0, -1), undef, '.png');

utime 1_999_999_999, 1_999_999_999, $t->data . '/artifacts/ahead.png';

$t->start(server => <<'SERVER');
    artifact_root %%DATA%%;
    artifact_route on;
    artifact_format $arg_format;

    location /artifacts/ {
        artifact;
    }
    location /open/ {
        artifact;
        open_file_cache max=100 inactive=60s;
        open_file_cache_valid 60s;
    }
    location /trusting/ {
        artifact;
        artifact_verify off;
        open_file_cache max=100 inactive=60s;
        open_file_cache_valid 60s;
    }
SERVER

# The reads that a HEAD request costs, for a reader of nothing but text, or of
# something else.

sub reads {
    my ($uri, $caps) = @_;

    my @before = counted();
    my $res = $t->head($uri, 'X-LLM-Capabilities' => $caps // 'text');
    is($res->status, 200, "$uri: there");
    return (counted())[1] - $before[1];
}


sub counted {
    open my $in, '<:raw', "$tools/count" or die $!;
    read $in, my $n, 16;
    return unpack 'QQ', $n;
}


# one that has just been written

for my $id ('new', 'new-text') {
    cmp_ok(reads("/open/$id"), '>', 0, "$id, open: read");
    is(reads("/open/$id"), 0, 'once');
}
for my $id ('new', 'cut') {
    cmp_ok(reads("/open/$id?format=openai", 'text, vision'), '>', 0,
           "$id, open: its end, too");
    is(reads("/open/$id?format=openai", 'text, vision'), 0, 'once');
}
cmp_ok(reads('/trusting/new-text'), '>', 0, 'whether it can be read: tried');
is(reads('/trusting/new-text'), 0, 'once');

# and one whose times stand for one version of it

sleep 2.2;

cmp_ok(reads('/artifacts/old'), '>', 0, 'old: read');
is(reads('/artifacts/old'), 0, 'once');
is(reads('/open/old'), 0, 'and known to who keeps it open');
cmp_ok(reads('/artifacts/old?format=openai', 'text, vision'), '>', 1,
       'old: its end, too');
is(reads('/artifacts/old?format=openai', 'text, vision'), 1,
   'once, and whether it can be read now');

# those of a clock that was ahead are long past; what was done to the file now
# is not

cmp_ok(reads('/artifacts/ahead'), '>', 0, 'ahead: read');
is(reads('/artifacts/ahead'), 0, 'once');
utime 2_000_000_000, 2_000_000_000, $t->data . '/artifacts/ahead.png';
cmp_ok(reads('/artifacts/ahead'), '>', 0, 'ahead, changed: read')
    for 1, 2;

$t->finish;
