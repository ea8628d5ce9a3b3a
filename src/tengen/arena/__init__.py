# SPDX-License-Identifier: MIT
"""The arena: matches, tournaments, their statistics and reports. See docs/arena.md.

Relies on the engine, the solver, records and `tengen.cluster`; tuning and the command line rely on
it.
"""

from tengen.arena.control import TimeControl
from tengen.arena.definition import Definition
from tengen.arena.elo import Elo, elo_of_games, elo_of_pairs
from tengen.arena.errors import ArenaBusy, ArenaFailed, BadArena, BadState
from tengen.arena.folder import Folder
from tengen.arena.game import Game, Told
from tengen.arena.openings import openings_for
from tengen.arena.player import Player
from tengen.arena.ratings import GameScore, Ratings, rate
from tengen.arena.runner import run
from tengen.arena.sprt import Sprt
from tengen.arena.standings import Standings, standings

__all__ = [
    "ArenaBusy",
    "ArenaFailed",
    "BadArena",
    "BadState",
    "Definition",
    "Elo",
    "Folder",
    "Game",
    "GameScore",
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
