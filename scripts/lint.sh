#!/bin/bash
#
# lint.sh
#
# Static analysis of the domain core.  Left out are the checks that fire on
# nginx's style, want the C11 "_s" functions, a zero behind the magic bytes of
# a file, or the result of snprintf() into a buffer that is large enough, or
# forbid recursion of limited depth.

cd "$(dirname "$0")/.." || exit 1

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

status=0

echo "clang-tidy"
clang-tidy --quiet --checks="$checks" --warnings-as-errors='*' \
    src/core/*/*.c -- -std=gnu99 -Isrc 2>&1 | grep -v ' generated\.$'

[ "${PIPESTATUS[0]}" -eq 0 ] || status=1

echo "cppcheck"
cppcheck --quiet --std=c99 --enable=warning,performance,portability \
    --inline-suppr --suppress=missingIncludeSystem --error-exitcode=1 \
    -Isrc src/core || status=1

[ $status -ne 0 ] || echo "no findings"

exit $status
