# SPDX-License-Identifier: MIT
"""Build the page of the browser from `web/` and compare it with `src/tengen/web/static`, which is
in the tree so that a machine without Node can serve it. `--write` puts the new one there.

Without arguments: exit 1 if the page in the tree is not what the sources give, or if they do not
pass svelte-check. Where there is no Node, says so and exits 0.
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
MOST = 120_000  # bytes of all files together, packed: a promise to those with slow lines


def run(*command: str) -> None:
    subprocess.run(command, cwd=WEB, check=True, stdout=sys.stderr)


def install() -> None:
    """What the lock file names, if it is not there."""
    done = WEB / "node_modules" / ".package-lock.json"
    lock = WEB / "package-lock.json"
    if not done.exists() or done.stat().st_mtime < lock.stat().st_mtime:
        run("npm", "ci", "--no-audit", "--no-fund", "--silent")
        done.touch()


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the new page into the tree")
    args = parser.parse_args()
    if shutil.which("npm") is None or shutil.which("node") is None:
        print("left out: there is no Node to build the page with")
        return 0
    install()
    run("npm", "run", "--silent", "check")
    with tempfile.TemporaryDirectory() as folder:
        target = STATIC if args.write else Path(folder)
        run("npx", "--no-install", "vite", "build", "--outDir", str(target), "--emptyOutDir")
        built, present = contents(target), contents(STATIC)
    packed = sum(len(gzip.compress(data)) for data in built.values())
    print(f"the page is {packed / 1000:.0f} kB packed")
    differing = [n for n in built.keys() | present.keys() if built.get(n) != present.get(n)]
    if differing:
        print(f"not what web/ gives: {', '.join(sorted(differing))}; run `make page`")
    return 1 if differing or packed > MOST else 0


if __name__ == "__main__":
    raise SystemExit(main())
