# SPDX-License-Identifier: MIT
"""Old names that keep working for one release: Python modules and names, keywords, options and
subcommands.

Python callers get a `DeprecationWarning`, command lines a note on stderr. Help texts show only the
new names. Uses the standard library alone.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from operator import attrgetter
from types import ModuleType
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

if TYPE_CHECKING:
    import argparse

_Class = TypeVar("_Class")
_Params = ParamSpec("_Params")
_Result = TypeVar("_Result")


def deprecated_names(module: str, renamed: Mapping[str, str]) -> Callable[[str], Any]:
    """A module's `__getattr__` that resolves renamed functions, classes and constants.

    `renamed` maps an old name to the new one in the same module, or to `package.module:name`; the
    new name may be an attribute of a class:

        __getattr__ = deprecated_names(__name__, {"Table": "TerminalGame", "read": "Config.read"})
    """

    def __getattr__(name: str) -> Any:  # noqa: N807
        if name not in renamed:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        home, _, new = renamed[name].rpartition(":")
        _warn(f"{module}.{name} is deprecated: use {home or module}.{new}")
        return attrgetter(new)(importlib.import_module(home or module))

    return __getattr__


def deprecated_modules(renamed: Mapping[str, str]) -> None:
    """Make old module names importable; `renamed` maps full old names to full new ones."""
    sys.meta_path.append(_RenamedModules(renamed))


class _RenamedModules(MetaPathFinder, Loader):
    """Finds modules by their old names."""

    def __init__(self, renamed: Mapping[str, str]) -> None:
        self._renamed = renamed

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        return ModuleSpec(fullname, self) if fullname in self._renamed else None

    def exec_module(self, module: ModuleType) -> None:
        new = self._renamed[module.__name__]
        _warn(f"{module.__name__} is deprecated: use {new}")
        sys.modules[module.__name__] = importlib.import_module(new)


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


def renamed_fields(**renamed: str) -> Callable[[type[_Class]], type[_Class]]:
    """Decorator of a class: accepts the old names of fields and methods, as keywords and as
    attributes.
    """

    def attribute(old: str, new: str) -> property:
        def get(self: object) -> Any:
            _warn(f"{type(self).__name__}.{old} is deprecated: use {new}")
            return getattr(self, new)

        return property(get)

    def decorate(cls: type[_Class]) -> type[_Class]:
        type.__setattr__(cls, "__init__", renamed_keywords(**renamed)(cls.__init__))
        for old, new in renamed.items():
            type.__setattr__(cls, old, attribute(old, new))
        return cls

    return decorate


def add_deprecated_option(
    parser: argparse._ActionsContainer, action: argparse.Action, *old: str
) -> None:
    """Accept the option strings `old` for `action`, which `add_argument` returned.

    `parser` is the parser or the exclusive group that has the action. An option that is required
    still has to be given by its new name.
    """
    import argparse  # late: the names of `tengen` do without

    class DeprecatedOption(argparse.Action):
        def __call__(
            self,
            parser: argparse.ArgumentParser,
            namespace: argparse.Namespace,
            values: str | Sequence[Any] | None,
            option_string: str | None = None,
        ) -> None:
            new = action.option_strings[0]
            print(f"{parser.prog}: {option_string} is deprecated: use {new}", file=sys.stderr)
            action(parser, namespace, values, new)

    kept = ("dest", "nargs", "type", "choices", "metavar")
    options: dict[str, Any] = {name: getattr(action, name) for name in kept}
    hidden = argparse.SUPPRESS
    parser.add_argument(*old, action=DeprecatedOption, default=hidden, help=hidden, **options)


def add_deprecated_command(commands: argparse._SubParsersAction[Any], old: str, new: str) -> None:
    """Accept the subcommand `old` for `new`, which must exist. The namespace has the new name."""
    import argparse

    parser = commands.choices[new]
    if commands.dest != argparse.SUPPRESS:
        parser.set_defaults(**{commands.dest: new})
    program = parser.prog.removesuffix(f" {new}")
    note = f"{program}: {old} is deprecated: use {new}"
    commands.choices[old] = _DeprecatedCommand(parser, note)


class _DeprecatedCommand:
    """The parser of a subcommand; prints a note before it parses."""

    def __init__(self, parser: argparse.ArgumentParser, note: str) -> None:
        self._parser = parser
        self._note = note

    def __getattr__(self, name: str) -> Any:
        return getattr(self._parser, name)

    def parse_known_args(self, *args: Any, **kwargs: Any) -> Any:
        print(self._note, file=sys.stderr)
        return self._parser.parse_known_args(*args, **kwargs)


@contextlib.contextmanager
def print_deprecations(program: str) -> Iterator[None]:
    """Print deprecation warnings of this package as notes on stderr, while a command runs."""

    def show(message: Warning | str, category: type[Warning], *rest: Any, **more: Any) -> None:
        if issubclass(category, DeprecationWarning):
            print(f"{program}: {message}", file=sys.stderr)
        else:
            show_other(message, category, *rest, **more)

    with warnings.catch_warnings():
        show_other = warnings.showwarning
        warnings.filterwarnings("default", category=DeprecationWarning, module=r"tengen\b")
        warnings.showwarning = show
        yield


def _warn(message: str) -> None:
    warnings.warn(message, DeprecationWarning, stacklevel=3)
