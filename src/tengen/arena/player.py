# SPDX-License-Identifier: MIT
"""`Player`: a built-in preset or any program that speaks the Gomocup protocol, with options. A
command line names a player by a short text (`Player.parse`), a file by a table
(`Player.from_dict`). In a folder of `tengen net match` it is a net that plays without an engine.
"""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tengen import _core
from tengen.arena.control import TimeControl
from tengen.arena.errors import BadArena
from tengen.engine.engine import Engine
from tengen.engine.errors import BadOption
from tengen.engine.options import DEFAULT_PRESET, PRESETS, check_options, option
from tengen.engine.process import split_command
from tengen.game.board import Board
from tengen.game.rule import Rule
from tengen.util.config import Config, setting
from tengen.util.deprecation import renamed_fields

_COMMAND = re.compile(r"cmd(?:\[([^\]]*)\])?:(.+)", re.DOTALL)
_OPTION = re.compile(r"[a-z][\w-]*\s*=", re.IGNORECASE)  # no program has such a name
_LIMITS = {"time": float, "nodes": int, "depth": int, "clock": float, "increment": float}
_MEMORY = 64  # MiB of a preset's tables, by default
_WHOLE = re.compile(r"-?[0-9]{1,18}")


def _own_limit(value: Any) -> TimeControl | None:
    return None if value is None else TimeControl.from_table(value)


@renamed_fields(control="limit", is_ours="is_builtin")
@dataclass(frozen=True, slots=True)
class Player(Config):
    """One player. Either `preset`, `command` or `net` is set. Raises BadArena."""

    ERROR = BadArena

    name: str = setting("", help="1 to 60 printable characters; default: the preset or program")
    preset: str = setting("", help="a built-in preset, which plays in the arena's process")
    command: str = setting("", help="a program with its arguments, as a shell takes them")
    net: str = setting("", help="the nets of a player of `tengen net match`")
    options: dict[str, Any] = setting(
        factory=dict, help="of the engine; for programs keys of INFO, threads and memory (MiB)"
    )
    limit: TimeControl | None = setting(
        None, convert=_own_limit, help="its time control; default: that of the match"
    )
    env: dict[str, str] = setting(factory=dict, help="variables added to a program's environment")
    folder: str = setting("", help="working folder of a program")
    restart: bool = setting(False, help="start the program anew for each game")
    tunables: dict[str, int] = setting(factory=dict, help="tuning build only")

    def validate(self) -> None:
        given = [text for text in (self.preset, self.command, self.net) if text]
        if len(given) != 1:
            raise BadArena(f"player {self.name!r}: give either a preset or a command")
        if not self.name:
            object.__setattr__(self, "name", given[0].split()[0][:60])
        if not self.name.strip() or not self.name.isprintable() or len(self.name) > 60:
            raise BadArena(f"no name {self.name!r:.80} for a player: use 1 to 60 plain letters")
        if not all(isinstance(value, int | float | str) for value in self.options.values()):
            raise BadArena(f"player {self.name!r}: options are numbers or texts")
        if not isinstance(self.options.get("threads", 1), int):
            raise BadArena(f"player {self.name!r}: threads is a number")
        if self.command:
            if self.tunables:
                raise BadArena(f"player {self.name!r}: a program has no tunables")
            return
        if self.env or self.folder or self.restart:
            raise BadArena(f"player {self.name!r}: env, folder and restart are for programs")
        if self.net:
            return
        try:
            options = {"memory": _MEMORY, **self.options, "preset": self.preset}
            object.__setattr__(self, "options", check_options(options))
        except BadOption as error:
            raise BadArena(f"player {self.name!r}: {error}") from None

    @property
    def is_builtin(self) -> bool:
        """Whether it plays in the arena's process: a preset or a net."""
        return not self.command

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
        if not (text := text.strip()):
            raise BadArena(f"no player: presets are {', '.join(PRESETS)}, or use a command")
        preset, command = DEFAULT_PRESET, ""
        first, _, rest = text.partition(",")
        if match := _COMMAND.fullmatch(text):
            command, rest = match[2].strip(), match[1] or ""
        elif _OPTION.match(first):
            rest = text
        elif first.strip().lower() in PRESETS:
            preset = first.strip().lower()
        else:
            command, rest = text, ""
        values = _pairs(text, rest)
        limit = _own_limits(text, values)
        name = values.pop("name", "")
        if command:
            program = command.split(maxsplit=1)[0]
            name = name or re.split(r"[/\\]", program)[-1] or command
            numbers = {key: int(v) if _WHOLE.fullmatch(v) else v for key, v in values.items()}
            return cls(name[:60], command=command, options=numbers, limit=limit)
        try:
            options = {key: option(key).parse(value) for key, value in values.items()}
        except BadOption as error:
            raise BadArena(f"player {text!r}: {error}") from None
        return cls((name or text)[:60], preset, options=options, limit=limit)

    def to_dict(self) -> dict[str, Any]:
        """As a file has it; what is empty is left out."""
        data = Config.to_dict(self)
        data["options"].pop("preset", None)
        return {key: value for key, value in data.items() if value}

    @property
    def key(self) -> str:
        """The same for players that one engine can play for: tunables are set for each search."""
        return json.dumps(self.to_dict() | {"tunables": {}}, sort_keys=True)

    def named(self, name: str) -> Player:
        return replace(self, name=name)


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


def check_player(player: Player, rule: Rule, size: int) -> None:
    """Check that a player can play this rule and size before a game is lost by it. Raises
    BadArena, BadNet.
    """
    if player.tunables and not _core.is_tuning():
        problem = "tunables need the tuning build, `make tuning`"
        raise BadArena(f"player {player.name!r}: {problem}")
    if player.net:
        problem = "is a net without an engine: use `tengen net match`, or a preset with net=FILE"
        raise BadArena(f"player {player.name!r} {problem}")
    if player.preset in ("alphabeta", "policy"):
        _check_net(player, rule, size)
    if not player.is_builtin and not _is_program(player):
        problem = "is neither a preset nor a program that can be run"
        raise BadArena(f"player {player.command!r} {problem}")


def _check_net(player: Player, rule: Rule, size: int) -> None:
    """Check that the player's net can be read and fits the board. Raises BadNet."""
    board = Board(size, rule)
    with Engine(**player.options) as engine:
        if engine.evaluation(board).name == "onnx":  # the whole file says what it supports
            engine.policy(board)


def _is_program(player: Player) -> bool:
    try:
        arguments = split_command(player.command)
    except ValueError:
        return False
    if not arguments:
        return False
    # Popen looks for a path in the folder, and for a name where the shell does.
    beside = Path(player.folder or ".") / arguments[0]
    return shutil.which(arguments[0]) is not None or shutil.which(str(beside)) is not None
