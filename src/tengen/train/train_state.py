# SPDX-License-Identifier: MIT
"""The state of a run in memory: net, average, optimiser, data, teacher; one training step; and
checkpoints of the state.

A step depends only on this state and the step number: batches, symmetries and the learning rate
follow from the number and the seed. A resumed run does exactly what it would have done.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import torch
import torch._dynamo
from torch import Tensor, nn

from tengen.nets.count import count_operations
from tengen.nets.net2wider import can_widen_to, net2wider_
from tengen.nets.reinit_dead_units import reinit_dead_units
from tengen.nets.spec import spec_of
from tengen.nets.weights import NetWeights, make_net, write_weights
from tengen.train.checkpoint import Checkpoint
from tengen.train.config import OptimiserConfig, TrainConfig
from tengen.train.ema import Average
from tengen.train.errors import BadCheckpoint, BadTraining
from tengen.train.log import StopCheck, print_message
from tengen.train.losses import Outputs
from tengen.train.objective import LossParts, Objective
from tengen.train.schedule import rate_share
from tengen.train.source import Order, Resident, make_source, open_data, validation_rows
from tengen.train.speed import Speed, matrix_rate, step_work
from tengen.train.start import load_weights
from tengen.train.teacher import PrecomputedTeacher, Teacher, load_teacher, make_teacher
from tengen.train.unpack import Sample, Unpacker

if TYPE_CHECKING:
    from tengen.nets.mixnet import Mixnet

__all__ = ["TrainState", "device_name", "make_optimiser", "on_cpu", "placed"]

# Raised for a missing compiler or an unsupported operation, not for errors of the device.
_COMPILER_ERRORS = (torch._dynamo.exc.TorchDynamoException, ImportError)
Net = TypeVar("Net", bound=nn.Module)


class TrainState:
    """A run between two steps. The loop and validation use its attributes.

    A resumed run does not read its initial weights again: `redistributable` says whether they may
    be distributed.
    """

    def __init__(
        self,
        config: TrainConfig,
        device: torch.device,
        checkpoint: Checkpoint | None,
        *,
        redistributable: bool = True,
    ) -> None:
        self.config = config
        self.device = device
        self.step = checkpoint.step if checkpoint else 0  # steps done
        self.rate = 0.0  # of the last step
        self.reinitialised: dict[str, int] = {}  # units by layer, since `read_reinitialised`
        torch.manual_seed(config.seed)
        if device.type == "cuda":
            torch.set_float32_matmul_precision("high")
            torch.backends.cudnn.benchmark = True
        self.data = open_data(config.data)
        self.net = placed(make_net(config.spec), device)
        self._redistributable = redistributable
        if config.start and checkpoint is None:
            self._start_from(config.start)
        self.average = Average(self.net, config.ema) if config.ema else None
        self.optimiser = make_optimiser(config.optimiser, self.net, device)
        if checkpoint is not None:
            self._restore(checkpoint)
        order = Order(config.batch, config.seed, self.step)
        self.source = make_source(config.data, self.data, order, device)
        self.validation_rows = validation_rows(self.data, config.run.validation_samples, device)
        self.unpack = Unpacker(self.data.size, device)
        self.teacher = self._teacher()
        self._objective = Objective(config.losses, config.distillation.share)
        self._compiled: Callable[..., dict[str, Tensor]] | None = None
        if config.compile:
            self._compiled = torch.compile(self.net, dynamic=False)
        self._random = torch.Generator(device)
        self._gradients = torch.zeros(2, device=device)  # sum of norms, count
        self._sound = torch.ones((), dtype=torch.bool, device=device)
        self.speed = self._speed()

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
        self.speed = self._speed()  # of the steps only
        return True

    def learn(self) -> tuple[Outputs, Sample, LossParts]:
        """One step; returns the outputs of the net, the sample, and the parts of the loss."""
        batch = next(self.source)
        sample = self.unpack(batch.rows, self._symmetry())
        teacher_labels = self.teacher(batch, sample) if self.teacher is not None else None
        if self.config.reinits_at(self.step):
            self._reinit_dead_units(sample.planes)
        outputs = self.forward(sample.planes, self.step >= self.config.quantised_from)
        total, losses = self._objective(outputs, sample, teacher_labels)
        total.backward()  # type: ignore[no-untyped-call]
        norm = self._clip()
        self.rate = self.config.optimiser.rate * rate_share(
            self.config.schedule, self.step, self.config.total_steps
        )
        for group in self.optimiser.param_groups:
            group["lr"] = self.rate
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)
        self.net.clamp_()
        if self.average is not None:
            self.average.update()
        self._sound &= torch.isfinite(total.detach()) & torch.isfinite(norm)
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
        """New weights get the mean squared gradient of the layer: dead units had none, and Adam
        would take large steps.
        """
        if moments := self.optimiser.state.get(weight):
            moments["exp_avg"][changed] = 0.0
            moments["exp_avg_sq"][changed] = moments["exp_avg_sq"].mean()

    def read_reinitialised(self) -> dict[str, int]:
        """Number of reinitialised units by layer, since the last call."""
        counts, self.reinitialised = self.reinitialised, {}
        return counts

    def forward(self, planes: Tensor, quantised: bool = False) -> dict[str, Tensor]:
        """The net's outputs, in the precision of the run; `quantised` is for a Mixnet only, and has
        its own graph if the net is compiled.
        """
        inputs = (planes, True) if quantised else (planes,)  # other nets have no second argument
        with self._autocast():
            if self._compiled is None:
                return cast("dict[str, Tensor]", self.net(*inputs))
            try:
                return self._compiled(*inputs)
            except _COMPILER_ERRORS as error:
                first = next(iter(str(error).splitlines()), "")
                print_message(f"continues without torch.compile, which failed: {first:.200}")
                self._compiled = None
                return cast("dict[str, Tensor]", self.net(*inputs))

    def _autocast(self) -> torch.autocast:
        short = self.config.precision == "bf16" and self.device.type != "cpu"
        return torch.autocast(self.device.type, torch.bfloat16, enabled=short)

    def _symmetry(self) -> Tensor | None:
        if not self.config.data.symmetries:
            return None
        self._random.manual_seed((self.config.seed << 32) + self.step)
        size = (self.config.batch,)
        return torch.randint(0, 8, size, generator=self._random, device=self.device)

    def _clip(self) -> Tensor:
        """Clip the gradient; returns its norm before."""
        limit = self.config.optimiser.clip or float("inf")
        return nn.utils.clip_grad_norm_(self.net.parameters(), limit).detach()

    # --- metrics and description ---

    def is_sound(self) -> bool:
        """Whether all losses and gradients were finite. Waits for the device."""
        return bool(self._sound)

    def read_gradient(self) -> float:
        """Mean norm of the gradients since the last call, before clipping."""
        total, count = self._gradients.tolist()
        self._gradients.zero_()
        return float(total / max(1.0, count))

    def read_speed(self) -> dict[str, float]:
        return self.speed.read()

    def about(self) -> dict[str, Any]:
        """Net, data and machine, for people and tools."""
        sets = [view.dataset.manifest for view in self.data.views]
        return {
            "net": self.config.spec.to_dict(),
            "parameters": sum(p.numel() for p in self.net.parameters()),
            "data": [{"name": one.name, "positions": one.positions} for one in sets],
            "rule": str(sets[0].rule),
            "size": self.data.size,
            "redistributable": self.data.redistributable and self._redistributable,
            "torch": str(torch.__version__),
            "device": device_name(self.device),
        }

    def describe(self) -> str:
        """Net, data and device as one line."""
        about = self.about()
        rows = sum(len(view) for view in self.data.views)
        validation = len(self.validation_rows.board)
        feed = "resident" if isinstance(self.source, Resident) else "streamed"
        rounded = self.config.total_steps - self.config.quantised_from
        end = f" (the last {rounded:,} quantised)" if rounded else ""
        return (
            f"{self.config.spec.name}, {about['parameters']:,} parameters, on {rows:,} positions"
            f" ({feed}; {validation:,} for validation), {self.config.total_steps:,} steps"
            f" of {self.config.batch:,}{end}, {about['device']}"
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
            self.net.load_state_dict(weights.make().state_dict())
        elif can_widen_to(spec, self.config.spec):
            large = cast("Mixnet", make_net(self.config.spec))
            net2wider_(large, cast("Mixnet", weights.make()))
            self.net.load_state_dict(large.state_dict())
        else:
            problem = f"{source} is of {weights.name}, not of {self.config.spec.name}"
            raise BadTraining(
                f"{problem}: use weights of the same net, or of a smaller one", "start"
            )
        if not weights.redistributable:
            self._redistributable = False
            print_message(
                f"start: {source} is not known to be redistributable, nor are nets of this run"
            )

    def _restore(self, checkpoint: Checkpoint) -> None:
        try:
            self.net.load_state_dict(checkpoint.weights)
            if self.average is not None:
                self.average.load(checkpoint.average, checkpoint.updates)
            self.optimiser.load_state_dict(checkpoint.optimiser)
        except (RuntimeError, KeyError, ValueError) as error:
            problem = f"the checkpoint of step {checkpoint.step:,} does not match this net"
            raise BadCheckpoint(f"{problem}: {error!s:.200}") from None
        torch.set_rng_state(checkpoint.random["cpu"])
        if self.device.type == "cuda" and "cuda" in checkpoint.random:
            torch.cuda.set_rng_state(checkpoint.random["cuda"], self.device)

    def write_net(
        self, path: Path, run: str, seen: int, validation: dict[str, dict[str, float]]
    ) -> None:
        """Write the result so far: the averaged weights, or those of the net without average;
        rounded once the quantised steps have started. `seen`: the step of the validation.
        """
        weights = on_cpu(self.average.state() if self.average else self.net.state_dict())
        if self.step > self.config.quantised_from:
            result = make_net(self.config.spec)
            result.load_state_dict(weights)
            result.round_()
            weights = result.state_dict()
        about = {
            **self.about(),
            "run": run,
            "step": self.step,
            "samples": self.step * self.config.batch,
            "config": self.config.to_dict(),
            "validation": validation,
            "validated_step": seen,
        }
        write_weights(path, NetWeights(self.config.spec.to_dict(), weights, about))

    def close(self) -> None:
        self.source.close()

    # --- parts ---

    def _teacher(self) -> Teacher | None:
        config = self.config.distillation
        if not config.teacher:
            return None
        net = placed(load_teacher(config), self.device)
        source = None
        if config.precompute:
            if not isinstance(self.source, Resident):
                raise BadTraining("distillation.precompute needs data.feed resident")
            source = self.source
        return make_teacher(net, self._autocast(), source, self.unpack)

    def _speed(self) -> Speed:
        macs = count_operations(self.config.spec, self.data.size).multiply_adds
        teacher_macs = self.teacher.work(self.data.size) if self.teacher is not None else 0
        work = step_work(macs, self.config.batch, teacher_macs)
        rate = matrix_rate(self.device, self.config.precision)
        return Speed(self.device, self.config.batch, work, rate)


def make_optimiser(
    config: OptimiserConfig, net: nn.Module, device: torch.device
) -> torch.optim.Optimizer:
    """Adam with the gradient of lambda * w^2, which is 2 lambda w; or AdamW."""
    settings: dict[str, Any] = {
        "lr": config.rate,
        "betas": (config.beta1, config.beta2),
        "eps": config.epsilon,
        "fused": device.type == "cuda",
    }
    if config.name == "adam":
        return torch.optim.Adam(net.parameters(), weight_decay=2 * config.weight_decay, **settings)
    return torch.optim.AdamW(net.parameters(), weight_decay=config.weight_decay, **settings)


def placed(net: Net, device: torch.device) -> Net:
    """The net on the device, in the memory layout for fast convolutions."""
    return net.to(device).to(memory_format=torch.channels_last)  # type: ignore[call-overload,no-any-return]


def on_cpu(value: Any) -> Any:
    """A copy of a state with its tensors on the CPU."""
    if isinstance(value, Tensor):
        return value.detach().to("cpu", copy=True)
    if isinstance(value, dict):
        return {name: on_cpu(inner) for name, inner in value.items()}
    return [on_cpu(inner) for inner in value] if isinstance(value, list) else value


def device_name(device: torch.device) -> str:
    return torch.cuda.get_device_name(device) if device.type == "cuda" else "cpu"
