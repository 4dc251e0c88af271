#!/usr/bin/perl

# Proxied sources and what nginx does inside itself: internal redirects,
# X-Accel-Redirect, error pages, try_files, if and limit_except.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;

my $t = ArtifactTest->new;
my $png = png(50, 50);
my $big = 'an error page of an upstream ' x 7000;

$t->artifact('local', $png, { type => 'image/png', name => 'local.png' });
$t->artifact('words', "local words\n" x 2000, { type => 'text/plain' });
mkdir $t->prefix . '/html' or die "mkdir: $!";
spew($t->prefix . '/html/here.txt', 'on the disk');

my $up = ArtifactUpstream->new($t->prefix . '/up.sock', contents => {
    png => { body => $png, type => 'image/png' },
    text => { body => "words\n" x 5000, type => 'text/plain' },
    'artifacts/far' => { body => $png, type => 'image/png', headers =>
                         ['Content-Disposition: inline; filename=far.png'] },
    'artifacts/gone' => { body => $big, type => 'text/html', status => 404 },
    big => { body => $big, type => 'text/plain' },
    'missing.txt' => { body => 'from the store', type => 'text/plain' },
});

$t->start(http => <<'HTTP', server => <<'SERVER');
    upstream up {
        server unix:%%PREFIX%%/up.sock;
    }
    upstream down {
        server unix:%%PREFIX%%/nobody.sock;
    }
    log_format ids '$request_uri $artifact_id $artifact_routing $status';
HTTP
    artifact_root %%DATA%%;
    artifact_route on;
    root %%PREFIX%%/html;
    access_log %%PREFIX%%/access.log ids;

    location /artifacts/ {
        artifact;
    }
    location /p/ {
        proxy_pass http://up/;
    }
    location /store/ {
        internal;
        artifact_decode on;
        proxy_pass http://up/$artifact_key;
    }
    location /fallback/ {
        artifact;
        error_page 404 = @store;
        set $key $artifact_key;
    }
    location @store {
        proxy_pass http://up/$key;
    }
    location /fallback-uri/ {
        artifact;
        set $ref $artifact_ref;
        error_page 404 = /store/$ref;
    }
    location /intercept/ {
        proxy_intercept_errors on;
        error_page 404 500 = /artifacts/local;
        proxy_pass http://up/;
    }
    location /intercept-decode/ {
        artifact_decode on;
        proxy_intercept_errors on;
        proxy_pass http://up/$artifact_key$is_args$args;
    }
    location /down/ {
        error_page 502 504 =200 /artifacts/local;
        proxy_pass http://down/;
    }
    location /down-plain/ {
        proxy_pass http://down/;
    }
    location /down-decode/ {
        artifact_decode on;
        proxy_pass http://down/;
    }
    location /tried/ {
        alias %%PREFIX%%/html/;
        try_files $uri @tried;
    }
    location @tried {
        rewrite ^/tried(.*)$ $1 break;
        proxy_pass http://up;
    }
    location /if/ {
        artifact;
        if ($arg_far) {
            proxy_pass http://up;
        }
    }
    location /if-decode/ {
        artifact_decode on;
        if ($arg_far) {
            proxy_pass http://up;
        }
        proxy_pass http://up/$artifact_key;
    }
    location /limited/ {
        limit_except GET {
            deny all;
        }
        proxy_pass http://up/;
    }
    location /limited-artifact/ {
        artifact;
        limit_except GET {
            proxy_pass http://up;
        }
    }
    location /once/ {
        rewrite ^/once/(.*)$ /p/$1 last;
    }
    location /broken/ {
        rewrite ^/broken/(.*)$ /$1 break;
        proxy_pass http://up;
    }
    location /broken-header/ {
        error_page 502 = /artifacts/words;
        proxy_pass http://up/;
    }
SERVER

my $SEEN = 'image image_url image/png';

sub route {
    return routing_of($t->accept('vision', @_));
}

# X-Accel-Redirect

my $accel = 'header=X-Accel-Redirect:';
my $want = $t->accept('vision', '/artifacts/local')->body;
my $res = $t->accept('vision', "/p/text?$accel/artifacts/local");
is($res->body, $want, 'X-Accel-Redirect to an artifact');
is($res->header('Content-Length'), length $want, 'of its own length');
ok($t->get("/p/text?$accel/artifacts/local")->body eq $png, 'raw');
$res = $t->accept('vision', "/p/text?$accel/store/artifact:far");
is(routing_of($res), $SEEN, 'to an internal store');
is(json_of($res)->{metadata}{id}, 'far', 'by its id');
is(json_of($res)->{metadata}{filename}, 'far.png', 'with its name');
error_is($t->accept('vision', "/p/text?$accel/artifacts/nope"), 404,
         'artifact_not_found', 'nope', 'to one that is not there');
error_is($t->accept('vision', "/p/text?$accel/store/gone"), 404,
         'artifact_not_found', 'gone', 'nor in the store');
error_is($t->accept('vision', "/p/text?$accel/artifacts/.x"), 400,
         'invalid_artifact_id', '.x', 'to a bad reference');
is(route("/p/text?$accel/p/png"), $SEEN, 'from one upstream to another');
$res = $t->accept('vision', '/p/text?header=Content-Disposition:'
    . "inline;filename=lie.txt&header=ETag:\"lie\"&$accel/artifacts/local");
is(json_of($res)->{metadata}{filename}, 'local.png',
   'headers of the first answer are no metadata of the second');
my $not = $t->accept('vision', "/p/text?$accel/artifacts/local",
    'If-None-Match' => $t->accept('vision', '/artifacts/local')
                         ->header('ETag'));
is("$not->{status} $not->{body}", '304 ', '304 after X-Accel-Redirect');
is($t->get('/store/far')->{status}, 404, 'the store itself is closed');

# error_page and named locations

is(route('/fallback/local'), $SEEN, 'what is on the disk');
is(route('/fallback/far'), $SEEN, 'what is in the store');
ok($t->get('/fallback/far')->body eq $png, 'raw');
$res = $t->accept('vision', '/fallback-uri/far');
is(routing_of($res), $SEEN, 'error_page to a routed location');
is(json_of($res)->{metadata}{id}, 'far', 'by its id');
error_is($t->accept('vision', '/fallback-uri/gone'), 404,
         'artifact_not_found', 'gone', 'which has it neither');
$res = $t->accept('vision', '/fallback/gone');
ok($res->{status} == 404 && $res->body eq $big,
   'an error of an upstream in a location of no ids');

is(route('/intercept/png'), $SEEN, 'proxy_intercept_errors, no error');
is(route('/intercept/nope'), $SEEN, 'an error, intercepted');
is(route('/intercept/png?status=500'), $SEEN, 'another');
is(json_of($t->accept('vision', '/intercept/nope'))->{metadata}{id}, 'local',
   'by the id of the page');
error_is($t->accept('vision', '/intercept-decode/gone'), 404,
         'artifact_not_found', 'gone', 'intercepted below artifact_decode');
is(route('/down/x'), $SEEN, 'an upstream that is down, with an error_page');
is($t->accept('vision', '/down-plain/x')->{status}, 502, 'without');
is($t->accept('vision', '/down-decode/x')->{status}, 502, 'nor with ids');
$t->allow(qr/connect\(\) to \S+nobody\.sock failed/);
$res = $t->accept('text', '/broken-header/png?headcut=9');
is(json_of($res)->{metadata}{id}, 'words',
   'error_page for a broken upstream');

# try_files, rewrite

is(json_of($t->accept('text', '/tried/here.txt'))->{content}, 'on the disk',
   'try_files: a file');
is(json_of($t->accept('text', '/tried/missing.txt'))->{content},
   'from the store', 'try_files: the store');
is($t->accept('text', '/tried/nope.txt')->{status}, 404, 'or nothing');
is(route('/once/png'), $SEEN, 'rewrite, last');
is(route('/broken/png'), $SEEN, 'rewrite, break');

# large errors of an upstream never desync the connection

my @errors = (
    ['/if/big?far=1&status=%d', ''], ['/if-decode/big?far=1&status=%d', ''],
    ['/p/big?status=%d', ''], ['/intercept-decode/big?status=%d', ''],
);
$up->requests;
my @wrong;
for my $case (@errors) {
    for my $status (400, 403, 404, 409, 411, 412, 413, 415, 416, 500, 503) {
        for my $caps ('', 'vision') {
            for my $frame ('length', 'chunked') {
                my $uri = sprintf "$case->[0]&frame=$frame", $status;
                my @reader = ('X-LLM-Capabilities' => $caps);
                my $conn = $t->connect;
                $conn->send(join '', map {
                    ArtifactHTTP::format_request('GET', $_, keep => 1,
                                                 headers => \@reader)
                } $uri, '/artifacts/words');
                my $res = $conn->response('GET');
                my $next = $conn->response('GET');
                push @wrong, "$uri: $res->{status}, " . length $res->body
                    if !$res->{complete} || $res->{status} != $status;
                push @wrong, "after $uri: $next->{status} "
                    . substr($next->{head}, 0, 30)
                    if $next->{status} ? $next->{status} != 200
                                         || !$next->{complete}
                                       : length $next->{head};
                $conn->close;
            }
        }
    }
}
is(join('; ', @wrong[0 .. ($#wrong > 5 ? 5 : $#wrong)]), '',
   'errors of 200 KB are framed as they say');
for my $uri ('/if/big?far=1&status=415', '/p/big?status=415') {
    my $res = $t->accept('vision', $uri);
    is($res->header('Content-Length') // length $res->body,
       length $res->body, "$uri: its length");
}

# if and limit_except

is(route('/if/local'), $SEEN, 'if: not taken');
ok($t->req('PUT', '/limited/png', body => 'x')->{status} == 403,
   'limit_except refuses');
is(route('/limited/png'), $SEEN, 'and lets GET through');
is(route('/limited-artifact/local'), $SEEN, 'limit_except with an artifact');
$res = $t->req('POST', '/limited-artifact/local', body => 'x' x 5000);
is($res->{status}, 404, 'other methods go upstream');
ok($res->{complete}, 'and come back');

# logs

ok($t->wait_for(qr{^/fallback-uri/far far image_url 200$}m, 'access.log'),
   'the log has the last location\'s reference');
ok($t->wait_for(qr{^/p/text\?header=X-Accel-Redirect:/artifacts/local
                   \ local\ image_url\ 200$}mx, 'access.log'),
   'after X-Accel-Redirect, too');

$up->stop;
$t->finish;
