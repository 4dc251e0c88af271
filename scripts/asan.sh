#!/bin/bash
#
# asan.sh                builds build/asan/objs/nginx: nginx with this module
#                        linked statically, under AddressSanitizer and UBSan
# asan.sh COMMAND...     runs COMMAND with the environment for that nginx
#
# With SANITIZER=tsan it is build/tsan/objs/nginx, under ThreadSanitizer.
#
# nginx's source is Debian's, of the installed upstream version.  It is
# fetched with a private apt configuration: nothing in /etc/apt changes.

set -e

PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin

root=$(cd "$(dirname "$0")/.." && pwd)
SANITIZER=${SANITIZER:-asan}
source=$root/build/asan
dir=$root/build/$SANITIZER
jobs=${JOBS:-$(nproc)}


# the environment of a run

if [ $# -gt 0 ]; then
    cd "$root"

    export TEST_NGINX_BINARY=$root/scripts/asan-nginx.sh
    export TEST_NGINX_MODULE=
    export ASAN_OPTIONS=detect_odr_violation=0:detect_leaks=1
    export LSAN_OPTIONS=print_suppressions=0
    export LSAN_OPTIONS=$LSAN_OPTIONS:suppressions=$root/scripts/lsan.supp
    export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
    export TSAN_OPTIONS=suppressions=$root/scripts/tsan.supp:history_size=4
    export SANITIZER

    exec "$@"
fi


# fetches and unpacks the source, once per upstream version

fetch() {
    local apt=$source/apt version upstream candidates dsc
    local opts="-q -o Dir::Etc::sourcelist=$apt/sources.list
                -o Dir::Etc::sourceparts=- -o Dir::State::lists=$apt/lists
                -o Dir::Cache=$apt/cache -o APT::Sandbox::User=
                -o Acquire::Languages=none"

    rm -rf "$apt" "$source/src"
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/dsc"

    # the Debian repositories that this machine is set up for, as sources

    release=$(. /etc/os-release && echo "$VERSION_CODENAME")

    apt-get indextargets 'Created-By: Packages' \
            --format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' \
        | awk -v release="$release" '$3 ~ "^" release && $4 == "main"' \
        | sort -u > "$apt/sources.list"

    apt-get $opts update

    version=$(dpkg-query -W -f='${Version}' nginx 2> /dev/null || true)
    upstream=$1

    # the installed revision first; an older one may be all a mirror has

    candidates=$(apt-cache $opts showsrc nginx | awk '
                     /^Version: / { print $2 }' | sort -Vru)

    for v in $version $candidates; do
        case $v in "$upstream"-*) ;; *) continue ;; esac

        if (cd "$apt/dsc" && apt-get $opts --download-only source nginx="$v")
        then
            dsc=$(ls "$apt"/dsc/nginx_*.dsc)
            dpkg-source --no-check -x "$dsc" "$source/src"
            return
        fi

        rm -f "$apt"/dsc/*
    done

    echo "no source of nginx $upstream in the repositories of this machine;" \
         "unpack one into $source/src" >&2
    exit 1
}


upstream=$(nginx -v 2>&1 | sed 's|.*nginx/||; s/ .*//')

mkdir -p "$dir" "$source"

if ! grep -qs "\"$upstream\"" "$source/src/src/core/nginx.h"; then
    fetch "$upstream" > "$source/fetch.log" 2>&1 \
        || { tail -n 20 "$source/fetch.log" >&2; exit 1; }
fi


# NGX_DEBUG_PALLOC makes every pool allocation one of its own, so that an
# overflow is seen.  nginx's core relies on unaligned loads and on memcpy from
# NULL with length zero; the module itself is compiled with both checks too
# by "make asan"'s unit tests.

san="-fsanitize=address,undefined -fno-sanitize=nonnull-attribute,alignment
     -fno-sanitize-recover=undefined -DNGX_DEBUG_PALLOC=1"

# the module's own memory is what threads share, pools are not

[ "$SANITIZER" = asan ] || san=-fsanitize=thread

san=$(echo $san -fno-omit-frame-pointer)

inputs=$(cd "$root"; ls src/*/*/*.[ch] generated/*.c; cat config scripts/asan.sh)
inputs="$upstream $inputs"

if [ ! -f "$dir/objs/Makefile" ] \
   || [ "$inputs" != "$(cat "$dir/inputs" 2> /dev/null)" ]
then
    cd "$source/src"

    ./configure --builddir="$dir/objs" --prefix="$dir/prefix" \
        --with-cc=gcc --with-compat --with-debug --with-threads \
        --with-file-aio --with-http_v2_module --with-http_ssl_module \
        --with-http_slice_module --with-http_addition_module \
        --with-http_auth_request_module --with-http_sub_module \
        --with-http_gunzip_module --with-http_gzip_static_module \
        --with-http_dav_module --with-http_realip_module \
        --with-http_secure_link_module --with-http_stub_status_module \
        --with-http_mp4_module --with-http_flv_module \
        --with-http_random_index_module \
        --with-cc-opt="-O1 -g $san" \
        --with-ld-opt="$san" --add-module="$root" \
        > "$dir/configure.log" 2>&1 \
        || { tail -n 5 "$dir/configure.log" >&2; exit 1; }

    echo "$inputs" > "$dir/inputs"
fi

echo "building nginx $upstream for $SANITIZER"

cd "$source/src"
${MAKE:-make} -s -j"$jobs" -f "$dir/objs/Makefile" binary \
    > "$dir/make.log" 2>&1 \
    || { grep -E 'error|Error' "$dir/make.log" >&2; exit 1; }
