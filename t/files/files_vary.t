#!/usr/bin/perl

# What the Files APIs answer depends on "anthropic-version", which Vary says, in
# one line with what others add to it.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFiles;
use ArtifactTest;

my $t = ArtifactTest->new;
$t->start(server => files_server(<<'SERVER'));
    location /more/files {
        artifact_files;
        artifact_route off;
        gzip on;
        gzip_types *;
        gzip_min_length 0;
        gzip_vary on;
        add_header Vary Origin always;
    }
SERVER

# In one line; gzip adds to it where it might have worked.

sub varies {
    my ($res, $want) = @_;
    like(join(' + ', @{ $res->{headers}{vary} || [] }), $want, 'varies');
}

for (['/inline/files', qr/\Aanthropic-version\z/],
     ['/threads/files', qr/\Aanthropic-version\z/],
     ['/more/files', qr/\Aanthropic-version(?:, Accept-Encoding)?, Origin\z/])
{
    my ($at, $want) = @$_;

    my $res = upload($t, $at, form(['file', 'x' x (65 << 20), 'a.txt']));
    is($res->{status}, 413, "$at: an upload that is too large");
    varies($res, $want);

    $res = upload($t, $at, form(['file', 'content', 'a.txt']));
    my $file = json_of($res);
    is($res->{status}, 200, "$at: an upload");
    varies($res, $want);

    for my $version (undef, '2023-06-01') {
        my @headers = (defined $version ? ('anthropic-version', $version) : (),
                       'Accept-Encoding' => 'gzip');
        my $api = defined $version ? 'Anthropic' : 'OpenAI';

        for (['GET', '', 200], ['GET', "/$file->{id}", 200],
             ['GET', '/file-none', 404], ['GET', '/file-none/content', 404],
             ['GET', '?limit=none', 400], ['PUT', '', 405],
             ['GET', '/a/b/c', 404], ['DELETE', '/file-none', 404])
        {
            my ($method, $path, $status) = @$_;
            my $got = $t->req($method, $at . $path, headers => \@headers);
            is($got->{status}, $status, "$api: $method $path");
            varies($got, $want);
        }

        my $bad = upload($t, $at, 'no form', @headers);
        is($bad->{status}, 400, "$api: no form");
        varies($bad, $want);

        my $content = $t->get("$at/$file->{id}/content", @headers);
        is($content->{status}, 200, "$api: a content");
        unlike($content->header('Vary') // '', qr/anthropic/,
               'is the same for both');
    }

    my $gone = $t->req('DELETE', "$at/$file->{id}");
    is($gone->{status}, 200, 'a removal');
    varies($gone, $want);
}

$t->finish;
