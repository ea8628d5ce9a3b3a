# SPDX-License-Identifier: MIT
"""`Step`: one piece of work of an experiment, with a key that identifies its result.

The key is a hash of everything that determines the result: the kind of step, its version, its
fields, and the keys of the steps whose results it reads. Two experiments that need the same work
have steps with the same key and share it. Nothing here does work: subclasses do (`steps/`).
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Protocol

from tengen.util.config import Config

_KEY_LENGTH = 16  # hex digits: enough that no two of a million steps share one


class Workspace(Protocol):
    """What a running step gets."""

    folder: Path  # its own, for its files; what a stopped or killed run left there is still there
    device: str  # `cuda`, `cpu`, or empty: a GPU if there is one
    processes: int  # games at a time
    compile: bool  # train with torch.compile

    def result(self, step: Step) -> Mapping[str, Any]:
        """The result of an input."""

    def file(self, step: Step, name: str) -> Path:
        """A file of an input."""

    def stop(self) -> bool:
        """Whether the step must stop now. It then raises StepStopped."""

    def report(self, text: str) -> None:
        """Shown beside the progress of the run."""


# Metadata of a field that does not change the result, such as a path.
UNHASHED = {"hashed": False}


@dataclass(frozen=True)
class Step(ABC):
    """A piece of work. Subclasses are frozen dataclasses with `eq=False`, whose fields are plain
    values, configs, steps, and tuples and mappings of them.
    """

    KIND: ClassVar[str]
    VERSION: ClassVar[int] = 1  # higher after a change of the code that changes results
    FILES: ClassVar[tuple[str, ...]] = ()  # files that other steps read, besides the result
    # Whether the same step makes the same files again. Where not, as for a training on an
    # accelerator, results hold only for the files that they were made of.
    REPEATABLE: ClassVar[bool] = True
    # Whether it runs on the device of the run, which is then stored with its result.
    USES_DEVICE: ClassVar[bool] = False

    @abstractmethod
    def run(self, work: Workspace) -> dict[str, Any]:
        """Do the work, or continue it, and return the result: plain values. `seconds`, if it is
        among them, is what the step took, and not part of the result. Raises StepStopped,
        StepFailed, and the errors of what it uses.
        """

    def clean(self, folder: Path) -> None:  # noqa: B027  most have nothing
        """Remove what only resuming needs; called when the result is stored."""

    @property
    def title(self) -> str:
        """One line for people."""
        return self.KIND

    @cached_property
    def key(self) -> str:
        return key_of(self.identity())

    def identity(self) -> dict[str, Any]:
        """Everything that determines the result, as plain values."""
        values = {
            entry.name: _plain(getattr(self, entry.name))
            for entry in fields(self)
            if entry.metadata.get("hashed", True)
        }
        return {"kind": self.KIND, "version": self.VERSION, **values}

    @cached_property
    def inputs(self) -> tuple[Step, ...]:
        """The steps whose results this one reads."""
        return tuple(dict.fromkeys(_steps(getattr(self, entry.name) for entry in fields(self))))

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Step) and self.key == other.key


@dataclass(frozen=True, slots=True)
class ResultValue:
    """A value of another step's result, known when that step is done."""

    step: Step
    name: str

    def read(self, work: Workspace) -> Any:
        return work.result(self.step)[self.name]


def key_of(identity: Mapping[str, Any]) -> str:
    """The key of a step by its identity, which its result contains."""
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:_KEY_LENGTH]


def _plain(value: Any) -> Any:
    if isinstance(value, Step):
        return {"step": value.key}
    if isinstance(value, ResultValue):
        return {"step": value.step.key, "value": value.name}
    if isinstance(value, Config):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {str(name): _plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"a step cannot hold {type(value).__name__}")


def _steps(values: Any) -> Iterator[Step]:
    for value in values:
        if isinstance(value, Step):
            yield value
        elif isinstance(value, ResultValue):
            yield value.step
        elif isinstance(value, Mapping):
            yield from _steps(value.values())
        elif isinstance(value, list | tuple):
            yield from _steps(value)


def in_order(steps: Any) -> list[Step]:
    """The steps and all that they need, each once, inputs first."""
    done: dict[str, Step] = {}

    def visit(step: Step) -> None:
        if step.key not in done:
            for one in step.inputs:
                visit(one)
            done[step.key] = step

    for step in steps:
        visit(step)
    return list(done.values())
