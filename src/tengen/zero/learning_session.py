# SPDX-License-Identifier: MIT
"""One session of a run: from a start or resume to the next stop.

Each iteration stores the games that have arrived, trains one step if there are enough new
positions, and at intervals logs metrics, writes a checkpoint or starts a gating match, whose
result a later iteration collects. What is due next follows from the counts of the replay buffer,
the learner's step, the newest generation and the event log's last gate event; there is no other
state.
"""

from __future__ import annotations

import secrets
import zlib
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

import torch

from tengen.cluster import Cluster, LocalCluster
from tengen.data import BadData
from tengen.game.rule import Rule
from tengen.train.checkpoint import drop_old, latest, write_checkpoint
from tengen.train.net_trainer import device_name
from tengen.util.deprecation import renamed_fields
from tengen.zero.errors import SelfPlayFailed
from tengen.zero.gate.gatekeeper import Candidate, Gatekeeper, MatchFactory, make_match
from tengen.zero.learn.learner import Learner, initial_weights
from tengen.zero.learn.replay import GAME_COUNTS, ReplayBuffer
from tengen.zero.play import workers
from tengen.zero.play.generator import SelfPlayGames
from tengen.zero.play.selfplay import DEFAULT_FACTORY
from tengen.zero.play.validate import validate_games
from tengen.zero.play.workers import SelfPlayOutcome, SelfPlayTask, SelfPlayWorkers
from tengen.zero.run_log import ZeroLog, print_message
from tengen.zero.run_report import write_report
from tengen.zero.zero_folder import Generation, ZeroFolder

_WAIT = 0.2  # seconds to wait for games if no training step is due


@renamed_fields(factory="game_generator_factory", match="match_factory", cluster="cluster_factory")
@dataclass(frozen=True)
class RunFactories:
    """What makes the game generators, gating matches and cluster of a run. Tests replace them."""

    game_generator_factory: str = DEFAULT_FACTORY  # "module:function", imported by the workers
    match_factory: MatchFactory = make_match
    cluster_factory: Callable[[int, float], Cluster] = LocalCluster  # from workers and timeout


@dataclass(frozen=True)
class RunResult:
    """The state of a run, over all sessions."""

    folder: Path
    seconds: float
    planned: float  # time budget, seconds
    step: int
    generation: int
    counts: dict[str, int]
    is_done: bool  # the time budget is used up and the last match is over


class LearningSession:
    """One session of a run: from a start or resume to the next stop."""

    def __init__(self, folder: ZeroFolder, device: torch.device, factories: RunFactories) -> None:
        self._folder = folder
        self._config = config = folder.config
        self._device = device
        self._factories = factories
        self._learner = Learner(config, device)
        self._replay = ReplayBuffer(folder.replay, config.rule, config.size, folder.redistributable)
        self._plays_inline = not config.play.workers and not config.play.thread
        match = factories.match_factory(config, device)
        self._gate = Gatekeeper(config, match, device, threaded=not self._plays_inline)
        self._rule = Rule.parse(config.rule)
        self._session_id = secrets.token_hex(4)  # part of the names of this session's tasks
        self._tasks = 0
        self._generation: Generation
        self._workers: SelfPlayWorkers | None = None
        self._stop: Callable[[], bool] = lambda: False
        self._exit_stack = ExitStack()  # closes the log
        self._log: ZeroLog  # open from `prepare` on
        self._budget = 60.0 * config.minutes
        self._previous_seconds = 0.0  # seconds of earlier sessions
        self._start = monotonic()
        self._saved_step = -1  # of the last checkpoint
        self._gated_step = -1  # of the candidate of the last match
        self._last_log_time = self._last_checkpoint_time = self._last_gate_time = 0.0
        self._logged_samples = self._logged_positions = 0

    # --- start ---

    def prepare(self, stop: Callable[[], bool]) -> bool:
        """Restore the state of the run. False if stopped before that."""
        folder, learner, net_names = self._folder, self._learner, self._config.net_names
        events = folder.events()
        state = latest(folder.checkpoints, folder.run, print_message)
        generations = folder.generations()
        if state is not None:
            learner.restore(state)
            self._previous_seconds = state.seconds
            self._saved_step = state.step
        elif generations:
            newest = generations[-1]
            learner.load_weights(dict(zip(net_names, newest.nets(net_names), strict=True)))
            learner.step = int(newest.metadata.get("step", 0))
        else:
            weights = initial_weights(self._config, folder.path, str(self._device), stop)
            if weights is None:
                return False
            if weights:
                learner.load_weights(weights)
        self._previous_seconds = max(
            [self._previous_seconds, *(float(event["seconds"]) for event in events)]
        )
        self._start = monotonic()
        for fault in self._replay.quarantine_damaged():
            print_message(f"{fault}; the run continues without these games, moved to damaged/")
        for batch in self._replay.newest(self._config.replay.max_window):
            learner.add(batch)
        if generations:
            self._generation = generations[-1]
        else:
            first = self._candidate()
            self._generation = folder.add_generation(first.nets, first.metadata)
        for event in events:
            if event["event"] == "gate":
                # Stored at the end of the match, with the seconds that it took.
                self._last_gate_time = event["seconds"] - event.get("took", 0.0)
                self._gated_step = int(event.get("step", -1))
        self._last_log_time = self._last_checkpoint_time = self._previous_seconds
        self._logged_samples, self._logged_positions = learner.samples, self._replay.positions
        self._log = self._exit_stack.enter_context(ZeroLog(folder, self._previous_seconds))
        self._add("session", step=learner.step, **self._replay.counts)
        config = self._config
        net = f"{config.spec.name}{' per colour' if config.colours else ''}"
        time = f"minute {self._previous_seconds / 60:.1f} of {config.minutes:g}"
        device = device_name(self._device)
        self._log.print(f"{config.game}, {net} on {device}: {time}, {self._progress()}")
        return True

    def _start_workers(self) -> SelfPlayWorkers:
        play = self._config.play
        if self._plays_inline:
            return workers.InlineWorker(self._next_task, self._validate, self._stop)
        cluster: Cluster = workers.ThreadCluster()
        if play.workers:
            cluster = self._factories.cluster_factory(play.workers, play.timeout)
        return workers.ClusterWorkers(
            cluster, self._next_task, self._may_start_task, self._validate
        )

    # --- self-play ---

    def _next_task(self) -> SelfPlayTask:
        config, generation = self._config, self._generation
        self._tasks += 1
        seed = f"{config.seed} {self._replay.positions} {self._tasks}"
        return SelfPlayTask(
            name=f"{self._session_id}.{self._tasks}",
            positions=config.play.rows,
            seed=zlib.crc32(seed.encode()) >> 1,
            generation=generation.number,
            nets=tuple(str(generation.path / f"{name}.pt") for name in config.net_names),
            settings=config.selfplay_settings,
            game_generator_factory=self._factories.game_generator_factory,
            device=str(self._device),
        )

    def _validate(self, result: object, task: SelfPlayTask) -> SelfPlayGames:
        replay, size = self._replay, self._config.size
        moves, columns = replay.policy_moves, replay.columns
        return validate_games(result, task, self._rule, size, moves, columns=columns)

    def _may_start_task(self) -> bool:
        """Whether another task may start: self-play must not be too far ahead of training."""
        learn, replay = self._config.learn, self._config.replay
        positions = self._replay.positions
        learner = self._learner
        lag = learn.ratio * positions - learner.selfplay_samples  # samples not trained on yet
        max_lag = max(
            learn.ahead * self._config.play.rows * learn.ratio, learner.selfplay_samples_per_step
        )
        return positions < replay.start or lag <= max_lag or not learner.ready

    def _ingest(self, outcome: SelfPlayOutcome) -> None:
        """Store the games of a task, or log why not."""
        games, generation = outcome.games, outcome.task.generation
        if games is None:
            self._reject(outcome, outcome.error)
            return
        try:
            origin = f"generation {generation} {outcome.worker}"
            positions = self._replay.add(games, outcome.task.name, origin)
        except BadData as error:  # positions that do not fit the stored ones
            self._reject(outcome, str(error))
            return
        self._learner.add(positions)
        self._add(
            "play",
            worker=outcome.worker,
            task=outcome.task.name,
            generation=generation,
            rows=len(positions.board),
            **{name: getattr(games, name) for name in GAME_COUNTS},
            **{f"all_{name}": n for name, n in self._replay.counts.items()},
        )
        replay = self._config.replay
        if replay.disk:
            self._replay.drop(max(replay.disk, replay.max_window))

    def _reject(self, outcome: SelfPlayOutcome, error: str) -> None:
        event = {"worker": outcome.worker, "task": outcome.task.name, "error": error}
        self._add("rejected", **event, dismissed=outcome.dismissed)
        end = "; this worker gets no more tasks" if outcome.dismissed else ""
        first = next(iter(error.splitlines()), "")
        self._log.print(f"games of {outcome.worker} rejected: {first}{end}")

    # --- the loop ---

    def run(self, stop: Callable[[], bool]) -> RunResult:
        self._stop = stop
        self._workers = self._start_workers()
        try:
            while not stop() and self._seconds() < self._budget:
                self._iterate(self._workers)
            if stop():
                self._gate.abort()
            self._workers.close()
            for outcome in self._workers.results(0.0):  # arrived during close
                self._ingest(outcome)
        except SelfPlayFailed:
            self._save()
            raise
        self._log_metrics()
        self._save()
        # Finish the match in progress, if there is one: training has stopped, so the device is
        # free, and its candidate may be better than the final weights, whose match comes next.
        self._finish_match()
        is_done = False
        if self._seconds() >= self._budget and not stop():
            self._start_match()
            is_done = self._finish_match()
            if is_done:
                self._add("done", generation=self._generation.number)
        self._write_report()
        seconds, step, number = self._seconds(), self._learner.step, self._generation.number
        counts, path = self._replay.counts, self._folder.path
        return RunResult(path, seconds, self._budget, step, number, counts, is_done)

    def _iterate(self, workers: SelfPlayWorkers) -> None:
        may_train = self._may_train()
        for outcome in workers.results(0.0 if may_train else _WAIT):
            self._ingest(outcome)
        if may_train:
            self._learner.learn(self._replay.positions, self._seconds() / self._budget)
        run, now = self._config.run, self._seconds()
        if now - self._last_log_time >= run.log:
            self._log_metrics()
        if now - self._last_gate_time >= 60 * self._config.gate.minutes and not self._gate.is_busy:
            self._start_match()
        self._collect_match()
        if now - self._last_checkpoint_time >= run.checkpoint:
            self._save()

    def _may_train(self) -> bool:
        positions, learner = self._replay.positions, self._learner
        allowed = self._config.learn.ratio * positions
        enough = positions >= self._config.replay.start and learner.ready
        return enough and learner.selfplay_samples + learner.selfplay_samples_per_step <= allowed

    def _log_metrics(self) -> None:
        learner, now = self._learner, self._seconds()
        learner.check_finite()
        passed = max(now - self._last_log_time, 1e-9)
        counts = self._replay.counts
        samples = learner.samples - self._logged_samples
        positions = counts["positions"] - self._logged_positions
        losses = learner.pop_mean_losses()
        if losses:
            self._add(
                "learn",
                step=learner.step,
                samples=learner.samples,
                rate=learner.learning_rate(now / self._budget),
                window=self._config.replay.window(counts["positions"]),
                samples_per_second=round(samples / passed, 1),
                positions_per_second=round(positions / passed, 1),
                positions=counts["positions"],
                games=counts["games"],
                **losses,
            )
        shown = [f"{n} {losses[n]:.4f}" for n in ("value", "policy") if n in losses]
        self._last_log_time, self._logged_samples = now, learner.samples
        self._logged_positions = counts["positions"]
        self._log.update(now, ", ".join([self._progress(), *shown]))

    def _progress(self) -> str:
        counts = self._replay.counts
        return (
            f"generation {self._generation.number}, step {self._learner.step:,},"
            f" {counts['games']:,} games, {counts['positions']:,} positions"
        )

    def _save(self) -> None:
        """Write a checkpoint if there were steps since the last one."""
        self._learner.check_finite()
        self._last_checkpoint_time = self._seconds()
        if self._saved_step == self._learner.step:
            return
        state = self._learner.snapshot(self._folder.run, self._seconds())
        written = write_checkpoint(self._folder.checkpoints, state)
        drop_old(self._folder.checkpoints, self._config.run.keep, written)
        self._saved_step = self._learner.step

    # --- the gate ---

    def _start_match(self) -> None:
        """Start a match of the current nets against the newest generation, unless there was no
        training step since that generation or since the last match.
        """
        self._last_gate_time = self._seconds()
        step = self._learner.step
        if step <= int(self._generation.metadata.get("step", 0)) or step == self._gated_step:
            return
        self._save()  # a resumed run must not continue from before its newest generation
        self._gate.start(self._candidate(), self._generation, self._stop)

    def _finish_match(self) -> bool:
        """Wait for the match in progress, if any, and apply its result. False: it was aborted."""
        self._gate.wait(self._stop)
        was_busy = self._gate.is_busy
        return self._collect_match() or not was_busy

    def _collect_match(self) -> bool:
        """Apply the result of a finished match; returns whether there was one."""
        result = self._gate.result()
        if result is None:
            return False
        self._gated_step = result.candidate.step
        if result.accepted:
            self._generation = self._folder.add_generation(result.candidate.nets, result.metadata())
        self._add("gate", **result.to_event(), generation=self._generation.number)
        self._log.print(str(result))
        self._write_report()
        return True

    def _write_report(self) -> None:
        """A report that cannot be written does not end the run."""
        try:
            write_report(self._folder)
        except OSError as error:
            self._log.print(f"no report was written: {error}")

    def _candidate(self) -> Candidate:
        """The current averaged (EMA) nets."""
        folder, counts = self._folder, self._replay.counts
        metadata: dict[str, Any] = {
            "run": folder.run,
            "rule": self._config.rule,
            "size": self._config.size,
            "redistributable": folder.redistributable,
            "seconds": round(self._seconds(), 1),
            "positions": counts["positions"],
            "games": counts["games"],
        }
        nets = self._learner.averaged_nets({**metadata, "config": self._config.to_dict()})
        return Candidate(nets, {**metadata, "step": self._learner.step})

    # --- helpers ---

    def _seconds(self) -> float:
        """Wall time of the run over all sessions."""
        return self._previous_seconds + monotonic() - self._start

    def _add(self, event: str, **values: Any) -> None:
        self._log.add({"event": event, "seconds": round(self._seconds(), 2), **values})

    def close(self) -> None:
        self._gate.close()
        if self._workers is not None:
            self._workers.close()
        self._learner.close()
        self._replay.close()
        self._exit_stack.close()
