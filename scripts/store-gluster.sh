#!/bin/bash
#
# store-gluster.sh DIR PORT [GRAPH [MOUNTS]]
#
# A GlusterFS volume of this machine alone, for tests: three bricks at PORT and
# the two ports that follow, on 127.0.0.1, with a copy each, mounted by FUSE at
# DIR/mnt, and at DIR/mnt2 and so on if there are to be more MOUNTS: clients
# that share nothing but the bricks.  Reads and writes want two of the three.
# What one brick has missed the others give it within seconds.  State is in
# DIR; "store-proc.sh down DIR" ends it, and umounts nothing.
#
# GRAPH is what the client keeps between a mount and the bricks:
#
#   bare     nothing
#   default  what "gluster volume create" of GlusterFS 10 puts there
#   shared   what remains of that with what docs/stores.md says; mounted
#            without caches of names and attributes
#
# "store-gluster.sh brick|mount DIR NUMBER" starts one of them again.

set -e

proc=$(cd "$(dirname "$0")" && pwd)/store-proc.sh
replicas="peer1 peer2 peer3"


start_brick() {
    "$proc" run "$1" "brick$2" \
        glusterfsd -N -f "$1/brick$2.vol" -l "$1/log/brick$2.gluster"
}


mount_point() {
    [ "$2" = 1 ] && echo "$1/mnt" || echo "$1/mnt$2"
}


start_mount() {
    local point options=

    point=$(mount_point "$1" "$2")
    mkdir -p "$point"

    [ "$(cat "$1/graph")" != shared ] \
        || options="--entry-timeout=0 --attribute-timeout=0"

    "$proc" run "$1" "mount$2" \
        glusterfs -N -f "$1/client.vol" -l "$1/log/mount$2.gluster" \
        $options "$point"

    for n in $(seq 100); do
        mountpoint -q "$point" && ls "$point" > /dev/null 2>&1 && return
        sleep 0.1
    done

    echo "gluster: no mount at $point" >&2
    tail -n 5 "$1"/log/*.gluster >&2
    exit 1
}


case $1 in
    brick | mount)
        "start_$1" "$2" "$3"
        exit
    ;;
esac

dir=$1
port=$2
graph=${3:-bare}
mounts=${4:-1}

mkdir -p "$dir/log"
echo "$graph" > "$dir/graph"


# layer FILE NAME TYPE BELOW [OPTION...]: one more on top of what is there

layer() {
    local file=$1 name=$2 type=$3 below=$4 option

    shift 4

    {
        echo "volume $name"
        echo "  type $type"

        for option; do
            echo "  option $option"
        done

        [ -z "$below" ] || echo "  subvolumes $below"
        echo "end-volume"
        echo
    } >> "$file"
}


for i in 1 2 3; do
    brick=$dir/brick$i.vol
    mkdir -p "$dir/brick$i/.glusterfs"

    layer "$brick" disk storage/posix "" "directory $dir/brick$i"
    layer "$brick" locks features/locks disk
    layer "$brick" upcall features/upcall locks "cache-invalidation off"
    layer "$brick" threads performance/io-threads upcall
    layer "$brick" brick features/index threads \
        "index-base $dir/brick$i/.glusterfs/indices" \
        "xattrop-pending-watchlist trusted.afr.copies-" \
        "xattrop-dirty-watchlist trusted.afr.dirty"
    layer "$brick" server protocol/server brick \
        "transport-type tcp" \
        "transport.address-family inet" \
        "transport.socket.bind-address 127.0.0.1" \
        "transport.socket.listen-port $((port + i - 1))" \
        "auth.addr.brick.allow 127.0.0.1"

    layer "$dir/peers.vol" peer$i protocol/client "" \
        "transport-type tcp" \
        "transport.address-family inet" \
        "remote-host 127.0.0.1" \
        "remote-port $((port + i - 1))" \
        "remote-subvolume brick" \
        "ping-timeout 3"

    start_brick "$dir" $i
done

pending="afr-pending-xattr copies-1,copies-2,copies-3"
client=$dir/client.vol
cp "$dir/peers.vol" "$client"

layer "$client" copies cluster/replicate "$replicas" \
    "$pending" "quorum-type auto"

if [ "$graph" != bare ]; then
    layer "$client" all cluster/distribute copies
    layer "$client" times features/utime all "noatime on"
fi

if [ "$graph" = default ]; then
    layer "$client" behind performance/write-behind times
    layer "$client" open performance/open-behind behind
    layer "$client" quick performance/quick-read open
    layer "$client" cache performance/md-cache quick
fi

cp "$dir/peers.vol" "$dir/heal.vol"

layer "$dir/heal.vol" copies cluster/replicate "$replicas" \
    "$pending" "iam-self-heal-daemon yes" "heal-timeout 5" \
    "self-heal-daemon on" "data-self-heal on" "entry-self-heal on" \
    "metadata-self-heal on"

# a client must find its bricks, which do not say when they are ready

listening() {
    (exec 3<> "/dev/tcp/127.0.0.1/$1") 2> /dev/null
}

for i in 0 1 2; do
    for n in $(seq 100); do
        listening $((port + i)) && break
        sleep 0.1
    done
done

"$proc" run "$dir" heal \
    glusterfs -N -f "$dir/heal.vol" -l "$dir/log/heal.gluster"

for i in $(seq "$mounts"); do
    start_mount "$dir" "$i"
done
