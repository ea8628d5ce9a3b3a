# SPDX-License-Identifier: MIT
"""Files of evaluation tables: the bundled classical tables of each rule, and the lazy tables of a
net, which approximate it and are beside it (docs/formats/guess.md).

Only reads bytes: the native core validates them.
"""

from __future__ import annotations

import struct
from importlib.resources import files
from pathlib import Path

from tengen.engine.errors import BadTables
from tengen.game.rule import Rule

LAZY_SUFFIX = ".guess"
_LAZY_MAGIC = b"TGGUESS1"  # the number of the rule follows


def classical_tables_name(rule: Rule) -> str:
    """The file of a rule, in the folder `data` beside this module."""
    return f"classical-{rule}.tables"


def read_classical_tables(rule: Rule) -> bytes:
    """The classical tables of a rule. Raises BadTables if the file cannot be read."""
    name = classical_tables_name(rule)
    try:
        return files("tengen.engine").joinpath("data", name).read_bytes()
    except OSError as error:
        why = error.strerror or type(error).__name__
        message = f"the engine cannot play {rule}: {name} cannot be read ({why})"
        raise BadTables(f"{message}; reinstall tengen to restore it") from None


def lazy_tables_path(net: Path) -> Path:
    """The file of a net's lazy tables. One net per colour: the file is beside black's net."""
    return net.with_suffix(LAZY_SUFFIX)


def read_lazy_tables(net: Path, rule: Rule) -> bytes:
    """The lazy tables beside a net. Empty if there is no file, or one for another rule, which a net
    for several rules may have. Raises BadTables.
    """
    path = lazy_tables_path(net)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return b""
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise BadTables(f"{path.name}: the net's lazy tables cannot be read ({why})") from None
    if not data.startswith(_LAZY_MAGIC):
        raise BadTables(f"{path}: not a file of lazy tables: make it again, or delete it")
    rule_number = data[len(_LAZY_MAGIC) : len(_LAZY_MAGIC) + 4]
    others = [struct.pack("<I", number) for number, other in enumerate(Rule) if other != rule]
    return b"" if rule_number in others else data
