package ArtifactHTTP;

# A raw HTTP/1.x client: one connection, requests written byte for byte as
# asked, answers read with their framing checked.

use strict;
use warnings;

use Errno qw(EINTR);
use Socket qw(
    AF_INET IPPROTO_TCP SOCK_STREAM SOL_SOCKET SO_ERROR SO_RCVBUF TCP_NODELAY
    inet_aton pack_sockaddr_in
);
use Time::HiRes qw(sleep time);

require ArtifactRecord if $ENV{TEST_RECORD};


# rcvbuf: size of the receive buffer, small ones make the server wait;
# timeout: seconds without a byte after which a read gives up.

sub new {
    my ($class, $port, %opt) = @_;

    socket(my $sock, AF_INET, SOCK_STREAM, IPPROTO_TCP) or die "socket: $!";
    if ($opt{rcvbuf}) {
        setsockopt($sock, SOL_SOCKET, SO_RCVBUF, $opt{rcvbuf})
            or die "setsockopt: $!";
    }
    setsockopt($sock, IPPROTO_TCP, TCP_NODELAY, 1) or die "setsockopt: $!";
    unless (connect $sock, pack_sockaddr_in($port, inet_aton('127.0.0.1'))) {
        my $why = $! == EINTR ? _connected($sock, $opt{timeout} || 20) : "$!";
        die "connect to port $port: $why\n" if $why;
    }

    return bless {
        sock => $sock, buf => '', timeout => $opt{timeout} || 20,
    }, $class;
}


# A signal ends the call of connect(), not the connection attempt: waits for
# that.  Returns what went wrong, '' if nothing did.

sub _connected {
    my ($sock, $timeout) = @_;

    my $end = time + $timeout;
    while ((my $left = $end - time) > 0) {
        my $win = '';
        vec($win, fileno $sock, 1) = 1;
        my $n = select undef, $win, undef, $left;
        next if $n < 0 && $! == EINTR;
        last if $n <= 0;

        local $! = unpack 'i', getsockopt($sock, SOL_SOCKET, SO_ERROR);
        return $! ? "$!" : '';
    }
    return 'timed out';
}


sub send {
    my ($self, $bytes) = @_;

    local $SIG{PIPE} = 'IGNORE';
    $self->{sent} .= substr $bytes, 0, 500 if $ENV{TEST_RECORD};
    my $off = 0;
    while ($off < length $bytes) {
        my $n = syswrite($self->{sock}, $bytes, length($bytes) - $off, $off);
        next if !defined $n && $! == EINTR;
        return 0 unless $n;
        $off += $n;
    }
    return 1;
}


# Makes the bytes of a request.  headers is a list of name => value; Host is
# added, and "Connection: close" unless keep is true.

sub format_request {
    my ($method, $uri, %opt) = @_;

    my $version = $opt{version} || '1.1';
    my $text = "$method $uri HTTP/$version\r\nHost: localhost\r\n";
    $text .= "Connection: " . ($opt{keep} ? 'keep-alive' : 'close') . "\r\n"
        if $version ne '1.0' || $opt{keep};

    my @headers = @{ $opt{headers} || [] };
    while (my ($name, $value) = splice @headers, 0, 2) {
        $text .= "$name: $value\r\n";
    }

    if (defined $opt{body}) {
        $text .= "Content-Length: " . length($opt{body}) . "\r\n\r\n"
            . $opt{body};
    } else {
        $text .= "\r\n";
    }

    return $text;
}


sub request {
    my ($self, $method, $uri, %opt) = @_;

    my $sent = time;
    $self->send(format_request($method, $uri, %opt));
    my $res = $self->response($method, %opt);
    $res->{first_byte} = $res->{at} - $sent if $res->{at};
    return $res;
}


# Reads one answer; for "make record", it is kept.

sub response {
    my ($self, $method, %opt) = @_;

    return $self->_response($method, %opt) unless $ENV{TEST_RECORD};

    my $body = '';
    my $sink = $opt{on_body};
    $opt{on_body} = sub { $body .= $_[0]; $sink->($_[0]) if $sink };

    my $res = $self->_response($method, %opt);
    $res->{body} = $body unless $sink;
    ArtifactRecord::answer($self->{sent} // '', $res, $body);
    $self->{sent} = '';
    return $res;
}


# on_body: called with each piece of the body instead of keeping it; pace:
# [bytes, seconds] reads no faster than that.

sub _response {
    my ($self, $method, %opt) = @_;

    my $res = bless {
        status => 0, headers => {}, body => '', head => '', complete => 0,
        trailing => 0,
    }, 'ArtifactHTTP::Response';

    $self->{pace} = $opt{pace};
    until ($self->{buf} =~ /\r\n\r\n/) {
        my $had = length $self->{buf};
        unless ($self->_fill) {
            $res->{head} = $self->{buf};
            return $res;
        }
        $res->{at} ||= time if !$had;
    }
    $res->{at} ||= time;

    $self->{buf} =~ s/\A(.*?\r\n)\r\n//s;
    $res->{head} = $1;
    _parse_head($res);

    my $sink = $opt{on_body}
        || sub { $res->{body} .= $_[0] };

    if ($method eq 'HEAD' || $res->{status} =~ /^(1..|204|304)$/) {
        $res->{complete} = 1;

    } elsif (lc($res->header('Transfer-Encoding') // '') eq 'chunked') {
        $res->{complete} = $self->_chunked($sink);

    } elsif (defined $res->header('Content-Length')) {
        $res->{complete} = $self->_sized($sink,
                                         $res->header('Content-Length'));

    } else {
        $res->{framing} = 'close';
        do {
            $sink->($self->{buf}) if length $self->{buf};
            $self->{buf} = '';
        } while ($self->_fill);
        $res->{complete} = $self->{eof} ? 1 : 0;
    }

    $res->{trailing} = length $self->{buf};
    return $res;
}


# True when the server has closed and nothing is left to read.

sub at_end {
    my ($self) = @_;
    return 0 if length $self->{buf};
    return $self->_fill ? 0 : $self->{eof};
}


sub close {
    my ($self) = @_;
    close $self->{sock};
}


sub _parse_head {
    my ($res) = @_;

    my ($line, @fields) = split /\r\n/, $res->{head};
    $line =~ m{^HTTP/(\d\.\d) (\d{3})(?: (.*))?$} or return;
    @$res{qw(version status reason)} = ($1, $2, $3);

    for (@fields) {
        /^([^:\s]+):[ \t]*(.*?)[ \t]*$/ or next;
        push @{ $res->{headers}{lc $1} }, $2;
    }
}


sub _fill {
    my ($self) = @_;

    return 0 if $self->{eof} || $self->{error};

    my $max = 262144;
    if ($self->{pace}) {
        sleep $self->{pace}[1];
        $max = $self->{pace}[0];
    }

    while (1) {
        my $rin = '';
        vec($rin, fileno $self->{sock}, 1) = 1;
        my $n = select $rin, undef, undef, $self->{timeout};
        next if $n < 0 && $! == EINTR;
        if ($n <= 0) {
            $self->{error} = 'timeout';
            return 0;
        }

        $n = sysread $self->{sock}, $self->{buf}, $max, length $self->{buf};
        next if !defined $n && $! == EINTR;
        if (!defined $n) {
            $self->{error} = "$!";
            return 0;
        }
        $self->{eof} = 1 if $n == 0;
        return $n;
    }
}


sub _sized {
    my ($self, $sink, $left) = @_;

    while ($left > 0) {
        if (length $self->{buf}) {
            my $piece = substr $self->{buf}, 0, $left, '';
            $left -= length $piece;
            $sink->($piece);

        } else {
            $self->_fill or return 0;
        }
    }
    return 1;
}


sub _chunked {
    my ($self, $sink) = @_;

    while (1) {
        until ($self->{buf} =~ /\r\n/) {
            $self->_fill or return 0;
        }
        $self->{buf} =~ s/\A([0-9a-fA-F]+)[^\r\n]*\r\n// or return 0;

        my $size = hex $1;
        $self->_sized($sink, $size) or return 0;
        return $self->_trailers if $size == 0;

        until (length $self->{buf} >= 2) {
            $self->_fill or return 0;
        }
        return 0 unless substr($self->{buf}, 0, 2, '') eq "\r\n";
    }
}


# The fields behind the last chunk, up to the empty line.

sub _trailers {
    my ($self) = @_;

    while (1) {
        until ($self->{buf} =~ /\r\n/) {
            $self->_fill or return 0;
        }
        $self->{buf} =~ s/\A([^\r\n]*)\r\n// or return 0;
        return 1 if $1 eq '';
    }
}


package ArtifactHTTP::Response;


sub header {
    my ($self, $name) = @_;
    my $list = $self->{headers}{lc $name};
    return $list ? join(', ', @$list) : undef;
}


sub status { return $_[0]{status} }


sub body { return $_[0]{body} }


1;
