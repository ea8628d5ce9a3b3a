# SPDX-License-Identifier: MIT
"""The tables of the classical evaluation, one file a rule, as they come with the package. The
native core checks what is in them.
"""

from __future__ import annotations

from importlib.resources import files

from tengen.engine.errors import BadTables
from tengen.game.rule import Rule

__all__ = ["read_tables", "tables_name"]


def tables_name(rule: Rule) -> str:
    """The file of a rule, in the folder `data` beside this module."""
    return f"classical-{rule}.tables"


def read_tables(rule: Rule) -> bytes:
    """The bytes of the file of a rule. Raises BadTables if it cannot be read."""
    name = tables_name(rule)
    try:
        return files("tengen.engine").joinpath("data", name).read_bytes()
    except OSError as error:
        why = error.strerror or type(error).__name__
        words = f"the engine cannot play {rule}: {name} of the package cannot be read ({why})"
        raise BadTables(f"{words}; installing tengen again brings it back") from None
