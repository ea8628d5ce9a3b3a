# SPDX-License-Identifier: MIT
"""Runs steps: those that are not done, inputs first, until all are done or the time is over."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any

from tengen.experiments.errors import StepFailed, StepStopped
from tengen.experiments.step import Step, in_order
from tengen.experiments.store import StepStore
from tengen.util.errors import TengenError
from tengen.util.files import locked
from tengen.util.journal import Journal
from tengen.util.progress import Progress
from tengen.util.text import count

JOURNAL = "journal.jsonl"  # one row when a step starts, ends or fails


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How steps are run; none of it changes a result."""

    device: str = ""
    processes: int = 1
    kinds: tuple[str, ...] = ()  # only steps of these kinds, and what they need; empty: all


@dataclass
class RunSummary:
    """What a run did."""

    done: list[Step] = field(default_factory=list)
    cached: int = 0
    failed: dict[Step, str] = field(default_factory=dict)
    left: list[Step] = field(default_factory=list)

    @property
    def is_complete(self) -> bool:
        return not self.failed and not self.left


class _Workspace:
    """Implements `Workspace`."""

    def __init__(
        self,
        store: StepStore,
        step: Step,
        options: RunOptions,
        stop: Callable[[], bool],
        report: Callable[[str], None],
    ) -> None:
        self.folder = store.folder(step)
        self.device, self.processes = options.device, options.processes
        self._store, self._step = store, step
        self._stop, self._report = stop, report

    def result(self, step: Step) -> Mapping[str, Any]:
        content = self._store.read(step)
        if content is None:
            raise StepFailed(f"{step.title} is not done")
        return dict(content["result"])

    def file(self, step: Step, name: str) -> Path:
        path = self._store.folder(step) / name
        if not path.exists():
            raise StepFailed(f"{step.title} has no {name}")
        return path

    def stop(self) -> bool:
        return self._stop()

    def report(self, text: str) -> None:
        self._report(text)


def missing_steps(store: StepStore, targets: Iterable[Step]) -> list[Step]:
    """The steps to do for these targets, inputs first: targets that are not done, and of what they
    read everything that is not done or has lost its files.
    """
    wanted: dict[str, Step] = {}

    def visit(step: Step, files: bool) -> None:
        if step.key in wanted or (store.is_done(step) and (not files or store.has_files(step))):
            return
        for one in step.inputs:
            visit(one, True)
        wanted[step.key] = step

    for step in targets:
        visit(step, False)
    return list(wanted.values())


def run_steps(
    path: Path,
    targets: Iterable[Step],
    options: RunOptions,
    *,
    stop: Callable[[], bool] = lambda: False,
    on_done: Callable[[Step], None] = lambda step: None,
) -> RunSummary:
    """Run what is missing below `path`. A step that fails is reported and does not end the run;
    what needs it is left. Raises FolderBusy, OSError.
    """
    path.mkdir(parents=True, exist_ok=True)
    store, summary = StepStore(path), RunSummary()
    targets = list(targets)
    with locked(path), Journal(path / JOURNAL) as journal:
        steps = missing_steps(store, targets)
        summary.cached = len(in_order(targets)) - len(steps)
        title = f"steps ({summary.cached} cached)" if summary.cached else "steps"
        with Progress(title, len(steps), rate=False) as progress:
            for number, step in enumerate(steps):
                progress.update(number, step.title)
                if stop() or any(one in summary.failed for one in step.inputs):
                    summary.left.append(step)
                    continue
                if any(one in summary.left for one in step.inputs):
                    summary.left.append(step)
                    continue
                _run_step(store, step, options, stop, progress, journal, summary)
                if step in summary.done:
                    on_done(step)
            progress.update(len(steps), "done")
    return summary


def _run_step(
    store: StepStore,
    step: Step,
    options: RunOptions,
    stop: Callable[[], bool],
    progress: Progress,
    journal: Journal,
    summary: RunSummary,
) -> None:
    """Run one step; its outcome goes to the journal and the summary."""

    def report(text: str) -> None:
        progress.update(text=f"{step.title}: {text}")

    folder = store.folder(step)
    folder.mkdir(parents=True, exist_ok=True)
    work = _Workspace(store, step, options, stop, report)
    row = {"step": step.key, "title": step.title}
    journal.append({"event": "start", **row})
    start = monotonic()
    try:
        result = step.run(work)
    except StepStopped:
        summary.left.append(step)
        journal.append({"event": "stopped", **row, "seconds": round(monotonic() - start, 2)})
    except (TengenError, OSError, RuntimeError, ValueError) as error:
        summary.failed[step] = str(error) or type(error).__name__
        journal.append({"event": "failed", **row, "error": summary.failed[step][:1000]})
        progress.print(f"{step.title} failed: {summary.failed[step]}")
        if not isinstance(error, TengenError | OSError):  # a fault of the program
            with suppress(OSError):
                (folder / "error.txt").write_text(traceback.format_exc(), "utf-8")
    else:
        seconds = float(result.pop("seconds", monotonic() - start))
        store.write(step, result, seconds, options.device)
        summary.done.append(step)
        journal.append({"event": "done", **row, "seconds": round(seconds, 2)})
        progress.print(f"{step.title}: done in {seconds:.0f} s")


def describe(summary: RunSummary) -> str:
    """One line about a run."""
    parts = [f"{count(len(summary.done), 'step')} done", f"{summary.cached} cached"]
    if summary.failed:
        parts.append(f"{len(summary.failed)} failed")
    if summary.left:
        parts.append(f"{len(summary.left)} left")
    return ", ".join(parts)
