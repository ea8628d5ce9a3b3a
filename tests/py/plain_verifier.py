# SPDX-License-Identifier: MIT
"""An independent verifier of proofs, for tests: it uses the format of proof files and the reference
rules only. Slow; for small boards and short proofs.

A proof file is a JSON object. `nodes` holds `[move, threat, [[reply, node], ...]]`: the attacker
plays the move. Either it makes a five, or each legal reply of the defender, the pass included, is
refuted: a listed reply by its own node, any other by the node of the threat (-1: none).
"""

import re
from typing import Any

from tengen.reference import BLACK, DIRECTIONS, EMPTY, PASS, RULES, WHITE, ReferenceBoard

COLOURS = {"black": BLACK, "white": WHITE}
GOALS = ("vcf", "vct", "any")
NO_NODE = -1

Node = tuple[int, int, dict[int, int]]  # move, threat, node by reply


class Fault(Exception):
    """Why a proof does not hold."""


def verify(proof_json: dict[str, Any]) -> str | None:
    """None if the proof holds, else why not."""
    try:
        _Check(proof_json).run()
    except Fault as fault:
        return str(fault)
    return None


def _require(condition: bool, why: str) -> None:
    if not condition:
        raise Fault(why)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _index(name: object, size: int) -> int:
    """The index of a point of the board, from its name."""
    match = re.fullmatch(r"([a-z])([1-9][0-9]?)", name) if isinstance(name, str) else None
    if match is None:
        raise Fault(f"{name!r} is no point")
    x, y = ord(match[1]) - ord("a"), int(match[2]) - 1
    _require(x < size and y < size, f"{name} is off the board")
    return y * size + x


def _read_board(proof: dict[str, Any]) -> ReferenceBoard:
    size, rule = proof["size"], proof["rule"]
    _require(_is_whole(size) and 5 <= size <= 22, f"no board has size {size!r}")
    _require(rule in RULES, f"no rule is called {rule!r}")
    _require(proof["to_move"] in COLOURS, f"no colour is called {proof['to_move']!r}")
    cells = [EMPTY] * (size * size)
    for colour_name, colour in COLOURS.items():
        for name in proof[colour_name]:
            index = _index(name, size)
            _require(cells[index] == EMPTY, f"there are two stones on {name}")
            cells[index] = colour
    return ReferenceBoard.from_cells(cells, size, rule, COLOURS[proof["to_move"]])


def _read_nodes(proof: dict[str, Any], size: int) -> list[Node]:
    count = len(proof["nodes"])
    _require(count > 0, "there are no nodes")
    nodes: list[Node] = []
    for number, (move, threat, replies) in enumerate(proof["nodes"]):
        followers = [node for _, node in replies] + ([] if threat == NO_NODE else [threat])
        for node in followers:
            _require(_is_whole(node) and node < count, f"node {number}: there is no node {node!r}")
            _require(node > number, f"node {number}: {node} leads back")
        answers: dict[int, int] = {}
        for name, node in replies:
            reply = PASS if name == "pass" else _index(name, size)
            _require(reply not in answers, f"node {number}: {name} is listed twice")
            answers[reply] = node
        nodes.append((_index(move, size), threat, answers))
    return nodes


class _Check:
    """Plays one proof through on a board; raises Fault where it does not hold."""

    def __init__(self, proof: dict[str, Any]) -> None:
        header = (proof.get("format"), proof.get("version"))
        _require(header == ("tengen-proof", 1), "it is no proof of version 1")
        try:
            self.board = _read_board(proof)
            self.nodes = _read_nodes(proof, self.board.size)
            self.moves_left: int | None = proof["moves_left"]
            _require(proof["goal"] in GOALS, f"no goal is called {proof['goal']!r}")
        except (KeyError, TypeError, ValueError) as error:
            raise Fault(f"it is not built like a proof: {error!r}") from error
        if self.moves_left is not None:
            is_count = _is_whole(self.moves_left) and self.moves_left > 0
            _require(is_count, f"{self.moves_left!r} is no number of moves left")
        self.attacker = self.board.to_move
        self.defender = BLACK + WHITE - self.attacker
        self.path: list[int] = []
        self.held: set[tuple[int, bytes]] = set()

    def run(self) -> None:
        won = self.board.outcome()
        _require(won is None or won.reason != "five", "the game is over at the start")
        self.attack(0)

    def attack(self, number: int) -> None:
        """The attacker, to move, wins by this node."""
        move, threat, answers = self.nodes[number]
        position = bytes(self.board.cells)
        if (number, position) in self.held:
            return
        self.require(self.board.cells[move] == EMPTY, f"{self.name(move)} is no empty point")
        if self.makes_five(move, self.attacker):
            is_last = threat == NO_NODE and not answers
            self.require(is_last, f"{self.name(move)} is a five and has a threat or replies")
            return
        is_legal = self.is_legal(move, self.attacker)
        self.require(is_legal, f"{self.name(move)} is forbidden")
        self.play(move, self.attacker)
        self.beat_all(threat, answers)
        self.undo()
        self.held.add((number, position))

    def beat_all(self, threat: int, answers: dict[int, int]) -> None:
        """Whether every reply of the defender loses."""
        replies = [index for index, cell in enumerate(self.board.cells) if cell == EMPTY]
        self.require(bool(replies), "the board is full")
        for reply in replies:
            is_five = self.makes_five(reply, self.defender)
            self.require(not is_five, f"the reply {self.name(reply)} makes a five")
        # The limit ends the game with the reply.
        in_time = self.moves_left is None or len(self.path) + 1 < self.moves_left
        self.require(in_time, "the move limit comes first")
        for reply in [*replies, PASS]:
            self.beat(reply, answers.get(reply, threat))

    def beat(self, reply: int, answer: int) -> None:
        """The reply loses to the node `answer`, or is not legal."""
        depth = len(self.path)
        self.play(reply, self.defender)
        try:
            self.require(answer != NO_NODE, "the reply is not listed, and there is no threat")
            self.attack(answer)
        except Fault:
            while len(self.path) > depth:
                self.undo()
            if reply == PASS or self.is_legal(reply, self.defender):
                raise
        else:
            self.undo()

    def play(self, index: int, colour: int) -> None:
        if index != PASS:
            self.board.cells[index] = colour
        self.path.append(index)

    def undo(self) -> None:
        index = self.path.pop()
        if index != PASS:
            self.board.cells[index] = EMPTY

    def makes_five(self, index: int, colour: int) -> bool:
        """The reference is asked only about runs of five or more, for the sake of time: no shorter
        one wins under any rule."""
        return self.longest_run(index, colour) >= 5 and self.board.verdict(index, colour).five

    def longest_run(self, index: int, colour: int) -> int:
        """The stones of the longest run that a stone of `colour` at `index` would be in."""
        return max(
            1
            + self.stones_towards(index, dx, dy, colour)
            + self.stones_towards(index, -dx, -dy, colour)
            for dx, dy in DIRECTIONS
        )

    def stones_towards(self, index: int, dx: int, dy: int, colour: int) -> int:
        """Stones of `colour` that follow each other from the point next to `index`."""
        size, cells = self.board.size, self.board.cells
        y, x = divmod(index, size)
        count = 0
        while True:
            x, y = x + dx, y + dy
            if not (0 <= x < size and 0 <= y < size) or cells[y * size + x] != colour:
                return count
            count += 1

    def is_legal(self, index: int, colour: int) -> bool:
        return colour != BLACK or self.board.forbidden(index) is None

    def name(self, index: int) -> str:
        y, x = divmod(index, self.board.size)
        return "pass" if index == PASS else f"{chr(ord('a') + x)}{y + 1}"

    def require(self, condition: bool, why: str) -> None:
        """Raises a fault with the moves that led to it."""
        if not condition:
            raise Fault(f"after {' '.join(map(self.name, self.path)) or 'no move'}: {why}")
