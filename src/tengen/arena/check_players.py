# SPDX-License-Identifier: MIT
"""Whether players can play at all: better told before the first game than as a lost one. Relies on
the engine's choice of an evaluation; the command line and zero learning rely on it.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from tengen import _core
from tengen.arena.definition import Definition
from tengen.arena.errors import BadArena
from tengen.arena.player import Player
from tengen.engine.evaluator import PendingEvaluator, choose_evaluator
from tengen.engine.options import defaults
from tengen.engine.process import command_words

__all__ = ["check_player"]


def check_player(player: Player, definition: Definition) -> None:
    """That a player can play what is defined. Raises BadArena, BadNet."""
    if player.tunables and not _core.is_tuning():
        words = "has tunables: they need the tuning build, `make tuning`"
        raise BadArena(f"player {player.name!r} {words}")
    if player.preset in ("alphabeta", "policy"):
        _check_net(player, definition)
    if not player.is_ours and not _is_program(player):
        words = "is neither a preset of ours nor a program that can be run"
        raise BadArena(f"player {player.command!r} {words}")


def _check_net(player: Player, definition: Definition) -> None:
    """That the player's net is one, and for the board. Raises BadNet."""
    choice = choose_evaluator({**defaults(), **player.options}, definition.rule, definition.size)
    if choice.kind == "onnx":  # it has no header: the whole file says what it is
        (net,) = PendingEvaluator(choice).nets()
        net.require(definition.rule, definition.size)


def _is_program(player: Player) -> bool:
    try:
        words = command_words(player.command)
    except ValueError:
        return False
    if not words:
        return False
    # Popen looks for a path in the folder, and for a name where the shell does.
    beside = Path(player.folder or ".") / words[0]
    return shutil.which(words[0]) is not None or shutil.which(str(beside)) is not None
