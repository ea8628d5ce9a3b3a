# SPDX-License-Identifier: MIT
"""Typed configs: frozen dataclasses whose fields carry default, range and help.

    @dataclass(frozen=True, slots=True)
    class OptimiserConfig(Config):
        name: str = setting("adam", choices=("adam", "adamw"), help="algorithm")
        rate: float = setting(1e-3, min=1e-9, max=10, help="highest learning rate")

    @dataclass(frozen=True, slots=True)
    class TrainConfig(Config):
        batch: int = setting(1024, min=1, help="samples per step")
        optimiser: OptimiserConfig = setting(OptimiserConfig())

    config = TrainConfig.read(Path("run.toml"), ["optimiser.rate=0.002"])

Every way to make a config (TOML, a dict, the constructor) checks types and ranges; an unknown key
is an error that suggests the key that was probably meant. Plain dataclasses and not pydantic: the
bundle, which reads configs too, carries pure Python only.
"""

from __future__ import annotations

import difflib
import enum
import math
import tomllib
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, ClassVar, Literal, Self

from tengen.util.errors import BadConfig

_INT64 = 1 << 63
_TYPE_NAMES = {bool: "true or false", int: "an integer", float: "a number", str: "a string"}


def setting(
    default: Any = MISSING,
    *,
    help: str = "",
    min: float | None = None,
    max: float | None = None,
    choices: Sequence[str] = (),
    factory: Callable[[], Any] | None = None,
    convert: Callable[[Any], Any] | None = None,
) -> Any:
    """A field of a `Config`. Without a default the key is required.

    `min` and `max` are inclusive and hold for each item of a list or table of numbers. `factory`
    makes a mutable default. `convert` turns a value of a file into that of the field, and accepts
    the latter unchanged; its ValueError becomes a BadConfig.
    """
    metadata = {"help": help, "min": min, "max": max, "choices": choices, "convert": convert}
    if factory is not None:
        return field(default_factory=factory, metadata=metadata)
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, slots=True)
class Setting:
    """One key of a config, for printed tables and `--help`."""

    name: str  # dotted: "optimiser.rate"
    default: Any  # None: required
    help: str
    allowed: str  # "1 to 64", "adam, adamw"; empty: no restriction


@dataclass(frozen=True, slots=True)
class Config:
    """Base of all configs. Subclasses are dataclasses with `frozen=True, slots=True`; they override
    `validate` for conditions that concern several keys.
    """

    ERROR: ClassVar[type[BadConfig]] = BadConfig  # what a subclass raises
    # Old dotted keys that are still read, and their new names; an empty name: the key is ignored.
    RENAMED: ClassVar[Mapping[str, str]] = {}

    def __post_init__(self) -> None:
        hints = typing.get_type_hints(type(self))
        for entry in fields(self):
            try:
                value = _read_field(entry, hints[entry.name], getattr(self, entry.name))
            except BadConfig as error:
                raise self.ERROR(error.problem, error.key) from None
            object.__setattr__(self, entry.name, value)
        self.validate()

    def validate(self) -> None:
        """Check conditions on several keys. Raises BadConfig."""

    @classmethod
    def from_dict(cls, table: Mapping[str, Any]) -> Self:
        """A config from nested tables; missing keys have their defaults. Raises BadConfig."""
        try:
            return typing.cast(Self, _read_table(cls, table, "", None))
        except BadConfig as error:
            raise cls.ERROR(error.problem, error.key) from None

    @classmethod
    def read(cls, path: Path, changes: Iterable[str] = ()) -> Self:
        """A config from a TOML file, with keys changed as `optimiser.rate=0.002`. Raises BadConfig,
        which names the file, and OSError.
        """
        try:
            return cls.from_dict(cls.with_changes(read_toml(path), changes))
        except BadConfig as error:
            raise cls.ERROR(f"{path}: {error}") from None

    @classmethod
    def with_changes(cls, table: Mapping[str, Any], changes: Iterable[str]) -> dict[str, Any]:
        """A copy of nested tables with keys changed, as `apply_changes`. Old keys, in the tables
        and in the changes, become the new ones first. Raises BadConfig.
        """
        renamed = (_rename_change(change, cls.RENAMED) for change in changes)
        return apply_changes(_rename_keys(table, cls.RENAMED), filter(None, renamed))

    def to_dict(self) -> dict[str, Any]:
        """All keys as plain values, as `from_dict` reads them and JSON can hold them."""
        return {entry.name: _plain(getattr(self, entry.name)) for entry in fields(self)}

    def changed(self, changes: Iterable[str]) -> Self:
        """A copy with keys changed, as `optimiser.rate=0.002`. Raises BadConfig."""
        try:
            return type(self).from_dict(self.with_changes(self.to_dict(), changes))
        except BadConfig as error:
            raise self.ERROR(error.problem, error.key) from None

    def differences(self, other: Config, ignore: tuple[str, ...] = ()) -> list[str]:
        """The dotted keys whose values differ, sorted, without those that start as in `ignore`."""
        ours, theirs = _flatten(self.to_dict()), _flatten(other.to_dict())
        differing = (key for key in ours | theirs if ours.get(key) != theirs.get(key))
        return sorted(key for key in differing if not key.startswith(ignore or "\0"))

    @classmethod
    def settings(cls) -> list[Setting]:
        """All keys, those of nested configs included."""
        return list(_keys(cls, "", None))

    @classmethod
    def settings_table(cls) -> str:
        """All keys with defaults, allowed values and help, as lines of text."""
        lines = []
        for key in cls.settings():
            allowed = f" ({key.allowed})" if key.allowed else ""
            lines.append(f"{key.name} = {_toml(key.default)}{allowed}\n    {key.help}")
        return "\n".join(lines)


def read_toml(path: Path) -> dict[str, Any]:
    """The tables of a TOML file. Raises BadConfig, OSError."""
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise BadConfig(f"there is no config {path}") from None
    except (ValueError, RecursionError) as error:  # not TOML, not UTF-8, or a huge number
        raise BadConfig(f"{path}: {error}") from None


def apply_changes(table: Mapping[str, Any], changes: Iterable[str]) -> dict[str, Any]:
    """A copy of nested tables with keys changed, each as `optimiser.rate=0.002`. The value is TOML;
    a string needs no quotes. Raises BadConfig.
    """
    result = _copy(table)
    for change in changes:
        name, equals, text = change.partition("=")
        *parents, last = name.strip().split(".")
        if not equals or not all((*parents, last)):
            raise BadConfig(f"no change {_show(change)}: use key=value, as in optimiser.rate=0.002")
        inner = result
        for part in parents:
            inner = inner.setdefault(part, {})
            if not isinstance(inner, dict):
                raise BadConfig(f"{part} is not a table", name.strip())
        inner[last] = _toml_value(text.strip())
    return result


def config_folder() -> Path:
    """`configs/` of the repository, or `tengen/configs` of an installed package. Raises BadConfig
    if this installation has none.
    """
    package = Path(__file__).resolve().parents[1]
    installed, checkout = package / "configs", package.parents[1] / "configs"
    if installed.is_dir():
        return installed
    if package.parent.name == "src" and checkout.is_dir():
        return checkout
    raise BadConfig(f"no folder {installed}: this installation came without its configs")


def find_config(name: str, kind: str) -> Path:
    """A TOML file by its path, or by its name in `configs/KIND`: `find_config("short", "arena")`.
    Raises BadConfig with the names that exist.
    """
    path = Path(name)
    if path.is_file():
        return path
    bundled = config_folder() / kind
    if name and path.name == name:
        for candidate in (bundled / name, bundled / f"{name}.toml"):
            if candidate.is_file():
                return candidate
    known = config_names(kind)
    raise BadConfig(f"no file {name!r}, and no config of that name: {suggest(name, known)}")


def config_names(kind: str) -> list[str]:
    """The names of the configs in `configs/KIND`."""
    return sorted(path.stem for path in (config_folder() / kind).glob("*.toml"))


def _rename_keys(table: Any, renamed: Mapping[str, str]) -> Any:
    """A copy with old keys renamed; where a table has both names, the new one counts."""
    if not renamed or not isinstance(table, Mapping):
        return table
    result = _copy(table)
    for old, new in renamed.items():
        *parents, last = old.split(".")
        inner: Any = result
        for part in parents:
            inner = inner.get(part) if isinstance(inner, dict) else None
        if not isinstance(inner, dict) or last not in inner:
            continue
        value = inner.pop(last)
        if new:
            name = new.rpartition(".")[2]  # a key keeps its table
            both = isinstance(value, dict) and isinstance(inner.get(name), dict)
            inner[name] = {**value, **inner[name]} if both else inner.get(name, value)
    return result


def _rename_change(change: str, renamed: Mapping[str, str]) -> str:
    """`new.key=value` for `old.key=value`; empty: the key is ignored."""
    name, equals, text = change.partition("=")
    for old, new in renamed.items():
        if name.strip() == old or name.strip().startswith(f"{old}."):
            return f"{new}{name.strip().removeprefix(old)}{equals}{text}" if new else ""
    return change


def suggest(name: str, known: Iterable[str]) -> str:
    """`did you mean 'rate'? known: clip, rate`, as the end of an error message."""
    names = sorted(one for one in known if one)
    close = difflib.get_close_matches(name, names, 1, 0.6)
    return (f"did you mean {close[0]!r}? " if close else "") + f"known: {', '.join(names)}"


def choose(key: str, value: str, known: Iterable[str]) -> str:
    """`value`, if it is known. Raises BadConfig with a suggestion."""
    names = list(known)
    if value not in names:
        raise BadConfig(f"no {_show(value)}: {suggest(str(value), names)}", key)
    return value


def _read_table(cls: type[Any], table: Any, where: str, defaults: Any) -> Any:
    """A dataclass from a table. Missing keys are those of `defaults`, else of the class."""
    if isinstance(table, cls):
        return table
    if not isinstance(table, Mapping):
        raise BadConfig(f"use a table, not {_show(table)}", where)
    table = _rename_keys(table, getattr(cls, "RENAMED", {}))
    entries = {entry.name: entry for entry in fields(cls) if entry.init}
    for name in table:
        if name not in entries:
            raise BadConfig(f"unknown key: {suggest(str(name), entries)}", _join(where, name))
    hints = typing.get_type_hints(cls)
    values: dict[str, Any] = {}
    for name, entry in entries.items():
        default = _default(entry, defaults)
        if name not in table:
            if default is MISSING:
                raise BadConfig("the key is missing", _join(where, name))
            values[name] = default
        elif isinstance(hint := hints[name], type) and is_dataclass(hint) and not _converts(entry):
            inner = None if default is MISSING else default
            values[name] = _read_table(hint, table[name], _join(where, name), inner)
        else:
            values[name] = _prefixed(where, _read_field, entry, hint, table[name])
    return _prefixed(where, cls, **values)


def _prefixed(where: str, function: Callable[..., Any], *args: Any, **named: Any) -> Any:
    """Calls a function; the key of its BadConfig gets the prefix `where`."""
    try:
        return function(*args, **named)
    except BadConfig as error:
        key = _join(where, error.key) if error.key else where
        raise BadConfig(error.problem, key) from None
    except (TypeError, ValueError) as error:  # of a dataclass that is no Config
        raise BadConfig(str(error), where) from None


def _converts(entry: Any) -> bool:
    return entry.metadata.get("convert") is not None


def _read_field(entry: Any, hint: Any, value: Any) -> Any:
    """The value of a field, with its type and range checked."""
    limits, name = entry.metadata, entry.name
    if _converts(entry):
        try:
            return limits["convert"](value)
        except BadConfig as error:
            raise BadConfig(error.problem, _join(name, error.key) if error.key else name) from None
        except (ValueError, TypeError) as error:
            raise BadConfig(str(error), name) from None
    value = _typed(hint, value, name)
    _check_limits(value, limits, name)
    return value


def _check_limits(value: Any, limits: Mapping[str, Any], key: str) -> None:
    if isinstance(value, tuple):
        for item in value:
            _check_limits(item, limits, key)
    elif isinstance(value, Mapping):
        for name, item in value.items():
            _check_limits(item, limits, _join(key, name))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        low, high = limits.get("min"), limits.get("max")
        if (low is not None and value < low) or (high is not None and value > high):
            raise BadConfig(f"{value:g} is out of range, use {_range(low, high)}", key)
    elif isinstance(value, str) and limits.get("choices"):
        choose(key, value, limits["choices"])


def _range(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return (
            f"{high:g} or less" if high is not None else "" if low is None else f"{low:g} or more"
        )
    return f"{low:g} to {high:g}"


def _typed(hint: Any, value: Any, key: str) -> Any:
    """A value of a file as a field of the type `hint` holds it."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any:
        return _checked_int(value, key)
    if origin in (UnionType, typing.Union) and NoneType in inner:
        rest = next(one for one in inner if one is not NoneType)
        return None if value is None else _typed(rest, value, key)
    if origin is Literal:
        return choose(key, value, inner)
    if isinstance(hint, type) and is_dataclass(hint):
        return _read_table(hint, value, key, None)
    if origin is tuple:
        if not isinstance(value, list | tuple):
            raise BadConfig(f"use a list, not {_show(value)}", key)
        return tuple(_typed(inner[0], item, f"{key}[{n}]") for n, item in enumerate(value))
    if origin in (dict, Mapping):
        if not isinstance(value, Mapping):
            raise BadConfig(f"use a table, not {_show(value)}", key)
        return {str(n): _typed(inner[1], item, _join(key, n)) for n, item in value.items()}
    return _scalar(hint, value, key)


def _scalar(hint: Any, value: Any, key: str) -> Any:
    value = _checked_int(value, key)
    if hint is float and type(value) is int:
        value = float(value)
    if type(value) is not hint or (hint is float and not math.isfinite(value)):
        raise BadConfig(f"use {_TYPE_NAMES.get(hint, hint)}, not {_show(value)}", key)
    return value


def _checked_int(value: Any, key: str) -> Any:
    """TOML has integers of 64 bits; tomllib reads longer ones too."""
    if isinstance(value, int) and not -_INT64 <= value < _INT64:
        raise BadConfig("the number has more than 64 bits", key)
    return value


def _keys(cls: type[Any], where: str, defaults: Any) -> Iterator[Setting]:
    hints = typing.get_type_hints(cls)
    for entry in fields(cls):
        name, default = _join(where, entry.name), _default(entry, defaults)
        default = None if default is MISSING else default
        hint = hints[entry.name]
        if isinstance(hint, type) and issubclass(hint, Config):
            yield from _keys(hint, name, default)
            continue
        limits = entry.metadata
        allowed = ", ".join(filter(None, limits.get("choices", ())))
        if not allowed:
            allowed = _range(limits.get("min"), limits.get("max"))
        yield Setting(name, _plain(default), limits.get("help", ""), allowed)


def _default(entry: Any, defaults: Any) -> Any:
    """The default of a field, MISSING if it is required."""
    if defaults is not None:
        return getattr(defaults, entry.name)
    return entry.default if entry.default_factory is MISSING else entry.default_factory()


def _plain(value: Any) -> Any:
    """A value as JSON holds it."""
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if is_dataclass(value):
        return {entry.name: _plain(getattr(value, entry.name)) for entry in fields(value)}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    return value.value if isinstance(value, enum.Enum) else value


def _flatten(table: Mapping[str, Any], where: str = "") -> dict[str, Any]:
    """The values of nested tables by their dotted keys."""
    flat: dict[str, Any] = {}
    for name, value in table.items():
        flat |= (
            _flatten(value, f"{where}{name}.")
            if isinstance(value, Mapping)
            else {f"{where}{name}": value}
        )
    return flat


def _copy(table: Mapping[str, Any]) -> dict[str, Any]:
    return {n: _copy(value) if isinstance(value, Mapping) else value for n, value in table.items()}


def _show(value: object) -> str:
    """A value in an error message: short, whatever it is."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # an integer of thousands of digits
        text = type(value).__name__
    return text if len(text) <= 60 else text[:57] + "..."


def _join(where: str, name: object) -> str:
    return f"{where}.{name}" if where else str(name)


def _toml_value(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError):  # not TOML: a string without quotes
        return text


def _toml(value: Any) -> str:
    """A default as TOML writes it; tables and lists as JSON, which is close enough to read."""
    if value is None:
        return "(required)"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{value}"'
    return f"{value:g}" if isinstance(value, float) else str(value)
