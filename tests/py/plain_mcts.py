# SPDX-License-Identifier: MIT
"""Reference implementation of MCTS: equations 9 to 12 of docs/mcts.md with the fake evaluation, a
hash of the stones. Boards and threats come from the package; all other code is independent of the
core.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass, field
from functools import cache

from tengen import Board, Colour, Move
from tengen.game.threat import Threat

POINTS_PER_LOGIT = 200
PRIOR_ONE = 65535
_MASK = (1 << 64) - 1
# By the distance of the row, the columns near a stone.
_NEAR = {0: range(-3, 4), 1: range(-2, 3), 2: range(-2, 3), 3: (-3, 0, 3)}
_ENDLESS = 1 << 20


def _single(x: float) -> float:
    """Rounded to 32 bits."""
    return float(struct.unpack("f", struct.pack("f", x))[0])


class _Rng:
    """Splitmix64."""

    def __init__(self, seed: int) -> None:
        self._state = seed

    def next(self) -> int:
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        z = self._state
        z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ z >> 27) * 0x94D049BB133111EB) & _MASK
        return z ^ z >> 31

    def below(self, bound: int) -> int:
        return (self.next() >> 32) * bound >> 32


@cache
def _keys() -> tuple[list[int], list[int], int]:
    """Of black's stones, white's, and of white to move."""
    rng = _Rng(0x74656E67656E)
    black = [rng.next() for _ in range(1024)]
    white = [rng.next() for _ in range(1024)]
    return black, white, rng.next()


def _stone_key(move: Move, colour: Colour) -> int:
    black, white, _ = _keys()
    return (black if colour is Colour.BLACK else white)[(move.y + 5) * 32 + move.x + 5]


@dataclass
class Settings:
    tau: float = 0.5
    c: float = 1.0
    c_log: float = 0.4
    c_base: float = 500.0
    fpu: float = 0.1
    utility_stdev_scale: float = 0.0


@dataclass
class Edge:
    move: Move
    prior: int
    visits: int = 0
    q: float = 0.0  # for the side that plays the move
    child: Node | None = None
    fate: str = "open"  # or lost, drawn


@dataclass
class Node:
    key: int
    value: float = 0.0
    weight: int = 0  # of the own value
    total: float = 0.0
    visits: int = 0
    explored: int = 0
    expanded: bool = False
    edges: list[Edge] = field(default_factory=list)
    untried: list[tuple[Move, int]] = field(default_factory=list)
    playouts: int = 0  # that came here
    squares: float = 0.0  # of their results
    proof: tuple[str, int] | None = None  # win, loss or draw of the side to move; plies

    @property
    def mean(self) -> float:
        count = self.weight + self.visits
        return self.total / count if count else self.value

    @property
    def result(self) -> float:
        if self.proof is None:
            return self.mean
        return {"win": 1.0, "loss": -1.0, "draw": 0.0}[self.proof[0]]


class PlainTree:
    """A search. `moves_left` 0: the game has no move limit."""

    def __init__(self, board: Board, settings: Settings, moves_left: int = 0) -> None:
        self.settings, self._board = settings, board
        self._left = moves_left or _ENDLESS
        stones = len(board.stones())
        self._end = _Rng(stones + moves_left).next() if moves_left else 0
        self.nodes: dict[int, Node] = {}
        self.root = self._node()
        self._evaluate(self.root)
        self._expand(self.root)

    def run(self, playouts: int) -> None:
        for _ in range(playouts):
            if self.root.proof is not None:
                return
            self._playout(self.root)

    def visits(self) -> dict[int, dict[Move, int]]:
        """Of every move that was tried, by the key of its position."""
        return {
            key: {edge.move: edge.visits for edge in node.edges}
            for key, node in self.nodes.items()
            if node.edges
        }

    # --- the equations ---

    def pick(self, node: Node) -> Edge:
        """Equation 9: the move with the greatest Q + U, the first of equals."""
        best, chosen = -math.inf, None
        for edge in node.edges:
            if edge.fate != "lost" and (score := edge.q + self.u(node, edge)) > best:
                best, chosen = score, edge
        if node.untried:
            move, prior = node.untried[0]
            if self.first_play(node) + self.u(node, Edge(move, prior)) > best:
                node.untried.pop(0)
                chosen = Edge(move, prior)
                node.edges.append(chosen)
                node.explored = min(node.explored + prior, PRIOR_ONE)
        assert chosen is not None
        return chosen

    def u(self, node: Node, edge: Edge) -> float:
        """Equation 10 with the P that it lost, and any power in the place of the root."""
        count = float(node.visits)
        if self.settings.tau == 0.5:
            grown = math.sqrt(count)
        else:
            grown = _single(count**self.settings.tau) if count else 0.0
        explore = self.factor(count) * grown * self.liveliness(node)
        return explore / PRIOR_ONE * edge.prior / (1.0 + edge.visits)

    def factor(self, count: float) -> float:
        """Equation 11."""
        settings = self.settings
        return settings.c + settings.c_log * _single(math.log(1.0 + count / settings.c_base))

    def liveliness(self, node: Node) -> float:
        """Equation 13: two playouts with a standard deviation of 0.4 are imagined."""
        square = node.mean * node.mean
        squares = node.squares + 2.0 * (0.4 * 0.4 + square)
        deviation = math.sqrt(max(squares / (node.playouts + 2.0) - square, 0.0))
        return max(1.0 + self.settings.utility_stdev_scale * (deviation / 0.4 - 1.0), 0.0)

    def first_play(self, node: Node) -> float:
        """Equation 12."""
        return node.mean - self.settings.fpu * math.sqrt(node.explored / PRIOR_ONE)

    # --- down and up ---

    def _playout(self, node: Node) -> float:
        """One playout through a node, whose position is on the board; the square of its result."""
        if not node.expanded:
            self._expand(node)
            if node.proof is not None:
                return self._ends_at(node)
        edge = self.pick(node)
        self._push(edge.move)
        goes_on = edge.child is not None and edge.child.proof is None
        if edge.child is None:
            known = self._key() in self.nodes
            edge.child = self._node()
            # Positions with a forced reply are not evaluated.
            goes_on = edge.child.proof is None if known else self._look(edge.child)
        square = self._playout(edge.child) if goes_on else self._ends_at(edge.child)
        self._pop()
        self._count(node, square)
        self._add(node, edge, edge.child)
        return square

    def _ends_at(self, leaf: Node) -> float:
        square = leaf.result * leaf.result
        self._count(leaf, square)
        return square

    def _count(self, node: Node, square: float) -> None:
        node.playouts += 1
        node.squares = _single(node.squares + _single(square))

    def _add(self, node: Node, edge: Edge, child: Node) -> None:
        if edge.fate != "lost":
            before = edge.q * edge.visits
            edge.q = _single(-child.result)
            edge.visits += 1
            node.visits += 1
            node.total += edge.q * edge.visits - before
        if child.proof is not None:
            self._settle(node, edge, child.proof)

    def _settle(self, node: Node, edge: Edge, proof: tuple[str, int]) -> None:
        kind, plies = proof
        if kind == "loss":
            if node.proof is None or node.proof[0] != "win" or node.proof[1] > plies + 1:
                node.proof = "win", plies + 1
            return
        if kind == "win" and edge.fate != "lost":  # it is no part of the averages any more
            node.total -= edge.q * edge.visits
            node.visits -= edge.visits
            node.explored = max(node.explored - edge.prior, 0)
            edge.visits, edge.q = 0, -1.0
        edge.fate = "lost" if kind == "win" else "drawn"
        if node.proof is None and not node.untried:
            fates = {one.fate for one in node.edges}
            if fates == {"lost"}:
                children = [one.child for one in node.edges]
                longest = max(child.proof[1] for child in children if child and child.proof)
                node.proof = "loss", longest + 1
            elif "open" not in fates:
                node.proof = "draw", 0

    # --- positions ---

    def _push(self, move: Move) -> None:
        self._board.push(move)
        self._left -= 1

    def _pop(self) -> None:
        self._board.pop()
        self._left += 1

    def _hash(self) -> int:
        result = 0
        for move, colour in self._board.stones().items():
            result ^= _stone_key(move, colour)
        return result

    def _key(self) -> int:
        turn = _keys()[2] if self._board.turn is Colour.WHITE else 0
        return self._hash() ^ self._end ^ turn

    def _node(self) -> Node:
        return self.nodes.setdefault(self._key(), Node(self._key()))

    def _threats(self, colour: Colour, least: Threat) -> dict[Move, Threat]:
        result = self._board._core.threats(int(colour), int(least))
        return {Move.from_index(at, self._board.size): Threat(threat) for at, threat in result}

    def _forced(self) -> Threat | None:
        """What the opponent is about to make."""
        threats = set(self._threats(self._board.turn.other, Threat.OPEN_FOUR).values())
        return max(threats) if threats else None

    def _look(self, node: Node) -> bool:
        """The first visit of a position; returns whether it cannot be evaluated."""
        side, forced = self._board.turn, self._forced()
        if len(self._board.stones()) == self._board.size**2 or self._left <= 0:
            node.proof = "draw", 0
        elif Threat.FIVE in self._threats(side, Threat.FIVE).values():
            node.proof = "win", 1
        elif forced is Threat.FIVE:
            if self._moves():
                return True
            node.proof = self._without_moves()
        elif self._left >= 3 and Threat.OPEN_FOUR in self._threats(side, Threat.FOUR).values():
            node.proof = "win", 3
        elif forced is not None and not self._moves():
            node.proof = self._without_moves()
        else:
            self._evaluate(node)
        return False

    def _without_moves(self) -> tuple[str, int]:
        forced = self._forced()
        if forced is Threat.FIVE and self._left >= 2:
            return "loss", 2
        if forced is Threat.OPEN_FOUR and self._left >= 4:
            return "loss", 4
        return "draw", 0

    def _evaluate(self, node: Node) -> None:
        points = _Rng(self._hash()).below(2001) - 1000
        if self._board.turn is Colour.WHITE:
            points = -points
        node.value = node.total = _single(math.tanh(points / (2 * POINTS_PER_LOGIT)))
        node.weight = 1

    def _moves(self) -> list[Move]:
        """Those that stop a five or all open fours, or else all near the stones; legal ones."""
        board, other, forced = self._board, self._board.turn.other, self._forced()
        if forced is not None:
            stops = [set(board.defences(at, other)) for at in self._threats(other, forced)]
            common = sorted(set.intersection(*stops), key=lambda move: (move.y, move.x))
            fours = [] if forced is Threat.FIVE else list(self._threats(board.turn, Threat.FOUR))
            result = fours + [move for move in common if move not in fours]
        else:
            stones = board.stones()
            near = {
                (at.x + dx, at.y + dy)
                for at in stones
                for dy in range(-3, 4)
                for dx in _NEAR[abs(dy)]
            }
            every = [Move(x, y) for y in range(board.size) for x in range(board.size)]
            empty = [move for move in every if move not in stones]
            result = [move for move in empty if (move.x, move.y) in near]
            if not any(map(board.is_legal, result)):
                result = empty
        return [move for move in result if board.is_legal(move)]

    def _expand(self, node: Node) -> None:
        hash, side = self._hash(), self._board.turn
        moves = self._moves()
        scores = {move: _Rng(hash ^ _stone_key(move, side)).below(1000) for move in moves}
        if len(moves) < 2:
            scores = dict.fromkeys(moves, 0)
        moves.sort(key=lambda move: -scores[move])
        weights = [_weight(scores[moves[0]] - scores[move]) for move in moves]
        node.untried = [
            (move, max(weight * PRIOR_ONE // sum(weights), 1))
            for move, weight in zip(moves, weights, strict=True)
        ]
        node.expanded = True
        if not moves:
            node.proof = self._without_moves()


@cache
def _weight(below: int) -> int:
    """e to the power of what a score is below the best, in steps."""
    return math.floor(math.exp(-below / POINTS_PER_LOGIT) * (1 << 24) + 0.5)
