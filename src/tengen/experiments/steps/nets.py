# SPDX-License-Identifier: MIT
"""Nets as steps: counts, training, speed. torch is imported when a step runs."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Any, ClassVar

from tengen.experiments.errors import StepStopped
from tengen.experiments.step import UNHASHED, Step, Workspace
from tengen.experiments.steps.data import DataStep, data_folder
from tengen.nets import spec_of
from tengen.util.files import replacing, write_text

if TYPE_CHECKING:
    from tengen.train.game_metrics import GameMetrics

Net = str | Mapping[str, Any]
_RUN, CHECKPOINTS = "run", "checkpoints"
WEIGHTS, GAMES = "net.pt", "validation_games.npz"
# Of a report: drawn again over the validation games, so that nets can be compared draw by draw.
_DRAWN = ("policy_top1", "policy_top5", "policy_top10", "scalar", "win_mse")
_DRAWS = 400
_ROUNDS = 7  # of a speed measurement; the median counts


@dataclass(frozen=True, eq=False)
class CountStep(Step):
    """Parameters, also as Keras counts them (four for each channel of a batch normalisation), and
    with a board size multiply-adds of one evaluation.
    """

    KIND: ClassVar = "count"

    net: Net
    size: int = 0

    @property
    def title(self) -> str:
        return f"count {spec_of(self.net).name}"

    def run(self, work: Workspace) -> dict[str, Any]:
        from tengen.nets import count_operations, count_parameters

        spec = spec_of(self.net)
        parameters = count_parameters(spec)
        counts = {"parameters": parameters.trained, "keras": parameters.keras}
        if self.size:
            counts["multiply_adds"] = count_operations(spec, self.size).multiply_adds
        return counts


@dataclass(frozen=True, eq=False)
class TrainStep(Step):
    """A training. `config` has the keys of `tengen train` as nested tables, without net and data;
    its length is `samples`, or `epochs` in the config.
    """

    KIND: ClassVar = "train"
    VERSION: ClassVar = 2
    FILES: ClassVar = (WEIGHTS, GAMES)
    REPEATABLE: ClassVar = False

    net: Net
    data: DataStep
    config: Mapping[str, Any]
    samples: int = 0
    seed: int = 1
    colour: str = ""
    label: str = field(default="", metadata=UNHASHED)

    @property
    def title(self) -> str:
        parts = [f"train {self.label or spec_of(self.net).name}", self.colour]
        return " ".join(filter(None, [*parts, f"seed {self.seed}" if self.seed > 1 else ""]))

    def run(self, work: Workspace) -> dict[str, Any]:
        from tengen.train import TrainConfig, train
        from tengen.train.game_metrics import GameMetrics

        table = dict(self.config)
        length = {"samples": self.samples} if self.samples else {}
        table |= {"net": self.net, "seed": self.seed, "compile": work.compile, **length}
        folder = data_folder(work, self.data)
        table["data"] = {**table.get("data", {}), "path": str(folder), "colour": self.colour}
        _move_data(work.folder / _RUN, folder)
        done = train(
            TrainConfig.from_dict(table),
            work.folder / _RUN,
            device=work.device,
            resume=True,
            stop=work.stop,
            line_seconds=30.0,
        )
        if not done.is_done:
            raise StepStopped(f"{self.title}: {done.step:,} of {done.total:,} steps")
        for name in self.FILES:
            with replacing(work.folder / name) as file:
                file.write((work.folder / _RUN / name).read_bytes())
        return {
            "validation": done.validation,
            "draws": _draws(GameMetrics.read(work.folder / GAMES)),
            "curve": _curve(work.folder / _RUN),
            "steps": done.total,
            "samples": done.total * int(table.get("batch", TrainConfig.batch)),
            "seconds": done.seconds,
        }

    def clean(self, folder: Path) -> None:
        shutil.rmtree(folder / _RUN / CHECKPOINTS, ignore_errors=True)


def _move_data(run: Path, data: Path) -> None:
    """Let a run resume with the same data at another path, after its folder was moved."""
    from tengen.train.train_folder import TrainFolder

    if not TrainFolder.has_run(run):
        return
    head = TrainFolder.read_head(run)
    table = head.get("config", {}).get("data", {})
    if table.get("path", str(data)) != str(data):
        table["path"] = str(data)
        write_text(json.dumps(head, indent=1) + "\n", run / TrainFolder.HEAD)


@dataclass(frozen=True, eq=False)
class MergedStep(Step):
    """The validation of one net per colour on the positions of both colours together."""

    KIND: ClassVar = "merged"

    nets: tuple[TrainStep, ...]  # black's and white's

    @property
    def title(self) -> str:
        return f"validate {self.nets[0].label}, both colours"

    def run(self, work: Workspace) -> dict[str, Any]:
        from tengen.train.game_metrics import GameMetrics

        black, white = (GameMetrics.read(work.file(net, GAMES)) for net in self.nets)
        both = black.merged(white)
        means = {
            kind: {name: both.mean(kind, name) for name in both.metrics} for kind in both.kinds
        }
        return {"validation": means, "draws": _draws(both)}


def _draws(found: GameMetrics) -> dict[str, list[float]]:
    """The mean of each metric of a report with games drawn again, on all positions; of the averaged
    weights, if there are any.
    """
    kind = "average" if "average" in found.kinds else "raw"
    names = [name for name in _DRAWN if name in found.metrics]
    return {
        name: [round(value, 6) for value in found.resampled(kind, name, _DRAWS).tolist()]
        for name in names
    }


def _curve(run: Path) -> list[dict[str, Any]]:
    """The validations of a run by step, for figures of the training."""
    from tengen.train.train_folder import TrainFolder, read_metrics

    rows = read_metrics(TrainFolder.read(run).metrics)
    return [
        {name: value for name, value in row.items() if name not in ("event", "seconds")}
        for row in rows
        if row.get("event") == "validate"
    ]


@dataclass(frozen=True, eq=False)
class SpeedStep(Step):
    """Batches per second of a net with random weights, on the device of the run (a GPU: bf16) or,
    with `on_cpu`, by ONNX Runtime on one core. The result is a property of the device, which is
    stored with it; the same step is not measured again on another one.
    """

    KIND: ClassVar = "speed"

    net: Net
    size: int
    batch: int
    seconds: float = 1.0  # per round
    on_cpu: bool = False

    @property
    def title(self) -> str:
        where = "CPU" if self.on_cpu else "device"
        return f"speed {spec_of(self.net).name}, batch {self.batch}, {where}"

    def run(self, work: Workspace) -> dict[str, Any]:
        rounds = []
        run = self._onnx(work.folder) if self.on_cpu else self._torch(work.device)
        run(2)  # the first runs choose algorithms
        count = 1
        while (taken := _time(run, count)) < self.seconds / 2 and count < 1 << 20:
            count = max(count + 1, round(count * min(8.0, self.seconds / max(taken, 1e-6))))
        for _ in range(_ROUNDS):
            if work.stop():
                raise StepStopped(self.title)
            rounds.append(count / _time(run, count))
        return {"batches_per_second": median(rounds), "low": min(rounds), "high": max(rounds)}

    def _torch(self, device: str) -> Any:
        import torch

        from tengen.nets import make_net
        from tengen.nets.blocks import fused
        from tengen.train.loop import find_device
        from tengen.train.net_trainer import placed

        where = find_device(device)
        net = placed(fused(make_net(self.net).eval()), where)
        planes = torch.randint(0, 2, (self.batch, 2, self.size, self.size), device=where).float()

        def run(count: int) -> None:
            with (
                torch.inference_mode(),
                torch.autocast("cuda", torch.bfloat16, where.type == "cuda"),
            ):
                for _ in range(count):
                    net(planes)
            if where.type == "cuda":
                torch.cuda.synchronize()

        return run

    def _onnx(self, folder: Path) -> Any:
        import numpy as np

        from tengen.engine.onnx_net import OnnxNet
        from tengen.export.onnx import export_onnx
        from tengen.nets import make_net

        path = folder / "net.onnx"
        export_onnx(make_net(self.net).eval(), path, self.size)
        net = OnnxNet(path)
        planes = np.random.default_rng(1).integers(0, 2, (self.batch, 2, self.size, self.size))
        given = planes.astype(np.float32)

        def run(count: int) -> None:
            for _ in range(count):
                net.evaluate(given)

        return run


def _time(run: Any, count: int) -> float:
    start = perf_counter()
    run(count)
    return perf_counter() - start
