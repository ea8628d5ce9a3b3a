# SPDX-License-Identifier: MIT
"""Standings: finished games counted by player, by encounter, by opening and by how they ended. Pure
functions of a definition and its games.

Elo and its error come from whole pairs, the same opening with colours swapped; wins, draws and
losses count every game. An SPRT counts whole pairs in the order of the schedule: short games end
first, so counting games as they end would depend on their length and on the number of cores.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from tengen.arena.definition import Definition, opponents
from tengen.arena.elo import Elo, elo_of_pairs, pair_counts
from tengen.arena.game import REASONS, MatchGame
from tengen.arena.ratings import GameScore, Ratings, rate
from tengen.arena.sprt import Sprt
from tengen.arena.timing import Timing, timings

__all__ = [
    "Encounter",
    "FirstMover",
    "MatchProgress",
    "SprtState",
    "Standing",
    "Standings",
    "counted",
    "game_scores",
    "pair_scores",
    "sprt_state",
    "standings",
]


class MatchProgress:
    """The games of a run as they come."""

    def __init__(self, definition: Definition, games: Iterable[MatchGame] = ()) -> None:
        self.sprt = definition.sprt
        self.counts = [0] * 5  # of the pairs that the SPRT has looked at
        self.decision: str | None = None  # "H0", "H1"
        self.pairs = 0  # so many pairs has the SPRT looked at
        self._halves: dict[int, MatchGame] = {}
        self._whole: dict[int, tuple[float, float]] = {}
        for game in games:
            self.add(game)

    @property
    def is_decided(self) -> bool:
        return self.decision is not None

    def add(self, game: MatchGame) -> None:
        other = self._halves.pop(game.pair, None)
        if other is None:
            self._halves[game.pair] = game
        else:
            self._whole[game.pair] = (game.points(0), other.points(0))
            self._look()

    def _look(self) -> None:
        """Count the pairs that are next in line, to the decision."""
        if self.sprt is None:
            return
        while not self.is_decided and self.pairs in self._whole:
            scores = self._whole.pop(self.pairs)
            self.counts = [a + b for a, b in zip(self.counts, pair_counts([scores]), strict=True)]
            self.pairs += 1
            self.decision = self.sprt.decide(self.counts)


def counted(definition: Definition, games: Iterable[MatchGame]) -> list[MatchGame]:
    """The games that count, by number: with an SPRT those up to its decision, else all. Those that
    ended while it was being reached are kept, and left out.
    """
    ordered = sorted(games, key=lambda game: game.number)
    progress = MatchProgress(definition, ordered)
    if not progress.is_decided:
        return ordered
    return [game for game in ordered if game.pair < progress.pairs]


@dataclass(frozen=True, slots=True)
class Standing:
    """A player's games, with both colours."""

    player: int
    wins: int
    draws: int
    losses: int
    black_games: int
    black_points: float
    faults: dict[str, int]  # games that its error ended, by reason

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        return self.wins + self.draws / 2

    @property
    def share(self) -> float:
        """Its share of the points, 0 to 1; a half before its first game."""
        return self.points / self.games if self.games else 0.5


@dataclass(frozen=True, slots=True)
class Encounter:
    """The games between two players, seen by the first of them."""

    a: int
    b: int
    wins: int
    draws: int
    losses: int
    pairs: list[int]  # whole pairs that gave 0, 1/2, 1, 3/2 and 2 points
    elo: Elo  # of those pairs

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        return self.wins + self.draws / 2


@dataclass(frozen=True, slots=True)
class FirstMover:
    """The score of who moves first, in games with one opening or in all."""

    opening: int  # its place in the list; -1: all games, also those without one
    games: int
    points: float

    @property
    def share(self) -> float:
        return self.points / self.games if self.games else 0.5


@dataclass(frozen=True, slots=True)
class SprtState:
    """How far a sequential test has come."""

    llr: float
    lower: float  # where H0 is accepted
    upper: float  # where H1 is
    pairs: int  # that it has looked at
    decision: str | None  # "H0", "H1", or None: continue


class Standings:
    """What `standings` counted. Ratings and timing are computed on first use."""

    def __init__(
        self,
        definition: Definition,
        games: Sequence[MatchGame],
        players: list[Standing],
        encounters: list[Encounter],
    ) -> None:
        self.definition = definition
        self.games = games
        self.players = players  # in the order of the definition
        self.encounters = encounters  # a < b; those of the schedule, played or not

    def between(self, a: int, b: int) -> Encounter | None:
        """The encounter of two players as the first sees it; None if they do not meet."""
        found = self._by_players.get((min(a, b), max(a, b)))
        return found if found is None or a < b else _seen_by_other(found)

    @cached_property
    def _by_players(self) -> dict[tuple[int, int], Encounter]:
        return {(found.a, found.b): found for found in self.encounters}

    @cached_property
    def ratings(self) -> Ratings:
        """Of all players, from all games; a gauntlet's are relative to its first player."""
        anchor = 0 if self.definition.kind == "gauntlet" else None
        return rate(game_scores(self.games), len(self.players), anchor=anchor)

    @cached_property
    def timings(self) -> list[Timing]:
        """Of each player, in the order of the definition."""
        limits = [self.definition.control(n).time for n in range(len(self.players))]
        return timings(self.games, limits)

    @cached_property
    def endings(self) -> dict[str, int]:
        """Games by how they ended, in the order of `REASONS`; without those that never happened."""
        found = Counter(game.reason for game in self.games)
        return {reason: found[reason] for reason in REASONS if found[reason]}

    @cached_property
    def first_mover(self) -> FirstMover:
        """The score of black over all games."""
        return FirstMover(-1, len(self.games), sum(game.score for game in self.games))

    @cached_property
    def openings(self) -> list[FirstMover]:
        """The score of black with each opening that was played, by its place in the list."""
        found: dict[int, list[float]] = {}
        for game in self.games:
            if game.opening >= 0:
                found.setdefault(game.opening, []).append(game.score)
        return [FirstMover(n, len(scores), sum(scores)) for n, scores in sorted(found.items())]

    @cached_property
    def sprt(self) -> SprtState | None:
        """The state of the definition's test; None if it has none."""
        if self.definition.sprt is None:
            return None
        return sprt_state(self.definition.sprt, MatchProgress(self.definition, self.games))


def standings(definition: Definition, games: Iterable[MatchGame]) -> Standings:
    """Count the games of a match or tournament, finished or under way."""
    listed = list(games)
    players = [_Tally() for _ in definition.players]
    encounters = {pair: _Tally() for pair in opponents(definition)}
    for game in listed:
        black, white, result = game.black, game.white, round(2 * game.score)
        players[black].add(result, moved_first=True)
        players[white].add(2 - result, moved_first=False)
        if (loser := game.at_fault) is not None:
            players[loser].faults[game.reason] += 1
        pair = (black, white) if black < white else (white, black)
        seen = result if black < white else 2 - result
        encounters.setdefault(pair, _Tally()).add(seen, moved_first=black < white)
    pairs: dict[tuple[int, int], list[int]] = {}
    for a, b, twice in pair_scores(listed):
        pairs.setdefault((a, b), [0] * 5)[twice] += 1
    return Standings(
        definition,
        listed,
        [tally.standing(n) for n, tally in enumerate(players)],
        [
            tally.encounter(a, b, pairs.get((a, b), [0] * 5))
            for (a, b), tally in sorted(encounters.items())
        ],
    )


def pair_scores(games: Iterable[MatchGame]) -> Iterator[tuple[int, int, int]]:
    """(a, b, twice the points of a) of each whole pair, a < b, in the order of their ends."""
    waiting: dict[tuple[int, int, int], float] = {}
    for game in games:
        a, b = sorted((game.black, game.white))
        key, points = (game.pair, a, b), game.points(a)
        other = waiting.pop(key, None)
        if other is None:
            waiting[key] = points
        else:
            yield a, b, round(2 * (points + other))


def game_scores(games: Iterable[MatchGame]) -> Iterator[GameScore]:
    """The games as `rate` takes them."""
    return (GameScore(game.black, game.white, game.score, game.pair) for game in games)


def sprt_state(test: Sprt, progress: MatchProgress) -> SprtState:
    """The state of a test that looks at whole pairs in the order of the schedule."""
    llr = test.llr(progress.counts)
    return SprtState(llr, test.lower, test.upper, progress.pairs, progress.decision)


class _Tally:
    """Counts games of one player, or of one against another, game by game."""

    def __init__(self) -> None:
        self.faults: Counter[str] = Counter()
        self._results = [0, 0, 0]  # losses, draws, wins
        self._black_games = 0
        self._black_halves = 0  # half points

    def add(self, halves: int, *, moved_first: bool) -> None:
        """A game that gave so many half points."""
        self._results[halves] += 1
        if moved_first:
            self._black_games += 1
            self._black_halves += halves

    def standing(self, player: int) -> Standing:
        losses, draws, wins = self._results
        faults = dict(sorted(self.faults.items()))
        black = self._black_games, self._black_halves / 2
        return Standing(player, wins, draws, losses, *black, faults)

    def encounter(self, a: int, b: int, pairs: list[int]) -> Encounter:
        losses, draws, wins = self._results
        return Encounter(a, b, wins, draws, losses, pairs, elo_of_pairs(pairs))


def _seen_by_other(found: Encounter) -> Encounter:
    pairs = found.pairs[::-1]
    wins, losses = found.losses, found.wins
    return Encounter(found.b, found.a, wins, found.draws, losses, pairs, elo_of_pairs(pairs))
