#!/usr/bin/perl

# A worker that is to end finishes the work that it has in turns first: nothing
# else may tell nginx that there is any, since no timer runs meanwhile.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use Time::HiRes qw(sleep);

my $t = ArtifactTest->new;
my $MB = 1 << 20;
my $N = 512;

$t->artifact($_, png(20, 20), undef, '.png') for 1 .. $N;
$t->allow(qr/nobody failed/);
$t->start(server => <<'SERVER');
    artifact_root %%DATA%%;
    artifact_inline_max 0;
    artifact_body_max 256m;
    artifact_refs_max 4096;
    artifact_accept vision;
    client_max_body_size 0;
    location /artifacts/ { internal; artifact; }
    location /v1/ {
        artifact_expand on;
        proxy_pass http://unix:%%PREFIX%%/nobody:;
    }
    location /message {
        artifact_message;
    }
SERVER

# Sends all but the last byte, so that the work begins with that, and has the
# worker find out at once that it has come, and that it is to end.  Returns the
# answer; the master starts another worker.

sub quit_amid {
    my ($uri, $body, @headers) = @_;

    my $client = $t->connect;
    my $request = ArtifactHTTP::format_request('POST', $uri, body => $body,
        headers => ['Content-Type' => 'application/json', @headers]);

    $client->send(substr $request, 0, -1);
    sleep 0.3;

    my ($worker) = $t->workers;

    kill STOP => $worker;
    $client->send(substr $body, -1);
    kill QUIT => $worker;
    kill CONT => $worker;

    my $answer = '';
    1 while sysread $client->{sock}, $answer, $MB, length $answer;
    close $client->{sock};

    for (1 .. 400) {
        last if grep { $_ != $worker } $t->workers;
        sleep 0.05;
    }
    return $answer;
}

my $bits = '001' . '00000' . '00000' . '0111';      # an empty dynamic block
$bits .= join '', map { $_ == 2 || $_ == 17 ? '100' : '000' } 0 .. 17;
$bits .= '1' . unpack('b7', chr 127) . '1' . unpack('b7', chr 107) . '000';

like(quit_amid('/v1/chat/completions',
               pack('b*', $bits x 4) x 100_000 . "\xff" x 16,
               'Content-Encoding' => 'deflate'),
     qr/\AHTTP\/1.1 400 /, 'a body that is being decoded');

like(quit_amid('/v1/chat/completions', '{"messages":[{"content":['
               . join(',', map { qq({"type":"image_url","image_url":)
                                 . qq({"url":"artifact:$_"}}) } 1 .. $N)
               . ']}]}'),
     qr/\AHTTP\/1.1 502 /, 'artifacts that are asked for');

my $answer = quit_amid('/message', '{"text":"x","attachments":['
                       . join(',', map { qq("artifact:$_") } 1 .. $N) . ']}');
like($answer, qr/\AHTTP\/1.1 200 /, 'a message with attachments');
like($answer, qr/\r\n0\r\n\r\n\z/, '... is whole');

$t->finish;
