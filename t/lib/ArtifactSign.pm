package ArtifactSign;

# Signed URLs, made and checked without the module: HMAC-SHA256 of the scope,
# the reference and the second of the end, in base64url.

use strict;
use warnings;

use Digest::SHA qw(hmac_sha256);
use Exporter 'import';
use Test::More;

use ArtifactCheck;
use ArtifactJSON;

our @EXPORT = qw(
    key_file put_of query_of signature signed signed_problems signer ticket
);


# Writes a file of keys below the prefix, which only its owner may read: each
# line is a text, or a reference to the bytes of a key.  Returns the path.

sub key_file {
    my ($t, $name, @lines) = @_;

    my $path = $t->file($name, join '', map {
        (ref $_ ? unpack('H*', $$_) : $_) . "\n" } @lines);
    chmod 0600, $path or die "chmod: $!";
    return $path;
}


sub signature {
    my ($key, $scope, $ref, $exp) = @_;
    return b64url(hmac_sha256("artifact-url-v1\n$scope\n$ref\n$exp", $key));
}


# A query for a reference, as it would stand behind "?".

sub signed {
    my ($key, $scope, $ref, $exp) = @_;
    return "exp=$exp&sig=" . signature($key, $scope, $ref, $exp);
}


# The query of a ticket; put is its text, or what is to be encoded as JSON.

sub ticket {
    my ($key, $scope, $ref, $exp, $put) = @_;

    $put = put_of($put) if ref $put;
    my $sig = b64url(hmac_sha256("artifact-put-v1\n$scope\n$ref\n$exp\n$put",
                                 $key));
    return "exp=$exp&put=$put&sig=$sig";
}


sub put_of {
    my ($what) = @_;
    return b64url(ref $what eq 'HASH' ? encode_json_bytes($what) : $$what);
}


# "exp" and "sig" of a URL, if it ends as a signed one does.

sub query_of {
    my ($url) = @_;
    return $url =~ /\A[^?]*\?exp=([1-9][0-9]*)&sig=([-\w]{43})\z/;
}


# What a canonical reference of this id is to the signer: found from one signed
# URL of the id, since both spellings of a reference are canonical somewhere.

sub signer {
    my ($url, $key, $scope, $id) = @_;

    my ($exp, $sig) = query_of($url) or return sub { $_[0] };
    return sub { "artifact:$_[0]" }
        if signature($key, $scope, "artifact:$id", $exp) eq $sig;
    return sub { $_[0] };
}


# What is wrong with a URL of the module's: the prefix and the encoded id stand
# before the query, it is signed with the key, and lives for one to two ttl
# from the time at which it was asked for (which may have been a second ago).

sub signed_problems {
    my ($url, %of) = @_;

    my $before = $of{prefix} . uri($of{id}) =~ s/:/%3A/gr;
    my $plain = $of{prefix} . uri($of{id});
    my ($exp, $sig) = query_of($url) or return "not signed: $url";
    my @wrong;

    my ($head) = split /\?/, $url;
    push @wrong, "$head is not $plain" if $head ne $plain && $head ne $before;
    push @wrong, 'another signature'
        if $sig ne signature($of{key}, $of{scope} // '', $of{ref} // $of{id},
                             $exp);
    my $left = $exp - time;
    push @wrong, "lives for $left s, not for one to two $of{ttl} s"
        if $left < $of{ttl} - 3 || $left > 2 * $of{ttl} + 2;
    return join '; ', @wrong;
}


1;
