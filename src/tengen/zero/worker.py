# SPDX-License-Identifier: MIT
"""Self-play in a worker process: a task in, games out. The worker keeps its generator, with the
games under way, between two tasks. Relies on the nets' files and on a factory of generators; the
loop relies on it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from multiprocessing import current_process
from pathlib import Path
from typing import Any

from tengen.cluster import Notes
from tengen.nets.weights import read_weights
from tengen.zero.factory import find_factory
from tengen.zero.generator import Games, Generator

__all__ = ["Played", "Task", "TaskPlayer", "play_task", "stop_playing"]


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

    def play(self, task: Task, alive: Callable[[], None] = lambda: None) -> Played:
        made = (task.factory, task.device, dict(task.settings))
        if self._generator is None or made != self._made:
            self.close()
            factory = find_factory(task.factory)
            self._generator = factory({**task.settings, "seed": task.seed}, task.device)
            self._made = made
        if task.nets != self._generation:
            self._generator.use(*(read_weights(Path(path)).make() for path in task.nets))
            self._generation = task.nets
        return Played(task.name, self._generator.play(task.rows, alive))

    def close(self) -> None:
        if self._generator is not None:
            self._generator.close()
        self._generator, self._made, self._generation = None, None, ()


_player = TaskPlayer()  # of a worker process, which does one task at a time


def stop_playing() -> None:
    """Let the generator of this process go."""
    _player.close()


def play_task(task: Task, notes: Notes) -> Played:
    """The work of a worker."""
    notes.write(task.generation)
    import torch

    if task.device == "cpu" and current_process().name != "MainProcess":
        torch.set_num_threads(1)  # the cores are shared with learning
    return _player.play(task, lambda: notes.write(task.generation))
