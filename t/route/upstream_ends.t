#!/usr/bin/perl

# An upstream whose bytes are not needed any more, since the text is cut or the
# answer is a description, is not read to its end; a cache and proxy_store still
# get all of it, and a connection with bytes left is not used again.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $SIZE = 1_000_000_000;
my $MORE = 32 << 20;             # what buffers on the way may take

my %begin = (text => ["words and words\n" x 64, 'text/plain'],
             video => [mp4() . "\0" x 500, 'video/mp4']);

# Writes a body of $SIZE bytes, or 100,000 ones of it if the name says so, and
# notes how many of them were taken.  Answers as often as it is asked.

sub endless {
    my ($sock) = @_;

    my $buf = '';
    while (1) {
        until ($buf =~ /\r\n\r\n/) {
            sysread $sock, $buf, 4096, length $buf or return;
        }
        $buf =~ s{\AGET (/(\w+)-(\w+)\S*).*?\r\n\r\n}{}s or return;
        my ($uri, $id, $how) = ($1, $2, $3);
        my $size = $how =~ /short/ ? 60_000
            : $how =~ /middle/ ? 4_000_000 : $SIZE;
        my ($body, $type) = @{ $begin{$id} };
        my $frame = $how =~ /chunked/ ? "Transfer-Encoding: chunked"
            : "Content-Length: $size";
        syswrite $sock, "HTTP/1.1 200 OK\r\nContent-Type: $type\r\n"
            . "ETag: \"one\"\r\n$frame\r\n\r\n";
        my $sent = 0;
        while ($sent < $size) {
            my $piece = $sent ? "more of it\n" x 3000 : $body;
            $piece = substr $piece, 0, $size - $sent
                if $sent + length $piece > $size;
            my $bytes = $how !~ /chunked/ ? $piece
                : sprintf("%x\r\n%s\r\n", length $piece, $piece);
            for (my $at = 0; $at < length $bytes; ) {
                my $n = syswrite $sock, $bytes, length($bytes) - $at, $at;
                if (!$n) {
                    note_sent($uri, $sent);
                    return;
                }
                $at += $n;
            }
            $sent += length $piece;
        }
        syswrite $sock, "0\r\n\r\n" if $how =~ /chunked/;
        note_sent($uri, $sent);
    }
}

sub note_sent {
    my ($uri, $sent) = @_;
    open my $log, '>>', "$dir/sent" or die "sent: $!";
    syswrite $log, "$uri $sent\n";
}

my $up = ArtifactUpstream->new("$dir/up.sock", serve => \&endless);
my %content = map { $_ => {
    body => $begin{$_}[0] . "more of it\n" x 1_000_000, type => $begin{$_}[1],
} } keys %begin;
my @gateways = map { ArtifactUpstream->new("$dir/$_.sock", protocol => $_,
                                           contents => \%content) }
    qw(fastcgi scgi uwsgi);

my %modes = (
    plain => '',
    unbuffered => 'proxy_buffering off;',
    tiny => 'proxy_buffer_size 1k; proxy_buffers 3 1k;'
        . 'proxy_busy_buffers_size 2k;',
    threads => 'aio threads; aio_write on; proxy_buffers 2 4k;'
        . 'proxy_busy_buffers_size 4k; proxy_buffer_size 4k;',
    unverified => 'artifact_verify off;',
    'unverified-unbuffered' => 'artifact_verify off; proxy_buffering off;',
    cached => 'proxy_cache c; proxy_cache_valid 200 1m;'
        . 'proxy_cache_key "$uri$is_args$args";',
    stored => 'proxy_store %%PREFIX%%/store$uri;',
);
my $locations = join '', map { <<"CONF" } sort keys %modes;
    location /$_/ {
        proxy_pass http://up/;
        $modes{$_}
    }
CONF
$locations .= join '', map { <<"CONF" } qw(fastcgi scgi uwsgi);
    location ~ ^/$_/(?<name>.*) {
        ${_}_pass unix:$dir/$_.sock;
        ${_}_param REQUEST_METHOD \$request_method;
        ${_}_param QUERY_STRING \$query_string;
        ${_}_param DOCUMENT_URI \$name;
    }
    location ~ ^/$_-unbuffered/(?<name>.*) {
        ${_}_buffering off;
        ${_}_pass unix:$dir/$_.sock;
        ${_}_param REQUEST_METHOD \$request_method;
        ${_}_param QUERY_STRING \$query_string;
        ${_}_param DOCUMENT_URI \$name;
    }
CONF

$t->start(http => <<'HTTP', server => $locations);
    upstream up {
        server unix:%%PREFIX%%/up.sock max_fails=0;
        keepalive 4;
    }
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    proxy_cache_path %%PREFIX%%/cache keys_zone=c:1m;
    artifact_route on;
    artifact_text_max 2000;
HTTP


sub sent {
    my ($uri) = @_;
    $t->wait_for(qr/^\Q$uri\E \d+$/m, 'sent') or return $SIZE;
    return slurp("$dir/sent") =~ /^\Q$uri\E (\d+)$/m ? $1 : $SIZE;
}


sub right {
    my ($id, $res) = @_;
    my $data = json_of($res);
    return $res->{complete} && ($id eq 'text'
        ? length $data->{content} == 2000 && $data->{metadata}{truncated}
        : $data->{metadata}{reason} eq 'capability');
}


# On a connection that stays: nginx looks after a client that goes away.

sub ask {
    my ($conn, $uri, @headers) = @_;
    return $conn->request('GET', $uri, keep => 1,
                          headers => ['X-LLM-Capabilities' => 'text',
                                      @headers]);
}


my $n = 0;

for my $mode (sort grep { !/cached|stored/ } keys %modes) {
    my @wrong;
    for my $id (sort keys %begin) {
        for my $how ('sized', 'chunked') {
            my $uri = "/$id-$how?" . ++$n;
            my $conn = $t->connect;
            my $res = ask($conn, "/$mode$uri");
            push @wrong, "$uri: " . substr $res->body, 0, 200
                if !right($id, $res);
            my $sent = sent($uri);
            push @wrong, "$uri: $sent bytes" if $sent > $MORE;

            # nor does a 304 need it

            $uri = "/$id-$how?" . ++$n;
            $conn = $t->connect;
            $res = ask($conn, "/$mode$uri",
                       'If-None-Match' => $res->header('ETag'));
            push @wrong, "$uri: $res->{status}" if $res->{status} != 304;
            $sent = sent($uri);
            push @wrong, "$uri: $sent bytes" if $sent > $MORE;
        }
    }
    is(join("\n", @wrong), '', "$mode: what is not needed is not read");
}

# a connection with something left is not used again, one without is

for my $mode ('plain', 'unbuffered') {
    my @wrong;
    for my $id (('text', 'video') x 2) {
        for my $how ('sized', 'chunked', 'short', 'shortchunked') {
            push @wrong, "$id $how"
                if !right($id, $t->accept('text', "/$mode/$id-$how"));
        }
    }
    is(join(' ', @wrong), '', "$mode: connections that are kept");

    my $before = $up->connections;
    my $conn = $t->connect;
    ask($conn, "/$mode/text-short") for 1 .. 6;
    cmp_ok($up->connections - $before, '<', 2,
       "$mode: short ones are read to their end");
}

# a cache and a store get all of it

for my $id (sort keys %begin) {
    for my $mode ('cached', 'stored') {
        for my $how ('middle', 'middlechunked') {
            my $uri = "/$id-$how?" . ++$n;
            ok(right($id, $t->accept('text', "/$mode$uri")), "$mode: $uri");
            is(sent($uri), 4_000_000, 'all of it was read');
            my $whole = substr $begin{$id}[0] . "more of it\n" x 400_000, 0,
                4_000_000;
            next if $mode eq 'cached'
                && is($t->get("/$mode$uri")->body eq $whole, 1, 'is cached');
            next if $mode eq 'cached';
            my $file = "$dir/store/$mode/$id-$how";
            $t->wait_for(qr/\Q$begin{$id}[0]\E/, "store/$mode/$id-$how");
            ok(slurp($file) eq $whole, 'is stored');
        }
    }
}

for my $gateway (map { ($_, "$_-unbuffered") } qw(fastcgi scgi uwsgi)) {
    my @wrong = grep {
        my $res = $t->accept('text', "/$gateway/$_?frame=close");
        !right($_, $res);
    } sort keys %begin;
    is("@wrong", '', "$gateway: cut and described");
}

unlike($t->log, qr/upstream ended after/, 'which is no error');

$_->stop for $up, @gateways;
$t->finish;
