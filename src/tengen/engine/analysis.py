# SPDX-License-Identifier: MIT
"""Running searches: `Search` is the engine's side, `Analysis` what `analyse` returns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Self

from tengen.engine.errors import EngineBusy, EngineClosed, EngineDied
from tengen.engine.info import Info, PlayResult, SearchProgress

_POLL = 0.05  # seconds of a wait for the next event: Python handles Ctrl-C between two waits


class Search(ABC):
    """A search of an engine. Thread-safe. Subclasses set `_played` or `_error`, then `_done`."""

    _done = False
    _played: PlayResult | None = None
    _error: Exception | None = None

    @property
    def is_done(self) -> bool:
        """Whether the search has ended and `next_info` has returned every info."""
        return self._done

    @property
    def played(self) -> PlayResult | None:
        """The result; None before the end, or if the search failed."""
        return self._played

    @abstractmethod
    def next_info(self, timeout: float) -> Info | None:
        """Wait at most `timeout` seconds for the next info. None: none came, or the end."""

    @abstractmethod
    def stop(self) -> None:
        """Request its end. Returns at once; may be called from a signal handler."""

    def progress(self) -> SearchProgress | None:
        """How far it is; None if it does not run, or is unknown."""
        return None

    def error(self) -> Exception | None:
        """The error of a search that failed; None otherwise."""
        return self._error if self.is_done else None

    def infos(self) -> Iterator[Info]:
        """The infos, to the end."""
        while not self.is_done:
            if (info := self.next_info(_POLL)) is not None:
                yield info

    def stop_and_wait(self) -> None:
        """Stop it and wait for its end."""
        self.stop()
        for _ in self.infos():
            pass

    def wait(self) -> None:
        """Wait for its end. An exception during the wait, such as Ctrl-C, also ends the search."""
        try:
            for _ in self.infos():
                pass
        except BaseException:
            self.stop_and_wait()
            raise

    def result(self) -> PlayResult:
        """Wait for its end; the result. Raises the error of a search that failed."""
        self.wait()
        if self.played is None:
            error = self.error() or EngineDied("the search ended without a move")
            raise error.with_traceback(None)
        return self.played


class Analysis(Iterator[Info]):
    """The infos of a search, as they come: `for info in engine.analyse(board): ...`.

    Leaving the loop ends the search, and so do the end of a `with` block and `stop`. `played` is
    the result. The error of a search that fails is raised after its infos.
    """

    def __init__(self, search: Search) -> None:
        self._search = search

    @property
    def is_done(self) -> bool:
        return self._search.is_done

    @property
    def played(self) -> PlayResult:
        """The result. Raises EngineBusy while the search runs: see `wait`."""
        if not self._search.is_done:
            raise EngineBusy("the analysis still runs: `wait` for it, or `close` it")
        return self._search.result()

    def progress(self) -> SearchProgress | None:
        """How far the search is now; None if it does not run, or is unknown. Thread-safe."""
        return self._search.progress()

    def wait(self) -> PlayResult:
        """Wait for the end of the search, skipping its infos; the result."""
        return self._search.result()

    def stop(self) -> None:
        """End the search now; its infos so far can still be read. Thread-safe."""
        self._search.stop()

    def close(self) -> None:
        """End the search, skipping its infos."""
        self._search.stop_and_wait()

    def __iter__(self) -> Iterator[Info]:
        """A generator, so that leaving the loop early ends the search."""
        try:
            yield from self._search.infos()
            self._raise_error()
        finally:
            self._search.stop_and_wait()

    def __next__(self) -> Info:
        for info in self._search.infos():
            return info
        self._raise_error()
        raise StopIteration

    def _raise_error(self) -> None:
        """Raise the error, except that of a closed engine, which the caller caused."""
        error = self._search.error()
        if error is not None and not isinstance(error, EngineClosed):
            raise error.with_traceback(None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if not self._search.is_done:  # nothing else can stop it
            self._search.stop_and_wait()
