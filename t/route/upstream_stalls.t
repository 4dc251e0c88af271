#!/usr/bin/perl

# An upstream that begins an answer and then says nothing for as long as nginx
# waits: before its first bytes have decided what it is that is a 504, in the
# module's JSON or by its "error_page", in the log as well.  A connection that
# ends after such a silence, but before the time is over, is a 502.

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
my $TIME = '2s';

my $body = png(60, 60) . rand_bytes(9000);
my %contents = ('a.png' => { body => $body, type => 'image/png',
                             headers => ['ETag: "one"', 'X-Upstream: yes'] });
my @ups = map { ArtifactUpstream->new("$dir/$_.sock", protocol => $_,
                                      contents => \%contents) }
    qw(http fastcgi scgi uwsgi);

# frames of HTTP/2: SETTINGS, HEADERS (status 200, text/plain), DATA

push @ups, ArtifactUpstream->new("$dir/grpc.sock", serve => sub {
    my ($sock) = @_;
    sysread $sock, my $buf, 4096 or return;
    my $frame = sub {
        my ($type, $flags, $stream, $data) = @_;
        return substr(pack('N C C N', length $data, $type, $flags, $stream),
                      1) . $data;
    };
    syswrite $sock, $frame->(4, 0, 0, '')
        . $frame->(1, 4, 1, "\x88\x0f\x10\x0atext/plain")
        . $frame->(0, 0, 1, 'a few words');
    1 while sysread $sock, $buf, 4096;
});

my %modes = (
    plain => '',
    unbuffered => 'proxy_buffering off;',
    cached => 'proxy_cache c; proxy_cache_valid 200 1m;'
        . 'proxy_cache_key "$request_uri";',
    stored => 'proxy_store %%PREFIX%%/store$uri;',
    gzip => 'gzip on; gzip_types *; gzip_min_length 1;',
    decode => 'artifact_decode on;',
    english => 'artifact_language en;',
);
my $page = 'error_page 504 /late; error_page 502 /sorry;';
my $locations = join '', map { <<"CONF" } sort keys %modes;
    location /$_/      { proxy_pass http://up/; $modes{$_} }
    location /$_-page/ { proxy_pass http://up/; $modes{$_} $page }
CONF

for my $gateway (qw(fastcgi scgi uwsgi)) {
    for my $off ('', '-unbuffered') {
        for my $paged ('', '-page') {
            $locations .= "
    location ~ ^/$gateway$off$paged/(?<name>.*) {
        ${gateway}_pass unix:$dir/$gateway.sock;
        ${gateway}_read_timeout $TIME;
        ${gateway}_param REQUEST_METHOD \$request_method;
        ${gateway}_param QUERY_STRING \$query_string;
        ${gateway}_param DOCUMENT_URI \$name;
        ${gateway}_buffering " . ($off ? 'off' : 'on') . ";
        " . ($paged ? $page : '') . "
    }\n";
        }
        $modes{"$gateway$off"} = '';
    }
}

$locations .= <<"SERVER";
    location /grpc/      { grpc_pass grpc://unix:$dir/grpc.sock; }
    location /grpc-page/ { grpc_pass grpc://unix:$dir/grpc.sock; $page }
SERVER

$t->start(http => <<"HTTP", server => <<"SERVER");
    upstream up {
        server unix:%%PREFIX%%/http.sock max_fails=0;
        server unix:%%PREFIX%%/http.sock max_fails=0;
    }
    proxy_cache_path %%PREFIX%%/cache keys_zone=c:1m;
    proxy_read_timeout $TIME;
    grpc_read_timeout $TIME;
    log_format short '\$status \$upstream_header_time \$request_uri';
    artifact_route on;
HTTP
    access_log %%PREFIX%%/access.log short;
    location = /late  { return 504 "late\\n"; }
    location = /sorry { return 502 "sorry\\n"; }
    $locations
SERVER

my @READER = ('X-LLM-Capabilities' => 'text, vision, file');


# All at once, since each of them takes the whole time.  Where the machine was
# so slow that not even a header came the question is asked again.

my $round = 0;

sub ask_all {
    my @uris = @_;
    my %answer;
    while (my @left = grep { !$answer{$_} } @uris) {
        die "no header came\n" if ++$round > 30;
        my @conns = map {
            my $conn = $t->connect(timeout => 60);
            $conn->send(ArtifactHTTP::format_request('GET', "$_&r=$round",
                                                     headers => [@READER]));
            $conn;
        } @left;
        for my $uri (@left) {
            my $res = (shift @conns)->response('GET', may_break => 1);
            my $line = qr/^(\d+) (\S+) \Q$uri&r=$round\E$/m;
            $t->wait_for($line, 'access.log');
            my ($status, $time) = slurp("$dir/access.log") =~ $line;
            $answer{$uri} = { %$res, logged => $status } if ($time // '') ne '-';
            bless $answer{$uri}, ref $res if $answer{$uri};
        }
    }
    return map { $answer{$_} } @uris;
}


my $claim = 'claim=' . length $body;
my @uris = '/grpc/any?';

for my $mode (sort keys %modes) {
    my @how = map { "$claim&cut=$_&hang=1" } 0, 100, 4000;
    push @how, map { "frame=chunked&$_&hang=1" } 'cut=100', 'cut=100&short=10'
        if $mode !~ /fastcgi|scgi|uwsgi/;
    push @how, 'cut=100&short=10&hang=1' if $mode =~ /fastcgi/;
    push @uris, map { "/$mode/a.png?$_" } @how;
}

my @pages = map { s{\A/([^/]+)/}{/$1-page/}r } @uris;
my @answers = ask_all(@uris, @pages);
my %wrong;

for my $uri (@uris) {
    my $res = shift @answers;
    my $data = eval { decode_strict($res->body) } || {};
    my @wrong;
    push @wrong, "status $res->{status}" if $res->{status} != 504;
    push @wrong, 'incomplete' if !$res->{complete};
    push @wrong, 'not JSON' if ($res->header('Content-Type') // '')
        ne 'application/json';
    push @wrong, 'body ' . substr $res->body, 0, 80
        if ($data->{error} // '') ne 'upstream_timeout';
    push @wrong, "a header of the upstream's: $_"
        for grep { defined $res->header($_) } qw(ETag X-Upstream);
    push @wrong, "logged as $res->{logged}" if $res->{logged} != 504;
    my ($mode) = $uri =~ m{^/([^/]+)};
    push @{ $wrong{$mode} }, map { "$uri: $_" } @wrong;
    $wrong{words} = $data->{message} if $mode eq 'english';
}

for my $uri (@pages) {
    my $res = shift @answers;
    my ($mode) = $uri =~ m{^/([^/]+)-page};
    push @{ $wrong{$mode} }, "$uri: $res->{status}, "
        . substr $res->body, 0, 80
        if $res->{status} != 504 || $res->body ne "late\n";
}

is(join("\n", @{ $wrong{$_} }), '', "$_: a 504 like any other")
    for sort 'grpc', keys %modes;
is($wrong{words}, 'the upstream did not answer in time', 'its words');

# one that breaks off after some silence, none with a page for another status

for my $mode ('plain', 'unbuffered', 'fastcgi') {
    my ($res) = ask_all("/$mode-page/a.png?$claim&cut=100&wait=50");
    is("$res->{status} " . $res->body, "502 sorry\n",
       "$mode: a silence that ended");
}

# once the answer has begun there is no status to tell it by

for my $res (ask_all(map { "/$_/a.png?$claim&cut=9000&hang=1" }
                     'plain', 'unbuffered', 'fastcgi', 'gzip'))
{
    ok(!$res->{complete}, 'an answer is cut short');
}

is(routing_of($t->accept('text, vision', '/cached/a.png')),
   'image image_url image/png', 'nothing of it was cached');
ok(!-e "$dir/store/stored/a.png", 'nor stored');

$_->stop for @ups;
$t->finish;
