# SPDX-License-Identifier: MIT
"""The commands of a terminal game: their table, replies and errors, and their arguments."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import ParamSpec

from tengen.game.errors import TengenError


@dataclass(frozen=True)
class Reply:
    """The answer to a line of input; `quit` ends the session."""

    lines: tuple[str, ...] = ()
    quit: bool = False


@dataclass(frozen=True)
class TerminalCommand:
    """A command of the terminal game. One whose usage is a single word takes no argument."""

    run: Callable[..., Reply]  # (game, rest of the line)
    usage: str
    help: str  # empty: not listed by `help`
    engine: bool  # only against the engine


_P = ParamSpec("_P")
COMMANDS: dict[str, TerminalCommand] = {}  # by name, in the order of `help`
ALIASES = {"exit": "quit", "q": "quit", "?": "help"}


class CommandError(TengenError, ValueError):
    """A command that cannot be carried out; the message says why and what would be right."""


def command(
    usage: str, help: str, *, engine: bool = False
) -> Callable[[Callable[_P, Reply]], Callable[_P, Reply]]:
    """Decorator of the methods that are commands. `engine`: only against the engine."""

    def register(run: Callable[_P, Reply]) -> Callable[_P, Reply]:
        COMMANDS[usage.split(maxsplit=1)[0]] = TerminalCommand(run, usage, help, engine)
        return run

    return register


def parse_count(command: str, rest: str) -> int:
    """The number of moves for `undo` and `redo`; 1 by default."""
    if not rest:
        return 1
    if re.fullmatch(r"\d{1,9}", rest, re.ASCII) and int(rest) > 0:
        return int(rest)
    raise CommandError(f"`{command}` takes a number of moves from 1, not {rest!r}.")


def parse_path(command: str, rest: str) -> Path:
    """The rest of the line is a file name, spaces included; quotes around it are dropped."""
    if len(rest) > 1 and rest[0] == rest[-1] and rest[0] in "\"'":
        rest = rest[1:-1]
    if not rest:
        example = "board.svg" if command == "svg" else "game.sgf"
        raise CommandError(f"`{command}` needs the name of a file, such as {command} {example}.")
    try:
        return Path(rest).expanduser()
    except RuntimeError as error:  # ~user without a home directory
        raise CommandError(f"{rest}: {error}") from None


def check_free(path: Path, command: str, replace: bool) -> None:
    if not replace and path.exists():
        raise CommandError(f"{path} exists already: `{command}! {path}` replaces it.")


def next_free(path: Path) -> Path:
    """The path itself, or the first of name-2, name-3, ... that does not exist."""
    numbered = re.fullmatch(r"(.+)-([1-9]\d{0,5})", path.stem, re.ASCII)
    stem, number = (numbered[1], int(numbered[2])) if numbered else (path.stem, 1)
    while path.exists():
        number += 1
        path = path.with_name(f"{stem}-{number}{path.suffix}")
    return path
