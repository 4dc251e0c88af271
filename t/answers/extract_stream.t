#!/usr/bin/perl

# Streams on their way: what has left before the next event is sent, what is
# held and for how long, and ends that come too early.  The upstream waits for
# what the client has received, so that no clock is needed.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactAnswers;
use ArtifactTest;
use IO::Socket::INET;
use IO::Socket::UNIX;
use POSIX ();
use Socket qw(SOCK_STREAM);

my $t = ArtifactTest->new;

my $listen = IO::Socket::UNIX->new(
    Type => SOCK_STREAM, Local => $t->prefix . '/up.sock', Listen => 8,
) or die "listen: $!";
chmod 0777, $t->prefix . '/up.sock';

$t->start(http => <<'HTTP', server => <<'SERVER');
    upstream up {
        server unix:%%PREFIX%%/up.sock max_fails=0;
    }
HTTP
    location /on/ {
        artifact_extract on;
        proxy_pass http://up;
    }
    location /strip/ {
        artifact_extract strip;
        proxy_pass http://up;
    }
SERVER

my $chat = '/v1/chat/completions';
my ($client, $upstream, $seen);

sub event { return (answer_events('openai', [$_[0]]))[1]{data} }

sub final {
    return (grep { $_->{final} } answer_events('openai', []))[0]{data};
}

# Without a length, and with the connection's end for the body's.

sub begin {
    my ($uri) = @_;

    $client = IO::Socket::INET->new(PeerAddr => '127.0.0.1:' . $t->port)
        or die "connect: $!";
    $client->print("POST $uri HTTP/1.0\r\nHost: a\r\n"
                   . "Content-Length: 2\r\n\r\n{}");
    $upstream = $listen->accept;
    my $request = '';
    sysread $upstream, $request, 8192, length $request
        or die "request: $!" until $request =~ /\{\}\z/;

    send_on("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n");
    $seen = '';
    receive(qr/\r\n\r\n\z/, 'the header leaves before any event');
    $seen = '';
}


sub send_on {
    my ($bytes) = @_;
    local $SIG{PIPE} = 'IGNORE';

    while (length $bytes) {
        my $n = syswrite $upstream, $bytes or return;
        substr $bytes, 0, $n, '';
    }
}


# More than sockets hold: written by another process, up to the end.

sub in_background {
    my ($bytes) = @_;

    my $pid = fork // die "fork: $!";
    return $pid if $pid;

    send_on($bytes);
    close $upstream;
    POSIX::_exit(0);
}


# What has come matches; all of it came without anything more being sent.

sub receive {
    my ($re, $name) = @_;

    local $SIG{ALRM} = sub { die "timeout\n" };
    alarm 20;
    eval {
        while ($seen !~ $re) {
            sysread $client, $seen, 65536, length $seen or last;
        }
    };
    alarm 0;
    like($seen, $re, $name);
}


sub end {
    my ($close) = @_;
    close $upstream;

    local $SIG{ALRM} = sub { die "timeout\n" };
    alarm 20;
    1 while sysread $client, $seen, 65536, length $seen;
    alarm 0;
    close $client;
    return $seen;
}


for my $mode (qw(on strip)) {
    begin("/$mode$chat");
    my $sent = '';

    for my $word (qw(a b > c)) {
        $sent .= my $event = 'data: ' . event($word) . "\n\n";
        send_on($event);
        receive(qr/\A\Q$sent\E\z/,
                "$mode: the event has left before the next one comes");
    }

    is(end(), $sent, "$mode: nothing is added");
}

# half an event that cannot matter

begin("/on$chat");
send_on('data: {"choices":[{"index":0,"delta":{"content":"<art');
receive(qr/<art\z/, 'on: what is there of an event has left');
send_on("ifacts>[]</artifacts>\"}}]}\n\n: c\n\n");
receive(qr/: c\n\n\z/, 'on: and so has the rest');
end();

# held, while comments pass

begin("/strip$chat");
send_on('data: ' . event('see') . "\n\ndata: " . event('x <arti') . "\n\n"
        . ": ping\n\n");
receive(qr/see.*\n\n: ping\n\n\z/s, 'a comment passes what is held');
unlike($seen, qr/x </, 'which is held');
send_on('data: ' . event('sts') . "\n\n");
receive(qr/: ping\n\ndata: \N*"x <arti"\N*\n\ndata: \N*"sts"\N*\n\n\z/,
        'prose leaves as soon as it is known to be that');
send_on('data: ' . event('<artifacts>') . "\n\n: held\n\n");
receive(qr/: held\n\n\z/, 'a tag is held');
send_on('data: ' . event(' {') . "\n\n");
receive(qr/: held\n\ndata: \N*"<artifacts>"\N*\n\ndata: \N*" \{"\N*\n\n\z/,
        'until what follows can be no array');
send_on('data: {"choices":[');
receive(qr/\ndata: \{"choices":\[\z/, 'and nothing is held from then on');
end();

# long ones

begin("/strip$chat");
send_on('data: ' . event('<artifacts>["') . "\n\n");
send_on('data: ' . event('y' x 10_000) . "\n\n") for 1 .. 27;
receive(qr/<artifacts>\[.*?y{10000}.*?y{10000}/s,
        'a block of more than 256 KB is let go');
send_on('data: ' . event('"]</artifacts>') . "\n\n");
send_on('data: ' . final() . "\n\n");
$seen = end();
is(() = $seen =~ /y{10000}/g, 27, 'as it came');
like($seen, qr/finish_reason":"stop"\}\]\}\n\n\z/, 'and has no item');

like($t->log, qr/\[warn\] .* a block of artifacts of more than 262144 bytes, /,
     'and the log says so');

# a block below that, in whatever events: only its own bytes count

begin("/strip$chat");
send_on('data: ' . event('see <artifacts>[{"type":"text","content":"')
        . "\n\n");
send_on('data: ' . event('y' x 3000) . "\n\n") for 1 .. 84;
send_on('data: ' . event('"}]</artifacts>') . "\n\ndata: " . final() . "\n\n");
$seen = end();
like($seen, qr/"see ".*"stop"\}\],"artifacts":\[\N*"y+"\}\]\}\n\n\z/s,
     'a block of 252,000 bytes has an item');
is($seen =~ tr/y//, 252_000 + 1, 'and is cut');

# events of more than 4 MB: they go out as they came, but the block counts

my ($open, $space, $close, $last) = map { "data: $_\n\n" }
    event('<artifacts>[{"type":"text","content":"c"}'), event(' '),
    event(']</artifacts>'), final();
my $all = $open . $space x 32_000 . $close;
ok(length $all > 4 << 20, 'events of more than 4 MB');

begin("/strip$chat");
my $writer = in_background($all . $last);
$seen = end();
waitpid $writer, 0;
$last =~ s/\}\n\n\z/,"artifacts":[{"type":"text","content":"c"}]}\n\n/;
ok($seen eq $all . $last, 'a block in them stays, and has its item');
like($t->log, qr/\[warn\] .* in more than 4194304 bytes of events, /,
     'and the log says so');

begin("/strip/v1/responses");
my $image = 'event: response.image_generation_call.partial_image' . "\n"
    . 'data: {"type":"response.image_generation_call.partial_image",'
    . '"partial_image_b64":"';
send_on($image . 'A' x 100_000);
receive(qr/(?:A{10000}){9}/, 'half an image is not held');

$writer = in_background('A' x 3_000_000 . "\"}\n\n");
$seen = end();
waitpid $writer, 0;
is($seen, $image . 'A' x 3_100_000 . "\"}\n\n", 'and comes as it was');

# early ends

for my $how (qw(close cut)) {
    begin("/strip$chat");
    my $stream = 'data: ' . event('<artifacts>[1]</art');
    send_on($stream . ($how eq 'close' ? "\n\n" : ''));
    is(end(), $stream . ($how eq 'close' ? "\n\n" : ''),
       "$how: what was held comes with the end");
}

# an upstream that fails in mid-stream: chunked, without the last chunk

$client = IO::Socket::INET->new(PeerAddr => '127.0.0.1:' . $t->port);
$client->print("POST /strip$chat HTTP/1.1\r\nHost: a\r\n"
               . "Content-Length: 2\r\n\r\n{}");
$upstream = $listen->accept;
sysread $upstream, my $request, 8192;
my $held = 'data: ' . event('<artifacts>[') . "\n\n";
send_on("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
        . "Transfer-Encoding: chunked\r\n\r\n"
        . sprintf("%x\r\n%s\r\n", length $held, $held));
$seen = '';
end();
like($seen, qr/\Q$held\E/, 'a failure lets go what is held');
unlike($seen, qr/\r\n0\r\n\r\n\z/, 'and is no end');

$t->finish;
