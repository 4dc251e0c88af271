#!/usr/bin/perl

# $artifact_version: changes with the bytes, is never that of another content, and
# makes one conversion of all that ask for the same one.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream qw(read_request send_answer);

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $png = png(40, 30);
my $log = "$dir/asked";

my $converter = ArtifactUpstream->new("$dir/convert.sock", serve => sub {
    my ($sock) = @_;
    my ($head, $body) = read_request($sock) or return;

    open my $file, '>>', $log or die;
    syswrite $file, '.';
    close $file;

    my $words = 'words of ' . length $body;
    send_answer($sock, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
        . 'Content-Length: ' . length($words)
        . "\r\nConnection: close\r\n\r\n$words");
});

sub asked {
    my $n = -s $log // 0;
    unlink $log;
    return $n;
}

my %headers = (
    strong => ['ETag: "one"'], other => ['ETag: "two"'],
    same => ['ETag: "one"'], weak => ['ETag: W/"one"'],
    dated => ['Last-Modified: Thu, 01 Jan 2026 00:00:00 GMT'], none => [],
);
my $up = ArtifactUpstream->new("$dir/up.sock", contents => {
    map { $_ => { body => $png, type => 'image/png', headers => $headers{$_} } }
    keys %headers });

$t->artifact($_, $png, { type => 'image/png', name => "$_.png" })
    for qw(one two);
$t->workspace_file('ws', 'one.png', $png);
mkdir "$dir/more" or die;
mkdir "$dir/more/artifacts" or die;
spew("$dir/more/artifacts/one.png", $png);
mkdir "$dir/html" or die;
spew("$dir/html/one.png", $png);

$t->start(http => <<'HTTP', server => <<"SERVER");
    proxy_cache_path %%PREFIX%%/derived keys_zone=derived:1m;
    proxy_cache_path %%PREFIX%%/sources keys_zone=sources:1m;
HTTP
    artifact_root %%DATA%%;
    artifact_route on;
    add_header X-Version \$artifact_version;

    location /artifacts/ {
        artifact;
        artifact_derive image text/plain /convert/text body;
    }
    location /more/ {
        artifact;
        artifact_root %%PREFIX%%/more;
        artifact_derive image text/plain /convert/text body;
    }
    location /get/ {
        artifact;
        artifact_derive image text/plain /convert/get/;
    }
    location /workspaces/ {
        artifact_workspace;
        artifact_derive image text/plain /convert/text body;
    }
    location /html/ {
        alias %%PREFIX%%/html/;
        types { image/png png; }
        artifact_derive image text/plain /convert/get/;
    }
    location /up/ {
        proxy_pass http://unix:$dir/up.sock:/;
        artifact_derive image text/plain /convert/get/;
    }
    location /cached/ {
        proxy_pass http://unix:$dir/up.sock:/;
        proxy_cache sources;
        proxy_cache_valid 1m;
        artifact_derive image text/plain /convert/get/;
    }
    location /set/ {
        set \$early \$artifact_version;
        return 200 \$early;
    }
    location /convert/ {
        internal;
        proxy_pass http://unix:$dir/convert.sock:/;
        proxy_cache derived;
        proxy_cache_methods GET POST;
        proxy_cache_key \$artifact_version\$uri;
        proxy_cache_valid 200 1m;
    }
SERVER

sub version {
    my ($uri, $caps) = @_;
    my $res = $t->accept($caps // 'vision', $uri);
    is($res->status, 200, "$uri answers");
    return $res->header('X-Version') // 'none';
}

my %seen;

sub new_version {
    my ($uri, $what) = @_;
    my $version = version($uri);
    like($version, qr/^[0-9a-f]{64}\z/, "$what: 64 digits");
    is($seen{$version}++, 0, 'of no other content');
    return $version;
}

# files

my $one = new_version('/artifacts/one', 'a file');
is(version('/artifacts/one'), $one, 'the same again');
is(version('/artifacts/one', 'text'), $one, 'for any reader');
is(version('/get/one', 'text'), $one, 'in any location of its root');
is($t->get('/artifacts/one')->header('X-Version'), $one, 'and raw');
new_version('/artifacts/two', 'the same bytes with another id');
new_version('/more/one', 'the same id below another root');
new_version('/workspaces/ws/one.png', 'a file of a workspace');

my $file = $t->data . '/artifacts/one';
my ($mtime, $size) = (stat $file)[9, 7];
spew("$file.new", $png);
utime $mtime, $mtime, "$file.new" or die;
rename "$file.new", $file or die;
is((stat $file)[7], $size, 'a file of the same size and time');
isnt(version('/artifacts/one'), $one, 'in its place');

utime 1, 1, $file or die;
$one = version('/artifacts/one');
open my $in_place, '+<', $file or die;
syswrite $in_place, substr $png, 0, 1;
close $in_place;
isnt(version('/artifacts/one'), $one, 'a write into it');

# responses

my $html = new_version('/html/one.png', 'a file of nginx');
is(version('/html/one.png'), $html, 'the same again');
my $strong = new_version('/up/strong', 'an upstream with a tag');
is(version('/up/strong', 'text'), $strong, 'the same again');
new_version('/up/same', 'another URL with that tag');
new_version('/up/other', 'another tag');
is(version('/up/dated'), new_version('/up/dated', 'a date and a length'),
   'the same again');
new_version('/up/weak', 'a weak tag');
new_version('/up/weak', 'which tells nothing apart');
new_version('/up/none', 'an upstream without any');
new_version('/up/none', 'once more');
my $cached = new_version('/cached/strong', 'on its way to a cache');
is(version('/cached/strong'), $cached, 'the same out of it');
my @early = map { $t->get('/set/x')->body } 1 .. 2;
like($early[0], qr/^[0-9a-f]{64}\z/, 'before there is a content');
isnt($early[0], $early[1], 'it is the request\'s own');
asked();

# conversions

sub words { return json_of($t->accept('text', $_[0]))->{content} =~ s/.*\n//r }

is(words('/artifacts/two'), 'words of ' . length $png, 'a conversion');
is(words('/artifacts/two'), 'words of ' . length $png, 'again');
is($t->accept('audio', '/artifacts/two')->status, 200, 'for another reader');
is(asked(), 1, 'is one');
words('/more/one');
is(asked(), 1, 'another content is not found by it');
$t->artifact('two', $png . 'x', { type => 'image/png', name => 'two.png' });
is(words('/artifacts/two'), 'words of ' . (1 + length $png), 'a new content');
is(asked(), 1, 'is converted');
words('/up/same') for 1 .. 2;
is(asked(), 1, 'of an upstream with a tag');
words('/up/none') for 1 .. 2;
is(asked(), 2, 'of one without, each time');

$_->stop for $converter, $up;
$t->finish;
