# SPDX-License-Identifier: MIT
"""Reports of the evaluation to a manager: ABOUT, a MESSAGE on changes, memory for the net, and a
START that does not wait for it.
"""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from subprocess import PIPE

import pytest

from gomocup_fakes import ABOUT, info_of, played_of
from tengen import Board, Limit, Rule
from tengen.engine import Evaluation, Info, Score
from tengen.engine.errors import BadNet
from tengen.engine.protocol.actions import PrepareEvaluator, SendLine, StartGame, StartSearch
from tengen.engine.protocol.gomocup_session import GomocupSession
from tengen.engine.protocol.gomocup_settings import GomocupSettings

LIVELY = Path(__file__).parents[1] / "golden" / "mixnet" / "lively.net"
MEBIBYTE = 1 << 20
LARGE = Evaluation("mixnet-m", "net m1", 97 * MEBIBYTE)
SMALL = Evaluation("mixnet-s", "net s1; m1: 97 MiB of memory needed, 60 allowed", 49 * MEBIBYTE)
NONE = Evaluation("classical", 'no "net" comes\nwith the package')


def evaluation(rule: Rule, size: int, net_memory: int) -> Evaluation:
    if rule is Rule.CARO:
        raise BadNet("the registry is damaged")
    if rule is not Rule.FREESTYLE:
        return NONE
    return SMALL if 0 < net_memory < 97 else LARGE


def new_session(**settings: int) -> GomocupSession:
    reported = replace(GomocupSettings(timeout_turn=60_000), **settings)  # type: ignore[arg-type]
    return GomocupSession(lambda: ABOUT, settings=reported, evaluation=evaluation)


def test_about_reports_the_evaluation() -> None:
    session = new_session()
    reported = f'{ABOUT}, evaluation="mixnet-m (net m1)"'
    assert session.handle("ABOUT") == [SendLine(reported)]
    session.handle("INFO rule 4")
    plain = "classical (no 'net' comes with the package)"
    assert session.handle("ABOUT") == [SendLine(f'{ABOUT}, evaluation="{plain}"')]
    session.handle("INFO rule 9")
    assert session.handle("ABOUT") == [
        SendLine(f'{ABOUT}, evaluation="none (the net cannot be used)"')
    ]
    assert GomocupSession(lambda: ABOUT).handle("ABOUT") == [SendLine(ABOUT)]


def test_a_message_when_it_changes() -> None:
    session = new_session(show_detail=0)
    session.handle("START 15")
    messages = []
    for result in (NONE, NONE, LARGE, LARGE, None, LARGE, NONE):
        (think,) = session.handle("BEGIN")
        assert isinstance(think, StartSearch)
        info = replace(info_of(think.board, Score(1)), evaluation=result)
        messages.append(
            [*session.search_event(info), *session.search_event(played_of(Board(), info))]
        )
        session.handle("RESTART")
    move = SendLine("7,7")
    none = SendLine("MESSAGE evaluation: classical (no 'net' comes with the package)")
    large = SendLine("MESSAGE evaluation: mixnet-m (net m1)")
    assert messages == [[none, move], [move], [large, move], [move], [move], [move], [none, move]]


def test_the_net_has_its_share_of_the_memory() -> None:
    def options(mebibytes: int) -> dict[str, int]:
        session = new_session(max_memory=mebibytes * MEBIBYTE)
        _, game = session.handle("START 15")
        assert isinstance(game, StartGame)
        return dict(game.options)

    assert options(0) == {"level": 10, "threads": 1, "memory": 128, "net_memory": 0}
    # 64 MiB for the process, 16 at least for the tables; they get three quarters of what is left.
    assert options(350) == {
        "level": 10,
        "threads": 1,
        "memory": (350 - 64 - 97) * 3 // 4,
        "net_memory": 270,
    }
    assert options(177) == {"level": 10, "threads": 1, "memory": 12, "net_memory": 97}
    assert options(176) == {
        "level": 10,
        "threads": 1,
        "memory": (112 - 49) * 3 // 4,
        "net_memory": 96,
    }
    assert options(10) == {"level": 10, "threads": 1, "memory": 4, "net_memory": 1}


def test_nets_are_loaded_before_they_are_needed() -> None:
    session = new_session()
    assert session.handle("INFO rule 4") == []
    _, game = session.handle("START 9")
    assert isinstance(game, StartGame)
    assert game.board == Board(9, "renju")
    for line in ("INFO time_left 1000", "INFO rule 4", "INFO rule 77"):
        assert session.handle(line) == []
    (prepare,) = session.handle("INFO rule 0")
    assert isinstance(prepare, PrepareEvaluator)
    assert prepare.board == Board(9)
    (prepare,) = session.handle(f"INFO max_memory {150 * MEBIBYTE}")
    assert isinstance(prepare, PrepareEvaluator)
    assert prepare.options["net_memory"] == 70
    session.handle("BEGIN")
    assert session.handle("INFO rule 1") == []  # the search continues; the next one will wait


@pytest.fixture
def program() -> list[str]:
    return [sys.executable, "-m", "tengen", "gomocup", "--net", str(LIVELY), "--memory", "8"]


def talk(program: list[str], *lines: str) -> list[str]:
    """The output for these lines, up to the answer to the last one; the input stays open."""
    output = []
    with subprocess.Popen(program, stdin=PIPE, stdout=PIPE, stderr=PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("".join(f"{line}\n" for line in lines))
        process.stdin.flush()
        for line in process.stdout:
            output.append(line.rstrip())
            if output[-1][0].isdigit() or output[-1].startswith("ERROR"):
                break
        _, faults = process.communicate("END\n", timeout=60)
    assert (process.returncode, faults) == (0, "")
    return output


def test_a_whole_dialogue(program: list[str]) -> None:
    output = talk(
        program, "ABOUT", "INFO timeout_turn 10000", "INFO max_depth 2", "START 15", "BEGIN"
    )
    assert output[0].endswith(', evaluation="mixnet (net lively)"')
    assert output[1:3] == ["OK", "MESSAGE evaluation: mixnet (net lively)"]
    assert output[-1] == "7,7"


def test_too_little_memory_is_reported(program: list[str]) -> None:
    limit = f"INFO max_memory {100 * MEBIBYTE}"
    output = talk(program, limit, "INFO timeout_turn 1000", "INFO max_depth 2", "START 15", "BEGIN")
    why = "lively: 49 MiB of memory needed, 20 allowed"
    assert f"MESSAGE evaluation: classical ({why})" in output


def test_a_net_for_another_rule_is_an_error(program: list[str]) -> None:
    output = talk(program, "START 15", "INFO rule 4", "BEGIN")
    assert output[0] == "OK"
    assert output[1].startswith("ERROR ")
    assert "this net is not for renju 15x15" in output[1]


def test_no_move_is_late_for_a_net_that_is_not_ready(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The search of the server in this process, with a net that takes its time."""
    from tengen import Engine
    from tengen.engine import native_net
    from tengen.engine.native_net import read_net
    from tengen.engine.protocol.engine_thread import EngineThread, Event
    from test_engine_evaluation import SlowLoad, started

    load = SlowLoad(read_net(LIVELY))
    monkeypatch.setattr(native_net, "load_net", lambda path: load)
    reported: list[Event] = []
    done = threading.Semaphore(0)

    def report(event: Event) -> None:
        reported.append(event)
        done.release()

    worker = EngineThread(lambda options: Engine(net=str(LIVELY), memory=options["memory"]), report)
    options = {"memory": 8}
    worker.new_game(options, Board())
    for ready in (False, True):
        if ready:
            load.finish()
        start = time.monotonic()
        worker.think(StartSearch(started(), Limit(time=0.3), options), start)
        while not reported or not hasattr(reported[-1], "move"):
            assert done.acquire(timeout=30)
        infos = [event for event in reported if isinstance(event, Info)]
        names = {info.evaluation.name for info in infos if info.evaluation is not None}
        assert names == ({"mixnet"} if ready else {"classical"})
        reported.clear()
    assert worker.close(10)
