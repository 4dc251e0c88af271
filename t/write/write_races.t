#!/usr/bin/perl

# What others do in between: a cleaner that comes before a file on its way is
# locked, a program that replaces metadata while they are folded.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFail;
use ArtifactTest;
use ArtifactWrite;
use Time::HiRes qw(sleep time);

# --- files on their way ---------------------------------------------------

# What is removed before it is locked is nobody's: another one is begun.

my $fail = ArtifactFail->new;
my $t = ArtifactTest->new(launcher => $fail->launcher);
$t->start(server => write_server());

for my $at (qw(/workspaces/ /inline/)) {
    my $ws = $at =~ /inline/ ? 'i' : 'w';
    $fail->rules('lock 1 ' . ($ws eq 'w' ? 3 : 6) . ' .artifact/tmp-');
    is(put($t, "$ws/f", 'x', at => $at, agent => 'a')->{status}, 201,
       "$at: files that were removed");
    is(slurp($t->data . "/workspaces/$ws/f"), 'x', "$at: the content");
    ok(entry_when($t, "$ws/f", sub { 1 }, 5), "$at: the metadata");
    $fail->rules;
}
$fail->rules('lock 1 8 .artifact/tmp-');
my $res = post($t, 'name=x', 'x');
is($res->{status}, 201, 'an artifact');
is($t->get($res->header('Location'))->body, 'x', 'an artifact: the content');
$fail->rules('lock 1 1000 .artifact/tmp-');
is(put($t, 'w/f', 'y')->{status}, 500, 'always: an error');
is(slurp($t->data . '/workspaces/w/f'), 'x', 'always: nothing changed');
$fail->rules;
$t->allow(qr/\[crit\]/);
$t->stop;
$t->check_log;

# --- another writer of the metadata ---------------------------------------

# The fold stands still in the midst of it; what others write then counts.

my $f = ArtifactTest->new;
my $dir = $f->data . '/workspaces';
my $entry = '{"mimeType":"text/x-old","modifiedBy":[]}';
my $text = join ",\n", map { "\"dir/file-$_\":$entry" } 1 .. 200_000;
$f->start(server => write_server('artifact_sync off;'));

for my $change ('replaced', 'begun', 'removed') {
    my $doc = "$dir/$change.meta.json";
    spew($doc, "{\"files\":{$text}}") if $change ne 'begun';
    my $seen;
    for my $try (1 .. 10) {
        put($f, "$change/f", $try, at => '/inline/', agent => 'a');
        ($seen) = stopped($f) and last;
        until_true(sub { !-e "$dir/.artifact/$change.folding" }, 20);
    }
    SKIP: {
    skip 'a new document is too fast', 4 if !$seen && $change eq 'begun';

    ok($seen, "$change: in the midst of a fold");
    spew("$doc.new", "{\"other\":1,\"files\":{\"mine\":$entry}}");
    $change eq 'removed' ? unlink $doc : rename "$doc.new", $doc;
    kill CONT => $f->workers;
    ok(entry_when($f, "$change/f", sub { 1 }, 20), "$change: it is done");
    my $meta = disk_meta($f, $change);
    is($meta->{other}, $change eq 'removed' ? undef : 1,
       "$change: what another has written stays");
    is(join(' ', sort keys %{ $meta->{files} }),
       $change eq 'removed' ? 'f' : 'f mine', "$change: all of it");
    }
}

# Stops the worker while a new document is on its way.

sub stopped {
    my ($f) = @_;
    my ($worker) = $f->workers;
    for (my $end = time + 2; time < $end; sleep 0.0005) {
        my @temp = grep { -s } glob "$dir/.artifact/tmp-*";
        next unless @temp;
        kill STOP => $worker;
        until_true(sub { slurp("/proc/$worker/stat") =~ /\) T / }, 5);
        return 1 if grep { -e } @temp;
        kill CONT => $worker;
        return;
    }
    return;
}

$f->finish;
