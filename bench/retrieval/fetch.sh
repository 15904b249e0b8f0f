#!/usr/bin/env bash
# Fetches the projects of the retrieval benchmark from the package registries into FOLDER, one folder each.
#   bench/retrieval/fetch.sh FOLDER
# Debian's sources need a deb-src entry for bookworm (and trixie, for gson) in apt's configuration.
set -euo pipefail
[ $# = 1 ] || { echo "usage: bench/retrieval/fetch.sh FOLDER" >&2; exit 2; }
mkdir -p "$1"
out=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unpack() { mkdir -p "$out/$1"; tar xf "$2" -C "$out/$1" --strip-components=1; }
cd "$work"
for project in flask requests aiohttp pydantic; do
    pip download --quiet --no-deps --no-binary "$project" "$project"
    unpack "$project" "$project"-*.tar.gz
done
for project in express redux; do
    unpack "$project" "$(npm pack --silent "$project")"
done
cargo new --quiet --lib --vcs none crates
(cd crates && cargo add --quiet axum serde serde_core serde_derive && cargo vendor --quiet --versioned-dirs)
mkdir -p "$out/axum" "$out/serde"
cp -r crates/vendor/axum-[0-9]* "$out/axum/axum"
for name in serde serde_core serde_derive; do cp -r "$(ls -d crates/vendor/$name-[0-9]* | head -1)" "$out/serde/$name"; done
# In the repository this is a link to serde_core's sources; the package has a copy.
rm -rf "$out/serde/serde/src/core"
# The upstream archive alone, of the release named: without it apt takes the newest of all that are configured.
debian() {
    local project=$1 package=$2 release=$3
    apt-get source -qq --download-only --tar-only "$package/$release" >apt.log 2>&1 ||
        { cat apt.log >&2; echo "fetch.sh: no source of $package in $release; is there a deb-src entry for it?" >&2; exit 1; }
    unpack "$project" "$(find . -maxdepth 1 -name "${package}_*.orig.tar.*" ! -name '*.asc' | sort -V | tail -1)"
}
debian curl curl bookworm
debian libuv libuv1 bookworm
debian fmtlib fmtlib bookworm
debian cobra golang-github-spf13-cobra bookworm
debian gson libgoogle-gson-java trixie
debian aeson haskell-aeson bookworm
debian monolog php-monolog bookworm
# The source package is not always there; the binary package holds the same Ruby files.
apt-get download -qq ruby-rack && dpkg-deb -x ruby-rack_*.deb rack
mkdir -p "$out/rack/lib"
cp -r "$(find rack -type d -path '*/lib*/rack' -prune | head -1)" "$out/rack/lib/rack"
