#!/bin/bash
#
# deb-test.sh
#
# Builds the packages in a bare Debian (scripts/bare.sh) with "make deb", and once
# more, for the same bytes, has lintian look at them, installs them into another,
# sets nginx up with artifact-init and with the lines of README.md, serves
# artifacts, upgrades and removes them.  The packages stay in build/deb-SUITE.
# Prints TAP.  Has to be root.

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


# What artifact-init has set up, with nothing else on this nginx: a tenant's upload
# is there for that key only.

set_up() {
    local key url=http://127.0.0.1:$port

    rm -f "$chroot/etc/nginx/sites-enabled/default"
    inside nginx
    key=$(sed -n 's/^\(ak-[^ ]*\) .*/\1/p' "$chroot/etc/nginx/artifact/tenants")

    curl -sSf --retry 5 --retry-connrefused -H "x-api-key: $key" \
        -F 'file=@-;filename=a.txt' "$url/v1/files" < /etc/hostname \
        | grep -q '"id":"file-art-' \
    && curl -sS "$url/v1/files" | grep -q '"code":"unauthorized"' \
    && curl -sSf "http://127.0.0.1:$((port + 1))/metrics" \
        | grep -q '^artifact_requests_total'
}


# its configuration, for what comes next

taken_down() {
    kill "$(cat "$chroot/run/nginx.pid")"
    sleep 1
    rm -r "$chroot/etc/nginx/conf.d/artifact.conf" "$chroot/etc/nginx/artifact"
}


# converts STATUS: what the converter answers to a picture, run as by its unit but
# for the user

converts() {
    local pid status=0 socket=/run/artifact-convert/socket
    local program=/usr/lib/artifact-convert/convert.py

    mkdir -p "$chroot${socket%/*}"
    chroot "$chroot" "$program" --listen "unix:$socket" &
    pid=$!

    for _ in $(seq 100); do
        [ ! -S "$chroot$socket" ] || break
        sleep 0.1
    done

    printf '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>' \
        | curl -sS --unix-socket "$chroot$socket" \
            -H 'Content-Type: image/svg+xml' --data-binary @- \
            -o "$chroot/tmp/converted" -w '%{http_code}' \
            http://localhost/convert/jpeg | grep -q "$1" || status=1

    kill "$pid"
    return $status
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

ok 'lintian is installed' inside apt-get -q -y install lintian
ok 'and has nothing to say' inside sh -c "lintian --allow-root \
    --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs \\
    --info $tree/build/deb/*.changes"

rm -rf "$built"
cp -r "$chroot$tree/build/deb" "$built"
deb=$(ls "$built/${package}"_*.deb)
converter=$(ls "$built"/artifact-convert_*.deb)

for one in "$deb" "$converter"; do
    ok "the same bytes: ${one##*/}" cmp "$one" "$chroot/root/again/${one##*/}"
done

make_bare

ok 'a bare system has no nginx' test ! -e "$chroot/usr/sbin/nginx"
ok 'apt updates' inside apt-get -q update
cp "$deb" "$chroot/root/new.deb"
cp "$converter" "$chroot/root/converter.deb"
ok 'apt installs the package and nginx' \
    inside apt-get -q -y install /root/new.deb
ok 'the module is enabled' test -L "$link"
ok 'nginx -t passes with what came' inside nginx -t

ok 'artifact-init sets it up' \
    inside artifact-init --yes --port "$port" --tenant acme
ok 'nginx -t passes with that' inside nginx -t
ok 'a tenant uploads' set_up
ok 'artifact-init again' inside artifact-init --yes
taken_down

ok 'the converter, without the programs' \
    inside apt-get -q -y --no-install-recommends install /root/converter.deb
ok 'converts nothing' converts 501
ok 'apt installs what it needs for pictures' inside apt-get -q -y \
    --no-install-recommends install librsvg2-bin imagemagick
ok 'and it converts' converts 200
ok 'its unit is enabled' test -L "$chroot/etc/systemd/system/$(
    )multi-user.target.wants/artifact-convert.service"
ok 'apt purges it' inside apt-get -q -y purge artifact-convert

configure
ok 'nginx -t passes with the lines of README.md' inside nginx -t
ok 'nginx starts' inside nginx
ok 'an artifact is served' get /artifacts/note 'a note'
ok 'a write works' curl -sSf -X PUT --data x \
    "http://127.0.0.1:$port/workspaces/w/a.txt"

again 99.0
ok 'its manual page is there' test -s \
    "$chroot/usr/share/man/man8/artifact-init.8.gz"
ok 'its changes are there' test -s \
    "$chroot/usr/share/doc/$package/changelog.gz"
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
