# SPDX-License-Identifier: MIT
"""Build a released version beside this tree, as an opponent for matches.

    python scripts/build_version.py                      version 0.1.0 into build/versions/0.1.0
    python scripts/build_version.py --commit HEAD~5      any commit into build/versions/<hash>

Exports the commit, installs it into its own virtual environment there, checks that the engine
answers, and prints the command to give to `tengen match`. A version that is already built is only
checked and printed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tarfile
from io import BytesIO
from pathlib import Path

ROOT = Path(__file__).parents[1]
VERSIONS = {"0.1.0": "d9e4629a7a1569334a0ba64d25145ad976ca5e0d"}
DIALOGUE = "START 15\nABOUT\nEND\n"


def git(*arguments: str) -> bytes:
    command = ["git", "-C", str(ROOT), *arguments]
    result = subprocess.run(command, capture_output=True, check=False)
    if result.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: {result.stderr.decode().strip()}")
    return result.stdout


def build(commit: str, folder: Path) -> Path:
    """Installs `commit` into `folder` unless it is there; the path of its engine."""
    engine = folder / "venv" / "bin" / "pbrain-tengen"
    if not engine.exists():
        source = folder / "source"
        source.mkdir(parents=True, exist_ok=True)
        with tarfile.open(fileobj=BytesIO(git("archive", commit))) as archive:
            archive.extractall(source, filter="data")
        subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
        pip = [str(folder / "venv" / "bin" / "python"), "-m", "pip", "install", "--quiet"]
        print(f"building {commit[:7]} (about two minutes)", file=sys.stderr)
        subprocess.run([*pip, str(source)], check=True)
    return engine


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--version", choices=VERSIONS, default="0.1.0", help="(default: 0.1.0)")
    which.add_argument("--commit", metavar="REV", help="any commit of this repository")
    args = parser.parse_args()
    commit = git("rev-parse", "--verify", (args.commit or VERSIONS[args.version]) + "^{commit}")
    hash_ = commit.decode().strip()
    name = hash_[:10] if args.commit else args.version
    engine = build(hash_, ROOT / "build" / "versions" / name)
    answer = subprocess.run([engine], input=DIALOGUE, capture_output=True, text=True, check=False)
    if "OK" not in answer.stdout.splitlines():
        raise SystemExit(f"{engine} does not answer START 15:\n{answer.stdout}{answer.stderr}")
    print(engine)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
