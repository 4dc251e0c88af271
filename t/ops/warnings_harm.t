#!/usr/bin/perl

# What a warning speaks of does happen: of each configuration, nginx -t says what
# is wrong, and a request shows it.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactEcho;
use ArtifactFixtures;
use ArtifactLint;
use ArtifactTest;
use ArtifactUpstream;

my $t = ArtifactTest->new;
my $dir = $t->prefix;

$t->artifact('note', 'a note', { type => 'text/plain' });
$t->artifact('other', 'another', { type => 'text/plain' });
$t->artifact('shot', png(9, 9), { type => 'image/png' });
$t->artifact('page', '<!--# include virtual="/secret" -->',
             { type => 'text/html' });
$t->workspace_file('ws', 'main.js', 'a file');

mkdir "$dir/$_" or die "mkdir: $!"
    for qw(empty empty/artifacts html acme acme/artifacts cache);
spew("$dir/html/sorry.html", 'a page');
spew("$dir/acme/artifacts/plan.txt", 'of acme');
spew("$dir/one.keys", 'ab' x 32);
spew("$dir/two.keys", 'cd' x 32);
chmod 0600, map { "$dir/$_.keys" } qw(one two);

$t->file('map.json', { services => [
    { id => 'sees', capabilities => { input => ['text', 'vision'] } },
    { id => 'reads', capabilities => { input => ['text'] } },
] });

my $echo = echo("$dir/echo");
my $store = ArtifactUpstream->new("$dir/store", contents => {
    '*' => { body => 'stored', type => 'text/plain' },
    'accel' => { body => '', type => 'application/json',
                 headers => ['X-Accel-Redirect: /secret'] },
});

my $http = 'artifact_capabilities %%PREFIX%%/map.json; artifact_language en; '
    . 'proxy_cache_path %%PREFIX%%/cache keys_zone=z:1m;';
my $root = 'artifact_root %%DATA%%;';
my $size = 'client_max_body_size 8m;';
my $plain = "proxy_pass http://unix:$dir/echo:;";
my $pass = "$plain proxy_ignore_headers X-Accel-Redirect;";
my $expand = "artifact_expand on; $size $pass";
my $source = 'location /artifacts/ { internal; artifact; }';
my $secret = 'location = /secret { internal; return 200 "a secret"; }';
my $password = 'auth_basic a; auth_basic_user_file %%PREFIX%%/none;';
my $url = 'artifact_url http://$host:%%PORT%%/f/;';
my $sign = 'artifact_sign_key %%PREFIX%%/one.keys;';
my $deliver = "location /v1/ { $expand artifact_delivery url; } $source";

my $host;

sub to {
    my ($method, $path, %opt) = @_;
    return $t->req($method, "http://$host$path", %opt);
}

sub ask {
    my ($id, %opt) = @_;
    my $url = $opt{url} // "artifact:$id";
    return to('POST', '/v1/chat/completions',
        headers => ['Content-Type' => 'application/json'],
        body => encode_json_bytes({ model => $opt{model} // 'sees',
            messages => [{ role => 'user', content => [
                $opt{image} ? { type => 'image_url',
                                image_url => { url => $url } }
                            : { type => 'artifact', artifact => $url },
                map { { type => 'text', text => $_ } } $opt{text} // () ] }] }));
}

sub gives {
    my ($res, $status, $re) = @_;
    is($res->{status}, $status, "$host: $status");
    like($res->{body}, $re, "$host: what was warned about");
}

# The URL that the model gets of the image, without the host.

sub url_of {
    my ($id) = @_;
    my ($path) = ask($id, image => 1)->{body} =~ m{"http://[^/"]+(/[^"]*)"};
    return $path // '/none';
}

my $missing = qr/does not exist or has been deleted/;

# warning, configuration, what happens

my @mistakes = (
    ['beside "proxy_pass_request_body off"',
     "location /v1/ { $expand proxy_pass_request_body off; "
     . "proxy_set_header Content-Length ''; } $source",
     sub { gives(ask('note'), 200, qr/\A\z/) }],

    ['beside "proxy_set_body"',
     "location /v1/ { $expand proxy_set_body []; } $source",
     sub { gives(ask('note'), 200, qr/\A\[\]\z/) }],

    ['does not send on what is to be converted',
     "location /v1/ { $expand artifact_derive image text/plain /c/ body; } "
     . "$source location /c/ { internal; $pass proxy_pass_request_body off; "
     . 'proxy_set_header Content-Length ""; }',
     sub { gives(ask('shot', image => 1, model => 'reads'), 200,
                 qr/cannot read this kind of file/) }],

    ['answers with "/sorry.html" and another status instead of 404',
     "root %%PREFIX%%/html; error_page 404 =200 /sorry.html; "
     . "location /v1/ { $expand } $source",
     sub { gives(ask('gone'), 200, qr/"text":"a page"/) }],

    ['runs what clients write',
     "ssi on; $secret location /artifacts/ { artifact; artifact_write on; } ",
     sub { gives(to('GET', '/artifacts/page'), 200, qr/\Aa secret\z/) }],

    ['leads to this location itself',
     "location /v1/ { $expand artifact_source /v1/a/; } $source",
     sub { my $res = ask('note');
           gives($res, 200, qr/messages/);
           unlike($res->{body}, qr/a note/, "$host: the content is not found") }],

    ['of which location "/" serves all files',
     'listen 0.0.0.0:%%PORT%%; root %%PREFIX%%; location / { } '
     . "location /artifacts/ { artifact; $sign artifact_signed on; }",
     sub { gives(to('GET', '/artifacts/note'), 403, qr/signature_missing/);
           gives(to('GET', '/data/artifacts/note.meta'), 200, qr/text/) }],

    ['is where location "/v1/", which asks for nothing',
     "location /v1/ { $expand } location /artifacts/ { artifact; $password }",
     sub { is(to('GET', '/artifacts/note')->{status}, 401, "$host: 401");
           gives(ask('note'), 200, qr/a note/) }],

    ['which that one does not',
     'listen 0.0.0.0:%%PORT%%; '
     . "location /v1/ { $expand $password } location /artifacts/ { artifact; }",
     sub { is(ask('note')->{status}, 401, "$host: 401");
           gives(to('GET', '/artifacts/note'), 200, qr/\Aa note\z/) }],

    ['can list all artifacts, and read them',
     'listen 0.0.0.0:%%PORT%%; '
     . 'location /a/ { artifact; artifact_index on; }',
     sub { gives(to('GET', '/a/'), 200, qr/"artifact:note"/) }],

    ['can list all files, and read them',
     'listen 0.0.0.0:%%PORT%%; '
     . 'location /w/ { artifact_workspace; artifact_index on; }',
     sub { gives(to('GET', '/w/ws/'), 200, qr/main\.js/) }],

    ['can store artifacts',
     'listen 0.0.0.0:%%PORT%%; '
     . 'location /a/ { artifact; artifact_write on; }',
     sub { gives(to('POST', '/a/', body => 'x',
                    headers => ['Content-Type' => 'text/plain']), 201,
                 qr/artifactRef/) }],

    ['can read the counters',
     'listen 0.0.0.0:%%PORT%%; location = /status { artifact_status; }',
     sub { gives(to('GET', '/status'), 200, qr/artifact_/) }],

    ['can read what everybody asks for',
     'listen 0.0.0.0:%%PORT%%; location = /requests { artifact_requests; }',
     sub { gives(to('GET', '/requests'), 200, qr/requests/) }],

    ['writes are no references in location "/v1/"',
     "location /v2/ { artifact_offload on; $size $url $pass } "
     . "location /v1/ { $expand } location /f/ { artifact; } $source",
     sub { my $there = "http://$host:" . $t->port . '/f/shot';
           gives(ask('shot', image => 1, url => $there), 200,
                 qr/"url":"\Q$there\E"/) }],

    ['which is "internal"',
     "$url $deliver location /f/ { internal; artifact; }",
     sub { gives(to('GET', url_of('shot')), 404, qr/404/) }],

    ['which serves something else',
     "$url $deliver location /f/ { artifact_workspace; }",
     sub { gives(to('GET', url_of('shot')), 404, qr/error/) }],

    ['which serves no artifacts',
     "$url $deliver location /f/ { }",
     sub { gives(to('GET', url_of('shot')), 404, qr/404/) }],

    ['and they are not signed',
     "$url $deliver location /f/ { artifact; $sign artifact_signed on; }",
     sub { gives(to('GET', url_of('shot')), 403, qr/signature_missing/) }],

    ['which does not check their signatures',
     "$url $sign $deliver location /f/ { artifact; }",
     sub { gives(to('GET', url_of('shot') =~ s/shot/other/r), 200,
                 qr/\Aanother\z/) }],

    ['which does not have the key that signs them',
     "$url $sign $deliver location /f/ { artifact; artifact_signed on; "
     . 'artifact_sign_key %%PREFIX%%/two.keys; }',
     sub { gives(to('GET', url_of('shot')), 403, qr/signature_invalid/) }],

    ['which has another scope of "artifact_sign_key"',
     "$url $sign $deliver location /f/ { artifact; artifact_signed on; "
     . 'artifact_sign_key %%PREFIX%%/one.keys scope=b; }',
     sub { gives(to('GET', url_of('shot')), 403, qr/signature_invalid/) }],

    ['which has another "artifact_root" than these artifacts',
     "$url $deliver location /f/ { artifact; "
     . 'artifact_root %%PREFIX%%/empty; }',
     sub { gives(to('GET', url_of('shot')), 404, qr/artifact_not_found/) }],

    ['which answers with JSON ("artifact_route")',
     "$url $deliver location /f/ { artifact; artifact_route always; }",
     sub { gives(to('GET', url_of('shot')), 200, qr/\A\{"contentType"/) }],

    ['and a provider has none: use "artifact_signed"',
     "$url $deliver location /f/ { artifact; $password }",
     sub { gives(to('GET', url_of('shot')), 401, qr/401/) }],

    ['"artifact_source" "/artifacts" does not end in "/"',
     "location /v1/ { $expand artifact_source /artifacts; } $source",
     sub { gives(ask('note'), 502, qr/source_failed/) }],

    ['no location of the server matches "artifact_source" "/files/"',
     "location /v1/ { $expand artifact_source /files/; } $source",
     sub { gives(ask('note'), 502, qr/source_failed/) }],

    ['which has "artifact_workspace": references need',
     "location /v1/ { $expand artifact_source /w/; } "
     . 'location /w/ { internal; artifact_workspace; }',
     sub { gives(ask('note'), 200, $missing) }],

    ['is such a folder itself',
     'location /a/ { artifact; artifact_root %%DATA%%/artifacts; }',
     sub { gives(to('GET', '/a/note'), 404, qr/artifact_not_found/) }],

    ['has a part that the client chooses',
     'location /a/ { artifact; artifact_root %%PREFIX%%/$http_x_tenant; }',
     sub { gives(to('GET', '/a/plan', headers => ['X-Tenant' => 'acme']), 200,
                 qr/\Aof acme\z/) }],

    ['has another "artifact_layout" than location "/new/"',
     'location /new/ { artifact; artifact_write on; artifact_layout levels=2; '
     . '} location /a/ { artifact; artifact_layout flat; }',
     sub { my $res = to('POST', '/new/', body => 'x',
                        headers => ['Content-Type' => 'text/plain']);
           my ($id) = $res->{body} =~ /"artifact:([^"]+)"/;
           gives(to('GET', "/new/$id"), 200, qr/\Ax\z/);
           gives(to('GET', "/a/$id"), 404, qr/artifact_not_found/) }],

    ['looks references up in another one',
     'location /new/ { artifact; artifact_write on; '
     . "artifact_root %%PREFIX%%/empty; } location /v1/ { $expand } $source",
     sub { my $res = to('POST', '/new/', body => 'x',
                        headers => ['Content-Type' => 'text/plain']);
           my ($id) = $res->{body} =~ /"artifact:([^"]+)"/;
           gives(ask($id), 200, $missing) }],

    ['beside "try_files"',
     'location /a/ { artifact; try_files $uri =404; }',
     sub { gives(to('GET', '/a/note'), 404, qr/<html>/) }],

    ['does not get "/w/agent-1/src/main.js"',
     'location /w/ { artifact_workspace; } location ~ \.js$ { }',
     sub { gives(to('GET', '/w/ws/main.js'), 404, qr/<html>/) }],

    ['has no effect with "artifact_format" "openai_compatible"',
     "location /v1/ { $expand artifact_format openai_compatible; } $source",
     sub { gives(ask('note'), 200, qr/artifact:note/) }],

    ['with a "client_max_body_size" of 1m',
     "location /v1/ { artifact_expand on; $pass } $source",
     sub { gives(ask('note', text => 'x' x 1_100_000), 413, qr/too_large/) }],

    ['is in no capability map, and gets text only',
     "location /v1/ { $expand artifact_service seas; } $source",
     sub { gives(ask('shot', image => 1), 200,
                 qr/data:image|cannot read this kind of file/) }],

    ['also stands for every model of location "/v1/"',
     "artifact_service reads; location /v1/ { $expand } "
     . 'location /artifacts/ { artifact; artifact_route on; }',
     sub { gives(ask('shot', image => 1), 200,
                 qr/cannot read this kind of file/) }],

    ['and no key has the body',
     "location /v1/ { $expand proxy_cache z; proxy_cache_methods POST; "
     . "proxy_cache_valid 1m; proxy_cache_key \$host; } $source",
     sub { gives(ask('note'), 200, qr/a note/);
           gives(ask('other'), 200, qr/a note/) }],

    ['without "proxy_ignore_headers X-Accel-Redirect"',
     "$secret location /v1/ { artifact_offload on; $size "
     . "proxy_pass http://unix:$dir/store:/; }",
     sub { gives(to('GET', '/v1/accel'), 200, qr/\Aa secret\z/) }],

    ['beside another directive that answers requests',
     "location /a/ { artifact; proxy_pass http://unix:$dir/store:/; }",
     sub { gives(to('GET', '/a/note'), 200, qr/\Astored\z/) }],

    ['which gets no URI with a reference',
     'location = /a/ { artifact; }',
     sub { is(to('GET', '/a/note')->{status}, 404, "$host: 404") }],

    ['since "return" answers all requests',
     'location /a/ { artifact; return 204; }',
     sub { is(to('GET', '/a/note')->{status}, 204, "$host: 204") }],

    ['is open to clients, which could have anything converted',
     "location /v1/ { $expand artifact_derive image text/plain /c/ body; } "
     . "$source location /c/ { $pass }",
     sub { gives(to('POST', '/c/x', body => 'mine'), 200, qr/\Amine\z/) }],
);

for my $mistake (@mistakes) {
    my ($text, $server) = @$mistake;
    my @got = warnings_of($t, "$root\n$server", http => $http);
    is(scalar @got, 1, "$text: one warning") or diag(join "\n", @got);
    like($got[0] // '', qr/\Q$text\E/, 'its text');
}

# all of them at once, on this machine only

my $n = 0;

$t->start(http => $http . join '', map {
    my $server = $_->[1] =~ s/listen 0\.0\.0\.0:\S+//r;
    $n++;
    "\nserver { listen 127.0.0.1:%%PORT%%; server_name h$n;\n$root\n$server }"
} @mistakes);

$n = 0;

for my $mistake (@mistakes) {
    $host = 'h' . ++$n;
    note("$host: $mistake->[0]");
    $mistake->[2]->();
}

$t->finish;
