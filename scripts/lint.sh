#!/bin/bash
#
# lint.sh tidy FILE MARK    clang-tidy's findings in a file; without any, leaves
#                           MARK behind, and MARK.d, what it depends on
# lint.sh cppcheck LAYER    cppcheck's findings in src/core, src/store or src/http
#
# "make lint" is both for all files that changed since.  Left out are the checks
# that fire on nginx's style, want the C11 "_s" functions, a zero behind the magic
# bytes of a file, or the result of snprintf() into a buffer that is large enough,
# or forbid recursion of limited depth; and those that cost time and find nothing
# more: bugprone-reserved-identifier under its two other names, and the analyzer's
# checks for other languages.
#
# LINT_NODES, if it is set, is how many states clang's analyzer follows in a
# function, instead of its own 225,000: with 60,000 it takes a third of the time,
# and leaves out what is behind many branches.
#
# The layers that know nginx need its headers, from NGINX_SRC, and those that
# configure makes, from build/nginx; nothing is reported in either.

cd "$(dirname "$0")/.." || exit 1

src=${NGINX_SRC:-/usr/share/nginx/src}

checks=-*,clang-analyzer-*,bugprone-*,cert-*,performance-*,portability-*,misc-*
checks=$checks,clang-diagnostic-*
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
checks=$checks,-cert-dcl37-c,-cert-dcl51-cpp

for language in cplusplus fuchsia optin.cplusplus optin.mpi optin.osx osx webkit
do
    checks=$checks,-clang-analyzer-$language.*
done

# what nginx's configure asks of clang, which makes errors of it

warnings="-Wall -Wextra -Wpointer-arith -Wconditional-uninitialized
          -Wno-unused-parameter"

analyzer=${LINT_NODES:+-Xclang -analyzer-config -Xclang max-nodes=$LINT_NODES}


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


tidy() {
    local file=$1 mark=$2 flags='-std=gnu99 -Isrc' found status

    case $file in
        src/core/*) ;;
        *) for dir in $(nginx_includes); do flags="$flags -isystem $dir"; done ;;
    esac

    found=$(clang-tidy --quiet --checks="$checks" --warnings-as-errors='*' \
                "$file" -- $flags $warnings $analyzer 2>&1)
    status=$?

    found=$(grep -v ' generated\.$' <<< "$found")
    [ -z "$found" ] || printf '%s\n' "$found"
    [ $status -eq 0 ] || return 1

    mkdir -p "${mark%/*}" \
    && gcc $flags -MM -MP -MT "$mark" -MF "$mark.d" "$file" \
    && touch "$mark"
}


# what it has found in each file stays in build/lint, until that changes

check() {
    local layer=$1 flags= dir

    # one configuration, that of nginx's own headers

    if [ "$layer" != core ]; then
        for dir in $(nginx_includes); do
            flags="$flags -I$dir --suppress=*:$dir/* --max-configs=1"
        done
    fi

    mkdir -p "build/lint/cppcheck-$layer"

    cppcheck --quiet -j 2 --cppcheck-build-dir="build/lint/cppcheck-$layer" \
        --std=c99 --enable=warning,performance,portability --inline-suppr \
        --suppress=missingIncludeSystem --error-exitcode=1 \
        -Isrc $flags "src/$layer"
}


case $1 in
    tidy)     tidy "$2" "$3" ;;
    cppcheck) check "$2" ;;
    *)        echo "usage: $0 tidy FILE MARK | cppcheck LAYER" >&2; exit 2 ;;
esac
