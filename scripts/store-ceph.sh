#!/bin/bash
#
# store-ceph.sh DIR PORT [fs]
#
# A Ceph cluster of this machine alone, for tests: a monitor at PORT, a
# manager, three OSDs that keep three copies in memory, and two gateways for
# S3 at PORT + 1 and PORT + 2, on 127.0.0.1.  The user is tester, the secret
# key testing.  With "fs" there is a file system in place of the gateways, with
# one metadata server and another that waits for its place.  State is in DIR;
# "store-proc.sh down DIR" ends it.

set -e

proc=$(cd "$(dirname "$0")" && pwd)/store-proc.sh
dir=$1
port=$2
fsid=$(cat /proc/sys/kernel/random/uuid)

mkdir -p "$dir/mon" "$dir/mgr" "$dir/log" "$dir/crash/posted"


# up SECONDS WHAT COMMAND...: waits until the command succeeds

up() {
    local end=$((SECONDS + $1)) what=$2

    shift 2

    until timeout 10 "$@" > "$dir/log/up.out" 2>&1; do

        if [ $SECONDS -ge $end ]; then
            echo "ceph: $what" >&2
            tail -n 5 "$dir/log/up.out" >&2
            exit 1
        fi

        sleep 0.2
    done
}


# An OSD that is killed is missed by its peers at once, since the connection
# is refused; the other settings are for three of them on one host.  An OSD
# that sets its device class may do so before it knows the cluster, and ends.

cat > "$dir/ceph.conf" << END
[global]
fsid = $fsid
mon host = v1:127.0.0.1:$port
public addr = 127.0.0.1
cluster addr = 127.0.0.1
ms bind msgr2 = false
auth cluster required = none
auth service required = none
auth client required = none
auth allow insecure global id reclaim = false

mon data = $dir/mon
mgr data = $dir/mgr
osd data = $dir/osd.\$id
run dir = $dir
admin socket =
pid file =
log file = $dir/log/\$name.log
mon cluster log file = $dir/log/cluster.log
crash dir = $dir/crash

mon data avail warn = 1
mon data avail crit = 1
mon osd reporter subtree level = osd
mon osd min down reporters = 1
mgr initial modules =

osd objectstore = memstore
memstore device bytes = 1073741824
osd class update on start = false
osd crush update on start = false
osd crush chooseleaf type = 0
osd heartbeat interval = 1
osd heartbeat grace = 6
osd pool default size = 3
osd pool default min size = 2
osd pool default pg num = 8
osd pool default pg autoscale mode = off

mon tick interval = 1
mds beacon interval = 1
mds beacon grace = 4

rgw thread pool size = 16
debug rgw = 1/1

[client.rgw1]
rgw frontends = beast endpoint=127.0.0.1:$((port + 1))

[client.rgw2]
rgw frontends = beast endpoint=127.0.0.1:$((port + 2))
END

export CEPH_CONF=$dir/ceph.conf

monmaptool --create --clobber --fsid "$fsid" --addv a "v1:127.0.0.1:$port" \
    "$dir/monmap" > "$dir/log/monmap.out"
ceph-mon --mkfs -i a --monmap "$dir/monmap" --no-mon-config

"$proc" run "$dir" mon ceph-mon -f -i a --no-mon-config
up 30 "the monitor does not answer" ceph -s

"$proc" run "$dir" mgr ceph-mgr -f -i x

for i in 0 1 2; do
    uuid=$(cat /proc/sys/kernel/random/uuid)

    mkdir -p "$dir/osd.$i"
    up 30 "no osd.$i" ceph osd new "$uuid" $i
    up 30 "osd.$i has no place" ceph osd crush add osd.$i 1 root=default

    ceph-osd -i $i --mkfs --osd-uuid "$uuid" --no-mon-config \
        >> "$dir/log/osd.$i.mkfs" 2>&1
    "$proc" run "$dir" osd.$i ceph-osd -f -i $i
done

three_up() {
    ceph osd stat | grep -q '3 up'
}

export -f three_up

up 60 "the OSDs do not come up" bash -c three_up

file_system() {
    local i

    for i in data metadata; do
        up 30 "no pool for $i" ceph osd pool create fs.$i 8
    done

    up 30 "no file system" ceph fs new fs fs.metadata fs.data

    # the shortest that is taken, for the locks of a client that has died

    up 30 "no session timeout" ceph fs set fs session_timeout 30

    for i in a b; do
        "$proc" run "$dir" mds.$i ceph-mds -f -i $i
    done

    one_active() {
        ceph mds stat | grep -q 'up:active.*up:standby'
    }

    export -f one_active
    up 60 "the metadata server does not come up" bash -c one_active
}

if [ "$3" = fs ]; then
    file_system
    exit
fi

# one gateway after the other: the first makes the pools

for i in 1 2; do
    "$proc" run "$dir" rgw$i radosgw -f -n client.rgw$i
    up 90 "gateway $i does not answer" \
        curl -fs -o /dev/null "http://127.0.0.1:$((port + i))/"
done

up 30 "no user" radosgw-admin user create --uid=tester --display-name=tester \
    --access-key=tester --secret=testing
