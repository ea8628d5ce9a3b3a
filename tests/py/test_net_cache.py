# SPDX-License-Identifier: MIT
"""Baked nets on disk: the same bytes as from baking, despite changes of files, folders and
processes. tests/cpp/test_net_cache.cpp tests each kind of damage.
"""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mixnet_samples import lively, net_of
from tengen import _core
from tengen.engine.native_net import NetLoader
from tengen.engine.net_cache import cache_folder, cached_nets, clear_cache
from tengen.engine.net_layout import Architecture
from tengen.export.quantise import write_net

LIVELY = Path(__file__).parents[1] / "golden" / "mixnet" / "lively.net"
TIMEOUT = 60  # seconds; only a fault waits so long

# Loads the net of argv[1] and prints: from the cache or not, its checksum, its note.
LOAD = """
import sys
from pathlib import Path
from tengen.engine.native_net import NetLoader
load = NetLoader(Path(sys.argv[1]))
net = load.wait()
print(load.from_cache, f"{net.checksum:016x}", load.note, sep="|")
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    result = tmp_path / "cache"
    monkeypatch.setenv("TENGEN_CACHE", str(result))
    return result


@pytest.fixture(scope="module")
def checksum() -> str:
    return f"{_core.Net.read(LIVELY.read_bytes()).checksum:016x}"


@pytest.fixture(scope="module")
def slow_net(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A net that bakes for seconds."""
    path = tmp_path_factory.mktemp("slow") / "slow.net"
    architecture = Architecture(32, 256, 16, 32)
    write_net(net_of(architecture, lively(architecture, 1), "slow"), path)
    return path


def start(program: str, *arguments: object) -> subprocess.Popen[str]:
    line = [sys.executable, "-c", program, *map(str, arguments)]
    # Without a measurement of coverage, which would write files of its own.
    env = {name: value for name, value in os.environ.items() if "COVERAGE" not in name}
    pipe = subprocess.PIPE
    return subprocess.Popen(line, stdout=pipe, stderr=pipe, text=True, env=env)


def answer(process: subprocess.Popen[str]) -> list[str]:
    out, err = process.communicate(timeout=TIMEOUT)
    assert (process.returncode, err) == (0, "")
    return out.strip().split("|")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# --- the folder ---


def test_where_the_folder_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TENGEN_CACHE", "some/where")
    assert cache_folder() == Path("some/where")
    monkeypatch.setenv("TENGEN_CACHE", "off")
    assert cache_folder() is None
    monkeypatch.setenv("TENGEN_CACHE", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "tengen"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "tengen"
    monkeypatch.setenv("XDG_CACHE_HOME", "not/absolute")
    assert cache_folder() == tmp_path / ".cache" / "tengen"


@pytest.fixture
def homeless(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user without a folder for caches; the folder of temporary files."""
    (tmp_path / "file").touch()  # below which nothing can be made, by root neither
    monkeypatch.delenv("TENGEN_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "file" / "home"))
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    return temporary


POSIX = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="a matter of POSIX")


@POSIX
def test_a_folder_among_the_temporary_files(
    homeless: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = homeless / f"tengen-{os.geteuid()}"
    for _ in range(2):
        assert cache_folder() == expected
    assert stat.S_IMODE(expected.stat().st_mode) == 0o700
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert cache_folder() == expected
    assert NetLoader(LIVELY).wait() is not None
    assert [entry.path.parent for entry in cached_nets()] == [expected]
    assert len(clear_cache()) == 1
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == tmp_path / ".cache" / "tengen"
    assert not (tmp_path / ".cache").exists(), "to ask where it is makes nothing"


@POSIX
def test_a_temporary_folder_that_is_not_safe(
    homeless: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = homeless / f"tengen-{os.geteuid()}"
    folder.mkdir()
    for mode in (0o720, 0o702, 0o777):
        folder.chmod(mode)
        assert cache_folder() is None
    folder.chmod(0o755)
    assert cache_folder() == folder
    if os.geteuid() == 0:
        os.chown(folder, 65534, -1)
        assert cache_folder() is None, "somebody else's"
    folder.rename(tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere")
    assert cache_folder() is None
    folder.unlink()
    folder.touch()
    assert cache_folder() is None

    monkeypatch.setenv("TMPDIR", str(homeless / "none"))
    assert cache_folder() is None


@POSIX
@pytest.mark.usefixtures("entered_by_all")
def test_a_home_that_is_read_only(tmp_path: Path) -> None:
    """Another program's user, without rights: it goes elsewhere, unless the cache is filled."""
    cache = tmp_path / "home" / ".cache" / "tengen"
    cache.mkdir(parents=True)
    (tmp_path / "tmp").mkdir(mode=0o777)
    (tmp_path / "tmp").chmod(0o777)
    for folder in (tmp_path / "home", cache.parent, cache):
        folder.chmod(0o555)
    program = "import os, tempfile\nfrom tengen.engine.net_cache import cache_folder\n"
    if os.geteuid() == 0:  # root may write everywhere, so it becomes another user
        program += "os.setuid(65534)\n"
    program += "print(cache_folder())\n"
    env = {k: v for k, v in os.environ.items() if k not in ("TENGEN_CACHE", "XDG_CACHE_HOME")}
    env |= {"HOME": str(tmp_path / "home"), "TMPDIR": str(tmp_path / "tmp")}

    def where() -> Path:
        line = [sys.executable, "-c", program]
        result = subprocess.run(line, env=env, capture_output=True, text=True, check=True)
        return Path(result.stdout.strip())

    assert where().parent == tmp_path / "tmp"
    cache.chmod(0o755)
    (cache / "some-0.codebook").touch()
    cache.chmod(0o555)
    assert where() == cache


def test_contents_of_the_cache(folder: Path, checksum: str) -> None:
    assert cached_nets() == []
    first = NetLoader(LIVELY)
    assert first.wait() is not None
    assert (first.from_cache, first.note) == (False, "")
    (entry,) = cached_nets()
    assert entry.path == first.cache_file
    assert entry.path.parent == folder
    assert f"{entry.checksum:016x}" == checksum
    assert (entry.channels, entry.bytes) == (32, 4096 + 2 * 2 * 32 * 397_488)
    assert entry.path.name == f"{entry.name}-{entry.key}.codebook"
    (folder / "broken.codebook").write_bytes(entry.path.read_bytes()[:5000])
    (folder / ".x.codebook.1.tmp").touch()
    (folder / "broken.codebook.lock").touch()
    others = [".codebook.tmp", "mine.txt", "uv.lock", "x.tmp"]
    for other in others:
        (folder / other).touch()
    assert cached_nets() == [entry]
    assert len(clear_cache()) == 4
    assert names(folder) == others


def test_the_same_bytes_from_the_cache(folder: Path) -> None:
    baked = _core.Net.read(LIVELY.read_bytes())
    for from_cache in (False, True):
        load = NetLoader(LIVELY)
        net = load.wait()
        assert net is not None
        assert load.from_cache == from_cache
        for which in (0, 1):
            assert net.codebook(which).tobytes() == baked.codebook(which).tobytes()


def test_the_time_of_use_is_kept(folder: Path) -> None:
    NetLoader(LIVELY).wait()
    (path,) = folder.iterdir()
    os.utime(path, (1000, 1000))
    assert NetLoader(LIVELY).wait() is not None
    assert path.stat().st_mtime > 1e9


# --- trouble ---


def test_processes_that_bake_at_once(folder: Path, checksum: str) -> None:
    answers = [answer(process) for process in [start(LOAD, LIVELY) for _ in range(3)]]
    assert {tuple(result[1:]) for result in answers} == {(checksum, "")}
    # One bakes, the others wait for it.
    assert sorted(result[0] for result in answers) == ["False", "True", "True"]
    assert len(names(folder)) == 1


@pytest.mark.integration
def test_killed_during_baking(folder: Path, checksum: str) -> None:
    program = LOAD.replace("net = load.wait()", "print('go', flush=True)\nnet = load.wait()")
    for moment in (0.0, 0.05, 0.1, 0.2, "writing", "writing", "writing"):
        process = start(program, LIVELY)
        assert process.stdout is not None
        assert process.stdout.readline() == "go\n"
        if isinstance(moment, float):
            time.sleep(moment)
        while moment == "writing" and process.poll() is None and not list(folder.glob(".*.tmp")):
            pass
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=TIMEOUT)
        for path in folder.glob("*.codebook"):  # what has this name is whole
            assert [entry.path for entry in cached_nets()] == [path]
            path.unlink()
    assert answer(start(LOAD, LIVELY)) == ["False", checksum, ""]
    assert answer(start(LOAD, LIVELY)) == ["True", checksum, ""]
    assert len(names(folder)) == 1, "nothing unfinished is left"


def test_a_full_disk(folder: Path, checksum: str) -> None:
    program = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))\n"
    from_cache, result, note = answer(start(program + LOAD, LIVELY))
    assert (from_cache, result) == ("False", checksum)
    assert note.startswith(str(folder))
    assert "cannot be written: File too large" in note
    assert names(folder) == []
    assert answer(start(LOAD, LIVELY)) == ["False", checksum, ""]


@POSIX
@pytest.mark.usefixtures("entered_by_all")
def test_a_folder_that_is_read_only(folder: Path, checksum: str) -> None:
    folder.mkdir()
    folder.chmod(0o555)
    program = LOAD
    if os.geteuid() == 0:  # root may write everywhere, so it becomes another user
        program = LOAD.replace("load = ", "import os; os.setuid(65534)\nload = ")
    from_cache, result, note = answer(start(program, LIVELY))
    assert (from_cache, result) == ("False", checksum)
    assert "cannot be written: Permission denied" in note
    assert names(folder) == []


def test_no_folder_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, checksum: str) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("TENGEN_CACHE", str(tmp_path / "file" / "below"))
    load = NetLoader(LIVELY)
    net = load.wait()
    assert net is not None
    assert f"{net.checksum:016x}" == checksum
    assert (load.from_cache, load.cache_file) == (False, None)
    assert "no folder" in load.note
    monkeypatch.setenv("TENGEN_CACHE", "off")
    load = NetLoader(LIVELY)
    assert load.wait() is not None
    assert (load.from_cache, load.cache_file, load.note) == (False, None, "")


def test_a_damaged_file_is_baked_again(folder: Path, checksum: str) -> None:
    NetLoader(LIVELY).wait()
    (path,) = folder.iterdir()
    with path.open("r+b") as file:
        file.seek(30_000_000)
        byte = file.read(1)
        file.seek(30_000_000)
        file.write(bytes([byte[0] ^ 1]))
    for from_cache in (False, True):
        load = NetLoader(LIVELY)
        net = load.wait()
        assert net is not None
        assert f"{net.checksum:016x}" == checksum
        assert load.from_cache == from_cache


# --- the end of a process ---

_BEGIN = """
import sys, threading, time
from tengen.engine.native_net import load_net
load = load_net(sys.argv[1])
assert load.wait(0.2) is None
"""
_ENDS = {
    "falls off": "",
    "exits": "sys.exit(0)",
    "lets go of it": "del load",
    "with somebody waiting": "threading.Thread(target=load.wait, daemon=True).start()",
    "forked": """
import os
if os.fork() == 0:
    load.stop()
    del load
    os._exit(0)
assert os.wait()[1] == 0
""",
}


@pytest.mark.parametrize("end", _ENDS)
def test_a_process_may_end_while_a_net_bakes(end: str, folder: Path, slow_net: Path) -> None:
    assert answer(start(_BEGIN + _ENDS[end], slow_net)) == [""]
    assert names(folder) == [], "it did not wait for the net, and left nothing"


def test_an_interrupt_while_waiting(folder: Path, slow_net: Path) -> None:
    process = start(_BEGIN + "print('go', flush=True)\nload.wait()", slow_net)
    assert process.stdout is not None
    assert process.stdout.readline() == "go\n"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=TIMEOUT)
    assert process.returncode == -signal.SIGINT
    assert err.rstrip().endswith("KeyboardInterrupt")
    assert names(folder) == []


def test_a_forked_child_loads_again(folder: Path, checksum: str) -> None:
    program = f"""
import os, sys
from tengen.engine.native_net import load_net
load = load_net(sys.argv[1])
child = os.fork()
right = load.wait().checksum == 0x{checksum}
if child == 0:
    os._exit(0 if right else 1)
assert right and os.wait()[1] == 0
"""
    assert answer(start(program, LIVELY)) == [""]


def test_a_forked_child_plays_while_its_parent_waits_for_a_net(folder: Path) -> None:
    program = """
import os, sys, signal
from tengen import Board, Engine, Limit
engine = Engine(net=sys.argv[1], memory=8)
analysis = engine.analyse(Board(), Limit(depth=2))
child = os.fork()
if child == 0:
    signal.alarm(100)
    del analysis
    about = str(engine.play(Board(), Limit(depth=2)).info.evaluation)
    engine.close()
    sys.exit(0 if about.startswith("mixnet") else 1)
assert os.wait()[1] == 0
assert analysis.wait().move
"""
    assert answer(start(program, LIVELY)) == [""]


# --- memory ---

_ENGINES = """
import resource, sys
from tengen import Board, Engine, Limit
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()
def another():
    engine = Engine(net=sys.argv[1], memory=8)
    engine.play(Board(), Limit(nodes=2000))
    return engine
engines = [another(), another()]
before = resident()
engines += [another() for _ in range(4)]
print((resident() - before) // 4)
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is asked of /proc")
def test_memory_of_a_further_engine(folder: Path) -> None:
    """The net is shared by all: an engine needs less than 30 MB, its table of 8 MiB included."""
    each = int(answer(start(_ENGINES, LIVELY))[0])
    assert each < 30e6
