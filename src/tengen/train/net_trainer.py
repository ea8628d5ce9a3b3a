# SPDX-License-Identifier: MIT
"""`NetTrainer`: a net with its averaged weights and optimiser, and one optimiser step. Training and
training from self-play use it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import Any, TypeVar, cast

import torch
import torch._dynamo
from torch import Tensor, nn

from tengen.nets.blocks import compiled
from tengen.nets.spec import NetSpec
from tengen.nets.weights import make_net
from tengen.train.config import OptimiserConfig
from tengen.train.errors import BadCheckpoint
from tengen.train.losses import (
    NO_GROUPS,
    Groups,
    LossParts,
    Objective,
    Outputs,
    check_losses,
)
from tengen.train.unpack import Labels, Sample

# Raised for a missing compiler or an unsupported operation, not for errors of the device.
_COMPILER_ERRORS = (torch._dynamo.exc.TorchDynamoException, ImportError)
Net = TypeVar("Net", bound=nn.Module)


class Average:
    """An exponential moving average of all parameters and of floating-point buffers (the running
    means of a normalisation); other buffers are copied.

    In the first steps the decay is smaller, (1 + n) / (10 + n) after n updates, so that the initial
    weights soon lose their influence.
    """

    def __init__(self, net: nn.Module, decay: float) -> None:
        self.decay = decay
        self.updates = 0
        self._weights: dict[str, Tensor] = dict(net.named_parameters()) | dict(net.named_buffers())
        self._mean = {name: value.detach().clone() for name, value in self._weights.items()}
        self._floating = [
            name for name, value in self._weights.items() if value.is_floating_point()
        ]
        self._counters = [name for name in self._weights if name not in self._floating]

    @torch.no_grad()
    def update(self) -> None:
        """Add the current weights."""
        self.updates += 1
        decay = min(self.decay, (1 + self.updates) / (10 + self.updates))
        means = [self._mean[name] for name in self._floating]
        torch._foreach_lerp_(means, [self._weights[name] for name in self._floating], 1.0 - decay)
        if self._counters:
            counters = [self._mean[name] for name in self._counters]
            torch._foreach_copy_(counters, [self._weights[name] for name in self._counters])

    @contextmanager
    def applied(self) -> Iterator[None]:
        """A context in which the net has the averaged weights. They are copied into its tensors, so
        a compiled net stays compiled.
        """
        self._swap()
        try:
            yield
        finally:
            self._swap()

    @torch.no_grad()
    def _swap(self) -> None:
        for name, value in self._weights.items():
            kept = value.detach().clone()
            value.copy_(self._mean[name])
            self._mean[name].copy_(kept)

    def state(self) -> dict[str, Tensor]:
        """The averaged weights, by the names of the net's state."""
        return dict(self._mean)

    @torch.no_grad()
    def load(self, state: Mapping[str, Tensor], updates: int) -> None:
        for name, value in self._mean.items():
            value.copy_(state[name])
        self.updates = updates


class NetTrainer:
    """A net in training."""

    def __init__(
        self,
        spec: NetSpec,
        device: torch.device,
        objective: Objective,
        optimiser: OptimiserConfig,
        *,
        ema: float | None,
        bf16: bool,
        compile: bool,
        warn: Callable[[str], None],
    ) -> None:
        """`ema`: decay of the averaged weights; None: no EMA weights. Raises BadTraining if the net
        does not have the losses of the objective.
        """
        self.device = device
        self.net = placed(make_net(spec), device)
        check_losses(objective.losses, self.net.outputs)
        self.average = None if ema is None else Average(self.net, ema)
        self.optimiser = make_optimiser(optimiser, self.net, device)
        self._objective = objective
        self._max_norm = optimiser.clip or float("inf")
        self._bf16 = bf16 and device.type != "cpu"
        self._warn = warn
        self._compile = compile
        self._is_finite = torch.ones((), dtype=torch.bool, device=device)

    def train_step(
        self,
        sample: Sample,
        rate: float,
        teacher: Labels | None = None,
        *,
        quantised: bool = False,
        groups: Groups = NO_GROUPS,
    ) -> tuple[Outputs, LossParts, Tensor]:
        """One step; returns the outputs, the parts of the loss, also of groups of samples, and the
        norm of the gradient before clipping.
        """
        outputs = self.forward(sample.planes, quantised)
        total, parts = self._objective(outputs, sample, teacher, groups)
        total.backward()  # type: ignore[no-untyped-call]
        norm = nn.utils.clip_grad_norm_(self.net.parameters(), self._max_norm).detach()
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)
        self.net.clamp_()
        if self.average is not None:
            self.average.update()
        self._is_finite &= torch.isfinite(total.detach()) & torch.isfinite(norm)
        return outputs, parts, norm

    def forward(self, planes: Tensor, quantised: bool = False) -> dict[str, Tensor]:
        """The net's outputs, in the precision of the run; `quantised` is for a Mixnet only, and has
        its own graph if the net is compiled.
        """
        inputs = (planes, True) if quantised else (planes,)  # other nets have no second argument
        with self.autocast():
            if self._compile:
                try:
                    return self._compiled(*inputs)
                except _COMPILER_ERRORS as error:
                    first = next(iter(str(error).splitlines()), "")
                    self._warn(f"continues without torch.compile, which failed: {first:.200}")
                    self._compile = False
            return cast("dict[str, Tensor]", self.net(*inputs))

    @cached_property
    def _compiled(self) -> Callable[..., dict[str, Tensor]]:
        """Made at the first step: importing the compiler takes seconds."""
        return compiled(self.net)

    def autocast(self) -> torch.autocast:
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self._bf16)

    def is_finite(self) -> bool:
        """Whether all losses and gradients were finite. Waits for the device."""
        return bool(self._is_finite)

    def result(self) -> dict[str, Tensor]:
        """The EMA weights, or those of the net if there are none, on the CPU."""
        weights = self.average.state() if self.average else self.net.state_dict()
        return cast("dict[str, Tensor]", on_cpu(weights))

    def load(self, weights: Mapping[str, Tensor]) -> None:
        """Start from these weights."""
        self.net.load_state_dict(weights)
        if self.average is not None:
            self.average.load(self.net.state_dict(), 0)

    def restore(
        self,
        weights: Mapping[str, Tensor],
        average: Mapping[str, Tensor],
        updates: int,
        optimiser: dict[str, Any],
    ) -> None:
        """The state of a checkpoint. Raises BadCheckpoint if it belongs to another net."""
        try:
            self.net.load_state_dict(weights)
            if self.average is not None:
                self.average.load(average, updates)
            self.optimiser.load_state_dict(optimiser)
        except (RuntimeError, KeyError, ValueError) as error:
            raise BadCheckpoint(f"the checkpoint belongs to another net: {error!s:.200}") from None


def make_optimiser(
    config: OptimiserConfig, net: nn.Module, device: torch.device
) -> torch.optim.Optimizer:
    """SGD or Adam with the gradient of lambda * w^2, which is 2 lambda w; or AdamW."""
    weights, penalty = net.parameters(), 2 * config.weight_decay
    shared: dict[str, Any] = {"lr": config.rate, "fused": device.type == "cuda"}
    if config.name == "sgd":
        shared |= {"momentum": config.momentum, "nesterov": config.nesterov}
        return torch.optim.SGD(weights, weight_decay=penalty, **shared)
    shared |= {"betas": (config.beta1, config.beta2), "eps": config.epsilon}
    if config.name == "adam":
        return torch.optim.Adam(weights, weight_decay=penalty, **shared)
    return torch.optim.AdamW(weights, weight_decay=config.weight_decay, **shared)


def seed_torch(seed: int, device: torch.device) -> None:
    """Seed the generators, and choose the fast algorithms of a GPU."""
    torch.manual_seed(seed)
    if device.type == "cuda":
        torch.set_float32_matmul_precision("high")
        torch.backends.cudnn.benchmark = True


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
