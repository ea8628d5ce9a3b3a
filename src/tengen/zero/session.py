# SPDX-License-Identifier: MIT
"""A run while it runs: `Session`, from the state on disk to the next stop. Relies on everything
else here; `loop` relies on it.

Each turn takes in the games that have come, learns one step if the pace allows it, and now and then
writes a line, a checkpoint, or calls for a match of the gate, whose verdict is heard in a later
turn. What is due follows from the counts of the replay, the learner's step, the newest generation
and the journal's last verdict; nothing else is remembered.
"""

from __future__ import annotations

import secrets
import zlib
from collections.abc import Callable
from time import monotonic
from typing import Any

import torch

from tengen.cluster import Cluster
from tengen.data import BadData
from tengen.game.rule import Rule
from tengen.train.checkpoint import drop_old, latest, write_checkpoint
from tengen.train.state import device_name
from tengen.zero.crew import Crew, InsideCrew, Outcome, ThisProcess, WorkerCrew
from tengen.zero.errors import SelfPlayFailed
from tengen.zero.folder import Generation, ZeroFolder, read_events
from tengen.zero.gatekeeper import Candidate, Gatekeeper
from tengen.zero.generator import Games
from tengen.zero.judge import judge
from tengen.zero.learner import Learner
from tengen.zero.log import Log, tell
from tengen.zero.parts import Parts, Result
from tengen.zero.replay import Replay
from tengen.zero.report import write_report
from tengen.zero.start import first_weights
from tengen.zero.worker import Task

__all__ = ["Session"]

_WAIT = 0.2  # seconds for games to come, if there is nothing to learn


class Session:
    """A run while it runs."""

    def __init__(self, folder: ZeroFolder, device: torch.device, parts: Parts) -> None:
        self._folder = folder
        self._config = folder.config
        self._device = device
        self._parts = parts
        self._learner = Learner(folder.config, device)
        config = folder.config
        self._replay = Replay(folder.replay, config.rule, config.size, folder.ships)
        play = config.play
        self._takes_turns = not play.workers and not play.thread  # of games and learning
        match = parts.match(config, device)
        self._gate = Gatekeeper(config, match, device, beside=not self._takes_turns)
        self._rule = Rule.parse(config.rule)
        self._token = secrets.token_hex(4)  # in the names of this session's tasks
        self._tasks = 0
        self._generation: Generation
        self._crew: Crew | None = None
        self._asked_to_stop: Callable[[], bool] = lambda: False
        self._log: Log | None = None
        self._before = 0.0  # seconds of earlier sessions
        self._start = monotonic()
        self._saved_step = self._judged_step = -1  # of the last checkpoint, the last verdict
        self._logged = self._checkpointed = self._gated = 0.0
        self._logged_samples = self._logged_positions = 0

    # --- beginning ---

    def prepare(self, stop: Callable[[], bool]) -> bool:
        """Bring everything to where the run was. False if it was stopped before."""
        folder, learner = self._folder, self._learner
        rows = read_events(folder.journal)
        found = latest(folder.checkpoints, folder.run, tell)
        there = folder.generations()
        if found is not None:
            learner.restore(found)
            self._before = found.seconds
            self._saved_step = found.step
        elif there:
            nets = dict(
                zip(self._config.players, there[-1].nets(self._config.players), strict=True)
            )
            learner.start_from(nets)
            learner.step = int(there[-1].about.get("step", 0))
        else:
            first = first_weights(self._config, folder.path, str(self._device), stop)
            if first is None:
                return False
            if first:
                learner.start_from(first)
        self._before = max([self._before, *(float(row["seconds"]) for row in rows)])
        self._start = monotonic()
        for fault in self._replay.set_aside_damaged():
            tell(f"{fault}; the run goes on without its games, the files are now in damaged/")
        for batch in self._replay.newest(self._config.replay.most):
            learner.add(batch)
        self._generation = there[-1] if there else self._first_generation()
        for row in rows:
            if row["event"] == "gate":
                self._gated = row["seconds"] - row.get("took", 0.0)
                self._judged_step = int(row.get("step", -1))
        self._logged = self._checkpointed = self._before
        self._logged_samples, self._logged_positions = learner.samples, self._replay.positions
        view = self._parts.view(self._before, self._planned)
        board = folder.path / "tensorboard" if self._config.run.tensorboard else None
        self._log = Log(folder.journal, board, view)
        self._add("session", step=learner.step, **self._replay.counts)
        view.show(self._words())
        return True

    def _words(self) -> str:
        counts, config = self._replay.counts, self._config
        return (
            f"{config.rule} {config.size}x{config.size}, {config.spec.name}"
            f"{' for each colour' if config.colours else ''} on {device_name(self._device)}:"
            f" minute {self._before / 60:.1f} of {config.minutes:g}, generation"
            f" {self._generation.number}, step {self._learner.step:,}, {counts['games']:,} games,"
            f" {counts['positions']:,} positions"
        )

    def _make_crew(self) -> Crew:
        play = self._config.play
        if self._takes_turns:
            return InsideCrew(self._next_task, self._judge, self._asked_to_stop)
        cluster: Cluster = ThisProcess()
        if play.workers:
            cluster = self._parts.cluster(play.workers, play.patience)
        return WorkerCrew(cluster, self._next_task, self._may_play, self._judge)

    # --- self-play ---

    def _next_task(self) -> Task:
        config, generation = self._config, self._generation
        self._tasks += 1
        told = f"{config.seed} {self._replay.positions} {self._tasks}"
        return Task(
            name=f"{self._token}.{self._tasks}",
            rows=config.play.rows,
            seed=zlib.crc32(told.encode()) >> 1,
            generation=generation.number,
            nets=tuple(str(generation.path / f"{name}.pt") for name in config.players),
            settings=config.settings,
            factory=self._parts.factory,
            device=str(self._device),
        )

    def _judge(self, found: object, task: Task) -> Games:
        where, replay = (self._rule, self._config.size), self._replay
        return judge(found, task, *where, replay.policy_moves, columns=replay.columns)

    def _may_play(self) -> bool:
        """Whether self-play may go on: it is not too far ahead of learning."""
        learn, replay = self._config.learn, self._config.replay
        positions = self._replay.positions
        owed = learn.ratio * positions - self._learner.samples
        room = max(learn.ahead * self._config.play.rows * learn.ratio, self._learner.step_samples)
        return positions < replay.start or owed <= room or not self._learner.ready

    def _take(self, found: Outcome) -> None:
        """Keep the games of a task, or tell why not."""
        games, generation = found.games, found.task.generation
        if games is None:
            self._reject(found, found.words)
            return
        try:
            told = f"generation {generation} {found.worker}"
            rows = self._replay.adopt(games, found.task.name, told)
        except BadData as error:  # rows that do not fit those that came first
            self._reject(found, str(error))
            return
        self._learner.add(rows)
        self._add(
            "play",
            worker=found.worker,
            task=found.task.name,
            generation=generation,
            rows=len(rows.board),
            moves=games.moves,
            playouts=games.playouts,
            black=games.black,
            white=games.white,
            drawn=games.drawn,
            **{f"all_{name}": n for name, n in self._replay.counts.items()},
        )
        keep = self._config.replay.disk
        if keep:
            self._replay.drop(max(keep, self._config.replay.most))

    def _reject(self, found: Outcome, words: str) -> None:
        self._add("rejected", worker=found.worker, task=found.task.name, words=words)
        end = "; it is not used any more" if found.dismissed else ""
        first = next(iter(words.splitlines()), "")
        self._show(f"games of {found.worker} were rejected: {first}{end}")

    # --- the turns ---

    def run(self, stop: Callable[[], bool]) -> Result:
        self._asked_to_stop = stop
        self._crew = self._make_crew()
        try:
            while not stop() and self._seconds() < self._planned:
                self._turn(self._crew)
            if stop():
                self._gate.give_up()
            self._crew.close()
            for found in self._crew.results(0.0):  # what came in while it was being closed
                self._take(found)
        except SelfPlayFailed:
            self._save()
            raise
        self._write_row()
        self._save()
        # A match under way at the end of the plan is finished: the device is free now, and its
        # candidate may be better than the last weights, which play for their place after it.
        self._await_verdict()
        done = False
        if self._seconds() >= self._planned and not stop():
            self._call_match()
            done = self._await_verdict()
            if done:
                self._add("done", generation=self._generation.number)
        self._write_report()
        return self._result(done)

    def _turn(self, crew: Crew) -> None:
        learns = self._may_learn()
        for found in crew.results(0.0 if learns else _WAIT):
            self._take(found)
        if learns:
            self._learner.learn(self._replay.positions, self._seconds() / self._planned)
        self._look_around()

    def _may_learn(self) -> bool:
        positions, learner = self._replay.positions, self._learner
        allowed = self._config.learn.ratio * positions
        enough = positions >= self._config.replay.start and learner.ready
        return enough and learner.samples + learner.step_samples <= allowed

    def _look_around(self) -> None:
        """Do what is due."""
        run, now = self._config.run, self._seconds()
        if now - self._logged >= run.log:
            self._write_row()
        due = now - self._gated >= 60 * self._config.gate.minutes
        if due and not self._gate.is_busy:
            self._call_match()
        self._hear_verdict()
        if now - self._checkpointed >= run.checkpoint:
            self._save()

    def _write_row(self) -> None:
        learner, now = self._learner, self._seconds()
        learner.check()
        passed = max(now - self._logged, 1e-9)
        counts = self._replay.counts
        losses = learner.read_sums()
        if losses:
            self._add(
                "learn",
                step=learner.step,
                samples=learner.samples,
                rate=learner.rate(now / self._planned),
                window=self._config.replay.window(counts["positions"]),
                samples_per_second=round((learner.samples - self._logged_samples) / passed, 1),
                positions_per_second=round(
                    (counts["positions"] - self._logged_positions) / passed, 1
                ),
                positions=counts["positions"],
                games=counts["games"],
                **losses,
            )
        told = ", ".join(
            f"{name} {losses[name]:.4f}" for name in ("value", "policy") if name in losses
        )
        words = (
            f"minute {now / 60:.1f}: generation {self._generation.number}, step {learner.step:,},"
            f" {counts['games']:,} games, {counts['positions']:,} positions"
        )
        self._logged, self._logged_samples = now, learner.samples
        self._logged_positions = counts["positions"]
        if self._log is not None:
            self._log.view.advance(now, f"{words}{', ' + told if told else ''}")

    def _save(self) -> None:
        """A checkpoint of the learner, if it has learned since the last."""
        self._learner.check()
        self._checkpointed = self._seconds()
        if self._saved_step == self._learner.step:
            return
        state = self._learner.snapshot(self._folder.run, self._seconds())
        written = write_checkpoint(self._folder.checkpoints, state)
        drop_old(self._folder.checkpoints, self._config.run.keep, written)
        self._saved_step = self._learner.step

    # --- the gate ---

    def _call_match(self) -> None:
        """Let the nets as they are now play for their place, if they have learned since; those that
        were refused do not play again.
        """
        self._gated = self._seconds()
        step = self._learner.step
        if step <= int(self._generation.about.get("step", 0)) or step == self._judged_step:
            return
        self._save()  # so that no generation is ahead of all checkpoints
        self._gate.begin(self._candidate(), self._generation, self._asked_to_stop)

    def _await_verdict(self) -> bool:
        """Wait for the match under way, or give it up when asked to stop. Whether none was given
        up.
        """
        self._gate.wait(self._asked_to_stop)
        held = self._gate.is_busy
        return self._hear_verdict() or not held

    def _hear_verdict(self) -> bool:
        """Do what follows from the match, if it has ended with a verdict; whether it has."""
        held = self._gate.ended()
        if held is None:
            return False
        self._judged_step = held.candidate.step
        if held.accepted:
            self._generation = self._folder.add_generation(held.candidate.nets, held.about())
        self._add("gate", **held.row(), generation=self._generation.number)
        self._show(held.words())
        self._write_report()
        return True

    def _write_report(self) -> None:
        """It is for people: a run does not end because it cannot be written."""
        try:
            write_report(self._folder)
        except OSError as error:
            self._show(f"no report was written: {error}")

    def _candidate(self) -> Candidate:
        """The averaged nets as they are now."""
        folder, counts = self._folder, self._replay.counts
        told: dict[str, Any] = {
            "run": folder.run,
            "rule": self._config.rule,
            "size": self._config.size,
            "ships": folder.ships,
            "seconds": round(self._seconds(), 1),
            "positions": counts["positions"],
            "games": counts["games"],
        }
        nets = self._learner.result({**told, "config": self._config.to_dict()})
        return Candidate(nets, {**told, "step": self._learner.step})

    def _first_generation(self) -> Generation:
        first = self._candidate()
        return self._folder.add_generation(first.nets, first.about)

    # --- small ones ---

    @property
    def _planned(self) -> float:
        return 60.0 * self._config.minutes

    def _seconds(self) -> float:
        """Of the device, over all sessions."""
        return self._before + monotonic() - self._start

    def _add(self, event: str, **values: Any) -> None:
        if self._log is not None:
            self._log.add({"event": event, "seconds": round(self._seconds(), 2), **values})

    def _show(self, text: str) -> None:
        if self._log is not None:
            self._log.view.show(text)

    def _result(self, is_done: bool) -> Result:
        return Result(
            self._folder.path,
            self._seconds(),
            self._planned,
            self._learner.step,
            self._generation.number,
            self._replay.counts,
            is_done,
        )

    def close(self) -> None:
        self._gate.close()
        if self._crew is not None:
            self._crew.close()
        self._replay.close()
        if self._log is not None:
            self._log.close()
