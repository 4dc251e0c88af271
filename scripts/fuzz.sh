#!/bin/bash
#
# fuzz.sh SECONDS [NAME...]
#
# Runs the fuzz targets build/fuzz/fuzz_NAME, all of them by default, for
# SECONDS each.  Seeds come from t/fuzz/corpus/NAME, a dictionary from
# t/fuzz/NAME.dict; new inputs gather in build/fuzz/corpus/NAME, and an input
# that fails is left as build/fuzz/NAME-crash-*.

cd "$(dirname "$0")/.." || exit 1

seconds=$1
shift

if [ $# -eq 0 ]; then
    set -- $(cd t/fuzz && ls fuzz_*.c | sed 's/^fuzz_//; s/\.c$//')
fi

status=0

for name; do
    args=
    corpus=build/fuzz/corpus/$name
    log=build/fuzz/$name.log

    mkdir -p "$corpus"

    if [ -f "t/fuzz/$name.dict" ]; then
        args="-dict=t/fuzz/$name.dict"
    fi

    if [ -d "t/fuzz/corpus/$name" ]; then
        corpus="$corpus t/fuzz/corpus/$name"
    fi

    if UBSAN_OPTIONS=print_stacktrace=1 "build/fuzz/fuzz_$name" $args \
           -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 \
           -artifact_prefix="build/fuzz/$name-" $corpus > "$log" 2>&1
    then
        echo "ok $name: $(tail -n 1 "$log")"

    else
        echo "FAILED $name: see $log"
        tail -n 30 "$log"
        status=1
    fi
done

exit $status
