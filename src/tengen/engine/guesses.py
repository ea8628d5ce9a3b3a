# SPDX-License-Identifier: MIT
"""The guesses of a net: tables that imitate it, in a file beside it (docs/formats/guess.md). The
native core checks what is in them; without such a file the classical tables guess.
"""

from __future__ import annotations

from pathlib import Path

from tengen.engine.errors import BadTables

__all__ = ["GUESS_ENDING", "guess_path", "read_guesses"]

GUESS_ENDING = ".guess"


def guess_path(net: Path) -> Path:
    """Where the guesses of a net lie; of two nets, a colour each, they lie beside black's."""
    return net.with_suffix(GUESS_ENDING)


def read_guesses(net: Path) -> bytes:
    """The bytes of the file beside a net; none if there is no file. Raises BadTables."""
    path = guess_path(net)
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise BadTables(f"{path.name}: the guesses of the net cannot be read ({why})") from None
