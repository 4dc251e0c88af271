#!/bin/bash
#
# matrix.sh VERSION...
#
# Builds the module against versions of nginx and runs TESTS with each.  A
# VERSION is
#
#   installed    the nginx of this machine
#   trixie, ..   a suite of Debian, whose nginx, nginx-dev, modules of nginx and
#                all that they need are fetched with a private apt configuration,
#                unpacked, and run with their own loader: nothing is installed
#   DIR/..       a source tree of nginx, by a path with a slash: a release, or a
#                checkout, which has auto/configure only
#
# and is built as BUILDS says, by default all of:
#
#   bare      a dynamic module of an nginx without threads, gzip, subrequests in
#             order or a cache, with -O3: only compiled
#   unit      the programs of t/unit, which are run
#   dynamic   a dynamic module, for Debian's binary or that of the tree
#   static    linked into nginx, where there is a source
#
# What is built for a suite is built with its own compiler, headers and libraries.
#
#   TESTS         what to run
#   MODULES       packages of other modules to have there (default: those that
#                 tests load)
#   NGINX_FLAGS   configure flags for source trees (default: those of the
#                 installed nginx, without what is a dynamic module there)
#   NGINX_TESTS   a checkout of nginx's own tests, which run with each version,
#                 without the dynamic module, with it loaded, and with
#                 "artifact_route on" (scripts/nginx-tests.pl)
#
# A table ends the output: tests, and files of tests that were skipped; with each
# row the names of what was run again, "!", failed, "-", and was skipped, "~".  The
# same is in build/matrix/rows, with tabs, for scripts/versions-table.pl.

PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin

root=$(cd "$(dirname "$0")/.." && pwd)

. "$root/scripts/apt.sh"

top=$root/build/matrix
jobs=${JOBS:-$(nproc)}
tests=${TESTS:-t/*/*.t}
builds=${BUILDS:-bare unit dynamic static}
packages="nginx nginx-dev gcc libc6-dev libjansson-dev libmagic-dev libuchardet-dev
          libzstd-dev zlib1g-dev ${MODULES-$("$root/scripts/deps.sh" modules)}"

cflags="-g -fPIC"
ldflags="-Wl,-z,relro -Wl,-z,now -fPIC"

status=0
table=


# fetch_source DIR: the source of a suite's nginx into DIR/src

fetch_source() {
    local list

    [ ! -d "$1/src" ] || return 0

    list=$(sed 's/^deb /deb-src /' "$1/apt/sources.list")
    echo "$list" >> "$1/apt/sources.list"
    apt "$1" apt-get update || return 1

    (cd "$1/deb" && apt "$1" apt-get --download-only source nginx) || return 1

    dpkg-source --no-check -x "$1"/deb/nginx_*.dsc "$1/src"
}


# script FILE COMMAND...: makes a script that runs a command with more arguments,
# whose libraries find what they read at run time

script() {
    local file=$1

    shift

    cat > "$file" << END
#!/bin/sh
export GCONV_PATH="$lib/gconv" MAGIC="$loader/usr/share/misc/magic"
exec $* "\$@"
END

    chmod 755 "$file"
}


# own_loader: sets "lib" and "run" to what runs a program below "loader" with its
# libraries, and makes "cc", the gcc from there.  It takes headers and libraries
# from there, and its programs need no "run".  Its own parts do, which is told with
# -wrapper, but for the linker, which collect2 looks for by itself.

own_loader() {
    local start merged

    lib=$loader/usr/lib/$(gcc -print-multiarch)
    start=$(ls "$lib"/ld-linux*.so.* | head -n 1)
    run="$start --library-path $lib"
    cc=$dir/cc

    [ -n "$start" ] || return 1

    for merged in lib lib64; do
        ln -sfn "usr/$merged" "$loader/$merged"
    done

    mkdir -p "$dir/bin"
    script "$dir/bin/ld" $run "$loader/usr/bin/ld"
    script "$cc" $run "$loader/usr/bin/gcc" -wrapper "${run// /,}" \
        -B"$dir/bin/" -B"$loader/usr/bin/" --sysroot="$loader" \
        -Wl,--dynamic-linker="$start" -Wl,-rpath="$lib"
}


# flags_of NGINX: sets "flags" to what an nginx was built with

flags_of() {
    local flag

    eval "set -- $("$1" -V 2>&1 | sed -n 's/^configure arguments: //p')"
    flags=()

    for flag; do
        case $flag in
            --with-cc-opt=* | --with-ld-opt=* | --override-* | --add-*) ;;
            *=dynamic) ;;
            *) flags+=("$flag") ;;
        esac
    done
}


# build SOURCE OBJS OPTIMIZATION TARGETS ARGUMENT...: outside of the tree

build() {
    local src=$1 objs=$2 optimize=$3 targets=$4 configure=./configure

    shift 4
    rm -rf "$objs"
    mkdir -p "$objs"

    [ -x "$src/configure" ] || configure=auto/configure

    (cd "$src" && $configure --with-cc="$cc" \
         --with-cc-opt="$cflags $optimize" \
         --with-ld-opt="$ldflags" --builddir="$objs" "$@") \
    && make -k -C "$src" -f "$objs/Makefile" -j"$jobs" $targets
}


# step NAME LOG COMMAND...: tells what failed

step() {
    local name=$1 log=$2

    shift 2

    if "$@" > "$log" 2>&1; then
        echo "  ok $name"
        return 0
    fi

    echo "  FAILED $name: see $log"
    { grep -aE 'error:|^not ok|^Result' "$log" || tail -n 10 "$log"; } \
    | head -n 20 | sed 's/^/    /'
    status=1
    return 1
}


# run_tests BUILD BINARY MODULE SOURCE OBJS MODULES: what fails is run once more,
# alone, which is what counts then

run_tests() (
    log=$dir/$1-tests.log
    alone=$dir/$1-alone.log

    cd "$root" || exit 1
    export TEST_NGINX_BINARY=$2 TEST_NGINX_MODULE=$3 TEST_NGINX_SRC=$4 \
           TEST_NGINX_OBJS=$5 TEST_NGINX_MODULES_DIR=$6
    rm -f "$alone"

    prove -j"${PROVE_JOBS:-2}" $tests && exit

    failed=$(failed_in "$log" | cut -d ' ' -f 1)
    [ -n "$failed" ] && prove $failed > "$alone" 2>&1
)


# The programs of t/unit, in a folder of their own.

run_units() {
    make -C "$root" -sk -j"$jobs" CC="$cc" ART_DIR="$dir/art" unit-programs
    CC=$cc ART_DIR=$dir/art prove "$root/t/tree/unit.t"
}


# row BUILD TESTS FAILED SKIPPED NAMES: a line of the table

row() {
    table+=$(printf '%-12s %-8s %-8s %6s %7s %8s  %s' "$name" "$number" "$@")
    table+=$'\n'

    printf '%s\t' "$number" "$name" "$("$cc" -dumpfullversion)" "$@" \
        >> "$top/rows"
    echo >> "$top/rows"
}


# tally BUILD: a row of what prove has said; a program may fail as a whole

tally() {
    local log=$dir/$1-tests.log last=$dir/$1-alone.log failed skipped again

    if [ -f "$last" ]; then
        again=$(failed_in "$log" | awk '{ printf "!%s ", $1 }')

    else
        last=$log
    fi

    failed=$(failed_in "$last")
    skipped=$(sed -n 's/^\(t[^ ]*\) \.* *skipped: .*/\1/p' "$log")

    row "$1" "$(sed -n 's/^Files=.* Tests=\([0-9]*\),.*/\1/p' "$log")" \
        "$(echo "$failed" | awk 'NF { n += $2 ? $2 : 1 } END { print n + 0 }')" \
        "$(echo "$skipped" | grep -c .)" \
        "$again$(echo "$failed" | awk 'NF { printf "-%s ", $1 }')$(
           echo "$skipped" | awk 'NF { printf "~%s ", $1 }')"
}


# failed_in LOG: lines of a file of tests and of how many failed

failed_in() {
    sed -n 's/^\(t[^ ]*\) *(Wstat.* Failed: \([0-9]*\)).*/\1 \2/p' "$1"
}


# try BUILD BINARY MODULE SOURCE OBJS: runs the tests, for a row

try() {
    local build=$1

    shift
    step "tests, $build" "$dir/$build-tests.log" \
        run_tests "$build" "$@" "$modules"
    tally "$build"
}


# try_nginx BINARY MODULE: nginx's own tests; what fails is what the module makes
# a difference to

try_nginx() {
    local logs=$dir/nginx-tests differ

    [ -n "${NGINX_TESTS:-}" ] || return 0

    step "nginx's own tests" "$dir/nginx-tests.log" \
        env TEST_NGINX_BINARY="$1" TEST_NGINX_MODULE="$2" LOGS="$logs" \
        "$root/scripts/nginx-tests.pl"

    differ=$(sed -n 's/^\([^ ]*\.t\) differs .*/\1/p' \
             "$dir/nginx-tests.log" | sort -u)

    row own "$(sed -n 's/^compared \([0-9]*\) .*/\1/p' \
               "$dir/nginx-tests.log")" \
        "$(echo "$differ" | grep -c .)" \
        "$(sed -n 's/^compared .* files, \([0-9]*\) .*/\1/p' \
           "$dir/nginx-tests.log")" \
        "$(echo "$differ" | awk 'NF { printf "-%s ", $1 }')"
}


# What differs between a nginx of Debian's and a source tree.  Each sets, for the
# version at hand:
#
#   number       of nginx
#   dev          the tree to build dynamic modules in, with "dynamic" for flags
#   targets      what to make there
#   nginx        the binary that loads them
#   modules      where it has other modules
#   loader       the folder whose libraries it needs, if not those of the machine
#   cc           the compiler, if not gcc
#
# and "source" sets "src", the tree of a whole nginx, and "static", its flags.

of_debian() {
    local suite=$version wanted=$packages

    loader=$dir/root
    dev=$loader/usr/share/nginx/src
    modules=$loader/usr/lib/nginx/modules
    nginx=$dir/nginx
    targets=modules

    if [ "$version" = installed ]; then
        suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
        name=$suite
        wanted=
        loader=
        dev=/usr/share/nginx/src
        modules=/usr/lib/nginx/modules
        nginx=$(command -v nginx)
    fi

    step "$version, packages" "$dir/fetch.log" fetch "$suite" "$dir" $wanted \
    || return 1

    if [ -n "$loader" ]; then
        own_loader || exit 1
        script "$nginx" $run "$loader/usr/sbin/nginx"
    fi

    number=$("$nginx" -v 2>&1 | sed -n 's|.*nginx/\([0-9.]*\).*|\1|p')

    NGX_CONF_FLAGS=()
    . "$dev/conf_flags" || exit 1
    dynamic=("${NGX_CONF_FLAGS[@]}")
}


# nginx-dev has headers only, and not every mirror has every source

source_of_debian() {
    src=$dir/src

    fetch_source "$dir" > "$dir/source.log" 2>&1 || return 1

    flags_of "$nginx"
    static=("${flags[@]}")
}


# in a copy, since configure writes to a tree

of_tree() {
    loader=
    dev=$dir/src
    modules=/usr/lib/nginx/modules
    nginx=$dir/dynamic/nginx
    targets="binary modules"

    step "$version, copied" "$dir/fetch.log" copy "$version" "$dev" || return 1

    number=$(sed -n 's/^#define NGINX_VERSION *"\(.*\)"/\1/p' \
                 "$dev/src/core/nginx.h")

    flags=(${NGINX_FLAGS:-})
    [ -n "$flags" ] || flags_of nginx
    dynamic=("${flags[@]}")
}


source_of_tree() {
    src=$dir/src
    static=("${dynamic[@]}")
}


copy() {
    rm -rf "$2"
    cp -r "$1" "$2" && [ -f "$2/src/core/nginx.h" ]
}


# One for each of BUILDS.

try_bare() {
    step "build, bare" "$dir/bare.log" build "$dev" "$dir/bare" -O3 modules \
        --without-http_gzip_module --without-http_ssi_module \
        --without-http-cache --add-dynamic-module="$top/module"
}


try_unit() {
    step "unit tests" "$dir/unit-tests.log" run_units
    tally unit
}


try_dynamic() {
    local so=$dir/dynamic/ngx_artifact_module.so

    if step "build, dynamic" "$dir/dynamic.log" \
           build "$dev" "$dir/dynamic" -O2 "$targets" "${dynamic[@]}" \
           --add-dynamic-module="$top/module"
    then
        try dynamic "$nginx" "$so" "$dev" "$dir/dynamic"
        try_nginx "$nginx" "$so"

    else
        row dynamic - - - "not built"
    fi
}


try_static() {
    local nginx=$nginx

    if ! source_of_$of; then
        echo "  NOT TRIED build, static: no source, see $dir/source.log"
        row static - - - "not tried: no source"
        return
    fi

    if step "build, static" "$dir/static.log" \
           build "$src" "$dir/static" -O2 binary "${static[@]}" \
           --add-module="$top/module"
    then
        nginx=$dir/static/nginx

        if [ -n "$loader" ]; then
            nginx=$dir/nginx-static
            script "$nginx" $run "$dir/static/nginx"
        fi

        try static "$nginx" "" "$src" "$dir/static"

    else
        row static - - - "not built"
    fi
}


# The module as a package has it: what "config" compiles, nothing else.

rm -rf "$top/module" "$top/rows"
mkdir -p "$top/module"
cp -r "$root/config" "$root/src" "$root/generated" "$top/module" || exit 1

for version; do

    case $version in
        */*) of=tree name=$(basename "$version") ;;
        *)   of=debian name=$version ;;
    esac

    dir=$top/${version//\//_}
    number=-
    cc=gcc
    mkdir -p "$dir"

    if ! of_$of; then
        row - - - - "not tried: see $dir/fetch.log"
        continue
    fi

    echo "$version, nginx $number, gcc $("$cc" -dumpfullversion)"

    for build in $builds; do
        try_$build
    done
done

printf '\n%-12s %-8s %-8s %6s %7s %8s  %s\n%s' version nginx build tests failed \
    skipped '' "$table"

exit $status
