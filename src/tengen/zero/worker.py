# SPDX-License-Identifier: MIT
"""Self-play in a worker process: a task in, games out. The worker keeps its generator, with the
games under way, between two tasks. Relies on the nets' files and on a factory of generators; the
loop relies on it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from multiprocessing import current_process
from pathlib import Path
from typing import Any, TypeAlias

from tengen.cluster import Notes
from tengen.nets.weights import read_weights
from tengen.train.errors import BadTraining
from tengen.train.tables import read_table
from tengen.zero.errors import BadZero
from tengen.zero.generator import Games, Generator

__all__ = ["FACTORY", "Played", "Task", "TaskPlayer", "check_settings", "find_factory", "play_task"]

# Makes a generator of a table of settings and the name of a device.
Factory: TypeAlias = Callable[[Mapping[str, Any], str], Generator]
FACTORY = "tengen.zero.selfplay:make_generator"


@dataclass(frozen=True, slots=True)
class Task:
    """Play on for about so many rows."""

    name: str  # no other task of the run has it
    rows: int
    seed: int  # of a generator that is made for this task
    generation: int
    nets: tuple[str, ...]  # paths of the generation's weights: one, or black's and white's
    settings: Mapping[str, Any]  # of self-play
    factory: str  # as "module:function"
    device: str


@dataclass(frozen=True, slots=True)
class Played:
    """What a task gave."""

    task: str
    games: Games


class TaskPlayer:
    """A generator that follows the tasks: made for the first one, given new nets when the
    generation changes.
    """

    def __init__(self) -> None:
        self._generator: Generator | None = None
        self._made: tuple[str, str, Any] | None = None
        self._generation: tuple[str, ...] = ()

    def play(self, task: Task) -> Played:
        made = (task.factory, task.device, dict(task.settings))
        if self._generator is None or made != self._made:
            self.close()
            factory = find_factory(task.factory)
            self._generator = factory({**task.settings, "seed": task.seed}, task.device)
            self._made = made
        if task.nets != self._generation:
            self._generator.use(*(read_weights(Path(path)).make() for path in task.nets))
            self._generation = task.nets
        return Played(task.name, self._generator.play(task.rows))

    def close(self) -> None:
        if self._generator is not None:
            self._generator.close()
        self._generator, self._made, self._generation = None, None, ()


_player = TaskPlayer()  # of a worker process, which does one task at a time


def play_task(task: Task, notes: Notes) -> Played:
    """The work of a worker."""
    notes.write(task.generation)
    import torch

    if task.device == "cpu" and current_process().name != "MainProcess":
        torch.set_num_threads(1)  # the cores are shared with learning
    return _player.play(task)


def find_factory(name: str) -> Factory:
    """The function of a dotted name. Raises BadZero."""
    module, _, function = name.partition(":")
    try:
        return getattr(import_module(module), function)  # type: ignore[no-any-return]
    except (ImportError, AttributeError) as error:
        raise BadZero(f"no self-play {name!r}: {error}") from None


def check_settings(name: str, settings: Mapping[str, Any]) -> None:
    """That self-play understands its settings, told before a worker is started. Raises BadZero."""
    find_factory(name)
    known = getattr(import_module(name.partition(":")[0]), "SelfPlaySettings", None)
    if dataclasses.is_dataclass(known):
        try:
            read_table(known, settings, "selfplay")  # type: ignore[arg-type]
        except BadTraining as error:
            raise BadZero(str(error)) from None
