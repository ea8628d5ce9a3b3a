# SPDX-License-Identifier: MIT
"""A run as a file or a command line describes it: plain tables, checked and turned into the
settings of SPSA and the match that is played. Unknown keys are errors. Relies on the plan; the
command line relies on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from tengen.arena.definition import Definition
from tengen.tune.parameters import BadTuning, Override, Parameter, parse_choice, select
from tengen.tune.plan import Opening, TunePlan, match_of
from tengen.tune.spsa import Spsa

__all__ = ["TuneConfig"]

_OF_SPSA = {entry.name for entry in fields(Spsa)} - {"parameters"}
_KEYS = _OF_SPSA | {"params", "overrides", "pairs", "games"}


@dataclass(frozen=True, slots=True)
class TuneConfig:
    """A run without its openings."""

    spsa: Spsa
    pairs: int  # of games in an iteration
    definition: Definition

    def __post_init__(self) -> None:
        self.plan(((),))  # finds what makes no sense before anything is made for the run

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], known: Mapping[str, Parameter]) -> TuneConfig:
        """From the tables of a file. Raises BadTuning."""
        if unknown := sorted(set(values) - _KEYS):
            words = f"unknown: {', '.join(unknown)}"
            raise BadTuning(f"{words}; known are {', '.join(sorted(_KEYS))}")
        if "iterations" not in values:
            raise BadTuning("how many iterations? Thousands are needed, see docs/tuning.md")
        of_spsa = {key: values[key] for key in _OF_SPSA & set(values)}
        try:
            spsa = Spsa(parameters=_parameters(values, known), **of_spsa)
        except TypeError as error:
            raise BadTuning(str(error)) from None
        games = values.get("games", {})
        if not isinstance(games, Mapping):
            raise BadTuning(f"games is a table, not {games!r:.40}")
        definition = match_of({"seed": spsa.seed} | dict(games))
        return cls(spsa, values.get("pairs", 1), definition)

    def plan(self, openings: tuple[Opening, ...]) -> TunePlan:
        definition = replace(self.definition, pairs=len(openings) or 1)
        return TunePlan(self.spsa, definition, openings, self.pairs)

    def difference(self, plan: TunePlan) -> str:
        """The first setting in which a plan is another one; empty if there is none."""
        ours = self.plan(plan.openings).to_dict()
        theirs = plan.to_dict()
        for part in ("spsa", "definition"):
            for key, value in ours[part].items():
                if value != theirs[part].get(key):
                    return str(key)
        return "" if self.pairs == plan.pairs else "pairs"


def _parameters(values: Mapping[str, Any], known: Mapping[str, Parameter]) -> tuple[Parameter, ...]:
    """What `params` (a text as on the command line, or a list of patterns) and `overrides` (tables
    with `start` and `step`) say.
    """
    params = values.get("params", "")
    parts = [params] if isinstance(params, str) else params
    if not (isinstance(parts, list) and all(isinstance(part, str) for part in parts)):
        raise BadTuning(f"params is a text or a list of texts, not {params!r:.60}")
    patterns, overrides = parse_choice(",".join(parts))
    try:
        for name, table in values.get("overrides", {}).items():
            overrides[name.upper()] = Override(**table)
    except (TypeError, AttributeError) as error:
        raise BadTuning(
            f"overrides: {error}; as in [overrides.LMR_BASE] with start, step"
        ) from None
    return select(known, patterns, overrides)
