# SPDX-License-Identifier: MIT
"""Stepping through a proof: what it says after some moves. Relies on the solver's proofs."""

from __future__ import annotations

from tengen.solver import Proof
from tengen.web import tells

__all__ = ["proof_step"]

_MOST_REPLIES = 60


def proof_step(id: int, proof: Proof, moves: list[str]) -> tells.ProofNode:
    """What the proof says after a line of play from its start. Raises IllegalMove for a line that
    leaves it.
    """
    board = proof.board
    for move in moves:
        board.push(move)
    node = proof.walk(moves)
    over = board.is_over()
    attacks = len(moves) % 2 == 0
    replies = [] if attacks or over else sorted(node.replies.items(), key=lambda r: -r[1].bound)
    listed = [
        tells.ProofReply(move=move.name, bound=after.bound)
        for move, after in replies
        if board.is_legal(move)
    ]
    threat = None if attacks or over else node.threat
    return tells.ProofNode(
        type="proof_node",
        id=id,
        moves=moves,
        attack=node.move.name if attacks and not over else None,
        replies=listed[:_MOST_REPLIES],
        threat=threat.move.name if threat is not None else None,
        over=over,
    )
