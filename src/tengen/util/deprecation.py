# SPDX-License-Identifier: MIT
"""Old names that keep working for one release: Python names, keywords, options and subcommands.

Python callers get a `DeprecationWarning`, command lines a note on stderr. Help texts show only the
new names. Uses the standard library alone.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ParamSpec, TypeVar

__all__ = [
    "add_deprecated_command",
    "add_deprecated_option",
    "deprecated_names",
    "renamed_keywords",
]

_Params = ParamSpec("_Params")
_Result = TypeVar("_Result")


def deprecated_names(module: str, renamed: Mapping[str, str]) -> Callable[[str], Any]:
    """A module's `__getattr__` that resolves renamed functions, classes and constants.

    `renamed` maps an old name to the new one in the same module, or to `package.module:name`:

        __getattr__ = deprecated_names(__name__, {"Table": "TerminalGame"})
    """

    def __getattr__(name: str) -> Any:  # noqa: N807
        if name not in renamed:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        home, _, new = renamed[name].rpartition(":")
        _warn(f"{module}.{name} is deprecated: use {home or module}.{new}")
        return getattr(importlib.import_module(home or module), new)

    return __getattr__


def renamed_keywords(
    **renamed: str,
) -> Callable[[Callable[_Params, _Result]], Callable[_Params, _Result]]:
    """Decorator: accepts the old spelling of keyword arguments, as `@renamed_keywords(old="new")`.

    Raises TypeError for a call that has both.
    """

    def decorate(function: Callable[_Params, _Result]) -> Callable[_Params, _Result]:
        @functools.wraps(function)
        def call(*args: _Params.args, **kwargs: _Params.kwargs) -> _Result:
            for old in renamed.keys() & kwargs.keys():
                new = renamed[old]
                if new in kwargs:
                    raise TypeError(f"{function.__qualname__}: {old} is the old name of {new}")
                _warn(f"{function.__qualname__}: {old}= is deprecated: use {new}=")
                kwargs[new] = kwargs.pop(old)
            return function(*args, **kwargs)

        return call

    return decorate


def add_deprecated_option(
    parser: argparse._ActionsContainer, action: argparse.Action, *old: str
) -> None:
    """Accept the option strings `old` for `action`, which `add_argument` returned.

    `parser` is the parser or the exclusive group that has the action. An option that is required
    still has to be given by its new name.
    """
    kept = ("dest", "nargs", "type", "choices", "metavar")
    options: dict[str, Any] = {name: getattr(action, name) for name in kept}
    hidden = argparse.SUPPRESS
    parser.add_argument(
        *old, action=_DeprecatedOption, replacement=action, default=hidden, help=hidden, **options
    )


class _DeprecatedOption(argparse.Action):
    def __init__(self, *args: Any, replacement: argparse.Action, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._replacement = replacement

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        new = self._replacement.option_strings[0]
        print(f"{parser.prog}: {option_string} is deprecated: use {new}", file=sys.stderr)
        self._replacement(parser, namespace, values, new)


def add_deprecated_command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], old: str, new: str
) -> None:
    """Accept the subcommand `old` for `new`, which must exist. The namespace has the new name."""
    parser = commands.choices[new]
    commands.choices[old] = parser
    if commands.dest != argparse.SUPPRESS:
        parser.set_defaults(**{commands.dest: new})


def _warn(message: str) -> None:
    warnings.warn(message, DeprecationWarning, stacklevel=3)
