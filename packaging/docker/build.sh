#!/bin/sh
#
# build.sh
#
# Builds the module in /module against the nginx of this image, with the flags
# that it was built with, into /build/objs.  NGINX_TREE is nginx's source of that
# version; without it nginx.org's is taken, and compared with NGINX_SHA256 if that
# is set.

set -e

tree=$NGINX_TREE
version=$(nginx -v 2>&1 | sed 's|^nginx version: nginx/\([0-9.]*\).*|\1|')

if [ -z "$tree" ]; then
    tree=/build/nginx-$version
    tarball=$tree.tar.gz

    curl -fsSL -o "$tarball" "https://nginx.org/download/nginx-$version.tar.gz"

    if [ -n "$NGINX_SHA256" ]; then
        echo "$NGINX_SHA256  $tarball" | sha256sum -c -
    fi

    tar -C /build -xzf "$tarball"
fi

# other modules that are dynamic are none of ours, and need more libraries

flags=$(nginx -V 2>&1 | sed -n 's/^configure arguments: //p' \
        | sed 's/--with-[a-z_]*=dynamic//g')

eval "set -- $flags"

cd "$tree"
./configure "$@" --builddir=/build/objs --add-dynamic-module=/module
make -f /build/objs/Makefile -j"$(nproc)" modules
strip /build/objs/ngx_artifact_module.so
