# SPDX-License-Identifier: MIT
"""The tunable parameters of the search: `Parameter`, the list of the native core, and selection by
names and patterns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import NamedTuple

from tengen import _core
from tengen.util.config import Config, setting
from tengen.util.errors import BadConfig


class BadTuning(BadConfig):
    """A tuning run that cannot be started: an unknown parameter, a wrong range or setting."""


_MIN_STEP = 0.5  # with less, both sides of a trial could round to the same value


@dataclass(frozen=True, slots=True)
class Parameter(Config):
    """An integer of the search and its range. The tuner stores a real number for it, so that small
    gains add up; games are played with integers.
    """

    ERROR = BadTuning

    name: str = setting(help="of the TUNABLE in the source")
    start: float = setting(help="first value")
    low: int = setting(help="end of its range")
    high: int = setting(help="end of its range")
    step: float = setting(help="distance from the value at which games are played, at the end")
    meaning: str = setting("", help="what it does")

    def validate(self) -> None:
        if not self.low <= self.start <= self.high:
            problem = f"{self.start:g} is out of range, use {self.low} to {self.high}"
            raise BadTuning(f"{self.name}: {problem}", "start")
        largest = (self.high - self.low) / 2
        if not _MIN_STEP <= self.step <= largest:
            problem = f"{self.step:g} is out of range, use {_MIN_STEP:g} to {largest:g}"
            raise BadTuning(f"{self.name}: {problem}, half of its range", "step")

    def clip(self, value: float) -> float:
        return min(max(value, self.low), self.high)


class Override(NamedTuple):
    """Changes of a parameter for a run; None: unchanged."""

    start: float | None = None
    step: float | None = None


def core_parameters() -> dict[str, Parameter]:
    """All tunables of the native core, by name, in alphabetical order."""
    entries = (
        Parameter(name, value, low, high, step, meaning)
        for name, value, low, high, step, meaning in sorted(_core.tunables())
    )
    return {entry.name: entry for entry in entries}


def parse_choice(text: str) -> tuple[list[str], dict[str, Override]]:
    """The patterns and overrides of a command line: names and patterns with `*` and `?`, each
    perhaps left out by a `!` before it, a name perhaps with `=start` or `=start:step`.
    """
    patterns, overrides = [], {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, sign, rest = (piece.strip() for piece in part.partition("="))
        patterns.append(name)
        if not sign:
            continue
        if not name.isidentifier():
            raise BadTuning(f"{part!r}: only a single name can have its own start")
        start, _, step = rest.partition(":")
        try:
            overrides[name.upper()] = Override(
                float(start) if start.strip() else None, float(step) if step.strip() else None
            )
        except ValueError:
            raise BadTuning(f"{part!r} is not like NAME=start:step") from None
    return patterns, overrides


def select(
    known: Mapping[str, Parameter],
    patterns: Sequence[str],
    overrides: Mapping[str, Override] | None = None,
) -> tuple[Parameter, ...]:
    """The parameters that the patterns name, in the order of `known`. A pattern after a `!` takes
    out what those before it brought. Raises BadTuning for one that names nothing.
    """
    chosen: set[str] = set()
    for pattern in patterns:
        found = _matches(known, pattern.removeprefix("!"))
        chosen = chosen - found if pattern.startswith("!") else chosen | found
    if not chosen:
        raise BadTuning("no parameters: name some, as in LMR_*,NULL_BASE")
    changed = overrides or {}
    if idle := [name for name in changed if name not in chosen]:
        raise BadTuning(f"{idle[0]} has its own start or step, but is not selected")
    wanted = (entry for name, entry in known.items() if name in chosen)
    return tuple(_changed(entry, changed.get(entry.name, Override())) for entry in wanted)


def _changed(entry: Parameter, override: Override) -> Parameter:
    given = {key: value for key, value in override._asdict().items() if value is not None}
    return replace(entry, **given)


def _matches(known: Iterable[str], pattern: str) -> set[str]:
    wanted = _core.tunable_name(pattern.strip().upper())
    found = {name for name in known if fnmatchcase(name, wanted)}
    if not found:
        close = get_close_matches(wanted, list(known), n=1)
        hint = f"did you mean {close[0]}?" if close else "`tengen tune --list` lists them"
        raise BadTuning(f"no parameter {pattern!r}: {hint}")
    return found
