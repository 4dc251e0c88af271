#!/usr/bin/perl

# Requests that nginx makes inside itself: subrequests, redirects, rewrites,
# and other modules around an artifact location.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;

my $t = ArtifactTest->new;
my $png = png();
my $words = "words \"of\" text\n" x 3000;

$t->artifact('fine', 'fine', { type => 'text/plain', name => 'fine.txt' });
$t->artifact('words', $words, { type => 'text/plain' });
$t->artifact('png', $png, { type => 'image/png', name => 'a.png' });
$t->workspace_file('w1', 'a.txt', 'of a workspace');
mkdir $t->prefix . '/html' or die "mkdir: $!";
my $include = '<!--# include virtual="%s" -->';
spew($t->prefix . '/html/page.html',
     '[' . join('][', map { sprintf $include, $_ } '/raw/fine', '/raw/words',
                '/raw/nope', '/workspaces/w1/a.txt') . ']');

$t->file('users', "someone:{PLAIN}word\n");
$t->start(http => <<'HTTP', server => <<'SERVER');
    log_format ids '$uri $artifact_id $artifact_routing';
HTTP
    artifact_root %%DATA%%;
    artifact_route on;
    root %%PREFIX%%/html;
    access_log %%PREFIX%%/access.log ids;

    location /artifacts/ {
        artifact;
    }
    location /raw/ {
        artifact;
        artifact_route off;
    }
    location /workspaces/ {
        artifact_workspace;
    }
    location = /page.html {
        ssi on;
        ssi_types *;
    }
    location /fallback/ {
        artifact;
        error_page 404 =200 /artifacts/fine;
    }
    location /static/ {
        error_page 404 =200 /artifacts/png;
    }
    location /named/ {
        artifact;
        error_page 404 = @named;
    }
    location @named {
        return 200 "named $uri";
    }
    location /tried/ {
        try_files /nothing /artifacts/fine;
    }
    location /rewritten/ {
        rewrite ^/rewritten/(.*)$ /artifacts/$1 last;
    }
    location /mirrored/ {
        artifact;
        mirror /mirror;
    }
    location = /mirror {
        internal;
        return 204;
    }
    location /closed/ {
        artifact;
        deny all;
    }
    location /secret/ {
        artifact;
        auth_basic closed;
        auth_basic_user_file %%PREFIX%%/users;
    }
    location /inside/ {
        internal;
        artifact;
    }
    location /to-inside/ {
        rewrite ^/to-inside/(.*)$ /inside/$1 last;
    }
    location /put-off/ {
        artifact;
        limit_rate 200k;
        limit_rate_after 1k;
    }
    location /headers/ {
        artifact;
        expires 1d;
        add_header Cache-Control private;
        add_header X-Kind $artifact_content_type;
        etag off;
    }
    location /charset/ {
        artifact;
        charset utf-8;
        charset_types application/json text/plain;
    }
    location /sub/ {
        artifact;
        sub_filter words WORDS;
        sub_filter_types application/json;
        sub_filter_once off;
    }
SERVER

# subrequests

my $res = $t->get('/page.html');
like($res->body, qr/\A\[fine\]\[\Q$words\E\]\[.*\]\[of a workspace\]\z/s,
     'SSI includes raw artifacts and workspace files');
ok($res->{complete}, 'the page is complete');

# redirects and rewrites

sub body_of {
    my ($uri, @headers) = @_;
    return $t->get($uri, @headers)->body;
}

is(body_of('/fallback/nope'), 'fine', 'error_page to another artifact');
is(body_of('/fallback/words'), $words, 'which a good reference needs not');
is(routing_of($t->accept('vision', '/fallback/nope')),
   'text text text/plain', 'and which is routed');
is(json_of($t->accept('vision', '/fallback/nope'))->{metadata}{id}, 'fine',
   'by its own id');
ok(body_of('/static/nope') eq $png, 'error_page of a static location');
is(body_of('/named/nope'), 'named /named/nope', 'a named location');
is(body_of('/tried/x'), 'fine', 'try_files');
is(body_of('/rewritten/fine'), 'fine', 'rewrite');
is(routing_of($t->accept('vision', '/rewritten/png')),
   'image image_url image/png', 'rewrite, routed');
error_is($t->get('/rewritten/nope'), 404, 'artifact_not_found', 'nope',
         'rewrite to a reference that is not there');
is(body_of('/mirrored/fine'), 'fine', 'mirror');
is($t->get('/inside/fine')->{status}, 404, 'an internal location is closed');
is(body_of('/to-inside/fine'), 'fine', 'but for internal requests');
ok($t->wait_for(qr{^/artifacts/fine fine text$}m, 'access.log'),
   'the log has the reference of the last location');

# access control comes first

for my $ref ('fine', 'nope', 'ws:w1:Y') {
    is($t->get("/closed/$ref")->{status}, 403, "deny stops $ref");
    is($t->get("/secret/$ref")->{status}, 401, "auth_basic stops $ref");
}

# what other modules add

$res = $t->accept('vision', '/headers/png');
is(route_problems($res), '', 'expires and add_header leave the answer alone');
like($res->header('Cache-Control'), qr/max-age=86400.*private/,
     'and add their headers');
is($res->header('X-Kind'), 'image', 'with variables');
is($t->accept('vision', '/charset/png')->body,
   $t->accept('vision', '/artifacts/png')->body, 'charset changes no byte');
like($t->accept('text', '/charset/fine')->header('Content-Type'),
     qr{^application/json; charset=utf-8$}, 'but names itself');
like(json_of($t->accept('text', '/sub/words'))->{content}, qr/\AWORDS "of"/,
     'sub_filter sees the routed answer');
is(body_of('/put-off/words'), $words, 'limit_rate, raw');
is(json_of($t->accept('text', '/put-off/words'))->{content}, $words,
   'limit_rate, routed');

$t->finish;
