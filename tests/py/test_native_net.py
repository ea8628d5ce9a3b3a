# SPDX-License-Identifier: MIT
"""Loading nets in the background: sharing, waiting, freeing, errors."""

from __future__ import annotations

import gc
import shutil
import threading
from pathlib import Path

import pytest

from tengen import _core
from tengen.engine import native_net
from tengen.engine.errors import BadNet
from tengen.engine.native_net import NetLoader, load_net, read_net

NETS = Path(__file__).parents[1] / "golden" / "mixnet"
LIVELY = NETS / "lively.net"


def place(net: _core.Net) -> int:
    """The address of the codebook: equal if it is shared."""
    return int(net.codebook(0).ctypes.data)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A file that is not loaded yet."""
    return Path(shutil.copy(LIVELY, tmp_path / "copy.net"))


def test_concurrent_loads_are_shared(copy: Path) -> None:
    load = load_net(copy)
    assert load_net(str(copy)) is load
    net = load.wait()
    assert net is not None
    assert load.is_ready
    assert load.wait(0) is net
    assert read_net(copy.parent / "." / "copy.net") is net
    assert load_net(LIVELY) is not load


def test_no_memory_for_a_net(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reported with a message, and not cached: there may be memory later."""

    class Poor:
        is_done = True
        progress = 1.0

        def __init__(self, *_: object) -> None: ...

        def stop(self) -> None: ...

        def net(self) -> None:
            raise MemoryError("std::bad_alloc")

    with monkeypatch.context() as patch:
        patch.setattr(_core, "NetLoading", Poor)
        load = load_net(copy)
        for _ in range(2):
            with pytest.raises(BadNet, match="there is no memory for its codebooks"):
                load.wait()
    assert load_net(copy).wait() is not None


def test_threads_that_wait_get_the_same_net(copy: Path) -> None:
    result: list[_core.Net] = []
    threads = [threading.Thread(target=lambda: result.append(read_net(copy))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(result) == 8
    assert len({id(net) for net in result}) == 1


def test_a_net_held_by_an_engine_is_reused(copy: Path) -> None:
    core = _core.Engine(1, 1 << 20)
    net = read_net(copy)
    core.set_nets(net, net)
    where = place(net)
    del net
    gc.collect()
    load = load_net(copy)
    assert load.is_ready
    again = load.wait()
    assert again is not None
    assert place(again) == where
    assert read_net(copy) is again


def test_an_unreferenced_net_is_freed(copy: Path) -> None:
    load = load_net(copy)
    net = load.wait()
    assert net is not None
    kept = _core.WeakNet(net)
    assert kept.net() is not None
    del net, load
    gc.collect()
    assert kept.net() is None
    read_net(LIVELY)
    assert not [key for key in native_net._kept if key[0] == str(copy.resolve())]


def test_a_file_that_changed_is_another_net(copy: Path) -> None:
    old = read_net(copy)
    shutil.copy(NETS / "at_bounds.net", copy)
    new = read_net(copy)
    assert new is not old
    assert new.checksum != old.checksum


def test_wait_raises_the_fault(tmp_path: Path) -> None:
    load = load_net(tmp_path / "none.net")
    assert load.is_ready
    for _ in range(2):
        with pytest.raises(FileNotFoundError, match=r"none\.net"):
            load.wait()
    with pytest.raises(IsADirectoryError):
        load_net(tmp_path).wait()
    bad = tmp_path / "bad.net"
    bad.write_bytes(LIVELY.read_bytes()[:-1])
    for _ in range(2):
        with pytest.raises(BadNet, match=r"bad\.net: .*cut off"):
            read_net(bad)
    shutil.copy(LIVELY, bad)
    assert read_net(bad) is not None


def test_a_load_can_be_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENGEN_CACHE", "off")
    load = NetLoader(LIVELY)
    load.stop()
    assert load.is_ready
    with pytest.raises(BadNet, match="stopped"):
        load.wait()
