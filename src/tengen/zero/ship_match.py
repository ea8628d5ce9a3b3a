# SPDX-License-Identifier: MIT
"""The match of a net that ships, against the rule's `classical` or another player. Relies on the
arena; shipping relies on it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from tengen.arena import Definition, MatchFolder, Player, TimeControl, standings
from tengen.arena.definition import total_games
from tengen.arena.match_folder import write_games, write_result
from tengen.arena.openings import check_openings
from tengen.arena.player import check_player
from tengen.arena.report import report_html
from tengen.arena.standings import Encounter, counted
from tengen.engine.options import AUTO
from tengen.game import records
from tengen.game.rule import Rule
from tengen.train.errors import writing
from tengen.zero.arena_match import Watch, play_in
from tengen.zero.log import tell
from tengen.zero.ship_folder import AGAIN, ShipFolder

__all__ = ["Judged", "check_match", "define", "play_match"]


@dataclass(frozen=True)
class Judged:
    """How a match ended, or how far it has come, seen by the net."""

    definition: Definition
    met: Encounter
    folder: str  # its name in the folder of the shipping

    @property
    def is_done(self) -> bool:
        return self.met.games >= total_games(self.definition)

    @property
    def is_won(self) -> bool:
        """Whether the net is proven to be the better one, at 95%."""
        return self.met.elo.low > 0

    @property
    def limit(self) -> str:
        return str(self.definition.limit)

    def elo_words(self) -> str:
        elo = self.met.elo
        finite = math.isfinite(elo.low) and math.isfinite(elo.high)
        return f"{elo.elo:+.0f} ± {elo.error:.0f} Elo" if finite else f"Elo {elo}"

    def table(self) -> dict[str, Any]:
        """As `ship.json` has it; what is not finite is left out."""
        elo = self.met.elo
        numbers = {"elo": elo.elo, "error": elo.error, "low": elo.low, "high": elo.high}
        return {
            "folder": self.folder,
            "against": self.definition.players[1].name,
            "limit": self.limit,
            "games": self.met.games,
            "wins": self.met.wins,
            "draws": self.met.draws,
            "losses": self.met.losses,
            "pairs": list(self.met.pairs),
            **{name: round(value, 1) for name, value in numbers.items() if math.isfinite(value)},
        }


def define(ship: ShipFolder) -> Definition:
    """The match: the net first, with the search that an engine takes by itself. Raises BadArena."""
    config, run = ship.config, ship.run.config
    net = ship.nets if len(run.players) == 2 else ship.net("net")
    return Definition(
        (
            Player(f"mixnet-{config.size}", "alphabeta", options={"net": str(net), "search": AUTO}),
            Player.parse(config.against),
        ),
        rule=Rule.parse(run.rule),
        size=run.size,
        pairs=max(1, config.games // 2),
        limit=TimeControl(nodes=config.nodes) if config.nodes else TimeControl(time=config.time),
        openings=config.openings,
    )


def check_match(ship: ShipFolder) -> None:
    """That it can be played: an opponent that cannot play would lose every game. Raises BadArena,
    BadNet.
    """
    if ship.config.games:
        planned = define(ship)
        check_player(planned.players[1], planned)
        check_openings(planned)


def play_match(
    ship: ShipFolder, processes: int, stop: Callable[[], bool], watch: Watch
) -> Judged | None:
    """Play the match, or what is left of it; None: stopped before the first game. Raises BadArena,
    BadRun, ArenaFailed, OSError.
    """
    definition = define(ship)
    path = ship.match(definition.to_dict())
    if not (path / "result.json").exists():
        tell(f"plays {ship.config.games} games against {ship.config.against}")
    arena = play_in(path, definition, processes, stop=stop, watch=watch, tell=tell)
    if arena is None:
        return None
    met = standings(definition, arena.games).between(0, 1)
    assert met is not None
    judged = Judged(definition, met, path.name)
    if judged.is_done:
        _write(arena)
    return judged


def _write(arena: MatchFolder) -> None:
    """What people look at."""
    with writing(arena.path, AGAIN):
        write_result(arena)
        write_games(arena, psq=False)
        games = counted(arena.definition, arena.games)
        made = datetime.now().strftime("%Y-%m-%d %H:%M")
        page = report_html(arena.definition, arena.openings, games, made=made)
        records.write_text(page, arena.path / "report.html")
