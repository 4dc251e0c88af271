package ArtifactModules;

# Other dynamic modules of nginx, as Debian packages them.
#
#   TEST_NGINX_MODULES_DIR   where they are (default: the modules path that
#                            nginx was built with, else Debian's folder)

use strict;
use warnings;

use Exporter 'import';

use ArtifactTest ();

our @EXPORT = qw(other_modules);


# The "load_module" lines for modules, by the middle of their names; undef if
# one is missing or this nginx cannot load it.

sub other_modules {
    my (@names) = @_;

    my $dir = $ENV{TEST_NGINX_MODULES_DIR};
    ($dir) = ArtifactTest->version =~ /--modules-path=(\S+)/
        unless defined $dir;
    $dir //= '/usr/lib/nginx/modules';

    my @files = map { $_ eq 'ndk' ? "$dir/ndk_http_module.so"
                                  : "$dir/ngx_http_${_}_module.so" } @names;
    return undef if grep { !-f } @files;

    my $lines = join '', map { "load_module $_;\n" } @files;
    my ($exit) = ArtifactTest->new->conf_test(first => $lines);
    return $exit ? undef : $lines;
}


1;
