#!/bin/bash
#
# deb.sh [FOLDER]
#
# Builds the Debian packages of the tree, without what git ignores, in build/deb
# (or FOLDER), follows the links of their pages, and leaves them there.  The same
# tree gives the same bytes wherever it is built.

set -e

root=$(cd "$(dirname "$0")/.." && pwd)
to=${1:-$root/build/deb}
name=libnginx-mod-http-artifact
version=$(cd "$root" && dpkg-parsechangelog -S Version)
tree=$to/$name-${version%-*}

rm -rf "$to"
mkdir -p "$tree"

tar -C "$root" --exclude=./build --exclude=./.git --exclude=./.ci -c . \
    | tar -C "$tree" -x

# what Debian adds is in the folder "debian"

tar -C "$to" --exclude="${tree##*/}/debian" --sort=name --owner=0 --group=0 \
    -czf "$to/${name}_${version%-*}.orig.tar.gz" "${tree##*/}"

cd "$tree"
dpkg-buildpackage -us -uc -F > "$to/build.log" 2>&1 \
|| { tail -n 40 "$to/build.log" >&2; exit 1; }

cd "$to"
rm -rf "$tree"

dpkg-deb -x "$to/${name}"_*.deb "$tree"
DOCS_ROOT=$tree/usr/share/doc/$name prove -Q "$root/t/tree/links.t"
rm -rf "$tree"

echo 'built, for "apt install":'
ls "$to/${name}"_*.deb "$to"/artifact-convert_*.deb
