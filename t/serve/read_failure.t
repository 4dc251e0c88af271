#!/usr/bin/perl

# Files whose reading fails, as on a bad disk: described if nothing could be
# read, an answer broken off if something already went out.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactEcho;
use ArtifactFixtures;
use ArtifactJSON;
use ArtifactTest;
use File::Temp qw(tempdir);

my $dir = tempdir(CLEANUP => 1);
my $library = "$dir/fail-read.so";
my $cc = $ENV{CC} || 'cc';

is(system($cc, '-O1', '-Wall', '-shared', '-fPIC', '-o', $library,
          "$FindBin::Bin/../tools/fail-read.c", '-ldl'), 0,
   'the library compiles') or BAIL_OUT('no C compiler');

$ENV{ASAN_OPTIONS} = join ':', $ENV{ASAN_OPTIONS} // (),
    'detect_odr_violation=0', 'verify_asan_link_order=0';

my $t = ArtifactTest->new(launcher => ['env', "LD_PRELOAD=$library"]);

my %type = (png => 'image/png', pdf => 'application/pdf',
            text => 'text/plain');
my %head = (png => png(), pdf => pdf(), text => "words\n");
for my $kind (keys %type) {
    for my $good (0, 300_000) {
        my $fill = $kind eq 'text' ? 'more words ' : "\0\1\2\3\xff";
        $t->artifact("$kind-broken-$good", $head{$kind} . $fill x 200_000,
                     { type => $type{$kind}, name => "xxx.$kind" });
    }
}
$t->artifact('sound', 'words', { type => 'text/plain' });
$t->allow(qr/\(5: Input\/output error\)|\[alert\].*read only/);

my $echo = echo("$dir/echo");

$t->start(server => <<'SERVER' . <<"EXPAND");
    artifact_root %%DATA%%;
    artifact_route on;
    artifact_inline_max 0;

    location /artifacts/ {
        artifact;
    }
    location /en/ {
        artifact;
        artifact_language en;
    }
    location /tool/ {
        artifact;
        artifact_format tool_message;
    }
    location /object/ {
        artifact;
        artifact_format object;
    }
SERVER
    location /unverified/ {
        artifact;
        artifact_verify off;
    }
    location /v1/ {
        artifact_route off;
        artifact_source /unverified/;
        artifact_expand on;
        artifact_accept vision;
        set \$words \$arg_words;
        artifact_description \$words;
        proxy_pass http://unix:$dir/echo:;
    }
EXPAND

is(json_of($t->accept('text', '/artifacts/sound'))->{content}, 'words',
   'a sound file');

# nothing can be read

for my $kind (qw(png pdf)) {
    my $uri = "/artifacts/$kind-broken-0";
    my $res = $t->accept('vision, file', $uri);
    my $data = json_of($res);
    is(route_problems($res), '', "$kind: well-formed");
    is($data->{routing}, 'text', "$kind: described");
    is($data->{metadata}{reason}, 'read', "$kind: for the reason");
    is($data->{content}, "[文件处理失败: xxx.$kind]\n"
       . "错误: 无法读取文件内容\n请检查文件是否损坏",
       "$kind: in the words of the platform");
    is($data->{metadata}{binaryType}, $kind eq 'png' ? 'image' : 'document',
       "$kind: of its declared kind");
    like(json_of($t->accept('vision, file', "/en/$kind-broken-0"))->{content},
         qr/\A\[[\x20-\x7e]+: xxx\.$kind\]\n[\x20-\x7e]+\n[\x20-\x7e]+\z/,
         "$kind: also in English");

    my $head = $t->head($uri, 'X-LLM-Capabilities' => 'vision, file');
    is($head->{status}, 200, "$kind: HEAD");
    is($head->header('Content-Length'), $res->header('Content-Length'),
       "$kind: HEAD has the length of GET");

    my $inner = json_of($t->accept('vision, file', "/tool/$kind-broken-0"));
    is(decode_strict(bytes($inner->{content}))->{metadata}{reason}, 'read',
       "$kind: in a tool message");
}
my $res = $t->accept('text', '/artifacts/text-broken-0');
is(json_of($res)->{metadata}{reason}, 'read', 'a text that cannot be read');
like(json_of($res)->{content}, qr/\A\[文件处理失败: xxx\.text\]\n/,
     'is described, too');

# something was sent already

for my $kind (qw(png pdf text)) {
    my $caps = 'text, vision, file';
    for my $uri ("/artifacts/$kind-broken-300000",
                 "/tool/$kind-broken-300000", "/object/$kind-broken-300000")
    {
        my $res = $t->req('GET', $uri, may_break => 1,
                          headers => ['X-LLM-Capabilities' => $caps]);
        is($res->{status}, 200, "$uri had begun");
        ok(!$res->{complete}, "$uri is broken off");
        ok(!eval { decode_strict($res->body) }, "$uri is no JSON");
    }

    my $res = $t->req('GET', "/artifacts/$kind-broken-300000",
                      may_break => 1);
    ok(!$res->{complete}, "raw $kind is broken off");
}

# in a request: words in its place, even where these are as long as what would
# stand around its content

my %url = (url => 'artifact:png-broken-0');
my @parts = ({ type => 'image_url', image_url => \%url });
my @wrong;

for my $n (1 .. 40) {
    my $words = 'w' x $n;
    my $res = $t->req('POST', "/v1/chat/completions?words=$words",
        headers => ['Content-Type' => 'application/json'],
        body => encode_json_bytes({ messages => [
            { role => 'user', content => \@parts }] }));
    my $sent = eval { decode_strict($res->body) };

    push @wrong, $n
        if !$sent || $sent->{messages}[0]{content}[0]{text} ne $words;
}

is("@wrong", '', 'a request tells of it in words of any length');

is(json_of($t->accept('text', '/artifacts/sound'))->{content}, 'words',
   'the server goes on');

$t->finish;
