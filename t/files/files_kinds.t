#!/usr/bin/perl

# Files as people have them, uploaded: they come back byte for byte, and models
# get them as any other artifact, whatever the upload has called them.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFiles;
use ArtifactKinds;
use ArtifactTest;

my $t = ArtifactTest->new;
my %kind = kinds($t->prefix);

$t->start(server => files_server(<<'SERVER'));
    artifact_language en;
    artifact_format $arg_format;
    artifact_route on;
SERVER

for my $id (sort keys %kind) {
    my ($body, $name, $type) = @{ $kind{$id} }{qw(body name type)};
    my @wrong;

    for my $declared ($type, 'application/octet-stream') {
        my $file = json_of(upload($t, '/inline/files',
            form(['file', $body, $name // 'file', $declared])))->{id} // 'none';
        my $uuid = $file =~ s/\Afile-art-//r
            =~ s/\A(.{8})(.{4})(.{4})(.{4})/$1-$2-$3-$4-/r;

        my $res = $t->get("/inline/files/$file/content");
        push @wrong, 'other bytes' if $res->status != 200
            || $res->body ne $body;

        # what tells nothing leaves the name and the content

        my $kind = { %{ $kind{$id} } };
        delete $kind->{fake} if ($declared // '') ne ($type // '');
        next if $kind{$id}{fake} && !$kind->{fake};

        for my $format (qw(route openai anthropic)) {
            for my $accept ($EVERYTHING, 'text') {
                my $wrong = kind_wrong($kind, $format,
                    $t->accept($accept, "/artifacts/$uuid?format=$format"),
                    reads => $accept eq 'text');
                push @wrong, ($declared // 'none')
                    . ", $format, $accept: $wrong" if $wrong ne '';
            }
        }
    }

    is(join("\n", @wrong), '', $id);
}

$t->finish;
