# SPDX-License-Identifier: MIT
"""Generations of a run against fixed opponents. `play_opponent` uses the arena and the engine's
search; these numbers can be published. `elo.json` of a run also has the results against nets.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, Protocol

from tengen.arena import (
    Definition,
    MatchFolder,
    Player,
    TimeControl,
    openings_for,
    run_match,
    standings,
)
from tengen.arena.definition import total_games
from tengen.arena.elo import Elo, elo_of_pairs
from tengen.arena.game import MatchGame
from tengen.cluster import LocalCluster
from tengen.engine.options import DEFAULT_PRESET
from tengen.export.onnx import export_onnx
from tengen.game.rule import Rule
from tengen.zero.gate.joined_nets import join_nets
from tengen.zero.gate.net_match import NetMatchResult
from tengen.zero.zero_folder import FIXED_OPPONENTS, Generation, ZeroFolder

_GRACE = 60.0  # seconds a worker may take beyond the slowest move


class MatchView(Protocol):
    def update(self, games: Sequence[MatchGame]) -> None:
        """Show the games so far."""


# Makes a view from the definition, the number of all games, and the games played already.
ArenaProgress = Callable[[Definition, int, Sequence[MatchGame]], AbstractContextManager[MatchView]]


def play_arena_match(
    path: Path,
    definition: Definition,
    processes: int,
    *,
    stop: Callable[[], bool] = lambda: False,
    progress: ArenaProgress | None = None,
    report: Callable[[str], None] = lambda text: None,
) -> MatchFolder | None:
    """Play the games of a definition that the folder lacks, until `stop`; None: stopped before
    there were openings. A folder that was moved uses the players of the new definition. Raises
    BadArena, BadRun, ArenaFailed, OSError.
    """
    timeout = definition.untimed_move_timeout + definition.response_grace + _GRACE
    with LocalCluster(processes, timeout) as cluster:
        if (path / "arena.json").exists():
            arena = MatchFolder.read(path)
            arena.definition = definition
        else:
            openings = openings_for(definition, cluster, stop=stop, warn=report)
            if stop():
                return None
            arena = MatchFolder.create(path, definition, openings)
        total = total_games(definition)
        shown = progress(definition, total, arena.games) if progress else nullcontext()
        with arena.open_event_log(), shown as view:
            show = (lambda _: view.update(arena.games)) if view else (lambda _: None)
            run_match(arena, cluster, stop=stop, on_game=show)
    return arena


def play_opponent(
    folder: ZeroFolder,
    chosen: Sequence[Generation],
    against: str,
    limit: TimeControl,
    *,
    pairs: int,
    processes: int = 1,
    stop: Callable[[], bool] = lambda: False,
    progress: ArenaProgress | None = None,
) -> list[dict[str, Any]]:
    """Let generations play an opponent, named as in the arena; the same call resumes a stopped one.
    Stores the rows in the run's folder and returns all of them.
    """
    config, elo_folder = folder.config, folder.path / "elo"
    players = []
    for generation in chosen:
        file = elo_folder / f"{generation.number:04d}.onnx"
        if not file.exists():
            _export_generation(folder, generation, file)
        options = {"search": "mcts", "net": str(file)}
        players.append(Player(f"generation-{generation.number}", DEFAULT_PRESET, options=options))
    opponent = Player.parse(against)
    definition = Definition(
        (opponent, *players),
        kind="gauntlet" if len(players) > 1 else "match",
        rule=Rule.parse(config.rule),
        size=config.size,
        pairs=pairs,
        limit=limit,
        openings="balanced",
    )
    key = json.dumps(definition.to_dict(), sort_keys=True)
    path = elo_folder / hashlib.sha256(key.encode()).hexdigest()[:12]
    arena = play_arena_match(path, definition, processes, stop=stop, progress=progress)
    table = standings(definition, [] if arena is None else list(arena.games))
    rows = []
    for number, generation in enumerate(chosen, 1):
        met = table.between(number, 0)
        if met is not None and met.games:
            result = met.games, met.points, met.elo
            rows.append(result_row(generation, against, opponent.limit or limit, result))
    return store_results(folder, rows)


def _export_generation(folder: ZeroFolder, generation: Generation, path: Path) -> None:
    """Write a generation as an ONNX file for the engine. Raises BadNet, OSError."""
    config = folder.config
    path.parent.mkdir(parents=True, exist_ok=True)
    export_onnx(
        join_nets(generation.nets(config.net_names)),
        path,
        config.size,
        rules=[Rule.parse(config.rule)],
        sizes=[config.size],
        name=f"{folder.path.name}-{generation.number:04d}",
        metadata={"run": folder.run, "redistributable": str(folder.redistributable).lower()},
    )


def result_row(
    generation: Generation,
    against: str,
    limit: TimeControl | str,
    result: NetMatchResult | tuple[int, float, Elo],
) -> dict[str, Any]:
    """The row of a match; `result` of the arena is (games, points, Elo)."""
    if isinstance(result, NetMatchResult):
        result = result.games, result.share * result.games, elo_of_pairs(result.pairs)
    games, points, elo = result
    # Without a finite error, as after one game, the Elo is meaningless.
    numbers = {"elo": elo.elo, "error": elo.error} if math.isfinite(elo.error) else {}
    return {
        "generation": generation.number,
        "seconds": generation.metadata.get("seconds", 0.0),
        "against": against,
        "limit": str(limit),
        "games": games,
        "points": points,
        **{name: round(v, 1) for name, v in numbers.items() if math.isfinite(v)},
    }


def store_results(folder: ZeroFolder, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Add rows to those of the run and return all. Of two rows with the same generation, opponent
    and limit the newer one stays, unless it has fewer games. Raises OSError.
    """
    merged: dict[Any, dict[str, Any]] = {}
    for row in (*folder.read_results(FIXED_OPPONENTS), *rows):
        key = (row.get("generation"), row.get("against"), row.get("limit"))
        if _games(row) >= _games(merged.get(key, {})):
            merged[key] = dict(row)
    every = sorted(merged.values(), key=lambda row: (str(row["against"]), row["generation"]))
    folder.write_results(FIXED_OPPONENTS, every)
    return every


def _games(row: Mapping[str, Any]) -> int:
    """Of a row that may have been edited by hand."""
    games = row.get("games")
    return games if isinstance(games, int) else 0
