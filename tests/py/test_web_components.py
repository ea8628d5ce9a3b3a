# SPDX-License-Identifier: MIT
"""Parts of the server: engine pool, store, rate limiter, problems, generated types."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import sqlite3
import threading
from pathlib import Path
from types import ModuleType

import pytest

from tengen.engine import Engine
from tengen.solver import Proof, solve
from tengen.web.engine_pool import EngineLane, JobHandle
from tengen.web.limits import RequestError, ServerLimits, TokenBucket
from tengen.web.problems import Problems, check_attempt
from tengen.web.store import Store, data_folder

ROOT = Path(__file__).parents[2]
ONE = ServerLimits(engines=1, memory=8, session_jobs=3, queue=4)


def _lane(limits: ServerLimits = ONE) -> EngineLane:
    return EngineLane("test", limits, lambda: Engine(memory=8))


def test_sessions_take_turns() -> None:
    order: list[str] = []

    async def run() -> None:
        lane, go = _lane(), threading.Event()

        def job(name: str) -> object:
            def work(engine: Engine, handle: JobHandle) -> None:
                go.wait(10)
                order.append(name)

            return lane.submit(name[0], JobHandle(lane), work)

        jobs = [job(name) for name in ("a1", "a2", "a3", "b1", "b2")]
        go.set()
        await asyncio.gather(*jobs)  # type: ignore[call-overload]
        await lane.close()

    asyncio.run(run())
    assert order == ["a1", "a2", "b1", "a3", "b2"]


def test_the_queue_is_bounded() -> None:
    async def run() -> None:
        lane, go = _lane(), threading.Event()

        def work(engine: Engine, handle: JobHandle) -> None:
            go.wait(10)

        jobs = [lane.submit("a", JobHandle(lane), work) for _ in range(3)]
        with pytest.raises(RequestError, match="too many requests"):
            lane.submit("a", JobHandle(lane), work)
        jobs += [lane.submit(who, JobHandle(lane), work) for who in "bc"]
        with pytest.raises(RequestError, match="busy"):
            lane.submit("d", JobHandle(lane), work)
        go.set()
        await asyncio.gather(*jobs)
        assert lane.waiting == 0
        await lane.close()

    asyncio.run(run())


def test_a_failing_job_does_not_affect_others() -> None:
    async def run() -> None:
        lane = _lane()

        def fails(engine: Engine, handle: JobHandle) -> None:
            raise ValueError("broken")

        def works(engine: Engine, handle: JobHandle) -> str:
            return "done"

        first, second = (
            lane.submit("a", JobHandle(lane), fails),
            lane.submit("a", JobHandle(lane), works),
        )
        with pytest.raises(ValueError, match="broken"):
            await first
        assert await second == "done"
        await lane.close()

    asyncio.run(run())


def test_a_bucket_fills_with_time() -> None:
    now = [0.0]
    bucket = TokenBucket(2.0, 3.0, lambda: now[0])
    assert [bucket.try_take() for _ in range(4)] == [True, True, True, False]
    now[0] = 0.5
    assert bucket.try_take()
    assert not bucket.try_take()
    assert bucket.take() == pytest.approx(0.5)


def test_the_store_saves_and_deletes(tmp_path: Path) -> None:
    limits = ServerLimits(sessions=2, games=2)
    path = tmp_path / "deep" / "games.sqlite"
    store = Store(path, limits)
    for session in ("one", "two"):
        store.add_session(session)
    for number in range(3):
        store.save_game("one", f"g{number}", str(number))
    store.save_study("one", "text")
    store.record_attempt("one", "p", wrong=1)
    store.record_attempt("one", "p", done=True)
    store.close()
    store = Store(path, limits)
    assert [row.game for row in store.games("one")] == ["g2", "g1"]
    assert store.games("two") == []
    assert store.study("one") == "text"
    assert store.solved("one") == {"p"}
    assert store.knows("two")
    assert not store.knows("three")
    store.add_session("three")  # `one` was not seen for the longest time
    assert not store.knows("one")
    assert store.games("one") == []
    assert b"three" not in path.read_bytes()  # sessions are secrets
    store.close()


def test_a_store_that_cannot_be_written_is_in_memory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    broken = tmp_path / "broken.sqlite"
    broken.write_bytes(b"this is no database" * 100)
    newer = tmp_path / "newer.sqlite"
    with sqlite3.connect(newer) as base:
        base.execute("PRAGMA user_version = 99")
    base.close()
    for path in (tmp_path / "file" / "games.sqlite", broken, newer):
        store = Store(path, ServerLimits())
        assert "not saved" in store.note
        store.add_session("one")
        assert store.knows("one")
        store.close()
    assert broken.read_bytes().startswith(b"this is no database")


def test_the_data_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TENGEN_DATA", str(tmp_path))
    assert data_folder() == tmp_path
    monkeypatch.setenv("TENGEN_DATA", "off")
    assert data_folder() is None
    monkeypatch.delenv("TENGEN_DATA")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert data_folder() == tmp_path / "tengen"


def test_bundled_problems() -> None:
    """Each rule has some; of a sample the win is there, by the move that the file names."""
    text = (ROOT / "src/tengen/web/data/problems.json").read_text(encoding="utf-8")
    entries = json.loads(text)["problems"]
    assert len(entries) >= 200
    assert {entry["rule"] for entry in entries} == {
        "freestyle",
        "standard",
        "renju",
        "caro",
        "caro6",
    }
    problems = Problems.bundled()
    for entry in entries[:: len(entries) // 12]:
        problem = problems.get(entry["name"])
        result = solve(problem.board(), problem.goal, time=20)
        assert isinstance(result, Proof)
        assert result.move.name == entry["first"]
        assert result.verify()
        assert check_attempt(problem, [entry["first"]]).verdict in ("right", "solved")


def _script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_types_of_the_page_are_current(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "scripts")
    script = _script("web_types")
    text = script.generate()
    assert script.FILE.read_text(encoding="utf-8") == text
    assert "  lines?: number;" in text  # a default may be left out in a request
    assert "  accuracy_black: number | null;" in text  # and is always sent in an event
    assert 'you: "black" | "white" | "random" | "swap2" | "swap2_you" | "both";' in text


def test_the_page_refers_to_no_other_host() -> None:
    """The bundled files have no address of another host, except names of XML and of the licence."""
    for path in (ROOT / "src/tengen/web/static").iterdir():
        text = path.read_text(encoding="utf-8")
        result = {part.split('"')[0].split("`")[0] for part in text.split("://")[1:]}
        allowed = ("www.w3.org/", "svelte.dev/e/", "${")
        assert all(name.startswith(allowed) for name in result), (path.name, result)
