# SPDX-License-Identifier: MIT
"""The guesses of a net: tables that imitate it, in a file beside it (docs/formats/guess.md). The
native core checks what is in them; without such a file the classical tables guess.
"""

from __future__ import annotations

import struct
from pathlib import Path

from tengen.engine.errors import BadTables
from tengen.game.rule import Rule

__all__ = ["GUESS_ENDING", "guess_path", "read_guesses"]

GUESS_ENDING = ".guess"
_MAGIC = b"TGGUESS1"  # the number of the rule follows


def guess_path(net: Path) -> Path:
    """Where the guesses of a net lie; of two nets, a colour each, they lie beside black's."""
    return net.with_suffix(GUESS_ENDING)


def read_guesses(net: Path, rule: Rule) -> bytes:
    """The bytes of the file beside a net; none if there is no file, or one for another rule, as a
    net that plays several may have. Raises BadTables.
    """
    path = guess_path(net)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return b""
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise BadTables(f"{path.name}: the guesses of the net cannot be read ({why})") from None
    if not data.startswith(_MAGIC):
        words = "make it again with `tengen net guess`, or delete it"
        raise BadTables(f"{path}: not a file of guesses: {words}")
    number = data[len(_MAGIC) : len(_MAGIC) + 4]
    others = [struct.pack("<I", place) for place, one in enumerate(Rule) if one != rule]
    return b"" if number in others else data
