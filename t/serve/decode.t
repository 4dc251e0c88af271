#!/usr/bin/perl

# artifact_decode: the reference in the URI of a proxied location, its
# variables, and the references that no upstream is ever asked for.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;

my $t = ArtifactTest->new;
my $png = png();

my $up = ArtifactUpstream->new($t->prefix . '/up.sock', contents => {
    '*' => { body => $png, type => 'image/png' },
    'auth-no' => { body => 'no', status => 403 },
});

$t->start(http => <<'HTTP', server => <<'SERVER');
    upstream up {
        server unix:%%PREFIX%%/up.sock;
    }
    log_format ids '$artifact_ref|$artifact_id|$artifact_workspace|'
                   '$artifact_path|$artifact_key|$artifact_mime|'
                   '$artifact_routing|$status';
    map $artifact_workspace $bucket {
        default  shared;
        ~^w      own-$artifact_workspace;
    }
    limit_req_zone $artifact_id zone=ids:1m rate=1r/m;
    artifact_route on;
HTTP
    access_log %%PREFIX%%/access.log ids;

    location /a/ {
        artifact_decode on;
        proxy_pass http://up/$artifact_key;
    }
    location /a/nested/ {
        artifact_decode on;
        proxy_pass http://up/nested/$artifact_key;
    }
    location /bare {
        artifact_decode on;
        proxy_pass http://up/$artifact_key;
    }
    location /mapped/ {
        artifact_decode on;
        proxy_pass http://up/$bucket/$artifact_id;
    }
    location /auth/ {
        artifact_decode on;
        auth_request /ask;
        proxy_pass http://up/$artifact_key;
    }
    location = /ask {
        internal;
        if ($artifact_workspace = secret) {
            return 403;
        }
        proxy_pass http://up/ask/$artifact_key;
    }
    location /limited/ {
        artifact_decode on;
        limit_req zone=ids;
        limit_req_status 429;
        proxy_pass http://up/$artifact_key;
    }
    location /signed/ {
        artifact_decode on;
        secure_link $arg_s;
        secure_link_md5 "$artifact_key word";
        if ($secure_link = "") {
            return 403;
        }
        proxy_pass http://up/$artifact_key;
    }
    location /set/ {
        artifact_decode on;
        set $where $artifact_workspace;
        if ($where = "") {
            set $where none;
        }
        proxy_pass http://up/$where/$artifact_path;
    }
    location /rewritten/ {
        rewrite ^/rewritten/(.*)$ /a/$1 last;
    }
    location /english/ {
        artifact_decode on;
        artifact_language en;
        proxy_pass http://up/$artifact_key;
    }
    location /static/ {
        artifact_decode on;
        alias %%PREFIX%%/files/;
    }
    location /never/ {
        artifact_decode on;
        artifact_route off;
        proxy_pass http://up/$artifact_key;
    }
    location /plain/ {
        proxy_pass http://up/plain$artifact_key;
    }
    location /paged/ {
        artifact_decode on;
        error_page 400 403 404 =404 @paged;
        proxy_pass http://up/$artifact_key;
    }
    location @paged {
        return 404 "my own page";
    }
SERVER

sub asked {
    my ($uri, @headers) = @_;
    $up->requests;
    my $res = $t->get($uri, @headers);
    return join ' ', $res->{status}, $up->requests;
}

# the key, for every kind of reference

my $zh = bytes('目录/诗 1.png');
my @refs = (
    ['abc123', 'artifacts/abc123'],
    ['artifact:abc123', 'artifacts/abc123'],
    ['a%20b', 'artifacts/a%20b'],
    ["a'b(c)+!\$&,;=\@%23%3F", 'artifacts/a%27b%28c%29%2B%21%24%26%2C%3B%3D'
        . '%40%23%3F'],
    ['a%25b', 'artifacts/a%25b'],
    ['-_.~', 'artifacts/-_.~'],
    [uri(bytes('诗')), 'artifacts/%E8%AF%97'],
    ['a:b', 'artifacts/a%3Ab'],
    ['artifact:artifact:x', 'artifacts/artifact%3Ax'],
    [ws_id('w1', 'a.png'), 'workspaces/w1/a.png'],
    ['artifact:' . ws_id('w1', 'a.png'), 'workspaces/w1/a.png'],
    [ws_id('w1', 'src/./x/../a.png'), 'workspaces/w1/src/a.png'],
    [ws_id('w1', $zh), 'workspaces/w1/' . uri($zh)],
    [ws_id('w%201', 'a b/c?d#e%f&g'),
     'workspaces/w%201/a%20b/c%3Fd%23e%25f%26g'],
    [ws_id('w:1', 'a'), 'workspaces/w%3A1/a'],
    [ws_id('w1', 'a') . '==', 'workspaces/w1/a'],
    [ws_id('w1', '..hidden/a..b'), 'workspaces/w1/..hidden/a..b'],
    [ws_id('w1', 'a\\b'), 'workspaces/w1/a%5Cb'],
);
for my $case (@refs) {
    my ($ref, $key) = @$case;
    is(asked("/a/$ref"), "200 GET /$key", "the key of $ref");
}

# bad ones

my @bad = (
    ['ws:w1:Y', 400, 'invalid_artifact_id'],
    ['ws:w1:', 400, 'invalid_artifact_id'],
    ['ws:w1', 400, 'invalid_artifact_id'],
    ['ws::YQ', 400, 'invalid_artifact_id'],
    ['ws:w1:Y!Q', 400, 'invalid_artifact_id'],
    ['ws:w1:YQ+/', 400, 'invalid_artifact_id'],
    [ws_id('w1', "a\0b"), 400, 'invalid_artifact_id'],
    [ws_id('w1', "a\xff"), 400, 'invalid_artifact_id'],
    [ws_id('..', 'a'), 400, 'invalid_artifact_id'],
    ['%FF', 400, 'invalid_artifact_id'],
    ['.hidden', 400, 'invalid_artifact_id'],
    ['a%2Fb', 400, 'invalid_artifact_id'],
    ['a/b', 400, 'invalid_artifact_id'],
    ['a/b/metadata', 400, 'invalid_artifact_id'],
    ['a%0Ab', 400, 'invalid_artifact_id'],
    [ws_id('w1', '../w2/a'), 403, 'path_traversal_blocked'],
    [ws_id('w1', 'a/../../w2/a'), 403, 'path_traversal_blocked'],
    [ws_id('w1', '/etc/passwd'), 403, 'path_traversal_blocked'],
    ['artifact:' . ws_id('w1', '..'), 403, 'path_traversal_blocked'],
    ['', 404, 'artifact_not_found'],
);
$up->requests;
for my $case (@bad) {
    my ($ref, $status, $code) = @$case;
    for my $caps ('', 'vision') {
        error_is($t->accept($caps, "/a/$ref"), $status, $code, undef,
                 "\"$ref\" for \"$caps\"");
    }
}
error_is($t->get('/a/ws:w1:Y%21'), 400, 'invalid_artifact_id', 'ws:w1:Y!',
         'the reference as it came, decoded');
my $res = $t->head('/a/ws:w1:Y');
is("$res->{status} $res->{body}", '400 ', 'HEAD of a bad reference');
$res = $t->req('POST', '/a/ws:w1:Y', body => 'x' x 100_000);
is($res->{status}, 400, 'POST to a bad reference');
like(json_of($t->get('/english/.x'))->{message}, qr/\A[ -~]+\z/,
     'artifact_language');
select undef, undef, undef, 0.1;
is(join(' ', $up->requests), '', 'no bad reference reached the upstream');

$res = $t->get('/paged/ws:w1:Y');
is("$res->{status} $res->{body}", '404 my own page',
   'an error_page of one\'s own, bad reference');

# a connection goes on after a refusal with a body

my $conn = $t->connect;
$res = $conn->request('POST', '/a/ws:w1:Y', keep => 1, body => 'y' x 9000);
$res = $conn->request('GET', '/a/abc', keep => 1);
ok($res->body eq $png, 'a body that nobody wants does not desync');
$up->requests;

# locations

is(asked('/a/nested/x'), '200 GET /nested/artifacts/x', 'a nested location');
is(asked('/bare/x'), '200 GET /artifacts/x', 'a location without its slash');
is(asked('/barely'), '404', 'takes nothing but what is below it');
is(asked('/rewritten/x'), '200 GET /artifacts/x', 'rewrite');
is(asked('/plain/x'), '200 GET /plain', 'empty where nothing is decoded');
is(asked('/a/abc?x=y'), '200 GET /artifacts/abc', 'arguments are not added');

# what is known of it in the answer

$res = $t->accept('vision', '/a/artifact:' . ws_id('w1', 'src/./a.png'));
my $meta = json_of($res)->{metadata};
is(join(' ', @$meta{qw(id workspaceId relativePath filename)}),
   ws_id('w1', 'src/a.png') . ' w1 src/a.png a.png',
   'metadata of a workspace file');
$meta = json_of($t->accept('vision', '/a/artifact:x%20y'))->{metadata};
is("$meta->{id} $meta->{filename}", 'x y x y', 'of an artifact');
ok(!exists $meta->{workspaceId}, 'which has no workspace');

# other modules that read the variables

is(asked('/mapped/' . ws_id('w7', 'a')), '200 GET /own-w7/' . ws_id('w7', 'a'),
   'map');
is(asked('/mapped/x'), '200 GET /shared/x', 'its default');
is(asked('/auth/' . ws_id('w1', 'a')),
   '200 GET /ask/workspaces/w1/a GET /workspaces/w1/a', 'auth_request');
is(asked('/auth/' . ws_id('secret', 'a')), '403', 'which refuses');
is(asked('/limited/x'), '200 GET /artifacts/x', 'limit_req');
is(asked('/limited/y'), '200 GET /artifacts/y', 'by reference');
is(asked('/limited/artifact:x'), '429', 'however it is written');
is(asked('/set/' . ws_id('w1', 'd/a')), '200 GET /w1/d/a', 'set and if');
is(asked('/set/x'), '200 GET /none/', 'with empty values');

my $key = 'workspaces/w1/a%20b';
require Digest::MD5;
(my $sign = Digest::MD5::md5_base64("$key word")) =~ tr{+/}{-_};
is(asked('/signed/' . ws_id('w1', 'a b') . "?s=$sign"), "200 GET /$key",
   'secure_link');
is(asked('/signed/' . ws_id('w1', 'c') . "?s=$sign"), '403',
   'of another reference');

# other handlers and raw answers

mkdir $t->prefix . '/files' or die "mkdir: $!";
spew($t->prefix . '/files/shot.png', $png);
is(routing_of($t->accept('vision', '/static/shot.png')),
   'image image_url image/png', 'a static file');
error_is($t->accept('vision', '/static/ws:w1:Y'), 400, 'invalid_artifact_id',
         undef, 'a bad reference to one');
$res = $t->accept('vision', '/never/x');
ok($res->body eq $png, 'artifact_route off');
error_is($t->accept('vision', '/never/.x'), 400, 'invalid_artifact_id', '.x',
         'refuses all the same');
is($t->get('/a/x')->header('X-Content-Type-Options'), 'nosniff',
   'raw answers are not to be sniffed');

# logs

ok($t->wait_for(qr{^artifact:abc123\|abc123\|-\|-\|artifacts/abc123\|.*\|200$}m,
                'access.log'), 'the log of a raw request');
my $id = ws_id('w1', 'src/a.png');
ok($t->wait_for(qr{^artifact:\Q@{[ws_id('w1', 'src/./a.png')]}|$id\E
                   \|w1\|src/a\.png\|workspaces/w1/src/a\.png
                   \|image/png\|image_url\|200$}mx, 'access.log'),
   'of a routed one');
ok($t->wait_for(qr{^ws:w1:Y\|-\|-\|-\|-\|-\|-\|400$}m, 'access.log'),
   'of a bad one');

$up->stop;
$t->finish;
