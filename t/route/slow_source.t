#!/usr/bin/perl

# What a slow source has sent goes on at once: rendered, and compressed where
# the client wants that, without waiting for more.  The upstream goes on only
# when the client has seen what came before, so that nothing here is measured
# by a clock.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactTest;
use ArtifactUpstream;
use Compress::Zlib ();
use Time::HiRes qw(sleep);

my $t = ArtifactTest->new;
my $seen = $t->prefix . '/seen';

# more than the first bytes that the header waits for, then little by little;
# less than a buffer of the upstream's may wait for more where nginx buffers

my @pieces = map { '~' x $_ } 6144, (1024) x 6;

my $up = ArtifactUpstream->new($t->prefix . '/up.sock', serve => sub {
    my ($sock) = @_;
    my $head = '';

    until ($head =~ /\r\n\r\n/) {
        sysread $sock, $head, 65536, length $head or return;
    }

    my $body = join '', @pieces;
    syswrite $sock, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
        . 'Content-Length: ' . length($body) . "\r\n\r\n";

    for my $n (0 .. $#pieces) {
        syswrite $sock, $pieces[$n];

        for (1 .. 1000) {
            last if -e "$seen-$n";
            sleep 0.01;
        }
    }
});

$t->start(http => <<'HTTP', server => <<'SERVER');
    upstream up {
        server unix:%%PREFIX%%/up.sock max_fails=0;
    }
    artifact_route always;
    postpone_output 1460;
HTTP
    location /buffered/   { proxy_pass http://up/; proxy_buffer_size 512;
                            proxy_buffers 4 512;
                            proxy_busy_buffers_size 512; }
    location /unbuffered/ { proxy_pass http://up/; proxy_buffering off; }
    location /gzip/       { proxy_pass http://up/; proxy_buffering off;
                            gzip on; gzip_types *; gzip_min_length 1; }
SERVER

for my $case (['/buffered/x', 0, 512], ['/unbuffered/x', 0, 0],
              ['/gzip/x', 1, 0])
{
    my ($uri, $zipped, $held) = @$case;

    unlink "$seen-$_" for 0 .. $#pieces;

    my $inflate = Compress::Zlib::inflateInit(
        -WindowBits => Compress::Zlib::WANT_GZIP());
    my ($text, $n) = ('', 0);

    my $conn = $t->connect(timeout => 5);
    my $res = $conn->request('GET', $uri, may_break => 1,
        headers => [$zipped ? ('Accept-Encoding' => 'gzip') : ()],
        on_body => sub {
            $text .= $zipped ? ($inflate->inflate(my $in = $_[0]))[0] : $_[0];

            while ($n < @pieces) {
                my $sent = length join '', @pieces[0 .. $n];
                last if $text =~ tr/~// < $sent - $held;
                spew("$seen-$n", '');
                $n++;
            }
        });

    is($n, scalar @pieces, "$uri: each piece before the next is sent");
    ok($res->{complete}, '... and then the end');
}

$up->stop;
$t->finish;
