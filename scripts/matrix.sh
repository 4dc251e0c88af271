#!/bin/bash
#
# versions.sh [VERSION...]
#
# Builds the module against versions of nginx, outside of its source tree, and
# runs TESTS with each: "installed", or a suite of Debian (trixie, sid, ...; by
# default both of these and the installed one), whose nginx, libraries and
# nginx-dev are fetched with a private apt configuration and unpacked into
# build/versions, where they run with their own loader: nothing is installed.
#
# A table of what was tested, and of what failed, ends the output.
#
# A version is built three times: as a dynamic module, with Debian's flags, for
# Debian's binary; linked statically into one from Debian's source, with the same
# flags; and as a dynamic module of an nginx without any, which has no threads.

PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin

root=$(cd "$(dirname "$0")/.." && pwd)
top=$root/build/versions
jobs=${JOBS:-$(nproc)}
tests=${TESTS:-t/raw.t t/route.t t/put.t t/proxy.t}
mirror=${DEBIAN_MIRROR:-$(apt-get indextargets 'Created-By: Packages' \
    --format '$(REPO_URI)' | grep -v security | head -n 1)}
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
packages="nginx nginx-dev libc6 libcrypt1 libpcre2-8-0 libssl3t64 zlib1g"

cflags="-g -O2 -fPIC"
ldflags="-Wl,-z,relro -Wl,-z,now -Wl,-Bsymbolic-functions -fPIC"

status=0
table=


# apt DIR TOOL ARGUMENT...: an apt of its own

apt() {
    local dir=$1/apt tool=$2

    shift 2
    "$tool" -q -o Dir::Etc::sourcelist="$dir/sources.list" \
        -o Dir::Etc::sourceparts=/dev/null \
        -o Dir::Etc::preferences=/dev/null \
        -o Dir::Etc::preferencesparts=/dev/null \
        -o Dir::State::lists="$dir/lists" -o Dir::State::status="$dir/status" \
        -o Dir::Cache="$dir/cache" -o APT::Sandbox::User= \
        -o Acquire::Languages=none "$@"
}


# fetch SUITE DIR PACKAGE...: unpacks a suite's packages into DIR/root, unless
# they are there; fetch_source DIR: the source of its nginx into DIR/src

fetch() {
    local suite=$1 dir=$2 version list

    shift 2
    mkdir -p "$dir/apt/lists/partial" "$dir/apt/cache/archives/partial"
    : > "$dir/apt/status"

    list="[signed-by=$keyring] $mirror $suite main"
    printf '%s\n' "deb $list" "deb-src $list" > "$dir/apt/sources.list"

    apt "$dir" apt-get update || return 1

    version=$(apt "$dir" apt-cache show nginx "$@" \
              | grep -E '^(Package|Version):')
    [ -n "$version" ] || return 1

    if [ "$version" = "$(cat "$dir/version" 2> /dev/null)" ]; then
        return 0
    fi

    rm -rf "$dir/root" "$dir/src" "$dir/deb" "$dir/version"
    mkdir -p "$dir/root" "$dir/deb"

    if [ $# -gt 0 ]; then
        (cd "$dir/deb" && apt "$dir" apt-get download "$@") || return 1

        for deb in "$dir"/deb/*.deb; do
            dpkg -x "$deb" "$dir/root" || return 1
        done
    fi

    echo "$version" > "$dir/version"
}


fetch_source() {
    [ ! -d "$1/src" ] || return 0

    (cd "$1/deb" && apt "$1" apt-get --download-only source nginx) || return 1

    dpkg-source --no-check -x "$1"/deb/nginx_*.dsc "$1/src"
}


# binary DIR: a script that runs the nginx of DIR/root with its own libraries

binary() {
    local arch loader

    arch=$(gcc -print-multiarch)
    loader=$(ls "$1/root/usr/lib/$arch"/ld-linux*.so.* | head -n 1)

    [ -n "$loader" ] || return 1

    cat > "$1/nginx" << END
#!/bin/sh
exec "$loader" --library-path "$1/root/usr/lib/$arch" \\
    "$1/root/usr/sbin/nginx" "\$@"
END

    chmod 755 "$1/nginx"
}


# configure SOURCE OBJS ARGUMENT...: out of a tree that is not written to

configure() {
    local src=$1 objs=$2

    shift 2
    rm -rf "$objs"
    mkdir -p "$objs"

    (cd "$src" && ./configure --with-cc=gcc --with-cc-opt="$cflags" \
         --with-ld-opt="$ldflags" --builddir="$objs" "$@")
}


# debian_flags SOURCE: sets "flags" to what Debian's nginx was built with

debian_flags() {
    NGX_CONF_FLAGS=()
    . "$1/conf_flags"
    flags=("${NGX_CONF_FLAGS[@]}")
}


# build SOURCE OBJS TARGET ARGUMENT...

build() {
    local src=$1 objs=$2 target=$3

    shift 3
    configure "$src" "$objs" "$@" \
    && make -k -C "$src" -f "$objs/Makefile" -j"$jobs" "$target"
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
    { grep -E 'error:|^not ok|^Result' "$log" || tail -n 10 "$log"; } \
    | head -n 20 | sed 's/^/    /'
    status=1
    return 1
}


# run_tests BINARY MODULE SOURCE OBJS

run_tests() {
    (cd "$root" \
     && TEST_NGINX_BINARY=$1 TEST_NGINX_MODULE=$2 TEST_NGINX_SRC=$3 \
        TEST_NGINX_OBJS=$4 prove -j2 $tests)
}


# row BUILD TESTS FAILED: a line of the table, for the version at hand

row() {
    table+=$(printf '%-10s %-8s %-8s %6s  %s' "$version" "$number" "$@")$'\n'
}


# tally BUILD LOG: a row of what prove has said; a program may fail as a whole

tally() {
    row "$1" "$(sed -n 's/^Files=.* Tests=\([0-9]*\),.*/\1/p' "$2")" \
        "$(sed -n 's/^\(t[^ ]*\) *(Wstat.* Failed: \([0-9]*\)).*/\1 \2/p' "$2" \
           | awk '{ n += $2 ? $2 : 1; names = names " " $1 }
                  END { print n + 0 names }')"
}


# The module as a package has it: "config" and "src", nothing else.

rm -rf "$top/module"
mkdir -p "$top/module"
cp -r "$root/config" "$root/src" "$top/module" || exit 1

for version in ${*:-installed trixie sid}; do
    dir=$top/$version
    suite=$version
    wanted=$packages
    dev=$dir/root/usr/share/nginx/src
    nginx=$dir/nginx

    if [ "$version" = installed ]; then
        suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
        wanted=
        dev=/usr/share/nginx/src
        nginx=$(command -v nginx)
    fi

    mkdir -p "$dir"

    number=-

    if ! step "$version, packages" "$dir/fetch.log" \
             fetch "$suite" "$dir" $wanted
    then
        row - - "not tried: no packages"
        continue
    fi

    if [ "$version" != installed ]; then
        binary "$dir" || exit 1
    fi

    number=$("$nginx" -v 2>&1 | sed -n 's|.*nginx/\([0-9.]*\).*|\1|p')
    echo "$version, nginx $number"

    debian_flags "$dev" || exit 1

    step "build, bare" "$dir/bare.log" build "$dev" "$dir/bare" modules \
        --add-dynamic-module="$top/module"

    step "build, dynamic" "$dir/dynamic.log" \
        build "$dev" "$dir/dynamic" modules "${flags[@]}" \
        --add-dynamic-module="$top/module" \
    && {
        step "tests, dynamic" "$dir/dynamic-tests.log" \
            run_tests "$nginx" "$dir/dynamic/ngx_artifact_module.so" "$dev" \
                "$dir/dynamic"
        tally dynamic "$dir/dynamic-tests.log"
    } || row dynamic - "not built"

    # nginx-dev has headers only, and not every mirror has every source

    if ! fetch_source "$dir" > "$dir/source.log" 2>&1; then
        echo "  NOT TRIED build, static: no source, see $dir/source.log"
        row static - "not tried: no source"
        continue
    fi

    step "build, static" "$dir/static.log" \
        build "$dir/src" "$dir/static" binary "${flags[@]}" \
        --add-module="$top/module" \
    && {
        step "tests, static" "$dir/static-tests.log" \
            run_tests "$dir/static/nginx" "" "$dir/src" "$dir/static"
        tally static "$dir/static-tests.log"
    } || row static - "not built"
done

printf '\n%-10s %-8s %-8s %6s  %s\n%s' version nginx build tests failed "$table"

exit $status
