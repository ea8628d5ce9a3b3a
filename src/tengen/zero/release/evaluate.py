# SPDX-License-Identifier: MIT
"""The net files of a release, exported and verified as by `tengen net verify`, and their match in
the arena against `classical` or another player.
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from tengen.arena import Definition, MatchFolder, Player, TimeControl, standings
from tengen.arena.definition import total_games
from tengen.arena.match_folder import write_games, write_result
from tengen.arena.openings import check_openings
from tengen.arena.player import check_player
from tengen.arena.report import report_html
from tengen.arena.standings import Encounter, counted
from tengen.engine.nets import NET_SUFFIX, REGISTRY, registry_text
from tengen.engine.options import AUTO
from tengen.export.quantise import export_net, require_mixnet
from tengen.export.verify import Check, VerifyPlan, verify
from tengen.game.rule import Colour, Rule
from tengen.nets.weights import read_weights
from tengen.util.files import explain_write_errors, replacing_folder, write_bytes, write_text
from tengen.zero.errors import BadZero
from tengen.zero.gate.fixed_opponents import ArenaProgress, play_arena_match
from tengen.zero.release.release_folder import RETRY, ReleaseFolder
from tengen.zero.run_log import print_message

# --- net files ---


def export_student(
    folder: ReleaseFolder, player: str, plan: VerifyPlan, stop: Callable[[], bool]
) -> list[Check] | None:
    """Export and verify the net of a player; returns the failed checks. The file gets its name if
    there are none. None: stopped. Raises BadNet, OSError.
    """
    target = folder.net(player)
    if target.exists():
        return []
    weights = read_weights(folder.training(player) / "net.pt")
    config, run = folder.run.config, folder.run.run
    unverified = target.with_suffix(".unchecked")
    target.parent.mkdir(parents=True, exist_ok=True)
    export_net(
        weights,
        unverified,
        (Rule.parse(config.rule),),
        (config.size,),
        tuple(Colour) if player == "net" else (Colour.parse(player),),
        name=target.stem,
        description=f"zero learning, generation {folder.generation.number} of run {run}",
    )
    failed = []
    for check in verify(unverified, require_mixnet(weights.make()), plan):
        if stop():
            return None
        if not check.passed:
            failed.append(check)
    if not failed:
        unverified.replace(target)
    return failed


def write_registry(folder: ReleaseFolder) -> None:
    """Write which net plays what, so that the folder can be used as a net. Raises OSError."""
    config = folder.run.config
    names = {player: folder.net(player).name for player in config.net_names}
    with explain_write_errors(folder.nets, RETRY):
        text = registry_text([Rule.parse(config.rule)], [config.size], names)
        write_text(text, folder.nets / REGISTRY)


def check_out(folder: ReleaseFolder, out: Path) -> None:
    """Check that the result can be copied there. Raises BadZero."""
    two = len(folder.run.config.net_names) == 2
    if two and out.suffix == NET_SUFFIX:
        raise BadZero(f"two nets need a folder: use --out {out.with_suffix('')}")
    if not two and out.suffix != NET_SUFFIX:
        raise BadZero(f"net files end in {NET_SUFFIX}: use --out {out}{NET_SUFFIX}")
    if not out.parent.is_dir():
        raise BadZero(f"there is no folder {out.parent} for {out.name}")
    if out.exists() and not _is_copy(folder, out):
        raise BadZero(f"{out} exists: use another name, or delete it")


def _is_copy(folder: ReleaseFolder, out: Path) -> bool:
    """Whether an earlier call has made this copy."""
    for player in folder.run.config.net_names:
        net = folder.net(player)
        copy = out / net.name if out.is_dir() else out
        if not (net.exists() and copy.is_file() and copy.read_bytes() == net.read_bytes()):
            return False
    return True


def copy_nets(folder: ReleaseFolder, out: Path) -> None:
    """Copy the net file, or with one net per colour their folder. Raises OSError."""
    if out.exists():
        return
    with explain_write_errors(out, RETRY):
        if out.suffix == NET_SUFFIX:
            write_bytes(folder.net("net").read_bytes(), out)
            return
        with replacing_folder(out) as part:
            shutil.copytree(folder.nets, part, dirs_exist_ok=True)


# --- the match ---


@dataclass(frozen=True)
class ReleaseMatch:
    """The match of the net, which is the first player, complete or not."""

    definition: Definition
    met: Encounter
    folder: str  # its name in the folder of the release

    @property
    def is_done(self) -> bool:
        return self.met.games >= total_games(self.definition)

    @property
    def is_won(self) -> bool:
        """Whether the net is stronger, with 95% confidence."""
        return self.met.elo.low > 0

    @property
    def opponent(self) -> str:
        return self.definition.players[1].name

    def __str__(self) -> str:
        elo = self.met.elo
        finite = math.isfinite(elo.low) and math.isfinite(elo.high)
        text = f"{elo.elo:+.0f} ± {elo.error:.0f} Elo" if finite else f"Elo {elo}"
        return f"{text} against {self.opponent} ({self.definition.limit}, {self.met.games} games)"

    def table(self) -> dict[str, Any]:
        """For `release.json`; infinite numbers are omitted."""
        elo = self.met.elo
        numbers = {"elo": elo.elo, "error": elo.error, "low": elo.low, "high": elo.high}
        return {
            "folder": self.folder,
            "against": self.opponent,
            "limit": str(self.definition.limit),
            **{name: getattr(self.met, name) for name in ("games", "wins", "draws", "losses")},
            "pairs": list(self.met.pairs),
            **{name: round(value, 1) for name, value in numbers.items() if math.isfinite(value)},
        }


def _define(folder: ReleaseFolder) -> Definition:
    """The match, with the engine's default search. Raises BadArena."""
    config, run = folder.config, folder.run.config
    net = folder.nets if len(run.net_names) == 2 else folder.net("net")
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


def check_match(folder: ReleaseFolder) -> None:
    """Check opponent and openings: an opponent that cannot play would lose every game. Raises
    BadArena, BadNet.
    """
    if folder.config.games:
        definition = _define(folder)
        check_player(definition.players[1], definition.rule, definition.size)
        check_openings(definition)


def play_release_match(
    folder: ReleaseFolder, processes: int, stop: Callable[[], bool], progress: ArenaProgress | None
) -> ReleaseMatch | None:
    """Play the rest of the match; None: stopped before the first game. Raises BadArena, BadRun,
    ArenaFailed, OSError.
    """
    definition = _define(folder)
    path = folder.match(definition.to_dict())
    if not (path / "result.json").exists():
        print_message(f"playing {folder.config.games} games against {folder.config.against}")
    arena = play_arena_match(
        path, definition, processes, stop=stop, progress=progress, report=print_message
    )
    if arena is None:
        return None
    met = standings(definition, arena.games).between(0, 1)
    assert met is not None
    match = ReleaseMatch(definition, met, path.name)
    if match.is_done:
        _write_report(arena)
    return match


def _write_report(arena: MatchFolder) -> None:
    with explain_write_errors(arena.path, RETRY):
        write_result(arena)
        write_games(arena, psq=False)
        games = counted(arena.definition, arena.games)
        made = datetime.now().strftime("%Y-%m-%d %H:%M")
        page = report_html(arena.definition, arena.openings, games, made=made)
        write_text(page, arena.path / "report.html")
