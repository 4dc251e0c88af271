#!/bin/bash
#
# store-deps.sh STORE...
#
# Installs the Debian packages of the stores named (ceph, swift, gluster,
# cephfs) that the machine lacks, and starts none of them.  They stay installed.

set -e

PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin

missing=
as_root=
policy=/usr/sbin/policy-rc.d


need() {
    command -v "$1" > /dev/null || missing="$missing $2"
}


for store; do
    case $store in
        ceph)
            need ceph-mon ceph-mon
            need ceph-mgr ceph-mgr
            need ceph-osd ceph-osd
            need radosgw radosgw
            need radosgw-admin ceph-common
            need ceph ceph-common
        ;;

        swift)
            need swift-proxy-server swift-proxy
            need swift-account-server swift-account
            need swift-container-server swift-container
            need swift-object-server swift-object
            need swift-ring-builder swift
            need memcached memcached
        ;;

        gluster)
            need glusterfsd glusterfs-server
            need glusterfs glusterfs-client
        ;;

        cephfs)
            need ceph-mon ceph-mon
            need ceph-mgr ceph-mgr
            need ceph-osd ceph-osd
            need ceph-mds ceph-mds
            need ceph-fuse ceph-fuse
            need ceph ceph-common
        ;;

        *)
            echo "unknown store \"$store\": ceph, swift, gluster, cephfs" >&2
            exit 2
        ;;
    esac
done

[ -n "$missing" ] || exit 0

if [ "$(id -u)" -ne 0 ]; then
    as_root=sudo
fi

echo "installing:$missing"

# some start on well-known ports when installed, unless the policy forbids it

if [ -e $policy ]; then
    policy=

else
    trap '$as_root rm -f $policy' EXIT
    trap 'exit 1' HUP INT TERM
    printf '#!/bin/sh\nexit 101\n' | $as_root tee $policy > /dev/null
    $as_root chmod 755 $policy
fi

$as_root apt-get -q update || true

$as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y \
    -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=120 \
    install --no-install-recommends $missing < /dev/null
