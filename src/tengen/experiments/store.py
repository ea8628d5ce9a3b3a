# SPDX-License-Identifier: MIT
"""`StepStore`: the results of steps in a folder, one folder for each step, named by its key.

A step is done when its `result.json` exists, which is written last and atomically: a kill at any
moment leaves a step that is done or one that continues. StepResults never change.
"""

from __future__ import annotations

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
from tengen.experiments.step import Step
from tengen.util.errors import BadRun
from tengen.util.files import write_text

RESULT = "result.json"
FORMAT = 1
STEPS = "steps"


class StepStore:
    """The steps below `path`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def folder(self, step: Step) -> Path:
        return self.path / STEPS / f"{step.KIND}-{step.key}"

    def is_done(self, step: Step) -> bool:
        return (self.folder(step) / RESULT).exists()

    def has_files(self, step: Step) -> bool:
        """Whether a done step still has the files that others read. Packed results leave them out;
        a step that needs one of them then does its input again.
        """
        return all((self.folder(step) / name).exists() for name in step.FILES)

    def read(self, step: Step) -> dict[str, Any] | None:
        """What `write` stored, None if the step is not done. Raises BadRun for a damaged file."""
        return read_result(self.folder(step) / RESULT, step)

    def write(self, step: Step, result: Mapping[str, Any], seconds: float, device: str) -> None:
        """Store a result; the step is then done. Raises OSError."""
        content = {
            "format": FORMAT,
            "key": step.key,
            "title": step.title,
            "step": step.identity(),
            "result": dict(result),
            "seconds": round(seconds, 2),
            "device": device,
            **conditions(),
        }
        write_text(json.dumps(content, indent=1) + "\n", self.folder(step) / RESULT)

    def discard(self, step: Step) -> None:
        """Remove a step with its files."""
        shutil.rmtree(self.folder(step), ignore_errors=True)


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
    wrong = wrong or not isinstance(content.get("result"), dict)
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
