# SPDX-License-Identifier: MIT
"""Dialogues between a manager and an engine: reads the files of tests/dialogues and runs them with
a session whose searches the dialogue controls. README.md there describes the notation.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from gomocup_fakes import ABOUT, info_of, played_of
from tengen import Colour, Move
from tengen.engine import Info, PlayResult, Score
from tengen.engine.protocol.actions import (
    Action,
    Quit,
    SearchFailed,
    SendLine,
    StartGame,
    StartPondering,
    StopSearch,
)
from tengen.engine.protocol.actions import StartSearch as ThinkAction
from tengen.engine.protocol.gomocup_session import GomocupSession

FOLDER = Path(__file__).parents[1] / "dialogues"
REMARKS = ("MESSAGE", "DEBUG")


@dataclass(frozen=True)
class Dialogue:
    """Lines with their signs. `pipes`: any engine must be able to hold it, as a process too."""

    file: str
    line: int
    title: str
    pipes: bool
    lines: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.title}"


def read_dialogues(path: Path) -> Iterator[Dialogue]:
    title, start, pipes = "", 0, False
    lines: list[tuple[str, str]] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if line.startswith("== "):
            if lines:
                yield Dialogue(path.name, start, title, pipes, tuple(lines))
            title, start, lines = line[3:].strip(), number, []
            pipes = title.endswith("[pipes]")
        elif line[:2].rstrip() in (">", "<", "~", "?"):
            assert title, f"{path.name}:{number}: a line before any title"
            lines.append((line[0], line[2:]))
        else:
            assert not line.strip() or line.startswith("#"), f"{path.name}:{number}: {line!r}"
    yield Dialogue(path.name, start, title, pipes, tuple(lines))


def all_dialogues() -> list[Dialogue]:
    return [d for path in sorted(FOLDER.glob("*.txt")) for d in read_dialogues(path)]


_WORDS = {
    "{about}": r'name="[^"]+", version="[^"]+", author="[^"]+".*',
    "{error}": r"ERROR \S.*",
    "{unknown}": r"UNKNOWN \S.*",
    "{message}": r"MESSAGE \S.*",
}


class Points:
    """The stones of a dialogue so far, to check moves of the engine."""

    def __init__(self) -> None:
        self.size = 0
        self._taken: set[tuple[int, int]] = set()
        self._before: set[tuple[int, int]] = set()

    def said(self, line: str) -> None:
        """The manager sent a line."""
        verb, *rest = line.upper().split() or [""]
        if verb not in ("DONE", "INFO") and not verb[:1].isdigit():
            self._before = set(self._taken)
        if verb == "START" and rest and rest[0].lstrip("+").isdecimal():
            self.size = int(rest[0])
        if verb in ("START", "RESTART", "BOARD", "SWAP2BOARD"):
            self._taken.clear()
        points = {(int(x), int(y)) for x, y in re.findall(r"(\d+) *, *(\d+)", line, re.ASCII)}
        if verb == "TAKEBACK":
            self._taken -= points
        elif verb in ("TURN", "PLAY") or verb[:1].isdigit():
            self._taken |= points

    def refused(self) -> None:
        """The engine rejected the command."""
        self._taken = set(self._before)

    def check(self, text: str, count: int) -> None:
        """The engine answered with this many moves."""
        result = re.fullmatch(r"\d+,\d+(?: \d+,\d+)*", text)
        assert result, f"no move: {text!r}"
        points = [(int(x), int(y)) for x, y in (p.split(",") for p in text.split())]
        assert len(points) == len(set(points)) == count
        for x, y in points:
            assert x < self.size, text
            assert y < self.size, text
            assert (x, y) not in self._taken, f"{text} is occupied"
            self._taken.add((x, y))


def matches(expected: str, reply: str, points: Points) -> None:
    """Assert that a reply is what a dialogue expects."""
    if reply.startswith(("ERROR", "UNKNOWN")):
        points.refused()
    if expected in ("{move}", "{moves 2}", "{moves 3}"):
        points.check(reply, 1 if expected == "{move}" else int(expected[7]))
    elif expected.startswith("/"):
        assert re.fullmatch(expected.strip("/"), reply), f"{reply!r} is not {expected}"
    elif expected in _WORDS:
        assert re.fullmatch(_WORDS[expected], reply), f"{reply!r} is no {expected}"
    else:
        assert reply == expected


@dataclass
class Actor:
    """Plays a dialogue with a session. Unless the dialogue holds them, searches end at once with
    the point nearest to the centre.
    """

    session: GomocupSession = field(
        default_factory=lambda: GomocupSession(lambda: ABOUT, cores=8, seed=1)
    )
    points: Points = field(default_factory=Points)
    replies: deque[str] = field(default_factory=deque)
    did: list[Action] = field(default_factory=list)  # since the last line of the manager
    thinking: ThinkAction | None = None
    last: ThinkAction | None = None
    hold: bool = False
    score: Score = field(default_factory=lambda: Score(20))
    found: Info | None = None

    def act(self, dialogue: Dialogue) -> None:
        signs: dict[str, Callable[[str], None]] = {
            ">": self._say,
            "<": self._hear,
            "~": self._direct,
            "?": self._check,
        }
        for number, (sign, message) in enumerate(dialogue.lines, start=1):
            try:
                signs[sign](message)
            except BaseException as error:
                error.add_note(f"in {dialogue}, line {number}: {sign} {message}")
                raise
        self._silence()

    def _say(self, line: str) -> None:
        self._silence()
        self.did.clear()
        self.points.said(line)
        self.do(self.session.handle(line))

    def _hear(self, expected: str) -> None:
        while self.replies and self.replies[0].startswith(REMARKS):
            if expected.startswith(("MESSAGE", "/MESSAGE", "{message}")):
                break
            self.replies.popleft()
        assert self.replies, f"no reply where {expected!r} was expected"
        matches(expected, self.replies.popleft(), self.points)

    def _silence(self) -> None:
        left = [line for line in self.replies if not line.startswith(REMARKS)]
        assert not left, f"unexpected replies: {left}"
        self.replies.clear()

    def do(self, actions: list[Action]) -> None:
        for action in actions:
            self.did.append(action)
            if isinstance(action, SendLine):
                assert "\n" not in action.line
                self.replies.append(action.line)
            elif isinstance(action, ThinkAction):
                assert self.thinking is None, "two searches at once"
                self.thinking = self.last = action
        if self.thinking is not None and not self.hold:
            self._info("3 0.01")
            self._done("")

    # --- what dialogues direct ---

    def _direct(self, words: str) -> None:
        what, _, rest = words.partition(" ")
        getattr(self, f"_{what}")(rest)

    def _hold(self, rest: str) -> None:
        self.hold = True

    def _value(self, rest: str) -> None:
        """The score of searches from now on, for white: points, or +M9."""
        mate = int(rest.replace("M", "")) if "M" in rest else None
        self.score = Score(0, mate) if mate else Score(int(rest))

    def _info(self, rest: str) -> None:
        """The search sends an info: depth, seconds."""
        depth, seconds = rest.split()
        assert self.thinking
        board = self.thinking.board
        score = self.score if board.turn is Colour.WHITE else -self.score
        self.found = info_of(board, score, int(depth), float(seconds))
        for action in self.session.search_event(self.found):
            assert isinstance(action, SendLine)
            self.replies.append(action.line)

    def _done(self, rest: str) -> None:
        """The search ends, with this move if there is one."""
        assert self.thinking, "no search runs"
        board, result = self.thinking.board, self.found
        self.thinking = self.found = None
        played = PlayResult(Move(rest)) if rest else played_of(board, result)
        self.do(self.session.search_event(played))

    def _fail(self, rest: str) -> None:
        self.thinking = None
        self.do(self.session.search_event(SearchFailed(rest)))

    def _close(self, rest: str) -> None:
        self.do(self.session.input_closed())

    # --- what dialogues check ---

    def _check(self, words: str) -> None:
        what, _, rest = words.partition(" ")
        getattr(self, f"_is_{what}")(rest)

    def _is_thinking(self, rest: str) -> None:
        assert (self.thinking is not None) == (rest != "no")
        assert (self.session._search is not None) == (rest != "no")

    def _is_limit(self, rest: str) -> None:
        """The limit of the last search, as `time=4.88 nodes=7`; others are not set."""
        assert self.last, "no search was started"
        expected = dict(part.split("=") for part in rest.split())
        limit = self.last.limit
        result = {name: getattr(limit, name) for name in ("time", "clock", "nodes", "depth")}
        result["increment"] = limit.increment or None
        assert {k: f"{v:g}" for k, v in result.items() if v is not None} == expected

    def _is_options(self, rest: str) -> None:
        assert self.last, "no search was started"
        result = self.last.options
        expected = dict(part.split("=") for part in rest.split())
        assert {name: str(result[name]) for name in expected} == expected

    def _is_board(self, rest: str) -> None:
        """The board: rule, number of stones, side to move."""
        assert self.session.position is not None
        board = self.session.position.board
        assert f"{board.rule} {len(board.stones())} {board.turn}" == rest

    def _is_stones(self, rest: str) -> None:
        """The points that are taken, black's before white's."""
        assert self.session.position is not None
        stones = self.session.position.board.stones()
        result = [" ".join(m.gomocup for m, c in stones.items() if c is side) for side in Colour]
        assert " | ".join(result).strip() == rest

    def _is_quit(self, rest: str) -> None:
        assert any(isinstance(action, Quit) for action in self.did) == (rest != "no")

    def _is_halted(self, rest: str) -> None:
        assert any(isinstance(action, StopSearch) for action in self.did) == (rest != "no")

    def _is_newgame(self, rest: str) -> None:
        assert any(isinstance(action, StartGame) for action in self.did) == (rest != "no")

    def _is_pondering(self, rest: str) -> None:
        """The last move of the board that is pondered, or `no`."""
        result = [action for action in self.did if isinstance(action, StartPondering)]
        assert (result[-1].board.peek().gomocup if result else "no") == rest
