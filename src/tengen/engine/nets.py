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
from functools import lru_cache
from pathlib import Path
from typing import Any

from tengen.engine.errors import BadNet
from tengen.engine.net_file import NetHeader, file_version, read_header
from tengen.game.rule import MAX_SIZE, MIN_SIZE, Colour, Rule

BUNDLED = Path(__file__).parent / "data" / "nets"
NET_SUFFIX, ONNX_SUFFIX = ".net", ".onnx"
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


@dataclass(frozen=True)
class _Entry:
    """An entry of the registry: the nets of a rule for a range of board sizes."""

    rule: Rule
    smallest: int
    largest: int
    nets: dict[Colour, str]  # by the colour to move


def find_net(rule: Rule, size: int, colour: Colour, folder: Path = BUNDLED) -> Path | None:
    """The bundled net for a rule, a board size and the side to move; None if there is none.

    Raises BadNet if the registry cannot be read, or names a file that is missing or does not
    support the rule and size. What an ONNX file supports is only known when it is loaded.
    """
    for entry in _registry(folder):
        if entry.rule is rule and entry.smallest <= size <= entry.largest:
            path = _net_file(folder, entry.nets[colour])
            try:
                if is_onnx(path):
                    path.stat()
                else:
                    read_header(path).check_supports(rule, size, colour)
            except FileNotFoundError:
                message = f"{REGISTRY} names {path.name}, which is missing"
                raise BadNet(f"{message}; {_remedy(folder)}") from None
            except OSError as error:
                message = f"cannot be read ({error.strerror or error})"
                raise BadNet(f"{message}; {_remedy(folder)}", str(path)) from None
            return path
    return None


def list_nets(folder: Path = BUNDLED) -> list[NetInfo]:
    """All bundled nets by name, whether the registry names them or not. Raises BadNet, or OSError
    if one cannot be read.
    """
    return [net_info(path) for path in sorted(folder.glob("*" + NET_SUFFIX))]


def net_uses(folder: Path = BUNDLED) -> dict[str, list[str]]:
    """The uses of each net in the registry as text, by its name. Raises BadNet."""
    uses: dict[str, list[str]] = {}
    for entry in _registry(folder):
        sizes = f"{entry.smallest}" + (
            f"-{entry.largest}" if entry.largest > entry.smallest else ""
        )
        for name in dict.fromkeys(entry.nets.values()):
            sides = [str(colour) for colour, net in entry.nets.items() if net == name]
            side = "" if len(sides) == len(Colour) else f", {sides[0]}"
            uses.setdefault(name, []).append(f"{entry.rule} {sizes}{side}")
    return uses


def net_info(path: str | os.PathLike[str]) -> NetInfo:
    """The header of a file. Raises BadNet, or OSError if it cannot be opened."""
    file = Path(path)
    return NetInfo(file, file.stat().st_size, read_header(file))


def net_path(net: str | os.PathLike[str], folder: Path = BUNDLED) -> Path:
    """The file of a net: of a bundled one by its name, of any by its path. Raises BadNet."""
    path = Path(net)
    try:
        if path.exists():
            return path
    except OSError as error:  # no access to the folder, or the name is too long
        raise BadNet.unreadable(path, error) from None
    bundled = folder / (os.fspath(net) + NET_SUFFIX)
    if path.name == os.fspath(net) and bundled.is_file():
        return bundled
    names = [file.name.removesuffix(NET_SUFFIX) for file in sorted(folder.glob("*" + NET_SUFFIX))]
    known = f"the bundled nets are {', '.join(names)}" if names else "there is no bundled net"
    raise BadNet(f"there is no file {os.fspath(net)!r}, and {known}")


def bundled_nets(rule: Rule, size: int, folder: Path = BUNDLED) -> tuple[Path, Path] | None:
    """The bundled nets for a rule and a size, for black and for white to move; None if there
    are none. Raises BadNet.
    """
    black, white = (find_net(rule, size, colour, folder) for colour in Colour)
    return None if black is None or white is None else (black, white)


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
    for entry in _registry(path):
        sizes = range(entry.smallest, entry.largest + 1)
        if wanted in (None, entry.rule) and (size is None or size in sizes):
            net = _net_file(path, entry.nets[Colour.BLACK])
            if is_onnx(net):
                read_header(net)  # raises
            return net, entry.rule, size or _default_size(sizes)
    request = " ".join(str(part) for part in (wanted, size) if part is not None)
    raise BadNet(f"its registry has no net for {request or 'any rule'}", str(path))


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


def _net_file(folder: Path, name: str) -> Path:
    """The file of a name in a registry, which names net files without their suffix."""
    return folder / (name if is_onnx(Path(name)) else name + NET_SUFFIX)


def _default_size(sizes: Iterable[int]) -> int:
    return max(sizes, key=lambda size: (size == 15, size))


def _registry(folder: Path) -> tuple[_Entry, ...]:
    """The registry of a folder, cached until its file changes. Raises BadNet."""
    path = folder / REGISTRY
    try:
        return _read_registry(path, file_version(path))
    except OSError as error:
        why = error.strerror or type(error).__name__
        name = f"the bundled {REGISTRY}" if folder == BUNDLED else str(path)
        raise BadNet(f"{name} cannot be read ({why}); {_remedy(folder)}") from None


@lru_cache(maxsize=16)
def _read_registry(path: Path, _: tuple[int, ...]) -> tuple[_Entry, ...]:
    try:
        registry = json.loads(path.read_text(encoding="utf-8"))
        if registry["format"] != _FORMAT:
            raise BadNet(f"it has format {registry['format']!r}, not {_FORMAT}")
        return tuple(_entry(line) for line in registry["nets"])
    except BadNet as error:
        raise BadNet(error.reason, str(path)) from None
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        message = f"damaged, or no registry of nets ({type(error).__name__}: {error})"
        raise BadNet(message, str(path)) from None


def _remedy(folder: Path) -> str:
    if folder == BUNDLED:
        return "reinstall tengen to restore it"
    return "repair the folder, or name a .net file"


def _entry(line: dict[str, Any]) -> _Entry:
    """An entry from {"rule", "from", "to", and "net" or both "black" and "white"}."""
    nets: dict[Colour, Any] = {c: line.get(str(c), line.get("net")) for c in Colour}
    smallest, largest = line["from"], line["to"]
    if not all(isinstance(name, str) and Path(name).name == name for name in nets.values()):
        raise BadNet('an entry needs "net", or both "black" and "white"')
    if not MIN_SIZE <= smallest <= largest <= MAX_SIZE:
        raise BadNet(f'"from" and "to" are board sizes of {MIN_SIZE} to {MAX_SIZE}')
    return _Entry(Rule.parse(line["rule"]), smallest, largest, nets)
