# SPDX-License-Identifier: MIT
"""Writes `requirements/test.txt`: exact versions and hashes of what the tests and the build need,
for every Python and platform of Tengen (`make requirements`).

Needs `uv` on the path, and a package index.
"""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "requirements" / "test.txt"
GROUPS = ("build", "wheel", "test", "check", "learn", "nets", "coverage")
# Builds of torch differ between package indexes (with and without CUDA), so one list of hashes does
# not fit all. It is pinned by its version in pyproject.toml; its libraries for CUDA go with it.
LEFT_OUT = re.compile(r"(torch|triton|cuda-|nvidia-)")
HEADER = """\
# Written by `make requirements`. Exact versions with hashes of the package's dependencies and the
# groups {groups} of pyproject.toml. Without torch, whose
# builds differ between package indexes: pyproject.toml pins its version.
"""


def compiled() -> str:
    groups = [word for group in GROUPS for word in ("--group", group)]
    options = ["--universal", "--generate-hashes", "--no-header", "--no-annotate", "--upgrade"]
    python = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    oldest = python["requires-python"].removeprefix(">=")
    command = ["uv", "pip", "compile", "--quiet", *options, "--python-version", oldest]
    done = subprocess.run(
        [*command, *groups, "pyproject.toml"], cwd=ROOT, stdout=subprocess.PIPE, check=True
    )
    return done.stdout.decode()


def without(text: str, names: re.Pattern[str]) -> str:
    """The requirements, each with the lines of its hashes, whose names do not match."""
    requirements = re.findall(r"^\S.*\n(?:[ \t].*\n)*", text, re.MULTILINE)
    return "".join(one for one in requirements if not names.match(one))


def main() -> int:
    TARGET.parent.mkdir(exist_ok=True)
    text = HEADER.format(groups=", ".join(GROUPS)) + without(compiled(), LEFT_OUT)
    TARGET.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
