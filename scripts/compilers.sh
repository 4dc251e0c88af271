#!/bin/bash
#
# compilers.sh
#
# Compiles all sources of the module for NGINX_SRC, with the flags that nginx's
# configure takes for a compiler, which make errors of warnings: with clang, and
# with the headers of musl, Alpine's C library, which both are only looked at; and
# with gcc and -O3, which sees more than with -O2, for an nginx without threads,
# gzip, subrequests in order and a cache.

root=$(cd "$(dirname "$0")/.." && pwd)
src=${NGINX_SRC:-/usr/share/nginx/src}
status=0


# compile CC OPTIMIZATION [FLAG]: the flag is not for configure's own programs

compile() {
    local objs=$root/build/compilers/${1##*/}$2

    if CC=$1 "$root/scripts/configure.sh" "$src" "$objs" "-g -fPIC $2" -fPIC \
           "${flags[@]}" \
       && make -s -C "$src" -f "$objs/Makefile" -j"${JOBS:-$(nproc)}" \
              CC="$1 $3" \
              $(sed -n "s|^\($objs/addon/.*\.o\):.*|\1|p" "$objs/Makefile")
    then
        echo "ok ${1##*/} $2"
        return
    fi

    echo "FAILED: ${1##*/} $2"
    status=1
}


# musl_cc: makes a compiler with musl's headers, and of this machine's only those
# that musl has not: the kernel's and the other libraries'.  Debian's musl lacks
# crypt.h, of which the module needs nothing.

musl_cc() {
    local dir=$root/build/compilers/musl include=/usr/include from
    local multiarch=$include/$(gcc -print-multiarch)

    rm -rf "$dir"
    mkdir -p "$dir/include/openssl" "$dir/lib"
    : > "$dir/include/crypt.h"

    ln -s "$include"/{linux,asm-generic,uchardet} "$multiarch/asm" \
        "$include"/{jansson,jansson_config,magic,pcre2,zconf,zlib,zstd}.h \
        "$include/zstd_errors.h" "$dir/include"
    ln -s "$include"/openssl/* "$multiarch"/openssl/* "$dir/include/openssl"

    for from in crypto jansson magic pcre2-8 ssl uchardet z zstd; do
        ln -s "$(gcc -print-file-name=lib$from.so)" "$dir/lib"
    done

    cat > "$dir/cc-musl" << END
#!/bin/sh
exec musl-gcc -isystem $dir/include -L$dir/lib \\
    -Wl,--unresolved-symbols=ignore-in-shared-libs "\$@"
END
    chmod 755 "$dir/cc-musl"
}


flags=()
compile clang -O2 -fsyntax-only

flags=(--without-http_gzip_module --without-http_ssi_module --without-http-cache)
compile gcc -O3

# not with the flags of Debian's nginx, whose other modules need more libraries

flags=(--with-compat --with-debug --with-threads --with-http_ssl_module
       --with-http_v2_module)
musl_cc
compile "$root/build/compilers/musl/cc-musl" -O2 -fsyntax-only

exit $status
