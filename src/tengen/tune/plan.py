# SPDX-License-Identifier: MIT
"""A tuning run: its config, its plan (SPSA settings, match, openings), its trials, and its state,
which is a function of the plan and the finished iterations in their order.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, astuple, dataclass, fields, replace
from typing import Any

from tengen.arena.definition import Definition
from tengen.arena.player import Player
from tengen.tune.parameters import BadTuning, Override, Parameter, parse_choice, select
from tengen.tune.spsa import Spsa, SpsaState, Values
from tengen.util.config import Config, setting, suggest
from tengen.util.errors import BadConfig, BadRun

Opening = tuple[str, ...]  # names of moves, black first


@dataclass(frozen=True, slots=True)
class TuneTrial:
    """Games between two sets of values: each opening twice, with colours swapped."""

    iteration: int  # from 1
    plus: dict[str, int]
    minus: dict[str, int]
    first_pair: int  # number of its first pair among all pairs of the run, from 0
    openings: tuple[Opening, ...]


@dataclass(frozen=True, slots=True)
class TrialResult:
    """The games of a trial, as `plus` sees them."""

    wins: int
    draws: int
    losses: int
    faults: int = 0  # games that ended by an error: a late move, a crash

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def difference(self) -> int:
        return self.wins - self.losses

    def __add__(self, other: TrialResult) -> TrialResult:
        return TrialResult(*map(sum, zip(astuple(self), astuple(other), strict=True)))


@dataclass(frozen=True, slots=True)
class TuneIteration:
    """A finished iteration."""

    iteration: int
    outcome: TrialResult
    plus: tuple[int, ...]  # the values played, in the order of the parameters
    minus: tuple[int, ...]

    def to_json(self) -> str:
        """One line, without its end."""
        sides = {"plus": self.plus, "minus": self.minus}
        data = {"iteration": self.iteration, **asdict(self.outcome), **sides}
        return json.dumps(data, separators=(",", ":"))

    @classmethod
    def from_json(cls, line: str | bytes) -> TuneIteration:
        """Raises BadRun."""
        try:
            data = json.loads(line)
            outcome = TrialResult(*(_count(data[k]) for k in ("wins", "draws", "losses", "faults")))
            plus, minus = (tuple(_whole(v) for v in data[key]) for key in ("plus", "minus"))
            return cls(_count(data["iteration"]), outcome, plus, minus)
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise BadRun(f"no iteration: {type(error).__name__}: {error}") from None


def _whole(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"{value!r:.40} is not a whole number")
    return value


def _count(value: Any) -> int:
    if _whole(value) < 0:
        raise ValueError(f"{value} is below 0")
    return int(value)


_SIDES = ("plus", "minus")
_MEMORY = 16  # MiB of a player's tables by default: enough for short searches


def _openings(value: Any) -> tuple[Opening, ...]:
    """Openings, each as moves or as a text of moves."""
    if not isinstance(value, list | tuple):
        raise BadTuning("use a list of openings")
    return tuple(tuple(one.split()) if isinstance(one, str) else tuple(one) for one in value)


@dataclass(frozen=True, slots=True)
class TunePlan(Config):
    """The content of `tune.json`. The openings are used in turn and repeat."""

    ERROR = BadTuning

    spsa: Spsa = setting(help="settings of the method")
    definition: Definition = setting(help="match between both sides, see `match_of`")
    openings: tuple[Opening, ...] = setting(convert=_openings, help="of the games")
    pairs: int = setting(1, min=1, max=1000, help="pairs of games per iteration")

    def validate(self) -> None:
        if not self.openings:
            raise BadTuning("a run needs at least one opening", "openings")

    def trial(self, iteration: int, plus: Values, minus: Values) -> TuneTrial:
        """The trial of an iteration."""
        first = (iteration - 1) * self.pairs
        openings = (self.openings[n % len(self.openings)] for n in range(first, first + self.pairs))
        return TuneTrial(iteration, self._named(plus), self._named(minus), first, tuple(openings))

    def _named(self, values: Values) -> dict[str, int]:
        names = (entry.name for entry in self.spsa.parameters)
        return dict(zip(names, values, strict=True))

    def to_dict(self) -> dict[str, Any]:
        return Config.to_dict(self) | {"openings": [" ".join(moves) for moves in self.openings]}


def match_of(games: Mapping[str, Any]) -> Definition:
    """The match between both sides of a run. `games` has keys of a definition, and `preset` and
    `options` of the player, which plays both sides. Raises BadTuning.
    """
    values = dict(games)
    for key in ("players", "kind", "pairs", "sprt"):
        if key in values:
            raise BadTuning(f"the games of a run have no {key!r}: it plays pairs against itself")
    try:
        options = {"memory": _MEMORY} | dict(values.pop("options", {}))
        preset = str(values.pop("preset", "classical"))
        if options.get("ponder"):
            raise BadTuning("no pondering in a run: both sides would search with the same values")
        players = [{"name": name, "preset": preset, "options": options} for name in _SIDES]
        return Definition.from_dict(values | {"players": players})
    except (BadConfig, TypeError, ValueError) as error:
        raise BadTuning(str(error)) from None


def with_values(definition: Definition, plus: dict[str, int], minus: dict[str, int]) -> Definition:
    """The match with the values of a trial."""
    sides: list[Player] = [
        replace(player, tunables=values)
        for player, values in zip(definition.players, (plus, minus), strict=True)
    ]
    return replace(definition, players=tuple(sides))


class TuneState:
    """A run after some iterations. Only `add` changes it."""

    def __init__(self, plan: TunePlan) -> None:
        self.plan = plan
        self.spsa_state = SpsaState(plan.spsa)
        self.total = TrialResult(0, 0, 0)  # of all games
        self._done: set[int] = set()

    @property
    def iterations(self) -> int:
        """Number of finished iterations."""
        return len(self._done)

    @property
    def is_complete(self) -> bool:
        return self.iterations == self.plan.spsa.iterations

    def open_iterations(self) -> Iterator[int]:
        """The iterations that are not finished, in order."""
        return (n for n in range(1, self.plan.spsa.iterations + 1) if n not in self._done)

    def fault(self, entry: TuneIteration) -> str:
        """Why this cannot be the next line of the event log; empty if it can."""
        spsa = self.plan.spsa
        if not 1 <= entry.iteration <= spsa.iterations:
            return f"the run has no iteration {entry.iteration}"
        if entry.iteration in self._done:
            return f"iteration {entry.iteration} occurs twice"
        if entry.outcome.games != 2 * self.plan.pairs:
            return f"{entry.outcome.games} games, not {2 * self.plan.pairs}"
        if not len(entry.plus) == len(entry.minus) == len(spsa.parameters):
            return f"not the values of {len(spsa.parameters)} parameters"
        return ""

    def add(self, entry: TuneIteration) -> None:
        """Apply a line of the event log that has no fault."""
        self._done.add(entry.iteration)
        self.spsa_state.apply(entry.iteration, entry.outcome.difference)
        self.total += entry.outcome


_SPSA_KEYS = {entry.name for entry in fields(Spsa)} - {"parameters"}
_KEYS = _SPSA_KEYS | {"params", "overrides", "pairs", "games"}


@dataclass(frozen=True, slots=True)
class TuneConfig:
    """A run without its openings."""

    spsa: Spsa
    pairs: int  # of games in an iteration
    definition: Definition

    def __post_init__(self) -> None:
        self.plan(((),))  # raises BadTuning before openings are made

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], known: Mapping[str, Parameter]) -> TuneConfig:
        """From the tables of a file. Raises BadTuning."""
        for key in set(values) - _KEYS:
            raise BadTuning(f"unknown key: {suggest(key, _KEYS)}", key)
        if "iterations" not in values:
            raise BadTuning("missing: thousands are needed, see docs/tuning.md", "iterations")
        given = {key: values[key] for key in _SPSA_KEYS & set(values)}
        spsa = Spsa.from_dict({"parameters": _parameters(values, known), **given})
        games = values.get("games", {})
        if not isinstance(games, Mapping):
            raise BadTuning("use a table", "games")
        definition = match_of({"seed": spsa.seed} | dict(games))
        return cls(spsa, values.get("pairs", 1), definition)

    def plan(self, openings: tuple[Opening, ...]) -> TunePlan:
        definition = replace(self.definition, pairs=len(openings) or 1)
        return TunePlan(self.spsa, definition, openings, self.pairs)

    def difference(self, plan: TunePlan) -> str:
        """The first setting in which a plan differs; empty if there is none."""
        wanted = self.plan(plan.openings).to_dict()
        stored = plan.to_dict()
        for part in ("spsa", "definition"):
            for key, value in wanted[part].items():
                if value != stored[part].get(key):
                    return str(key)
        return "" if self.pairs == plan.pairs else "pairs"


def _parameters(values: Mapping[str, Any], known: Mapping[str, Parameter]) -> tuple[Parameter, ...]:
    """The parameters of `params` (a text as on the command line, or a list of patterns) and
    `overrides` (tables with `start` and `step`).
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
