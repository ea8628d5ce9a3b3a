# SPDX-License-Identifier: MIT
"""What the server refuses, and why. Relies on the errors of the game."""

from __future__ import annotations

from tengen.game.errors import TengenError

__all__ = ["BadAddress", "Refused"]


class Refused(TengenError):
    """Something that a page asked for and does not get. `code` is a word for programs."""

    def __init__(self, code: str, words: str) -> None:
        super().__init__(words)
        self.code = code

    def __reduce__(self) -> tuple[type[Refused], tuple[str, str]]:
        return type(self), (self.code, str(self))


class BadAddress(TengenError, ValueError):
    """An address or a token that no server can be started with."""
