# SPDX-License-Identifier: MIT
"""Builds the page from `web/` and compares it with `src/tengen/web/static`, which is committed so
that machines without Node can serve it. `--write` replaces the committed page. The folder also has
files that are not built.

Without arguments: exit 1 if the committed page is not current, is too large, or svelte-check fails.
Does nothing where Node is not installed. `make wasm` puts the engine beside the page, into the
folder `engine`, which is not committed.
"""

from __future__ import annotations

import argparse
import gzip
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
WEB = ROOT / "web"
STATIC = ROOT / "src" / "tengen" / "web" / "static"
PROBLEMS = "problems.json"
NOT_BUILT = ("icon.svg", PROBLEMS, "sw.js", "tengen.webmanifest")
MAX_SIZE = 120_000  # bytes of all files but the problems, compressed


def run(*command: str) -> None:
    subprocess.run(command, cwd=WEB, check=True, stdout=sys.stderr)


def install() -> None:
    """Installs the packages of the lock file, if they are missing or outdated."""
    installed = WEB / "node_modules" / ".package-lock.json"
    lock = WEB / "package-lock.json"
    if not installed.exists() or installed.stat().st_mtime < lock.stat().st_mtime:
        run("npm", "ci", "--no-audit", "--no-fund", "--silent")
        installed.touch()


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def build(folder: Path) -> None:
    """Writes the page into an empty folder."""
    run("npx", "--no-install", "vite", "build", "--outDir", str(folder), "--emptyOutDir")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="replace the committed page")
    args = parser.parse_args()
    if shutil.which("npm") is None or shutil.which("node") is None:
        print("skipped: Node is not installed")
        return 0
    install()
    run("npm", "run", "--silent", "check")
    with tempfile.TemporaryDirectory() as folder:
        build(Path(folder))
        built = contents(Path(folder)) | {n: (STATIC / n).read_bytes() for n in NOT_BUILT}
    if args.write:
        for name in contents(STATIC).keys() - built.keys():
            (STATIC / name).unlink()
        for name, data in built.items():
            (STATIC / name).write_bytes(data)
    committed = contents(STATIC)
    size = sum(len(gzip.compress(data)) for n, data in built.items() if n != PROBLEMS)
    print(f"the page is {size / 1000:.0f} kB compressed (limit {MAX_SIZE / 1000:.0f} kB)")
    outdated = [n for n in built.keys() | committed.keys() if built.get(n) != committed.get(n)]
    if outdated:
        print(f"not current: {', '.join(sorted(outdated))}; run `make page`")
    return 1 if outdated or size > MAX_SIZE else 0


if __name__ == "__main__":
    raise SystemExit(main())
