#!/usr/bin/perl

# The variables: in logs, headers, and from the rewrite phase on.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;

my @NAMES = qw(ref id workspace path key name mime mime_source binary_type
               content_type routing reason service capabilities);

my $t = ArtifactTest->new;
my $log = join '|', map { "$_=\$artifact_$_" } @NAMES;
my $headers = join '', map {
    'add_header X-' . tr/_/-/r . " \$artifact_$_ always;\n"
} @NAMES;

$t->file('map.json', { services => [
    { id => 'sees', capabilities => { input => ['text', 'vision'] } },
] });
$t->artifact('abc123', png(), { type => 'image/png', name => 'shot.png' });
$t->artifact('by-name', 'a { }', { name => 'a.css' });
$t->artifact('by-content', pdf(), undef);
$t->artifact('liar', png(), { type => 'text/plain', name => 'l' });
$t->artifact('text', 'words', { type => 'text/plain', name => 'n.txt' });
$t->artifact(bytes('报 告%'), 'words', { type => 'text/plain' });
$t->workspace_file('w1', bytes('中/a b?#%.txt'), 'words');
$t->workspace_file('w1', 'src/a.js', 'let a;');
$t->workspace_file('w2', 'a.txt', 'words');
mkdir $t->prefix . '/tenants' or die "mkdir: $!";
for my $tenant (qw(one two)) {
    my $dir = $t->prefix . "/tenants/$tenant";
    mkdir $_ or die "mkdir: $!" for $dir, "$dir/artifacts";
    spew("$dir/artifacts/x.txt", "of tenant $tenant");
}

$t->start(http => <<"HTTP", server => <<"SERVER");
    artifact_capabilities %%PREFIX%%/map.json;
    log_format vars escape=none '$log';
    limit_req_zone \$artifact_key zone=each:1m rate=1r/m;
    map \$artifact_workspace \$is_w1 {
        default no;
        w1 yes;
    }
    map \$artifact_id \$by_id {
        default other;
        abc123 known;
    }
HTTP
    artifact_root %%DATA%%;
    artifact_route on;
    access_log %%PREFIX%%/access.log vars;

    location /artifacts/ {
        artifact;
        $headers
    }
    location /workspaces/ {
        artifact_workspace;
        $headers
    }
    location /inlined/ {
        artifact;
        artifact_inline_max 10;
    }
    location /if/ {
        artifact_workspace;
        if (\$artifact_workspace = w1) {
            return 418;
        }
    }
    location /if-path/ {
        artifact;
        if (\$artifact_path ~ \\.js\$) {
            return 418;
        }
    }
    location /if-passes/ {
        artifact;
        if (\$artifact_workspace = w1) {
            add_header X-Passed yes;
        }
    }
    location /if-map/ {
        artifact;
        if (\$is_w1 = yes) {
            return 418;
        }
    }
    location /except/ {
        artifact;
        limit_except GET {
            deny all;
        }
    }
    location /set/ {
        artifact;
        set \$kept \$artifact_key;
        add_header X-Kept \$kept;
        add_header X-Map \$by_id;
    }
    location /redirect/ {
        artifact;
        return 302 /moved/\$artifact_key;
    }
    location /tenants/ {
        artifact;
        artifact_root %%PREFIX%%/tenants/\$arg_tenant;
    }
    location /guarded/ {
        artifact;
        auth_request /guard;
    }
    location = /guard {
        internal;
        if (\$artifact_workspace = w2) {
            return 403;
        }
        if (\$is_w1 = yes) {
            return 204;
        }
        return 401;
    }
    location /limited/ {
        artifact;
        limit_req zone=each;
    }
    location /old/ {
        rewrite ^/old/(.*)\$ /artifacts/\$1 last;
    }
    location /plain {
        artifact;
    }
    location /elsewhere/ {
        return 200 "[\$artifact_id][\$artifact_key][\$artifact_routing]";
    }
SERVER

# One request; its variables as logged, and as sent in headers.

sub vars {
    my ($uri, %opt) = @_;

    my $path = $t->prefix . '/access.log';
    my $size = -s $path || 0;
    my $res = $t->req($opt{method} || 'GET', $uri,
                      headers => $opt{headers} || []);
    for (1 .. 100) {
        last if (-s $path || 0) > $size;
        select undef, undef, undef, 0.02;
    }
    my ($line) = substr(slurp($path), $size) =~ /^(.*)$/m;
    my %vars = map { split /=/, $_, 2 } split /\|/, $line // '';

    for my $name ($opt{no_headers} ? () : @NAMES) {
        my $header = $res->header('X-' . $name =~ tr/_/-/r) // '';
        is($header, $vars{$name} // '', "$uri: \$artifact_$name in a header");
    }
    return \%vars;
}

sub vars_are {
    my ($vars, $name, %want) = @_;
    for my $key (sort keys %want) {
        is($vars->{$key}, $want{$key}, "$name: \$artifact_$key");
    }
}

my $vars = vars('/artifacts/artifact:abc123');
vars_are($vars, 'raw', ref => 'artifact:abc123', id => 'abc123',
         workspace => '', path => '', key => 'artifacts/abc123',
         name => 'shot.png', mime => 'image/png', mime_source => 'metadata',
         routing => 'raw', reason => '', service => '');

$vars = vars('/artifacts/abc123', headers => ['X-LLM-Service' => 'sees']);
vars_are($vars, 'an image', id => 'abc123', mime => 'image/png',
         mime_source => 'metadata', binary_type => 'image',
         content_type => 'image', routing => 'image_url', reason => '',
         service => 'sees');
like($vars->{capabilities}, qr/\btext\b.*\bvision\b/,
     'an image: $artifact_capabilities');

$vars = vars('/artifacts/abc123',
             headers => ['X-LLM-Capabilities' => 'text, file']);
vars_are($vars, 'a description', binary_type => 'image',
         content_type => 'image', routing => 'text', reason => 'capability');
like($vars->{capabilities}, qr/\btext\b.*\bfile\b/,
     'a description: $artifact_capabilities');

my @text = (headers => ['X-LLM-Capabilities' => 'text']);
my @file = (headers => ['X-LLM-Capabilities' => 'file']);
vars_are(vars('/artifacts/text', @text), 'a text', mime => 'text/plain',
         binary_type => '', content_type => 'text', routing => 'text',
         reason => '');
vars_are(vars('/artifacts/by-name', @text), 'by name', mime => 'text/css',
         mime_source => 'name', name => 'a.css');
vars_are(vars('/artifacts/by-content', @file), 'by content',
         mime => 'application/pdf', mime_source => 'content',
         content_type => 'binary', binary_type => 'document',
         routing => 'file', name => 'by-content');
vars_are(vars('/artifacts/liar', @file), 'the content wins',
         mime => 'image/png', mime_source => 'content');
vars_are(vars('/inlined/abc123', no_headers => 1,
              headers => ['X-LLM-Capabilities' => 'vision']),
         'too large', routing => 'text', reason => 'size');

# workspaces and percent-encoding

my $id = ws_id('w1', bytes('中/a b?#%.txt'));
my $key = 'workspaces/w1/%E4%B8%AD/a%20b%3F%23%25.txt';
vars_are(vars("/artifacts/artifact:$id"), 'a workspace id',
         ref => "artifact:$id", id => $id, workspace => 'w1',
         path => bytes('中/a b?#%.txt'), key => $key);
vars_are(vars('/workspaces/w1/' . uri(bytes('中/a b?#%.txt'))),
         'a workspace path', id => $id, workspace => 'w1',
         path => bytes('中/a b?#%.txt'), key => $key);
vars_are(vars('/artifacts/' . uri(bytes('报 告%'))), 'an odd id',
         id => bytes('报 告%'), key => 'artifacts/%E6%8A%A5%20%E5%91%8A%25');
vars_are(vars('/artifacts/' . ws_id('w1', 'x/../src/./a.js')),
         'a path with dots', id => ws_id('w1', 'src/a.js'),
         path => 'src/a.js', key => 'workspaces/w1/src/a.js');
vars_are(vars('/artifacts/abc123/metadata'), 'metadata', id => 'abc123',
         key => 'artifacts/abc123');
vars_are(vars('/artifacts/abc123', method => 'HEAD', @file), 'HEAD',
         id => 'abc123', routing => 'text', reason => 'capability');

# references that are not there, or bad

vars_are(vars('/artifacts/nope'), 'an unknown id', id => 'nope',
         key => 'artifacts/nope', mime => '');
for my $ref ('ws:w1:Y', ws_id('w1', '../x'), '.hidden') {
    vars_are(vars("/artifacts/$ref"), "a bad id $ref", id => '',
             workspace => '', path => '', key => '', name => '', mime => '',
             reason => '');
}
is($t->get('/elsewhere/abc123')->body, '[][][]', 'empty elsewhere');

# the rewrite phase

my $js = ws_id('w1', 'src/a.js');
is($t->get('/if/w1/src/a.js')->{status}, 418, 'if ($artifact_workspace)');
is($t->get('/if/w2/a.txt')->body, 'words', 'and another workspace');
is($t->get("/if-path/$js")->{status}, 418, 'if ($artifact_path)');
is($t->get('/if-path/abc123')->{status}, 200, 'and no path');
my $res = $t->get("/if-passes/$js");
is($res->body, 'let a;', 'an if that passes serves as before');
is($res->header('X-Passed'), 'yes', 'with its own settings');
is(routing_of($t->accept('text', "/if-passes/$js")) =~ s/ \S+\z//r,
   'text text', 'and routes as before');
is($t->get("/if-map/$js")->{status}, 418, 'map $artifact_workspace');
is($t->get('/if-map/abc123')->{status}, 200, 'and its default');
$res = $t->get("/set/$js");
is($res->header('X-Kept'), 'workspaces/w1/src/a.js', 'set $artifact_key');
is($res->header('X-Map'), 'other', 'map $artifact_id in a header');
is($t->get('/set/abc123')->header('X-Map'), 'known', 'and a known id');
like($t->get("/redirect/$js")->header('Location'),
     qr{/moved/workspaces/w1/src/a\.js$}, 'return with $artifact_key');
is($t->get('/except/abc123')->{status}, 200, 'limit_except lets GET pass');
is($t->req('POST', '/except/abc123', body => '')->{status}, 403,
   'and stops others');

is($t->get("/guarded/$js")->{status}, 200, 'auth_request lets one pass');
is($t->get('/guarded/' . ws_id('w2', 'a.txt'))->{status}, 403,
   'and stops another');
is($t->get('/guarded/abc123')->{status}, 401, 'and a third');
is($t->get('/limited/abc123')->{status}, 200, 'limit_req lets the first pass');
is($t->get('/limited/abc123')->{status}, 503, 'and stops the second');
is($t->get("/limited/$js")->{status}, 200, 'but not another key');
is($t->get("/old/$js")->body, 'let a;', 'rewrite to a reference');
is($t->get('/old/abc123/metadata')->header('Content-Type'),
   'application/json', 'rewrite to metadata');
is($t->get("/plain/$js")->body, 'let a;',
   'a location without a slash at its end');

# variables in the root

is($t->get('/tenants/x?tenant=one')->body, 'of tenant one',
   'artifact_root with a variable');
is($t->get('/tenants/x?tenant=two')->body, 'of tenant two',
   'with another value');
error_is($t->get('/tenants/x?tenant=three'), 404, 'artifact_not_found', 'x',
         'with a root that is not there');

$t->finish;
