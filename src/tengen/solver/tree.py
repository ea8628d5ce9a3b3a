# SPDX-License-Identifier: MIT
"""The nodes of a proof in five flat arrays: about thirty bytes per node. Threats and replies only
point to later nodes, so loops replace recursion.

Points are indices; -1 is the pass (as a reply) or no node (as a threat).
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from tengen.solver.errors import BadProof

PASS_INDEX = -1
NO_NODE = -1

# A node as the native core has it: (move, threat, [(reply, node), ...]).
CoreNode: TypeAlias = tuple[int, int, list[tuple[int, int]]]


class ProofTree:
    """The nodes of one proof. Immutable."""

    __slots__ = ("moves", "replies", "starts", "targets", "threats")

    def __init__(self, nodes: Iterable[CoreNode]) -> None:
        """Raises BadProof unless there is a node, each continues only with later ones, and none
        lists a reply twice.
        """
        self.moves = array("h")
        self.threats = array("i")
        # The replies of node i are those from starts[i] up to starts[i + 1].
        self.starts = array("i", [0])
        self.replies = array("h")
        self.targets = array("i")
        for move, threat, replies in nodes:
            self.moves.append(move)
            self.threats.append(threat)
            for reply, target in replies:
                self.replies.append(reply)
                self.targets.append(target)
            self.starts.append(len(self.replies))
        self._check()

    def _check(self) -> None:
        count = len(self.moves)
        if not count:
            raise BadProof("a proof without nodes")
        for node in range(count):
            threat = self.threats[node]
            if threat != NO_NODE and not node < threat < count:
                raise _not_later(node, threat, count)
            first, end = self.starts[node], self.starts[node + 1]
            for target in self.targets[first:end]:
                if not node < target < count:
                    raise _not_later(node, target, count)
            if end - first > 1 and len(set(self.replies[first:end])) < end - first:
                raise BadProof(f"node {node} lists a reply twice")

    def __len__(self) -> int:
        return len(self.moves)

    def replies_of(self, node: int) -> Iterator[tuple[int, int]]:
        """(reply, node that refutes it) of each listed reply."""
        for n in range(self.starts[node], self.starts[node + 1]):
            yield self.replies[n], self.targets[n]

    def core_nodes(self) -> Iterator[CoreNode]:
        """The nodes for the native core."""
        for node, (move, threat) in enumerate(zip(self.moves, self.threats, strict=True)):
            yield move, threat, list(self.replies_of(node))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ProofTree):
            return NotImplemented
        return self._arrays() == other._arrays()

    __hash__ = None  # type: ignore[assignment]

    def _arrays(self) -> tuple[array[int], ...]:
        return self.moves, self.threats, self.starts, self.replies, self.targets


def _not_later(node: int, target: int, count: int) -> BadProof:
    later = f"{node + 1} to {count - 1}" if node + 1 < count else "none"
    return BadProof(f"node {node} continues with node {target}, not with a later node ({later})")
