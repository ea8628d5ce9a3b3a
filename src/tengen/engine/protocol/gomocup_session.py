# SPDX-License-Identifier: MIT
"""The engine's end of the Gomocup protocol, without input, output, threads or a clock.

`GomocupSession.handle` takes a line and returns actions; `search_event` takes the events of a
search. Commands that come while a search runs wait for its end and are answered in order; INFO,
STOP and END act at once. An ERROR leaves the position as it was. docs/protocol.md has all commands
and the decisions.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from tengen.engine import swap2
from tengen.engine.info import Evaluation, Info, PlayResult
from tengen.engine.protocol.actions import (
    Action,
    PrepareEvaluator,
    Quit,
    SearchFailed,
    SendLine,
    StartGame,
    StartPondering,
    StartSearch,
    StopSearch,
)
from tengen.engine.protocol.gomocup_position import GomocupPosition, StoneBlock
from tengen.engine.protocol.gomocup_settings import GomocupSettings
from tengen.engine.protocol.search_messages import SearchReporter
from tengen.engine.protocol.syntax import (
    PASS_TEXT,
    GomocupCommand,
    format_move,
    parse,
    parse_move,
    parse_number,
    parse_point,
    quoted,
)
from tengen.game.errors import BadPosition, IllegalMove, TengenError
from tengen.game.move import Move
from tengen.game.rule import MAX_SIZE, MIN_SIZE, Rule

# Commands that may wait for the end of a search: several whole boards.
_MAX_WAITING = 4096
_DEFAULT_SIZE = 15  # of boards, before START


@dataclass(slots=True)
class _Search:
    """A running search, and the position to return to if it fails."""

    before: GomocupPosition
    reporter: SearchReporter
    swap2: bool = False


class GomocupSession:
    """One engine with one manager.

    `about` returns the reply to ABOUT. `memory` is the default size of the engine's tables, in MiB;
    `cores` what `INFO thread_num 0` means; `machine` its memory, in MiB (0: unknown);
    `seed` selects the swap2 opening. `evaluation` returns what the engine evaluates with, by rule,
    size and the option `net_memory`.
    """

    def __init__(
        self,
        about: Callable[[], str],
        *,
        settings: GomocupSettings = GomocupSettings(),  # noqa: B008  # a frozen value
        memory: int = 128,
        cores: int = 1,
        machine: int = 0,
        seed: int = 0,
        evaluation: Callable[[Rule, int, int], Evaluation] | None = None,
    ) -> None:
        self.settings = settings
        self.commands: dict[str, _Handler] = dict(_COMMANDS)
        self.at_once: dict[str, _Handler] = dict(_AT_ONCE)
        self._about = about
        self._memory = memory
        self._cores = cores
        self._machine = machine
        self._seed = seed
        self._evaluation = evaluation
        self._reported: Evaluation | None = None  # the last one sent to the manager
        self._position: GomocupPosition | None = None
        self._block: StoneBlock | None = None
        self._search: _Search | None = None
        self._pondering = False
        self._waiting: deque[GomocupCommand] = deque()
        self._spent = 0  # ms of the match since the last time_left
        self._closing = False  # the input has ended

    @property
    def position(self) -> GomocupPosition | None:
        """The stones on the board; None before START."""
        return self._position

    def handle(self, line: str | GomocupCommand) -> list[Action]:
        """The actions for a line of the manager."""
        command = parse(line) if isinstance(line, str) else line
        if command is None:
            return []
        if urgent := self.at_once.get(command.verb):
            return urgent(self, command)
        if self._search is None:
            return self._execute(command)
        if len(self._waiting) >= _MAX_WAITING:
            return [SendLine("ERROR too many commands are waiting for the end of the search")]
        self._waiting.append(command)
        # The game is abandoned: end its search.
        return [StopSearch()] if command.verb in ("START", "RESTART") else []

    def search_event(self, event: Info | PlayResult | SearchFailed) -> list[Action]:
        """The actions for an event of the running search."""
        search = self._search
        if search is None:
            return []
        if isinstance(event, Info):
            remarks = self._report_evaluation(event)
            return remarks + _messages(search.reporter.line(event, self.settings.show_detail))
        self._search = None
        if isinstance(event, SearchFailed):
            self._position = search.before
            actions: list[Action] = [SendLine(f"ERROR {event.reason}")]
        else:
            actions = self._finish(search, event)
        if self._closing:
            return [*actions, Quit()]
        if not self._waiting:
            return actions + self._ponder_on(event)
        while self._waiting and self._search is None:
            actions += self._execute(self._waiting.popleft())
        return actions

    def input_closed(self) -> list[Action]:
        """The input has ended. A running search still answers."""
        self._waiting.clear()
        self._closing = True
        return [StopSearch()] if self._search else [Quit()]

    # --- commands ---

    def _execute(self, command: GomocupCommand) -> list[Action]:
        before = self._position.copy() if self._position else None
        try:
            if self._position is not None:
                self._position.use(self.settings.rule)
            if self._block is not None:
                return self._in_block(self._block, command)
            handler = self.commands.get(command.verb)
            if handler is None:
                return [SendLine(f"UNKNOWN command '{quoted(command.text)}'")]
            actions = handler(self, command)
            if command.verb == "ABOUT":
                return actions
            # `StartSearch` itself ends pondering, or continues it on the expected reply.
            stop = self._end_pondering()
            return actions if self._search is not None else [*stop, *actions]
        except TengenError as error:
            self._position = before
            return [SendLine(f"ERROR {error}")]

    def _start(self, command: GomocupCommand) -> list[Action]:
        word = command.rest.split(maxsplit=1)[0] if command.rest else ""
        size = parse_number(word)
        if size is None or not MIN_SIZE <= size <= MAX_SIZE:
            size_text = f"size '{quoted(command.rest)}'" if command.rest else "size"
            raise BadPosition(f"no board of that {size_text}: sizes are {MIN_SIZE} to {MAX_SIZE}")
        return self._begin_game(size)

    def _restart(self, command: GomocupCommand) -> list[Action]:
        return self._begin_game(self._started().board.size)

    def _begin_game(self, size: int) -> list[Action]:
        if self._position is not None:  # the time left was that of the last game
            self._spent = 0
            self.settings = self.settings.without_time_left()
        self._position = GomocupPosition(size, self.settings.rule)
        return [SendLine("OK"), StartGame(self._options(), self._position.board.copy())]

    def _rectstart(self, command: GomocupCommand) -> list[Action]:
        raise BadPosition("only square boards are played: use START")

    def _begin(self, command: GomocupCommand) -> list[Action]:
        position = self._started()
        if not position.is_empty:
            raise IllegalMove("BEGIN is for an empty board: use TURN or BOARD, or RESTART first")
        return self._think(position)

    def _turn(self, command: GomocupCommand) -> list[Action]:
        position = self._started()
        before = position.copy()
        remark = position.put(self._move(command))
        position.require_open()
        return [*_messages(remark), *self._think(position, before)]

    def _play(self, command: GomocupCommand) -> list[Action]:
        move = self._move(command)
        remark = self._started().put(move)
        return [*_messages(remark), SendLine(format_move(move))]

    def _takeback(self, command: GomocupCommand) -> list[Action]:
        self._started().take_back(self._point(command))
        return [SendLine("OK")]

    def _open_block(self, command: GomocupCommand) -> list[Action]:
        """BOARD and SWAP2BOARD: stones follow, one per line, until DONE."""
        self._block = StoneBlock(command.verb, self._position.board.size if self._position else 0)
        if command.rest:
            self._block.reject(f"{command.verb} takes its stones from the lines that follow")
        return []

    def _in_block(self, block: StoneBlock, command: GomocupCommand) -> list[Action]:
        if command.verb == "DONE":
            self._block = None
            block.check()
            return self._set_board(block) if block.verb == "BOARD" else self._swap2(block)
        if command.verb in self.commands:
            self._block = None
            error = SendLine(f"ERROR {block.verb} without DONE before {command.verb}")
            return [error, *self._execute(command)]
        block.add(command.text)
        return []

    def _done(self, command: GomocupCommand) -> list[Action]:
        raise BadPosition("DONE without BOARD or SWAP2BOARD before it")

    def _set_board(self, block: StoneBlock) -> list[Action]:
        before, size = self._started(), self._started().board.size
        position = GomocupPosition.from_owners(size, self.settings.rule, block.own, block.others)
        position.require_open()
        self._position = position
        return self._think(position, before)

    def _swap2(self, block: StoneBlock) -> list[Action]:
        before, size = self._started(), self._started().board.size
        if not block.stones:
            choice = swap2.opening(size, self._seed)
            self._position = GomocupPosition.from_order(size, self.settings.rule, choice.stones)
            return [SendLine(choice.line)]
        if len(block.stones) not in (3, 5):
            raise BadPosition(f"SWAP2BOARD with {len(block.stones)} stones: expected 0, 3 or 5")
        position = GomocupPosition.from_order(size, self.settings.rule, block.stones)
        position.require_open()
        self._position = position
        return self._think(position, before, swap2=True)

    def _report_about(self, command: GomocupCommand) -> list[Action]:
        text = self._about()
        if (evaluation := self._current_evaluation()) is not None:
            text += f', evaluation="{str(evaluation).translate(_PLAIN)}"'
        return [SendLine(text)]

    # --- commands that act at once ---

    def _info(self, command: GomocupCommand) -> list[Action]:
        before, self.settings = self.settings, self.settings.with_info(command.rest)
        is_known = self.settings is not before  # key and value are valid
        if is_known and command.rest.split()[0].lower() == "time_left":
            self._spent = 0
        after = self.settings
        same_net = (before.rule, before.max_memory) == (after.rule, after.max_memory)
        if same_net or self._position is None or self._search is not None:
            return []  # the next search loads what it needs
        board = GomocupPosition(self._position.board.size, self.settings.rule).board
        return [PrepareEvaluator(board, self._options())]

    def _stop(self, command: GomocupCommand) -> list[Action]:
        return [StopSearch()] if self._search else self._end_pondering()

    def _end(self, command: GomocupCommand) -> list[Action]:
        self._closing = True
        self._waiting.clear()
        return [Quit()]

    # --- searching ---

    def _think(
        self,
        position: GomocupPosition,
        before: GomocupPosition | None = None,
        *,
        swap2: bool = False,
    ) -> list[Action]:
        self._search = _Search(before or position.copy(), SearchReporter(), swap2)
        limit = self.settings.limit(self._spent)
        return [StartSearch(position.board.copy(), limit, self._options())]

    def _finish(self, search: _Search, played: PlayResult) -> list[Action]:
        """Put the stones that a search chose, and report them."""
        position = self._started()
        actions = self._report_evaluation(played.info)
        actions += _messages(search.reporter.last_line(played.info, self.settings.show_detail))
        self._spent += round(played.info.time * 1000) if played.info else 0
        choice = swap2.Swap2Choice((played.move,))
        if search.swap2:
            choice = swap2.choose(played, len(position.board.stones()))
        try:
            if played.move.is_pass and position.board.legal_moves():
                raise IllegalMove("the engine passed, but has legal moves")
            for move in choice.stones:
                position.put(move)
        except TengenError as error:
            self._position = search.before
            return [*actions, SendLine(f"ERROR {error}")]
        if played.move.is_pass:  # of black in renju
            remark = "every free point is forbidden: black passes"
            return [*actions, *_messages(remark), SendLine(PASS_TEXT)]
        return [*actions, SendLine(choice.line)]

    def _ponder_on(self, event: PlayResult | SearchFailed) -> list[Action]:
        """Ponder on the expected reply, if that is enabled."""
        if not self.settings.pondering or isinstance(event, SearchFailed):
            return []
        board = self._started().board.copy()
        if event.move.is_pass or board.stone_at(event.move) is None:  # not played
            return []
        if event.ponder is None or event.ponder.is_pass or not board.is_legal(event.ponder):
            return []
        board.push(event.ponder)
        if board.is_over():
            return []
        self._pondering = True
        return [StartPondering(board)]

    def _end_pondering(self) -> list[Action]:
        was, self._pondering = self._pondering, False
        return [StopSearch()] if was else []

    # --- helpers ---

    def _started(self) -> GomocupPosition:
        if self._position is None:
            raise BadPosition("there is no board yet: send START first")
        return self._position

    def _point(self, command: GomocupCommand) -> Move:
        return parse_point(command.rest, self._started().board.size)

    def _move(self, command: GomocupCommand) -> Move:
        return parse_move(command.rest, self._started().board.size)

    def _options(self) -> Mapping[str, int]:
        evaluation = self._current_evaluation()
        net = evaluation.bytes if evaluation else 0
        options = self.settings.options(self._cores, self._memory, net, machine=self._machine)
        return options | ({"net_memory": self.settings.net_memory} if evaluation else {})

    def _current_evaluation(self) -> Evaluation | None:
        """The evaluation of the next search, if it is known."""
        if self._evaluation is None:
            return None
        size = self._position.board.size if self._position else _DEFAULT_SIZE
        try:
            return self._evaluation(self.settings.rule, size, self.settings.net_memory)
        except TengenError:  # the search reports it
            return Evaluation("none", "the net cannot be used")

    def _report_evaluation(self, info: Info | None) -> list[Action]:
        """Report the evaluation of a search, if it changed."""
        evaluation = info.evaluation if info else None
        if evaluation is None or evaluation == self._reported:
            return []
        self._reported = evaluation
        return _messages(f"evaluation: {str(evaluation).translate(_PLAIN)}")


# File names may have quotes and line breaks.
_PLAIN = {ord('"'): "'"} | dict.fromkeys(range(32), " ")


def _messages(text: str | None) -> list[Action]:
    return [SendLine(f"MESSAGE {text}")] if text else []


_Handler: TypeAlias = Callable[[GomocupSession, GomocupCommand], list[Action]]
_COMMANDS: Mapping[str, _Handler] = {
    "START": GomocupSession._start,
    "RECTSTART": GomocupSession._rectstart,
    "RESTART": GomocupSession._restart,
    "BEGIN": GomocupSession._begin,
    "TURN": GomocupSession._turn,
    "BOARD": GomocupSession._open_block,
    "SWAP2BOARD": GomocupSession._open_block,
    "DONE": GomocupSession._done,
    "PLAY": GomocupSession._play,
    "TAKEBACK": GomocupSession._takeback,
    "ABOUT": GomocupSession._report_about,
}
_AT_ONCE: Mapping[str, _Handler] = {
    "INFO": GomocupSession._info,
    "STOP": GomocupSession._stop,
    "YXSTOP": GomocupSession._stop,
    "END": GomocupSession._end,
}
