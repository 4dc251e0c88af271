#!/usr/bin/perl

# The files of the inspector's page, as nginx sends them: types, policy, tags,
# methods, locations, arguments.  What the page does is in t/ops/inspector_page.t.

use strict;
use warnings;

use Compress::Zlib qw(memGunzip);
use Cwd qw(abs_path);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactTest;

my $root = abs_path("$FindBin::Bin/../..");

is(system("$root/scripts/embed.pl", '--check'), 0,
   'what is in the module is what is in www');

my ($all, %file) = (0);

for my $path (glob "$root/www/*") {
    my $text = slurp($path);

    $all += length $text;
    $file{ $path =~ m{/index\.html\z} ? '' : $path =~ s{.*/}{}r } = $text;

    unlike($text, qr/innerHTML|outerHTML|insertAdjacentHTML|document\.write
                     |\beval\b|DOMParser/x, "$path makes no markup of strings");
    unlike($text, qr/\bhttps?:(?!\/\/www\.w3\.org\/2000\/svg)/,
           "$path names no other server");
}

cmp_ok(scalar keys %file, '>', 5, 'there are files');
cmp_ok($all, '<', 72 * 1024, 'of less than 72 KB');

my $t = ArtifactTest->new;

$t->start(server => <<'SERVER');
    artifact_root %%DATA%%;
    artifact_route always;
    artifact_language en;

    location /inspector/ {
        artifact_inspector;
    }
    location /look {
        artifact_inspector artifacts=/a%22b"\\ workspaces= status=/n;
        etag off;
        gzip on;
        gzip_types application/javascript;
    }
    location /guarded/ {
        artifact_inspector services=/s/;
        limit_except POST {
            deny 127.0.0.2;
        }
    }
    location /denied/ {
        artifact_inspector;
        deny all;
    }
SERVER

my %type = (
    html => 'text/html; charset=utf-8',
    css => 'text/css; charset=utf-8',
    js => 'application/javascript; charset=utf-8',
    svg => 'image/svg+xml; charset=utf-8',
);

for my $name (sort keys %file) {
    my $res = $t->get("/inspector/$name");
    my ($extension) = ($name || 'html') =~ /(\w+)\z/;

    is($res->{status}, 200, "/inspector/$name");
    is($res->header('Content-Type'), $type{$extension}, 'its type');
    ok($res->{body} eq $file{$name}, 'its bytes, not routed');
    policy($res);

    my $tag = $res->header('ETag');
    like($tag, qr/^"[0-9a-f]{16}"$/, 'a tag');
    is($t->get("/inspector/$name", 'If-None-Match' => $tag)->{status}, 304,
       'not modified');

    my $head = $t->head("/inspector/$name");
    is($head->header('Content-Length'), length $file{$name}, 'HEAD');
}

sub policy {
    my ($res) = @_;
    my $policy = $res->header('Content-Security-Policy') // '';

    like($policy, qr/default-src 'none'/, 'nothing by default');
    unlike($policy, qr/unsafe|data:|blob:|\*|https?:/, 'no way around');
    unlike($policy, qr/frame-src|object-src|worker-src/, 'no documents');
    like($policy, qr/frame-ancestors 'none'/, 'framed by nobody');
    is($res->header('X-Content-Type-Options'), 'nosniff', 'not sniffed');
    is($res->header('Cache-Control'), 'no-cache', 'asked for again');
}

# the paths

my $res = $t->get('/inspector/paths.json');
is($res->header('Content-Type'), 'application/json', 'the paths are JSON');
policy($res);
is($t->get('/inspector/paths.json', 'If-None-Match' => $res->header('ETag'))
      ->{status}, 304, 'with a tag');

my $paths = decode_strict($res->{body});
my $formats = delete $paths->{formats};
is_deeply($paths, { artifacts => '/artifacts/', workspaces => '/workspaces/',
                    services => '/services/', status => '/status',
                    requests => '/requests' },
          'the defaults');
is($formats->[0], 'route', 'formats begin with "route"');

my $documented = join ' ', slurp("$root/docs/formats.md") =~ /^\| `(\w+)` /gm;
is(scalar(grep { $documented !~ /\b$_\b/ } @$formats), 0,
   'and are those of the table');
cmp_ok(scalar @$formats, '>', 10, 'all of them');

$paths = decode_strict($t->get('/look/paths.json')->{body});
delete $paths->{formats};
is_deeply($paths, { artifacts => '/a%22b"\\', workspaces => '',
                    services => '/services/', status => '/n',
                    requests => '/requests' },
          'arguments');
is($t->get('/look/paths.json')->header('ETag'), undef, 'etag off');

# locations

for (['/inspector', '/inspector/'], ['/look?x=1', '/look/?x=1']) {
    my $res = $t->get($_->[0]);
    is($res->{status}, 301, "$_->[0] is redirected");
    like($res->header('Location'), qr{:\d+\Q$_->[1]\E\z}, 'to a folder');
}

is($t->get('/look/')->{status}, 200, 'a location without a slash');
is($t->get('/guarded/dom.js')->{status}, 200, 'limit_except');
like($t->get('/guarded/paths.json')->{body}, qr{"services":"/s/"},
     'with its arguments');

my $zipped = $t->get('/look/api.js', 'Accept-Encoding' => 'gzip');
is($zipped->header('Content-Encoding'), 'gzip', 'gzip is nginx\'s');
ok(memGunzip($zipped->{body}) eq $file{'api.js'}, 'of the same bytes');

# what is none of its files

for my $uri ('/inspector/nothing.js', '/inspector/index.html/x',
             '/inspector/api.js/', '/lookabc', '/inspector/../etc/passwd%00')
{
    my $res = $t->get($uri);
    isnt($res->{status}, 200, "$uri is nothing");
    unlike($res->{body}, qr/\Q$root\E|\Q@{[ $t->prefix ]}\E/, 'no path leaks');
}

for my $method (qw(POST PUT DELETE)) {
    my $res = $t->req($method, '/inspector/', headers => [], body => 'x');
    is($res->{status}, 405, "$method is refused");
    is($res->header('Allow'), 'GET, HEAD', 'it only reads');
}

is($t->get('/denied/')->{status}, 403, 'access is nginx\'s');

# configurations

for my $bad ('artifacts=x', 'artifacts=//host/', 'artifacts=https://host/',
             'what=/x', '/x', 'artifact=/x', 'artifactss=/x')
{
    my ($code, $out) = $t->conf_test(server =>
        "location /x/ { artifact_inspector $bad; }");
    isnt($code, 0, "refused: $bad");
    like($out, qr/\[emerg\].*invalid parameter "\Q$bad\E"/, 'with a word');
}

for my $location ('= /x', '~ ^/x', '@x') {
    my ($code, $out) = $t->conf_test(server =>
        "location $location { artifact_inspector; }");
    isnt($code, 0, "refused: location $location");
    like($out, qr/\[emerg\].*cannot be used in/, 'with a word');
}

my ($code, $out) = $t->conf_test(server =>
    'location /x/ { artifact_inspector; artifact_services; }');
isnt($code, 0, 'one handler a location');

$t->finish;
