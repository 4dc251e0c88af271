#!/bin/bash
#
# nginx-tests.sh [TEST...]
#
# Runs nginx's own tests, whose checkout NGINX_TESTS names, without the module
# and with it loaded, and prints what differs.  The status is 0 if nothing does.

set -e

PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin

root=$(cd "$(dirname "$0")/.." && pwd)
module=${TEST_NGINX_MODULE:-$root/build/ngx_artifact_module.so}
logs=${LOGS:-$root/build/nginx-tests}

if [ ! -f "${NGINX_TESTS:-}/lib/Test/Nginx.pm" ]; then
    echo "NGINX_TESTS has to name a checkout of nginx's tests" >&2
    exit 2
fi

[ $# -gt 0 ] || set -- $(cd "$NGINX_TESTS" && ls -- *.t)

mkdir -p "$logs"


# run NAME GLOBALS TEST...: files that failed, and which tests of them

run() {
    local name=$1 globals=$2

    shift 2

    (cd "$NGINX_TESTS" \
     && TEST_NGINX_BINARY=${TEST_NGINX_BINARY:-$(command -v nginx)} \
        TEST_NGINX_GLOBALS=$globals prove -j2 "$@") \
        > "$logs/$name.log" 2>&1 || true

    # what prove says below its "Test Summary Report"

    sed -n '/^Test Summary Report/,/^Files=/p' "$logs/$name.log" \
        | grep -v '^Files=' > "$logs/$name.failed" || true

    tail -n 2 "$logs/$name.log" | sed "s/^/$name: /"
}


run without '' "$@"
run with "load_module $module;" "$@"

if diff -u "$logs/without.failed" "$logs/with.failed"; then
    echo 'the module makes no difference'

else
    exit 1
fi
