# SPDX-License-Identifier: MIT
"""Matches between nets on the accelerator, with the search of self-play: all games in parallel,
equal playouts for both nets, each opening twice with colours swapped. Hundreds of games with 64
playouts per move take seconds on a GPU. The engine itself plays in the arena (`fixed_opponents`).
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import torch
from torch import Tensor, nn

from tengen.arena.elo import elo_of_pairs, pair_counts
from tengen.arena.make_openings import Opening, draw_openings
from tengen.arena.openings import bundled_openings
from tengen.game.rule import Rule
from tengen.nets.blocks import BoardNet
from tengen.nets.weights import NetWeights
from tengen.zero.config import ZeroConfig
from tengen.zero.play.selfplay import PlayedGame, SelfPlay, SelfPlaySettings


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
        """For the journal. JSON has no infinities, so these are omitted."""
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
MatchFactory: TypeAlias = Callable[[ZeroConfig, torch.device], Match]


def make_match(config: ZeroConfig, device: torch.device, playouts: int = 0) -> Match:
    """Matches under the rule of a run; `playouts` per move, 0: those of its gate. The default
    `MatchFactory`.
    """

    def play(
        first: Sequence[NetWeights],
        second: Sequence[NetWeights],
        games: int,
        seed: int,
        stop: Callable[[], bool],
    ) -> NetMatchResult | None:
        nets = (join_nets(first), join_nets(second))
        return play_net_match(
            config, nets, device, games=games, seed=seed, playouts=playouts, stop=stop
        )

    return play


def play_net_match(
    config: ZeroConfig,
    nets: tuple[nn.Module, nn.Module],
    device: torch.device,
    *,
    games: int,
    seed: int,
    playouts: int = 0,
    stop: Callable[[], bool] = lambda: False,
) -> NetMatchResult | None:
    """The result for the first net; None if stopped. An odd number of games is rounded up; there
    are fewer if there are not enough openings. Raises BadZero.

    Both colour assignments are played in turns: one advances while the net evaluates the leaves of
    the other. Each has its own order of batches, so results do not depend on timing.
    """
    openings = _choose_openings(config, -(-games // 2), seed)
    settings = _settings(config, playouts or config.gate.playouts, len(openings), seed)
    points = [[move.to_index(config.size) for move in opening] for opening in openings]
    with (
        SelfPlay(settings, str(device), by_mover=True) as as_black,
        SelfPlay(settings, str(device), by_mover=True) as as_white,
    ):
        as_black.set_nets(*nets)
        as_white.set_nets(*nets[::-1])
        active = [as_black, as_white]
        for games_of_colour in active:
            games_of_colour.start_games(points)
        while active:
            if stop():
                return None
            active = [playing for playing in active if playing.advance_games()]
        pairs = zip(as_black.finished_games(), as_white.finished_games(), strict=True)
        return NetMatchResult(pair_counts([(_points(a, 1), _points(b, 2)) for a, b in pairs]))


def _points(game: PlayedGame, colour: int) -> float:
    return 0.5 if game.winner == 0 else float(game.winner == colour)


def _settings(config: ZeroConfig, playouts: int, games: int, seed: int) -> SelfPlaySettings:
    """Full searches only; the best move is played."""
    return SelfPlaySettings(
        rule=config.rule,
        size=config.size,
        games=games,
        groups=1,  # few, large batches: the other colour assignment advances meanwhile
        threads=int(config.selfplay.get("threads", 0)),
        seed=seed,
        playouts=playouts,
        full_share=1.0,
        temperature=0.0,
        late_temperature=0.0,
        won_share=0.0,
        faced_share=0.0,
        reuse=False,
        # Batches shrink as games end: capturing each length costs more than it saves, and nothing
        # else in the process may use the device during a capture.
        graphs=False,
    )


def _choose_openings(config: ZeroConfig, pairs: int, seed: int) -> list[Opening]:
    """Distinct balanced bundled openings if there are some, else random ones."""
    rule = Rule.parse(config.rule)
    openings = list(bundled_openings(rule, config.size))
    if not openings:
        drawn = draw_openings(seed, config.size, rule, (3, 5), 2)
        openings = [opening for _, opening in zip(range(pairs), drawn, strict=False)]
    random.Random(f"pairs {seed}").shuffle(openings)
    return list(dict.fromkeys(openings[:pairs]))


class BothColours(nn.Module):
    """Two nets as one: black's is used where both sides have equally many stones."""

    def __init__(self, black: BoardNet, white: BoardNet) -> None:
        super().__init__()
        self.black, self.white = black, white
        self.outputs = black.outputs

    def forward(self, planes: Tensor) -> dict[str, Tensor]:
        stones = planes.sum((2, 3))
        turn = stones[:, 0] >= stones[:, 1]
        first, second = self.black(planes), self.white(planes)
        return {
            name: torch.where(turn.view(-1, *[1] * (first[name].dim() - 1)), first[name], other)
            for name, other in second.items()
        }


def join_nets(nets: Sequence[NetWeights]) -> BoardNet:
    """A player's nets as one module. Both evaluate every leaf: batches are so small that half of
    one takes as long, and splitting would need a synchronisation with the device.
    """
    made = [net.make() for net in nets]
    return made[0] if len(made) == 1 else cast("BoardNet", BothColours(*made))
