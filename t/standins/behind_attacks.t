#!/usr/bin/perl

# Bodies that are made to cost: one stand-in many times, many at the same time,
# slow and cut bodies, clients that leave, and content that goes meanwhile.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactEcho;
use ArtifactFixtures;
use ArtifactStandins;
use ArtifactTest;
use ArtifactWrite qw(until_true);
use IO::Socket::INET;
use Time::HiRes qw(sleep time);

my $t = ArtifactTest->new(workers => 1);
my $dir = $t->prefix;

# a PNG of a megabyte: what follows its end does not matter to anybody

my $large = png(30, 20) . 'x' x (1 << 20);
my $small = png(8, 8);
my ($of, $id) = standin($t, png => $large);
my ($tiny) = standin($t, png => $small);
my @pngs = map { png($_, 7) } 1 .. 300;
my @many = map { [standin($t, png => $_)] } @pngs;

$t->file('map.json', { services => [
    { id => 'sees', model => 'sees', capabilities => { input => [qw(text vision)] } },
] });

my $echo = echo("$dir/echo");
my $threads = $t->version =~ /--with-threads/ ? 'aio threads;' : '';

$t->start(http => 'artifact_capabilities %%PREFIX%%/map.json;', server => <<"SERVER");
    artifact_root %%DATA%%;
    artifact_language en;
    client_max_body_size 64m;
    artifact_body_max 96m;
    location /artifacts/ { internal; artifact; $threads }
    location /slow/ { internal; artifact; limit_rate 20m; }
    location /behind/ {
        artifact_expand standins;
        client_body_buffer_size 8k;
        proxy_request_buffering on;
        $threads
        proxy_pass http://unix:$dir/echo:/v1/;
    }
    location /small/ {
        artifact_expand on;
        artifact_body_max 3m;
        proxy_pass http://unix:$dir/echo:/v1/;
    }
    location /slowly/ {
        artifact_expand standins;
        artifact_source /slow/;
        proxy_pass http://unix:$dir/echo:/v1/;
    }
    location /ping { return 200 pong; }
SERVER

sub image {
    return '{"type":"image_url","image_url":{"url":"data:image/png;base64,'
        . b64($_[0]) . '"}}';
}

sub slots { return '{"model":"sees","messages":[{"role":"user","content":['
    . join(',', map { image($_) } @_) . ']}]}' }

sub elsewhere { return '{"model":"sees","x":['
    . join(',', map { '"' . b64($_) . '"' } @_) . ']}' }

sub tool { return '{"model":"sees","messages":[{"role":"tool","content":"'
    . join(' ', map { b64($_) } @_) . '"}]}' }

sub ask {
    my ($where, $body) = @_;
    return $t->req('POST', "/$where/chat/completions", body => $body,
        timeout => 60, headers => ['Content-Type' => 'application/json']);
}

my ($pid) = $t->workers;

# the same one, forty times: 56 MB of base64

for my $make (\&slots, \&elsewhere) {
    my $was = $t->memory($pid);
    my $res = ask(behind => $make->(($of) x 40));
    is($res->{status}, 200, 'forty times');
    ok($res->{body} eq $make->(($large) x 40), 'all of them');
    cmp_ok($t->memory($pid) - $was, '<', 8 << 10, 'in little memory');
}

my $res = ask(behind => tool(($of) x 40));
is(() = decode_strict($res->body)->{messages}[0]{content}
       =~ /\[image\/png, 1.0 MB\]/g, 40, 'in a text: their names');
is(() = $res->body =~ /base64,/g, 16, 'sixteen parts');
unlike($res->body, qr/UgAAAKAAAABA/, 'no stand-in is left');

# more than the body may have

is(ask(small => elsewhere(($of) x 3))->{status}, 413, 'too large in a string');
is(ask(small => slots(($of) x 3))->{status}, 413, 'too large in slots');
is(ask(small => tool(($of) x 3))->{status}, 413, 'too large behind a text');
is(ask(small => elsewhere(($of) x 2))->{status}, 200, 'not too large');

# as many as a body has

for my $n (4096, 5000) {
    my $from = time;
    $res = ask(behind => elsewhere(($tiny) x $n));
    is($res->{status}, 200, "$n of them");
    ok($res->{body} eq elsewhere(($small) x $n), 'all of them');
    diag sprintf '%d: %.1f s', $n, time - $from;
}

$res = ask(behind => elsewhere(map { $_->[0] } (@many) x 3));
ok($res->{body} eq elsewhere((@pngs) x 3), 'three hundred');

# cut at any place: as it came

my $body = elsewhere($tiny, $of);

for my $n (map { int $_ * length($body) / 40 } 1 .. 39) {
    my $cut = substr $body, 0, $n;
    is(ask(behind => $cut)->body, $cut, "cut at $n");
}

# byte by byte, and in two

for my $n (1, 7, 100, 431) {
    my $conn = IO::Socket::INET->new(PeerAddr => '127.0.0.1:' . $t->port) or die;
    $body = slots($tiny) . ' ';
    syswrite $conn, "POST /behind/chat/completions HTTP/1.1\r\nHost: a\r\n"
        . "Content-Type: application/json\r\nConnection: close\r\n"
        . 'Content-Length: ' . length($body) . "\r\n\r\n";
    $conn->setsockopt(6, 1, 1);
    for (my $i = 0; $i < length $body; $i += $n) {
        syswrite $conn, substr $body, $i, $n;
        sleep 0.0005;
    }
    my $got = join '', <$conn>;
    ok($got =~ /\r\n\r\n(.*)\z/s && $1 eq slots($small) . ' ', "in pieces of $n");
}

# clients that leave, at each step; nothing stays open

my $files = sub { scalar(() = glob "/proc/$pid/fd/*") };
ask(behind => slots($tiny));
my $open = $files->();

for my $where (qw(behind slowly)) {
    for my $i (0 .. 40) {
        my $conn = IO::Socket::INET->new(PeerAddr => '127.0.0.1:' . $t->port)
            or die;
        $body = slots(map { $i % 2 ? $of : $_->[0] } @many[0 .. 11]);
        my $send = $i < 10 ? int($i / 10 * length $body) : length $body;
        syswrite $conn, "POST /$where/chat/completions HTTP/1.1\r\nHost: a\r\n"
            . "Content-Type: application/json\r\n"
            . 'Content-Length: ' . length($body) . "\r\n\r\n"
            . substr $body, 0, $send;
        sleep $i * 0.002 if $i >= 10;
        close $conn;
    }
    is($t->get('/ping')->body, 'pong', "$where: still there");
}

until_true(sub { $files->() <= $open }, 30);
cmp_ok($files->(), '<=', $open, 'no file is left open');
is(($t->workers)[0], $pid, 'the same worker');

# a file that goes while it is read, and one that expires in between

my $path = (grep { !/meta\z/ } glob $t->data . "/artifacts/$id*")[0];
my $meta = $t->data . "/artifacts/$id.meta";
my $sidecar = slurp($meta);

for my $round (1 .. 6) {
    my $child = fork // die "fork: $!";
    if (!$child) {
        sleep 0.01 * $round;
        rename $meta, "$meta.away";
        spew($meta, $sidecar =~ s/\}\s*\z/,"expiresAt":"2020-01-01T00:00:00Z"}/r);
        POSIX::_exit(0);
    }
    $res = ask(slowly => elsewhere($of, $tiny, ($of) x 3));
    waitpid $child, 0;
    ok(($res->{status} == 200
        && $res->{body} eq elsewhere($large, $small, ($large) x 3))
       || ($res->{status} == 502 && $res->body =~ /source_failed/),
       "expired meanwhile: $res->{status}");
    is(ask(behind => elsewhere($of))->{status}, 502, 'and afterwards');
    rename "$meta.away", $meta or die "rename: $!";
}

is(ask(behind => elsewhere($of))->{status}, 200, 'there again');

# a file that is truncated while it is sent is no whole content

for my $round (1 .. 4) {
    my $child = fork // die "fork: $!";
    if (!$child) {
        sleep 0.01 * $round;
        truncate $path, 1000;
        POSIX::_exit(0);
    }
    $res = ask(slowly => elsewhere(($of) x 2));
    waitpid $child, 0;
    ok($res->{status} == 502
       || ($res->{status} == 200 && $res->{body} eq elsewhere(($large) x 2)),
       "cut meanwhile: $res->{status}");
    spew($path, $large);
}

$t->allow(qr/artifact|has shrunk|was truncated|pread|sendfile/);
$t->finish;
