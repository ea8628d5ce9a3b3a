# SPDX-License-Identifier: MIT
"""Matches as steps: nets against each other at equal playouts on the accelerator, and players of
the arena.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import Any, ClassVar

from tengen.arena import Definition, MatchFolder, openings_for, run_match, standings
from tengen.arena.definition import total_games
from tengen.arena.elo import expected_share
from tengen.arena.standings import Standings
from tengen.cluster import LocalCluster
from tengen.experiments.errors import StepFailed, StepStopped
from tengen.experiments.programs import program_checksums
from tengen.experiments.step import UNHASHED, ResultValue, Step, Workspace
from tengen.experiments.steps.nets import WEIGHTS, TrainStep
from tengen.game.rule import Colour, Rule
from tengen.util.files import locked, write_text

_MATCH = "match"
_NETS = "nets"
_GRACE = 30.0  # seconds without a message from a game, beyond its longest move


@dataclass(frozen=True, eq=False)
class NetTournamentStep(Step):
    """A round robin of nets at equal playouts; 0 playouts: the policy alone."""

    KIND: ClassVar = "net-tournament"
    VERSION: ClassVar = 2
    USES_DEVICE: ClassVar = True

    names: tuple[str, ...]
    nets: tuple[tuple[TrainStep, ...], ...]  # of each name: one, or black's and white's
    rule: str
    size: int
    playouts: int
    games: int  # of each two nets
    seed: int = 1
    search: Mapping[str, Any] | None = None  # keys of self-play, as `tau`

    @property
    def title(self) -> str:
        limit = f"{self.playouts} playouts" if self.playouts else "policy only"
        return f"tournament of {len(self.names)} nets, {limit}"

    def run(self, work: Workspace) -> dict[str, Any]:
        sources = {
            name: _source(work, name, nets)
            for name, nets in zip(self.names, self.nets, strict=True)
        }
        settings = {"rule": self.rule, "size": self.size, "games": self.games, "seed": self.seed}
        settings |= {"playouts": self.playouts, "search": dict(self.search or {})}
        return play_nets(work, self.title, sources, settings)


def play_nets(
    work: Workspace, title: str, sources: Mapping[str, str], settings: Mapping[str, Any]
) -> dict[str, Any]:
    """A round robin of nets, by name: files, runs, or folders with a net per colour. `settings` are
    those of `NetMatchConfig`. Raises StepStopped.
    """
    from tengen.train.loop import find_device
    from tengen.zero.gate.net_match import NetMatchConfig
    from tengen.zero.gate.net_players import find_player
    from tengen.zero.gate.net_tournament import play_net_tournament

    config = NetMatchConfig.from_dict(settings)
    players = [replace(find_player(path, config), name=name) for name, path in sources.items()]
    device, path = find_device(work.device), work.folder / _MATCH
    _move_players(path, [{"net": one.source} for one in players])
    folder = play_net_tournament(players, config, device, path, resume=True, stop=work.stop)
    if len(folder.games) < total_games(folder.definition):
        raise StepStopped(title)
    return _result(folder.definition, standings(folder.definition, folder.games))


def _source(work: Workspace, name: str, nets: Sequence[TrainStep]) -> str:
    """The file of a net, or a folder with black's and white's."""
    files = [work.file(net, WEIGHTS) for net in nets]
    if len(files) == 1:
        return str(files[0])
    folder = work.folder / _NETS / name
    folder.mkdir(parents=True, exist_ok=True)
    for colour, file in zip(Colour, files, strict=True):
        link = folder / f"{colour}.pt"
        link.unlink(missing_ok=True)
        link.symlink_to(file.resolve())
    return str(folder)


@dataclass(frozen=True, eq=False)
class ExportStep(Step):
    """ONNX files of a net, or of one net for each colour, which the engine loads by `net=`."""

    KIND: ClassVar = "export"
    FILES: ClassVar = (_NETS,)

    nets: tuple[TrainStep, ...]  # one, or black's and white's
    rule: str
    size: int

    @property
    def title(self) -> str:
        return f"export {self.nets[0].title.removeprefix('train ')}"

    def run(self, work: Workspace) -> dict[str, Any]:
        from tengen.export.net_folder import export_folder
        from tengen.nets.weights import read_weights

        nets = [read_weights(work.file(net, WEIGHTS)) for net in self.nets]
        by_colour = dict(zip(Colour, nets if len(nets) > 1 else 2 * nets, strict=True))
        folder = work.folder / _NETS
        shutil.rmtree(folder, ignore_errors=True)  # left by a kill
        export_folder(by_colour, folder, [Rule.parse(self.rule)], [self.size])
        return {"nets": len(nets)}

    def path(self, work: Workspace) -> Path:
        return work.file(self, _NETS)


@dataclass(frozen=True, eq=False)
class EngineMatchStep(Step):
    """A match or tournament of the arena. `players` are tables as in a file of the arena; the
    option `net` of a player may be an `ExportStep`. `form` is the `kind` of a `Definition`, whose
    names the other fields have.
    """

    KIND: ClassVar = "match"
    VERSION: ClassVar = 2

    players: tuple[Mapping[str, Any], ...]
    form: str  # match, gauntlet or round-robin
    rule: str
    size: int
    pairs: int
    limit: Mapping[str, Any]
    openings: str = "balanced"
    seed: int = 1
    programs: tuple[str, ...] = ()  # checksums of the files of programs among the players
    label: str = field(default="", metadata=UNHASHED)
    # False: programs named by an unpacked file, which may be from anyone; never started.
    may_start: bool = field(default=True, metadata=UNHASHED)

    @property
    def title(self) -> str:
        return self.label or f"{self.form} of {len(self.players)} players"

    def run(self, work: Workspace) -> dict[str, Any]:
        self._check_programs()
        definition = Definition.from_dict({
            "players": [_player(table, work) for table in self.players],
            "kind": self.form,
            "rule": self.rule,
            "size": self.size,
            "pairs": self.pairs,
            "limit": dict(self.limit),
            "openings": self.openings,
            "seed": self.seed,
            "event": self.title,
        })  # fmt: skip
        path = work.folder / _MATCH
        path.mkdir(parents=True, exist_ok=True)
        longest_move = definition.untimed_move_timeout + definition.response_grace
        with LocalCluster(work.processes, longest_move + _GRACE) as cluster, locked(path):
            if MatchFolder.has_run(path):
                _move_players(path, definition.to_dict()["players"])
                folder = _without_faults(MatchFolder.read(path))
            else:
                folder = MatchFolder.create(path, definition, openings_for(definition, cluster))
            total = total_games(definition)

            def report(_: object) -> None:
                work.report(f"{len(folder.games):,} of {total:,} games")

            with folder.open_event_log():
                run_match(folder, cluster, stop=work.stop, on_game=report)
        counted = standings(folder.definition, folder.games)
        if len(folder.games) < total:
            raise StepStopped(self.title)
        _check_faults(folder.definition, counted)
        return _result(folder.definition, counted)

    def _check_programs(self) -> None:
        """Raises StepFailed for programs and nets that are not those of the key."""
        if not self.may_start and any("command" in table for table in self.players):
            raise StepFailed("programs named elsewhere are not started: name them by --engine")
        if self.programs and program_checksums(self.players) != self.programs:
            problem = "a program or net has changed or is not here"
            raise StepFailed(f"{problem}: name all by --engine again")


def _move_players(path: Path, players: Sequence[Mapping[str, Any]]) -> None:
    """Let a match resume with the same nets at other paths, after its folder was moved."""
    if not MatchFolder.has_run(path):
        return
    head = MatchFolder.read_head(path)
    before = json.dumps(head)
    for old, new in zip(head["definition"]["players"], players, strict=True):
        if "net" in new:
            old["net"] = new["net"]
        if "net" in new.get("options", {}):
            old["options"]["net"] = new["options"]["net"]
    if json.dumps(head) != before:
        write_text(json.dumps(head, indent=1) + "\n", path / MatchFolder.HEAD)


def _without_faults(folder: MatchFolder) -> MatchFolder:
    """The folder without the pairs in which a built-in player lost by a fault, as on a machine that
    was too busy: they are played again.
    """
    builtin = [player.is_builtin for player in folder.definition.players]
    pairs = {
        game.pair for game in folder.games if game.at_fault is not None and builtin[game.at_fault]
    }
    if pairs:
        folder.games = [game for game in folder.games if game.pair not in pairs]
        lines = [game.to_json() + "\n" for game in folder.games]
        write_text("".join(lines), folder.path / MatchFolder.EVENT_LOG)
    return folder


def _check_faults(definition: Definition, counted: Standings) -> None:
    """A built-in player that crashes or hangs is a fault of ours, not a result."""
    for player, standing in zip(definition.players, counted.players, strict=True):
        if player.is_builtin and standing.faults:
            faults = ", ".join(f"{n} by {reason}" for reason, n in standing.faults.items())
            problem = f"{player.name} lost games by faults: {faults}"
            raise StepFailed(f"{problem}; the next run plays their pairs again")


def _player(table: Mapping[str, Any], work: Workspace) -> dict[str, Any]:
    def known(value: Any) -> Any:
        if isinstance(value, ExportStep):
            return str(value.path(work))
        return value.read(work) if isinstance(value, ResultValue) else value

    options = {name: known(value) for name, value in table.get("options", {}).items()}
    return {**table, "options": options} if options else dict(table)


def _result(definition: Definition, counted: Standings) -> dict[str, Any]:
    """Ratings and their differences, and the score of each two players that met, from the first
    one's point of view.
    """
    names = [player.name for player in definition.players]
    ratings = counted.ratings
    meetings, differences = [], []
    for first, second in combinations(range(len(names)), 2):
        gap = ratings.difference(first, second)
        pair = [names[first], names[second]]
        differences.append([*pair, round(gap.elo, 1), round(gap.error, 1)])
        met = counted.between(first, second)
        if met is not None and met.games:
            low, high = expected_share(met.elo.low), expected_share(met.elo.high)
            error = max(high - met.share, met.share - low)
            meetings.append([*pair, met.games, met.share, error])
    return {
        "players": names,
        "meetings": meetings,
        "elo": [round(value, 1) for value in ratings.elo],
        "error": [round(value, 1) for value in ratings.error],
        "differences": differences,
        "games": list(ratings.games),
    }
