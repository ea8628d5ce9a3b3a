# SPDX-License-Identifier: MIT
"""`Plan`: all that a run is, in one frozen value: the settings of SPSA, how its games are played,
and with which openings. It is what `tune.json` holds. Relies on the arena's definition; the folder
and the session rely on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from tengen.arena.definition import Definition
from tengen.arena.errors import BadArena
from tengen.arena.player import Player
from tengen.game.errors import BadLimit
from tengen.game.limits import whole
from tengen.tune.errors import BadTuning
from tengen.tune.spsa import Spsa, Values
from tengen.tune.trial import Opening, Trial

__all__ = ["Plan", "match_of", "with_values"]

_SIDES = ("plus", "minus")
_MEMORY = 16  # MiB of a player's tables, unless told: short searches need no more
_KEYS = {"spsa", "pairs", "definition", "openings"}


@dataclass(frozen=True, slots=True)
class Plan:
    """A run. Its openings come one after another, and again from the first."""

    spsa: Spsa
    definition: Definition  # of a match between both sides, see `match_of`
    openings: tuple[Opening, ...]
    pairs: int = 1  # of games in an iteration

    def __post_init__(self) -> None:
        try:
            whole("number of pairs", self.pairs, 1, 1000)
        except BadLimit as error:
            raise BadTuning(str(error)) from None
        if not self.openings:
            raise BadTuning("no openings: a run needs one at least")

    def trial(self, iteration: int, plus: Values, minus: Values) -> Trial:
        """What is played in an iteration."""
        first = (iteration - 1) * self.pairs
        openings = (self.openings[n % len(self.openings)] for n in range(first, first + self.pairs))
        return Trial(iteration, self._named(plus), self._named(minus), first, tuple(openings))

    def _named(self, values: Values) -> dict[str, int]:
        names = (entry.name for entry in self.spsa.parameters)
        return dict(zip(names, values, strict=True))

    def to_dict(self) -> dict[str, Any]:
        return {
            "spsa": self.spsa.to_dict(),
            "pairs": self.pairs,
            "definition": self.definition.to_dict(),
            "openings": [" ".join(moves) for moves in self.openings],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Plan:
        """Raises BadTuning."""
        if set(data) != _KEYS:
            wrong = sorted(set(data) ^ _KEYS)[0]
            raise BadTuning(f"{wrong!r} is unknown or missing: there are {', '.join(_KEYS)}")
        try:
            return cls(
                Spsa.from_dict(data["spsa"]),
                Definition.from_dict(data["definition"]),
                tuple(tuple(str(text).split()) for text in data["openings"]),
                data["pairs"],
            )
        except (BadArena, TypeError, AttributeError) as error:
            raise BadTuning(str(error)) from None


def match_of(games: Mapping[str, Any]) -> Definition:
    """The match between both sides of a run. `games` has keys of a definition, and `preset` and
    `options` of the player, who is on both sides. Raises BadTuning.
    """
    values = dict(games)
    for key in ("players", "kind", "pairs", "sprt"):
        if key in values:
            raise BadTuning(f"the games of a run have no {key!r}: it plays pairs against itself")
    try:
        options = {"memory": _MEMORY} | dict(values.pop("options", {}))
        preset = str(values.pop("preset", "classical"))
        if options.get("ponder"):
            raise BadTuning("no pondering in a run: both sides think with the same numbers then")
        players = [{"name": name, "preset": preset, "options": options} for name in _SIDES]
        return Definition.from_dict(values | {"players": players})
    except (BadArena, TypeError, ValueError) as error:
        raise error if isinstance(error, BadTuning) else BadTuning(str(error)) from None


def with_values(definition: Definition, plus: dict[str, int], minus: dict[str, int]) -> Definition:
    """The match with the values of a trial."""
    sides: list[Player] = [
        replace(player, tunables=values)
        for player, values in zip(definition.players, (plus, minus), strict=True)
    ]
    return replace(definition, players=tuple(sides))
