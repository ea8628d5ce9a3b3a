# SPDX-License-Identifier: MIT
"""Who may use whom: the ranks of the Python package and the order of the C++ folders, and a
finder of offences.

The order is that of docs/architecture.md. An import may only point to a lower rank, an include
only to a folder that stands earlier in the list (or to the same one).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

# Rank of each package or module under src/tengen. `__init__`, `__main__` and `_version` have none.
PYTHON_RANKS = {
    "_core": 0,
    "cluster": 0,
    "game": 1,
    "reference": 1,
    "solver": 2,
    "engine": 2,
    "data": 2,
    "nets": 2,
    "train": 3,
    "export": 3,
    "arena": 3,
    "zero": 4,
    "tune": 4,
    "web": 4,
    "experiments": 5,
    "cli": 6,
}
# May import nothing of ours at all.
ALONE = {"cluster", "reference"}
TORCH_USERS = {"nets", "train", "export", "zero"}
UNRANKED = {"", "__init__", "__main__", "_version"}

CPP_ORDER = [
    "base",
    "simd",
    "game",
    "pattern",
    "eval",
    "mixnet",
    "search",
    "engine",
    "selfplay",
    "bind",
]

_INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')


def python_faults(package: Path) -> Iterator[str]:
    """One line for each import of the package's files that points upward or sideways."""
    for path in sorted(package.rglob("*.py")):
        part = path.relative_to(package).parts[0].removesuffix(".py")
        for line, name in _imports(path, package):
            if fault := _python_fault(part, name):
                yield f"{path.relative_to(package)}:{line}: {fault}"


def _imports(path: Path, package: Path) -> Iterator[tuple[int, str]]:
    """(line, dotted name) of everything a file imports; relative names are made absolute."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if node.level:
                base = path.relative_to(package.parent).with_suffix("").parts[: -node.level]
                module = ".".join([*base, *([module] if module else [])])
            if module == "tengen":
                yield from ((node.lineno, f"tengen.{alias.name}") for alias in node.names)
            else:
                yield node.lineno, module


def _python_fault(part: str, name: str) -> str | None:
    if name.split(".", maxsplit=1)[0] == "torch" and part not in TORCH_USERS:
        return f"{part} imports torch; only {', '.join(sorted(TORCH_USERS))} may"
    if name.split(".", maxsplit=1)[0] != "tengen" or part in UNRANKED:
        return None
    target = [*name.split("."), ""][1]
    if target == part or target in {"_version"}:
        return None
    if part not in PYTHON_RANKS:
        return f"{part} has no rank"
    if part in ALONE:
        return f"{part} imports tengen.{target}; it may import nothing of ours"
    if target not in PYTHON_RANKS:
        return f"{part} imports tengen.{target}, which has no rank"
    if PYTHON_RANKS[target] >= PYTHON_RANKS[part]:
        return f"{part} (rank {PYTHON_RANKS[part]}) imports {target} (rank {PYTHON_RANKS[target]})"
    return None


def cpp_faults(folder: Path) -> Iterator[str]:
    """One line for each include of the native core that points upward."""
    for path in sorted([*folder.rglob("*.h"), *folder.rglob("*.cpp")]):
        part = path.relative_to(folder).parts[0]
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if not (found := _INCLUDE.match(line)):
                continue
            if fault := _cpp_fault(part, found[1]):
                yield f"{path.relative_to(folder)}:{number}: {fault}"


def _cpp_fault(part: str, include: str) -> str | None:
    target = include.split("/", maxsplit=1)[0]
    if part not in CPP_ORDER or target not in CPP_ORDER:
        return f"{part} includes {include}: a folder outside the order"
    if CPP_ORDER.index(target) > CPP_ORDER.index(part):
        return f"{part} includes {include}, which stands after it"
    return None
