#!/bin/bash
#
# fresh.sh [COMMAND...]
#
# Clones the committed tree into a bare Debian (scripts/bare.sh) and does there
# what README.md says: "make run", whose lines are asked, "make stop", and then
# COMMAND, by default .ci/run, whose output follows.  Prints TAP.  Has to be root.

set -e

root=$(cd "$(dirname "$0")/.." && pwd)
chroot=$root/build/fresh-root
tree=/root/ngx_artifact_module
port=${PORT:-8088}

source "$root/scripts/bare.sh"


cleanup() {
    inside make -C "$tree" -s stop > /dev/null 2>&1 || true
    unmount
}


# In the clone.

there() {
    inside env -C "$tree" "$@"
}


# asked LINE: what a reader would type; an error is no answer that was promised.

asked() {
    there bash -c "set -o pipefail; $1" | tee /dev/stderr \
        | grep -qv '^{"error"'
}


trap cleanup EXIT
make_bare
git clone -q --no-hardlinks "file://$root" "$chroot$tree"

ok 'a bare system has no nginx' test ! -e "$chroot/usr/sbin/nginx"
ok 'apt updates' inside apt-get -q update
ok 'make and git are installed' inside apt-get -q -y install make git
ok 'make run' there make run PORT="$port"

lines=$(grep '^  curl ' "$log" | sed 's/^  //')
ok 'it prints what is worth trying' test "$(wc -l <<< "$lines")" -gt 10

while IFS= read -r line; do
    ok "${line:0:100}" asked "$line"
done <<< "$lines"

ok 'make run once more' there make run PORT="$port"
ok 'make stop' there make stop
ok 'nothing answers any more' test "$(there curl -s -o /dev/null \
    -w '%{http_code}' "http://127.0.0.1:$port/services/")" = 000

[ $# -gt 0 ] || set -- .ci/run
tests=$((tests + 1))
echo "# $*"

if there "$@"; then
    echo "ok $tests - $*"

else
    echo "not ok $tests - $*"
    failed=$((failed + 1))
fi

finish
