package ArtifactConsumer;

# Builds the module of t/tools/consumer_module.c against the nginx under test,
# and the tree's module once more, with symbols that another one can use.
#
#   TEST_NGINX_SRC    nginx's source tree (default: Debian's nginx-dev, or with
#                     the module linked in that of "make asan")
#   TEST_NGINX_OBJS   the folder that it was configured into

use strict;
use warnings;

use Cwd qw(abs_path);
use Exporter 'import';
use File::Basename qw(dirname);

our @EXPORT = qw(consumer_module);

my $REPO = abs_path(dirname(__FILE__) . '/../..');


# The path of the shared object in a folder; dies if it cannot be built.
# TEST_NGINX_MODULE is the other one from then on.

sub consumer_module {
    my ($dir) = @_;

    my $linked = ($ENV{TEST_NGINX_MODULE} // 'so') eq '';
    my $src = $ENV{TEST_NGINX_SRC}
        // ($linked ? "$REPO/build/asan/src" : '/usr/share/nginx/src');
    my $objs = $ENV{TEST_NGINX_OBJS}
        // ($linked ? "$REPO/build/asan/objs" : "$REPO/build/nginx");

    my @folders = ($objs, "$REPO/src", map { "$src/src/$_" }
        qw(core event event/modules event/quic os/unix http http/modules
           http/v2 http/v3));
    my $so = "$dir/consumer_module.so";

    my @command = ($ENV{CC} || 'cc', '-O1', '-g', '-fPIC', '-shared', '-W',
        '-Wall', '-Wpointer-arith', '-Wno-unused-parameter', '-Werror',
        '-o', $so, (map { "-I$_" } @folders),
        "$REPO/t/tools/consumer_module.c");

    system(@command) == 0 or die "the consumer cannot be built\n";
    $ENV{TEST_NGINX_MODULE} = open_module($dir, $objs) unless $linked;
    return $so;
}


# Links the objects of the tree's module as make does, but for the script that
# hides their symbols.

sub open_module {
    my ($dir, $objs) = @_;

    open my $fh, '<', "$objs/Makefile" or die "$objs/Makefile: $!\n";
    local $/;
    my $so = "$dir/ngx_artifact_module.so";
    my ($link) = <$fh> =~ m{^\t\$\(LINK\)\ -o\ \S+/ngx_artifact_module\.so\ 
                             (.+?[^\\])\n}xms
        or die "$objs/Makefile: no ngx_artifact_module.so\n";

    $link =~ s/-Wl,--version-script=\S+//;
    $link =~ s/\\\n/ /g;

    system(($ENV{CC} || 'cc') . " -o $so $link") == 0
        or die "the module cannot be linked\n";
    return $so;
}


1;
