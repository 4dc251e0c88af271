#!/usr/bin/perl

# Bodies that come to nothing, coded or not, however they are sent: they go on
# byte for byte.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactEcho;
use ArtifactFixtures;
use ArtifactTest;
use Compress::Zlib qw(compress deflateInit);

my $t = ArtifactTest->new;
my $echo = echo($t->prefix . '/echo');
my $pass = 'proxy_http_version 1.1; proxy_pass http://unix:' . $t->prefix
    . '/echo:;';

$t->start(server => <<"SERVER");
    artifact_root %%DATA%%;
    location /artifacts/ { artifact; }
    location /message { artifact_message; }
    location /expand/ { artifact_expand on; $pass }
    location /prompt/ { artifact_prompt on; $pass }
    location /both/ { artifact_expand on; artifact_prompt on; $pass }
    location /file/ {
        artifact_expand on;
        client_body_in_file_only clean;
        $pass
    }
    location /hash/ {
        artifact_expand on;
        proxy_set_header X-Hash \$artifact_body_hash;
        $pass
    }
SERVER

my ($worker) = $t->workers;

my ($raw) = deflateInit(-WindowBits => -15);
my $member = gzip_of('');
my $frame = "\x28\xb5\x2f\xfd\x20\x00\x01\x00\x00";
my $skip = "\x50\x2a\x4d\x18\x02\0\0\0xx";
my $zstd = $t->req('POST', '/expand/chat/completions', body => 'x',
    headers => ['Content-Type' => 'application/json',
                'Content-Encoding' => 'br'])
    ->header('Accept-Encoding') =~ /zstd/;

# a coding, its body, whether it is refused

my @bodies = (
    [undef, ''],
    ['', ''],
    ['identity', ''],
    ['gzip', $member],
    ['x-gzip', $member],
    ['gzip', $member x 2],
    ['gzip', $member x 5000],
    ['gzip', ''],
    ['gzip', substr($member, 0, 10), 400],
    ['deflate', compress('')],
    ['deflate', $raw->flush],
    ['deflate', "\0\0\0\xff\xff" x 5000 . "\x01\0\0\xff\xff"],
    ['deflate', ''],
    $zstd ? (
        ['zstd', $frame],
        ['zstd', $frame x 5000],
        ['zstd', $skip],
        ['zstd', $skip . $frame . $skip],
        ['zstd', ''],
        ['zstd', substr($frame, 0, 8), 400],
    ) : (),
);

my @paths = qw(/chat/completions /responses /messages /model/m/converse
               /models/gemini-3:generateContent);

for my $case (@bodies) {
    my ($coding, $body, $refused) = @$case;
    my $name = (defined $coding ? "\"$coding\"" : 'no coding') . ', '
        . length($body) . ' bytes';
    my @headers = ('Content-Type' => 'application/json',
        defined $coding ? ('Content-Encoding' => $coding) : ());
    my $wanted = $refused ? "$refused" : "200 $body";

    for my $location (qw(expand prompt both file hash)) {
        my $uri = "/$location/chat/completions";
        my $bad = '';

        for my $how ('a length', 'chunks') {
            my $res = $how eq 'chunks' ? chunked($uri, $body, @headers)
                : $t->req('POST', $uri, body => $body, headers => \@headers);
            my $got = $refused ? $res->{status}
                : "$res->{status} $res->{body}";
            $bad .= "$how: $res->{status} " if $got ne $wanted;
        }
        is($bad, '', "$location: $name");
    }
}

for my $path (@paths) {
    my $res = $t->req('POST', "/both$path", body => $member, headers => [
        'Content-Type' => 'application/json', 'Content-Encoding' => 'gzip']);
    is("$res->{status} $res->{body}", "200 $member", $path);
}

# other rooms that read a body

for my $coding (undef, 'gzip') {
    my @headers = ('Content-Type' => 'application/json',
                   $coding ? ('Content-Encoding' => $coding) : ());
    is($t->req('POST', '/message', body => '', headers => \@headers)
       ->{status}, 400, 'a message of nothing');
    is(chunked('/message', '', @headers)->{status}, 400, 'in chunks');
}

is(join(' ', $t->workers), $worker, 'the worker is the same one');

$echo->stop;
$t->finish;


# Of two chunks at most, and the last one.

sub chunked {
    my ($uri, $body, @headers) = @_;

    my $conn = $t->connect;
    $conn->send(ArtifactHTTP::format_request('POST', $uri, headers => [
        @headers, 'Transfer-Encoding' => 'chunked'])
        . join('', map { sprintf "%x\r\n%s\r\n", length, $_ }
               grep { length } unpack 'a7 a*', $body)
        . "0\r\n\r\n");
    return $conn->response('POST');
}
