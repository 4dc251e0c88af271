#!/usr/bin/perl

# Files of which another machine makes new versions while they are opened: they
# are there all the time.  Where the storage cannot be reached, no answer looks
# as if they were not.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactTest;
use ArtifactWrite;
use File::Temp qw(tempdir);

my $dir = tempdir(CLEANUP => 1);
my $library = "$dir/fail-open.so";

is(system($ENV{CC} || 'cc', '-O1', '-Wall', '-shared', '-fPIC', '-o',
          $library, "$FindBin::Bin/../tools/fail-open.c", '-ldl'), 0,
   'the library compiles') or BAIL_OUT('no C compiler');

$ENV{ASAN_OPTIONS} = join ':', $ENV{ASAN_OPTIONS} // (),
    'detect_odr_violation=0', 'verify_asan_link_order=0';

my $t = ArtifactTest->new(launcher => ['env', "LD_PRELOAD=$library"]);
$t->allow(qr/\[crit\] .* open\(\) "\S+" failed \(107: /);
$t->allow(qr/\[crit\] .* open\(\) "\S+" failed \(24: /);

my @KINDS = qw(plain replaced stale dropped);

mkdir $_ or die $! for $t->data . '/many', $t->data . '/many/artifacts';

for my $kind (@KINDS) {
    $t->artifact("$kind-a", "content of $kind", { type => 'text/x-art' },
                 '.txt');
    $t->workspace_file("$kind-ws", "$kind-f", "file of $kind");
    $t->workspace_meta("$kind-ws", { "$kind-f" => {
        mimeType => 'text/x-art', modifiedBy => [{ messageId => "of $kind" }],
    } });
    $t->workspace_file('all', "$kind-f", '');
}

$t->workspace_file('some', $_, '') for qw(a lost-b c);
$t->artifact('x', 'content', { type => 'text/plain' }, '.txt');
$t->artifact('lost-y', 'content', { type => 'text/plain' }, '.txt');

$t->workspace_file('open', $_, '') for qw(a many-b c);
spew($t->data . "/many/artifacts/many-y.$_->[0]", $_->[1])
    for ['txt', 'content'], ['meta', '{"extension":".txt"}'];

$t->start(server => "artifact_index on;\n" . write_server()
    . 'location /many/ { artifact; artifact_root %%DATA%%/many; }');

# each some times: every other try fails

for my $kind (@KINDS) {
    my (%got, $want);
    for my $n (1 .. 3) {
        my $by_id = $t->get("/artifacts/$kind-a");
        my $by_path = $t->get("/workspaces/$kind-ws/$kind-f");
        my $meta = json_of($t->get('/artifacts/'
            . ws_id("$kind-ws", "$kind-f") . '/metadata'));

        $got{ join '; ', (map {
            join ' ', $_->{status}, $_->header('Content-Type') // '', $_->body
        } $by_id, $by_path), $meta->{meta}{modifiedBy}[0]{messageId} // '' }++;
    }
    $want = "200 text/x-art content of $kind; 200 text/x-art file of $kind; "
        . "of $kind";
    is(join(' | ', sort keys %got), $want, "$kind: content and metadata");

    error_is($t->get("/workspaces/$kind-ws/$kind-none"), 404,
             'artifact_not_found', undef, "$kind: what is not there");
}

for my $n (1 .. 3) {
    my $list = json_of($t->get('/workspaces/all/'));
    is(join(' ', map { $_->{name} } @{ $list->{entries} }),
       join(' ', sort map { "$_-f" } @KINDS), 'all of a folder are listed');

    my $res = put($t, 'dropped-ws/dropped-f', "version $n", agent => 'a',
                  message => "m$n");
    is($res->{status}, 200, 'one is written');
}

# a page without what cannot be looked at would be a wrong one

error_is($t->get('/workspaces/some/lost-b'), 502, 'read_failed', undef,
         'a file whose storage is gone');
error_is($t->get('/workspaces/some/'), 502, 'read_failed', undef,
         'a listing of its folder');
error_is($t->get('/artifacts/'), 502, 'read_failed', undef,
         'a listing of artifacts');
error_is($t->get('/workspaces/open/'), 500, 'read_failed', undef,
         'a listing without descriptors');
error_is($t->get('/many/'), 500, 'read_failed', undef,
         'a listing of artifacts without');

$t->finish;
