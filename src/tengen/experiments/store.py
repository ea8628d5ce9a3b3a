# SPDX-License-Identifier: MIT
"""`StepStore`: the results of steps in a folder, one folder for each step, named by its key.

A step is done when its `result.json` exists, which is written last and atomically: a kill at any
moment leaves a step that is done or one that continues. A result has the checksums of the step's
files and, as `origins`, those of the files of all steps before it that make other files each time:
when a net is trained again, matches of the old net count as not done.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from tengen._version import version
from tengen.cluster import cores
from tengen.experiments.step import Step, in_order
from tengen.util.errors import BadRun
from tengen.util.files import write_text

RESULT = "result.json"
FAILED = "failed.json"  # why the last run of a step failed
_TRACE = "error.txt"  # of a failure that is a bug
_ORIGINS = "origins.json"  # of a step that has started
FORMAT = 1
STEPS = "steps"


class StepStore:
    """The steps below `path`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def folder(self, step: Step) -> Path:
        return self.path / STEPS / f"{step.KIND}-{step.key}"

    def is_done(self, step: Step) -> bool:
        """Raises BadRun for a damaged result."""
        return self.read(step) is not None

    def has_files(self, step: Step) -> bool:
        """Whether a done step still has the files that others read. Packed results leave them out;
        a step that needs one of them then does its input again.
        """
        folder = self.folder(step)
        if not all((folder / name).exists() for name in step.FILES):
            return False
        content = read_result(folder / RESULT, step)
        return (
            content is None or content.get("files", {}).items() <= _checksums(folder, step).items()
        )

    def read(self, step: Step) -> dict[str, Any] | None:
        """What `write` stored; None if the step is not done, or was done with other files of the
        steps before it. Raises BadRun for a damaged file.
        """
        content = read_result(self.folder(step) / RESULT, step)
        if content is None or not all(
            files == self._files(name, files) for name, files in content.get("origins", {}).items()
        ):
            return None
        return content

    def write(self, step: Step, result: Mapping[str, Any], seconds: float, device: str) -> None:
        """Store a result; the step is then done. Raises OSError."""
        more = {"files": _checksums(self.folder(step), step), "origins": self._origins(step)}
        content = {
            "format": FORMAT,
            "key": step.key,
            "title": step.title,
            "step": step.identity(),
            "result": dict(result),
            "seconds": round(seconds, 2),
            "device": device,
            **conditions(),
            **{name: table for name, table in more.items() if table},
        }
        write_text(json.dumps(content, indent=1) + "\n", self.folder(step) / RESULT)
        for name in (FAILED, _TRACE, _ORIGINS):
            (self.folder(step) / name).unlink(missing_ok=True)

    def start(self, step: Step) -> Path:
        """The folder of a step that is run now. What an earlier run left there stays, unless it was
        made of other files. Raises OSError.
        """
        folder, origins = self.folder(step), self._origins(step)
        before = _read_table(folder / _ORIGINS)
        is_stale = before is not None and before != origins
        if is_stale or ((folder / RESULT).exists() and not self.is_done(step)):
            self.discard(step)
        folder.mkdir(parents=True, exist_ok=True)
        if origins:
            write_text(json.dumps(origins) + "\n", folder / _ORIGINS)
        return folder

    def failure(self, step: Step) -> str | None:
        """Why the last run of a step failed; None if it did not."""
        error = (_read_table(self.folder(step) / FAILED) or {}).get("error")
        return error if isinstance(error, str) else None

    def write_failure(self, step: Step, error: str, trace: str = "") -> None:
        """Store why a step failed, until it is done. Raises OSError."""
        content = {"format": FORMAT, "title": step.title, "error": error}
        folder = self.folder(step)
        write_text(json.dumps(content, indent=1) + "\n", folder / FAILED)
        if trace:
            (folder / _TRACE).write_text(trace, "utf-8")

    def discard(self, step: Step) -> None:
        """Remove a step with its files."""
        shutil.rmtree(self.folder(step), ignore_errors=True)

    def _origins(self, step: Step) -> dict[str, Any]:
        """The checksums of the files of all steps before this one that are not repeatable, by the
        names of their folders.
        """
        names = [self.folder(one).name for one in in_order([step])[:-1] if not one.REPEATABLE]
        return {name: files for name in names if (files := self._files(name, None)) is not None}

    def _files(self, name: str, unknown: Any) -> Any:
        """The checksums of the files of a done step; `unknown` if it is not here or has none."""
        content = read_result(self.path / STEPS / name / RESULT)
        return unknown if content is None else content.get("files", unknown)


def _checksums(folder: Path, step: Step) -> dict[str, str]:
    """Of the files of a step, not of its folders."""
    paths = {name: folder / name for name in step.FILES}
    return {
        name: hashlib.sha256(path.read_bytes()).hexdigest()
        for name, path in paths.items()
        if path.is_file()
    }


def _read_table(path: Path) -> dict[str, Any] | None:
    """A small JSON file; None if there is none that can be read."""
    try:
        content = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None


def read_result(path: Path, step: Step | None = None) -> dict[str, Any] | None:
    """The content of a `result.json`, None if there is none. Raises BadRun for a damaged file, or
    one of another step.
    """
    try:
        content = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as error:
        raise BadRun(f"{path} is damaged ({error}): remove its folder and run again") from None
    wrong = not isinstance(content, dict) or content.get("format") != FORMAT
    tables = ("result", "step", "files", "origins")
    wrong = wrong or not all(isinstance(content.get(name, {}), dict) for name in tables)
    wrong = wrong or "result" not in content
    if wrong or (step is not None and content.get("key") != step.key):
        raise BadRun(f"{path} is not the result of this step: remove its folder and run again")
    return dict(content)


@cache
def conditions() -> dict[str, str]:
    """Machine, version and commit, for reports."""
    return {"machine": machine(), "tengen": version(), "commit": _commit()}


def machine() -> str:
    """Processor, cores and architecture."""
    name = platform.processor() or "unknown processor"
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
        named = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
        name = named[0] if named else name
    except OSError:
        pass
    return f"{name}, {cores()} cores, {platform.machine()}"


def _commit() -> str:
    """The commit of the checkout that this package runs from; empty elsewhere."""
    if "TENGEN_COMMIT" in os.environ:  # set by a bundle, which has no repository
        return os.environ["TENGEN_COMMIT"][:40]
    root = Path(__file__).resolve().parents[3]
    if not (root / ".git").exists():
        return ""
    try:
        command = ["git", "-C", str(root), "describe", "--always", "--dirty", "--abbrev=10"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=10)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()
