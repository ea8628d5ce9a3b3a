# SPDX-License-Identifier: MIT
"""Nets as steps: counts, training, speed. torch is imported when a step runs."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
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
_WARM_UP = 3  # runs before a CUDA graph is captured
_Run = Callable[[int], None]  # evaluates so many batches


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
    USES_DEVICE: ClassVar = True

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
    """Batches per second of nets with random weights on the device of the run (a GPU: bf16, as a
    CUDA graph), in rounds in which all nets take turns. The result is a property of the device: the
    same step is not measured again on another one.
    """

    KIND: ClassVar = "speeds"
    USES_DEVICE: ClassVar = True

    nets: Mapping[str, Net]
    size: int
    batch: int
    seconds: float  # of each net per round

    @property
    def title(self) -> str:
        return f"speeds of {len(self.nets)} nets, batch {self.batch}"

    def run(self, work: Workspace) -> dict[str, Any]:
        runs = {}
        for label, net in self.nets.items():
            _check_stop(work, self.title)
            work.report(f"preparing {label}")
            runs[label] = self._prepared(work, net)
        counts = {label: self._count(run) for label, run in runs.items()}
        rounds: dict[str, list[float]] = {label: [] for label in runs}
        for number in range(_ROUNDS):
            for label, run in runs.items():
                _check_stop(work, self.title)
                work.report(f"round {number + 1} of {_ROUNDS}, {label}")
                rounds[label].append(counts[label] / _time(run, counts[label]))
        return {"batches_per_second": rounds}

    def _count(self, run: _Run) -> int:
        """How many batches take about `seconds`."""
        run(2)  # the first runs choose algorithms
        count = 1
        while (taken := _time(run, count)) < self.seconds / 2 and count < 1 << 20:
            count = max(count + 1, round(count * min(8.0, self.seconds / max(taken, 1e-6))))
        return count

    def _prepared(self, work: Workspace, net: Net) -> _Run:
        import torch

        from tengen.nets import make_net
        from tengen.nets.blocks import fused
        from tengen.train.loop import find_device
        from tengen.train.net_trainer import placed

        device = find_device(work.device)
        is_gpu = device.type == "cuda"
        module = placed(fused(make_net(net)), device)
        shape = (self.batch, 2, self.size, self.size)
        planes = torch.randint(0, 2, shape, device=device).float()

        def once() -> None:
            # No cache of converted weights: a graph would use it after it was freed.
            options = {"enabled": is_gpu, "cache_enabled": False}
            with torch.inference_mode(), torch.autocast(device.type, torch.bfloat16, **options):
                module(planes)

        replay = _captured(once) if is_gpu else once

        def run(count: int) -> None:
            for _ in range(count):
                replay()
            if is_gpu:
                torch.cuda.synchronize()

        return run


def _captured(work: Callable[[], None]) -> Callable[[], None]:
    """The kernels of `work` as a CUDA graph: for small nets, starting kernels one by one takes
    longer than running them. The result keeps `work`: a graph has only addresses of what it reads.
    """
    import torch

    side = torch.cuda.Stream()  # type: ignore[no-untyped-call]
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(_WARM_UP):
            work()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        work()
    return partial(_replay, graph, work)


def _replay(graph: Any, _kept: Callable[[], None]) -> None:
    graph.replay()


@dataclass(frozen=True, eq=False)
class CpuSpeedStep(SpeedStep):
    """The same by ONNX Runtime on one core."""

    KIND: ClassVar = "cpu-speeds"
    USES_DEVICE: ClassVar = False

    @property
    def title(self) -> str:
        return f"{super().title}, one CPU core"

    def _prepared(self, work: Workspace, net: Net) -> _Run:
        import numpy as np

        from tengen.engine.onnx_net import OnnxNet
        from tengen.export.onnx import export_onnx
        from tengen.nets import make_net

        path = work.folder / "net.onnx"
        export_onnx(make_net(net).eval(), path, self.size)
        loaded = OnnxNet(path)
        shape = (self.batch, 2, self.size, self.size)
        planes = np.random.default_rng(1).integers(0, 2, shape).astype(np.float32)

        def run(count: int) -> None:
            for _ in range(count):
                loaded.evaluate(planes)

        return run


def _check_stop(work: Workspace, title: str) -> None:
    if work.stop():
        raise StepStopped(title)


def _time(run: _Run, count: int) -> float:
    start = perf_counter()
    run(count)
    return perf_counter() - start
