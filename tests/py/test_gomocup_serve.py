# SPDX-License-Identifier: MIT
"""The adapter around the session, in this process: requests to the engine, and engines that cannot
be created, fail, or do not end.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from queue import Empty, Queue
from time import sleep

import pytest

from gomocup_fakes import ABOUT, HEARING, FakeEngine, FakeSearch
from tengen import Board
from tengen.engine import Analysis, AnyEngine, Limit
from tengen.engine.errors import BadOption, OutOfMemory
from tengen.engine.protocol.gomocup_server import GomocupServer
from tengen.engine.protocol.gomocup_session import GomocupSession
from tengen.engine.protocol.gomocup_settings import GomocupSettings

TIMEOUT = 60.0
QUIET = GomocupSettings(show_detail=0)


class Manager:
    """Holds a conversation with a server on another thread."""

    def __init__(
        self,
        make_engine: Callable[[Mapping[str, int]], AnyEngine],
        settings: GomocupSettings = QUIET,
        about: Callable[[], str] = lambda: ABOUT,
    ) -> None:
        self._to: Queue[bytes] = Queue()
        self._from: Queue[bytes] = Queue()
        self.deaths: Queue[int] = Queue()
        self.mute = threading.Event()  # set: nobody reads any more
        session = GomocupSession(about, settings=settings)
        self._server = GomocupServer(
            session, make_engine, lambda most: self._to.get(), self._hear, self.deaths.put
        )
        self.codes: Queue[int] = Queue()
        self._thread = threading.Thread(target=lambda: self.codes.put(self._server.run()))
        self._thread.start()

    def _hear(self, data: bytes) -> None:
        if self.mute.is_set():
            raise BrokenPipeError
        self._from.put(data)

    def ask(self, *lines: str) -> str:
        """Send lines; returns their single answer."""
        self.say(*lines)
        return self.hear()

    def hear(self) -> str:
        return self._from.get(timeout=TIMEOUT).decode("ascii").rstrip("\n")

    def say(self, *lines: str) -> None:
        self.write("".join(f"{line}\n" for line in lines).encode())

    def write(self, data: bytes) -> None:
        self._to.put(data)

    def close(self) -> None:
        self._to.put(b"")

    def end(self) -> int:
        code = self.codes.get(timeout=TIMEOUT)
        self._thread.join()
        return code


def test_requests_to_the_engine() -> None:
    made: list[FakeEngine] = []

    def make(options: Mapping[str, int]) -> FakeEngine:
        made.append(FakeEngine("", options))
        return made[-1]

    manager = Manager(make)
    assert manager.ask("START 15") == "OK"
    assert manager.ask("INFO thread_num 3", "INFO hash_size 65536", "BEGIN") == "7,7"
    assert manager.ask("TURN 0,0") == "7,6"
    assert manager.ask("INFO thread_num 2", "INFO pondering 1", "TURN 0,1") == "6,7"
    assert manager.ask("RESTART") == "OK"
    assert manager.ask("ABOUT") == ABOUT
    manager.say("END")
    assert manager.end() == 0
    (engine,) = made
    assert engine.closed.wait(TIMEOUT)
    requests = [what if isinstance(what, str | dict) else what[:2] for what in engine.asked]  # type: ignore[index]
    assert requests == [
        "new game",
        {"threads": 3, "memory": 64},
        ("analyse", 0),
        ("analyse", 2),
        {"threads": 2},
        ("analyse", 4),
        ("ponder", 6),
        "stop",
        "new game",
        "stop",
        "close",
    ]
    assert engine.options == {"threads": 2, "memory": 64, "level": 10}


def test_the_engine_cannot_be_created() -> None:
    tries: list[int] = []

    def make(options: Mapping[str, int]) -> FakeEngine:
        tries.append(1)
        if len(tries) < 3:
            raise BadOption("there is no room")
        return FakeEngine()

    manager = Manager(make)
    assert manager.ask("START 15") == "OK"
    assert manager.ask("TURN 7,7") == "ERROR there is no room"
    assert manager.ask("TURN 7,7") == "7,6"
    manager.say("END")
    assert manager.end() == 0


class Cramped(FakeEngine):
    """Has `room` MiB for tables and fails at `moment`: when it is created, when an option is set,
    when a search starts, or while it runs.
    """

    room = 20
    moment = "search"

    def __init__(self, options: Mapping[str, int]) -> None:
        if self.moment == "make":
            self._refuse(options["memory"])
        super().__init__("", options)

    def configure(self, **options: object) -> None:
        super().configure(**options)
        if self.moment != "search":
            self._refuse(self.memory)

    def analyse(self, board: Board, limit: Limit = Limit(), **_: object) -> Analysis:  # noqa: B008
        if self.moment == "late":
            return Analysis(LateRefusal(board, limit, self))
        self._refuse(self.memory)
        return super().analyse(board, limit)

    @property
    def memory(self) -> int:
        return int(str(self.options["memory"]))

    def _refuse(self, memory: int) -> None:
        if memory > self.room:
            raise OutOfMemory(f"there is no room for {memory} MiB")


class LateRefusal(FakeSearch):
    def __init__(self, board: Board, limit: Limit, engine: Cramped) -> None:
        super().__init__(board, limit, "")
        self._refused = engine.memory > engine.room
        self._words = f"there is no room for {engine.memory} MiB"

    @property
    def is_done(self) -> bool:
        return self._refused or super().is_done

    def error(self) -> Exception | None:
        return OutOfMemory(self._words) if self._refused else None


@pytest.mark.parametrize("moment", ["make", "configure", "search", "late"])
def test_tables_that_do_not_fit_are_halved(moment: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Cramped, "moment", moment)
    made: list[Cramped] = []

    def make(options: Mapping[str, int]) -> Cramped:
        made.append(Cramped(options))
        return made[-1]

    manager = Manager(make)
    assert manager.ask("START 15") == "OK"
    assert manager.ask("TURN 7,7") == "7,6"
    engine = made[0]
    assert engine.memory == 16
    assert manager.ask("INFO hash_size 98304", "TURN 0,0") == "6,7"
    assert engine.memory == 16
    requested = len(engine.asked)
    assert manager.ask("TURN 0,1") == "8,7"
    assert [what for what in engine.asked[requested:] if isinstance(what, dict)] == []
    monkeypatch.setattr(Cramped, "room", 1)
    assert manager.ask("RESTART") == "OK"
    assert manager.ask("TURN 7,7") == "ERROR there is no room for 4 MiB"
    monkeypatch.setattr(Cramped, "room", 1000)
    assert manager.ask("RESTART") == "OK"
    assert manager.ask("TURN 7,7") == "7,6"
    assert engine.memory == 96, "another game tries the whole again"
    manager.say("END")
    assert manager.end() == 0
    assert len(made) == 1


def test_an_engine_that_fails() -> None:
    class Failing(FakeEngine):
        def analyse(self, board: Board, limit: Limit = Limit(), **_: object) -> object:  # type: ignore[override]  # noqa: B008
            raise RuntimeError("five is right out")

    manager = Manager(lambda options: Failing())
    assert manager.ask("START 15") == "OK"
    text = "ERROR the engine failed: RuntimeError: five is right out"
    assert manager.ask("TURN 7,7") == text
    assert manager.ask("TURN 7,7") == text
    manager.say("END")
    assert manager.end() == 0


def test_an_engine_that_does_not_end() -> None:
    HEARING.clear()
    manager = Manager(lambda options: FakeEngine("deaf"), GomocupSettings(show_detail=2))
    assert manager.ask("START 15") == "OK"
    assert manager.ask("BEGIN").startswith("MESSAGE")
    manager.say("END")
    assert manager.deaths.get(timeout=TIMEOUT) == 0
    HEARING.set()
    assert manager.end() == 0


def test_commands_before_end_are_answered() -> None:
    """However long an answer takes to be found: the machine may be busy."""

    def about() -> str:
        sleep(0.2)  # longer than what a reader who does not read is granted
        return ABOUT

    manager = Manager(lambda options: FakeEngine(), about=about)
    manager.say("START 15", "ABOUT", "END")
    assert [manager.hear(), manager.hear()] == ["OK", ABOUT]
    assert manager.end() == 0
    assert manager.deaths.empty()


def test_the_last_move_after_the_end_of_the_input() -> None:
    manager = Manager(lambda options: FakeEngine("slow"), GomocupSettings(show_detail=2))
    assert manager.ask("START 15") == "OK"
    assert manager.ask("BEGIN").startswith("MESSAGE")
    manager.close()
    assert manager.hear() == "7,7"
    assert manager.end() == 0


def test_the_input_ends_while_the_engine_is_being_made() -> None:
    ended = threading.Event()

    def make(options: Mapping[str, int]) -> FakeEngine:
        ended.wait(TIMEOUT)
        sleep(0.2)  # longer than what END would grant
        return FakeEngine("slow")

    manager = Manager(make)
    manager.say("START 15", "BEGIN")
    manager.close()
    ended.set()
    assert [manager.hear(), manager.hear()] == ["OK", "7,7"]
    assert manager.end() == 0
    assert manager.deaths.empty()


def test_a_stop_that_comes_before_the_engine_is_made() -> None:
    stopped = threading.Event()

    def make(options: Mapping[str, int]) -> FakeEngine:
        stopped.wait(TIMEOUT)
        return FakeEngine("slow")

    manager = Manager(make)
    assert manager.ask("START 15") == "OK"
    manager.say("INFO timeout_turn 600000", "BEGIN", "STOP")
    manager.say("INFO foo")
    with pytest.raises(Empty):
        manager._from.get(timeout=0.05)
    stopped.set()
    assert manager.hear() == "7,7"
    manager.say("END")
    assert manager.end() == 0


def test_no_newline_at_the_end() -> None:
    manager = Manager(lambda options: FakeEngine())
    assert manager.ask("START 15") == "OK"
    manager.write(b"TURN 7,")
    manager.write(b"7")
    manager.close()
    assert manager.hear() == "7,6"
    assert manager.end() == 0


def test_closed_output_ends_the_server() -> None:
    manager = Manager(lambda options: FakeEngine())
    assert manager.ask("START 15") == "OK"
    manager.mute.set()
    manager.say("ABOUT")
    assert manager.deaths.get(timeout=TIMEOUT) == 0  # its input is still open
    manager.close()
    assert manager.end() == 0


def test_a_late_start_shortens_the_limit() -> None:
    limit = Limit(time=1.0, clock=5.0, increment=1.0, nodes=7)
    assert limit.after(0.25) == Limit(time=0.75, clock=4.75, increment=1.0, nodes=7)
    assert limit.after(100.0) == Limit(time=0.001, clock=0.0, increment=1.0, nodes=7)
    assert Limit(depth=3).after(100.0) == Limit(depth=3)
