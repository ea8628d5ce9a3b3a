# SPDX-License-Identifier: MIT
"""Shared by the scripts that generate files of the tree."""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

__all__ = ["check_or_write"]


def check_or_write(doc: str | None, generate: Callable[[], Mapping[Path, bytes]]) -> int:
    """The main function of such a script: exit code 1 if the files in the tree are not current;
    `--write` writes them.
    """
    parser = argparse.ArgumentParser(description=doc)
    parser.add_argument("--write", action="store_true", help="write the files into the tree")
    write = parser.parse_args().write
    outdated = 0
    for path, data in generate().items():
        present = path.read_bytes() if path.exists() else b""
        if present == data:
            continue
        if write:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            continue
        outdated += 1
        lines = [text.decode(errors="replace").splitlines() for text in (present, data)]
        print("\n".join(difflib.unified_diff(*lines, str(path), "generated", lineterm="", n=1)))
        print(f"{path} is not current: run this script with --write", file=sys.stderr)
    return 1 if outdated else 0
