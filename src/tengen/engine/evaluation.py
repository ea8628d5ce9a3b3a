# SPDX-License-Identifier: MIT
"""Which evaluation plays: from the options, a rule and a board size to the nets that are wanted, or
to the classical evaluation, and to words that say so.

Only headers of files are read here, so that this is quick. Relies on the registry of nets; the
engine, the bench and the command line rely on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

from tengen.engine.errors import BadNet
from tengen.engine.info import Evaluation
from tengen.engine.net_header import NetHeader, read_header
from tengen.engine.net_layout import Architecture
from tengen.engine.nets import NET_ENDING, SHIPPED, list_nets, net_path, shipped_nets
from tengen.engine.options import Value
from tengen.game.rule import Colour, Rule

__all__ = ["CLASSICAL", "Choice", "choose"]

CLASSICAL = "classical"  # the value of the option `net` that asks for no net
_ONNX_ENDING = ".onnx"
# Patterns of a codebook, codebooks of a net, and bytes of a feature (docs/formats/net.md).
_PATTERNS, _CODEBOOKS, _FEATURE = 397_488, 2, 2
# By channels, mapping, policy and value.
_SIZES = {(32, 64, 16, 32): "s", (64, 128, 32, 64): "m", (128, 256, 64, 128): "l"}

Kind: TypeAlias = Literal["classical", "mixnet", "onnx", "none"]

_OF_PRESETS = {
    "classical": Evaluation("classical"),
    "classical-paper": Evaluation("point scores", "of the classical paper"),
    "policy": Evaluation("classical", "the first look alone"),
    "random": Evaluation("none", "moves at random"),
}


@dataclass(frozen=True, slots=True)
class Choice:
    """What an engine evaluates with on boards of one kind, and what has to be loaded for it."""

    evaluation: Evaluation
    kind: Kind
    rule: Rule
    size: int
    paths: tuple[Path, ...] = ()  # of a net for black and for white to move, or of an ONNX file
    is_own: bool = False  # the nets are the package's choice: nobody asked for them by name

    @property
    def name(self) -> str:
        """Of the net or nets."""
        return " and ".join(dict.fromkeys(path.stem for path in self.paths))

    @property
    def has_several(self) -> bool:
        """A net for each colour."""
        return len(set(self.paths)) > 1

    @property
    def subject(self) -> str:
        """The net or nets, for the beginning of a sentence that goes on with `is`, or `are`."""
        return f"nets {self.name} are" if self.has_several else f"net {self.name} is"

    def classical(self, words: str) -> Choice:
        """The classical evaluation on the same boards, and why it is chosen."""
        return Choice(Evaluation("classical", words), "classical", self.rule, self.size)


def choose(options: Mapping[str, Value], rule: Rule, size: int, folder: Path = SHIPPED) -> Choice:
    """What an engine with these options plays with. Raises BadNet for a net that was asked for by
    name and cannot play; one that was not asked for is simply not chosen.
    """
    preset, net = str(options["preset"]), str(options["net"])
    if preset != "alphabeta":
        kind: Kind = "none" if preset in ("classical-paper", "random") else "classical"
        return Choice(_OF_PRESETS[preset], kind, rule, size)
    if net == CLASSICAL:
        return Choice(Evaluation("classical", "as asked for"), "classical", rule, size)
    if net:
        path = net_path(net, folder)
        if path.suffix.lower() == _ONNX_ENDING:
            told = Evaluation("onnx", f"net {path.name}")
            return Choice(told, "onnx", rule, size, (path,))
        paths = _of_folder(path, rule, size) if path.is_dir() else (path, path)
    else:
        shipped = shipped_nets(rule, size, folder)
        if shipped is None:
            words = f"no net comes with the package for {rule} on {size}x{size}"
            return Choice(Evaluation("classical", words), "classical", rule, size)
        paths = shipped
    chosen = _mixnet(paths, rule, size, is_own=not net)
    room = int(options["net_memory"]) << 20
    if room and chosen.evaluation.bytes > room:
        return _smaller(chosen, room, folder)
    return chosen


def _of_folder(path: Path, rule: Rule, size: int) -> tuple[Path, Path]:
    """The nets of a folder with a registry of its own, as that of the package has it."""
    found = shipped_nets(rule, size, path)
    if found is None:
        raise BadNet(f"its registry has no net for {rule} on {size}x{size}", str(path))
    return found


def _mixnet(paths: tuple[Path, Path], rule: Rule, size: int, *, is_own: bool) -> Choice:
    headers = [_checked_header(path, rule, size, c) for path, c in zip(paths, Colour, strict=True)]
    found = dict(zip(paths, headers, strict=True))  # each net once
    if len(found) == 1:
        about = f"net {paths[0].stem}"
    else:
        about = f"nets {paths[0].stem} for black, {paths[1].stem} for white"
    names = dict.fromkeys(_family(header.architecture) for header in found.values())
    taken = sum(_codebook_bytes(header.architecture) for header in found.values())
    told = Evaluation(" and ".join(names), about, taken)
    return Choice(told, "mixnet", rule, size, paths, is_own)


def _checked_header(path: Path, rule: Rule, size: int, colour: Colour) -> NetHeader:
    try:
        header = read_header(path)
    except OSError as error:
        raise BadNet(f"cannot be read ({error.strerror or error})", str(path)) from None
    try:
        if rule not in header.rules or size not in header.sizes:
            header.require(rule, size)
        header.require(rule, size, colour)
    except BadNet as error:
        raise BadNet(error.fault, str(path)) from None
    return header


def _family(architecture: Architecture) -> str:
    """`mixnet-s`, `-m`, `-l`, or `mixnet` for one of another size."""
    widths = (
        architecture.channels, architecture.mapping, architecture.policy, architecture.value
    )  # fmt: skip
    return f"mixnet-{_SIZES[widths]}" if widths in _SIZES else "mixnet"


def _codebook_bytes(architecture: Architecture) -> int:
    return _PATTERNS * _CODEBOOKS * _FEATURE * architecture.channels


def _smaller(wanted: Choice, room: int, folder: Path) -> Choice:
    """The largest net of the package that there is room for, or classical."""
    needed = -(-wanted.evaluation.bytes >> 20)
    verb = "need" if wanted.has_several else "needs"
    why = f"{wanted.name} {verb} {needed} MiB of memory, there are {room >> 20}"
    try:
        nets = list_nets(folder)
    except OSError as error:
        raise BadNet(f"a net cannot be read ({error.strerror or error})", str(folder)) from None
    fitting = [
        _mixnet((net.path, net.path), wanted.rule, wanted.size, is_own=True)
        for net in nets
        if net.path.suffix == NET_ENDING
        and net.header.serves(wanted.rule, wanted.size)
        and _codebook_bytes(net.header.architecture) <= room
    ]
    if not fitting:
        return wanted.classical(why)
    best = max(fitting, key=lambda choice: choice.evaluation.bytes)
    told = Evaluation(
        best.evaluation.name, f"{best.evaluation.about}: {why}", best.evaluation.bytes
    )
    return replace(best, evaluation=told)
