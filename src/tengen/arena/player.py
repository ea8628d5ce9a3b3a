# SPDX-License-Identifier: MIT
"""Who plays: `Player`, one of our presets or any program of the Gomocup protocol, with options.

On a command line a player is a short text (`Player.parse`), in a file a table (`Player.from_dict`).
Relies on the engine's options; `worker` makes engines of players.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tengen.arena.control import TimeControl
from tengen.arena.errors import BadArena
from tengen.engine.errors import BadOption
from tengen.engine.options import DEFAULT_PRESET, OPTIONS, PRESETS, checked, option

__all__ = ["Player"]

_COMMAND = re.compile(r"cmd(?:\[([^\]]*)\])?:(.+)", re.DOTALL)
_LIMITS = {"time": float, "nodes": int, "depth": int, "clock": float, "increment": float}
_MEMORY = 64  # MiB of a preset's tables, unless told
_WHOLE = re.compile(r"-?[0-9]{1,18}")
_TYPES = {
    "name": str,
    "preset": str,
    "command": str,
    "options": Mapping,
    "env": Mapping,
    "folder": str,
    "restart": bool,
    "tunables": Mapping,
}


@dataclass(frozen=True, slots=True)
class Player:
    """One player. Either `preset` or `command` is set. Raises BadArena for what makes no sense."""

    name: str
    preset: str = ""  # one of ours, which plays in the arena's process
    command: str = ""  # a program with its arguments, as a shell takes them
    # Of our presets those of `tengen.engine.options`; of programs keys of INFO, and threads and
    # memory (MiB).
    options: Mapping[str, Any] = field(default_factory=dict)
    control: TimeControl | None = None  # its own; None: that of the match
    env: Mapping[str, str] = field(default_factory=dict)  # set for a program, beside ours
    folder: str = ""  # a program's working folder
    restart: bool = False  # whether each game has a new process
    tunables: Mapping[str, int] = field(default_factory=dict)  # needs the tuning build

    def __post_init__(self) -> None:
        self._check_types()
        if bool(self.preset) == bool(self.command):
            raise BadArena(f"player {self.name!r}: give either a preset or a command")
        if not self.name.strip() or not self.name.isprintable() or len(self.name) > 60:
            raise BadArena(f"no name {self.name!r:.80} for a player: use 1 to 60 plain letters")
        if self.command:
            if self.tunables:
                raise BadArena(f"player {self.name!r}: a program has no tunables")
            return
        if self.env or self.folder or self.restart:
            raise BadArena(f"player {self.name!r}: env, folder and restart are for programs")
        try:
            options = {"memory": _MEMORY, **self.options, "preset": self.preset}
            object.__setattr__(self, "options", checked(options))
        except BadOption as error:
            raise BadArena(f"player {self.name!r}: {error}") from None

    def _check_types(self) -> None:
        for key, kind in _TYPES.items():
            if not isinstance(value := getattr(self, key), kind):
                raise BadArena(f"player {self.name!r:.80}: no {key} {value!r:.80}")
        texts = all(isinstance(value, str) for value in self.env.values())
        numbers = all(isinstance(value, int) for value in self.tunables.values())
        plain = all(isinstance(value, int | float | str) for value in self.options.values())
        if not (texts and numbers and plain and isinstance(self.options.get("threads", 1), int)):
            words = "options are numbers or texts, env is of texts, tunables are numbers"
            raise BadArena(f"player {self.name!r:.80}: {words}")

    @property
    def is_ours(self) -> bool:
        return bool(self.preset)

    @property
    def threads(self) -> int:
        """Cores that it may keep busy."""
        return int(self.options.get("threads", 1))

    @classmethod
    def parse(cls, text: str) -> Player:
        """A player of a command line: `preset[,option=value...]`, or options alone (of
        `DEFAULT_PRESET`), or a command, or `cmd[option=value,...]:command`. Options also take the
        limits (`time`, `nodes`, `depth`, `clock`, `increment`) and `name`.
        """
        if found := _COMMAND.fullmatch(text.strip()):
            return cls._command(text, found[2].strip(), found[1] or "")
        preset, _, rest = text.strip().partition(",")
        preset = preset.strip()
        if _is_option(preset):
            preset, rest = "", text
        elif preset.lower() not in PRESETS:
            return cls._command(text, text.strip(), "")
        given = _pairs(text, rest)
        preset = preset or DEFAULT_PRESET
        own = _own_limits(text, given)
        name = given.pop("name", text.strip())
        options = {}
        for key, value in given.items():
            try:
                options[key] = option(key).parse(value)
            except BadOption as error:
                raise BadArena(f"player {text!r}: {error}") from None
        return cls(name[:60], preset.lower(), options=options, control=own)

    @classmethod
    def _command(cls, text: str, command: str, rest: str) -> Player:
        if not command:
            raise BadArena(f"no player {text!r}: presets are {', '.join(PRESETS)}, or a command")
        given = _pairs(text, rest)
        own = _own_limits(text, given)
        program = command.split(maxsplit=1)[0]
        name = given.pop("name", "") or re.split(r"[/\\]", program)[-1] or command
        options = {key: int(v) if _WHOLE.fullmatch(v) else v for key, v in given.items()}
        return cls(name[:60], command=command, options=options, control=own)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Player:
        """A player of a file; the keys are the names of the fields, `limit` is the control."""
        values = dict(data)
        if unknown := set(values) - _KEYS:
            words = f"a player has no {', '.join(sorted(unknown))!r}"
            raise BadArena(f"{words}: known are {', '.join(sorted(_KEYS))}")
        control = values.pop("limit", None)
        if "name" not in values:
            program = str(values.get("preset") or values.get("command", "")).split()
            values["name"] = program[0][:60] if program else ""
        try:
            own = None if control is None else TimeControl(**control)
            return cls(**values, control=own)
        except (TypeError, AttributeError) as error:
            raise BadArena(f"player {values['name']!r}: {error}") from None

    def to_dict(self) -> dict[str, Any]:
        """As a file has it; what is empty is left out."""
        data: dict[str, Any] = {
            "name": self.name,
            "preset": self.preset,
            "command": self.command,
            "options": {k: v for k, v in self.options.items() if k != "preset"},
            "env": dict(self.env),
            "folder": self.folder,
            "restart": self.restart,
            "tunables": dict(self.tunables),
            "limit": None if self.control is None else self.control.to_dict(),
        }
        return {key: value for key, value in data.items() if value}

    @property
    def key(self) -> str:
        """The same for players that one engine can play for: tunables are set for each search."""
        return json.dumps(self.to_dict() | {"tunables": {}}, sort_keys=True)

    def named(self, name: str) -> Player:
        return replace(self, name=name)


_KEYS = {"name", "preset", "command", "options", "env", "folder", "restart", "tunables", "limit"}


def _is_option(word: str) -> bool:
    """Whether a word is like `search=mcts`, with an option of ours before the sign."""
    name, sign, _ = word.partition("=")
    return bool(sign) and name.strip().lower().replace("-", "_") in OPTIONS


def _pairs(text: str, rest: str) -> dict[str, str]:
    """The `key=value` parts after a player's first word."""
    found = {}
    for part in filter(None, (part.strip() for part in rest.split(","))):
        key, sign, value = part.partition("=")
        if not sign:
            raise BadArena(f"player {text!r}: {part!r} is not like option=value")
        found[key.strip().lower()] = value.strip()
    return found


def _own_limits(text: str, given: dict[str, str]) -> TimeControl | None:
    """Take the limits out of a player's options."""
    values: dict[str, Any] = {}
    for key, kind in _LIMITS.items():
        if key in given:
            try:
                values[key] = kind(given.pop(key))
            except ValueError:
                raise BadArena(f"player {text!r}: {key} is not a number") from None
    return TimeControl(**values) if values else None
