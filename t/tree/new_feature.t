#!/usr/bin/perl

# What docs/design.md says of a new feature: one file in a folder of its own and
# one line of config, as they stand there, make a directive, a variable and a
# location that answers, beside all that is there.
#
# Objects of the module under test are taken; what is new is compiled.
#
#   TEST_NGINX_OBJS   the folder that nginx was configured into

use strict;
use warnings;

use Cwd qw(abs_path);
use File::Copy qw(copy);
use File::Path qw(make_path);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactTest;

plan(skip_all => 'the module is linked in')
    if ($ENV{TEST_NGINX_MODULE} // 'so') eq '';

my $root = abs_path("$FindBin::Bin/../..");
my $objs = $ENV{TEST_NGINX_OBJS} // "$root/build/nginx";

my $t = ArtifactTest->new;
my $tree = $t->prefix . '/tree';


# the page, and the tree with what it says

my ($file, $code, $line) = slurp("$root/docs/design.md")
    =~ m{`(src/http/\w+/\w+\.c)`:\n\n```c\n(.*?)```\n
         .*?`ngx_artifact_leaves`.*?:\n\n```sh\n(.*?)```\n}sx
    or BAIL_OUT('docs/design.md shows no new feature');

is((grep { length > 80 } split /\n/, $code . $line), 0,
   'no line is over 80 columns');

for my $path (map { glob "$root/$_" } qw(src/*/*/*.[ch] src/*.map generated/*.c
                                         config))
{
    my ($folder) = $path =~ m{\A\Q$root\E/(.*/)?[^/]+\z};
    make_path("$tree/" . ($folder // ''));
    copy($path, "$tree/" . substr($path, 1 + length $root)) or die "$path: $!";
}

make_path("$tree/$file" =~ s{/[^/]+\z}{}r);
spew("$tree/$file", $code);

my $config = slurp("$tree/config");

ok($config =~ s/^(ngx_artifact_leaves=.*?)(^ +ngx_http_artifact_lint_module")/$1$line$2/ms,
   'the line goes into config, before the last one');

spew("$tree/config", $config);


# nginx's own build, which finds the objects of all that has not changed

my $src = $ENV{TEST_NGINX_SRC} // '/usr/share/nginx/src';
my $build = "$tree/build";
my ($configure) = grep { -x "$src/$_" } qw(configure auto/configure);
my ($flags) = slurp("$objs/ngx_auto_config.h")
    =~ /^#define NGX_CONFIGURE "(.*)"$/m;

$flags =~ s/--builddir=\S+/--builddir=$build/;
$flags =~ s/--add-dynamic-module=\Q$root\E(?!\S)/--add-dynamic-module=$tree/;

make_path($build);
ok(run('sh', '-c', "cd $src && ./$configure $flags"), 'nginx is configured')
    or BAIL_OUT('there is no module');
ok(run('cp', '-r', "$objs/addon", $build), 'the objects are there');
ok(run('make', '-s', '-C', $src, '-f', "$build/Makefile", 'modules'),
   'the module is built') or BAIL_OUT('there is no module');

$ENV{TEST_NGINX_MODULE} = "$build/ngx_artifact_module.so";


# the feature

$t->artifact('shot', 'a picture', { type => 'text/plain' });

$t->start(server => <<'CONF');
    artifact_parrot_word hi;

    location /artifacts/ {
        artifact;
        artifact_root %%DATA%%;
    }

    location /say/ {
        artifact_parrot;
        add_header X-Word $artifact_parrot;
    }

    location /shout/ {
        artifact_parrot;
        artifact_parrot_word HI;
    }
CONF

my $said = $t->get('/say/shot');

is($said->status, 200, 'the location answers');
is($said->body, '{"word":"hi","id":"shot"}', 'with what it inherits');
is($said->header('X-Word'), 'hi', 'so does the variable');
is($t->get('/shout/shot')->body, '{"word":"HI","id":"shot"}',
   'or with its own');
is($t->get('/say/ws:x')->status, 400, 'a bad reference is refused');
is($t->get('/artifacts/shot')->body, 'a picture', 'all else is as it was');

$t->stop;
$t->check_log;

done_testing();


sub run {
    my (@command) = @_;

    open my $out, '-|', 'sh', '-c', 'exec "$@" 2>&1', 'sh', @command
        or die "$command[0]: $!";
    my $told = do { local $/; <$out> };
    my $ok = close $out;

    diag($told) if !$ok && defined $told;
    return $ok;
}
