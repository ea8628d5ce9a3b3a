# SPDX-License-Identifier: MIT
"""`Proof`: a forced win, with a refutation of every reply, from the first move to the five.

The native proof verifies and finds the main line; the nodes are views of the tree. Proofs may have
a million nodes, so nothing recurses.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any

from tengen import _core
from tengen.game.board import Board
from tengen.game.errors import IllegalMove
from tengen.game.move import Move, MoveLike
from tengen.game.rule import Colour, Rule
from tengen.solver import files
from tengen.solver.errors import BadProof, Cancelled
from tengen.solver.goal import Goal
from tengen.solver.result import Stats
from tengen.solver.tree import NO_NODE, CoreNode, ProofTree
from tengen.util.deprecation import renamed_fields


@renamed_fields(answer="refutation")
class ProofNode:
    """One step of a proof: the attacker is to move and plays `move`. A view of the proof.

    Either the move makes a five (`wins`), or each reply is refuted: those in `replies` by their
    own node, all others, the pass included, by `threat`.
    """

    __slots__ = ("_proof", "index")

    def __init__(self, proof: Proof, index: int) -> None:
        self._proof = proof
        self.index = index  # among the nodes of the proof; the root is 0

    @property
    def move(self) -> Move:
        """The move of the attacker."""
        return self._move(self._tree.moves[self.index])

    @property
    def wins(self) -> bool:
        """Whether the move makes a five."""
        tree, index = self._tree, self.index
        return tree.threats[index] == NO_NODE and tree.starts[index] == tree.starts[index + 1]

    @property
    def threat(self) -> ProofNode | None:
        """The attacker's next step after a reply that is not listed; None after a five."""
        found = self._tree.threats[self.index]
        return None if found == NO_NODE else ProofNode(self._proof, found)

    @property
    def replies(self) -> dict[Move, ProofNode]:
        """The replies with their own answer, ordered by index; a pass comes first."""
        found = sorted(self._tree.replies_of(self.index))
        return {self._move(reply): ProofNode(self._proof, target) for reply, target in found}

    @property
    def bound(self) -> int:
        """The maximum number of moves of the attacker up to the five, this one included."""
        return self._proof._bounds[self.index]

    def refutation(self, reply: MoveLike) -> ProofNode:
        """The node that refutes a reply, listed or not. Raises IllegalMove after the five."""
        move = Move.parse(reply, self._proof.board.size)
        found = self.replies.get(move) or self.threat
        if found is None:
            fault = "no reply is left" if self.wins else "the proof has no refutation"
            raise IllegalMove(f"{move} after {self.move}: {fault}")
        return found

    @property
    def _tree(self) -> ProofTree:
        return self._proof._tree

    def _move(self, index: int) -> Move:
        return Move.from_index(index, self._proof.board.size)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ProofNode):
            return NotImplemented
        return self.index == other.index and self._proof == other._proof

    def __hash__(self) -> int:
        return hash(self.index)

    def __repr__(self) -> str:
        return f"<ProofNode {self.index}: {self.move}, {len(self.replies)} replies listed>"


class Proof:
    """A forced win. Truthy, where a `NoProof` is falsy. Immutable.

    From `tengen.solve`, `Proof.load` or `Proof.from_json`. Only `verify` checks it, with the
    referee. Two proofs are equal if goal, position and tree are.
    """

    def __init__(
        self,
        board: Board,
        goal: Goal | str,
        nodes: Iterable[CoreNode] | _core.Proof,
        stats: Stats | None = None,
    ) -> None:
        """Nodes are `(move, threat, [(reply, node), ...])` with points as indices. Raises BadProof
        if they make no tree on that board.
        """
        self._board = board.copy()
        self._goal = Goal.parse(goal)
        self._stats = stats
        if isinstance(nodes, _core.Proof):
            self._core = nodes
            return
        self._tree = ProofTree(nodes)
        core = self._board._core
        left = core.move_limit and core.move_limit - core.ply
        listed = list(self._tree.core_nodes())
        try:
            self._core = _core.Proof(
                core.size, core.rule, core.cells(), core.side_to_move, left, listed
            )
        except (ValueError, IndexError) as error:  # a point off the board
            raise BadProof(str(error)) from None

    # --- properties ---

    @property
    def board(self) -> Board:
        """The position it starts from, as a copy; the attacker is to move."""
        return self._board.copy()

    @property
    def rule(self) -> Rule:
        return self._board.rule

    @property
    def size(self) -> int:
        return self._board.size

    @property
    def attacker(self) -> Colour:
        return self._board.turn

    @property
    def goal(self) -> Goal:
        """The goal of the search."""
        return self._goal

    @property
    def stats(self) -> Stats | None:
        """The cost of the search; None for a proof from a file."""
        return self._stats

    @property
    def nodes(self) -> int:
        """The number of its nodes."""
        return len(self._core)

    def __len__(self) -> int:
        return len(self._core)

    def __bool__(self) -> bool:
        return True

    @property
    def move(self) -> Move:
        """The first move."""
        return self.root.move

    @property
    def depth(self) -> int:
        """The attacker's moves in the main line, the five included."""
        return (len(self._line) + 1) // 2

    def line(self) -> list[Move]:
        """The main line up to the five: each reply is the one that resists longest.

        A pass stands for any reply without its own answer: the threat is carried out. Raises
        BadProof if the line cannot be played.
        """
        return list(self._line)

    # --- the tree ---

    @property
    def root(self) -> ProofNode:
        return ProofNode(self, 0)

    def walk(self, moves: Iterable[MoveLike]) -> ProofNode:
        """The node after a line of play from the start: attacker, reply, attacker and so on.

        After a reply it is the node that refutes it; after a move of the attacker the node of that
        move. Raises IllegalMove for an illegal reply, or another move of the attacker than the
        proof's.
        """
        node, board = self.root, self.board
        for number, given in enumerate(moves):
            move = board.push(given)
            if number % 2:
                node = node.refutation(move)
            elif move != node.move:
                raise IllegalMove(f"the proof continues with {node.move}, not with {move}")
        return node

    @cached_property
    def _tree(self) -> ProofTree:
        return ProofTree(self._core.nodes())

    @cached_property
    def _bounds(self) -> list[int]:
        try:
            return self._core.bounds()
        except ValueError as error:
            raise BadProof(str(error)) from None

    @cached_property
    def _line(self) -> tuple[Move, ...]:
        try:
            indices, error = self._core.line()
        except ValueError as fault:  # such as a start that is won
            raise BadProof(str(fault)) from None
        moves = tuple(Move.from_index(index, self.size) for index in indices)
        if error:
            raise BadProof(error, list(moves))
        return moves

    # --- verification ---

    def verify(
        self,
        progress: Callable[[int], None] | None = None,
        cancel: _core.Cancel | None = None,
    ) -> bool:
        """Let the referee play every legal reply to every move, without the solver.

        Returns True, or raises BadProof with the moves that lead to the fault. `progress` is
        called from time to time with the number of moves played. Raises Cancelled once `cancel`
        is set.
        """
        valid, interrupted, played, error, path = self._core.verify(cancel, progress)
        if valid:
            return True
        if interrupted:
            raise Cancelled(f"the check of the proof was cancelled after {played:,} moves")
        raise BadProof(error, [Move.from_index(index, self.size) for index in path])

    # --- files, drawing, pickling ---

    def to_json(self) -> dict[str, Any]:
        """The proof as an object for `json`; see docs/formats/proof.md."""
        return files.to_json(self._board, self._goal, self._tree)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Proof:
        """The proof that `to_json` wrote. Raises BadProof for anything else; does not `verify`."""
        return cls(*files.from_json(value))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file, whole or not at all; compressed if the name ends in `.gz`."""
        files.write(self._board, self._goal, self._tree, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Proof:
        """The proof of a file, compressed or not; does not `verify`.

        Raises OSError if the file cannot be opened, BadProof if its form is wrong.
        """
        try:
            return cls.from_json(files.read(path))
        except BadProof as error:
            raise BadProof(error.fault, error.path, os.fspath(path)) from None

    def svg(self, moves: int | None = None, **options: Any) -> str:
        """The main line as an SVG picture, its moves numbered from 1; at most `moves` of them.

        Other options are those of `Board.svg`.
        """
        shown = self._line[:moves]
        board = self.board
        for move in shown:
            board.push(move)
        numbers = {move: n for n, move in enumerate(shown, start=1) if not move.is_pass}
        return board.svg(**{"numbers": numbers, **options})

    def _repr_svg_(self) -> str:
        return self.svg()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Proof):
            return NotImplemented
        if self is other:
            return True
        return (
            self._goal is other._goal
            and len(self._core) == len(other._core)
            and self._position() == other._position()
            and self._tree == other._tree
        )

    def __hash__(self) -> int:
        return hash((self._goal, len(self._core), self._position()))

    def _position(self) -> tuple[int, int, bytes, int, int]:
        core = self._core
        return core.size, core.rule, core.cells(), core.attacker, core.moves_left

    def __copy__(self) -> Proof:
        return self

    def __deepcopy__(self, memo: Mapping[int, Any]) -> Proof:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Proof, (self._board, self._goal, list(self._tree.core_nodes()), self._stats)

    def __str__(self) -> str:
        who = str(self.attacker).capitalize()
        moves = f"{self.depth} move{'s' if self.depth != 1 else ''}"
        return f"{who} wins by {self._goal.describe()} in {moves}, starting with {self.move}."

    def __repr__(self) -> str:
        return f"<Proof {self._goal}: {self.attacker} {self.move}, {self.nodes} nodes>"
