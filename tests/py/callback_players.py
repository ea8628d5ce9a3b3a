# SPDX-License-Identifier: MIT
"""Native players whose net is a function of the test."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tengen import _core
from tengen.engine.nets import DATA
from tengen.engine.options import Value, defaults, option_texts


def player_with(folder: Path, ask: Callable[[Any], Any], **options: Value) -> _core.Player:
    """A player for 15x15 whose net `ask` is loaded."""
    file = folder / "net.onnx"  # not read
    file.touch()

    def load(black: str, white: str, rule: int, size: int, target: _core.ExternalNet) -> None:
        target.set(ask, 1 << 15)

    texts = option_texts(defaults() | {"net": str(file), "memory": 8} | options)
    return _core.Player(texts, DATA, load)


def result_of(player: _core.Player) -> _core.SearchEvent:
    """The result of its search, which ends within some seconds."""
    while True:
        event = player.next_event(10)
        assert event is not None, "the search has not ended within 10 s"
        if event.is_result:
            return event
