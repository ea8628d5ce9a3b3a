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
_RULE_AT = 8  # bytes of the file, before the number of its rule


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
    number = struct.pack("<I", list(Rule).index(rule))
    is_other = len(data) > _RULE_AT + 4 and data[_RULE_AT : _RULE_AT + 4] != number
    return b"" if is_other else data
