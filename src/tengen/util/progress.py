# SPDX-License-Identifier: MIT
"""Console progress: a live bar on a terminal, a plain line every few seconds elsewhere. All of it
goes to stderr; stdout is for results. Relies on rich, which is imported only for a terminal.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from time import monotonic
from typing import TYPE_CHECKING, Any, Self, TypeVar

from tengen.util.text import duration, one_line

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live

T = TypeVar("T")
_LIVE_SECONDS = 0.1  # between two frames on a terminal
_MAX_COST = 0.05  # share of the time that drawing may take; costly frames come less often
_BAR_WIDTH = 20


class Progress:
    """The progress of one job, as a context manager.

        with Progress("tengen train", total=10_000, unit="samples") as progress:
            for step in range(10_000):
                progress.update(step, text=f"loss {loss:.3f}")

    shows `tengen train  ━━━━━  3,200/10,000 samples, 120/s, 57 s left, loss 0.412`. `total=None`:
    unknown, there is no bar and no time left. `initial`: work done before this process; it counts
    as done, not for the rate. `line_seconds`: time between two plain lines where stderr is no
    terminal; None: no plain lines. `rate` and `share` leave the rate out and show a percentage
    instead of counts.
    """

    def __init__(
        self,
        title: str,
        total: float | None = None,
        unit: str = "",
        *,
        initial: float = 0,
        line_seconds: float | None = 10.0,
        rate: bool = True,
        share: bool = False,
    ) -> None:
        self._title = title
        self._unit = unit
        self._line_seconds = line_seconds
        self._with_rate = rate
        self._share = share
        self._initial = self.done = initial
        self.total = total
        self._text: str | Callable[[], str] = ""
        self._detail: Callable[[], RenderableType | Sequence[str]] | None = None
        self._live: Live | None = None
        self._start = monotonic()
        self._next = self._start

    def __enter__(self) -> Self:
        self._start = monotonic()
        if sys.stderr.isatty():
            self._live = _start_live()
            self._next = self._start
        elif self._line_seconds is not None:
            self._next = self._start + self._line_seconds
        else:
            self._next = float("inf")
        return self

    def __exit__(self, *_: object) -> None:
        live, self._live = self._live, None
        self._next = float("inf")
        if live is not None:
            live.stop()

    @property
    def is_live(self) -> bool:
        """Whether a person sees the bar."""
        return self._live is not None

    def update(
        self,
        done: float | None = None,
        text: str | Callable[[], str] | None = None,
        *,
        total: float | None = None,
        detail: Callable[[], RenderableType | Sequence[str]] | None = None,
    ) -> None:
        """Set what is done, and draw if it is time; cheap to call often.

        `text` follows the numbers. `detail` makes lines below the bar on a terminal. Both may be
        functions, which are called only when something is drawn. What is not given stays as it is.
        """
        if done is not None:
            self.done = done
        if text is not None:
            self._text = text
        if total is not None:
            self.total = total
        if detail is not None:
            self._detail = detail
        if monotonic() >= self._next:
            self.draw()

    def advance(self, done: float = 1, text: str | Callable[[], str] | None = None) -> None:
        """Add to what is done."""
        self.update(self.done + done, text)

    def print(self, message: str) -> None:
        """Print a line that stays, above the bar."""
        if self._live is None:
            print(message, file=sys.stderr, flush=True)
        else:
            self._live.console.print(
                message, markup=False, highlight=False, emoji=False, soft_wrap=True
            )

    def draw(self) -> None:
        """Draw now: a frame on a terminal, a plain line elsewhere."""
        start = monotonic()
        if self._live is not None:
            self._live.update(self._frame(), refresh=True)
            pause = max(_LIVE_SECONDS, (monotonic() - start) / _MAX_COST)
        elif self._line_seconds is not None:
            print(self.line(), file=sys.stderr, flush=True)
            pause = max(self._line_seconds, (monotonic() - start) / _MAX_COST)
        else:
            return
        self._next = monotonic() + pause

    def line(self) -> str:
        """The progress as one plain line."""
        return one_line(": ".join(filter(None, (self._title, ", ".join(self._parts())))))

    def _parts(self) -> list[str]:
        """Counts, rate, time left, text: what is known of them."""
        text = self._text if isinstance(self._text, str) else self._text()
        parts = [self._counts()]
        elapsed, fresh = monotonic() - self._start, self.done - self._initial
        if self._with_rate and fresh > 0 and elapsed > 0:
            rate = fresh / elapsed
            parts.append(f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.2g}/s")
            if self.total is not None and self.total > self.done:
                parts.append(f"{duration((self.total - self.done) / rate)} left")
        return [part for part in (*parts, text) if part]

    def _counts(self) -> str:
        unit = f" {self._unit}" if self._unit else ""
        if self.total is None:
            return f"{self.done:,.0f}{unit}" if self._unit else ""
        if self._share:
            return f"{self.done / self.total:.0%}" if self.total else "100%"
        return f"{self.done:,.0f}/{self.total:,.0f}{unit}"

    def _frame(self) -> Any:
        from rich.console import Group
        from rich.text import Text

        line = Text(self._title, no_wrap=True, overflow="ellipsis")
        if self.total is not None:
            line.append("  " if self._title else "")
            line.append(draw_bar(self.done, self.total, _BAR_WIDTH), style="green")
        numbers = one_line(", ".join(self._parts()))
        line.append(f"  {numbers}" if line.plain and numbers else numbers)
        body = self._detail() if self._detail is not None else ()
        if not isinstance(body, Sequence) or isinstance(body, str):
            return Group(line, body) if line.plain else body
        lines = [Text(one_line(text), no_wrap=True, overflow="ellipsis") for text in body]
        return Group(*([line] if line.plain else []), *lines)


def track(items: Sequence[T], title: str, unit: str = "") -> Iterator[T]:
    """The items, with a progress bar while they are consumed; no plain lines."""
    with Progress(title, len(items), unit, line_seconds=None) as progress:
        for number, item in enumerate(items):
            progress.update(number)
            yield item


def draw_bar(done: float, total: float, width: int) -> str:
    """`━━━━━━────` of `width` characters."""
    full = width if total <= 0 else round(width * min(max(done / total, 0.0), 1.0))
    return "━" * full + "─" * (width - full)


def _start_live() -> Live:
    from rich.console import Console
    from rich.live import Live

    live = Live(
        console=Console(stderr=True),
        transient=True,
        auto_refresh=False,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    live.start()
    return live
