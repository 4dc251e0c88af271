#!/usr/bin/perl

# The shared object shows what nginx looks for in a module, and nothing else: no
# function of ours meets one of another module.

use strict;
use warnings;

use Cwd qw(abs_path);
use FindBin;
use Test::More;

my $module = $ENV{TEST_NGINX_MODULE}
    // abs_path("$FindBin::Bin/../..") . '/build/ngx_artifact_module.so';
plan skip_all => 'the module is linked in' if $module eq '';

open my $nm, '-|', qw(nm --dynamic --defined-only), $module or die "nm: $!\n";
my @names = sort map { (split)[-1] } <$nm>;

is_deeply(\@names, [qw(ngx_module_names ngx_module_order ngx_modules)],
          'what nginx looks for, and nothing else');

done_testing();
