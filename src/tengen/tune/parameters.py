# SPDX-License-Identifier: MIT
"""Which numbers of the search are tuned: `Parameter`, the list that the native core has, and the
choice from it by names and patterns. Relies on the core's list; `spsa` relies on it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from tengen import _core
from tengen.game.errors import TengenError

__all__ = ["BadTuning", "Override", "Parameter", "core_parameters", "parse_choice", "select"]


class BadTuning(TengenError, ValueError):
    """A run that cannot be made: an unknown number, a range it has not, a wrong setting."""


_LEAST_STEP = 0.5  # with less, both sides of a trial could round to the same value


@dataclass(frozen=True, slots=True)
class Parameter:
    """A whole number of the search and its range. The tuner keeps a real number for it, so that
    small gains add up; games are played with whole ones.
    """

    name: str
    start: float
    low: int
    high: int
    step: float  # how far from its value games are played at the end of a run
    meaning: str = ""

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "start", _number(self.name, "start", self.start))
        put(self, "step", _number(self.name, "step", self.step))
        for end in (self.low, self.high):
            if not isinstance(end, int) or isinstance(end, bool):
                raise BadTuning(f"{self.name}: its range ends at {end!r}, not at a whole number")
        if not self.low <= self.start <= self.high:
            raise BadTuning(
                f"{self.name} cannot start at {self.start:g}: use {self.low} to {self.high}"
            )
        most = (self.high - self.low) / 2
        if not _LEAST_STEP <= self.step <= most:
            raise BadTuning(
                f"{self.name} has no step of {self.step:g}: use {_LEAST_STEP:g} to {most:g},"
                f" half of its range"
            )

    def clip(self, value: float) -> float:
        return min(max(value, self.low), self.high)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Parameter:
        """Raises BadTuning."""
        try:
            return cls(**data)
        except TypeError as error:
            raise BadTuning(f"no parameter: {error}") from None


class Override(NamedTuple):
    """What a run changes in a parameter; None: nothing."""

    start: float | None = None
    step: float | None = None


def _number(name: str, what: str, value: object) -> float:
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    if not plain or not math.isfinite(float(value)):  # type: ignore[arg-type]
        raise BadTuning(f"{name}: its {what} is {value!r}, not a number")
    return float(value)  # type: ignore[arg-type]


def core_parameters() -> dict[str, Parameter]:
    """All numbers that the native core lets tune, by name, in the order of their names."""
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
            raise BadTuning(f"{part!r}: only a single name can have a start of its own")
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
        raise BadTuning(f"{idle[0]} has a start or step of its own, but is not among the chosen")
    wanted = (entry for name, entry in known.items() if name in chosen)
    return tuple(_changed(entry, changed.get(entry.name)) for entry in wanted)


def _changed(entry: Parameter, override: Override | None) -> Parameter:
    if override is None:
        return entry
    start = entry.start if override.start is None else override.start
    step = entry.step if override.step is None else override.step
    return replace(entry, start=start, step=step)


def _matches(known: Iterable[str], pattern: str) -> set[str]:
    wanted = pattern.strip().upper()
    found = {name for name in known if fnmatchcase(name, wanted)}
    if not found:
        near = get_close_matches(wanted, list(known), n=1)
        hint = f"did you mean {near[0]}?" if near else "`tengen tune --list` lists them"
        raise BadTuning(f"no parameter {pattern!r}: {hint}")
    return found
