# SPDX-License-Identifier: MIT
"""Matches of a run: `make_match`; `Gatekeeper` runs the gating matches, in a thread beside training
or in turns with it.

A match takes seconds to a minute, so training does not wait. The `Candidate` is a copy of the
averaged nets; later steps do not change it. The thread reads the other generation, plays, and
writes nothing: the loop acts on the result in its own thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from time import monotonic, sleep
from typing import Any, TypeAlias

import torch

from tengen.nets.weights import NetWeights
from tengen.zero.config import ZeroConfig
from tengen.zero.gate.net_match import Match, NetMatchConfig, NetMatchResult, play_net_match
from tengen.zero.zero_folder import Generation

_POLL = 0.05  # seconds between two checks whether a match has ended

MatchFactory: TypeAlias = Callable[[ZeroConfig, torch.device], Match]


def match_config(config: ZeroConfig, playouts: int = 0) -> NetMatchConfig:
    """How nets of a run play, with so many playouts per move; 0: those of its gate."""
    return NetMatchConfig(
        rule=config.rule,
        size=config.size,
        playouts=playouts or config.gate.playouts,
        seed=config.seed,
        threads=int(config.selfplay.get("threads", 0)),
    )


def make_match(config: ZeroConfig, device: torch.device, playouts: int = 0) -> Match:
    """Matches as `match_config` has them. The default `MatchFactory`."""
    made = match_config(config, playouts)

    def play(
        first: Sequence[NetWeights],
        second: Sequence[NetWeights],
        games: int,
        seed: int,
        stop: Callable[[], bool],
    ) -> NetMatchResult | None:
        drawn = replace(made, games=games, seed=seed)
        return play_net_match(drawn, first, second, device, stop=stop)

    return play


@dataclass(frozen=True, slots=True)
class Candidate:
    nets: Mapping[str, NetWeights]
    metadata: Mapping[str, Any]  # for `about.json`: step, seconds, positions, games, …

    @property
    def step(self) -> int:
        return int(self.metadata["step"])


@dataclass(frozen=True, slots=True)
class GateResult:
    """A finished gating match."""

    candidate: Candidate
    against: Generation
    match: NetMatchResult | None  # None: gate.games is 0, every candidate is accepted
    score: float  # share of the points that was needed
    seconds: float

    @property
    def accepted(self) -> bool:
        return self.match is None or self.match.share >= self.score

    def metadata(self) -> dict[str, Any]:
        """Of the generation that the candidate becomes, for `about.json`."""
        match = {"match": self.match.to_dict()} if self.match is not None else {}
        return {**self.candidate.metadata, **match}

    def to_event(self) -> dict[str, Any]:
        """As an event of the event log, without its time."""
        row: dict[str, Any] = {
            "step": self.candidate.step,
            "against": self.against.number,
            "accepted": self.accepted,
        }
        if self.match is not None:
            row |= {**self.match.to_dict(), "took": round(self.seconds, 2)}
        return row

    def __str__(self) -> str:
        match = self.match
        score = "no match" if match is None else f"{match.share:.1%} of {match.games} games"
        verdict = "accepted" if self.accepted else "rejected"
        step, number = self.candidate.step, self.against.number
        return f"step {step:,} against generation {number}: {score}; {verdict}"


class Gatekeeper:
    """One match at a time: `start` it, then poll `result`."""

    def __init__(
        self, config: ZeroConfig, match: Match, device: torch.device, *, threaded: bool
    ) -> None:
        """`threaded`: play in a thread; otherwise `start` returns when the match is over."""
        self._config = config
        self._match = match
        self._stop = threading.Event()
        self._future: Future[GateResult | None] | None = None
        # One thread for all matches: cuDNN benchmarks its algorithms anew in each thread.
        self._thread = ThreadPoolExecutor(1, "tengen-gate") if threaded else None
        # A stream with priority: a match has many small batches, and each would wait for all queued
        # work of the learner.
        self._stream = None
        if threaded and device.type == "cuda":
            self._stream = torch.cuda.Stream(device, priority=-1)  # type: ignore[no-untyped-call]

    @property
    def is_busy(self) -> bool:
        """Whether there is a match that `result` has not returned yet."""
        return self._future is not None

    def start(
        self,
        candidate: Candidate,
        against: Generation,
        stop: Callable[[], bool] = lambda: False,
    ) -> None:
        """Start a match; none may be in progress. Without a thread, `stop` aborts it and its errors
        are raised here.
        """
        assert not self.is_busy
        self._stop.clear()
        if self._thread is not None:
            self._future = self._thread.submit(self._play, candidate, against, self._stop.is_set)
            return
        future: Future[GateResult | None] = Future()
        future.set_result(self._play(candidate, against, stop))
        self._future = future

    def wait(self, stop: Callable[[], bool]) -> None:
        """Wait for the match; `stop` aborts it."""
        while self._future is not None and not self._future.done():
            if stop():
                self.abort()
            sleep(_POLL)

    def result(self) -> GateResult | None:
        """The result of the match, once; None if there is no match, it is in progress, or it was
        aborted. Raises the errors of the match.
        """
        if self._future is None or not self._future.done():
            return None
        future, self._future = self._future, None
        return future.result()

    def abort(self) -> None:
        """Ask the match to end soon, without a result. A finished match counts."""
        self._stop.set()

    def close(self) -> None:
        """Abort the match and wait for its thread. May be called more than once."""
        self.abort()
        if self._thread is not None:
            self._thread.shutdown()

    def _play(
        self, candidate: Candidate, against: Generation, stop: Callable[[], bool]
    ) -> GateResult | None:
        gate, start = self._config.gate, monotonic()
        match = None
        if gate.games:
            seed = self._config.seed + candidate.step
            others = against.nets(self._config.net_names)
            nets = list(candidate.nets.values())
            with torch.cuda.stream(self._stream):  # no-op without a stream
                match = self._match(nets, others, gate.games, seed, stop)
            if match is None:
                return None
        return GateResult(candidate, against, match, gate.score, monotonic() - start)
