# SPDX-License-Identifier: MIT
"""Tables V and VI of the Go paper: speed of mobile nets by depth and width, accelerator and CPU."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise

from tengen.experiments.experiment import Experiment, Findings, ReportTable, Setup, StepResults
from tengen.experiments.go_nets import BATCH, RESIDUAL, SECONDS, TINY, net_of, width_depth
from tengen.experiments.measured import Measured
from tengen.experiments.papers import PaperItem, paper
from tengen.experiments.step import Step
from tengen.experiments.steps.nets import CpuSpeedStep, SpeedStep
from tengen.experiments.trained import measured_speeds
from tengen.experiments.verdicts import Verdict, every, limited, ranking

_SIZE = 19
_KINDS = {"gpu": "Table V: device", "cpu": "Table VI: one CPU core"}


def _names(setup: Setup, kind: str) -> list[str]:
    """The nets timed on the device, or on the CPU."""
    cells = list(_printed(kind).matrix())
    if setup.scale == "tiny":
        return [name for name in cells if name in TINY]
    return [*cells, *RESIDUAL]


def _printed(kind: str) -> PaperItem:
    return paper("mobilenet").named(_KINDS[kind].partition(":")[0])


def plan(setup: Setup) -> dict[str, Step]:
    # Speed needs no training, so the nets have the paper's size unless the scale is tiny.
    full = setup if setup.scale == "tiny" else Setup("paper")
    nets = {kind: {x: net_of(full, x) for x in _names(setup, kind)} for kind in _KINDS}
    seconds = SECONDS[setup.scale]
    return {
        "gpu": SpeedStep(nets["gpu"], _SIZE, BATCH[setup.scale], seconds),
        "cpu": CpuSpeedStep(nets["cpu"], _SIZE, 1, seconds),
    }


def report(setup: Setup, results: StepResults) -> Findings:
    residuals = paper("mobilenet").named("Table III")
    tables, verdicts = [], []
    for kind, title in _KINDS.items():
        printed, found = _printed(kind), measured_speeds(results, kind)
        numbers = printed.matrix() | residuals.column(f"{kind}_speed")
        rows = [(name, found.get(name), numbers.get(name)) for name in _names(setup, kind)]
        heads = ("width x depth", "ours", "paper")
        tables.append(ReportTable(f"{title}, batches per second", heads, tuple(rows)))
        verdicts.append(ranking(f"{title}: ranking of the nets", found, numbers))
        if kind == "gpu":  # the paper's Table VI is not monotone
            claim = f"{title}: speed falls with depth and width"
            verdicts.append(_monotone(claim, found, printed.matrix()))
    return Findings(tuple(tables), tuple(verdicts))


def _monotone(claim: str, found: Mapping[str, Measured], wanted: Iterable[str]) -> Verdict:
    """Whether each net is faster than the next deeper and the next wider one."""
    sizes = {name: width_depth(name) for name in wanted}
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
    cost={
        "tiny": "1 min, CPU",
        "small": "1 min GPU, 9 min 1 core",
        "paper": "8 min, GPU and 1 core",
    },
    differences=(
        "Boards of 19x19 with 2 input planes instead of 21, on this accelerator in bf16; the paper"
        " has an RTX 2080 Ti and a CPU that it does not name.",
        "On the CPU: ONNX Runtime, one core. That speed falls with depth and width is no claim of"
        " Table VI, whose own numbers contradict it (3.61, then 3.70).",
    ),
)
