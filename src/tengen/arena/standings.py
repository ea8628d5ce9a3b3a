# SPDX-License-Identifier: MIT
"""Standings: finished games by player, encounter, opening and ending, and the move times of each
player. Pure functions of a definition and its games.

Elo and its error come from whole pairs, the same opening with colours swapped; wins, draws and
losses count every game. An SPRT counts whole pairs in the order of the schedule: short games end
first, so counting games as they end would depend on their length and on the number of cores.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from tengen.arena.definition import Definition, opponents
from tengen.arena.elo import Elo, elo_of_pairs, percentile
from tengen.arena.game import REASONS, MatchGame, MoveReport
from tengen.arena.ratings import GameScore, Ratings, rate
from tengen.arena.sprt import Sprt


class MatchProgress:
    """The SPRT of a run while its games finish. It counts pairs in the order of the schedule: one
    that is complete waits until all before it are.
    """

    def __init__(self, definition: Definition, games: Iterable[MatchGame] = ()) -> None:
        self.sprt = definition.sprt
        self.counts = [0] * 5  # of the pairs that the SPRT has counted, by points
        self.decision: str | None = None  # "H0", "H1"
        self.pairs = 0  # that the SPRT has counted
        self._half_pairs: dict[int, MatchGame] = {}  # the finished game of a pair, by pair
        self._waiting: dict[int, int] = {}  # half points of complete pairs that are not counted yet
        for game in games:
            self.add(game)

    @property
    def is_decided(self) -> bool:
        return self.decision is not None

    def add(self, game: MatchGame) -> None:
        other = self._half_pairs.pop(game.pair, None)
        if other is None:
            self._half_pairs[game.pair] = game
            return
        self._waiting[game.pair] = round(2 * (game.points(0) + other.points(0)))
        while self.sprt and not self.is_decided and self.pairs in self._waiting:
            self.counts[self._waiting.pop(self.pairs)] += 1
            self.pairs += 1
            self.decision = self.sprt.decide(self.counts)


def counted(definition: Definition, games: Iterable[MatchGame]) -> list[MatchGame]:
    """The games that count, by number: all, or with an SPRT those up to its decision. Games that
    were in progress at the decision are stored but do not count.
    """
    ordered = sorted(games, key=lambda game: game.number)
    progress = MatchProgress(definition, ordered)
    if not progress.is_decided:
        return ordered
    return [game for game in ordered if game.pair < progress.pairs]


@dataclass(slots=True)
class Tally:
    """Counts of games."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    def add(self, points: float) -> None:
        """Count a game with 0, 0.5 or 1 point."""
        self.wins += points == 1
        self.draws += points == 0.5
        self.losses += points == 0

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        return self.wins + self.draws / 2

    @property
    def share(self) -> float:
        """Share of the points, 0 to 1; a half before the first game."""
        return self.points / self.games if self.games else 0.5


@dataclass(slots=True)
class Standing(Tally):
    """The games of a player, with both colours."""

    player: int = 0
    as_black: Tally = field(default_factory=Tally)
    faults: Counter[str] = field(default_factory=Counter)  # games lost by its errors, by reason


@dataclass(slots=True)
class Encounter(Tally):
    """The games between two players, seen by the first of them."""

    a: int = 0
    b: int = 1
    pairs: list[int] = field(default_factory=lambda: [0] * 5)  # whole pairs by half points, 0 to 4

    @property
    def elo(self) -> Elo:
        """Of the whole pairs."""
        return elo_of_pairs(self.pairs)

    def swapped(self) -> Encounter:
        """The same, seen by the other player."""
        return Encounter(self.losses, self.draws, self.wins, self.b, self.a, self.pairs[::-1])


@dataclass(frozen=True, slots=True)
class SprtState:
    """The state of a sequential test."""

    llr: float
    lower: float  # where H0 is accepted
    upper: float  # where H1 is accepted
    pairs: int  # that it has counted
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
        met = self._by_players.get((min(a, b), max(a, b)))
        return met if met is None or a < b else met.swapped()

    @cached_property
    def _by_players(self) -> dict[tuple[int, int], Encounter]:
        return {(met.a, met.b): met for met in self.encounters}

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
    def first_mover(self) -> Tally:
        """The results of black over all games."""
        total = Tally()
        for game in self.games:
            total.add(game.score)
        return total

    @cached_property
    def openings(self) -> dict[int, Tally]:
        """The results of black with each opening that was played, by its index."""
        tallies: dict[int, Tally] = {}
        for game in self.games:
            if game.opening >= 0:
                tallies.setdefault(game.opening, Tally()).add(game.score)
        return dict(sorted(tallies.items()))

    @cached_property
    def sprt(self) -> SprtState | None:
        """The state of the definition's test; None if it has none."""
        if self.definition.sprt is None:
            return None
        return sprt_state(self.definition.sprt, MatchProgress(self.definition, self.games))


def standings(definition: Definition, games: Iterable[MatchGame]) -> Standings:
    """Count the games of a match or tournament, finished or running."""
    listed = list(games)
    players = [Standing(player=n) for n in range(len(definition.players))]
    encounters = {(a, b): Encounter(a=a, b=b) for a, b in opponents(definition)}
    for game in listed:
        for player in (game.black, game.white):
            players[player].add(game.points(player))
        players[game.black].as_black.add(game.score)
        if (loser := game.at_fault) is not None:
            players[loser].faults[game.reason] += 1
        a, b = sorted((game.black, game.white))
        encounters.setdefault((a, b), Encounter(a=a, b=b)).add(game.points(a))
    for a, b, half_points in pair_scores(listed):
        encounters[a, b].pairs[half_points] += 1
    return Standings(definition, listed, players, [met for _, met in sorted(encounters.items())])


def pair_scores(games: Iterable[MatchGame]) -> Iterator[tuple[int, int, int]]:
    """(a, b, half points of a) of each whole pair, a < b, in the order in which they ended."""
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
    """The state of a test that counts whole pairs in the order of the schedule."""
    llr = test.llr(progress.counts)
    return SprtState(llr, test.lower, test.upper, progress.pairs, progress.decision)


# --- move times ---


@dataclass(frozen=True, slots=True)
class Timing:
    """A player's moves after the opening. Times are in seconds, by the arena's clock."""

    moves: int
    median: float  # 0 without moves, as all times here
    p99: float  # 99% of the moves took no longer
    p999: float
    worst: float
    limit: float | None  # per move; None: there is none, or only a clock
    late: int  # moves beyond the limit, within the tolerance or not
    overshoot: float  # of the latest one, in seconds beyond the limit
    depth: float | None  # mean of the moves that report one
    speed: float | None  # nodes per second in the moves that report nodes


def reports_by_player(games: Iterable[MatchGame], players: int) -> list[list[MoveReport]]:
    """The reports of all moves after the openings, by player."""
    reports: list[list[MoveReport]] = [[] for _ in range(players)]
    for game in games:
        start = game.opening_moves % 2  # 1: white makes the first move after the opening
        reports[game.black] += game.reports[start::2]
        reports[game.white] += game.reports[1 - start :: 2]
    return reports


def timings(games: Iterable[MatchGame], limits: Sequence[float | None]) -> list[Timing]:
    """The figures of each player; `limits` are their seconds per move."""
    reports = reports_by_player(games, len(limits))
    return [_timing(moves, limit) for moves, limit in zip(reports, limits, strict=True)]


def _timing(reports: Sequence[MoveReport], limit: float | None) -> Timing:
    seconds = sorted(t.seconds for t in reports)
    depths = [t.depth for t in reports if t.depth]
    searched = [t for t in reports if t.nodes]
    nodes, busy = sum(t.nodes for t in searched), sum(t.seconds for t in searched)
    median, p99, p999, worst = (
        percentile(seconds, percent) if seconds else 0.0 for percent in (50, 99, 99.9, 100)
    )
    return Timing(
        moves=len(seconds),
        median=median,
        p99=p99,
        p999=p999,
        worst=worst,
        limit=limit,
        late=0 if limit is None else sum(s > limit for s in seconds),
        overshoot=0.0 if limit is None else max(0.0, worst - limit),
        depth=sum(depths) / len(depths) if depths else None,
        speed=nodes / busy if busy > 0 else None,
    )
