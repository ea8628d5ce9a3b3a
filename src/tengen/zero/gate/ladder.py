# SPDX-License-Identifier: MIT
"""Elo over time from net matches: generations of a run against each other, rated together, or
against one net. Generations one, two and four steps apart play, so that the errors of a long chain
do not add up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import torch

from tengen.arena.ratings import GameScore, rate
from tengen.zero.errors import BadZero
from tengen.zero.gate.fixed_opponents import result_row, store_results
from tengen.zero.gate.gatekeeper import MatchFactory, make_match, match_config
from tengen.zero.gate.net_match import NetMatchResult, play_net_match
from tengen.zero.gate.net_players import find_player
from tengen.zero.zero_folder import LADDER, Generation, ZeroFolder

_DISTANCES = (1, 2, 4)
# Scores of the two games of a pair by its half points: which of the two is lost does not matter to
# a rating of players who both have black once.
_SCORES = ((0.0, 0.0), (0.0, 0.5), (0.0, 1.0), (0.5, 1.0), (1.0, 1.0))
_NET_SUFFIXES = (".pt", ".net")


def spread_out(generations: Sequence[Generation], count: int) -> list[Generation]:
    """At most `count` generations, evenly spread, including the first and the last."""
    if len(generations) <= count:
        return list(generations)
    indices = sorted({round(n * (len(generations) - 1) / (count - 1)) for n in range(count)})
    return [generations[n] for n in indices]


def play_ladder(
    folder: ZeroFolder,
    device: torch.device,
    *,
    players: int = 12,
    games: int = 128,
    playouts: int = 0,
    stop: Callable[[], bool] = lambda: False,
    report: Callable[[str], None] = lambda text: None,
    match: MatchFactory | None = None,
) -> list[dict[str, Any]]:
    """Play, rate, and store the rows in the run's folder: Elo relative to the first generation,
    with 95% errors. A stopped ladder does not replace one with more games, and generations without
    games have no row. Raises BadZero with fewer than two generations.
    """
    chosen = spread_out(folder.generations(), max(2, players))
    if len(chosen) < 2:
        raise BadZero(f"{folder.path} has fewer than two generations: nothing to compare yet")
    play = (match or partial(make_match, playouts=playouts))(folder.config, device)
    nets = [generation.nets(folder.config.net_names) for generation in chosen]
    scores: list[GameScore] = []
    matches = [(a + apart, a) for apart in _DISTANCES for a in range(len(chosen) - apart)]
    left = len(matches)
    for b, a in matches:
        if stop():
            break
        result = play(nets[b], nets[a], games, folder.config.seed + 1000 * a + b, stop)
        if result is None:
            break
        left -= 1
        scores += _scores(result, b, a, len(scores))
        report(f"generation {chosen[b].number} against {chosen[a].number}: {_score(result)}")
    if not scores:
        return []
    rating = rate(scores, len(chosen), anchor=0, advantage=False)
    rows = [
        {
            "generation": generation.number,
            "seconds": generation.metadata.get("seconds", 0.0),
            "step": generation.metadata.get("step", 0),
            "elo": round(rating.elo[n], 1),
            "error": round(rating.error[n], 1),
            "games": rating.games[n],
        }
        for n, generation in enumerate(chosen)
        if rating.games[n]
    ]
    if left and _total_games(folder.read_results(LADDER)) > _total_games(rows):
        report(f"stopped with {left} matches left: {LADDER} keeps the earlier ladder")
    else:
        folder.write_results(LADDER, rows)
    return rows


def _score(result: NetMatchResult) -> str:
    return f"{result.share:.1%} of {result.games} games"


def _total_games(rows: Sequence[Mapping[str, Any]]) -> int:
    return sum(int(row.get("games", 0)) for row in rows)


def _scores(result: NetMatchResult, first: int, second: int, pair: int) -> list[GameScore]:
    """The games of a match for the ratings."""
    scores = []
    for halves, number in enumerate(result.pairs):
        for _ in range(number):
            one, other = _SCORES[halves]
            scores.append(GameScore(first, second, one, pair))
            scores.append(GameScore(second, first, 1.0 - other, pair))
            pair += 1
    return scores


def is_net(against: str) -> bool:
    """Whether this names a net or a run, not a player of the arena."""
    return against.endswith(_NET_SUFFIXES) or ZeroFolder.has_run(Path(against))


def play_net(
    folder: ZeroFolder,
    chosen: Sequence[Generation],
    against: Path,
    device: torch.device,
    *,
    games: int,
    playouts: int = 0,
    stop: Callable[[], bool] = lambda: False,
    report: Callable[[str], None] = lambda text: None,
) -> list[dict[str, Any]]:
    """Let generations play a net at equal playouts: any net file that can be loaded, or the newest
    generation of a run. Stores the rows in the run's folder and returns all of them. Raises BadNet,
    BadWeights, BadZero.
    """
    config, rows = match_config(folder.config, playouts), []
    config = replace(config, games=games)
    player = find_player(str(against), config, report)
    other = player.load()
    for generation in chosen:
        if stop():
            break
        nets = generation.nets(folder.config.net_names)
        result = play_net_match(config, nets, other, device, stop=stop)
        if result is None:
            break
        limit = f"{config.playouts} playouts"
        rows.append(result_row(generation, player.name, limit, result))
        report(f"generation {generation.number} against {player.name}: {_score(result)}")
    return store_results(folder, rows)
