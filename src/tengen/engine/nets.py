# SPDX-License-Identifier: MIT
"""The bundled nets, and which of them plays what.

They are in the folder data/nets beside this module, with `registry.json`, which maps a rule and a
board size to one net, or one net per colour (docs/formats/net.md). Reads only headers, without
NumPy and torch.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tengen import _core
from tengen.engine.errors import BadNet
from tengen.engine.net_file import NetHeader, read_header
from tengen.game.rule import Rule

DATA = Path(__file__).parent / "data"  # the tables and nets of the package
BUNDLED = DATA / "nets"
NET_SUFFIX, ONNX_SUFFIX = ".net", ".onnx"
LAZY_SUFFIX = ".guess"  # of the lazy tables, which approximate a net (docs/formats/guess.md)
REGISTRY = "registry.json"
_FORMAT = 1
CODEBOOK_BYTES = 397_488 * 2 * 2  # per channel: patterns x codebooks x bytes of an entry


@dataclass(frozen=True)
class NetInfo:
    """A net file by its header."""

    path: Path
    bytes: int
    header: NetHeader

    @property
    def name(self) -> str:
        """The name of its file without the suffix, as `net_path` takes it."""
        return self.path.name.removesuffix(NET_SUFFIX)

    @property
    def baked_bytes(self) -> int:
        """Size of the two baked (precomputed) codebooks."""
        return CODEBOOK_BYTES * self.header.architecture.channels

    def to_dict(self) -> dict[str, Any]:
        """All that is known, for JSON."""
        header = self.header
        names = ("name", "run", "description", "made", "scales", "value_curve")
        return {
            "file": str(self.path),
            "bytes": self.bytes,
            **{name: getattr(header, name) for name in names},
            "architecture": str(header.architecture),
            "architecture_hash": f"{header.architecture.hash:016x}",
            "rules": [str(rule) for rule in header.rules],
            "sizes": list(header.sizes),
            "colours": [str(colour) for colour in header.colours],
            "codebook_checksum": f"{header.codebook_checksum:016x}",
            "weights_crc": f"{header.payload_crc:08x}",
            "baked_bytes": self.baked_bytes,
        }


def list_nets(folder: Path = BUNDLED) -> list[NetInfo]:
    """All bundled nets by name, whether the registry names them or not. Raises BadNet, or OSError
    if one cannot be read.
    """
    return [net_info(path) for path in sorted(folder.glob("*" + NET_SUFFIX))]


def net_uses(folder: Path = BUNDLED) -> dict[str, list[str]]:
    """The uses of each net in the registry as text, by its name. Raises BadNet."""
    uses: dict[str, list[str]] = {}
    for rule, smallest, largest, black, white in _registry(folder):
        sizes = f"{smallest}" + (f"-{largest}" if largest > smallest else "")
        for name in dict.fromkeys((black, white)):
            side = "" if black == white else ", black" if name == black else ", white"
            use = f"{rule} {sizes}{side}"
            uses.setdefault(name.removesuffix(NET_SUFFIX), []).append(use)
    return uses


def net_info(path: str | os.PathLike[str]) -> NetInfo:
    """The header of a file. Raises BadNet, or OSError if it cannot be opened."""
    file = Path(path)
    return NetInfo(file, file.stat().st_size, read_header(file))


def net_path(net: str | os.PathLike[str], folder: Path = BUNDLED) -> Path:
    """The file or folder of a net: a bundled one by its name, any by its path. Raises BadNet."""
    if not os.fspath(net):
        raise BadNet("no name of a net")
    if os.path.isdir(net):  # noqa: PTH112 (an error of the system is for the core)
        return Path(net)
    return _core.named_net(Path(net), folder)


def registry_nets(rule: Rule, size: int, folder: Path = BUNDLED) -> tuple[Path, Path] | None:
    """The nets of a registry for a rule and a size, for black and for white to move; None if there
    are none. What an ONNX file supports is only known when it is loaded. Raises BadNet.
    """
    return _core.registry_nets(folder, folder == BUNDLED, list(Rule).index(rule), size)


def rule_and_size(path: Path, rule_name: str | None, size: int | None) -> tuple[Path, Rule, int]:
    """A net file with a rule and a board size it is for: those given, else its first rule, and
    15x15 or its largest board. For a folder with a registry: the net of black. Raises BadNet.
    """
    wanted = Rule.parse(rule_name) if rule_name else None
    if not path.is_dir():
        header = read_header(path)
        rule, size = wanted or header.rules[0], size or _default_size(header.sizes)
        header.check_supports(rule, size)
        return path, rule, size
    for entry_rule, smallest, largest, black, _ in _registry(path):
        sizes = range(smallest, largest + 1)
        if wanted in (None, entry_rule) and (size is None or size in sizes):
            net = path / black
            if is_onnx(net):
                read_header(net)  # raises
            return net, entry_rule, size or _default_size(sizes)
    request = " ".join(str(part) for part in (wanted, size) if part is not None)
    raise BadNet(f"its registry has no net for {request or 'any rule'}", str(path))


def lazy_tables_path(net: Path) -> Path:
    """The file of a net's lazy tables. One net per colour: the file is beside black's net."""
    return net.with_suffix(LAZY_SUFFIX)


def is_onnx(path: Path) -> bool:
    """Whether the name is that of an ONNX file."""
    return path.suffix.lower() == ONNX_SUFFIX


def registry_text(rules: Iterable[Rule], sizes: Sequence[int], nets: Mapping[str, str]) -> str:
    """The content of `registry.json` for files in its folder. `nets`: the name of the file of
    "net", or of "black" and "white". The sizes are consecutive.
    """
    names = {key: name.removesuffix(NET_SUFFIX) for key, name in nets.items()}
    bounds = {"from": sizes[0], "to": sizes[-1]}
    entries = [{"rule": str(rule), **bounds, **names} for rule in rules]
    return json.dumps({"format": _FORMAT, "nets": entries}) + "\n"


def _default_size(sizes: Iterable[int]) -> int:
    return max(sizes, key=lambda size: (size == 15, size))


def _registry(folder: Path) -> list[tuple[Rule, int, int, str, str]]:
    """The registry of a folder: rule, smallest and largest size, files for black and for white to
    move. Raises BadNet.
    """
    rules, entries = list(Rule), _core.registry(folder, folder == BUNDLED)
    return [(rules[entry[0]], *entry[1:]) for entry in entries]
