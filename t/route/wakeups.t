#!/usr/bin/perl

# A client that is slow, and subrequests whose bytes come first, hold up what
# any filter has.  When they go on, all filters are called without input: who
# has nothing of his own calls the next one, since gzip, postpone or the writer
# may have something.  Nobody waits for the upstream, or a timer, meanwhile.

use strict;
use warnings;

use Compress::Zlib ();
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream qw(read_request send_answer);

my $t = ArtifactTest->new;
my $port = (my $spare = ArtifactTest->new)->port;
my $dir = $t->prefix;

my $noise = rand_bytes(400_000) =~ tr/0-9A-Za-z//cdr;
my $piece = 4000;
my @pieces = map { substr $noise, $_ * $piece, $piece }
    0 .. length($noise) / $piece - 1;
my $event = qq(data: {"choices":[{"index":0,"delta":{"content":"%s"}}]}\n\n);

# what goes on when the client has seen all of the first part, or much later

sub seen {
    my ($name) = @_;
    for (1 .. 200) {
        return 'seen' if -e "$dir/$name.seen";
        select undef, undef, undef, 0.05;
    }
    return 'not seen';
}

my %first = (
    json => ['application/json', '{"x":"' . join('', @pieces) . '"'],
    events => ['text/event-stream', join '', map { sprintf $event, $_ }
               @pieces],
    event => ['text/event-stream', sprintf $event, 'one'],
    text => ['text/plain', join '', @pieces],
);

my $waits = ArtifactUpstream->new("$dir/waits", serve => sub {
    my ($sock) = @_;

    my ($head) = read_request($sock) or return;
    my ($what, $name) = $head =~ /what=(\w+)&name=(\w+)/ or return;
    my ($type, $first) = @{ $first{$what} };
    send_answer($sock, "HTTP/1.1 200 OK\r\nConnection: close\r\n"
        . "Content-Type: $type\r\nCache-Control: max-age=60\r\n\r\n$first");

    # a cache reads on, whatever the answer is

    for (1 .. ($name =~ /cached/ ? 200 : 0)) {
        last if -e "$dir/$name.seen";
        send_answer($sock, 'more ' x 1000);
        select undef, undef, undef, 0.05;
    }
    send_answer($sock, ' ' . seen($name));
});

# what comes before, in two pieces

my $before = ArtifactUpstream->new("$dir/before", serve => sub {
    my ($sock) = @_;

    my ($head) = read_request($sock) or return;
    my @answer = ("HTTP/1.1 200 OK\r\nConnection: close\r\n"
                  . "Content-Type: text/plain\r\n\r\n", "one\n", "two\n");
    for (@answer) {
        send_answer($sock, $_);
        select undef, undef, undef, 0.1;
    }
});

my $stream = join('', map { sprintf $event, $_ } 1 .. 50)
    . sprintf $event, '<artifacts>[{\"type\":\"te';
my $up = ArtifactUpstream->new("$dir/up", contents => {
    'chat/completions' => { body => $stream, type => 'text/event-stream' } });

my $body = '{"data":[{"b64_json":"' . b64(png(40, 40) . rand_bytes(9000))
    . '"}],"x":"' . 'y' x 3000 . '"}';
my $slices = ArtifactUpstream->new("$dir/slices", serve => sub {
    my ($sock) = @_;

    my ($head) = read_request($sock) or return;
    my ($from, $to) = $head =~ /Range: bytes=(\d+)-(\d+)/i or return;
    my $slice = substr $body, $from, $to - $from + 1;
    send_answer($sock, "HTTP/1.1 206 X\r\nConnection: close\r\nETag: \"a\"\r\n"
        . "Content-Type: application/json\r\nContent-Range: bytes $from-"
        . ($from + length($slice) - 1) . '/' . length($body) . "\r\n\r\n"
        . $slice);
});

my %feature = (
    plain => '',
    offload => 'artifact_offload on;',
    extract => 'artifact_extract strip;',
    both => 'artifact_offload on; artifact_extract strip;',
    routed => 'artifact_route always;',
    cached => 'artifact_route always; proxy_cache c; artifact_text_max 64k;',
);
my $gzip = 'gzip on; gzip_http_version 1.0; gzip_proxied any; gzip_types *;';
my $http = '';

for my $name (sort keys %feature) {
    my $on = $feature{$name};
    my $off = $name eq 'cached' ? '' : 'proxy_buffering off;';

    $http .= <<"LOCATION";
    location /slow/$name/ {
        $on $off $gzip
        proxy_pass http://unix:$dir/waits:/;
    }
    location /bare/$name/ {
        $on $off
        proxy_pass http://unix:$dir/waits:/;
    }
    location /added/$name/ {
        $on
        proxy_buffering off;
        add_before_body /before;
        addition_types *;
        postpone_output 0;
        proxy_pass http://unix:$dir/waits:/;
    }
    location /broken/$name/ {
        $on
        add_before_body /before;
        addition_types *;
        postpone_output 0;
        proxy_pass http://unix:$dir/up:/;
    }
    location /sliced/$name/ {
        $on
        slice 4k;
        proxy_set_header Range \$slice_range;
        proxy_pass http://unix:$dir/slices:/;
    }
LOCATION
}

# without a buffer of the kernel's that takes all at once

$t->start(server => '', http => <<"HTTP");
    proxy_cache_path $dir/cache keys_zone=c:1m;
    artifact_root %%DATA%%;
    artifact_accept text;
    artifact_offload_min 1k;
    send_timeout 30s;

    server {
        listen 127.0.0.1:$port sndbuf=4096;

        location /before {
            proxy_buffering off;
            proxy_pass http://unix:$dir/before:/;
        }
        $http
    }
HTTP


# The answer as far as it comes, and what the upstream saw.

sub ask {
    my ($uri, $name, $enough, @header) = @_;

    my $client = ArtifactHTTP->new($port, timeout => 8, rcvbuf => 4096);
    $client->send("GET $uri HTTP/1.0\r\n" . join('', map { "$_\r\n" } @header)
                  . "\r\n");
    select undef, undef, undef, 0.3 if $enough > 1000 && $enough < 1e9;

    my ($all, $text, $head, $z) = ('', '');
    my $bits = '';
    vec($bits, fileno $client->{sock}, 1) = 1;

    while (select my $r = $bits, undef, undef, 8) {
        sysread $client->{sock}, $all, 65536, length $all
            or return ($text, $head);
        next if !$head && $all !~ s/\A(.*?\r\n\r\n)//s;
        $head //= $1;
        $z //= $head =~ /gzip/ ? Compress::Zlib::inflateInit(
            -WindowBits => Compress::Zlib::WANT_GZIP()) : '';
        $text .= $z ? $z->inflate($all) // '' : $all;
        $all = '';
        spew("$dir/$name.seen", '') if length $text >= $enough;
    }
    return "no end after " . length $text;
}


# A client that is slow: all that has come goes out before the rest comes

for my $name (qw(plain offload extract both routed cached)) {
    for my $what ($name =~ /routed|cached/ ? 'text' : ('json', 'events')) {
        for my $at ('slow', 'bare') {
            my $id = "${at}_${name}_$what";
            my $enough = $name eq 'cached' ? 65_000 : length $first{$what}[1];

            my ($got) = ask("/$at/$name/images/generations?what=$what"
                            . "&name=$id", $id, $enough,
                            'Accept-Encoding: gzip');

            # of a text that is cut the end tells nothing

            ok(-e "$dir/$id.seen" && length $got >= $enough
               && ($name eq 'cached' || $got =~ / seen\b/), "$id: all, at once")
                or diag(length $got, ' ', substr $got, -30);
        }
    }
}


# Behind a subrequest: an event before the next one, and the end of an answer

for my $name (qw(plain offload extract both)) {
    my ($got) = ask("/added/$name/chat/completions?what=event&name=a_$name",
                    "a_$name", 8 + length $first{event}[1]);
    is($got, "one\ntwo\n$first{event}[1] seen", "$name: an event, at once");

    my $cut = length($stream) - 3;

    for my $args ('', "frame=chunked&cut=$cut", "frame=length&cut=$cut") {
        ($got) = ask("/broken/$name/chat/completions?$args", 'none', 1e9);
        ok($got eq "one\ntwo\n" . substr($stream, 0, $args ? $cut : 1e9),
           "$name, $args: to the end") or diag(length $got);
    }

    ($got) = ask("/sliced/$name/images/generations", 'none', 1e9);
    ok($got eq $body, "$name: slices in their order") or diag(length $got);
}

$_->stop for $waits, $before, $up, $slices;
$t->finish;
