#!/bin/bash
#
# configure.sh NGINX_SRC BUILD_DIR CFLAGS LDFLAGS [FLAG...]
#
# Configures nginx's source tree for building this module out of the tree.
# Without FLAGs those that the installed nginx was built with are taken from
# the tree's conf_flags (Debian), or --with-compat where there is none.

set -e

src=$1
build=$2
cflags=$3
ldflags=$4
shift 4

root=$(cd "$(dirname "$0")/.." && pwd)

if [ -x "$src/configure" ]; then
    configure=./configure

elif [ -x "$src/auto/configure" ]; then
    configure=auto/configure

else
    echo "no nginx source tree in $src: install Debian's nginx-dev," \
         "or give another with NGINX_SRC=" >&2
    exit 1
fi

if [ $# -eq 0 ]; then
    set -- --with-compat

    if [ -f "$src/conf_flags" ]; then
        # a bash array, NGX_CONF_FLAGS
        . "$src/conf_flags"
        set -- "${NGX_CONF_FLAGS[@]}"
    fi
fi

mkdir -p "$build"
cd "$src"

if ! $configure "$@" --with-cc="${CC:-gcc}" --with-cc-opt="$cflags" \
         --with-ld-opt="$ldflags" --builddir="$build" \
         --add-dynamic-module="$root" > "$build/configure.log" 2>&1
then
    tail -n 5 "$build/configure.log" >&2
    echo "configure failed: see $build/configure.log" >&2
    exit 1
fi
