#!/bin/bash
#
# docker-test.sh
#
# Takes packaging/docker through the steps that docker would take, in a bare Debian
# (scripts/bare.sh): those that nginx's official image has to build a module that it
# does not know, and those of Dockerfile.  Then t/tree/docker.t runs the entrypoint
# and nginx there.  Prints TAP.  Has to be root.
#
# DOCKER_NGINX: a checkout of nginx's docker-nginx, whose entrypoint is taken
# instead of scripts/docker-entrypoint.sh.

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


# What FROM would bring: nginx is there already.

base_image() {
    local entrypoint=${DOCKER_NGINX:+$DOCKER_NGINX/entrypoint}

    inside groupadd --system --gid 101 nginx
    inside useradd --system --uid 101 --gid nginx --no-create-home nginx
    mkdir -p "$chroot/docker-entrypoint.d"
    touch "$chroot/etc/nginx/conf.d/default.conf"

    if [ -n "$entrypoint" ]; then
        cp "$entrypoint"/[0-9]* "$chroot/docker-entrypoint.d"
        cp "$entrypoint/docker-entrypoint.sh" "$chroot"

    else
        cp "$root/scripts/docker-entrypoint.sh" "$chroot"
    fi
}


# docker gives a container names; the converter is found by one

entrypoint() {
    echo '127.0.0.1 localhost' > "$chroot/etc/hosts"

    TEST_DOCKER_ROOT=$chroot prove -v "$root/t/tree/docker.t"
}


cat << 'END'
# Not tried: docker itself, nginx.org's packages, Alpine, which has only been
# compiled for ("make compilers"), and compose.yaml, which is only read
# (t/tree/docker_files.t).  nginx is Debian's.
END

trap unmount EXIT
make_bare
context

ok 'shellcheck' env -C "$root" shellcheck -s sh packaging/docker/*.envsh \
    packaging/docker/build.sh packaging/docker/artifact/prebuild
ok 'shellcheck' env -C "$root" shellcheck -x scripts/docker-entrypoint.sh

ok 'apt updates' inside apt-get -q update
ok 'what the image installs for any module' \
    inside apt-get -q -y install --no-install-recommends \
    gcc make libpcre2-dev zlib1g-dev libssl-dev nginx nginx-dev
ok 'prebuild may be run' test -x "$chroot/modules/artifact/prebuild"
ok 'prebuild' inside /modules/artifact/prebuild
ok 'the source is a dynamic module' looks_right
ok 'it is built' compile
ok 'nginx loads it' loads

ok 'what is in the image of nginx' base_image
ok 'the steps of Dockerfile' env -C "$root" scripts/docker-steps.pl \
    packaging/docker/Dockerfile "$chroot" NGINX_TREE=/usr/share/nginx/src
ok 'the entrypoint, and nginx' entrypoint

finish
