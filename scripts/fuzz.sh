#!/bin/bash
#
# fuzz.sh SECONDS [NAME...]
#
# Runs the fuzz targets t/fuzz/*/*/fuzz_NAME.c, all of them by default, for
# SECONDS each.  Seeds come from t/fuzz/corpus/NAME, a dictionary from
# NAME.dict beside the target; new inputs gather in build/fuzz/corpus/NAME, and
# an input that fails is left as build/fuzz/NAME-crash-*.

cd "$(dirname "$0")/.." || exit 1

seconds=$1
shift

if [ $# -eq 0 ]; then
    set -- $(ls t/fuzz/*/*/fuzz_*.c | sed 's|.*/fuzz_||; s/\.c$//')
fi

status=0

for name; do
    args=
    corpus=build/fuzz/corpus/$name
    log=build/fuzz/$name.log

    mkdir -p "$corpus"

    target=$(ls t/fuzz/*/*/"fuzz_$name.c")
    target=${target#t/fuzz/}
    target=${target%.c}

    if [ -f "t/fuzz/${target%/*}/$name.dict" ]; then
        args="-dict=t/fuzz/${target%/*}/$name.dict"
    fi

    if [ -d "t/fuzz/corpus/$name" ]; then
        corpus="$corpus t/fuzz/corpus/$name"
    fi

    if UBSAN_OPTIONS=print_stacktrace=1 "build/fuzz/$target" $args \
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
