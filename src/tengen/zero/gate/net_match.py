# SPDX-License-Identifier: MIT
"""Matches between two nets on the accelerator, with the search of self-play or without search: all
games in parallel, equal playouts for both nets, each opening twice with colours swapped. Hundreds
of games with 64 playouts per move take seconds on a GPU. The engine itself plays in the arena
(`fixed_opponents`).
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeAlias

import torch
from torch import nn

from tengen.arena.elo import elo_of_pairs, pair_counts
from tengen.arena.make_openings import Opening, draw_openings
from tengen.arena.openings import bundled_openings
from tengen.cluster import cores
from tengen.game.rule import MAX_SIZE, MIN_SIZE, Rule
from tengen.nets.weights import NetWeights
from tengen.util.config import Config, setting, suggest
from tengen.zero.errors import BadZero
from tengen.zero.gate.joined_nets import join_nets
from tengen.zero.play.inference import Evaluator, SharedInference
from tengen.zero.play.policy_games import PolicyGames
from tengen.zero.play.selfplay import PlayedGame, SelfPlay, SelfPlaySettings

# Keys of self-play that a match may set, see `SelfPlaySettings`.
SEARCH_KEYS = (
    *("root", "considered", "gumbel_visits", "gumbel_scale", "c", "fpu"),
    *("leaf_vcf", "root_vcf", "symmetries"),
)


@dataclass(frozen=True, slots=True)
class NetMatchConfig(Config):
    """How nets play each other."""

    ERROR: ClassVar = BadZero

    rule: str = setting(
        "freestyle", convert=lambda text: str(Rule.parse(text)), help="of the games"
    )
    size: int = setting(15, min=MIN_SIZE, max=MAX_SIZE, help="board size")
    games: int = setting(256, min=1, max=100_000, help="of each two nets, two per opening")
    playouts: int = setting(
        64, min=0, max=10_000, help="per move; 0: no search, the move with the best prior"
    )
    seed: int = setting(1, min=0, max=2**62, help="of the openings and the searches")
    threads: int = setting(0, min=0, max=256, help="that advance games; 0: one per core")
    search: dict[str, Any] = setting(
        factory=dict, help=f"other keys of the search: {', '.join(SEARCH_KEYS)}"
    )

    def validate(self) -> None:
        for name in self.search:
            if name not in SEARCH_KEYS:
                raise BadZero(f"unknown key: {suggest(name, SEARCH_KEYS)}", f"search.{name}")
            if not self.playouts:
                raise BadZero("with 0 playouts there is no search", f"search.{name}")
        if self.playouts:
            try:
                self.selfplay(1)
            except BadZero as error:
                raise BadZero(error.problem, f"search.{error.key}") from None

    @property
    def game(self) -> str:
        """Rule and board, for messages."""
        return f"{self.rule} {self.size}x{self.size}"

    def selfplay(self, games: int) -> SelfPlaySettings:
        """Full searches only; the best move is played."""
        return SelfPlaySettings.from_dict(
            {
                **self.search,
                "rule": self.rule,
                "size": self.size,
                "games": games,
                "groups": 1,  # few, large batches: the other colour assignment advances meanwhile
                "threads": self.threads,
                "seed": self.seed,
                "playouts": self.playouts,
                "full_share": 1.0,
                "noise_share": 0.0,
                "temperature": 0.0,
                "late_temperature": 0.0,
                "won_share": 0.0,
                "faced_share": 0.0,
                "reuse": False,
            }
        )


@dataclass(frozen=True, slots=True)
class NetMatchResult:
    """The result of a match, from the first side's point of view."""

    pairs: tuple[int, int, int, int, int]  # game pairs with 0, 1/2, 1, 3/2 and 2 points

    @property
    def games(self) -> int:
        return 2 * sum(self.pairs)

    @property
    def share(self) -> float:
        """Of the points, 0 to 1; 0.5 without games."""
        points = sum(n * half for half, n in enumerate(self.pairs)) / 2
        return points / self.games if self.games else 0.5

    def to_dict(self) -> dict[str, Any]:
        """For the event log. JSON has no infinities, so these are omitted."""
        elo = elo_of_pairs(self.pairs)
        numbers = {"elo": elo.elo, "low": elo.low, "high": elo.high}
        finite = {name: round(v, 1) for name, v in numbers.items() if math.isfinite(v)}
        return {"pairs": list(self.pairs), "share": round(self.share, 4), **finite}


# (first, second, games, seed, stop) to the result; None if stopped. `stop` is checked between two
# batches.
Match: TypeAlias = Callable[
    [Sequence[NetWeights], Sequence[NetWeights], int, int, Callable[[], bool]],
    NetMatchResult | None,
]
# A player: its net or black's and white's, or a module with the outputs of `join_nets`.
PlayerNets: TypeAlias = Sequence[NetWeights] | nn.Module
# The games from each opening: the first player has black, the first player has white.
BothGames: TypeAlias = tuple[list[PlayedGame], list[PlayedGame]]


def play_net_match(
    config: NetMatchConfig,
    first: PlayerNets,
    second: PlayerNets,
    device: torch.device,
    *,
    stop: Callable[[], bool] = lambda: False,
) -> NetMatchResult | None:
    """The result for the first player; None if stopped. An odd number of games is rounded up; there
    are fewer if there are not enough openings. Raises BadZero, BadSpec, BadWeights, TrainingFailed.
    """
    nets = _module(first), _module(second)
    games = play_openings(config, choose_openings(config), nets, device, stop)
    if games is None:
        return None
    pairs = zip(*games, strict=True)
    return NetMatchResult(pair_counts([(_points(a, 1), _points(b, 2)) for a, b in pairs]))


def _module(player: PlayerNets) -> nn.Module:
    return player if isinstance(player, nn.Module) else join_nets(player)


def _points(game: PlayedGame, colour: int) -> float:
    return 0.5 if game.winner == 0 else float(game.winner == colour)


def choose_openings(config: NetMatchConfig) -> list[Opening]:
    """An opening for each two games: distinct balanced bundled ones if there are some, else random
    ones. Fewer if there are not enough.
    """
    rule, pairs = Rule.parse(config.rule), -(-config.games // 2)
    openings = list(bundled_openings(rule, config.size))
    if not openings:
        drawn = draw_openings(config.seed, config.size, rule, (3, 5), 2)
        openings = [opening for _, opening in zip(range(pairs), drawn, strict=False)]
    random.Random(f"pairs {config.seed}").shuffle(openings)
    return list(dict.fromkeys(openings[:pairs]))


def play_openings(
    config: NetMatchConfig,
    openings: Sequence[Opening],
    nets: tuple[nn.Module, nn.Module],
    device: torch.device,
    stop: Callable[[], bool] = lambda: False,
) -> BothGames | None:
    """The games of two players from these openings, which are distinct; None if stopped."""
    played = play_pairings(config, openings, nets, [(0, 1)], device, stop=stop)
    return next((games for _, games in played), None)


def play_pairings(
    config: NetMatchConfig,
    openings: Sequence[Opening],
    nets: Sequence[nn.Module],
    pairings: Sequence[tuple[int, int]],
    device: torch.device,
    *,
    stop: Callable[[], bool] = lambda: False,
) -> Iterator[tuple[int, BothGames]]:
    """The games of each two players, by their places in `nets`, from these distinct openings: the
    place of a pairing and its games, when they are finished; until `stop`. All pairings are played
    at once and share batches. On a GPU these are CUDA graphs: while several pairings are played,
    nothing else of the process may use the device.

    Both colour assignments are played in turns: one advances while the nets evaluate the leaves of
    the other. Each has its own order of batches, so results do not depend on timing.
    """
    if not openings:
        yield from ((place, ([], [])) for place in range(len(pairings)))
        return
    points = [[move.to_index(config.size) for move in opening] for opening in openings]
    swapped = [(second, first) for first, second in pairings]
    games_of = Counter(net for pairing in pairings for net in pairing)
    rows = [max(1, games_of[net] * len(openings)) for net in range(len(nets))]
    finished: list[dict[int, list[PlayedGame]]] = [{}, {}]
    with ExitStack() as stack:
        advancing = stack.enter_context(ThreadPoolExecutor(config.threads or cores()))
        sides = []
        for players in (pairings, swapped):
            # Urgent: each small batch waits for the last one. Those of one pairing shrink as games
            # end, and capturing each length costs more than it saves.
            options = {"graphs": len(pairings) > 1, "urgent": True}
            shared = SharedInference(nets, config.size, rows, device, **options)
            sides.append(stack.enter_context(closing(_Games(config, points, players, shared))))
        while any(side.active for side in sides):
            for side, done in zip(sides, finished, strict=True):
                if stop():
                    return
                done |= side.advance(advancing)
            for place in finished[0].keys() & finished[1].keys():
                yield place, (finished[0].pop(place), finished[1].pop(place))


class _Games:
    """The games of all pairings (black's net, white's net) in one of the colour assignments."""

    def __init__(
        self,
        config: NetMatchConfig,
        openings: Sequence[Sequence[int]],
        pairings: Sequence[tuple[int, int]],
        shared: SharedInference,
    ) -> None:
        if len(pairings) > 1:  # a thread advances the games of one
            config = replace(config, threads=1)
        self._shared = shared
        self.active: dict[int, SelfPlay | PolicyGames] = {}
        for place, pairing in enumerate(pairings):
            games = _make_games(config, len(openings), shared.share(*pairing))
            games.start_games(openings)
            self.active[place] = games
        shared.start()

    def advance(self, threads: ThreadPoolExecutor) -> dict[int, list[PlayedGame]]:
        """Advance all games, and start their next batches; returns the finished pairings."""
        self._shared.finish()
        playing = list(self.active.values())
        if len(playing) > 1:
            advancing = [threads.submit(games.advance_games) for games in playing]
            wait(advancing)  # all of them, before an error closes them
            unfinished = [one.result() for one in advancing]
        else:
            unfinished = [games.advance_games() for games in playing]
        self._shared.start()
        finished = {}
        for (place, games), is_unfinished in zip(
            list(self.active.items()), unfinished, strict=True
        ):
            if not is_unfinished:
                finished[place] = games.finished_games()
                self.active.pop(place).close()
        return finished

    def close(self) -> None:
        for games in self.active.values():
            games.close()
        self._shared.close()


def _make_games(config: NetMatchConfig, games: int, evaluator: Evaluator) -> SelfPlay | PolicyGames:
    if config.playouts:
        return SelfPlay(config.selfplay(games), by_mover=True, evaluator=evaluator)
    return PolicyGames(config.rule, config.size, games, evaluator, config.threads)
