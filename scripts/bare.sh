# bare.sh: to be sourced, by what tries things in a bare Debian, which is in the
# chroot $chroot: 12, or that of SUITE=trixie.  Prints TAP.  Has to be root.

PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin

suite=${SUITE:-bookworm}
bare=$root/build/bare-$suite.tar
log=$chroot.log
tests=0
failed=0


# Runs a command in it, with none of our environment but for what leads outside.

inside() {
    chroot "$chroot" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
        DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "${outside[@]}" "$@"
}


# ok NAME COMMAND...: the command succeeds

ok() {
    local name=$1

    shift
    tests=$((tests + 1))

    if "$@" > "$log" 2>&1; then
        echo "ok $tests - $name"
        return
    fi

    echo "not ok $tests - $name"
    tail -n 50 "$log" | sed 's/^/# /'
    failed=$((failed + 1))
}


# Ends the tests, with the status of all of them.

finish() {
    echo "1..$tests"
    [ "$failed" = 0 ]
}


unmount() {
    umount "$chroot/dev/shm" "$chroot/dev" "$chroot/proc" 2> /dev/null || true
}


# The first address that this machine's apt has, with or without "security".

repository() {
    apt-get indextargets 'Created-By: Packages' --format '$(REPO_URI)' \
        | grep "$@" security | head -n 1
}


# Made once with debootstrap, then unpacked; services are not started by
# packages in it.  Debian's packages, those of npm and their certificates come
# from where they do here.

make_bare() {
    local mirror security

    mirror=${DEBIAN_MIRROR:-$(repository -v)}
    security=$(repository)

    unmount

    [ -f "$bare" ] || {
        mkdir -p "$(dirname "$log")"
        rm -rf "$chroot"
        debootstrap --variant=minbase "$suite" "$chroot" "$mirror" \
            > "$log" 2>&1 \
        || { tail "$log" >&2; exit 1; }

        tar -C "$chroot" -c . > "$bare.tmp"
        mv "$bare.tmp" "$bare"
    }

    rm -rf "$chroot"
    mkdir -p "$chroot"
    tar -C "$chroot" -xf "$bare"

    {
        echo "deb $mirror $suite main"
        echo "deb $mirror $suite-updates main"
        [ -z "$security" ] || echo "deb $security $suite-security main"
    } > "$chroot/etc/apt/sources.list"

    echo force-unsafe-io > "$chroot/etc/dpkg/dpkg.cfg.d/bare"
    cp /etc/resolv.conf "$chroot/etc/resolv.conf"

    outside=()

    if command -v npm > /dev/null; then
        outside+=(npm_config_registry="$(npm config get registry 2> /dev/null)")
    fi

    if [ -n "${NODE_EXTRA_CA_CERTS:-}" ]; then
        cp "$NODE_EXTRA_CA_CERTS" "$chroot/root/ca.crt"
        outside+=(NODE_EXTRA_CA_CERTS=/root/ca.crt)
    fi

    # private: or what is mounted in it would be so on the machine's own

    mount --bind /dev "$chroot/dev"
    mount --make-private "$chroot/dev"
    mount -t tmpfs tmpfs "$chroot/dev/shm"
    mount -t proc proc "$chroot/proc"

    printf '#!/bin/sh\nexit 101\n' > "$chroot/usr/sbin/policy-rc.d"
    chmod +x "$chroot/usr/sbin/policy-rc.d"
}
