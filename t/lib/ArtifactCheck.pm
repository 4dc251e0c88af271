package ArtifactCheck;

# What the tests check again and again (the shapes of answers), and helpers
# for ids, encodings and files.
#
# Texts are bytes throughout; only decoded JSON holds characters.

use strict;
use warnings;

use Exporter 'import';
use MIME::Base64 qw(decode_base64 encode_base64);
use Test::More;

use ArtifactHTTP;
use ArtifactJSON;

our @EXPORT = qw(
    b64 b64url bytes chars data_of error_is header_is json_of route_problems
    routing_of slurp spew uri ws_id
);


# The decoded body, or a failed test and an empty object.

sub json_of {
    my ($res) = @_;
    my $data = eval { decode_strict($res->{body}) };
    if ($@) {
        chomp(my $why = $@);
        fail("valid JSON: $why");
        diag($res->{head}, substr $res->{body}, 0, 400);
        return {};
    }
    return $data;
}


sub header_is {
    my ($res, $name, $want, $label) = @_;
    is($res->header($name), $want, $label);
}


# An answer of the error shape: this status (or one that matches), code and
# reference (undef: any); a message; and nothing of the server's disk.

sub error_is {
    my ($res, $status, $code, $ref, $name) = @_;

    my @wrong;
    push @wrong, "status $res->{status}"
        if $res->{status} !~ (ref $status ? $status : qr/\A$status\z/);
    push @wrong, 'type ' . ($res->header('Content-Type') // 'none')
        if ($res->header('Content-Type') // '') ne 'application/json';
    push @wrong, 'incomplete' unless $res->{complete};

    my $data = eval { decode_strict($res->{body}) };
    if (ref $data eq 'HASH') {
        push @wrong, 'keys ' . key_order($data)
            if key_order($data) ne 'error ref message';
        push @wrong, 'error ' . ($data->{error} // 'null')
            if defined $code ? ($data->{error} // '') ne $code
                             : ($data->{error} // '') !~ /\A[a-z_]+\z/;
        push @wrong, 'ref ' . ($data->{ref} // 'null')
            if defined $ref && ($data->{ref} // '') ne chars($ref);
        push @wrong, 'no message' unless length($data->{message} // '');
        push @wrong, 'shows a path of the disk'
            if $res->{body} =~ m{artifact-test-|/tmp/|/data/};
    } else {
        push @wrong, "no JSON object: " . substr $res->{body}, 0, 200;
    }

    is(join('; ', @wrong), '', $name);
}


my $METADATA = 'id type filename mimeType derivedType size createdAt '
    . 'updatedAt messageId workspaceId relativePath binaryType truncated '
    . 'reason requires suggestedServices';

# Everything that is wrong with the shape of a `route` answer, as one string.

sub route_problems {
    my ($res) = @_;

    return "status $res->{status}" if $res->{status} != 200;
    return 'incomplete' unless $res->{complete};
    return 'not application/json'
        if ($res->header('Content-Type') // '') ne 'application/json';

    my $data = eval { decode_strict($res->{body}) };
    return "JSON: $@" if $@;
    return 'not an object' if ref $data ne 'HASH';

    return join '; ', _result_problems($data),
        _metadata_problems($data, $data->{metadata});
}


sub _result_problems {
    my ($data) = @_;

    my $type = $data->{contentType} // 'none';
    my $routing = $data->{routing} // 'none';
    my %part = (text => '', image_url => ' imageUrl', file => ' file');
    return "routing $routing" unless exists $part{$routing};

    my @wrong;
    push @wrong, "contentType $type" if $type !~ /^(text|image|binary)$/;
    push @wrong, "$type routed to $routing"
        if "$type $routing" !~
           /^(text text|image text|image image_url|binary text|binary file)$/;
    push @wrong, 'keys ' . key_order($data)
        if key_order($data)
           ne "contentType routing content$part{$routing} metadata";
    push @wrong, 'content is no string'
        if !defined $data->{content} || ref $data->{content}
           || is_number($data->{content});

    my $part = $data->{imageUrl} || $data->{file};
    if ($routing eq 'image_url') {
        push @wrong, 'imageUrl keys'
            if key_order($part) ne 'type image_url'
               || $part->{type} ne 'image_url'
               || key_order($part->{image_url}) ne 'url';
        push @wrong, 'no data URL'
            if $part->{image_url}{url} !~
               m{\Adata:image/[-+.\w]+;base64,[A-Za-z0-9+/]*={0,2}\z};

    } elsif ($routing eq 'file') {
        push @wrong, 'file keys'
            if key_order($part) ne 'type file' || $part->{type} ne 'file'
               || key_order($part->{file}) ne 'filename mimeType data';
        push @wrong, 'no base64'
            if $part->{file}{data} !~ m{\A[A-Za-z0-9+/]*={0,2}\z}
               || length($part->{file}{data}) % 4;
    }

    return @wrong;
}


sub _metadata_problems {
    my ($data, $meta) = @_;

    return 'no metadata' if ref $meta ne 'HASH';

    my @wrong;
    my $keys = key_order($meta);
    my $in_order = join ' ', grep { exists $meta->{$_} } split / /, $METADATA;
    push @wrong, "metadata keys $keys" if $keys ne $in_order;

    for (qw(id type filename mimeType createdAt updatedAt messageId
            workspaceId relativePath binaryType reason requires)) {
        push @wrong, "$_ is no string"
            if exists $meta->{$_}
               && (!defined $meta->{$_} || ref $meta->{$_}
                   || is_number($meta->{$_}));
    }
    for (qw(id type filename mimeType size)) {
        push @wrong, "no $_" unless exists $meta->{$_};
    }
    push @wrong, 'size is no number' unless is_number($meta->{size});

    if (exists $meta->{derivedType}) {
        push @wrong, 'derivedType' if $meta->{derivedType} !~ m{^[^/ ]+/[^/ ]+$};
    } elsif ($data->{contentType} eq 'text') {
        push @wrong, 'a text with a binaryType' if exists $meta->{binaryType};
    } elsif (($meta->{binaryType} // '')
             !~ /^(image|audio|video|document|other)$/) {
        push @wrong, 'binaryType';
    } elsif (($meta->{binaryType} eq 'image')
             != ($data->{contentType} eq 'image')) {
        push @wrong, "a $meta->{binaryType} with this contentType";
    }

    my $described = $data->{contentType} ne 'text'
        && $data->{routing} eq 'text';
    push @wrong, 'reason ' . ($meta->{reason} // 'missing')
        if $described ? ($meta->{reason} // '')
                        !~ /^(capability|type|size|read)$/
                      : exists $meta->{reason};
    push @wrong, 'requires'
        if exists $meta->{requires}
           ? $meta->{requires} !~ /^(vision|audio|video|file)$/
             || ($meta->{reason} // '') ne 'capability'
           : ($meta->{reason} // '') eq 'capability';

    return @wrong;
}


# "contentType routing mimeType [reason]": the decision in one line.

sub routing_of {
    my ($res) = @_;
    my $data = eval { decode_strict($res->{body}) };
    return "status $res->{status}, no JSON" if ref $data ne 'HASH';
    return join ' ', grep { defined } @$data{qw(contentType routing)},
        $data->{metadata}{mimeType}, $data->{metadata}{reason};
}


# The bytes that a routed binary carries.

sub data_of {
    my ($res) = @_;
    my $data = eval { decode_strict($res->{body}) } || {};
    my $text = $data->{file} ? $data->{file}{file}{data}
        : $data->{imageUrl} ? $data->{imageUrl}{image_url}{url} : undef;
    return undef unless defined $text;
    $text =~ s/\Adata:[^,]*,//;
    return decode_base64($text);
}


sub b64 { return encode_base64($_[0], '') }


sub b64url {
    my $text = encode_base64($_[0], '');
    $text =~ tr{+/=}{-_}d;
    return $text;
}


sub ws_id {
    my ($ws, $path) = @_;
    return "ws:$ws:" . b64url($path);
}


# Percent-encodes a path; "/" stays.

sub uri {
    my ($bytes) = @_;
    $bytes =~ s{([^-A-Za-z0-9._~/:])}{sprintf '%%%02X', ord $1}ge;
    return $bytes;
}


# A string of characters as UTF-8 bytes.

sub bytes {
    my ($text) = @_;
    utf8::encode($text);
    return $text;
}


# UTF-8 bytes as characters; bytes that are not UTF-8 stay as they are.

sub chars {
    my ($text) = @_;
    utf8::decode($text);
    return $text;
}


sub spew {
    my ($path, $bytes) = @_;
    open my $fh, '>:raw', $path or die "$path: $!";
    print {$fh} $bytes;
    close $fh or die "$path: $!";
}


sub slurp {
    my ($path) = @_;
    open my $fh, '<:raw', $path or die "$path: $!";
    local $/;
    return <$fh> // '';
}


1;
