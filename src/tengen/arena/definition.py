# SPDX-License-Identifier: MIT
"""`Definition`: a match or tournament as one frozen value, read from TOML or made in Python, and
stored as JSON with the results; and its schedule: who plays whom with which opening.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, NamedTuple

from tengen.arena.control import TimeControl
from tengen.arena.errors import BadArena
from tengen.arena.player import Player
from tengen.arena.sprt import Sprt
from tengen.game.rule import MAX_SIZE, MIN_SIZE, Rule
from tengen.util.config import Config, setting
from tengen.util.deprecation import renamed_fields

Kind = Literal["match", "gauntlet", "round-robin"]
Adjudicate = Literal["auto", "always", "never"]
_MAX_SECONDS = 1e6
# Keys of version 0.1.0, which files still have.
_OLD_KEYS = {"patience": "response_grace", "slowest": "untimed_move_timeout"}


def _players(value: Any) -> tuple[Player, ...]:
    """Players from a list of `Player`, texts and tables. The second `x` is named `x #2`."""
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise BadArena("use a list of players")
    players: dict[str, Player] = {}
    for item in value:
        player = Player.parse(item) if isinstance(item, str) else Player.from_dict(item)
        name, number = player.name, 1
        while name in players:
            number += 1
            mark = f" #{number}"
            name = player.name[: 60 - len(mark)] + mark
        players[name] = player if name == player.name else player.named(name)
    return tuple(players.values())


@renamed_fields(**_OLD_KEYS)
@dataclass(frozen=True, slots=True)
class Definition(Config):
    """A match (two players), a gauntlet (the first against each other one) or a round robin."""

    ERROR = BadArena
    RENAMED = _OLD_KEYS

    players: tuple[Player, ...] = setting(convert=_players, help="presets or programs")
    kind: Kind = setting("match", help="match, gauntlet or round-robin")
    rule: Rule = setting(Rule.FREESTYLE, convert=Rule.parse, help="rule of the games")
    size: int = setting(15, min=MIN_SIZE, max=MAX_SIZE, help="lines of the board")
    pairs: int = setting(
        50, min=1, max=1_000_000, help="for each two players: an opening, played with each colour"
    )
    limit: TimeControl = setting(
        TimeControl(time=0.1), convert=TimeControl.from_table, help="of players without their own"
    )
    openings: str = setting(
        "balanced", help="balanced, even, renju26, empty, swap2, or a file of records"
    )
    opening_moves: int = setting(
        0, min=0, max=400, help="moves to take of each record of a file; 0: all"
    )
    seed: int = setting(
        1, min=0, max=2**31 - 1, help="of the order of openings and of random players"
    )
    max_moves: int = setting(
        0, min=0, max=10_000, help="number of moves after which a game is drawn; 0: a full board"
    )
    tolerance: float = setting(
        0.5, min=0, max=_MAX_SECONDS, help="seconds by which a move may be late"
    )
    response_grace: float = setting(
        10.0, min=0, max=_MAX_SECONDS, help="seconds beyond its limit after which a program loses"
    )
    untimed_move_timeout: float = setting(
        300.0, min=0, max=_MAX_SECONDS, help="seconds for a program's move without a time limit"
    )
    adjudicate: Adjudicate = setting(
        "auto", help="end proven wins and dead draws early; auto: where both players are built in"
    )
    sprt: Sprt | None = setting(None, help="a test that ends the match when it has decided")
    event: str = setting("", help="a title for reports and records")

    def validate(self) -> None:
        if self.kind == "match" and len(self.players) != 2:
            raise BadArena(f"a match has two players, not {len(self.players)}", "players")
        if len(self.players) < 2:
            raise BadArena("a tournament needs two players or more", "players")
        if self.sprt is not None and self.kind != "match":
            raise BadArena("an SPRT is for a match between two players", "sprt")

    @property
    def title(self) -> str:
        names = " - ".join(player.name for player in self.players)
        return self.event or (names if self.kind == "match" else f"{self.kind} of {names}")

    def control(self, player: int) -> TimeControl:
        """The time control of a player."""
        return self.players[player].limit or self.limit

    def adjudicates(self, black: int, white: int) -> bool:
        """Whether games of these two may be adjudicated."""
        builtin = self.players[black].is_builtin and self.players[white].is_builtin
        return self.adjudicate == "always" or (self.adjudicate == "auto" and builtin)

    def to_dict(self) -> dict[str, Any]:
        """As stored in files, which keep the keys of version 0.1.0: hashes of this value are names
        of folders.
        """
        stored = {new: old for old, new in _OLD_KEYS.items()}
        data = Config.to_dict(self)
        if self.sprt is None:
            del data["sprt"]
        return {stored.get(key, key): value for key, value in data.items()}


class ScheduledGame(NamedTuple):
    """A game of the schedule. With swap2 `black` is the player that puts the first stones."""

    number: int  # from 0; 2 p and 2 p + 1 are the games of pair p
    pair: int
    black: int  # indices in the list of players
    white: int
    opening: int  # index in the list of openings


def opponents(definition: Definition) -> list[tuple[int, int]]:
    """The pairs of players that meet, in the order of the list."""
    number = len(definition.players)
    if definition.kind == "round-robin":
        return list(combinations(range(number), 2))
    return [(0, other) for other in range(1, number)]


def total_games(definition: Definition) -> int:
    return 2 * definition.pairs * len(opponents(definition))


def schedule(definition: Definition) -> Iterator[ScheduledGame]:
    """All games in the order of their numbers: all opponents play an opening before the next one,
    which keeps a tournament balanced that is stopped early.
    """
    meetings = opponents(definition)
    pair = 0
    for opening in range(definition.pairs):
        for one, two in meetings:
            yield ScheduledGame(2 * pair, pair, one, two, opening)
            yield ScheduledGame(2 * pair + 1, pair, two, one, opening)
            pair += 1
