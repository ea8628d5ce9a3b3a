# SPDX-License-Identifier: MIT
"""What is to be played: `Definition`, the whole of a match or tournament in one frozen value.

It is read from TOML, from the command line, or made in Python, and stored as JSON with the results.
Unknown keys are errors. Relies on players and limits; `schedule` and `runner` rely on it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal, get_args

from tengen.arena.control import TimeControl
from tengen.arena.errors import BadArena
from tengen.arena.player import Player
from tengen.arena.sprt import Sprt
from tengen.game.errors import TengenError
from tengen.game.limits import whole
from tengen.game.rule import MAX_SIZE, MIN_SIZE, Rule

__all__ = ["Adjudicate", "Definition", "Kind", "read_config"]

Kind = Literal["match", "gauntlet", "round-robin"]
Adjudicate = Literal["auto", "always", "never"]
_MOST_PAIRS = 1_000_000
_LIMIT = TimeControl(time=0.1)


@dataclass(frozen=True, slots=True)
class Definition:
    """A match (two players), a gauntlet (the first against each other one) or a round robin."""

    players: tuple[Player, ...]
    kind: Kind = "match"
    rule: Rule = Rule.FREESTYLE
    size: int = 15
    pairs: int = 50  # for each two players: an opening, played twice with colours swapped
    limit: TimeControl = _LIMIT  # of players without one of their own
    # "balanced" (of the package, or made), "even" (of the package), "renju26", "empty", "swap2", or
    # a file of records.
    openings: str = "balanced"
    opening_moves: int = 0  # so many moves of each record of a file; 0: all of them
    seed: int = 1  # which openings, in which order; and what random players play
    max_moves: int = 0  # then it is a draw; 0: when the board is full
    tolerance: float = 0.5  # seconds that a move may come late
    patience: float = 10.0  # seconds beyond its limit after which a silent program has lost
    slowest: float = 300.0  # seconds for a program's move where no time limits it
    # Whether proven wins and dead draws end a game; "auto": where both players are ours.
    adjudicate: Adjudicate = "auto"
    sprt: Sprt | None = None  # stop when it has decided; of a match only
    event: str = ""  # a title for reports and records

    def __post_init__(self) -> None:
        put = object.__setattr__
        for name in ("openings", "event"):
            if not isinstance(value := getattr(self, name), str):
                raise BadArena(f"no {name} {value!r:.80}: use a text")
        try:
            put(self, "rule", Rule.parse(self.rule))
            put(self, "size", whole("size", self.size, MIN_SIZE, MAX_SIZE))
            put(self, "pairs", whole("number of pairs", self.pairs, 1, _MOST_PAIRS))
            put(self, "opening_moves", whole("number of opening moves", self.opening_moves, 0, 400))
            put(self, "seed", whole("seed", self.seed, 0, 2**31 - 1))
            put(self, "max_moves", whole("limit of moves", self.max_moves, 0, 10_000))
        except TengenError as error:
            raise BadArena(str(error)) from None
        _choice("kind", self.kind, get_args(Kind))
        _choice("adjudicate", self.adjudicate, get_args(Adjudicate))
        for name in ("tolerance", "patience", "slowest"):
            put(self, name, _seconds(name, getattr(self, name)))
        put(self, "players", _distinct(self.players))
        self._check_number()

    def _check_number(self) -> None:
        if self.kind == "match" and len(self.players) != 2:
            raise BadArena(f"a match has two players, not {len(self.players)}")
        if len(self.players) < 2:
            raise BadArena("a tournament needs two players or more")
        if self.sprt is not None and self.kind != "match":
            raise BadArena("an SPRT is of a match between two players")

    @property
    def title(self) -> str:
        names = " - ".join(player.name for player in self.players)
        return self.event or (names if self.kind == "match" else f"{self.kind} of {names}")

    def control(self, player: int) -> TimeControl:
        """The limits of a player."""
        return self.players[player].control or self.limit

    def adjudicates(self, black: int, white: int) -> bool:
        """Whether games of these two may be ended before their end."""
        ours = self.players[black].is_ours and self.players[white].is_ours
        return self.adjudicate == "always" or (self.adjudicate == "auto" and ours)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Definition:
        """From the tables of a file. Raises BadArena."""
        if not isinstance(data, Mapping):
            raise BadArena(f"no definition {data!r:.80}: use a table")
        values = dict(data)
        known = {entry.name for entry in fields(cls)}
        if unknown := sorted(set(values) - known):
            words = f"unknown: {', '.join(unknown)}"
            raise BadArena(f"{words}; known are {', '.join(sorted(known))}")
        try:
            players = values.pop("players", ())
            if not isinstance(players, Sequence) or isinstance(players, str):
                raise BadArena(f"no players {players!r:.80}: use a list")
            values["players"] = tuple(map(_player, players))
            if "limit" in values:
                values["limit"] = TimeControl(**values["limit"])
            if values.get("sprt") is not None:
                values["sprt"] = Sprt(**values["sprt"])
            return cls(**values)
        except (TypeError, AttributeError) as error:
            raise BadArena(str(error)) from None
        except ValueError as error:
            raise error if isinstance(error, BadArena) else BadArena(str(error)) from None

    def to_dict(self) -> dict[str, Any]:
        """All of it, as `from_dict` takes it."""
        data = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        data["players"] = [player.to_dict() for player in self.players]
        data["rule"] = str(self.rule)
        data["limit"] = self.limit.to_dict()
        if self.sprt is None:
            del data["sprt"]
        else:
            data["sprt"] = {entry.name: getattr(self.sprt, entry.name) for entry in fields(Sprt)}
        return data

    def of_kind(self, kind: Kind) -> Definition:
        return replace(self, kind=kind)

    def with_sprt(self, test: Sprt) -> Definition:
        return replace(self, sprt=test)


def read_config(path: Path) -> dict[str, Any]:
    """The tables of a TOML file. Raises BadArena with the place of what is wrong, and OSError."""
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadArena(f"{path}: {error}") from None


def _player(found: Any) -> Player:
    """A player, whether he is one already, a text, or a table."""
    if isinstance(found, Player):
        return found
    return Player.parse(found) if isinstance(found, str) else Player.from_dict(found)


def _choice(name: str, value: object, known: Sequence[str]) -> None:
    if value not in known:
        raise BadArena(f"no {name} {value!r}: known are {', '.join(known)}")


def _seconds(name: str, value: object) -> float:
    good = isinstance(value, int | float) and not isinstance(value, bool)
    if not (good and 0 <= value < 1e6):  # type: ignore[operator]
        raise BadArena(f"no {name} of {value!r}: use seconds, 0 or more")
    return float(value)  # type: ignore[arg-type]


def _distinct(players: Sequence[Player]) -> tuple[Player, ...]:
    """The players with names that differ: the second `x` is `x #2`."""
    found: dict[str, Player] = {}
    for player in players:
        name, number = player.name, 1
        while name in found:
            number += 1
            mark = f" #{number}"
            name = player.name[: 60 - len(mark)] + mark
        found[name] = player if name == player.name else player.named(name)
    return tuple(found.values())
