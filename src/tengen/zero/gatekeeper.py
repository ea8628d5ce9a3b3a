# SPDX-License-Identifier: MIT
"""Who holds the matches of the gate: `Gatekeeper`, in a thread beside learning or in turns with
it. Relies on the gate's kinds of matches and on generations; the session relies on it.

A match takes seconds to a minute, so learning does not wait for it. What plays is a `Candidate`,
the averaged nets of a moment with tensors of their own; what has been learned since does not
change it. The match's thread reads the other generation, plays, and writes nothing: what follows
from the verdict is done by the session, in the session's thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from time import monotonic, sleep
from typing import Any

import torch

from tengen.nets.weights import NetWeights
from tengen.zero.config import ZeroConfig
from tengen.zero.folder import Generation
from tengen.zero.gate import Match, Verdict

__all__ = ["Candidate", "Gatekeeper", "Trial"]

_LOOK = 0.05  # seconds between two looks whether a match has ended


@dataclass(frozen=True, slots=True)
class Candidate:
    """The nets of a moment, and what was true in it."""

    nets: Mapping[str, NetWeights]
    about: Mapping[str, Any]  # for `about.json`: the step, seconds, positions, games, …

    @property
    def step(self) -> int:
        return int(self.about["step"])


@dataclass(frozen=True, slots=True)
class Trial:
    """A match that came to its end."""

    candidate: Candidate
    against: Generation
    verdict: Verdict | None  # None: no match is wanted, every candidate is accepted
    score: float  # the share of the points that was needed
    took: float  # seconds

    @property
    def accepted(self) -> bool:
        return self.verdict is None or self.verdict.share >= self.score

    def about(self) -> dict[str, Any]:
        """Of the generation that the candidate becomes."""
        match = {"match": self.verdict.row()} if self.verdict is not None else {}
        return {**self.candidate.about, **match}

    def row(self) -> dict[str, Any]:
        """For the journal."""
        row: dict[str, Any] = {
            "step": self.candidate.step,
            "against": self.against.number,
            "accepted": self.accepted,
        }
        if self.verdict is not None:
            row |= {**self.verdict.row(), "took": round(self.took, 2)}
        return row

    def words(self) -> str:
        verdict = self.verdict
        told = "no match" if verdict is None else f"{verdict.share:.1%} of {verdict.games} games"
        end = "plays from now on" if self.accepted else "is not taken"
        step, number = self.candidate.step, self.against.number
        return f"step {step:,} against generation {number}: {told}; {end}"


class Gatekeeper:
    """Holds one match at a time: `begin`, then ask `ended` until it tells how it went."""

    def __init__(
        self, config: ZeroConfig, match: Match, device: torch.device, *, beside: bool
    ) -> None:
        """`beside`: in a thread, while the caller goes on; else `begin` returns when it is over."""
        self._config = config
        self._match = match
        self._stop = threading.Event()
        self._held: Future[Trial | None] | None = None
        # One thread for all matches: the fastest convolutions are searched for anew in each thread.
        self._thread = ThreadPoolExecutor(1, "tengen-gate") if beside else None
        # A stream that goes first: a match is many small batches, and each would wait for all
        # that learning has begun.
        self._stream = None
        if beside and device.type == "cuda":
            self._stream = torch.cuda.Stream(device, priority=-1)  # type: ignore[no-untyped-call]

    @property
    def is_busy(self) -> bool:
        """Whether there is a match that `ended` has not told of yet."""
        return self._held is not None

    def begin(
        self,
        candidate: Candidate,
        against: Generation,
        stop: Callable[[], bool] = lambda: False,
    ) -> None:
        """Let a candidate play a generation. Requires that none is under way. If it is not held
        beside, `stop` gives it up, and what the match raises is raised here.
        """
        assert not self.is_busy
        self._stop.clear()
        if self._thread is not None:
            self._held = self._thread.submit(self._hold, candidate, against, self._stop.is_set)
            return
        held: Future[Trial | None] = Future()
        held.set_result(self._hold(candidate, against, stop))
        self._held = held

    def wait(self, stop: Callable[[], bool]) -> None:
        """Until no match is under way; `stop` gives it up."""
        while self._held is not None and not self._held.done():
            if stop():
                self.give_up()
            sleep(_LOOK)

    def ended(self) -> Trial | None:
        """The match that was begun, told once; None if there is none, if it is still under way, or
        if it was given up. Raises what the match raised.
        """
        if self._held is None or not self._held.done():
            return None
        held, self._held = self._held, None
        return held.result()

    def give_up(self) -> None:
        """Ask the match under way to end soon, without a verdict. One that is over counts."""
        self._stop.set()

    def close(self) -> None:
        """Give the match up, and wait for its thread. Allowed more than once."""
        self.give_up()
        if self._thread is not None:
            self._thread.shutdown()

    def _hold(
        self, candidate: Candidate, against: Generation, stop: Callable[[], bool]
    ) -> Trial | None:
        gate, begun = self._config.gate, monotonic()
        verdict = None
        if gate.games:
            seed = self._config.seed + candidate.step
            others = against.nets(self._config.players)
            nets = list(candidate.nets.values())
            with torch.cuda.stream(self._stream):  # without a stream: nothing
                verdict = self._match(nets, others, gate.games, seed, stop)
            if verdict is None:
                return None
        return Trial(candidate, against, verdict, gate.score, monotonic() - begun)
