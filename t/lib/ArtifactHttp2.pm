package ArtifactHttp2;

# A client of HTTP/2 in the clear, frame by frame.

use strict;
use warnings;

use Exporter 'import';

use ArtifactHTTP;

our @EXPORT = qw(http2 frame head data room answer until_ended
                 $DATA $RST $END $PADDED);

our ($DATA, $HEADERS, $RST, $SETTINGS, $WINDOW) = (0, 1, 3, 4, 8);
our ($END, $ACK, $PADDED) = (1, 1, 8);


# A connection.

sub http2 {
    my ($port) = @_;

    my $conn = ArtifactHTTP->new($port);
    my $h2 = { conn => $conn, frames => {}, window => {} };
    $conn->send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    frame($h2, $SETTINGS, 0, 0, '');
    return $h2;
}


# One frame.

sub frame {
    my ($h2, $kind, $flags, $stream, $payload) = @_;
    $h2->{conn}->send(substr(pack('N', length $payload), 1)
                      . pack('C C N', $kind, $flags, $stream) . $payload);
}


# The header of a request: headers is a list of names and values, all literals
# (RFC 7541, 6.2.2).

sub head {
    my ($h2, $stream, $method, $at, @headers) = @_;

    unshift @headers, ':method' => $method, ':scheme' => 'http', ':path' => $at,
        ':authority' => 'localhost';
    frame($h2, $HEADERS, 4, $stream, join '', map { pack 'x C/a* C/a*', @$_ }
        map { [@headers[$_ * 2, $_ * 2 + 1]] } 0 .. $#headers / 2);
}


# A body, or a part of one.

sub data {
    my ($h2, $stream, $bytes, $flags) = @_;

    my @pieces = length $bytes ? unpack '(a16384)*', $bytes : '';
    for my $n (0 .. $#pieces) {
        room($h2, $stream, length $pieces[$n]);
        frame($h2, $DATA, $n == $#pieces ? $flags // 0 : 0, $stream,
              $pieces[$n]);
    }
}


# Waits until the server takes so many bytes more.

sub room {
    my ($h2, $stream, $bytes) = @_;

    for my $id (0, $stream) {
        $h2->{window}{$id} //= 65535;
        while ($h2->{window}{$id} < $bytes) {
            receive($h2) or return;
        }
        $h2->{window}{$id} -= $bytes;
    }
}


# Reads a frame and keeps it with those of its stream.

sub receive {
    my ($h2) = @_;

    my $conn = $h2->{conn};
    my $size;
    until (length $conn->{buf} >= 9
           && length $conn->{buf} >= ($size = 9 + unpack 'N', "\0$conn->{buf}"))
    {
        $conn->_fill or return 0;
    }

    my ($kind, $flags, $stream, $payload) = unpack 'x3 C C N a*',
        substr $conn->{buf}, 0, $size, '';
    frame($h2, $SETTINGS, $ACK, 0, '') if $kind == $SETTINGS && !$flags;
    $h2->{window}{$stream} = ($h2->{window}{$stream} // 65535)
        + unpack 'N', $payload if $kind == $WINDOW;
    push @{ $h2->{frames}{$stream} }, [$kind, $flags, $payload];
    return 1;
}


# Reads until the server has ended a stream.

sub until_ended {
    my ($h2, $stream) = @_;

    until (grep { $_->[0] == $RST || ($_->[0] <= $HEADERS && $_->[1] & $END) }
           @{ $h2->{frames}{$stream} })
    {
        receive($h2) or return 0;
    }
    return 1;
}


# The status is the first field (behind a new size of the table, which nginx
# tells), in a table of its own or in three digits.

sub answer {
    my ($h2, $stream) = @_;

    until_ended($h2, $stream);
    my @frames = @{ $h2->{frames}{$stream} };
    my ($head) = map { $_->[2] } grep { $_->[0] == $HEADERS } @frames;
    my %known = (0x88 => 200, 0x8c => 400);
    my ($byte, $digits) = unpack 'C x a3', ($head // "\0") =~ s/\A\x20//r;
    return {
        status => $known{$byte} // (($byte & 0x3f) == 8 ? $digits : 0),
        body => join '', map { $_->[2] } grep { $_->[0] == $DATA } @frames,
    };
}


1;
