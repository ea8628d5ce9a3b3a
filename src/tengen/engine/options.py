# SPDX-License-Identifier: MIT
"""The options of the engine: one table with names, ranges and help for the API, the protocols and
the command line.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from math import isfinite
from operator import index
from typing import Literal, SupportsIndex, TypeAlias

from tengen import _core
from tengen.engine.errors import BadOption

Value: TypeAlias = int | float | bool | str

_MAX_TEXT = 4096

# In the order of the native core.
PRESETS = ("alphabeta", "classical", "classical-paper", "policy", "random")
SEARCHES = ("alphabeta", "mcts")
SCORE_UPDATES = ("whole", "point", "direction", "blocked")
AUTO = "auto"  # the stronger search for the move (`evaluator.choose_search`); unknown to the core
_REAL_ONE = 1_000_000  # the core takes real numbers in millionths
DEFAULT_PRESET = "alphabeta"
_TRUTH = {"true": True, "on": True, "1": True, "false": False, "off": False, "0": False}


@dataclass(frozen=True, slots=True)
class Option:
    """One option: a whole number (`spin`), a real number, on or off (`check`), a choice, a text."""

    name: str
    kind: Literal["spin", "real", "check", "choice", "text"]
    default: Value
    help: str
    low: int = 0  # of a real: in millionths
    high: int = 0
    choices: tuple[str, ...] = ()
    native: bool = True  # whether the core has it

    def check(self, value: object) -> Value:
        """The value. Raises BadOption if it is not allowed."""
        if self.kind == "choice" and isinstance(value, str) and value in self.choices:
            return value
        if self.kind == "check" and isinstance(value, bool):
            return value
        if self.kind == "text" and isinstance(value, str) and len(value) <= _MAX_TEXT:
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
        """The value of a text, from a protocol or a command line. Raises BadOption."""
        word = text.strip().lower()
        if self.kind == "check":
            return self.check(_TRUTH.get(word, text))
        if self.kind in ("spin", "real"):
            try:
                number = int(word) if self.kind == "spin" else float(word)
            except ValueError:
                return self.check(text)  # raises
            return self.check(number)
        return self.check(text.strip() if self.kind == "text" else word)

    def number(self, value: Value) -> int:
        """A checked value as the core takes it."""
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
            return f"use a text of at most {_MAX_TEXT} characters"
        return f"use {', '.join(self.choices)}"


def _switch(name: str, help: str) -> Option:
    return Option(name, "check", True, help)


def _from_core(entry: tuple[str, str, int, int, int, str]) -> Option:
    """An option of Monte-Carlo tree search, as the core declares it."""
    name, kind, default, low, high, meaning = entry
    help = f"{meaning} (mcts)"
    if kind == "check":
        return Option(name, "check", bool(default), help)
    if kind == "real":
        return Option(name, "real", default / _REAL_ONE, help, low, high)
    return Option(name, "spin", default, help, low, high)


_TABLE = (
    Option("preset", "choice", DEFAULT_PRESET, "how it plays", choices=PRESETS),
    Option(
        "net",
        "text",
        "",
        "evaluation of alphabeta and policy: the name of a net, a .net or .onnx file, a folder of"
        " nets with a registry.json, or classical (empty: alphabeta has the bundled net for"
        " the rule and size, if there is one)",
        native=False,
    ),
    Option(
        "net_memory",
        "spin",
        0,
        "max memory of the net, in MiB; a smaller one or classical plays if it needs more (0: any)",
        0,
        1 << 20,
        native=False,
    ),
    Option("threads", "spin", 1, "search threads", 1, 256),
    Option("memory", "spin", 128, "memory for tables, in MiB", 4, 1 << 20),
    Option("ponder", "check", False, "search while the opponent thinks", native=False),
    Option("multipv", "spin", 1, "number of lines of an analysis", 1, 400, native=False),
    Option(
        "search",
        "choice",
        AUTO,
        "search of alphabeta and classical: alpha-beta, Monte-Carlo tree search, or (auto) the"
        " stronger one for the move",
        choices=(*SEARCHES, AUTO),
    ),
    Option("level", "spin", 10, "playing strength; 10: full", 1, 10, native=False),
    Option("seed", "spin", 0, "random seed", 0, 2**31 - 1),
    Option(
        "branching", "spin", 0, "moves tried per position (classical-paper; 0: default)", 0, 484
    ),
    Option(
        "score_update",
        "choice",
        SCORE_UPDATES[-1],
        "how classical-paper updates its point scores; all give the same moves, the last is the"
        " fastest",
        choices=SCORE_UPDATES,
    ),
    _switch("vcf_quiescence", "search for wins by fours (VCF) at the leaves"),
    _switch("history", "order moves by history"),
    _switch("late_move_reductions", "reduce late moves"),
    _switch("null_move", "null-move pruning"),
    _switch("singular_extensions", "extend singular moves"),
    _switch("selectivity", "futility, razoring, extensions, aspiration windows"),
    *map(_from_core, _core.mcts_options()),
)
# Old names that are accepted for one release.
_RENAMED = {"spread": "utility_stdev_scale"}
OPTIONS: Mapping[str, Option] = {entry.name: entry for entry in _TABLE}


def option(name: str) -> Option:
    """The option of that name; `-` and `_` are the same. Raises BadOption."""
    wanted = name.strip().lower().replace("-", "_")
    if wanted in _RENAMED:
        new = _RENAMED[wanted]
        warnings.warn(f"option {wanted} is deprecated: use {new}", DeprecationWarning, stacklevel=2)
        wanted = new
    if wanted in OPTIONS:
        return OPTIONS[wanted]
    near = get_close_matches(wanted, OPTIONS, n=1)
    hint = f"did you mean {near[0]}?" if near else f"options are {', '.join(OPTIONS)}"
    raise BadOption(f"no option {name!r}: {hint}")


def check_options(values: Mapping[str, object]) -> dict[str, Value]:
    """The checked values by option name. Raises BadOption."""
    return {(entry := option(name)).name: entry.check(value) for name, value in values.items()}


def defaults() -> dict[str, Value]:
    return {name: entry.default for name, entry in OPTIONS.items()}
