package ArtifactUpstream;

# An upstream that does as it is told, on a unix socket: HTTP, FastCGI, SCGI or
# uwsgi, one process a connection, one request a connection (of FastCGI as many
# as come).
#
# The path of the URI names the content, the arguments say what becomes of it:
#
#   status=N     this status
#   type=T       this Content-Type, empty: none
#   header=N:V   one header more; repeatable
#   frame=F      the body ends by "length" (default), "chunked" or "close"
#   claim=N      this Content-Length, whatever the length
#   cut=N        the connection ends after N bytes of the body, below 0 as many
#                before its end; of a chunked one the chunks are whole
#   headcut=N    ... after N bytes of the header
#   nolast=1     the last chunk does not come
#   short=N      the last chunk or record lacks N of the bytes that it tells
#   junk=N       N bytes follow that begin neither a chunk nor a record
#   hang=1       then nothing more comes, until the other side goes away
#   extra=N      N bytes more than there are
#   step=N       bytes in one write (and in one chunk)
#   pause=N      milliseconds after each write
#   wait=N       0.3 seconds of silence after N bytes of the body

use strict;
use warnings;

use Errno qw(EINTR);
use Exporter 'import';
use IO::Socket::INET;
use IO::Socket::UNIX;
use MIME::Base64 qw(encode_base64);
use POSIX ();
use Socket qw(SOCK_STREAM SOMAXCONN);
use Time::HiRes qw(sleep);

our @EXPORT_OK = qw(read_request send_answer);

my $OWNER = $$;
my %RUNNING;
my %REQUEST = (http => \&_http, fastcgi => \&_fastcgi, scgi => \&_scgi,
               uwsgi => \&_uwsgi);


# contents: path without its first "/" => { body, type, headers => [..] }; one
# called "*" stands for all others.  protocol: http (default), fastcgi, scgi or
# uwsgi.  serve: is called with each connection instead, in a process of its
# own.  path: of a socket, or ADDRESS:PORT with "log", the path of a file.

sub new {
    my ($class, $path, %opt) = @_;

    my $self = bless {
        protocol => 'http', log => "$path.log", %opt, path => $path,
    }, $class;
    $self->{listen} = $path =~ /^[\d.]+:\d+\z/
        ? IO::Socket::INET->new(LocalAddr => $path, Listen => SOMAXCONN,
                                ReuseAddr => 1)
        : IO::Socket::UNIX->new(Type => SOCK_STREAM, Local => $path,
                                Listen => SOMAXCONN);
    $self->{listen} or die "$path: $!";
    open my $log, '>', $self->{log} or die "$self->{log}: $!";
    chmod 0777, $path;

    $self->{pid} = fork // die "fork: $!";
    if (!$self->{pid}) {
        setpgrp 0, 0;
        $SIG{CHLD} = 'IGNORE';
        $SIG{PIPE} = 'IGNORE';
        $SIG{TERM} = 'DEFAULT';
        $self->_serve;
        POSIX::_exit(0);
    }

    $RUNNING{ $self->{pid} } = 1;
    close $self->{listen};
    return $self;
}


# One that answers with the body that it gets, and with the header of the
# request, in base64, in X-Head.

sub echo {
    my ($class, $path) = @_;
    return $class->new($path, serve => \&_echo);
}


sub _echo {
    my ($sock) = @_;

    my ($head, $body) = read_request($sock) or return;

    send_answer($sock, "HTTP/1.1 200 OK\r\nConnection: close\r\n"
        . 'Content-Length: ' . length($body) . "\r\nContent-Type: "
        . "application/json\r\nX-Head: " . encode_base64($head, '')
        . "\r\n\r\n$body");
}


# For what is called with connections: the header and the body of a request, an
# empty list if it does not come; and bytes, as many at a time.

sub read_request {
    my ($sock) = @_;

    my $buf = '';
    until ($buf =~ /\r\n\r\n/) {
        sysread $sock, $buf, 65536, length $buf or return;
    }

    my ($head, $body) = split /\r\n\r\n/, $buf, 2;
    my ($length) = $head =~ /^Content-Length: (\d+)/mi;
    while (length $body < ($length // 0)) {
        sysread $sock, $body, 1048576, length $body or return;
    }

    return ($head, $body);
}


sub send_answer {
    my ($sock, $answer, $step) = @_;

    for (my $at = 0; $at < length $answer; ) {
        $at += syswrite($sock, $answer, $step // 65536, $at) // return;
    }
}


# What was asked since the last call: "METHOD URI" each, and in full.

sub requests {
    my ($self) = @_;
    return map { (split /\t/)[0] } $self->requests_in_full;
}


sub requests_in_full {
    my ($self) = @_;

    open my $log, '<', $self->{log} or die "$self->{log}: $!";
    seek $log, $self->{seen} || 0, 0;
    my @lines = <$log>;
    $self->{seen} = tell $log;
    chomp @lines;
    return @lines;
}


# How many connections there were so far.

sub connections {
    my ($self) = @_;
    return -s "$self->{log}.connections" || 0;
}


sub stop {
    my ($self) = @_;
    my $pid = delete $self->{pid} or return;
    kill TERM => -$pid, $pid;
    waitpid $pid, 0;
    delete $RUNNING{$pid};
}


END {
    if ($$ == $OWNER && %RUNNING) {
        local $?;
        for my $pid (keys %RUNNING) {
            kill TERM => -$pid, $pid;
            waitpid $pid, 0;
        }
    }
}


sub _serve {
    my ($self) = @_;

    while (1) {
        my $sock = $self->{listen}->accept;
        if (!$sock) {
            next if $! == EINTR;
            return;
        }

        open my $count, '>>', "$self->{log}.connections" or die "open: $!";
        syswrite $count, '.';
        close $count;

        my $pid = fork // die "fork: $!";
        if (!$pid) {
            close $self->{listen};
            $self->{sock} = $sock;
            my $serve = $self->{serve} || $REQUEST{ $self->{protocol} };
            eval { $self->{serve} ? $serve->($sock) : $serve->($self) };
            close $sock;
            POSIX::_exit(0);
        }
        close $sock;
    }
}


# --- requests --------------------------------------------------------------

sub _http {
    my ($self) = @_;

    my $head = '';
    until ($head =~ /\r\n\r\n/) {
        sysread $self->{sock}, $head, 65536, length $head or return;
    }

    # all of the body: to close before would be a reset

    my ($length) = $head =~ /^Content-Length: (\d+)/mi;
    $self->_fill(\$head, index($head, "\r\n\r\n") + 4 + $length) or return
        if $length;
    $head =~ s/\r\n\r\n.*//s;

    my ($line, @headers) = split /\r\n/, $head;
    my ($method, $uri) = $line =~ /^(\S+) (\S+)/ or return;
    $self->_log("$method $uri", @headers);
    $self->_answer($method, $uri);
}


sub _fastcgi {
    my ($self) = @_;

    my ($buf, $params, $keep) = ('', '', 0);
    while (1) {
        $self->_fill(\$buf, 8) or return;
        my ($type, $length, $padding) = unpack 'x C x2 n C', $buf;
        $self->_fill(\$buf, 8 + $length + $padding) or return;

        $keep = ord(substr $buf, 10, 1) & 1 if $type == 1;
        $params .= substr $buf, 8, $length if $type == 4;
        substr $buf, 0, 8 + $length + $padding, '';
        next unless $type == 5 && !$length;

        my %param;
        while (length $params) {
            my @length;
            for (1 .. 2) {
                my $long = ord($params) & 0x80;
                push @length, unpack($long ? 'N' : 'C', $params) & 0x7fffffff;
                substr $params, 0, $long ? 4 : 1, '';
            }
            my $name = substr $params, 0, $length[0], '';
            $param{$name} = substr $params, 0, $length[1], '';
        }
        $self->_gateway(\%param) && $keep or return;
    }
}


sub _scgi {
    my ($self) = @_;

    my $buf = '';
    until ($buf =~ /:/) {
        $self->_fill(\$buf, 1 + length $buf) or return;
    }
    my ($length) = $buf =~ /\A(\d+):/ or return;
    my $at = 1 + length $length;
    $self->_fill(\$buf, $at + $length + 1) or return;
    my @fields = split /\0/, substr($buf, $at, $length), -1;
    pop @fields;
    my %param = @fields;
    $self->_gateway(\%param);
}


sub _uwsgi {
    my ($self) = @_;

    my $buf = '';
    $self->_fill(\$buf, 4) or return;
    my $length = unpack 'x v', $buf;
    $self->_fill(\$buf, 4 + $length) or return;
    my %param = unpack '(v/a)*', substr $buf, 4, $length;
    $self->_gateway(\%param);
}


# Reads until there are n bytes.

sub _fill {
    my ($self, $buf, $n) = @_;
    while (length $$buf < $n) {
        sysread $self->{sock}, $$buf, 65536, length $$buf or return 0;
    }
    return 1;
}


sub _gateway {
    my ($self, $param) = @_;
    my $uri = "$param->{DOCUMENT_URI}?$param->{QUERY_STRING}";
    $self->_log("$param->{REQUEST_METHOD} $uri",
                map { "$_: $param->{$_}" } sort grep { /^HTTP_/ } keys %$param);
    return $self->_answer($param->{REQUEST_METHOD}, $uri);
}


sub _log {
    my ($self, @fields) = @_;
    open my $log, '>>', $self->{log} or die "$self->{log}: $!";
    syswrite $log, join("\t", @fields) . "\n";
}


# --- answers ---------------------------------------------------------------

# True if all of it was sent.

sub _answer {
    my ($self, $method, $uri) = @_;

    my ($path, $query) = $uri =~ m{^/?([^?]*)\??(.*)};
    my (%arg, @headers);
    for (grep { length } split /&/, $query) {
        my ($name, $value) = (split(/=/, $_, 2), '');
        $value =~ s/%([0-9a-fA-F]{2})/chr hex $1/ge;
        if ($name eq 'header') {
            push @headers, $value;
        } else {
            $arg{$name} = $value;
        }
    }

    my $content = $self->{contents}{$path} || $self->{contents}{'*'}
        || { body => "no $path\n", type => 'text/plain', status => 404 };
    my $body = $content->{body} . 'X' x ($arg{extra} || 0);
    my $http = $self->{protocol} eq 'http';
    my $records = $self->{protocol} eq 'fastcgi';
    my $frame = $records ? 'records' : $arg{frame} || 'length';
    my $type = $arg{type} // $content->{type} // '';
    my $status = $arg{status} || $content->{status} || 200;

    my $head = ($http ? 'HTTP/1.1 ' : 'Status: ') . "$status X\r\n";
    $head .= "Connection: close\r\n" if $http;
    $head .= "Content-Type: $type\r\n" if length $type;
    $head .= "$_\r\n" for @headers, @{ $content->{headers} || [] };
    $head .= "Transfer-Encoding: chunked\r\n" if $frame eq 'chunked';
    $head .= "Content-Length: " . ($arg{claim} // length $content->{body})
        . "\r\n" if $frame eq 'length' || defined $arg{claim};
    $head .= "\r\n";

    $head = substr $head, 0, $arg{headcut} if defined $arg{headcut};
    $self->_write($frame eq 'records' ? _record(6, $head) : $head, \%arg);
    return 0 if defined $arg{headcut};
    return 1 if $method eq 'HEAD' && !$records;

    my $cut = $arg{cut} // length $body;
    $cut += length $body if $cut < 0;
    my @pieces = substr $body, 0, $cut;
    @pieces = (substr($pieces[0], 0, $arg{wait}), undef,
               substr($pieces[0], $arg{wait})) if defined $arg{wait};

    for my $piece (@pieces) {
        sleep 0.3 unless defined $piece;
        $self->_body($piece, $frame, \%arg) if length($piece // '');
    }
    $self->_write(substr("\xff" . "ffff\r\n" x $arg{junk}, 0, $arg{junk}),
                  \%arg) if $arg{junk};
    if ($arg{hang}) {
        1 while sysread $self->{sock}, my $buf, 65536;
    }
    return 0 if defined $arg{cut} || grep { $arg{$_} } qw(nolast short junk
                                                          hang);

    if ($frame eq 'chunked') {
        $self->_write("0\r\n\r\n", \%arg);
    } elsif ($frame eq 'records') {
        $self->_write(_record(6, '') . _record(3, "\0" x 8), \%arg);
    }
    return 1;
}


sub _body {
    my ($self, $bytes, $frame, $arg) = @_;

    return $self->_write($bytes, $arg) if $frame =~ /length|close/;

    my $step = $arg->{step} || 30000;
    for (my $at = 0; $at < length $bytes; $at += $step) {
        my $piece = substr $bytes, $at, $step;
        my $short = $at + $step < length $bytes ? 0 : $arg->{short} || 0;
        $self->_write($frame eq 'records' ? _record(6, $piece, $short)
                      : sprintf("%x\r\n%s", $short + length $piece, $piece)
                        . ($short ? '' : "\r\n"), $arg);
    }
}


sub _record {
    my ($type, $bytes, $short) = @_;
    return pack('C C n n C C', 1, $type, 1, ($short || 0) + length $bytes, 0, 0)
        . $bytes;
}


sub _write {
    my ($self, $bytes, $arg) = @_;

    my $step = $arg->{step} || 65536;
    my $at = 0;
    while ($at < length $bytes) {
        my $max = length($bytes) - $at;
        my $n = syswrite $self->{sock}, $bytes, $step < $max ? $step : $max,
            $at;
        next if !defined $n && $! == EINTR;
        POSIX::_exit(0) unless $n;
        $at += $n;
        sleep $arg->{pause} / 1000 if $arg->{pause};
    }
}


1;
