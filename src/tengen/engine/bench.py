# SPDX-License-Identifier: MIT
"""The bench: a fixed set of positions of a rule searched to a fixed depth, or with a fixed number
of playouts, with any evaluation. The signature tells whether the search still does the same, the
speed how fast.

Relies on the native core and on what engines evaluate with; `tengen bench` relies on it.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any

from tengen import _core
from tengen.engine.errors import BadNet, BadOption, BadTables
from tengen.engine.evaluation import choose
from tengen.engine.guesses import guess_path, read_guesses
from tengen.engine.info import Evaluation
from tengen.engine.knowledge import Wanted
from tengen.engine.options import DEFAULT_PRESET, PRESETS, SEARCHES, checked, defaults
from tengen.engine.tables import read_tables, tables_name
from tengen.game.rule import Rule

if TYPE_CHECKING:
    import numpy as np

    from tengen.engine.onnx_net import OnnxNet

__all__ = [
    "BENCH_MEMORY",
    "BENCH_PRESETS",
    "ONNX_DEPTH",
    "ONNX_PLAYOUTS",
    "Measured",
    "bench",
    "total",
]

BENCH_PRESETS = ("alphabeta", "classical", "classical-paper")  # that search
BENCH_MEMORY = 16  # MiB: enough for it, and getting more from the system would be measured, too
ONNX_DEPTH = 4  # of the search with an ONNX file, which is hundreds of times slower
ONNX_PLAYOUTS = 100  # the same of MCTS
_SIZES = (15, 20)  # of the positions
_RULES = list(Rule)


@dataclass(frozen=True, slots=True)
class Measured:
    """What came of the positions of one rule, or of all."""

    name: str  # of the rule, or `total`
    positions: int
    nodes: int  # of MCTS: playouts
    vcf_nodes: int  # of the nodes
    solver_nodes: int
    # Worked out: of an ONNX file the positions that it was asked about, not answers that were
    # remembered. Of MCTS: playouts that ended in an evaluation, and the roots.
    evaluations: int
    seconds: float
    signature: int | None  # 32 bits; None: of more than one thread, which is not repeatable
    evaluation: Evaluation | None = None  # None: of several
    search: str = SEARCHES[0]

    @property
    def speed(self) -> int:
        """Nodes, or playouts, a second."""
        return round(self.nodes / self.seconds) if self.seconds > 0 else 0

    @property
    def evaluation_speed(self) -> int:
        """Evaluations a second."""
        return round(self.evaluations / self.seconds) if self.seconds > 0 else 0


def bench(
    rule: Rule,
    preset: str | None = None,
    *,
    net: str = "",
    depth: int | None = None,
    threads: int = 1,
    memory: int = BENCH_MEMORY,
    positions: int | None = None,
    guesses: bool = True,
    search: str = SEARCHES[0],
    playouts: int | None = None,
) -> Measured:
    """Search the positions of a rule on this thread. A net means the preset alphabeta; positions of
    sizes that it is not for are left out. Raises BadNet, also if it is for none of them.

    `depth` None is the core's own, or ONNX_DEPTH. `positions` takes the first ones alone: of the 9
    the first 8 are 15x15. Without `guesses` a net is asked everywhere, while the engine makes do
    with the classical evaluation where that is far from the window of the search. `search` "mcts"
    makes `playouts` of them in each position (None: the core's own number, or ONNX_PLAYOUTS).
    """
    preset = preset or ("alphabeta" if net else DEFAULT_PRESET)
    if preset not in BENCH_PRESETS:
        raise BadOption(f"no bench of {preset!r}: use {', '.join(BENCH_PRESETS)}")
    given = checked(
        {"preset": preset, "net": net, "threads": threads, "memory": memory, "search": search}
    )
    wanted = _wanted(defaults() | given, rule)
    kind = wanted.choice.kind
    has_tables = kind == "classical" or (guesses and kind != "none")
    data = read_tables(rule) if has_tables else b""
    guessed = b""
    if guesses and kind == "mixnet":
        guessed = read_guesses(wanted.choice.paths[0], rule)
    nets, runs = _nets(wanted)
    try:
        found = _core.bench(
            _RULES.index(rule), data, depth or (ONNX_DEPTH if runs else 0),
            PRESETS.index(preset), threads, memory << 20, **nets, positions=positions or 0,
            search=SEARCHES.index(search), playouts=playouts or (ONNX_PLAYOUTS if runs else 0),
            guesses=guessed,
        )  # fmt: skip
    except ValueError as error:
        if guessed and (fault := _fault_of(guessed, rule)):
            raise BadTables(f"{guess_path(wanted.choice.paths[0])}: {fault}") from None
        if not has_tables:
            raise
        raise BadTables(f"{tables_name(rule)}: {error}") from None
    except MemoryError:
        raise BadOption(f"there is no room for {memory:,} MiB of memory") from None
    except RuntimeError as error:
        raise BadNet(str(error)) from None
    return Measured(
        str(rule),
        found.positions,
        found.nodes,
        found.vcf_nodes,
        found.solver_nodes,
        runs.number if runs else found.evaluations,
        found.seconds,
        _folded(found.signature) if threads == 1 else None,
        wanted.choice.evaluation,
        search,
    )


def _fault_of(guesses: bytes, rule: Rule) -> str:
    """What is wrong with a file of guesses; nothing: it is good."""
    try:
        _core.Engine(1, 1 << 20).load_guesses(_RULES.index(rule), guesses)
    except ValueError as error:
        return str(error)
    return ""


def _wanted(options: dict[str, Any], rule: Rule) -> Wanted:
    """What the options mean for the first size that the net is for."""
    try:
        return Wanted(choose(options, rule, _SIZES[0]))
    except BadNet as error:
        try:
            return Wanted(choose(options, rule, _SIZES[1]))
        except BadNet:
            raise error from None


class _Runs:
    """Asks a net and counts how often: a search also counts positions whose answer it remembers."""

    def __init__(self, net: OnnxNet) -> None:
        self._ask, self._guard = net.ask, Lock()
        self.number = 0

    def __call__(self, planes: np.ndarray[Any, Any]) -> tuple[Any, Any]:
        with self._guard:
            self.number += len(planes)
        return self._ask(planes)


def _nets(wanted: Wanted) -> tuple[dict[str, Any], _Runs | None]:
    """The nets as the core's bench takes them, and a counter where the net is outside of it."""
    nets = wanted.nets()
    if wanted.choice.kind == "mixnet":
        return {"net": nets[0], "white_net": nets[1]}, None
    if wanted.choice.kind == "onnx":
        (net,) = nets
        sizes = [size for size in _SIZES if size in net.sizes]
        net.require(wanted.choice.rule, (sizes or _SIZES)[0])
        runs = _Runs(net)
        return {"ask": runs, "sizes": sum(1 << size for size in net.sizes)}, runs
    return {}, None


def total(found: Sequence[Measured]) -> Measured:
    """All rules together; the signature is the CRC-32 of theirs, as text."""
    text = " ".join(f"{one.name} {one.signature or 0:08x}" for one in found)
    evaluations = {one.evaluation for one in found}
    return Measured(
        "total",
        sum(one.positions for one in found),
        sum(one.nodes for one in found),
        sum(one.vcf_nodes for one in found),
        sum(one.solver_nodes for one in found),
        sum(one.evaluations for one in found),
        sum(one.seconds for one in found),
        None if any(one.signature is None for one in found) else zlib.crc32(text.encode()),
        evaluations.pop() if len(evaluations) == 1 else None,
        found[0].search if found else SEARCHES[0],
    )


def _folded(signature: int) -> int:
    """The 64 bits of the core in 32, which people can compare by eye."""
    return (signature ^ signature >> 32) & 0xFFFFFFFF
