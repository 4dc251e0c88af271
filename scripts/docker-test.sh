#!/bin/bash
#
# docker-test.sh
#
# Takes packaging/docker through the steps that nginx's official image takes to
# build a module that it does not know, in a bare Debian (scripts/bare.sh), and
# loads what comes out.  Not tried are docker itself, the image's own nginx and
# Alpine.  Prints TAP.  Has to be root.

set -e

root=$(cd "$(dirname "$0")/.." && pwd)
chroot=$root/build/docker-root

source "$root/scripts/bare.sh"


# The build context, made as docs/versions.md says.

context() {
    mkdir -p "$chroot/modules"
    cp -r "$root/packaging/docker/artifact" "$chroot/modules"
    mkdir "$chroot/modules/artifact/module"
    cp -r "$root/config" "$root/src" "$root/generated" \
        "$chroot/modules/artifact/module"
}


# What the image's script looks for in the source before it builds it; it would
# take anything else for an old static module, and rewrite it.

looks_right() {
    local source=$chroot$(cat "$chroot/modules/artifact/source")

    test -f "$source/config" \
    && grep -q '\.[[:space:]]auto/module' "$source/config" \
    && test "$(grep ngx_module_name= "$source/config" | head -n 1 \
               | cut -f2 -d= | cut -f2 -d\" | cut -f1 -d' ')" \
            = ngx_artifact_module
}


# With the flags that nginx's own packages are built with.

compile() {
    local cc='-g -O2 -fstack-protector-strong -Wformat -Werror=format-security'

    inside env -C /usr/share/nginx/src ./configure --with-compat \
        --with-cc-opt="$cc -Wp,-D_FORTIFY_SOURCE=2 -fPIC" \
        --with-ld-opt='-Wl,-z,relro -Wl,-z,now -Wl,--as-needed -pie' \
        --builddir=/tmp/build \
        --add-dynamic-module="$(cat "$chroot/modules/artifact/source")" \
    && inside make -C /usr/share/nginx/src -f /tmp/build/Makefile \
        -j"$(nproc)" modules
}


loads() {
    cat > "$chroot/tmp/nginx.conf" << END
load_module /tmp/build/ngx_artifact_module.so;
events {}
http { server { listen 127.0.0.1:8089; location / { artifact_route on; } } }
END
    inside nginx -t -c /tmp/nginx.conf
}


trap unmount EXIT
make_bare
context

ok 'apt updates' inside apt-get -q update
ok 'what the image installs for any module' \
    inside apt-get -q -y install --no-install-recommends \
    gcc make libpcre2-dev zlib1g-dev libssl-dev nginx nginx-dev
ok 'prebuild may be run' test -x "$chroot/modules/artifact/prebuild"
ok 'prebuild' inside /modules/artifact/prebuild
ok 'the source is a dynamic module' looks_right
ok 'it is built' compile
ok 'nginx loads it' loads

finish
