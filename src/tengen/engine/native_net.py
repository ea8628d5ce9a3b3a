# SPDX-License-Identifier: MIT
"""Nets in the native core, each loaded once in a process and shared by all engines.

A net is loaded in a thread of the core, which never needs the GIL: codebooks come from the cache
(docs/cache.md), or are baked and put there. Relies on the native core and `net_cache`; the engine
relies on it.
"""

from __future__ import annotations

import atexit
import logging
import os
import threading
import time
from pathlib import Path
from weakref import WeakSet, WeakValueDictionary

from tengen import _core
from tengen.engine.errors import BadNet
from tengen.engine.net_cache import cache_folder

__all__ = ["NetLoad", "load_net", "read_net"]

_Key = tuple[str, int, int]  # path, time and size of a file
_MAX_FILE = 64 << 20
_NO_ROOM = "there is no memory for its codebooks: use a smaller net, or `classical`"
# Seconds between two looks at a load: a tenth of what was waited already, within these bounds.
_SHORTEST_LOOK = 0.0005
_LONGEST_LOOK = 0.02


class NetLoad:
    """A net that is being loaded, or is there. Keeps the net as long as it lives; a load that
    nobody keeps is stopped."""

    def __init__(self, path: Path, *, threads: int = 0, net: _core.Net | None = None) -> None:
        """`threads` are for baking, 0: one for each core. `net` is the net, if it is there."""
        self._path = path
        self._threads = threads
        self._key: _Key | None = None
        self._net = net
        self._failure: Exception | None = None
        self._loading: _core.NetLoading | None = None
        if net is None:
            self._begin()
            _begun.add(self)

    @property
    def is_ready(self) -> bool:
        """Whether `wait` answers at once, with the net or with an error."""
        return self._loading is None or self._loading.is_done

    @property
    def progress(self) -> float:
        """The part of the work that is done, 0 to 1. Baking is all that takes long."""
        return self._loading.progress if self._loading else 1.0

    def wait(self, seconds: float | None = None) -> _core.Net | None:
        """The net; None if it is not ready in that time (None: as long as it takes).

        Raises BadNet, or OSError if the file cannot be read.
        """
        # A thread that waits in the core when Python shuts down would take the process with it;
        # one that sleeps does not.
        start = time.monotonic()
        while not self.is_ready or _sleeps_on():
            waited = time.monotonic() - start
            if seconds is not None and waited >= seconds:
                return None
            left = _LONGEST_LOOK if seconds is None else seconds - waited
            time.sleep(min(left, _LONGEST_LOOK, max(_SHORTEST_LOOK, waited / 10)))
        with _guard:
            self._finish()
        if self._failure is not None:
            raise self._failure.with_traceback(None)
        return self._net

    def stop(self) -> None:
        """End loading, if it is not ready. `wait` raises BadNet then."""
        if self._loading is not None:
            self._loading.stop()

    @property
    def from_cache(self) -> bool:
        """Whether the codebooks were in the cache, once it is ready."""
        return self._from_cache

    @property
    def cache_file(self) -> Path | None:
        """The file of the cache that holds the codebooks now, once it is ready."""
        return self._cache_file

    _from_cache = False
    _cache_file: Path | None = None
    note = ""  # what went wrong with the cache, a sentence; mostly nothing

    def _begin(self) -> None:
        folder = cache_folder()
        try:
            with self._path.open("rb") as file:
                data = file.read(_MAX_FILE + 1)
            where = b"" if folder is None else os.fsencode(folder.absolute())
            self._loading = _core.NetLoading(data, where, self._threads)
        except OSError as error:
            self._failure = error
        except RuntimeError as error:  # the system gives no more threads
            self._failure = BadNet(str(error), str(self._path))
        except MemoryError:
            self._failure = BadNet(_NO_ROOM, str(self._path))

    def _finish(self) -> None:
        """Take over what the core has loaded, once."""
        loading, self._loading = self._loading, None
        if loading is None:
            return
        try:
            self._net = loading.net()
        except (ValueError, RuntimeError) as error:
            self._failure = BadNet(str(error), str(self._path))
            return
        except MemoryError:
            self._failure = BadNet(_NO_ROOM, str(self._path))
            return
        self._from_cache = loading.from_cache
        self._cache_file = Path(os.fsdecode(loading.file)) if loading.file else None
        self.note = loading.note
        if self.note:
            logging.getLogger(__name__).info("%s", self.note)
        if self._key is not None:
            _nets[self._key] = self._net
            _kept[self._key] = _core.WeakNet(self._net)


_begun: WeakSet[NetLoad] = WeakSet()
_loads: WeakValueDictionary[_Key, NetLoad] = WeakValueDictionary()
_nets: WeakValueDictionary[_Key, _core.Net] = WeakValueDictionary()
_kept: dict[_Key, _core.WeakNet] = {}  # by engines too, which hold a net without Python's knowing
_guard = threading.Lock()


def load_net(path: str | os.PathLike[str]) -> NetLoad:
    """Begin to load the net of a file, unless somebody in the process has it or loads it.

    Returns at once, and raises nothing: what is wrong `NetLoad.wait` tells.
    """
    file = Path(path)
    try:
        state = file.stat()
        key = (str(file.resolve()), state.st_mtime_ns, state.st_size)
    except OSError:
        return NetLoad(file)  # which fails in the same way
    with _guard:
        load = _loads.get(key)
        if load is None or load._failure is not None:
            net = _there(key)
            load = _loads[key] = NetLoad(file, net=net)
            load._key = key
    return load


def read_net(path: str | os.PathLike[str]) -> _core.Net:
    """The net of a file, ready to play. Raises BadNet, and OSError if it cannot be opened."""
    net = load_net(path).wait()
    assert net is not None
    return net


def _there(key: _Key) -> _core.Net | None:
    """The net of a file, if somebody has it. Forgets those that nobody has."""
    for other in [other for other, kept in _kept.items() if kept.net() is None]:
        del _kept[other]
    net = _nets.get(key)
    if net is None and key in _kept:
        net = _kept[key].net()
        if net is not None:
            _nets[key] = net
    return net


_ending = threading.Event()


def _sleeps_on() -> bool:
    """Whether the program is at its end, and this thread one that it does not wait for."""
    return _ending.is_set() and threading.current_thread().daemon


@atexit.register
def _stop_all() -> None:
    """A thread of the core must not outlive the program: it would use what is gone."""
    _ending.set()
    for load in list(_begun):
        load.stop()


def _begin_again() -> None:
    """After a fork: the child has one thread alone, so that loading begins anew."""
    if _guard.locked():  # by a thread that is not there any more
        _guard.release()
    for load in list(_begun):
        if not load.is_ready:
            load._begin()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_again)
