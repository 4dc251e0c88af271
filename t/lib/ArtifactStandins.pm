package ArtifactStandins;

# Stand-ins (docs/standins.md) as the module makes them: the id from the root's
# key, the medium in the store, and the tiny medium that carries the id.

use strict;
use warnings;

use Digest::SHA qw(hmac_sha256);
use Exporter qw(import);
use File::Path qw(make_path);
use MIME::Base64 qw(encode_base64 decode_base64);

our @EXPORT = qw(standin standin_id standin_of standin_kinds);

# the base64 of each, for an id of zeros; kept beside those of the module, so
# that a change there is seen

my %types = (png => 'image/png', jpeg => 'image/jpeg', gif => 'image/gif',
    webp => 'image/webp', pdf => 'application/pdf', wav => 'audio/wav',
    mp3 => 'audio/mpeg', mp4 => 'video/mp4');
my %at = (png => 60, jpeg => 33, gif => 39, webp => 231, pdf => 21,
    wav => 873, mp3 => 33, mp4 => 900);
my %made;

sub standin_kinds { return sort keys %types }

# The bytes of a stand-in of a kind ("png") with an id.

sub standin_of {
    my ($kind, $id) = @_;

    load() if !%made;

    my $bytes = $made{$kind};
    substr $bytes, $at{$kind}, 36, $id;

    if ($kind eq 'png') {
        require Compress::Zlib;
        my $chunk = substr $bytes, 37, 59;
        substr $bytes, 96, 4, pack 'N', Compress::Zlib::crc32($chunk);
    }

    return $bytes;
}

sub load {
    my $file = __FILE__ =~ s/\.pm\z/.txt/r;
    open my $in, '<', $file or die "$file: $!\n";

    while (<$in>) {
        my ($kind, $base64) = split or next;
        $made{$kind} = decode_base64($base64);
    }
}

# The id that the content has in a root, and its whole digest.

sub standin_id {
    my ($root, $kind, $bytes, $scope) = @_;

    my $file = "$root/artifacts/.artifact/key";
    open my $in, '<:raw', $file or die "$file: $!\n";
    my $key = do { local $/; <$in> };

    my $sum = hmac_sha256(join("\n", 'artifact-standin-v1', $scope // '',
        $bytes, $types{$kind}), $key);
    my @bytes = unpack 'C16', $sum;
    $bytes[6] = $bytes[6] & 0x0f | 0x80;
    $bytes[8] = $bytes[8] & 0x3f | 0x80;
    my $id = join '', map { sprintf '%02x', $_ } @bytes;
    $id =~ s/^(.{8})(.{4})(.{4})(.{4})/$1-$2-$3-$4-/;

    return ($id, 'hmac-sha256:' . unpack 'H*', $sum);
}

# Puts a medium into the store of a test, as the location in front would;
# returns the stand-in's bytes and the id.

sub standin {
    my ($t, $kind, $bytes, %meta) = @_;

    my $own = $t->data . '/artifacts/.artifact';

    if (!-e "$own/key") {
        make_path($own);
        open my $out, '>:raw', "$own/key" or die "$own/key: $!\n";
        print $out pack 'C*', map { int rand 256 } 1 .. 32;
        close $out or die "$own/key: $!\n";
    }

    my ($id, $digest) = standin_id($t->data, $kind, $bytes, '');

    $t->artifact($id, $bytes, { id => $id, type => $types{$kind},
        size => length $bytes, digest => $digest,
        standin => \1, %meta });

    return (standin_of($kind, $id), $id);
}

1;
