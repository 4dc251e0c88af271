# apt.sh: to be sourced, by what needs packages of another Debian than that of
# the machine, or for another processor ($arch, if set): they are unpacked into
# a folder, and nothing is installed.

mirror=${DEBIAN_MIRROR:-$(apt-get indextargets 'Created-By: Packages' \
    --format '$(REPO_URI)' | grep -v security | head -n 1)}
keyring=/usr/share/keyrings/debian-archive-keyring.gpg


# apt DIR TOOL ARGUMENT...: an apt of its own, with its files in DIR/apt

apt() {
    local dir=$1/apt tool=$2

    shift 2
    "$tool" -q -o Dir::Etc::sourcelist="$dir/sources.list" \
        -o Dir::Etc::sourceparts=/dev/null \
        -o Dir::Etc::preferences=/dev/null \
        -o Dir::Etc::preferencesparts=/dev/null \
        -o Dir::State="$dir" -o Dir::State::lists="$dir/lists" \
        -o Dir::State::status="$dir/status" -o Dir::Cache="$dir/cache" \
        -o APT::Sandbox::User= -o APT::Install-Recommends=0 \
        -o Acquire::Languages=none -o Acquire::Retries=3 \
        ${arch:+-o APT::Architecture="$arch" -o APT::Architectures="$arch"} \
        "$@"
}


# fetch SUITE DIR PACKAGE...: unpacks a suite's packages into DIR/root, with all
# that they depend on, unless they are there

fetch() {
    local suite=$1 dir=$2 versions deb

    shift 2
    mkdir -p "$dir/apt/lists/partial" "$dir/apt/cache/archives/partial"
    : > "$dir/apt/status"

    echo "deb [signed-by=$keyring] $mirror $suite main" \
        > "$dir/apt/sources.list"

    apt "$dir" apt-get update || return 1

    versions=$(apt "$dir" apt-get --simulate install "${@:-nginx}" \
               | grep ^Inst)
    [ -n "$versions" ] || return 1

    if [ "$versions" = "$(cat "$dir/versions" 2> /dev/null)" ]; then
        return 0
    fi

    rm -rf "$dir/root" "$dir/src" "$dir/deb" "$dir/versions"
    mkdir -p "$dir/root" "$dir/deb"

    if [ $# -gt 0 ]; then
        apt "$dir" apt-get clean
        apt "$dir" apt-get --yes --download-only install "$@" || return 1

        for deb in "$dir"/apt/cache/archives/*.deb; do
            dpkg -x "$deb" "$dir/root" || return 1
        done
    fi

    echo "$versions" > "$dir/versions"
}
