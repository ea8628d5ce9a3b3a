# SPDX-License-Identifier: MIT
"""Fixed opponents in quick matches: an engine of ours, several at once on the cores while the nets
are asked on the accelerator. Relies on the engine and on quick matches; the command line relies on
it, the report shows it.

Good for a curve over a run, in seconds and without a file for the engine: the nets play without a
search, so it tells how they grow, not how strong the engine is with them. That is for the arena.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any

import numpy as np
import torch

from tengen.arena.control import TimeControl
from tengen.arena.player import Player
from tengen.cluster import cores
from tengen.engine import Engine, Limit
from tengen.game.board import Board
from tengen.game.rule import Colour, Rule
from tengen.zero.errors import BadZero
from tengen.zero.folder import Generation, ZeroFolder
from tengen.zero.gate import make_team, play_match
from tengen.zero.match import Boards, Numbers
from tengen.zero.results import keep_results, result_row

__all__ = ["EngineSide", "play_fixed"]

_MEMORY = 32  # MiB of an engine: there is one for each core


class EngineSide:
    """An engine as a side of a match. `close` it."""

    def __init__(self, player: Player, limit: Limit, threads: int = 0) -> None:
        """Raises BadZero for a player that is a program of its own."""
        if not player.is_ours:
            raise BadZero(f"player {player.name!r} is no preset of ours: use `tengen zero elo`")
        self._limit = limit
        count = threads or cores()
        options = {"memory": _MEMORY, **player.options}
        self._engines = [Engine(**options) for _ in range(count)]
        self._free: SimpleQueue[Engine] = SimpleQueue()
        for engine in self._engines:
            self._free.put(engine)
        self._pool = ThreadPoolExecutor(count, "tengen-fixed")

    def choose(self, boards: Boards, sides: Boards, rule: Rule) -> Numbers:
        asked = [(boards[n], int(sides[n]), rule) for n in range(len(boards))]
        return np.array(list(self._pool.map(self._move, asked)), np.int64)

    def _move(self, asked: tuple[Boards, int, Rule]) -> int:
        cells, side, rule = asked
        engine = self._free.get()
        try:
            engine.new_game()  # what it knows of another game shall not help it
            board = Board.from_array(cells, Colour(side), rule)
            move = engine.play(board, self._limit).move
        finally:
            self._free.put(engine)
        return -1 if move.is_pass else move.to_index(len(cells))

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)
        for engine in self._engines:
            engine.close()


def play_fixed(
    folder: ZeroFolder,
    chosen: Sequence[Generation],
    against: str,
    limit: TimeControl,
    device: torch.device,
    *,
    games: int,
    stop: Callable[[], bool] = lambda: False,
    progress: Callable[[str], None] = lambda words: None,
) -> list[dict[str, Any]]:
    """Let generations play a fixed opponent, as the arena names players. The rows are kept in the
    run's folder, and all of them are returned. Raises BadZero, BadArena.
    """
    config, rows = folder.config, []
    player = Player.parse(against)
    own = player.limit or limit
    if own.clock is not None:
        raise BadZero(f"player {player.name!r} has a clock: use time, nodes or depth for a move")
    side = EngineSide(player, Limit(time=own.time, nodes=own.nodes, depth=own.depth))
    try:
        for generation in chosen:
            if stop():
                break
            team = make_team(config, generation.nets(config.players), device)
            verdict = play_match(config, team, side, games, config.seed, stop=stop)
            if verdict is None:
                break
            rows.append(result_row(generation, f"{against} (net without search)", own, verdict))
            words = f"generation {generation.number} against {against}"
            progress(f"{words}: {verdict.share:.1%} of {verdict.games} games")
    finally:
        side.close()
    return keep_results(folder, rows)
