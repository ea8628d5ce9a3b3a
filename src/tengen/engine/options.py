# SPDX-License-Identifier: MIT
"""The options of the engine: one table, from which the API, the protocols and the command line take
names, ranges and help. Pure values; relies on the errors alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from math import isfinite
from operator import index
from typing import Literal, SupportsIndex, TypeAlias

from tengen.engine.errors import BadOption

__all__ = [
    "AUTO",
    "DEFAULT_PRESET",
    "OPTIONS",
    "PRESETS",
    "SEARCHES",
    "Option",
    "Value",
    "checked",
    "defaults",
    "option",
]

Value: TypeAlias = int | float | bool | str

_LONGEST_TEXT = 4096

# In the order of the native core.
PRESETS = ("alphabeta", "classical", "classical-paper", "policy", "random")
SEARCHES = ("alphabeta", "mcts")
# The search that is the better one for a move (`kinds`); the core does not know it.
AUTO = "auto"
# Steps in which the core is told of numbers that are not whole.
_REAL_ONE = 1_000_000
# Of an engine that is told neither a preset nor a net.
DEFAULT_PRESET = "alphabeta"


@dataclass(frozen=True, slots=True)
class Option:
    """One option: a whole number (`spin`), any number (`real`), on or off (`check`), one of some
    words (`choice`), or a name (`text`).
    """

    name: str
    kind: Literal["spin", "real", "check", "choice", "text"]
    default: Value
    help: str
    low: int = 0  # of a spin; of a real, in millionths
    high: int = 0
    choices: tuple[str, ...] = ()
    native: bool = True  # whether the native core has to know it

    def check(self, value: object) -> Value:
        """The value, if the option can take it. Raises BadOption."""
        if self.kind == "choice" and isinstance(value, str) and value in self.choices:
            return value
        if self.kind == "check" and isinstance(value, bool):
            return value
        if self.kind == "text" and isinstance(value, str) and len(value) <= _LONGEST_TEXT:
            return value
        if self.kind == "spin" and isinstance(value, SupportsIndex) and not isinstance(value, bool):
            number = index(value)
            if self.low <= number <= self.high:
                return number
        if self.kind == "real" and isinstance(value, int | float) and not isinstance(value, bool):
            real = float(value)
            if isfinite(real) and self.low <= round(real * _REAL_ONE) <= self.high:
                return real
        raise BadOption(f"no {self.name} of {value!r}: {self._allowed()}")

    def parse(self, text: str) -> Value:
        """The value that a text names, as protocols and command lines give it. Raises BadOption."""
        words = text.strip().lower()
        if self.kind == "check":
            truth = {"true": True, "on": True, "1": True, "false": False, "off": False, "0": False}
            return self.check(truth.get(words, text))
        if self.kind == "spin":
            try:
                return self.check(int(words))
            except ValueError as error:
                if isinstance(error, BadOption):
                    raise
                return self.check(text)  # says what would be right
        if self.kind == "real":
            try:
                return self.check(float(words))
            except ValueError as error:
                if isinstance(error, BadOption):
                    raise
                return self.check(text)
        return self.check(text.strip() if self.kind == "text" else words)

    def number(self, value: Value) -> int:
        """A checked value as the native core takes it."""
        if self.kind == "real":
            return round(float(value) * _REAL_ONE)
        return self.choices.index(value) if isinstance(value, str) else int(value)

    def _allowed(self) -> str:
        if self.kind == "spin":
            return f"use a whole number from {self.low} to {self.high}"
        if self.kind == "real":
            return f"use a number from {self.low / _REAL_ONE:g} to {self.high / _REAL_ONE:g}"
        if self.kind == "check":
            return "use True or False"
        if self.kind == "text":
            return f"use a text of {_LONGEST_TEXT} letters at most"
        return f"known are {', '.join(self.choices)}"


def _switch(name: str, help: str) -> Option:
    return Option(name, "check", True, help)


def _real(name: str, default: float, help: str, low: float, high: float) -> Option:
    bounds = round(low * _REAL_ONE), round(high * _REAL_ONE)
    return Option(name, "real", default, f"{help} (mcts)", *bounds)


_TABLE = (
    Option("preset", "choice", DEFAULT_PRESET, "how it plays", choices=PRESETS),
    Option(
        "net",
        "text",
        "",
        "what alphabeta evaluates with: the name of a net, a .net or .onnx file, a folder of nets"
        " with a registry.json, or classical (empty: the net of the package for the rule and size;"
        " classical, if there is none)",
        native=False,
    ),
    Option(
        "net_memory",
        "spin",
        0,
        "most memory for the net, in MiB; a smaller one, or classical, plays if it needs more"
        " (0: any)",
        0,
        1 << 20,
        native=False,
    ),
    Option("threads", "spin", 1, "threads that search", 1, 256),
    Option("memory", "spin", 128, "memory for its tables, in MiB", 4, 1 << 20),
    Option("ponder", "check", False, "think while the opponent does", native=False),
    Option("multipv", "spin", 1, "lines that an analysis follows", 1, 400, native=False),
    Option(
        "search",
        "choice",
        AUTO,
        "how alphabeta and classical search: by alpha-beta, by Monte-Carlo tree search, or (auto)"
        " by what is better for the move",
        choices=(*SEARCHES, AUTO),
    ),
    Option(
        "level", "spin", 10, "how strongly it plays; 10: as well as it can", 1, 10, native=False
    ),
    Option("seed", "spin", 0, "of everything that is random", 0, 2**31 - 1),
    Option(
        "branching", "spin", 0, "moves tried in a position (classical-paper; 0: its own)", 0, 484
    ),
    _switch("vcf_quiescence", "look for continuous fours where the search ends"),
    _switch("history", "try first what was good elsewhere"),
    _switch("late_move_reductions", "search late moves less deep"),
    _switch("null_move", "skip a position where even a pass is good enough"),
    _switch("singular_extensions", "search a move deeper if no other is nearly as good"),
    _switch("selectivity", "skip what looks hopeless, search threats deeper, narrow windows"),
    _real("c", 1.0, "how much it explores", 0, 100),
    _real("c_log", 0.4, "how much more it explores as visits grow", 0, 100),
    _real("c_base", 500.0, "visits after which that begins to count", 1, 1_000_000),
    _real("tau", 0.5, "exploration grows with visits to this power; 0.5: PUCT", 0, 1),
    _real("fpu", 0.1, "by how much a move not tried is thought worse than its position", 0, 2),
    _real("spread", 0.7, "how much more it explores where results differ; 0: not", 0, 2),
    _real("lcb", 2.3, "standard errors that a move is marked down by; 0: by visits", 0, 10),
    _real("temperature", 1.25, "of the policy: above 1 flatter, below sharper", 0.01, 100),
    Option("gumbel", "spin", 0, "moves of a root that halves them (mcts; 0: PUCT)", 0, 484),
    _real("gumbel_noise", 0.0, "of the draw of those moves; 0: by the policy alone", 0, 10),
    Option(
        "batch", "spin", 16, "positions that an ONNX file is asked about at once (mcts)", 1, 1024
    ),
    _switch("tree_reuse", "go on from the tree of the move before (mcts)"),
)
OPTIONS: Mapping[str, Option] = {entry.name: entry for entry in _TABLE}


def option(name: str) -> Option:
    """The option of that name; `-` and `_` are the same. Raises BadOption."""
    wanted = name.strip().lower().replace("-", "_")
    if wanted in OPTIONS:
        return OPTIONS[wanted]
    near = get_close_matches(wanted, OPTIONS, n=1)
    hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(OPTIONS)}"
    raise BadOption(f"no option {name!r}: {hint}")


def checked(values: Mapping[str, object]) -> dict[str, Value]:
    """The values by the names of the table, each checked. Raises BadOption."""
    found = {option(name): value for name, value in values.items()}
    return {entry.name: entry.check(value) for entry, value in found.items()}


def defaults() -> dict[str, Value]:
    return {name: entry.default for name, entry in OPTIONS.items()}
