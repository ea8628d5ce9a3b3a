# SPDX-License-Identifier: MIT
"""Generations of a run against fixed opponents, played by the arena with the engine's own search:
the numbers that can be published. Relies on the export to ONNX and on the arena; the command line
relies on it, the report shows it.

A run with one net for each colour is exported as one file that holds both, and asks the one whose
turn the stones tell.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import torch
from torch import Tensor, nn

from tengen.arena import Definition, Player, TimeControl, standings
from tengen.arena.game import MatchGame
from tengen.engine.options import DEFAULT_PRESET
from tengen.export.onnx import export_onnx
from tengen.game.rule import Rule
from tengen.nets.blocks import BoardNet
from tengen.zero.arena_match import play_in
from tengen.zero.folder import Generation, ZeroFolder
from tengen.zero.results import keep_results, result_row

__all__ = ["export_generation", "play_versus"]


class BothColours(nn.Module):
    """Two nets as one: black's answers where as many own stones as others are on the board."""

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


def export_generation(folder: ZeroFolder, generation: Generation, path: Path) -> None:
    """Write a generation as an ONNX file that the engine plays. Raises BadNet, OSError."""
    config = folder.config
    nets = [net.make() for net in generation.nets(config.players)]
    net = nets[0] if len(nets) == 1 else cast("BoardNet", BothColours(*nets))
    path.parent.mkdir(parents=True, exist_ok=True)
    about = {"run": folder.run, "ships": str(folder.ships).lower()}
    name = f"{folder.path.name}-{generation.number:04d}"
    rule = Rule.parse(config.rule)
    export_onnx(net, path, config.size, rules=[rule], sizes=[config.size], name=name, about=about)


def play_versus(
    folder: ZeroFolder,
    chosen: Sequence[Generation],
    against: str,
    limit: TimeControl,
    *,
    pairs: int,
    processes: int = 1,
    stop: Callable[[], bool] = lambda: False,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[dict[str, Any]]:
    """Let generations play an opponent, as the arena names players; the same call again goes on
    where it was broken off. The rows are kept in the run's folder, and all of them are returned.
    """
    config, place = folder.config, folder.path / "elo"
    players = []
    for generation in chosen:
        file = place / f"{generation.number:04d}.onnx"
        if not file.exists():
            export_generation(folder, generation, file)
        name = f"generation-{generation.number}"
        options = {"search": "mcts", "net": str(file)}
        players.append(Player(name, DEFAULT_PRESET, options=options))
    opponent = Player.parse(against)
    rule = Rule.parse(config.rule)
    definition = Definition(
        (opponent, *players),
        kind="gauntlet" if len(players) > 1 else "match",
        rule=rule,
        size=config.size,
        pairs=pairs,
        limit=limit,
        openings="balanced",
    )
    games = _played(place, definition, processes, stop, progress)
    found = standings(definition, games)
    rows = []
    for number, generation in enumerate(chosen, 1):
        met = found.between(number, 0)
        if met is not None and met.games:
            told = met.games, met.points, met.elo
            rows.append(result_row(generation, against, opponent.limit or limit, told))
    return keep_results(folder, rows)


def _played(
    place: Path,
    definition: Definition,
    processes: int,
    stop: Callable[[], bool],
    progress: Callable[[int, int], None],
) -> list[MatchGame]:
    told = json.dumps(definition.to_dict(), sort_keys=True)
    path = place / hashlib.sha256(told.encode()).hexdigest()[:12]

    @contextmanager
    def watch(_: Definition, total: int, games: Sequence[MatchGame]) -> Iterator[_Counting]:
        yield _Counting(progress, total)

    arena = play_in(path, definition, processes, stop=stop, watch=watch)
    return [] if arena is None else list(arena.games)


class _Counting:
    """Tells how many games there are."""

    def __init__(self, progress: Callable[[int, int], None], total: int) -> None:
        self._progress, self._total = progress, total

    def update(self, games: Sequence[MatchGame]) -> None:
        self._progress(len(games), self._total)
