#!/usr/bin/perl

# What docs/design.md says of a new API: one file and one line, as they stand
# there, make an API whose requests are expanded, whose answers are read, and
# whose base64 becomes artifacts.
#
# Objects of the module under test are linked with the two that change.
#
#   TEST_NGINX_OBJS   the folder that nginx was configured into

use strict;
use warnings;

use Cwd qw(abs_path);
use File::Copy qw(copy);
use File::Path qw(make_path);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;
use MIME::Base64 qw(decode_base64);

plan(skip_all => 'the module is linked in')
    if ($ENV{TEST_NGINX_MODULE} // 'so') eq '';

my $root = abs_path("$FindBin::Bin/../..");
my $objs = $ENV{TEST_NGINX_OBJS} // "$root/build/nginx";

my $t = ArtifactTest->new;
my $tree = $t->prefix . '/tree';


# the page, and the tree with what it says

my ($name, $code, $line) = slurp("$root/docs/design.md")
    =~ m{`src/core/api/art_api_(\w+)\.c`:\n\n```c\n(.*?)```\n
         .*?`ART_APIS`:\n\n```c\n(.*?)```\n}sx
    or BAIL_OUT('docs/design.md shows no new API');

like($line, qr/\A    api\(\Q$name\E\) +\\\n\z/, 'the line is one, with its name');
is((grep { length > 80 } split /\n/, $code . $line), 0,
   'no line is over 80 columns');

for my $path (sort glob "$root/src/core/*/*.[ch]") {
    my ($folder, $file) = $path =~ m{/(src/core/\w+)/([^/]+)\z};
    make_path("$tree/$folder");
    copy($path, "$tree/$folder/$file") or die "$path: $!";
}

my $api = "$tree/src/core/api";
my $list = slurp("$api/art_api.c");

ok($list =~ s/(#define ART_APIS.*?\\\n)(    api\(\w+\)\n\n)/$1$line$2/s,
   'it goes into the list, before the last one');

spew("$api/art_api.c", $list);
spew("$api/art_api_$name.c", $code);


# the module: what the Makefile links, but for these two

my ($cc, $cflags, $link) = makefile("$objs/Makefile");
my @made;

for my $file ('art_api', "art_api_$name") {
    ok(run("$cc -std=gnu99 $cflags -Wextra -Wconversion -I$tree/src -c "
           . "-o $tree/$file.o $api/$file.c"), "$file.c compiles")
        or BAIL_OUT('there is no module');
    push @made, "$tree/$file.o";
}

my $so = "$tree/ngx_artifact_module.so";

ok($link =~ s{\S+/art_api\.o}{@made} && $link =~ s{-o \S+}{-o $so}
   && run($link), 'the module is linked') or BAIL_OUT('there is no module');

$ENV{TEST_NGINX_MODULE} = $so;


# a server with it

my $png = png(40, 40);
my $url = 'data:image/png;base64,' . b64($png);
my $block = '<artifacts>[{\"type\":\"text\",\"content\":\"y\"}]</artifacts>';
my $member = '"artifacts":[{"type":"text","content":"y"}]';

$t->artifact('shot', $png, { mimeType => 'image/png', name => 'shot.png' });

spew($t->prefix . '/map.json', encode_json_bytes({ services => [
    { id => 'sees', provider => 'parrots', model => 'macaw',
      capabilities => { input => ['text', 'vision'] } },
    { id => 'reads', provider => 'parrots', model => 'kea',
      capabilities => { input => ['text'] } } ] }));

my $echo = ArtifactUpstream->echo($t->prefix . '/echo');
my $up = ArtifactUpstream->new($t->prefix . '/up', contents => {
    'json/parrot/say' => { type => 'application/json',
        body => '{"reply":[{"text":"x' . $block . '"}],"n":1}' },
    'sse/parrot/say' => { type => 'text/event-stream',
        body => qq(data: {"say":"x$block"}\n\ndata: {"done":"yes"}\n\n) },
    'draws/parrot/say' => { type => 'application/json',
        body => '{"pictures":[{"png":"' . b64($png) . '","w":40}]}' },
});

$t->start(server => <<'SERVER', http => <<'HTTP');
    artifact_root %%DATA%%;
    artifact_language en;

    location /artifacts/ {
        artifact;
        artifact_route on;
        artifact_format parrot;
    }
    location /ask/ {
        artifact_expand on;
        artifact_source /artifacts/;
        proxy_pass http://unix:%%PREFIX%%/echo:;
    }
    location /named/ {
        artifact_expand on;
        artifact_format parrot;
        proxy_pass http://unix:%%PREFIX%%/echo:;
    }
    location /told/ {
        artifact_prompt on;
        proxy_pass http://unix:%%PREFIX%%/echo:;
    }
    location /answer/ {
        artifact_extract strip;
        artifact_offload on;
        artifact_offload_min 64;
        proxy_pass http://unix:%%PREFIX%%/up:/;
    }
SERVER
    artifact_capabilities %%PREFIX%%/map.json;
HTTP


sub ask {
    my ($uri, $body) = @_;
    return $t->req('POST', $uri, body => $body,
                   headers => ['Content-Type' => 'application/json'])->body;
}


# requests

my $asked = '{"bird":"%s","turns":[{"role":"user","content":[{"text":"What '
    . 'is it?"}, %s]}] }';

is(ask('/ask/parrot/say', sprintf $asked, 'macaw', '{"picture":"artifact:shot"}'),
   sprintf($asked, 'macaw', qq({"picture":"$url"})),
   'a reference is expanded in its place');
is(ask('/ask/parrot/say', sprintf $asked, 'macaw', '{"artifact":"artifact:shot"}'),
   sprintf($asked, 'macaw', qq({"picture":"$url"})),
   'a neutral part becomes one of the format');
is(ask('/named/x', sprintf $asked, 'macaw', '{"artifact":"artifact:shot"}'),
   sprintf($asked, 'macaw', qq({"picture":"$url"})),
   'at another path, where the format says it');
like(ask('/ask/parrot/say', sprintf $asked, 'kea', '{"artifact":"artifact:shot"}'),
     qr/\{"text":"\[[^"]*shot\.png/, 'a bird that cannot see gets words');
like(ask('/ask/birds/kea/parrot/say',
         sprintf($asked, '', '{"artifact":"artifact:shot"}') =~ s/"bird":"",//r),
     qr/\{"text":"\[[^"]*shot\.png/, 'which the path may name');

my $told = decode_strict(ask('/told/parrot/say', sprintf $asked, 'kea',
                             '{"text":"y"}'));

like($told->{manners}, qr/<artifacts>/, 'the instruction is a new member');

$told = decode_strict(ask('/told/parrot/say',
                          '{"manners":"Be kind.","turns":[]}'));

like($told->{manners}, qr/\ABe kind\.\n\n.*<artifacts>/s,
     'or follows the one that is there');


# answers

is(ask('/answer/json/parrot/say', ''), qq({"reply":[{"text":"x"}],"n":1,$member}),
   'what an answer declares is a member of it');
is(ask('/answer/sse/parrot/say', ''),
   qq(data: {"say":"x"}\n\ndata: {"done":"yes",$member}\n\n),
   'and in a stream of its last event');

my ($id) = ask('/answer/draws/parrot/say', '')
    =~ m{\A\{"pictures":\[\{"url":"artifact:([0-9a-f-]{36})","w":40\}\]\}\z};

ok($id, 'a reference replaces base64');
ok(slurp((glob $t->data . "/artifacts/$id.png")[0] // '/dev/null') eq $png,
   'to an artifact with these bytes') if $id;


# a content by itself

ok($t->accept('text, vision', '/artifacts/shot')->body eq qq({"picture":"$url"}),
   'a content is rendered as a part');

$t->stop;
$t->check_log;

done_testing();


# The compiler, its flags, and the command that links the module.

sub makefile {
    my ($path) = @_;

    my $text = slurp($path) =~ s/\\\n/ /gr;
    my ($cc) = $text =~ /^CC\s*=\s*(.*)/m;
    my ($cflags) = $text =~ /^CFLAGS\s*=\s*(.*)/m;
    my ($link) = $text =~ /^\t\$\(LINK\) (.*ngx_artifact_module\.so .*-shared.*)/m;

    return ($cc, $cflags, "$cc $link");
}


sub run {
    my ($command) = @_;

    my $told = `$command 2>&1`;
    diag($told) if $told ne '';
    return $? == 0;
}
