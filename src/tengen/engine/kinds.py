# SPDX-License-Identifier: MIT
"""Which kind of search finds a move where nobody has said it: the one that won the matches
(docs/journal/nets.md). A pure function; relies on the options and on the choice of a net; the
engine relies on it.
"""

from __future__ import annotations

from collections.abc import Mapping

from tengen.engine.evaluation import Choice
from tengen.engine.limit import Limit
from tengen.engine.options import AUTO, SEARCHES, Value

__all__ = ["ALPHABETA", "TREE", "means_tree", "search_for"]

ALPHABETA, TREE = SEARCHES
# With a net in the core, one thread, and at most so many seconds for a move tree search won its
# matches, or was not shown to be behind: docs/journal/nets.md says which were played.
_TREE_SECONDS = 1.0
# The presets that have a choice of searches.
_SEARCHING = ("alphabeta", "classical")


def search_for(options: Mapping[str, Value], choice: Choice, limit: Limit) -> str:
    """The kind of search for a move: that of the option `search`, or with `auto` the better one.

    Limits of nodes and depth mean those of alpha-beta.
    """
    wanted = str(options["search"])
    if wanted != AUTO:
        return wanted
    time = limit.for_move
    is_quick = time is not None and time <= _TREE_SECONDS
    counts = limit.nodes is not None or limit.depth is not None
    is_tree = choice.kind == "mixnet" and is_quick and not counts and options["threads"] == 1
    return TREE if is_tree else ALPHABETA


def means_tree(options: Mapping[str, Value]) -> bool:
    """Whether these options ask for tree search, whatever the limit."""
    return options["search"] == TREE and options["preset"] in _SEARCHING
