# SPDX-License-Identifier: MIT
"""The layers of the code and their checker: ranks of the Python packages, order of the C++ folders.

The order is that of docs/architecture.md. A Python import may only point to a lower rank, and
import cycles between files are forbidden. A C++ include may only point to an earlier folder of the
list, or to its own.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterator, Mapping
from pathlib import Path

# Rank of each package or module under src/tengen. `__init__`, `__main__` and `_version` have none.
PYTHON_RANKS = {
    "_core": 0,
    "util": 0,
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
# These import no other package of ours.
ALONE = {"util", "cluster", "reference"}
TORCH_USERS = {"nets", "train", "export", "zero", "experiments"}
UNRANKED = {"", "__init__", "__main__", "_version"}

# Folders of the native core, lowest first. A subfolder is its own unit; units of one line do not
# include one another.
CPP_RANKS = [
    ["os"],
    ["base"],
    ["simd"],
    ["game"],
    ["pattern"],
    ["solver"],
    ["eval"],
    ["mixnet"],
    ["search"],
    ["search/alphabeta", "search/mcts", "search/simple"],
    ["engine"],
    ["page", "protocol"],
    ["selfplay"],
    ["app"],
    ["bind"],
]
_CPP_RANK = {unit: rank for rank, units in enumerate(CPP_RANKS) for unit in units}

_INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')


def python_faults(package: Path) -> Iterator[str]:
    """One line per import that points to the same or a higher rank."""
    for path in sorted(package.rglob("*.py")):
        part = path.relative_to(package).parts[0].removesuffix(".py")
        for line, name in _imports(path, package):
            if fault := _python_fault(part, name):
                yield f"{path.relative_to(package)}:{line}: {fault}"


def python_circles(package: Path) -> list[list[str]]:
    """Groups of files that import one another, directly or through others, each group sorted.

    Imports inside functions and under TYPE_CHECKING count. `from package import name` means the
    file of `name` if there is one, else the package's `__init__.py`.
    """
    files = {_module(path, package): path for path in sorted(package.rglob("*.py"))}
    imports = {
        name: {target for target in _imported_modules(path, package, files) if target != name}
        for name, path in files.items()
    }
    return [
        [files[name].relative_to(package).as_posix() for name in circle]
        for circle in _circles(imports)
    ]


def _circles(edges: Mapping[str, set[str]]) -> list[list[str]]:
    """Groups of names that reach one another, each sorted."""
    reachable = {name: _reachable(name, edges) for name in edges}
    circles = {
        tuple(sorted(other for other in result if name in reachable[other]))
        for name, result in reachable.items()
        if name in result
    }
    return [list(circle) for circle in sorted(circles)]


def _module(path: Path, package: Path) -> str:
    parts = path.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imported_modules(path: Path, package: Path, files: Container[str]) -> Iterator[str]:
    for _, module, names in _import_statements(path, package):
        inner = {f"{module}.{name}" for name in names} - {"tengen._core"}  # a native module
        result = {name for name in inner if name in files}
        yield from result
        if module in files and (inner - result or not names):
            yield module


def _reachable(start: str, imports: Mapping[str, set[str]]) -> set[str]:
    """Modules that `start` imports directly or through others; itself only if in a circle."""
    result: set[str] = set()
    waiting = list(imports[start])
    while waiting:
        name = waiting.pop()
        if name not in result:
            result.add(name)
            waiting.extend(imports[name])
    return result


def _imports(path: Path, package: Path) -> Iterator[tuple[int, str]]:
    """(line, dotted name) of everything a file imports."""
    for line, module, names in _import_statements(path, package):
        if module == "tengen" and names:
            yield from ((line, f"tengen.{name}") for name in names)
        else:
            yield line, module


def _import_statements(path: Path, package: Path) -> Iterator[tuple[int, str, list[str]]]:
    """(line, module, names imported from it); relative modules are made absolute."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name, []) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if node.level:
                base = path.relative_to(package.parent).with_suffix("").parts[: -node.level]
                module = ".".join([*base, *([module] if module else [])])
            yield node.lineno, module, [alias.name for alias in node.names]


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
        return f"{part} imports tengen.{target}; it may import no other package of ours"
    if target not in PYTHON_RANKS:
        return f"{part} imports tengen.{target}, which has no rank"
    if PYTHON_RANKS[target] >= PYTHON_RANKS[part]:
        return f"{part} (rank {PYTHON_RANKS[part]}) imports {target} (rank {PYTHON_RANKS[target]})"
    return None


def cpp_faults(folder: Path) -> Iterator[str]:
    """One line per include that points to a higher unit or to another unit of the same rank."""
    for path in _sources(folder):
        unit = path.relative_to(folder).parent.as_posix()
        for number, include in _includes(path):
            if fault := _cpp_fault(unit, include):
                yield f"{path.relative_to(folder)}:{number}: {fault}"


def cpp_circles(folder: Path) -> list[list[str]]:
    """Groups of files that include one another, directly or through others, each group sorted."""
    files = {path.relative_to(folder).as_posix(): path for path in _sources(folder)}
    includes = {
        name: {target for _, target in _includes(path) if target in files}
        for name, path in files.items()
    }
    return _circles(includes)


def _sources(folder: Path) -> list[Path]:
    return sorted([*folder.rglob("*.h"), *folder.rglob("*.cpp")])


def _includes(path: Path) -> Iterator[tuple[int, str]]:
    """(line, path) of the includes in quotes."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if match := _INCLUDE.match(line):
            yield number, match[1]


def _cpp_fault(unit: str, include: str) -> str | None:
    target = include.rpartition("/")[0]
    if unit not in _CPP_RANK or target not in _CPP_RANK:
        return f"{unit} includes {include}: a folder without a rank"
    if target != unit and _CPP_RANK[target] >= _CPP_RANK[unit]:
        return f"{unit} includes {include}, which is not below it"
    return None
