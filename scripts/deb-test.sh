#!/bin/bash
#
# deb-test.sh
#
# Builds the package in a bare Debian (scripts/bare.sh) with "make deb", and once
# more, for the same bytes, installs it into another, serves an artifact with the
# lines of README.md, upgrades and removes it.  The package stays in
# build/deb-SUITE.  Prints TAP.  Has to be root.

set -e

root=$(cd "$(dirname "$0")/.." && pwd)
chroot=$root/build/deb-root
link=$chroot/etc/nginx/modules-enabled/50-mod-http-artifact.conf
port=${PORT:-8087}
package=libnginx-mod-http-artifact
tree=/root/tree

source "$root/scripts/bare.sh"

built=$root/build/deb-$suite


cleanup() {
    [ ! -s "$chroot/run/nginx.pid" ] || kill "$(cat "$chroot/run/nginx.pid")"
    unmount
}


# The first file that README.md prints, in a configuration of nothing else.

configure() {
    mkdir -p "$chroot/srv/agents/artifacts" "$chroot/srv/agents/workspaces"
    printf 'a note' > "$chroot/srv/agents/artifacts/note.txt"
    chown -R 33 "$chroot/srv/agents/workspaces"       # www-data

    echo '{"services": [{"id": "text-model", "model": "m", "provider": "p",
           "capabilities": {"input": ["text"]}}]}' \
        > "$chroot/etc/nginx/llmservices.json"
    chmod 600 "$chroot/etc/nginx/llmservices.json"

    {
        echo 'include /etc/nginx/modules-enabled/*.conf;'
        echo 'user www-data; pid /run/nginx.pid;'
        echo 'events {}'
        echo 'http {'
        awk '/^    artifact_cap/ { on = 1 } on; on && /^    }/ { exit }' \
            "$root/README.md" | sed "s/127.0.0.1:8080/127.0.0.1:$port/"
        echo '}'
    } > "$chroot/etc/nginx/nginx.conf"
}


# get URI PATTERN: the answer has the pattern in it

get() {
    curl -sS -H 'X-LLM-Service: text-model' "http://127.0.0.1:$port$1" \
        | tee /dev/stderr | grep -q "$2"
}


# refused WORDS: nginx -t does not pass, and says so

refused() {
    if inside nginx -t > "$chroot/tmp/refused" 2>&1; then
        return 1
    fi

    grep "$1" "$chroot/tmp/refused"
}


# again VERSION: the package again, under another version

again() {
    local tmp

    tmp=$(mktemp -d)
    dpkg-deb -R "$deb" "$tmp/tree"
    sed -i "s/^Version: .*/Version: $1/" "$tmp/tree/DEBIAN/control"
    dpkg-deb -b "$tmp/tree" "$chroot/root/again.deb" > /dev/null
    rm -rf "$tmp"
}


trap cleanup EXIT
cleanup
make_bare

mkdir "$chroot$tree"
tar -C "$root" --exclude=./build --exclude=./.git -c . \
    | tar -C "$chroot$tree" -x

ok 'apt updates' inside apt-get -q update
ok 'make is installed' inside apt-get -q -y install make
ok 'make deb' inside make -C "$tree" deb
ok 'another build succeeds' inside "$tree/scripts/deb.sh" /root/again

rm -rf "$built"
cp -r "$chroot$tree/build/deb" "$built"
deb=$(ls "$built/${package}"_*.deb)
ok 'and gives the same bytes' cmp "$deb" "$chroot/root/again/${deb##*/}"

make_bare

ok 'a bare system has no nginx' test ! -e "$chroot/usr/sbin/nginx"
ok 'apt updates' inside apt-get -q update
cp "$deb" "$chroot/root/new.deb"
ok 'apt installs the package and nginx' \
    inside apt-get -q -y install /root/new.deb
ok 'the module is enabled' test -L "$link"
ok 'nginx -t passes with what came' inside nginx -t

configure
ok 'nginx -t passes with the lines of README.md' inside nginx -t
ok 'nginx starts' inside nginx
ok 'an artifact is served' get /artifacts/note 'a note'
ok 'a write works' curl -sSf -X PUT --data x \
    "http://127.0.0.1:$port/workspaces/w/a.txt"

again 99.0
ok 'its pages are there' test -s \
    "$chroot/usr/share/doc/$package/docs/index.md"
ok 'its picture is there' test -s \
    "$chroot/usr/share/doc/$package/docs/inspector.png"

ok 'an upgrade' inside apt-get -q -y install /root/again.deb
ok 'nginx -t passes after it' inside nginx -t
ok 'a reload' inside nginx -s reload
ok 'an artifact is still served' get /artifacts/note 'a note'

kill "$(cat "$chroot/run/nginx.pid")"
sleep 1

cp "$root/debian/tests/smoke" "$chroot/root/smoke"
mkdir "$chroot/tmp/smoke"
ok 'apt installs what debian/tests needs' \
    inside apt-get -q -y install curl
ok 'which passes' inside env AUTOPKGTEST_TMP=/tmp/smoke /root/smoke

# the first lines of README.Debian, with the map that they show

awk '/^    \{"services"/, /\]\}$/' "$root/debian/README.Debian" \
    > "$chroot/etc/nginx/llmservices.json"
{
    echo 'include /etc/nginx/modules-enabled/*.conf; events {} http {'
    awk '/^    artifact_cap/, /^    }/' "$root/debian/README.Debian"
    echo '}'
} > "$chroot/etc/nginx/nginx.conf"
ok 'nginx -t passes with the lines of README.Debian' inside nginx -t

printf 'include /etc/nginx/modules-enabled/*.conf;\nevents {}\nhttp {}\n' \
    > "$chroot/etc/nginx/nginx.conf"

ok 'apt removes the package' inside apt-get -q -y remove "$package"
ok 'nginx -t passes without it' inside nginx -t
ok 'installed again, it is enabled again' \
    inside apt-get -q -y install /root/new.deb --allow-downgrades
ok 'nginx -t passes' inside nginx -t

# what an administrator does with the link

cp -P "$link" "${link%/*}/60-again.conf"
ok 'enabled twice, nginx -t tells' refused 'is already loaded'
rm "${link%/*}/60-again.conf" "$link"
ok 'nginx -t passes where it is disabled' inside nginx -t
again 99.1
ok 'an upgrade' inside apt-get -q -y install /root/again.deb
ok 'leaves it disabled' test ! -e "$link"

ok 'apt purges the package' inside apt-get -q -y purge "$package"
ok 'nothing of it is left' test -z "$(find "$chroot/etc" "$chroot/usr" \
    -path '*nginx*artifact*')"

finish
