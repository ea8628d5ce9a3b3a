# SPDX-License-Identifier: MIT
"""What a match has given so far: counts, Elo, figures of both players, as JSON and as a row of a
table; and the check of a written result by replaying its games.

Relies on `match_stats` for the numbers and on tengen's board for the replay.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from match_games import Game, Player, Thinking
from match_stats import Elo, elo_of_pairs, pair_counts, spread
from tengen import Board, Colour, TengenError

FAULTS = ("crash", "hang", "illegal", "time")
HEADINGS = (
    *("match", "rule", "limits", "games", "W/D/L", "pairs 0..2", "Elo [95%]", "LOS", "faults A/B"),
    *("depth A/B", "kn/s A/B", "ms a move A", "ms a move B"),
)


class Tally:
    """The games of one match, counted as they come. Only whole pairs count for the Elo."""

    def __init__(self, players: tuple[Player, Player]) -> None:
        self.players = players
        self.games: list[Game] = []
        self._halves: dict[int, float] = {}
        self._pairs: list[tuple[float, float]] = []
        self._thinking = (Thinking(), Thinking())

    def add(self, game: Game) -> None:
        self.games.append(game)
        if game.pair in self._halves:
            self._pairs.append((self._halves.pop(game.pair), game.score))
        else:
            self._halves[game.pair] = game.score
        for total, part in zip(self._thinking, game.thinking, strict=True):
            total.seconds += part.seconds
            total.depths += part.depths
            total.nodes += part.nodes
            total.counted += part.counted

    def wins_draws_losses(self) -> tuple[int, int, int]:
        scores = Counter(game.score for game in self.games)
        return scores[1.0], scores[0.5], scores[0.0]

    def pairs(self) -> list[int]:
        return pair_counts(self._pairs)

    def elo(self) -> Elo:
        return elo_of_pairs(self.pairs())

    def faults(self, side: str) -> dict[str, int]:
        """Kinds of errors of player "A" or "B", with their number."""
        found = Counter(game.reason for game in self.games if game.fault.startswith(side))
        return dict(found)

    def player_figures(self, side: int) -> dict[str, Any]:
        spent, player = self._thinking[side], self.players[side]
        seconds = spread(spent.seconds)
        times = {name: round(1000 * value, 3) for name, value in (seconds or {}).items()}
        limit = player.seconds
        late = (
            {name: round(value - 1000 * limit, 3) for name, value in times.items()}
            if limit
            else None
        )
        return {
            "player": player.text,
            "options": dict(player.options),
            "limits": dict(player.limits),
            "moves": len(spent.seconds),
            "mean_depth": _ratio(sum(spent.depths), len(spent.depths)),
            "nodes_per_second": _ratio(spent.nodes, spent.counted),
            "ms_per_move": times or None,
            "ms_over_limit": late or None,
            "faults": self.faults("AB"[side]),
        }

    def result(self) -> dict[str, Any]:
        wins, draws, losses = self.wins_draws_losses()
        elo = self.elo()
        return {
            "games": len(self.games),
            "wins": wins,
            "draws": draws,
            "losses": losses,
            "pairs": self.pairs(),
            "elo": _finite(elo.elo),
            "elo_low": _finite(elo.low),
            "elo_high": _finite(elo.high),
            "los": round(elo.los, 4),
            "endings": dict(Counter(game.reason for game in self.games)),
            "black_points": sum(abs(game.score - game.swapped) for game in self.games),
            "a": self.player_figures(0),
            "b": self.player_figures(1),
        }

    def words(self) -> str:
        """The state in one line."""
        wins, draws, losses = self.wins_draws_losses()
        return f"{len(self.games)} games +{wins} ={draws} -{losses}, Elo {self.elo()}"

    def row(self, name: str, rule: str) -> list[str]:
        a, b = self.player_figures(0), self.player_figures(1)
        limits = [" ".join(f"{k} {v:g}" for k, v in side["limits"].items()) for side in (a, b)]
        return [
            name,
            rule,
            limits[0] if limits[0] == limits[1] else " / ".join(limits),
            str(len(self.games)),
            "/".join(map(str, self.wins_draws_losses())),
            " ".join(map(str, self.pairs())),
            str(self.elo()),
            f"{self.elo().los:.1%}",
            " / ".join(_faults(side["faults"]) for side in (a, b)),
            " / ".join(f"{side['mean_depth']:g}" for side in (a, b)),
            " / ".join(f"{side['nodes_per_second'] / 1000:.0f}" for side in (a, b)),
            *(_times(side["ms_per_move"]) for side in (a, b)),
        ]


def _ratio(total: float, parts: float) -> float:
    return round(total / parts, 2) if parts else 0.0


def _finite(value: float) -> float | None:
    """Infinity has no place in JSON."""
    return round(value, 2) if math.isfinite(value) else None


def _faults(found: dict[str, int]) -> str:
    return ", ".join(f"{number} {kind}" for kind, number in found.items()) or "0"


def _times(times: dict[str, float] | None) -> str:
    """Median, 99.9% and worst."""
    return "-" if times is None else " ".join(f"{value:.1f}" for value in times.values())


def table(rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [HEADINGS, ["---"] * len(HEADINGS), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def match_json(definition: dict[str, Any], tally: Tally, ended: str) -> str:
    """One match with all its games. `ended` is "complete", "stopped" or "running"."""
    head = {"definition": definition, "ended": ended, "result": tally.result()}
    games = ",\n".join(json.dumps(_game_json(game)) for game in tally.games)
    return json.dumps(head)[:-1] + ',\n"games": [\n' + games + "\n]}"


def _game_json(game: Game) -> dict[str, Any]:
    return {
        "pair": game.pair,
        "a": "white" if game.swapped else "black",
        "opening": game.opening,
        "moves": " ".join(game.moves),
        "score": game.score,
        "reason": game.reason,
        "fault": game.fault,
    }


def check_result(match: dict[str, Any]) -> list[str]:
    """Replay every game of a written match; what does not agree, in words."""
    wrong, scores = [], Counter[float]()
    size, rule = match["definition"]["size"], match["definition"]["rule"]
    for number, game in enumerate(match["games"], 1):
        scores[game["score"]] += 1
        board = Board(size, rule, move_limit=size * size * 4 // 5)
        try:
            for move in game["moves"].split():
                board.push(move)
        except TengenError as error:
            wrong.append(f"game {number}: {error}")
            continue
        told = (game["reason"], game["score"])
        if found := _ending(board, game):
            wrong += [f"game {number}: told {told}, found {found}"] if told != found else []
        elif game["reason"] not in FAULTS or game["score"] != float(game["fault"][0] == "B"):
            wrong.append(f"game {number}: told {told}, but it is not over")
    result = match["result"]
    if [result["wins"], result["draws"], result["losses"]] != [scores[s] for s in (1.0, 0.5, 0.0)]:
        wrong.append(f"wins, draws and losses are {dict(scores)}")
    by_pair: dict[int, list[float]] = {}
    for game in match["games"]:
        by_pair.setdefault(game["pair"], []).append(game["score"])
    if pair_counts((p[0], p[1]) for p in by_pair.values() if len(p) == 2) != result["pairs"]:
        wrong.append("the counts of pairs do not agree with the games")
    return wrong


def _ending(board: Board, game: dict[str, Any]) -> tuple[str, float] | None:
    outcome = board.outcome()
    if outcome is None:
        return None
    if outcome.winner is None:
        return outcome.reason, 0.5
    return outcome.reason, float(outcome.winner is Colour.parse(game["a"]))
