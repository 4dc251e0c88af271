#!/usr/bin/perl

# A file that was uploaded with a time expires: it is in no list and is not
# retrieved, its content says why, and the upkeep leaves nothing of it.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFail;
use ArtifactFiles;
use ArtifactTest;
use ArtifactWrite qw(until_true);

my $fail = ArtifactFail->new;
my $t = ArtifactTest->new(workers => 1, launcher => $fail->launcher);
my $store = $t->data . '/artifacts';
my $own = "$store/.artifact";
my @anthropic = ('anthropic-version' => '2023-06-01');
my ($ahead, $later) = (0, 0);

$t->allow(qr/\[notice\].*clock was set/);
$t->start(server => files_server(<<'SERVER'));
    location /cached/files {
        artifact_files;
        open_file_cache max=100;
        open_file_cache_valid 1d;
        open_file_cache_errors on;
    }
SERVER

sub clocks {
    ($ahead, $later) = @_;
    $fail->rules("ahead 1 $ahead clock", "later 1 $later clock");
    wake();
}

sub wake {
    $t->get('/artifacts/none') for 1 .. 4;
}

sub limited {
    my ($at, $content) = @_;
    return uploaded($t, $at, $content, 'a.txt',
        ['expires_after[anchor]', 'created_at'],
        ['expires_after[seconds]', 3600]);
}

sub uuid { return join '-', unpack 'A8A4A4A4A12', substr $_[0], -32 }

sub left {
    my $uuid = uuid($_[0]);
    return scalar map { glob } "$store/$uuid.*", "$own/files/*/*/$uuid*",
        "$own/expires/*/$uuid*";
}

my %file = map { ($_ => limited("/$_/files", "of $_")) }
    qw(inline threads cached);
my $ever = uploaded($t, '/inline/files', 'for ever', 'b.txt');
my $deleted = limited('/inline/files', 'deleted');
my $late = limited('/inline/files', 'a kill left its marker');

is(left($_), 4, 'content, sidecar, two markers') for values %file;
is(left($ever), 3, 'one marker for ever');
is($t->get("/$_/files/$file{$_}/content")->{body}, "of $_", "$_: its content")
    for sort keys %file;
is($t->req('DELETE', "/inline/files/$deleted")->{status}, 200, 'deleted');

# --- before it is removed -------------------------------------------------

clocks(3610, 0);

for my $at (sort keys %file) {
    my $path = "/$at/files";
    (my $id = $file{$at}) =~ tr/-/_/;

    my ($openai) = listed($t, "$path?limit=100");
    is($openai, $ever, "$at: not listed");

    for my $again (1, 2) {
        for my $below ('', '/content') {
            my $res = $t->get("$path/$file{$at}$below");
            my $error = json_of($res)->{error};
            is("$res->{status} $error->{message}",
               "404 No such File object: $file{$at}", "$at$below: missing");

            $res = $t->get("$path/$id$below", @anthropic);
            $error = json_of($res)->{error};
            is("$res->{status} $error->{type} $error->{message}",
               "404 not_found_error File has expired: $id",
               "$at$below: expired");
            is($error->{details}{error_code}, 'file_expired',
               "$at$below: as clients look for it");

            my $head = $t->req('HEAD', "$path/$id$below",
                               headers => \@anthropic);
            is(join(' ', $head->{status}, $head->header('Content-Type'),
                    $head->header('Content-Length')),
               join(' ', 404, $res->header('Content-Type'),
                    length $res->{body}), "$at$below: HEAD alike");
        }
    }

    is($t->req('DELETE', "$path/$file{$at}")->{status}, 404,
       "$at: not deleted");
    is(left($file{$at}), 4, "$at: still there");
}

my $none = 'file_art_' . '0' x 12 . '7' . '0' x 3 . '8' . '0' x 15;
my $missing = json_of($t->get("/inline/files/$none/content", @anthropic));
is($missing->{error}{message}, "File not found: $none", 'what never was');

# --- and then -------------------------------------------------------------

unlink map { glob "$store/" . uuid($late) . ".$_" } qw(txt meta);
is(left($late), 2, 'the markers alone');

sub wait_five_minutes {
    clocks($ahead, $later + 300);
    wake();
}

# A process that reads its two clocks just before and after a step takes that for
# a jump, and removes nothing for half an hour.

wait_five_minutes() for 1 .. 12;
ok(until_true(sub { wait_five_minutes();
                    !grep { left($_) } values %file, $deleted, $late }, 30),
   'nothing is left') or diag(join ' ', map { left($_) } values %file,
                              $deleted, $late);
is(left($ever), 3, 'but what lives for ever');
is(join(' ', map { s{.*/}{}r } glob "$own/expires/*"), '', 'no folder');
is((listed($t, '/inline/files'))[0], $ever, 'it is in the list');

$t->finish;
