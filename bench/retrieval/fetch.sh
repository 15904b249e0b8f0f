#!/usr/bin/env bash
# Fetches the projects of the retrieval benchmark from the package registries into FOLDER, one folder each.
#   bench/retrieval/fetch.sh FOLDER
# Debian's sources need a deb-src entry for bookworm (and trixie, for gson) in apt's configuration.
set -euo pipefail
out=$1
mkdir -p "$out"
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
debian() { apt-get source -qq --download-only "$2" >/dev/null 2>&1; unpack "$1" "$(ls "$2"_*.orig.tar.* | grep -v asc | sort -V | tail -1)"; }
debian curl curl
debian libuv libuv1
debian fmtlib fmtlib
debian cobra golang-github-spf13-cobra
debian gson libgoogle-gson-java
debian aeson haskell-aeson
debian monolog php-monolog
# The source package is not always there; the binary package holds the same Ruby files.
apt-get download -qq ruby-rack && dpkg-deb -x ruby-rack_*.deb rack
mkdir -p "$out/rack/lib"
cp -r "$(find rack -type d -path '*/lib*/rack' -prune | head -1)" "$out/rack/lib/rack"
