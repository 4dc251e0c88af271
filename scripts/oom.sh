#!/bin/bash
#
# oom.sh [SCENARIO]...   answers with too little memory: links the nginx of
#                        "make asan" once more, with allocations that fail as
#                        they are told to, and has each of them fail in turn
#                        (scripts/oom.pl)

set -e

root=$(cd "$(dirname "$0")/.." && pwd)
dir=$root/build/asan

"$root/scripts/asan.sh"

gcc -g -O1 -fno-omit-frame-pointer -W -Wall -Wextra -Werror -c -o "$dir/fail-malloc.o" \
    "$root/t/tools/fail-malloc.c"

# the command that links nginx, with our file and another name

wrap=
for name in malloc calloc realloc posix_memalign memalign mmap; do
    wrap="$wrap -Wl,--wrap=$name"
done

cd "$dir/src"
${MAKE:-make} -n -W "$dir/objs/ngx_modules.o" -f "$dir/objs/Makefile" binary \
    | sed -n '/-o .*\/objs\/nginx /,/[^\\]$/p' \
    | sed "s|-o $dir/objs/nginx |-o $dir/objs/nginx-oom $wrap $dir/fail-malloc.o |" \
    > "$dir/link-oom.sh"
sh -e "$dir/link-oom.sh"

cd "$root"

ASAN_OPTIONS=detect_odr_violation=0:detect_leaks=1:allocator_may_return_null=1 \
LSAN_OPTIONS=print_suppressions=0:suppressions=$root/scripts/lsan.supp \
UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 \
TEST_NGINX_BINARY=$dir/objs/nginx-oom TEST_NGINX_MODULE='' \
    perl scripts/oom.pl "$@"
