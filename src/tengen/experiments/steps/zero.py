# SPDX-License-Identifier: MIT
"""Zero learning as steps: runs, and a match between their last generations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from tengen.experiments.errors import StepStopped
from tengen.experiments.step import UNHASHED, Step, Workspace
from tengen.experiments.steps.matches import play_nets
from tengen.experiments.steps.nets import WEIGHTS, Net
from tengen.util.files import replacing

_RUN = "run"
_PLAYERS, _GAMES = 8, 64  # of the ladder


@dataclass(frozen=True, eq=False)
class ZeroStep(Step):
    """A run of zero learning for some minutes of the device: its last net, and the Elo of its
    generations. The result depends on the speed of the device.
    """

    KIND: ClassVar = "zero"
    FILES: ClassVar = (WEIGHTS,)
    REPEATABLE: ClassVar = False
    USES_DEVICE: ClassVar = True

    net: Net
    rule: str
    size: int
    config: Mapping[str, Any]
    minutes: float
    seed: int = 1
    label: str = field(default="", metadata=UNHASHED)

    @property
    def title(self) -> str:
        return f"zero learning of {self.label}, {self.minutes:g} min"

    def run(self, work: Workspace) -> dict[str, Any]:
        from tengen.train.loop import find_device
        from tengen.zero.config import ZeroConfig
        from tengen.zero.gate.ladder import play_ladder
        from tengen.zero.loop import run_zero
        from tengen.zero.zero_folder import ZeroFolder

        path, device = work.folder / _RUN, find_device(work.device)
        table = {"rule": self.rule, "size": self.size, "net": self.net, "seed": self.seed}
        config = ZeroConfig.from_dict({**self.config, **table, "minutes": self.minutes})
        resumed = ZeroFolder.has_run(path)
        done = run_zero(
            None if resumed else config, path, device=work.device, resume=resumed, stop=work.stop
        )
        if done is None or not done.is_done:
            raise StepStopped(self.title)
        folder = ZeroFolder.read(path)
        ladder = []
        if len(folder.generations()) > 1:
            ladder = play_ladder(
                folder, device, players=_PLAYERS, games=_GAMES, stop=work.stop, report=work.report
            )
        if work.stop():
            raise StepStopped(self.title)
        with replacing(work.folder / WEIGHTS) as file:
            file.write((folder.generations()[-1].path / WEIGHTS).read_bytes())
        last = ladder[-1] if ladder else {}
        return {
            "minutes": done.seconds / 60,
            "games": done.counts.get("games", 0),
            "positions": done.counts.get("positions", 0),
            "steps": done.step,
            "elo": last.get("elo"),
            "ladder": ladder,
        }


@dataclass(frozen=True, eq=False)
class ZeroMatchStep(Step):
    """The last generations of runs against each other at equal playouts."""

    KIND: ClassVar = "zero-match"
    USES_DEVICE: ClassVar = True

    names: tuple[str, ...]
    runs: tuple[ZeroStep, ...]
    playouts: int
    games: int

    @property
    def title(self) -> str:
        return f"match of {' and '.join(self.names)}, {self.playouts} playouts"

    def run(self, work: Workspace) -> dict[str, Any]:
        sources = {
            name: str(work.file(run, WEIGHTS))
            for name, run in zip(self.names, self.runs, strict=True)
        }
        one = self.runs[0]
        settings = {"rule": one.rule, "size": one.size, "games": self.games}
        return play_nets(work, self.title, sources, {**settings, "playouts": self.playouts})
