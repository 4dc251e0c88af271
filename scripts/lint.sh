#!/bin/bash
#
# lint.sh [LAYER...]
#
# Static analysis of the sources: of src/core, src/store and src/http, or of
# those named.  Left out are the checks that fire on nginx's style, want the C11
# "_s" functions, a zero behind the magic bytes of a file, or the result of
# snprintf() into a buffer that is large enough, or forbid recursion of limited
# depth.
#
# The layers that know nginx need its headers, from NGINX_SRC, and those that
# configure makes, from build/nginx; nothing is reported in either.

cd "$(dirname "$0")/.." || exit 1

src=${NGINX_SRC:-/usr/share/nginx/src}
layers=${*:-core store http}

checks=-*,clang-analyzer-*,bugprone-*,cert-*,performance-*,portability-*,misc-*
checks=$checks,-bugprone-easily-swappable-parameters
checks=$checks,-bugprone-narrowing-conversions
checks=$checks,-bugprone-implicit-widening-of-multiplication-result
checks=$checks,-bugprone-macro-parentheses
checks=$checks,-bugprone-not-null-terminated-result
checks=$checks,-clang-analyzer-optin.performance.Padding
checks=$checks,-cert-err33-c
checks=$checks,-misc-no-recursion
checks=$checks,-misc-unused-parameters
checks=$checks,-performance-no-int-to-ptr
deprecated=security.insecureAPI.DeprecatedOrUnsafeBufferHandling
checks=$checks,-clang-analyzer-$deprecated

export checks


# tidy FILE FLAG...: what clang-tidy says of a file, in one piece

tidy() {
    local file=$1 found status

    shift
    found=$(clang-tidy --quiet --checks="$checks" --warnings-as-errors='*' \
                "$file" -- -std=gnu99 -Isrc "$@" 2>&1)
    status=$?

    found=$(grep -v ' generated\.$' <<< "$found")
    [ -z "$found" ] || printf '%s\n' "$found"

    return $status
}

export -f tidy


# the folders of nginx's headers, as its makefile has them, but for our own

nginx_includes() {
    awk '/^ALL_INCS/ { on = 1 } on; on && !/\\$/ { exit }' \
        build/nginx/Makefile \
    | grep -o -- '-I *[^ \\]*' | sed 's/-I *//' | sort -u \
    | while read -r dir; do
        case $dir in
            "$PWD/src") ;;
            /*) echo "$dir" ;;
            *) echo "$src/$dir" ;;
        esac
    done
}


status=0

for layer in $layers; do
    layer=${layer#src/}
    system=
    flags=

    if [ "$layer" != core ]; then
        make -s --no-print-directory build/nginx/configured || exit 1

        for dir in $(nginx_includes); do
            system="$system -isystem $dir"

            # one configuration, that of nginx's own headers

            flags="$flags -I$dir --suppress=*:$dir/* --max-configs=1"
        done
    fi

    echo "clang-tidy src/$layer"
    find "src/$layer" -name '*.c' | sort \
    | xargs -P 2 -I {} bash -c 'tidy "$@"' tidy {} $system || status=1

    echo "cppcheck src/$layer"
    cppcheck --quiet -j 2 --std=c99 --enable=warning,performance,portability \
        --inline-suppr --suppress=missingIncludeSystem --error-exitcode=1 \
        -Isrc $flags "src/$layer" || status=1
done

[ $status -ne 0 ] || echo "no findings"

exit $status
