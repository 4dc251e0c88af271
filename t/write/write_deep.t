#!/usr/bin/perl

# Writing into deep folders takes two descriptors, not one for each of them.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactTest;
use ArtifactWrite;

my $t = ArtifactTest->new;
my $ws = $t->data . '/workspaces';

# nginx itself takes some 25

$t->start(main => 'worker_rlimit_nofile 64;', server => write_server(''));

my $deep = join '/', ('d') x 120;

is(put($t, "w/$deep/f", 'one')->{status}, 201, 'created with all its folders');
is(put($t, "w/$deep/f", 'two')->{status}, 200, 'replaced');
is($t->get("/workspaces/w/$deep/f")->body, 'two', 'read');
is($t->req('DELETE', "/workspaces/w/$deep/f")->{status}, 200, 'removed');

$t->stop;
done_testing();
