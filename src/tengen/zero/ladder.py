# SPDX-License-Identifier: MIT
"""Elo over time from quick matches: generations of a run against each other, rated all together.
Relies on matches and the arena's ratings; the command line relies on it, the report shows it.

Neighbours play each other, and those two and four places apart too, so that the errors of a long
chain do not add up.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from tengen.arena.ratings import GameScore, rate
from tengen.game import records
from tengen.zero.errors import BadZero
from tengen.zero.folder import Generation, ZeroFolder
from tengen.zero.gate import MatchMaker, Verdict, hold_match
from tengen.zero.report import LADDER, read_table_file

__all__ = ["hold_ladder", "spread_out"]

_APART = (1, 2, 4)
# The scores of the two games of a pair, by its half points: which of the two is lost does not
# matter to a rating of players who both have black once.
_SCORES = ((0.0, 0.0), (0.0, 0.5), (0.0, 1.0), (0.5, 1.0), (1.0, 1.0))


def spread_out(every: Sequence[Generation], most: int) -> list[Generation]:
    """At most so many generations, evenly spread, the first and the last among them."""
    if len(every) <= most:
        return list(every)
    places = sorted({round(n * (len(every) - 1) / (most - 1)) for n in range(most)})
    return [every[place] for place in places]


def hold_ladder(
    folder: ZeroFolder,
    device: torch.device,
    *,
    players: int = 12,
    games: int = 128,
    stop: Callable[[], bool] = lambda: False,
    progress: Callable[[str], None] = lambda words: None,
    match: MatchMaker = hold_match,
) -> list[dict[str, Any]]:
    """Play, rate, and keep the rows in the run's folder: Elo over the first generation, with 95%
    errors. One that `stop` ends does not take the place of one with more games, and who has played
    no match by then has no row. Raises BadZero if there is nothing to compare.
    """
    chosen = spread_out(folder.generations(), max(2, players))
    if len(chosen) < 2:
        raise BadZero(f"{folder.path} has one generation: there is nothing to compare yet")
    play = match(folder.config, device)
    nets = [generation.nets(folder.config.players) for generation in chosen]
    scores: list[GameScore] = []
    matches = [(a + apart, a) for apart in _APART for a in range(len(chosen) - apart)]
    wanted = len(matches)
    for b, a in matches:
        if stop():
            break
        verdict = play(nets[b], nets[a], games, folder.config.seed + 1000 * a + b, stop)
        if verdict is None:
            break
        wanted -= 1
        scores += _scores(verdict, b, a, len(scores))
        words = f"generation {chosen[b].number} against {chosen[a].number}"
        progress(f"{words}: {verdict.share:.1%} of {verdict.games} games")
    if not scores:
        return []
    found = rate(scores, len(chosen), anchor=0, advantage=False)
    rows = [
        {
            "generation": generation.number,
            "seconds": generation.about.get("seconds", 0.0),
            "step": generation.about.get("step", 0),
            "elo": round(found.elo[n], 1),
            "error": round(found.error[n], 1),
            "games": found.games[n],
        }
        for n, generation in enumerate(chosen)
        if found.games[n]
    ]
    if wanted and _played(read_table_file(folder, LADDER)) > _played(rows):
        progress(f"ended with {wanted} matches left: {LADDER} keeps the ladder of before")
        return rows
    text = json.dumps({"rows": rows}, indent=1) + "\n"
    records.write_text(text, folder.path / LADDER)
    return rows


def _played(rows: Sequence[Mapping[str, Any]]) -> int:
    return sum(int(row.get("games", 0)) for row in rows)


def _scores(verdict: Verdict, first: int, second: int, pair: int) -> list[GameScore]:
    """The games of a match for the ratings."""
    found = []
    for halves, number in enumerate(verdict.pairs):
        for _ in range(number):
            one, other = _SCORES[halves]
            found.append(GameScore(first, second, one, pair))
            found.append(GameScore(second, first, 1.0 - other, pair))
            pair += 1
    return found
