package ArtifactJSON;

# A strict JSON decoder (RFC 8259) that remembers the order of keys.
#
# decode_strict() dies on anything but one JSON text in valid UTF-8: raw
# control characters, duplicate keys, lone surrogates, trailing bytes.  Texts
# of up to 64 KB are decoded by JSON::PP too, as a second opinion.  Strings
# come back as characters, numbers as numbers, true/false as JSON::PP booleans.

use strict;
use warnings;
no warnings 'recursion';

use B ();
use Exporter 'import';
use Hash::Util::FieldHash qw(fieldhash);
use JSON::PP ();

our @EXPORT = qw(decode_strict encode_json_bytes key_order is_number is_bool);

fieldhash my %ORDER;

my %ESCAPE = (
    '"' => '"', '\\' => '\\', '/' => '/', b => "\b", f => "\f",
    n => "\n", r => "\r", t => "\t",
);


sub decode_strict {
    my ($bytes) = @_;

    my $text = $bytes;
    die "not valid UTF-8\n"
        if !utf8::decode($text)
           || $text =~ /[\x{d800}-\x{dfff}]|[^\x{0}-\x{10ffff}]/;

    for ($text) {
        pos() = 0;
        my $value = _value();
        /\G[ \t\r\n]*/gc;
        die "bytes after the JSON text at " . pos() . "\n"
            if pos() < length;

        if (length($bytes) <= 65536 && $bytes !~ /[\[\{]{400}/) {
            JSON::PP->new->utf8->allow_nonref->decode($bytes);
        }

        return $value;
    }
}


sub encode_json_bytes {
    my ($data) = @_;
    return JSON::PP->new->utf8->canonical->allow_nonref->encode($data);
}


# The keys of a decoded object in the order of the text, as one string.

sub key_order {
    my ($object) = @_;
    return 'not an object' unless ref $object eq 'HASH';
    return join ' ', @{ $ORDER{$object} || [] };
}


sub is_number {
    my ($value) = @_;
    return 0 if !defined $value || ref $value;
    my $flags = B::svref_2object(\$value)->FLAGS;
    return $flags & (B::SVf_IOK | B::SVf_NOK) && !($flags & B::SVf_POK);
}


sub is_bool {
    my ($value) = @_;
    return ref $value && ref($value) =~ /Boolean/ ? 1 : 0;
}


sub _value {
    /\G[ \t\r\n]*/gc;

    return _string() if /\G"/gc;
    return _object() if /\G\{/gc;
    return _array() if /\G\[/gc;
    return JSON::PP::true() if /\Gtrue/gc;
    return JSON::PP::false() if /\Gfalse/gc;
    return undef if /\Gnull/gc;

    if (/\G(-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)/gc) {
        return 0 + $1;
    }

    die "no JSON value at " . pos() . "\n";
}


sub _string {
    my $out = '';

    while (1) {
        if (/\G([^"\\\x00-\x1f]+)/gc) {
            $out .= $1;

        } elsif (/\G"/gc) {
            return $out;

        } elsif (m{\G\\(["\\/bfnrt])}gc) {
            $out .= $ESCAPE{$1};

        } elsif (/\G\\u([dD][89abAB]..)\\u([dD][c-fC-F]..)/gc) {
            my ($hi, $lo) = (hex $1, hex $2);
            $out .= chr(0x10000 + (($hi - 0xd800) << 10) + $lo - 0xdc00);

        } elsif (/\G\\u(?![dD][89a-fA-F])([0-9a-fA-F]{4})/gc) {
            $out .= chr hex $1;

        } else {
            die "bad string at " . pos() . "\n";
        }
    }
}


sub _object {
    my (%object, @keys);

    unless (/\G[ \t\r\n]*\}/gc) {
        while (1) {
            /\G[ \t\r\n]*"/gc or die "no key at " . pos() . "\n";
            my $key = _string();
            die "duplicate key \"$key\"\n" if exists $object{$key};
            /\G[ \t\r\n]*:/gc or die "no colon at " . pos() . "\n";
            $object{$key} = _value();
            push @keys, $key;
            next if /\G[ \t\r\n]*,/gc;
            last if /\G[ \t\r\n]*\}/gc;
            die "bad object at " . pos() . "\n";
        }
    }

    my $ref = \%object;
    $ORDER{$ref} = \@keys;
    return $ref;
}


sub _array {
    my @array;

    unless (/\G[ \t\r\n]*\]/gc) {
        while (1) {
            push @array, _value();
            next if /\G[ \t\r\n]*,/gc;
            last if /\G[ \t\r\n]*\]/gc;
            die "bad array at " . pos() . "\n";
        }
    }

    return \@array;
}


1;
