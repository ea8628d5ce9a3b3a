# SPDX-License-Identifier: MIT
"""The options of the engine, as the native core declares them: names, ranges and help for the API,
the protocols and the command line.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from math import isfinite
from operator import index
from typing import Any, Literal, SupportsIndex, TypeAlias

from tengen import _core
from tengen.engine.errors import BadOption

Value: TypeAlias = int | float | bool | str

_MAX_TEXT = 4096

AUTO = "auto"  # of the option `search`: the stronger one for the move
_REAL_ONE = 1_000_000  # the core takes real numbers in millionths
_TRUTH = {"true": True, "on": True, "1": True, "false": False, "off": False, "0": False}


@dataclass(frozen=True, slots=True)
class Option:
    """One option: a whole number (`spin`), a real number, on or off (`check`), a choice, a text."""

    name: str
    kind: Literal["spin", "real", "check", "choice", "text"]
    default: Value
    help: str
    low: int = 0  # of a real: in millionths
    high: int = 0
    choices: tuple[str, ...] = ()

    def check(self, value: object) -> Value:
        """The value. Raises BadOption if it is not allowed."""
        if self.kind == "choice" and isinstance(value, str) and value in self.choices:
            return self.choices[self.choices.index(value)]  # never a subclass of str
        if self.kind == "check" and isinstance(value, bool):
            return value
        if self.kind == "text" and isinstance(value, str):
            text = value + ""
            if len(os.fsencode(text)) <= _MAX_TEXT:
                return text
        if self.kind == "spin" and isinstance(value, SupportsIndex) and not isinstance(value, bool):
            number = index(value)
            if self.low <= number <= self.high:
                return number
        if self.kind == "real" and isinstance(value, int | float) and not isinstance(value, bool):
            real = float(value)
            if isfinite(real) and self.low <= round(real * _REAL_ONE) <= self.high:
                return real
        raise BadOption(f"no {self.name} of {value!r}: {self._allowed()}")

    def parse(self, text: str) -> Value:
        """The value of a text, from a protocol or a command line. Raises BadOption."""
        word = text.strip().lower()
        if self.kind == "check":
            return self.check(_TRUTH.get(word, text))
        if self.kind in ("spin", "real"):
            try:
                number = int(word) if self.kind == "spin" else float(word)
            except ValueError:
                return self.check(text)  # raises
            return self.check(number)
        return self.check(text.strip() if self.kind == "text" else word)

    def _allowed(self) -> str:
        if self.kind == "spin":
            return f"use a whole number from {self.low} to {self.high}"
        if self.kind == "real":
            return f"use a number from {self.low / _REAL_ONE:g} to {self.high / _REAL_ONE:g}"
        if self.kind == "check":
            return "use True or False"
        if self.kind == "text":
            return f"use a text of at most {_MAX_TEXT} bytes"
        return f"use {', '.join(self.choices)}"


def _from_core(spec: tuple[str, Any, str, int, int, list[str], str]) -> Option:
    """An option as the core declares it, with its default as a text."""
    name, kind, initial, low, high, choices, help = spec
    entry = Option(name, kind, "", help, low, high, tuple(choices))
    return replace(entry, default=entry.parse(initial))


# Old names that are accepted for one release.
_RENAMED = {"spread": "utility_stdev_scale"}
OPTIONS: Mapping[str, Option] = {
    entry.name: entry for entry in map(_from_core, _core.option_specs())
}
PRESETS = OPTIONS["preset"].choices
SEARCHES = tuple(kind for kind in OPTIONS["search"].choices if kind != AUTO)
SCORE_UPDATES = OPTIONS["score_update"].choices
DEFAULT_PRESET = str(OPTIONS["preset"].default)


def option(name: str) -> Option:
    """The option of that name; `-` and `_` are the same. Raises BadOption."""
    wanted = name.strip().lower().replace("-", "_")
    if wanted in _RENAMED:
        new = _RENAMED[wanted]
        warnings.warn(f"option {wanted} is deprecated: use {new}", DeprecationWarning, stacklevel=2)
        wanted = new
    if wanted in OPTIONS:
        return OPTIONS[wanted]
    near = get_close_matches(wanted, OPTIONS, n=1)
    hint = f"did you mean {near[0]}?" if near else f"options are {', '.join(OPTIONS)}"
    raise BadOption(f"no option {name!r}: {hint}")


def check_options(values: Mapping[str, object]) -> dict[str, Value]:
    """The checked values by option name. Raises BadOption."""
    return {(entry := option(name)).name: entry.check(value) for name, value in values.items()}


def option_texts(values: Mapping[str, Value]) -> dict[str, str]:
    """The values as the core takes them."""
    return {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in values.items()
    }


def defaults() -> dict[str, Value]:
    return {name: entry.default for name, entry in OPTIONS.items()}
