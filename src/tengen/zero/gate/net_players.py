# SPDX-License-Identifier: MIT
"""Players of net matches: `find_player` finds the nets of a run, a file, a bundled name or a folder
with one net per colour, and checks them once, so that a tournament does not fail after hours.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from torch import nn

from tengen.engine.net_file import read_header
from tengen.engine.nets import NET_SUFFIX, REGISTRY, is_onnx, net_path, registry_nets
from tengen.game.rule import Colour, Rule
from tengen.nets.weights import NetWeights
from tengen.train.start import weights_of
from tengen.zero.errors import BadZero
from tengen.zero.gate.joined_nets import join_checked, join_nets
from tengen.zero.gate.net_match import NetMatchConfig
from tengen.zero.zero_folder import ZeroFolder

# Names of the nets in a folder: one for both colours, or black's and white's.
_NAMES = (("net.pt",), ("black.pt", "white.pt"), ("black/net.pt", "white/net.pt"))
_GENERATIONS = "generations"


@dataclass(frozen=True, slots=True)
class NetPlayer:
    """A player whose nets are loaded when it plays."""

    name: str
    source: str  # the file or the folder of its nets
    load: Callable[[], nn.Module]  # as one module; raises BadNet, BadWeights, OSError
    checksum: str = ""  # of its files


def find_player(
    source: str, config: NetMatchConfig, report: Callable[[str], None] = lambda text: None
) -> NetPlayer:
    """A player by a run folder, a `net.pt`, a `.net` file, a bundled name, or a folder with a net
    per colour. Its name is `source`, of a zero run with the generation. `report` gets a message
    about a net for another rule or board size: it plays nevertheless, if it can. Raises BadNet,
    BadWeights, BadZero, OSError.
    """
    path, name = net_path(source), source
    files = _net_files(path, config)
    if not files and (path / _GENERATIONS).is_dir():
        newest = ZeroFolder.read(path).newest_generation()
        path, name = newest.path, f"{source}, generation {newest.number}"
        files = _net_files(path, config)
    if not files:
        names = ", ".join(" and ".join(names) for names in _NAMES)
        raise BadZero(f"{source} has no net: a folder has {names}, {REGISTRY}, or a zero run")
    nets = [weights_of(file) for file in files]
    join_checked(nets, name, config.size, searches=config.playouts > 0)
    colours = tuple(Colour) if len(files) > 1 else (None,)
    purposes = map(partial(_other_purpose, config), files, nets, colours)
    if other := next(filter(None, purposes), ""):
        report(f"{name} was trained for {other}; it now plays {config.game}")
    checksum = 0
    for file in files:
        checksum = zlib.crc32(file.read_bytes(), checksum)
    return NetPlayer(name, str(path), partial(_load, files), f"{checksum:08x}")


def find_players(
    sources: Sequence[str],
    config: NetMatchConfig,
    report: Callable[[str], None] = lambda text: None,
) -> list[NetPlayer]:
    """As `find_player`, with names for tables: as many of the last parts of each path as make the
    names different.
    """
    players = [find_player(source, config, report) for source in sources]
    parts = [Path(player.name).parts for player in players]
    names = [player.name for player in players]
    for count in range(max(map(len, parts), default=1), 0, -1):
        shorter = ["/".join(one[-count:]) for one in parts]
        if len(set(shorter)) == len(set(names)):
            names = shorter
    return [replace(player, name=name) for player, name in zip(players, names, strict=True)]


def _load(files: Sequence[Path]) -> nn.Module:
    return join_nets([weights_of(file) for file in files])


def _net_files(path: Path, config: NetMatchConfig) -> list[Path]:
    """The net for both colours, or black's and white's; empty if the folder has none."""
    if is_onnx(path):
        raise BadZero(f"{path} is an ONNX file: such nets play in `tengen match`")
    if not path.is_dir():
        return [path]
    for names in _NAMES:
        files = [path / name for name in names]
        if all(file.is_file() for file in files):
            return files
    if not (path / REGISTRY).is_file():
        return []
    pair = registry_nets(Rule.parse(config.rule), config.size, path)
    if pair is None:
        raise BadZero(f"{path}: its registry has no net for {config.game}")
    return list(dict.fromkeys(pair))


def _other_purpose(
    config: NetMatchConfig, file: Path, net: NetWeights, colour: Colour | None
) -> str:
    """What a net is for, if that is known and something else than the games of a config."""
    if file.suffix == NET_SUFFIX:
        header = read_header(file)
        fits = header.supports(Rule.parse(config.rule), config.size, colour)
        return "" if fits else header.purpose()
    rule, size = net.metadata.get("rule"), net.metadata.get("size")
    fits = rule is None or (rule, size) == (config.rule, config.size)
    return "" if fits else f"{rule} {size}x{size}"
