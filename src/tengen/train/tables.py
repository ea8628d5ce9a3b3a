# SPDX-License-Identifier: MIT
"""Frozen dataclasses from the tables of a TOML file and back: every field has a sentence that says
what it means, every value is checked for its type, and an unknown key is an error that names the
key that was probably meant. Relies on the errors; `config` relies on it.
"""

from __future__ import annotations

import difflib
import math
import typing
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, Field, field, fields, is_dataclass
from typing import Any, TypeVar

from tengen.train.errors import BadTraining

__all__ = ["choice", "in_range", "key", "keys", "means", "near", "read_table", "write_table"]

T = TypeVar("T")
_INTEGERS = 1 << 63  # TOML has whole numbers of 64 bits; tomllib reads longer ones too


def key(default: Any, meaning: str) -> Any:
    """A field of a config: its default value and one sentence that says what it means."""
    return field(default=default, metadata=means(meaning))


def means(meaning: str) -> dict[str, str]:
    """The same for fields whose default is made anew for each config: metadata of such a field."""
    return {"meaning": meaning}


def near(name: str, known: Iterable[str]) -> str:
    """What was probably meant by an unknown name, and what there is, as the end of a sentence."""
    names = sorted(one for one in known if one)
    close = difflib.get_close_matches(name, names, 1, 0.6)
    meant = f"did you mean {close[0]!r}? " if close else ""
    return f"{meant}known are {', '.join(names)}"


def read_table(cls: type[T], table: Any, where: str = "", usual: T | None = None) -> T:
    """A config of the class `cls` from a table; `where` is the key of the table. What the table
    does not name is as in `usual`, else as the class has it. Raises BadTraining.
    """
    if not isinstance(table, Mapping):
        raise BadTraining(f"{where or 'a config'} is a table, not {table!r:.60}")
    hints = typing.get_type_hints(cls)
    known = {entry.name for entry in fields(cls)}  # type: ignore[arg-type]
    for name in table:
        if name not in known:
            raise BadTraining(f"no key {_join(where, name)!r}: {near(str(name), known)}")
    values: dict[str, Any] = {}
    for entry in fields(cls):  # type: ignore[arg-type]
        name, default = entry.name, _default(entry, usual)
        if name not in table:
            if default is MISSING:
                raise BadTraining(f"the key {_join(where, name)!r} is missing")
            values[name] = default
        elif is_dataclass(hint := hints[name]):
            inner = None if default is MISSING else default
            values[name] = read_table(
                typing.cast(type[Any], hint), table[name], _join(where, name), inner
            )
        else:
            values[name] = _value(hint, table[name], _join(where, name))
    return cls(**values)


def write_table(config: Any) -> dict[str, Any]:
    """All keys of a config, as `read_table` takes them and JSON can hold them."""
    return {entry.name: _plain(getattr(config, entry.name)) for entry in fields(config)}


def keys(cls: type[Any], where: str = "", usual: Any = None) -> Iterator[tuple[str, str, Any]]:
    """(dotted key, its meaning, its default value) of all keys, tables within tables included."""
    hints = typing.get_type_hints(cls)
    for entry in fields(cls):
        name, found = _join(where, entry.name), _default(entry, usual)
        default = None if found is MISSING else found
        if is_dataclass(inner := hints[entry.name]):
            yield from keys(typing.cast(type[Any], inner), name, default)
        else:
            yield name, entry.metadata.get("meaning", entry.metadata.get("help", "")), default


def _default(entry: Field[Any], usual: Any) -> Any:
    """What a field is if nothing is said of it; MISSING if something has to be."""
    if usual is not None:
        return getattr(usual, entry.name)
    return entry.default if entry.default_factory is MISSING else entry.default_factory()


def in_range(name: str, value: float, low: float, high: float) -> None:
    """That a number is what it may be. Raises BadTraining."""
    if not low <= value <= high:
        most = f" to {high:g}" if high < math.inf else " or more"
        raise BadTraining(f"{name} is {value:g}: use {low:g}{most}")


def choice(name: str, value: str, known: Iterable[str]) -> None:
    """That a text is one of those known. Raises BadTraining."""
    if value not in (names := list(known)):
        raise BadTraining(f"no {name} {value!r}: {near(value, names)}")


def differing_keys(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> list[str]:
    """The dotted keys whose values differ, sorted."""
    one, other = _flat(ours), _flat(theirs)
    return sorted(name for name in one | other if one.get(name) != other.get(name))


def _flat(table: Mapping[str, Any], where: str = "") -> dict[str, Any]:
    """The values of a table by their dotted keys."""
    found: dict[str, Any] = {}
    for name, value in table.items():
        if isinstance(value, Mapping):
            found |= _flat(value, f"{where}{name}.")
        else:
            found[f"{where}{name}"] = value
    return found


def _join(where: str, name: object) -> str:
    return f"{where}.{name}" if where else str(name)


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return write_table(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return dict(value) if isinstance(value, Mapping) else value


def _value(hint: Any, found: Any, where: str) -> Any:
    """What a key holds, as its field wants it."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if is_dataclass(hint):
        return read_table(typing.cast(type[Any], hint), found, where)
    if origin is tuple:
        if not isinstance(found, list | tuple):
            raise BadTraining(f"{where} is a list, not {found!r:.60}")
        return tuple(_value(inner[0], item, f"{where}[{n}]") for n, item in enumerate(found))
    if origin in (dict, Mapping):
        if not isinstance(found, Mapping):
            raise BadTraining(f"{where} is a table, not {found!r:.60}")
        return {
            str(name): _value(inner[1], item, f"{where}.{name}") for name, item in found.items()
        }
    return _scalar(hint, found, where)


def _scalar(hint: Any, found: Any, where: str) -> Any:
    if isinstance(found, int) and not -_INTEGERS <= found < _INTEGERS:
        raise BadTraining(f"{where} is a number of more than 64 bits")
    if hint is Any:
        return found
    if hint is float and isinstance(found, int) and not isinstance(found, bool):
        found = float(found)
    if type(found) is not hint or (hint is float and not math.isfinite(found)):
        words = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
        raise BadTraining(f"{where} is {words[hint]}, not {found!r:.60}")
    return found
