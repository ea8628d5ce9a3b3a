# SPDX-License-Identifier: MIT
"""The release of a run: a Mixnet is trained on the run's games with the newest generation as
teacher, its file is exported and verified, and a match decides whether it is stronger than an
opponent.

    from tengen.zero.release.release import make_release
    result = make_release(ZeroFolder.read(Path("runs/mine")))

Each stage is stored when it is complete; the same call resumes a stopped release.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from tengen.cluster import cores
from tengen.export.verify import VerifyPlan
from tengen.train.loop import find_device
from tengen.util.deprecation import deprecated_names
from tengen.util.files import locked
from tengen.zero.config import ReleaseConfig, ZeroConfig
from tengen.zero.gate.fixed_opponents import ArenaProgress
from tengen.zero.release import evaluate, student
from tengen.zero.release.evaluate import ReleaseMatch
from tengen.zero.release.release_folder import ReleaseFolder, ReleasePlan
from tengen.zero.run_log import print_message
from tengen.zero.run_report import write_report
from tengen.zero.zero_folder import Generation, ZeroFolder

__getattr__ = deprecated_names(__name__, {"Shipped": "ReleaseResult", "ship": "make_release"})


@dataclass(frozen=True)
class ReleaseResult:
    """The state of a release."""

    path: Path
    stage: str  # in which it was stopped, or "done"
    table: dict[str, Any] = field(default_factory=dict)  # content of `release.json`

    @property
    def is_done(self) -> bool:
        return self.stage == "done"

    @property
    def released(self) -> bool:
        """Whether the net is stronger than its opponent and redistributable."""
        return self.table.get("released") is True

    @property
    def is_sound(self) -> bool:
        """Whether no net file failed verification."""
        return not self.table.get("failed")


def make_release(
    run: ZeroFolder,
    config: ReleaseConfig | None = None,
    *,
    out: Path | None = None,
    device: str = "",
    processes: int = 0,
    stop: Callable[[], bool] = lambda: False,
    progress: ArenaProgress | None = None,
    checks: VerifyPlan | None = None,
) -> ReleaseResult:
    """Make a release of a run by its table `[release]` or by `config`; `out` gets a copy of the
    net.

    Raises BadZero, BadData, BadNet, BadWeights, BadArena, BadRun, ArenaFailed,
    FolderLocked, TrainingFailed, OSError.
    """
    where = find_device(device)
    student.check_games(run)
    folder = ReleaseFolder(run, run.newest_generation(), config or run.config.release)
    evaluate.check_match(folder)
    if out is not None:
        evaluate.check_out(folder, out)
    folder.path.mkdir(parents=True, exist_ok=True)
    with locked(folder.path):
        release = _Release(folder, where, stop)
        return release.make(out, processes or cores(), progress, checks)


def check_release(run: ZeroConfig, config: ReleaseConfig, path: Path, device: str = "") -> None:
    """Report errors of a release before its run starts, not at its end. Writes nothing. Raises
    BadZero, BadData, BadNet, BadWeights, BadArena, OSError.
    """
    folder = ReleaseFolder(ZeroFolder(path, "", run, {}), Generation(0, path), config)
    evaluate.check_match(folder)
    student.check_training(folder, find_device(device))


class _Release:
    def __init__(
        self, folder: ReleaseFolder, device: torch.device, stop: Callable[[], bool]
    ) -> None:
        self._folder = folder
        self._device = device
        self._stop = stop
        self._players = folder.run.config.net_names

    def make(
        self,
        out: Path | None,
        processes: int,
        progress: ArenaProgress | None,
        checks: VerifyPlan | None,
    ) -> ReleaseResult:
        folder = self._folder
        self._announce()
        student.keep_games(folder)
        plan = folder.read_plan() or self._plan()
        if plan is None or not self._train(plan):
            return ReleaseResult(folder.path, "training")
        failed = self._export(checks or VerifyPlan(data=folder.data))
        if failed is None:
            return ReleaseResult(folder.path, "checks")
        if failed:
            return self._finish(plan, None, failed)
        if out is not None:
            evaluate.copy_nets(folder, out)
        if not folder.config.games:
            return self._finish(plan, None, [])
        match = evaluate.play_release_match(folder, processes, self._stop, progress)
        if match is None or not match.is_done:
            return ReleaseResult(folder.path, "match")
        return self._finish(plan, match, [])

    def _announce(self) -> None:
        folder, number = self._folder, self._folder.generation.number
        nets = " and ".join(folder.net(player).stem for player in self._players)
        print_message(f"teacher: generation {number}; training {nets} in {folder.path}")
        if number == 0:
            print_message("generation 0 is the initial net: no candidate was accepted yet")

    # --- the stages ---

    def _plan(self) -> ReleasePlan | None:
        """Decide what is made, and store it; None: stopped."""
        folder, config = self._folder, self._folder.config
        obstacles = student.find_obstacles(folder)
        samples = config.samples
        recipes = [
            student.make_recipe(folder, name, samples, self._device) for name in self._players
        ]
        if config.minutes:
            print_message("measuring the training speed")
            seconds = 60 * config.minutes / len(recipes)
            samples = student.measure_samples(seconds, recipes[0], self._device, self._stop)
            if not samples:
                return None
        plan = ReleasePlan(samples, obstacles)
        folder.write_plan(plan)
        return plan

    def _train(self, plan: ReleasePlan) -> bool:
        """Whether all training runs are complete."""
        for number, player in enumerate(self._players, 1):
            path = self._folder.training(player)
            if student.is_trained(path):
                continue
            if self._stop():
                return False
            if len(self._players) > 1:
                print_message(f"training the net of {player}, {number} of {len(self._players)}")
            if self._device.type == "cuda":
                torch.cuda.empty_cache()  # memory of self-play in this process
            recipe = student.make_recipe(self._folder, player, plan.samples, self._device)
            if not student.train_student(recipe, path, self._device, self._stop):
                return False
        return True

    def _export(self, checks: VerifyPlan) -> list[str] | None:
        """The failed checks of all files; None: stopped."""
        messages = []
        for player in self._players:
            target = self._folder.net(player)
            if not target.exists():
                print_message(f"exporting and verifying {target.name}")
            failed = evaluate.export_student(self._folder, player, checks, self._stop)
            if failed is None:
                return None
            messages += [f"{target.name}: {check.name}: {check.detail}" for check in failed]
        if not messages:
            evaluate.write_registry(self._folder)
        return messages

    def _finish(
        self, plan: ReleasePlan, match: ReleaseMatch | None, failed: list[str]
    ) -> ReleaseResult:
        """Store the verdict and update the report."""
        folder = self._folder
        files = [folder.net(player) for player in self._players if not failed]
        sizes = {path.name: path.stat().st_size for path in files}
        released, reason = _verdict(plan, match, failed)
        size = f", {sum(sizes.values()) / 1e6:.2f} MB" if files else ""
        names = " and ".join(sizes) or f"mixnet-{folder.config.size}"
        result = f"{match}; " if match is not None else ""
        table = {
            "name": folder.name,
            "generation": folder.generation.number,
            "rule": folder.run.config.rule,
            "size": folder.run.config.size,
            "net": f"mixnet-{folder.config.size}",
            "samples": plan.samples,
            "files": sizes,
            "failed": failed,
            "match": None if match is None else match.table(),
            "redistributable": not plan.obstacles,
            "released": released,
            "reason": reason,
            "summary": f"{names}{size}: {result}released: {'yes' if released else 'no'}, {reason}",
        }
        folder.write_result(table)
        write_report(folder.run)
        return ReleaseResult(folder.path, "done", table)


def _verdict(plan: ReleasePlan, match: ReleaseMatch | None, failed: list[str]) -> tuple[bool, str]:
    """Whether the net can be released, and the reason."""
    if plan.obstacles:
        return False, "; ".join(plan.obstacles)
    if failed:
        return False, f"a net file failed verification: {'; '.join(failed)}"
    if match is None:
        return False, "no match was played"
    if not match.is_won:
        return False, f"the match does not prove it stronger than {match.opponent}"
    return True, f"it is stronger than {match.opponent}"
