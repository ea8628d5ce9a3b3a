# SPDX-License-Identifier: MIT
"""The static edition (docs/static.md): the page with the engine as WebAssembly, for any web host.

    python scripts/static_site.py engine    the engine beside the page of `tengen play`:
                                            src/tengen/web/static/engine
    python scripts/static_site.py site      the whole edition: build/static

Both take the engine that `make wasm` has built.
"""

from __future__ import annotations

import argparse
import base64
import gzip
import hashlib
import json
import re
import shutil
import tomllib
from pathlib import Path

from release import licences

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build"
PROGRAM = ("wasm/page-engine.js", "wasm/page-engine.wasm")
# Fetched by later visits, where the page is isolated.
THREADS = "page-engine-threads"
THREADS_PROGRAM = tuple(f"wasm-threads/{THREADS}{end}" for end in (".js", ".wasm", ".worker.js"))
DATA = ROOT / "src" / "tengen" / "engine" / "data"
PAGE = ROOT / "src" / "tengen" / "web" / "static"
SITE = ROOT / "build" / "static"
ENGINE = "engine"
WORKER = "sw.js"
LICENCES = "LICENSES.txt"
GZIP = ".gzip"  # not .gz, which some hosts send with a content encoding
MAX_SITE = 20_000_000  # bytes
MAX_VISIT = 3_000_000  # bytes until the net of the default rule plays
DEFAULT_RULE = ("renju", 15)


def nets() -> list[dict[str, str | int]]:
    """The nets of each rule: for black and for white to move."""
    registry = json.loads((DATA / "nets" / "registry.json").read_text("utf-8"))
    return [
        {
            "rule": entry["rule"],
            "from": entry["from"],
            "to": entry["to"],
            "black": entry.get("net") or entry["black"],
            "white": entry.get("net") or entry["white"],
        }
        for entry in registry["nets"]
    ]


def engine_files() -> dict[str, bytes]:
    """The files of the engine by their names."""
    built = [BUILD / name for name in PROGRAM + THREADS_PROGRAM]
    if missing := [path for path in built if not path.is_file()]:
        raise SystemExit(f"{missing[0].relative_to(ROOT)} is missing: run `make wasm`")
    files = {path.name: path.read_bytes() for path in built}
    files |= {path.name: path.read_bytes() for path in sorted(DATA.glob("*.tables"))}
    for name in sorted({str(net[side]) for net in nets() for side in ("black", "white")}):
        for path in (DATA / "nets" / f"{name}.net", DATA / "nets" / f"{name}.guess"):
            if path.is_file():
                files[f"nets/{path.name}"] = path.read_bytes()
    return files


def digest(data: bytes) -> str:
    return base64.b64encode(hashlib.sha256(data).digest()).decode()


def packed(files: dict[str, bytes]) -> dict[str, bytes]:
    """The same files, compressed: not every host does that."""
    return {name + GZIP: gzip.compress(data, mtime=0) for name, data in files.items()}


def address(name: str, data: bytes) -> str:
    """The address of a file of the engine, as web/src/worker/manifest.ts makes it."""
    return f"{ENGINE}/{name}?{re.sub('[^A-Za-z0-9]', '', digest(data))[:12]}"


def version() -> str:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return str(project["version"])


def manifest(files: dict[str, bytes], *, offline: bool) -> bytes:
    listed = {
        name.removesuffix(GZIP): {"sha256": digest(data), "gzip": name.endswith(GZIP)}
        for name, data in files.items()
    }
    text = {"format": 1, "offline": offline, "files": listed, "nets": nets()}
    return (json.dumps(text, indent=1) + "\n").encode()


def write_files(folder: Path, files: dict[str, bytes]) -> None:
    """Replaces a folder."""
    shutil.rmtree(folder, ignore_errors=True)
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def service_worker(template: bytes, kept: dict[str, bytes]) -> bytes:
    """The service worker that keeps these files, by their addresses. Its version is a checksum of
    all of them, so that any change of the page is a new version."""
    listed = [[name, digest(data)] for name, data in sorted(kept.items())]
    checksum = hashlib.sha256(json.dumps(listed).encode() + template).hexdigest()[:12]
    text = template.decode()
    for constant, value in (("VERSION", f"{version()}-{checksum}"), ("FILES", listed)):
        line = re.compile(rf"^const {constant} = .*;", re.MULTILINE)
        if len(line.findall(text)) != 1:
            raise SystemExit(f"{WORKER} does not define {constant} in one line")
        made = f"const {constant} = {json.dumps(value)};"
        text = line.sub(lambda _, made=made: made, text)
    return text.encode()


def site_files() -> dict[str, bytes]:
    page = {path.name: path.read_bytes() for path in sorted(PAGE.iterdir()) if path.is_file()}
    if WORKER not in page:
        raise SystemExit(f"{PAGE.relative_to(ROOT)} has no {WORKER}: run `make page`")
    engine = packed(engine_files())
    listed = manifest(engine, offline=True)
    kept = {name: data for name, data in page.items() if name != WORKER}
    later = ("nets/", THREADS)  # the workers keep what they use of these
    kept |= {address(n, data): data for n, data in engine.items() if not n.startswith(later)}
    kept[f"{ENGINE}/manifest.json"] = listed
    page[WORKER] = service_worker(page[WORKER], kept)
    page[LICENCES] = licences("svelte", "clsx", "emscripten").encode()
    return page | {f"{ENGINE}/{n}": d for n, d in (engine | {"manifest.json": listed}).items()}


def visit(files: dict[str, bytes]) -> list[str]:
    """What a first visit loads until the net of the default rule plays, and to keep the page."""
    rule, size = DEFAULT_RULE
    (use,) = (n for n in nets() if n["rule"] == rule and int(n["from"]) <= size <= int(n["to"]))
    names = {str(use[side]) for side in ("black", "white")}
    ends = (f".net{GZIP}", f".guess{GZIP}")
    loaded = {f"{ENGINE}/nets/{name}{end}" for name in names for end in ends}
    later = (f"{ENGINE}/nets/", f"{ENGINE}/{THREADS}")
    unused = {n for n in files if n.startswith(later)} - loaded | {LICENCES}
    return [n for n in files if n not in unused]


def write_engine() -> None:
    files = engine_files()
    write_files(PAGE / ENGINE, files | {"manifest.json": manifest(files, offline=False)})
    print(f"{(PAGE / ENGINE).relative_to(ROOT)}: {sum(map(len, files.values())) / 1e6:.1f} MB")


def write_site() -> None:
    files = site_files()
    write_files(SITE, files)
    total = sum(map(len, files.values()))
    first = visit(files)
    plain = sum(len(files[name]) for name in first)
    compressed = sum(len(gzip.compress(files[name])) for name in first)
    print(f"{SITE.relative_to(ROOT)}: {total / 1e6:.1f} MB (limit {MAX_SITE / 1e6:.0f} MB)")
    print(f"first visit: {plain / 1e6:.2f} MB, {compressed / 1e6:.2f} MB with gzip", end="")
    print(f" (limit {MAX_VISIT / 1e6:.0f} MB)")
    if total > MAX_SITE or plain > MAX_VISIT:
        raise SystemExit("too large")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("engine", "site"))
    write_engine() if parser.parse_args().what == "engine" else write_site()


if __name__ == "__main__":
    main()
