#!/usr/bin/perl

# Files as people have them, in every form that they are read in: routed in each
# format, for a model that takes everything and for one that reads, raw and in a
# listing.  No media type is false, texts are whole, models that only read get
# words.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactKinds;
use ArtifactTest;

my $t = ArtifactTest->new;
my %kind = kinds($t->prefix);

$t->artifact($_, $kind{$_}{body}, kind_meta($kind{$_})) for keys %kind;
$t->start(server => <<'SERVER');
    artifact_root %%DATA%%;
    artifact_language en;
    artifact_format $arg_format;
    artifact_index on;

    location /artifacts/ { artifact; }
    location /routed/    { artifact; artifact_route on; }
SERVER

my %listed = map { $_->{id} => $_->{mimeType} }
    @{ json_of($t->get('/artifacts/'))->{artifacts} };

for my $id (sort keys %kind) {
    my @wrong;

    for my $format (@KIND_FORMATS) {
        for my $accept ($EVERYTHING, 'text') {
            my $wrong = kind_wrong($kind{$id}, $format,
                $t->accept($accept, "/routed/$id?format=$format"),
                reads => $accept eq 'text');
            push @wrong, "$format, $accept: $wrong" if $wrong ne '';
        }
    }

    is(join("\n", @wrong), '', "$id in all formats");

    # raw, and in a list, what is declared is believed

    my ($type, $name, $is) = @{ $kind{$id} }{qw(type name is)};
    my $res = $t->get("/artifacts/$id");
    my $told = $res->header('Content-Type') // 'none';

    is($res->body, $kind{$id}{body}, "$id, raw");
    is($told, $is, 'its type') if !defined $type && !defined $name;
    ok($told eq $is || $told eq $type || $type eq 'image/jpg', "$told or $type")
        if defined $type && $type =~ m{/};
    isnt($listed{$id} // '', '', 'listed');
}

is(scalar keys %listed, scalar keys %kind, 'all of them');

$t->finish;
