# SPDX-License-Identifier: MIT
"""Runs steps: those that are not done, inputs first, until all are done or time runs out."""

from __future__ import annotations

import math
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
from tengen.util.event_log import EventLog, read_rows
from tengen.util.files import locked
from tengen.util.progress import Progress
from tengen.util.text import plural

JOURNAL = "journal.jsonl"  # one row when a step starts, ends or fails


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How steps are run. None of it is part of a key, although speeds, zero learning and games
    under time limits depend on it: compare only those of one machine.
    """

    device: str = ""
    processes: int = 1  # games at a time
    compile: bool = False  # train with torch.compile


@dataclass
class RunSummary:
    """What a run did."""

    done: list[Step] = field(default_factory=list)
    cached: int = 0
    failed: dict[Step, str] = field(default_factory=dict)
    pending: list[Step] = field(default_factory=list)  # stopped, or an input is not done

    @property
    def is_complete(self) -> bool:
        return not self.failed and not self.pending


class _Workspace:
    """Implements `Workspace`."""

    def __init__(self, run: _Run, step: Step) -> None:
        self.folder = run.store.folder(step)
        self.device, self.processes = run.options.device, run.options.processes
        self.compile = run.options.compile
        self._run, self._step = run, step

    def result(self, step: Step) -> Mapping[str, Any]:
        content = self._run.store.read(step)
        if content is None:
            raise StepFailed(f"{step.title} is not done")
        return dict(content["result"])

    def file(self, step: Step, name: str) -> Path:
        path = self._run.store.folder(step) / name
        if not path.exists():
            raise StepFailed(f"{step.title} has no {name}")
        return path

    def stop(self) -> bool:
        return self._run.stop()

    def report(self, text: str) -> None:
        self._run.progress.update(text=f"{self._step.title}: {text}")


def missing_steps(store: StepStore, targets: Iterable[Step]) -> list[Step]:
    """The steps to run, inputs first: unfinished targets and, recursively, those of their inputs
    that are unfinished or whose files are missing.
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
    stop: Callable[[], bool] = lambda: False,
) -> RunSummary:
    """Run what is missing below `path`. A step that fails is reported and does not end the run;
    steps that depend on it are skipped. Raises FolderLocked, OSError.
    """
    path.mkdir(parents=True, exist_ok=True)
    store, summary = StepStore(path), RunSummary()
    targets, tried = list(targets), set[Step]()
    with locked(path), EventLog(path / JOURNAL) as journal:
        # A net that is trained again makes more steps missing: those that were done with the old.
        while steps := [one for one in missing_steps(store, targets) if one not in tried]:
            summary.cached = len(in_order(targets)) - len(tried.union(steps))
            title = f"steps ({summary.cached} cached)" if summary.cached else "steps"
            with Progress(title, len(steps), rate=False) as progress:
                run = _Run(store, options, stop, progress, journal, summary)
                for number, step in enumerate(steps):
                    progress.update(number, step.title)
                    run.step(step)
                progress.update(len(steps), "done")
            tried.update(steps)
        if not tried:
            summary.cached = len(in_order(targets))
    return summary


@dataclass(frozen=True, slots=True)
class _Run:
    """A run in this process."""

    store: StepStore
    options: RunOptions
    stop: Callable[[], bool]
    progress: Progress
    journal: EventLog
    summary: RunSummary

    def step(self, step: Step) -> None:
        """Run one step, unless it is time to stop or one of its inputs is not done; its outcome
        goes to the journal and the summary.
        """
        unavailable = {*self.summary.failed, *self.summary.pending}
        if self.stop() or unavailable.intersection(step.inputs):
            self.summary.pending.append(step)
            return
        self._log("start", step)
        start = monotonic()
        try:
            self.store.start(step)
            result = step.run(_Workspace(self, step))
        except StepStopped:
            self.summary.pending.append(step)
            self._log("stopped", step, seconds=round(monotonic() - start, 2))
        except Exception as error:  # a bug in one step must not end the others
            self._fail(step, error)
        else:
            seconds = float(result.pop("seconds", monotonic() - start + self._earlier(step)))
            device = _device_name(self.options.device) if step.USES_DEVICE else ""
            self.store.write(step, result, seconds, device)
            step.clean(self.store.folder(step))
            self.summary.done.append(step)
            self._log("done", step, seconds=round(seconds, 2))
            self.progress.print(f"{step.title}: done in {seconds:.0f} s")

    def _earlier(self, step: Step) -> float:
        """Seconds of earlier sessions that were stopped, since the step was last done; those that
        were killed are not known.
        """
        seconds: list[float] = []
        for row in read_rows(self.journal.path):
            if row.get("step") == step.key:
                if row.get("event") == "done":
                    seconds.clear()
                elif row.get("event") == "stopped":
                    seconds.append(float(row["seconds"]))
        return math.fsum(seconds)

    def _fail(self, step: Step, error: Exception) -> None:
        text = str(error) or type(error).__name__
        self.summary.failed[step] = text
        self._log("failed", step, error=text[:1000])
        self.progress.print(f"{step.title} failed: {text}")
        is_bug = not isinstance(error, TengenError | OSError)
        trace = "".join(traceback.format_exception(error)) if is_bug else ""
        with suppress(OSError):
            self.store.write_failure(step, text, trace)

    def _log(self, event: str, step: Step, **values: Any) -> None:
        self.journal.append({"event": event, "step": step.key, "title": step.title, **values})


def _device_name(device: str) -> str:
    from tengen.train.loop import find_device
    from tengen.train.net_trainer import device_name

    return device_name(find_device(device))


def describe(summary: RunSummary) -> str:
    """One line about a run."""
    parts = [f"{plural(len(summary.done), 'step')} done", f"{summary.cached} cached"]
    if summary.failed:
        parts.append(f"{len(summary.failed)} failed")
    if summary.pending:
        parts.append(f"{len(summary.pending)} pending")
    return ", ".join(parts)
