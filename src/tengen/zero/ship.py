# SPDX-License-Identifier: MIT
"""From a run to a net that ships: a Mixnet learns from the run's games with the newest generation
as its teacher, its file is made and checked, and a match tells whether it is the better player.
Relies on the parts named `ship_…`; the command line relies on it.

    from tengen.zero.ship import ship
    found = ship(ZeroFolder.read(Path("runs/mine")))

Every part is kept as soon as it is done, so the same call goes on where it was broken off.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from tengen.cluster import cores
from tengen.export.verify import VerifyPlan
from tengen.train.folder import locked
from tengen.train.loop import find_device
from tengen.zero.arena_match import Watch, no_view
from tengen.zero.config import ZeroConfig
from tengen.zero.errors import BadZero
from tengen.zero.folder import Generation, ZeroFolder
from tengen.zero.log import tell
from tengen.zero.report import write_report
from tengen.zero.ship_config import ShipConfig
from tengen.zero.ship_data import check_data, check_games, keep_games, obstacles
from tengen.zero.ship_folder import ShipFolder, ShipPlan
from tengen.zero.ship_match import Judged, check_match, play_match
from tengen.zero.ship_nets import check_target, hand_out, make_file, write_registry
from tengen.zero.ship_train import check_recipe, is_trained, recipe, samples_in, train_net

__all__ = ["Shipped", "check_ship", "ship"]


@dataclass(frozen=True)
class Shipped:
    """How far it has come. Without a verdict it was stopped; the same call goes on."""

    path: Path
    stage: str  # that it was stopped in, or "done"
    table: dict[str, Any] = field(default_factory=dict)  # as `ship.json` has it

    @property
    def is_done(self) -> bool:
        return self.stage == "done"

    @property
    def ships(self) -> bool:
        return self.table.get("ships") is True

    @property
    def is_sound(self) -> bool:
        """Whether its files have passed their checks, or are still to be made."""
        return not self.table.get("failed")


def ship(
    run: ZeroFolder,
    config: ShipConfig | None = None,
    *,
    out: Path | None = None,
    device: str = "",
    processes: int = 0,
    stop: Callable[[], bool] = lambda: False,
    watch: Watch = no_view,
    checks: VerifyPlan | None = None,
) -> Shipped:
    """Make a net that ships of a run, by its own table `[ship]` or another one; `out` gets a copy.

    Raises BadZero, BadData, BadNet, BadWeights, BadArena, BadRun, ArenaFailed,
    TrainingBusy, TrainingFailed, OSError.
    """
    where = find_device(device)
    generations = run.generations()
    check_games(run)
    if not generations:
        raise BadZero(f"{run.path} has no generation yet: let it learn first")
    work = _Work(ShipFolder(run, generations[-1], config or run.config.ship), where, stop)
    check_match(work.ship)
    if out is not None:
        check_target(work.ship, out)
    with locked(work.ship.path):
        return work.do(out, processes or cores(), watch, checks)


def check_ship(run: ZeroConfig, config: ShipConfig, path: Path, device: str = "") -> None:
    """That a run in a folder could be shipped so: what is wrong is told before the run begins, and
    not when its plan is done. Nothing is written. Raises BadZero, BadData, BadNet, BadWeights,
    BadArena, OSError.
    """
    folder = ZeroFolder(path, "", run, {})
    ship = ShipFolder(folder, Generation(0, path), config)
    check_match(ship)
    check_data(ship)
    for player in run.players:
        check_recipe(ship, player, find_device(device))


class _Work:
    """A shipping while it goes on."""

    def __init__(self, folder: ShipFolder, device: torch.device, stop: Callable[[], bool]) -> None:
        self.ship = folder
        self._device = device
        self._stop = stop
        self._players = folder.run.config.players

    def do(
        self, out: Path | None, processes: int, watch: Watch, checks: VerifyPlan | None
    ) -> Shipped:
        ship = self.ship
        self._announce()
        keep_games(ship)
        plan = ship.read_plan() or self._plan()
        if plan is None or not self._train(plan):
            return Shipped(ship.path, "training")
        failed = self._files(checks or VerifyPlan(data=ship.data))
        if failed is None:
            return Shipped(ship.path, "checks")
        if failed:
            return self._finish(plan, None, failed)
        if out is not None:
            hand_out(ship, out)
        if not ship.config.games:
            return self._finish(plan, None, [])
        judged = play_match(ship, processes, self._stop, watch)
        if judged is None or not judged.is_done:
            return Shipped(ship.path, "match")
        return self._finish(plan, judged, [])

    def _announce(self) -> None:
        ship, number = self.ship, self.ship.generation.number
        nets = f"{len(self._players)} nets" if len(self._players) > 1 else "a net"
        words = f"generation {number} of {ship.run.path} teaches {nets}, mixnet-{ship.config.size}"
        tell(f"{words}; all of it is in {ship.path}")
        if number == 0:
            tell("generation 0 is what the run began with: no candidate was better yet")

    # --- the parts, each True or more once it is done ---

    def _plan(self) -> ShipPlan | None:
        """Decide what is made, and keep it; None: stopped before."""
        ship, config = self.ship, self.ship.config
        why = obstacles(ship)
        recipes = [recipe(ship, name, config.samples, self._device) for name in self._players]
        samples = config.samples
        if config.minutes:
            tell("tries some steps, to see how many samples there is time for")
            seconds = 60 * config.minutes / len(recipes)
            samples = samples_in(seconds, recipes[0], self._device, self._stop)
            if not samples:
                return None
        plan = ShipPlan(samples, why)
        ship.write_plan(plan)
        return plan

    def _train(self, plan: ShipPlan) -> bool:
        for place, player in enumerate(self._players, 1):
            path = self.ship.training(player)
            if is_trained(path):
                continue
            if self._stop():
                return False
            if len(self._players) > 1:
                tell(f"the net for {player}, {place} of {len(self._players)}")
            if self._device.type == "cuda":
                torch.cuda.empty_cache()  # what self-play had in this process
            config = recipe(self.ship, player, plan.samples, self._device)
            if not train_net(config, path, self._device, self._stop):
                return False
        return True

    def _files(self, checks: VerifyPlan) -> list[str] | None:
        """The checks that files have failed; None: stopped before that was known."""
        found = []
        for player in self._players:
            target = self.ship.net(player)
            if not target.exists():
                tell(f"makes and checks {target.name}")
            failed = make_file(self.ship, player, checks, self._stop)
            if failed is None:
                return None
            found += [f"{target.name}: {check.name}: {check.detail}" for check in failed]
        if not found:
            write_registry(self.ship)
        return found

    def _finish(self, plan: ShipPlan, judged: Judged | None, failed: list[str]) -> Shipped:
        """The verdict, kept and put into the report."""
        ship = self.ship
        files = [ship.net(player) for player in self._players if not failed]
        bytes_of = {path.name: path.stat().st_size for path in files}
        ships, why = _verdict(plan, judged, failed)
        match = f"{_match_words(judged)}; " if judged is not None else ""
        size = f", {sum(bytes_of.values()) / 1e6:.2f} MB" if files else ""
        names = " and ".join(bytes_of) or f"mixnet-{ship.config.size}"
        table = {
            "name": ship.name,
            "generation": ship.generation.number,
            "rule": ship.run.config.rule,
            "size": ship.run.config.size,
            "net": f"mixnet-{ship.config.size}",
            "samples": plan.samples,
            "files": bytes_of,
            "failed": failed,
            "match": None if judged is None else judged.table(),
            "ships": ships,
            "why": why,
            "words": f"{names}{size}: {match}ships: {'yes' if ships else 'no'}, {why}",
        }
        ship.write_result(table)
        write_report(ship.run)
        return Shipped(ship.path, "done", table)


def _match_words(judged: Judged) -> str:
    against, games = judged.definition.players[1].name, judged.met.games
    return f"{judged.elo_words()} against {against} ({judged.limit}, {games} games)"


def _verdict(plan: ShipPlan, judged: Judged | None, failed: list[str]) -> tuple[bool, str]:
    """Whether it ships, and why."""
    if plan.obstacles:
        return False, "; ".join(plan.obstacles)
    if failed:
        return False, f"the file failed its checks: {'; '.join(failed)}"
    if judged is None:
        return False, "no match was played"
    against = judged.definition.players[1].name
    if not judged.is_won:
        return False, f"it is not proven to be stronger than {against}"
    return True, f"it is stronger than {against}"
