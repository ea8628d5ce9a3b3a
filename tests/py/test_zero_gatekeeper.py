# SPDX-License-Identifier: MIT
"""Gating matches during learning: learning continues, the match uses the nets of its start, one
match at a time, stops, errors, and the end of the run.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
import torch

from tengen.nets.weights import NetWeights
from tengen.train.checkpoint import read_checkpoint
from tengen.train.errors import TrainingFailed
from tengen.zero.config import ZeroConfig
from tengen.zero.errors import BadZero
from tengen.zero.gate.net_match import Match, NetMatchResult
from tengen.zero.loop import RunResult, run_zero
from tengen.zero.zero_folder import ZeroFolder
from zero_runs import AT_ONCE, check_folder, config, events, go, make_factories

pytestmark = pytest.mark.usefixtures("one_thread")
TIMEOUT = 60.0  # seconds for what must happen at some time
WON, LOST = NetMatchResult((0, 0, 0, 0, 2)), NetMatchResult((2, 0, 0, 0, 0))


class LongMatch:
    """A match that lasts until `is_over()` or a stop."""

    def __init__(
        self, is_over: Callable[[], bool] = lambda: True, verdict: NetMatchResult | Exception = WON
    ) -> None:
        self.is_over, self.verdict = is_over, verdict
        self.begins: list[float] = []  # moments
        self.steps: list[int] = []  # of the candidates
        self.threads: set[int] = set()
        self.under_way = self.most = 0  # matches at once
        self.stopped = 0

    def __call__(self, made: ZeroConfig, device: torch.device) -> Match:
        return self._play

    def _play(
        self,
        first: Sequence[NetWeights],
        second: Sequence[NetWeights],
        games: int,
        seed: int,
        stop: Callable[[], bool],
    ) -> NetMatchResult | None:
        self.threads.add(threading.get_ident())
        self.steps.append(first[0].metadata["step"])
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        self.begins.append(monotonic())
        try:
            return self._result(stop)
        finally:
            self.under_way -= 1

    def _result(self, stop: Callable[[], bool]) -> NetMatchResult | None:
        while not self.is_over():
            assert monotonic() < self.begins[-1] + TIMEOUT, "the match does not end"
            if stop():
                self.stopped += 1
                return None
            threading.Event().wait(0.002)
        if isinstance(self.verdict, Exception):
            raise self.verdict
        return self.verdict


def beside(**changes: Any) -> ZeroConfig:
    """A run with self-play in a thread and matches as often as possible."""
    gate = {"minutes": AT_ONCE, "games": 4, **changes.pop("gate", {})}
    return config(play={"thread": True}, gate=gate, run={"keep": 1000}, **changes)


def run_until(
    holds: Callable[[], bool], path: Path, match: LongMatch, made: ZeroConfig | None = None
) -> RunResult:
    """Start or resume a run until a condition holds."""
    end = monotonic() + TIMEOUT

    def stop() -> bool:
        assert monotonic() < end, "the run does not get on"
        return holds()

    use = make_factories(match_factory=match)
    result = run_zero(made, path, device="cpu", resume=made is None, stop=stop, factories=use)
    assert result is not None
    check_folder(path)
    return result


def learned(path: Path, steps: int) -> Callable[[], bool]:
    """Whether this many steps are done."""
    return lambda: any(row["step"] >= steps for row in events(path, "learn"))


def test_learning_continues_during_the_match(tmp_path: Path) -> None:
    """The next generation has the nets and the step of the start of the match."""
    path = tmp_path / "run"
    match = LongMatch(learned(path, 12))
    result = run_until(lambda: bool(events(path, "gate")), path, match, beside())
    (row, *_) = events(path, "gate")
    step = match.steps[0]
    assert row["step"] == step < 12 <= result.step
    assert 0 < row["took"] < row["seconds"]
    made = ZeroFolder.read(path).generations()[1]
    assert made.metadata["step"] == step
    assert made.metadata["seconds"] <= row["seconds"] - row["took"] + 0.1
    assert made.metadata["match"]["share"] == 1.0
    assert made.metadata["positions"] <= result.counts["positions"]
    played = {play["all_games"]: play["all_positions"] for play in events(path, "play")}
    assert played[made.metadata["games"]] == made.metadata["positions"], "both of one moment"
    (net,) = made.nets(("net",))
    assert (net.metadata["step"], net.metadata["games"]) == (step, made.metadata["games"])
    (then,) = (path / "checkpoints").glob(f"step-{step:09}*")
    average = read_checkpoint(then).average
    assert all(torch.equal(net.weights[name], average[f"net/{name}"]) for name in net.weights)


def test_a_rejected_candidate_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "run"
    match = LongMatch(verdict=LOST)
    result = run_until(lambda: len(events(path, "gate")) >= 2, path, match, beside())
    assert result.generation == 0
    assert {row["generation"] for row in events(path, "gate")} == {0}


def test_one_match_at_a_time(tmp_path: Path) -> None:
    """A match starts when it is due and the previous one has ended."""
    path, other = tmp_path / "run", tmp_path / "other"
    slow, quick = LongMatch(), LongMatch()
    slow.is_over = lambda: monotonic() - slow.begins[-1] > 0.1
    run_until(lambda: len(events(path, "gate")) >= 4, path, slow, beside())
    assert slow.most == 1
    assert len(slow.threads) == 1
    assert threading.get_ident() not in slow.threads
    assert slow.steps == sorted(set(slow.steps)), "what has not learned since plays no match"
    run_until(learned(other, 12), other, quick, beside(gate={"minutes": 60.0}))
    assert not quick.begins


def test_a_stop_aborts_the_match(tmp_path: Path) -> None:
    path = tmp_path / "run"
    match = LongMatch(lambda: False)
    requests = [0.0]

    def under_way() -> bool:
        requests[0] = monotonic()
        return bool(match.under_way) and learned(path, 8)()

    first = run_until(under_way, path, match, beside())
    assert monotonic() - requests[0] < 5.0, "soon"  # writing files takes a while, too
    assert match.stopped == 1
    assert match.under_way == 0
    assert first.generation == 0
    assert not events(path, "gate")
    assert not first.is_done
    again = LongMatch()
    second = run_until(lambda: bool(events(path, "gate")), path, again)
    assert again.steps[0] >= first.step >= 8, "nothing but the match was lost"
    assert second.generation >= 1


@pytest.mark.parametrize("error", [TrainingFailed("of no use"), OSError("no room"), KeyError(3)])
def test_an_error_is_reported(error: Exception, tmp_path: Path) -> None:
    path = tmp_path / "run"
    with pytest.raises(type(error)) as reported:
        run_until(lambda: False, path, LongMatch(verdict=error), beside())
    assert reported.value is error
    assert not events(path, "gate")
    assert run_until(lambda: bool(events(path, "gate")), path, LongMatch()).generation >= 1


def test_a_late_error_is_reported(tmp_path: Path) -> None:
    """A match that fails during a stop; the rest is saved before the error is raised."""
    path = tmp_path / "run"
    match = LongMatch(verdict=TrainingFailed("of no use"))
    requested = threading.Event()
    match.is_over = requested.is_set

    def stop() -> bool:
        if match.under_way and learned(path, 8)():
            requested.set()
            return True
        return False

    with pytest.raises(TrainingFailed, match="of no use"):
        run_until(stop, path, match, beside())
    assert run_until(lambda: True, path, LongMatch()).step >= 8


def test_another_error_ends_the_match(tmp_path: Path) -> None:
    match = LongMatch(lambda: False)

    def stop() -> bool:
        if match.under_way:
            raise BadZero("something else")
        return False

    with pytest.raises(BadZero, match="something else"):
        run_until(stop, tmp_path / "run", match, beside())
    assert (match.stopped, match.under_way) == (1, 0)


@pytest.mark.integration
def test_the_end_of_the_plan(tmp_path: Path) -> None:
    """The running match is finished, then the last weights play theirs."""
    path = tmp_path / "run"
    made = beside(minutes=0.1, replay={"start": 60})
    match = LongMatch()
    planned = 60 * made.minutes
    match.is_over = lambda: monotonic() > match.begins[0] + planned + 0.2  # learning has ended
    result = run_until(lambda: False, path, match, made)
    rows = events(path, "gate")
    assert [row["step"] for row in rows] == match.steps
    assert len(rows) == 2
    assert rows[0]["seconds"] >= planned
    assert rows[1]["step"] == result.step > rows[0]["step"]
    assert rows[1]["against"] == rows[0]["generation"] == 1
    assert result.generation == 2
    assert result.is_done
    assert ZeroFolder.read(path).is_done


def past_its_plan(path: Path, thread: bool) -> Path:
    """A run that has learned, and whose last match is left."""
    made = beside(replay={"start": 60}, gate={"minutes": 1000.0})
    made = replace(made, play=replace(made.play, thread=thread))
    run_until(learned(path, 1), path, LongMatch(), made)
    ZeroFolder.read(path).resumed_with(replace(made, minutes=0.001))  # which has passed
    return path


@pytest.mark.parametrize("thread", [True, False])
def test_a_stop_after_the_end_of_the_plan(thread: bool, tmp_path: Path) -> None:
    """The last match is aborted and played when the run resumes; only then the run is done."""
    path = past_its_plan(tmp_path / "run", thread)
    match = LongMatch(lambda: False)
    result = run_until(lambda: bool(match.begins), path, match)
    assert (match.stopped, result.is_done) == (1, False)
    assert result.seconds > result.planned
    assert not events(path, "gate")
    assert not ZeroFolder.read(path).is_done
    run_until(lambda: False, path, LongMatch())
    assert [row["step"] for row in events(path, "gate")] == match.steps == [result.step]
    assert ZeroFolder.read(path).is_done


@pytest.mark.parametrize("thread", [True, False])
def test_a_run_that_is_done_plays_no_match_again(thread: bool, tmp_path: Path) -> None:
    """Its last weights were rejected; they are unchanged after a resume."""
    path = past_its_plan(tmp_path / "run", thread)
    for begins in (1, 0):
        match = LongMatch(verdict=LOST)
        result = run_until(lambda: False, path, match)
        assert (len(match.begins), result.is_done, result.generation) == (begins, True, 0)
        assert len(events(path, "gate")) == 1


def test_inline_matches_run_at_once(tmp_path: Path) -> None:
    """Games, learning and matches take turns where no thread or process plays: repeatable."""
    match = LongMatch()
    path = tmp_path / "run"
    go(config(gate={"minutes": AT_ONCE, "games": 4}), path, 12, match_factory=match)
    assert match.threads == {threading.get_ident()}
    kinds = [row for row in ZeroFolder.read(path).events() if row["event"] != "play"]
    for before, row in pairwise(kinds):
        if row["event"] == "gate":
            assert (before["event"], before["step"]) == ("learn", row["step"])


def test_every_candidate_is_accepted_without_games(tmp_path: Path) -> None:
    path = tmp_path / "run"
    match = LongMatch()
    run_until(lambda: len(events(path, "gate")) >= 2, path, match, beside(gate={"games": 0}))
    assert not match.begins
    assert all(row["accepted"] and "took" not in row for row in events(path, "gate"))
