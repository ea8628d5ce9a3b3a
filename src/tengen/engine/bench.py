# SPDX-License-Identifier: MIT
"""The bench: searches a fixed set of positions per rule, to a fixed depth or with a fixed number of
playouts, with any evaluator. The signature shows whether the search is unchanged; the speed is in
nodes or playouts per second. `tengen bench` uses it.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any

from tengen import _core
from tengen.engine.errors import BadNet, BadOption, OutOfMemory
from tengen.engine.info import Evaluation
from tengen.engine.nets import DATA
from tengen.engine.onnx_net import Evaluate, load_external
from tengen.engine.options import DEFAULT_PRESET, SEARCHES, check_options, option_texts
from tengen.game.rule import Rule
from tengen.util.deprecation import deprecated_names, renamed_keywords

if TYPE_CHECKING:
    import numpy as np

BENCH_PRESETS = ("alphabeta", "classical", "classical-paper")
BENCH_MEMORY = 16  # MiB; allocating more would show in the measured time
ONNX_DEPTH, ONNX_PLAYOUTS = _core.ONNX_DEPTH, _core.ONNX_PLAYOUTS  # defaults: they are slow
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

    `depth` None is the core's default. `positions` limits their number: of 9, the
    first 8 are 15x15. Without `lazy` evaluation the net evaluates every position. `search` "mcts"
    runs `playouts` in each position (None: the core's default).
    """
    preset = preset or DEFAULT_PRESET
    if preset not in BENCH_PRESETS:
        raise BadOption(f"no bench of {preset!r}: use {', '.join(BENCH_PRESETS)}")
    options = check_options(
        {"preset": preset, "net": net, "threads": threads, "memory": memory, "search": search}
    )
    onnx = _CountedNets()
    try:
        result = _core.bench(
            _RULES.index(rule), option_texts(options), DATA, onnx.load,
            depth=depth or 0, playouts=playouts or 0, positions=positions or 0, lazy=lazy,
        )  # fmt: skip
    except MemoryError:
        raise OutOfMemory(f"not enough memory for tables of {memory:,} MiB: use less") from None
    except RuntimeError as error:  # of the function of an ONNX file
        raise BadNet(str(error)) from None
    evaluation = Evaluation(*result.evaluator)
    return BenchResult(
        str(rule),
        result.positions,
        result.nodes,
        result.vcf_nodes,
        result.solver_nodes,
        onnx.evaluations if evaluation.name == "onnx" else result.evaluations,
        result.seconds,
        result.signature if threads == 1 else None,
        evaluation,
        search,
    )


class _CountedNets:
    """Loads ONNX files and counts the positions that they evaluate: a search also counts its cached
    ones.
    """

    def __init__(self) -> None:
        self._guard = Lock()
        self.evaluations = 0

    def load(self, black: str, white: str, rule: int, size: int, target: _core.ExternalNet) -> None:
        load_external(black, white, rule, size, target, wrap=self._counted)

    def _counted(self, evaluate: Evaluate) -> Evaluate:
        def counted(planes: np.ndarray[Any, Any]) -> tuple[Any, Any]:
            with self._guard:
                self.evaluations += len(planes)
            return evaluate(planes)

        return counted


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
