# SPDX-License-Identifier: MIT
"""How the nets of the papers are trained, by scale: the papers' own settings, those for minutes of
an accelerator, and a few steps that only show that everything runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tengen.experiments.experiment import Setup
from tengen.experiments.steps.data import DataStep
from tengen.experiments.steps.nets import Net, TrainStep

SEEDS = {"tiny": (1, 2), "small": (1, 2, 3), "paper": (1, 2, 3)}  # of a reference row
_TINY_STEPS, _TINY_BATCH = 8, 16
_TINY = {
    "batch": _TINY_BATCH,
    "schedule": {"warmup": 2},
    "run": {"validate_every": 4, "checkpoint": 4, "log": 4, "validation_samples": 200,
            "tensorboard": False},
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class TrainRecipe:
    """The training of a paper. `samples` are those of the scale `small`."""

    paper: Mapping[str, Any]  # config, with the length in `samples` or `epochs`
    small: Mapping[str, Any]
    samples: int
    paper_samples: int = 0  # of each net in the paper; 0: not given

    def note(self, setup: Setup) -> str:
        """The samples of a training as a share of the paper's."""
        config, samples = self.config(setup)
        if not samples:
            epochs = f"{config['epochs']:g} epochs for each net"
            is_known = "as in the paper" if self.paper_samples else "a number not in the paper"
            return f"{epochs}, {is_known}."
        share = "the paper does not give its number"
        if self.paper_samples:
            share = f"{samples / self.paper_samples:.2%} of the paper's {self.paper_samples:,}"
        other = "Batch, learning rate, schedule, L2 and clipping are not the paper's."
        text = f"{samples:,} samples for each net, {share}."
        return text if setup.scale == "paper" else f"{text} {other}"

    def config(self, setup: Setup) -> tuple[Mapping[str, Any], int]:
        """The config, and the number of samples; 0 if the config has `epochs`."""
        if setup.scale == "paper":
            config = dict(self.paper)
            return config, int(config.pop("samples", 0))
        if setup.scale == "small":
            return self.small, self.samples
        return {**self.small, **_TINY}, _TINY_BATCH * _TINY_STEPS

    def train(
        self,
        setup: Setup,
        net: Net,
        data: DataStep,
        label: str,
        *,
        seed: int = 1,
        colour: str = "",
        share: float = 1.0,
    ) -> TrainStep:
        """A training with this recipe; `share`: of the samples."""
        config, samples = self.config(setup)
        return TrainStep(
            net, data, config, round(samples * share), seed=seed, colour=colour, label=label
        )

    def train_all(
        self, setup: Setup, nets: Mapping[str, Net], data: DataStep, reference: str
    ) -> dict[str, TrainStep]:
        """A training of each net, by `seed_label`; of the reference row one for each seed."""
        return {
            seed_label(label, seed): self.train(setup, net, data, label, seed=seed)
            for label, net in nets.items()
            for seed in (SEEDS[setup.scale] if label == reference else (1,))
        }


def seed_label(label: str, seed: int) -> str:
    return label if seed == 1 else f"{label}, seed {seed}"


_RUN = {"validate_every": 500, "checkpoint": 1000, "validation_samples": 100_000}

# "Improving Model and Search for Computer Go": an epoch is 1,000,000 random states; the paper does
# not name the optimiser.
GO = TrainRecipe(
    paper={
        "samples": 250_000_000,
        "batch": 32,
        "ema": 0.0,
        "losses": {"policy": 1.0, "binary": 1.0},
        "optimiser": {"name": "adam", "rate": 5e-4, "weight_decay": 1e-4, "clip": 0.0},
        "schedule": {"name": "step", "warmup": 0, "milestones": [0.4, 0.6, 0.8], "factor": 0.1},
    },
    small={
        "batch": 1024,
        "ema": 0.0,
        "losses": {"policy": 1.0, "binary": 1.0},
        "optimiser": {"name": "adam", "rate": 2e-3, "weight_decay": 1e-5},
        "schedule": {"name": "cosine", "warmup": 50, "end": 0.01},
        "run": _RUN,
    },
    samples=1_000_000,
    paper_samples=250_000_000,
)

# GomokuNet: the paper gives neither the batch nor the weights of the losses.
GOMOKUNET = TrainRecipe(
    paper={
        "epochs": 10,
        "batch": 128,
        "ema": 0.0,
        "losses": {"policy": 1.0, "scalar": 1.0},
        "optimiser": {"name": "sgd", "rate": 5e-3, "momentum": 0.9, "weight_decay": 0.0},
        "schedule": {"name": "constant", "warmup": 0},
    },
    small={
        "batch": 512,
        "ema": 0.0,
        "losses": {"policy": 1.0, "scalar": 1.0},
        "optimiser": {"name": "sgd", "rate": 3e-2, "momentum": 0.9, "weight_decay": 0.0},
        "schedule": {"name": "cosine", "warmup": 100, "end": 0.02},
        "run": _RUN,
    },
    samples=1_500_000,
    paper_samples=10 * (2_301_460 - 355_087),  # ten epochs
)

# Double dual ResNet: the paper refers to AlphaGo Zero for the training.
RENJU = TrainRecipe(
    paper={
        "epochs": 20,
        "batch": 2048,
        "ema": 0.0,
        "losses": {"policy": 1.0, "scalar": 1.0},
        "optimiser": {"name": "sgd", "rate": 1e-2, "momentum": 0.9, "weight_decay": 1e-4},
        "schedule": {"name": "step", "warmup": 0, "milestones": [0.5, 0.75], "factor": 0.1},
    },
    small={
        "batch": 2048,
        "ema": 0.0,
        "losses": {"policy": 1.0, "scalar": 1.0},
        "optimiser": {"name": "sgd", "rate": 0.1, "momentum": 0.9, "weight_decay": 1e-4},
        "schedule": {"name": "cosine", "warmup": 100, "end": 0.02},
        "run": _RUN,
    },
    samples=6_000_000,
)
