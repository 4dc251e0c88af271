#!/bin/bash
#
# arch.sh ARCH...
#
# For each of Debian's names of other processors compiles src/core and the
# programs of t/unit, runs these with qemu, and compiles the whole module:
#
#   arm64   the other processor that servers have
#   s390x   whose bytes are in the other order
#   armhf   whose size_t and pointers have 32 bits
#
# The libraries of that processor are this machine's Debian's, unpacked into
# build/arch/ARCH/root: only compilers and qemu have to be installed.

PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin

root=$(cd "$(dirname "$0")/.." && pwd)

. "$root/scripts/apt.sh"

suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
nginx_src=${NGINX_SRC:-/usr/share/nginx/src}
jobs=${JOBS:-$(nproc)}
status=0

# gcc for s390x moves a subtraction of pointers behind a free(), and then warns

cflags=-Wno-use-after-free


# compiler ARCH: sets "triplet" and "qemu"

compiler() {
    case $1 in
        arm64) triplet=aarch64-linux-gnu qemu=qemu-aarch64 ;;
        s390x) triplet=s390x-linux-gnu qemu=qemu-s390x ;;
        armhf) triplet=arm-linux-gnueabihf qemu=qemu-arm ;;
        *)     echo "not known: $1" >&2; return 1 ;;
    esac
}


# qemu does not say which of its libraries iconv shall load

run_units() {
    local programs

    programs=$(cd "$root" && find t/unit -name 'test_*.c' \
               | sed "s|^t/|$dir/|; s|\.c$||" | sort)

    GCONV_PATH=$dir/root/usr/lib/$triplet/gconv \
    prove -j"${PROVE_JOBS:-2}" --exec "$qemu -L $dir/root" $programs
}


# cross_cc: makes a compiler whose test programs, which nginx's configure runs,
# are run with qemu

cross_cc() {
    cat > "$dir/cc" << END
#!/bin/sh
$triplet-gcc --sysroot=$dir/root "\$@" || exit

while [ \$# -gt 1 ]; do
    case \$1:\$2 in
        -o:*/autotest)
            mv "\$2" "\$2.run"
            printf '#!/bin/sh\nexec %s "\$0.run"\n' "$qemu -L $dir/root" > "\$2"
            chmod 755 "\$2"
        ;;
    esac
    shift
done
END
    chmod 755 "$dir/cc"
}


# The whole module, which is not run: its nginx would have to be there.

compile_module() {
    CC=$dir/cc "$root/scripts/configure.sh" "$nginx_src" "$dir/nginx" \
        '-g -O2 -fPIC' -fPIC --with-compat --with-threads --with-debug \
        --with-http_ssl_module --with-http_v2_module \
    && make -C "$nginx_src" -f "$dir/nginx/Makefile" -j"$jobs" modules
}


# step COMMAND...: tells how it ends if it fails

step() {
    "$@" >> "$log" 2>&1 && return

    tail -n 20 "$log" | sed 's/^/# /'
    echo "FAILED: $arch, see $log"
    status=1
    return 1
}


for arch; do
    compiler "$arch" || exit 2

    dir=$root/build/arch/$arch
    log=$dir.log
    mkdir -p "$dir"
    : > "$log"

    echo "$arch"

    step fetch "$suite" "$dir" libc6-dev libjansson-dev libuchardet-dev \
        libmagic-dev libpcre2-dev libssl-dev libzstd-dev zlib1g-dev \
    || continue

    cross_cc

    step make -C "$root" --no-print-directory -j"$jobs" CC="$dir/cc" \
        ART_DIR="$dir" ART_CFLAGS="$cflags" unit-programs \
    && step compile_module \
    && run_units || status=1
done

exit $status
