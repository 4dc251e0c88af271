# bare.sh: to be sourced, by what tries things in a bare Debian 12, which is in
# the chroot $chroot.  Prints TAP.  Has to be root.

PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin

bare=$root/build/bare.tar
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


# Made once with debootstrap, then unpacked; services are not started by
# packages in it.  Where apt, npm and their certificates come from is as here.

make_bare() {
    local list mirror

    mirror=${DEBIAN_MIRROR:-$(apt-get indextargets 'Created-By: Packages' \
        --format '$(REPO_URI)' | grep -v security | head -n 1)}

    unmount

    [ -f "$bare" ] || {
        rm -rf "$chroot"
        debootstrap --variant=minbase bookworm "$chroot" "$mirror" \
            > "$log" 2>&1 \
        || { tail "$log" >&2; exit 1; }

        tar -C "$chroot" -c . > "$bare.tmp"
        mv "$bare.tmp" "$bare"
    }

    rm -rf "$chroot"
    mkdir -p "$chroot"
    tar -C "$chroot" -xf "$bare"

    for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.sources; do
        [ ! -f "$list" ] || cp "$list" "$chroot/etc/apt/${list#/etc/apt/}"
    done

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
