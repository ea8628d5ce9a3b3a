# SPDX-License-Identifier: MIT
"""Tables V and VI of the Go paper: speed of mobile nets by depth and width, accelerator and CPU."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise

from tengen.experiments.experiment import Experiment, Findings, ReportTable, Setup, StepResults
from tengen.experiments.go_depth_width import net_of
from tengen.experiments.papers import PaperItem, paper
from tengen.experiments.step import Step
from tengen.experiments.steps.nets import SpeedStep
from tengen.experiments.trained import measured_speeds
from tengen.experiments.verdicts import Measured, Verdict, every, limited, ranking

_BATCH = 32
_TINY = ("64 x 16", "64 x 32", "96 x 16")
_RESIDUAL = ("residual.20.256", "residual.40.256")


def _cells(setup: Setup, item: PaperItem) -> list[str]:
    cells = list(item.matrix())
    return [name for name in cells if name in _TINY] if setup.scale == "tiny" else cells


def _nets(setup: Setup) -> tuple[list[str], list[str]]:
    """The nets timed on the device and on the CPU."""
    more = [] if setup.scale == "tiny" else list(_RESIDUAL)
    gpu, cpu = (paper("mobilenet").named(name) for name in ("Table V", "Table VI"))
    return _cells(setup, gpu) + more, _cells(setup, cpu) + more


def plan(setup: Setup) -> dict[str, Step]:
    # Speed needs no training, so the nets have the paper's size unless the scale is tiny.
    full = setup if setup.scale == "tiny" else Setup("paper")
    gpu, cpu = _nets(setup)
    seconds = {"tiny": 0.02, "small": 0.2, "paper": 0.5}[setup.scale]
    batch = 2 if setup.scale == "tiny" else _BATCH
    steps: dict[str, Step] = {
        f"gpu {name}": SpeedStep(net_of(full, name), 19, batch, seconds) for name in gpu
    }
    steps |= {
        f"cpu {name}": SpeedStep(net_of(full, name), 19, 1, seconds, on_cpu=True) for name in cpu
    }
    return steps


def report(setup: Setup, results: StepResults) -> Findings:
    gpu, cpu = _nets(setup)
    item = paper("mobilenet")
    tables, verdicts, notes = [], [], []
    for title, part, names, printed, column in (
        ("Table V: device, batches per second", "gpu", gpu, item.named("Table V"), "gpu_speed"),
        ("Table VI: one CPU core, batches of 1", "cpu", cpu, item.named("Table VI"), "cpu_speed"),
    ):
        speeds = measured_speeds(results, part, names)
        found = speeds.comparable
        numbers = printed.matrix() | item.named("Table III").column(column)
        rows = [(name, speeds.found.get(name), numbers.get(name)) for name in names]
        tables.append(ReportTable(title, ("width x depth", "ours", "paper"), tuple(rows)))
        verdicts.append(ranking(f"{title}: ranking of the nets", found, numbers))
        if part == "gpu":  # the paper's Table VI is not monotone
            claim = f"{title}: speed falls with depth and width"
            verdicts.append(_monotone(claim, found, printed.matrix()))
        if speeds.note:
            notes.append(f"{title}: {speeds.note}")
    return Findings(tuple(tables), tuple(verdicts), notes=tuple(notes))


def _monotone(claim: str, found: Mapping[str, Measured], wanted: Iterable[str]) -> Verdict:
    """Whether each net is faster than the next deeper and the next wider one."""
    sizes = {name: tuple(map(int, name.split(" x "))) for name in wanted}
    done = {name: size for name, size in sizes.items() if name in found}
    gaps = {}
    for axis in (0, 1):
        for fixed in sorted({size[axis] for size in done.values()}):
            line = sorted((n for n in done if done[n][axis] == fixed), key=done.__getitem__)
            for small, large in pairwise(line):
                gaps[f"{small} > {large}"] = found[small].minus(found[large])
    return limited(every(claim, gaps), len(done), len(sizes)) if gaps else every(claim, gaps)


EXPERIMENT = Experiment(
    "go-speed",
    "speed of mobile and residual nets by depth and width",
    plan,
    report,
    minutes={
        "tiny": "1 min, CPU",
        "small": "8 min, GPU and 1 core",
        "paper": "8 min, GPU and 1 core",
    },
    differences=(
        "Boards of 19x19 with 2 input planes instead of 21, on this accelerator in bf16; the paper"
        " has an RTX 2080 Ti and a CPU that it does not name.",
        "On the CPU: ONNX Runtime, one core. That speed falls with depth and width is no claim of"
        " Table VI, whose own numbers contradict it (3.61, then 3.70).",
    ),
)
