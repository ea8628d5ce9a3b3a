# SPDX-License-Identifier: MIT
"""Storage of the server, and every fault of its database: no game is lost, pages get an error."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tengen.web import store as store_module
from tengen.web.limits import RequestError, ServerLimits
from tengen.web.store import StorageError, Store, data_folder
from web_server import SESSION_0_1_0, WebClient, database_0_1_0, run_server

LIMITS = ServerLimits(engines=1, memory=8, retry_time=0.1)
NAME = "s" * 32  # of a session


class Clock:
    """Seconds that tests set."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "games.sqlite"


@pytest.fixture
def store(path: Path, clock: Clock) -> Iterator[Store]:
    made = Store(path, LIMITS, clock)
    yield made
    with contextlib.suppress(sqlite3.ProgrammingError):  # the test closed it
        made.close()


def games(store: Store, session: str = NAME) -> list[str]:
    return [game.game for game in store.games(session)]


def stored(path: Path) -> list[str]:
    """The games in a file."""
    with contextlib.closing(sqlite3.connect(path)) as db:
        return [row[0] for row in db.execute("SELECT game FROM games ORDER BY changed")]


# --- what is stored ---


def test_the_store_saves_and_deletes(path: Path) -> None:
    limits = ServerLimits(games=2, game_size=100, study_size=50, solved=2)
    store = Store(path, limits)
    assert store.note == ""
    for number in range(3):
        store.save_game(NAME, f"g{number}", str(number))
    store.save_game(NAME, "g1", "again")
    store.save_study(NAME, "text")
    store.save_solved(NAME, "p")
    store.save_solved(NAME, "p")
    with pytest.raises(RequestError, match="larger than"):
        store.save_game(NAME, "g", "é" * 51)
    with pytest.raises(RequestError, match="larger than"):
        store.save_study(NAME, "x" * 51)
    store.save_solved(NAME, "q")
    with pytest.raises(StorageError, match="more than 2"):
        store.save_solved(NAME, "r")
    store.close()
    store = Store(path, limits)
    assert [(game.game, game.state) for game in store.games(NAME)] == [("g1", "again"), ("g2", "2")]
    assert games(store, "other") == []
    found = store.hello(NAME)
    assert (found.name, found.study, found.solved) == (NAME, "text", ["p", "q"])
    assert store.hello("x" * 32).name != "x" * 32
    assert store.hello("x" * 32, is_known=True).name == "x" * 32
    store.close()
    assert NAME.encode() not in path.read_bytes()  # sessions are secrets


def test_large_games_take_the_place_of_old_ones(path: Path) -> None:
    store = Store(path, ServerLimits(games_size=1000, game_size=900))
    for name in "abc":
        store.save_game(NAME, name, "x" * 400)
    assert games(store) == ["c", "b"]
    store.save_game(NAME, "d", "x" * 900)
    assert games(store) == ["d"]
    store.close()


def test_only_old_sessions_make_room_for_new_ones(path: Path) -> None:
    store = Store(path, ServerLimits(sessions=2))
    for name in ("one", "two"):
        store.save_game(name, "g", "{}")
    with pytest.raises(StorageError, match="2 sessions"):
        store.save_game("three", "g", "{}")
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE sessions SET seen = seen - 90 * 86400 WHERE key != ''")
    store.hello("two")
    store.save_game("three", "g", "{}")
    assert [games(store, name) for name in ("one", "two", "three")] == [[], ["g"], ["g"]]
    store.close()


def test_the_data_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TENGEN_DATA", str(tmp_path))
    assert data_folder() == tmp_path
    monkeypatch.setenv("TENGEN_DATA", "off")
    assert data_folder() is None
    monkeypatch.delenv("TENGEN_DATA")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert data_folder() == tmp_path / "tengen"


def test_without_a_folder_it_is_in_memory() -> None:
    store = Store(None, ServerLimits(unsaved_size=1 << 20, study_size=2 << 20))
    assert "no data folder" in store.note
    store.save_game(NAME, "g", "{}")
    assert games(store) == ["g"]
    with pytest.raises(StorageError, match="full"):
        store.save_study(NAME, "x" * (2 << 20))
    assert games(store) == ["g"]
    store.close()


# --- faults ---


def test_a_locked_database(store: Store, path: Path, clock: Clock) -> None:
    store.save_game(NAME, "a", "{}")
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StorageError, match="locked"):
            store.save_game(NAME, "b", "{}")
        start = time.monotonic()
        for number in range(50):  # none of them waits for the lock again
            with pytest.raises(StorageError):
                store.save_game(NAME, "c", str(number))
        assert time.monotonic() - start < 5
        assert games(store) == ["c", "b", "a"]
        assert "locked" in store.note
        other.execute("ROLLBACK")
    store.retry()
    assert store.note  # not before its time
    clock.now = 1
    store.retry()
    assert store.note == ""
    assert stored(path) == ["a", "b", "c"]


def test_a_full_disk(store: Store, path: Path, clock: Clock) -> None:
    store.save_game(NAME, "a", "{}")
    assert store._file is not None
    store._file.execute("PRAGMA max_page_count = 1")
    with pytest.raises(StorageError, match="full"):
        store.save_study(NAME, "x" * 100_000)
    with pytest.raises(StorageError, match="full"):
        store.save_game(NAME, "b", "{}")
    assert store.hello(NAME).study == "x" * 100_000
    assert games(store) == ["b", "a"]
    store._file.execute("PRAGMA max_page_count = 10000")
    clock.now = 1
    store.save_solved(NAME, "p")
    assert store.note == ""
    assert stored(path) == ["a", "b"]
    assert store.hello(NAME).study == "x" * 100_000


def test_a_database_that_is_damaged_while_it_is_used(
    store: Store, path: Path, clock: Clock
) -> None:
    for number in range(40):
        store.save_game(NAME, str(number), "x" * 4000)
    store.close()
    size = path.stat().st_size
    store.__init__(path, LIMITS, clock)  # type: ignore[misc]
    assert games(store)
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(os.urandom(size - 4096))
    damaged = path.read_bytes()
    assert store._file is not None
    store._file.execute("PRAGMA cache_size = 0")
    for number in range(8):
        clock.now += 1
        with contextlib.suppress(StorageError):
            store.save_game(NAME, f"new {number}", "{}")
        if store.note:
            break
    assert "saved" in store.note
    clock.now += 1
    with pytest.raises(StorageError, match=r"damaged|malformed"):
        store.save_game(NAME, "last", "{}")
    assert games(store)[0] == "last"
    store.close()
    assert path.read_bytes()[4096:] == damaged[4096:]


@pytest.mark.parametrize("kind", ["no database", "newer", "foreign", "other columns", "damaged"])
def test_a_file_that_must_not_be_changed(path: Path, clock: Clock, kind: str) -> None:
    path.parent.mkdir()
    if kind == "no database":
        path.write_bytes(b"this is no database" * 100)
    elif kind == "damaged":
        Store(path, LIMITS).close()
        with path.open("r+b") as file:
            file.seek(4096)
            file.write(b"\xff" * 4096)
    else:
        statement = {
            "newer": "PRAGMA user_version = 99",
            "foreign": "CREATE TABLE recipes (name TEXT)",
            "other columns": "CREATE TABLE sessions (key TEXT, cookie TEXT)",
        }[kind]
        with contextlib.closing(sqlite3.connect(path)) as db, db:
            db.execute(statement)
    before = path.read_bytes()
    store = Store(path, LIMITS, clock)
    assert "not saved" in store.note
    for number in range(3):
        clock.now += 1
        with pytest.raises(StorageError, match="not saved"):
            store.save_game(NAME, "g", str(number))
        assert [game.state for game in store.games(NAME)] == [str(number)]
    assert store.hello(NAME).name == NAME
    store.close()
    assert path.read_bytes() == before
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_a_folder_that_cannot_be_made(tmp_path: Path, clock: Clock) -> None:
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    path = tmp_path / "file" / "games.sqlite"
    store = Store(path, LIMITS, clock)
    with pytest.raises(StorageError, match="not saved"):
        store.save_game(NAME, "g", "{}")
    (tmp_path / "file").unlink()
    clock.now = 1
    store.retry()  # now it can
    assert store.note == ""
    assert stored(path) == ["g"]
    store.close()


def test_a_folder_that_is_removed(store: Store, path: Path) -> None:
    store.save_game(NAME, "a", "{}")
    shutil.rmtree(path.parent)
    store.save_game(NAME, "b", "{}")
    assert stored(path) == ["a", "b"]  # the games of the file that is gone, too
    assert games(store) == ["b", "a"]
    assert store.note == ""


def test_the_copy_of_a_removed_file_is_kept_until_it_is_written(
    path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    faults = [sqlite3.OperationalError("disk I/O error")]

    class Faulty(sqlite3.Connection):
        def backup(self, *args: Any, **more: Any) -> None:
            if faults:
                raise faults.pop()
            super().backup(*args, **more)

    def connect(name: str) -> sqlite3.Connection:
        return sqlite3.connect(name, isolation_level=None, factory=Faulty)

    monkeypatch.setattr(store_module, "_connect", connect)
    with contextlib.closing(Store(path, LIMITS, clock)) as store:
        store.save_game(NAME, "a", "{}")
        shutil.rmtree(path.parent)
        with pytest.raises(StorageError, match="disk I/O"):
            store.save_game(NAME, "b", "{}")
        clock.now = 1
        store.retry()
        assert store.note == ""
        assert stored(path) == ["a", "b"]


def test_a_file_that_is_replaced(store: Store, path: Path, tmp_path: Path) -> None:
    store.save_game(NAME, "a", "{}")
    other = Store(tmp_path / "other.sqlite", LIMITS)
    other.save_game(NAME, "backup", "{}")
    other.close()
    (tmp_path / "other.sqlite").replace(path)
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    store.save_game(NAME, "b", "{}")
    assert stored(path) == ["backup", "b"]


def test_a_file_that_can_only_be_read(
    path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with contextlib.closing(Store(path, LIMITS)) as store:
        store.save_game(NAME, "a", "{}")
    writable = store_module._connect

    def read_only(name: str) -> sqlite3.Connection:
        db = writable(name)
        if name != ":memory:":
            db.execute("PRAGMA query_only = ON")  # root may write to any file
        return db

    with monkeypatch.context() as patch:
        patch.setattr(store_module, "_connect", read_only)
        store = Store(path, LIMITS, clock)
        assert "readonly" in store.note
        with pytest.raises(StorageError, match="readonly"):
            store.save_game(NAME, "b", "{}")
        assert games(store) == ["b", "a"]
        assert store.hello(NAME).name == NAME
        store._close_file()
    clock.now = 1
    store.save_solved(NAME, "p")
    assert stored(path) == ["a", "b"]
    store.close()


# --- through the socket ---


def test_a_restart_continues_the_session(tmp_path: Path) -> None:
    data = tmp_path / "games.sqlite"
    with run_server(data) as server, server.client() as client:
        assert client.welcome["storage"] == ""
        session = client.session
        assert client.request("save_game", game="g", state='{"a": 1}')["type"] == "saved"
        assert client.request("save_study", text="mine")["type"] == "saved"
        assert client.request("save_solved", problem="p")["type"] == "saved"
        with server.client() as other:
            assert other.request("list_games")["games"] == []
    with run_server(data) as server, server.client(session) as client:
        assert client.session == session
        assert (client.welcome["study"], client.welcome["solved"]) == ("mine", ["p"])
        (game,) = client.request("list_games")["games"]
        assert (game["game"], game["state"]) == ("g", '{"a": 1}')
        assert abs(game["changed"] - time.time()) < 60


def test_a_database_of_version_0_1_0_still_opens(tmp_path: Path) -> None:
    with run_server(database_0_1_0(tmp_path)) as server, server.client(SESSION_0_1_0) as client:
        assert client.session == SESSION_0_1_0
        assert len(client.request("list_games")["games"]) == 4
        assert client.welcome["solved"] == ["freestyle-385f1f26"]
        assert "turning_point" in client.welcome["study"]
        assert client.welcome["storage"] == ""


def _saved(client: WebClient, game: str) -> dict[str, object]:
    return client.request("save_game", game=game, state="{}")


def test_a_fault_while_running_loses_no_game(tmp_path: Path) -> None:
    data = tmp_path / "games.sqlite"
    with run_server(data, limits=LIMITS) as server, server.client() as client:
        assert _saved(client, "a")["type"] == "saved"
        with contextlib.closing(sqlite3.connect(data, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            error = _saved(client, "b")
            assert (error["type"], error["code"]) == ("error", "storage")
            assert "locked" in str(error["text"])
            with server.client(client.session) as page:
                assert "locked" in page.welcome["storage"]
            listed = client.request("list_games")["games"]
            assert [game["game"] for game in listed] == ["b", "a"]
            other.execute("ROLLBACK")
        for _ in range(100):  # without another request
            if stored(data) == ["a", "b"]:
                break
            time.sleep(0.05)
        assert stored(data) == ["a", "b"]
        with server.client(client.session) as page:
            assert page.welcome["storage"] == ""
        assert _saved(client, "c")["type"] == "saved"


def test_a_session_is_kept_while_the_database_cannot_be_read(tmp_path: Path) -> None:
    data = tmp_path / "games.sqlite"
    data.write_bytes(b"nonsense" * 1000)
    with run_server(data) as server, server.client(NAME) as client:
        assert client.session == NAME
        assert "not a database" in client.welcome["storage"]
        assert _saved(client, "a")["code"] == "storage"
        assert [game["game"] for game in client.request("list_games")["games"]] == ["a"]
