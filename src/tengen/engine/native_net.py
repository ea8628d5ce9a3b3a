# SPDX-License-Identifier: MIT
"""Nets in the native core, loaded once per process and shared by all engines.

The core loads a net on its own thread, without the GIL: codebooks come from the cache
(docs/cache.md), or are baked and stored there.
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

_Key = tuple[str, int, int]  # path, time and size of a file
_MAX_FILE = 64 << 20
_NO_MEMORY = "there is no memory for its codebooks: use a smaller net, or `classical`"
# Seconds between two polls of a loader: a tenth of the time waited so far, within these bounds.
_MIN_POLL, _MAX_POLL = 0.0005, 0.02


class NetLoader:
    """Loads a net in the background, and keeps it alive. Loading stops when the loader is freed."""

    def __init__(self, path: Path, *, threads: int = 0, net: _core.Net | None = None) -> None:
        """`threads` bake (precompute) the codebooks, 0: one per core. `net`: the loaded net."""
        self._path = path
        self._threads = threads
        self._key: _Key | None = None
        self._net = net
        self._failure: Exception | None = None
        self._loading: _core.NetLoading | None = None
        if net is None:
            self._start()
            _started.add(self)

    @property
    def is_ready(self) -> bool:
        """Whether `wait` returns, or raises, at once."""
        return self._loading is None or self._loading.is_done

    @property
    def progress(self) -> float:
        """The share of the work that is done, 0 to 1. Above 0 only while baking, which is slow."""
        return self._loading.progress if self._loading else 1.0

    def wait(self, seconds: float | None = None) -> _core.Net | None:
        """The net; None if it is not loaded within `seconds` (None: no limit).

        Raises BadNet, or OSError if the file cannot be read.
        """
        # A thread that waits in the core when Python shuts down would abort the process; one that
        # sleeps does not.
        start = time.monotonic()
        while not self.is_ready or _is_abandoned():
            waited = time.monotonic() - start
            if seconds is not None and waited >= seconds:
                return None
            left = _MAX_POLL if seconds is None else seconds - waited
            time.sleep(min(left, _MAX_POLL, max(_MIN_POLL, waited / 10)))
        with _lock:
            self._finish()
        if self._failure is not None:
            raise self._failure.with_traceback(None)
        return self._net

    def stop(self) -> None:
        """Stop loading, if it is not ready. `wait` raises BadNet then."""
        if self._loading is not None:
            self._loading.stop()

    # Valid once it is ready.
    from_cache = False  # whether the codebooks were in the cache
    cache_file: Path | None = None  # that has the codebooks now
    note = ""  # what went wrong with the cache, if anything

    def _start(self) -> None:
        folder = cache_folder()
        try:
            with self._path.open("rb") as file:
                data = file.read(_MAX_FILE + 1)
            where = b"" if folder is None else os.fsencode(folder.absolute())
            self._loading = _core.NetLoading(data, where, self._threads)
        except OSError as error:
            self._failure = error
        except RuntimeError as error:  # no more threads
            self._failure = BadNet(str(error), str(self._path))
        except MemoryError:
            self._failure = BadNet(_NO_MEMORY, str(self._path))

    def _finish(self) -> None:
        """Take over the loaded net, once."""
        loading, self._loading = self._loading, None
        if loading is None:
            return
        try:
            self._net = loading.net()
        except (ValueError, RuntimeError) as error:
            self._failure = BadNet(str(error), str(self._path))
            return
        except MemoryError:
            self._failure = BadNet(_NO_MEMORY, str(self._path))
            return
        self.from_cache = loading.from_cache
        self.cache_file = Path(os.fsdecode(loading.file)) if loading.file else None
        self.note = loading.note
        if self.note:
            logging.getLogger(__name__).info("%s", self.note)
        if self._key is not None:
            _nets[self._key] = self._net
            _kept[self._key] = _core.WeakNet(self._net)


_started: WeakSet[NetLoader] = WeakSet()
_loaders: WeakValueDictionary[_Key, NetLoader] = WeakValueDictionary()
_nets: WeakValueDictionary[_Key, _core.Net] = WeakValueDictionary()
_kept: dict[_Key, _core.WeakNet] = {}  # also those that only native engines keep
_lock = threading.Lock()


def load_net(path: str | os.PathLike[str]) -> NetLoader:
    """Start loading the net of a file, unless the process has it or loads it. Never raises:
    `NetLoader.wait` does.
    """
    file = Path(path)
    try:
        state = file.stat()
        key = (str(file.resolve()), state.st_mtime_ns, state.st_size)
    except OSError:
        return NetLoader(file)  # `wait` raises the same error
    with _lock:
        loader = _loaders.get(key)
        if loader is None or loader._failure is not None:
            net = _loaded(key)
            loader = _loaders[key] = NetLoader(file, net=net)
            loader._key = key
    return loader


def read_net(path: str | os.PathLike[str]) -> _core.Net:
    """The loaded net of a file. Raises BadNet, and OSError if it cannot be opened."""
    net = load_net(path).wait()
    assert net is not None
    return net


def _loaded(key: _Key) -> _core.Net | None:
    """The net of a file, if it is in use. Forgets those that are not."""
    for other in [other for other, kept in _kept.items() if kept.net() is None]:
        del _kept[other]
    net = _nets.get(key)
    if net is None and key in _kept:
        net = _kept[key].net()
        if net is not None:
            _nets[key] = net
    return net


_ending = threading.Event()


def _is_abandoned() -> bool:
    """Whether Python shuts down, without waiting for this thread."""
    return _ending.is_set() and threading.current_thread().daemon


@atexit.register
def _stop_all() -> None:
    """End the core's threads before Python frees what they use."""
    _ending.set()
    for loader in list(_started):
        loader.stop()


def _restart_loads() -> None:
    """Start loads again after a fork: the child has only one thread."""
    if _lock.locked():  # by a thread of the parent
        _lock.release()
    for loader in list(_started):
        if not loader.is_ready:
            loader._start()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_restart_loads)
