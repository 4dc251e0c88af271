#!/bin/bash
#
# deb.sh [FOLDER]
#
# Builds the Debian package of the tree, without what git ignores, in build/deb
# (or FOLDER), has lintian look at it, follows the links of its pages, and
# leaves it there.  The same tree gives the same bytes wherever it is built.

set -e

root=$(cd "$(dirname "$0")/.." && pwd)
to=${1:-$root/build/deb}
version=$(cd "$root" && dpkg-parsechangelog -S Version)
tree=$to/libnginx-mod-http-artifact-$version

rm -rf "$to"
mkdir -p "$tree"

tar -C "$root" --exclude=./build --exclude=./.git --exclude=./.ci -c . \
    | tar -C "$tree" -x

cd "$tree"
dpkg-buildpackage -us -uc -F > "$to/build.log" 2>&1 \
|| { tail -n 40 "$to/build.log" >&2; exit 1; }

cd "$to"
rm -rf "$tree"

lintian --allow-root --fail-on error,warning --info ./*.changes

dpkg-deb -x "$to"/libnginx-mod-http-artifact_*.deb "$tree"
DOCS_ROOT=$tree/usr/share/doc/libnginx-mod-http-artifact \
    prove -Q "$root/t/tree/links.t"
rm -rf "$tree"

echo "built $(ls "$to"/libnginx-mod-http-artifact_*.deb)"
