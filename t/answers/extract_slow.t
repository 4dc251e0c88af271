#!/usr/bin/perl

# Clients that read slowly, or go away: nothing is lost, and the upstream waits
# instead of nginx's memory growing.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactAnswers;
use ArtifactTest;
use ArtifactUpstream;
use IO::Select;

my $t = ArtifactTest->new;
my $spare = ArtifactTest->new;
my $narrow = $spare->port;

my $item = '{"type":"text","content":"' . 'c' x 500 . '"}';
my @pieces = (('words of a story ' x 50) x 4000, '<art', 'ifacts>[',
              join(',', ($item) x 40), ']</artifacts>', 'end');
my $member = '"artifacts":[' . join(',', ($item) x 40) . ']';

my $stream = answer_stream('anthropic', \@pieces);
my $on = answer_stream('anthropic', \@pieces, $member);
my $strip = answer_stream('anthropic', [@pieces[0 .. 3999], ('') x 4, 'end'],
                          $member);
my $json = answer_json('anthropic', join '', @pieces);
my $cut = answer_json('anthropic', join('', @pieces[0 .. 3999], 'end'),
                      $member);

my $up = ArtifactUpstream->new($t->prefix . '/up.sock', contents => {
    sse => { body => $stream, type => 'text/event-stream' },
    json => { body => $json, type => 'application/json' },
});

$t->start(http => <<'HTTP', server => <<"SERVER");
    upstream up {
        server unix:%%PREFIX%%/up.sock max_fails=0;
    }
HTTP
    listen 127.0.0.1:$narrow sndbuf=32k;
    location /on {
        artifact_extract on;
        proxy_pass http://up/\$arg_name\$is_args\$args;
    }
    location /strip {
        artifact_extract strip;
        proxy_pass http://up/\$arg_name\$is_args\$args;
    }
    location /small {
        artifact_extract strip;
        proxy_buffers 2 4k;
        proxy_buffer_size 4k;
        proxy_busy_buffers_size 4k;
        proxy_max_temp_file_size 0;
        postpone_output 0;
        proxy_pass http://up/\$arg_name\$is_args\$args;
    }
SERVER

my %want = ('on-sse' => $on, 'strip-sse' => $strip, 'small-sse' => $strip,
            'strip-json' => $cut, 'small-json' => $cut);

my ($worker) = $t->workers;
my $before;

for my $case (sort keys %want) {
    my ($where, $name) = split /-/, $case;

    for my $how ('frame=chunked', 'frame=close') {
        my $http = ArtifactHTTP->new($narrow, rcvbuf => 4096);
        my $res = $http->request('GET',
            "/$where/v1/messages?name=$name&$how");

        ok($res->{complete}, "$case, $how: to its end");
        ok($res->body eq $want{$case}, "$case, $how: all of it");
        $before //= $t->memory($worker);
    }
}

# many that read nothing, though their answers have begun: nginx has what
# sockets and buffers hold of each, far from a tenth of what waits

my @idle;
for (1 .. 40) {
    my $http = ArtifactHTTP->new($narrow, rcvbuf => 4096);
    $http->send("GET /strip/v1/messages?name=sse HTTP/1.1\r\nHost: a\r\n\r\n");
    push @idle, $http;
}

my $select = IO::Select->new(map { $_->{sock} } @idle);
while ($select->count) {
    my @begun = $select->can_read(60) or last;
    $select->remove(@begun);
}

is($select->count, 0, 'the answers begin');
is($t->get('/strip/v1/messages?name=json')->body, $cut, 'another gets its own');
cmp_ok($t->memory($worker) - $before, '<', @idle * length($stream) / 1024 / 10,
       'memory does not grow with what waits');
$_->close for @idle;

is($t->get('/strip/v1/messages?name=sse')->body, $strip,
   'and after they have gone');

$t->finish;
