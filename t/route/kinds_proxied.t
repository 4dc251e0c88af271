#!/usr/bin/perl

# Files as people have them, from another server: one that tells the length, one
# that sends chunks, and one that tells a name and ends by closing.  As from the
# store no answer is cut or a 502, no media type is false, texts are whole.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactKinds;
use ArtifactTest;
use ArtifactUpstream;

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my %kind = kinds($dir);
my $upstream = ArtifactUpstream->new("$dir/up", contents => \%kind);

$t->start(server => <<"SERVER");
    artifact_language en;
    artifact_format \$arg_format;

    location /up/ {
        artifact_route on;
        proxy_pass http://unix:$dir/up:/;
    }
SERVER

my @servers = (
    [''],
    ['&frame=chunked'],
    ['&frame=close&header=Content-Disposition:attachment;filename=', 1],
    ['&header=Content-Encoding:aws-chunked'],
);
my %asked;
my $n = 0;

for my $id (sort keys %kind) {
    my $kind = $kind{$id};
    my @wrong;

    for my $format (@KIND_FORMATS) {
        my ($args, $named) = @{ $servers[$n++ % @servers] };
        $args .= $kind->{name} // 'a' if $named;

        for my $accept ($EVERYTHING, 'text') {
            my $wrong = kind_wrong($kind, $format,
                $t->accept($accept, "/up/$id?format=$format$args"),
                reads => $accept eq 'text', bare => !$named);
            push @wrong, "$args, $format, $accept: $wrong" if $wrong ne '';
        }
        $asked{"$id $args"} = 1;
    }
    $n++;       # so that a format meets all of them

    is(join("\n", @wrong), '', $id);
}

is(scalar keys %asked, @servers * keys %kind, 'each from all of them');

$upstream->stop;
$t->finish;
