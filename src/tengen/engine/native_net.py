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
from collections.abc import Callable
from pathlib import Path

from tengen import _core

# Seconds between two polls of a loader: a tenth of the time waited so far, within these bounds.
_MIN_POLL, _MAX_POLL = 0.0005, 0.02
_log = logging.getLogger(__name__)


class NetLoader:
    """Loads a net in the background, and keeps it alive. Loading stops when the loader is freed."""

    def __init__(
        self, path: str | os.PathLike[str], *, threads: int = 0, shared: bool = False
    ) -> None:
        """`threads` bake (precompute) the codebooks, 0: one per core. `shared`: the net of the
        engines in this process.
        """
        self._stored = _core.load_net(Path(path), threads, shared)

    @property
    def is_ready(self) -> bool:
        """Whether `wait` returns, or raises, at once."""
        return self._stored.is_ready

    @property
    def progress(self) -> float:
        """The share of the work that is done, 0 to 1. Above 0 only while baking, which is slow."""
        return self._stored.progress

    def wait(self, seconds: float | None = None) -> _core.Net | None:
        """The net; None if it is not loaded within `seconds` (None: no limit). Raises BadNet."""
        if not poll(lambda: self.is_ready, seconds):
            return None
        if self.note:
            _log.info(self.note)
        return self._stored.net()

    def stop(self) -> None:
        """Stop loading, if it is not ready. `wait` raises BadNet then."""
        self._stored.stop()

    # Valid once it is ready.
    @property
    def from_cache(self) -> bool:
        """Whether the codebooks were in the cache."""
        return self._stored.from_cache

    @property
    def cache_file(self) -> Path | None:
        """The file that has the codebooks now."""
        return self._stored.cache_file

    @property
    def note(self) -> str:
        """What went wrong with the cache, if anything."""
        return self._stored.note


def load_net(path: str | os.PathLike[str]) -> NetLoader:
    """Start loading the net of a file, unless the process has it or loads it. Never raises:
    `NetLoader.wait` does.
    """
    return NetLoader(path, shared=True)


def read_net(path: str | os.PathLike[str]) -> _core.Net:
    """The loaded net of a file. Raises BadNet."""
    net = load_net(path).wait()
    assert net is not None
    return net


def poll(is_ready: Callable[[], bool], seconds: float | None) -> bool:
    """Wait at most `seconds` (None: no limit); whether it is ready. A thread that waits in the core
    when Python shuts down would abort the process; one that sleeps does not.
    """
    start = time.monotonic()
    while not is_ready() or _is_abandoned():
        waited = time.monotonic() - start
        if seconds is not None and waited >= seconds:
            return False
        left = _MAX_POLL if seconds is None else seconds - waited
        time.sleep(min(left, _MAX_POLL, max(_MIN_POLL, waited / 10)))
    return True


_ending = threading.Event()


def _is_abandoned() -> bool:
    """Whether Python shuts down, without waiting for this thread."""
    return _ending.is_set() and threading.current_thread().daemon


@atexit.register
def _stop_all() -> None:
    """End the core's threads before Python frees what they use."""
    _ending.set()
    _core.stop_net_loads()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_core.before_fork,
        after_in_parent=lambda: _core.after_fork(False),
        after_in_child=lambda: _core.after_fork(True),
    )
