# SPDX-License-Identifier: MIT
"""The arena: matches, tournaments, their statistics and reports. See docs/arena.md."""

from tengen.arena.control import TimeControl
from tengen.arena.definition import Definition
from tengen.arena.elo import Elo, elo_of_games, elo_of_pairs
from tengen.arena.errors import ArenaFailed, BadArena, BadRun, FolderLocked
from tengen.arena.game import MatchGame, MoveReport
from tengen.arena.match_folder import MatchFolder
from tengen.arena.match_runner import run_match
from tengen.arena.openings import openings_for
from tengen.arena.player import Player
from tengen.arena.ratings import GameScore, Ratings, rate
from tengen.arena.sprt import Sprt
from tengen.arena.standings import Standings, standings
from tengen.util.deprecation import deprecated_names

__all__ = [
    "ArenaFailed",
    "BadArena",
    "BadRun",
    "Definition",
    "Elo",
    "FolderLocked",
    "GameScore",
    "MatchFolder",
    "MatchGame",
    "MoveReport",
    "Player",
    "Ratings",
    "Sprt",
    "Standings",
    "TimeControl",
    "elo_of_games",
    "elo_of_pairs",
    "openings_for",
    "rate",
    "run_match",
    "standings",
]

__getattr__ = deprecated_names(
    __name__,
    {
        "ArenaBusy": "FolderLocked",
        "BadState": "BadRun",
        "Folder": "MatchFolder",
        "Game": "MatchGame",
        "Told": "MoveReport",
        "run": "run_match",
    },
)
