# SPDX-License-Identifier: MIT
"""Which self-play a run has: a function by its dotted name, so that a worker process finds it, and
tests can have another. Relies on the tables of training; the worker and the loop rely on it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, TypeAlias, cast

from tengen.train.errors import BadTraining
from tengen.train.tables import read_table
from tengen.zero.errors import BadZero
from tengen.zero.generator import Generator

__all__ = ["FACTORY", "Factory", "check_factory", "find_factory", "make_generator"]

# Makes a generator of a table of settings and the name of a device.
Factory: TypeAlias = Callable[[Mapping[str, Any], str], Generator]
FACTORY = "tengen.zero.factory:make_generator"
_SELF_PLAY = "tengen.zero.selfplay"  # loaded late: it needs torch


def make_generator(settings: Mapping[str, Any], device: str) -> Generator:
    """The engine's own self-play. Raises BadZero for settings that it does not know."""
    return cast(Generator, _module(_SELF_PLAY).SelfPlay(read_settings(settings), device))


def read_settings(settings: Mapping[str, Any]) -> Any:
    """The settings of self-play, checked. Raises BadZero."""
    try:
        return read_table(_module(_SELF_PLAY).SelfPlaySettings, settings, "selfplay")
    except BadTraining as error:
        raise BadZero(f"selfplay: {error}") from None


def find_factory(name: str) -> Factory:
    """The function of a name such as "package.module:function". Raises BadZero."""
    module, _, function = name.partition(":")
    found = getattr(_module(module), function, None)
    if not callable(found):
        raise BadZero(f"no self-play {name!r}: {module} has no such function")
    return cast(Factory, found)


def check_factory(name: str, settings: Mapping[str, Any]) -> None:
    """That there is such a self-play, and that it understands its settings: told before a worker
    is started. Raises BadZero.
    """
    if find_factory(name) is make_generator:
        read_settings(settings)


def _module(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise BadZero(f"no self-play {name!r}: {error}") from None
