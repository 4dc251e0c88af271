#!/bin/bash
#
# The nginx of "make asan" or "make tsan", as the tests start it.  One that only tests its
# configuration or sends a signal frees nothing when it ends, which is no leak.

for arg; do
    case $arg in
        -t | -T | -s) ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 ;;
    esac
done

export ASAN_OPTIONS

exec "$(dirname "$0")/../build/${SANITIZER:-asan}/objs/nginx" "$@"
