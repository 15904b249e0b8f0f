"""Fetches the packages of packages.txt from the registries and keeps their sources.

    python training/fetch.py DATA [--jobs 6] [--only pypi,npm,crates,debian] [--list packages.txt]

DATA/src/<registry>/<name>/ then holds the files in languages that are learned from, with their paths in the package; DATA/packages.jsonl
says version and licence of each. Packages that are there already are not fetched again; one that cannot be fetched is said and left out.
The ordinary clients do the fetching: pip, npm, cargo and apt-get (with a deb-src entry for bookworm, and trixie for what only it has).
"""

import argparse
import concurrent.futures
import email.parser
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile

from sources import is_wanted, is_excluded_package

HERE = pathlib.Path(__file__).parent
LARGEST_FILE = 300_000
LARGEST_ARCHIVE = 220_000_000
FILES_OF_A_PACKAGE = 6_000


def wanted_packages(listed, only):
    """Each registry's names, in the order of the list."""
    for line in listed.read_text().splitlines():
        registry, *names = line.split() or ["#"]
        if registry in only:
            for name in names:
                if not is_excluded_package(name):
                    yield registry, name


def run(command, folder, seconds=420, **environment):
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True, timeout=seconds, env=os.environ | environment)
    return done.stdout


def unpack(archive, target):
    """The wanted files of an archive, without its outermost folder. Says how many."""
    kept = 0
    with tarfile.open(archive) as tar:
        for member in tar:
            path = pathlib.PurePosixPath(*pathlib.PurePosixPath(member.name).parts[1:])
            if not member.isfile() or member.size > LARGEST_FILE or not is_wanted(path) or ".." in path.parts:
                continue
            place = target / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(tar.extractfile(member).read())
            kept += 1
            if kept >= FILES_OF_A_PACKAGE:
                break
    return kept


def member_text(archive, ending):
    """The shallowest file whose name ends so, as text."""
    with tarfile.open(archive) as tar:
        found = [m for m in tar if m.isfile() and m.name.endswith(ending)]
        best = min(found, key=lambda m: m.name.count("/"), default=None)
        return tar.extractfile(best).read().decode("utf-8", "replace") if best else ""


def from_pypi(name, work, target):
    """The wheel: pip builds a source package only to read its metadata, and a wheel holds the same Python files."""
    run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", name], work)
    archive = next(work.glob("*.whl"))
    with zipfile.ZipFile(archive) as wheel:
        for member in wheel.infolist()[: 4 * FILES_OF_A_PACKAGE]:
            path = pathlib.PurePosixPath(member.filename)
            if member.file_size <= LARGEST_FILE and is_wanted(path) and ".." not in path.parts:
                place = target / path
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(wheel.read(member))
        about = next(n for n in wheel.namelist() if n.endswith(".dist-info/METADATA"))
        info = email.parser.HeaderParser().parse(io.StringIO(wheel.read(about).decode("utf-8", "replace")))
    (target / "README.md").write_text(info.get_payload())
    classifiers = [c.rsplit(" :: ", 1)[1] for c in info.get_all("Classifier", []) if c.startswith("License")]
    licence = info.get("License-Expression") or " AND ".join(classifiers) or (info.get("License") or "").split("\n")[0]
    return info.get("Version", ""), licence


def from_npm(name, work, target):
    archive = work / run(["npm", "pack", "--silent", "--ignore-scripts", name], work).strip().splitlines()[-1]
    unpack(archive, target)
    about = json.loads(member_text(archive, "package/package.json") or "{}")
    licence = about.get("license", "")
    return about.get("version", ""), licence if isinstance(licence, str) else licence.get("type", "")


def from_crates(name, work, target):
    """Through a package of its own, so that each is fetched whatever the others need. A version that is not a release has to be named."""
    name, _, version = name.partition("@")
    version = version or "*"
    (work / "src").mkdir()
    (work / "src/lib.rs").write_text("")
    (work / "Cargo.toml").write_text(
        f'[package]\nname="fetch"\nversion="0.0.0"\nedition="2021"\n[dependencies]\n{name}={{version="{version}",default-features=false}}\n[workspace]\n'
    )
    run(["cargo", "vendor", "--quiet", "--versioned-dirs", "vendor"], work, CARGO_HOME=str(work.parent / "cargo-home"))
    folder = max((work / "vendor").glob(f"{name}-[0-9]*"), key=lambda p: [int(n) for n in re.findall(r"\d+", p.name)])
    about = tomllib.loads((folder / "Cargo.toml").read_text())["package"]
    for file in folder.rglob("*"):
        path = file.relative_to(folder)
        if file.is_file() and is_wanted(pathlib.PurePosixPath(path)) and file.stat().st_size <= LARGEST_FILE:
            place = target / path
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, place)
    return about["version"], about.get("license", about.get("license-file", ""))


def debian_sizes(names):
    """Bytes of the archives of each source package that there is. (`apt-cache showsrc` reads its lists once for each name.)"""
    sizes, names = {}, set(names)
    lists = run(["apt-get", "indextargets", "--format", "$(FILENAME)", "Created-By: Sources"], ".").split()
    paragraphs = "\n\n".join(run(["/usr/lib/apt/apt-helper", "cat-file", name], ".") for name in lists).split("\n\n")
    for paragraph in paragraphs:
        name = re.search(r"^Package: (\S+)", paragraph, re.M)
        if name and name[1] in names:
            size = sum(int(n) for n in re.findall(r"^ [0-9a-f]{64} (\d+) \S+\.tar\.", paragraph, re.M))
            sizes[name[1]] = max(size, sizes.get(name[1], 0))
    return sizes


def from_debian(names, work, folder_of):
    """Several source packages at once: apt takes seconds to read its lists. A mirror may have a package's archive and not its description, or
    neither: what came is used, what did not is left out."""
    try:
        run(["apt-get", "source", "--download-only", "-qq", *names], work)
    except subprocess.CalledProcessError:
        pass
    found = {}
    for archive in sorted(work.glob("*.tar.*")):
        if archive.name.endswith(".asc") or ".debian." in archive.name:
            continue
        name, _, rest = archive.name.partition("_")
        version, _, part = rest.partition(".orig")
        part = part.lstrip("-").split(".tar")[0]
        unpack(archive, folder_of(name) / part if part else folder_of(name))
        said = [member_text(extra, "debian/copyright") for extra in work.glob(f"{name}_*.debian.tar.*")]
        stated = re.search(r"^License: *(.+)$", "".join(said), re.M)
        found[name] = version, stated[1].strip() if stated else told_licence(member_text(archive, ("/LICENSE", "/COPYING", "/LICENSE.txt", "/LICENSE.md")))
    return [(name, *about) for name, about in found.items()]


def told_licence(text):
    """The licence that a licence file is about, by its first words."""
    known = {"Apache License": "Apache-2.0", "GNU LESSER": "LGPL", "GNU GENERAL": "GPL", "Mozilla Public": "MPL-2.0", "Permission is hereby granted": "MIT",
             "Redistribution and use": "BSD", "Permission to use, copy": "ISC"}
    return next((name for words, name in known.items() if words.lower() in text[:3000].lower()), "")


FROM = {"pypi": from_pypi, "npm": from_npm, "crates": from_crates}


def place_of(data, registry, name):
    return data / "src" / registry / (name.partition("@")[0] if registry == "crates" else name.replace("/", "__"))


def fetch(data, registry, names):
    """Fetches one package, or some of Debian's, and gives a record of each."""
    records = []
    with tempfile.TemporaryDirectory(dir=data) as work:
        work, aside = pathlib.Path(work), pathlib.Path(work) / "kept"

        def folder_of(name):
            folder = aside / name.replace("/", "__")
            folder.mkdir(parents=True, exist_ok=True)
            return folder

        if registry == "debian":
            found = list(from_debian(names, work, folder_of))
        else:
            found = [(name, *FROM[registry](name, work, folder_of(name))) for name in names]
        for name, version, licence in found:
            target = place_of(data, registry, name)
            if target.exists():  # Debian's name of a program may lead to a source that is there under its own name
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            folder_of(name).rename(target)
            files = sum(1 for f in target.rglob("*") if f.is_file())
            records.append({"registry": registry, "package": name, "version": version, "licence": licence[:80], "files": files})
    return records


def jobs_of(data, listed, only):
    """What is left to fetch: single packages, and Debian's in batches, small ones first."""
    missing = [p for p in dict.fromkeys(wanted_packages(listed, only)) if not place_of(data, *p).exists()]
    for registry, name in missing:
        if registry != "debian":
            yield registry, [name]
    debian = [name for registry, name in missing if registry == "debian"]
    sizes = debian_sizes(debian) if debian else {}
    for name in debian:
        if sizes.get(name, LARGEST_ARCHIVE + 1) > LARGEST_ARCHIVE:
            print("debian", name, "left out:", sizes.get(name, "no such package"), flush=True)
    ordered = sorted((n for n in debian if sizes.get(n, LARGEST_ARCHIVE + 1) <= LARGEST_ARCHIVE), key=sizes.get)
    batch, weight = [], 0
    for name in ordered:
        batch.append(name)
        weight += sizes[name]
        if len(batch) == 12 or weight > 60_000_000:
            yield "debian", batch
            batch, weight = [], 0
    if batch:
        yield "debian", batch


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("data", type=pathlib.Path)
    arguments.add_argument("--jobs", type=int, default=6)
    arguments.add_argument("--only", default="pypi,npm,crates,debian")
    arguments.add_argument("--list", type=pathlib.Path, default=HERE / "packages.txt")
    given = arguments.parse_args()
    given.data.mkdir(parents=True, exist_ok=True)
    with open(given.data / "packages.jsonl", "a") as log, concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        jobs = {pool.submit(fetch, given.data, *job): job for job in jobs_of(given.data, given.list, given.only.split(","))}
        for job in concurrent.futures.as_completed(jobs):
            try:
                for record in job.result():
                    log.write(json.dumps(record) + "\n")
                log.flush()
            except Exception as error:
                said = getattr(error, "stderr", None) or str(error)
                print(*jobs[job], "left out:", said.strip().splitlines()[-1:] or type(error).__name__, flush=True)


if __name__ == "__main__":
    main()
