#!/bin/bash
#
# compilers.sh
#
# Compiles all sources of the module for NGINX_SRC, with the flags that nginx's
# configure takes for a compiler, which make errors of warnings: with clang, which
# only looks at them, and with gcc and -O3, which sees more than with -O2.

root=$(cd "$(dirname "$0")/.." && pwd)
src=${NGINX_SRC:-/usr/share/nginx/src}
status=0


# compile CC OPTIMIZATION [FLAG]: the flag is not for configure's own programs

compile() {
    local objs=$root/build/compilers/$1$2

    if CC=$1 "$root/scripts/configure.sh" "$src" "$objs" "-g -fPIC $2" -fPIC \
       && make -s -C "$src" -f "$objs/Makefile" -j"${JOBS:-$(nproc)}" \
              CC="$1 $3" \
              $(sed -n "s|^\($objs/addon/.*\.o\):.*|\1|p" "$objs/Makefile")
    then
        echo "ok $1 $2"
        return
    fi

    echo "FAILED: $1 $2"
    status=1
}


compile clang -O2 -fsyntax-only
compile gcc -O3

exit $status
