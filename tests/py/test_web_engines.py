# SPDX-License-Identifier: MIT
"""Engines of the server: lanes, fairness, stopping, memory."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from tengen.engine.errors import BadOption
from tengen.web.engines import Engines, engine_options
from tengen.web.lanes import Job, Lane
from tengen.web.limits import Account, Budget, RequestError, ServerLimits, accounts
from tengen.web.messages import EngineRequest
from web_server import RunningServer, WebClient, position, run_server

LIMITS = ServerLimits(engines=1, memory=8, session_jobs=3, slice_time=0.3, review_time=0.3)


@pytest.fixture(scope="module")
def server() -> Iterator[RunningServer]:
    with run_server(limits=LIMITS) as running:
        yield running


@pytest.fixture
def client(server: RunningServer) -> Iterator[WebClient]:
    with server.client() as made:
        yield made


# --- lanes, with pages that are no connections ---


@dataclass(eq=False)
class FakePage:
    session: str
    credit: float = 2.0
    is_behind: bool = False
    account: Account = field(default_factory=lambda: Account(Budget(1, 1)))
    events: list[dict[str, Any]] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)

    def charge(self, seconds: float) -> None:
        self.credit -= seconds

    def send(self, text: str) -> None:
        self.events.append(json.loads(text))

    def ended(self, job: Job) -> None:
        self.ends.append(job.id)


def run(work: Callable[[Engines], Awaitable[None]], limits: ServerLimits = LIMITS) -> None:
    async def main() -> None:
        engines = Engines(limits, preset="classical")
        try:
            await work(engines)
        finally:
            await engines.close()

    asyncio.run(main())


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(30):
        while not condition():
            await asyncio.sleep(0.005)


def ask(engines: Engines, page: FakePage, id: int, type: str = "view", **more: Any) -> Job:
    text = json.dumps({"type": type, "id": id, "position": {}} | more)
    return engines.request(page, EngineRequest(type, id, more.get("level"), text))


def test_sessions_take_turns() -> None:
    async def work(engines: Engines) -> None:
        go, order = threading.Event(), list[str]()

        def job(name: str) -> tuple[str, float]:
            go.wait(10)
            order.append(name)
            return "{}", 0.0

        pages = {name: FakePage(name) for name in "ab"}
        for number, name in enumerate(("a1", "a2", "a3", "b1", "b2")):
            engines.convert(pages[name[0]], number, lambda name=name: job(name))  # type: ignore[misc]
        with pytest.raises(RequestError, match="too many requests"):
            engines.convert(pages["a"], 9, lambda: job("a4"))
        go.set()
        await until(lambda: len(pages["a"].ends) == 3 and len(pages["b"].ends) == 2)
        assert order == ["a1", "b1", "a2", "b2", "a3"]

    run(work)


def test_who_has_used_little_comes_first() -> None:
    async def work(engines: Engines) -> None:
        go, order = threading.Event(), list[str]()

        def job(name: str) -> tuple[str, float]:
            go.wait(10)
            order.append(name)
            return "{}", 0.0

        first, rude, polite = FakePage("first"), FakePage("rude", credit=-1), FakePage("polite")
        for page in (first, rude, rude, polite):
            engines.convert(page, 1, lambda page=page: job(page.session))  # type: ignore[misc]
        go.set()
        await until(lambda: len(order) == 4)
        assert order == ["first", "polite", "rude", "rude"]

    run(work)


def test_long_searches_go_to_who_has_searched_least() -> None:
    lane = Lane("study", 1)
    hog, guest = FakePage("hog", credit=2), FakePage("guest", credit=0)
    hog.account.add_thinking(100)
    for page in (hog, guest):
        lane.waiting.append(Job(page, "analyse", 1))
    assert lane.is_wanted(hog)
    first = lane.next()
    assert first is not None
    assert first.page is guest
    assert lane.next() is None  # the lane is full
    lane.executor.shutdown()


def test_a_failed_job_is_an_error_of_its_page_alone() -> None:
    async def work(engines: Engines) -> None:
        page = FakePage("a")

        def fail() -> tuple[str, float]:
            raise MemoryError("no memory")

        engines.convert(page, 1, fail)
        engines.convert(page, 2, lambda: ('{"type": "fine"}', 0.5))
        await until(lambda: page.ends == [1, 2])
        error, fine = page.events
        assert (error["type"], error["code"], error["id"]) == ("error", "engine", 1)
        assert fine["type"] == "fine"
        assert page.credit == pytest.approx(1.5, abs=0.2)  # the helper's time is charged

    run(work)


def test_engines_stay_until_their_memory_is_needed() -> None:
    limits = ServerLimits(engines=1, memory=32, quick_memory=8, engine_memory=48)

    async def work(engines: Engines) -> None:
        pages = [FakePage(str(n)) for n in range(3)]
        for page in pages:
            ask(engines, page, 1, "move", level=1)
        await until(lambda: all(page.ends for page in pages))
        assert engines.memory == 24
        kept = [engines._slots[page]["game"].engine for page in pages]
        ask(engines, pages[0], 2, "move", level=1)
        await until(lambda: 2 in pages[0].ends)
        assert engines._slots[pages[0]]["game"].engine is kept[0]  # with its tables
        ask(engines, pages[2], 2, "analyse", seconds=0.05)
        await until(lambda: 2 in pages[2].ends)
        assert engines.memory == 48  # the engine of the second page was used least recently
        assert engines._slots[pages[1]]["game"].engine is None
        engines.leave(pages[0])
        engines.leave(pages[2])
        assert engines.memory == 0

    run(work, limits)


def test_a_page_that_leaves_ends_its_jobs() -> None:
    async def work(engines: Engines) -> None:
        page, other = FakePage("a"), FakePage("b")
        ask(engines, page, 1, "analyse", seconds=600)
        ask(engines, page, 2, "solve", goal="vct", seconds=30)
        ask(engines, other, 1, "analyse", seconds=0.05)
        engines.leave(page)
        await until(lambda: other.ends and page.ends)
        assert page.ends == [1]  # the other one had not begun
        assert page not in engines._slots

    run(work)


def test_options_of_the_engines() -> None:
    assert engine_options()["search"] == "auto"
    assert engine_options(preset="classical")["search"] == "alphabeta"
    assert engine_options(preset="classical", search="mcts")["search"] == "mcts"
    with pytest.raises(BadOption):
        engine_options(nothing=1)


def test_budgets() -> None:
    now = [0.0]
    budget = Budget(2.0, 3.0, lambda: now[0])
    assert [budget.try_take() for _ in range(4)] == [True, True, True, False]
    now[0] = 0.5
    assert budget.take() == 0
    assert budget.take(4) == pytest.approx(2.0)
    now[0] = 10
    assert budget.credit == 3
    account = Account(Budget(1, 1), lambda: now[0])
    account.add_thinking(8)
    now[0] += 60
    assert account.thinking == pytest.approx(4)
    table = accounts(ServerLimits(cpu_start=0.5), 4.0)
    assert table.get("a") is table.get("a")
    assert table.get("a").cpu.credit == pytest.approx(2.0, abs=0.1)
    for number in range(3000):
        table.get(str(number))
    assert "a" not in table


# --- through the socket ---


def test_a_waiting_request_gets_an_event_and_may_be_stopped(
    server: RunningServer, client: WebClient
) -> None:
    running = client.start("move", position=position("h8"), seconds=60)
    waiting = client.start("move", position=position("h8", "i9"), seconds=60)
    queued = client.wait("queued")
    assert queued["id"] == waiting
    client.stop(waiting)
    first = client.wait("move")
    assert first["id"] == waiting  # at once, though the other goes on
    client.stop(running)
    assert client.last(running)["type"] == "move"


def test_each_kind_of_request_can_be_stopped(client: WebClient) -> None:
    review = client.start("review", position=position("h8", "i9", "h9", "a1"), effort=10)
    move = client.start("move", position=position("h8"), seconds=60)
    swap = client.start("swap2", position=position("h8", "i9", "h9"), seconds=60)  # waits
    for id in (swap, move, review, 12345):
        client.stop(id)
    events = client.ends(review, move, swap)
    assert events[review]["state"] == "stopped"
    assert events[move]["move"] != "h8"
    assert events[swap]["type"] == "swap2"


def test_a_new_analysis_ends_the_last_one(client: WebClient) -> None:
    first = client.start("analyse", position=position("h8"), seconds=600)
    assert client.wait("analysis")["id"] == first
    second = client.start("analyse", position=position("h8", "i9"), seconds=0.1)
    assert client.last(first)["state"] == "done"
    assert client.last(second)["state"] == "done"
    move = client.start("move", position=position("h8"), seconds=60)
    game = client.start("new_game")
    assert client.last(move)["type"] == "move"
    assert client.last(game)["type"] == "ready"


def test_a_long_search_ends_if_others_wait(server: RunningServer, client: WebClient) -> None:
    first = client.start("analyse", position=position("h8"), seconds=600)
    client.wait("analysis")
    with server.client() as other:
        second = other.start("analyse", position=position(), seconds=0.1)
        assert client.last(first)["state"] == "done"
        assert other.last(second)["state"] == "done"
    third = client.start("review", position=position("h8", "i9"), effort=10)
    with server.client() as other:
        fourth = other.start("review", position=position("h8"), effort=0.01)
        assert client.last(third)["state"] == "stopped"
        assert other.last(fourth)["state"] == "done"


def test_quick_requests_do_not_wait_for_long_ones(server: RunningServer, client: WebClient) -> None:
    long = [
        client.start("analyse", position=position("h8"), seconds=600),
        client.start("review", position=position("h8", "i9"), effort=10),
        client.start("move", position=position("h8"), seconds=60),
    ]
    with server.client() as other:
        assert other.request("view", position=position())["type"] == "views"
        assert other.request("move", position=position("h8"), level=1)["type"] == "move"
    assert client.request("view", position=position())["type"] == "views"
    for id in long:
        client.stop(id)
    client.ends(*long)


def test_too_many_requests_and_ids_in_use(client: WebClient) -> None:
    for id in range(1, 6):
        client.send(type="move", id=id, position=position("h8"), seconds=60)
    errors = [client.wait("error") for _ in range(2)]
    assert [(error["id"], error["code"]) for error in errors] == [(4, "busy"), (5, "busy")]
    client.send(type="move", id=1, position=position())
    assert client.wait("error")["code"] == "id"
    for id in (3, 2, 1):
        client.stop(id)
    client.ends(1, 2, 3)
