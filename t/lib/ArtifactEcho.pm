package ArtifactEcho;

# An upstream on a unix socket that answers with the body that it got; the
# request line and headers come back in X-Head, with "|" behind each.

use strict;
use warnings;

use Exporter 'import';

use ArtifactUpstream;

our @EXPORT = qw(echo);


# digest => 1: only the body's length and SHA-1 come back, for large ones.
# length => 1: a request without its length is not answered (nginx leaves it out
# when memory for its digits fails).

sub echo {
    my ($path, %opt) = @_;

    return ArtifactUpstream->new($path, serve => sub {
        my ($sock) = @_;
        my ($head, $body) = _request($sock) or return;
        return if $opt{length}
            && $head !~ /^(?:Content-Length|Transfer-Encoding):/mi;

        if ($opt{digest}) {
            require Digest::SHA;
            $body = length($body) . ' ' . Digest::SHA::sha1_hex($body);
        }

        $head =~ s/\r\n/|/g;
        my $answer = "HTTP/1.1 200 OK\r\nConnection: close\r\n"
            . 'Content-Length: ' . length($body)
            . "\r\nX-Head: $head|\r\n\r\n$body";
        for (my $at = 0; $at < length $answer; ) {
            $at += syswrite($sock, $answer, 65536, $at) // return;
        }
    });
}


# Head and body, with a length or in chunks; nothing if it is cut.

sub _request {
    my ($sock) = @_;

    my $buf = '';
    until ($buf =~ /\r\n\r\n/) {
        sysread $sock, $buf, 65536, length $buf or return;
    }
    my ($head, $body) = split /\r\n\r\n/, $buf, 2;

    if ($head =~ /^Transfer-Encoding: chunked/mi) {
        my $whole = '';
        while (1) {
            until ($body =~ /\A([0-9a-f]+)\r\n/i
                   && length $body >= length($1) + 4 + hex $1)
            {
                sysread $sock, $body, 1048576, length $body or return;
            }
            $body =~ s/\A([0-9a-f]+)\r\n//i;
            my $length = hex $1;
            $whole .= substr $body, 0, $length, '';
            substr $body, 0, 2, '';
            return ($head, $whole) if !$length;
        }
    }

    my ($length) = $head =~ /^Content-Length: (\d+)/mi;
    while (length $body < ($length // 0)) {
        sysread $sock, $body, 1048576, length $body or return;
    }
    return ($head, $body);
}


1;
