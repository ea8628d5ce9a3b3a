# SPDX-License-Identifier: MIT
"""Engines in other processes: Tengen through `Engine.popen`, and faulty programs. Every fault is a
typed error, and no process is left.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from gomocup_peer import NATIVE, REAL
from tengen import Board, Move
from tengen.engine import (
    AnyEngine,
    BadOption,
    Engine,
    EngineBusy,
    EngineClosed,
    EngineDied,
    Limit,
    NotPondering,
)
from tengen.engine.errors import EngineRefused
from tengen.engine.process import ProcessEngine
from tengen.game.errors import GameOver, IllegalMove

HERE = Path(__file__).parent
QUICK = Limit(time=0.02)
ENDLESS = Limit(time=600)


def nasty(fault: str, timeout: float = 20.0) -> ProcessEngine:
    command: list[str | Path] = [sys.executable, HERE / "faulty_engine.py", fault]
    return Engine.popen(command, timeout=timeout)


def is_gone(pid: int) -> bool:
    """Whether a process has ended; it may still be on the list of its parent."""
    try:
        return " Z " in Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return True


def eventually_gone(pid: int) -> bool:
    """The same, waiting: a process that was killed needs a moment to end."""
    for _ in range(2000):
        if is_gone(pid):
            return True
        time.sleep(0.01)
    return False


def after(moves: str) -> Board:
    board = Board()
    for move in moves.split():
        board.push(move)
    return board


# --- engines that behave ---


@pytest.mark.parametrize("command", [NATIVE, REAL], ids=["native", "python"])
def test_a_game(command: list[str]) -> None:
    with Engine.popen(command) as engine:
        assert isinstance(engine, AnyEngine)
        assert re.fullmatch(r"Tengen .+", engine.name)
        board = Board(15, "renju")
        for reply in ("0,0", "14,14", "0,14", "14,0"):
            played = engine.play(board, Limit(time=0.05, nodes=2000))
            assert played.info is not None
            board.push(played.move)
            board.push(reply)
        board = Board(9)
        engine.new_game()
        board.push(engine.play(board, QUICK).move)
        pid = engine.pid
    assert is_gone(pid)


def test_both_engines_play_each_other() -> None:
    """Any position of a game reaches the other process as it is."""
    with Engine.popen(NATIVE) as first, Engine.popen(NATIVE) as second:
        board = Board(7, "standard")
        while not board.is_over() and board.ply < 30:
            board.push((first, second)[board.ply % 2].play(board, QUICK).move)
        assert board.ply >= 9


def test_an_analysis() -> None:
    with Engine.popen(NATIVE) as engine:
        analysis = engine.analyse(after("h8"))
        info = next(info for info in analysis._search.infos() if info.depth >= 2)
        assert after("h8").is_legal(info.pv[0])
        with pytest.raises(EngineBusy):
            engine.play(Board(), QUICK)
        with pytest.raises(EngineBusy):
            engine.configure(threads=2)
        analysis.stop()
        assert after("h8").is_legal(analysis.wait().move)
        played = analysis.played
        assert played.info is not None
        assert played.ponder == next(iter(played.info.pv[1:]), None)  # a line may have one move
        assert after("h8").is_legal(engine.play(after("h8"), QUICK).move)


def test_leaving_an_analysis_ends_it() -> None:
    with Engine.popen(NATIVE) as engine:
        for _ in engine.analyse(after("h8"), ENDLESS):
            break
        with engine.analyse(after("h8 i8")):
            pass
        assert after("h8").is_legal(engine.play(after("h8"), QUICK).move)


def test_stop_from_another_thread() -> None:
    with Engine.popen(NATIVE) as engine:
        engine.stop()  # nothing to stop
        timer = threading.Timer(0.2, engine.stop)
        timer.start()
        assert after("h8").is_legal(engine.play(after("h8"), Limit()).move)
        timer.join()


def test_stop_before_the_start() -> None:
    with Engine.popen(NATIVE) as engine:
        analysis = engine.analyse(Board(11))  # START has not been answered
        analysis.stop()
        assert Board(11).is_legal(analysis.wait().move)


def test_options() -> None:
    with Engine.popen(NATIVE, options={"threads": 2}) as engine:
        engine.configure(memory=350, ponder=True, show_detail=0, folder="/tmp/x y")
        assert engine.options["memory"] == 350
        session = engine._session
        assert session.options["max_memory"] == str(350 << 20)
        assert session.options["thread_num"] == "2"
        assert session.options["pondering"] == "1"
        assert engine.play(after("h8"), QUICK, ponder=False).info is None
        assert session.options["pondering"] == "0"


@pytest.mark.parametrize(
    "options",
    [
        {"rule": 1},
        {"timeout_turn": 5},
        {"Bad Key": 1},
        {"folder": "two\nlines"},
        {"folder": None},
        {"threads": "many"},
        {"x": 1.5},
    ],
)
def test_bad_options(options: dict[str, object]) -> None:
    with pytest.raises(BadOption):
        Engine.popen(NATIVE, options=options)


def test_what_the_protocol_cannot_do() -> None:
    with Engine.popen(NATIVE) as engine:
        with pytest.raises(BadOption):
            engine.analyse(Board(), multipv=2)
        with pytest.raises(BadOption):
            engine.analyse(Board(), moves=["h8"])
        with pytest.raises(NotPondering):
            engine.ponder_hit(QUICK)
        with pytest.raises(TypeError):
            engine.play(Board(), 5)  # type: ignore[arg-type]
        with pytest.raises(GameOver):
            engine.play(after("h8 a1 h9 a3 h10 a5 h11 a7 h12"), QUICK)
        engine.ponder(after("h8"))
        assert after("h8").is_legal(engine.ponder_hit(QUICK).move)


def test_commands() -> None:
    for command in (" ".join(NATIVE), NATIVE, tuple(NATIVE)):
        with Engine.popen(command) as engine:
            assert engine.name.startswith("Tengen")


def test_environment_and_folder(tmp_path: Path) -> None:
    script = tmp_path / "an engine.py"
    script.write_text(
        f"#!{sys.executable}\nimport os\ninput()\n"
        'print(f\'name="{os.environ["WHO"]}", version="{os.path.basename(os.getcwd())}"\')\n'
    )
    script.chmod(0o755)
    (tmp_path / "here").mkdir()
    for command in (str(script), script):
        with Engine.popen(command, env={"WHO": "me"}, cwd=tmp_path / "here") as engine:
            assert engine.name == "me here"


# --- programs that do not ---


@pytest.mark.parametrize("command", ["/no/such/program", "", [], "no-such-program-anywhere -x"])
def test_no_program(command: str | list[str]) -> None:
    with pytest.raises(EngineDied, match="cannot be started"):
        Engine.popen(command)


def test_a_program_that_is_no_engine() -> None:
    with pytest.raises(EngineDied, match="exit code 7"):
        nasty("dies at once")


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("crash", "exit code 3; its last lines: .*out of luck"),
        ("abort", f"signal {signal.SIGABRT:d}"),
        ("hang", "does not answer"),
        ("deaf", "does not answer"),
        ("closes output", "closed its output"),
        ("closes both", "closed its output"),
    ],
)
def test_an_engine_that_dies(fault: str, message: str) -> None:
    engine = nasty(fault)
    if message == "does not answer":
        engine._timeout = 1.0
    with pytest.raises(EngineDied, match=message) as caught:
        engine.play(after("a1"), QUICK)
    assert str(caught.value).startswith("Nasty 0.1: ")
    assert is_gone(engine.pid)
    with pytest.raises(EngineDied, match="cannot search"):
        engine.play(after("a1"), QUICK)
    engine.close()
    engine.close()
    with pytest.raises(EngineClosed):
        engine.play(after("a1"), QUICK)


@pytest.mark.parametrize("fault", ["illegal", "off", "odd"])
def test_illegal_moves(fault: str) -> None:
    with nasty(fault) as engine:
        for _ in range(2):
            with pytest.raises(IllegalMove, match=r"Nasty 0\.1 answered"):
                engine.play(after("a1"), QUICK)


@pytest.mark.parametrize(
    "fault",
    ["nameless", "flood", "long line", "bytes", "complains", "no restart", "stays", "has a child"],
)
def test_harmless_faults(fault: str) -> None:
    with nasty(fault) as engine:
        assert engine.name.startswith("python" if fault == "nameless" else "Nasty 0.1")
        for moves in ("a1", "c1 d1 e1", "a1"):
            assert engine.play(after(moves), QUICK).move == Move(1, 1)
        pid = engine.pid
    assert is_gone(pid)


def test_an_engine_that_suggests() -> None:
    with nasty("suggests") as engine:
        assert engine.play(after("a1"), QUICK).move == Move(3, 3)


def test_an_engine_without_about() -> None:
    with nasty("no about", timeout=0.5) as engine:
        assert engine.name.startswith("python")
        assert engine.play(after("a1"), QUICK).move == Move(1, 1)


@pytest.mark.parametrize(("fault", "message"), [("no start", "START 15"), ("refuses", "like it")])
def test_an_engine_that_rejects_commands(fault: str, message: str) -> None:
    with nasty(fault) as engine:
        for _ in range(2):
            with pytest.raises(EngineRefused, match=message):
                engine.play(after("a1"), QUICK)


def test_flooding_takes_little_memory() -> None:
    with nasty("flood") as engine:
        assert engine.play(after("a1"), QUICK).move  # it comes last, and is not lost
        assert len(engine._pipes._lines) < 10_000
        assert len(engine._pipes.tail) < 100


def test_endless_messages_are_no_answer() -> None:
    with nasty("endless flood", timeout=1.0) as engine, pytest.raises(EngineDied, match="answer"):
        engine.play(after("a1"), QUICK)
    assert is_gone(engine.pid)


def test_no_child_is_left_behind() -> None:
    engine = nasty("has a child")
    engine.play(after("a1"), QUICK)
    (child,) = re.findall(r"child (\d+)", " ".join(engine._pipes.tail))
    assert not is_gone(int(child))
    engine.close()
    assert is_gone(engine.pid)
    assert eventually_gone(int(child))


def test_a_killed_engine() -> None:
    engine = Engine.popen(NATIVE)
    analysis = engine.analyse(after("h8"))
    next(analysis)
    os.kill(engine.pid, signal.SIGKILL)
    with pytest.raises(EngineDied, match="signal 9"):
        list(analysis)
    with pytest.raises(EngineDied, match="signal 9"):
        analysis.wait()
    engine.close()


def test_closing_in_the_middle_of_a_search() -> None:
    engine = Engine.popen(NATIVE)
    analysis = engine.analyse(after("h8"))
    next(analysis)
    engine.close()
    assert is_gone(engine.pid)
    assert list(analysis) == []
    with pytest.raises(EngineClosed):
        analysis.wait()
    for use in (
        engine.new_game,
        lambda: engine.configure(threads=1),
        lambda: engine.ponder(Board()),
    ):
        with pytest.raises(EngineClosed):
            use()
    engine.stop()


def test_many_engines_leave_nothing_open() -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(5):
        with nasty("") as engine:
            engine.play(after("a1"), QUICK)
        with pytest.raises(EngineDied):
            nasty("crash").play(after("a1"), QUICK)
    assert len(list(Path("/proc/self/fd").iterdir())) <= before
