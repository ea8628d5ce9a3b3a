# SPDX-License-Identifier: MIT
"""A search on its way: `Search` is what an engine runs, `Analysis` the face of it that a caller of
`analyse` gets.

Relies on the small values of the package; every engine relies on it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Self

from tengen.engine.errors import EngineBusy, EngineClosed, EngineDied
from tengen.engine.info import Info, Played, SearchProgress

__all__ = ["Analysis", "Search"]

# How long a wait for the next event lasts at most, in seconds: between two of them Python can see
# to a Ctrl-C.
_GLANCE = 0.05


class Search(ABC):
    """A search that an engine runs. All of it may be called from any thread."""

    @property
    @abstractmethod
    def is_done(self) -> bool:
        """Whether the search has ended and `take` has nothing more to give."""

    @property
    @abstractmethod
    def played(self) -> Played | None:
        """What it ended with; None before the end, or if it broke down."""

    @abstractmethod
    def take(self, timeout: float) -> Info | None:
        """Wait for the next thing it tells. None: nothing within so many seconds, or the end."""

    @abstractmethod
    def stop(self) -> None:
        """Have it end soon. Returns at once, and may be called from a signal handler."""

    def progress(self) -> SearchProgress | None:
        """How far it is; None if it does not run, or does not say."""
        return None

    def fault(self) -> Exception | None:
        """Why it broke down, once it is done; None if it did not."""
        return None

    def infos(self) -> Iterator[Info]:
        """What it tells, to the end."""
        while not self.is_done:
            if (info := self.take(_GLANCE)) is not None:
                yield info

    def finish(self) -> None:
        """Stop it and see to its end."""
        self.stop()
        for _ in self.infos():
            pass

    def wait(self) -> None:
        """Wait for its end. Whatever interrupts the wait (as Ctrl-C) ends the search too."""
        try:
            for _ in self.infos():
                pass
        except BaseException:
            self.finish()
            raise

    def result(self) -> Played:
        """Wait for its end, as `wait` does, and tell what it ended with."""
        self.wait()
        if self.played is None:
            fault = self.fault() or EngineDied("the search ended without a move")
            raise fault.with_traceback(None)
        return self.played


class Analysis(Iterator[Info]):
    """What a search tells, as it comes: `for info in engine.analyse(board): ...`.

    Leaving the loop ends the search, and so do the end of a `with` block and `stop`. `played` is
    what it ended with. A search that breaks down raises the reason, after all that it has told.
    """

    def __init__(self, search: Search) -> None:
        self._search = search

    @property
    def is_done(self) -> bool:
        return self._search.is_done

    @property
    def played(self) -> Played:
        """What the search ended with. Raises EngineBusy while it runs: see `wait`."""
        if not self._search.is_done:
            raise EngineBusy("the analysis is not at its end: `wait` for it, or `close` it")
        return self._search.result()

    def progress(self) -> SearchProgress | None:
        """How far the search is at this moment, whatever it has told; None if it has not begun or
        is over, or does not say. From any thread, and at once.
        """
        return self._search.progress()

    def wait(self) -> Played:
        """Wait for the end of the search, passing over what it tells."""
        return self._search.result()

    def stop(self) -> None:
        """Have the search end now; what it has told by then can still be read. From any thread."""
        self._search.stop()

    def close(self) -> None:
        """End the search, passing over what it has still to tell."""
        self._search.finish()

    def __iter__(self) -> Iterator[Info]:
        """A generator, so that leaving the loop early is noticed and ends the search."""
        try:
            yield from self._search.infos()
            self._raise_fault()
        finally:
            self._search.finish()

    def __next__(self) -> Info:
        for info in self._search.infos():
            return info
        self._raise_fault()
        raise StopIteration

    def _raise_fault(self) -> None:
        """Whoever has closed the engine knows why the search has no end: that is no fault."""
        fault = self._search.fault()
        if fault is not None and not isinstance(fault, EngineClosed):
            raise fault.with_traceback(None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if not self._search.is_done:  # nobody is left who could read or stop it
            self._search.finish()
