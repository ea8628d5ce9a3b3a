# SPDX-License-Identifier: MIT
"""The state of a run in memory: net, average, optimiser, data, teacher; one training step; and
checkpoints of the state.

A step depends only on this state and the step number: batches, symmetries and the learning rate
follow from the number and the seed. A resumed run does exactly what it would have done.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import torch
from torch import Tensor, nn

from tengen.nets.count import count_operations
from tengen.nets.net2wider import can_widen_to, net2wider_
from tengen.nets.reinit_dead_units import reinit_dead_units
from tengen.nets.spec import spec_of
from tengen.nets.weights import NetWeights, make_net, write_weights
from tengen.train.checkpoint import Checkpoint
from tengen.train.config import TrainConfig, check_net
from tengen.train.errors import BadTraining
from tengen.train.log import StopCheck, print_message
from tengen.train.losses import LossParts, Objective, Outputs
from tengen.train.net_trainer import NetTrainer, device_name, on_cpu, placed, seed_torch
from tengen.train.source import Order, Resident, make_source, open_data
from tengen.train.speed import Speed, matrix_rate, step_work
from tengen.train.start import load_weights
from tengen.train.teacher import LiveTeacher, PrecomputedTeacher, load_teacher
from tengen.train.unpack import Sample, Unpacker
from tengen.train.validation_set import open_validation

if TYPE_CHECKING:
    from tengen.nets.mixnet import Mixnet


class TrainState(NetTrainer):
    """A run between two steps. The loop and validation use its attributes.

    `config` has the length of the run in steps. A resumed run does not read its initial weights
    again: `start_is_redistributable` says whether they may be distributed.
    """

    def __init__(
        self,
        config: TrainConfig,
        device: torch.device,
        checkpoint: Checkpoint | None,
        *,
        start_is_redistributable: bool = True,
    ) -> None:
        self.data = open_data(config.data)
        check_net(config.net, self.data.size)
        config = config.with_steps(sum(len(view) for view in self.data.views))
        self.config = config
        self.step = checkpoint.step if checkpoint else 0  # steps done
        self.rate = 0.0  # of the last step
        self.reinitialised: dict[str, int] = {}  # units by layer, since `read_reinitialised`
        self._start_is_redistributable = start_is_redistributable
        seed_torch(config.seed, device)
        super().__init__(
            config.spec,
            device,
            Objective(config.losses, config.distillation.share),
            config.optimiser,
            ema=config.ema or None,
            bf16=config.precision == "bf16",
            compile=config.compile,
            warn=print_message,
        )
        if checkpoint is not None:
            self._restore_checkpoint(checkpoint)
        elif config.start:
            self._start_from(config.start)
        order = Order(config.batch, config.seed, self.step)
        self.source = make_source(config.data, self.data, order, device)
        self.validation = open_validation(self.data, config.run.validation_samples, device)
        self.unpack = Unpacker(self.data.size, device)
        self.teacher = self._make_teacher()
        self._random = torch.Generator(device)
        self._gradients = torch.zeros(2, device=device)  # sum of norms, count
        self.speed = self._make_speed()

    # --- a step ---

    def prepare(self, stop: Callable[[], bool]) -> bool:
        """Before the first step: precompute the teacher's labels if configured. Returns False if
        it was stopped.
        """
        if not isinstance(self.teacher, PrecomputedTeacher):
            return True
        text = "the teacher has labelled {:.0%} of the positions"
        check = StopCheck(text, stop, print_message)
        if not all(check(share) for share in self.teacher.label()):
            return False
        self.speed = self._make_speed()  # of the steps only
        return True

    def learn(self) -> tuple[Outputs, Sample, LossParts]:
        """One step; returns the outputs of the net, the sample, and the parts of the loss."""
        batch = next(self.source)
        sample = self.unpack(batch.rows, self._symmetry())
        teacher_labels = self.teacher(batch, sample) if self.teacher is not None else None
        if self.config.reinits_at(self.step):
            self._reinit_dead_units(sample.planes)
        self.rate = self.config.optimiser.rate * self.config.schedule.lr_factor(
            self.step, self.config.total_steps
        )
        quantised = self.step >= self.config.quantised_from
        outputs, losses, norm = self.train_step(
            sample, self.rate, teacher_labels, quantised=quantised
        )
        self._gradients += torch.stack((norm, torch.ones_like(norm)))
        self.step += 1
        self.speed.step()
        return outputs, sample, losses

    def _reinit_dead_units(self, planes: Tensor) -> None:
        """Reinitialise dead units; restarts the average if there are any."""
        self._random.manual_seed((self.config.seed << 32) + self.step)
        before = [weight.detach().clone() for weight in self.net.parameters()]
        self.reinitialised = reinit_dead_units(cast("Mixnet", self.net), planes, self._random)
        if not self.reinitialised:
            return
        for weight, was in zip(self.net.parameters(), before, strict=True):
            self._reset_moments(weight, weight.detach() != was)
        if self.average is not None:
            self.average.load(self.net.state_dict(), 0)

    def _reset_moments(self, weight: nn.Parameter, changed: Tensor) -> None:
        """New weights have no momentum yet. They get the mean squared gradient of the layer: dead
        units had none, and Adam would take large steps.
        """
        moments = self.optimiser.state.get(weight, {})
        for name in ("exp_avg", "momentum_buffer"):
            if moments.get(name) is not None:
                moments[name][changed] = 0.0
        if "exp_avg_sq" in moments:
            moments["exp_avg_sq"][changed] = moments["exp_avg_sq"].mean()

    def read_reinitialised(self) -> dict[str, int]:
        """Number of reinitialised units by layer, since the last call."""
        counts, self.reinitialised = self.reinitialised, {}
        return counts

    def _symmetry(self) -> Tensor | None:
        if not self.config.data.symmetries:
            return None
        self._random.manual_seed((self.config.seed << 32) + self.step)
        size = (self.config.batch,)
        return torch.randint(0, 8, size, generator=self._random, device=self.device)

    # --- metrics and description ---

    def read_gradient_norm(self) -> float:
        """Mean norm of the gradients since the last call, before clipping."""
        total, count = self._gradients.tolist()
        self._gradients.zero_()
        return float(total / max(1.0, count))

    def metadata(self) -> dict[str, Any]:
        """Net, data and machine, for people and tools."""
        sets = [view.dataset.manifest for view in self.data.views]
        return {
            "net": self.config.spec.to_dict(),
            "parameters": sum(p.numel() for p in self.net.parameters()),
            "data": [{"name": one.name, "positions": one.positions} for one in sets],
            "rule": str(sets[0].rule),
            "size": self.data.size,
            "redistributable": self.data.redistributable and self._start_is_redistributable,
            "torch": str(torch.__version__),
            "device": device_name(self.device),
        }

    def describe(self) -> str:
        """Net, data and device as one line."""
        metadata = self.metadata()
        rows = sum(len(view) for view in self.data.views)
        unseen = self.validation.unseen
        held = f"{len(self.validation):,} for validation"
        held += f", {int(unseen.sum()):,} of them unseen" if unseen is not None else ""
        feed = "resident" if isinstance(self.source, Resident) else "streamed"
        rounded = self.config.total_steps - self.config.quantised_from
        end = f" (the last {rounded:,} quantised)" if rounded else ""
        return (
            f"{self.config.spec.name}, {metadata['parameters']:,} parameters, on {rows:,} positions"
            f" ({feed}; {held}), {self.config.total_steps:,} steps"
            f" of {self.config.batch:,}{end}, {metadata['device']}"
        )

    # --- checkpoints ---

    def snapshot(self, run: str, seconds: float) -> Checkpoint:
        """A checkpoint of the state, on the CPU."""
        random = {"cpu": torch.get_rng_state()}
        if self.device.type == "cuda":
            random["cuda"] = torch.cuda.get_rng_state(self.device)
        average = self.average
        return Checkpoint(
            run=run,
            step=self.step,
            seconds=seconds,
            config=self.config.to_dict(),
            weights=on_cpu(self.net.state_dict()),
            average=on_cpu(average.state()) if average else {},
            updates=average.updates if average else 0,
            optimiser=on_cpu(self.optimiser.state_dict()),
            random=random,
        )

    def _start_from(self, source: str) -> None:
        """Load the weights of a net of the same kind, or of a smaller Mixnet. Raises BadTraining,
        BadWeights, OSError.
        """
        weights = load_weights(source, "start")
        spec = spec_of(weights.spec)
        if spec == self.config.spec:
            self.load(weights.make().state_dict())
        elif can_widen_to(spec, self.config.spec):
            large = cast("Mixnet", make_net(self.config.spec))
            net2wider_(large, cast("Mixnet", weights.make()))
            self.load(large.state_dict())
        else:
            problem = f"{source} has weights for {weights.name}, not {self.config.spec.name}"
            raise BadTraining(
                f"{problem}: use weights of the same net, or of a smaller one", "start"
            )
        if not weights.redistributable:
            self._start_is_redistributable = False
            print_message(
                f"start: {source} is not known to be redistributable, nor are nets of this run"
            )

    def _restore_checkpoint(self, state: Checkpoint) -> None:
        """Raises BadCheckpoint."""
        self.restore(state.weights, state.average, state.updates, state.optimiser)
        torch.set_rng_state(state.random["cpu"])
        if self.device.type == "cuda" and "cuda" in state.random:
            torch.cuda.set_rng_state(state.random["cuda"], self.device)

    def write_net(
        self, path: Path, run: str, seen: int, validation: dict[str, dict[str, float]]
    ) -> None:
        """Write the result so far: the averaged weights, or those of the net without average;
        rounded once the quantised steps have started. `seen`: the step of the validation.
        """
        weights = self.result()
        if self.step > self.config.quantised_from:
            result = make_net(self.config.spec)
            result.load_state_dict(weights)
            result.round_()
            weights = result.state_dict()
        metadata = {
            **self.metadata(),
            "run": run,
            "step": self.step,
            "samples": self.step * self.config.batch,
            "config": self.config.to_dict(),
            "validation": validation,
            "validated_step": seen,
        }
        write_weights(path, NetWeights(self.config.spec.to_dict(), weights, metadata))

    def close(self) -> None:
        self.source.close()

    # --- parts ---

    def _make_teacher(self) -> LiveTeacher | PrecomputedTeacher | None:
        config = self.config.distillation
        if not config.teacher:
            return None
        live = LiveTeacher(
            placed(load_teacher(config, self.data.size), self.device), self.autocast()
        )
        if not config.precompute:
            return live
        if not isinstance(self.source, Resident):
            raise BadTraining("distillation.precompute needs data.feed resident")
        return PrecomputedTeacher(live, self.source, self.unpack)

    def _make_speed(self) -> Speed:
        macs = count_operations(self.config.spec, self.data.size).multiply_adds
        teacher_macs = 0  # of a step, which looks precomputed labels up
        if isinstance(self.teacher, LiveTeacher):
            teacher_macs = count_operations(self.teacher.net.spec, self.data.size).multiply_adds
        work = step_work(macs, self.config.batch, teacher_macs)
        rate = matrix_rate(self.device, self.config.precision)
        return Speed(self.device, self.config.batch, work, rate)
