# SPDX-License-Identifier: MIT
"""Steps for tests of experiments: each writes what it did into a log beside the folder."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from tengen.experiments.errors import StepFailed, StepStopped
from tengen.experiments.step import Step, Workspace


@dataclass(frozen=True, eq=False)
class Add(Step):
    """The sum of a number and of the results of its inputs."""

    KIND: ClassVar = "add"

    number: int
    parts: tuple[Step, ...] = ()

    @property
    def title(self) -> str:
        return f"add {self.number}"

    def run(self, work: Workspace) -> dict[str, Any]:
        return {"sum": self.number + sum(work.result(part)["sum"] for part in self.parts)}


@dataclass(frozen=True, eq=False)
class WithFile(Add):
    """Has a file that others read."""

    KIND: ClassVar = "with-file"
    FILES: ClassVar = ("text.txt",)

    def run(self, work: Workspace) -> dict[str, Any]:
        (work.folder / "text.txt").write_text(str(self.number))
        return {"sum": self.number}


@dataclass(frozen=True, eq=False)
class ReadsFile(Add):
    """Reads the file of its only input."""

    KIND: ClassVar = "reads-file"

    def run(self, work: Workspace) -> dict[str, Any]:
        return {"sum": int(work.file(self.parts[0], "text.txt").read_text()) + self.number}


@dataclass(frozen=True, eq=False)
class Fails(Add):
    KIND: ClassVar = "fails"

    def run(self, work: Workspace) -> dict[str, Any]:
        raise StepFailed("it lacks a device")


@dataclass(frozen=True, eq=False)
class Stops(Add):
    """Does one part of its work per run, and needs `number` runs."""

    KIND: ClassVar = "stops"

    def run(self, work: Workspace) -> dict[str, Any]:
        path = work.folder / "done.txt"
        done = 1 + (int(path.read_text()) if path.exists() else 0)
        path.write_text(str(done))
        if done < self.number:
            raise StepStopped(self.title)
        return {"sum": done}


@dataclass(frozen=True, eq=False)
class Trains(WithFile):
    """Makes another file each time, as a training on an accelerator."""

    KIND: ClassVar = "trains"
    REPEATABLE: ClassVar = False

    def run(self, work: Workspace) -> dict[str, Any]:
        (work.folder / "resume.txt").write_text("state")
        (work.folder / "text.txt").write_text(str(secrets.randbelow(1 << 60)))
        return {"sum": self.number}

    def clean(self, folder: Path) -> None:
        (folder / "resume.txt").unlink()


@dataclass(frozen=True, eq=False)
class FailsOnce(Add):
    """Fails at its first run by a bug."""

    KIND: ClassVar = "fails-once"

    def run(self, work: Workspace) -> dict[str, Any]:
        path = work.folder / "tried.txt"
        if not path.exists():
            path.write_text("")
            raise ZeroDivisionError("by zero")
        return {"sum": self.number}
