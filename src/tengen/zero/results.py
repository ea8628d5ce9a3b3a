# SPDX-License-Identifier: MIT
"""`elo.json` of a run: results of generations against fixed opponents. Relies on the folder; the
matches that make them rely on it, the report shows them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from tengen.arena.control import TimeControl
from tengen.arena.elo import Elo, elo_of_pairs
from tengen.game import records
from tengen.zero.folder import Generation, ZeroFolder
from tengen.zero.gate import Verdict
from tengen.zero.report import MATCHES, read_table_file

__all__ = ["keep_results", "result_row"]


def result_row(
    generation: Generation,
    against: str,
    limit: TimeControl | str,
    found: Verdict | tuple[int, float, Elo],
) -> dict[str, Any]:
    """What is told of a match of a generation: of a quick one, or games, points and Elo."""
    if isinstance(found, Verdict):
        found = found.games, found.share * found.games, elo_of_pairs(found.pairs)
    games, points, elo = found
    # Without an error there is nothing to tell: of one game alone the Elo is any number.
    numbers = {"elo": elo.elo, "error": elo.error} if math.isfinite(elo.error) else {}
    return {
        "generation": generation.number,
        "seconds": generation.about.get("seconds", 0.0),
        "against": against,
        "limit": str(limit),
        "games": games,
        "points": points,
        **{name: round(v, 1) for name, v in numbers.items() if math.isfinite(v)},
    }


def keep_results(folder: ZeroFolder, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Add rows to those of the run; of two of the same generation, opponent and limit the newer one
    stays, unless it was broken off with fewer games. Returns all of them. Raises OSError.
    """
    every: dict[Any, dict[str, Any]] = {}
    for row in (*read_table_file(folder, MATCHES), *rows):
        key = (row.get("generation"), row.get("against"), row.get("limit"))
        if _games(row) >= _games(every.get(key, {})):
            every[key] = dict(row)
    kept = sorted(every.values(), key=lambda row: (str(row["against"]), row["generation"]))
    records.write_text(json.dumps({"rows": kept}, indent=1) + "\n", folder.path / MATCHES)
    return kept


def _games(row: Mapping[str, Any]) -> int:
    """Of a row that may have been changed by hand."""
    games = row.get("games")
    return games if isinstance(games, int) else 0
