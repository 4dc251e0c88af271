#!/bin/bash
#
# store-gluster.sh DIR PORT
#
# A GlusterFS volume of this machine alone, for tests: three bricks at PORT and
# the two ports that follow, on 127.0.0.1, with a copy each, mounted by FUSE at
# DIR/mnt.  Reads and writes want two of the three.  State is in DIR;
# "store-proc.sh down DIR" ends it and the mount.

set -e

proc=$(cd "$(dirname "$0")" && pwd)/store-proc.sh
dir=$1
port=$2

mkdir -p "$dir/mnt" "$dir/log"

for i in 1 2 3; do
    mkdir -p "$dir/brick$i"

    cat > "$dir/brick$i.vol" << END
volume disk
  type storage/posix
  option directory $dir/brick$i
end-volume

volume locks
  type features/locks
  subvolumes disk
end-volume

volume brick
  type performance/io-threads
  subvolumes locks
end-volume

volume server
  type protocol/server
  option transport-type tcp
  option transport.address-family inet
  option transport.socket.bind-address 127.0.0.1
  option transport.socket.listen-port $((port + i - 1))
  option auth.addr.brick.allow 127.0.0.1
  subvolumes brick
end-volume
END

    cat >> "$dir/client.vol" << END
volume peer$i
  type protocol/client
  option transport-type tcp
  option transport.address-family inet
  option remote-host 127.0.0.1
  option remote-port $((port + i - 1))
  option remote-subvolume brick
  option ping-timeout 3
end-volume

END

    "$proc" run "$dir" brick$i \
        glusterfsd -N -f "$dir/brick$i.vol" -l "$dir/log/brick$i.gluster"
done

cat >> "$dir/client.vol" << END
volume copies
  type cluster/replicate
  option afr-pending-xattr peer1,peer2,peer3
  option quorum-type auto
  subvolumes peer1 peer2 peer3
end-volume
END

# the mount must find its bricks, which do not say when they are ready

listening() {
    (exec 3<> "/dev/tcp/127.0.0.1/$1") 2> /dev/null
}

for i in 0 1 2; do
    for n in $(seq 100); do
        listening $((port + i)) && break
        sleep 0.1
    done
done

"$proc" run "$dir" mount \
    glusterfs -N -f "$dir/client.vol" -l "$dir/log/mount.gluster" "$dir/mnt"

for n in $(seq 100); do
    mountpoint -q "$dir/mnt" && ls "$dir/mnt" > /dev/null 2>&1 && exit 0
    sleep 0.1
done

echo "gluster: no mount at $dir/mnt" >&2
tail -n 5 "$dir"/log/*.gluster >&2
exit 1
