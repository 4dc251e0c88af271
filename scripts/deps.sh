#!/bin/bash
#
# deps.sh [run | demo | test | asan | bench | matrix | compilers | ci | fuzz |
#         lint | deb | bare | arch]
# deps.sh modules        prints the packages of other modules of nginx
#
# Installs the Debian packages that a command needs and the machine lacks, and
# for tests, into build/sdk, build/gateway, build/clients, build/mcp, build/files
# and build/axe, the providers' SDKs of t/npm/sdk/package-lock.json, the LLM gateway of
# t/npm/gateway/package-lock.json, the agent frameworks of
# t/npm/clients/package-lock.json (with TEST_CLIENTS=full also those of
# t/npm/clients/more, with TEST_GATEWAY=full the router of t/npm/router), the MCP
# clients of t/npm/mcp/package-lock.json, the clients of
# Files APIs of t/npm/files/package-lock.json and the accessibility rules of
# t/npm/axe/package-lock.json, from the npm registry that the user has configured.
# Does nothing, and asks for no rights, when everything is there.

set -e

PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin

what=${1:-test}
nginx_src=${NGINX_SRC:-/usr/share/nginx/src}
missing=
as_root=
services=
policy=/usr/sbin/policy-rc.d
root=$(cd "$(dirname "$0")/.." && pwd)

# dynamic modules of Debian's nginx, for the tests of company

modules="brotli-filter echo headers-more-filter image-filter js lua
         subs-filter xslt-filter"

if [ "$what" = modules ]; then
    printf 'libnginx-mod-http-%s\n' $modules
    exit 0
fi


# need PACKAGE TEST...: what counts is the tool or file, not how it came

need() {
    local package=$1

    shift

    if ! "$@" > /dev/null 2>&1; then
        missing="$missing $package"
    fi
}


has() {
    command -v "$1"
}


compiles() {
    printf '#include <%s>\nint main(void) { return 0; }\n' "$1" \
        | gcc -E -x c -
}


nginx_module() {
    test -f /usr/lib/nginx/modules/ngx_http_${1//-/_}_module.so
}


# writes FORMAT: libheif has its encoders in packages of their own in Debian 13

writes() {
    identify -list format | grep -q "^ *$1.* rw"
}


clang_fuzzer() {
    ls "$(clang -print-resource-dir)"/lib/linux/libclang_rt.fuzzer-*.a
}


dejavu_font() {
    test -f /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf
}


python_has() {
    /usr/bin/python3 -c "import $1" 2> /dev/null
}


chinese_font() {
    find /usr/share/fonts /usr/local/share/fonts -iname '*cjk*' | grep -q .
}


find_missing() {
    missing=

    need gcc has gcc
    need make has make
    need perl perl -MJSON::PP -MHTTP::Tiny -MTest::More -MCompress::Zlib \
                   -MEncode -MMIME::Base64 -MDigest::SHA -e 1
    need libc6-dev compiles stdio.h
    need libmagic-dev compiles magic.h
    need libjansson-dev compiles jansson.h
    need libuchardet-dev compiles uchardet/uchardet.h
    need zlib1g-dev compiles zlib.h
    need libzstd-dev compiles zstd.h
    need libssl-dev compiles openssl/evp.h

    case $what in
        run | demo | test | asan | bench | matrix)
            need nginx has nginx
            need curl has curl

            case $what in
                test | asan | matrix)
                    need openssl has openssl
                    need gettext-base has envsubst
                    need nodejs has node
                    need npm has npm
                    need chromium has chromium
                    need chromium-driver has chromedriver
                    need fonts-noto-cjk chinese_font
                    need prometheus has prometheus

                    # the example converter

                    need python3 has python3
                    need imagemagick has identify
                    need libheif-plugin-x265 writes HEIC
                    need libheif-plugin-aomenc writes AVIF
                    need librsvg2-bin has rsvg-convert
                    need poppler-utils has pdftoppm
                    need tesseract-ocr has tesseract
                    need pandoc has pandoc
                    need ffmpeg has ffmpeg
                    need python3-openpyxl python_has openpyxl
                    need python3-xlrd python_has xlrd
                    need python3-xlwt python_has xlwt
                    need fonts-dejavu-core dejavu_font

                    # decoders, of stand-ins

                    need file has file
                    need qpdf has qpdf
                ;;
                demo) need nodejs has node; need npm has npm ;;
                bench) need wrk has wrk; need procps has ps ;;
            esac

            case $what in
                asan | matrix) need dpkg-dev has dpkg-source ;;
            esac

            if [ "$what" != asan ] \
               && [ "$nginx_src" = /usr/share/nginx/src ]
            then
                need nginx-dev test -f "$nginx_src/conf_flags"
            fi

            case $what:$nginx_src in
                test:/usr/share/nginx/src | asan:/usr/share/nginx/src \
                | matrix:/usr/share/nginx/src)
                    for module in $modules; do
                        need libnginx-mod-http-$module nginx_module $module
                    done
                ;;
            esac

            need libpcre2-dev has pcre2-config
            need libssl-dev compiles openssl/ssl.h
            need zlib1g-dev compiles zlib.h
        ;;

        fuzz)
            need clang has clang
            need libclang-rt-dev clang_fuzzer
        ;;

        lint | compilers | ci)
            case $what in
                lint)
                    need clang-tidy has clang-tidy
                    need cppcheck has cppcheck
                ;;
                compilers)
                    need clang has clang
                    need musl-tools has musl-gcc
                ;;
                ci)
                    need ccache has ccache
                ;;
            esac

            if [ "$nginx_src" = /usr/share/nginx/src ]; then
                need nginx-dev test -f "$nginx_src/conf_flags"
            fi

            need libpcre2-dev has pcre2-config
            need libssl-dev compiles openssl/ssl.h
            need zlib1g-dev compiles zlib.h
        ;;

        deb)
            need dpkg-dev has dpkg-buildpackage
            need build-essential dpkg -s build-essential
            need debhelper has dh
            need nginx-dev test -f /usr/share/nginx/src/conf_flags
        ;;

        bare)
            need debootstrap has debootstrap
            need git has git
            need curl has curl
            need shellcheck has shellcheck
        ;;

        arch)
            need gcc-aarch64-linux-gnu has aarch64-linux-gnu-gcc
            need gcc-s390x-linux-gnu has s390x-linux-gnu-gcc
            need gcc-arm-linux-gnueabihf has arm-linux-gnueabihf-gcc
            need qemu-user has qemu-s390x
            need nginx-dev test -f /usr/share/nginx/src/conf_flags
        ;;

        *)
            echo "usage: $0 [run | demo | test | asan | bench | matrix |" \
                 "compilers | fuzz | lint | deb | bare | arch | modules]" >&2
            exit 2
        ;;
    esac
}


# Those that this Debian has: another may have their files in a package that is
# installed, too.

known() {
    local package

    for package; do
        ! apt-cache show "$package" > /dev/null 2>&1 || echo "$package"
    done
}


# Debian starts a freshly installed nginx or Prometheus, which nobody asked for
# here: a policy file prevents that, unless the machine has one of its own.

install_missing() {
    if [ -e $policy ]; then
        policy=

    else
        printf '#!/bin/sh\nexit 101\n' | $as_root tee $policy > /dev/null
        trap '$as_root rm -f $policy' EXIT
        trap 'exit 1' HUP INT TERM
        $as_root chmod 755 $policy
    fi

    # some unreachable repository need not matter: the installation tells

    $as_root apt-get -q update || true

    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y \
        -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=120 \
        install --no-install-recommends $(known $missing)

    if [ -n "$policy" ]; then
        $as_root rm -f $policy
        trap - EXIT
    fi
}


# What t/npm/NAME asks for goes to build/NAME, in exactly the locked versions; again
# only when the lock changes.  None of it has to run a script to be installed.

install_locked() {
    local from=$root/t/npm/$1 to=$root/build/$1 what=$2

    if cmp -s "$from/package-lock.json" "$to/installed"; then
        return 0
    fi

    echo "installing: $what of t/npm/$1"

    mkdir -p "$to"
    rm -f "$to/installed"
    cp "$from/package.json" "$from/package-lock.json" "$to"

    (cd "$to" && timeout 600 npm ci --ignore-scripts --no-audit --no-fund \
         --loglevel=error < /dev/null > npm.log 2>&1) \
    || {
        tail -n 5 "$to/npm.log" >&2
        echo "npm could not install $what: see $to/npm.log" >&2
        exit 1
    }

    cp "$from/package-lock.json" "$to/installed"
}


install_packages() {
    case $what in
        demo)
            install_locked gateway 'the gateway'
            [ "$TEST_GATEWAY" != full ] || install_locked router 'the router'
            return 0
            ;;
        test | asan | matrix) ;;
        *) return 0 ;;
    esac

    install_locked sdk 'the SDKs'
    install_locked gateway 'the gateway'
    install_locked clients 'the agent frameworks'
    install_locked mcp 'the MCP clients'
    install_locked files 'the clients of Files APIs'
    install_locked axe 'the accessibility rules'

    if [ "$TEST_CLIENTS" = full ]; then
        install_locked clients/more 'more agent frameworks and MCP servers'
    fi

    if [ "$TEST_GATEWAY" = full ]; then
        install_locked router 'the router'
    fi
}


find_missing

if [ -z "$missing" ]; then
    install_packages
    exit 0
fi

if ! command -v apt-get > /dev/null; then
    echo "missing, by the names Debian gives them:$missing" >&2
    exit 1
fi

if [ "$(id -u)" -ne 0 ]; then

    if ! command -v sudo > /dev/null; then
        echo "missing packages; as root: apt-get install$missing" >&2
        exit 1
    fi

    as_root=sudo
fi

echo "installing:$missing"

for service in nginx prometheus; do
    case " $missing " in
        *" $service "* | *" $service-dev "*) services="$services $service" ;;
    esac
done

install_missing < /dev/null

find_missing

if [ -n "$missing" ]; then
    echo "still missing after the installation:$missing" >&2
    exit 1
fi

if [ -n "$services" ] && [ -d /run/systemd/system ]; then
    echo "note: Debian's services were installed but not started, they would" \
         "start with the machine unless you disable them:$services"
fi

install_packages
