#!/bin/bash
#
# store-cephfs.sh DIR PORT [MOUNTS]
#
# CephFS on the cluster of store-ceph.sh, mounted by ceph-fuse at DIR/mnt, and
# at DIR/mnt2 and so on if there are to be more MOUNTS: clients that share
# nothing but the cluster.  "store-proc.sh down DIR" ends it, and umounts
# nothing.
#
# "store-cephfs.sh mount DIR NUMBER" makes one more.

set -e

here=$(cd "$(dirname "$0")" && pwd)


start_mount() {
    local point=$1/mnt${2#1}

    mkdir -p "$point"

    "$here/store-proc.sh" run "$1" "mount$2" \
        ceph-fuse -f -c "$1/ceph.conf" "$point"

    for n in $(seq 300); do
        mountpoint -q "$point" && return
        sleep 0.1
    done

    echo "cephfs: no mount at $point" >&2
    tail -n 5 "$1/log/mount$2.log" >&2
    exit 1
}


if [ "$1" = mount ]; then
    start_mount "$2" "$3"
    exit
fi

"$here/store-ceph.sh" "$1" "$2" fs

for i in $(seq "${3:-1}"); do
    start_mount "$1" "$i"
done
