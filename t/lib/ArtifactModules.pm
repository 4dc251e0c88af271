package ArtifactModules;

# Other dynamic modules of nginx, as Debian packages them.
#
#   TEST_NGINX_MODULES_DIR   where they are (default: the modules path that
#                            nginx was built with, else Debian's folder)

use strict;
use warnings;

use Exporter 'import';

use ArtifactTest ();

our @EXPORT = qw(lua_path other_modules);


# The "load_module" lines for modules, by the middle of their names; undef if
# one is missing or this nginx cannot load it.

sub other_modules {
    my (@names) = @_;

    my $dir = _dir();
    my @files = map { $_ eq 'ndk' ? "$dir/ndk_http_module.so"
                                  : "$dir/ngx_http_${_}_module.so" } @names;
    return undef if grep { !-f } @files;

    my $lines = join '', map { "load_module $_;\n" } @files;
    my ($exit) = ArtifactTest->new->conf_test(first => $lines);
    return $exit ? undef : $lines;
}


# What the lua module needs to find the Lua files of its own version, which
# Debian has in a folder beside.

sub lua_path {
    return 'lua_package_path "' . _dir()
        . qq(/../../../share/lua/5.1/?.lua;;";\n);
}


sub _dir {
    return $ENV{TEST_NGINX_MODULES_DIR}
        // (ArtifactTest->version =~ /--modules-path=(\S+)/)[0]
        // '/usr/lib/nginx/modules';
}


1;
