#!/usr/bin/perl

# Sources that fail, stall or break off; clients that leave; reloads; and error
# pages, after an expansion and of its own errors.  Never half a part.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactCheck;
use ArtifactEcho;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;
use ArtifactWrite qw(until_true);

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $png = png(50, 50) . "\0" x 200_000;
my $url = 'data:image/png;base64,' . b64($png);

$t->artifact('local', $png, { mimeType => 'image/png' });

my $store = ArtifactUpstream->new("$dir/store", contents => {
    'shot' => { body => $png, type => 'image/png' },
    'empty' => { body => '', type => 'image/png' },
});
my $stalls = ArtifactUpstream->new("$dir/stalls", serve => sub {
    my ($sock) = @_;
    sysread $sock, my $head, 65536;
    if ($head =~ m{GET /silent}) {
        sleep 60;
    } elsif ($head =~ m{GET /header}) {
        syswrite $sock, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n";
        sleep 60;
    } else {
        syswrite $sock, "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n"
            . 'Content-Length: ' . length($png) . "\r\n\r\n"
            . substr $png, 0, 100_000;
        sleep 60 if $head =~ m{GET /half};
        sysread $sock, my $go, 1 if $head =~ m{GET /gate};
    }
});
my $echo = echo("$dir/echo");

my $pass = "proxy_pass http://unix:$dir/echo:;";
my $log = "log_format short '\$status \$artifact_refs \$artifact_expanded';";
my %conf = (http => $log, server => <<"SERVER");
    access_log %%PREFIX%%/access.log short;
    artifact_root %%DATA%%;
    artifact_accept "text, vision";
    artifact_language en;
    client_max_body_size 1m;

    location /artifacts/ { internal; artifact; }
    location /v1/ {
        artifact_expand on;
        $pass
    }
    location /store/ {
        artifact_expand on;
        artifact_source /store-a/\$http_x_how/;
        $pass
    }
    location ~ ^/store-a/(?<how>[^/]*)/ {
        internal;
        rewrite ^/store-a/[^/]*/(.*) /\$1?\$how break;
        proxy_pass http://unix:$dir/store:;
    }
    location /stalls/ {
        artifact_expand on;
        artifact_source /stalls-a/;
        $pass
    }
    location /stalls-a/ {
        internal;
        proxy_read_timeout 1s;
        proxy_pass http://unix:$dir/stalls:/;
    }
    location /waits/ {
        artifact_expand on;
        artifact_source /waits-a/;
        $pass
    }
    location /waits-a/ {
        internal;
        proxy_buffering off;
        proxy_pass http://unix:$dir/stalls:/;
    }

    location /fallback/ {
        artifact_expand on;
        error_page 502 = \@again;
        proxy_pass http://unix:$dir/nobody:;
    }
    location /redirected/ {
        artifact_expand on;
        error_page 502 = /v1/chat/completions;
        proxy_pass http://unix:$dir/nobody:;
    }
    location \@again {
        artifact_expand on;
        proxy_intercept_errors on;
        $pass
    }
    location /elsewhere/ {
        artifact_expand on;
        artifact_source /store-a/status=500/;
        error_page 502 = \@again;
        $pass
    }
    location /plain/ {
        artifact_expand on;
        artifact_refs_max 1;
        error_page 413 = \@raw;
        $pass
    }
    location \@raw {
        $pass
    }
    location /words/ {
        artifact_expand on;
        artifact_refs_max 1;
        error_page 413 /413.txt;
        $pass
    }
    location = /413.txt { return 413 "too much"; }
    location /both/ {
        artifact_expand on;
        artifact_refs_max 1;
        error_page 413 502 = \@both;
        $pass
    }
    location \@both {
        artifact_expand on;
        artifact_refs_max 1;
        error_page 413 502 = \@both;
        $pass
    }
SERVER
$t->allow(qr/prematurely closed|upstream timed out|nobody/);
$t->start(%conf);

sub body_of {
    return '{"messages":[{"role":"user","content":[' . join(',',
        map { qq({"type":"image_url","image_url":{"url":"artifact:$_"}}) }
        @_) . ']}]}';
}

sub ask {
    my ($at, @refs) = @_;
    my ($path, $how) = split /\?/, $at;
    return $t->req('POST', "$path/chat/completions", body => body_of(@refs),
        headers => ['Content-Type' => 'application/json',
                    'X-How' => $how // 'x']);
}

sub failed {
    my ($res, $name) = @_;
    my $data = eval { json_of($res) } || {};
    is($res->{status}, 502, "$name: 502");
    is($data->{error}{code}, 'source_failed', "$name: source_failed");
    is($data->{error}{type}, 'api_error', "$name: the type");
    is($data->{error}{param}, 'artifact:shot', "$name: which");
}

# what a source answers

my $missing;
for my $status (401, 403, 404, 410) {
    my $res = ask("/store?status=$status", 'shot');
    is($res->{status}, 200, "$status is missing");
    $missing //= $res->{body};
    is($res->{body}, $missing, "$status: the words");
}
like($missing, qr/artifact:shot/, 'which tell the reference');
unlike($missing, qr/base64/, 'and no bytes');

failed(ask("/store?status=$_", 'shot'), $_)
    for 201, 204, 206, 302, 304, 400, 429, 500, 502, 503, 504;
failed(ask("/store?$_", 'shot'), $_)
    for 'header=Content-Encoding:gzip', 'cut=100000', 'cut=0', 'cut=-1',
        'frame=chunked&nolast=1', 'frame=chunked&cut=100000', 'headcut=20',
        'claim=300000';
for my $how ('frame=chunked', 'frame=close', 'type=', 'frame=chunked&step=7000',
             'frame=close&cut=200000') {
    my $whole = $how =~ /cut=(\d+)/ ? substr $png, 0, $1 : $png;
    ok(ask("/store?$how", 'shot')->{body} eq
       body_of('shot') =~ s/artifact:shot/'data:image\/png;base64,'
                           . b64($whole)/er, "$how: whole");
}
ok(ask('/store?extra=10', 'shot')->{body} eq
   body_of('shot') =~ s/artifact:shot/$url/r, 'no more than it claims');
is(ask('/store', 'empty')->{status}, 200, 'an empty one');

# one that fails among others; one that stalls

failed(ask('/store?cut=100000', 'empty', 'shot', 'gone'), 'among others');
for my $id (qw(silent header half)) {
    my $res = ask('/stalls', $id);
    is($res->{status}, 502, "$id: 502");
    like($res->{body}, qr/source_failed.*artifact:$id/, "$id: which");
}

# a client that leaves while it is waited for

sub files_open {
    return join ' ', map { grep { m{/tmp/(?:body|proxy)/} } readlink($_) // '' }
        map { glob "/proc/$_/fd/*" } $t->workers;
}
my $body = body_of('half');
my $begun = $stalls->connections;
my $conn = $t->connect;
$conn->send("POST /waits/chat/completions HTTP/1.1\r\nHost: x\r\n"
    . "Content-Type: application/json\r\nContent-Length: " . length($body)
    . "\r\n\r\n$body");
ok(until_true(sub { $stalls->connections > $begun }, 10), 'it is waited for');
$conn->close;
ok($t->wait_for(qr/^499 /m, 'access.log'), 'a client that leaves: 499');
ok(until_true(sub { files_open() eq '' }, 10), 'no file is left open')
    or diag(files_open());

# error pages after an expansion: the same body, expanded once

my $want = body_of('local') =~ s/artifact:local/$url/r;
my $res = ask('/fallback', 'local');
ok($res->{body} eq $want, 'a fallback gets the body');
like($res->header('X-Head'), qr/\|Content-Length: @{[length $want]}\|/,
     'and its length');
ok($t->wait_for(qr/^200 1 1$/m, 'access.log'), 'which counts once');
$res = ask('/redirected', 'local');
like($res->header('X-Head'), qr/^GET /, 'a page is asked for with GET');

# and of the errors of one: the body is as it came

ok(ask('/elsewhere', 'local')->{body} eq $want, 'another source');
$res = ask('/plain', 'local', 'local');
is($res->{body}, body_of('local', 'local'), 'a location that does not expand');
$res = ask('/words', 'local', 'local');
is("$res->{status} $res->{body}", '413 too much', 'a page');
$res = ask('/both', 'local', 'local');
is($res->{status}, 413, 'a page that fails, too');
is(json_of($res)->{error}{code}, 'too_many_artifacts', 'has the JSON');

# a reload meanwhile

my ($old) = $t->workers;
$begun = $stalls->connections;
$conn = $t->connect;
$body = body_of('half', 'local');
$conn->send("POST /stalls/chat/completions HTTP/1.1\r\nHost: x\r\n"
    . "Content-Type: application/json\r\nContent-Length: " . length($body)
    . "\r\n\r\n$body");
until_true(sub { $stalls->connections > $begun }, 10);
ok($t->reload(%conf), 'reloaded');
$res = $conn->response('POST');
is($res->{status}, 502, 'the old worker comes to an end with it');
$conn->close;
ok(ask('/v1', 'local')->{body} eq $want, 'the new one is well');

$_->stop for $store, $stalls, $echo;
$t->finish;
