#!/usr/bin/perl

# What is acknowledged is on the disk, also what others have made or are about
# to: the calls that sync, in their order.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFail;
use ArtifactTest;
use ArtifactWrite;
use Time::HiRes qw(sleep);

my $fail = ArtifactFail->new;
my $t = ArtifactTest->new(launcher => $fail->launcher);
my $dir = $t->data . '/workspaces';

$t->start(server => write_server());

# The calls during a request as one text, a line each; paths from the data on,
# files on their way without their names.

sub calls {
    my ($code) = @_;
    my $data = $t->data;
    return join '', map {
        my ($call, $path) = @$_;
        $path =~ s/\A\Q$data\E//;
        $path =~ s/tmp-.*/tmp/;
        "$call $path\n";
    } $fail->calls($code);
}

# The calls are there, in this order.

sub ordered {
    my ($calls, $name, @want) = @_;
    my $re = join '.*', map { quotemeta "$_\n" } @want;
    like($calls, qr/^$re/ms, $name);
}

for my $at (qw(/workspaces/ /inline/)) {
    my $ws = $at =~ /inline/ ? 'i' : 'w';
    my $first = calls(sub {
        is(put($t, "$ws/a/b/f", 'x', at => $at)->{status}, 201, "$at: PUT");
    });
    ordered($first, "$at: the content before its name", 'sync /workspaces/'
            . '.artifact/tmp', "rename /workspaces/$ws/a/b/f");
    ordered($first, "$at: then its folder", "rename /workspaces/$ws/a/b/f",
            "sync /workspaces/$ws/a/b");
    ordered($first, "$at: and the record", "rename /workspaces/$ws/a/b/f",
            "sync /workspaces/.artifact/$ws.journal");
    ordered($first, "$at: the folders that were made", 'sync /workspaces',
            "sync /workspaces/$ws", "sync /workspaces/$ws/a",
            "rename /workspaces/$ws/a/b/f");

    my $second = calls(sub {
        put($t, "$ws/a/b/f", 'y', at => $at);
        put($t, "$ws/a/b/g", 'y', at => $at);
    });

    # a fold of what was written before may sync /workspaces

    unlike($second, qr{^sync /workspaces/$ws(?:/a)?$}m, "$at: not again");
    is(scalar(() = $second =~ m{^sync /workspaces/$ws/a/b$}mg), 2,
       "$at: but for its own folder");

    # of a folder that is there nobody knows whether its maker is done

    for my $path ("other-$ws/f", "$ws/other/f", "$ws/a/b/c/f") {
        my ($folder) = $path =~ m{(.*)/};
        my ($parent) = "/$folder" =~ m{(.*)/};
        mkdir "$dir/$folder" or die "mkdir: $!";
        ordered(calls(sub { put($t, $path, 'x', at => $at) }),
                "$at: $folder, which another has made",
                "sync /workspaces$parent", "rename /workspaces/$path",
                "sync /workspaces/$folder");
    }

    # one that takes the number of another is another

    for my $n (1 .. 5) {
        mkdir "$dir/$ws/again" or die "mkdir: $!";
        ordered(calls(sub { put($t, "$ws/again/f", 'x', at => $at) }),
                "$at: a folder that is another one", "sync /workspaces/$ws",
                "rename /workspaces/$ws/again/f");
        unlink "$dir/$ws/again/f" or die "unlink: $!";
        rmdir "$dir/$ws/again" or die "rmdir: $!";
    }

    ordered(calls(sub { remove($t, "$ws/a/b/f", at => $at) }),
            "$at: DELETE", "unlink /workspaces/$ws/a/b/f",
            "sync /workspaces/$ws/a/b");
}

# The module's own folder, and that of artifacts.

my $other = $t->data . '/fresh';
mkdir $_ or die "mkdir: $!" for $other, "$other/workspaces",
    "$other/workspaces/.artifact", "$other/artifacts";
$t->reload(server => write_server() =~ s/%%DATA%%/%%DATA%%\/fresh/r);
my $calls = calls(sub {
    is(put($t, 'w/f', 'x')->{status}, 201, 'a root that others have made');
    is(post($t, 'name=x', 'x')->{status}, 201, 'its artifacts');
});
ordered($calls, 'its folders for workspaces', 'sync /fresh',
        'sync /fresh/workspaces', 'rename /fresh/workspaces/w/f');
ordered($calls, 'and for artifacts', 'sync /fresh', 'sync /fresh/artifacts',
        'sync /fresh/artifacts/.artifact/tmp');
like($calls, qr{^rename\ /fresh/artifacts/\S+\.txt\n
                (?:.*\n)*?sync\ /fresh/artifacts\n}mx, 'a new artifact');

$t->finish;
