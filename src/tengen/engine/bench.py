# SPDX-License-Identifier: MIT
"""The bench: searches a fixed set of positions per rule, to a fixed depth or with a fixed number of
playouts, with any evaluator. The signature shows whether the search is unchanged; the speed is in
nodes or playouts per second. `tengen bench` uses it.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any

from tengen import _core
from tengen.engine.errors import BadNet, BadOption, BadTables
from tengen.engine.evaluator import PendingEvaluator, choose_evaluator
from tengen.engine.info import Evaluation
from tengen.engine.options import DEFAULT_PRESET, PRESETS, SEARCHES, check_options, defaults
from tengen.engine.tables import (
    classical_tables_name,
    lazy_tables_path,
    read_classical_tables,
    read_lazy_tables,
)
from tengen.game.rule import Rule
from tengen.util.deprecation import deprecated_names, renamed_keywords

if TYPE_CHECKING:
    import numpy as np

    from tengen.engine.onnx_net import OnnxNet

BENCH_PRESETS = ("alphabeta", "classical", "classical-paper")
BENCH_MEMORY = 16  # MiB; allocating more would show in the measured time
ONNX_DEPTH = 4  # an ONNX file is hundreds of times slower
ONNX_PLAYOUTS = 100
_SIZES = (15, 20)  # of the positions
_RULES = list(Rule)

__getattr__ = deprecated_names(__name__, {"Measured": "BenchResult"})


@dataclass(frozen=True, slots=True)
class BenchResult:
    """The result of one rule, or of all."""

    name: str  # of the rule, or `total`
    positions: int
    nodes: int  # of MCTS: playouts
    vcf_nodes: int  # of the nodes
    solver_nodes: int
    # Computed ones: positions sent to an ONNX file, not cached answers. MCTS: playouts that ended
    # in an evaluation, and the roots.
    evaluations: int
    seconds: float
    signature: int | None  # 32 bits; None: several threads, which are not repeatable
    evaluation: Evaluation | None = None  # None: several
    search: str = SEARCHES[0]

    @property
    def speed(self) -> int:
        """Nodes, or playouts, per second."""
        return round(self.nodes / self.seconds) if self.seconds > 0 else 0

    @property
    def evaluation_speed(self) -> int:
        """Evaluations per second."""
        return round(self.evaluations / self.seconds) if self.seconds > 0 else 0


@renamed_keywords(guesses="lazy")
def bench(
    rule: Rule,
    preset: str | None = None,
    *,
    net: str = "",
    depth: int | None = None,
    threads: int = 1,
    memory: int = BENCH_MEMORY,
    positions: int | None = None,
    lazy: bool = True,
    search: str = SEARCHES[0],
    playouts: int | None = None,
) -> BenchResult:
    """Search the positions of a rule on this thread. A net means the preset alphabeta; positions of
    sizes that it does not support are skipped. Raises BadNet, also if it supports none of them.

    `depth` None is the core's default, or ONNX_DEPTH. `positions` limits their number: of 9, the
    first 8 are 15x15. Without `lazy` evaluation the net evaluates every position. `search` "mcts"
    runs `playouts` in each position (None: the core's default, or ONNX_PLAYOUTS).
    """
    preset = preset or ("alphabeta" if net else DEFAULT_PRESET)
    if preset not in BENCH_PRESETS:
        raise BadOption(f"no bench of {preset!r}: use {', '.join(BENCH_PRESETS)}")
    options = check_options(
        {"preset": preset, "net": net, "threads": threads, "memory": memory, "search": search}
    )
    pending = _pending_evaluator(defaults() | options, rule)
    choice = pending.choice
    has_tables = choice.kind == "classical" or (lazy and choice.kind not in ("point_score", "none"))
    tables = read_classical_tables(rule) if has_tables else b""
    lazy_tables = b""
    if lazy and choice.kind == "mixnet":
        lazy_tables = read_lazy_tables(choice.paths[0], rule)
    nets, counter = _nets(pending)
    try:
        result = _core.bench(
            _RULES.index(rule), tables, depth or (ONNX_DEPTH if counter else 0),
            PRESETS.index(preset), threads, memory << 20, **nets, positions=positions or 0,
            search=SEARCHES.index(search), playouts=playouts or (ONNX_PLAYOUTS if counter else 0),
            lazy_tables=lazy_tables,
        )  # fmt: skip
    except ValueError as error:
        if lazy_tables and (fault := _fault_of(lazy_tables, rule)):
            raise BadTables(f"{lazy_tables_path(choice.paths[0])}: {fault}") from None
        if not has_tables:
            raise
        raise BadTables(f"{classical_tables_name(rule)}: {error}") from None
    except MemoryError:
        raise BadOption(f"not enough memory for tables of {memory:,} MiB") from None
    except RuntimeError as error:
        raise BadNet(str(error)) from None
    return BenchResult(
        str(rule),
        result.positions,
        result.nodes,
        result.vcf_nodes,
        result.solver_nodes,
        counter.number if counter else result.evaluations,
        result.seconds,
        _folded(result.signature) if threads == 1 else None,
        choice.evaluation,
        search,
    )


def _fault_of(lazy_tables: bytes, rule: Rule) -> str:
    """What is wrong with lazy tables; empty if nothing is."""
    try:
        _core.Engine(1, 1 << 20).load_lazy_tables(_RULES.index(rule), lazy_tables)
    except ValueError as error:
        return str(error)
    return ""


def _pending_evaluator(options: dict[str, Any], rule: Rule) -> PendingEvaluator:
    """The evaluator for the first size that the net supports."""
    try:
        return PendingEvaluator(choose_evaluator(options, rule, _SIZES[0]))
    except BadNet as error:
        try:
            return PendingEvaluator(choose_evaluator(options, rule, _SIZES[1]))
        except BadNet:
            raise error from None


class _Counter:
    """Counts the positions that nets evaluate: a search also counts its cached ones."""

    def __init__(self) -> None:
        self._guard = Lock()
        self.number = 0

    def counted(self, net: OnnxNet) -> Callable[[np.ndarray[Any, Any]], tuple[Any, Any]]:
        """A function that evaluates with the net."""

        def evaluate(planes: np.ndarray[Any, Any]) -> tuple[Any, Any]:
            with self._guard:
                self.number += len(planes)
            return net.evaluate(planes)

        return evaluate


def _nets(pending: PendingEvaluator) -> tuple[dict[str, Any], _Counter | None]:
    """The nets as arguments of the core's bench, and the counter of nets outside the core."""
    nets = pending.nets()
    if pending.choice.kind == "mixnet":
        return {"net": nets[0], "white_net": nets[1]}, None
    if pending.choice.kind == "onnx":
        black, white = nets
        common = {*black.sizes} & {*white.sizes}
        sizes = [size for size in _SIZES if size in common]
        for net in dict.fromkeys(nets):
            net.check_supports(pending.choice.rule, (sizes or _SIZES)[0])
        counter = _Counter()
        callbacks = {"callback": counter.counted(black)}
        if white is not black:
            callbacks["white_callback"] = counter.counted(white)
        return {**callbacks, "sizes": sum(1 << size for size in common)}, counter
    return {}, None


def total(results: Sequence[BenchResult]) -> BenchResult:
    """All rules together; the signature is the CRC-32 of theirs, as text."""
    text = " ".join(f"{one.name} {one.signature or 0:08x}" for one in results)
    evaluations = {one.evaluation for one in results}
    fields = ("positions", "nodes", "vcf_nodes", "solver_nodes", "evaluations", "seconds")
    sums: dict[str, Any] = {name: sum(getattr(one, name) for one in results) for name in fields}
    return BenchResult(
        "total",
        **sums,
        signature=None
        if any(one.signature is None for one in results)
        else zlib.crc32(text.encode()),
        evaluation=evaluations.pop() if len(evaluations) == 1 else None,
        search=results[0].search if results else SEARCHES[0],
    )


def _folded(signature: int) -> int:
    """The core's 64 bits in 32, which people can compare by eye."""
    return (signature ^ signature >> 32) & 0xFFFFFFFF
