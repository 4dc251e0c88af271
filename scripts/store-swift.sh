#!/bin/bash
#
# store-swift.sh DIR PORT
#
# An OpenStack Swift of this machine alone, for tests: three nodes, each with
# an object, a container and an account server, memcached, and two proxies at
# PORT and PORT + 1, on 127.0.0.1; the others have the ports up to PORT + 11.
# There are three copies of everything.  The user is test:tester, the key
# testing.  State is in DIR; "store-proc.sh down DIR" ends it.

set -e

proc=$(cd "$(dirname "$0")" && pwd)/store-proc.sh
dir=$1
port=$2
cache=$((port + 2))
user=$(id -un)
types="object container account"

mkdir -p "$dir/etc" "$dir/log"


# server_port NODE INDEX

server_port() {
    echo $((port + 3 * $1 + $2))
}


# up PORT: waits until the server there is healthy

up() {
    local i

    for i in $(seq 300); do
        curl -fs -m 2 -o /dev/null "http://127.0.0.1:$1/healthcheck" \
            && return 0
        sleep 0.1
    done

    echo "swift: nothing answers at port $1" >&2
    tail -n 5 "$dir"/log/*.log >&2
    exit 1
}


cat > "$dir/etc/swift.conf" << END
[swift-hash]
swift_hash_path_prefix = store
swift_hash_path_suffix = test

[storage-policy:0]
name = default
default = yes
END

for type in $types; do
    swift-ring-builder "$dir/etc/$type.builder" create 6 3 1 > /dev/null
done

for node in 1 2 3; do
    mkdir -p "$dir/etc/node$node" "$dir/node$node/disk"
    index=0

    for type in $types; do
        at=$(server_port $node $index)
        index=$((index + 1))

        swift-ring-builder "$dir/etc/$type.builder" \
            add r1z$node-127.0.0.1:$at/disk 1 > /dev/null

        cat > "$dir/etc/node$node/$type.conf" << END
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = $at
workers = 0
user = $user
swift_dir = $dir/etc
devices = $dir/node$node
mount_check = false
disable_fallocate = true

[pipeline:main]
pipeline = healthcheck $type-server

[app:$type-server]
use = egg:swift#$type

[filter:healthcheck]
use = egg:swift#healthcheck
END
    done
done

for type in $types; do
    swift-ring-builder "$dir/etc/$type.builder" rebalance > /dev/null
done


# etag-quoter: without it a tag has no quotes, which nginx never matches

for i in 1 2; do
    cat > "$dir/etc/proxy$i.conf" << END
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = $((port + i - 1))
workers = 0
user = $user
swift_dir = $dir/etc

[pipeline:main]
pipeline = catch_errors gatekeeper healthcheck cache listing_formats tempauth copy etag-quoter slo dlo versioned_writes proxy-server

[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true

[filter:catch_errors]
use = egg:swift#catch_errors

[filter:gatekeeper]
use = egg:swift#gatekeeper

[filter:healthcheck]
use = egg:swift#healthcheck

[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:$cache

[filter:listing_formats]
use = egg:swift#listing_formats

[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin

[filter:copy]
use = egg:swift#copy

[filter:etag-quoter]
use = egg:swift#etag_quoter
enable_by_default = true

[filter:slo]
use = egg:swift#slo

[filter:dlo]
use = egg:swift#dlo

[filter:versioned_writes]
use = egg:swift#versioned_writes
END
done

"$proc" run "$dir" memcached \
    memcached -u "$user" -l 127.0.0.1 -p $cache -U 0 -m 32

for node in 1 2 3; do
    for type in $types; do
        "$proc" run "$dir" $type$node \
            swift-$type-server "$dir/etc/node$node/$type.conf" -v
    done
done

for i in 1 2; do
    "$proc" run "$dir" proxy$i swift-proxy-server "$dir/etc/proxy$i.conf" -v
done

for i in $(seq 0 11); do
    [ $i -eq 2 ] || up $((port + i))
done
