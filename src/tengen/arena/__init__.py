# SPDX-License-Identifier: MIT
"""The arena: matches, tournaments, their statistics and reports. See docs/arena.md.

Relies on the engine, the solver, records and `tengen.cluster`; tuning and the command line rely on
it.
"""

from tengen.arena.control import TimeControl
from tengen.arena.definition import Definition
from tengen.arena.elo import Elo, elo_of_games, elo_of_pairs
from tengen.arena.errors import ArenaFailed, BadArena, BadRun, FolderBusy
from tengen.arena.game import Game, Told
from tengen.arena.match_folder import MatchFolder
from tengen.arena.openings import openings_for
from tengen.arena.player import Player
from tengen.arena.ratings import GameScore, Ratings, rate
from tengen.arena.runner import run
from tengen.arena.sprt import Sprt
from tengen.arena.standings import Standings, standings

__all__ = [
    "ArenaFailed",
    "BadArena",
    "BadRun",
    "Definition",
    "Elo",
    "FolderBusy",
    "Game",
    "GameScore",
    "MatchFolder",
    "Player",
    "Ratings",
    "Sprt",
    "Standings",
    "TimeControl",
    "Told",
    "elo_of_games",
    "elo_of_pairs",
    "openings_for",
    "rate",
    "run",
    "standings",
]
