# SPDX-License-Identifier: MIT
"""Loading nets in the background: sharing, waiting, freeing, errors."""

from __future__ import annotations

import gc
import shutil
import threading
from pathlib import Path

import pytest

from tengen import Board, Engine, _core
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
    net, other = load_net(copy).wait(), load_net(str(copy)).wait()
    assert net is not None
    assert other is not None
    assert place(net) == place(other) == place(read_net(copy.parent / "." / "copy.net"))
    assert place(read_net(LIVELY)) != place(net)
    own = NetLoader(copy).wait()
    assert own is not None
    assert place(own) != place(net), "this one is not shared"


def test_threads_that_wait_get_the_same_net(copy: Path) -> None:
    result: list[_core.Net] = []
    threads = [threading.Thread(target=lambda: result.append(read_net(copy))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(result) == 8
    assert len({place(net) for net in result}) == 1


def test_a_net_held_by_an_engine_is_reused(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENGEN_CACHE", "off")
    with Engine(net=str(copy), memory=8) as engine:
        assert engine.prepare(Board(), seconds=None)
        load = load_net(copy)
        assert load.is_ready, "nothing is baked again"
    del load, engine
    gc.collect()
    again = load_net(copy)
    assert not again.is_ready, "the net was freed with its engine"
    again.stop()


def test_a_file_that_changed_is_another_net(copy: Path) -> None:
    old = read_net(copy)
    shutil.copy(NETS / "at_bounds.net", copy)
    new = read_net(copy)
    assert new.checksum != old.checksum


def test_wait_raises_the_fault(tmp_path: Path) -> None:
    load = load_net(tmp_path / "none.net")
    assert load.is_ready
    for _ in range(2):
        with pytest.raises(BadNet, match=r"none\.net: cannot be read \(No such file"):
            load.wait()
    with pytest.raises(BadNet, match="cannot be read"):
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
