# SPDX-License-Identifier: MIT
"""Elo over time from net matches: generations of a run against each other, rated together, or
against one net. Generations one, two and four steps apart play, so that the errors of a long chain
do not add up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import nn

from tengen.arena.ratings import GameScore, rate
from tengen.train.start import load_weights
from tengen.zero.errors import BadZero
from tengen.zero.gate import net_match
from tengen.zero.gate.fixed_opponents import result_row, store_results
from tengen.zero.gate.net_match import MatchFactory, NetMatchResult, join_nets
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
    make_match = match or partial(net_match.make_match, playouts=playouts)
    play = make_match(folder.config, device)
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
    generation of a run. Stores the rows in the run's folder and returns all of them. Raises
    BadWeights, BadZero.
    """
    config, rows = folder.config, []
    other, name, metadata = _read_net(against)
    rule, size = metadata.get("rule"), metadata.get("size")
    if rule is not None and (rule, size) != (config.rule, config.size):
        report(f"{name} is of {rule} {size}x{size}; it now plays {config.game}")
    for generation in chosen:
        if stop():
            break
        nets = (join_nets(generation.nets(config.net_names)), other)
        result = net_match.play_net_match(
            config, nets, device, games=games, seed=config.seed, playouts=playouts, stop=stop
        )
        if result is None:
            break
        limit = f"{playouts or config.gate.playouts} playouts"
        rows.append(result_row(generation, name, limit, result))
        report(f"generation {generation.number} against {name}: {_score(result)}")
    return store_results(folder, rows)


def _read_net(path: Path) -> tuple[nn.Module, str, Mapping[str, Any]]:
    """A net, its name, and its metadata."""
    if path.is_dir():
        run = ZeroFolder.read(path)
        newest = run.newest_generation()
        nets = newest.nets(run.config.net_names)
        return join_nets(nets), f"{path}, generation {newest.number}", newest.metadata
    weights = load_weights(str(path), "--against")
    return weights.make(), str(path), weights.metadata
